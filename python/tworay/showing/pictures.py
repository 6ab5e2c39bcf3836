"""The look of plots, and the files they are written to."""

from __future__ import annotations

import functools
import io
from itertools import cycle
from typing import TYPE_CHECKING, Any

from tworay.errors import InputError, OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".svg", ".pdf", ".png")
# The colours of Okabe and Ito without yellow: colour-blind safe, also in print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
DASHES = ("-", "--", ":", "-.")
INCHES = (8.0, 4.5)
SETTINGS: Any = {"svg.hashsalt": "tworay", "svg.fonttype": "none", "font.size": 10}


def drawn(figure: Figure, form: str) -> bytes:
    """Return the picture in a format such as ``.svg``; the same picture gives the same bytes."""
    import matplotlib as mpl

    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(form)
    found = io.BytesIO()
    with mpl.rc_context(SETTINGS):
        figure.savefig(found, format=form[1:], metadata=metadata, dpi=150)
    return found.getvalue()


def write(figure: Figure, file: Path, form: str | None = None) -> None:
    """Write a picture in the format of the file's ending."""
    # Drawn in memory first: a full disk is then a plain OSError of write().
    found = drawn(figure, (form or file.suffix).lower())
    try:
        file.write_bytes(found)
    except OSError as error:
        if form is not None:
            raise  # The caller knows the name that the user gave.
        raise OutputError(f"cannot write {file}: {error.strerror}") from error


def new_figure(inches: tuple[float, float] = INCHES) -> Figure:
    """Return an empty figure, which a notebook shows where it is the last line of a cell."""
    return _shown()(figsize=inches, layout="constrained")


@functools.cache
def _shown() -> type[Figure]:
    """Return the class of figures. Matplotlib's own are shown after `%matplotlib inline` only."""
    from matplotlib.figure import Figure

    class Shown(Figure):
        """A figure with a picture of itself."""

        def _repr_png_(self) -> bytes:
            return drawn(self, ".png")

    return Shown


def empty() -> tuple[Figure, Axes]:
    """Return a figure with empty axes."""
    try:
        from matplotlib import rc_context
    except ImportError as error:
        raise InputError(f"plots need matplotlib ({error}); install it: pip install matplotlib") from error
    with rc_context(SETTINGS):
        figure = new_figure()
        axes = figure.add_subplot()
    axes.grid(visible=True, color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def styles() -> Iterator[dict[str, Any]]:
    """Colours first, then dashes: as many as there are lines."""
    for dash in cycle(DASHES):
        for colour in COLOURS:
            yield {"color": colour, "linestyle": dash, "linewidth": 1.2}
