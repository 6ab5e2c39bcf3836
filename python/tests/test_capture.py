"""``--pcap``: the capture's place and name. What is in it is tested in Rust, against Wireshark."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
