"""The judged flows: TCP by default, chosen by the user, and never mixed with datagrams unasked.

Every expectation is arithmetic on goodputs that are written here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import tworay
from tworay.errors import InputError
from tworay.experiment.comparison import Comparison
from tworay.metrics import parse_judge, values

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

# A string of 3 hops: one transfer, and datagrams in the other direction.
MIXED = """
name = "mixed"
duration = "10s"
[topology]
kind = "string"
hops = 3
spacing = "200m"
[routing]
protocol = "static"
[[flow]]
from = 0
to = 3
app = "ftp"
[[flow]]
from = 3
to = 0
app = "cbr"
rate = "80kbps"
size = "500B"
[[flow]]
from = 0
to = 2
app = "ftp"
"""


def document(*flows: tuple[str | None, float]) -> dict[str, Any]:
    return {
        "flows": [
            {
                "id": i,
                "from": 0,
                "to": 1,
                "tcp": tcp,
                "goodput_bps": goodput,
                "mean_rtt_seconds": goodput / 1e6,
            }
            for i, (tcp, goodput) in enumerate(flows)
        ]
    }


RUN = document(("reno", 300e3), (None, 800e3), ("reno", 100e3))


def test_goodput_is_that_of_the_tcp_flows_and_datagrams_have_a_metric_of_their_own() -> None:
    found = values(RUN)
    assert found["goodput_bps"] == 400e3
    assert found["mean_rtt_seconds"] == pytest.approx(0.2)
    assert found["metrics.udp_goodput_bps"] == 800e3
    assert found["metrics.total_goodput_bps"] == 1200e3
    # (300 + 100)² / (2 (300² + 100²)) = 0.8
    assert found["metrics.jain_fairness"] == pytest.approx(0.8)
    assert found["metrics.least_goodput_bps"] == 100e3
    assert found["metrics.most_goodput_bps"] == 300e3


def test_a_run_without_tcp_is_judged_by_all_its_flows() -> None:
    found = values(document((None, 100e3), (None, 300e3)))
    assert found["goodput_bps"] == found["metrics.udp_goodput_bps"] == 400e3
    assert found["metrics.jain_fairness"] == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("judge", "goodput", "jain", "least"),
    [
        ("tcp", 400e3, 0.8, 100e3),
        ("udp", 800e3, 1.0, 800e3),
        # 1200² / (3 (300² + 800² + 100²)) = 1 440 000 / 2 220 000
        ("all", 1200e3, 144 / 222, 100e3),
        ("flow.2", 100e3, 1.0, 100e3),
        # 1100² / (2 (300² + 800²)) = 121 / 146, in either order
        ("flow.0,flow.1", 1100e3, 121 / 146, 300e3),
        ("flow.1, flow.0", 1100e3, 121 / 146, 300e3),
    ],
)
def test_the_user_chooses_the_flows(judge: str, goodput: float, jain: float, least: float) -> None:
    found = values(RUN, parse_judge(judge))
    assert found["goodput_bps"] == goodput
    assert found["metrics.jain_fairness"] == pytest.approx(jain)
    assert found["metrics.least_goodput_bps"] == least
    # These don't depend on the choice.
    assert found["metrics.udp_goodput_bps"] == 800e3
    assert found["flow.0.goodput_bps"] == 300e3


@pytest.mark.parametrize(
    "wrong", ["", "TCPs", "flow", "flow.x", "flow.-1", "0", "tcp,udp", "flow.0,tcp", "flow.0,"]
)
def test_other_choices_are_refused(wrong: str) -> None:
    with pytest.raises(InputError, match="judge"):
        parse_judge(wrong)


def test_several_flows_are_named_and_checked() -> None:
    judge = parse_judge("flow.2,flow.0")
    assert judge.words(RUN["flows"]) == "flows 0 (0 to 1), 2 (0 to 1), of 3 flows"
    assert parse_judge("flow.2").words(RUN["flows"]) == "flow 2 (0 to 1), of 3 flows"
    assert parse_judge("flow.0,flow.1,flow.2").words(RUN["flows"]) is None
    with pytest.raises(InputError, match=r"flow\.1 is given twice; leave one out"):
        parse_judge("flow.1,flow.01")
    with pytest.raises(InputError, match=r"there is no flow\.2; the scenario has flow\.0 to flow\.1"):
        judge.check(tcp=2, flows=2)


def test_the_verdict_is_that_of_tcp_although_the_sum_says_the_contrary() -> None:
    """Reno gets 300 kb/s and vegas 200, but beside vegas the datagrams get 500 kb/s more."""
    found = Comparison("mixed", ["reno", "vegas"])
    for seed in range(1, 9):
        found.add("reno", seed, whole(seed, ("reno", 300e3 + seed), (None, 300e3)))
        found.add("vegas", seed, whole(seed, ("vegas", 200e3 - seed * seed), (None, 800e3)))
    assert found.summary["verdict"]["best"] == ["reno"]
    assert found.summary["judge"] == "tcp"
    assert found.summary["judged"] == "the TCP flow (1 of 2)"
    found.judge = "all"
    assert found.summary["verdict"]["best"] == ["vegas"]
    assert found.summary["judged"] is None
    with pytest.raises(InputError, match=r"flow\.0 to flow\.1"):
        found.judge = "flow.2"


def whole(seed: int, *flows: tuple[str | None, float]) -> dict[str, Any]:
    return document(*flows) | {"seed": seed, "sim_seconds": 10.0, "ledger": {}, "diagnosis": {}}


def test_the_simulator_and_the_lab_judge_the_same_flows(tmp_path: Path) -> None:
    world = tmp_path / "mixed.toml"
    world.write_text(MIXED)
    run = tworay.run(world)
    tcp = [flow["goodput_bps"] for flow in run.summary["flows"] if flow["tcp"]]
    udp = [flow["goodput_bps"] for flow in run.summary["flows"] if not flow["tcp"]]
    assert len(tcp) == 2
    assert run.goodput_bps == sum(tcp)
    metrics = run.summary["metrics"]
    assert metrics["least_goodput_bps"] == min(tcp)
    assert metrics["most_goodput_bps"] == max(tcp)
    assert metrics["udp_goodput_bps"] == udp[0]
    assert metrics["total_goodput_bps"] == pytest.approx(sum(tcp) + sum(udp))
    assert metrics["jain_fairness"] == pytest.approx(sum(tcp) ** 2 / (2 * sum(x * x for x in tcp)))
    found = values(run.summary)
    for key in ("jain_fairness", "least_goodput_bps", "udp_goodput_bps", "total_goodput_bps"):
        assert found[f"metrics.{key}"] == pytest.approx(metrics[key])


def test_every_command_takes_the_choice(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mixed.toml").write_text(MIXED)
    made = cli(
        "compare", "mixed.toml", "--tcp", "reno,vegas", "--seeds", "2", "--out", "c", "--judge", "flow.2"
    )
    assert made.code == 0, made.err
    assert "Judged: flow 2 (0 to 2), of 3 flows" in made.out
    shown = {
        judge: cli("show", "c", "--json", *(("--judge", judge) if judge else ())).document
        for judge in ("", "tcp", "udp", "all")
    }
    assert shown[""]["judge"] == "flow.2"
    means = {judge: one["variants"]["reno"]["goodput_bps"]["mean"] for judge, one in shown.items()}
    alone = shown[""]["variants"]["reno"]["flow.2.goodput_bps"]["mean"]
    assert means[""] == alone
    assert means["all"] == pytest.approx(means["tcp"] + means["udp"])
    # The flow between nodes 3 and 0 sends 80 kb/s.
    assert 0 < means["udp"] <= 80e3 * 1.01
    assert cli("plot", "c", "box", "--judge", "udp", "-o", "box.svg").code == 0
    assert "the UDP flow (1 of 3)" in (tmp_path / "box.svg").read_text()
    assert "Judged: flow 2 (0 to 2), of 3 flows" in (tmp_path / "c" / "report.html").read_text()
    assert "--judge flow.2" in (tmp_path / "c" / "report.html").read_text()
    wrong = cli("show", "c", "--judge", "flow.9")
    assert (wrong.code, "flow.0 to flow.2" in wrong.err) == (2, True)
    wrong = cli("compare", "mixed.toml", "--tcp", "reno,vegas", "--judge", "flow.9", "--out", "d")
    assert (wrong.code, (tmp_path / "d").exists()) == (2, False)


def test_sweeps_and_tables_take_the_choice(tmp_path: Path) -> None:
    (tmp_path / "mixed.toml").write_text(MIXED)
    plan = {"scenario": str(tmp_path / "mixed.toml"), "tcp": ["reno", "vegas"], "seeds": 2}
    results = tworay.Experiment(plan).run(tmp_path / "s")

    def mean(judge: str | None) -> float:
        table = tworay.Results(tmp_path / "s", judge=judge).table("goodput_bps", "tcp")
        return float(table.filter(table["tcp"] == "reno")["mean"][0])

    assert results.judge == "tcp"
    assert mean(None) == mean("tcp")
    assert mean("all") == pytest.approx(mean("tcp") + mean("udp"))
    assert mean("tcp") == pytest.approx(mean("flow.0") + mean("flow.2"))
    judged = tworay.Experiment(plan | {"judge": "udp", "name": "udp"}).run(tmp_path / "u")
    assert judged.judge == "udp"
    table = judged.table("goodput_bps", "tcp")
    assert table["mean"][0] == mean("udp")


NAMES = "\n[names]\nalice = 0\nbob = 3\ncarol = 2\n"


def test_sweeps_name_judged_flows_by_their_ends(cli: Cli, tmp_path: Path) -> None:
    """Bob's flow to alice is the one of datagrams, carol's the second transfer; both have a number."""
    (tmp_path / "named.toml").write_text(MIXED + NAMES)
    plan = {"scenario": str(tmp_path / "named.toml"), "tcp": ["reno", "vegas"], "seeds": 1, "name": "named"}
    ends = tworay.Experiment(plan).run(tmp_path / "ends", judge="bob:alice")
    assert ends.judge == "flow.1"
    goodput = ends.table("goodput_bps", "tcp")["mean"]
    number = tworay.Results(tmp_path / "ends", judge="flow.1").table("goodput_bps", "tcp")["mean"]
    assert goodput.to_list() == number.to_list()
    assert tworay.Results(tmp_path / "ends", judge="carol, bob:alice").judge == "flow.1,flow.2"
    assert tworay.Experiment(plan | {"judge": "carol"}).run(tmp_path / "ends").judge == "flow.2"
    compared = tworay.compare(tmp_path / "named.toml", tcp=["reno", "vegas"], seeds=1, judge="carol")
    assert compared.judge == "flow.2"
    (tmp_path / "e.toml").write_text(f'scenario = "{tmp_path}/named.toml"\ntcp = ["reno"]\nseeds = 1\n')
    done = cli("sweep", "e.toml", "--judge", "bob:alice")
    assert done.code == 0, done.err
    assert cli("table", "e.sweep", "--judge", "bob:alice", "--json").document["judge"] == "flow.1"
    for wrong, says in [
        ("bob:carol", "there is no flow between these nodes in this direction"),
        ("bib:alice", "did you mean bob?"),
        ("TCPs", "write tcp, udp, all, or flows such as flow.0"),
        ("flow.9", "there is no flow.9; the scenario has flow.0 to flow.2"),
        ("alice", "3 flows are from or to this node"),
    ]:
        refused = cli("sweep", "e.toml", "--judge", wrong, "--out", "other")
        assert (refused.code, (tmp_path / "other").exists()) == (2, False), refused
        assert says in " ".join(refused.err.split())
        if wrong != "flow.9":
            assert cli("table", "e.sweep", "--judge", wrong).code == 2


def test_cells_agree_on_a_named_flow(tmp_path: Path) -> None:
    """A flow that is off in some cells is judged in the others; it has the same number in every network."""
    (tmp_path / "named.toml").write_text(MIXED + NAMES)
    plan = {"scenario": str(tmp_path / "named.toml"), "seeds": 1, "judge": "carol", "name": "switched"}
    switched = tworay.Experiment(plan | {"vary": {"flow.2": ["on", "off"]}}).run(tmp_path / "switched")
    assert switched.judge == "flow.2"
    (tmp_path / "turned.toml").write_text(MIXED + NAMES.replace("alice = 0\nbob = 3", "alice = 3\nbob = 0"))
    both = [str(tmp_path / "named.toml"), str(tmp_path / "turned.toml")]
    with pytest.raises(InputError, match=r"judge bob:alice: it is flow\.0 and flow\.1 in different cells"):
        tworay.Experiment(plan | {"scenario": both, "judge": "bob:alice"}).run(tmp_path / "both")
