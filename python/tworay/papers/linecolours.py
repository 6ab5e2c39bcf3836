"""The colours of lines: a label, such as a variant, has the same one in all figures of a paper."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tworay.experiment.experimentfile import read
from tworay.papers.shown import words
from tworay.showing.labels import places
from tworay.showing.pictures import COLOURS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tworay.papers.library import Figure, Paper

# The kinds of figures whose lines are the labels of their columns, and of their rows.
BY_COLUMNS = (None, "lines", "dots")
BY_ROWS = ("trace", "windows")
# Axes and words are black, so lines are black only where no other colour is left.
LAST = len(COLOURS) - 1


def of(paper: Paper) -> dict[str, dict[str, str]]:
    """Return the colour of each label by axis; labels that stand in one figure differ.

    Plain variants come first, in the order of the figures. A variant with parameters or with a modification
    then avoids their colours where it can, and has the one of the same modification of another variant.
    """
    figures = [lines for one in paper.figures if (lines := _lines(paper, one))]
    found: dict[str, dict[str, int]] = {}
    for axis in dict.fromkeys(axis for axis, _ in figures):
        rows = [labels for one, labels in figures if one == axis]
        often = Counter(label for labels in rows for label in labels)
        known = found.setdefault(axis, {})
        for label in sorted(often, key=lambda one: (_derived(one), -often[one] if _derived(one) else 0)):
            beside = {known[one] for labels in rows if label in labels for one in labels if one in known}
            known[label] = _chosen(label, known, beside)
    return {axis: {label: COLOURS[i] for label, i in known.items()} for axis, known in found.items()}


def shown(paper: Paper, figure: Figure, colours: dict[str, dict[str, str]]) -> dict[str, str]:
    """Return the colours of a figure's lines, of those ``of`` its paper, by their names in it.

    It is empty where the drawing decides.
    """
    lines = _lines(paper, figure)
    if lines is None:
        return {}
    axis, labels = lines
    named = words(figure, axis, labels)
    return {named[label]: colours[axis][label] for label in labels}


def _lines(paper: Paper, figure: Figure) -> tuple[str, Sequence[str]] | None:
    """Return the axis of a figure's lines and the labels shown; ``None`` if it has none with colours.

    Many numbers in order have the colours of a scale.
    """
    axis = figure.cols if figure.kind in BY_COLUMNS else figure.rows if figure.kind in BY_ROWS else None
    trial = paper.trials.get(figure.experiment or "")
    if not axis or trial is None or figure.columns:
        return None
    axes = read(trial.document, derived=True).axes
    known = next((one.labels for one in axes if one.name == axis), ())
    wanted = figure.where.get(axis, known)
    labels = [one for one in known if one in ([wanted] if isinstance(wanted, str) else wanted)]
    return None if not labels or (len(labels) > len(COLOURS) and places(labels)) else (axis, labels)


def _derived(label: str) -> bool:
    """Return whether a label is a variant with parameters, or with a modification."""
    return "(" in label or bool(_added(label))


def _added(label: str) -> str:
    """Return the modification of a variant: ``sca(4)`` of ``reno+sca(4)``."""
    return label.partition("+")[2]


def _chosen(label: str, known: dict[str, int], beside: set[int]) -> int:
    """Return the colour of a label that does not have one yet; those ``beside`` it in a figure are taken."""
    free = [i for i in range(len(COLOURS)) if i not in beside] or list(range(len(COLOURS)))
    alike = [i for one, i in known.items() if _added(label) and _added(one) == _added(label) and i in free]
    plain = {i for one, i in known.items() if not _derived(one)}
    used = Counter(known.values())
    return alike[0] if alike else min(free, key=lambda i: (i == LAST, i in plain, used[i], i))
