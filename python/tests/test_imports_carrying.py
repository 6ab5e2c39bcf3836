"""Scenarios of measured links carry traffic over the links that the dumps show, and name those that can't."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

import tworay
from tworay.imports import carrying, links
from tworay.imports.carrying import Needs
from tworay.imports.radios import Radio

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

MODERN = Radio("n", 5180, 20, 1)
# Eight roofs in a ring with two chords; the level of each link, dBm.
ROOFS = {
    (0, 1): -55, (1, 2): -62, (2, 3): -71, (3, 4): -78, (4, 5): -83, (5, 6): -75, (6, 7): -66, (7, 0): -81,
    (1, 6): -83, (2, 5): -79,
}  # fmt: skip
SENT = "\ttx packets:\t5000\n\ttx retries:\t400\n\ttx failed:\t1\n"


def dumps(
    folder: Path,
    levels: dict[tuple[int, int], int],
    *,
    rate: str,
    channel: str = "",
    without: Iterable[tuple[int, str]] = (),
) -> list[str]:
    """Write a dump for each node, `a.txt` and so on; `without` are lines that a node's dump lacks."""
    files = []
    for node in sorted({node for ends in levels for node in ends}):
        text = f"Interface mesh0\n\taddr 02:00:00:00:00:{node:02x}\n{channel}"
        for ends, level in levels.items():
            if node not in ends:
                continue
            other = sum(ends) - node
            text += f"Station 02:00:00:00:00:{other:02x} (on mesh0)\n{SENT}\tsignal:  \t{level} dBm\n"
            text += f"\ttx bitrate:\t{rate}\n\tmesh plink:\tESTAB\n"
        for who, line in without:
            if who == node:
                text = "".join(one for one in text.splitlines(keepends=True) if f"\t{line}:" not in one)
        file = folder / f"{'abcdefgh'[node]}.txt"
        file.write_text(text)
        files.append(str(file))
    return files


@pytest.mark.parametrize(
    ("radio", "level", "rate", "gets"),
    [
        # Noise of 22 MHz with a noise figure of 7 dB: -174 + 73.4 + 7 = -93.6 dBm; 802.11b needs 4 dB of
        # preamble, and 11 and 16 dB at 5.5 and 11 Mb/s: -89.6, -82.6 and -77.6 dBm.
        (None, -77, 11, True), (None, -78, 11, False), (None, -82, 5.5, True), (None, -83, 5.5, False),
        (None, -89, 2, True), (None, -90, 1, False),
        # 20 MHz: -174 + 73.0 + 7 + 4 = -90.0 dBm, at which rate control has MCS 0.
        (MODERN, -89, None, True), (MODERN, -91, None, False),
    ],
)  # fmt: skip
def test_the_power_that_is_needed_is_that_of_the_simulator(
    tmp_path: Path, radio: Radio | None, level: int, rate: float | None, gets: bool
) -> None:
    needs = Needs.of(radio)
    assert (level >= (needs.least if rate is None else needs.rates[rate])) == gets
    text = f"from,to,level\na,b,{level}\nb,a,{level}\n"
    (tmp_path / "two.csv").write_text(text)
    found = links.read([str(tmp_path / "two.csv")])
    found.radio = radio
    file = tmp_path / "two.toml"
    file.write_text(links.scenario(found, '[[flow]]\nfrom = 0\nto = 1\napp = "ftp"\n', ["two.csv"]))
    own = {} if rate is None else {"mac.data_rate": f"{rate}Mbps"}
    run = tworay.run(file, set={"duration": "3s", **own})
    assert (run.summary["flows"][0]["goodput_bps"] > 0) == gets


