"""Plot results: windows, round-trip times and goodput over time, and metrics by arm.

Drawn with matplotlib. The same results give the same bytes of SVG.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import numpy as np

from tworay import metrics
from tworay._native import nearest
from tworay.analysis import stats
from tworay.calls import plainly
from tworay.errors import InputError
from tworay.experiment.comparison import Comparison
from tworay.experiment.store.reading import results, run_of
from tworay.experiment.store.tables import table_files
from tworay.naming import Nodes
from tworay.running.run import Run
from tworay.showing import linkrates
from tworay.showing.armaxis import label_arms, short_names
from tworay.showing.bins import Bins, refuse
from tworay.showing.lines import ACKNOWLEDGED, Line, called, of_run, rates, split, stairs, steps
from tworay.showing.overlays import TROUBLE, sequences, span, transfers
from tworay.showing.pictures import FORMATS, empty, styles, write
from tworay.showing.runnames import names_of, opened
from tworay.showing.unfinished import after_warmup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from tworay.showing.bins import Every

    Array: TypeAlias = NDArray[np.float64]

What: TypeAlias = Literal["cwnd", "rtt", "goodput", "sequence", "rate", "aggregates", "transfers", "box"]

KINDS = ("cwnd", "rtt", "goodput", "sequence", "rate", "aggregates", "transfers", "box")
TITLES = {
    "cwnd": "cwnd, segments",
    "rtt": "smoothed RTT, ms",
    "goodput": f"{ACKNOWLEDGED}, kb/s",
    "sequence": "acknowledged, kB",
}


def check_kind(what: str) -> None:
    """Check that there is such a plot.

    Raises:
        InputError: there is none; the text names the nearest, or all.

    """
    if what not in KINDS:
        near = nearest(what, list(KINDS))
        known = f"did you mean {near}?" if near else f"there are {', '.join(KINDS)}"
        raise InputError(f"there is no plot `{what}`; {known}")


@plainly
def plot(
    source: Run | Comparison | str | os.PathLike[str] | list[Run] | tuple[Run, ...],
    what: What,
    output: str | os.PathLike[str] | None = None,
    *,
    flow: int | str | None = None,
    seed: int | None = None,
    metric: str = "goodput_bps",
    judge: str | None = None,
    against: Run | str | os.PathLike[str] | Sequence[Run | str | os.PathLike[str]] = (),
    zoom: str | tuple[float, float] | None = None,
    intervals: int | str | None = None,
    every: Every | None = None,
    force: bool = True,
) -> Figure:
    """Draw results: a ``Run``, a list of them, a ``Comparison`` or a directory; ``output`` is a file.

    ``cwnd`` and ``rtt`` draw the window and the smoothed round-trip time over time: every flow of a run, or
    of a comparison one flow (``flow``, the first) of one ``seed`` (the first) by arm. ``goodput`` draws
    acknowledged data per interval, which is what its sender knows of the goodput: by flow, or of a comparison
    the mean over the seeds by arm, with its 95 % interval. ``sequence`` draws what was acknowledged, with a
    cross where a segment was lost. ``rate`` and ``aggregates`` draw the rate of frames, and the frames in
    each transmission, of the busiest links of a recorded run with a radio of 802.11a, g, n or ac.
    ``transfers`` draws completion times of transfers by size. ``box`` draws a ``metric`` by arm: quartiles,
    and a point per seed; ``judge`` chooses its flows (``tcp``, ``udp``, ``all``, ``flow.0,flow.2``
    or ends such as ``bob:alice``; default: those of the comparison).

    ``against`` has further runs, or their directories, that are drawn on the same axes; of live runs only the
    connection that delivered most is drawn there, unless ``flow`` names one. ``zoom`` is a stretch
    of time, ``(10, 20)`` or ``"10:20"``, or ``"trouble"``: the first of the longest pauses that a loss began
    in the flows drawn.
    ``intervals`` (``tworay.showing.bins.INTERVALS``) or ``every`` (seconds, or ``"200ms"``) choose how many
    intervals ``goodput`` has, or their width. ``force=False`` refuses to replace a file.
    """
    file = None if output is None else Path(output)
    check_kind(what)
    if file is not None and file.suffix.lower() not in FORMATS:
        raise InputError(f"{file}: plots are written as {', '.join(FORMATS)}; name such a file")
    if file is not None and not force and file.exists():
        raise InputError(f"{file} exists already; leave force=False out to replace it, or name another file")
    bins = Bins.of(intervals, every)
    if what != "goodput":
        refuse(intervals, every, f"{what} adds nothing up over time; leave it out, or draw goodput")
    if judge is not None and what != "box":
        instead = "leave it out" if what in linkrates.COLUMNS else "choose a flow with --flow"
        raise InputError(f"--judge {judge}: only box has values by judged flows; {instead}")
    others = [against] if isinstance(against, Run | str | os.PathLike) else list(against)
    if isinstance(source, list | tuple):
        if not source:
            raise InputError("there is nothing to draw: the list of runs is empty")
        several = cast("Sequence[Run]", source)
        source, others = several[0], [*several[1:], *others]
    figure, axes = empty()
    found = source if isinstance(source, Run | Comparison) else results(source)
    if what == "box":
        if not isinstance(found, Comparison):
            raise InputError("box compares arms: name the directory of a comparison")
        if judge is not None:
            found.judge = judge
        _refuse_zoom(what, zoom)
        _box(axes, found, metric)
    elif what in linkrates.COLUMNS:
        runs = _runs(found, others)
        if not runs or flow is not None:
            raise InputError(f"{what} draws links of runs: name the directory of a run, and no flow")
        flows = [(run, one["id"]) for run in runs for one in run.summary["flows"] if one["tcp"] is not None]
        shown = span(zoom, flows, _seconds(found, runs))
        linkrates.draw(axes, what, runs, names_of(runs, [source, *others]))
        axes.set_title(_title(runs))
        if shown is not None:
            _zoom(axes, shown)
    elif what == "transfers":
        _refuse_zoom(what, zoom)
        runs = _runs(found, others)
        named = dict(zip(names_of(runs, [source, *others]), runs, strict=True))
        _transfers(axes, found, flow, seed, named)
    else:
        runs = _runs(found, others)
        one = len(runs) < 2
        lines = list(_lines(found, flow)) if one else _of_runs(runs, flow, [source, *others])
        if not lines:
            raise InputError(_no_series(runs, found, flow))
        drawn = [(line.run, line.flow) for line in lines if line.run is not None]
        if zoom == TROUBLE and isinstance(found, Comparison) and what != "goodput":
            drawn = _runs_of(found, lines, seed)
        shown = span(zoom, drawn, _seconds(found, runs))
        _over_time(axes, what, lines, found, seed, runs, bins)
        if shown is not None:
            _zoom(axes, shown)
    if file is not None:
        write(figure, file)
    return figure


def _lines(found: Run | Comparison, flow: int | str | None) -> Iterator[Line]:
    """Return the series of the requested flows."""
    if isinstance(found, Run):
        yield from of_run(found, flow)
        return
    if not _has(found, "series"):
        return
    flow = _number(found, flow)
    for (arm, seed, number), frame in split(found.series, "variant", "seed", "flow"):
        if flow in (None, number):
            yield Line(arm, seed, number, frame)


def _number(found: Comparison, flow: int | str | None) -> int | None:
    """Return the number of the flow of a comparison that a word means."""
    if not isinstance(flow, str):
        return flow
    first = next(one for arm in found.variants for one in found.documents(arm).values())
    return found.nodes.flow_number(flow, first["flows"])


def _no_series(runs: Sequence[Run], found: Run | Comparison, flow: int | str | None) -> str:
    """Say why there is nothing to draw: the flow, if others have series."""
    lines = [line for run in runs for line in of_run(run, None)] if runs else _lines(found, None)
    flows = sorted({line.flow for line in lines})
    if flow is None or not flows:
        return "no series to draw: no flow uses TCP, or no series were kept"
    return f"there is no series of flow {flow}; there are those of {', '.join(map(str, flows))}"


def _has(found: Comparison, table: str) -> bool:
    """Return whether the directory of a comparison has a table; true without one, to be refused there."""
    return found.directory is None or bool(table_files(found.directory, table))


def _runs(found: Run | Comparison, against: Sequence[Run | str | os.PathLike[str]]) -> list[Run]:
    """Return the runs that are drawn together; none of a comparison."""
    runs = [found] if isinstance(found, Run) else []
    for one in against:
        other = one if isinstance(one, Run) else results(one)
        if not runs or not isinstance(other, Run):
            raise InputError("only runs are drawn together; a comparison draws its arms by itself")
        runs.append(other)
    return runs


def _refuse_zoom(what: str, zoom: object) -> None:
    if zoom is not None:
        raise InputError(f"--zoom: {what} has no axis of time; leave it out")


def _seconds(found: Run | Comparison, runs: Sequence[Run]) -> float:
    """Return how long the longest run lasts, simulated seconds."""
    if isinstance(found, Comparison):
        return max(found.sim_seconds)
    return max(float(run.summary["sim_seconds"]) for run in runs)


def _of_runs(runs: list[Run], flow: int | str | None, sources: Sequence[object]) -> list[Line]:
    """Return the flows of several runs, each labelled with what distinguishes its run.

    Of a live run, whose first connection may be a program's control connection, only the one that delivered
    most, unless ``flow`` names another.
    """
    lines = []
    for place, run in enumerate(runs):
        try:
            lines.append([*of_run(run, opened(run) if flow is None and "live" in run.summary else flow)])
        except InputError as error:
            raise InputError(f"{names_of(runs, sources)[place]}: {error}") from None
    labels = [line.label for one in lines for line in one]
    if len(set(labels)) == len(labels):
        return [line for one in lines for line in one]
    return [
        replace(line, label=f"{name}: {line.label}")
        for name, one in zip(names_of(runs, sources), lines, strict=True)
        for line in one
    ]


def _runs_of(found: Comparison, lines: list[Line], seed: int | None) -> list[tuple[Run, int]]:
    """Return the runs of a comparison that are drawn: of one seed and flow; none without its directory."""
    place = found.directory
    if place is None:
        return []
    seed = min(line.seed for line in lines) if seed is None else seed
    flow = min(line.flow for line in lines)
    return [(run_of(place, one.label, seed), flow) for one in lines if (one.seed, one.flow) == (seed, flow)]


def _lost(source: Run | Comparison, lines: list[Line], arms: Mapping[str, str]) -> dict[str, pl.DataFrame]:
    """Return the lost data segments of each line, by its label; ``arms`` has those of a comparison by label.

    Lines whose losses aren't kept are left out.
    """
    import polars as pl

    ledgers = {line.label: line.run.tables.get("ledger") for line in lines if line.run is not None}
    if isinstance(source, Comparison) and _has(source, "ledger"):
        rows = source.table_of("ledger")
        for line in lines:
            of_arm = pl.col("variant") == arms.get(line.label, line.label)
            ledgers[line.label] = rows.filter(of_arm & (pl.col("seed") == line.seed))
    return {
        line.label: ledger.filter((pl.col("flow") == line.flow) & (pl.col("kind") == "data"))
        for line in lines
        if (ledger := ledgers.get(line.label)) is not None
    }


def _over_time(
    axes: Axes,
    what: str,
    lines: list[Line],
    found: Run | Comparison,
    seed: int | None,
    runs: list[Run],
    bins: Bins,
) -> None:
    if isinstance(found, Comparison):
        seeds = sorted({line.seed for line in lines})
        if seed is not None and seed not in seeds:
            raise InputError(f"there is no seed {seed} in these results; there are {_some(seeds)}")
        order = {name: place for place, name in enumerate(found.variants)}
        lines.sort(key=lambda line: (order.get(line.label, 0), line.seed, line.flow))
        short = short_names(found.choices)[1]
        lines = [replace(line, label=short.get(line.label, line.label)) for line in lines]
        if what == "goodput":
            counted = {arm: found.counted(arm) for arm in found.variants}
            own = {short.get(arm, arm): those for arm, those in counted.items()}
            chosen = [
                one for one in lines if one.seed == seed or (seed is None and one.seed in own[one.label])
            ]
            _mean_goodput(axes, chosen, max(found.sim_seconds), bins)
            title = f"{_of_seeds(found, seed, 'mean of ')}, {_added(found, lines)}"
        else:
            seed = seeds[0] if seed is None else seed
            number = min(line.flow for line in lines)
            chosen = [line for line in lines if line.seed == seed and line.flow == number]
            arms = {label: arm for arm, label in short.items()}
            _draw(axes, what, chosen, partial(_lost, found, chosen, arms))
            title = f"{found.scenario}, seed {seed}, flow {number}"
    else:
        title = _title(runs)
        if what == "goodput":
            stairs(axes, lines, max(run.summary["sim_seconds"] for run in runs), bins)
        else:
            _draw(axes, what, lines, partial(_lost, found, lines, {}))
        for run in runs:
            _mark_late(axes, run)
    axes.set_title(title)
    axes.set_xlabel("time, s")
    axes.set_ylabel(TITLES[what])
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    axes.legend(frameon=False, fontsize="small")


def _added(found: Comparison, lines: list[Line]) -> str:
    """Say which flows of a comparison are added up."""
    numbers = sorted({line.flow for line in lines})
    if len(numbers) > 1:
        return f"sum of {len(numbers)} TCP flows"
    return f"flow {numbers[0]}"


def _title(runs: list[Run]) -> str:
    return " and ".join(dict.fromkeys(f"{run.scenario}, seed {run.seed}" for run in runs))


def _draw(axes: Axes, what: str, lines: list[Line], lost: Callable[[], dict[str, pl.DataFrame]]) -> None:
    if what == "sequence":
        sequences(axes, lines, lost())
    else:
        steps(axes, what, lines)


def _zoom(axes: Axes, shown: tuple[float, float]) -> None:
    """Show a stretch of time, and of the values what lies in it."""
    axes.set_xlim(shown)
    values = []
    for line in axes.get_lines():
        x, y = np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)
        # A step that begins before the stretch reaches into it.
        first = max(int(np.searchsorted(x, shown[0])) - 1, 0)
        values += [v for v in y[first : int(np.searchsorted(x, shown[1], side="right"))] if np.isfinite(v)]
    if values:
        low, high = min(values), max(values)
        room = 0.05 * (high - low) or 1.0
        axes.set_ylim(max(0.0, low - room), high + room)


def _transfers(
    axes: Axes,
    found: Run | Comparison,
    flow: int | str | None,
    seed: int | None,
    runs: Mapping[str, Run],
) -> None:
    """Draw completion times by size: of each flow of runs, or of a comparison by arm."""
    import polars as pl

    groups: dict[str, pl.DataFrame] = {}
    if runs:
        for name, run in runs.items():
            table, flows = run.tables.get("transfers"), run.summary["flows"]
            nodes = Nodes.of(run.summary)
            wanted = None if flow is None else nodes.flow_number(flow, flows)
            known = [] if table is None else split(after_warmup(table, run.warmup), "flow")
            for (number,), frame in known:
                if wanted in (None, number):
                    label = called(run, number, nodes)
                    groups[label if len(runs) == 1 else f"{name}: {label}"] = frame
    elif isinstance(found, Comparison) and _has(found, "transfers"):
        rows = found.table_of("transfers")
        for column, chosen in (("flow", _number(found, flow)), ("seed", seed)):
            rows = rows if chosen is None else rows.filter(pl.col(column) == chosen)
        if seed is None:
            rows = pl.concat(
                rows.filter((pl.col("variant") == arm) & pl.col("seed").is_in(found.counted(arm)))
                for arm in found.variants
            )
        short = short_names(found.choices)[1]
        of_arm = {arm: frame for (arm,), frame in split(rows, "variant")}
        groups = {
            short.get(arm, arm): after_warmup(of_arm[arm], found.warmup(arm))
            for arm in found.variants
            if arm in of_arm
        }
    groups = {label: frame for label, frame in groups.items() if not frame.is_empty()}
    if not groups:
        raise InputError(
            "no transfers to draw: flows with app = web, request, video or replay have some (those of the "
            "warm-up don't count)"
        )
    transfers(axes, groups)
    head = _title([*runs.values()]) if runs else _of_seeds(found, seed)
    if isinstance(found, Comparison) and flow is not None:
        head += f", flow {_number(found, flow)}"
    axes.set_title(f"{head}: completion time by size")
    axes.set_xlabel("size, B")
    axes.set_ylabel("completion time, s")
    axes.legend(frameon=False, fontsize="small")


def _of_seeds(found: Run | Comparison, seed: int | None, of: str = "") -> str:
    """Return the head of a comparison's plot: its scenario, and the seeds that are in it."""
    if seed is not None or isinstance(found, Run):
        return f"{found.scenario}, seed {found.seed if isinstance(found, Run) else seed}"
    many = len(set(found.seeds) - set(found.repeated))
    return f"{found.scenario}, {of}{many} seed{'s' * (many != 1)}"


