// Plots are drawn with a pen: on a canvas, or into an SVG file with the same calls.

/** The part of a canvas' context that plots use. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | "beginPath" | "moveTo" | "lineTo" | "closePath" | "arc" | "rect" | "clip" | "fill" | "stroke" | "fillRect"
  | "strokeRect" | "fillText" | "save" | "restore" | "setLineDash" | "fillStyle" | "strokeStyle" | "lineWidth"
  | "globalAlpha" | "font" | "textAlign" | "textBaseline" | "lineJoin"
>;

const ANCHORS: Record<string, string> = { center: "middle", right: "end", end: "end" };
const escape = (text: string): string => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]!);
const round = (value: number): string => String(Math.round(value * 100) / 100);

interface State {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  lineJoin: CanvasLineJoin;
  dash: number[];
  groups: number;
}

/** A pen that writes SVG. */
export class SvgPen {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "12px sans-serif";
  textAlign: CanvasTextAlign = "start";
  textBaseline: CanvasTextBaseline = "alphabetic";
  lineJoin: CanvasLineJoin = "miter";
  private dash: number[] = [];
  private path: string[] = [];
  private readonly parts: string[] = [];
  private readonly saved: State[] = [];
  /** Groups that are open, and clips of the whole file so far. */
  private groups = 0;
  private clipped = 0;
  /** Neighbouring boxes of one colour become one path. */
  private boxes: { style: string; path: string[] } | null = null;

  beginPath(): void {
    this.path = [];
  }

  moveTo(x: number, y: number): void {
    this.path.push(`M${round(x)} ${round(y)}`);
  }

  lineTo(x: number, y: number): void {
    this.path.push(`${this.path.length ? "L" : "M"}${round(x)} ${round(y)}`);
  }

  closePath(): void {
    this.path.push("Z");
  }

  /** Whole circles only: plots have no other arcs. */
  arc(x: number, y: number, radius: number): void {
    const r = round(radius);
    this.path.push(`M${round(x + radius)} ${round(y)}A${r} ${r} 0 1 1 ${round(x - radius)} ${round(y)}A${r} ${r} 0 1 1 ${round(x + radius)} ${round(y)}Z`);
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.path.push(`M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}Z`);
  }

  /** Clips to the present path until the state is restored. */
  clip(): void {
    const id = `clip-${++this.clipped}`;
    this.add(`<clipPath id="${id}"><path d="${this.path.join("")}"/></clipPath><g clip-path="url(#${id})">`);
    this.groups++;
  }

  /** Moves everything that follows, until the state is restored. */
  translate(x: number, y: number): void {
    this.add(`<g transform="translate(${round(x)} ${round(y)})">`);
    this.groups++;
  }

  fill(): void {
    this.add(`<path d="${this.path.join("")}"${this.filled()}/>`);
  }

  stroke(): void {
    this.add(`<path d="${this.path.join("")}"${this.stroked()}/>`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const style = this.filled();
    if (this.boxes?.style !== style) {
      this.flush();
      this.boxes = { style, path: [] };
    }
    this.boxes.path.push(`M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}Z`);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.add(`<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"${this.stroked()}/>`);
  }

  fillText(text: string, x: number, y: number): void {
    const [, weight, size] = /^(bold )?([\d.]+)px/.exec(this.font) ?? [];
    const middle = this.textBaseline === "middle" ? 0.35 * Number(size ?? 12) : 0;
    this.add(
      `<text x="${round(x)}" y="${round(y + middle)}" font-family="system-ui, sans-serif" font-size="${size ?? 12}"` +
        `${weight ? ' font-weight="bold"' : ""} text-anchor="${ANCHORS[this.textAlign] ?? "start"}"${this.filled()}>${escape(text)}</text>`,
    );
  }

  setLineDash(dash: number[]): void {
    this.dash = dash;
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, lineJoin, dash, groups } = this;
    this.saved.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, lineJoin, dash, groups });
    this.groups = 0;
  }

  restore(): void {
    const before = this.saved.pop();
    if (!before) return;
    if (this.groups) this.add("</g>".repeat(this.groups));
    Object.assign(this, before);
  }

  /** The file, with everything drawn so far. */
  file(width: number, height: number): string {
    if (this.groups) this.add("</g>".repeat(this.groups));
    this.groups = 0;
    this.flush();
    return (
      `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}">${this.parts.join("\n")}</svg>\n`
    );
  }

  private filled(): string {
    return ` fill="${escape(this.fillStyle)}"${this.globalAlpha < 1 ? ` fill-opacity="${round(this.globalAlpha)}"` : ""}`;
  }

  private stroked(): string {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.map(round).join(" ")}"` : "";
    const alpha = this.globalAlpha < 1 ? ` stroke-opacity="${round(this.globalAlpha)}"` : "";
    return ` fill="none" stroke="${escape(this.strokeStyle)}" stroke-width="${round(this.lineWidth)}"${dash}${alpha}`;
  }

  private add(text: string): void {
    this.flush();
    this.parts.push(text);
  }

  private flush(): void {
    if (this.boxes) this.parts.push(`<path d="${this.boxes.path.join("")}"${this.boxes.style}/>`);
    this.boxes = null;
  }
}
