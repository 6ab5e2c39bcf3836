"""Instructions counted on this build, and the table that ships."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tworay import _native, costs
from tworay.errors import InputError
from tworay.spec import parse_energy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

# As callgrind writes it with uncompressed names: positions, then the cost of the line or call.
CALLGRIND = """
fn=_RNvNtCs_11tworay_tcp4live
1 20
cfn=_RNv28tworay_cost_dup_ack_end
calls=3 0
1 3000
cfn=_RNv9something
calls=1 0
1 77
fn=another
cfn=tworay_tcp::costs::tworay_cost_dup_ack_end::h0123
calls=1 0
5 500
cfn=tworay_cost_ack_slow_start_sampled_end
calls=2 0
5 900
"""


def test_calls_are_added_up_whoever_made_them() -> None:
    assert dict(costs._inclusive(CALLGRIND.splitlines())) == {"dup_ack": 3500, "ack_slow_start_sampled": 900}


def test_costs_by_hand() -> None:
    # 10 plain ACKs of 100, 2 of 130 with a sample, 4 duplicates of 50, one of them beyond: a retransmission.
    calls = {"ack_congestion_avoidance": 10, "ack_congestion_avoidance_sampled": 2, "dup_ack": 4}
    calls |= {"fast_retransmit": 1}
    counted = {"ack_congestion_avoidance": 1000, "ack_congestion_avoidance_sampled": 260, "dup_ack": 200}
    counted |= {"fast_retransmit": 350}
    operations = dict.fromkeys(_native.operations(), 0)
    operations |= {"ack_congestion_avoidance": 12, "rtt_sample": 2, "dup_ack": 5, "fast_retransmit": 1}
    functions = {f"tworay_cost_{name}_end": n for name, n in calls.items()}
    cost = costs._cost("made-up", "newreno", functions, operations, counted)
    found = {name: count for name, count in cost.instructions.items() if count}
    assert found == {
        "ack_congestion_avoidance": 100,
        "rtt_sample": pytest.approx(30),
        "dup_ack": 50,
        "fast_retransmit": 300,
    }
    assert cost.explained == pytest.approx(1.0)


def test_the_shipped_table_has_every_variant_and_says_how_it_was_made() -> None:
    shipped = {cost.variant: cost for cost in costs.shipped()}
    assert set(shipped) == {name for name, *_ in _native.variants()}
    assert "# Made by: tworay tune --costs" in _native.cost_table()
    assert shipped["sack"].instructions["dup_ack"] > shipped["newreno"].instructions["dup_ack"] > 100


@pytest.mark.parametrize(("text", "joules"), [("1nJ", 1e-9), ("150pJ", 1.5e-10), (" 2.5e-3 uJ ", 2.5e-9)])
def test_energies_are_read(text: str, joules: float) -> None:
    assert parse_energy(text) == pytest.approx(joules)


@pytest.mark.parametrize("text", ["", "1", "1 nj", "-1nJ", "0nJ", "nJ"])
def test_other_energies_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="not an energy above zero"):
        parse_energy(text)


def test_tune_counts_or_says_what_is_missing(cli: Cli, tmp_path: Path) -> None:
    result = cli("tune", "--costs", "--tcp", "newreno", "--instruction", "2nJ", "--out", "c.csv", "--json")
    if shutil.which("valgrind") is None:
        assert result.code == 1
        assert "apt-get install valgrind" in result.err
        return
    found = result.document["variants"]["newreno"]
    ack = found["instructions"]["ack_congestion_avoidance"]
    assert found["joules"]["ack_congestion_avoidance"] == pytest.approx(2e-9 * ack)
    assert found["explained"] == pytest.approx(1, abs=0.05)
    # Another compiler counts a little differently, not by half.
    shipped = next(cost for cost in costs.shipped() if cost.variant == "newreno")
    assert ack == pytest.approx(shipped.instructions["ack_congestion_avoidance"], rel=0.5)
    assert "newreno,newreno," in (tmp_path / "c.csv").read_text()


def test_tune_without_a_task_and_with_a_wrong_variant(cli: Cli) -> None:
    assert cli("tune").code == 2
    assert cli("tune", "--costs", "--instruction", "much").code == 2
    assert "The table that ships" in cli("tune", "--costs", "--shipped").out
    wrong = cli("tune", "--costs", "--tcp", "nowreno")
    assert wrong.code == (2 if shutil.which("valgrind") else 1)
