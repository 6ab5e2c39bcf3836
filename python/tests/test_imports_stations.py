"""Dumps of wireless interfaces become measured links: `iw dev IF info` and `iw dev IF station dump`."""

from __future__ import annotations

import math
import tomllib
from typing import TYPE_CHECKING

import pytest

import tworay
from tworay.errors import InputError
from tworay.imports import carrying, links

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

# The form that iw 6 prints, with figures made up for a mesh of three.
ROOF = """\
Interface mesh0
	ifindex 4
	wdev 0x1
	addr 02:00:00:00:00:0a
	type mesh point
	channel 1 (2412 MHz), width: 20 MHz, center1: 2412 MHz
	txpower 20.00 dBm
Station 02:00:00:00:00:0b (on mesh0)
	inactive time:	20 ms
	rx bytes:	1400000
	rx packets:	1300
	tx bytes:	1200000
	tx packets:	900
	tx retries:	97
	tx failed:	3
	signal:  	-40 [-43, -44] dBm
	signal avg:	-62 [-65, -66] dBm
	tx bitrate:	5.5 MBit/s
	rx bitrate:	11.0 MBit/s
	mesh plink:	ESTAB
Station 02:00:00:00:00:0e (on mesh0)
	tx packets:	0
	tx retries:	0
	tx failed:	0
	signal:  	-80 dBm
	mesh plink:	LISTEN
"""
MILL = """\
Interface mesh0
	addr 02:00:00:00:00:0b
Station 02:00:00:00:00:0a (on mesh0)
	tx packets:	500
	tx retries:	500
	tx failed:	0
	signal:  	-64 dBm
	tx bitrate:	11.0 MBit/s
Station 02:00:00:00:00:0c (on mesh0)
	tx packets:	400
	tx retries:	100
	tx failed:	0
	signal:  	-70 dBm
	tx bitrate:	65.0 MBit/s MCS 7
"""


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_levels_are_of_what_arrives_and_losses_of_what_leaves(tmp_path: Path) -> None:
    found = links.read([write(tmp_path, "roof.txt", ROOF), write(tmp_path, "mill.txt", MILL)])
    # Names are the files'. A station without a peering (LISTEN) is no link.
    assert set(found.numbers) == {"roof", "mill", "02:00:00:00:00:0c"}
    to_mill, to_roof = found.ways["roof", "mill"], found.ways["mill", "roof"]
    # 900 packets and 97 retries are 997 attempts; 97 and the last ones of 3 packets were not acknowledged:
    # data or ACK was lost. Where each is lost with probability p, this happens with 1 - (1 - p)².
    assert (to_mill.loss, to_mill.level, to_mill.rate) == (pytest.approx(1 - (897 / 997) ** 0.5), -64, 5.5)
    # The mean over all antennas, in the average where there is one.
    assert (to_roof.loss, to_roof.level, to_roof.rate) == (pytest.approx(1 - 0.5**0.5), -62, 11)
    # The barn gave no dump: each direction has one figure, and takes the other from its opposite.
    barn = "02:00:00:00:00:0c"
    for ends in ((barn, "mill"), ("mill", barn)):
        assert (found.ways[ends].loss, found.ways[ends].level) == (pytest.approx(1 - 0.8**0.5), -70)
    assert any(
        note.startswith(f"no dump of {barn}: 2 directions take level or loss of the opposite one")
        for note in found.notes
    )
    assert any(note.startswith("1 of 3 bit rates are above 11 Mb/s") for note in found.notes)


@pytest.mark.parametrize(
    ("rates", "rate"),
    # 2 / (1/5.5 + 1/11) = 7.3; 2 / (1/1 + 1/11) = 1.8; below the slowest there is only the slowest.
    [([11], 11), ([5.5, 11], 5.5), ([1, 11], 1), ([65, 130], 11), ([0.5], 1), ([], None), ([2, 2, 2], 2)],
)
def test_one_rate_takes_as_long_as_all(rates: list[float], rate: float | None) -> None:
    assert carrying.data_rate(rates, {}, carrying.Needs.of(None)) == rate


