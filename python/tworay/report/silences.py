"""The part of a run's page that explains the longest times without a new acknowledgment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tworay.errors import InputError
from tworay.naming import Nodes, sent_as
from tworay.report.page import capital, esc
from tworay.showing.chains import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tworay.running.run import Run

# The most idle spells that are listed one by one.
LISTED = 5


class Silences(NamedTuple):
    """A flow's longest pauses, the longest first, and the spells in which it had nothing to send."""

    flow: Mapping[str, Any]
    pauses: list[dict[str, Any]]
    idle: list[dict[str, float]]
    name: str


def silences_of(run: Run) -> list[Silences]:
    """Return the silences of every flow; none for a run without the tables that explain them."""
    places = _places(run)
    return [_silences(run, about, places) for about in run.summary["flows"]]


def _silences(run: Run, about: Mapping[str, Any], places: Mapping[Any, int]) -> Silences:
    nodes = Nodes.of(run.summary)
    ends = f"{nodes.short(about['from'])} → {nodes.short(about['to'])}"
    name = f"flow {about['id']}: {ends}, {sent_as(about)}"
    try:
        document = run.explain(flow=about["id"]).document
    except InputError:
        return Silences(about, [], [], name)
    found = []
    for moment in document["moments"]:
        pause, loss = moment["pause"], moment["loss"]
        if not pause:
            continue
        found.append(
            {
                "begin": pause["begin_s"],
                "end": pause["end_s"],
                "at": loss["since_s"] if loss else pause["begin_s"],
                "loss": places.get(_key(loss)) if loss else None,
                "steps": moment["chain"],
                "frozen": _frozen(run, about["id"], pause["begin_s"], pause["end_s"]),
            }
        )
    longest = sorted(found, key=lambda one: one["begin"] - one["end"])
    return Silences(about, longest, document["idle"], name)


def _key(row: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted((name, value) for name, value in row.items() if name not in ("byte", "seed")))


def _places(run: Run) -> dict[tuple[tuple[str, Any], ...], int]:
    """Return where each loss stands in the page's table, which is in order of time (``write_losses``)."""
    places: dict[tuple[tuple[str, Any], ...], int] = {}
    for place, row in enumerate(run.tables["ledger"].sort("since_s", maintain_order=True).to_dicts()):
        places.setdefault(_key(row), place)
    return places


def _frozen(run: Run, flow: int, begin: float, end: float) -> float:
    """Return for how long of a pause the sender was frozen, s."""
    phases = run.tables.get("phases")
    if phases is None or phases.is_empty():
        return 0.0
    rows = [row for row in phases.sort("t_s").to_dicts() if row["flow"] == flow]
    ends = [*(row["t_s"] for row in rows[1:]), end]
    spans = [(row["t_s"], until) for row, until in zip(rows, ends, strict=False) if row["phase"] == "frozen"]
    return float(sum(max(0.0, min(end, until) - max(begin, since)) for since, until in spans))


def why(silences: list[Silences], opened: int) -> str:
    """Return the section; the flow ``opened`` is unfolded."""
    parts = [
        '<section id="why"><h2>Why: the longest silences</h2>',
        "<p>Of each flow the ten longest times in which an acknowledgment was due and none of new data came, "
        "and what happened in them: where a segment or its ACK was lost, what routing did, how long the "
        "sender waited.</p>",
    ]
    for flow, pauses, spells, name in silences:
        idle = _idle(spells)
        if not pauses:
            why = "Datagrams have no acknowledgments." if flow["tcp"] is None else "No silence to explain."
            parts.append(f"<h3>{esc(name)}</h3><p>{why}</p>{idle}")
            continue
        items = "".join(_silence(flow["id"], one) for one in pauses)
        unfolded = " open" if flow["id"] == opened else ""
        parts.append(
            f"<details{unfolded}><summary><strong>{esc(name)}</strong>, longest "
            f"{pauses[0]['end'] - pauses[0]['begin']:.2f} s</summary>{idle}"
            f'<ol class="silences">{items}</ol></details>'
        )
    return "".join([*parts, "</section>"])


def _idle(spells: list[dict[str, float]]) -> str:
    """Return when the application gave a flow nothing to send."""
    if not spells:
        return ""
    longest = sorted(spells, key=lambda one: one["begin_s"] - one["end_s"])[:LISTED]
    listed = ", ".join(
        f"{one['begin_s']:.3f} s to {one['end_s']:.3f} s"
        for one in sorted(longest, key=lambda one: one["begin_s"])
    )
    total = sum(one["end_s"] - one["begin_s"] for one in spells)
    which = "" if len(spells) <= LISTED else f" in {len(spells)} spells, the longest"
    return (
        f'<p class="idle">Limited by its application: {total:.3f} s without anything to send{which}: '
        f"{listed}. All data had been acknowledged, so these are no silences of the network.</p>"
    )


def _silence(flow: int, one: Mapping[str, Any]) -> str:
    behind = "" if one["loss"] is None else f' data-loss="{one["loss"]}"'
    jump = (
        f'data-from="{one["begin"]!r}" data-to="{one["end"]!r}" data-at="{one["at"]!r}" '
        f'data-flow="{flow}"{behind}'
    )
    span = f"{one['end'] - one['begin']:.3f} s, from {one['begin']:.3f} s to {one['end']:.3f} s"
    said = capital(sentence(one["steps"]))
    if one["frozen"] > 0:
        said += f" The sender was frozen for {one['frozen']:.3f} s of it: it sent probes instead of data."
    return (
        f"<li><h3>{esc(span)} "
        f'<button type="button" {jump} data-target="sequence">in the graph</button> '
        f'<button type="button" {jump} data-target="map" hidden>on the map</button></h3>'
        f"<p>{esc(said)}</p></li>"
    )
