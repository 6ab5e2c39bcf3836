// Follows a live network: draws each look that the server sends.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
// Losses flash on the map for this long, simulated seconds; the strip of lateness shows this many looks.
const FLASH = 2, LOOKS = 240;
const at = (id) => document.getElementById(id);
let about = { name: "", scenario: "", names: [], stations: [], virtual: false };
let earlier = null;
const lags = [];

function shape(kind, attributes, inner = "") {
  const made = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.textContent = inner;
  return made;
}

function rows(table, lines) {
  const body = table.querySelector("tbody");
  body.replaceChildren(
    ...lines.map((cells) => {
      const row = document.createElement("tr");
      for (const cell of cells) row.insertCell().textContent = String(cell);
      return row;
    }),
  );
}

// Metres to the map's units: the smallest square around all nodes, with a margin.
function scale(nodes) {
  const xs = nodes.map((n) => n[0]), ys = nodes.map((n) => n[1]);
  const low = [Math.min(...xs), Math.min(...ys)], high = [Math.max(...xs), Math.max(...ys)];
  const side = Math.max(high[0] - low[0], high[1] - low[1], 1);
  const middle = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
  // North is up.
  return (n) => [250 + (440 * (n[0] - middle[0])) / side, 250 - (440 * (n[1] - middle[1])) / side];
}

function drawMap(view) {
  const map = at("map"), place = scale(view.nodes), parts = [];
  map.setAttribute("viewBox", "0 0 500 500");
  const range = view.ranges ? view.ranges[0] : 0;
  view.nodes.forEach((a, i) => {
    for (let j = i + 1; j < view.nodes.length; j++) {
      const b = view.nodes[j];
      if (!a[2] || !b[2] || Math.hypot(a[0] - b[0], a[1] - b[1]) > range) continue;
      const [x1, y1] = place(a), [x2, y2] = place(b);
      parts.push(shape("line", { x1, y1, x2, y2, class: "link" }));
    }
  });
  view.nodes.forEach((node, i) => {
    const [cx, cy] = place(node);
    const kind = `node${about.stations.includes(i) ? " station" : ""}${node[2] ? "" : " off"}`;
    const queue = Math.min(node[3], 50);
    if (queue) parts.push(shape("rect", { x: cx + 11, y: cy + 9 - queue / 2, width: 4, height: queue / 2, class: "queue" }));
    parts.push(shape("circle", { cx, cy, r: 9, class: kind, "data-node": i }));
    parts.push(shape("text", { x: cx, y: cy - 13 }, about.names[i] ?? String(i)));
  });
  for (const [t, , cause, node] of view.losses) {
    if (view.t - t > FLASH || !view.nodes[node]) continue;
    const [cx, cy] = place(view.nodes[node]);
    const ring = shape("circle", { cx, cy, r: 9 + 8 * (view.t - t), fill: "none", "data-cause": cause });
    ring.setAttribute("stroke", `var(--cause-${cause})`);
    ring.setAttribute("stroke-width", "3");
    parts.push(ring);
  }
  map.replaceChildren(...parts);
}

function drawLag(view) {
  if (about.virtual) {
    at("lag").textContent = "none: virtual time waits for the machine";
    return;
  }
  lags.push(1e3 * view.lag);
  if (lags.length > LOOKS) lags.shift();
  const most = Math.max(20, ...lags);
  const line = lags.map((lag, i) => `${i ? "L" : "M"}${(300 * i) / LOOKS} ${58 - (56 * lag) / most}`).join("");
  const strip = at("late");
  strip.setAttribute("viewBox", "0 0 300 60");
  strip.replaceChildren(shape("path", { d: line }));
  at("lag").textContent = `lag ${(1e3 * view.lag).toFixed(1)} ms, late by ${(1e3 * view.late).toFixed(1)} ms (99th percentile); strip: 0 to ${most.toFixed(0)} ms`;
}

function drawFlows(view, name) {
  const spent = earlier && view.t > earlier.t ? view.t - earlier.t : 0;
  const before = new Map((earlier ? earlier.flows : []).map((flow) => [flow[0], flow[3]]));
  rows(
    at("flows"),
    view.flows.map(([flow, from, to, bytes]) => [
      `${flow}: ${name(from)} to ${name(to)}`,
      (bytes / 1e3).toFixed(0),
      spent ? ((8e-3 * (bytes - (before.get(flow) ?? 0))) / spent).toFixed(0) : "",
    ]),
  );
}

function draw(view) {
  const rests = about.virtual && earlier && earlier.t === view.t;
  const said = view.running ? (rests ? ", time stands still" : "") : ", ended";
  at("state").textContent = `${view.t.toFixed(1)} s${said}; ${view.lost} segments lost`;
  drawMap(view);
  drawLag(view);
  rows(at("causes"), view.causes);
  const name = (node) => about.names[node] ?? String(node);
  // Rates are those of the last time that passed.
  if (!rests) drawFlows(view, name);
  rows(at("queues"), view.nodes.map((node, i) => [name(i), node[3]]).filter((row) => row[1] > 0));
  at("steered").replaceChildren(
    ...view.steered.map((line) => {
      const item = document.createElement("li");
      item.textContent = line;
      return item;
    }),
  );
  earlier = view;
}

const stream = new EventSource("/events");
stream.addEventListener("about", (event) => {
  about = JSON.parse(event.data);
  at("title").textContent = `${about.name} (${about.scenario})`;
  document.title = `${about.name} – tworay live`;
});
stream.addEventListener("view", (event) => draw(JSON.parse(event.data)));
stream.addEventListener("ended", () => {
  stream.close();
  at("state").textContent += " – the network has ended";
});
