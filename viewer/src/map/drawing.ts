// The map, drawn with a pen: nodes, ranges, routes, frames on the air and losses at one moment.

import type { Loss } from "../losses";
import type { Pen } from "../pen";
import type { RunPage } from "../run";
import { causeColour, colour, flowColour, shapePath } from "../theme";
import type { FrameSeen, World } from "../world";

export type Spot = [number, number];

/** Pixels between the field and the edge of the map. */
export const MARGIN = 26;
/** Frames drawn at most. */
const FRAMES = 400;

/** What can be hidden, by the words for it. */
export const LAYERS = { routes: "routes in use", frames: "frames on the air", ranges: "ranges", losses: "losses" };
export type Layer = keyof typeof LAYERS;

/** What the map shows. */
export interface Scene {
  page: RunPage;
  world: World;
  /** The moment, s. */
  at: number;
  /** Frames that were on the air from then on are drawn too: while playing, since the last picture. */
  since: number;
  losses: Loss[];
  chosen: number | null;
  layers: Record<Layer, boolean>;
}

/** Where places of the field, m, stand on a map of this size, and pixels to a metre. */
export function projection(world: World, width: number, height: number): { to: (at: Spot) => Spot; scale: number } {
  const [west, south, east, north] = world.bounds;
  const scale = Math.min(
    (width - 2 * MARGIN) / Math.max(east - west, 1e-6),
    (height - 2 * MARGIN) / Math.max(north - south, 1e-6),
  );
  const [left, bottom] = [(width - scale * (east - west)) / 2, (height + scale * (north - south)) / 2];
  return { to: ([x, y]) => [left + scale * (x - west), bottom - scale * (y - south)], scale };
}

/** Where a loss stands: between the two nodes, or beside the one. */
export function spotOf(loss: Loss, place: (node: number) => Spot): Spot {
  const [x, y] = place(loss.rootNode);
  if (loss.nextHop === null) return [x + 12, y - 12];
  const [tx, ty] = place(loss.nextHop);
  return [(x + tx) / 2, (y + ty) / 2];
}

/** Draws the map. */
export function drawMap(pen: Pen, scene: Scene, width: number, height: number): void {
  const { page, world, at, chosen, layers } = scene;
  const { to, scale } = projection(world, width, height);
  const place = (node: number): Spot => to(world.position(node, at));
  pen.lineJoin = "round";
  if (page.placed) grid(pen, world, height, to, scale);
  if (page.ranges && page.placed) {
    const ringed = chosen !== null ? [chosen] : layers.ranges ? page.flows.flatMap((f) => [f.from, f.to]) : [];
    for (const node of ringed) rings(pen, place(node), page.ranges, scale);
  }
  if (layers.routes) routes(pen, scene, place);
  if (layers.frames) for (const frame of world.onAir(scene.since, at, FRAMES)) drawFrame(pen, frame, at, place);
  nodes(pen, scene, place, Math.min(9, Math.max(3, 0.2 * Math.sqrt((width * height) / page.nodes))));
  if (layers.losses) for (const loss of scene.losses) drawLoss(pen, loss, place);
}

/** The field's edge, and a scale in metres. */
function grid(pen: Pen, world: World, height: number, to: (at: Spot) => Spot, scale: number): void {
  const metres = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((m) => m * scale > 60) ?? 10_000;
  const [west, south, east, north] = world.bounds;
  const [left, top] = to([west, north]);
  const [right, bottom] = to([east, south]);
  pen.strokeStyle = colour("grid");
  pen.lineWidth = 1;
  pen.strokeRect(left, top, right - left, bottom - top);
  pen.strokeStyle = pen.fillStyle = colour("ink-soft");
  pen.beginPath();
  pen.moveTo(10, height - 8);
  pen.lineTo(10 + metres * scale, height - 8);
  pen.stroke();
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "left";
  pen.fillText(`${metres} m`, 12, height - 12);
}

function rings(pen: Pen, [x, y]: Spot, { receive, sense }: NonNullable<RunPage["ranges"]>, scale: number): void {
  pen.lineWidth = 1;
  for (const [metres, dash] of [[receive, []], [sense, [4, 4]]] as [number, number[]][]) {
    pen.strokeStyle = colour("ring");
    pen.setLineDash(dash);
    pen.beginPath();
    pen.arc(x, y, metres * scale, 0, 2 * Math.PI);
    pen.stroke();
  }
  pen.setLineDash([]);
}

