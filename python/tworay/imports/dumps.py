"""Link tables of routing daemons (batctl, olsrd, NetJSON, babeld) and of interfaces (iw).

All daemons count the fraction of small broadcasts that arrive, so a quality q is a loss of 1 - q.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tworay.imports import stations
from tworay.imports.radios import Seen
from tworay.imports.reading import Place, number, shown, wrong

if TYPE_CHECKING:
    from collections.abc import Callable


# Hellos that babeld remembers per neighbour.
HELLOS = 16


class Heard(NamedTuple):
    """One direction of a link."""

    place: Place
    sender: str
    receiver: str
    loss: float | None = None
    """The fraction that doesn't arrive."""
    level: float | None = None
    """Received power, dBm."""
    rate: float | None = None
    """Bit rate, Mb/s."""


@dataclass
class Dump:
    """The output of a daemon."""

    command: str
    """The program that printed it."""
    links: list[Heard] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    """Addresses of nodes that have a name, or several addresses."""
    notes: list[str] = field(default_factory=list)
    """Remarks on the figures."""
    is_of_interfaces: bool = False
    """True if a direction has only a part of its figures; the other direction's then stand for the rest."""
    seen: Seen = field(default_factory=Seen)
    """Facts about the radio."""

    def add(
        self,
        place: Place,
        sender: str,
        receiver: str,
        *,
        loss: float | None = None,
        level: float | None = None,
        rate: float | None = None,
    ) -> None:
        """Record one direction of a link."""
        self.links.append(Heard(place, sender, receiver, loss, level, rate))

    def both(self, place: Place, here: str, there: str, receives: float, reaches: float) -> None:
        """Record a link by the fractions that `here` receives from `there`, and in reverse."""
        self.add(place, there, here, loss=1 - receives)
        self.add(place, here, there, loss=1 - reaches)


def form_of(text: str) -> Callable[[str, str], Dump] | None:
    """Return the reader for a text, by its format; `None` if it is not a dump."""
    start = text[:4096]
    if "B.A.T.M.A.N." in start:
        return batctl
    if re.search(r"^Table: ", start, re.MULTILINE):
        return olsrd
    if re.search(r"^(BABEL \d|(add|change) (neighbour|interface) )", start, re.MULTILINE):
        return babeld
    if stations.is_dump(start):
        return station_dump
    if start.lstrip()[:1] in ("{", "["):
        return from_json
    return None


# " * 02:ba:de:af:fe:02    0.120s   (251) 02:ba:de:af:fe:02 [     mesh0]"
_ORIGINATOR = re.compile(r"^[ *]*(\S+)\s+[0-9.]+s\s+\(\s*([0-9.]+)\)\s+(\S+)\s+\[\s*([^\]\s]+)\s*\]")


def batctl(file: str, text: str) -> Dump:
    """Read `batctl originators` of B.A.T.M.A.N. IV: the transmit quality (of 255) of direct neighbours.

    A link's quality is computed from the echoes of its packets, minus small penalties for asymmetry and
    hops, so the loss is slightly too high.
    """
    dump = Dump("`batctl o` (B.A.T.M.A.N. IV)")
    here = ""
    for line, words in enumerate(text.splitlines(), 1):
        place = Place(file, line)
        if "B.A.T.M.A.N." in words:
            found = re.search(r"MainIF/(?:MAC|IP):\s*[^/\s]+/([0-9a-fA-F:.]+)", words)
            if found is None:
                raise wrong(
                    place, "the node's own address is missing", "give the first line as batctl prints it"
                )
            if "BATMAN_V" in words:
                problem = "B.A.T.M.A.N. V measures throughput, which tells no loss"
                raise wrong(place, problem, "measure losses, and give a CSV table from,to,loss")
            here = found[1].lower()
        elif re.search(r"\b(speed|throughput)\b|last-seen\s*$", words.lower()) or (
            "Neighbor" in words and "last-seen" in words
        ):
            raise wrong(place, "this table has no transmit quality", f"give the output of {dump.command}")
        elif found := _ORIGINATOR.match(words):
            originator, quality, next_hop = (found[i].lower() for i in (1, 2, 3))
            # Others are reached over several hops, or over a detour.
            if originator == next_hop and here:
                dump.add(place, here, originator, loss=1 - number(quality, place, "TQ", 0, 255) / 255)
        elif words.strip() and "Originator" not in words:
            problem = f'"{shown(words)}" is not a line of a table of originators'
            raise wrong(place, problem, f"give the output of {dump.command}")
    return dump


