"""Throughput of TCP Freeze-Probing computed from its freezes (section 4 of its paper).

The connection sends for ``T_a = T - n T0``; the rest of the time passes in ``n`` timer periods of length
``T0``. Each of ``N`` cycles takes the window from W/2 to W, by one segment per round trip.

The paper prints ``sqrt(3 / (2 N)) / RTT`` with N as the *number* of cycles, where the underlying result
needs the loss probability N / S. With S as the segments sent, both S = (T_a / RTT) sqrt(3 / (2 N / S))
and the sawtooth give S = 3 / (2 N) (T_a / RTT)^2, the usable form. ``refined`` also charges the
window-limited branch for the ramp after each halving, W_max^2 / 8 segments per cycle; the two branches
then meet.
"""

from __future__ import annotations

from dataclasses import dataclass

from tworay.errors import InputError


@dataclass(frozen=True)
class FreezeProbing:
    """Measurements of a connection: seconds, counts, segments, bytes."""

    total_seconds: float
    rtt_seconds: float
    cycles: int
    periods: int
    period_seconds: float = 2.0
    max_window: float = 8.0
    packet_bytes: int = 1500

    def __post_init__(self) -> None:
        for name in ("total_seconds", "rtt_seconds", "max_window", "packet_bytes"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name} is {getattr(self, name)}; it must be above 0")
        for name in ("cycles", "periods", "period_seconds"):
            if getattr(self, name) < 0:
                raise InputError(f"{name} is {getattr(self, name)}; it must not be negative")

    @property
    def active_seconds(self) -> float:
        """Time not spent in timer periods."""
        return max(0.0, self.total_seconds - self.periods * self.period_seconds)

    @property
    def _round_trips(self) -> float:
        return self.active_seconds / self.rtt_seconds

    @property
    def _loss_limited(self) -> float:
        return 1.5 * self._round_trips**2 / self.cycles if self.cycles else float("inf")

    @property
    def total_bytes(self) -> float:
        """The usable form: the smaller of the limits by window and by losses."""
        return self.packet_bytes * min(self.max_window * self._round_trips, self._loss_limited)

    @property
    def refined_bytes(self) -> float:
        """The usable form, with the ramps of the window-limited branch charged."""
        full, cycles = self.max_window * self._round_trips, self.cycles
        if cycles and self._round_trips / cycles < self.max_window / 2:
            return self.packet_bytes * self._loss_limited
        return self.packet_bytes * (full - cycles * self.max_window**2 / 8)

    def ratio(self, simulated_bytes: float, *, refined: bool = False) -> float:
        """Modelled over simulated bytes; above 1 the model overestimates."""
        if not simulated_bytes > 0:
            raise InputError("nothing was sent in the simulation; the ratio is not defined")
        return (self.refined_bytes if refined else self.total_bytes) / simulated_bytes
