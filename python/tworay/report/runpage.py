"""The page of one run: numbers, explained pauses, and the data of plots and map."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from tworay import metrics
from tworay.errors import InputError, OutputError
from tworay.metrics.diagnosis import COVERS, NONE
from tworay.report.mapdata import write_map
from tworay.report.page import capital, esc, table, whole_page
from tworay.report.rundata import SERIES_ROWS, FlowData, Tables, write_losses
from tworay.showing.causes import ENDS, ROOTS
from tworay.showing.chains import sentence
from tworay.stored.records import SCENARIO

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tworay.running.run import Run

# The directory that a page's command writes.
AGAIN = "AGAIN"
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


def run_page(run: Run, command: str) -> str:
    """Return the page of a run. ``command`` makes its results again, in the directory ``AGAIN``."""
    settings = settings_of(run)
    about = run.summary["flows"]
    recorded = "segments" in run.tables
    flows = {one["id"]: FlowData(run, one, settings) for one in about}
    tables = Tables()
    most = SERIES_ROWS // max(1, len(flows))
    infos = [flow.write(tables, most) for flow in flows.values()]
    write_losses(run, flows, tables)
    silences = [silence for one in about for silence in _silences(run, one)]
    moves = run.tables.get("moves")
    placed = moves is not None and not moves.is_empty()
    nodes = moves["node"].n_unique() if placed and moves is not None else 0
    queues: list[dict[str, Any]] = []
    if recorded and placed:
        moments = [time for silence in silences for time in (silence["begin"], silence["end"])]
        lost = run.tables["ledger"]["since_s"].to_list()
        queues = write_map(run, tables, [*moments, *lost])
    ranges = run.tables.get("ranges")
    in_range = None
    if ranges is not None and not ranges.is_empty():
        row = ranges.to_dicts()[0]
        in_range = {"receive": row["receive_m"], "sense": row["sense_m"]}
    data = {
        "kind": "run",
        "name": run.scenario,
        "seed": run.seed,
        "again": command,
        "place": AGAIN,
        "seconds": run.summary["sim_seconds"],
        "recorded": recorded,
        "nodes": nodes,
        "queueLimit": settings.get("mac", {}).get("queue_limit"),
        "ranges": in_range,
        "placed": placed and _apart(run),
        "flows": infos,
        "queues": queues,
        "words": {
            "roots": ROOTS,
            "ends": ENDS,
            "covers": {guess: sorted(causes) for guess, causes in COVERS.items()},
        },
        "phases": PHASES,
    }
    body = "\n".join(
        [
            _head(run, recorded, tables.thinned),
            f'<div class="workbench{" recorded" if recorded and placed else ""}">'
            '<div id="plots"><p>Plots need JavaScript, which is off. The tables below don\'t.</p></div>'
            '<div id="side"></div></div>',
            _why(silences, about),
            _numbers(run),
            _again(command, recorded),
        ]
    )
    links = [("plots", "Time and sequence"), *([("map", "Map")] if recorded and placed else [])]
    links += [("why", "Why"), ("numbers", "Numbers"), ("again", "Make it again")]
    return whole_page(f"{run.scenario}, seed {run.seed} – tworay", body, data, tables.packed, links)


def _apart(run: Run) -> bool:
    """Whether nodes have different positions; with measured links all may have the same."""
    moves = run.tables["moves"]
    return bool(moves.select("x_m", "y_m").n_unique() > 1)


def _head(run: Run, recorded: bool, thinned: list[str]) -> str:
    summary = run.summary
    lost = sum(kinds["data"] + kinds["ack"] for kinds in summary["ledger"].values())
    goodput = sum(flow["goodput_bps"] for flow in summary["flows"]) / 1000
    many = len(summary["flows"])
    said = (
        f"{many} flow{'s' * (many != 1)}, {'together ' * (many != 1)}{goodput:,.1f} kb/s of goodput; "
        f"{lost:,} segment{'s' * (lost != 1)} lost in "
        f"{summary['sim_seconds']:g} s."
    )
    notes = [f'<p class="warning">{esc(warning["text"])}</p>' for warning in summary.get("warnings", [])]
    if thinned:
        notes.append(f'<p class="thinned">Left out of this page: {esc(" ".join(thinned))}</p>')
    if not recorded:
        notes.append(
            "<p>Segments, map and queues were not recorded: <code>tworay run … --record --out DIR</code> "
            "keeps them. The graph is drawn from the sender's state.</p>"
        )
    return (
        f'<header class="page-head"><h1>{esc(run.scenario)}, seed {run.seed}</h1>'
        f'<p class="verdict">{esc(said)}</p>{"".join(notes)}</header>'
    )


def _silences(run: Run, about: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the longest pauses with their causes."""
    try:
        moments = run.explain(flow=about["id"]).document["moments"]
    except InputError:
        # A run without ledger or series can't explain them.
        return []
    found = []
    for moment in moments:
        pause, loss = moment["pause"], moment["loss"]
        if not pause:
            continue
        found.append(
            {
                "flow": about["id"],
                "begin": pause["begin_s"],
                "end": pause["end_s"],
                "at": loss["since_s"] if loss else pause["begin_s"],
                "cause": loss and loss["cause"],
                "steps": moment["chain"],
            }
        )
    return sorted(found, key=lambda one: one["begin"] - one["end"])


