// The story of one loss: what was sent, what kept it from going on, what the MAC tried, what the sender thought.

import { has, load, nothing } from "./data";
import { el } from "./dom";
import type { Loss } from "./losses";
import { isUdp, type FlowInfo, type RunPage } from "./run";
import { shapeIcon } from "./theme";
import type { FrameSeen, World } from "./world";

const LISTED = 24;
const AFTER = 20;

const count = (n: number, thing: string): string => `${n} ${thing}${n === 1 ? "" : "s"}`;

/** What happened to a loss, line by line: when, and what. */
export async function story(page: RunPage, world: World | null, loss: Loss): Promise<[number, string][]> {
  const flow = page.flows.find((one) => one.id === loss.flow);
  const lines: [number, string][] = [];
  const what = named(loss, isUdp(flow));
  const ends = loss.kind === "ack" ? [flow?.to, flow?.from] : [flow?.from, flow?.to];
  if (loss.uid !== null) lines.push([loss.sent, `${page.node[ends[0]!]} sends ${what} towards ${page.node[ends[1]!]}`]);
  const hop = loss.nextHop === null ? `at ${page.node[loss.rootNode]}` : `on the hop from ${page.node[loss.rootNode]} to ${page.node[loss.nextHop]}`;
  lines.push([loss.since, `${page.words.roots[loss.cause] ?? loss.cause}; ${hop}: ${loss.uid === null ? what : "the segment"} got no further`]);
  if (world && loss.uid !== null) {
    for (const frame of world.framesOf(loss.uid, loss.sent, loss.gone + 1).slice(-LISTED)) lines.push([frame.t, tried(page, frame)]);
  } else if (loss.attempts) {
    const by = loss.interferer === null ? "" : loss.interferer === loss.nextHop ? `, the last while ${page.node[loss.interferer]} was sending itself` : `, the last destroyed by the signal of ${page.node[loss.interferer]}`;
    lines.push([loss.gone, `${count(loss.attempts, "frame")} without an answer${by}`]);
  }
  lines.push([loss.gone, `at ${page.node[loss.node]}: ${page.words.ends[loss.died] ?? loss.died}`]);
  if (loss.guess) {
    const right = page.words.covers[loss.guess.guess]?.includes(loss.cause) ?? loss.guess.guess === loss.cause;
    lines.push([loss.guess.t, `the sender guesses ${loss.guess.guess}: ${right ? "right" : `wrong, it was ${loss.cause}`}`]);
  }
  const name = `again-${loss.flow}`;
  const again = has(name) ? await load(name) : nothing("t", "byte");
  let sent = 0;
  for (let i = 0; i < again.rows && sent < 4; i++) {
    if (again.columns.byte[i] === loss.byte && again.columns.t[i] > loss.since && loss.kind === "data") {
      lines.push([again.columns.t[i], "the sender sends it again"]);
      sent++;
    }
  }
  if (world && (loss.cause === "link-failure" || loss.cause === "contention" || loss.cause === "node-down" || loss.cause === "no-route")) {
    const near = world.notes.filter(
      (note) => note.t >= loss.since && note.t <= loss.gone + AFTER && (note.node === loss.rootNode || note.node === flow?.from),
    );
    for (const note of near.slice(0, 6)) lines.push([note.t, `routing at ${page.node[note.node]}: ${note.text}`]);
  }
  return lines.sort((a, b) => a[0] - b[0]);
}

/** What was lost, in a sentence. */
export function named(loss: Loss, datagrams: boolean): string {
  if (datagrams) return `datagram ${loss.byte}`;
  if (Number.isNaN(loss.byte)) return `${loss.kind === "ack" ? "an ACK" : "data"} of the other direction`;
  if (loss.kind === "ack") return `the ACK of everything before byte ${loss.byte}`;
  return loss.byte < 0 ? "the SYN" : `the data segment at byte ${loss.byte}`;
}

function tried(page: RunPage, frame: FrameSeen): string {
  const what = frame.kind === "rts" ? "RTS" : frame.kind === "data" ? "DATA" : frame.kind.toUpperCase();
  const fates: Record<string, string> = {
    received: "received",
    collision: frame.interferer === null ? "destroyed by other signals" : `destroyed by the signal of ${page.node[frame.interferer]}`,
    "channel-error": "destroyed by bit errors",
    "out-of-range": "out of range",
    "receiver-busy": "the receiver was sending or receiving another frame",
    "not-answered": "received, but the medium was reserved for others, so no answer",
    "node-down": "the receiver is off",
    "": "how it ended was not recorded",
  };
  return `${what} from ${page.node[frame.from]} to ${page.node[frame.to!]}: ${fates[frame.fate] ?? frame.fate}`;
}

/** The panel that shows a story, with jumps to its moment. */
export class StoryPanel {
  readonly root = el("section", { class: "panel story", id: "story", tabindex: -1, "aria-live": "polite" });
  private wanted = 0;

  constructor(
    private readonly page: RunPage,
    private readonly world: () => World | null,
    private readonly jump: (from: number, to: number, at: number) => void,
    private readonly next: (direction: 1 | -1) => void,
  ) {}

  private buttons(): HTMLElement[] {
    const button = (text: string, action: () => void): HTMLElement => el("button", { click: action }, text);
    return [button("previous loss", () => this.next(-1)), button("next loss", () => this.next(1))];
  }

  /** Tells no story: of a flow that lost something how to get to one, or instead what is said here. */
  clear(flow: FlowInfo, instead?: string): void {
    this.wanted++;
    const map = this.page.recorded && this.page.nodes ? " or on the map" : "";
    const hint = flow.lost ? `Click a loss in the graph${map}, or step from loss to loss.` : `Nothing of ${flow.label} was lost.`;
    this.root.replaceChildren(
      el("header", {}, el("h2", {}, "Story of a loss"), ...(flow.lost ? this.buttons() : [])),
      el("p", {}, instead ?? hint),
    );
    delete this.root.dataset.loss;
  }

  async show(loss: Loss): Promise<void> {
    const number = ++this.wanted;
    const lines = await story(this.page, this.world(), loss);
    // Another story, or none, may have been asked for meanwhile.
    if (number !== this.wanted) return;
    const from = Math.min(...lines.map((line) => line[0]));
    const to = Math.max(...lines.map((line) => line[0]), loss.gone);
    const margin = Math.max(0.02, 0.15 * (to - from));
    const moment = ([t, text]: [number, string]): HTMLElement =>
      el("li", {}, el("button", { class: "time", click: () => this.jump(t - margin, t + margin, t) }, `${t.toFixed(6)} s`), ` ${text}`);
    this.root.replaceChildren(
      el("header", {}, el("h2", {}, "Story of a loss"), ...this.buttons()),
      el("p", {}, shapeIcon(loss.cause), el("strong", {}, ` ${loss.cause}`), `: ${loss.kind === "ack" ? "an ACK" : "data"} of flow ${loss.flow}, lost at ${loss.since.toFixed(3)} s. `,
        el("button", { click: () => this.jump(from - margin, to + margin, loss.since) }, "zoom there")),
      el("ol", {}, ...lines.map(moment)),
    );
    this.root.dataset.loss = String(loss.index);
  }
}
