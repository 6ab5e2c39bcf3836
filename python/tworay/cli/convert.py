"""``tworay convert``: the kinds of input and output select the conversion."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

import tworay
from tworay import _native
from tworay.cli import streams
from tworay.cli.output import check_free, is_stdout, note, print_columns, print_json, write_file, write_text
from tworay.errors import InputError
from tworay.imports import autopilot, dumps, links, tracks
from tworay.imports.reading import (
    Place,
    Table,
    by_number,
    notes_on_names,
    read_text,
    shown,
    with_names,
    wrong,
)

if TYPE_CHECKING:
    from tworay.imports.traces import Trace

from tworay.cli.app import app
from tworay.cli.options import JsonOption

MOVES: dict[str, Literal["ns2", "netanim"]] = {
    ".mov": "ns2",
    ".tcl": "ns2",
    ".ns_movements": "ns2",
    ".xml": "netanim",
}
TABLES = (".parquet", ".csv")
READABLE = (
    "moves (.mov, .movements), a scenario, tracks (.gpx, .csv, .bin, .tlog), links (.csv, dumps) or an ns-2 "
    "trace (.tr)"
)


@app.command()
def convert(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Movements of ns-2 or BonnMotion, or a wireless trace of ns-2 (.tr), also gzipped; "
            "a scenario; tracks (.gpx, .csv with id, time and lat, lon or x, y, or logs of autopilots: .bin "
            "of ArduPilot, .tlog of MAVLink); measured links (.csv "
            "with from, to and loss, level, tq, etx or lq; output of batctl o, olsrd's txtinfo or jsoninfo, "
            "babeld's dump, or iw's info and station dump). Of tracks and links also several.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="What to write: a scenario (.toml), an ns-2 movement file (.mov, .tcl), NetAnim's XML "
            "(.xml), a trace's packets (.parquet, .csv); - prints a scenario, or a trace's packets as CSV.",
        ),
    ] = None,
    flow: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FROM:TO:APP",
            help="Add a flow of ftp, cbr, on-off, web, request, video or replay, for example 0:1:ftp. "
            "Repeatable.",
        ),
    ] = None,
    traffic: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Take the flows from an ns-2 traffic file.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the positions that are written.")] = 1,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    json: JsonOption = False,
) -> None:
    """Convert files of other tools.

    Turns movements, tracks or measured links into a scenario, movements into files of other tools, and an
    ns-2 trace into a table.
    """
    kind = _own_network(files)
    if kind is None:
        _convert_file(files[0], output, flow or [], traffic=traffic, seed=seed, force=force, as_json=json)
    elif json:
        raise InputError("--json is for traces (.tr) only; leave it out")
    elif output is None:
        raise InputError("name the file to write: -o SCENARIO.toml")
    elif kind == "links":
        _convert_links(files, output, flow or [], traffic=traffic, force=force)
    else:
        _convert_tracks(files, output, flow or [], traffic=traffic, force=force)


def _own_network(files: list[str]) -> Literal["tracks", "links"] | None:
    """Return the kind of a user's own files, tracks or links; `None` for others."""
    kinds = {file: _kind_of(file) for file in files}
    if len(set(kinds.values())) > 1 or (len(files) > 1 and None in kinds.values()):
        told = ", ".join(f"{file} ({kind or 'another form'})" for file, kind in kinds.items())
        raise InputError(f"several files must all be tracks, or all be measured links, not {told}")
    return kinds[files[0]]


