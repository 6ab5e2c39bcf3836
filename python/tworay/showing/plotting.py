"""Plot results: windows, round-trip times and goodput over time, and metrics by arm.

Drawn with matplotlib. The same results give the same bytes of SVG.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tworay import metrics
from tworay.analysis import stats
from tworay.errors import InputError
from tworay.experiment.comparison import Comparison
from tworay.experiment.store.reading import results
from tworay.experiment.store.tables import read_table, table_files
from tworay.running.run import Run
from tworay.showing.lines import INTERVALS, Line, of_run, rates, split, stairs, steps
from tworay.showing.pictures import FORMATS, empty, styles, write

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]

What: TypeAlias = Literal["cwnd", "rtt", "goodput", "box"]

KINDS = ("cwnd", "rtt", "goodput", "box")


def plot(
    source: Run | Comparison | str | os.PathLike[str],
    what: What,
    output: str | os.PathLike[str] | None = None,
    *,
    flow: int | None = None,
    seed: int | None = None,
    metric: str = "goodput_bps",
    judge: str | None = None,
) -> Figure:
    """Draw results: a ``Run``, a ``Comparison``, or the directory of one; ``output`` also writes a file.

    ``cwnd`` and ``rtt`` draw the window and the smoothed round-trip time over time: every flow of a run,
    or of a comparison one flow (``flow``, the first) of one ``seed`` (the first) by arm. ``goodput`` draws
    acknowledged data per interval: by flow, or of a comparison the mean over the seeds by arm, with its 95 %
    interval. ``box`` draws a ``metric`` by arm: quartiles, and a point per seed; ``judge`` chooses its flows
    (``tcp``, ``udp``, ``all`` or ``flow.0,flow.2``; default: those of the comparison).
    """
    file = None if output is None else Path(output)
    if what not in KINDS:
        raise InputError(f"there is no plot `{what}`; there are {', '.join(KINDS)}")
    if file is not None and file.suffix.lower() not in FORMATS:
        raise InputError(f"{file}: plots are written as {', '.join(FORMATS)}; name such a file")
    figure, axes = empty()
    found = source if isinstance(source, Run | Comparison) else results(source)
    if what == "box":
        if not isinstance(found, Comparison):
            raise InputError("box compares arms: name the directory of a comparison")
        if judge is not None:
            found.judge = judge
        _box(axes, found, metric)
    else:
        lines = list(_lines(source, found, flow))
        if not lines:
            raise InputError("no series to draw: there is no such TCP flow, or no series were kept")
        _over_time(axes, what, lines, found, seed)
    if file is not None:
        write(figure, file)
    return figure


def _lines(
    source: Run | Comparison | str | os.PathLike[str], found: Run | Comparison, flow: int | None
) -> Iterator[Line]:
    """Return the series of the requested flows."""
    import polars as pl

    if isinstance(found, Run):
        yield from of_run(found, flow)
        return
    if isinstance(source, Run | Comparison):
        raise InputError("a comparison keeps series in its directory only: compare(out=...), then plot that")
    parts = table_files(Path(source), "series")
    if not parts:
        return
    series = pl.concat([read_table(part) for part in parts], how="diagonal_relaxed")
    for (arm, seed, number), frame in split(series, "variant", "seed", "flow"):
        if flow in (None, number):
            yield Line(arm, seed, number, frame)


def _over_time(axes: Axes, what: str, lines: list[Line], found: Run | Comparison, seed: int | None) -> None:
    if isinstance(found, Comparison):
        seeds = sorted({line.seed for line in lines})
        if seed is not None and seed not in seeds:
            raise InputError(f"there is no seed {seed} in these results; there are {_some(seeds)}")
        order = {name: place for place, name in enumerate(found.variants)}
        lines.sort(key=lambda line: (order.get(line.label, 0), line.seed, line.flow))
        if what == "goodput":
            chosen = [line for line in lines if seed in (None, line.seed)]
            _mean_goodput(axes, chosen, max(found.sim_seconds))
            of = f"mean of {len(seeds)} seeds" if seed is None else f"seed {seed}"
            title = f"{found.scenario}, {of}"
        else:
            seed = seeds[0] if seed is None else seed
            number = min(line.flow for line in lines)
            chosen = [line for line in lines if line.seed == seed and line.flow == number]
            steps(axes, what, chosen)
            title = f"{found.scenario}, seed {seed}, flow {number}"
    else:
        title = f"{found.scenario}, seed {found.seed}"
        if what == "goodput":
            stairs(axes, lines, found.summary["sim_seconds"])
        else:
            steps(axes, what, lines)
        _mark_late(axes, found)
    axes.set_title(title)
    axes.set_xlabel("time, s")
    axes.set_ylabel({"cwnd": "cwnd, segments", "rtt": "smoothed RTT, ms", "goodput": "goodput, kb/s"}[what])
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.legend(frameon=False, fontsize="small")


def _mark_late(axes: Axes, run: Run) -> None:
    """Shade the times in which the machine was too slow for a live network."""
    spans = run.tables.get("late")
    for number, (begin, end) in enumerate(
        () if spans is None else spans.select("from_s", "to_s").iter_rows()
    ):
        label = "machine too slow" if number == 0 else None
        axes.axvspan(begin, end, color="0.4", alpha=0.3, linewidth=1.0, label=label)


def _mean_goodput(axes: Axes, lines: list[Line], seconds: float) -> None:
    """Draw the sum over the flows, averaged over the seeds, with its 95 % interval."""
    arms: dict[str, dict[int, Array]] = {}
    edges = np.linspace(0.0, seconds, INTERVALS + 1)
    for line in lines:
        edges, found = rates(line.frame, seconds)
        by_seed = arms.setdefault(line.label, {})
        by_seed[line.seed] = by_seed.get(line.seed, np.zeros(INTERVALS)) + found / 1000
    for (arm, by_seed), style in zip(arms.items(), styles(), strict=False):
        table = np.array([by_seed[seed] for seed in sorted(by_seed)])
        axes.stairs(table.mean(axis=0), edges, label=arm, baseline=None, **style)
        intervals = [stats.t_interval(column) for column in table.T.tolist()]
        if all(interval is not None for interval in intervals):
            low, high = np.array(intervals).T
            middle = (edges[1:] + edges[:-1]) / 2
            axes.fill_between(
                middle, np.maximum(low, 0), high, step="mid", color=style["color"], alpha=0.15, linewidth=0
            )


def _box(axes: Axes, found: Comparison, metric: str) -> None:
    (name,) = metrics.parse(metric, found.metrics) or [metric]
    known = metrics.find(name)
    scale = known.scale if known else 1.0
    values = {
        arm: [value * scale for row in found.values(arm).values() if (value := row.get(name)) is not None]
        for arm in found.variants
    }
    present = {arm: column for arm, column in values.items() if column}
    if not present:
        raise InputError(f"no run has {name}; `tworay metrics` says what it is")
    axes.boxplot(
        list(present.values()),
        tick_labels=[arm.replace(" ", "\n") for arm in present],
        showfliers=False,
        medianprops={"color": "#D55E00"},
    )
    for place, column in enumerate(present.values(), start=1):
        # Side by side in the order of the seeds, so that points don't hide each other.
        spread = np.linspace(-0.12, 0.12, len(column)) if len(column) > 1 else [0.0]
        axes.plot(place + np.asarray(spread), column, ".", color="#0072B2", alpha=0.6, markersize=4)
    title, unit = metrics.words(name)
    axes.set_ylabel(f"{title}, {unit}" if unit else title)
    judged = f", {found.judged}" if found.judged else ""
    axes.set_title(f"{found.scenario}, {len(found.seeds)} seeds{judged}")
    axes.grid(visible=False, axis="x")


def _some(seeds: list[int]) -> str:
    return ", ".join(map(str, seeds[:8])) + (", …" if len(seeds) > 8 else "")
