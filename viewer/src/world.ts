// Where everything is at a moment: places, routes in use, queues, batteries.

import { has, lastUpTo, load, lowerBound, nothing, type Table } from "./data";
import { rows } from "./losses";
import type { RunPage } from "./run";

/** Values that hold from their time on. */
class History {
  readonly t: Float64Array;
  readonly values: Float64Array;

  constructor(entries: [number, number][]) {
    this.t = Float64Array.from(entries, (e) => e[0]);
    this.values = Float64Array.from(entries, (e) => e[1]);
  }

  /** The value at a moment; NaN before the first. */
  at(t: number): number {
    const i = lastUpTo(this.t, t);
    return i < 0 ? NaN : this.values[i];
  }
}

function histories(table: Table, key: (i: number) => string, value: string): Map<string, History> {
  const entries = new Map<string, [number, number][]>();
  for (let i = 0; i < table.rows; i++) {
    const name = key(i);
    let list = entries.get(name);
    if (!list) entries.set(name, (list = []));
    list.push([table.columns.t[i], table.columns[value][i]]);
  }
  return new Map([...entries].map(([name, list]) => [name, new History(list)]));
}

export interface FrameSeen {
  t: number;
  until: number;
  from: number;
  to: number | null;
  kind: string;
  carries: string;
  flow: number;
  fate: string;
  interferer: number | null;
  readers: number;
}

export interface Note {
  t: number;
  node: number;
  text: string;
}

export class World {
  private legs: { t: Float64Array; x: Float64Array; y: Float64Array; vx: Float64Array; vy: Float64Array }[] = [];
  private queues = new Map<string, History>();
  private batteries = new Map<string, History>();
  private routes = new Map<string, History>();
  private frames: Table = nothing("t", "dur");
  private longest = 0;
  notes: Note[] = [];
  /** West, south, east, north. */
  bounds: [number, number, number, number] = [0, 0, 1, 1];

  constructor(readonly page: RunPage) {}

  async open(): Promise<this> {
    const get = (name: string): Promise<Table> => (has(name) ? load(name) : Promise.resolve(nothing("t")));
    const [moves, queues, battery, routes, frames, routing] = await Promise.all(
      ["moves", "node-queues", "battery", "routes", "frames", "routing"].map(get),
    );
    this.place(moves);
    this.queues = histories(queues, (i) => String(queues.columns.node[i]), "packets");
    this.batteries = histories(battery, (i) => String(battery.columns.node[i]), "joules");
    this.routes = histories(routes, (i) => `${routes.columns.node[i]}:${routes.columns.dst[i]}`, "next_hop");
    this.frames = frames;
    if (frames.rows) this.longest = frames.columns.dur.reduce((a, b) => Math.max(a, b), 0);
    this.notes = rows(routing, (i, c, word) => ({ t: c.t[i], node: c.node[i], text: said(word("event", i), c, i) }));
    return this;
  }

  private place(moves: Table): void {
    const c = moves.columns;
    for (let node = 0; node < this.page.nodes; node++) {
      const from = c.node ? lowerBound(c.node, node) : 0;
      const to = c.node ? lowerBound(c.node, node + 1) : 0;
      const cut = (name: string): Float64Array => (c[name] ? c[name].subarray(from, to) : new Float64Array());
      this.legs.push({ t: cut("t"), x: cut("x"), y: cut("y"), vx: cut("vx"), vy: cut("vy") });
    }
    if (!this.page.placed) return;
    const xs = this.legs.flatMap((leg) => [...leg.x]);
    const ys = this.legs.flatMap((leg) => [...leg.y]);
    this.bounds = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  }

  /** Where a node is; nodes without places stand in a circle. */
  position(node: number, t: number): [number, number] {
    const leg = this.legs[node];
    if (!this.page.placed || !leg || !leg.t.length) {
      const angle = (2 * Math.PI * node) / this.page.nodes;
      return [0.5 + 0.5 * Math.cos(angle), 0.5 + 0.5 * Math.sin(angle)];
    }
    const i = Math.max(0, lastUpTo(leg.t, t));
    const dt = Math.max(0, t - leg.t[i]);
    return [leg.x[i] + leg.vx[i] * dt, leg.y[i] + leg.vy[i] * dt];
  }

  distance(a: number, b: number, t: number): number {
    const [pa, pb] = [this.position(a, t), this.position(b, t)];
    return Math.hypot(pa[0] - pb[0], pa[1] - pb[1]);
  }

