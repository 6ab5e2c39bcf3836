"""Recorded tracks in CSV, GPX or logs of autopilots: converted from fixes to a movement file.

WGS84 coordinates are projected onto the plane tangent to the ellipsoid at the centre of all fixes (east
and north of the local frame, without heights). At d metres from the centre a length is too short by up to
(d / 6371 km)² / 2: one in 800 000 at 10 km, one in 8000 at 100 km.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers import expat

from tworay.guide import more
from tworay.imports import autopilot
from tworay.imports.answers import DEFAULT_RADIO
from tworay.imports.reading import (
    FIXED_ROUTES,
    Place,
    Table,
    names_as_comments,
    number,
    numbering,
    read_text,
    shown,
    with_names,
    wrong,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

COLUMNS = {
    "id": ("node", "name", "device"),
    "time": ("t", "timestamp", "seconds"),
    "lat": ("latitude",),
    "lon": ("lng", "long", "longitude"),
    "x": (),
    "y": (),
}
FASTEST = 1000.0
"""Between two fixes, m/s: a faster node is an error of its receiver."""
LONG_GAP = 60.0
"""Seconds without a fix that are worth a note."""
FARTHEST = 200e3
"""From the middle, m: beyond it the earth is not flat."""
LONGEST = 30 * 24 * 3600.0
"""A run's longest duration, s."""

# WGS84: the ellipsoid's semi-major axis in metres, and its flattening.
_AXIS = 6378137.0
_FLATTENING = 1 / 298.257223563

# Of scenarios made from positions.
RADIO_NOTE = (
    f"positions don't name a radio: it is that of 2003, 802.11b at 2 Mb/s (radio.preset={DEFAULT_RADIO}); "
    "answers differ with another, for example --set radio.preset=n20"
)


@dataclass(frozen=True)
class Fix:
    """Position of a node at a time: latitude and longitude in degrees, or x and y in metres."""

    place: Place
    node: str
    time: float
    first: float
    second: float


@dataclass
class Tracks:
    """The tracks of all files: movement in metres and seconds from 0, by node."""

    numbers: dict[str, int]
    points: list[list[tuple[float, float, float]]]
    notes: list[str]

    @property
    def are_fixed(self) -> bool:
        """True if no node ever moves."""
        return all(len({point[1:] for point in node}) == 1 for node in self.points)

    def scenario(self, flows: str, name: str) -> str:
        """Return the scenario of fixed nodes; `flows` are its flow tables."""
        places = "".join(f"  [{node[0][1]:.2f}, {node[0][2]:.2f}],\n" for node in self.points)
        text = (
            f"# Made from positions: {len(self.points)} nodes that don't move.\n"
            f"name = {json.dumps(name, ensure_ascii=False)}\n"
            f'summary = "{len(self.points)} nodes at their positions"\n'
            '# Positions don\'t say how long a run is to be.\nduration = "300s"\n\n'
            f'# Metres east and north.\n[topology]\nkind = "explicit"\npositions = [\n{places}]\n\n'
            f'# The radio of 2003 reaches 250 m; another: preset = "n20" ({more("radios")}).\n'
            f'[radio]\npreset = "{DEFAULT_RADIO}"\n{FIXED_ROUTES}\n[tcp]\nvariant = "newreno"\n'
        )
        return with_names(text + flows, self.numbers)

    def movements(self) -> str:
        """Return the movement as a BonnMotion file, one line per node."""
        lines = (" ".join(f"{t:.3f} {x:.2f} {y:.2f}" for t, x, y in node) for node in self.points)
        return names_as_comments(self.numbers) + "".join(line + "\n" for line in lines)


def is_table(columns: set[str]) -> bool:
    """Return whether a CSV file's columns are those of tracks."""
    return {"lat", "lon"} <= columns or {"x", "y"} <= columns


def read(files: Iterable[str]) -> Tracks:
    """Read tracks, each file with one or more nodes."""
    files = list(files)
    kinds: set[bool] = set()
    fixes: list[Fix] = []
    for file in files:
        ending = Path(file).suffix.lower()
        if ending in autopilot.ENDINGS:
            found, on_earth = [Fix(*position) for position in autopilot.read(file)], True
        elif ending == ".gpx":
            found, on_earth = list(_gpx(file, read_text(file))), True
        else:
            table = Table(file, read_text(file), COLUMNS)
            on_earth = "lat" in table.columns
            found = list(_csv(table))
        if not found:
            raise wrong(file, "it has no fix", "each needs a time and a place")
        kinds.add(on_earth)
        fixes += found
    if len(kinds) > 1:
        raise wrong(files[0], "some files have lat and lon, others x and y", "give all in one of the two")
    places = _plane(fixes) if True in kinds else [(fix.first, fix.second) for fix in fixes]
    return _tracks(fixes, places)


