"""Simulated routing and real daemons beside each other over three fields (``make mesh-routing``)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from studies.virtual import kept
from studies.virtual.judging import difference
from studies.virtual.plan import PAGES
from studies.virtual.running import Arm, compared, completed
from tworay.analysis import stats
from tworay.papers.markdown import prose, table, write
from tworay.running.control import arm_of
from tworay.virtual import daemons

if TYPE_CHECKING:
    from collections.abc import Iterable

    from studies.virtual.kept import Kept

PAGE = PAGES / "mesh-routing.md"
RUNS = PAGES / "mesh-routing.csv"
HOW = """Every arm carries TCP of the kernel (cubic) and has the same movement and errors. `babeld`,
`batman-adv` and the others that are no simulation run on kernels in virtual time, with their own
intervals (`tworay live routing NAME`). Flows start at 28 s, so that proactive protocols know the
routes. Cells have the mean and half its 95 % interval. [What is
measured](../reference/metrics.md#routing)."""
DIFFERENCES = """Differences are paired by seed, with their 95 % intervals, which are not corrected for the
number of protocols. Where a link goes, the time to heal decides; where nothing moves, what routing sends:
batman-adv's messages occupy the medium for 26 of 88 s there."""
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
METRICS = [metric for metric, _, _ in MEASURES.values()]


def names() -> list[str]:
    """Return the protocols: those simulated, and the daemons that are installed."""
    return [*SIMULATED, *(name for name in daemons.KINDS if daemons.program(name) is not None)]


def rows(field: str, runs: Kept) -> list[list[str]]:
    """Return a row for each protocol that has run: means with half the 95 % interval."""
    made = []
    for protocol in (*SIMULATED, *daemons.KINDS):
        if (field, protocol) not in runs:
            continue
        cells = []
        for metric, factor, digits in MEASURES.values():
            values = runs[field, protocol].values.values()
            some = [value for one in values if (value := one[metric]) is not None]
            interval = stats.t_interval(some)
            text = f"{factor * sum(some) / len(some):.{digits}f}" if some else "–"
            if interval is not None:
                text += f" ± {factor * interval.half_width:.{digits}f}"
            cells.append(text)
        made.append([f"`{protocol}`", *cells])
    return made


def verdict(field: str, runs: Kept) -> str:
    """Say which protocols carry most in a field, and how much less the others do.

    The most means: no other protocol is ahead by the 95 % interval of the difference, paired by seed. Who is
    not told apart from the best belongs to them.
    """
    metric, factor, digits = MEASURES["goodput, kb/s"]
    goodputs = {
        name: {seed: one[metric] for seed, one in found.values.items()}
        for (case, name), found in runs.items()
        if case == field
    }
    means = {
        name: stats.describe([value for value in values.values() if value is not None])["mean"]
        for name, values in goodputs.items()
    }
    best, *others = sorted(means, key=lambda name: -means[name])
    equal, below = [], []
    for name in others:
        found = difference(goodputs[name], goodputs[best])
        if found is None or found.high is None or found.high >= 0:
            equal.append(f"`{name}`")
        else:
            less = [-100 * share for share in found.relative if share is not None]
            below.append(f"`{name}` {less[0]:.0f} % ({less[2]:.0f} to {less[1]:.0f})")
    title, _, _ = FIELDS[field]
    text = f"**{title[0].upper()}{title[1:]}:** `{best}` carries most, {means[best] * factor:.{digits}f} kb/s"
    text += f"; not told apart from it: {', '.join(equal)}." if equal else "."
    return f"{text} Less than it: {', '.join(below)}." if below else text


def run(seeds: int, fields: Iterable[str] = FIELDS, jobs: int | None = None) -> Kept:
    """Run all protocols in these fields but what is kept already; return what is kept of all."""
    chosen = set(fields)
    arms = (
        Arm(
            name,
            protocol,
            True,
            partial(
                compared,
                f"routing-{name}-{protocol}",
                scenario,
                [arm_of("cubic")],
                settings,
                seeds,
                routing=protocol,
                jobs=jobs,
            ),
        )
        for name, (_, scenario, settings) in FIELDS.items()
        if name in chosen
        for protocol in names()
    )
    return completed(RUNS, METRICS, seeds, arms)


def write_page(runs: Kept, about: str) -> None:
    """Write docs/studies/mesh-routing.md."""
    lines = ["# Which routing for a mesh?", ""]
    lines += [
        "How do real routing daemons do beside simulated protocols, over the same fields?",
        "",
    ]
    made = [name for name in FIELDS if any(case == name for case, _ in runs)]
    lines += [line for name in made for line in prose(verdict(name, runs))]
    lines += prose(DIFFERENCES)
    lines += prose(about)
    lines += prose(HOW)
    lines += prose(f"[Every run's values]({RUNS.name}).")
    for name, (title, scenario, settings) in FIELDS.items():
        shown = " ".join(f"--set {key}={value}" for key, value in settings.items())
        lines += [f"## {title[0].upper()}{title[1:]}", ""]
        lines += prose(f"`{scenario}`, `{shown}`; {kept.made_by(name, runs)}.")
        lines += table(["", *MEASURES], rows(name, runs))
        if missing := [f"`{one}`" for one in (*SIMULATED, *daemons.KINDS) if (name, one) not in runs]:
            lines += prose(f"Not run yet: {', '.join(missing)}.")
    write(PAGE, lines)
