"""Fits classes of packets with similar round-trip times, and their schedule, to a trace."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from tworay.errors import InputError
from tworay.sedlane.access import NO_ACCESS, Access

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tworay.sedlane.traces import Packets, Trace

MOST_CLASSES = 16
# Classes whose round-trip times differ by less than this share are merged.
ALIKE = 0.02
# The range of the logarithms of round-trip times is divided into so many cells, which are then grouped.
CELLS = 400


class Profile(NamedTuple):
    """Up to 16 classes, and the schedule of their use.

    ``rtt`` in seconds, ``loss`` and ``loss_back`` as shares from 0 to 1. From each of ``starts`` (seconds)
    on, the class at the same position in ``classes`` applies. ``access`` is the hosts' own link.
    """

    name: str
    duration: float
    rtt: NDArray[np.float64]
    loss: NDArray[np.float64]
    loss_back: NDArray[np.float64]
    packets: NDArray[np.int64]
    starts: NDArray[np.float64]
    classes: NDArray[np.int64]
    access: Access = NO_ACCESS

    def at(self, times: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class that applies at each time."""
        found = np.searchsorted(self.starts, times % self.duration, side="right") - 1
        return self.classes[np.maximum(found, 0)]

    def toml(self) -> str:
        """Return the profile as a scenario of two nodes and one wire."""
        lanes = ",\n".join(
            f'  {{ delay = "{rtt / 2 * 1e6:.3f}us", loss = {loss:.6f}, loss_back = {back:.6f} }}'
            for rtt, loss, back in zip(self.rtt, self.loss, self.loss_back, strict=True)
        )
        times = [
            f'["{start * 1e6:.3f}us", {one}]' for start, one in zip(self.starts, self.classes, strict=True)
        ]
        rows = ",\n".join("  " + ", ".join(times[i : i + 6]) for i in range(0, len(times), 6))
        wire = (
            f'[wire.lanes]\nperiod = "{self.duration * 1e6:.3f}us"\n'
            f"class = [\n{lanes},\n]\nschedule = [\n{rows},\n]\n"
        )
        return (
            f"# Written by `tworay sedlane fit` from {self.name}: delays and losses of a traced network,\n"
            "# replayed on one wire (SEDLANE). Run it with tworay run FILE or tworay live run FILE.\n"
            'name = "sedlane"\n'
            'summary = "a traced network, replayed as classes of delay and loss"\n'
            f'duration = "{self.duration * 1e6:.3f}us"\n\n'
            '[routing]\nprotocol = "static"\n\n' + self.access.toml() + wire
        )

    def table(self) -> pl.DataFrame:
        """Return the schedule as a table, one row per change."""
        return pl.DataFrame(
            {
                "t_s": self.starts,
                "class": self.classes,
                "rtt_s": self.rtt[self.classes],
                "loss": self.loss[self.classes],
                "loss_back": self.loss_back[self.classes],
            }
        )


def fit(trace: Trace, classes: int = MOST_CLASSES, access: Access = NO_ACCESS) -> Profile:
    """Group the packets of a trace into classes of similar round-trip times, as SEDLANE does.

    The classes are those with the least squared deviation of the logarithm of the time within them (Fisher
    1958, "On grouping for maximum homogeneity"); adjacent classes with similar times are merged. The time
    of a class is its median. A lost packet belongs to the class that applied when it was sent; the loss
    rate of a class is the lost share of its packets.

    Raises: InputError: the number of classes is not 1 to 16; the rate of the access link is to be that of
        the trace, and the trace does not tell it.

    """
    if not 1 <= classes <= MOST_CLASSES:
        raise InputError(f"--classes {classes}: allowed are 1 to {MOST_CLASSES}")
    of = alike(trace.rtt, classes)
    rtt = np.array([float(np.median(trace.rtt[of == one])) for one in range(int(of.max()) + 1)])
    by_time = np.argsort(trace.sent, kind="stable")
    times, belongs = np.maximum(trace.sent[by_time], 0.0), of[by_time]
    changes = np.flatnonzero(np.diff(belongs, prepend=-1) != 0)
    starts, which = times[changes], belongs[changes]
    # The file has microseconds, so of changes within one only the last remains.
    kept = np.flatnonzero(np.diff(np.round(starts, 6), append=np.inf) > 0)
    starts, which = np.round(starts[kept], 6).astype(np.float64), which[kept]
    starts[0] = 0.0
    none = np.zeros(len(rtt))
    profile = Profile(
        trace.name,
        trace.duration,
        rtt,
        none,
        none,
        np.bincount(of, minlength=len(rtt)),
        starts,
        which,
        access.of(trace),
    )
    loss, back = _shares(profile, trace.data), _shares(profile, trace.acks)
    return profile._replace(loss=loss, loss_back=back)