function routes(pen: Pen, { page, world, at }: Scene, place: (node: number) => Spot): void {
  page.flows.forEach((flow, i) => {
    for (const [from, to, wide] of [[flow.from, flow.to, 3.2], [flow.to, flow.from, 1.2]]) {
      const { path, whole } = world.route(from, to, at);
      pen.strokeStyle = flowColour(flow.id);
      pen.globalAlpha = whole ? 0.85 : 0.4;
      pen.lineWidth = wide;
      pen.setLineDash(whole ? [] : [5, 4]);
      pen.beginPath();
      path.forEach((node, k) => {
        const [x, y] = place(node);
        // Side by side, so that flows on one way don't hide each other.
        const [dx, dy] = [(i % 3) * 2, ((i + 1) % 3) * 2];
        if (k) pen.lineTo(x + dx, y + dy);
        else pen.moveTo(x + dx, y + dy);
      });
      pen.stroke();
    }
  });
  pen.globalAlpha = 1;
  pen.setLineDash([]);
}

function frameColour(frame: FrameSeen): string {
  if (frame.carries === "routing" || frame.carries === "arp") return colour("frame-routing");
  return frame.flow >= 0 ? flowColour(frame.flow) : colour("frame-control");
}

/** A frame on its way to one node, or a ring around the sender of a broadcast. */
function drawFrame(pen: Pen, frame: FrameSeen, at: number, place: (node: number) => Spot): void {
  const [x, y] = place(frame.from);
  const share = Math.min(1, Math.max(0, (at - frame.t) / Math.max(frame.until - frame.t, 1e-9)));
  pen.strokeStyle = pen.fillStyle = frameColour(frame);
  if (frame.to === null) {
    pen.globalAlpha = 0.7 * (1 - 0.7 * share);
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.arc(x, y, 8 + 26 * share, 0, 2 * Math.PI);
    pen.stroke();
    pen.globalAlpha = 1;
    return;
  }
  const [tx, ty] = place(frame.to);
  const good = frame.fate === "received" || frame.fate === "";
  pen.lineWidth = frame.kind === "data" ? 2 : 1;
  pen.setLineDash(good ? [] : [3, 3]);
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(tx, ty);
  pen.stroke();
  pen.setLineDash([]);
  const radius = frame.kind === "data" ? 4.5 : 2.8;
  pen.beginPath();
  pen.arc(x + share * (tx - x), y + share * (ty - y), radius, 0, 2 * Math.PI);
  pen.fill();
  if (!good && share > 0.6) {
    pen.strokeStyle = colour("seq-again");
    pen.lineWidth = 2;
    pen.beginPath();
    pen.moveTo(tx - 6, ty - 6);
    pen.lineTo(tx + 6, ty + 6);
    pen.moveTo(tx + 6, ty - 6);
    pen.lineTo(tx - 6, ty + 6);
    pen.stroke();
  }
}

function nodes(pen: Pen, { page, world, at, chosen }: Scene, place: (node: number) => Spot, radius: number): void {
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = `${Math.max(11, radius + 2)}px system-ui, sans-serif`;
  const ends = new Map(page.flows.flatMap((f) => [[f.from, f.id], [f.to, f.id]] as [number, number][]));
  const limit = page.queueLimit ?? 50;
  for (let node = 0; node < page.nodes; node++) {
    const [x, y] = place(node);
    const flow = ends.get(node);
    const charge = world.charge(node, at);
    const dead = charge === 0;
    pen.fillStyle = dead ? colour("cause-node-down") : colour("node");
    pen.strokeStyle = node === chosen ? colour("accent") : flow !== undefined ? flowColour(flow) : colour("node-edge");
    pen.lineWidth = node === chosen || flow !== undefined ? 2.6 : 1.2;
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
    // Numbers stand in circles that have room for them; else above, of the ends of flows and the chosen one.
    const within = radius >= 8;
    if (within || flow !== undefined || node === chosen) {
      pen.fillStyle = dead && within ? colour("paper") : colour("ink");
      pen.fillText(page.short[node], x, within ? y + 0.5 : y - radius - 9);
    }
    const queued = world.queue(node, at);
    if (queued > 0) {
      pen.fillStyle = colour("queue");
      pen.fillRect(x - radius, y + radius + 3, (2 * radius * Math.min(queued, limit)) / limit, 3);
    }
    if (charge >= 0) {
      pen.fillStyle = colour("seq-ack");
      pen.fillRect(x - radius, y - radius - 5, 2 * radius * charge, 2);
    }
  }
  pen.textBaseline = "alphabetic";
}

function drawLoss(pen: Pen, loss: Loss, place: (node: number) => Spot): void {
  const [x, y] = spotOf(loss, place);
  pen.fillStyle = causeColour(loss.cause);
  pen.globalAlpha = 0.25;
  pen.beginPath();
  pen.arc(x, y, 15, 0, 2 * Math.PI);
  pen.fill();
  pen.globalAlpha = 1;
  pen.strokeStyle = colour("paper");
  pen.lineWidth = 1;
  pen.beginPath();
  shapePath(pen, loss.cause, x, y, loss.kind === "data" ? 7 : 5);
  pen.fill();
  pen.stroke();
}