  queue(node: number, t: number): number {
    return this.queues.get(String(node))?.at(t) || 0;
  }

  /** Joules left; NaN where batteries have no end. */
  battery(node: number, t: number): number {
    return this.batteries.get(String(node))?.at(t) ?? NaN;
  }

  /** The share of its first charge that a node has left; NaN without battery. */
  charge(node: number, t: number): number {
    const history = this.batteries.get(String(node));
    return history ? history.at(t) / history.values[0] : NaN;
  }

  /** The nodes in range, nearest first. */
  neighbours(node: number, t: number): [number, number][] {
    const reach = this.page.ranges?.receive;
    if (!reach || !this.page.placed) return [];
    return Array.from({ length: this.page.nodes }, (_, other): [number, number] => [other, this.distance(node, other, t)])
      .filter(([other, metres]) => other !== node && metres <= reach)
      .sort((a, b) => a[1] - b[1]);
  }

  /** Next hops in use at a node: destination and neighbour. */
  table(node: number, t: number): [number, number][] {
    const found: [number, number][] = [];
    for (const [key, history] of this.routes) {
      const [at, dst] = key.split(":").map(Number);
      const hop = at === node ? history.at(t) : NaN;
      if (!Number.isNaN(hop)) found.push([dst, hop]);
    }
    return found.sort((a, b) => a[0] - b[0]);
  }

  /** The way that packets take from one node to another by the hops in use, and whether it arrives. */
  route(from: number, to: number, t: number): { path: number[]; whole: boolean } {
    const path = [from];
    while (path.length <= this.page.nodes) {
      const here = path[path.length - 1];
      if (here === to) return { path, whole: true };
      const hop = this.routes.get(`${here}:${to}`)?.at(t) ?? NaN;
      if (Number.isNaN(hop) || path.includes(hop)) return { path, whole: false };
      path.push(hop);
    }
    return { path, whole: false };
  }

  private frame(i: number): FrameSeen {
    const c = this.frames.columns;
    const word = (name: string): string => this.frames.words[name][c[name][i]] ?? "";
    return {
      t: c.t[i],
      until: c.t[i] + c.dur[i],
      from: c.from[i],
      to: Number.isNaN(c.to[i]) ? null : c.to[i],
      kind: word("kind"),
      carries: word("carries"),
      flow: Number.isNaN(c.flow[i]) ? -1 : c.flow[i],
      fate: word("fate"),
      interferer: Number.isNaN(c.interferer[i]) ? null : c.interferer[i],
      readers: c.readers[i],
    };
  }

  /** Frames that were on the air between two moments, the latest ones if there are more than `most`. */
  onAir(from: number, to: number, most: number): FrameSeen[] {
    const t = this.frames.columns.t;
    const end = lastUpTo(t, to) + 1;
    const begin = Math.max(lowerBound(t, from - this.longest), end - most);
    const found: FrameSeen[] = [];
    for (let i = begin; i < end; i++) if (t[i] + this.frames.columns.dur[i] >= from) found.push(this.frame(i));
    return found;
  }

  /** The frames that carried or announced a transmission, in order of time. */
  framesOf(uid: number, from: number, to: number): FrameSeen[] {
    const { t, uid: uids } = this.frames.columns;
    const found: FrameSeen[] = [];
    if (!uids) return found;
    for (let i = lowerBound(t, from); i < this.frames.rows && t[i] <= to; i++) {
      if (uids[i] === uid) found.push(this.frame(i));
    }
    return found;
  }
}

function said(event: string, c: Record<string, Float64Array>, i: number): string {
  const dst = c.dst[i];
  const hops = Number.isNaN(c.hops[i]) ? "" : ` over ${c.hops[i]} hop${c.hops[i] === 1 ? "" : "s"}`;
  const texts: Record<string, string> = {
    "route-found": `route to ${dst} found${hops}`,
    "route-changed": `route to ${dst} changed, now${hops}`,
    "route-lost": `route to ${dst} lost`,
    "link-broken": `declares the link to ${c.neighbour[i]} broken`,
    "route-error": `learns that the route to ${dst} is broken`,
    "search-failed": `search for ${dst} failed`,
    "local-repair": `repairs the route to ${dst}`,
  };
  return texts[event] ?? event;
}