def _mark_late(axes: Axes, run: Run) -> None:
    """Shade the times in which the machine was too slow for a live network."""
    spans = run.tables.get("late")
    for number, (begin, end) in enumerate(
        () if spans is None else spans.select("from_s", "to_s").iter_rows()
    ):
        label = "machine too slow" if number == 0 else None
        axes.axvspan(begin, end, color="0.4", alpha=0.3, linewidth=1.0, label=label)


def _mean_goodput(axes: Axes, lines: list[Line], seconds: float, bins: Bins) -> None:
    """Draw the sum over the flows, averaged over the seeds, with its 95 % interval."""
    arms: dict[str, dict[int, Array]] = {}
    edges = bins.edges(seconds)
    for line in lines:
        _, found = rates(line.frame, seconds, bins)
        by_seed = arms.setdefault(line.label, {})
        by_seed[line.seed] = by_seed.get(line.seed, np.zeros(len(found))) + found / 1000
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
    (name,) = found.names_of_metrics(metric, "--metric") or [metric]
    known = metrics.find(name)
    scale = known.scale if known else 1.0
    values: dict[str, list[float]] = {}
    for arm in found.variants:
        runs, counted = found.values(arm), found.counted(arm)
        known_values = [value for seed in counted if (value := runs[seed].get(name)) is not None]
        values[arm] = [value * scale for value in known_values]
    present = {arm: column for arm, column in values.items() if column}
    if not present:
        raise InputError(f"no run has {name}; `tworay metrics` says what it is")
    axes.boxplot(
        list(present.values()),
        showfliers=False,
        medianprops={"color": "#D55E00"},
    )
    label_arms(axes, list(present), found.choices)
    for place, column in enumerate(present.values(), start=1):
        # Side by side in the order of the seeds, so that points don't hide each other.
        spread = np.linspace(-0.12, 0.12, len(column)) if len(column) > 1 else [0.0]
        axes.plot(place + np.asarray(spread), column, ".", color="#0072B2", alpha=0.6, markersize=4)
    title, unit = metrics.words(name)
    axes.set_ylabel(f"{title}, {unit}" if unit else title)
    whose = found.judged_by(name)
    judged = f", {whose}" if whose else ""
    axes.set_title(f"{_of_seeds(found, None)}{judged}")
    axes.grid(visible=False, axis="x")


def _some(seeds: list[int]) -> str:
    return ", ".join(map(str, seeds[:8])) + (", …" if len(seeds) > 8 else "")
