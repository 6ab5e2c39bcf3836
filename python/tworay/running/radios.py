"""Radios of `radio.preset`: their settings as the simulator resolves them, reach, and links that they cut."""

from __future__ import annotations

import functools
import math
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tworay._native import Scenario, json_schema, watts
from tworay.running.control import is_kernel, is_reference

if TYPE_CHECKING:
    from collections.abc import Mapping

LIGHT = 299_792_458.0
THERMAL = -174.0
"""Thermal noise at 290 K, dBm/Hz."""
MOST_NAMED = 3
"""A note names so many links at most."""


@dataclass(frozen=True)
class Preset:
    """A value of `radio.preset`."""

    name: str
    summary: str
    radio: Mapping[str, Any]
    """`[radio]` with the preset's values; those that are absent are the standard's defaults."""
    mac: Mapping[str, Any]
    """`[mac]`, likewise."""

    @property
    def reach(self) -> float:
        """Distance at which a frame arrives with `rx_threshold`, m."""
        return _distance(self.radio, watts(self.radio["rx_threshold"]))

    @property
    def sensed(self) -> float:
        """Distance at which a signal arrives with `cs_threshold`, m."""
        return _distance(self.radio, watts(self.radio["cs_threshold"]))


@functools.cache
def presets() -> tuple[Preset, ...]:
    """Return every preset, in the order of the simulator's declarations."""
    import json

    found = []
    for entry in json.loads(json_schema())["$defs"]["Preset"]["oneOf"]:
        name = entry["const"]
        world = tomllib.loads(Scenario.load("string-1", [f"radio.preset={name}"]).to_toml())
        found.append(Preset(name, entry["description"], world["radio"], world["mac"]))
    return tuple(found)


def dbm(power: str) -> float:
    """Return a power of a scenario in dBm."""
    return 10 * math.log10(watts(power) * 1e3)


def table() -> str:
    """Return the table of all presets in Markdown: a column for each, a row for each setting."""
    rows = [["", *(f"`{one.name}`" for one in presets())]]
    for title, key, words in _ROWS:
        label = title if key is None else f"{title} (`{key}`)"
        rows.append([label, *(words(one) for one in presets())])
    rows.insert(1, ["---"] * len(rows[0]))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def cut_links(world: Scenario) -> list[str]:
    """Return a note on measured links that `radio.rx_threshold` cuts: loud enough for the noise, below it."""
    text = world.to_toml()
    if 'propagation = "measured"' not in text:
        return []
    radio = tomllib.loads(text)["radio"]
    least = dbm(radio["rx_threshold"])
    sinr = radio["sinr"]
    noise = THERMAL + 10 * math.log10(number_of(sinr["bandwidth"])) + number_of(sinr["noise_figure"])
    audible = noise + number_of(sinr["preamble"])
    names = {number: name for name, number in world.names.items()}
    levels = [
        (float(link["level"].removesuffix("dBm")), link["from"], link["to"])
        for link in radio["link"]
        if "level" in link
    ]
    weak = sorted(link for link in levels if audible <= link[0] < least - 1e-9)
    if not weak:
        return []
    shown = [f"{names.get(a, a)} to {names.get(b, b)} {level:g}" for level, a, b in weak[:MOST_NAMED]]
    whose = f" of radio.preset {radio['preset']}" if "preset" in radio else ""
    return [
        f"{len(weak)} of {len(radio['link'])} links arrive below {least:.1f} dBm, radio.rx_threshold{whose}, "
        f"and carry nothing ({', '.join(shown)}{', ...' if len(weak) > MOST_NAMED else ''}); lower it if "
        "your cards receive them: --set radio.profile=custom --set radio.rx_threshold=1pW is -90 dBm"
    ]


