"""Names of nodes, from the scenario to what users see."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING

import polars as pl
import pytest

import tworay
from tworay.errors import InputError
from tworay.imports.reading import names_of_nodes, with_names
from tworay.naming import Nodes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

WORLD = """
name = "named"
duration = "20s"

[names]
gate = 0
roof = 2

[topology]
kind = "string"
hops = 4

[[flow]]
from = "gate"
to = 4
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    file = tmp_path / "named.toml"
    file.write_text(WORLD)
    return file


def test_tables_stories_and_pages_name_nodes(cli: Cli, world: Path) -> None:
    made = cli("run", world.name, "--out", "one", "--record", "--set", "mac.queue_limit=2")
    assert made.code == 0, made.err
    assert "0: gate→4" in made.out
    document = json.loads((world.parent / "one" / "summary.json").read_text())
    assert document["names"] == {"gate": 0, "roof": 2}
    assert (document["flows"][0]["from"], document["flows"][0]["to"]) == (0, 4), "numbers stay in documents"
    story = cli("explain", "one").out
    assert "newreno, gate to node 4" in story
    at = next(row["since_s"] for row in tworay.Run.read(world.parent / "one").tables["ledger"].to_dicts())
    assert any(name in cli("explain", "one", "--at", str(at)).out for name in ("gate", "roof", "node"))
    page = (world.parent / "one" / "report.html").read_text()
    assert '"short":["gate","1","roof","3","4"]' in page.replace(" ", "")
    assert '"node":["gate","node1","roof","node3","node4"]' in page.replace(" ", "")
    assert "flow 0: gate → 4, newreno" in page


def test_a_flow_goes_to_a_name(cli: Cli, world: Path) -> None:
    done = cli("run", world.name, "--set", "flow.0.to=roof", "--json")
    assert done.document["flows"][0]["to"] == 2
    wrong = cli("run", world.name, "--set", "flow.0.to=rof")
    assert (wrong.code, 'Did you mean "roof"? Names here: gate, roof.' in wrong.err) == (2, True)
    assert tworay.load("string-2").names == {}


def test_documents_without_names_have_no_such_key(cli: Cli) -> None:
    done = cli("run", "string-1", "--set", "duration=2s", "--json")
    assert "names" not in done.document


def test_warnings_name_nodes(cli: Cli, world: Path) -> None:
    done = cli("run", world.name, "--set", "topology.spacing=300m")
    assert "flow 0 (gate to 4) never has a path: at the start nodes gate and 1 are 300 m apart" in " ".join(
        done.out.split()
    )


@pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark, which the tests' setup installs")
def test_wireshark_shows_names(cli: Cli, world: Path) -> None:
    assert cli("run", world.name, "--set", "duration=2s", "--pcap", "named.pcapng").code == 0
    file = str(world.parent / "named.pcapng")
    shown = subprocess.run(
        ["tshark", "-r", file, "-N", "n", "-Y", "tcp", "-T", "fields",
         "-e", "ip.src_host", "-e", "frame.interface_name"],
        check=True, capture_output=True, text=True,
    ).stdout.split("\n")  # fmt: skip
    assert {line.split("\t")[0] for line in shown if line} == {"gate", "10.0.0.4"}
    assert {line.split("\t")[1] for line in shown if line} >= {"gate", "node 1", "roof"}


def test_words_for_nodes() -> None:
    nodes = Nodes({"gate": 0, "roof": 2})
    assert [nodes(0), nodes(1), nodes.short(2), nodes.short(3)] == ["gate", "node 1", "roof", "3"]
    assert [nodes.number(word, "--nodes") for word in ("roof", "3", " gate")] == [2, 3, 0]
    with pytest.raises(InputError, match="--nodes rof: no node has this name; did you mean roof"):
        nodes.number("rof", "--nodes")
    with pytest.raises(InputError, match="the scenario names no nodes; give a number"):
        Nodes().number("roof", "--nodes")


