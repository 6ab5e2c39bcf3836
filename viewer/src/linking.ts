// Links into a page: `#window&from=10&to=20&at=12&flow=0` is a plot, times in s, and what the page shows.

import type { TimeAxis } from "./axis";

/** What a link asks for: the id of a plot, and numbers by name, NaN where there is none; null for other addresses. */
export interface Linked {
  id: string;
  number: (name: string) => number;
}

export function linked(hash: string): Linked | null {
  const [id, ...rest] = hash.slice(1).split("&");
  if (!id || !rest.length) return null;
  const asked = new URLSearchParams(rest.join("&"));
  return { id, number: (name) => (asked.has(name) ? Number(asked.get(name)) : NaN) };
}

/** The address of a plot at the times in view, with what else the page shows. */
export function linkTo(id: string, axis: TimeAxis, shown: string): string {
  return `#${id}&from=${+axis.min.toFixed(6)}&to=${+axis.max.toFixed(6)}&at=${+axis.at.toFixed(6)}&${shown}`;
}

/** Lets the axis and the page show what a link asks for. */
export function follow(axis: TimeAxis, { id, number }: Linked): void {
  if (number("to") > number("from")) axis.show(number("from"), number("to"));
  if (number("at") >= 0) axis.look(number("at"));
  document.getElementById(id)?.scrollIntoView();
}
