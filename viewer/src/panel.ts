// Line plots over the shared time axis, by uPlot.

import uPlot from "uplot";
import type { TimeAxis } from "./axis";
import { LEFT, RIGHT } from "./bands";
import { el, table } from "./dom";
import type { Rows, Slice } from "./levels";
import type { Pen } from "./pen";
import { picture } from "./picture";
import { colour, onTheme } from "./theme";
import { Details, downloads, type Context, type Row } from "./tools";

export interface Line {
  label: string;
  column: string;
  /** Name of the colour in the style sheet. */
  colour: string;
  dash?: number[];
  /** Factor from the table's unit to the plot's. */
  factor?: number;
}

export interface PanelOptions {
  id: string;
  title: string;
  unit: string;
  height: number;
  lines: Line[];
  levels: Rows;
  /** A sentence for those who can't see the plot. */
  about: string;
  /** The axis of values fits what is in view, instead of beginning at zero. */
  fitted?: boolean;
  /** Draws more than the lines; `ratio`: pixels of the pen to one of the page. */
  marks?: (pen: Pen, x: (t: number) => number, y: (value: number) => number, ratio: number) => void;
}

/** Width of the numbers and of the title left of every plot: their time axes stand below each other. */
const TITLE = 16;
const GUTTER = LEFT - TITLE;

/** The parts of uPlot's options that all plots share. */
export function frame(axis: TimeAxis, width: number, height: number, unit: string | (() => string)): uPlot.Options {
  const ink = (): string => colour("ink-soft");
  const grid = { stroke: () => colour("grid"), width: 1 };
  return {
    width,
    height,
    legend: { show: false },
    padding: [10, RIGHT, 0, 0],
    cursor: {
      // The crosshair goes together; what a drag marks is this plot's own.
      sync: { key: "time", filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } },
      drag: { x: true, y: false, setScale: false },
      points: { show: false },
      y: false,
    },
    scales: { x: { time: false, min: axis.min, max: axis.max } },
    axes: [
      { stroke: ink, grid, ticks: grid, values: (_, splits) => splits.map((v) => short(v)), size: 26 },
      { stroke: ink, grid, ticks: grid, size: GUTTER, label: unit, labelSize: TITLE, labelGap: 0, values: (_, s) => s.map(short) },
    ],
    series: [{}],
  };
}

/** A number with no more digits than it has. */
export function short(value: number | null): string {
  if (value === null) return "";
  if (Math.abs(value) >= 1e6) return `${+(value / 1e6).toPrecision(6)}M`;
  return String(+value.toPrecision(9));
}

/** Turns drags, clicks and wheels on a plot into movements of the axis. */
export function steer(axis: TimeAxis, plot: uPlot): void {
  const time = (event: MouseEvent): number =>
    plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x");
  let panning: number | null = null;
  let pressed: [number, number] | null = null;
  plot.over.addEventListener(
    "mousedown",
    (event) => {
      pressed = [event.clientX, event.clientY];
      if (event.shiftKey) {
        panning = time(event);
        event.stopImmediatePropagation();
        event.preventDefault();
      }
    },
    { capture: true },
  );
  addEventListener("mousemove", (event) => {
    if (panning === null) return;
    const by = panning - time(event);
    axis.show(axis.min + by, axis.max + by);
  });
  addEventListener("mouseup", () => (panning = null));
  plot.over.addEventListener("click", (event) => {
    const moved = pressed ? Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) : 0;
    if (moved < 4) axis.look(time(event));
  });
  plot.over.addEventListener("dblclick", () => axis.whole());
  plot.over.addEventListener(
    "wheel",
    (event) => {
      // Plain scrolling stays the page's.
      if (event.ctrlKey || event.metaKey) axis.zoom(event.deltaY > 0 ? 1.25 : 0.8, time(event));
      else if (event.shiftKey) axis.pan((event.deltaY || event.deltaX) > 0 ? 0.1 : -0.1);
      else return;
      event.preventDefault();
    },
    { passive: false },
  );
}

