"""Figures drawn when the page is written: SVG that takes its colours from the page's style.

Each has a table of its numbers; the page's script adds the downloads.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from tworay.report.page import coded, esc, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LETTER = 7.2
ROW = 34
TOP, BOTTOM = 12, 44
# With more seeds, the lines that join them would hide everything.
JOINED_AT_MOST = 60


# Up to this many values of an axis, each has a mark.
FEW = 7
# Shapes of series, as corners of radius 1; none for a circle.
SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    (),
    ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    ((0, -1.1), (1.05, 0.8), (-1.05, 0.8)),
    ((0, -1.25), (1.1, 0), (0, 1.25), (-1.1, 0)),
    ((0, 1.1), (1.05, -0.8), (-1.05, -0.8)),
)


class Room(NamedTuple):
    """The width of a picture, and the place of the names of its rows."""

    kind: str
    width: float
    above: bool

    @property
    def row(self) -> float:
        """Height of a row."""
        return ROW + 16.0 * self.above

    def gutter(self, names: Iterable[str]) -> float:
        """Return the space left of what is drawn."""
        return 12.0 if self.above else _gutter(names)

    def middle(self, place: int) -> float:
        """Return the height at which a row is drawn."""
        return TOP + self.row * (place + 0.5) + 9.0 * self.above

    def name(self, text: str, place: int, left: float) -> str:
        """Return a row's name."""
        if self.above:
            return write(left, TOP + self.row * place + 15, _short(text, 46))
        return write(left - 12, self.middle(place) + 4, _short(text), anchor="end")


# Every picture is drawn for wide and for narrow windows; the style sheet shows one of them.
WIDE, NARROW = Room("wide", 720.0, above=False), Room("narrow", 372.0, above=True)


class Scale(NamedTuple):
    """Where values stand on an axis."""

    low: float
    high: float
    left: float
    right: float

    def __call__(self, value: float) -> float:
        """Return a value's place."""
        return self.left + (value - self.low) / (self.high - self.low) * (self.right - self.left)


class Row(NamedTuple):
    """One arm of a dot figure: its seeds' values in order of the seeds, its mean and interval."""

    name: str
    values: list[float | None]
    mean: float | None
    interval: tuple[float, float] | None
    letter: str = ""


def figure(name: str, title: str, about: str, picture: str, numbers: str, *, opened: bool = False) -> str:
    """Return a figure with its caption, and its table behind a heading."""
    return (
        f'<figure data-name="{esc(name)}"><figcaption>{esc(title)}'
        f'<span class="about">{coded(about)}</span></figcaption>{picture}'
        f"<details{' open' * opened}><summary>Numbers of this figure</summary>{numbers}</details>"
        f'<div class="tools"><span class="downloads"></span></div></figure>'
    )


def ticks(low: float, high: float, about: int = 6) -> list[float]:
    """Return round numbers between two others."""
    span = high - low
    if not span > 0:
        return [low]
    step = 10 ** math.floor(math.log10(span / about))
    step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= about)
    first = math.ceil(low / step - 1e-9)
    return [index * step for index in range(first, math.floor(high / step + 1e-9) + 1)]


def label(value: float) -> str:
    """Return a tick's number."""
    return f"{value:,.10g}"


def _gutter(names: Iterable[str]) -> float:
    longest = max(map(len, names), default=4)
    return min(290.0, 24 + LETTER * min(longest, 44))


def _wide(letters: int) -> float:
    """Return the room for an arm's letters behind the axis: most arms have up to three."""
    return max(24.0, LETTER * letters)


def _short(name: str, most: int = 44) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def svg(width: float, height: float, title: str, parts: Iterable[str], kind: str = "any") -> str:
    """Return a picture for windows of a kind; one that is wider still is scrolled, not made too small."""
    return (
        f'<div class="scroll {kind}" tabindex="0" role="group" '
        f'aria-label="{esc(title)}"><svg class="figure" xmlns="http://www.w3.org/2000/svg" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{esc(title)}">{"".join(parts)}</svg></div>'
    )


def write(
    x: float, y: float, words: object, *, anchor: str = "start", kind: str = "", turn: float = 0.0
) -> str:
    """Return a text of a picture, rotated around its position by an angle in degrees."""
    style = f' class="{kind}"' if kind else ""
    turned = f' transform="rotate({turn:g} {x:.1f} {y:.1f})"' if turn else ""
    return f'<text{style} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turned}>{esc(words)}</text>'


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _circle(kind: str, x: float, y: float, r: float, about: str = "") -> str:
    title = f"<title>{esc(about)}</title>" if about else ""
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{r:g}">{title}</circle>'


def _box(kind: str, x: float, y: float, size: tuple[float, float], about: str = "", more: str = "") -> str:
    title = f"<title>{esc(about)}</title>" if about else ""
    wide, high = size
    return (
        f'<rect class="cell {esc(kind)}" x="{x:.1f}" y="{y:.1f}" width="{wide:.2f}" '
        f'height="{high:.1f}"{more}>{title}</rect>'
    )


