// The time-sequence graph as rows: the losses in view to read and click, and every mark for a file.

import type { Table } from "../data";
import { el, table } from "../dom";
import type { Slice } from "../levels";
import type { Loss } from "../losses";
import { shapeIcon } from "../theme";
import type { Row } from "../tools";
import type { Shown } from "./drawing";

/** Losses listed at most. */
const MOST = 200;

/** The losses in view, each with a button that tells its story; `unit`: what they are counted in. */
export function lossList(losses: Loss[], unit: string, choose: (loss: Loss) => void): HTMLElement {
  const body = losses.slice(0, MOST).map((loss) =>
    el(
      "tr",
      {},
      el("td", { class: "number" }, loss.since.toFixed(6)),
      el("td", {}, loss.kind),
      el("td", { class: "number" }, Number.isNaN(loss.byte) ? "–" : String(loss.byte)),
      el("td", {}, shapeIcon(loss.cause), ` ${loss.cause}`),
      el("td", {}, loss.guess?.guess ?? "–"),
      el("td", {}, el("button", { click: () => choose(loss) }, "story")),
    ),
  );
  const more = losses.length > MOST ? `, the first ${MOST} of ${losses.length}` : "";
  const list = table(`Losses in view${more}`, ["t, s", "kind", unit, "true cause", "guess", ""], []);
  list.tBodies[0].append(...body);
  return list;
}

/** Everything drawn, a row for each mark: data and retransmissions, ACKs, blocks, losses and guesses. */
export function markRows(shown: Shown | null): Row[] {
  const rows: Row[] = [];
  type Edge = (columns: Table["columns"], i: number) => number;
  const take = (kind: string, slice: Slice | null, low: Edge, high: Edge): void => {
    for (let i = slice?.from ?? 0; slice && i < slice.to; i++) {
      const c = slice.table.columns;
      rows.push([c.t[i], kind, low(c, i), high(c, i), "", "", ""]);
    }
  };
  if (shown) {
    take("data", shown.sent, (c, i) => c.low[i], (c, i) => c.high[i]);
    take("sent again", shown.again, (c, i) => c.byte[i], (c, i) => c.byte[i] + c.bytes[i]);
    take("acknowledged", shown.series, () => 0, (c, i) => c.acked[i]);
    take("window", shown.window, () => NaN, (c, i) => c.edge[i]);
    take("SACK", shown.sacks, (c, i) => c.left[i], (c, i) => c.right[i]);
    for (const loss of shown.losses) rows.push([loss.since, loss.kind === "ack" ? "lost ACK" : "lost", loss.byte, null, loss.cause, loss.died, loss.guess?.guess ?? ""]);
    for (const guess of shown.guesses) rows.push([guess.t, "guess", guess.byte, null, guess.cause, "", guess.guess]);
  }
  rows.sort((a, b) => (a[0] as number) - (b[0] as number));
  return [["t_s", "what", "from_byte", "to_byte", "cause", "died", "guess"], ...rows];
}