/** Shows the moment looked at as a line over a plot. */
export function playhead(axis: TimeAxis, plot: uPlot): () => void {
  const line = el("div", { class: "playhead" });
  plot.over.append(line);
  const place = (): void => {
    const x = plot.valToPos(axis.at, "x");
    line.hidden = !(x >= 0 && x <= plot.over.clientWidth);
    line.style.transform = `translateX(${x}px)`;
  };
  axis.onMoment(place);
  return place;
}

/** What a drag has marked becomes the view. */
export function brush(axis: TimeAxis): (plot: uPlot) => void {
  return (plot) => {
    if (plot.select.width > 3) {
      const from = plot.posToVal(plot.select.left, "x");
      axis.show(from, plot.posToVal(plot.select.left + plot.select.width, "x"));
    }
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  };
}

/** A plot with heading, legend, its rows as a table, and a download. */
export class LinePanel {
  readonly root: HTMLElement;
  private readonly host = el("div", { class: "plot", role: "img" });
  private readonly legend = el("span", { class: "keys" });
  private plot: uPlot;
  private readonly details: Details;
  private shown: Slice | null = null;
  private wanted = 0;
  private readonly place: () => void;

  constructor(
    private readonly axis: TimeAxis,
    private options: PanelOptions,
    private readonly context: Context,
    private readonly whole = false,
  ) {
    this.details = new Details(options.id, context, () => this.table());
    this.root = el(
      "section",
      { class: "panel", id: options.id },
      el(
        "header",
        {},
        el("h3", {}, options.title),
        this.legend,
        downloads(options.id, options.title, () => this.picture(), () => this.numbers()),
      ),
      this.host,
      this.details.root,
    );
    this.name();
    this.plot = new uPlot(
      {
        ...frame(axis, 600, options.height, options.unit),
        scales: {
          x: { time: false, min: axis.min, max: axis.max },
          y: { range: (_, min, max) => this.values(min, max) },
        },
        series: [
          {},
          ...options.lines.map((line) => ({
            label: line.label,
            stroke: () => colour(line.colour),
            width: 1.4,
            dash: line.dash,
            points: { show: false },
            paths: uPlot.paths.stepped!({ align: 1 }),
          })),
        ],
        hooks: { setSelect: [brush(axis)], draw: [() => this.paint()] },
      },
      [[], ...options.lines.map(() => [])],
      this.host,
    );
    steer(axis, this.plot);
    this.place = playhead(axis, this.plot);
    axis.onRange(() => void this.draw());
    onTheme(() => {
      this.fit();
      this.plot.redraw(false);
    });
    new ResizeObserver(() => this.fit()).observe(this.host);
  }

  /** Shows other data, as many lines as before: of another flow, or of other runs. */
  async set(options: Partial<PanelOptions>): Promise<void> {
    this.options = { ...this.options, ...options };
    this.name();
    await this.draw();
  }

  /** Says what is drawn. */
  private name(): void {
    const { about, lines } = this.options;
    this.host.setAttribute("aria-label", about);
    this.legend.replaceChildren(
      ...lines.map((line) => el("span", { class: "key" }, el("i", { class: `line ${line.dash ? "dashed" : ""} c-${line.colour}` }), line.label)),
    );
  }

  /** The ends of the axis of values, given the least and the largest value in view. */
  private values(min: number | null, max: number | null): [number, number] {
    const [low, high] = this.options.fitted ? [min ?? 0, max ?? 0] : [0, max ?? 0];
    const room = (high - low) * 0.08;
    return [Math.max(0, low - room), high > low ? high + room : low + 1];
  }

  private paint(): void {
    const { marks } = this.options;
    if (!marks) return;
    const { ctx, bbox } = this.plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    marks(ctx, (t) => this.plot.valToPos(t, "x", true), (value) => this.plot.valToPos(value, "y", true), devicePixelRatio);
    ctx.restore();
  }