def _axis(
    scale: Scale, top: float, floor: float, unit: str, marked: Sequence[float] | None = None
) -> list[str]:
    """Draw the axis below a picture, with these values marked or else round ones."""
    parts = []
    about = max(3, round((scale.right - scale.left) / 90))
    for tick in marked or ticks(scale.low, scale.high, about):
        x = scale(tick)
        parts += [
            _line("grid", x, top, x, floor),
            write(x, floor + 16, label(tick), anchor="middle", kind="soft"),
        ]
    middle = (scale.left + scale.right) / 2
    return [*parts, write(middle, floor + 34, unit, anchor="middle", kind="soft")]


def dots(rows: Sequence[Row], unit: str, title: str) -> str:
    """Draw arms below each other: each seed a faint point, joined across the arms, mean and interval."""
    return _dots(rows, unit, title, WIDE) + _dots(rows, unit, title, NARROW)


def _dots(rows: Sequence[Row], unit: str, title: str, room: Room) -> str:
    everything = [v for row in rows for v in row.values if v is not None]
    everything += [end for row in rows if row.interval for end in row.interval]
    everything += [row.mean for row in rows if row.mean is not None]
    if not everything:
        return ""
    low, high = min(everything), max(everything)
    margin = (high - low) * 0.05 or abs(high) * 0.05 or 1.0
    # An axis of non-negative values starts at zero, with room for half a point but not for a tick.
    begin = low - margin if low < 0 or low > margin else -0.02 * (high + margin)
    letters = max((len(row.letter) for row in rows), default=0)
    x = Scale(begin, high + margin, room.gutter(row.name for row in rows), room.width - 12 - _wide(letters))
    floor = TOP + room.row * len(rows)
    parts = _axis(x, TOP, floor, unit)
    # Seeds stand above the mean, so that neither hides the other.
    above, below = -6.0, 6.0
    seeds = max((len(row.values) for row in rows), default=0)
    for seed in range(seeds if len(rows) > 1 and seeds <= JOINED_AT_MOST else 0):
        points = [
            f"{x(value):.1f},{room.middle(place) + above:.1f}"
            for place, row in enumerate(rows)
            if seed < len(row.values) and (value := row.values[seed]) is not None
        ]
        parts.append(f'<polyline class="pair" points="{" ".join(points)}"/>')
    for place, row in enumerate(rows):
        y = room.middle(place)
        parts.append(room.name(row.name, place, x.left))
        parts += [_circle("seed", x(value), y + above, 3) for value in row.values if value is not None]
        if row.interval:
            parts.append(_line("interval", x(row.interval[0]), y + below, x(row.interval[1]), y + below))
        if row.mean is not None:
            parts.append(_circle("mean", x(row.mean), y + below, 5.5))
        parts.append(write(x.right + 8, y + 4, row.letter))
    return svg(room.width, floor + BOTTOM, title, parts, room.kind)


def stacked(rows: Sequence[tuple[str, dict[str, float]]], unit: str, title: str) -> str:
    """Draw bars of parts: each part has the colour of the cause before its first colon."""
    return _stacked(rows, unit, title, WIDE) + _stacked(rows, unit, title, NARROW)


def _stacked(rows: Sequence[tuple[str, dict[str, float]]], unit: str, title: str, room: Room) -> str:
    total = max((sum(parts.values()) for _, parts in rows), default=0.0)
    if total <= 0:
        return ""
    x = Scale(0.0, total, room.gutter(name for name, _ in rows), room.width - 60)
    floor = TOP + room.row * len(rows)
    parts = _axis(x, TOP, floor, unit)
    for place, (name, of) in enumerate(rows):
        y = room.middle(place)
        parts.append(room.name(name, place, x.left))
        before, lost = 0.0, sum(of.values())
        for part, value in of.items():
            cause, _, ended = part.partition(": ")
            wide = max(3.0, x(before + value) - x(before))
            about = f"{name}: {value:,.0f} by {part} ({value / lost:.0%})"
            parts.append(_box(f"f-{cause}", x(before), y - ROW / 2 + 5, (wide, ROW - 10), about))
            if wide > LETTER * len(ended or cause) + 8:
                middle = x(before + value / 2)
                kind = f"bar-label on-{cause}"
                parts.append(write(middle, y + 4, ended or cause, anchor="middle", kind=kind))
            before += value
        parts.append(write(x(before) + 6, y + 4, f"{lost:,.0f}", kind="soft"))
    return svg(room.width, floor + BOTTOM, title, parts, room.kind)


def legend(causes: Iterable[str]) -> str:
    """Return the colours of causes with their names."""
    keys = "".join(
        f'<span class="key"><svg width="13" height="13" viewBox="0 0 13 13" aria-hidden="true">'
        f'<rect class="f-{esc(cause)}" width="13" height="13" rx="3"/></svg>{esc(cause)}</span>'
        for cause in causes
    )
    return f'<p class="legend">{keys}</p>'


class Cell(NamedTuple):
    """One cell of a matrix: its text, how strong its colour is (0 to 1), of which class, and a remark."""

    text: str
    strength: float = 0.0
    kind: str = "f-better"
    about: str = ""


