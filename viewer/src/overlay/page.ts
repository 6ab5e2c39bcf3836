// Two of several runs on one axis: what was acknowledged and lost, window, and round-trip time.

import { keys, TimeAxis, toolbar } from "../axis";
import { load, type Table } from "../data";
import { byId, el } from "../dom";
import { Levels, type LevelInfo } from "../levels";
import { follow, linked, linkTo } from "../linking";
import { rows } from "../losses";
import { LinePanel, type Line } from "../panel";
import type { Pen } from "../pen";
import { colour, shapeIcon, shapePath } from "../theme";
import type { Context } from "../tools";
import { Joined } from "./joined";

/** A flow of a run. */
interface Choice {
  /** Where its tables are. */
  key: string;
  /** The run, and the flow within it; a run with one flow needs no name for that. */
  run: string;
  flow: string;
  seconds: number;
  series: LevelInfo[];
}

export interface OverlayPage {
  kind: "overlay";
  name: string;
  causes: string[];
  choices: Choice[];
  /** The places of the two that are shown at first. */
  shown: [number, number];
}

interface Mark {
  t: number;
  byte: number;
  cause: string;
}

/** What is drawn of the one and of the other choice. */
interface Drawn {
  again: Table;
  lost: Mark[];
}

const COLOURS = ["line-1", "line-2"];
const NAMES = ["First", "Second"];
const COLUMNS = ["acked", "cwnd", "srtt"];

export async function overlayPage({ name, causes, choices, shown }: OverlayPage): Promise<void> {
  const axis = new TimeAxis(Math.max(...choices.map((one) => one.seconds)));
  const chosen = [...shown];
  let drawn: Drawn[] = [];
  const label = (place: number): string => [choices[place].run, choices[place].flow].filter(Boolean).join(", ");
  const context: Context = {
    link: (id) => linkTo(id, axis, `first=${chosen[0]}&second=${chosen[1]}`),
    caption: (title) => `${name}: ${title}`,
    causes,
  };
  const lines = (column: string, factor = 1): Line[] =>
    chosen.map((place, k) => ({ label: label(place), column: `${column}-${k}`, colour: COLOURS[k], factor, dash: k ? [6, 3] : undefined }));

  /** What was sent again, and each loss in the shape and colour of its cause with an edge in its run's colour. */
  const marks = (pen: Pen, x: (t: number) => number, y: (value: number) => number, ratio: number): void => {
    drawn.forEach(({ again, lost }, k) => {
      const { t, byte, bytes } = again.columns;
      pen.fillStyle = colour(COLOURS[k]);
      for (let i = 0; i < again.rows; i++) {
        if (t[i] < axis.min || t[i] > axis.max) continue;
        const [top, bottom] = [y((byte[i] + bytes[i]) / 1000), y(byte[i] / 1000)];
        pen.fillRect(x(t[i]) - ratio, top, 2 * ratio, Math.max(3 * ratio, bottom - top));
      }
      pen.strokeStyle = colour(COLOURS[k]);
      pen.lineWidth = 1.8 * ratio;
      for (const loss of lost) {
        if (!(loss.byte >= 0) || loss.t < axis.min || loss.t > axis.max) continue;
        pen.fillStyle = colour(`cause-${loss.cause}`);
        pen.beginPath();
        shapePath(pen, loss.cause, x(loss.t), y(loss.byte / 1000), 5 * ratio);
        pen.fill();
        pen.stroke();
      }
    });
  };
  const plot = (id: string, title: string, unit: string, height: number, about: string, more = {}): LinePanel =>
    new LinePanel(axis, { id, title, unit, height, about, lines: lines(COLUMNS[0]), levels: new Levels([]), ...more }, context);
  const panels: [LinePanel, string, number][] = [
    [plot("sequence", "Time and sequence", "acknowledged, kB", 380, "Acknowledged bytes of both over time, with losses and what was sent again.", { fitted: true, marks }), "acked", 1e-3],
    [plot("window", "Window", "cwnd, segments", 190, "Congestion windows of both over time."), "cwnd", 1],
    [plot("rtt", "Round trip", "smoothed RTT, s", 170, "Smoothed round-trip times of both over time."), "srtt", 1],
  ];

  const said = el("p", { class: "legend", role: "status" });
  async function show(): Promise<void> {
    chosen.forEach((place, k) => (pickers[k].value = String(place)));
    drawn = await Promise.all(
      chosen.map(async (place) => {
        const { key } = choices[place];
        const lost = rows(await load(`lost-${key}`), (i, c, word): Mark => ({ t: c.t[i], byte: c.byte[i], cause: word("cause", i) }));
        return { again: await load(`again-${key}`), lost };
      }),
    );
    const present = causes.filter((cause) => drawn.some(({ lost }) => lost.some((loss) => loss.cause === cause)));
    said.replaceChildren(
      ...present.map((cause) => el("span", { class: "key" }, shapeIcon(cause), cause)),
      ...chosen.map((place, k) => {
        const { lost, again } = drawn[k];
        return el("span", { class: "key" }, el("i", { class: `swatch c-${COLOURS[k]}` }), `${label(place)}: ${lost.length} lost, ${again.rows} sent again`);
      }),
    );
    const levels = new Joined(chosen.map((place) => ({ rows: new Levels(choices[place].series), end: choices[place].seconds })), COLUMNS);
    await Promise.all(panels.map(([panel, column, factor]) => panel.set({ levels, lines: lines(column, factor) })));
  }

  const pickers = NAMES.map((text, k) =>
    el(
      "select",
      { id: `choice-${k}`, "aria-label": text, change: (event) => {
        chosen[k] = Number((event.target as HTMLSelectElement).value);
        void show();
      } },
      ...choices.map((_, place) => el("option", { value: place }, label(place))),
    ),
  );
  const plots = el(
    "div",
    { tabindex: 0, role: "group", "aria-label": "Both on one time axis. Arrow keys move it, plus and minus zoom, Home shows all." },
    ...panels.map(([panel]) => panel.root),
  );
  byId("overlay").replaceChildren(
    el(
      "div",
      { class: "sticky row" },
      ...pickers.map((picker, k) => el("span", { class: "key" }, el("i", { class: `swatch c-${COLOURS[k]}` }), picker)),
      toolbar(axis),
    ),
    el("p", { class: "hint" }, "Drag to zoom, Shift and drag to pan, Ctrl and wheel to zoom, double click for the whole run."),
    said,
    plots,
  );
  keys(axis, plots);
  await show();
  axis.whole();
  const visit = (): void => {
    const asked = linked(location.hash);
    if (!asked) return;
    ["first", "second"].forEach((name, k) => {
      const place = asked.number(name);
      if (choices[place]) chosen[k] = place;
    });
    void show();
    follow(axis, asked);
  };
  visit();
  addEventListener("hashchange", visit);
}