def _why(silences: list[dict[str, Any]], flows: list[dict[str, Any]]) -> str:
    parts = [
        '<section id="why"><h2>Why: the longest silences</h2>',
        "<p>Of each flow the ten longest times without a new acknowledgment, and what happened in them: "
        "where a segment or its ACK was lost, what routing did, how long the sender waited.</p>",
    ]
    for flow in flows:
        mine = [one for one in silences if one["flow"] == flow["id"]]
        name = f"flow {flow['id']}: {flow['from']} → {flow['to']}, {flow['tcp'] or 'udp'}"
        if not mine:
            why = "Datagrams have no acknowledgments." if flow["tcp"] is None else "No silence to explain."
            parts.append(f"<h3>{esc(name)}</h3><p>{why}</p>")
            continue
        items = "".join(_silence(one) for one in mine)
        opened = " open" if flow is flows[0] else ""
        parts.append(
            f"<details{opened}><summary><strong>{esc(name)}</strong>, longest "
            f'{mine[0]["end"] - mine[0]["begin"]:.2f} s</summary><ol class="silences">{items}</ol></details>'
        )
    return "".join([*parts, "</section>"])


def _silence(one: dict[str, Any]) -> str:
    jump = (
        f'data-from="{one["begin"]!r}" data-to="{one["end"]!r}" data-at="{one["at"]!r}" '
        f'data-flow="{one["flow"]}"'
    )
    span = f"{one['end'] - one['begin']:.3f} s, from {one['begin']:.3f} s to {one['end']:.3f} s"
    return (
        f"<li><h3>{esc(span)} "
        f'<button type="button" {jump} data-target="sequence">in the graph</button> '
        f'<button type="button" {jump} data-target="map" hidden>on the map</button></h3>'
        f"<p>{esc(capital(sentence(one['steps'])))}</p></li>"
    )


def _numbers(run: Run) -> str:
    summary = run.summary
    columns = [
        ("goodput_bps", "goodput, kb/s", 1e-3),
        ("retransmitted_segments", "sent again", 1),
        ("timeouts", "timeouts", 1),
        ("rto_idle_seconds", "idle in RTO, s", 1),
        ("fast_retransmits", "fast retransmits", 1),
        ("mean_cwnd_segments", "mean cwnd", 1),
        ("mean_rtt_seconds", "mean RTT, ms", 1e3),
    ]
    rows = [
        [
            f"{flow['id']}: {flow['from']} → {flow['to']}, {flow['tcp'] or 'udp'}",
            *[None if flow[key] is None else flow[key] * scale for key, _, scale in columns],
        ]
        for flow in summary["flows"]
    ]
    lost = [
        [cause, counts["data"], counts["ack"], ROOTS[cause].partition(": ")[2]]
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
        accuracy = (summary.get("diagnosis_scores") or {}).get("balanced_accuracy")
        if accuracy is not None:
            parts.append(f"<p>Balanced accuracy: {100 * accuracy:.0f} %.</p>")
    energy = summary.get("energy") or {}
    known = {key: value for key, value in energy.items() if isinstance(value, int | float)}
    if known:
        parts.append(table("Energy", ["metric", "value", "which is"], list(_energy(known))))
    return "".join([*parts, "</section>"])


def _energy(known: dict[str, float]) -> Iterator[list[object]]:
    """Yield a row for each energy metric, in the unit in which other tables show it."""
    for key, value in known.items():
        declared = metrics.find(f"energy.{key}")
        title = ", ".join(filter(None, metrics.words(f"energy.{key}")))
        yield [title, value * (declared.scale if declared else 1), declared.definition if declared else ""]


def _again(command: str, recorded: bool) -> str:
    more = "" if recorded else " Add <code>--record</code> for segments, map and queues."
    return (
        '<section id="again"><h2>Make it again</h2>'
        f"<p>The run: <code>{esc(command)}</code>.{more} This page: <code>tworay report DIR</code>. "
        "The tables beside it (Parquet) have every row.</p></section>"
    )
