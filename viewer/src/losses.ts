// Losses with what senders guessed about them.

import { load, type Table } from "./data";

export interface Loss {
  /** Place in the page's table of losses. */
  index: number;
  flow: number;
  /** When the root struck, and when the last copy was gone, s. */
  since: number;
  gone: number;
  sent: number;
  kind: string;
  /** First byte of payload, or of an ACK what it acknowledged, from the connection's start. */
  byte: number;
  cause: string;
  died: string;
  node: number;
  rootNode: number;
  nextHop: number | null;
  attempts: number;
  interferer: number | null;
  uid: number | null;
  guess: Guess | null;
}

export interface Guess {
  t: number;
  flow: number;
  byte: number;
  guess: string;
  cause: string;
}

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);

/** The losses of the page in order of time, each with the sender's guess about its segment. */
export async function losses(): Promise<{ losses: Loss[]; guesses: Guess[] }> {
  const [table, guessed] = await Promise.all([load("losses"), load("guesses")]);
  const guesses = rows(guessed, (i, c, word) => ({
    t: c.t[i],
    flow: c.flow[i],
    byte: c.byte[i],
    guess: word("guess", i),
    cause: word("cause", i),
  }));
  const about = new Map<string, Guess[]>();
  for (const guess of guesses) {
    const key = `${guess.flow}:${guess.byte}`;
    about.set(key, [...(about.get(key) ?? []), guess]);
  }
  const found = rows(table, (index, c, word): Loss => {
    const [flow, byte, since] = [c.flow[index], c.byte[index], c.since[index]];
    const kind = word("kind", index);
    const later = kind === "data" ? about.get(`${flow}:${byte}`)?.find((g) => g.t >= since) : undefined;
    return {
      index,
      flow,
      since,
      gone: c.t[index],
      sent: Number.isNaN(c.sent[index]) ? since : c.sent[index],
      kind,
      byte,
      cause: word("cause", index),
      died: word("died", index),
      node: c.node[index],
      rootNode: c.root_node[index],
      nextHop: orNull(c.next_hop[index]),
      attempts: c.attempts[index],
      interferer: orNull(c.interferer[index]),
      uid: orNull(c.uid[index]),
      guess: later ?? null,
    };
  });
  return { losses: found, guesses };
}

/** Each row of a table as an object. */
export function rows<T>(
  table: Table,
  make: (i: number, columns: Table["columns"], word: (name: string, i: number) => string) => T,
): T[] {
  const word = (name: string, i: number): string => table.words[name][table.columns[name][i]] ?? "";
  return Array.from({ length: table.rows }, (_, i) => make(i, table.columns, word));
}
