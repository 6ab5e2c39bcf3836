"""Figures that show kept tables of single runs, or of all runs of an arm: over time, or as histograms."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from tworay.analysis.contrasts import select
from tworay.errors import InputError
from tworay.papers import samples
from tworay.papers.kept import BREAK, MSS, TITLES, Arm, doublings, found_again, notices, within
from tworay.papers.quantities import heading
from tworay.showing import curves
from tworay.showing.curves import Exchange, Words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tworay.papers.library import Figure
    from tworay.papers.tables import Table

# Maximum number of rows per line in the table of a figure over time.
TRACED = 40
# Times that Papanastasiou gives for the route break, by their keys in `printed`.
TIMES = {"noticed": "D's notice", "back": "the first data by the new route"}
# Seconds between the ticks of the receiver's timer in Papanastasiou's figure 5.3.
HEARTBEAT = 0.2


def draw(
    figure: Figure,
    frame: pl.DataFrame,
    axes: list[str],
    where: Path,
    file: Path,
    colours: Mapping[str, str] | None = None,
) -> tuple[Path | None, Table] | None:
    """Draw a figure from kept tables; return its path and its numbers, ``None`` if there are no tables.

    A table alone has no path. ``colours`` are those of arms by the names shown (default: by their order).
    """
    try:
        found = select(frame, figure.where, axes).sort("seed")
    except InputError:
        return None  # --quick leaves some cells out.
    colours = colours or {}
    arms = [
        Arm(
            str(label),
            where,
            tuple(part.select("world", "seed").iter_rows()),
            colours.get(figure.named.get(str(label), str(label)), ""),
        )
        for (label,), part in found.group_by(figure.rows, maintain_order=True)
    ]
    order = list(dict.fromkeys(frame[figure.rows].to_list()))
    arms.sort(key=lambda arm: order.index(arm.label))
    table = KINDS[str(figure.kind)](figure, arms, file)
    return (None if figure.kind in UNDRAWN else file, table) if table else None


def _words(figure: Figure, arms: list[Arm], y: str = "") -> Words:
    seeds = {arm.seed for arm in arms}
    note = f"one run of each, seed {', '.join(map(str, sorted(seeds)))}"
    title = figure.y or y or TITLES.get(figure.metric) or heading(figure.metric)[0]
    return Words(figure.title, title, note, legend=figure.x)


def _column(figure: Figure, arm: Arm, flow: int | None = None) -> pl.DataFrame | None:
    """Return the figure's column of an arm's first run over time, of one flow."""
    series = arm.table(figure.table)
    if series is None:
        return None
    if flow is not None:
        series = series.filter(pl.col("flow") == flow)
    if figure.metric == "rtt_s":
        series = round_trips(series)
    elif figure.metric == "acked_segments":
        series = series.with_columns(acked_segments=pl.col("acked_bytes") / MSS)
    elif figure.metric == "total_segments":
        series = series.with_columns(total_segments=pl.col("data_segments") + pl.col("ack_segments"))
    elif figure.metric == "excess_segments":
        window = arm.table("series")
        if window is None:
            return None
        if flow is not None:
            window = window.filter(pl.col("flow") == flow)
        known = window.select("t_s", "cwnd_segments").sort("t_s")
        series = series.sort("t_s").join_asof(known, on="t_s").drop_nulls("cwnd_segments")
        series = series.with_columns(excess_segments=pl.col("cwnd_segments") - pl.col("data_segments"))
    series = series.select("t_s", figure.metric)
    if figure.mean_of > 1:
        series = series.with_columns(smoothed(series[figure.metric], figure.mean_of))
    return within(figure, series)


def smoothed(values: pl.Series, rows: int) -> pl.Series:
    """Return the centred running mean of so many rows; half of them at each end stay as they are.

    So Papanastasiou 2006 (p. 67) describes his figure 3.11.
    """
    values = values.cast(pl.Float64)
    return values.rolling_mean(rows, center=True).fill_null(values)


def round_trips(segments: pl.DataFrame) -> pl.DataFrame:
    """Return time and length, s, of a flow's round trips: of the newest segment that an ACK acknowledges.

    A segment that was sent more than once gives none (Karn and Partridge 1987).
    """
    sent: dict[int, list[float]] = {}
    for time, first, size in segments.filter(kind="data").select("t_s", "seq", "bytes").iter_rows():
        if size:
            sent.setdefault(first + size, []).append(time)
    acks = segments.filter(kind="ack").drop_nulls("arrived_s").sort("arrived_s")
    most, times, lengths = 1, [], []
    for time, number in acks.select("arrived_s", "ack").iter_rows():
        if number > most:
            most = number
            if len(copies := sent.get(number, [])) == 1:
                times.append(time)
                lengths.append(time - copies[0])
    return pl.DataFrame({"t_s": times, "rtt_s": lengths}, schema={"t_s": pl.Float64, "rtt_s": pl.Float64})


def _flows(figure: Figure, arm: Arm) -> list[int | None]:
    table = arm.table(figure.table)
    flows = [] if table is None or "flow" not in table.columns else sorted(table["flow"].unique().to_list())
    return list(flows) if len(flows) > 1 else [None]


def _series(figure: Figure, arms: list[Arm]) -> list[tuple[str, pl.DataFrame]]:
    """Return a line for each arm, or for each of its flows if there are several."""
    lines = []
    for arm in arms:
        for flow in _flows(figure, arm):
            series = _column(figure, arm, flow)
            if series is not None and not series.is_empty():
                name = figure.named.get(arm.label, arm.label)
                if flow is not None:
                    name = figure.named.get(f"flow {flow}", f"{name}, flow {flow}")
                lines.append((name, series))
    return lines


def _listed(lines: list[tuple[str, pl.DataFrame]], title: str) -> Table:
    rows = []
    for label, series in lines:
        kept = series.gather_every(max(1, -(-series.height // TRACED)))
        rows += [
            [label, f"{time:.3f}", "–" if value is None else f"{value:.4g}"]
            for time, value in kept.iter_rows()
        ]
    return ["line", "t, s", title], rows


def _lost(figure: Figure, arms: list[Arm]) -> list[list[float]]:
    """Return, for each line of `_series`, when the data segments that did not arrive were sent, s."""
    found = []
    for arm in arms:
        for flow in _flows(figure, arm):
            segments = arm.table("segments")
            if segments is None:
                continue
            lost = segments.filter((pl.col("kind") == "data") & (pl.col("bytes") > 0))
            lost = lost.filter(pl.col("arrived_s").is_null())
            if flow is not None:
                lost = lost.filter(pl.col("flow") == flow)
            found.append(within(figure, lost)["t_s"].to_list())
    return found


def _with_marks(figure: Figure, words: Words) -> Words:
    """Return the words of round trips with losses and events."""
    events = "".join(f"; dotted: {name} ({time:g} s)" for name, time in figure.marks.items())
    return replace(words, note=f"{words.note}; ×: a data segment that got lost, when it was sent{events}")


def _trace(figure: Figure, arms: list[Arm], file: Path) -> Table | None:
    lines = _series(figure, arms)
    if not lines:
        return None
    words = _words(figure, arms)
    if figure.metric == "rtt_s":
        curves.round_trips(lines, _lost(figure, arms), figure.marks, _with_marks(figure, words), output=file)
        return _listed(lines, words.y)
    if any(flow is not None for arm in arms for flow in _flows(figure, arm)):
        words = replace(words, legend="")  # The lines are flows, not labels of the axis.
    steps = figure.mean_of == 1 and figure.metric != "acked_segments"
    colours = {figure.named.get(arm.label, arm.label): arm.colour for arm in arms if arm.colour}
    curves.trace(lines, figure.metric, words, output=file, steps=steps, colours=colours)
    return _listed(lines, words.y)


def _areas(figure: Figure, arms: list[Arm], file: Path) -> Table | None:
    lines = _series(figure, arms[:1])
    if not lines:
        return None
    words = replace(_words(figure, arms[:1]), legend="")
    curves.areas(lines, figure.metric, words, output=file)
    return _listed(lines, words.y)


def _flight(figure: Figure, arms: list[Arm], file: Path) -> Table | None:
    """Draw data, ACKs and both in flight, a panel for each arm."""
    columns = ("data_segments", "ack_segments", "total_segments")
    shown, rows = [], []
    for arm in arms:
        lines = []
        for name, column in zip(("data", "ACKs", "both"), columns, strict=True):
            series = _column(replace(figure, metric=column), arm)
            if series is None:
                return None
            lines.append((name, series, column))
        peaks = [f"{float(series[column].to_numpy().max()):.3g}" for _, series, column in lines]
        shown.append((f"{figure.x}: {arm.label}", lines))
        rows.append([arm.label, *peaks])
    curves.layers(shown, _words(figure, arms, "in flight (segments)"), output=file)
    return [figure.x, "most data", "most ACKs", "most of both"], rows


def acked_by(acks: pl.DataFrame, first: int) -> list[tuple[float, int]]:
    """Return time and number of segments that each ACK newly acknowledges, in the order of their times.

    ``first`` is the first byte that an ACK can acknowledge; a duplicate ACK, or one that was overtaken,
    acknowledges nothing.
    """
    most, found = first, []
    for time, number in acks.iter_rows():
        found.append((time, round(max(0, number - most) / MSS)))
        most = max(most, number)
    return found


def _acks(segments: pl.DataFrame, at: str) -> list[tuple[float, int]]:
    acks = segments.filter(pl.col("kind") == "ack").drop_nulls(at).sort(at)
    # The first ACKs belong to the handshake, and sequence numbers of data begin at 1.
    return acked_by(acks.filter(pl.col("ack") > 1).select(at, "ack"), 1)


def _exchange(figure: Figure, arms: list[Arm], file: Path) -> Table | None:
    arm = arms[0]
    segments, series, routing = (arm.table(name) for name in ("segments", "series", "routing"))
    if segments is None or series is None or routing is None:
        return None
    sent = segments.filter((pl.col("kind") == "data") & (pl.col("bytes") > 0))
    acks = _acks(segments, "arrived_s")
    after = [time for time, number in acks if time > BREAK + 0.5 and number > 0]
    back = after[0] if after else None
    seconds = float(series["t_s"].to_numpy()[-1])
    broken, again = notices(routing), found_again(routing)
    lost = [float(broken[0]), again] if again else []
    printed = [float(figure.printed[key]) for key in TIMES if key in figure.printed]
    found = Exchange(
        sent["t_s"].to_list(),
        acks,
        series,
        (BREAK, back) if back else None,
        float(round(seconds)),
        lost,
        printed,
    )
    note = f"one run, seed {arm.seed}; grey: from the break to the first new ACK"
    if lost:
        note += "; solid: D notices the break, and the source knows the new route"
    if printed:
        said = " and ".join(TIMES[key] for key in TIMES if key in figure.printed)
        note += f"\ndotted: times that the thesis gives for its run, of {said}"
    note += "\nbelow: the timeout is added, and the left axis is logarithmic"
    curves.exchange(found, replace(_words(figure, arms[:1]), note=note), output=file)

    def stated(key: str) -> str:
        found = figure.printed.get(key, [])
        return ", ".join(f"{one:g}" for one in (found if isinstance(found, list) else [found]))

    waited = [b - a for a, b in pairwise([time for time, n in acks if n > 0])]
    rows = [
        ["data segments sent", f"{sent.height}"],
        ["ACKs received, of these acknowledging nothing new", f"{len(acks)}, {sum(n == 0 for _, n in acks)}"],
        ["most segments acknowledged by an ACK", f"{max((n for _, n in acks), default=0)}"],
        [
            "broken link noticed by D, s",
            "–" if broken.is_empty() else f"{broken[0]:.2f}",
            stated("noticed"),
        ],
        ["new route known to the source, s", f"{again:.2f}" if again else "–"],
        [
            "timer's expiries from the break on until then, s",
            ", ".join(f"{time:.1f}" for time in doublings(series) if BREAK < time < (back or seconds)),
            stated("expiries"),
        ],
        [
            "first data by the new route: its ACK, s",
            f"{back:.2f}" if back else "–",
            stated("back"),
        ],
        ["longest time between new ACKs, s", f"{max(waited, default=0.0):.2f}"],
        ["mean window, segments", f"{_over_time(series, 'cwnd_segments'):.2f}", stated("window")],
        ["mean smoothed round-trip time, s", f"{_over_time(series.drop_nulls('srtt_s'), 'srtt_s'):.3f}"],
    ]
    return [f"one run, seed {arm.seed}", "value", "the paper's"], [[*row, ""][:3] for row in rows]


def _over_time(series: pl.DataFrame, column: str) -> float:
    """Return the mean over time of a column that holds until the next row."""
    spans = series["t_s"].diff().shift(-1).fill_null(0.0).to_numpy()
    total = float(spans.sum())
    return float((series[column].to_numpy() * spans).sum()) / total if total else 0.0


def _windows(figure: Figure, arms: list[Arm], file: Path) -> Table | None:
    shown, rows = [], []
    for arm in arms:
        series, routing = arm.table("series"), arm.table("routing")
        if series is None or routing is None:
            return None
        broken = within(figure, routing.filter(pl.col("event") == "link-broken"))["t_s"].to_list()
        part = within(figure, series)
        shown.append((arm.label, part, broken))
        window = part["cwnd_segments"].to_numpy()
        rows.append(
            [arm.label, f"{window.max():.3g}", f"{_over_time(part, 'cwnd_segments'):.3g}", str(len(broken))]
        )
    words = _words(figure, arms, TITLES["cwnd_segments"])
    words = replace(words, note=f"{words.note}; ×: a packet given up by the MAC, the link counts as broken")
    colours = {arm.label: arm.colour for arm in arms if arm.colour}
    curves.windows(shown, words, output=file, colours=colours)
    return ["", "largest window, segments", "mean window, segments", "packets given up"], rows


def _coverage(figure: Figure, arms: list[Arm], file: Path) -> Table | None:
    arm = arms[0]
    segments = arm.table("segments")
    if segments is None or figure.window is None:
        return None
    low, high = figure.window
    shown = [(time, number) for time, number in _acks(segments, "t_s") if low <= time <= high]
    if not shown:
        return None
    ticks = [low + i * HEARTBEAT for i in range(round((high - low) / HEARTBEAT) + 1)]
    note = f"one run, seed {arm.seed}; dotted: ticks of a timer of 200 ms"
    words = Words(figure.title, "segments covered by an ACK (0: at once, out of order)", note)
    curves.acknowledgments(shown, ticks, words, output=file)
    return ["t, s", "segments covered"], [[f"{time:.3f}", str(number)] for time, number in shown]


# By the `kind` of a figure.
KINDS: dict[str, Callable[[Figure, list[Arm], Path], Table | None]] = {
    "trace": _trace,
    "areas": _areas,
    "exchange": _exchange,
    "windows": _windows,
    "flight": _flight,
    "coverage": _coverage,
    "histogram": samples.bins,
    "relays": samples.relays,
    "speeds": samples.speeds,
}
UNDRAWN = ("relays", "speeds")
# They count all runs of an arm; the others show its first one.
COUNTED = ("histogram", "relays", "speeds")
# Their numbers are samples of lines, for pages.
LISTED = ("trace", "areas")
