// Nodes in motion on a canvas, with routes, frames on the air and losses, at the moment of the shared axis.

import type { TimeAxis } from "../axis";
import { Canvas } from "../bands";
import { lastUpTo, lowerBound } from "../data";
import { el } from "../dom";
import type { Loss } from "../losses";
import { picture } from "../picture";
import type { RunPage } from "../run";
import { flowColour, onTheme, seconds } from "../theme";
import { Details, downloads, type Context } from "../tools";
import type { World } from "../world";
import { nodeCard, nodeRows, nodeTables } from "./card";
import { drawMap, LAYERS, MARGIN, projection, spotOf, type Layer, type Scene, type Spot } from "./drawing";

const [LOWEST, HIGHEST] = [190, 460];
const SPEEDS = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 100];

export class MapPanel {
  readonly root: HTMLElement;
  private readonly canvas: Canvas;
  private readonly clock = el("output", { class: "clock", "aria-label": "moment shown" });
  private readonly play: HTMLButtonElement;
  private readonly scrub: HTMLInputElement;
  private readonly details: Details;
  private readonly card = el("div", { class: "card", "aria-live": "polite" });
  private readonly picker: HTMLSelectElement;
  private readonly layers: Record<Layer, boolean> = { routes: true, frames: true, ranges: false, losses: true };
  private speed = 1;
  private playing = false;
  private last = 0;
  private before = 0;
  private chosen: number | null = null;
  private readonly times: Float64Array;

  constructor(
    private readonly axis: TimeAxis,
    private readonly page: RunPage,
    private readonly world: World,
    private readonly losses: Loss[],
    private readonly choose: (loss: Loss) => void,
    private readonly context: Context,
  ) {
    this.details = new Details("map", context, () => nodeTables(page, world, axis.at), "Nodes at this moment, and a link");
    this.times = Float64Array.from(losses, (loss) => loss.since);
    const host = el("div", { class: "map", role: "img" });
    host.setAttribute("aria-label", this.about());
    this.play = el("button", { "aria-label": "Play", click: () => this.toggle() }, "▶ play");
    this.scrub = el("input", {
      type: "range",
      min: 0,
      max: axis.end,
      step: axis.end / 10000,
      value: 0,
      "aria-label": "Moment, s",
      input: () => axis.look(Number(this.scrub.value), true),
    });
    const speed = el("select", { "aria-label": "Speed", change: () => (this.speed = Number(speed.value)) });
    for (const s of SPEEDS) speed.append(el("option", { value: s, selected: s === 1 }, `${s}×`));
    this.picker = el("select", { "aria-label": "Node", change: () => this.select(this.picker.value === "" ? null : Number(this.picker.value)) });
    this.picker.append(el("option", { value: "" }, "node …"));
    for (let node = 0; node < page.nodes; node++) this.picker.append(el("option", { value: node }, page.node[node]));
    const layer = (name: Layer): HTMLElement =>
      el(
        "label",
        { class: "key" },
        el("input", {
          type: "checkbox",
          checked: this.layers[name],
          change: (event) => {
            this.layers[name] = (event.target as HTMLInputElement).checked;
            this.canvas.draw();
          },
        }),
        LAYERS[name],
      );
    const flows = page.flows.map((flow) => el("span", { class: "key" }, el("i", { class: `line c-flow-${flow.id % 6}` }), flow.label));
    this.root = el(
      "section",
      { class: "panel", id: "map" },
      el("header", {}, el("h2", {}, "Map"), this.clock, downloads("map", "Map", () => this.picture(), () => nodeRows(page, world, axis.at))),
      el("p", { class: "legend" }, ...flows),
      host,
      el("div", { class: "toolbar" }, this.play, speed, this.scrub, this.picker),
      el("p", { class: "legend" }, ...(Object.keys(LAYERS) as Layer[]).map(layer)),
      this.card,
      this.details.root,
    );
    new ResizeObserver(() => this.fit(host)).observe(host);
    // Before the canvas, which draws at the height found here.
    onTheme(() => this.fit(host));
    this.canvas = new Canvas(host, (pen, width, height) => drawMap(pen, this.scene(), width, height));
    this.canvas.element.addEventListener("click", (event) => this.click(event));
    axis.onMoment(() => this.moment());
    this.moment();
  }

