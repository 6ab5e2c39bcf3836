"""The bands of claims: from the words and figures of the source, each with where it comes from."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from tworay.papers.rule import MARGIN, Across, Claimed, Sense

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A printed figure allows this share of itself; a printed difference at least the margin of relevance.
PRINTED = 0.05
# Half of a unit of the last digit of a range that is printed in whole percent.
ROUNDED = 0.5
# A printed value, perhaps with a unit.
FIGURE = re.compile(r"(\d+)(?:\.(\d+))?(?: [^\d;,]*)?")


class Basis(StrEnum):
    """The origin of a band."""

    WORD = "the source's word"
    PRINTED = "a printed figure ±5 %"
    DIGIT = "a printed figure ± half a unit of its last digit"
    DIFFERENCE = "a printed difference ±δ points"
    STATED = "the range that the source states"
    PLOT = "read off a plot"
    WORDING = "our reading of the source's words, which give no figure"


def claimed_of(how: Mapping[str, Any], place: Sequence[str]) -> Claimed:
    """Return what a claim claims about the cell with these labels.

    ``band`` (or the cell's entry of ``bands``) is a word, a printed figure, or two bounds, either of which
    may be infinite; bounds need a ``basis`` (`stated`, `plot` or `wording`). Entries of ``bands`` are known
    by one of the cell's labels, or by several next to each other: ``10 m/s 40 s``. ``digit`` is the unit of a
    printed figure's last digit (`last_digit`).
    """
    return replace(_claimed(how, place), median=bool(how.get("median")), measured="errors" in how)


def _claimed(how: Mapping[str, Any], place: Sequence[str]) -> Claimed:
    # A share of comparisons is a value in percent, not a difference.
    value = "value" in how or "agree" in how
    band = next((how["bands"][label] for label in _names(place) if label in how.get("bands", {})), None)
    if band is None:
        band = how.get("band", 0.0 if value else "more")
    margin = float(how.get("margin", MARGIN))
    if isinstance(band, str):
        return _word(band, margin)
    if isinstance(band, int | float):
        reach, basis = abs(band) * PRINTED, Basis.PRINTED
        if not value and reach < margin:
            reach, basis = margin, Basis.DIFFERENCE
        elif value and reach < (half := how.get("digit", 0.0) / 2):
            reach, basis = half, Basis.DIGIT
        side = 0 if value or not band else 1 if band > 0 else -1
        return Claimed(
            Sense.BAND, band - reach, band + reach, margin=margin, value=value, basis=basis, side=side
        )
    low, high = map(float, band)
    basis = _basis(how)
    rounded = ROUNDED if basis is Basis.STATED and not value else 0.0
    error = float(how.get("error", rounded))
    return Claimed(Sense.BAND, low, high, error, margin=margin, value=value, basis=basis)


def last_digit(paper: str, band: object) -> float:
    """Return the unit of the last digit of a band as its source prints it; zero if it does not."""
    printed = FIGURE.fullmatch(paper)
    if printed is None or float(f"{printed[1]}.{printed[2] or 0}") != band:
        return 0.0
    return 10.0 ** -len(printed[2] or "")


def _names(place: Sequence[str]) -> list[str]:
    """Return the names of a cell: runs of its labels, the longest first."""
    ends = range(len(place) + 1)
    runs = [place[start:end] for start in ends for end in ends[start + 1 :]]
    return [" ".join(run) for run in sorted(runs, key=len, reverse=True)]


def _basis(how: Mapping[str, Any]) -> Basis:
    found = str(how.get("basis", ""))
    if found.upper() not in Basis.__members__:
        raise ValueError(f"basis: `{found}` is none; two bounds need `stated`, `plot` or `wording`")
    return Basis[found.upper()]


def _word(word: str, margin: float) -> Claimed:
    match word:
        case "more":
            return Claimed(Sense.MORE, margin=margin, basis=Basis.WORD)
        case "less":
            return Claimed(Sense.LESS, margin=margin, basis=Basis.WORD)
        case "alike":
            return Claimed(Sense.EQUAL, -margin, margin, margin=margin, basis=Basis.WORD)
        case "no less":
            return Claimed(Sense.BAND, -margin, math.inf, margin=margin, basis=Basis.WORD)
        case "no more":
            return Claimed(Sense.BAND, -math.inf, margin, margin=margin, basis=Basis.WORD)
    raise ValueError(f"band: `{word}` is no word; allowed are more, less, alike, no less, no more")


def band_in_words(how: Mapping[str, Any]) -> str:
    """Return what a claim is judged as: its band or bands, and where they come from."""
    claims = [(f"{label}: ", claimed_of(how, [label])) for label in how.get("bands", {})]
    if not claims or "band" in how:
        claims.append(("otherwise: " if claims else "", claimed_of(how, [])))
    over = across_in_words(how)
    basis = claims[0][1].basis
    if any(one.basis != basis for _, one in claims):
        return "; ".join(f"{label}{one}{_from(one.basis, ' (', ')')}" for label, one in claims) + over
    return "; ".join(f"{label}{one}" for label, one in claims) + over + _from(basis, ": ")


def _from(basis: str, before: str, after: str = "") -> str:
    """Return where a band comes from, which a word says itself."""
    return "" if basis == Basis.WORD else f"{before}{basis}{after}"


def across_in_words(how: Mapping[str, Any]) -> str:
    """Return what to add if a claim is not made of every cell."""
    return {Across.GENERAL: ", in general", Across.SOME: ", in some cell"}.get(across(how), "")


def across(how: Mapping[str, Any]) -> Across:
    """Return of which of its cells a claim is made."""
    return Across(how.get("across", Across.EVERY))
