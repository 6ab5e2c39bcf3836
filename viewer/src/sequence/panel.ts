// The time-sequence graph in the grammar of Ostermann's tcptrace: data black, what is acknowledged green, the
// window yellow, selective acknowledgments purple, what is sent again red. Beside it what only a simulator
// knows: each loss with its true cause, and what the sender took it for.

import { named } from "../story";
import uPlot from "uplot";
import type { TimeAxis } from "../axis";
import { lastUpTo, load, has, lowerBound, nothing, type Table } from "../data";
import { el } from "../dom";
import { Levels, slice } from "../levels";
import type { Guess, Loss } from "../losses";
import { brush, frame, playhead, short, steer } from "../panel";
import type { Pen } from "../pen";
import { picture, type Box, type Key } from "../picture";
import { isUdp, type FlowInfo } from "../run";
import { causeColour, colour, onTheme, shapeIcon } from "../theme";
import { Details, downloads, type Context } from "../tools";
import { drawSequence, sentUpTo, type Shown } from "./drawing";
import { lossList, markRows } from "./rows";

const HEIGHT = 380;
const REACH = 14;

export class SequencePanel {
  readonly root: HTMLElement;
  private readonly host = el("div", { class: "plot sequence", role: "img" });
  private readonly status = el("p", { class: "status", role: "status" }, "");
  private readonly details: Details;
  private readonly plot: uPlot;
  private readonly place: () => void;
  private shown: Shown | null = null;
  private low = 0;
  private high = 1;
  private wanted = 0;
  private again: Table = nothing("t", "byte", "bytes");
  private sacks: Table = nothing("t", "left", "right");
  private readonly layers = { acks: true, guesses: true };
  private readonly keys = el("p", { class: "legend" });
  selected: Loss | null = null;

  constructor(
    private readonly axis: TimeAxis,
    private flow: FlowInfo,
    private readonly all: Loss[],
    private readonly guesses: Guess[],
    private readonly choose: (loss: Loss) => void,
    private readonly context: Context,
  ) {
    const layer = (name: "acks" | "guesses", text: string): HTMLElement =>
      el(
        "label",
        { class: "key" },
        el("input", {
          type: "checkbox",
          checked: true,
          change: (event) => {
            this.layers[name] = (event.target as HTMLInputElement).checked;
            void this.draw();
          },
        }),
        text,
      );
    this.details = new Details("sequence", context, () => this.list(), "Losses in view, and a link");
    this.root = el(
      "section",
      { class: "panel", id: "sequence" },
      el(
        "header",
        {},
        el("h3", {}, "Time and sequence"),
        all.some((loss) => loss.kind === "ack") ? layer("acks", "lost ACKs") : null,
        guesses.length ? layer("guesses", "guesses") : null,
        downloads("sequence", "Time and sequence", () => this.picture(), () => markRows(this.shown)),
      ),
      this.keys,
      this.host,
      this.status,
      this.details.root,
    );
    this.plot = new uPlot(
      {
        ...frame(axis, 600, HEIGHT, () => this.unit),
        scales: {
          x: { time: false, min: axis.min, max: axis.max },
          y: { range: () => [this.low, this.high] },
        },
        series: [{}, { show: true, stroke: "transparent", points: { show: false } }],
        hooks: { setSelect: [brush(axis)], draw: [() => this.paint()] },
      },
      [[], []],
      this.host,
    );
    steer(axis, this.plot);
    this.place = playhead(axis, this.plot);
    this.plot.over.addEventListener("click", (event) => {
      const loss = this.near(event);
      if (loss) this.choose(loss);
    });
    this.plot.over.addEventListener("mousemove", (event) => this.hint(event));
    axis.onRange(() => void this.draw());
    onTheme(() => {
      this.fit();
      this.plot.redraw(false);
    });
    new ResizeObserver(() => this.fit()).observe(this.host);
  }

