"""Claims that compare another variant at each place (`of_at`); every goodput is written here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tworay.papers.judging import judge_claim
from tworay.papers.library import Claim
from tworay.papers.planning import cells_of_claims
from tworay.papers.rule import Verdict

if TYPE_CHECKING:
    from tworay.papers.verdicts import Judgement

# Segments by length of a string and parameter: 2 is best over four hops, 3 over five, and six have no best.
MEANS = {"4": (100.0, 130.0, 110.0), "5": (100.0, 105.0, 140.0), "6": (100.0, 100.0, 100.0)}


def judged(best: dict[str, str], **how: Any) -> Judgement:
    rows = [
        {"cell": 3 * int(hops) + p, "tcp": f"p{p + 1}", "hops": hops, "seed": seed, "acked": mean + seed % 3}
        for hops, means in MEANS.items()
        for p, mean in enumerate(means)
        for seed in range(1, 11)
    ]
    claimed = {"gain": "acked", "of_at": best, "over": ["p1", "p2", "p3"], "each": ["hops"]}
    claim = Claim("X", "", "", {"experiment": "e", "band": "no less"} | claimed | how)
    return judge_claim(claim, {"e": (pl.DataFrame(rows), ["tcp", "hops"])})


def test_each_place_compares_its_own_variant_with_all_others() -> None:
    found = judged({"4": "p2", "5": "p3"})
    assert [cell.place for cell in found.cells] == ["4 p1", "4 p3", "5 p1", "5 p2"], "never with itself"
    # The seeds raise each mean by 1: 30 / 101, 20 / 111, 40 / 101, 35 / 106.
    estimates = [round(cell.measured.estimate or 0.0, 1) for cell in found.cells]
    assert estimates == [29.7, 18.0, 39.6, 33.0]
    assert found.verdict is Verdict.HOLDS


def test_one_place_with_a_better_variant_refutes_it() -> None:
    assert judged({"4": "p2", "5": "p2"}).verdict is Verdict.FAILS
    assert judged({"4": "p3", "5": "p3"}, across="general").verdict is Verdict.HOLDS, "in three cells of four"


def test_where_all_deliver_alike_none_is_surpassed() -> None:
    assert judged({"6": "p1"}).verdict is Verdict.HOLDS
    assert judged({"6": "p1"}, band="more").verdict is Verdict.FAILS


def test_a_label_without_runs_has_no_cells() -> None:
    found = judged({"7": "p1"})
    assert (found.verdict, found.cells) == (Verdict.UNTESTED, ())


def test_the_plan_of_seeds_has_all_cells_of_these_places() -> None:
    from tworay.papers import library

    paper = library.find("thesis")
    claims = [claim for claim in paper.claims if claim.id == "T4.22"]
    compared = cells_of_claims(claims, [paper.trials["parameter-dsr"]])["parameter-dsr"]
    labels = [dict(cell) for cell in compared]
    assert {one["tcp"] for one in labels if one["scenario"] == "string-4"} >= {"reno", "reno+sca(42)"}
    assert not [one for one in labels if one["scenario"] == "string-3"], "table 4.4 begins at four hops"
