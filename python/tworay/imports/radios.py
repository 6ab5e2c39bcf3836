"""The radio behind dumps of `iw`: standard, band, width and streams, from channel and bit rates."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

T = TypeVar("T")
LEGACY = (1.0, 2.0, 5.5, 11.0)
"""Bit rates of 802.11b, Mb/s."""
WIDTHS = {"n": (20, 40), "ac": (20, 40, 80)}
"""Channel widths of the simulated radios, MHz."""
MOST_STREAMS = 4
_CHANNEL = re.compile(r"^\s+channel \d+ \((\d+) MHz\)(?:, width: (\d+) MHz)?")
_HT = re.compile(r" MCS (\d+)")
_WIDTH = re.compile(r" (20|40|80)MHz")
_VHT = re.compile(r"(VHT|HE|EHT)-MCS \d+.*?(?:VHT|HE|EHT)-NSS (\d+)")


@dataclass
class Seen:
    """Facts about radios that dumps contain."""

    channels: list[tuple[int, int]] = field(default_factory=list)
    """Frequency and width of each interface, MHz."""
    rates: list[tuple[str, int]] = field(default_factory=list)
    """Standard (b, g, n, ac) and streams of each neighbour's bit rate."""
    newer: int = 0
    """Bit rates of 802.11ax or be, which count as ac."""
    widest: int = 20
    """Widest channel of a bit rate, MHz."""

    def channel(self, line: str) -> None:
        """Note the channel in a line of `iw dev IF info`, if it has one."""
        if found := _CHANNEL.match(line):
            self.channels.append((int(found[1]), int(found[2] or 20)))

    def rate(self, megabits: float, words: str) -> None:
        """Note a bit rate as `iw` prints it: `39.0 MBit/s MCS 4`."""
        if found := _WIDTH.search(words):
            self.widest = max(self.widest, int(found[1]))
        if found := _VHT.search(words):
            self.newer += found[1] != "VHT"
            self.rates.append(("ac", int(found[2])))
        elif found := _HT.search(words):
            self.rates.append(("n", int(found[1]) // 8 + 1))
        else:
            self.rates.append(("b" if megabits in LEGACY else "g", 1))


@dataclass(frozen=True)
class Radio:
    """A simulated radio with rate control."""

    standard: str
    frequency: int
    """MHz."""
    width: int
    """MHz."""
    streams: int

    def keys(self) -> str:
        """Return its keys of `[radio]`."""
        text = f'standard = "{self.standard}"\n'
        if self.standard == "n":
            text += f'band = "{2.4 if self.frequency < 4000 else 5:g}GHz"\n'
        text += f'frequency = "{self.frequency}MHz"\n'
        if self.standard in WIDTHS:
            text += f'width = "{self.width}MHz"\nstreams = {self.streams}\n'
        return text


def together(several: Iterable[Seen]) -> Seen:
    """Return what several dumps say."""
    whole = Seen()
    for one in several:
        whole.channels += one.channels
        whole.rates += one.rates
        whole.newer += one.newer
        whole.widest = max(whole.widest, one.widest)
    return whole


def radio(seen: Seen) -> Radio | None:
    """Return the simulated radio nearest to the mesh's; `None` for 802.11b, or if dumps have no bit rate.

    Most neighbours decide: single ones may be idle, or old.
    """
    standard = _most([standard for standard, _ in seen.rates]) if seen.rates else "b"
    if standard == "b":
        return None
    frequency, width = _channel(seen, standard)
    if standard == "g" and frequency > 4000:
        standard = "a"
    if standard == "ac" and frequency < 4000:
        # 802.11ax on 2.4 GHz, where ac isn't allowed.
        standard = "n"
    widths = WIDTHS.get(standard, (20,))
    streams = max(of for kind, of in seen.rates) if standard in WIDTHS else 1
    width = max(w for w in widths if w <= max(width, widths[0]))
    return Radio(standard, frequency, width, min(streams, MOST_STREAMS))


def remarks(seen: Seen, radio: Radio) -> list[str]:
    """Return notes on what the simulated radio is not."""
    notes = []
    if seen.newer:
        notes.append(
            f"{seen.newer} of {len(seen.rates)} bit rates are of 802.11ax or be, which aren't simulated: "
            f"the radio is 802.11{radio.standard}'s"
        )
    if not seen.channels:
        notes.append(
            f'no dump has the line "channel" of `iw dev IF info`: {radio.frequency} MHz is a guess, and '
            f"{radio.width} MHz is the widest of the bit rates"
        )
    widest = _channel(seen, radio.standard)[1]
    if widest > radio.width:
        notes.append(f"the channel is {widest} MHz wide; 802.11{radio.standard}'s here is {radio.width} MHz")
    return notes


def _channel(seen: Seen, standard: str) -> tuple[int, int]:
    """Return frequency and width, MHz; without a channel in the dumps those that the bit rates suggest."""
    if seen.channels:
        return _most(seen.channels)
    return 5180 if standard == "ac" else 2412, seen.widest


def _most(found: Sequence[T]) -> T:
    return Counter(found).most_common(1)[0][0]
