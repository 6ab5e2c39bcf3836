// A plot of the page as an SVG file: title, legend and axes around what the plot itself draws.

import { Pen, SvgPen } from "./pen";
import { colour, shapePath } from "./theme";

export interface Key {
  label: string;
  colour: string;
  /** A line, dashed or not, a filled box, or the shape of a cause. */
  kind?: "dashed" | "box" | "mark" | "open";
  cause?: string;
}

export interface Axis {
  min: number;
  max: number;
  label: string;
}

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Content {
  title: string;
  keys: Key[];
  /** Height of the plot with its axes; or, without axes, width and height of what is drawn as it stands. */
  height?: number;
  size?: [number, number];
  x?: Axis;
  y?: Axis;
  draw: (pen: Pen, box: Box, x: (value: number) => number, y: (value: number) => number) => void;
}

const WIDTH = 860;
const FONT = "12px system-ui, sans-serif";

/** Round numbers between two others. */
export function ticks(low: number, high: number, about: number): number[] {
  const span = high - low;
  if (!(span > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(span / about));
  const step = power * (([1, 2, 5, 10].find((factor) => span / (power * factor) <= about) ?? 10));
  const found: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(+(k * step).toPrecision(12));
  return found;
}

/** Writes the picture. */
export function picture({ title, keys, height = 0, size, x, y, draw }: Content): string {
  const pen = new SvgPen();
  const width = size ? size[0] + 24 : WIDTH;
  const rows = layOut(keys, width);
  const top = 40 + 18 * (rows.at(-1)?.row ?? -1) + (y ? 28 : 18);
  const left = y ? 66 : 12;
  const box: Box = { left, top, width: size ? size[0] : width - left - 14, height: size ? size[1] : height };
  const whole = top + box.height + (x ? 44 : 12);
  pen.fillStyle = colour("paper");
  pen.fillRect(0, 0, width, whole);
  pen.fillStyle = colour("ink");
  pen.font = `bold 14px system-ui, sans-serif`;
  pen.fillText(title, 12, 20);
  for (const { key, left, row } of rows) legend(pen, key, left, 40 + 18 * row);
  const toX = (value: number): number => (x ? box.left + ((value - x.min) / (x.max - x.min)) * box.width : value);
  const toY = (value: number): number => (y ? box.top + box.height - ((value - y.min) / (y.max - y.min)) * box.height : value);
  pen.font = FONT;
  pen.lineWidth = 1;
  if (x) axisX(pen, x, box, toX);
  if (y) axisY(pen, y, box, toY);
  pen.save();
  if (size) pen.translate(left, top);
  pen.beginPath();
  if (size) pen.rect(0, 0, ...size);
  else pen.rect(box.left, box.top, box.width, box.height);
  pen.clip();
  draw(pen, box, toX, toY);
  pen.restore();
  return pen.file(width, whole);
}

/** Where each key of a legend stands, line by line. */
function layOut(keys: Key[], width: number): { key: Key; left: number; row: number }[] {
  let [left, row] = [12, 0];
  return keys.map((key) => {
    const wide = 34 + 6.8 * key.label.length;
    if (left + wide > width && left > 12) [left, row] = [12, row + 1];
    const place = { key, left, row };
    left += wide;
    return place;
  });
}

function legend(pen: Pen, key: Key, left: number, line: number): void {
  pen.fillStyle = pen.strokeStyle = key.colour;
  pen.lineWidth = 2.5;
  pen.beginPath();
  if (key.kind === "box") {
    pen.fillRect(left, line - 10, 12, 12);
  } else if (key.kind === "mark" || key.kind === "open") {
    shapePath(pen, key.cause ?? "", left + 8, line - 4, 5);
    pen.lineWidth = 1.6;
    if (key.kind === "mark") pen.fill();
    else pen.stroke();
  } else {
    pen.setLineDash(key.kind === "dashed" ? [5, 3] : []);
    pen.moveTo(left, line - 4);
    pen.lineTo(left + 17, line - 4);
    pen.stroke();
    pen.setLineDash([]);
  }
  pen.fillStyle = colour("ink-soft");
  pen.font = FONT;
  pen.fillText(key.label, left + 22, line);
}

function axisX(pen: Pen, axis: Axis, box: Box, to: (value: number) => number): void {
  pen.textAlign = "center";
  for (const tick of ticks(axis.min, axis.max, 9)) {
    pen.strokeStyle = colour("grid");
    pen.beginPath();
    pen.moveTo(to(tick), box.top);
    pen.lineTo(to(tick), box.top + box.height);
    pen.stroke();
    pen.fillText(String(tick), to(tick), box.top + box.height + 16);
  }
  pen.fillText(axis.label, box.left + box.width / 2, box.top + box.height + 34);
}

function axisY(pen: Pen, axis: Axis, box: Box, to: (value: number) => number): void {
  pen.textAlign = "right";
  for (const tick of ticks(axis.min, axis.max, Math.max(2, box.height / 40))) {
    pen.beginPath();
    pen.moveTo(box.left, to(tick));
    pen.lineTo(box.left + box.width, to(tick));
    pen.stroke();
    pen.fillText(String(tick), box.left - 6, to(tick) + 4);
  }
  pen.textAlign = "left";
  pen.fillText(axis.label, 12, box.top - 6);
}
