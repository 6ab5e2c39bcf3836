// The one time axis that all plots and the map share: what is in view, and the moment looked at.

import { el } from "./dom";
import { seconds } from "./theme";

const SHORTEST = 1e-6;

export class TimeAxis {
  min = 0;
  max: number;
  /** The moment looked at, s. */
  at = 0;
  private readonly ranges: (() => void)[] = [];
  private readonly moments: (() => void)[] = [];
  private pending = false;

  constructor(readonly end: number) {
    this.max = end;
  }

  onRange(listener: () => void): void {
    this.ranges.push(listener);
  }

  onMoment(listener: () => void): void {
    this.moments.push(listener);
  }

  get span(): number {
    return this.max - this.min;
  }

  /** Shows this stretch; what lies outside the run is cut off. */
  show(from: number, to: number): void {
    const span = Math.min(this.end, Math.max(SHORTEST, to - from));
    this.min = Math.min(Math.max(0, from), this.end - span);
    this.max = this.min + span;
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.ranges.forEach((listener) => listener());
    });
  }

  whole(): void {
    this.show(0, this.end);
  }

  /** Zooms by `factor` (below 1: closer), keeping `around` in its place: the moment looked at if it is in view. */
  zoom(factor: number, around = this.centre()): void {
    const span = Math.min(this.end, Math.max(SHORTEST, this.span * factor));
    const share = (around - this.min) / this.span;
    this.show(around - share * span, around + (1 - share) * span);
  }

  private centre(): number {
    return this.at > this.min && this.at < this.max ? this.at : (this.min + this.max) / 2;
  }

  /** Moves the view by a share of itself. */
  pan(share: number): void {
    const by = share * this.span;
    this.show(this.min + by, this.max + by);
  }

  /** Looks at a moment; the view follows if it lies outside. */
  look(at: number, follow = false): void {
    this.at = Math.min(this.end, Math.max(0, at));
    if (follow && (this.at < this.min || this.at > this.max)) {
      this.show(this.at - this.span / 2, this.at + this.span / 2);
    }
    this.moments.forEach((listener) => listener());
  }
}

/** Lets keys move an axis while `host` has the focus. */
export function keys(axis: TimeAxis, host: HTMLElement): void {
  host.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => (event.shiftKey ? axis.look(axis.at - axis.span / 50, true) : axis.pan(-0.2)),
      ArrowRight: () => (event.shiftKey ? axis.look(axis.at + axis.span / 50, true) : axis.pan(0.2)),
      "+": () => axis.zoom(0.5),
      "=": () => axis.zoom(0.5),
      "-": () => axis.zoom(2),
      Home: () => axis.whole(),
      "0": () => axis.whole(),
    };
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  });
}

/** The buttons of an axis, with the stretch in view beside them. */
export function toolbar(axis: TimeAxis, trouble?: [number, number]): HTMLElement {
  const view = el("output", { class: "view", "aria-label": "time in view" });
  const button = (text: string, label: string, action: () => void): HTMLElement =>
    el("button", { "aria-label": label, title: label, click: action }, text);
  const write = (): void => {
    view.textContent = `${seconds(axis.min, axis.span)} – ${seconds(axis.max, axis.span)}`;
  };
  axis.onRange(write);
  write();
  return el(
    "div",
    { class: "toolbar", role: "toolbar", "aria-label": "Time axis" },
    button("◀", "Earlier", () => axis.pan(-0.5)),
    button("▶", "Later", () => axis.pan(0.5)),
    button("+", "Closer", () => axis.zoom(0.5)),
    button("−", "Farther", () => axis.zoom(2)),
    button("whole run", "Show the whole run", () => axis.whole()),
    trouble ? button("trouble", "Show the first trouble", () => axis.show(...trouble)) : null,
    view,
  );
}
