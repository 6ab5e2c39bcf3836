"""Table 5.1 of Papanastasiou's thesis (2006), Dynamic Adaptive ACK by timer granularity: make thesis-checks.

Writes docs/studies/thesis-daa.md. Ends with 1 only if a run fails: what does not hold is written down there.
"""

from __future__ import annotations

from dataclasses import dataclass

import tworay
from papers import (
    DIALECTS,
    NS2,
    Dialect,
    Judged,
    Settings,
    Verdict,
    end,
    first,
    made,
    mean,
    notes,
    on_all_cores,
    prose,
    seeds_asked,
    survival,
    table,
    write,
)
from tworay import stats

COMMAND = "make thesis-checks"
# Of the dialect that stands beside.
STANDARD_SEEDS = 10

# The exact timer first.
GRAINS = (0, 10, 50, 200, 500)
# Table 5.1: segments in 120 s by hops and granularity.
THESIS = {
    3: (6237, 6299, 6311, 6305, 6293),
    4: (4370, 4388, 4295, 3900, 3504),
    5: (3777, 3727, 3621, 3517, 3011),
    6: (3257, 3320, 3231, 3043, 2618),
    7: (3129, 3064, 2997, 2851, 2450),
    8: (2910, 2873, 2797, 2686, 2320),
    9: (2800, 2747, 2679, 2516, 2156),
    10: (2652, 2624, 2542, 2429, 1962),
    11: (2465, 2474, 2517, 2459, 1963),
}
# Table A.4, and 120 s of transfer from 1 s on. The RTO's granularity is that of the sender's clock.
TRANSFER: Settings = {"duration": "121s", "routing.protocol": "aodv"}
TABLE_A4: Settings = {
    "tcp.limited_transmit": "false",
    "tcp.max_burst": 3,
    "tcp.tick": "10ms",
    "tcp.rto.max": "60s",
    "tcp.rto.min": "200ms",
}


@dataclass(frozen=True, eq=False)
class Setting:
    """What the thesis leaves to choose."""

    name: str
    about: str
    settings: Settings
    variant: str = "newreno+daa"


# The one that all claims are judged in comes first.
SETTINGS = (
    Setting("as stated", "bursts of at most 3 segments (table A.4), an ACK for up to 4", {}),
    Setting(
        "counted from one",
        "an ACK for one segment less, as p. 123 describes `ack_count` (`tcp.receiver.daa.count_from=1`)",
        {"tcp.receiver.daa.count_from": 1},
    ),
    Setting("free bursts", "bursts without a limit (`tcp.max_burst=0`)", {"tcp.max_burst": 0}),
    Setting(
        "free bursts, RTO × 5",
        "the same, and the timeout five times longer, after de Oliveira and Braun 2005 (`newreno+daa(0,1)`)",
        {"tcp.max_burst": 0},
        "newreno+daa(0,1)",
    ),
)


@dataclass(frozen=True)
class Change:
    """A cell: segments, and the change from the exact timer in percent with its 95 % interval."""

    segments: float
    percent: float
    low: float
    high: float


Cells = dict[tuple[int, int], Change]


def segments(variant: str, hops: int, grain: int, seed: int, settings: Settings) -> float:
    """Return the acknowledged segments of a run; the granularity is in ms."""
    world = settings | {"tcp.receiver.heartbeat": f"{grain}ms"}
    run = tworay.run(f"string-{hops}", tcp=variant, seed=seed, set=world, series=False)
    return float(run.summary["flows"][0]["acked_segments"])


def run_table(dialect: Dialect, setting: Setting, seeds: range) -> Cells:
    """Run table 5.1."""
    settings = dialect.settings | TRANSFER | TABLE_A4 | setting.settings
    tasks = [(hops, grain, seed) for hops in THESIS for grain in GRAINS for seed in seeds]
    found = on_all_cores(
        lambda task: segments(setting.variant, *task, settings), tasks, f"{dialect.name}, {setting.name}"
    )
    runs: dict[tuple[int, int], list[float]] = {}
    for (hops, grain, _), value in zip(tasks, found, strict=True):
        runs.setdefault((hops, grain), []).append(value)
    cells = {}
    for (hops, grain), values in runs.items():
        exact = runs[hops, 0]
        scale = 100 / mean(exact)
        differences = [scale * d for d in stats.differences(values, exact)]
        interval = stats.t_interval(differences)
        low, high = interval if interval else (mean(differences),) * 2
        cells[hops, grain] = Change(mean(values), mean(differences), low, high)
    return cells


def thesis_change(hops: int, grain: int) -> float:
    """Return the change that the thesis' counts have, in percent of the exact timer's."""
    row = THESIS[hops]
    return 100 * (row[GRAINS.index(grain)] / row[0] - 1)


@dataclass(frozen=True)
class Claim:
    """A claim over cells: the mean change lies within bounds, percent; or below zero with confidence."""

    source: str
    text: str
    cells: tuple[tuple[int, int], ...]
    bounds: tuple[float, float] | None

    def judge(self, cells: Cells) -> tuple[Verdict, str]:
        """Count the cells that agree; all of them: it holds."""

        def agrees(cell: Change) -> bool:
            if self.bounds is None:
                return cell.high < 0
            return self.bounds[0] <= round(cell.percent) <= self.bounds[1]

        held = [c for c in self.cells if agrees(cells[c])]
        changes = [cells[c].percent for c in self.cells]
        detail = f"{len(held)} of {len(self.cells)} cells; {min(changes):+.0f} to {max(changes):+.0f} %"
        if len(held) == len(self.cells):
            return Verdict.HOLDS, detail
        return (Verdict.IN_PART if 2 * len(held) >= len(self.cells) else Verdict.FAILS), detail


