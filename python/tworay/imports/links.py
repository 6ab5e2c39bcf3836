"""Measured links: from tables and daemons' dumps to a scenario with `propagation = "measured"`."""

from __future__ import annotations

import json
import math
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tworay.errors import InputError
from tworay.guide import more
from tworay.imports import carrying, dumps
from tworay.imports.carrying import READABLE, SENSED, Needs
from tworay.imports.missing import Missing
from tworay.imports.radios import radio, remarks, together
from tworay.imports.reading import FIXED_ROUTES, Table, number, numbering, read_text, shown, with_names, wrong

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tworay.imports.radios import Radio, Seen
    from tworay.imports.reading import Place, Row

GOOD_HOPS = 2
"""A link of so many tries is as slow as so many links without losses."""
COLUMNS = {
    "from": ("source", "src", "sender", "tx", "local"),
    "to": ("destination", "dst", "dest", "receiver", "rx", "remote"),
    "loss": ("per", "packet_loss"),
    "level": ("signal", "rssi", "dbm", "rx_level"),
    "tq": (),
    "etx": (),
    "lq": (),
    "nlq": (),
}


@dataclass(frozen=True)
class Measured:
    """One direction of a link in a file; loss or level is given, or both."""

    place: Place
    sender: str
    receiver: str
    loss: float | None = None
    level: float | None = None
    rate: float | None = None
    """Bit rate, Mb/s."""
    of_interface: bool = False
    """True if what is missing may be that of the other direction."""


@dataclass
class Links:
    """The links of all files together."""

    numbers: dict[str, int]
    ways: dict[tuple[str, str], Measured]
    mirrored: set[tuple[str, str]]
    notes: list[str]
    radio: Radio | None = None
    """The simulated radio nearest to the measured one; `None`: 802.11b."""
    missing: Missing = field(default_factory=Missing)
    """Figures that dumps of interfaces lack."""

    @property
    def levels(self) -> dict[tuple[str, str], float | None]:
        """Received power of each direction, dBm."""
        return {ends: way.level for ends, way in self.ways.items()}

    @property
    def rates(self) -> list[float]:
        """The measured bit rates, Mb/s."""
        return [way.rate for way in self.ways.values() if way.rate is not None]

    def needs(self) -> Needs:
        """Return the power that frames need in the simulated radio."""
        return Needs.of(self.radio)


def is_table(columns: set[str]) -> bool:
    """Return whether a CSV file's columns are those of links."""
    return {"from", "to"} <= columns


def read(files: Iterable[str]) -> Links:
    """Read tables and dumps; values for the same direction from several files are averaged."""
    found: list[Measured] = []
    names: dict[str, str] = {}
    notes: list[str] = []
    seen: list[Seen] = []
    dumped: set[str] = set()
    for file in files:
        text = read_text(file)
        form = dumps.form_of(text)
        if form is None:
            found += _unique(_csv(Table(file, text, COLUMNS)))
            continue
        dump = form(file, text)
        again = _namesake(dump, names, Path(file).stem)
        names |= dump.names
        dumped |= set(dump.names.values()) if dump.is_of_interfaces else set()
        notes += dump.notes
        seen.append(dump.seen)
        found += [
            Measured(
                one.place,
                again.get(one.sender, one.sender),
                again.get(one.receiver, one.receiver),
                one.loss,
                one.level,
                one.rate,
                dump.is_of_interfaces,
            )
            for one in dump.links
        ]
        if not dump.links:
            raise wrong(file, "no link is in it", f"give the whole output of {dump.command}")
    # A station with several addresses is one node.
    found = [
        replace(one, sender=names.get(one.sender, one.sender), receiver=names.get(one.receiver, one.receiver))
        for one in found
    ]
    links = _merged([one for one in found if one.sender != one.receiver])
    links.missing.dumped = dumped
    whole = together(seen)
    has_levels = any(level is not None for level in links.levels.values())
    links.radio = radio(whole) if has_levels else None
    is_dsss = links.radio is None
    links.notes += links.missing.notes(are_losses_used=is_dsss)
    links.notes += _too_fast(links) if links.radio is None else remarks(whole, links.radio)
    links.notes += _lossy(links) if links.radio is None else _left_out(links)
    links.notes += carrying.remarks(links.rates, links.levels, links.needs(), is_dsss=is_dsss)
    if dumped and not links.rates:
        links.notes.append(
            'no dump has a "tx bitrate": the radio is that of 802.11b at 2 Mb/s; send traffic and dump again'
        )
    links.notes += notes
    return links


