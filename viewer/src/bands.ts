// What the sender was doing, as bands over the shared time axis, and the whole run as a strip to brush in.

import type { TimeAxis } from "./axis";
import { lastUpTo, type Table } from "./data";
import { el, table } from "./dom";
import { rows, type Loss } from "./losses";
import type { Pen } from "./pen";
import { picture } from "./picture";
import { causeColour, colour, onTheme } from "./theme";
import { Details, downloads, type Context, type Row } from "./tools";

/** A canvas as wide as its place, painted anew when that changes. */
export class Canvas {
  readonly element = el("canvas");
  readonly ctx: CanvasRenderingContext2D;

  constructor(
    host: HTMLElement,
    private readonly paint: (ctx: CanvasRenderingContext2D, width: number, height: number) => void,
  ) {
    host.append(this.element);
    this.ctx = this.element.getContext("2d")!;
    new ResizeObserver(() => this.draw()).observe(host);
    onTheme(() => this.draw());
  }

  draw(): void {
    const { clientWidth: width = 0, clientHeight: height = 0 } = this.element.parentElement ?? {};
    if (!width || !height) return;
    const ratio = devicePixelRatio;
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.element.width !== wide || this.element.height !== high) [this.element.width, this.element.height] = [wide, high];
    this.ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.ctx.clearRect(0, 0, width, height);
    this.paint(this.ctx, width, height);
  }
}

interface Band {
  from: number;
  to: number;
  phase: string;
}

/** Left edge of the plots, so that bands stand above them. */
export const LEFT = 80;
export const RIGHT = 16;

export class Bands {
  readonly root: HTMLElement;
  private readonly canvas: Canvas;
  private bands: Band[] = [];
  private readonly host = el("div", { class: "bands", role: "img" });
  private readonly details: Details;

  constructor(
    private readonly axis: TimeAxis,
    private readonly words: Record<string, string>,
    private readonly context: Context,
  ) {
    const legend = Object.entries(words).map(([name, text]) =>
      el("span", { class: "key" }, el("i", { class: `swatch c-phase-${name}` }), text),
    );
    this.details = new Details("bands", context, () => this.table());
    const files = downloads("sender", "Sender", () => this.picture(), () => this.numbers());
    this.root = el("section", { class: "panel", id: "bands" }, el("header", {}, el("h3", {}, "Sender"), ...legend, files), this.host, this.details.root);
    this.canvas = new Canvas(this.host, (ctx, width, height) => {
      const scale = (t: number): number => LEFT + ((t - axis.min) / axis.span) * (width - LEFT - RIGHT);
      ctx.beginPath();
      ctx.rect(LEFT, 0, width - LEFT - RIGHT, height);
      ctx.clip();
      this.content(ctx, scale, 0, height);
    });
    axis.onRange(() => {
      this.canvas.draw();
      this.details.update();
    });
  }

  private content(pen: Pen, scale: (t: number) => number, top: number, height: number): void {
    for (const { from, to, phase } of this.inView()) {
      const left = Math.max(scale(from), 0);
      // Waiting covers the lower half of the sender's phase, a machine that is too slow the upper quarter.
      const [down, tall] = phase === "waiting" ? [height / 2, height / 2] : phase === "late" ? [0, height / 4] : [0, height];
      pen.fillStyle = colour(`phase-${phase}`);
      pen.fillRect(left, top + down, Math.max(phase === "late" ? 2 : 0.6, scale(to) - left), tall);
    }
  }

  private inView(): Band[] {
    return this.bands.filter(({ from, to }) => to >= this.axis.min && from <= this.axis.max);
  }

  set(phases: Table): void {
    this.bands = rows(phases, (i, c, word) => ({ from: c.t[i], to: c.until[i], phase: word("phase", i) }));
    const total = new Map<string, number>();
    for (const { from, to, phase } of this.bands) total.set(phase, (total.get(phase) ?? 0) + to - from);
    const said = [...total].map(([phase, s]) => `${this.words[phase] ?? phase} ${s.toFixed(1)} s`);
    this.host.setAttribute("aria-label", `What the sender was doing: ${said.join(", ")}.`);
    this.details.update();
    this.canvas.draw();
  }

  private numbers(): Row[] {
    return [["from_s", "to_s", "what"], ...this.inView().map((b): Row => [b.from, b.to, this.words[b.phase] ?? b.phase])];
  }

  private table(): HTMLElement[] {
    const most = 500;
    const [, ...all] = this.numbers();
    const more = all.length > most ? `, the first ${most} of ${all.length}` : "";
    return [table(`What the sender was doing in view${more}`, ["from, s", "to, s", "what"], all.slice(0, most))];
  }

