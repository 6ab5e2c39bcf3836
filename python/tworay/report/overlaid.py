"""Two of several runs on one axis in the browser: the arms of a comparison, or a run with others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tworay import metrics
from tworay.errors import InputError
from tworay.naming import Nodes
from tworay.report.page import esc, table, whole_page
from tworay.report.rundata import FlowData, Tables
from tworay.report.runpage import figure, settings_of
from tworay.showing.causes import ROOTS
from tworay.showing.runnames import opened

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tworay.experiment.store.reading import Stored
    from tworay.running.run import Run

# The most rows of sender series in a page, over all runs; more are thinned out.
ROWS = 120_000
# A comparison with more arms shows the first ones.
ARMS = 16
# Metrics in the table of runs.
COLUMNS = ("goodput_bps", "timeouts", "retransmitted_segments")
PLACE = (
    '<div id="overlay"><p>Plots need JavaScript, which is off. '
    "<code>tworay plot RUN sequence --with OTHER -o FILE</code> draws the same.</p></div>"
)


def overlay(name: str, runs: Mapping[str, Run]) -> tuple[dict[str, Any], Tables] | None:
    """Return the data block and tables of runs by their label; none if fewer than two flows kept series."""
    flows = [
        (label, run, about)
        for label, run in runs.items()
        for about in sorted(run.summary["flows"], key=lambda one: one["id"] != opened(run))
        if about["tcp"] is not None
    ]
    tables = Tables()
    choices = []
    for place, (label, run, about) in enumerate(flows):
        flow = FlowData(run, about, settings_of(run), key=str(place))
        series = flow.write_series(tables, ROWS // len(flows))
        if not series:
            continue
        flow.write_resent(tables)
        flow.write_lost(tables)
        nodes = Nodes.of(run.summary)
        ends = f"flow {about['id']}: {nodes.short(about['from'])} → {nodes.short(about['to'])}"
        alone = sum(one[1] is run for one in flows) == 1
        choices.append(
            {
                "key": flow.key,
                "run": label,
                "flow": "" if alone else f"{ends}, {about['tcp']}",
                "seconds": run.summary["sim_seconds"],
                "series": series,
            }
        )
    if len(choices) < 2:
        return None
    # What is seen first are two runs, not two flows of one.
    second = next((place for place, one in enumerate(choices) if one["run"] != choices[0]["run"]), 1)
    data = {
        "kind": "overlay",
        "name": name,
        "causes": list(ROOTS),
        "choices": choices,
        "shown": [0, second],
    }
    return data, tables


def of_arms(
    stored: Stored, names: Mapping[str, str], seed: int | None = None
) -> tuple[str, dict[str, Any], Tables] | None:
    """Return a comparison's section with its data: the arms, by their short names, with one seed.

    Without ``seed`` it is the first that all arms finished.
    """
    from tworay.experiment.store.reading import run_of

    finished = {key for key, record in stored.records.items() if "document" in record}
    arms = list(names)[:ARMS]
    seeds = [one for one in stored.manifest["seeds"] if all((arm, one) in finished for arm in arms)]
    if seed is not None and seed not in seeds:
        known = ", ".join(map(str, seeds[:8])) + (", …" if len(seeds) > 8 else "")
        raise InputError(f"--seed {seed}: {stored.path} has no run of every arm with it; seeds: {known}")
    if len(arms) < 2 or not seeds:
        return None
    seed = seeds[0] if seed is None else seed
    name = f"{stored.manifest.get('scenario', '')}, seed {seed}".lstrip(", ")
    found = overlay(name, {names[arm]: run_of(stored.path, arm, seed) for arm in arms})
    if found is None:
        return None
    data, tables = found
    more = f" The first {ARMS} of {len(names)} arms are here." if len(names) > ARMS else ""
    section = (
        '<section id="together"><h2>Two arms over time</h2>'
        f"<p>Seed {seed}: what was acknowledged, the window and the round-trip time of two arms on one axis. "
        "Bars are what was sent again; a mark is a lost segment, its shape the cause, its edge the arm."
        f"{more} Another seed: <code>tworay report DIR --seed N</code>.</p>{thinned(tables)}{PLACE}</section>"
    )
    return section, data, tables


def thinned(tables: Tables) -> str:
    """Return the note on what was left out, or nothing."""
    if not tables.thinned:
        return ""
    return (
        '<p class="thinned">Long series are thinned out: the first, the last and the extremes of each '
        "group of changes are here. The page of one run has more.</p>"
    )


def together_page(runs: Mapping[str, Run]) -> str:
    """Return the page of several runs on one axis, by their labels."""
    title = " and ".join(dict.fromkeys(f"{run.scenario}, seed {run.seed}" for run in runs.values()))
    found = overlay(title, runs)
    if found is None:
        raise InputError(
            "these runs have fewer than two TCP flows with series; name runs that `--out` wrote, of TCP flows"
        )
    data, tables = found
    columns = [(name, *metrics.shown(name)) for name in COLUMNS]
    rows = [
        [
            f"{label}, flow {flow['id']}, {flow['tcp']}",
            *(figure(flow, name, scale) for name, _, scale in columns),
        ]
        for label, run in runs.items()
        for flow in run.summary["flows"]
        if flow["tcp"] is not None
    ]
    body = (
        f'<header class="page-head"><h1>{esc(title)}</h1>'
        "<p>Two runs on one axis. Bars are what was sent again; a mark is a lost segment, "
        f"its shape the cause, its edge the run.</p>{thinned(tables)}</header>{PLACE}"
        '<section id="numbers"><h2>Numbers</h2>'
        + table("Flows", ["flow", *(heading for _, heading, _ in columns)], rows)
        + "</section>"
    )
    links = [("overlay", "On one axis"), ("numbers", "Numbers")]
    return whole_page(f"{title} – tworay", body, data, tables.packed, links)
