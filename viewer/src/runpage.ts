// The page of one run: plots over one time axis, the map beside them, and why nothing went on.

import { keys, TimeAxis, toolbar } from "./axis";
import { Bands, Overview } from "./bands";
import { load } from "./data";
import { byId, el } from "./dom";
import { Levels } from "./levels";
import { follow as followLink, linked, linkTo } from "./linking";
import { losses, type Loss } from "./losses";
import { MapPanel } from "./map/panel";
import { LinePanel } from "./panel";
import { isUdp, type FlowInfo, type RunPage } from "./run";
import { SequencePanel } from "./sequence/panel";
import { StoryPanel } from "./story";
import type { Context } from "./tools";
import { World } from "./world";

export async function runPage(page: RunPage): Promise<void> {
  const axis = new TimeAxis(page.seconds);
  const plots = byId("plots");
  const side = byId("side");
  const found = await losses();
  let flow = page.flows.find((one) => one.id === page.opened) ?? page.flows[0];
  if (!flow) return;
  let world: World | null = null;
  let map: MapPanel | null = null;

  const jump = (from: number, to: number, at: number): void => {
    map?.pause();
    axis.show(from, to);
    axis.look(at);
  };
  const tell = (loss: Loss): void => {
    follow(loss.flow);
    sequence.selected = loss;
    sequence.redraw();
    void story.show(loss);
  };
  const choose = (loss: Loss): void => {
    tell(loss);
    if (loss.since < axis.min || loss.since > axis.max) axis.show(loss.since - axis.span / 2, loss.since + axis.span / 2);
    map?.pause();
    axis.look(loss.since);
  };
  /** Leaves the story of another moment or flow; `instead` stands in its place. */
  const forget = (instead?: string): void => {
    sequence.selected = null;
    sequence.redraw();
    story.clear(flow, instead);
  };
  const context: Context = {
    link: (id) => linkTo(id, axis, `flow=${flow.id}`),
    caption: (title, whole) => `${page.name}, seed ${page.seed}: ${title}${whole ? "" : `, ${flow.label}`}`,
    causes: Object.keys(page.words.roots),
  };
  const sequence = new SequencePanel(axis, flow, found.losses, found.guesses, choose, context);
  const story = new StoryPanel(page, () => world, jump, (direction) => sequence.next(direction));
  const bands = new Bands(axis, page.phases, context);
  const overview = new Overview(axis);
  const series = new Levels(flow.series);
  const flowPanels = [
    new LinePanel(axis, {
      id: "window",
      title: "Window",
      unit: "segments",
      height: 170,
      levels: series,
      lines: [
        { label: "in flight", column: "in_flight", colour: "line-3" },
        { label: "ssthresh", column: "ssthresh", colour: "line-2", dash: [5, 4] },
        { label: "cwnd", column: "cwnd", colour: "line-1" },
      ],
      about: "Congestion window, slow start threshold and segments in flight over time.",
    }, context),
    new LinePanel(axis, {
      id: "rtt",
      title: "Round trip and timer",
      unit: "s",
      height: 150,
      levels: series,
      lines: [
        { label: "smoothed RTT", column: "srtt", colour: "line-1" },
        { label: "RTO", column: "rto", colour: "line-2", dash: [5, 4] },
      ],
      about: "Round-trip time and timeout over time.",
    }, context),
  ];
  const strips = page.strips.map(
    (strip) =>
      new LinePanel(axis, {
        ...strip,
        height: 96,
        levels: new Levels(strip.levels),
        lines: [{ label: strip.unit, column: strip.column, colour: "line-1" }],
      }, context, true),
  );

  const picker = el("select", { id: "flow", "aria-label": "Flow" });
  for (const one of page.flows) picker.append(el("option", { value: one.id }, one.label));
  picker.addEventListener("change", () => follow(Number(picker.value)));
  /** Shows the flow with this number; the story of another one ends. */
  function follow(id: number): void {
    const chosen = page.flows.find((one) => one.id === id);
    if (!chosen || chosen === flow) return;
    void setFlow(chosen);
    forget();
  }
  async function setFlow(chosen: FlowInfo): Promise<void> {
    flow = chosen;
    picker.value = String(chosen.id);
    for (const panel of [bands, ...flowPanels]) panel.root.hidden = isUdp(chosen);
    const levels = new Levels(chosen.series);
    overview.set(await load(`rate-${chosen.id}`), found.losses.filter((loss) => loss.flow === chosen.id));
    bands.set(await load(`phases-${chosen.id}`));
    await Promise.all([sequence.set(chosen), ...flowPanels.map((panel) => panel.set({ levels }))]);
  }

  const queued = el("section", {}, ...(strips.length ? [el("h2", {}, "Queues and links"), ...strips.map((panel) => panel.root)] : []));
  const hint = el("p", { class: "hint" }, "Drag to zoom, Shift and drag to pan, Ctrl and wheel to zoom, double click for the whole run; with the strip in focus, arrow keys, + and −.");
  plots.replaceChildren(
    el("div", { class: "sticky" }, el("div", { class: "row" }, picker, toolbar(axis, page.trouble)), overview.root),
    hint,
    bands.root,
    sequence.root,
    ...flowPanels.map((panel) => panel.root),
    queued,
  );
  keys(axis, overview.root);
  side.replaceChildren(story.root);
  story.clear(flow);
  await setFlow(flow);
  if (page.recorded && page.nodes) {
    world = await new World(page).open();
    map = new MapPanel(axis, page, world, found.losses, choose, context);
    const aside = el("div", { id: "aside" }, story.root);
    side.replaceChildren(map.root, aside);
    const [west, south, east, north] = world.bounds;
    // A long field is shown across the whole page; what stood below the plots moves beside them.
    if (page.placed && east - west > 2.6 * (north - south)) {
      side.parentElement?.classList.add("across");
      aside.append(queued);
    }
  }
  axis.show(0, page.seconds);
  const visit = (): void => {
    const asked = linked(location.hash);
    if (!asked) return;
    follow(asked.number("flow"));
    forget();
    followLink(axis, asked);
  };
  visit();
  addEventListener("hashchange", visit);

  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-from]")) {
    button.addEventListener("click", () => {
      const [from, to, id] = [button.dataset.from, button.dataset.to, button.dataset.flow].map(Number);
      const margin = 0.1 * (to - from);
      follow(id);
      const behind = found.losses[Number(button.dataset.loss ?? NaN)];
      if (behind) tell(behind);
      else forget("No loss is behind this silence.");
      jump(from - margin, to + margin, Number(button.dataset.at ?? from));
      const target = button.dataset.target === "map" && map ? map.root : sequence.root;
      target.scrollIntoView({ block: "center" });
    });
    button.hidden = button.dataset.target === "map" && !map;
  }
}
