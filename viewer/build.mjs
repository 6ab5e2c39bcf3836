// Builds the pages' scripts and style into the Python package, and notes which sources they were built from:
//   npm ci && npm run build
// The product is committed, so that nobody needs Node to use tworay (docs/decisions/0011-report-bundle.md).
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync, mkdirSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, "..", "python", "tworay", "report", "built");

/** SHA-256 over the names and contents of everything the product is made of. */
function digest() {
  const sources = readdirSync(join(here, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const files = [...sources, join(here, "package-lock.json"), join(here, "build.mjs")];
  const hash = createHash("sha256");
  for (const file of files.map((name) => relative(here, name).replaceAll("\\", "/")).sort()) {
    hash.update(`${file}\n`).update(readFileSync(join(here, file))).update("\n");
  }
  return hash.digest("hex");
}

const { outputFiles } = await build({
  absWorkingDir: here,
  // A script for each kind of page, with what it needs and no more, and one style.
  entryPoints: { viewer: "src/viewer.css", run: "src/pages/run.ts", overlay: "src/pages/overlay.ts", figures: "src/pages/figures.ts" },
  outdir: "out",
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "inline",
});
mkdirSync(target, { recursive: true });
for (const file of outputFiles) {
  writeFileSync(join(target, basename(file.path)), file.text);
}
writeFileSync(join(target, "sources.sha256"), `${digest()}\n`);