@pytest.mark.parametrize(
    ("rate", "channel", "radio"),
    [
        ("11.0 MBit/s", "\tchannel 1 (2412 MHz), width: 20 MHz, center1: 2412 MHz\n", None),
        ("11.0 MBit/s", "", None),
        ("39.0 MBit/s MCS 4", "\tchannel 36 (5180 MHz), width: 20 MHz, center1: 5180 MHz\n", "n"),
        # A dump whose interface had no channel: rates alone say which radio it is.
        ("39.0 MBit/s MCS 4", "", "n"),
        ("390.0 MBit/s VHT-MCS 4 80MHz VHT-NSS 2", "", "ac"),
    ],
)
def test_eight_roofs_carry_traffic_over_their_weak_links(
    cli: Cli, tmp_path: Path, rate: str, channel: str, radio: str | None
) -> None:
    files = dumps(tmp_path, ROOFS, rate=rate, channel=channel)
    made = cli("convert", *files, "--flow", "e:f:ftp", "--flow", "a:d:ftp", "-o", "mesh.toml")
    assert made.code == 0, made.err
    text = (tmp_path / "mesh.toml").read_text()
    world = tomllib.loads(text)
    # Several files are named by what is written.
    assert world["name"] == "mesh"
    assert world["summary"] == "8 nodes with links as measured in 8 files"
    assert world["radio"].get("standard") == radio
    if radio is None:
        # -83 dBm are below the -82.6 that 5.5 Mb/s needs.
        assert world["mac"]["data_rate"] == "2Mbps"
        assert "the radio's one rate is 2 Mb/s, not 11: 10 of 20 directions" in " ".join(made.err.split())
        # -83 dBm for two links, and -81, -79 and -78 for three.
        assert text.count("# carries up to 2 Mb/s at this level\n") == 4
        assert text.count("# carries up to 5.5 Mb/s at this level\n") == 6
    if radio and not channel:
        assert 'no dump has the line "channel"' in made.err
        assert world["radio"]["frequency"] == {"n": "2412MHz", "ac": "5180MHz"}[radio]
        assert world["radio"]["width"] == {"n": "20MHz", "ac": "80MHz"}[radio]
    alone = {"duration": "10s", "flow.1": "off"}
    (weak,) = [flow for flow in tworay.run(tmp_path / "mesh.toml", set=alone).summary["flows"] if flow]
    assert weak["goodput_bps"] > 100e3


def test_links_that_carry_nothing_and_flows_without_a_path_are_named(cli: Cli, tmp_path: Path) -> None:
    files = dumps(tmp_path, {(0, 1): -60, (1, 2): -92}, rate="11.0 MBit/s")
    made = cli("convert", *files, "--flow", "a:b:ftp", "--flow", "a:c:ftp", "-o", "mesh.toml")
    told = " ".join(made.err.split())
    assert "2 of 4 directions arrive below -89.6 dBm: they disturb, and carry nothing (b to c -92" in told
    assert "no path of links that carry frames leads from a to c: the flow will deliver nothing" in told
    assert "from a to b" not in told
    text = (tmp_path / "mesh.toml").read_text()
    assert text.count("# too weak for any frame: it only disturbs\n") == 2
    # A link that carries nothing doesn't slow the others down.
    assert tomllib.loads(text)["mac"]["data_rate"] == "11Mbps"


def test_a_path_needs_both_directions_of_its_links() -> None:
    levels = {("a", "b"): -60.0, ("b", "a"): -95.0, ("b", "c"): None, ("c", "b"): None, ("c", "d"): None}
    carrying_ones = carrying.usable(levels, Needs.of(None))
    assert carrying_ones == {("b", "c"), ("c", "b")}
    flows = [("a", "b"), ("b", "c"), ("c", "d")]
    assert carrying.without_path(flows, carrying_ones) == [("a", "b"), ("c", "d")]


def test_missing_lines_are_named_with_the_node_in_whose_dump_they_are(cli: Cli, tmp_path: Path) -> None:
    levels = {(0, 1): -60, (1, 2): -60, (2, 0): -60}
    files = dumps(
        tmp_path, levels, rate="11.0 MBit/s", without=[(0, "tx packets"), (1, "signal"), (1, "signal avg")]
    )
    told = links.read(files).notes
    assert told == [
        'no lines "tx packets" and "tx retries" in dumps of a (of b, c): 2 directions have no loss of their '
        "own and take that of the opposite one",
        'no lines "signal" in dumps of b (of a, c): 2 directions have no level of their own and take that of '
        "the opposite one",
    ]
    # Nobody counted retries: there is no opposite direction to take a loss from.
    files = dumps(tmp_path, levels, rate="11.0 MBit/s", without=[(node, "tx retries") for node in range(3)])
    (note,) = links.read(files).notes
    assert "a (of b, c), b (of a, c), c (of a, b): 6 directions" in note
    assert "lose frames by their level only" in note
    # With rate control levels decide, and losses aren't used: nothing is missing.
    files = dumps(
        tmp_path, levels, rate="39.0 MBit/s MCS 4", channel="\tchannel 36 (5180 MHz), width: 20 MHz\n",
        without=[(node, "tx retries") for node in range(3)],
    )  # fmt: skip
    assert links.read(files).notes == []
    # A node without a dump of its own.
    (note,) = links.read(files[:2]).notes
    assert note.startswith(
        "no dump of 02:00:00:00:00:02: 4 directions take level or loss of the opposite one"
    )
