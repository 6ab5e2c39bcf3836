// What the map tells in words: a card about one node, and tables of all nodes and routes.

import { el, table } from "../dom";
import type { Loss } from "../losses";
import type { RunPage } from "../run";
import { shapeIcon } from "../theme";
import type { Row } from "../tools";
import type { World } from "../world";

/** A node's place, neighbours, queue, routes, battery and losses at a moment. */
export function nodeCard(
  { page, world, losses }: { page: RunPage; world: World; losses: Loss[] },
  node: number,
  at: number,
  choose: (loss: Loss) => void,
  close: () => void,
): HTMLElement[] {
  const rows: [string, string][] = [];
  if (page.placed) {
    const [x, y] = world.position(node, at);
    rows.push(["place", `${x.toFixed(1)} m, ${y.toFixed(1)} m`]);
    const near = world.neighbours(node, at).map(([other, metres]) => `${page.short[other]} (${metres.toFixed(0)} m)`);
    rows.push(["neighbours in range", near.join(", ") || "none"]);
  }
  const limit = page.queueLimit ? ` of ${page.queueLimit}` : "";
  rows.push(["interface queue", `${world.queue(node, at)}${limit} packets`]);
  rows.push(["routes in use", world.table(node, at).map(([dst, hop]) => `to ${page.short[dst]} over ${page.short[hop]}`).join(", ") || "none"]);
  if (!Number.isNaN(world.charge(node, at))) {
    rows.push(["battery", `${world.battery(node, at).toPrecision(4)} J, ${(100 * world.charge(node, at)).toFixed(0)} %`]);
  }
  const notes = world.notes.filter((note) => note.node === node && note.t <= at).slice(-4);
  if (notes.length) rows.push(["routing, latest", notes.map((note) => `${note.t.toFixed(3)} s ${note.text}`).join("; ")]);
  const lost = losses.filter((loss) => loss.rootNode === node && loss.since <= at).slice(-3);
  const story = (loss: Loss): HTMLElement =>
    el("button", { click: () => choose(loss) }, shapeIcon(loss.cause), ` ${loss.since.toFixed(3)} s`);
  return [
    el("h3", {}, `Node ${page.short[node]} at ${at.toFixed(3)} s`),
    el("dl", {}, ...rows.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)])),
    ...(lost.length ? [el("p", {}, "Lost here: ", ...lost.map(story))] : []),
    el("button", { class: "quiet", click: close }, "close"),
  ];
}

/** Every node's place, queue and neighbours. */
export function nodeRows(page: RunPage, world: World, at: number): Row[] {
  const nodes = Array.from({ length: page.nodes }, (_, node): Row => {
    const [x, y] = world.position(node, at);
    const place = page.placed ? [+x.toFixed(1), +y.toFixed(1)] : [null, null];
    return [page.short[node], ...place, world.queue(node, at), world.neighbours(node, at).length];
  });
  return [["node", "east, m", "north, m", "queue", "neighbours"], ...nodes];
}

/** The same, and the route of each flow, for those who can't see the map. */
export function nodeTables(page: RunPage, world: World, at: number): HTMLElement[] {
  const [head, ...nodes] = nodeRows(page, world, at);
  const routes = page.flows.map((flow) => {
    const { path, whole } = world.route(flow.from, flow.to, at);
    return [flow.label, path.map((node) => page.short[node]).join(" → ") + (whole ? "" : " …")];
  });
  return [table(`Nodes at ${at.toFixed(3)} s`, head.map(String), nodes), table("Routes in use", ["flow", "nodes"], routes)];
}
