"""Round-trip times and losses of packets: of a trace, whatever it was read from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tworay.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The rate of a network is measured over this many arrivals in a row, of which the fastest fiftieth is taken
# as its own.
IN_A_ROW, FASTEST = 16, 98.0


class Packets(NamedTuple):
    """The packets of one direction: their number, and when those that were lost had been sent, s.

    ``times`` is when each was sent, if the trace tells of every packet.
    """

    number: int
    lost: NDArray[np.float64]
    times: NDArray[np.float64] | None = None

    def between(self, begin: float, end: float, duration: float) -> Packets:
        """Return the packets sent from ``begin`` to ``end``, s, of ``duration``. Times begin anew."""
        lost = _cut(self.lost, begin, end)
        if self.times is None:
            return Packets(round(self.number * (end - begin) / duration), lost)
        times = _cut(self.times, begin, end)
        return Packets(len(times), lost, times)

    @property
    def loss(self) -> float:
        """The lost share, 0 to 1."""
        return len(self.lost) / self.number if self.number else 0.0


class Trace(NamedTuple):
    """Samples of the round-trip time, and losses, of one TCP flow.

    ``sent`` is when the packet of each sample was sent and ``rtt`` its round-trip time, s. ``goodput`` in
    bit/s of payload; None if the trace does not tell. ``rate`` in bit/s of packets that arrived in quick
    succession: the narrowest link of the network, as far as the flow made use of it. ``tcp`` is the traced
    variant.
    """

    name: str
    duration: float
    sent: NDArray[np.float64]
    rtt: NDArray[np.float64]
    data: Packets
    acks: Packets
    goodput: float | None = None
    rate: float | None = None
    tcp: str | None = None

    @property
    def is_complete(self) -> bool:
        """True if the trace tells of every packet, not of samples only."""
        return self.data.times is not None

    def between(self, begin: float, end: float) -> Trace:
        """Return the part of the trace from ``begin`` to ``end``, shares of its duration."""
        start, stop = begin * self.duration, end * self.duration
        inside = (self.sent >= start) & (self.sent < stop)
        data, acks = (
            self.data.between(start, stop, self.duration),
            self.acks.between(start, stop, self.duration),
        )
        whole, here = (one.number - len(one.lost) for one in (self.data, data))
        share = here / whole / (end - begin) if whole else 0.0
        goodput = None if self.goodput is None else self.goodput * share
        sent, rtt = self.sent[inside] - start, self.rtt[inside]
        name = f"{self.name}, {start:.0f} to {stop:.0f} s"
        return self._replace(
            name=name, duration=stop - start, sent=sent, rtt=rtt, data=data, acks=acks, goodput=goodput
        )


def _cut(times: NDArray[np.float64], begin: float, end: float) -> NDArray[np.float64]:
    return times[(times >= begin) & (times < end)] - begin


class Way(NamedTuple):
    """Every packet of one direction in the order of sending; without an arrival that time is NaN."""

    sent: NDArray[np.float64]
    arrived: NDArray[np.float64]
    lost: NDArray[np.bool_]
    size: NDArray[np.float64]

    def packets(self) -> Packets:
        """Return their number, losses and times of sending."""
        return Packets(len(self.sent), self.sent[self.lost], self.sent)


def round_trips(data: Way, acks: Way) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return when packets were sent, and their round-trip times.

    That of a packet is its own delay and that of the next acknowledgment that its receiver sent and the
    sender received. The time for which the receiver waited before that (a delayed ACK, a gap) is not the
    network's.
    """
    there = np.flatnonzero(~np.isnan(data.arrived) & ~data.lost)
    back = np.flatnonzero(~np.isnan(acks.arrived) & ~acks.lost)
    follows = np.searchsorted(acks.sent[back], data.arrived[there] - 1e-9)
    answered = follows < len(back)
    there, follows = there[answered], back[follows[answered]]
    delays = data.arrived[there] - data.sent[there] + acks.arrived[follows] - acks.sent[follows]
    return data.sent[there], delays


def rate_of(data: Way) -> float | None:
    """Return the rate at which packets arrive in quick succession, bit/s."""
    there = ~np.isnan(data.arrived) & ~data.lost
    order = np.argsort(data.arrived[there], kind="stable")
    arrived, size = data.arrived[there][order], data.size[there][order]
    if len(arrived) <= IN_A_ROW:
        return None
    spans = arrived[IN_A_ROW:] - arrived[:-IN_A_ROW]
    total = np.cumsum(size)
    moved = (total[IN_A_ROW:] - total[:-IN_A_ROW])[spans > 0] / spans[spans > 0]
    return float(8 * np.percentile(moved, FASTEST)) if len(moved) else None


def choose(place: str, sent: dict[int, int], wanted: int | None) -> int:
    """Return the wanted flow, or the one that sent most; ``sent`` is what each sent."""
    if wanted is None:
        return max(sent, key=lambda one: sent[one])
    if wanted not in sent:
        raise InputError(f"{place}: there is no TCP flow {wanted}; there are {', '.join(map(str, sent))}")
    return wanted
