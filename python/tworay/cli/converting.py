"""``tworay convert``: what is read and what is written decide what is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import tworay
from tworay.cli import streams
from tworay.cli.verbs import _print_columns
from tworay.cli.writing import check_free, is_stdout, print_json, write_file, write_text
from tworay.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.traces import Trace

MOVES: dict[str, Literal["ns2", "netanim"]] = {
    ".mov": "ns2",
    ".tcl": "ns2",
    ".ns_movements": "ns2",
    ".xml": "netanim",
}
TABLES = (".parquet", ".csv")


def convert_file(
    file: str,
    output: Path | None,
    flows: list[str],
    *,
    traffic: Path | None,
    seed: int,
    force: bool,
    as_json: bool,
) -> None:
    """Dispatch on the names of the files."""
    ending = "" if output is None else output.suffix.lower()
    is_trace = file.endswith((".tr", ".tr.gz")) or (file == "-" and (output is None or ending in TABLES))
    name = file
    if file == "-":
        file = str(streams.STDIN)
    if not is_trace and as_json:
        raise InputError("--json tells of a trace (.tr); there is nothing to print of other conversions")
    if (is_trace or ending in MOVES) and (flows or traffic is not None):
        raise InputError("--flow and --traffic belong to a scenario: name one with -o SCENARIO.toml")
    if is_trace:
        if output is not None and ending not in TABLES and not is_stdout(output):
            raise InputError(f"{output}: a trace's packets go into a .parquet or .csv file")
        _convert_trace(file, output, force=force, as_json=as_json)
    elif output is None:
        raise InputError("say what to write: -o SCENARIO.toml, -o FILE.mov (ns-2) or -o FILE.xml (NetAnim)")
    elif ending in TABLES:
        raise InputError(f"{output}: tables are made of ns-2's traces, whose names end in .tr or .tr.gz")
    elif ending in MOVES:
        check_free(output, force=force)
        text = tworay.moves(file, seed=seed, form=MOVES[ending])
        write_text(output, text)
    elif ending != ".toml" and not is_stdout(output):
        endings = ", ".join((".toml", *MOVES, *TABLES))
        raise InputError(f"{output}: its ending does not say what to write; allowed are {endings}")
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
    _print_columns(rows)
    print()
    rows = [["drop lines", "reason", "kind", "number"]]
    rows += [
        [d["layer"], d["reason"], d["kind"] or "(frame)", str(d["lines"])] for d in trace.drops.to_dicts()
    ]
    _print_columns(rows)
    routing = trace.routing.to_dicts()[0]
    print()
    print(f"routing sent {routing['packets']} packets of its own, {routing['bytes']} B, each hop counted")
