"""A network that exists becomes a scenario: tracks, tables of links, dumps of routing daemons."""

from __future__ import annotations

import math
import tomllib
from typing import TYPE_CHECKING

import pytest

import tworay
from tworay.errors import InputError
from tworay.imports import dumps, links, tracks
from tworay.imports.reading import by_number, names_of_nodes
from tworay.live.hostnames import check_host_names
from tworay.naming import other_host

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

WALK = """\
id,time,lat,lon
alice,2026-03-01T12:00:00Z,48.0,11.0
bob,2026-03-01T12:00:00Z,48.0,11.002
alice,2026-03-01T12:01:40Z,48.0,11.001
bob,2026-03-01T14:01:40+02:00,48.0,11.003
"""
GPX = """\
<?xml version="1.0"?>
<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
 <wpt lat="0" lon="0"><name>not a track</name></wpt>
 <trk><name>alice</name><trkseg>
  <trkpt lat="48.0" lon="11.0"><ele>520</ele><time>2026-03-01T12:00:00Z</time></trkpt>
  <trkpt lat="48.0" lon="11.001"><time>2026-03-01T12:01:40Z</time></trkpt>
 </trkseg></trk>
 <trk><trkseg>
  <trkpt lat="48.0" lon="11.002"><time>2026-03-01T12:00:00Z</time></trkpt>
 </trkseg><trkseg>
  <trkpt lat="48.0" lon="11.003"><time>2026-03-01T12:01:40Z</time></trkpt>
 </trkseg><name>bob</name></trk>
</gpx>
"""


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


@pytest.mark.parametrize(("name", "text"), [("walk.csv", WALK), ("walk.gpx", GPX)])
def test_tracks_become_moves_and_a_scenario_that_runs(cli: Cli, tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path, name, text)
    made = cli("convert", name, "--flow", "bob:alice:ftp", "-o", "walk.toml")
    assert made.code == 0, made.err
    assert "2 gaps are longer than 60 s" in made.err
    scenario = (tmp_path / "walk.toml").read_text()
    assert tomllib.loads(scenario)["names"] == {"alice": 0, "bob": 1}
    assert tomllib.loads(scenario)["flow"][0] | {"start": ""} == {
        "from": 1,
        "to": 0,
        "app": "ftp",
        "start": "",
    }
    result = cli("run", "walk.toml", "--set", "duration=5s", "--json").document
    assert result["flows"][0]["goodput_bps"] > 100_000
    moves = (tmp_path / "walk.movements").read_text().splitlines()
    assert moves[:2] == ["# node 0: alice", "# node 1: bob"]
    # On WGS84 0.001° at 48° north are 74.63 m: cos φ · a / √(1 - e² sin² φ) · π/180000.
    assert [float(word) for word in moves[2].split()] == pytest.approx([0, 0, 0, 100, 74.63, 0], abs=0.02)
    assert [float(word) for word in moves[3].split()] == pytest.approx(
        [0, 149.26, 0, 100, 223.89, 0], abs=0.03
    )
    # Also for other programs, and never over what is there.
    assert cli("convert", name, "-o", "walk.mov").code == 0
    assert '"$node_(0) setdest' in (tmp_path / "walk.mov").read_text()
    refused = cli("convert", name, "--flow", "0:1:ftp", "-o", "walk.toml")
    assert (refused.code, "--force" in refused.err) == (2, True)


def test_a_degree_on_the_plane_is_as_long_as_on_the_ellipsoid(tmp_path: Path) -> None:
    # On WGS84 a degree of latitude from the equator is 110574.39 m long, one of longitude there 111319.49 m.
    # 55 km from the middle the plane shortens by up to (55 / 6371)² / 2, 4e-5, on average by a third of that.
    for line, length in (("n,1,0", 110574.39), ("n,0,1", 111319.49), ("n,0,-179.5\nn,0,179.5", 111319.49)):
        rows = "n,0,0\n" + line if "\n" not in line else line
        text = "id,lat,lon\n" + rows.replace("n,", "a,", 1).replace("n,", "b,")
        first, second = (node[0][1:] for node in tracks.read([write(tmp_path, "t.csv", text)]).points)
        assert math.dist(first, second) == pytest.approx(length, rel=4e-5)