def matrix(names: Sequence[str], heads: Sequence[str], cells: Sequence[Sequence[Cell]], title: str) -> str:
    """Draw a matrix of coloured cells with their texts."""
    return _matrix(names, heads, cells, title, WIDE) + _matrix(names, heads, cells, title, NARROW)


def _matrix(
    names: Sequence[str], heads: Sequence[str], cells: Sequence[Sequence[Cell]], title: str, room: Room
) -> str:
    longest = 14 if room.above else 44
    left = _gutter(name[:longest] for name in names)
    wide = min(120.0, max(56.0, (room.width - left - 10) / max(1, len(heads))))
    high = 30.0
    slanted = any(LETTER * len(head) > wide for head in heads)
    top = 16 + (min(90.0, 4.4 * max(map(len, heads), default=0)) if slanted else 14)
    turn, anchor = (-28.0, "start") if slanted else (0.0, "middle")
    parts = [
        write(left + wide * (place + 0.5), top - 8, _short(head, 22), anchor=anchor, kind="soft", turn=turn)
        for place, head in enumerate(heads)
    ]
    for line, (name, row) in enumerate(zip(names, cells, strict=True)):
        y = top + high * line
        parts.append(write(left - 12, y + 20, _short(name, longest), anchor="end"))
        for place, cell in enumerate(row):
            x = left + wide * place
            parts.append(_box("f-equal", x, y, (wide, high), cell.about))
            if cell.strength > 0:
                opacity = f' opacity="{0.15 + 0.5 * min(1.0, cell.strength):.2f}"'
                parts.append(_box(cell.kind, x, y, (wide, high), cell.about, opacity))
            parts.append(write(x + wide / 2, y + 20, cell.text, anchor="middle"))
    width = left + wide * len(heads) + (60 if slanted else 10)
    return svg(width, top + high * len(names) + 8, title, parts, room.kind)


class Point(NamedTuple):
    """A point of a line: where, the mean, and its interval."""

    x: float
    y: float
    interval: tuple[float, float] | None = None


SIZE = (460.0, 250.0)


def lines(
    series: Sequence[tuple[str, Sequence[Point]]],
    across: str,
    unit: str,
    title: str,
    *,
    highest: float | None = None,
) -> str:
    """Draw lines with points and intervals, one a series: for small multiples, which share ``highest``."""
    points = [point for _, of in series for point in of]
    if not points:
        return ""
    width, height = SIZE
    top, floor = 10.0, height - 44
    xs = sorted({point.x for point in points})
    lows = [point.interval[0] if point.interval else point.y for point in points]
    y0, y1 = min(0.0, *lows), max(point.y for point in points) if highest is None else highest
    margin = (xs[-1] - xs[0]) * 0.04 or 0.5
    x = Scale(xs[0] - margin, xs[-1] + margin, 62.0, width - 12)
    y = Scale(y0, y1 * 1.05 if y1 > y0 else y0 + 1, floor, top)
    # Where few values were tried, they are the ticks.
    parts = _axis(x, top, floor, across, xs if len(xs) <= FEW else None)
    for tick in ticks(y.low, y.high, 5):
        parts.append(_line("grid", x.left, y(tick), x.right, y(tick)))
        parts.append(write(x.left - 6, y(tick) + 4, label(tick), anchor="end", kind="soft"))
    parts.append(write(14, (top + floor) / 2, unit, anchor="middle", kind="soft", turn=-90))
    for number, (name, of) in enumerate(series):
        kind = f"s-{number % 6}"
        # Side by side, so that intervals at one position can be distinguished.
        shift = (number - (len(series) - 1) / 2) * 3.0
        path = " ".join(f"{x(p.x) + shift:.1f},{y(p.y):.1f}" for p in of)
        parts.append(f'<polyline class="{kind}" points="{path}"/>')
        for p in of:
            at = x(p.x) + shift
            if p.interval:
                parts.append(_line(kind, at, y(p.interval[0]), at, y(p.interval[1])))
            about = f"{name}: {label(float(f'{p.y:.6g}'))} at {label(p.x)}"
            parts.append(_marker(number, at, y(p.y), about))
    return svg(width, height, title, parts)


def _marker(number: int, x: float, y: float, about: str) -> str:
    """Draw a point of a series: each has a shape besides its colour."""
    corners = SHAPES[number % len(SHAPES)]
    kind = f"s-{number % 6}"
    if not corners:
        return _circle(kind, x, y, 3.5, about)
    points = " ".join(f"{x + 4 * dx:.1f},{y + 4 * dy:.1f}" for dx, dy in corners)
    return f'<polygon class="{kind}" points="{points}"><title>{esc(about)}</title></polygon>'


def series_legend(names: Sequence[str]) -> str:
    """Return the colours and shapes of series with their names."""
    keys = "".join(
        f'<span class="key"><svg width="14" height="12" viewBox="0 0 14 12" aria-hidden="true">'
        f"{_marker(place, 7, 6, name)}</svg>{esc(name)}</span>"
        for place, name in enumerate(names)
    )
    return f'<p class="legend">{keys}</p>'


def numbers(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a figure's table."""
    return table(caption, head, rows)