  private fit(): void {
    const width = this.host.clientWidth;
    if (width > 50 && width !== this.plot.width) {
      this.plot.setSize({ width, height: this.options.height });
      this.place();
    }
  }

  private async draw(): Promise<void> {
    const number = ++this.wanted;
    const { min, max } = this.axis;
    const view = await this.options.levels.view(min, max);
    // Another range may have been asked for meanwhile.
    if (number !== this.wanted) return;
    this.shown = view;
    const rows = view ? this.lines(view) : [[], ...this.options.lines.map(() => [])];
    this.plot.batch(() => {
      this.plot.setData(rows as uPlot.AlignedData, false);
      this.plot.setScale("x", { min, max });
    });
    this.host.dataset.rows = String(rows[0].length);
    this.place();
    this.details.update();
  }

  private lines({ table, from, to }: Slice): (number | null)[][] {
    const column = (name: string, factor = 1): (number | null)[] =>
      Array.from(table.columns[name].subarray(from, to), (v) => (Number.isNaN(v) ? null : v * factor));
    const columns = this.options.lines.map((line) => column(line.column, line.factor));
    const times = column("t");
    // The last state lasts until the end of the view.
    if (times.length && to === table.rows) {
      times.push(Math.max(this.axis.max, times.at(-1) ?? 0));
      columns.forEach((values) => values.push(values.at(-1) ?? null));
    }
    return [times, ...columns];
  }

  private head(): string[] {
    return ["t, s", ...this.options.lines.map((line) => `${line.label}, ${this.options.unit}`)];
  }

  private table(): HTMLElement[] {
    if (!this.shown) return [];
    const columns = this.lines(this.shown);
    const step = Math.max(1, Math.ceil(columns[0].length / 100));
    const rows = columns[0]
      .map((_, i) => columns.map((values) => (values[i] === null ? null : +(values[i] as number).toPrecision(7))))
      .filter((_, i) => i % step === 0);
    const note = step > 1 ? `, one row of ${step}; the CSV file has all that are drawn` : "";
    return [table(`${this.options.title} in view${note}`, this.head(), rows)];
  }

  private numbers(): Row[] {
    const columns = this.shown ? this.lines(this.shown) : [];
    return [this.head(), ...(columns[0] ?? []).map((_, i) => columns.map((values) => values[i]))];
  }

  private picture(): string {
    const { title, unit, height, lines, marks } = this.options;
    const [times = [], ...values] = this.shown ? this.lines(this.shown) : [];
    let [least, most] = [Infinity, 0];
    for (const value of values.flat()) if (value !== null) [least, most] = [Math.min(least, value), Math.max(most, value)];
    const [min, max] = this.values(Math.min(least, most), most);
    return picture({
      title: this.context.caption(title, this.whole),
      keys: lines.map((line) => ({ label: line.label, colour: colour(line.colour), kind: line.dash ? "dashed" : undefined })),
      height: Math.max(160, height),
      x: { min: this.axis.min, max: this.axis.max, label: "time, s" },
      y: { min, max, label: unit },
      draw: (pen, _, x, y) => {
        values.forEach((column, k) => this.stepped(pen, lines[k], times, column, x, y));
        marks?.(pen, x, y, 1);
      },
    });
  }

  /** A line that keeps each value until the next. */
  private stepped(pen: Pen, line: Line, times: (number | null)[], values: (number | null)[], x: (t: number) => number, y: (v: number) => number): void {
    pen.strokeStyle = colour(line.colour);
    pen.lineWidth = 1.4;
    pen.setLineDash(line.dash ?? []);
    pen.beginPath();
    let before: number | null = null;
    values.forEach((value, i) => {
      const left = x(times[i] ?? 0);
      if (value === null) before = null;
      else if (before === null) pen.moveTo(left, y((before = value)));
      else {
        pen.lineTo(left, y(before));
        if (value !== before) pen.lineTo(left, y((before = value)));
      }
    });
    pen.stroke();
    pen.setLineDash([]);
  }
}