def draft_on_aggregates(world: Scenario) -> list[str]:
    """Return a note on BBR as in its draft, if frames go out in aggregates, whose ACKs arrive in bursts."""
    if not world.has_aggregates:
        return []
    document = tomllib.loads(world.to_toml())
    named = [document["tcp"]["variant"], *(flow.get("tcp", "") for flow in document.get("flow", ()))]
    # A class of a file and the kernel's senders have no parts.
    senders = [name for name in named if name and not is_reference(name) and not is_kernel(name)]
    parts = [part for name in senders for part in Scenario.spelt_out(name).split("+")]
    if not any(part.partition("(")[0] == "bbr" and "form=linux" not in part for part in parts):
        return []
    return [
        "bbr is that of BBR's draft, without Linux' room for bursts of ACKs, which aggregates of this radio "
        "bring: bbr(form=linux) has it, and kernel:bbr is Linux itself"
    ]


def _distance(radio: Mapping[str, Any], power: float) -> float:
    """Return the distance at which `power` W arrives over the propagation of a preset, m."""
    gains = (number_of(radio["tx_gain"]) + number_of(radio["rx_gain"]) - number_of(radio["system_loss"])) / 10
    sent = watts(radio["tx_power"]) * 10**gains
    wavelength = LIGHT / number_of(radio["frequency"])
    if radio["propagation"] == "two-ray-ground":
        height = number_of(radio["antenna_height"])
        crossover = 4 * math.pi * height**2 / wavelength
        far = float((sent * height**4 / power) ** 0.25)
        return far if far > crossover else wavelength / (4 * math.pi) * math.sqrt(sent / power)
    model = radio["propagation"]["log-distance"]
    reference = number_of(model["reference"])
    there = sent * (wavelength / (4 * math.pi * reference)) ** 2
    return float(reference * (there / power) ** (1 / model["exponent"]))


def number_of(text: str) -> float:
    """Return the number of a quantity that the simulator wrote: `22000000Hz`, `5dB`, `5.5Mbps`."""
    return float(text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def _propagation(one: Preset) -> str:
    model = one.radio["propagation"]
    if isinstance(model, str):
        return model
    (name,) = model
    return f"{name}, exponent {model[name]['exponent']:g} from {model[name]['reference']}"


def _rates(one: Preset) -> str:
    if "standard" not in one.radio:
        return f"fixed: {one.mac['data_rate']}"
    return str(one.radio.get("rate", "minstrel-ht"))


def _width(one: Preset) -> str:
    if "standard" in one.radio:
        return str(one.radio.get("width", "20MHz"))
    return f"{number_of(one.radio['sinr']['bandwidth']) / 1e6:g}MHz"


def _rts(one: Preset) -> str:
    size = one.mac["rts_threshold"]
    # No aggregate is longer than 1 MiB.
    return {"0B": "always", "1048576B": "never"}.get(size, f"above {size}")


_ROWS = (
    ("standard", "radio.standard", lambda one: f"802.11{one.radio.get('standard', 'b')}"),
    ("frequency", "radio.frequency", lambda one: f"{number_of(one.radio['frequency']) / 1e6:g} MHz"),
    ("channel", "radio.width", _width),
    ("streams", "radio.streams", lambda one: f"{one.radio.get('streams', 1)}"),
    ("rates of data", "radio.rate", _rates),
    ("rate of broadcasts and RTS", "mac.basic_rate", lambda one: one.mac["basic_rate"]),
    ("RTS", "mac.rts_threshold", _rts),
    ("queue", "mac.queue", lambda one: f"{one.mac.get('queue', 'fifo')}, {one.mac['queue_limit']} packets"),
    ("power", "radio.tx_power", lambda one: f"{dbm(one.radio['tx_power']):.1f} dBm"),
    ("antennas, each", "radio.tx_gain", lambda one: one.radio["tx_gain"]),
    ("propagation", "radio.propagation", _propagation),
    ("receives from", "radio.rx_threshold", lambda one: f"{dbm(one.radio['rx_threshold']):.1f} dBm"),
    ("within", None, lambda one: f"{one.reach:.0f} m"),
    ("ignores signals below", "radio.cs_threshold", lambda one: f"{dbm(one.radio['cs_threshold']):.1f} dBm"),
    ("beyond", None, lambda one: f"{one.sensed:.0f} m"),
    ("noise figure", "radio.sinr.noise_figure", lambda one: one.radio["sinr"]["noise_figure"]),
)  # fmt: skip