def _csv(table: Table) -> Iterator[Fix]:
    have = table.columns
    earth = {"lat", "lon"} <= have
    if earth == ({"x", "y"} <= have) or not ({"lat", "lon"} <= have or {"x", "y"} <= have):
        problem = f'the header is "{table.found}"'
        raise wrong(
            Place(table.file, 1), problem, "give the columns id, time and either lat and lon or x and y"
        )
    first, second = ("lat", "lon") if earth else ("x", "y")
    bounds = (90.0, 180.0) if earth else (1e8, 1e8)
    absolute: bool | None = None
    for row in table.rows():
        cells = row.cells
        node = cells.get("id", Path(table.file).stem)
        if not node:
            raise wrong(row.place, "the id is empty", "name the node")
        time = 0.0
        if "time" in have:
            time, dated = _time(cells["time"], row.place)
            if absolute not in (None, dated):
                problem = f'"{shown(cells["time"])}" is of another kind than the times above'
                raise wrong(row.place, problem, "give all as seconds, or all as dates")
            absolute = dated
        yield Fix(
            row.place,
            node,
            time,
            number(cells[first], row.place, first, -bounds[0], bounds[0]),
            number(cells[second], row.place, second, -bounds[1], bounds[1]),
        )


def _time(word: str, place: Place) -> tuple[float, bool]:
    """Read seconds or a date; the second value tells which."""
    try:
        seconds = float(word)
    except ValueError:
        pass
    else:
        return number(word, place, "time", -1e11, 1e11) if math.isfinite(seconds) else _no_time(
            word, place
        ), False
    try:
        date = datetime.fromisoformat(word)
    except ValueError:
        _no_time(word, place)
    # Without a zone it is UTC, as in GPX.
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp(), True


def _no_time(word: str, place: Place) -> float:
    remedy = "give seconds, or a date like 2026-03-01T12:00:00Z"
    raise wrong(place, f'"{shown(word)}" is not a time', remedy)


def _gpx(file: str, text: str) -> list[Fix]:
    """Read the tracks (not routes or waypoints) of a GPX file; each track is a node."""
    fixes: list[Fix] = []
    path: list[str] = []
    words: list[str] = []
    # A track's name may follow its points.
    name, points = "", list[tuple[Place, float, float, float]]()
    point: tuple[Place, float, float] | None = None
    time: float | None = None
    parser = expat.ParserCreate(namespace_separator=" ")
    # Entity expansion can exhaust memory (billion laughs), and a GPX file needs no DTD.

    def refuse(*_: object) -> None:
        place = Place(file, parser.CurrentLineNumber)
        raise wrong(place, "it has a document type declaration", "remove it: GPX needs none")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal name, points, point, time
        path.append(tag.rpartition(" ")[2])
        words.clear()
        place = Place(file, parser.CurrentLineNumber)
        if len(path) > 100:
            raise wrong(place, "its elements are nested 100 deep", "check that it is a GPX file")
        if len(path) == 1 and path[0] != "gpx":
            raise wrong(place, f"its root is <{shown(path[0])}>", "give a GPX file, whose root is <gpx>")
        if path[-1] == "trk":
            name, points = "", []
        if path[-1] == "trkpt":
            lat, lon = attributes.get("lat", ""), attributes.get("lon", "")
            point = (place, number(lat, place, "lat", -90, 90), number(lon, place, "lon", -180, 180))
            time = None

    def end(_: str) -> None:
        nonlocal name, point, time
        word = "".join(words).strip()
        words.clear()
        if path[-2:] == ["trk", "name"]:
            name = word
        elif path[-2:] == ["trkpt", "time"] and point is not None:
            time, dated = _time(word, Place(file, parser.CurrentLineNumber))
            if not dated:
                _no_time(word, Place(file, parser.CurrentLineNumber))
        elif path[-1] == "trkpt" and point is not None:
            if time is None:
                raise wrong(point[0], "the point has no <time>", "record times, or remove the point")
            points.append((point[0], time, *point[1:]))
            point = None
        elif path[-1] == "trk":
            node = name or Path(file).stem
            fixes.extend(Fix(place, node, at, lat, lon) for place, at, lat, lon in points)
        path.pop()

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = words.append
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        place = Place(file, error.lineno)
        raise wrong(
            place, f"no XML: {expat.ErrorString(error.code)}", "check that the file is whole"
        ) from None
    return fixes


