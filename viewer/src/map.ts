// Nodes in motion on a canvas, with routes, frames on the air and losses, at the moment of the shared axis.

import type { TimeAxis } from "./axis";
import { Canvas } from "./bands";
import { lastUpTo, lowerBound } from "./data";
import { el, table } from "./dom";
import type { Loss } from "./losses";
import type { Pen } from "./pen";
import { picture } from "./picture";
import type { RunPage } from "./run";
import { causeColour, colour, flowColour, seconds, shapeIcon, shapePath } from "./theme";
import { Details, downloads, type Context, type Row } from "./tools";
import type { FrameSeen, World } from "./world";

const [LOWEST, HIGHEST] = [190, 460];
const MARGIN = 26;
const FRAMES = 400;
const SPEEDS = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 100];
const LAYERS = { routes: "routes in use", frames: "frames on the air", ranges: "ranges", losses: "losses" };

export class MapPanel {
  readonly root: HTMLElement;
  private readonly canvas: Canvas;
  private readonly clock = el("output", { class: "clock", "aria-label": "moment shown" });
  private readonly play: HTMLButtonElement;
  private readonly scrub: HTMLInputElement;
  private readonly details: Details;
  private readonly card = el("div", { class: "card", "aria-live": "polite" });
  private readonly picker: HTMLSelectElement;
  private readonly layers: Record<keyof typeof LAYERS, boolean> = { routes: true, frames: true, ranges: false, losses: true };
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
    this.details = new Details("map", context, () => this.tabulate(), "Nodes at this moment, and the command");
    this.times = Float64Array.from(losses, (loss) => loss.since);
    const host = el("div", { class: "map", role: "img" });
    host.setAttribute("aria-label", this.about());
    this.play = el("button", { type: "button", "aria-label": "Play", click: () => this.toggle() }, "▶ play");
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
    for (let node = 0; node < page.nodes; node++) this.picker.append(el("option", { value: node }, `node ${node}`));
    const layer = (name: keyof typeof LAYERS): HTMLElement =>
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
      el("header", {}, el("h2", {}, "Map"), this.clock, downloads("map", "Map", () => this.picture(), () => this.numbers())),
      el("p", { class: "legend" }, ...flows),
      host,
      el("div", { class: "toolbar" }, this.play, speed, this.scrub, this.picker),
      el("p", { class: "legend" }, ...(Object.keys(LAYERS) as (keyof typeof LAYERS)[]).map(layer)),
      this.card,
      this.details.root,
    );
    new ResizeObserver(() => this.fit(host)).observe(host);
    this.canvas = new Canvas(host, (ctx, width, height) => this.paint(ctx, width, height));
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

  /** Every node's place and queue, and the route of each flow, for those who can't see the map. */
  private tabulate(): HTMLElement[] {
    const { at } = this.axis;
    const [head, ...nodes] = this.numbers();
    const routes = this.page.flows.map((flow) => {
      const { path, whole } = this.world.route(flow.from, flow.to, at);
      return [flow.label, path.join(" → ") + (whole ? "" : " …")];
    });
    return [
      table(`Nodes at ${at.toFixed(3)} s`, head.map(String), nodes),
      table("Routes in use", ["flow", "nodes"], routes),
    ];
  }

  private numbers(): Row[] {
    const { at } = this.axis;
    const nodes = Array.from({ length: this.page.nodes }, (_, node): Row => {
      const [x, y] = this.world.position(node, at);
      const place = this.page.placed ? [+x.toFixed(1), +y.toFixed(1)] : [null, null];
      return [node, ...place, this.world.queue(node, at), this.world.neighbours(node, at).length];
    });
    return [["node", "east, m", "north, m", "queue", "neighbours"], ...nodes];
  }

  private picture(): string {
    const { clientWidth: width, clientHeight: height } = this.canvas.element;
    return picture({
      title: this.context.caption(`Map at ${this.axis.at.toFixed(3)} s`, true),
      keys: this.page.flows.map((flow) => ({ label: flow.label, colour: flowColour(flow.id) })),
      size: [width, height],
      draw: (pen) => this.paint(pen, width, height),
    });
  }

  private about(): string {
    const ends = this.page.flows.map((f) => `${f.label} from node ${f.from} to node ${f.to}`).join("; ");
    return `Map of ${this.page.nodes} nodes at the moment shown. ${ends}. The list of nodes below gives each one's place, queue and routes.`;
  }

  private screen(width: number, height: number): (at: [number, number]) => [number, number] {
    const [west, south, east, north] = this.world.bounds;
    const scale = Math.min(
      (width - 2 * MARGIN) / Math.max(east - west, 1e-6),
      (height - 2 * MARGIN) / Math.max(north - south, 1e-6),
    );
    const [left, bottom] = [(width - scale * (east - west)) / 2, (height + scale * (north - south)) / 2];
    return ([x, y]) => [left + scale * (x - west), bottom - scale * (y - south)];
  }

  private scale(width: number, height: number): number {
    const to = this.screen(width, height);
    return to([1, 0])[0] - to([0, 0])[0];
  }

  private paint(ctx: Pen, width: number, height: number): void {
    const { at } = this.axis;
    const to = this.screen(width, height);
    const place = (node: number): [number, number] => to(this.world.position(node, at));
    ctx.lineJoin = "round";
    this.grid(ctx, width, height, to);
    if (this.page.ranges && this.page.placed) {
      const scale = this.scale(width, height);
      const ringed = this.chosen !== null ? [this.chosen] : this.layers.ranges ? this.page.flows.flatMap((f) => [f.from, f.to]) : [];
      for (const node of ringed) this.rings(ctx, place(node), scale);
    }
    if (this.layers.routes) this.routes(ctx, place);
    if (this.layers.frames) this.frames(ctx, place);
    this.nodes(ctx, place, Math.min(9, Math.max(3, 0.2 * Math.sqrt((width * height) / this.page.nodes))));
    if (this.layers.losses) for (const loss of this.recent()) this.loss(ctx, loss, place);
  }

  /** A scale in metres. */
  private grid(ctx: Pen, width: number, height: number, to: (at: [number, number]) => [number, number]): void {
    if (!this.page.placed) return;
    const scale = this.scale(width, height);
    const metres = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((m) => m * scale > 60) ?? 10_000;
    const [west, south, east, north] = this.world.bounds;
    const [left, top] = to([west, north]);
    const [right, bottom] = to([east, south]);
    ctx.strokeStyle = colour("grid");
    ctx.lineWidth = 1;
    ctx.strokeRect(left, top, right - left, bottom - top);
    ctx.strokeStyle = ctx.fillStyle = colour("ink-soft");
    ctx.beginPath();
    ctx.moveTo(10, height - 8);
    ctx.lineTo(10 + metres * scale, height - 8);
    ctx.stroke();
    ctx.font = "11px system-ui, sans-serif";
    ctx.textAlign = "left";
    ctx.fillText(`${metres} m`, 12, height - 12);
  }

  private rings(ctx: Pen, [x, y]: [number, number], scale: number): void {
    const { receive, sense } = this.page.ranges!;
    ctx.lineWidth = 1;
    for (const [metres, dash] of [[receive, []], [sense, [4, 4]]] as [number, number[]][]) {
      ctx.strokeStyle = colour("ring");
      ctx.setLineDash(dash);
      ctx.beginPath();
      ctx.arc(x, y, metres * scale, 0, 2 * Math.PI);
      ctx.stroke();
    }
    ctx.setLineDash([]);
  }

  private routes(ctx: Pen, place: (node: number) => [number, number]): void {
    this.page.flows.forEach((flow, i) => {
      for (const [from, to, wide] of [[flow.from, flow.to, 3.2], [flow.to, flow.from, 1.2]]) {
        const { path, whole } = this.world.route(from, to, this.axis.at);
        ctx.strokeStyle = flowColour(flow.id);
        ctx.globalAlpha = whole ? 0.85 : 0.4;
        ctx.lineWidth = wide;
        ctx.setLineDash(whole ? [] : [5, 4]);
        ctx.beginPath();
        path.forEach((node, k) => {
          const [x, y] = place(node);
          // Side by side, so that flows on one way don't hide each other.
          const [dx, dy] = [(i % 3) * 2, ((i + 1) % 3) * 2];
          if (k) ctx.lineTo(x + dx, y + dy);
          else ctx.moveTo(x + dx, y + dy);
        });
        ctx.stroke();
      }
    });
    ctx.globalAlpha = 1;
    ctx.setLineDash([]);
  }

  private frames(ctx: Pen, place: (node: number) => [number, number]): void {
    const { at } = this.axis;
    // While playing, all that were on the air since the last picture.
    const since = this.playing && this.before < at ? Math.max(this.before, at - 0.05 * this.speed) : at;
    for (const frame of this.world.onAir(since, at, FRAMES)) this.frame(ctx, frame, place);
  }

  private frame(ctx: Pen, frame: FrameSeen, place: (node: number) => [number, number]): void {
    const [x, y] = place(frame.from);
    const share = Math.min(1, Math.max(0, (this.axis.at - frame.t) / Math.max(frame.until - frame.t, 1e-9)));
    const paint = frame.carries === "routing" || frame.carries === "arp" ? colour("frame-routing") : frame.flow >= 0 ? flowColour(frame.flow) : colour("frame-control");
    ctx.strokeStyle = ctx.fillStyle = paint;
    if (frame.to === null) {
      ctx.globalAlpha = 0.7 * (1 - 0.7 * share);
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      ctx.arc(x, y, 8 + 26 * share, 0, 2 * Math.PI);
      ctx.stroke();
      ctx.globalAlpha = 1;
      return;
    }
    const [tx, ty] = place(frame.to);
    const good = frame.fate === "received" || frame.fate === "";
    ctx.lineWidth = frame.kind === "data" ? 2 : 1;
    ctx.setLineDash(good ? [] : [3, 3]);
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(tx, ty);
    ctx.stroke();
    ctx.setLineDash([]);
    const radius = frame.kind === "data" ? 4.5 : 2.8;
    ctx.beginPath();
    ctx.arc(x + share * (tx - x), y + share * (ty - y), radius, 0, 2 * Math.PI);
    ctx.fill();
    if (!good && share > 0.6) {
      ctx.strokeStyle = colour("seq-again");
      ctx.lineWidth = 2;
      ctx.beginPath();
      ctx.moveTo(tx - 6, ty - 6);
      ctx.lineTo(tx + 6, ty + 6);
      ctx.moveTo(tx + 6, ty - 6);
      ctx.lineTo(tx - 6, ty + 6);
      ctx.stroke();
    }
  }

  private nodes(ctx: Pen, place: (node: number) => [number, number], radius: number): void {
    const { at } = this.axis;
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.font = `${Math.max(11, radius + 2)}px system-ui, sans-serif`;
    const ends = new Map(this.page.flows.flatMap((f) => [[f.from, f.id], [f.to, f.id]] as [number, number][]));
    for (let node = 0; node < this.page.nodes; node++) {
      const [x, y] = place(node);
      const flow = ends.get(node);
      const dead = this.world.charge(node, at) === 0;
      ctx.fillStyle = dead ? colour("cause-node-down") : colour("node");
      ctx.strokeStyle = node === this.chosen ? colour("accent") : flow !== undefined ? flowColour(flow) : colour("node-edge");
      ctx.lineWidth = node === this.chosen || flow !== undefined ? 2.6 : 1.2;
      ctx.beginPath();
      ctx.arc(x, y, radius, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
      // Numbers stand in circles that have room for them; else above, of the ends of flows and the chosen one.
      const within = radius >= 8;
      if (within || flow !== undefined || node === this.chosen) {
        ctx.fillStyle = dead && within ? colour("paper") : colour("ink");
        ctx.fillText(String(node), x, within ? y + 0.5 : y - radius - 9);
      }
      const queued = this.world.queue(node, at);
      if (queued > 0) {
        ctx.fillStyle = colour("queue");
        ctx.fillRect(x - radius, y + radius + 3, (2 * radius * Math.min(queued, this.page.queueLimit ?? 50)) / (this.page.queueLimit ?? 50), 3);
      }
      const charge = this.world.charge(node, at);
      if (charge >= 0) {
        ctx.fillStyle = colour("seq-ack");
        ctx.fillRect(x - radius, y - radius - 5, 2 * radius * charge, 2);
      }
    }
    ctx.textBaseline = "alphabetic";
  }

  /** Losses that struck just before the moment shown. */
  private recent(): Loss[] {
    const { at } = this.axis;
    const window = Math.max(0.6 * (this.playing ? this.speed : 0), Math.min(0.5, this.axis.span / 50));
    return this.losses.slice(lowerBound(this.times, at - window), lastUpTo(this.times, at) + 1);
  }

  private spot(loss: Loss, place: (node: number) => [number, number]): [number, number] {
    const [x, y] = place(loss.rootNode);
    if (loss.nextHop === null) return [x + 12, y - 12];
    const [tx, ty] = place(loss.nextHop);
    return [(x + tx) / 2, (y + ty) / 2];
  }

  private loss(ctx: Pen, loss: Loss, place: (node: number) => [number, number]): void {
    const [x, y] = this.spot(loss, place);
    ctx.fillStyle = causeColour(loss.cause);
    ctx.globalAlpha = 0.25;
    ctx.beginPath();
    ctx.arc(x, y, 15, 0, 2 * Math.PI);
    ctx.fill();
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colour("paper");
    ctx.lineWidth = 1;
    ctx.beginPath();
    shapePath(ctx, loss.cause, x, y, loss.kind === "data" ? 7 : 5);
    ctx.fill();
    ctx.stroke();
  }

  private click(event: MouseEvent): void {
    const box = this.canvas.element.getBoundingClientRect();
    const to = this.screen(box.width, box.height);
    const place = (node: number): [number, number] => to(this.world.position(node, this.axis.at));
    const near = ([x, y]: [number, number]): number => Math.hypot(x - (event.clientX - box.left), y - (event.clientY - box.top));
    const loss = this.layers.losses ? this.recent().findLast((one) => near(this.spot(one, place)) < 14) : undefined;
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
    const node = this.chosen;
    if (node === null) {
      this.card.replaceChildren();
      return;
    }
    const { at } = this.axis;
    const { world } = this;
    const rows: [string, string][] = [];
    if (this.page.placed) {
      const [x, y] = world.position(node, at);
      rows.push(["place", `${x.toFixed(1)} m, ${y.toFixed(1)} m`]);
      const near = world.neighbours(node, at).map(([other, metres]) => `${other} (${metres.toFixed(0)} m)`);
      rows.push(["neighbours in range", near.join(", ") || "none"]);
    }
    const limit = this.page.queueLimit ? ` of ${this.page.queueLimit}` : "";
    rows.push(["interface queue", `${world.queue(node, at)}${limit} packets`]);
    rows.push(["routes in use", world.table(node, at).map(([dst, hop]) => `to ${dst} over ${hop}`).join(", ") || "none"]);
    if (!Number.isNaN(world.charge(node, at))) {
      rows.push(["battery", `${world.battery(node, at).toPrecision(4)} J, ${(100 * world.charge(node, at)).toFixed(0)} %`]);
    }
    const notes = world.notes.filter((note) => note.node === node && note.t <= at).slice(-4);
    if (notes.length) rows.push(["routing, latest", notes.map((note) => `${note.t.toFixed(3)} s ${note.text}`).join("; ")]);
    const lost = this.losses.filter((loss) => loss.rootNode === node && loss.since <= at).slice(-3);
    this.card.replaceChildren(
      el("h3", {}, `Node ${node} at ${at.toFixed(3)} s`),
      el("dl", {}, ...rows.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)])),
      ...(lost.length ? [el("p", {}, "Lost here: ", ...lost.map((loss) => this.link(loss)))] : []),
      el("button", { type: "button", class: "quiet", click: () => this.select(null) }, "close"),
    );
  }

  private link(loss: Loss): HTMLElement {
    return el("button", { type: "button", click: () => this.choose(loss) }, shapeIcon(loss.cause), ` ${loss.since.toFixed(3)} s`);
  }
}
