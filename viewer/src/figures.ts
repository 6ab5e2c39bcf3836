// Figures that were drawn when the page was written: their downloads.

import { csv, download, el } from "./dom";

/** Colours that a picture takes from the page's style, put into the picture itself. */
const PAINTED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family", "font-weight", "text-anchor"];

/** A picture as a file of its own. */
function standalone(picture: SVGElement): string {
  const copy = picture.cloneNode(true) as SVGElement;
  const [from, to] = [[picture, ...picture.querySelectorAll("*")], [copy, ...copy.querySelectorAll("*")]];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of PAINTED) to[i].setAttribute(name, style.getPropertyValue(name));
    to[i].removeAttribute("class");
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}

/** The file in a data address. */
function decoded(address: string): string {
  const bytes = Uint8Array.from(atob(address.split(",")[1]), (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

/** The rows of a figure's table, headings first. */
function cells(table: HTMLTableElement): string[][] {
  return [...table.rows].map((row) => [...row.cells].map((cell) => cell.dataset.value ?? cell.textContent?.trim() ?? ""));
}

/** Gives every figure of the page its downloads. */
export function figures(): void {
  for (const figure of document.querySelectorAll<HTMLElement>("figure[data-name]")) {
    const name = figure.dataset.name!;
    const place = figure.querySelector(".downloads");
    const pictures = [...figure.querySelectorAll<SVGElement>("svg.figure")];
    const table = figure.querySelector<HTMLTableElement>("details table");
    const button = (text: string, action: () => void): HTMLElement =>
      el("button", { class: "quiet", click: action, "aria-label": `${text} of ${name}` }, text);
    const drawn = figure.querySelector<HTMLImageElement>("img[src^='data:image/svg']");
    // The one that this window shows.
    const shown = (): SVGElement => pictures.find((one) => one.getClientRects().length) ?? pictures[0];
    if (pictures.length) place?.append(button("SVG", () => download(`${name}.svg`, "image/svg+xml", standalone(shown()))));
    else if (drawn) place?.append(button("SVG", () => download(`${name}.svg`, "image/svg+xml", decoded(drawn.src))));
    if (table) place?.append(button("CSV", () => download(`${name}.csv`, "text/csv", csv(cells(table)))));
  }
}