def alike(rtt: NDArray[np.float64], classes: int) -> NDArray[np.int64]:
    """Return the class of each round-trip time; classes are numbered by their times."""
    order, logs = np.argsort(rtt, kind="stable"), np.log(rtt)
    edges = np.linspace(logs.min(), logs.max(), CELLS + 1)[1:-1]
    cells = [cell for cell in np.split(order, np.searchsorted(logs[order], edges)) if len(cell)]
    bounds = _homogeneous([logs[cell] for cell in cells], classes)
    parts = [np.concatenate(cells[begin:end]) for begin, end in itertools.pairwise(bounds)]
    merged = [parts[0]]
    for part in parts[1:]:
        last = np.median(rtt[merged[-1]])
        if np.median(rtt[part]) - last < ALIKE * last:
            merged[-1] = np.concatenate([merged[-1], part])
        else:
            merged.append(part)
    of = np.empty(len(order), dtype=np.int64)
    for number, part in enumerate(merged):
        of[part] = number
    return of


def _homogeneous(cells: list[NDArray[np.float64]], classes: int) -> list[int]:
    """Return the bounds of the groups of neighbouring cells with the least squared deviation within them."""
    cells_up_to = len(cells)
    zero = np.zeros(1)
    number = np.concatenate([zero, np.cumsum([len(cell) for cell in cells])])
    total = np.concatenate([zero, np.cumsum([cell.sum() for cell in cells])])
    squares = np.concatenate([zero, np.cumsum([(cell**2).sum() for cell in cells])])
    first, past = np.meshgrid(np.arange(cells_up_to + 1), np.arange(cells_up_to + 1), indexing="ij")
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = (
            squares[past]
            - squares[first]
            - (total[past] - total[first]) ** 2 / (number[past] - number[first])
        )
    cost = np.where(first < past, np.maximum(deviation, 0.0), np.inf)
    best, came_from = cost[0], []
    for _ in range(min(classes, cells_up_to) - 1):
        through = best[:, None] + cost
        came_from.append(np.argmin(through, axis=0))
        best = np.minimum.reduce(through, axis=0)
    bounds = [cells_up_to]
    for before in reversed(came_from):
        bounds.append(int(before[bounds[-1]]))
    return [0, *reversed(bounds)] if bounds[-1] else list(reversed(bounds))


def _shares(profile: Profile, packets: Packets) -> NDArray[np.float64]:
    """Return the loss rate of each class.

    If the trace does not tell when every packet was sent, they are distributed like the samples.
    """
    number = len(profile.packets)
    if len(packets.lost) == 0 or packets.number == 0:
        return np.zeros(number)
    gone = np.bincount(profile.at(np.minimum(packets.lost, profile.duration)), minlength=number)
    if packets.times is not None:
        sent = np.bincount(profile.at(np.minimum(packets.times, profile.duration)), minlength=number)
    else:
        sent = gone + (packets.number - len(packets.lost)) * profile.packets / profile.packets.sum()
    return np.asarray(gone / np.maximum(sent, 1e-9), dtype=np.float64)
