// The page's data: one JSON block, and tables of packed columns that are unpacked when they are needed.
//
// A table is gzip in base64: a JSON header behind its length, then 32-bit integers by column. Each column holds
// differences to the row before, byte plane by byte plane, which compresses well; value = integer * scale.
// The smallest integer stands for "no value".

const MISSING = -0x80000000;

interface Head {
  rows: number;
  columns: { name: string; scale: number; words?: string[] }[];
}

export interface Table {
  rows: number;
  /** Numbers by column; NaN where there is no value. Of words the place in `words`, -1 where there is none. */
  columns: Record<string, Float64Array>;
  words: Record<string, string[]>;
}

/** The JSON block of this page. */
export function pageData<T>(): T {
  return JSON.parse(document.getElementById("page-data")?.textContent ?? "null") as T;
}

const known = new Map<string, Promise<Table>>();

/** Whether the page carries this table. */
export function has(name: string): boolean {
  return document.getElementById(`table-${name}`) !== null;
}

/** Unpacks a table, once. */
export function load(name: string): Promise<Table> {
  let found = known.get(name);
  if (!found) {
    found = unpack(document.getElementById(`table-${name}`)?.textContent ?? "");
    known.set(name, found);
  }
  return found;
}

/** A table without rows, for pages that lack one. */
export function nothing(...names: string[]): Table {
  return {
    rows: 0,
    columns: Object.fromEntries(names.map((name) => [name, new Float64Array()])),
    words: Object.fromEntries(names.map((name) => [name, []])),
  };
}

async function unpack(base64: string): Promise<Table> {
  const text = atob(base64);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return decode(await new Response(stream).arrayBuffer());
}

/** Reads an unpacked table. */
export function decode(buffer: ArrayBuffer): Table {
  const length = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as Head;
  const result: Table = { rows: head.rows, columns: {}, words: {} };
  const n = head.rows;
  let at = 4 + length;
  for (const { name, scale, words } of head.columns) {
    const planes = [0, 1, 2, 3].map((k) => new Uint8Array(buffer, at + k * n, n));
    at += 4 * n;
    const values = new Float64Array(n);
    let value = 0;
    for (let i = 0; i < n; i++) {
      const step = planes[0][i] | (planes[1][i] << 8) | (planes[2][i] << 16) | (planes[3][i] << 24);
      value = (value + step) | 0;
      values[i] = value === MISSING ? (words ? -1 : NaN) : words ? value : value * scale;
    }
    result.columns[name] = values;
    if (words) result.words[name] = words;
  }
  return result;
}

/** The first place whose value is not below `x`, in ascending values. */
export function lowerBound(values: Float64Array, x: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The last place whose value is not above `x`; -1 if there is none. */
export function lastUpTo(values: Float64Array, x: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