def test_names_of_files_become_names_of_nodes() -> None:
    found = names_of_nodes(
        {"Café du Nord": 0, "cafe du nord": 1, "10.0.0.1": 2, "roof": 3, "true": 4, "★": 5}
    )
    assert found == {
        "Café du Nord": "Cafe-du-Nord",
        "cafe du nord": "cafe-du-nord-2",
        "10.0.0.1": "n10-0-0-1",
        "roof": "roof",
        "true": "ntrue",
        "★": "n",
    }
    assert names_of_nodes({"1": 0, "7": 1}) == {}, "numbers are no names"
    long = names_of_nodes({"a" * 80: 0, "a" * 81: 1})
    assert [len(name) for name in long.values()] == [63, 59]
    text = with_names('name = "x"\nduration = "5s"\n\n[topology]\n', {"Café": 0})
    assert text == 'name = "x"\nduration = "5s"\n\n[names]\nCafe = 0  # Café\n\n[topology]\n'


def test_imported_names_can_be_used(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text("from,to,loss\nroof top,barn,0.1\nbarn,roof top,0.1\n")
    made = cli("convert", "net.csv", "--flow", "roof top:barn:ftp", "-o", "mesh.toml")
    assert made.code == 0, made.err
    assert "[names]\nroof-top = 0  # roof top\nbarn = 1\n" in (tmp_path / "mesh.toml").read_text()
    done = cli(
        "run", "mesh.toml", "--set", "duration=3s", "--set", "flow.0.from=barn", "--set", "flow.0.to=roof-top"
    )
    assert "0: barn→roof-top" in done.out


def test_stations_are_chosen_by_name(cli: Cli, world: Path) -> None:
    wrong = cli("live", "run", world.name, "--nodes", "gate,rof", "--", "true")
    assert wrong.code == 2
    assert "--nodes rof: no node has this name; did you mean roof? names here: gate, roof" in wrong.err


def test_frames_and_csv_have_names_beside_numbers(cli: Cli, world: Path) -> None:
    """Node 4 has no name, and nothing stands for no node."""
    made = tworay.run(world, record=True, set={"mac.queue_limit": 2})
    ends = made.flows.select("from", "from_name", "to", "to_name").row(0)
    assert ends == (0, "gate", 4, "4")
    called = {None: None, 0: "gate", 1: "1", 2: "roof", 3: "3", 4: "4"}
    for table in made.tables.values():
        for column in (name for name in table.columns if f"{name}_name" in table.columns and name != "flow"):
            assert table[f"{column}_name"].to_list() == [called[node] for node in table[column]]
    nodes = {"node", "root_node", "next_hop", "interferer"}
    assert {f"{column}_name" for column in nodes} < set(made.ledger.columns)
    assert {"dst_name", "next_hop_name"} < set(made.tables["routes"].columns)
    made.save(world.parent / "kept")
    assert tworay.Run.read(world.parent / "kept").flows.equals(made.flows)
    shown = cli("show", "kept", "--csv", "-").out.splitlines()
    assert "from,from_name,to,to_name" in shown[0]
    assert ",0,gate,4,4," in shown[1]


def test_comparisons_name_nodes_in_the_tables_of_their_runs(world: Path) -> None:
    result = tworay.compare(world, tcp="reno", seeds=1, set={"duration": "2s"}, out=world.parent / "both")
    flows = result.table_of("flows")
    assert flows.select("variant", "from_name", "to_name").row(0) == ("reno", "gate", "4")
    # Those of earlier versions have numbers only.
    file = world.parent / "both" / "flows.parquet"
    pl.read_parquet(file).drop("from_name", "to_name").write_parquet(file)
    assert tworay.results(world.parent / "both").table_of("flows").equals(flows)


def test_tables_of_flows_name_both_ends(cli: Cli, world: Path) -> None:
    """A flow is `gate:4`, in tables whose rows have no nodes, too; also where it is numbered anew."""
    world.write_text(
        WORLD
        + '\n[[flow]]\nfrom = "roof"\nto = "gate"\napp = "web"\nthink = "100ms"\n'
        + 'sizes = { kind = "fixed", size = "20kB" }\n'
    )
    made = tworay.run(world, set={"mac.queue_limit": 3, "duration": "10s"})
    names = {0: "gate:4", 1: "roof:gate"}
    for table in ("series", "retransmissions", "transfers", "flows", "ledger", "phases"):
        frame = made.tables[table]
        assert frame.height, table
        assert frame["flow_name"].to_list() == [names[flow] for flow in frame["flow"]]
        assert frame.columns.index("flow_name") == frame.columns.index("flow") + 1
    over = made.goodput_over_time(4)
    assert over.columns[:2] == ["flow", "flow_name"]
    assert over["flow_name"].to_list() == ["gate:4"] * 4 + ["roof:gate"] * 4
    left = tworay.run(world, set={"flow.0": "off", "duration": "10s"})
    assert set(left.series.select("flow", "flow_name").iter_rows()) == {(1, "roof:gate")}
    result = tworay.compare(
        world, tcp="reno", seeds=1, set={"duration": "5s"}, vary="flow.0.to=3,4", out=world.parent / "c"
    )
    long = result.long.filter(pl.col("metric") == "flow.0.goodput_bps")
    assert dict(long.select("flow.0.to", "flow_name").iter_rows()) == {3: "gate:3", 4: "gate:4"}
    assert result.long.filter(pl.col("metric") == "goodput_bps")["flow_name"].to_list() == [None, None]
    over = result.goodput_over_time(2).filter(pl.col("flow") == 0)
    assert set(over.select("flow.0.to", "flow_name").iter_rows()) == {(3, "gate:3"), (4, "gate:4")}
    made.save(world.parent / "kept")
    assert "metric,flow_name,unit,value" in cli("show", "kept", "--long", "-").out


def test_a_flow_is_chosen_by_its_ends(cli: Cli, world: Path) -> None:
    more = '\n[[flow]]\nfrom = "roof"\nto = "gate"\n\n[[flow]]\nfrom = "roof"\nto = "gate"\nstart = "2s"\n'
    world.write_text(WORLD + more)
    assert cli("run", world.name, "--out", "three", "--set", "duration=8s").code == 0
    for word in ("gate:4", "4", "gate->4", "gate → 4", "gate to 4"):
        flow = "0" if word == "4" else word
        told = cli("explain", "three", "--flow", flow)
        assert told.code == 0, told.err
        assert "flow 0, newreno, gate to node 4" in told.out
    there = "0 (gate to 4), 1 (roof to gate), 2 (roof to gate)"
    for word, said in (
        (
            "roof",
            "flow roof: 2 flows are from or to this node; choose one by its number: 1 (roof to gate), 2",
        ),
        (
            "gate",
            "flow gate: 3 flows are from or to this node; choose one by its number, or by both ends such as "
            f"gate:4: {there}",
        ),
        ("4:gate", f"there is no flow between these nodes in this direction; there are {there}"),
        ("bran", "no node has this name; names here: gate, roof"),
        ("9", f"there is no flow 9; there are {there}"),
    ):
        refused = cli("explain", "three", "--flow", word)
        assert refused.code == 2
        assert said in " ".join(refused.err.split()), refused.err
    assert cli("plot", "three", "cwnd", "--flow", "gate:4", "-o", "one.svg").code == 0
    run = tworay.Run.read(world.parent / "three")
    assert len(tworay.plot(run, "cwnd", flow="gate:4").axes[0].lines) == 1
    with pytest.raises(InputError, match="there is no flow 7"):
        tworay.plot(run, "cwnd", flow=7)
    both = tworay.compare(world, tcp="reno", seeds=1, set={"duration": "3s"}, out=world.parent / "both")
    assert "flow 0" in tworay.plot(both, "cwnd", flow="gate:4").axes[0].get_title()


def test_frames_without_names_have_numbers_only() -> None:
    assert not [
        name for name in tworay.run("string-1", set={"duration": "2s"}).flows.columns if "_name" in name
    ]
