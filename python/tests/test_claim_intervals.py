"""Parts of a claim's intervals and shares beyond the runs."""

from __future__ import annotations

import json

import polars as pl
import pytest

from tworay.papers import library
from tworay.papers.judging import judge_claim
from tworay.papers.library import Claim
from tworay.papers.quantities import from_documents
from tworay.papers.rule import Verdict
from tworay.papers.verdicts import number


def test_errors_of_a_measured_factor_widen_the_interval_of_a_difference() -> None:
    """Twice as much in every run, with errors of 30 and 40 %: half-width 200 % x sqrt(0.3^2 + 0.4^2)."""
    rows = [
        {"cell": cell, "tcp": tcp, "seed": seed, "joules": value}
        for cell, (tcp, value) in enumerate((("old", 1.0), ("new", 2.0)))
        for seed in range(1, 21)
    ]
    how = {"experiment": "e", "gain": "joules", "of": "new", "over": "old", "band": "more"}
    runs = {"e": (pl.DataFrame(rows), ["tcp"])}
    exact = judge_claim(Claim("X", "", "", how), runs)
    assert exact.verdict is Verdict.HOLDS
    measured = judge_claim(Claim("X", "", "", how | {"errors": {"old": 0.3, "new": 0.4}}), runs)
    (cell,) = measured.cells
    assert (cell.measured.low, cell.measured.high) == pytest.approx((0.0, 200.0))
    assert measured.verdict is Verdict.INCONCLUSIVE
    assert measured.beside == [], "more seeds would not find less"
    large = judge_claim(Claim("X", "", "", how | {"errors": {"old": 0.9, "new": 1.2}}), runs)
    assert large.cells[0].measured.low == -100.0, "nothing is less than nothing"


def test_claims_about_computing_have_the_errors_of_its_cost() -> None:
    """WELCOME 2.67 +- 0.77 and NewReno 1.83 +- 1.14 us for a segment, in congestion."""
    paper = library.find("welcome")
    computing = [c for c in paper.claims if c.how.get("gain") == "energy.joules_computation"]
    assert [claim.id for claim in computing if "errors" not in claim.how] == []
    (one,) = [claim for claim in computing if claim.id == "W31"]
    assert one.how["errors"]["welcome"] == pytest.approx(0.77 / 2.67)
    assert one.how["errors"]["newreno"] == pytest.approx(1.14 / 1.83)


def test_guesses_after_losses_are_right_or_wrong_without_needless_ones() -> None:
    """Three of four losses called `transient` were errors; six times nothing had been lost."""
    called = {"channel": 2, "contention": 1, "congestion": 1, "none": 6}
    diagnosis = {"transient": called, "channel": {"none": 2}}
    document = {"sim_seconds": 1.0, "flows": [], "diagnosis": diagnosis}
    frame = from_documents(pl.DataFrame({"seed": [1]}), pl.Series([json.dumps(document)]))
    assert frame["diagnosis.right.transient"].to_list() == [0.75]
    assert frame["diagnosis.right.channel"].to_list() == [None]


def test_a_difference_of_rounding_is_none() -> None:
    assert number(-3.5e-15, "%") == "+0.0 %"
    assert number(0.0123, "%") == "+0.012 %"