def _namesake(dump: dumps.Dump, known: dict[str, str], stem: str) -> dict[str, str]:
    """Rename nodes of a dump whose names belong to other nodes with other addresses.

    Many devices have the name given by their manufacturer. Returns the new names by the old ones.
    """
    again = {}
    for name in set(dump.names.values()):
        addresses = {address for address, its in dump.names.items() if its == name}
        others = {address for address, its in known.items() if its == name}
        if others and not addresses & others:
            again[name] = f"{name}-{stem}"
    dump.names = {address: again.get(name, name) for address, name in dump.names.items()}
    return again


def _csv(table: Table) -> Iterator[Measured]:
    figures = [name for name in ("loss", "level", "tq", "etx", "lq") if name in table.columns]
    losses = [name for name in figures if name != "level"]
    header = next(iter(table.rows()), None)
    place = header.place if header else table.file
    if not is_table(table.columns) or not figures:
        problem = f'the header is "{table.found}"'
        raise wrong(place, problem, "give the columns from, to and one of loss, level, tq, etx or lq and nlq")
    if len(losses) > 1:
        raise wrong(place, f"the columns {' and '.join(losses)} both say a loss", "leave one of them out")
    for row in table.rows():
        cells = row.cells
        sender, receiver = cells["from"], cells["to"]
        if not sender or not receiver or sender == receiver:
            problem = f'the link goes from "{shown(sender)}" to "{shown(receiver)}"'
            raise wrong(row.place, problem, "name two different nodes")
        level = _level(row) if "level" in figures and cells["level"] else None
        yield from _figures(row, sender, receiver, losses[0] if losses else "", level)


def _figures(row: Row, sender: str, receiver: str, kind: str, level: float | None) -> Iterator[Measured]:
    word = row.cells.get(kind, "")
    if kind == "lq":
        # As in OLSR: lq is the fraction that `from` receives from `to`, nlq the reverse.
        yield Measured(row.place, receiver, sender, 1 - number(word, row.place, "lq", 0, 1), None)
        if row.cells.get("nlq"):
            loss = 1 - number(row.cells["nlq"], row.place, "nlq", 0, 1)
            yield Measured(row.place, sender, receiver, loss, level)
        elif level is not None:
            yield Measured(row.place, sender, receiver, None, level)
        return
    figure: float | None = None
    if kind == "loss" and word:
        percent = word.endswith("%")
        whole = number(word.rstrip("% "), row.place, "loss", 0, 100 if percent else 1)
        figure = whole / 100 if percent else whole
    elif kind == "tq" and word:
        figure = 1 - number(word, row.place, "tq", 0, 255) / 255
    elif kind == "etx" and word:
        # 1 / (forward x reverse): both directions are assumed to be equally good.
        figure = 1 - 1 / math.sqrt(number(word, row.place, "etx", 1, 1e6))
        yield Measured(row.place, receiver, sender, figure)
    if figure is None and level is None:
        raise wrong(row.place, "the row says neither loss nor level", "fill it in, or remove the row")
    yield Measured(row.place, sender, receiver, figure, level)


def _level(row: Row) -> float:
    word = row.cells["level"]
    word = word[:-3] if word.lower().endswith("dbm") else word
    return number(word.strip(), row.place, "level", -150, 30)


def _unique(measured: Iterable[Measured]) -> list[Measured]:
    """Reject a direction that a table has twice with different values."""
    seen: dict[tuple[str, str], Measured] = {}
    for one in measured:
        first = seen.setdefault((one.sender, one.receiver), one)
        if (first.loss, first.level) != (one.loss, one.level):
            ends = f"{shown(one.sender)} to {shown(one.receiver)}"
            raise wrong(one.place, f"{ends} is another figure on {first.place}", "give each direction once")
    return list(seen.values())


