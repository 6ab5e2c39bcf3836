"""Rates that measured links carry in the simulated radio: 802.11b's one rate, and links too weak for any."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tworay.imports.radios import Radio

    Ends = tuple[str, str]

RATES = (1.0, 2.0, 5.5, 11.0)
"""Bit rates of 802.11b, Mb/s."""
READABLE = -90.0
"""`rx_threshold` where levels are given, dBm: sensitivities of 802.11b cards at 2 Mb/s are about there."""
SENSED = -96.0
"""`cs_threshold` there, dBm."""
MOST_NAMED = 3
"""A note names so many links at most."""


@dataclass(frozen=True)
class Needs:
    """The least power, in dBm, at which a frame is received where nothing interferes."""

    least: float
    """Of any frame: below, not even a preamble is detected."""
    rates: dict[float, float]
    """Of a frame at each rate of 802.11b, Mb/s; empty with rate control."""

    @classmethod
    def of(cls, radio: Radio | None) -> Needs:
        """Return the needs of a radio with the defaults of `[radio.sinr]`; `None` is 802.11b.

        A frame needs `rx_threshold`, its preamble's ratio to the noise, and that of its rate.
        """
        import tomllib

        from tworay._native import Scenario
        from tworay.running.radios import THERMAL, number_of

        sinr = tomllib.loads(Scenario.load("string-1", []).to_toml())["radio"]["sinr"]
        hertz = number_of(sinr["bandwidth"]) if radio is None else 20e6
        noise = THERMAL + 10 * math.log10(hertz) + number_of(sinr["noise_figure"])
        least = max(READABLE, noise + number_of(sinr["preamble"]))
        if radio is not None:
            return cls(least, {})
        # Bit errors decide about the two slowest rates: above the preamble's ratio there are none.
        slow = RATES[:2] if sinr["errors"] == "dsss" else ()
        ratios = {number_of(one["rate"]): number_of(one["sinr"]) for one in sinr["thresholds"]}
        return cls(
            least, {rate: least if rate in slow else max(least, noise + ratios[rate]) for rate in RATES}
        )

    def fastest(self, level: float | None) -> float | None:
        """Return the fastest rate that a link of this level carries, Mb/s; `None` if it carries none."""
        if level is None:
            # Without a level frames arrive far above every threshold.
            return RATES[-1]
        return max((rate for rate, least in self.rates.items() if level >= least), default=None)


def too_weak(levels: Mapping[Ends, float | None], needs: Needs) -> list[Ends]:
    """Return the directions that are sensed and carry no frame, the weakest first."""
    weak = {ends: level for ends, level in levels.items() if level is not None and level < needs.least}
    return sorted(weak, key=lambda ends: (weak[ends], ends))


def usable(levels: Mapping[Ends, float | None], needs: Needs) -> set[Ends]:
    """Return the directions that carry unicast frames: both of a pair must, as frames are acknowledged."""
    weak = set(too_weak(levels, needs))
    return {ends for ends in levels if (ends[1], ends[0]) in levels and not weak & {ends, ends[::-1]}}


def data_rate(rates: Sequence[float], levels: Mapping[Ends, float | None], needs: Needs) -> float | None:
    """Return the rate of an 802.11b radio for links of these bit rates, Mb/s; `None` without any.

    The radio has one rate for all links. The harmonic mean of the bit rates takes as long for a frame over
    every link as they do; the fastest of the radio's rates up to it that all usable links carry is chosen,
    at least the slowest.
    """
    if not rates:
        return None
    mean = len(rates) / math.fsum(1 / rate for rate in rates)
    carried = [needs.fastest(levels[ends]) or RATES[0] for ends in usable(levels, needs)]
    bound = min([mean * (1 + 1e-9), *carried])
    return max((rate for rate in RATES if rate <= bound), default=RATES[0])


def remarks(
    rates: Sequence[float], levels: Mapping[Ends, float | None], needs: Needs, *, is_dsss: bool
) -> list[str]:
    """Return notes on links that don't carry what was measured, or nothing at all."""
    notes = []
    chosen = data_rate(rates, levels, needs) if is_dsss else None
    wanted = data_rate(rates, {}, needs)
    if chosen is not None and wanted is not None and chosen < wanted:
        slow = [ends for ends in usable(levels, needs) if (needs.fastest(levels[ends]) or 0) < wanted]
        notes.append(
            f"the radio's one rate is {chosen:g} Mb/s, not {wanted:g}: {len(slow)} of {len(levels)} "
            f"directions arrive below the {needs.rates[wanted]:.1f} dBm that {wanted:g} Mb/s needs "
            f"({_named(slow, levels)})"
        )
    if weak := too_weak(levels, needs):
        notes.append(
            f"{len(weak)} of {len(levels)} directions arrive below {needs.least:.1f} dBm: they disturb, and "
            f"carry nothing ({_named(weak, levels)})"
        )
    return notes


def without_path(flows: Iterable[tuple[str, str]], carrying: set[Ends]) -> list[tuple[str, str]]:
    """Return the flows between whose ends there is no path of usable links."""
    near: dict[str, set[str]] = {}
    for one, other in carrying:
        near.setdefault(one, set()).add(other)
    missing = []
    for sender, receiver in flows:
        reached, edge = {sender}, [sender]
        while edge:
            fresh = near.get(edge.pop(), set()) - reached
            reached |= fresh
            edge += fresh
        if receiver not in reached:
            missing.append((sender, receiver))
    return missing


def _named(several: Sequence[Ends], levels: Mapping[Ends, float | None]) -> str:
    """Name the weakest directions."""
    from tworay.imports.reading import shown

    ordered = sorted(several, key=lambda ends: (levels[ends] or 0.0, ends))
    named = [f"{shown(a)} to {shown(b)} {levels[a, b]:g}" for a, b in ordered[:MOST_NAMED]]
    return ", ".join(named) + (", ..." if len(ordered) > MOST_NAMED else "")
