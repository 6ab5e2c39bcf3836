// What each plot of a run offers besides itself: its picture and rows as files, and a link to it.

import { csv, download, el } from "./dom";

export type Row = (string | number | null)[];

/** What plots know of the page around them. */
export interface Context {
  /** The address within the page of the plot with this id, at the times in view. */
  link: (id: string) => string;
  /** A plot's title with what it is of, for a file that leaves the page; `whole`: of the network, not of one flow. */
  caption: (title: string, whole?: boolean) => string;
  /** Every cause of a loss, in the order of tables. */
  causes: string[];
}

/** Buttons that save a plot as SVG and its rows as CSV. */
export function downloads(name: string, title: string, picture: () => string, rows: () => Row[]): HTMLElement {
  const button = (text: string, action: () => void): HTMLElement =>
    el("button", { class: "quiet", "aria-label": `${text} of ${title}`, click: action }, text);
  return el(
    "span",
    { class: "downloads" },
    button("SVG", () => download(`${name}.svg`, "image/svg+xml", picture())),
    button("CSV", () => download(`${name}.csv`, "text/csv", csv(rows()))),
  );
}

/** Rows of a plot behind a heading, with a link to what is in view; both are made when they are looked at. */
export class Details {
  private readonly rows = el("div", { class: "rows" });
  private readonly link = el("a", {}, "Link to this view");
  readonly root: HTMLDetailsElement;

  constructor(
    private readonly id: string,
    private readonly context: Context,
    private readonly table: () => HTMLElement[],
    summary = "Numbers, and a link",
  ) {
    this.root = el("details", {}, el("summary", {}, summary), this.rows, el("p", {}, this.link));
    this.root.addEventListener("toggle", () => this.update());
  }

  update(): void {
    if (!this.root.open) return;
    this.rows.replaceChildren(...this.table());
    this.link.setAttribute("href", this.context.link(this.id));
  }
}
