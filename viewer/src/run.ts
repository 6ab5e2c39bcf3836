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

export interface Step {
  t: number;
  text: string;
}

export interface Silence {
  flow: number;
  begin: number;
  end: number;
  title: string;
  cause: string | null;
  steps: Step[];
}

export interface RunPage {
  kind: "run";
  name: string;
  seed: number;
  /** The command that makes the run again, and the directory that it writes. */
  again: string;
  place: string;
  seconds: number;
  recorded: boolean;
  nodes: number;
  queueLimit: number | null;
  ranges: { receive: number; sense: number } | null;
  placed: boolean;
  flows: FlowInfo[];
  queues: { node: number; levels: LevelInfo[] }[];
  silences: Silence[];
  words: { roots: Record<string, string>; ends: Record<string, string>; covers: Record<string, string[]> };
  phases: Record<string, string>;
}
