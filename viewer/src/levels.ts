// Levels of detail: the page has each long table several times, thinned out more and more. What is in view is
// drawn from the finest level that has no more rows there than pixels can show.

import { lastUpTo, load, lowerBound, type Table } from "./data";

export interface LevelInfo {
  name: string;
  rows: number;
}

/** Rows `from` to `to` (exclusive) of a table. */
export interface Slice {
  table: Table;
  from: number;
  to: number;
}

/** What a plot asks for its rows. */
export interface Rows {
  /** The rows to draw between two times, with a row more at either side; null if there are none at all. */
  view(min: number, max: number): Promise<Slice | null>;
}

const ROWS_IN_VIEW = 8000;

export class Levels implements Rows {
  /** From fine to coarse. */
  constructor(readonly infos: LevelInfo[]) {}

  async view(min: number, max: number): Promise<Slice | null> {
    const coarsest = this.infos.at(-1);
    if (!coarsest) return null;
    const rough = await load(coarsest.name);
    const inView = Math.max(1, lowerBound(rough.columns.t, max) - lowerBound(rough.columns.t, min));
    const fits = this.infos.find(
      (info) => (info.rows / Math.max(1, coarsest.rows)) * inView <= ROWS_IN_VIEW || info === coarsest,
    );
    return slice(await load((fits ?? coarsest).name), min, max);
  }

  /** The finest level. */
  finest(): Promise<Table> | null {
    return this.infos.length ? load(this.infos[0].name) : null;
  }
}

/** The rows between two times, with one more at either side. */
export function slice(table: Table, min: number, max: number): Slice {
  const t = table.columns.t;
  return { table, from: Math.max(0, lastUpTo(t, min)), to: Math.min(table.rows, lowerBound(t, max) + 1) };
}
