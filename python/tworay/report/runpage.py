"""The page of one run: numbers, explained pauses, and the data of plots and map."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from tworay import metrics
from tworay.errors import OutputError
from tworay.experiment.store.records import SCENARIO
from tworay.metrics import TCP
from tworay.metrics.diagnosis import COVERS, NONE, scores
from tworay.naming import Nodes, sent_as
from tworay.report.commands import AGAIN
from tworay.report.mapdata import write_map
from tworay.report.page import esc, table, whole_page
from tworay.report.rundata import SERIES_ROWS, FlowData, Tables, late_spans, write_losses
from tworay.report.silences import Silences, silences_of, why
from tworay.showing.causes import ENDS, ROOTS, WORDS
from tworay.showing.guessing import scored, share_right
from tworay.showing.runnames import opened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tworay.report.commands import Again
    from tworay.running.run import Run

# Metrics in the table of flows.
COLUMNS = (*metrics.SHOWN, "fast_retransmits")
PHASES = {
    "handshake": "handshake",
    "slow_start": "slow start",
    "congestion_avoidance": "congestion avoidance",
    "recovery": "fast recovery",
    "rto_recovery": "recovery after a timeout",
    "frozen": "frozen",
    "waiting": "waiting for the timer",
}


def settings_of(run: Run) -> dict[str, Any]:
    """Return the settings of the complete scenario; empty if the run doesn't know it."""
    try:
        return tomllib.loads(run.to_keep()[SCENARIO])
    except (OutputError, KeyError):
        return {}


def run_page(run: Run, again: Again) -> str:
    """Return the page of a run. ``again`` makes its results again."""
    settings = settings_of(run)
    about = run.summary["flows"]
    recorded = "segments" in run.tables
    flows = {one["id"]: FlowData(run, one, settings) for one in about}
    tables = Tables()
    most = SERIES_ROWS // max(1, len(flows))
    infos = [flow.write(tables, most) for flow in flows.values()]
    write_losses(run, flows, tables)
    silences = silences_of(run)
    moves = run.tables.get("moves")
    placed = moves is not None and not moves.is_empty()
    nodes = moves["node"].n_unique() if placed and moves is not None else 0
    strips: list[dict[str, Any]] = []
    if recorded and placed:
        moments = [one[end] for flow in silences for one in flow.pauses for end in ("begin", "end")]
        lost = run.tables["ledger"]["since_s"].to_list()
        strips = write_map(run, tables, [*moments, *lost])
    ranges = run.tables.get("ranges")
    in_range = None
    if ranges is not None and not ranges.is_empty():
        row = ranges.to_dicts()[0]
        in_range = {"receive": row["receive_m"], "sense": row["sense_m"]}
    data = {
        "kind": "run",
        "name": run.scenario,
        "seed": run.seed,
        "seconds": run.summary["sim_seconds"],
        "recorded": recorded,
        "nodes": nodes,
        **Nodes.of(run.summary).known(_numbered(run, nodes)),
        "queueLimit": settings.get("mac", {}).get("queue_limit"),
        "ranges": in_range,
        "placed": placed and _apart(run),
        "flows": infos,
        "opened": opened(run),
        "strips": strips,
        **_trouble(silences),
        "words": {
            "roots": ROOTS,
            "ends": ENDS,
            "covers": {guess: sorted(causes) for guess, causes in COVERS.items()},
        },
        "phases": PHASES | ({"late": "machine too slow"} if len(late_spans(run)) else {}),
    }
    body = "\n".join(
        [
            _head(run, recorded, tables.thinned),
            f'<div class="workbench{" recorded" if recorded and placed else ""}">'
            '<div id="plots"><p>Plots need JavaScript, which is off. The tables below don\'t.</p></div>'
            '<div id="side"></div></div>',
            why(silences, opened(run)),
            _numbers(run),
            _again(again, recorded),
        ]
    )
    links = [("plots", "Time and sequence"), *([("map", "Map")] if recorded and placed else [])]
    links += [("why", "Why"), ("numbers", "Numbers"), ("again", "Make it again")]
    return whole_page(f"{run.scenario}, seed {run.seed} – tworay", body, data, tables.packed, links)


def _trouble(silences: list[Silences]) -> dict[str, Any]:
    """Return the stretch that shows the first trouble: the first explained pause that a loss began."""
    pauses = [one for flow in silences for one in flow.pauses if one["loss"] is not None]
    if not pauses:
        return {}
    first = min(pauses, key=lambda one: one["begin"])
    begin, end = min(first["begin"], first["at"]), first["end"]
    margin = max(0.1, 0.2 * (end - begin))
    return {"trouble": [begin - margin, end + margin]}


def _numbered(run: Run, nodes: int) -> int:
    """Return how many nodes a page may mention; without a record only flows and losses tell."""
    named: list[int] = [node for one in run.summary["flows"] for node in (one["from"], one["to"])]
    named += run.summary.get("names", {}).values()
    for column in ("node", "root_node", "next_hop", "interferer"):
        most = run.tables["ledger"][column].max()
        named += [int(str(most))] if most is not None else []
    return max([nodes, *(node + 1 for node in named)])