def olsrd(file: str, text: str) -> Dump:
    """Read olsrd's txtinfo: the tables Links (of the node itself) and Topology (of all nodes).

    LQ is the fraction that the local node, or the last hop, receives from the other; NLQ is the reverse.
    """
    dump = Dump("olsrd's txtinfo with links or topology")
    table, header = "", list[str]()
    for line, words in enumerate(text.splitlines(), 1):
        place = Place(file, line)
        if words.startswith("Table: "):
            table, header = words[7:].strip(), []
            continue
        cells = [cell.strip() for cell in re.split(r"\t+|\s{2,}", words.strip())]
        ends = {"Links": ("Local IP", "Remote IP"), "Topology": ("Last hop IP", "Dest. IP")}.get(table)
        if not ends or not words.strip():
            continue
        if not header:
            header = cells
            for name in (*ends, "LQ", "NLQ"):
                if name not in header:
                    problem = f'table {table} has no column {name}: "{shown(words)}"'
                    raise wrong(
                        place, problem, "give olsrd's table as txtinfo prints it, with link quality on"
                    )
            continue
        if len(cells) < len(header):
            problem = f'"{shown(words)}" has {len(cells)} columns, the header {len(header)}'
            raise wrong(place, problem, "give the table whole")
        row = dict(zip(header, cells, strict=False))
        quality = (number(row[name], place, name, 0, 1) for name in ("LQ", "NLQ"))
        dump.both(place, row[ends[0]], row[ends[1]], *quality)
    return dump


def babeld(file: str, text: str) -> Dump:
    """Read babeld's answer to `dump` on its local socket: the neighbours.

    With ETX (wireless interfaces) a cost is 256 / fraction of hellos received (RFC 8966, A.2.2): rxcost
    for arriving packets, txcost for departing ones, as reported by the neighbour. An rxcost below 256 is
    no measurement (wired interfaces, k out of j); then the last 16 hellos in `reach` are used.
    """
    young = 0
    dump = Dump("`dump` on babeld's local socket")
    own: dict[str, str] = {}
    host = ""
    neighbours: list[tuple[Place, dict[str, str]]] = []
    for line, words in enumerate(text.splitlines(), 1):
        cells = words.split()
        place = Place(file, line)
        if cells[:1] == ["host"] and len(cells) == 2:
            host = cells[1]
        elif cells[1:2] == ["interface"] and "ipv6" in cells[:-1]:
            own[cells[2]] = cells[cells.index("ipv6") + 1]
        elif cells[1:2] == ["neighbour"] and cells[0] in ("add", "change"):
            neighbours.append((place, dict(zip(cells[3::2], cells[4::2], strict=False))))
    name = host or (next(iter(own.values())) if own else Path(file).stem)
    dump.names = dict.fromkeys(own.values(), name)
    for place, figures in neighbours:
        for key in ("address", "if", "reach", "rxcost", "txcost"):
            if key not in figures:
                raise wrong(place, f"the neighbour has no {key}", f"give the output of {dump.command}")
        rxcost, txcost = (number(figures[key], place, key, 0, 65535) for key in ("rxcost", "txcost"))
        if not re.fullmatch(r"[0-9a-fA-F]{4}", figures["reach"]):
            raise wrong(
                place, f'reach is "{shown(figures["reach"])}"', "give four hexadecimal digits, such as ffff"
            )
        heard, hellos = _heard(int(figures["reach"], 16))
        young += rxcost < 256 and hellos < HELLOS
        receives = 0.0 if rxcost == 65535 else 256 / rxcost if rxcost >= 256 else heard
        there = figures["address"]
        dump.add(place, there, name, loss=1 - receives)
        # A neighbour's cost below 256 is no measurement either; then the neighbour's own dump is used.
        if txcost >= 256:
            dump.add(place, name, there, loss=1 - (0.0 if txcost == 65535 else 256 / txcost))
    if young:
        dump.notes.append(
            f"{file}: {young} of {len(neighbours)} neighbours were first heard fewer than {HELLOS} hellos "
            "ago, so their losses are rough; dump again a few minutes later"
        )
    return dump


