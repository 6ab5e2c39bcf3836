"""Closed forms: durations of frames, goodput of a saturated hop, Bianchi's model.

IEEE 802.11-2020: OFDM §17.3, ERP §18.3 and §18.5, HT §19.3 and §19.4, VHT §21.3 and §21.4; EDCA §10.23.2.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studies.peers.air.worlds import World

OFDM_BITS = (24, 36, 48, 72, 96, 144, 192, 216)
"""Data bits per symbol at 6 to 54 Mb/s."""
SUBCARRIERS = {"ht": {20: 52, 40: 108}, "vht": {20: 52, 40: 108, 80: 234}}
CODES = (
    (1, 1, 2),
    (2, 1, 2),
    (2, 3, 4),
    (4, 1, 2),
    (4, 3, 4),
    (6, 2, 3),
    (6, 3, 4),
    (6, 5, 6),
    (8, 3, 4),
    (8, 5, 6),
)
"""Coded bits per subcarrier, and the code rate, of each MCS."""
TRAINING = {1: 1, 2: 2, 3: 4, 4: 4}
"""Long training fields by streams."""
LONGEST_PPDU = 5484.0
PAYLOAD = 1460
UP_TO_LLC = PAYLOAD + 36
"""UDP and IP add 28 bytes, LLC and SNAP 8."""


def symbol_bits(standard: str, mcs: int, width: int, streams: int) -> int:
    """Return the data bits per symbol; for a and g, ``mcs`` is the number of the rate."""
    if standard in ("a", "g"):
        return OFDM_BITS[mcs]
    bits, above, below = CODES[mcs % 8 if standard == "n" else mcs]
    carriers = SUBCARRIERS["ht" if standard == "n" else "vht"][width]
    return carriers * bits * streams * above // below


def encoders(standard: str, mcs: int, width: int, streams: int) -> int:
    """Return the number of BCC encoders: one for each 300 Mb/s of HT, 600 of VHT at the short guard interval.

    Tables 19-27 to 19-38 and 21-30 to 21-53; the exceptions of the VHT tables concern 7 streams and 160 MHz.
    """
    if standard in ("a", "g"):
        return 1
    limit = 1080 if standard == "n" else 2160
    return math.ceil(symbol_bits(standard, mcs, width, streams) / limit)


def duration(standard: str, mcs: int, width: int, guard: int, streams: int, size: int) -> float:
    """Return the time of a frame of ``size`` bytes on the air, µs.

    Raises:
        KeyError: a width that the standard lacks.

    """
    per_symbol = symbol_bits(standard, mcs, width, streams)
    tail = 6 * encoders(standard, mcs, width, streams)
    symbols = math.ceil((16 + 8 * size + tail) / per_symbol)
    if standard in ("a", "g"):
        return 20 + 4 * symbols + (6 if standard == "g" else 0)
    # L-STF, L-LTF, L-SIG, then HT-SIG or VHT-SIG-A, STF and long training fields; VHT-SIG-B.
    head = 20 + 8 + 4 + 4 * TRAINING[streams] + (4 if standard == "ac" else 0)
    body = 4 * symbols if guard == 800 else 4 * math.ceil(symbols * 3.6 / 4 - 1e-9)
    return head + body


class Access:
    """The times of an access of a world's stations, µs."""

    def __init__(self, world: World) -> None:
        """Assemble the longest PPDU of full frames."""
        self.slot, self.sifs = (20.0, 10.0) if world.standard == "g" else (9.0, 16.0)
        self.space = self.sifs + (3 if world.qos else 2) * self.slot
        frame = UP_TO_LLC + (30 if world.qos else 28)
        self.frames = 1
        size = frame + (4 if world.standard == "ac" else 0)
        if world.qos and world.aggregate:
            most = min(world.aggregate, 1048575 if world.standard == "ac" else 65535)
            while self.frames < 64:
                longer = _padded(self.frames, frame)
                if longer > most or _time(world, longer) > LONGEST_PPDU:
                    break
                self.frames, size = self.frames + 1, longer
            size = _padded(self.frames - 1, frame) if self.frames > 1 else size
        self.ppdu = _time(world, size)
        # Acknowledgments: at most 24 Mb/s, and not above the frame's own non-HT reference rate (§10.6.6.5.2).
        reference = _reference(world)
        standard = "g" if world.standard == "g" else "a"
        ack = 32 if self.frames > 1 else 14
        self.answer = self.sifs + duration(standard, reference, 20, 800, 1, ack)
        basic = 4 if world.qos else 0
        self.reserve = 0.0
        if size > world.rts:
            self.reserve = sum(
                duration(standard, basic, 20, 800, 1, bytes_) + self.sifs for bytes_ in (20, 14)
            )

    @property
    def goodput(self) -> float:
        """Goodput of one saturated hop, Mb/s: the mean backoff is half the smallest window, 15 slots."""
        time = self.space + 7.5 * self.slot + self.reserve + self.ppdu + self.answer
        return 8 * PAYLOAD * self.frames / time

    def bianchi(self, count: int) -> float:
        """Goodput of ``count`` saturated stations, Mb/s (Bianchi 2000), with windows of 15 to 1023.

        Of equally strong signals that collide nobody detects a preamble, so nobody waits for EIFS.
        """
        low, high = 0.0, 1.0
        for _ in range(100):
            tau = (low + high) / 2
            hit = 1 - (1 - tau) ** (count - 1)
            grown = sum((2 * hit) ** i for i in range(6))
            low, high = (tau, high) if 2 / (17 + 16 * hit * grown) > tau else (low, tau)
        idle = (1 - low) ** count
        success = count * low * (1 - low) ** (count - 1)
        failed = 1 - idle - success
        one, several = self.ppdu + self.answer + self.space, self.ppdu + self.space
        return success * self.frames * 8 * PAYLOAD / (idle * self.slot + success * one + failed * several)


def _padded(before: int, frame: int) -> int:
    """Return the bytes of an aggregate of ``before`` padded subframes and one more."""
    padded = 4 + frame + (-frame) % 4
    return before * padded + 4 + frame


def _time(world: World, size: int) -> float:
    return duration(world.standard, world.mcs, world.width, world.guard, world.streams, size)


def _reference(world: World) -> int:
    """Return the number of the response's OFDM rate: the highest of 6, 12, 24 Mb/s allowed."""
    if not world.qos:
        return max(rate for rate in (0, 2, 4) if rate <= world.mcs)
    mcs = world.mcs % 8 if world.standard == "n" else world.mcs
    # Table 10-9: BPSK 1/2, QPSK 1/2, QPSK 3/4, 16-QAM 1/2 and above.
    return (0, 2, 2, 4)[min(mcs, 3)]