  private picture(): string {
    return picture({
      title: this.context.caption("Sender"),
      keys: Object.entries(this.words).map(([name, label]) => ({ label, colour: colour(`phase-${name}`), kind: "box" })),
      height: 40,
      x: { min: this.axis.min, max: this.axis.max, label: "time, s" },
      draw: (pen, box, x) => this.content(pen, x, box.top, box.height),
    });
  }
}

/** The whole run: acknowledged data and losses, with what is in view marked; a drag moves it, its ends resize it. */
export class Overview {
  readonly root: HTMLElement;
  private readonly canvas: Canvas;
  private rate: Table | null = null;
  private losses: Loss[] = [];
  private drag: { kind: "left" | "right" | "move" | "new"; at: number; min: number; max: number } | null = null;

  constructor(private readonly axis: TimeAxis) {
    const host = el("div", {
      class: "overview",
      tabindex: 0,
      role: "group",
      "aria-label": "The whole run: acknowledged data and losses. Drag to choose what is in view; arrow keys move it, plus and minus zoom, Home shows all.",
    });
    this.root = host;
    this.canvas = new Canvas(host, (ctx, width, height) => this.paint(ctx, width, height));
    axis.onRange(() => this.canvas.draw());
    axis.onMoment(() => this.canvas.draw());
    this.canvas.element.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.element.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.element.addEventListener("pointerup", () => (this.drag = null));
    this.canvas.element.addEventListener("dblclick", () => axis.whole());
  }

  set(rate: Table, losses: Loss[]): void {
    this.rate = rate;
    this.losses = losses;
    this.canvas.draw();
  }

  private width(): number {
    return (this.canvas.element.parentElement?.clientWidth ?? 1) - LEFT - RIGHT;
  }

  private x(t: number): number {
    return LEFT + (t / this.axis.end) * this.width();
  }

  private time(event: PointerEvent): number {
    const left = this.canvas.element.getBoundingClientRect().left;
    return ((event.clientX - left - LEFT) / this.width()) * this.axis.end;
  }

  private press(event: PointerEvent): void {
    const t = this.time(event);
    const near = (edge: number): boolean => Math.abs(this.x(edge) - this.x(t)) < 7;
    const { min, max, end } = this.axis;
    const whole = max - min > 0.999 * end;
    const kind = !whole && near(min) ? "left" : !whole && near(max) ? "right" : !whole && t > min && t < max ? "move" : "new";
    this.drag = { kind, at: t, min, max };
    this.canvas.element.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    if (!this.drag) return;
    const t = this.time(event);
    const { kind, at, min, max } = this.drag;
    if (kind === "move") this.axis.show(min + t - at, max + t - at);
    else if (kind === "left") this.axis.show(Math.min(t, max), Math.max(t, max));
    else if (kind === "right") this.axis.show(Math.min(min, t), Math.max(min, t));
    else if (Math.abs(this.x(t) - this.x(at)) > 4) this.axis.show(Math.min(at, t), Math.max(at, t));
  }

  private paint(ctx: CanvasRenderingContext2D, width: number, height: number): void {
    const floor = height - 14;
    if (this.rate && this.rate.rows) {
      const { t, kbps } = this.rate.columns;
      const most = kbps.reduce((a, b) => Math.max(a, b), 1);
      ctx.fillStyle = colour("overview");
      for (let i = 0; i < this.rate.rows; i++) {
        const to = i + 1 < this.rate.rows ? t[i + 1] : this.axis.end;
        const tall = (kbps[i] / most) * (floor - 6);
        ctx.fillRect(this.x(t[i]), floor - tall, Math.max(1, this.x(to) - this.x(t[i]) - 0.5), tall);
      }
      ctx.fillStyle = colour("ink-soft");
      ctx.font = "11px system-ui, sans-serif";
      ctx.textAlign = "right";
      ctx.fillText(`${Math.round(most)} kb/s`, LEFT - 6, 14);
    }
    for (const loss of this.losses) {
      ctx.fillStyle = causeColour(loss.cause);
      ctx.fillRect(this.x(loss.since) - 0.5, floor + 2, 1.5, loss.kind === "data" ? 8 : 4);
    }
    ctx.fillStyle = colour("shade");
    const [left, right] = [this.x(this.axis.min), this.x(this.axis.max)];
    ctx.fillRect(LEFT, 0, left - LEFT, floor);
    ctx.fillRect(right, 0, width - RIGHT - right, floor);
    ctx.fillStyle = colour("accent");
    for (const edge of [left, right]) ctx.fillRect(edge - 1.5, 0, 3, floor);
    ctx.fillStyle = colour("playhead");
    ctx.fillRect(this.x(this.axis.at) - 0.75, 0, 1.5, height);
    ctx.fillStyle = colour("ink-soft");
    ctx.textAlign = "center";
  }
}

/** The band that holds at a moment. */
export function phaseAt(table: Table, t: number): string {
  const i = lastUpTo(table.columns.t, t);
  return i < 0 ? "" : (table.words.phase[table.columns.phase[i]] ?? "");
}
