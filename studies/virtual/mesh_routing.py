"""Simulated routing and real daemons beside each other over three fields (``make mesh-routing``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.virtual.plan import PAGES
from studies.virtual.running import compared
from tworay.analysis import stats
from tworay.papers.markdown import prose, table, write
from tworay.virtual import daemons

if TYPE_CHECKING:
    from tworay import Comparison

PAGE = PAGES / "mesh-routing.md"
HOW = """Every arm carries TCP of the kernel (cubic) and has the same movement and errors. `babeld`,
`batman-adv` and the others that are no simulation run on kernels in virtual time, with their own
intervals (`tworay live routing NAME`). Flows start at 28 s, so that proactive protocols know the
routes. Cells have the mean and half its 95 % interval. [What is
measured](../reference/metrics.md#routing)."""
SIMULATED = ("aodv", "dsr", "olsr")
# Flows start when proactive protocols know the routes.
FIELDS = {
    "break": ("a string of four hops loses its last link", "route-break", {
        "flow.0.start": "28s", "duration": "100s",
    }),
    "mesh": ("5 x 5 nodes that stay", "mesh-3", {
        "flow.0.start": "28s", "flow.1.start": "28s", "flow.2.start": "28s", "duration": "88s",
    }),
    "walking": ("15 nodes that walk at 1 to 5 m/s", "square-50", {
        "topology.nodes": "15", "topology.width": "600m", "topology.height": "600m",
        "mobility.max_speed": "5m/s", "flow.0.start": "28s", "duration": "118s",
    }),
}  # fmt: skip
MEASURES = {
    "goodput, kb/s": ("goodput_bps", 1e-3, 0),
    "routing, kB": ("air.routing_bytes", 1e-3, 0),
    "airtime of routing, s": ("air.routing_airtime_seconds", 1, 1),
    "breaks": ("air.breaks", 1, 1),
    "time to heal, s": ("air.heal_seconds", 1, 1),
    "changes of next hops": ("air.next_hop_changes", 1, 0),
}


def names() -> list[str]:
    """Return the protocols: those simulated, and the daemons that are installed."""
    return [*SIMULATED, *(name for name in daemons.KINDS if daemons.program(name) is not None)]


def rows(found: Comparison) -> list[list[str]]:
    """Return a row for each protocol: means with half the 95 % interval."""
    made = []
    for arm in found.variants:
        values = found.values(arm)
        cells = []
        for metric, factor, digits in MEASURES.values():
            some = [value for one in values.values() if (value := one.get(metric)) is not None]
            interval = stats.t_interval(some)
            text = f"{factor * sum(some) / len(some):.{digits}f}" if some else "–"
            if interval is not None:
                text += f" ± {factor * interval.half_width:.{digits}f}"
            cells.append(text)
        protocol = found.choices[arm].get("routing.protocol", arm)
        made.append([f"`{protocol}`", *cells])
    return made


def study(seeds: int, about: str, only: list[str] | None = None) -> None:
    """Run all fields, and write the page."""
    lines = ["# Which routing for a mesh?", ""]
    lines += [
        "How do real routing daemons do beside simulated protocols, over the same fields?",
        "",
        *prose(about),
    ]
    lines += prose(HOW)
    for name, (title, scenario, settings) in FIELDS.items():
        if only is not None and name not in only:
            continue
        found = compared(
            f"routing-{name}", scenario, ["kernel:cubic"], settings, seeds, routing=",".join(names())
        )
        shown = " ".join(f"--set {key}={value}" for key, value in settings.items())
        lines += [f"## {title[0].upper()}{title[1:]}", ""]
        lines += prose(f"`{scenario}`, `{shown}`; {len(found.seeds)} seeds.")
        lines += table(["", *MEASURES], rows(found))
    write(PAGE, lines)