def cells_of(hops: range, *grains: int) -> tuple[tuple[int, int], ...]:
    """All cells of these rows and columns."""
    return tuple((h, g) for h in hops for g in grains)


# The bounds are what the thesis' own counts give; its text says 7 to 12 % and 25 %, some of them in percent
# of the degraded value.
TABLE = "table 5.1"
CLAIMS = (
    Claim(
        "p. 130",
        "little difference at 10 and 50 ms at any length (within 5 %)",
        cells_of(range(3, 12), 10, 50),
        (-5, 5),
    ),
    Claim("p. 130", "a loss at 200 ms over 4 to 10 hops", cells_of(range(4, 11), 200), None),
    Claim(TABLE, "a loss of 7 to 11 % at 200 ms over 4 to 10 hops", cells_of(range(4, 11), 200), (-11, -7)),
    Claim("p. 130", "a loss at 500 ms over 4 to 11 hops", cells_of(range(4, 12), 500), None),
    Claim(TABLE, "a loss of 20 to 26 % at 500 ms over 4 to 11 hops", cells_of(range(4, 12), 500), (-26, -20)),
    Claim(
        TABLE,
        "no loss over 3 hops at any granularity (within 2 %)",
        cells_of(range(3, 4), 10, 50, 200, 500),
        (-2, 2),
    ),
    Claim(TABLE, "no loss over 11 hops at 200 ms (within 2 %)", cells_of(range(11, 12), 200), (-2, 2)),
)


def rows(cells: Cells) -> list[str]:
    """Write the table beside the thesis'."""
    lines = []
    for hops, thesis in THESIS.items():
        ours = [cells[hops, grain] for grain in GRAINS]
        lines.append(
            [str(hops), "tworay", f"{ours[0].segments:.0f}"]
            + [f"{c.segments:.0f} ({c.percent:+.0f} %, {c.low:+.0f} to {c.high:+.0f})" for c in ours[1:]]
        )
        lines.append(
            [str(hops), "thesis", f"{thesis[0]}"]
            + [f"{n} ({thesis_change(hops, g):+.0f} %)" for n, g in zip(thesis[1:], GRAINS[1:], strict=True)]
        )
    return table(["hops", "whose", *(f"{grain} ms" for grain in GRAINS)], lines)


def main() -> int:
    """Run everything and write the page."""
    seeds = seeds_asked(__doc__, 20)
    fewer = first(seeds, STANDARD_SEEDS)
    found = {
        (dialect, setting): run_table(dialect, setting, seeds if dialect == NS2 else fewer)
        for dialect in DIALECTS
        for setting in SETTINGS
        if dialect == NS2 or setting == SETTINGS[0]
    }
    judged = []
    for claim in CLAIMS:
        verdicts = [claim.judge(found[dialect, SETTINGS[0]]) for dialect in DIALECTS]
        judged.append(Judged(claim.source, claim.text, *(v for v, _ in verdicts), *(d for _, d in verdicts)))
    others = [
        [claim.text, *("{}: {}".format(*claim.judge(found[NS2, setting])) for setting in SETTINGS)]
        for claim in CLAIMS
    ]
    page = [
        "# Does a coarse ACK timer cost Dynamic Adaptive ACK goodput? Table 5.1 of the thesis",
        "",
        made(COMMAND, seeds),
        "",
        *prose(
            "Strings, 120 s of transfer, AODV, `--tcp newreno+daa`, table A.4's TCP (bursts of at most 3 "
            "segments, limited transmit off, RTO granularity 10 ms). The granularity is that of the "
            "receiver's ACK timer alone (`tcp.receiver.heartbeat`), as the thesis has it (p. 127 to 130). "
            "Cells: acknowledged segments, means over the seeds; in parentheses the change from the exact "
            "timer with its 95 % interval, paired by seed. The thesis prints some changes in percent of the "
            "degraded value; here all are of the exact timer's."
        ),
        *prose(
            "A cell agrees with a claim if its mean, in whole percent, lies within the claim's bounds, which "
            "are those of the thesis' own counts; with a claim of a loss, if its interval lies below zero. "
            "All cells: the claim holds; at least half of them: in part. All claims are judged in one "
            f"setting, the stated one. The standard dialect: {len(fewer)} seeds."
        ),
        *survival(judged),
        "## The same claims in other settings",
        "",
        "ns-2's dialect.",
        "",
        *table(["claim", *(s.name for s in SETTINGS)], others),
        *(f"- *{s.name}*: {s.about}." for s in SETTINGS),
        "",
    ]
    for (dialect, setting), cells in found.items():
        page += [f"## {dialect.name}, {setting.name}", "", *rows(cells)]
    write("thesis-daa", [*page, *notes("thesis-daa")])
    return 0


if __name__ == "__main__":
    end(main)
