"""Enough seeds, chosen beforehand: Stein's number from a pilot, and what a plan does with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from scipy import stats as sp

from tworay.analysis import stats
from tworay.errors import InputError
from tworay.experiment.engines import Shard
from tworay.experiment.store import sweeps as reading
from tworay.papers import library, planfile
from tworay.papers.bands import claimed_of
from tworay.papers.library import STANDARD, Claim
from tworay.papers.planfile import Need
from tworay.papers.plannedruns import BESIDE, PILOT, PlannedSweep, seeds_after, times_of
from tworay.papers.planning import Asked, at_least, cells_of_claims, cost, needs, only, plan, told, within
from tworay.papers.reproducing import frame_of, from_stored, place, plan_of, reproduce
from tworay.papers.rule import LEVEL
from tworay.papers.seeding import CEILING, DRAWN, LEAST, seeds_for, spread_of, wanted_half_width
from tworay.running.executing import silent

if TYPE_CHECKING:
    from pathlib import Path

    from tworay.papers.library import Paper


def test_steins_number() -> None:
    """t(0.975, 9) = 2.262157: a deviation of 10 % and a half width of 2.5 % need (2.262157 × 4)² = 81.9."""
    assert seeds_for(10, 2.5) == 82
    assert seeds_for(5, 2.5) == 21
    assert seeds_for(0.1, 2.5) == seeds_for(0, 2.5) == LEAST
    assert seeds_for(100, 2.5) == CEILING - PILOT
    assert seeds_for(1, 0) == CEILING - PILOT


@pytest.mark.parametrize(
    ("how", "scale", "wanted"),
    [
        ({"gain": ""}, 40.0, 2.5),  # half of 5 %
        ({"gain": "", "band": "alike", "margin": 1.0}, 40.0, 0.5),
        ({"gain": "", "band": 20.0}, 40.0, 2.5),  # ± 5 points
        ({"gain": "", "band": 600.0}, 40.0, 15.0),  # ± 30 points
        ({"gain": "", "band": [33, 71], "basis": "stated", "error": 0}, 40.0, 9.5),
        ({"value": "", "band": 2000.0}, 40.0, 50.0),  # ± 5 % of the figure
        ({"value": "", "band": [2.0, float("inf")], "basis": "wording"}, 40.0, 0.05),
        ({"value": "", "band": [0, 0], "basis": "stated"}, 40.0, 1.0),
        ({"value": "", "band": [0.5, 1.0], "basis": "wording"}, 40.0, 0.125),
    ],
)
def test_the_width_follows_from_the_margin(how: dict[str, Any], scale: float, wanted: float) -> None:
    assert wanted_half_width(claimed_of(how, []), scale) == pytest.approx(wanted)


@pytest.mark.parametrize("spread", [3.0, 5.0, 7.0, 15.0])
def test_the_coverage_stays_nominal(spread: float) -> None:
    """95 % ± 3.3 standard errors of 4000 experiments (1.1 %); with the pilot's runs it would be 93.6 %.

    Large samples are as narrow as wanted if the pilot's variance is not far too small: with probability
    P(χ²(9) > 9 (1.960 / 2.262)²) = 0.66.
    """
    draw = np.random.default_rng(1)
    covered, narrow, experiments, half = 0, 0, 4000, 2.5
    for _ in range(experiments):
        found = spread_of((10 + spread * draw.standard_normal(PILOT)).tolist())
        assert found is not None
        values = 10 + spread * draw.standard_normal(seeds_for(found, half, 10**6))
        interval = stats.t_interval(values.tolist(), LEVEL)
        assert interval is not None
        covered += interval.low <= 10 <= interval.high
        narrow += (interval.high - interval.low) / 2 <= half
    assert covered / experiments == pytest.approx(0.95, abs=0.0114)
    if spread == 15.0:
        assert narrow / experiments == pytest.approx(0.66, abs=0.03)


def pilot(mean: float, spread: float, seeds: int = PILOT) -> pl.DataFrame:
    """Make runs of two variants whose paired difference has this mean and deviation, percent, exactly."""
    # The quantiles of a normal distribution, scaled to the deviation.
    quantiles = sp.norm.ppf((np.arange(seeds) + 0.5) / seeds)
    errors = quantiles / quantiles.std(ddof=1)
    rows = []
    for number, tcp in enumerate(("old", "new")):
        for seed in range(1, seeds + 1):
            gain = (mean + spread * errors[seed - 1]) / 100 if tcp == "new" else 0.0
            rows.append({"cell": number, "tcp": tcp, "seed": seed, "goodput_bps": 1000 * (1 + gain)})
    return pl.DataFrame(rows)


def one(tcp: str) -> frozenset[tuple[str, str]]:
    return frozenset([("tcp", tcp)])


@pytest.mark.parametrize("mean", [-20.0, 0.0, 4.0, 50.0])
def test_the_number_does_not_depend_on_what_the_pilot_finds(mean: float) -> None:
    claim = Claim("X", "", "", {"experiment": "e", "gain": "goodput_bps", "of": "new", "over": "old"})
    found = needs(
        [claim], {"e": (pilot(mean, 10), ["tcp"])}, {"e": {one(tcp): 2.0 for tcp in ("old", "new", "sack")}}
    )
    assert {need.cell: need.needed for need in found} == {one("old"): 82, one("new"): 82, one("sack"): DRAWN}
    assert found[0].spread == pytest.approx(10)
    assert [need.claim for need in found] == ["X", "X", ""]


def test_a_plan_fits_its_budget_by_shares_of_time() -> None:
    claim = Claim("X", "", "", {"experiment": "e", "gain": "goodput_bps", "of": "new", "over": "old"})
    found = needs([claim], {"e": (pilot(0, 10), ["tcp"])}, {"e": {one("old"): 2.0, one("new"): 3.0}})
    given, share = within(found, 1000)
    assert ([need.seeds for need in given], share, cost(given)) == ([82, 82], None, 410)
    # 60 seeds of both for 300 s: both get 180 s, since seeds that only the quicker one has decide nothing.
    given, share = within(found, 300)
    assert ([need.seeds for need in given], cost(given)) == ([60, 60], 300)
    assert share is not None
    assert 180 <= share < 183
    # The standard dialect beside it has up to 20 seeds: (60 + 20) × 5 s.
    assert cost([replace(need, standard=True) for need in given]) == 400
    text = told(given, 2, 0.04, share)
    assert text[0] == "e: 2 cells, 60 to 60 seeds, 120 runs, 2.5 min; 2 would need more"
    assert "no cell gets more than 183.0 s, or 5 seeds" in text[1]
    assert {need.seeds for need in within(found, 0)[0]} == {LEAST}


def test_what_runs_quickly_has_what_it_needs_first() -> None:
    """Two cells need 100 seeds: one of 0.1 s, one of 10 s. 210 s pay for 100 × 0.1 s and 20 × 10 s."""
    quick, slow = (
        Need("e", one(tcp), "X", 10.0, 2.0, 100, seconds) for tcp, seconds in (("quick", 0.1), ("slow", 10.0))
    )
    given, share = within([quick, slow], 210)
    assert [need.seeds for need in given] == [100, 20]
    assert share is not None
    assert 200 <= share < 210
    # What is needed beyond the ceiling is not paid for.
    given, share = within([replace(quick, needed=10**6)], 1e6)
    assert ([need.seeds for need in given], share) == ([CEILING - PILOT], None)


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    claim = Claim("X", "", "", {"experiment": "e", "gain": "goodput_bps", "of": "new", "over": "old"})
    found = needs([claim], {"e": (pilot(0, 10), ["tcp"])}, {"e": {one("old"): 2.0, one("new"): 3.0}})
    given, _ = within(found, 300)
    planfile.write(given, tmp_path / "seeds.csv")
    again = planfile.read(tmp_path / "seeds.csv")
    assert planfile.planned(again) == planfile.planned(given)
    assert planfile.planned(again)["e"] == {one("old"): 60, one("new"): 60}
    assert planfile.read(tmp_path / "none.csv") == []
    (tmp_path / "bad.csv").write_text(",".join(planfile.COLUMNS) + "\ne,tcp=a,X,1,2,many,3,4\n")
    with pytest.raises(InputError, match=r"bad.csv:2: .*delete the file"):
        planfile.read(tmp_path / "bad.csv")


def test_only_cells_that_claims_compare_have_a_pilot() -> None:
    paper = library.find("thesis")
    trials = [paper.trials["parameter-dsr"], paper.trials["rts-1"]]
    found = cells_of_claims(paper.claims, trials)
    compared = {dict(cell)["tcp"] for cell in found["parameter-dsr"]}
    assert {"reno+sca(10)", "reno+sca(25)", "reno+sca(50)"} <= compared
    assert "reno+sca(2)" not in compared
    assert len(found["rts-1"]) == 9 * 9


def short(name: str = "rts-attempts") -> Paper:
    paper = library.find("thesis")
    trial = paper.trials[name]
    settings = trial.document["set"] | {"duration": "4s"}
    return replace(paper, trials={trial.id: replace(trial, document=trial.document | {"set": settings})})


def test_pilot_plan_and_runs(tmp_path: Path) -> None:
    paper = short()
    claims = [claim.id for claim in paper.claims_of({"rts-attempts"})]
    assert claims
    said: list[str] = []
    asked = Asked([paper], claims[0], tmp_path, jobs=2, hours=0.001)
    with pytest.raises(InputError, match="shard"):
        plan(replace(asked, shard=Shard(1, 2)), said.append, silent)
    plans = plan(asked, said.append, silent)
    assert said[-1].startswith("in all ")
    cells = plans["thesis"]["rts-attempts"]
    assert len(cells) == 4
    again: list[str] = []
    assert plan(replace(asked, hours=None), again.append, silent) == plans
    assert again == [], "a stored plan stays"
    result = reproduce(paper, tmp_path, figure=claims[0], jobs=2, planned=plans["thesis"])
    judgement = result.judgements[claims[0]]
    assert judgement.seeds == min(cells.values())
    assert result.others[claims[0]][STANDARD].seeds == min(*cells.values(), BESIDE)
    trial = paper.trials["rts-attempts"]
    frame = frame_of(place(tmp_path, paper, trial), trial, cells)
    wanted = {n: seeds_after(n) for n in cells.values()}
    assert {len(part): part["seed"].to_list() for _, part in frame.group_by("cell")} == wanted
    unrun = reproduce(paper, tmp_path, figure=claims[0], run=False, planned=plans["thesis"])
    assert unrun.judgements == result.judgements


def test_a_pilot_alone_gives_no_runs_to_judge(tmp_path: Path) -> None:
    paper = short("rts-2")  # It derives quantities from its runs.
    trial = paper.trials["rts-2"]
    document = trial.document | {"scenario": "string-3x2", "axis": {"acks": trial.document["axis"]["acks"]}}
    trial = replace(trial, document=document)
    experiment = plan_of(trial, quick=False, seeds=PILOT)
    cells = {frozenset(cell.place.items()) for cell in experiment.cells()}
    PlannedSweep.pilot(experiment, tmp_path / "runs", cells).run(jobs=2, watch=silent)
    assert frame_of(tmp_path / "runs", trial, dict.fromkeys(cells, 5)).is_empty()


def test_a_plan_knows_what_a_run_costs_and_keeps_its_budget(tmp_path: Path) -> None:
    """A run of four seconds over a string takes milliseconds: no budget is too small for the least seeds."""
    paper = short()
    claim = paper.claims_of({"rts-attempts"})[0].id
    asked = Asked([paper], claim, tmp_path, jobs=2, hours=8.0)
    whole = plan(asked, lambda _: None, silent)["thesis"]["rts-attempts"]
    file = planfile.file_of(tmp_path, paper)
    costs = {need.cell: need.seconds for need in planfile.read(file)}
    assert all(0 < seconds < 60 for seconds in costs.values())
    assert max(whole.values()) > LEAST
    said: list[str] = []
    less = plan(replace(asked, hours=1e-6), said.append, silent)["thesis"]["rts-attempts"]
    assert set(less.values()) == {LEAST}
    assert "no cell gets more than 0.0 s, or 5 seeds" in said[-1]
    # The pilot's times are known later, and measured anew if they are lost.
    assert {need.cell: need.seconds for need in planfile.read(file)} == costs
    times_of(place(tmp_path, paper, paper.trials["rts-attempts"])).unlink()
    plan(asked, lambda _: None, silent)
    assert all(0 < need.seconds < 60 for need in planfile.read(file))


def test_the_command_plans_first(cli: Any, tmp_path: Path) -> None:
    wrong = cli("reproduce", "thesis:T5.33", "--quick", "--budget", "1")
    assert (wrong.code, "--budget" in wrong.err) == (2, True)
    wrong = cli("reproduce", "thesis:T5.33", "--budget", "0")
    assert (wrong.code, "out of range" in wrong.err) == (2, True)


def test_a_single_claim_runs_only_the_cells_that_it_compares() -> None:
    """T5.41 compares partial with full RTS for delayed ACKs over nine lengths: 18 cells of 81."""
    paper = library.find("thesis")
    trial = paper.trials["rts-1"]
    (claim,) = [claim for claim in paper.claims if claim.id == "T5.41"]
    (all_,) = cells_of_claims(paper.claims, [trial]).values()
    whole = {
        "rts-1": dict.fromkeys(all_, 30),
        "rts-1~standard": dict.fromkeys(all_, 20),
        "rts-2": {one("x"): 3},
    }
    kept = only(whole, [claim], [trial])
    assert len(kept["rts-1"]) == 18
    assert {(dict(cell)["acks"], dict(cell)["rts"]) for cell in kept["rts-1"]} == {
        ("delayed", "partial"),
        ("delayed", "full"),
    }
    assert kept["rts-1~standard"].keys() == kept["rts-1"].keys()
    assert set(kept["rts-1"].values()) == {30}
    assert kept["rts-2"] == whole["rts-2"]


def test_a_claim_is_repeated_with_the_seeds_beside_the_pages(cli: Any, tmp_path: Path) -> None:
    """E06 compares NewReno with Reno at two loss rates: with the two seeds after the pilot that DIR names."""
    paper = library.find("energy")
    trial = paper.trials["field"]
    found = [
        planfile.Need("field", cell, "E06", 1.0, 2.5, 2, 1.0, 2, standard=True)
        for cell in cells_of_claims(paper.claims, [trial])["field"]
    ]
    planfile.write(found, planfile.beside(tmp_path, paper))
    out = str(tmp_path / "r")
    ran = cli("reproduce", "energy:E06", "--plan-of", str(tmp_path), "--out", out, "--json")
    assert ran.code == 0, ran.err
    assert "pilot" not in ran.err, "no pilot runs"
    (claim,) = ran.document["claims"]
    assert [cell["seeds"] for cell in claim["cells"]] == [2, 2]
    runs = reading.joined(tmp_path / "r/energy/field")
    assert sorted(runs["seed"].unique().to_list()) == [11, 12]
    assert runs.height == 2 * 2 * 2
    for wrong, said in (((str(tmp_path), "--budget", "1"), "--budget"), ((out,), "no such plan")):
        bad = cli("reproduce", "energy:E06", "--out", out, "--plan-of", *wrong)
        assert (bad.code, said in bad.err) == (2, True), bad.err


def test_an_experiment_whose_source_states_its_runs_has_no_pilot(tmp_path: Path) -> None:
    """The thesis measures the paths of 200 topologies. A plan of an earlier version does not change that."""
    paper = library.find("thesis")
    trials = {name: paper.trials[name] for name in ("paths-strip", "paths-square")}
    assert {len(plan_of(one, quick=False, seeds=None).seeds) for one in trials.values()} == {200}
    asked = Asked([replace(paper, trials=trials)], "T5.10", tmp_path)
    assert plan(asked, lambda line: pytest.fail(line), silent) == {"thesis": {}}
    need = planfile.Need("paths-strip", one("reno"), "T5.10", 1.0, 2.5, 5, 1.0, 5)
    planfile.write([need, replace(need, trial="rts")], planfile.beside(tmp_path, paper))
    cells = (library.HERE.parents[2] / "docs" / "studies" / f"{paper.key}.csv").read_bytes()
    (tmp_path / f"{paper.key}.csv").write_bytes(cells)
    assert set(from_stored(paper, tmp_path).planned) == {"rts", "rts~standard"}


def test_stored_verdicts_know_the_plan(tmp_path: Path) -> None:
    paper = library.find("energy")
    cells = (library.HERE.parents[2] / "docs" / "studies" / f"{paper.key}.csv").read_bytes()
    (tmp_path / f"{paper.key}.csv").write_bytes(cells)
    need = planfile.Need("field", one("reno"), "E01", 1.0, 2.5, 30, 1.0, 30)
    planfile.write([need], planfile.beside(tmp_path, paper))
    assert from_stored(paper, tmp_path).planned["field"] == {one("reno"): 30}


def test_a_cell_has_the_number_of_runs_that_its_source_states() -> None:
    """The thesis draws 50 topologies: cells that a claim decides by fewer, or none compares, have them."""
    trials = library.find("thesis").trials
    found = [
        Need(trial, frozenset({("tcp", str(number))}), "", 0.0, 0.0, number, 1.0)
        for trial, number in [("dynamic-dsr", 3), ("pair-3", 42), ("pair-3", 180), ("growth", 3)]
    ]
    assert [one.needed for one in at_least(found, trials.values())] == [50, 50, 180, 3]