def test_local_metres_and_seconds_are_taken_as_they_are(tmp_path: Path) -> None:
    file = write(tmp_path, "t.csv", "node;t;x;y;speed\n1;10;5;5;\n0;12;0;0;\n1;11;6;5;\n1;11;6;5;\n")
    found = tracks.read([file])
    assert found.points == [[(2.0, 0.0, 0.0)], [(0.0, 5.0, 5.0), (1.0, 6.0, 5.0)]]
    assert found.notes == ["1 fixes are there twice, and were taken once"]


def test_a_table_with_semicolons_may_have_decimal_commas(tmp_path: Path) -> None:
    file = write(tmp_path, "t.csv", "id;time;x;y\n1;0,5;-1,5;5\n1;1,5;0;5\n")
    assert tracks.read([file]).points == [[(0.0, 0.0, 0.0), (1.0, 1.5, 0.0)]]


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("id,time,lat,lon\na,0,91,0\n", 2, 'lat is "91"'),
        ("id,time,lat,lon\na,0,1,nan\n", 2, 'lon is "nan"'),
        ("id,time,x,y\na,0,1,1_0\n", 2, 'y is "1_0"'),
        ("id,time,x,y\na,noon,1,1\n", 2, '"noon" is not a time'),
        ("id,time,x,y\na,0,1,1\n\na,2026-03-01,1,1\n", 4, "of another kind"),
        ("id,time,x,y\na,0,1,1\na,0,2,1\n", 3, "at the same time on"),
        ("id,time,x,y\na,0,0,0\na,1,5000,0\n", 3, "moves at 5000 m/s since"),
        ("id,time,x,y\na,0,0,0\na,1\n", 3, "the row has 2 cells"),
        ("id,time,x,y\n,0,0,0\n", 2, "the id is empty"),
        ("id,time,x,y\na,0,0,0\na,9999999,0,0\n", 3, "days after the first"),
        ("id,time,lat,lon\na,0,0,0\nb,0,0,9\n", 2, "km from the middle"),
        ("id,time,x,y,x\na,0,0,0,0\n", 1, "two columns mean x"),
        ("id,time,x,y,lat,lon\na,0,0,0,0,0\n", 1, "the header is"),
    ],
)
def test_wrong_tracks_are_refused_at_their_line(tmp_path: Path, text: str, line: int, found: str) -> None:
    with pytest.raises(InputError) as caught:
        tracks.read([write(tmp_path, "t.csv", text)])
    message = str(caught.value)
    assert f"t.csv:{line}: " in message
    assert found in message
    # What to do stands behind what was found.
    assert "; " in message


BOMB = '<?xml version="1.0"?>\n<!DOCTYPE gpx [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>\n<gpx>&b;</gpx>'


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        (BOMB, 2, "document type declaration"),
        (GPX.replace("</gpx>", ""), 14, "no XML"),
        (GPX.replace("<time>2026-03-01T12:01:40Z</time>", "", 1), 6, "no <time>"),
        (GPX.replace('lon="11.0"', 'lon="east"'), 5, 'lon is "east"'),
        ("<kml/>", 1, "its root is <kml>"),
        ("<gpx>" + "<a>" * 200, 1, "nested 100 deep"),
    ],
)
def test_a_wrong_gpx_is_refused_at_its_line(tmp_path: Path, text: str, line: int, found: str) -> None:
    with pytest.raises(InputError, match=rf"t\.gpx:{line}: .*{found}"):
        tracks.read([write(tmp_path, "t.gpx", text)])


