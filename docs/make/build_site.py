"""Builds the site of the documentation into target/site, and checks its links: `make site`.

    .venv/bin/python docs/make/build_site.py [--check]

The pages are those of `docs/`, with README, CONTRIBUTING and CHANGELOG. They are staged in target/site-pages,
and links that leave `docs/` lead to copies there. The site works from a folder and from a server, without a
network.
"""

from __future__ import annotations

import argparse
import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
STAGE = ROOT / "target" / "site-pages"
SITE = ROOT / "target" / "site"
# Pages of `docs/guide` that are read in order; its other pages answer one question each.
GUIDE = ("install", "student", "tour", "mesh-engineer", "transport-developer", "teacher", "contributor")
OUTSIDE = {"README.md": "overview.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
# Chromium starts no workers from files; zensical takes a replacement from this address, the site has its own.
SHIM = "https://unpkg.com/iframe-worker/shim"
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)

CONFIG = """[project]
site_name = "tworay"
site_description = "TCP for networks that move: simulate it, see why every packet was lost."
docs_dir = "pages"
site_dir = "site"
use_directory_urls = false
nav = {nav}
extra_css = ["site.css"]

[project.theme]
language = "en"
font = false
features = ["navigation.indexes", "navigation.top", "content.code.copy", "toc.integrate", "search.highlight"]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
toggle.icon = "lucide/sun"
toggle.name = "Switch to dark"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
toggle.icon = "lucide/moon"
toggle.name = "Switch to light"

[project.plugins.offline]

[project.plugins.search]

[project.markdown_extensions.toc]
permalink = true
[project.markdown_extensions.tables]
[project.markdown_extensions.attr_list]
[project.markdown_extensions.pymdownx.highlight]
[project.markdown_extensions.pymdownx.superfences]
"""


def title(page: Path) -> str:
    """Return the heading of a page, without its explanation after a colon; a decision keeps its number."""
    found = TITLE.search(page.read_text(encoding="utf-8"))
    heading = found[1].replace("`", "") if found else page.stem
    return heading if heading[0].isdigit() else heading.split(": ")[0]


def navigation() -> list[dict[str, object]]:
    """Return the left column: each page of `docs/` once, under its kind."""
    guide = [f"guide/{name}.md" for name in GUIDE if (DOCS / f"guide/{name}.md").is_file()]
    how_to = [page for page in _pages("guide") if page not in guide]
    studies = [page for page in _pages("studies") if page != "studies/README.md"]
    decisions = [page for page in _pages("decisions") if page != "decisions/README.md"]
    home: list[dict[str, object]] = [{"Start": "README.md"}, {"Overview": "overview.md"}]
    if (DOCS / "gallery.md").is_file():
        home.append({"Gallery": "gallery.md"})
    return [
        *home,
        {"Guide": _named(guide)},
        {"How-to": _named(how_to)},
        {"Reference": _named(_pages("reference"))},
        {"Explanation": _named(_pages("explanation"))},
        {"Studies": ["studies/README.md", *_named(studies)]},
        {"Decisions": ["decisions/README.md", *_named(decisions)]},
        {"Project": [{"Contributing": "contributing.md"}, {"Changelog": "changelog.md"}]},
    ]


def _pages(folder: str) -> list[str]:
    return [str(page.relative_to(DOCS)) for page in sorted((DOCS / folder).rglob("*.md"))]


def _named(pages: list[str]) -> list[dict[str, str]]:
    return [{title(DOCS / page): page} for page in pages]


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{json.dumps(k, ensure_ascii=False)} = {_toml(v)}" for k, v in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


