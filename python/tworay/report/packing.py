"""Tables packed for the page: integers by column, as differences, byte plane by byte plane, gzip.

``viewer/src/data.ts`` unpacks them. A value is an integer times the column's scale; the smallest 32-bit
integer means "no value". Words are kept once, with their places as integers.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

MISSING = -(2**31)
LARGEST = 2**31 - 2
MICROSECOND = 1e-6

Words: TypeAlias = "tuple[Sequence[str], ArrayLike]"


def pack(columns: Mapping[str, tuple[ArrayLike, float] | Words]) -> str:
    """Return a table as base64. A column is its values with the scale wanted, or words with their places.

    NaN (of places: a negative one) means "no value". Where values divided by the scale don't fit in 32 bits,
    the scale grows as far as needed.
    """
    head = []
    planes = []
    rows = 0
    for name, (first, second) in columns.items():
        if isinstance(second, float):
            whole, scale = _quantized(np.asarray(first, dtype=float), second)
            head.append({"name": name, "scale": scale})
        else:
            places = np.asarray(second, dtype=np.int64)
            whole = np.where(places < 0, MISSING, places)
            head.append({"name": name, "scale": 1, "words": list(first)})  # type: ignore[arg-type]
        rows = len(whole)
        planes.append(_planes(whole))
    text = json.dumps({"rows": rows, "columns": head}, separators=(",", ":")).encode()
    data = struct.pack("<I", len(text)) + text + b"".join(planes)
    # The same table gives the same bytes: no time of day in the header.
    return base64.b64encode(gzip.compress(data, 6, mtime=0)).decode("ascii")


def _quantized(values: NDArray[np.float64], scale: float) -> tuple[NDArray[np.int64], float]:
    known = values[np.isfinite(values)]
    largest = float(np.abs(known).max()) if known.size else 0.0
    while largest / scale > LARGEST:
        scale *= 10
    whole = np.full(len(values), MISSING, dtype=np.int64)
    there = np.isfinite(values)
    whole[there] = np.rint(values[there] / scale).astype(np.int64)
    return whole, scale


def _planes(whole: NDArray[np.int64]) -> bytes:
    # Differences wrap around, as the page's additions do.
    wrapped = whole.astype(np.int32).view(np.uint32)
    steps = np.diff(wrapped, prepend=np.uint32(0)).astype("<u4")
    return np.ascontiguousarray(steps.view(np.uint8).reshape(-1, 4).T).tobytes()