# The forms that the daemons print, with figures made up for a small mesh.
BATCTL = """\
[B.A.T.M.A.N. adv 2024.2, MainIF/MAC: mesh0/02:00:00:00:00:0a (bat0/02:00:00:00:10:0a BATMAN_IV)]
   Originator        last-seen (#/255) Nexthop           [outgoingIF]
 * 02:00:00:00:00:0b    0.320s   (204) 02:00:00:00:00:0b [     mesh0]
   02:00:00:00:00:0b    0.320s   (100) 02:00:00:00:00:0c [     mesh0]
 * 02:00:00:00:00:0d    0.710s   (150) 02:00:00:00:00:0b [     mesh0]
"""
OLSRD = """\
Table: Links
Local IP\tRemote IP\tHyst.\tLQ\tNLQ\tCost
10.0.0.1\t10.0.0.2\t0.000\t0.900\t0.800\t1.388

Table: Topology
Dest. IP\tLast hop IP\tLQ\tNLQ\tCost
10.0.0.3\t10.0.0.2\t0.500\t1.000\t2.000
"""
JSONINFO = """\
{"links": [{"localIP": "10.0.0.1", "remoteIP": "10.0.0.2", "linkQuality": 0.9, "neighborLinkQuality": 0.8}],
 "topology": [{"lastHopIP": "10.0.0.2", "destinationIP": "10.0.0.3", "linkQuality": 0.5,
               "neighborLinkQuality": 1.0, "tcEdgeCost": 2048}]}
"""
BABELD = """\
BABEL 1.0
version babeld-1.13.1
host roof
my-id 02:00:00:ff:fe:00:00:01
ok
add interface wlan0 up true ipv6 fe80::1 ipv4 10.0.0.1
add neighbour 55d0c8 address fe80::2 if wlan0 reach ffff ureach 0000 rxcost 320 txcost 512 cost 640
add neighbour 55d1c8 address fe80::3 if wlan0 reach ff00 ureach 0000 rxcost 96 txcost 96 cost 96
add neighbour 55d2c8 address fe80::4 if wlan0 reach 0000 ureach 0000 rxcost 65535 txcost 65535 cost 65535
add route 55e0 prefix 10.0.0.2/32 from ::/0 installed yes metric 640 refmetric 0 via fe80::2 if wlan0
ok
"""
NETJSON = """\
{"type": "NetworkGraph", "protocol": "OLSR", "version": "0.9", "metric": "ETX",
 "nodes": [{"id": "10.0.0.1", "label": "roof"}],
 "links": [{"source": "10.0.0.1", "target": "10.0.0.2", "cost": 4.0}]}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # TQ 204 of 255 is 80 %; the detour over c and the two hops to d say nothing of a link.
        (
            BATCTL,
            {
                ("02:00:00:00:00:0a", "02:00:00:00:00:0b"): 0.2,
                ("02:00:00:00:00:0b", "02:00:00:00:00:0a"): 0.2,
            },
        ),
        # LQ is what the local node, or the last hop, receives.
        (
            OLSRD,
            {
                ("10.0.0.2", "10.0.0.1"): 0.1,
                ("10.0.0.1", "10.0.0.2"): 0.2,
                ("10.0.0.3", "10.0.0.2"): 0.5,
                ("10.0.0.2", "10.0.0.3"): 0.0,
            },
        ),
        (
            JSONINFO,
            {
                ("10.0.0.2", "10.0.0.1"): 0.1,
                ("10.0.0.1", "10.0.0.2"): 0.2,
                ("10.0.0.3", "10.0.0.2"): 0.5,
                ("10.0.0.2", "10.0.0.3"): 0.0,
            },
        ),
        # 256 / 320 arrives here, 256 / 512 there; where costs count nothing, 8 of 16 hellos came.
        (
            BABELD,
            {
                ("fe80::2", "roof"): 0.2,
                ("roof", "fe80::2"): 0.5,
                # reach ff00: all hellos since the first one, none before.
                ("fe80::3", "roof"): 0.0,
                ("roof", "fe80::3"): 0.0,
            },
        ),
        # An ETX of 4 is half of the frames in each direction.
        (NETJSON, {("roof", "10.0.0.2"): 0.5, ("10.0.0.2", "roof"): 0.5}),
        ("from,to,loss\na,b,25%\nb,a,0.5\n", {("a", "b"): 0.25, ("b", "a"): 0.5}),
        ("from\tto\ttq\na\tb\t51\n", {("a", "b"): 0.8, ("b", "a"): 0.8}),
        ("from;to;etx\na;b;4\n", {("a", "b"): 0.5, ("b", "a"): 0.5}),
        # Decimal commas, as spreadsheets of many languages write them.
        ("from;to;loss\na;b;12,5%\nb;a;0,5\n", {("a", "b"): 0.125, ("b", "a"): 0.5}),
        ("from,to,lq,nlq\na,b,0.9,0.8\n", {("b", "a"): 0.1, ("a", "b"): 0.2}),
        ("from,to,loss\na,b,0.1\nb,a,1\n", {("a", "b"): 0.1}),
    ],
)
def test_every_form_gives_the_loss_of_each_direction(
    tmp_path: Path, text: str, expected: dict[tuple[str, str], float]
) -> None:
    found = links.read([write(tmp_path, "links.txt", text)]).ways
    assert {ends: way.loss for ends, way in found.items()} == pytest.approx(expected, abs=1e-9)


def test_dumps_of_several_nodes_are_put_together(tmp_path: Path) -> None:
    # A node's own addresses name what the others see; two views of a direction are averaged.
    other = (
        BABELD.replace("host roof", "host barn").replace("fe80::1 ", "fe80::x ").replace("fe80::2", "fe80::1")
    )
    other = other.replace("fe80::x", "fe80::2").replace("rxcost 320", "rxcost 256")
    files = [write(tmp_path, "roof.txt", BABELD), write(tmp_path, "barn.txt", other)]
    found = links.read(files).ways
    # The roof says that barn receives half (txcost 512), the barn that it receives all (rxcost 256).
    assert found["roof", "barn"].loss == pytest.approx(0.25)


# As babeld 1.12.1 printed it 25 seconds after its start, on a wire to another one on a host of the same name.
LIVE = """\
BABEL 1.0
version babeld-1.12.1
host vm
my-id 3c:13:10:63:49:3e:bd:58
ok
add interface dba up true ipv6 fe80::309c:ff:fe26:787a ipv4 10.77.1.1
add neighbour 5628cc450140 address fe80::34b4:eaff:fe59:c423 if dba reach f800 ureach 0000 rxcost 96 txcost 96 cost 96
add xroute 10.77.9.1/32-0.0.0.0/0 prefix 10.77.9.1/32 from 0.0.0.0/0 metric 0
add route 5628cc450470 prefix 10.77.9.2/32 from 0.0.0.0/0 installed yes id 48:bb:d6:4a:84:7e:c6:30 metric 96 refmetric 0 via fe80::34b4:eaff:fe59:c423 if dba
ok
"""  # noqa: E501
PEER = """\
BABEL 1.0
version babeld-1.12.1
host vm
my-id 48:bb:d6:4a:84:7e:c6:30
ok
add interface dbb up true ipv6 fe80::34b4:eaff:fe59:c423 ipv4 10.77.1.2
add neighbour 5592092fb140 address fe80::309c:ff:fe26:787a if dbb reach fc00 ureach 0000 rxcost 96 txcost 96 cost 96
ok
"""  # noqa: E501


def test_dumps_of_two_live_daemons_on_hosts_of_one_name(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, "left.txt", LIVE)
    write(tmp_path, "right.txt", PEER)
    made = cli("convert", "left.txt", "right.txt", "--flow", "vm:vm-right:ftp", "-o", "two.toml")
    assert made.code == 0, made.err
    assert "left.txt: 1 of 1 neighbours were first heard fewer than 16 hellos ago" in made.err
    # A daemon that has run for five hellos and heard them all has lost none.
    ways = links.read([str(tmp_path / "left.txt"), str(tmp_path / "right.txt")]).ways
    assert {ends: way.loss for ends, way in ways.items()} == {("vm", "vm-right"): 0, ("vm-right", "vm"): 0}
    assert cli("run", "two.toml", "--set", "duration=3s", "--json").document["flows"][0]["goodput_bps"] > 0


@pytest.mark.parametrize(
    ("reach", "share", "hellos"),
    # Bits from the newest hello to the oldest; what is older than the first one heard says nothing.
    [
        (0xFFFF, 1.0, 16),
        (0x5555, 0.5, 16),
        (0xF800, 1.0, 5),
        (0xA800, 0.5, 5),
        (0x8000, 1.0, 1),
        (0, 0.0, 16),
    ],
)
def test_hellos_count_since_the_first_one(reach: int, share: float, hellos: int) -> None:
    assert dumps._heard(reach) == (share, hellos)


def test_levels_are_heard_against_noise_by_the_radio(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, "levels.csv", "from,to,signal\n0,1,-70dBm\n1,2,-93\n2,0,-120\n0,2,-120\n")
    made = cli("convert", "levels.csv", "--flow", "0:1:ftp", "--flow", "1:2:ftp", "-o", "levels.toml")
    assert made.code == 0, made.err
    assert "2 directions are below -96 dBm" in made.err
    result = cli("run", "levels.toml", "--set", "duration=5s", "--json").document
    strong, weak = (flow["goodput_bps"] for flow in result["flows"])
    assert strong > 500_000
    assert weak == 0, "-93 dBm is sensed, but can't be read"


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("from,to,loss\na,b,1.5\n", 2, 'loss is "1.5"'),
        ("from,to,loss\na,b,101%\n", 2, "loss is"),
        ("from,to,loss\na,a,0\n", 2, 'from "a" to "a"'),
        ("from,to,loss\na,b,0.1\na,b,0.2\n", 3, "another figure on"),
        ("from,to,loss,tq\na,b,0,255\n", 2, "both say a loss"),
        ("from,to,level\na,b,-200\n", 2, "level is"),
        ("from,to,level\na,b,\n", 2, "neither loss nor level"),
        ("from,to\na,b\n", 2, "the header is"),
        (BATCTL.replace("BATMAN_IV", "BATMAN_V"), 1, "tells no loss"),
        (BATCTL.replace("(204)", "(300)"), 3, 'TQ is "300"'),
        (BATCTL + "what?\n", 6, "not a line of a table"),
        (OLSRD.replace("0.900", "1.900"), 3, 'LQ is "1.900"'),
        (OLSRD.replace("\tLQ\tNLQ", ""), 2, "no column LQ"),
        (JSONINFO.replace("0.9", '"x"'), 1, 'linkQuality is "x"'),
        (JSONINFO[:-10], 3, "no JSON"),
        (NETJSON.replace('"ETX"', '"ff_dat_metric"'), 1, "tells no loss"),
        (BABELD.replace("reach ffff", "reach"), 7, "the neighbour has no|reach is"),
        (BABELD.replace("rxcost 320", "rxcost many"), 7, 'rxcost is "many"'),
    ],
)
def test_wrong_links_are_refused_at_their_line(tmp_path: Path, text: str, line: int, found: str) -> None:
    with pytest.raises(InputError, match=rf"links\.txt:{line}: .*({found})"):
        links.read([write(tmp_path, "links.txt", text)])


def test_hostile_files_are_refused_without_a_traceback(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bytes.csv").write_bytes(b"from,to,loss\n\xff\n")
    write(tmp_path, "deep.json", "[" * 100_000)
    write(tmp_path, "other.csv", "what,is,this\n1,2,3\n")
    write(tmp_path, "empty.csv", "")
    write(tmp_path, "nul.csv", 'from,to,loss\n"a\0,b,1\n')
    write(tmp_path, "walk.csv", WALK)
    write(tmp_path, "net.csv", "from,to,loss\na,b,0\n")
    for files in (
        ["bytes.csv"],
        ["deep.json"],
        ["other.csv"],
        ["empty.csv"],
        ["nul.csv"],
        ["walk.csv", "net.csv"],
    ):
        refused = cli("convert", *files, "--flow", "0:1:ftp", "-o", "out.toml")
        assert refused.code == 2, refused.err
        assert refused.err.startswith("tworay: ")
        assert "Traceback" not in refused.err
        assert not (tmp_path / "out.toml").exists()
    # A flow that doesn't fit leaves nothing behind either.
    assert cli("convert", "walk.csv", "--flow", "0:7:ftp", "-o", "out.toml").code == 2
    assert not list(tmp_path.glob("out.*"))


def test_flows_may_name_nodes(tmp_path: Path) -> None:
    numbers = {"a": 0, "b": 1, "02:00:00:00:00:0a": 2}
    assert by_number("a:02:00:00:00:00:0a:cbr:rate=64kbps", numbers) == "0:2:cbr:rate=64kbps"
    assert by_number("0:1:ftp", numbers) == "0:1:ftp"
    assert by_number("a:2:ftp", numbers) == "0:2:ftp"
    # Numbers that are names stay names: 10 is node 0 here, and there is no 0.
    assert by_number("20:10:ftp", {"10": 0, "20": 1}) == "1:0:ftp"
    for flow, known in (("a:nobody:ftp", numbers), ("0:10:ftp", {"10": 0, "20": 1})):
        with pytest.raises(InputError, match=r"begins with no node; (did you mean 10\? )?there are "):
            by_number(flow, known)


@pytest.mark.parametrize("loss", [0.1, 0.4])
def test_a_run_loses_as_many_first_attempts_as_were_measured(cli: Cli, tmp_path: Path, loss: float) -> None:
    write(tmp_path, "net.csv", f"from,to,loss\na,b,{loss}\nb,a,0\n")
    assert cli("convert", "net.csv", "--flow", "a:b:cbr:interval=5ms:size=64B", "-o", "net.toml").code == 0
    one_try = {
        "duration": "30s",
        "mac.rts_threshold": "3000B",
        "mac.short_retry_limit": 1,
        "mac.arp": False,
        "routing.protocol": "static",
    }
    ran = tworay.run(tmp_path / "net.toml", set=one_try, seed=3)
    sent = ran.summary["flows"][0]["sent_segments"]
    lost = len(ran.ledger)
    # 99.9 % of binomial samples are within 3.29 deviations.
    assert sent > 5000
    assert abs(lost - sent * loss) < 3.29 * math.sqrt(sent * loss * (1 - loss))
    assert set(ran.ledger["cause"]) == {"channel"}


def test_a_measured_mesh_routes_around_what_it_cannot_hear(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, "net.txt", OLSRD)
    made = cli("convert", "net.txt", "--flow", "10.0.0.1:10.0.0.3:ftp", "-o", "net.toml")
    assert made.code == 0, made.err
    outcome = [cli("run", "net.toml", "--set", "duration=60s", "--seed", "2", "--json").out for _ in range(2)]
    assert outcome[0].partition('"cpu_seconds"')[0] == outcome[1].partition('"cpu_seconds"')[0]
    ran = tworay.run(tmp_path / "net.toml", set={"duration": "60s"}, seed=2)
    assert ran.goodput_bps > 10_000


def test_where_nobody_moves_routes_are_fixed(cli: Cli, tmp_path: Path) -> None:
    """From a to c a frame and its ACK arrive with 0.6 · 0.7: 2.4 tries, over b two, which is farther."""
    write(tmp_path, "net.csv", "from,to,loss\na,b,0\nb,a,0\nb,c,0\nc,b,0\na,c,0.4\nc,a,0.3\n")
    made = cli("convert", "net.csv", "--flow", "a:c:ftp", "-o", "net.toml")
    assert "1 link takes more than 2 tries a frame, and fixed routes count it as one hop" in " ".join(
        made.err.split()
    )
    assert "(a to c)" in made.err
    text = (tmp_path / "net.toml").read_text()
    assert "# Nobody moves: shortest paths, in hops." in text
    assert tomllib.loads(text)["routing"] == {"protocol": "static"}
    write(tmp_path, "walk.csv", "id,time,x,y\nroof,0,0,0\nbarn,0,100,0\nbarn,9,110,0\n")
    assert cli("convert", "walk.csv", "--flow", "roof:barn:ftp", "-o", "walk.toml").code == 0
    assert tomllib.loads((tmp_path / "walk.toml").read_text())["routing"] == {"protocol": "aodv"}


@pytest.mark.parametrize(
    "rows",
    [
        "id,x,y\nroof,10,5\nbarn,160,25\nmill,310,5\n",
        # Resting is being fixed: the same place at two times.
        "id,time,x,y\nroof,0,10,5\nroof,9,10,5\nbarn,0,160,25\nmill,0,310,5\n",
    ],
)
def test_nodes_that_never_move_have_positions_and_no_movement_file(
    cli: Cli, tmp_path: Path, rows: str
) -> None:
    (tmp_path / "fix.csv").write_text(rows)
    made = cli("convert", "fix.csv", "--flow", "roof:mill:web", "-o", "roofs.toml")
    assert made.code == 0, made.err
    assert not (tmp_path / "roofs.movements").exists()
    assert "802.11b at 2 Mb/s (radio.preset=b-2)" in made.err
    world = tomllib.loads((tmp_path / "roofs.toml").read_text())
    assert "mobility" not in world
    assert world["name"] == "roofs"
    # The south-west corner is the origin.
    assert world["topology"] == {"kind": "explicit", "positions": [[0, 0], [150, 20], [300, 0]]}
    assert world["names"] == {"roof": 0, "barn": 1, "mill": 2}
    assert world["routing"] == {"protocol": "static"}
    run = tworay.run(tmp_path / "roofs.toml", set={"duration": "10s"})
    assert run.summary["flows"][0]["goodput_bps"] > 0
    # Moves of ns-2 are still made of them, and one that moves makes all a movement.
    assert cli("convert", "fix.csv", "-o", "fix.mov").code == 0
    (tmp_path / "walk.csv").write_text("id,time,x,y\nroof,0,0,0\nbarn,0,100,0\nbarn,9,110,0\n")
    assert cli("convert", "walk.csv", "--flow", "roof:barn:ftp", "-o", "walk.toml").code == 0
    assert (tmp_path / "walk.movements").exists()


def test_names_of_other_nodes_are_given_up(cli: Cli, tmp_path: Path) -> None:
    """Live stations know node 1 as node-1, which here is the name of node 0, and node 2 as node-2."""
    write(tmp_path, "l.csv", "from,to,loss\nnode-1,node-2,0.1\nnode-2,localhost,0.1\nlocalhost,node-3,0\n")
    done = cli("convert", "l.csv", "--flow", "node-1:localhost:ftp", "-o", "l.toml")
    assert done.code == 0, done.err
    scenario = tworay.load(tmp_path / "l.toml")
    check_host_names(scenario, "l.toml")
    # Node 3 has its own name: node-3.
    assert scenario.names == {"n-node-1": 0, "n-node-2": 1, "n-localhost": 2, "node-3": 3}
    assert "n-node-1 = 0  # node-1" in (tmp_path / "l.toml").read_text()
    said = " ".join(done.err.split())
    assert "node-1 is called n-node-1, because in live networks stations know node 1 by this name" in said
    assert "localhost is called n-localhost, because in live networks every station calls itself so" in said


@pytest.mark.parametrize(
    "names", [("Node", "node", "NODE"), ("node-1", "n-node-1", "x"), ("a", "node_2", "node 0")]
)
def test_names_made_up_are_no_other_nodes_either(names: tuple[str, ...]) -> None:
    found = names_of_nodes({name: number for number, name in enumerate(names)})
    assert len({short.lower() for short in found.values()}) == len(names)
    for number, short in enumerate(found.values()):
        assert other_host(short, number, len(names)) is None