  /** As high as the field needs at this width. */
  private fit(host: HTMLElement): void {
    const [west, south, east, north] = this.world.bounds;
    const wanted = ((host.clientWidth - 2 * MARGIN) * (north - south)) / Math.max(east - west, 1e-6) + 2 * MARGIN + 16;
    host.style.height = `${Math.round(Math.min(HIGHEST, Math.max(LOWEST, wanted)))}px`;
  }

  /** Shows a node's card, or none. */
  select(node: number | null): void {
    this.chosen = node;
    this.picker.value = node === null ? "" : String(node);
    this.describe();
    this.canvas.draw();
  }

  redraw(): void {
    this.canvas.draw();
  }

  pause(): void {
    if (this.playing) this.toggle();
  }

  private toggle(): void {
    this.playing = !this.playing;
    this.play.textContent = this.playing ? "❚❚ pause" : "▶ play";
    this.play.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    if (!this.playing) return;
    if (this.axis.at >= this.axis.end) this.axis.look(this.axis.min);
    this.last = performance.now();
    requestAnimationFrame((now) => this.step(now));
  }

  private step(now: number): void {
    if (!this.playing) return;
    const elapsed = Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    this.axis.look(this.axis.at + elapsed * this.speed, true);
    if (this.axis.at >= this.axis.end) this.toggle();
    else requestAnimationFrame((next) => this.step(next));
  }

  private moment(): void {
    this.clock.textContent = seconds(this.axis.at, Math.min(this.axis.span, 10 * this.speed));
    this.scrub.value = String(this.axis.at);
    this.describe();
    if (!this.playing) this.details.update();
    this.canvas.draw();
    this.before = this.axis.at;
  }

  private picture(): string {
    const { clientWidth: width, clientHeight: height } = this.canvas.element;
    return picture({
      title: this.context.caption(`Map at ${this.axis.at.toFixed(3)} s`, true),
      keys: this.page.flows.map((flow) => ({ label: flow.label, colour: flowColour(flow.id) })),
      size: [width, height],
      draw: (pen) => drawMap(pen, this.scene(), width, height),
    });
  }

  private about(): string {
    const ends = this.page.flows.map((f) => f.label).join("; ");
    return `Map of ${this.page.nodes} nodes at the moment shown. ${ends}. The list below has places, queues and routes.`;
  }

  private scene(): Scene {
    const { page, world, chosen, layers } = this;
    const { at } = this.axis;
    // While playing, frames that were on the air since the last picture are drawn too.
    const since = this.playing && this.before < at ? Math.max(this.before, at - 0.05 * this.speed) : at;
    return { page, world, at, since, losses: this.recent(), chosen, layers };
  }

  /** Losses that struck just before the moment shown. */
  private recent(): Loss[] {
    const { at } = this.axis;
    const window = Math.max(0.6 * (this.playing ? this.speed : 0), Math.min(0.5, this.axis.span / 50));
    return this.losses.slice(lowerBound(this.times, at - window), lastUpTo(this.times, at) + 1);
  }

  private click(event: MouseEvent): void {
    const box = this.canvas.element.getBoundingClientRect();
    const { to } = projection(this.world, box.width, box.height);
    const place = (node: number): Spot => to(this.world.position(node, this.axis.at));
    const near = ([x, y]: Spot): number => Math.hypot(x - (event.clientX - box.left), y - (event.clientY - box.top));
    const loss = this.layers.losses ? this.recent().findLast((one) => near(spotOf(one, place)) < 14) : undefined;
    if (loss) {
      this.choose(loss);
      return;
    }
    let best: number | null = null;
    for (let node = 0; node < this.page.nodes; node++) {
      if (near(place(node)) < 16 && (best === null || near(place(node)) < near(place(best)))) best = node;
    }
    this.select(best);
  }

  /** What there is to know of the chosen node. */
  private describe(): void {
    const { page, world, losses, chosen: node } = this;
    const close = (): void => this.select(null);
    const card = node === null ? [] : nodeCard({ page, world, losses }, node, this.axis.at, this.choose, close);
    this.card.replaceChildren(...card);
  }
}
