"""``--pcap`` and ``--animate``: place and name of their files. What is in them is tested in Rust."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

from conftest import QUICK, Result

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Cli = Callable[..., Result]

SECTION_HEADER = bytes([0x0A, 0x0D, 0x0D, 0x0A])


def test_a_capture_gets_a_name_or_has_one(cli: Cli, tmp_path: Path) -> None:
    unnamed = cli("run", "string-2", "--pcap", "--seed", "3", "--json", *QUICK)
    named = cli("run", "string-2", "--seed", "3", "--json", *QUICK, "--pcap", "my.pcapng")
    assert (unnamed.code, named.code) == (0, 0), unnamed.err + named.err
    assert unnamed.document["seed"] == 3
    assert "string-2-3.pcapng" in unnamed.err
    capture = (tmp_path / "string-2-3.pcapng").read_bytes()
    assert capture.startswith(SECTION_HEADER)
    assert capture == (tmp_path / "my.pcapng").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["my.pcapng", "string-2-3.pcapng"]


def test_a_capture_replaces_nothing_unasked(cli: Cli, tmp_path: Path) -> None:
    old = tmp_path / "run.pcapng"
    old.write_text("mine")
    refused = cli("run", "string-1", *QUICK, "--pcap", old)
    assert (refused.code, refused.out) == (2, "")
    assert "--force" in refused.err
    assert old.read_text() == "mine"
    assert cli("run", "string-1", *QUICK, "--pcap", old, "--force").code == 0
    assert old.read_bytes().startswith(SECTION_HEADER)


def test_a_capture_needs_a_directory(cli: Cli) -> None:
    result = cli("run", "string-1", *QUICK, "--pcap", "missing/run.pcapng")
    assert result.code == 2
    assert "missing" in result.err


def test_an_animation_goes_where_it_is_told(cli: Cli, tmp_path: Path) -> None:
    unnamed = cli("run", "string-2", "--animate", "--seed", "3", *QUICK)
    assert unnamed.code == 0, unnamed.err
    assert "string-2-3.xml" in unnamed.err
    assert cli("run", "string-2", "--seed", "3", *QUICK, "--animate", "my.xml").code == 0
    text = (tmp_path / "string-2-3.xml").read_bytes()
    assert text == (tmp_path / "my.xml").read_bytes()
    root = ElementTree.fromstring(text)
    assert {(flight.get("fId"), flight.get("tId")) for flight in root.findall("wp")} == {
        ("0", "1"),
        ("1", "0"),
        ("1", "2"),
        ("2", "1"),
    }
    names = {node.get("descr") for node in root.findall("nu[@p='d']")}
    assert {"0 source of flow 0", "2 sink of flow 0"} <= names
    refused = cli("run", "string-2", *QUICK, "--animate", "my.xml")
    assert (refused.code, "--force" in refused.err) == (2, True)


def test_one_file_takes_one_of_them(cli: Cli, tmp_path: Path) -> None:
    refused = cli("run", "string-1", *QUICK, "--pcap=F", "--animate=./F")
    assert refused.code == 2
    assert "--pcap and --animate both name F" in refused.err
    (tmp_path / "results").mkdir()
    refused = cli("run", "string-1", *QUICK, "--out", "results", "--pcap=results/F")
    assert refused.code == 2
    assert "--pcap results/F lies in --out results" in refused.err
    assert list((tmp_path / "results").iterdir()) == []


def test_a_file_needs_no_ending_where_the_scenario_is_named(cli: Cli, tmp_path: Path) -> None:
    assert cli("run", "string-1", *QUICK, "--pcap", "F").code == 0
    assert (tmp_path / "F").read_bytes().startswith(SECTION_HEADER)
    assert "string-1-1.pcapng" in cli("run", "--pcap", "string-1", *QUICK).err
    assert "string-1-1.xml" in cli("run", *QUICK, "--animate", "string-1").err


def test_a_device_is_written_to(cli: Cli) -> None:
    assert cli("run", "string-1", *QUICK, "--pcap", "/dev/null").code == 0
    full = cli("run", "string-1", *QUICK, "--pcap", "/dev/full")
    assert (full.code, full.out) == (1, "")
    assert full.err == "tworay: can't write /dev/full: No space left on device (os error 28)\n"