def _plane(fixes: list[Fix]) -> list[tuple[float, float]]:
    """Project latitudes and longitudes onto the plane tangent to the ellipsoid at their centre."""
    # Longitudes relative to the first one, so that tracks may cross the date line.
    turns = [(fix.second - fixes[0].second + 180) % 360 - 180 for fix in fixes]
    latitude = math.radians((min(f.first for f in fixes) + max(f.first for f in fixes)) / 2)
    longitude = math.radians((min(turns) + max(turns)) / 2)
    sin, cos = math.sin(latitude), math.cos(latitude)
    centre = _cartesian(latitude, 0.0)
    places = []
    for fix, turn in zip(fixes, turns, strict=True):
        x, y, z = _cartesian(math.radians(fix.first), math.radians(turn) - longitude)
        dx, dz = x - centre[0], z - centre[2]
        if math.hypot(dx, y, dz) > FARTHEST:
            problem = f"the fix is {math.hypot(dx, y, dz) / 1e3:.0f} km from the middle of all"
            raise wrong(fix.place, problem, f"remove it: tracks may reach {FARTHEST / 1e3:.0f} km")
        places.append((y, cos * dz - sin * dx))
    return places


def _cartesian(latitude: float, longitude: float) -> tuple[float, float, float]:
    """Return the earth-centred position of a point on the ellipsoid, in metres; angles are in radians."""
    squared = _FLATTENING * (2 - _FLATTENING)
    radius = _AXIS / math.sqrt(1 - squared * math.sin(latitude) ** 2)
    out = radius * math.cos(latitude)
    up = radius * (1 - squared) * math.sin(latitude)
    return out * math.cos(longitude), out * math.sin(longitude), up


def _tracks(fixes: list[Fix], places: list[tuple[float, float]]) -> Tracks:
    numbers = numbering(fix.node for fix in fixes)
    west, south = (min(place[axis] for place in places) for axis in (0, 1))
    began = min(fix.time for fix in fixes)
    nodes: list[list[tuple[float, float, float, Fix]]] = [[] for _ in numbers]
    for fix, (x, y) in zip(fixes, places, strict=True):
        if fix.time - began > LONGEST:
            problem = f"the fix comes {(fix.time - began) / 86400:.0f} days after the first one"
            raise wrong(fix.place, problem, "give at most 30 days")
        nodes[numbers[fix.node]].append((fix.time - began, x - west, y - south, fix))
    points, gaps, repeated = [], list[tuple[float, Fix]](), 0
    for node in nodes:
        node.sort(key=lambda point: point[0])
        kept = node[:1]
        for point in node[1:]:
            before = kept[-1]
            lasts, metres = point[0] - before[0], math.dist(point[1:3], before[1:3])
            if lasts == 0 and metres == 0:
                repeated += 1
                continue
            where, since = point[3].place, before[3].place
            if lasts == 0:
                problem = f"{shown(point[3].node)} is in another place at the same time on {since}"
                raise wrong(where, problem, "keep one of the two lines")
            if metres > FASTEST * lasts:
                problem = f"{shown(point[3].node)} moves at {metres / lasts:.0f} m/s since {since}"
                raise wrong(where, problem, f"remove the outlier: {FASTEST:.0f} m/s are the most")
            if lasts > LONG_GAP:
                gaps.append((lasts, point[3]))
            kept.append(point)
        points.append([point[:3] for point in kept])
    notes = []
    if repeated:
        notes.append(f"{repeated} fixes are there twice, and were taken once")
    if gaps:
        longest, fix = max(gaps, key=lambda gap: gap[0])
        notes.append(
            f"{len(gaps)} gaps are longer than {LONG_GAP:.0f} s (the longest, {longest:.0f} s, ends at "
            f"{fix.place}); nodes cross them in a straight line"
        )
    return Tracks(numbers, points, notes)