def _merged(found: list[Measured]) -> Links:
    if not found:
        raise InputError("no link between two nodes was found; give at least one")
    together: dict[tuple[str, str], list[Measured]] = {}
    for one in found:
        together.setdefault((one.sender, one.receiver), []).append(one)
    ways, dead, deaf, missing = dict[tuple[str, str], Measured](), 0, 0, Missing()
    for ends, several in together.items():
        loss, level = _mean(one.loss for one in several), _mean(one.level for one in several)
        if all(one.of_interface for one in several):
            # An interface measures the power of what it hears, and the losses of what it sends.
            others = together.get((ends[1], ends[0]), [])
            if loss is None:
                missing.lacking["loss"].append(ends)
                loss = _mean(one.loss for one in others)
                missing.unknown |= {ends} if loss is None else set()
            if level is None:
                missing.lacking["level"].append(ends)
                level = _mean(one.level for one in others)
        if loss is not None and loss >= 1:
            dead += 1
        elif level is not None and level < SENSED:
            deaf += 1
        else:
            ways[ends] = Measured(several[0].place, *ends, loss, level, _mean(one.rate for one in several))
    mirrored = {(b, a) for a, b in ways if (b, a) not in together}
    for ends in sorted(mirrored):
        other = ways[ends[1], ends[0]]
        if all(one.of_interface for one in together[ends[1], ends[0]]):
            missing.lacking["level"].append(ends)
        ways[ends] = Measured(other.place, *ends, other.loss, other.level, other.rate)
    if not ways:
        raise InputError(
            "every link loses everything, or is too weak to be sensed; nothing is left to simulate"
        )
    notes = []
    unmeasured = mirrored - set(missing.lacking["level"])
    if unmeasured:
        notes.append(
            f"{len(unmeasured)} of {len(ways)} directions weren't measured, and take the other one's figure; "
            "to say that one carries nothing, list it with loss 1"
        )
    if dead:
        notes.append(f"{dead} directions lose everything, and are left out")
    if deaf:
        notes.append(f"{deaf} directions are below {SENSED:g} dBm, and are left out")
    # Nodes that occur only in a dead link are nodes too.
    return Links(
        numbering(name for one in found for name in (one.sender, one.receiver)),
        ways,
        mirrored,
        notes,
        missing=missing,
    )


def _too_fast(links: Links) -> list[str]:
    """Return the note on bit rates that the radio of 802.11b doesn't have."""
    fastest = carrying.RATES[-1]
    faster = sum(rate > fastest for rate in links.rates)
    if not faster:
        return []
    return [
        f"{faster} of {len(links.rates)} bit rates are above {fastest:g} Mb/s, the fastest of the simulated "
        "radio (802.11b): goodput will be too low; compare variants with each other, not with your mesh"
    ]


def _left_out(links: Links) -> list[str]:
    """Return the note on measured losses that a radio with rate control doesn't take."""
    losses = [way.loss for way in links.ways.values() if way.loss and way.level is not None]
    if not losses:
        return []
    return [
        f"the losses of {len(losses)} directions, up to {max(losses) * 100:.0f} %, are left out: most are of "
        "rates that the card only tried; levels decide what gets through, and disturbance from outside the "
        "mesh is missing"
    ]


def _lossy(links: Links) -> list[str]:
    """Return the note on links that take more tries than two good ones, which hop counts don't see.

    A frame and its acknowledgment both have to arrive: the expected number of tries is ETX.
    """
    ends = {tuple(sorted(ends)) for ends in links.ways if ends[::-1] in links.ways}
    lossy = []
    for a, b in sorted(ends):
        arrive = [1 - (links.ways[way].loss or 0) for way in ((a, b), (b, a))]
        if arrive[0] * arrive[1] < 1 / GOOD_HOPS:
            lossy.append(f"{shown(a)} to {shown(b)}")
    if not lossy:
        return []
    more = ", ..." if len(lossy) > carrying.MOST_NAMED else ""
    many = f"{len(lossy)} links take" if len(lossy) > 1 else "1 link takes"
    return [
        f"{many} more than {GOOD_HOPS} tries a frame, and fixed routes count it as one hop: "
        f"leave out those that your mesh avoids ({', '.join(lossy[: carrying.MOST_NAMED])}{more})"
    ]


def _mean(figures: Iterable[float | None]) -> float | None:
    known = [figure for figure in figures if figure is not None]
    return math.fsum(known) / len(known) if known else None