def test_a_mesh_of_dumps_becomes_a_scenario_that_runs(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, "roof.txt", ROOF)
    write(tmp_path, "mill.txt", MILL)
    # batctl's losses of the same addresses are of the same nodes: TQ 255 is none, and the mean counts.
    batctl = (
        "[B.A.T.M.A.N. adv 2024.2, MainIF/MAC: mesh0/02:00:00:00:00:0a (bat0/02:00:00:00:10:0a BATMAN_IV)]\n"
    )
    batctl += " * 02:00:00:00:00:0b    0.320s   (255) 02:00:00:00:00:0b [     mesh0]\n"
    write(tmp_path, "batctl.txt", batctl)
    made = cli("convert", "roof.txt", "mill.txt", "batctl.txt", "--flow", "roof:mill:ftp", "-o", "mesh.toml")
    assert made.code == 0, made.err
    text = (tmp_path / "mesh.toml").read_text()
    scenario = tomllib.loads(text)
    assert "# measured bit rate: 5.5 Mb/s\n" in text
    # 3 / (1/5.5 + 1/11 + 1/65) = 10.4
    assert scenario["mac"]["data_rate"] == "5.5Mbps"
    numbers = scenario["names"]
    (way,) = [
        one
        for one in scenario["radio"]["link"]
        if (one["from"], one["to"]) == (numbers["roof"], numbers["mill"])
    ]
    assert way["loss"] == pytest.approx((1 - (897 / 997) ** 0.5) / 2, abs=1e-6)
    assert scenario["mac"]["rts_threshold"] == "3000B"
    done = cli("run", "mesh.toml", "--set", "duration=5s", "--json")
    assert done.document["flows"][0]["goodput_bps"] > 0


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        (
            ROOF.replace("\taddr 02:00:00:00:00:0a\n", ""),
            7,
            "address of the node's own interface mesh0 is missing",
        ),
        (ROOF.replace("-62 [", "loud ["), 8, 'signal is "loud"'),
        (ROOF.replace("tx packets:\t900", "tx packets:\t-9"), 8, 'tx packets is "-9"'),
        (ROOF.replace("tx bitrate:\t5.5", "tx bitrate:\tfast"), 8, 'tx bitrate is "fast"'),
    ],
)
def test_wrong_dumps_are_refused_at_their_station(tmp_path: Path, text: str, line: int, found: str) -> None:
    with pytest.raises(InputError) as caught:
        links.read([write(tmp_path, "roof.txt", text)])
    assert f"roof.txt:{line}: " in str(caught.value)
    assert found in str(caught.value)
    assert "; " in str(caught.value)


def test_an_interface_without_stations_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no link is in it; give the whole output of .*station dump"):
        links.read([write(tmp_path, "roof.txt", ROOF.partition("Station")[0])])


def test_few_packets_give_a_rough_loss(tmp_path: Path) -> None:
    text = ROOF.replace("tx packets:\t900", "tx packets:\t9")
    found = links.read([write(tmp_path, "roof.txt", text)])
    assert any("1 neighbours were sent fewer than 100 packets" in note for note in found.notes)


def test_a_run_fails_as_many_attempts_as_were_measured(cli: Cli, tmp_path: Path) -> None:
    """36 % of the attempts fail; a packet repeated until it is acknowledged takes 1 / 0.64 attempts."""
    for name, own, other in (("a", "0a", "0b"), ("b", "0b", "0a")):
        text = f"Interface mesh0\n\taddr 02:00:00:00:00:{own}\nStation 02:00:00:00:00:{other} (on mesh0)\n"
        text += "\ttx packets:\t6400\n\ttx retries:\t3600\n\tsignal:\t-50 dBm\n\ttx bitrate:\t11.0 MBit/s\n"
        write(tmp_path, f"{name}.txt", text)
    made = cli("convert", "a.txt", "b.txt", "--flow", "a:b:cbr:interval=10ms:size=64B", "-o", "two.toml")
    assert made.code == 0, made.err
    patient = {
        "duration": "60s",
        "routing.protocol": "static",
        "mac.arp": False,
        "mac.short_retry_limit": 100,
    }
    ran = tworay.run(tmp_path / "two.toml", set=patient, seed=4)
    packets = ran.summary["flows"][0]["sent_segments"]
    assert packets > 5000
    # Attempts of a packet are geometric: variance 0.36 / 0.64².
    deviation = math.sqrt(packets * 0.36) / 0.64
    assert abs(ran.summary["mac"]["sent"]["data"] - packets / 0.64) < 3.29 * deviation


