// The marks of the time-sequence graph, drawn with a pen.

import type { Table } from "../data";
import type { Slice } from "../levels";
import type { Guess, Loss } from "../losses";
import type { Pen } from "../pen";
import { causeColour, colour, shapePath } from "../theme";

/** What is in view. */
export interface Shown {
  series: Slice | null;
  sent: Slice | null;
  window: Slice | null;
  again: Slice;
  sacks: Slice;
  losses: Loss[];
  guesses: Guess[];
}

/** The flow's segment size, all losses, and the one that is selected. */
export interface About {
  mss: number;
  all: Loss[];
  selected: Loss | null;
}

/** Where times, s, and bytes stand, and pixels of the pen to one of the page. */
export interface Scales {
  x: (t: number) => number;
  y: (byte: number) => number;
  /** The end of the times in view. */
  until: number;
  ratio: number;
}

/** The byte up to which the sender had sent at a row of its series. */
export function sentUpTo({ columns }: Table, i: number, mss: number): number {
  return columns.acked[i] + columns.in_flight[i] * mss;
}

/** Draws everything in view. */
export function drawSequence(pen: Pen, shown: Shown, about: About, at: Scales): void {
  pen.lineWidth = 1.3 * at.ratio;
  if (shown.series) {
    const { table } = shown.series;
    const { acked, cwnd } = table.columns;
    if (!shown.window) steps(pen, shown.series, "seq-window", at, (i) => acked[i] + cwnd[i] * about.mss);
    steps(pen, shown.series, "seq-ack", at, (i) => acked[i]);
    if (!shown.sent) steps(pen, shown.series, "seq-data", at, (i) => sentUpTo(table, i, about.mss));
  }
  if (shown.window) {
    const { edge } = shown.window.table.columns;
    steps(pen, shown.window, "seq-window", at, (i) => edge[i]);
  }
  bars(pen, shown.sacks, "seq-sack", ["left", "right"], at, 2 * at.ratio);
  if (shown.sent) bars(pen, shown.sent, "seq-data", ["low", "high"], at, 1.3 * at.ratio);
  resent(pen, shown.again, at);
  for (const guess of shown.guesses) drawGuess(pen, guess, about, at);
  for (const loss of shown.losses) drawLoss(pen, loss, about, at);
}

/** A line that keeps each value until the next. */
function steps(pen: Pen, { from, to, table }: Slice, paint: string, { x, y, until }: Scales, value: (i: number) => number): void {
  const { t } = table.columns;
  pen.strokeStyle = colour(paint);
  pen.beginPath();
  for (let i = from; i < to; i++) {
    const height = y(value(i));
    if (i === from) pen.moveTo(x(t[i]), height);
    else pen.lineTo(x(t[i]), height);
    pen.lineTo(x(i + 1 < table.rows ? t[i + 1] : until), height);
  }
  pen.stroke();
}

/** Upright bars from the byte in one column to that in another. */
function bars(pen: Pen, { table, from, to }: Slice, paint: string, [low, high]: [string, string], { x, y }: Scales, width: number): void {
  pen.fillStyle = colour(paint);
  for (let i = from; i < to; i++) {
    const bottom = y(table.columns[low][i]);
    const top = y(table.columns[high][i]);
    pen.fillRect(x(table.columns.t[i]) - width / 2, top, width, Math.max(1.5, bottom - top));
  }
}

function resent(pen: Pen, { table, from, to }: Slice, { x, y, ratio }: Scales): void {
  pen.fillStyle = colour("seq-again");
  pen.font = `bold ${10 * ratio}px system-ui, sans-serif`;
  pen.textAlign = "center";
  const { t, byte, bytes } = table.columns;
  const letters = to - from < 120;
  for (let i = from; i < to; i++) {
    const [left, bottom, top] = [x(t[i]), y(byte[i]), y(byte[i] + bytes[i])];
    pen.fillRect(left - 1.2 * ratio, top, 2.4 * ratio, Math.max(3 * ratio, bottom - top));
    if (letters) pen.fillText("R", left, top - 3 * ratio);
  }
}

function drawLoss(pen: Pen, loss: Loss, { selected }: About, { x, y, ratio }: Scales): void {
  // What flows against the flow's direction has no place among its bytes.
  if (Number.isNaN(loss.byte)) return;
  const [left, top] = [x(loss.since), y(loss.byte)];
  const radius = (loss.kind === "data" ? 5 : 3) * ratio;
  pen.fillStyle = causeColour(loss.cause);
  pen.strokeStyle = colour("paper");
  pen.lineWidth = ratio;
  pen.beginPath();
  shapePath(pen, loss.cause, left, top, radius);
  pen.fill();
  pen.stroke();
  if (loss === selected) {
    pen.strokeStyle = colour("ink");
    pen.lineWidth = 1.5 * ratio;
    pen.beginPath();
    pen.arc(left, top, radius + 5 * ratio, 0, 2 * Math.PI);
    pen.stroke();
  }
}

/** An open shape at the guess, joined with the loss that it is about. */
function drawGuess(pen: Pen, guess: Guess, { all }: About, { x, y, ratio }: Scales): void {
  const [left, top] = [x(guess.t), y(guess.byte)];
  const about = all.find((loss) => loss.guess === guess);
  pen.strokeStyle = causeColour(guess.guess);
  pen.lineWidth = ratio;
  if (about) {
    pen.setLineDash([3 * ratio, 3 * ratio]);
    pen.beginPath();
    pen.moveTo(x(about.since), y(about.byte));
    pen.lineTo(left, top);
    pen.stroke();
    pen.setLineDash([]);
  }
  pen.lineWidth = 1.8 * ratio;
  pen.beginPath();
  shapePath(pen, guess.guess, left, top, 5.5 * ratio);
  pen.stroke();
}
