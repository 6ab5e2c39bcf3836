"""Reads the neighbours of a node's wireless interface: `iw dev IF info` with `iw dev IF station dump`.

The dump has the power of what arrives, and retries and bit rate of what leaves. It doesn't name its own node,
which `info` does.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

from tworay.imports.reading import Place, number, shown, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tworay.imports.dumps import Dump

COMMAND = "(iw dev mesh0 info; iw dev mesh0 station dump)"
FEW = 100
"""Fewer packets than this give a rough loss only."""
_INTERFACE = re.compile(r"^\s*Interface (\S+)$")
_ADDRESS = re.compile(r"^\s+addr ([0-9a-fA-F:]{17})$")
_STATION = re.compile(r"^Station ([0-9a-fA-F:]{17}) \(on (\S+)\)$")
_FIGURE = re.compile(r"^\s+([a-zA-Z/ ]+):\s*(.*)$")


def is_dump(start: str) -> bool:
    """Return whether a text begins like one of the two outputs."""
    return any(_STATION.match(line) or _INTERFACE.match(line) for line in start.splitlines())


def read(file: str, text: str, dump: Dump) -> Dump:
    """Fill `dump` with the neighbours of a node; the node has the file's name.

    - level: `signal avg`, or `signal`: the power of frames from the station, dBm
    - loss: of the attempts to the station, f = (tx retries + tx failed) / (tx packets + tx retries) were not
      acknowledged. Data or ACK was lost, or a collision spoilt one. A frame's loss is taken as the same both
      ways, 1 - √(1 - f).
    - rate: `tx bitrate`, Mb/s; its MCS and the channel say which radio it is (`radios`)
    """
    own: dict[str, str] = {}
    rough = 0
    interface = ""
    for words in text.splitlines():
        dump.seen.channel(words)
        if found := _INTERFACE.match(words):
            interface = found[1]
        elif found := _ADDRESS.match(words):
            own[interface] = found[1].lower()
    name = Path(file).stem
    dump.names = dict.fromkeys(own.values(), name)
    for place, there, on, figures in _stations(file, text):
        if on not in own:
            problem = f"the address of the node's own interface {shown(on)} is missing"
            raise wrong(place, problem, f"give both outputs in one file: {COMMAND}")
        if figures.get("mesh plink", "ESTAB") != "ESTAB":
            continue
        level = figures.get("signal avg") or figures.get("signal")
        if level is not None:
            # "-62 [-65, -66] dBm": all antennas together, then each.
            word = level.split()[0] if level.split() else ""
            dump.add(place, there, name, level=number(word, place, "signal", -150, 30))
        loss = None
        if "tx packets" in figures and "tx retries" in figures:
            packets, retries, failed = (
                number(figures.get(key, "0"), place, key, 0, 2**64)
                for key in ("tx packets", "tx retries", "tx failed")
            )
            if packets + retries > 0:
                loss = 1 - math.sqrt(1 - min(1.0, (retries + failed) / (packets + retries)))
                rough += packets < FEW
        rate = None
        if "tx bitrate" in figures and figures["tx bitrate"] != "(unknown)":
            word = figures["tx bitrate"].split(" ")[0]
            rate = number(word, place, "tx bitrate", 0.1, 100_000)
            dump.seen.rate(rate, figures["tx bitrate"])
        if loss is not None or rate is not None:
            dump.add(place, name, there, loss=loss, rate=rate)
    if rough:
        dump.notes.append(
            f"{file}: {rough} neighbours were sent fewer than {FEW} packets, so their losses are rough; "
            "dump again after some traffic"
        )
    return dump


def _stations(file: str, text: str) -> Iterator[tuple[Place, str, str, dict[str, str]]]:
    """Yield line, address, interface and figures of every station."""
    place, there, on = Place(file, 0), "", ""
    figures: dict[str, str] = {}
    for line, words in enumerate(text.splitlines(), 1):
        if found := _STATION.match(words):
            if there:
                yield place, there, on, figures
            place, there, on, figures = Place(file, line), found[1].lower(), found[2], {}
        elif there and (found := _FIGURE.match(words)):
            # Links of a multi-link station repeat the names below; the first are those of the station.
            figures.setdefault(found[1].strip(), found[2].strip())
    if there:
        yield place, there, on, figures
