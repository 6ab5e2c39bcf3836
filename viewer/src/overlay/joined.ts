// Two series over one time axis: a row for each time at which either changes.

import { lastUpTo, type Table } from "../data";
import type { Rows, Slice } from "../levels";

/** A series, and when it ends, s: after that it has no values. */
export interface Part {
  rows: Rows;
  end: number;
}

/** Columns of the `k`-th part have `-k` behind their names. */
export class Joined implements Rows {
  constructor(
    private readonly parts: Part[],
    private readonly columns: string[],
  ) {}

  async view(min: number, max: number): Promise<Slice | null> {
    const slices = await Promise.all(this.parts.map(({ rows }) => rows.view(min, max)));
    const times = new Set<number>();
    slices.forEach((slice, k) => {
      if (!slice) return;
      for (const t of slice.table.columns.t.subarray(slice.from, slice.to)) times.add(t);
      if (this.parts[k].end <= max) times.add(this.parts[k].end);
    });
    if (!times.size) return null;
    const t = Float64Array.from(times).sort();
    const columns: Table["columns"] = { t };
    slices.forEach((slice, k) => {
      const { end } = this.parts[k];
      for (const name of this.columns) {
        columns[`${name}-${k}`] = t.map((at) => (slice && at < end ? value(slice, name, at) : NaN));
      }
    });
    return { table: { rows: t.length, columns, words: {} }, from: 0, to: t.length };
  }
}

/** A series keeps each value until its next row; it has none before the first. */
function value({ table }: Slice, name: string, at: number): number {
  const i = lastUpTo(table.columns.t, at);
  return i < 0 ? NaN : table.columns[name][i];
}