class Staging:
    """The folder of pages that the site is made from."""

    def __init__(self, pages: Path) -> None:
        self.pages = pages
        self.copied: set[Path] = set()

    def place(self, file: Path) -> Path:
        """Return where a file of the repository stands among the pages."""
        if file.is_relative_to(DOCS):
            return self.pages / file.relative_to(DOCS)
        name = str(file.relative_to(ROOT))
        return self.pages / OUTSIDE.get(name, f"sources/{name}")

    def add(self, file: Path) -> None:
        """Copy a file, and those outside `docs/` that it links to."""
        if file in self.copied:
            return
        self.copied.add(file)
        to = self.place(file)
        to.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix != ".md":
            shutil.copyfile(file, to)
            return
        text = file.read_text(encoding="utf-8")
        to.write_text(LINK.sub(lambda link: self._link(file, link), text), encoding="utf-8")

    def _link(self, page: Path, link: re.Match[str]) -> str:
        address, _, part = link[2].partition("#")
        target = (page.parent / address).resolve()
        if not address or re.match(r"[a-z]+:", address) or not target.is_relative_to(ROOT):
            return link[0]
        if target.is_dir() and (target / "README.md").is_file():
            target /= "README.md"
        if not target.is_file():
            return link[0]
        # Files of `make`, such as the samples of a page, are there if a page names them.
        if not target.is_relative_to(DOCS) or target.is_relative_to(DOCS / "make"):
            self.add(target)
        there = os.path.relpath(self.place(target), self.place(page).parent)
        return f"{link[1]}{there}{'#' + part if part else ''}{link[3]}"


def build(site: Path = SITE, stage: Path = STAGE) -> None:
    """Write the whole site into a folder."""
    for folder in (site, stage):
        shutil.rmtree(folder, ignore_errors=True)
    staging = Staging(stage / "pages")
    for file in sorted(DOCS.rglob("*")):
        if file.is_file() and "make" not in file.relative_to(DOCS).parts:
            staging.add(file)
    for name in OUTSIDE:
        staging.add(ROOT / name)
    for file in sorted((DOCS / "make/assets").iterdir()):
        shutil.copyfile(file, stage / "pages" / file.name)
    config = CONFIG.format(nav=_toml(navigation()))
    (stage / "zensical.toml").write_text(config, encoding="utf-8")
    tool = Path(sys.executable).with_name("zensical")
    done = subprocess.run([tool, "build", "--clean"], cwd=stage, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"zensical failed:\n{done.stdout}{done.stderr}")
    shutil.move(stage / "site", site)
    for page in site.rglob("*.html"):
        _without_network(page, site)


def _without_network(page: Path, site: Path) -> None:
    """Take the search's helper for folders from the site itself instead of another host."""
    text = page.read_text(encoding="utf-8")
    if SHIM not in text:
        raise SystemExit(f"{page}: zensical no longer includes {SHIM}; see what the search needs in a folder")
    own = os.path.relpath(site / "search-worker.js", page.parent)
    page.write_text(text.replace(SHIM, own), encoding="utf-8")


class _Page(html.parser.HTMLParser):
    """The addresses and the places of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect what a tag refers to."""
        named = {name: value for name, value in attrs if value}
        self.places |= {named[key] for key in ("id", "name") if key in named}
        for key in ("href", "src"):
            if key in named:
                self.links.append(named[key])
        if tag != "a":
            self.loaded |= {
                named[key] for key in ("href", "src") if key in named and named.get("rel") != "canonical"
            }


def broken(site: Path) -> Iterator[str]:
    """Yield each link of a site that leads nowhere, and each resource from another host."""
    pages = {page: _Page(page.read_text(encoding="utf-8")) for page in sorted(site.rglob("*.html"))}
    for page, its in pages.items():
        for link in its.links:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                if link in its.loaded and parts.scheme != "data":
                    yield f"{page.relative_to(site)}: {link} is loaded from another host"
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if target.is_dir():
                target /= "index.html"
            where = f"{page.relative_to(site)}: {link}"
            if not target.exists():
                if page.name != "404.html":
                    yield f"{where} leads to no file"
                continue
            # Names that begin with two underscores are the theme's switches.
            place = unquote(parts.fragment)
            if place and target in pages and not place.startswith("__") and place not in pages[target].places:
                yield f"{where} leads to no place of its page"


def main() -> None:
    """Build, check, and say where the site is."""
    options = argparse.ArgumentParser(description="build the site of the documentation and check its links")
    options.add_argument("--check", action="store_true", help="only check the links of the built site")
    if not options.parse_args().check:
        build()
    found = list(broken(SITE))
    if found:
        raise SystemExit("broken links:\n" + "\n".join(found))
    print(f"{len(list(SITE.rglob('*.html')))} pages; open {SITE / 'index.html'}")


if __name__ == "__main__":
    main()
