"""``tworay convert``: moves for other programs, ns-2's traces as tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import polars as pl
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

    Cli = Callable[..., Result]

ROOT = Path(__file__).resolve().parents[2]
MOVEMENT = """\
$node_(0) set X_ 0.0
$node_(0) set Y_ 10.0
$ns_ at 2.0 "$node_(0) setdest 100.0 10.0 5.0"
"""


def test_a_comparison_of_recorded_moves_has_a_page(cli: Cli, tmp_path: Path) -> None:
    """The file of moves stays where it is: relative to the results there is none."""
    assert cli("convert", "strip-50", "-o", "strip.mov", "--seed", "3").code == 0
    assert cli("convert", "strip.mov", "--flow", "0:1:ftp", "-o", "strip.toml").code == 0
    words = ("--seeds", "1", "--set", "duration=2s", "--out", "out")
    done = cli("compare", "strip.toml", "--tcp", "newreno,vegas", *words)
    assert done.code == 0, done.err
    assert "Two arms over time" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_moves_are_written_for_ns2_and_netanim(cli: Cli, tmp_path: Path) -> None:
    written = cli("convert", "strip-50", "-o", "strip.mov", "--seed", "3")
    assert written.code == 0, written.err
    # What was written is a movement file that a scenario can be made of.
    assert cli("convert", "strip.mov", "--flow", "0:1:ftp", "-o", "strip.toml").code == 0
    assert cli("convert", "strip.mov", "-o", "strip.xml").code == 0
    root = ElementTree.parse(tmp_path / "strip.xml").getroot()
    assert root.tag == "anim"
    assert root.get("ver") == "netanim-3.109"
    assert len(root.findall("node")) == 50
    moves = [float(move.get("t", "")) for move in root.findall("nu[@p='p']")]
    assert len(moves) > 50
    assert moves == sorted(moves)
    assert cli("convert", "route-break", "-o", "break.xml").code == 0
    refused = cli("convert", "route-break", "-o", "break.xml")
    assert (refused.code, "--force" in refused.err) == (2, True)


TRACE = ROOT / "crates" / "tworay-wire" / "tests" / "traces"


@pytest.mark.parametrize("form", ["old", "new"])
def test_a_trace_of_ns2_becomes_tables(cli: Cli, tmp_path: Path, form: str) -> None:
    trace = str(TRACE / f"string-2-{form}.tr.gz")
    document = cli("convert", trace, "-o", "packets.parquet", "--json").document
    data = next(flow for flow in document["flows"] if flow["kind"] == "tcp")
    assert (data["from"], data["to"], data["sent"], data["losses"]) == ("0:0", "2:0", 31, {})
    assert data["goodput_bps"] == pytest.approx(8 * data["goodput_bytes"] / 0.4, rel=0.02)
    packets = pl.read_parquet(tmp_path / "packets.parquet")
    received = packets.filter(kind="tcp", fate="received")
    assert len(received) == data["received"]
    assert received["received_s"].is_not_null().all()
    assert cli("convert", trace, "-o", "packets.csv").code == 0
    assert pl.read_csv(tmp_path / "packets.csv").height == packets.height
    table = cli("convert", trace)
    assert "0:0 → 2:0" in table.out
    assert "routing sent" in table.out


def test_wrong_conversions_are_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "cut.tr").write_text("s 1.0 _0_ AGT  --- 0 tcp 40 [0 0 0\n")
    (tmp_path / "walk.mov").write_text(MOVEMENT)
    for arguments, says in [
        (("cut.tr",), "cut.tr:1"),
        (("cut.tr", "-o", "cut.toml"), ".parquet"),
        (("walk.mov",), "-o SCENARIO.toml"),
        (("walk.mov", "-o", "walk.csv"), "traces"),
        (("walk.mov", "-o", "walk.xml", "--flow", "0:1:ftp"), "--flow"),
        (("walk.mov", "-o", "walk.toml", "--flow", "0:1:ftp", "--json"), "--json"),
        (("nowhere.mov", "-o", "walk.xml"), "nowhere.mov"),
    ]:
        result = cli("convert", *arguments)
        assert result.code == 2, arguments
        assert says in result.err, result.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.tr", "walk.mov"]


def test_a_file_of_no_kind_that_convert_reads_names_those_kinds(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# My trace\n\nSome notes, with commas\n")
    (tmp_path / "notes").write_text("Some notes\n")
    (tmp_path / "air.pcapng").write_bytes(b"\x0a\x0d\x0d\x0a\xff\xfe\x00")
    (tmp_path / "writes.csv").write_text("time_s;bytes\n0,5;1200\n")
    for file, found in [
        ("notes.md", 'no file to convert; it begins with "# My trace"'),
        ("notes", 'no file to convert; it begins with "Some notes"'),
        ("air.pcapng", "no file to convert; give moves"),
        ("writes.csv", 'the header is "time_s;bytes"'),
    ]:
        refused = cli("convert", file, "-o", "x.toml", "--flow", "0:1:ftp")
        assert refused.code == 2, refused
        assert found in refused.err
        assert "tracks" in refused.err
        assert "a trace of traffic is replayed: --flow 0:1:replay:file=" in refused.err
    # A script of ns-2 may have any name.
    (tmp_path / "walk.txt").write_text(MOVEMENT)
    assert cli("convert", "walk.txt", "-o", "walk.toml", "--flow", "0:0:ftp").code == 2
    assert cli("convert", "walk.txt", "-o", "walk.xml").code == 0


def test_a_trace_of_one_packet_has_no_rate(cli: Cli, tmp_path: Path) -> None:
    line = "s 1.000000000 _0_ AGT  --- 0 cbr 512 [0 0 0 0] ------- [0:0 1:0 32 0] [0] 0 0\n"
    (tmp_path / "one.tr").write_text(line)
    result = cli("convert", "one.tr")
    assert result.code == 0, result.err
    assert result.out.splitlines()[1].split() == ["0:0", "→", "1:0", "cbr", "1", "0", "–", "–", "–"]
    assert cli("convert", "one.tr", "--json").document["flows"][0]["goodput_bps"] is None


def test_an_unknown_ending_says_which_are_known(cli: Cli, tmp_path: Path) -> None:
    result = cli("convert", "strip-50", "-o", "x.foo")
    assert result.code == 2
    assert "x.foo: unknown ending; allowed are .toml, .mov" in result.err
    assert list(tmp_path.iterdir()) == []


TCP_AND_CBR = """\
set tcp_(0) [$ns_ create-connection  TCP $node_(0) TCPSink $node_(1) 0] ;# cbrgen -type tcp
$tcp_(0) set window_ 8
set ftp_(0) [$tcp_(0) attach-source FTP]
$ns_ at 2.5 "$ftp_(0) start"
set udp_(0) [new Agent/UDP]; $ns_ attach-agent $node_(1) $udp_(0)
set null_(0) [new Agent/Null]; $ns_ attach-agent $node_(0) $null_(0)
set cbr_(0) [new Application/Traffic/CBR]
$cbr_(0) set interval_ 0.25
$cbr_(0) set maxpkts_ 5
$cbr_(0) attach-agent $udp_(0)
$ns_ connect $udp_(0) $null_(0)
$ns_ at 1.0 "$cbr_(0) start"
"""


def test_traffic_of_cbrgen_runs_with_as_many_packets_as_it_says(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "walk.mov").write_text(MOVEMENT + "$node_(1) set X_ 150; $node_(1) set Y_ 10 ;# stays\n")
    (tmp_path / "both.tcl").write_text(TCP_AND_CBR)
    made = cli("convert", "walk.mov", "--traffic", "both.tcl", "-o", "walk.toml")
    assert made.code == 0, made.err
    cbr, ftp = cli("run", "walk.toml", "--json").document["flows"]
    assert (cbr["tcp"], cbr["sent_segments"], cbr["acked_segments"]) == (None, 5, 5)
    assert (ftp["tcp"], ftp["goodput_bps"] > 0) == ("tahoe", True)
    (tmp_path / "both.tcl").write_text(TCP_AND_CBR.replace("TCPSink $node_(1)", "TCPSink $node_(2)"))
    refused = cli("convert", "walk.mov", "--traffic", "both.tcl", "-o", "far.toml")
    assert refused.code == 2
    assert "from node 0 to node 2, the movement file has nodes 0 to 1" in refused.err
