"""Run times of controllers in the kernel: what bpftool prints becomes a table of costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tworay import _native
from tworay.costs import kernel as kernelcosts
from tworay.errors import InputError
from tworay.running.spec import parse_power

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

    Cli = Callable[..., Result]

# Printed by bpftool 7.1 on Linux 6.18 after a controller with the callbacks of NewReno had sent over a slow
# loopback.
REAL = Path(__file__).parent / "data/bpftool-prog.json"


def program(name: str, runs: int | None = 10, ns: int = 1000, **more: Any) -> dict[str, Any]:
    counted = {} if runs is None else {"run_time_ns": ns, "run_cnt": runs}
    return {"id": 1, "type": "struct_ops", "name": name, **counted, **more}


def written(tmp_path: Path, document: Any) -> Path:
    file = tmp_path / "prog.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document))
    return file


def only(tmp_path: Path, *programs: dict[str, Any], **names: str) -> kernelcosts.RunTime:
    (found,) = kernelcosts.read(written(tmp_path, list(programs)), names).run_times
    return found


def test_real_output_of_bpftool_is_read() -> None:
    found = kernelcosts.read(REAL)
    (newreno,) = found.run_times
    assert newreno.variant == "newreno"
    assert newreno.callbacks["cong_avoid"] == (2856623 / 31849, 31849)
    assert newreno.nanoseconds["ack_congestion_avoidance"] == pytest.approx(89.69, abs=0.01)
    assert newreno.nanoseconds["timeout"] == newreno.nanoseconds["fast_retransmit"] == 57432 / 250
    assert newreno.nanoseconds["dup_ack"] == 0, "the controller isn't called"
    # Undoing a reduction is none of the operations.
    assert newreno.never_ran == []
    assert found.others == []


def test_callbacks_of_an_operation_are_added_up(tmp_path: Path) -> None:
    found = only(
        tmp_path,
        program("sack_cong_control", runs=10, ns=1000),
        program("sack_in_ack_event", runs=5, ns=100),
        program("sack_ssthresh", runs=2, ns=60),
        program("sack_set_state", runs=None),
    )
    times = found.nanoseconds
    assert [times[name] for name in ("ack_slow_start", "dup_ack", "recovery_ack")] == [120.0] * 3
    assert times["timeout"] is None, "set_state never ran: its part is not known"
    assert times["probe"] == 0
    assert found.never_ran == ["set_state"]


@pytest.mark.parametrize(
    ("name", "variant", "callback"),
    [
        ("newreno_ff_ssthresh", "newreno-ff", "ssthresh"),
        ("westwood_plus_cong_avoid", "westwood+", "cong_avoid"),
        ("tworay_welcome_pkts_acked", "welcome", "pkts_acked"),
        ("bpf_vegas_cong_control", "vegas", "cong_control"),
        # As the kernel itself keeps names: 15 letters.
        ("westwood_pkts_a", "westwood", "pkts_acked"),
        ("mine_ssthresh", "reno", "ssthresh"),
    ],
)
def test_programs_are_named_after_variants(tmp_path: Path, name: str, variant: str, callback: str) -> None:
    found = only(tmp_path, program(name), mine="reno")
    assert (found.variant, list(found.callbacks)) == (variant, [callback])


def test_other_programs_are_left_out(tmp_path: Path) -> None:
    programs = [
        program("sack_ssthresh"),
        program("hybla_ssthresh"),
        {"id": 7, "type": "struct_ops"},
        program("sack_ssthresh") | {"type": "tracing"},
    ]
    found = kernelcosts.read(written(tmp_path, programs))
    assert [one.variant for one in found.run_times] == ["sack"]
    assert found.others == ["hybla_ssthresh", "program 7 without a name"]


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ("not JSON", "no JSON"),
        ({"error": "Operation not permitted"}, "Operation not permitted"),
        ([], "no program is named after a variant"),
        ([1], "`1` where a program was expected"),
        ([program("bbr_main")], "found: bbr_main"),
        ([program("sack_ssthresh", runs=None)], "bpf_stats_enabled=1"),
        ([program("sack_ssthresh", run_cnt=-3)], "run_cnt of sack_ssthresh: `-3` is not a count"),
        ([program("sack_ssthresh", run_cnt=True)], "run_cnt of sack_ssthresh: `True` is not a count"),
        ([program("sack_ssthresh", run_time_ns="5")], "run_time_ns of sack_ssthresh: `5` is not a count"),
        ([program("sack_ssthresh")] * 2, "two programs are ssthresh of sack"),
        ([program("newreno_ff_cong")], "may be cong_avoid of newreno-ff or cong_control of newreno-ff"),
    ],
)
def test_what_cannot_be_right_is_refused(tmp_path: Path, document: Any, says: str) -> None:
    file = written(tmp_path, document)
    with pytest.raises(InputError) as refused:
        kernelcosts.read(file)
    assert says in str(refused.value)
    assert str(file) in str(refused.value)


@pytest.mark.parametrize(("text", "watts"), [("2.5W", 2.5), (" 400 mW", 0.4), ("5e3uW", 5e-3)])
def test_powers_are_read(text: str, watts: float) -> None:
    assert parse_power(text) == pytest.approx(watts)


@pytest.mark.parametrize("text", ["", "2", "0W", "-1W", "20000W", "2 w"])
def test_other_powers_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="not a power above zero"):
        parse_power(text)


def test_from_the_kernel_to_the_joules_of_a_run(cli: Cli, tmp_path: Path) -> None:
    costs = ("costs", "--kernel", REAL, "--power", "2.5W")
    measured = cli(*costs, "--out", "costs.csv", "--json").document["variants"]["newreno"]
    assert measured["joules"]["timeout"] == pytest.approx(57432 / 250 * 1e-9 * 2.5)
    text = (tmp_path / "costs.csv").read_text()
    assert "ssthresh 229.7 ns (250 runs)" in text
    assert "newreno,ns,2.5W,89.7,89.7,0.0,229.7," in text
    assert "89.7" in cli(*costs).out

    ten = ("--set", "duration=10s", "--set", "energy.model=states")
    run = cli("run", "string-2", *ten, "--costs", "costs.csv", "--json").document
    (flow,) = run["flows"]
    spent = sum(
        flow["operations"][name] * ns
        for name, ns in zip(_native.operations(), map(float, text.split("2.5W,")[-1].split(",")), strict=True)
    )
    assert flow["computing_seconds"] == pytest.approx(spent * 1e-9)
    assert flow["instructions"] == 0
    assert run["energy"]["joules_computation"] == pytest.approx(spent * 2.5e-9)


def test_measuring_in_the_kernel_needs_a_power_and_names_that_are_variants(cli: Cli) -> None:
    kernel = ("costs", "--kernel", REAL)
    wrong = {
        kernel: "--power 2.5W",
        (*kernel, "--power", "much"): "not a power",
        (*kernel, "--power", "1W", "--as", "mine"): "PREFIX=VARIANT",
        (*kernel, "--power", "1W", "--as", "mine=hybla"): "there is no variant hybla",
        (*kernel, "--power", "1W", "--tcp", "sack"): "no program of sack",
        (*kernel, "--power", "1W", "--shipped"): "leave one out",
        ("costs", "--power", "1W"): "--kernel FILE.json",
    }
    for arguments, says in wrong.items():
        result = cli(*arguments)
        assert (result.code, says in result.err) == (2, True), (arguments, result.err)


def row(controller: str, kind: str, mean: float, *, count: int = 10, sack: bool = True) -> dict[str, Any]:
    named = {"controller": controller, "kind": kind, "sack": sack}
    return {**named, "count": count, "mean_ns": mean, "std_ns": 1.0}


def test_times_of_whole_acks_become_a_table(cli: Cli, tmp_path: Path) -> None:
    rows = [
        row("tworay_welcome", "dup_ack", 500),
        row("tworay_welcome", "fast_retransmit", 2000),
        row("tworay_cwl", "ack_slow_start", 800),
        row("reno", "ack_slow_start", 700),
        row("reno", "ack_slow_start", 600, sack=False),
        # Seldom without selective acknowledgments: what was met more often counts.
        row("tworay_cwl", "ack_slow_start", 9000, count=2, sack=False),
        row("bbr", "dup_ack", 1),
        row("mine", "timeout", 9),
    ]
    (tmp_path / "stats.json").write_text(json.dumps({"costs": rows, "seconds": 1.0, "joules": None}))
    costs = (
        "costs",
        "--kernel",
        "stats.json",
        "--power",
        "2W",
        "--as",
        "mine=vegas",
        "--out",
        "c.csv",
        "--json",
    )
    result = cli(*costs)
    found = {name: one["nanoseconds"] for name, one in result.document["variants"].items()}
    assert "left out, because no variant has this name: bbr" in result.err
    assert set(found) == {"welcome", "adaptive-cwl", "newreno", "sack", "vegas"}
    # The duplicate ACK that starts a fast retransmit is booked as one too.
    assert (found["welcome"]["fast_retransmit"], found["welcome"]["dup_ack"]) == (1500, 500)
    assert (found["welcome"]["timeout"], found["welcome"]["rtt_sample"]) == (None, 0)
    assert found["adaptive-cwl"]["ack_slow_start"] == 800
    assert (found["newreno"]["ack_slow_start"], found["sack"]["ack_slow_start"]) == (600, 700)
    assert "Whole ACKs and timeouts" in (tmp_path / "c.csv").read_text()
    ten = ("--set", "duration=5s", "--set", "energy.model=states", "--tcp", "sack")
    run = cli("run", "string-2", *ten, "--costs", "c.csv", "--json").document
    spent = 700e-9 * run["flows"][0]["operations"]["ack_slow_start"]
    assert run["flows"][0]["computing_seconds"] == pytest.approx(spent)


def test_other_documents_are_refused(cli: Cli, tmp_path: Path) -> None:
    for rows, says in (
        ([], "found: nothing"),
        ([row("bbr", "dup_ack", 1)], "found: bbr"),
        ([{}], "costs[0]"),
    ):
        (tmp_path / "stats.json").write_text(json.dumps({"costs": rows}))
        result = cli("costs", "--kernel", "stats.json", "--power", "2W")
        assert (result.code, says in result.err) == (2, True), result.err
