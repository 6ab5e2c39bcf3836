// What the page of a run is given: the JSON block's shape.

import type { LevelInfo } from "./levels";

export interface FlowInfo {
  id: number;
  from: number;
  to: number;
  tcp: string | null;
  label: string;
  mss: number;
  lost: number;
  series: LevelInfo[];
  sent: LevelInfo[];
  /** The receiver's window, as far as ACKs told the sender. */
  window: LevelInfo[];
}

export interface RunPage {
  kind: "run";
  name: string;
  seed: number;
  seconds: number;
  recorded: boolean;
  nodes: number;
  /** Each node's name, or `node 3`; and where room is scarce, or its number. */
  node: string[];
  short: string[];
  /** The stretch around the first pause that a loss began, s; absent if there is none. */
  trouble?: [number, number];
  queueLimit: number | null;
  ranges: { receive: number; sense: number } | null;
  placed: boolean;
  flows: FlowInfo[];
  /** The flow that the page opens on. */
  opened: number;
  /** Plots of queues and links: one column of a table each. */
  strips: { id: string; title: string; unit: string; column: string; about: string; levels: LevelInfo[] }[];
  words: { roots: Record<string, string>; ends: Record<string, string>; covers: Record<string, string[]> };
  phases: Record<string, string>;
}

/** Whether a flow sends datagrams: then it has no window, no timer and no acknowledgments. */
export function isUdp(flow: FlowInfo | undefined): boolean {
  return flow?.tcp === null;
}
