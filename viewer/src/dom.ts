// Elements are made here and nowhere from markup: whatever a file is called, it shows as text.

type Child = Node | string | null | undefined;
type Value = string | number | boolean | ((event: Event) => void) | null | undefined;

const SVG = "http://www.w3.org/2000/svg";

function fill<E extends Element>(element: E, attributes: Record<string, Value>, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => child != null));
  return element;
}

/** Makes an HTML element; functions among the attributes are listeners. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(name), attributes, children);
}

/** Makes an SVG element. */
export function svg(name: string, attributes: Record<string, Value> = {}, ...children: Child[]): SVGElement {
  return fill(document.createElementNS(SVG, name), attributes, children) as SVGElement;
}

/** The element with this id, which the page must have. */
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as E;
}

/** Notes that the page is ready. */
export function opened(): void {
  document.documentElement.dataset.ready = "yes";
}

/** Offers a text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Rows as CSV (RFC 4180). */
export function csv(rows: (string | number | null)[][]): string {
  const cell = (value: string | number | null): string => {
    if (value === null || (typeof value === "number" && Number.isNaN(value))) return "";
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** A table with a heading row; numbers stand to the right. */
export function table(caption: string, head: string[], rows: (string | number | null)[][]): HTMLTableElement {
  const cells = rows.map((row) =>
    el(
      "tr",
      {},
      ...row.map((value) =>
        el("td", { class: typeof value === "number" ? "number" : null }, value === null ? "–" : String(value)),
      ),
    ),
  );
  return el(
    "table",
    {},
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, ...head.map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, ...cells),
  );
}