def modern(name: str, there: str, channel: str, rate: str) -> str:
    return (
        f"Interface mesh0\n\taddr 02:00:00:00:00:{name}\n\tchannel {channel}\n"
        f"Station 02:00:00:00:00:{there} (on mesh0)\n"
        "\ttx packets:\t900\n\ttx retries:\t100\n\ttx failed:\t0\n"
        f"\tsignal:  \t-60 dBm\n\ttx bitrate:\t{rate}\n"
    )


HT20 = "36 (5180 MHz), width: 20 MHz, center1: 5180 MHz"
LOW20 = "1 (2412 MHz), width: 20 MHz, center1: 2412 MHz"


@pytest.mark.parametrize(
    ("channel", "rate", "radio", "note"),
    [
        # 6.5 x 6 Mb/s is MCS 4 of one stream; MCS 11 is MCS 3 of two.
        (HT20, "39.0 MBit/s MCS 4", ("n", "5GHz", "5180MHz", "20MHz", 1), ""),
        (
            "1 (2412 MHz), width: 40 MHz, center1: 2422 MHz", "108.0 MBit/s MCS 11 40MHz",
            ("n", "2.4GHz", "2412MHz", "40MHz", 2), "",
        ),
        (
            "36 (5180 MHz), width: 80 MHz, center1: 5210 MHz", "390.0 MBit/s VHT-MCS 4 80MHz VHT-NSS 2",
            ("ac", None, "5180MHz", "80MHz", 2), "",
        ),
        (
            "36 (5180 MHz), width: 160 MHz, center1: 5250 MHz",
            "1200.9 MBit/s HE-MCS 11 HE-NSS 1 HE-GI 0 HE-DCM 0",
            ("ac", None, "5180MHz", "80MHz", 1), "2 of 2 bit rates are of 802.11ax or be",
        ),
        # 802.11ac isn't allowed at 2.4 GHz, and 802.11n has at most 40 MHz.
        (
            LOW20, "143.3 MBit/s HE-MCS 11 HE-NSS 1 HE-GI 0 HE-DCM 0",
            ("n", "2.4GHz", "2412MHz", "20MHz", 1), "802.11n's",
        ),
        (HT20, "24.0 MBit/s", ("a", None, "5180MHz", None, None), ""),
        (LOW20, "24.0 MBit/s", ("g", None, "2412MHz", None, None), ""),
    ],
)  # fmt: skip
def test_channel_and_bit_rates_say_which_radio_it_is(
    tmp_path: Path, channel: str, rate: str, radio: tuple[object, ...], note: str
) -> None:
    found = links.read(
        [
            write(tmp_path, f"{here}.txt", modern(here, there, channel, rate))
            for here, there in (("0a", "0b"), ("0b", "0a"))
        ]
    )
    text = links.scenario(found, '[[flow]]\nfrom = 0\nto = 1\napp = "ftp"\n', ["0a.txt"])
    world = tomllib.loads(text)
    keys = ("standard", "band", "frequency", "width", "streams")
    assert tuple(world["radio"].get(key) for key in keys) == radio
    assert note in " ".join(found.notes)
    # Levels decide: a rate control's own failed tries are no property of the link.
    # 100 of 1000 attempts each: 1 - 0.9 ** 0.5.
    assert any(note.startswith("the losses of 2 directions, up to 5 %, are left out") for note in found.notes)
    assert all("loss" not in link and link["level"] == "-60dBm" for link in world["radio"]["link"])
    assert "data_rate" not in world.get("mac", {})
    # 33 dB above the noise of 20 MHz: TCP carries most of what the radio does.
    (tmp_path / "mesh.toml").write_text(text)
    (run,) = [tworay.run(tmp_path / "mesh.toml", set={"duration": "5s"})]
    assert run.summary["flows"][0]["goodput_bps"] > 15e6