  /** Shows another flow. */
  async set(flow: FlowInfo): Promise<void> {
    this.flow = flow;
    const name = (of: string): string => `${of}-${flow.id}`;
    this.again = has(name("again")) ? await load(name("again")) : nothing("t", "byte", "bytes");
    this.sacks = has(name("sacks")) ? await load(name("sacks")) : nothing("t", "left", "right");
    this.host.setAttribute(
      "aria-label",
      `Time-sequence graph of ${flow.label}: ${flow.lost} losses, each with its true cause, and what was sent again.`,
    );
    this.keys.replaceChildren(...this.legend());
    await this.draw();
  }

  /** What the graph counts: bytes of a connection in thousands, or datagrams. */
  private get unit(): string {
    return isUdp(this.flow) ? "datagrams" : "kB from the start";
  }

  private get divisor(): number {
    return isUdp(this.flow) ? 1 : 1000;
  }

  redraw(): void {
    this.plot.redraw(false);
  }

  /** What the lines are, each with the name of its colour. */
  private lines(): [string, string][] {
    const recorded = this.flow.sent.length > 0;
    if (isUdp(this.flow)) return recorded ? [["seq-data", "datagrams sent"]] : [];
    return [
      ["seq-data", recorded ? "data" : "sent up to"],
      ["seq-again", "sent again"],
      ["seq-ack", "acknowledged"],
      ["seq-window", this.flow.window.length ? "receiver's window" : "congestion window"],
      ...(recorded ? [["seq-sack", "SACK"] as [string, string]] : []),
    ];
  }

  private legend(): HTMLElement[] {
    const causes = this.context.causes.filter((cause) => this.all.some((loss) => loss.cause === cause));
    return [
      ...this.lines().map(([name, text]) => el("span", { class: "key" }, el("i", { class: `line c-${name}` }), text)),
      ...causes.map((cause) => el("span", { class: "key" }, shapeIcon(cause), cause)),
      ...(this.guesses.length
        ? [el("span", { class: "key", title: "when guessed, joined with the loss" }, shapeIcon("channel", true), "open: the sender's guess")]
        : []),
    ];
  }

  private fit(): void {
    const width = this.host.clientWidth;
    if (width > 50 && width !== this.plot.width) {
      this.plot.setSize({ width, height: HEIGHT });
      this.place();
    }
  }

  private async draw(): Promise<void> {
    const number = ++this.wanted;
    const { min, max } = this.axis;
    const views = [this.flow.series, this.flow.sent, this.flow.window].map((infos) =>
      new Levels(infos).view(min, max),
    );
    const [series, sent, window] = await Promise.all(views);
    if (number !== this.wanted) return;
    const id = this.flow.id;
    const losses = this.all.filter(
      (loss) =>
        loss.flow === id && loss.gone >= min && loss.sent <= max && (this.layers.acks || loss.kind === "data"),
    );
    const guesses = this.layers.guesses
      ? this.guesses.filter((guess) => guess.flow === id && guess.t >= min && guess.t <= max)
      : [];
    this.shown = {
      series,
      sent,
      window,
      again: slice(this.again, min, max),
      sacks: slice(this.sacks, min, max),
      losses,
      guesses,
    };
    this.scale();
    this.plot.batch(() => {
      this.plot.setData([[min, max], [this.low, this.high]], false);
      this.plot.setScale("x", { min, max });
      this.plot.setScale("y", { min: this.low, max: this.high });
    });
    const drawn = [series, sent].reduce((sum, view) => sum + (view ? view.to - view.from : 0), 0);
    this.host.dataset.rows = String(drawn);
    this.host.dataset.losses = String(losses.length);
    this.place();
    this.details.update();
  }

  /** Fits the sequence numbers to what is in view. */
  private scale(): void {
    const shown = this.shown;
    if (!shown) return;
    let [low, high] = [Infinity, -Infinity];
    const take = (value: number): void => {
      if (value < low) low = value;
      if (value > high) high = value;
    };
    if (shown.series) {
      const { table, from, to } = shown.series;
      for (let i = from; i < to; i++) {
        take(table.columns.acked[i]);
        take(sentUpTo(table, i, this.flow.mss));
      }
    }
    if (shown.sent) {
      const { table, from, to } = shown.sent;
      for (let i = from; i < to; i++) {
        take(table.columns.low[i]);
        take(table.columns.high[i]);
      }
    }
    for (const loss of shown.losses) if (loss.byte >= 0) take(loss.byte);
    if (low > high) [low, high] = [0, this.flow.mss || 1];
    const margin = Math.max((high - low) * 0.06, this.flow.mss || 1);
    [this.low, this.high] = [(low - margin) / this.divisor, (high + margin) / this.divisor];
  }