def _kind_of(file: str) -> Literal["tracks", "links"] | None:
    ending = Path(file).suffix.lower()
    if file == "-" or ending in (".toml", ".tr", ".gz", ".movements", *MOVES) or not Path(file).is_file():
        if ending in (".gpx", ".csv", *autopilot.ENDINGS):
            raise InputError(f"{file}: there is no such file; check the path")
        return None
    if ending == ".gpx" or ending in autopilot.ENDINGS:
        return "tracks"
    with Path(file).open("rb") as opened:
        start = opened.read(4096).decode("utf-8", errors="replace").lstrip("\ufeff")
    if dumps.form_of(start) is not None:
        return "links"
    if links.is_table(Table(file, start, links.COLUMNS).columns):
        return "links"
    columns = Table(file, start, tracks.COLUMNS).columns
    if tracks.is_table(columns):
        return "tracks"
    if ending == ".csv":
        raise wrong(
            Place(file, 1),
            f'the header is "{shown(start.splitlines()[0] if start.strip() else "")}"',
            "tracks have id, time, lat, lon (or x, y); links have from, to and loss, level, tq, etx or lq; "
            f"a trace of traffic is replayed: --flow 0:1:replay:file={file}",
        )
    if not _may_be_moves(file, start):
        begins = shown(start.lstrip().split("\n")[0])
        problem = (
            f'no file to convert; it begins with "{begins}"' if _is_text(start) else "no file to convert"
        )
        remedy = f"give {READABLE}; a trace of traffic is replayed: --flow 0:1:replay:file=TRACE"
        raise wrong(file, problem, remedy)
    return None


def _is_text(start: str) -> bool:
    return all(c.isprintable() or c.isspace() for c in start)


def _may_be_moves(file: str, start: str) -> bool:
    """Return whether a file of unknown ending may be an ns-2 script: only these have Tcl's variables."""
    return start.startswith("\x1f") or "$" in start or (_is_text(start) and "$" in read_text(file))


def _convert_links(
    files: list[str], output: Path, flows: list[str], *, traffic: Path | None, force: bool
) -> None:
    if output.suffix.lower() != ".toml" and not is_stdout(output):
        raise InputError(f"{output}: measured links become a scenario; name it with -o SCENARIO.toml")
    if traffic is not None:
        raise InputError("--traffic goes with a movement file; give --flow FROM:TO:APP")
    if not flows:
        raise InputError("there is no flow; add one with --flow FROM:TO:APP, for example --flow 0:1:ftp")
    check_free(output, force=force)
    found = links.read(files)
    from tworay.running import flows as of

    tables = of.tables(by_number(flow, found.numbers) for flow in flows)
    name = None if len(files) == 1 or is_stdout(output) else output.stem
    text = links.scenario(found, tables, files, name)
    # Loading checks the text, for example that the flows' nodes exist.
    folder = "" if is_stdout(output) else str(output.parent)
    _native.Scenario.from_toml(text, "the converted scenario", folder)
    write_text(output, text)
    for line in [*found.notes, *notes_on_names(found.numbers), *links.unconnected(found, tables)]:
        note(f"note: {line}")


def _convert_tracks(
    files: list[str], output: Path, flows: list[str], *, traffic: Path | None, force: bool
) -> None:
    ending = output.suffix.lower()
    if ending != ".toml" and ending not in (*MOVES, ".movements"):
        raise InputError(f"{output}: tracks become a scenario (.toml) or moves (.movements, .mov, .xml)")
    if ending != ".toml" and (flows or traffic is not None):
        raise InputError("--flow and --traffic belong to a scenario: name one with -o SCENARIO.toml")
    movements = output.with_suffix(".movements")
    check_free(output, force=force)
    found = tracks.read(files)
    text = found.movements()
    if ending == ".toml" and traffic is None and flows and found.are_fixed:
        from tworay.running import flows as of

        made = found.scenario(of.tables(by_number(flow, found.numbers) for flow in flows), output.stem)
        _native.Scenario.from_toml(made, "the converted scenario", str(output.parent))
        write_text(output, made)
        for line in [*found.notes, *notes_on_names(found.numbers), tracks.RADIO_NOTE]:
            note(f"note: {line}")
        return
    if ending == ".toml":
        check_free(movements, force=force)
    if ending == ".movements":
        write_text(output, text)
    else:
        # Check the flows before anything is written.
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / movements.name
            place.write_text(text, encoding="utf-8")
            if ending != ".toml":
                made = tworay.moves(place, form=MOVES[ending])
            else:
                numbered = [by_number(flow, found.numbers) for flow in flows]
                scenario = Path(folder) / output.name
                made = tworay.convert(place, flows=numbered, traffic=traffic, output=scenario)
                made = with_names(made, found.numbers)
        if ending == ".toml":
            write_text(movements, text)
        write_text(output, made)
    for line in [*found.notes, *(notes_on_names(found.numbers) if ending == ".toml" else ())]:
        note(f"note: {line}")


