// Colours and shapes of causes; a cause without a shape is a circle. The colours are Okabe and Ito's, which everybody can tell apart, and each
// cause has a shape of its own besides.

import { svg } from "./dom";
import type { Pen } from "./pen";

type Shape = "wedge" | "bar" | "triangle" | "cross" | "diamond" | "square" | "pentagon" | "star" | "circle";

const SHAPES: Record<string, Shape> = {
  congestion: "triangle",
  contention: "cross",
  channel: "diamond",
  rate: "diamond",
  "link-failure": "square",
  "node-down": "pentagon",
  "no-route": "wedge",
  ttl: "star",
  unknown: "bar",
  "reorder-discard": "circle",
  transient: "diamond",
};

/** Corners of a shape of radius 1; none for a circle. */
const CORNERS: Record<Shape, [number, number][]> = {
  triangle: [[0, -1.1], [1.05, 0.8], [-1.05, 0.8]],
  cross: [
    [-1, -0.55], [-0.55, -1], [0, -0.45], [0.55, -1], [1, -0.55], [0.45, 0],
    [1, 0.55], [0.55, 1], [0, 0.45], [-0.55, 1], [-1, 0.55], [-0.45, 0],
  ],
  diamond: [[0, -1.2], [1, 0], [0, 1.2], [-1, 0]],
  square: [[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
  wedge: [[0, 1.1], [-1.05, -0.8], [1.05, -0.8]],
  bar: [[-1.1, -0.4], [1.1, -0.4], [1.1, 0.4], [-1.1, 0.4]],
  pentagon: polygon(5, 1.1, 1.1),
  star: polygon(10, 1.3, 0.55),
  circle: [],
};

function polygon(corners: number, outer: number, inner: number): [number, number][] {
  return Array.from({ length: corners }, (_, i) => {
    const radius = i % 2 ? inner : outer;
    const angle = (2 * Math.PI * i) / corners - Math.PI / 2;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

let styles: CSSStyleDeclaration | null = null;
const cache = new Map<string, string>();

/** A colour of the style sheet, by its name there. */
export function colour(name: string): string {
  let found = cache.get(name);
  if (found === undefined) {
    styles ??= getComputedStyle(document.documentElement);
    found = styles.getPropertyValue(`--${name}`).trim() || "#888";
    cache.set(name, found);
  }
  return found;
}

/** Calls `redraw` whenever colours or widths change: in dark mode, and for print, which is light and as wide as paper. */
export function onTheme(redraw: () => void): void {
  const changed = (): void => {
    cache.clear();
    redraw();
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.printing = "";
    changed();
  });
  addEventListener("afterprint", () => {
    delete document.documentElement.dataset.printing;
    changed();
  });
}

export const causeColour = (cause: string): string => colour(`cause-${cause}`);
export const flowColour = (flow: number): string => colour(`flow-${flow % 6}`);

/** Adds the outline of a cause's shape to the present path. */
export function shapePath(ctx: Pen, cause: string, x: number, y: number, r: number): void {
  const corners = CORNERS[SHAPES[cause] ?? "circle"];
  if (!corners.length) {
    ctx.moveTo(x + r, y);
    ctx.arc(x, y, r, 0, 2 * Math.PI);
    return;
  }
  corners.forEach(([dx, dy], i) => (i ? ctx.lineTo(x + r * dx, y + r * dy) : ctx.moveTo(x + r * dx, y + r * dy)));
  ctx.closePath();
}

/** A cause's shape as a small picture for texts and legends. */
export function shapeIcon(cause: string, open = false): SVGElement {
  const corners = CORNERS[SHAPES[cause] ?? "circle"];
  const points = corners.map(([x, y]) => `${(7 + 5 * x).toFixed(1)},${(7 + 5 * y).toFixed(1)}`).join(" ");
  const shape = corners.length ? svg("polygon", { points }) : svg("circle", { cx: 7, cy: 7, r: 5 });
  // By name, so that the colour follows the theme.
  shape.style.fill = open ? "none" : `var(--cause-${cause})`;
  shape.style.stroke = open ? `var(--cause-${cause})` : "none";
  shape.style.strokeWidth = "1.6";
  return svg("svg", { width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true", class: "mark" }, shape);
}

/** Seconds as a text, with as many decimals as the span in view needs. */
export function seconds(value: number, span = 1): string {
  const decimals = Math.min(6, Math.max(0, Math.ceil(2 - Math.log10(Math.max(span, 1e-9)))));
  return `${value.toFixed(decimals)} s`;
}