def station_dump(file: str, text: str) -> Dump:
    """Read `iw dev IF info` with `iw dev IF station dump`: levels, retries and bit rates of neighbours."""
    return stations.read(file, text, Dump(f"`{stations.COMMAND}`", is_of_interfaces=True))


def _heard(reach: int) -> tuple[float, int]:
    """Return the fraction of hellos that arrived, and their number: one bit each, the newest first.

    An unset bit may be a lost hello, or one from before the daemons met. Hellos therefore count from the
    first one received; that one, which starts the count, is included only if the history is full.
    """
    if reach & 1 or not reach:
        return reach.bit_count() / HELLOS, HELLOS
    since = HELLOS - ((reach & -reach).bit_length() - 1)
    return (reach.bit_count() - 1) / (since - 1) if since > 1 else 1.0, since


def from_json(file: str, text: str) -> Dump:
    """Read olsrd's jsoninfo (links, topology), or a NetJSON NetworkGraph with ETX as its cost."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise wrong(Place(file, line), f"no JSON: {error}", "give the output whole") from None
    place = Place(file, 1)
    if not isinstance(document, dict):
        raise wrong(place, "the document is a list", "give olsrd's jsoninfo, or a NetJSON NetworkGraph")
    if document.get("type") == "NetworkGraph":
        return _netjson(place, document)
    dump = Dump("olsrd's jsoninfo with links or topology")
    for table, ends in (("links", ("localIP", "remoteIP")), ("topology", ("lastHopIP", "destinationIP"))):
        for i, entry in enumerate(_entries(place, document, table)):
            where = f"{table}[{i}]"
            if "linkQuality" not in entry:
                problem = f"{where} has no linkQuality"
                raise wrong(place, problem, "give olsrd's jsoninfo, with link quality on")
            here, there = (_word(place, where, entry, key) for key in ends)
            receives, reaches = (
                number(_word(place, where, entry, key), place, f"{where}.{key}", 0, 1)
                for key in ("linkQuality", "neighborLinkQuality")
            )
            dump.both(place, here, there, receives, reaches)
    return dump


def _netjson(place: Place, document: dict[str, Any]) -> Dump:
    metric = str(document.get("metric", ""))
    dump = Dump("a NetJSON NetworkGraph whose metric is ETX")
    if "etx" not in metric.lower():
        problem = f'the metric "{shown(metric)}" tells no loss'
        remedy = "ETX does; OLSRv2's directional airtime (RFC 7779) mixes loss and rate: give a CSV table"
        raise wrong(place, problem, remedy)
    for entry in _entries(place, document, "nodes"):
        if entry.get("label"):
            dump.names[str(entry.get("id"))] = str(entry["label"])
    for i, entry in enumerate(_entries(place, document, "links")):
        where = f"links[{i}]"
        one, other = (_word(place, where, entry, key) for key in ("source", "target"))
        cost = number(_word(place, where, entry, "cost"), place, f"{where}.cost", 1, 1e6)
        share = 1 / math.sqrt(cost)
        dump.both(place, one, other, share, share)
    return dump


def _entries(place: Place, document: dict[str, Any], table: str) -> list[dict[str, Any]]:
    found = document.get(table, [])
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise wrong(place, f"{table} is not a list of objects", "give the output as the daemon prints it")
    return found


def _word(place: Place, where: str, entry: dict[str, Any], key: str) -> str:
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or value == "":
        raise wrong(place, f"{where} has no {key}", "give the output as the daemon prints it")
    return str(value)
