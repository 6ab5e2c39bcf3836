"""The studies of virtual time: paired differences, what counts as equal, and their tables."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from studies.virtual import against_simulation, kept, mesh_routing
from studies.virtual.against_simulation import METRICS, rows
from studies.virtual.judging import difference
from studies.virtual.plan import CASES, Case, one_by_one
from studies.virtual.running import Arm, completed
from tworay.errors import InputError
from tworay.running.scenarios import load
from tworay.virtual import cache


def test_a_difference_is_paired_by_seed() -> None:
    # Seed 4 is the kernel's only. Differences are 2, 4, 6: mean 4, deviation 2; t(0.975, 2) = 4.3027.
    found = difference({1: 12.0, 2: 24.0, 3: 36.0, 4: 99.0}, {1: 10.0, 2: 20.0, 3: 30.0, 5: 7.0})
    assert found is not None
    assert (found.seeds, found.ours, found.theirs, found.difference) == (3, 20.0, 24.0, 4.0)
    half = 4.3027 * 2 / 3**0.5
    assert (found.low, found.high) == (pytest.approx(4 - half, rel=1e-4), pytest.approx(4 + half, rel=1e-4))
    share, low, high = found.relative
    assert (share, low, high) == (0.2, found.low / 20, found.high / 20)


def test_without_a_common_seed_or_value_there_is_none() -> None:
    assert difference({1: 1.0}, {2: 1.0}) is None
    assert difference({1: None}, {1: 1.0}) is None


def test_linux_acknowledges_its_first_segments_one_by_one() -> None:
    # A kernel's capture of 50 walking nodes (64 segments of 1460 bytes): 26 ACKs of one segment, then of two.
    assert one_by_one(64 * 1460, 1460) == {"tcp.receiver.stretched.from": "[27]"}
    # Half of 10 KiB in segments of 536 bytes: 9. The window is as large as it gets.
    assert one_by_one(20 * 512, 512) == {"tcp.receiver.stretched.from": "[10]"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_s_receiver_is_that_of_its_window(case: Case) -> None:
    tcp = tomllib.loads(load(case.scenario, set=case.settings).to_toml())["tcp"]
    mss = int(tcp["mss"].removesuffix("B"))
    assert one_by_one(tcp["window"] * mss, mss).items() <= case.settings.items()


@pytest.mark.parametrize(
    ("theirs", "verdict"),
    [
        # Of 100, with a deviation of 0.1: within 5. All above: differs. Wide: undecided.
        ({1: 101.0, 2: 101.1, 3: 101.2}, "within"),
        ({1: 109.0, 2: 109.1, 3: 109.2}, "differs"),
        ({1: 91.0, 2: 91.1, 3: 91.2}, "differs"),
        ({1: 95.0, 2: 100.0, 3: 105.0}, "undecided"),
        ({1: 101.0}, "undecided"),
    ],
)
def test_within_needs_the_whole_interval(theirs: dict[int, float | None], verdict: str) -> None:
    found = difference(theirs, dict.fromkeys(theirs, 100.0))
    assert found is not None
    assert found.verdict(5.0) == verdict


def runs(goodput: float, share: float, rtt: float, kernel: str = "") -> kept.Runs:
    wave = {1: -0.01, 2: 0.0, 3: 0.01}
    values: dict[int, dict[str, float | None]] = {
        seed: dict(zip(METRICS, (goodput, share, rtt * (1 + by)), strict=True)) for seed, by in wave.items()
    }
    return kept.Runs(kept.Made(7, kernel), values)


def test_a_row_has_the_verdict_of_its_worst_measure() -> None:
    # Goodput 10 % above: differs. 0.2 and 0.5 % of the segments are sent again: that is within half
    # a segment in 100. Round trips are equal.
    found = {
        ("errors", "kernel:reno"): runs(330e3, 0.005, 0.1, "6.1-x"),
        ("errors", "linux"): runs(300e3, 0.002, 0.1),
        ("string-2", "linux"): runs(1.0, 1.0, 1.0),
    }
    (row,) = rows("errors", found)
    assert row.controller == "reno"
    assert row.verdicts() == {
        "goodput_bps": "differs", "retransmission_ratio": "within", "mean_rtt_seconds": "within",
    }  # fmt: skip
    cells = row.cells()
    assert cells[2] == "330, 300; +30 (+30, +30) differs"
    assert cells[-1] == "**differs**"


def test_the_page_counts_the_verdicts_and_says_what_made_the_runs() -> None:
    case = CASES[0].name
    found = {
        (case, "kernel:reno"): runs(300e3, 0.002, 0.1, "6.1-x"),
        (case, "linux"): runs(300e3, 0.002, 0.1),
    }
    lines = against_simulation.page(found, "Made by hand.", ["Because."])
    text = " ".join(lines)
    assert "Of all figures: 3 within." in lines
    assert "- Because." in lines
    assert "3 seeds; kernel 6.1-x with results 7; simulated with results 7." in text
    # The other three cases have no runs.
    assert text.count("not run yet") == 3
    assert any("`yeah`, `illinois`" in line or "`illinois`." in line for line in lines)


def test_kept_runs_are_read_as_written(tmp_path: Path) -> None:
    found = {
        ("errors", "linux+cubic"): runs(330125.0, 0.005, 0.1),
        ("errors", "kernel:reno"): runs(1, 0, 2, "k"),
    }
    found["errors", "kernel:reno"].values[2]["goodput_bps"] = None
    kept.write(tmp_path / "a.csv", found, METRICS)
    assert kept.read(tmp_path / "a.csv", METRICS) == found
    assert kept.read(tmp_path / "none.csv", METRICS) == {}


def test_kept_runs_that_are_not_as_written_are_refused_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    kept.write(file, {("errors", "linux"): runs(1, 0, 2)}, METRICS)
    with pytest.raises(InputError, match=r"a.csv:1: the columns must be case,arm"):
        kept.read(file, [*METRICS, "delay"])
    file.write_text(file.read_text().replace("errors,linux,7,,3", "errors,linux,7,,three"))
    with pytest.raises(InputError, match=r"a.csv:4: .*three"):
        kept.read(file, METRICS)


def test_simulated_runs_of_other_results_and_runs_of_other_kernels_are_made_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept, "RESULTS", 7)
    monkeypatch.setattr(cache, "kernel", lambda: cache.Kernel("6.1", "x", Path("linux")))
    assert runs(1, 0, 2).covers([1, 2, 3])
    assert not runs(1, 0, 2).covers([1, 2, 3, 4])
    assert runs(1, 0, 2, "6.1-x").covers([1, 2, 3])
    assert not runs(1, 0, 2, "6.12-x").covers([1, 2, 3])
    monkeypatch.setattr(kept, "RESULTS", 8)
    assert not runs(1, 0, 2).covers([1])
    assert runs(1, 0, 2, "6.1-x").covers([1, 2, 3])


def test_only_what_is_not_kept_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Ran:
        variants = ("linux",)

        def values(self, arm: str) -> dict[int, dict[str, float | None]]:
            ran.append(arm)
            return runs(1.0, 0.0, 2.0).values

    ran: list[str] = []
    monkeypatch.setattr(kept, "RESULTS", 7)
    file, made = tmp_path / "a.csv", Ran()
    arms = [Arm(case, "linux", False, lambda: made) for case in ("errors", "string-2")]
    kept.write(file, {("errors", "linux"): runs(5.0, 0.0, 2.0)}, METRICS)
    found = completed(file, METRICS, 3, arms)
    assert ran == ["linux"]
    assert [found[case, "linux"].values[2]["goodput_bps"] for case in ("errors", "string-2")] == [5.0, 1.0]
    assert kept.read(file, METRICS) == found
    # A fourth seed is missing in both.
    completed(file, METRICS, 4, arms)
    assert ran == ["linux"] * 3


def test_a_field_s_verdict_names_who_is_not_told_apart_and_who_carries_less() -> None:
    # `dsr` is 1 more, 1 and 1 less; `olsr` 50 less in each seed, which is 45.5 % of 110.
    goodputs = {"aodv": (100e3, 110e3, 120e3), "dsr": (101e3, 109e3, 119e3), "olsr": (50e3, 60e3, 70e3)}
    made = kept.Made(1, "")
    runs = {
        ("mesh", name): kept.Runs(made, {n: dict.fromkeys(mesh_routing.METRICS, v) for n, v in enumerate(of)})
        for name, of in goodputs.items()
    }
    said = mesh_routing.verdict("mesh", runs)
    assert said == (
        "**5 x 5 nodes that stay:** `aodv` carries most, 110 kb/s; not told apart from it: `dsr`. "
        "Less than it: `olsr` 45 % (45 to 45)."
    )