def scenario(links: Links, flows: str, files: Sequence[str], name: str | None = None) -> str:
    """Return the text of a scenario named `name` (else as the first file); `flows` are its flow tables."""
    numbers = links.numbers
    where = Path(files[0]).stem if len(files) == 1 else f"{len(files)} files"
    name = name or Path(files[0]).stem
    needs = links.needs()
    radius = 50 * max(2, len(numbers) ** 0.5)
    turn = 2 * math.pi / len(numbers)
    places = [
        f"  [{radius * math.cos(i * turn):.1f}, {radius * math.sin(i * turn):.1f}],"
        for i in range(len(numbers))
    ]
    thresholds = ""
    if any(level is not None for level in links.levels.values()):
        thresholds = (
            f"{'' if links.radio is None else links.radio.keys()}"
            "# Not measured: what this card can read and sense (-90 and -96 dBm).\n"
            f'profile = "custom"\nrx_threshold = "{_watts(READABLE)}"\ncs_threshold = "{_watts(SENSED)}"\n'
        )
    header = (
        f"# Made from measured links: {len(numbers)} nodes, {len(links.ways)} directions of links.\n"
        f"name = {_quoted(shown(name))}\n"
        f"summary = {_quoted(f'{len(numbers)} nodes with links as measured in {shown(where)}')}\n"
        '# Measurements don\'t say how long a run is to be.\nduration = "300s"\n\n'
        "# Where the nodes stand is not known: the circle is for pictures only.\n"
        '[topology]\nkind = "explicit"\npositions = [\n' + "\n".join(places) + "\n]\n\n"
        f"# Pairs that aren't listed neither hear nor sense each other ({more('links')}).\n"
        f'[radio]\npropagation = "measured"\n{thresholds}'
    )
    order = sorted(links.ways, key=lambda ends: (numbers[ends[0]], numbers[ends[1]]))
    tables = [header]
    for ends in order:
        way = links.ways[ends]
        # A radio with rate control loses frames at rates that it tries: the level says how many.
        given = way.loss if links.radio is None or way.level is None else None
        loss = "" if given is None else f"loss = {round(given, 6) + 0.0!r}\n"
        if given is not None and round(given, 6) >= 1:
            loss = "loss = 0.999999\n"
        level = "" if way.level is None else f'level = "{way.level:g}dBm"\n'
        note = "# as in the other direction\n" if ends in links.mirrored else ""
        note += "" if way.rate is None else f"# measured bit rate: {way.rate:g} Mb/s\n"
        note += _bound(way.level, needs)
        tables.append(
            f"\n[[radio.link]]\n{note}from = {numbers[ends[0]]}\nto = {numbers[ends[1]]}\n{loss}{level}"
        )
    rate = carrying.data_rate(links.rates, links.levels, needs) if links.radio is None else None
    if rate is not None:
        tables.append(
            "\n[mac]\n# One rate for all links: the radio's next below the measured ones' harmonic mean, "
            "that all\n# links carry.\n"
            f'data_rate = "{rate:g}Mbps"\n'
            '# Linux sends no RTS unless it is told to (iw phy PHY set rts BYTES).\nrts_threshold = "3000B"\n'
        )
    tables.append(f'{FIXED_ROUTES}\n[tcp]\nvariant = "newreno"\n')
    tables.append(flows)
    return with_names("".join(tables), numbers)


def unconnected(links: Links, flows: str) -> list[str]:
    """Return notes on flows between whose ends no path of links carries frames; `flows` are flow tables."""
    names = {number: name for name, number in links.numbers.items()}
    pairs = [(names.get(one["from"], ""), names.get(one["to"], "")) for one in tomllib.loads(flows)["flow"]]
    missing = carrying.without_path(pairs, carrying.usable(links.levels, links.needs()))
    return [
        f"no path of links that carry frames leads from {shown(a)} to {shown(b)}: the flow will deliver "
        "nothing"
        for a, b in missing
    ]


def _bound(level: float | None, needs: Needs) -> str:
    """Return a comment on a link that doesn't carry everything."""
    if level is None:
        return ""
    if level < needs.least:
        return "# too weak for any frame: it only disturbs\n"
    fastest = needs.fastest(level)
    if fastest is None or fastest == carrying.RATES[-1]:
        return ""
    return f"# carries up to {fastest:g} Mb/s at this level\n"


def _watts(dbm: float) -> str:
    return f"{10 ** (dbm / 10) * 1e-3:.6g}W"


def _quoted(text: str) -> str:
    # A JSON string is a TOML string too.
    return json.dumps(text, ensure_ascii=False)