def _convert_file(
    file: str,
    output: Path | None,
    flows: list[str],
    *,
    traffic: Path | None,
    seed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Select the conversion by the files' names."""
    ending = "" if output is None else output.suffix.lower()
    is_trace = file.endswith((".tr", ".tr.gz")) or (file == "-" and (output is None or ending in TABLES))
    name = file
    if file == "-":
        file = str(streams.STDIN)
    if not is_trace and as_json:
        raise InputError("--json is for traces (.tr) only; leave it out")
    if (is_trace or ending in MOVES) and (flows or traffic is not None):
        raise InputError("--flow and --traffic belong to a scenario: name one with -o SCENARIO.toml")
    if is_trace:
        if output is not None and ending not in TABLES and not is_stdout(output):
            raise InputError(f"{output}: a trace's packets go into a .parquet or .csv file")
        _convert_trace(file, output, force=force, as_json=as_json)
    elif output is None:
        raise InputError(
            "name the file to write: -o SCENARIO.toml, -o FILE.mov (ns-2) or -o FILE.xml (NetAnim)"
        )
    elif ending in TABLES:
        raise InputError(f"{output}: tables are made of ns-2's traces, whose names end in .tr or .tr.gz")
    elif ending in MOVES:
        check_free(output, force=force)
        text = tworay.moves(file, seed=seed, form=MOVES[ending])
        write_text(output, text)
    elif ending != ".toml" and not is_stdout(output):
        endings = ", ".join((".toml", *MOVES, *TABLES))
        raise InputError(f"{output}: unknown ending; allowed are {endings}")
    elif name == "-":
        raise InputError("a scenario names its movement file, which standard input is not; save it first")
    else:
        check_free(output, force=force)
        place = None if is_stdout(output) else output
        write_text(output, tworay.convert(file, flows=flows, traffic=traffic, output=place))


def _convert_trace(file: str, output: Path | None, *, force: bool, as_json: bool) -> None:
    if output is not None:
        check_free(output, force=force)
    trace = tworay.read_trace(file)
    if output is not None:
        packets = trace.packets
        if is_stdout(output):
            print(packets.write_csv(), end="")
            return
        if output.suffix.lower() == ".csv":
            write_file(output, packets.write_csv)
        else:
            write_file(output, packets.write_parquet)
    if as_json:
        print_json(trace.summary)
    else:
        _show(trace)


def _show(trace: Trace) -> None:
    rows = [["flow", "kind", "sent", "received", "goodput", "mean delay", "lost"]]
    for flow in trace.summary["flows"]:
        lost = ", ".join(f"{reason} {count}" for reason, count in flow["losses"].items())
        delay, goodput = flow["mean_delay_s"], flow["goodput_bps"]
        rows.append(
            [
                f"{flow['from']} → {flow['to']}",
                flow["kind"],
                str(flow["sent"]),
                str(flow["received"]),
                "–" if goodput is None or flow["kind"] == "ack" else f"{goodput / 1e3:.1f} kbit/s",
                "–" if delay is None else f"{delay * 1e3:.1f} ms",
                lost or "–",
            ]
        )
    print_columns(rows)
    print()
    rows = [["drop lines", "reason", "kind", "number"]]
    rows += [
        [d["layer"], d["reason"], d["kind"] or "(frame)", str(d["lines"])] for d in trace.drops.to_dicts()
    ]
    print_columns(rows)
    routing = trace.routing.to_dicts()[0]
    print()
    print(f"routing sent {routing['packets']} packets of its own, {routing['bytes']} B, each hop counted")
