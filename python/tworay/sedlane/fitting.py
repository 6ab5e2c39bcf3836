"""Fits classes of packets with similar round-trip times, and their schedule, to a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from tworay.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tworay.sedlane.traces import Trace

MOST_CLASSES = 16
# Classes whose round-trip times differ by less than this share are merged.
ALIKE = 0.02
# Rate and queue of the wire: large enough not to limit anything that the traced network did not.
RATE, QUEUE = "1Gbps", 100_000


class Profile(NamedTuple):
    """Up to 16 classes, and the schedule of their use.

    ``rtt`` in seconds, ``loss`` and ``loss_back`` as shares from 0 to 1. From each of ``starts`` (seconds)
    on, the class at the same position in ``classes`` applies.
    """

    name: str
    duration: float
    rtt: NDArray[np.float64]
    loss: NDArray[np.float64]
    loss_back: NDArray[np.float64]
    packets: NDArray[np.int64]
    starts: NDArray[np.float64]
    classes: NDArray[np.int64]

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
        return (
            f"# Written by `tworay sedlane fit` from {self.name}: delays and losses of a traced network,\n"
            "# replayed on one wire (SEDLANE). Run it with tworay run FILE or tworay live run FILE.\n"
            'name = "sedlane"\n'
            'summary = "a traced network, replayed as classes of delay and loss"\n'
            f'duration = "{self.duration * 1e6:.3f}us"\n\n'
            '[routing]\nprotocol = "static"\n\n'
            "[[flow]]\nfrom = 0\nto = 1\n\n"
            f'[[wire]]\nfrom = 0\nto = 1\nrate = "{RATE}"\nqueue = {QUEUE}\n\n'
            f'[wire.lanes]\nperiod = "{self.duration * 1e6:.3f}us"\n'
            f"class = [\n{lanes},\n]\nschedule = [\n{rows},\n]\n"
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


def fit(trace: Trace, classes: int = MOST_CLASSES) -> Profile:
    """Group the packets of a trace into classes of similar round-trip times.

    The classes have equal numbers of packets; adjacent classes with similar times are merged. The time of a
    class is its median. A lost packet belongs to the class that applied when it was sent; the loss rate of a
    class is the lost share of its packets.

    Raises:
        InputError: the number of classes is not 1 to 16.

    """
    if not 1 <= classes <= MOST_CLASSES:
        raise InputError(f"--classes {classes}: allowed are 1 to {MOST_CLASSES}")
    order = np.argsort(trace.rtt, kind="stable")
    parts = [part for part in np.array_split(order, min(classes, len(order))) if len(part)]
    merged = [parts[0]]
    for part in parts[1:]:
        last = np.median(trace.rtt[merged[-1]])
        if np.median(trace.rtt[part]) - last < ALIKE * last:
            merged[-1] = np.concatenate([merged[-1], part])
        else:
            merged.append(part)
    rtt = np.array([float(np.median(trace.rtt[part])) for part in merged])
    of = np.empty(len(order), dtype=np.int64)
    for number, part in enumerate(merged):
        of[part] = number
    by_time = np.argsort(trace.sent, kind="stable")
    times, belongs = np.maximum(trace.sent[by_time], 0.0), of[by_time]
    changes = np.flatnonzero(np.diff(belongs, prepend=-1) != 0)
    starts, which = times[changes], belongs[changes]
    # The file has microseconds, so of changes within one only the last remains.
    kept = np.flatnonzero(np.diff(np.round(starts, 6), append=np.inf) > 0)
    starts, which = np.round(starts[kept], 6).astype(np.float64), which[kept]
    starts[0] = 0.0
    packets = np.bincount(of, minlength=len(merged))
    profile = Profile(
        trace.name, trace.duration, rtt, np.zeros(len(rtt)), np.zeros(len(rtt)), packets, starts, which
    )
    loss = _shares(profile, trace.lost_data, trace.data_sent, packets)
    back = _shares(profile, trace.lost_acks, trace.acks_sent, packets)
    return profile._replace(loss=loss, loss_back=back)


def _shares(
    profile: Profile, lost: NDArray[np.float64], sent: int, packets: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the loss rate of each class, assuming that packets sent are distributed like the samples."""
    if len(lost) == 0 or sent == 0:
        return np.zeros(len(packets))
    gone = np.bincount(profile.at(np.minimum(lost, profile.duration)), minlength=len(packets))
    arrived = (sent - len(lost)) * packets / packets.sum()
    return np.asarray(gone / np.maximum(gone + arrived, 1e-9), dtype=np.float64)
