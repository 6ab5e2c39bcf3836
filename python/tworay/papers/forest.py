"""A drawing of the papers' headlines: what was claimed, and the intervals found in both dialects."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tworay.papers.library import STANDARD
from tworay.papers.rule import Claimed, Sense
from tworay.showing.pictures import COLOURS, drawn, empty

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from tworay.papers.reproducing import Reproduction
    from tworay.papers.verdicts import Judgement

NAME = "headlines.svg"
CAPTION = (
    "Headlines about a difference: what is claimed (grey), the range of the estimates over the cells of the "
    "first claim (thick) and the outermost ends of their 95 % intervals (thin)"
)
# Percent: the axis is linear up to here, logarithmic beyond, and ends at the last.
LINEAR, END = 10.0, 1000.0
TICKS = (-1000, -100, -10, -5, 0, 5, 10, 100, 1000)
CLAIMED = "0.82"


@dataclass(frozen=True)
class Span:
    """The estimates over the cells of a claim, from the least to the largest, and their outermost ends."""

    least: float
    most: float
    low: float
    high: float


@dataclass(frozen=True)
class Line:
    """A headline whose first claim is a difference in percent."""

    name: str
    claimed: tuple[Claimed, ...]
    found: Span
    standard: Span | None


def lines(results: Sequence[Reproduction]) -> list[Line]:
    """Return the headlines that can be drawn, in the order of the pages."""
    found = []
    for result in results:
        for number, headline in enumerate(result.paper.headlines, 1):
            first = headline.claims[0]
            judgement = result.judgements.get(first)
            here = _span(judgement)
            if judgement is None or here is None:
                continue
            claimed = tuple(dict.fromkeys(cell.claimed for cell in judgement.tested))
            there = _span(result.others.get(first, {}).get(STANDARD))
            found.append(Line(f"{result.paper.name} H{number}", claimed, here, there))
    return found


def _span(judgement: Judgement | None) -> Span | None:
    if judgement is None or judgement.unit != "%":
        return None
    cells = [cell.measured for cell in judgement.tested]
    values = [one.estimate for one in cells if one.estimate is not None]
    ends = [(one.low, one.high) for one in cells if one.low is not None and one.high is not None]
    if not values or not ends:
        return None
    return Span(min(values), max(values), min(low for low, _ in ends), max(high for _, high in ends))


def digest(found: Sequence[Line]) -> str:
    """Return the digest of what is drawn, which the file carries."""
    return hashlib.sha256(repr(list(found)).encode()).hexdigest()[:16]


def draw(results: Sequence[Reproduction], folder: Path) -> None:
    """Write the drawing; nothing if no headline can be drawn."""
    found = lines(results)
    if not found:
        return
    figure, axes = empty()
    figure.set_size_inches(8.0, 1.1 + 0.24 * len(found))
    for place, line in enumerate(reversed(found)):
        _band(axes, place, line.claimed)
        _bar(axes, place + 0.16, line.found, COLOURS[0])
        if line.standard is not None:
            _bar(axes, place - 0.16, line.standard, COLOURS[1])
    axes.set_xscale("symlog", linthresh=LINEAR, linscale=1.2)
    axes.set_xlim(-END, END)
    axes.set_xticks(TICKS, [f"{tick:+d}" if tick else "0" for tick in TICKS])
    axes.set_yticks(range(len(found)), [line.name for line in reversed(found)])
    axes.set_ylim(-0.6, len(found) - 0.4)
    axes.axvline(0, color="0.4", linewidth=0.8)
    axes.set_xlabel("difference, percent (linear within ±10)")
    handles = [
        axes.plot([], [], color=CLAIMED, linewidth=7, label="claimed")[0],
        axes.plot([], [], color=COLOURS[0], linewidth=3, label="found with ns-2's rules")[0],
        axes.plot([], [], color=COLOURS[1], linewidth=3, label="with a standard MAC")[0],
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False)
    text = drawn(figure, ".svg").decode("utf-8")
    (folder / NAME).write_text(f"{text.rstrip()}\n<!-- cells {digest(found)} -->\n", encoding="utf-8")


def _bar(axes: Axes, place: float, span: Span, colour: str) -> None:
    """Draw the range of the estimates as a thick line, the outermost ends of the intervals as a thin one."""
    axes.plot([span.low, span.high], [place, place], color=colour, linewidth=1)
    axes.plot([span.least, span.most], [place, place], color=colour, linewidth=3.5, solid_capstyle="butt")
    axes.plot([span.least], [place], marker="|", color=colour, markersize=6)


def _band(axes: Axes, place: float, claimed: Sequence[Claimed]) -> None:
    for one in claimed:
        low, high = _ends(one)
        axes.barh(place, high - low, left=low, height=0.8, color=CLAIMED, zorder=0)


def _ends(claimed: Claimed) -> tuple[float, float]:
    match claimed.sense:
        case Sense.MORE:
            return claimed.margin, END
        case Sense.LESS:
            return -END, -claimed.margin
    low = claimed.low if math.isfinite(claimed.low) else -END
    return low, claimed.high if math.isfinite(claimed.high) else END