  private paint(): void {
    const { ctx, bbox } = this.plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    this.content(ctx, (t) => this.plot.valToPos(t, "x", true), (value) => this.plot.valToPos(value, "y", true), devicePixelRatio);
    ctx.restore();
  }

  private content(pen: Pen, x: (t: number) => number, scaled: (value: number) => number, ratio: number): void {
    if (!this.shown) return;
    const about = { mss: this.flow.mss, all: this.all, selected: this.selected };
    drawSequence(pen, this.shown, about, { x, y: (byte) => scaled(byte / this.divisor), until: this.axis.max, ratio });
  }

  /** The loss next to the pointer. */
  private near(event: MouseEvent): Loss | null {
    const box = this.plot.over.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let best: Loss | null = null;
    let least = REACH;
    for (const loss of this.shown?.losses ?? []) {
      const distance = Math.hypot(
        this.plot.valToPos(loss.since, "x") - px,
        this.plot.valToPos(loss.byte / this.divisor, "y") - py,
      );
      if (distance < least) [best, least] = [loss, distance];
    }
    return best;
  }

  private hint(event: MouseEvent): void {
    const loss = this.near(event);
    this.plot.over.style.cursor = loss ? "pointer" : "crosshair";
    if (loss) {
      const guess = loss.guess ? `; the sender guessed ${loss.guess.guess}` : "";
      this.status.textContent = `${named(loss, isUdp(this.flow))}: ${loss.cause}${guess}. Click for its story.`;
      return;
    }
    const t = this.plot.posToVal(event.clientX - this.plot.over.getBoundingClientRect().left, "x");
    const series = this.shown?.series;
    const i = series ? lastUpTo(series.table.columns.t, t) : -1;
    this.status.textContent =
      series && i >= 0
        ? `${short(+t.toFixed(6))} s: acknowledged ${short(series.table.columns.acked[i])} B, ${short(series.table.columns.in_flight[i])} segments in flight`
        : "";
  }

  /** The loss before or after the moment looked at. */
  next(direction: 1 | -1): void {
    const mine = this.all.filter((l) => l.flow === this.flow.id && (this.layers.acks || l.kind === "data"));
    const times = Float64Array.from(mine, (l) => l.since);
    const here = this.selected && this.selected.flow === this.flow.id ? mine.indexOf(this.selected) : -1;
    const at = here >= 0 ? here + direction : direction > 0 ? lowerBound(times, this.axis.at) : lastUpTo(times, this.axis.at);
    if (mine[at]) this.choose(mine[at]);
  }

  private list(): HTMLElement[] {
    return this.shown ? [lossList(this.shown.losses, isUdp(this.flow) ? "datagram" : "byte", this.choose)] : [];
  }

  private picture(): string {
    const causes = this.context.causes.filter((cause) => this.shown?.losses.some((loss) => loss.cause === cause));
    const line = (name: string, label: string): Key => ({ label, colour: colour(name) });
    return picture({
      title: this.context.caption("Time and sequence"),
      keys: [
        ...this.lines().map(([name, label]) => line(name, label)),
        ...causes.map((cause): Key => ({ label: cause, colour: causeColour(cause), kind: "mark", cause })),
        ...(this.shown?.guesses.length ? [{ label: "open: the sender's guess", colour: colour("ink-soft"), kind: "open", cause: "channel" } as Key] : []),
      ],
      height: HEIGHT,
      x: { min: this.axis.min, max: this.axis.max, label: "time, s" },
      y: { min: this.low, max: this.high, label: this.unit },
      draw: (pen: Pen, _: Box, x, y) => this.content(pen, x, y, 1),
    });
  }
}