def _apart(run: Run) -> bool:
    """Return whether nodes have different positions; with measured links all may have the same."""
    moves = run.tables["moves"]
    return bool(moves.select("x_m", "y_m").n_unique() > 1)


def _head(run: Run, recorded: bool, thinned: list[str]) -> str:
    summary = run.summary
    lost = sum(kinds["data"] + kinds["ack"] for kinds in summary["ledger"].values())
    scale = metrics.shown("goodput_bps")[1]
    name, unit = metrics.words("goodput_bps")
    many = len(summary["flows"])
    judged = TCP.words(summary["flows"])
    whose = f"{judged}: " if judged else "together " * (many != 1)
    said = (
        f"{many} flow{'s' * (many != 1)}, {whose}{run.goodput_bps * scale:,.1f} {unit} of {name}; "
        f"{lost:,} segment{'s' * (lost != 1)} lost in "
        f"{summary['sim_seconds']:g} s."
    )
    notes = [f'<p class="warning">{esc(warning["text"])}</p>' for warning in summary.get("warnings", [])]
    if thinned:
        notes.append(f'<p class="thinned">Left out of this page: {esc(" ".join(thinned))}</p>')
    if not recorded and "live" in summary:
        notes.append(
            "<p>A live run: real kernels sent over the simulated network. The graph shows their state "
            "as read several times a second.</p>"
        )
    elif not recorded:
        notes.append(
            "<p>Segments, map and queues were not recorded: <code>tworay run … --record --out DIR</code> "
            "keeps them. The graph is drawn from the sender's state.</p>"
        )
    return (
        f'<header class="page-head"><h1>{esc(run.scenario)}, seed {run.seed}</h1>'
        f'<p class="verdict">{esc(said)}</p>{"".join(notes)}</header>'
    )


def _numbers(run: Run) -> str:
    summary, nodes = run.summary, Nodes.of(run.summary)
    columns = [(name, *metrics.shown(name)) for name in COLUMNS]
    rows = [
        [
            f"{flow['id']}: {nodes.short(flow['from'])} → {nodes.short(flow['to'])}, {sent_as(flow)}",
            *[figure(flow, key, scale) for key, _, scale in columns],
        ]
        for flow in summary["flows"]
    ]
    lost = [
        [cause, counts["data"], counts["ack"], WORDS[cause]]
        for cause, counts in summary["ledger"].items()
        if counts["data"] + counts["ack"]
    ]
    parts = [
        '<section id="numbers"><h2>Numbers</h2>',
        table("Flows", ["flow", *(title for _, title, _ in columns)], rows),
        table("Lost segments by true cause", ["cause", "data", "ACKs", "which means"], lost)
        if lost
        else "<p>Nothing was lost.</p>",
    ]
    diagnosis = summary.get("diagnosis") or {}
    if diagnosis:
        causes = list(dict.fromkeys(cause for row in diagnosis.values() for cause in row))
        guesses = [[guess, *[row.get(cause, 0) for cause in causes]] for guess, row in diagnosis.items()]
        parts.append(table("The sender's guesses by true cause at that time", ["guess", *causes], guesses))
        in_the_end = summary.get("diagnosis_by_outcome") or {}
        late = sum(row.get(NONE, 0) for row in in_the_end.values()) - sum(
            row.get(NONE, 0) for row in diagnosis.values()
        )
        if late > 0:
            parts.append(f"<p>Of these, {late} were about segments that were held up and arrived later.</p>")
        said = scored(diagnosis, scores(diagnosis))
        parts.append(f'<p id="guessed">{esc(share_right(diagnosis))}. {esc(said)}</p>')
    energy = summary.get("energy") or {}
    known = {key: value for key, value in energy.items() if isinstance(value, int | float)}
    if known:
        parts.append(table("Energy", ["metric", "value", "which is"], list(_energy(known))))
    return "".join([*parts, "</section>"])


def figure(flow: dict[str, Any], key: str, scale: float) -> float | None:
    """Return a figure of a flow; of datagrams, which nobody acknowledges or sends again, only goodput."""
    if flow.get(key) is None or (flow["tcp"] is None and key != "goodput_bps"):
        return None
    return float(flow[key] * scale) if scale != 1 else flow[key]


def _energy(known: dict[str, float]) -> Iterator[list[object]]:
    """Yield a row for each energy metric, in the unit in which other tables show it."""
    for key, value in known.items():
        declared = metrics.find(f"energy.{key}")
        title, scale = metrics.shown(f"energy.{key}")
        yield [title, value * scale, declared.definition if declared else ""]


def _again(again: Again, recorded: bool) -> str:
    more = "" if recorded or again.live else " Add <code>--record</code> for segments, map and queues."
    more += f" {esc(again.remark)}" if again.remark else ""
    return (
        '<section id="again"><h2>Make it again</h2>'
        f"<p>The run: <code>{esc(again.command)}</code>.{more} This page: <code>tworay report DIR</code>. "
        "The tables beside it (Parquet) have every row.</p>"
        f"<p>Every plot has a link to what it shows; appended to <code>{AGAIN}/report.html</code> it shows "
        "the same there.</p></section>"
    )
