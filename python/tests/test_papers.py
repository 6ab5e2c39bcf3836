"""Verdicts on claims, where the answer is known; and that the papers' data say what they mean."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tworay.errors import InputError
from tworay.experiment.experimentfile import read
from tworay.experiment.store import sweeps as reading
from tworay.experiment.sweeping import Sweep
from tworay.papers import library, pages
from tworay.papers.bands import Basis, across, claimed_of
from tworay.papers.derived import (
    ack_coverage,
    forwarders,
    growth_start,
    order_of_drops,
    pair_lengths,
    peak_window,
    restoration,
)
from tworay.papers.earlier import Earlier
from tworay.papers.figures import draw_figure
from tworay.papers.judging import judge_claim, judge_summary
from tworay.papers.kept import found_again
from tworay.papers.library import Claim, Figure
from tworay.papers.quantities import with_quantity
from tworay.papers.reproducing import QUICK, _narrowed, document, from_stored, plan_of, readings, reproduce
from tworay.papers.rule import Verdict
from tworay.papers.tables import guess_table, guesses, numbers

if TYPE_CHECKING:
    from tworay.papers.library import Paper
    from tworay.papers.verdicts import Judgement

H, D, N, F = Verdict.HOLDS, Verdict.DIRECTION, Verdict.INCONCLUSIVE, Verdict.FAILS


def runs(gains: dict[str, float], *, seeds: int = 20, noise: float = 0.01) -> pl.DataFrame:
    """Make runs in which `new` has these shares more than `old`, by place; worlds differ much by seed."""
    draw = random.Random(1)
    rows = []
    for number, (place, gain) in enumerate(gains.items()):
        for seed in range(1, seeds + 1):
            world = 1000 * draw.uniform(0.5, 1.5)
            for arm, factor in (("old", 1.0), ("new", 1.0 + gain)):
                value = world * factor * (1 + draw.gauss(0, noise))
                cell = 2 * number + (arm == "new")
                rows.append({"cell": cell, "tcp": arm, "place": place, "seed": seed, "goodput_bps": value})
    return pl.DataFrame(rows)


def verdict(frame: pl.DataFrame, **how: Any) -> Verdict:
    claim = Claim("X", "", "", {"experiment": "e"} | how)
    return judge_claim(claim, {"e": (frame, ["tcp", "place"])}).verdict


GAIN: dict[str, Any] = {"gain": "goodput_bps", "of": "new", "over": "old", "each": ["place"]}


RANGE: dict[str, Any] = GAIN | {"band": [5, 9], "basis": "stated"}


def test_claims_on_tables_whose_answer_is_known() -> None:
    assert verdict(runs({"a": 0.07, "b": 0.065}), **RANGE) == H
    assert verdict(runs({"a": 0.07, "b": 0.30}), **RANGE) == D, "one place is far above"
    assert verdict(runs({"a": 0.07, "b": 0.0}), **RANGE) == F, "one place has no difference"
    assert verdict(runs({"a": 0.07, "b": 0.07}, noise=0.3), **RANGE) == N, "too few seeds for this noise"
    assert verdict(runs({"a": 0.07, "b": -0.07}), **RANGE, where={"place": ["a"]}) == H
    assert verdict(runs({"a": 0.07, "b": -0.07}), **GAIN, bands={"a": 7.0, "b": -7.0}) == H
    assert verdict(runs({"a": 0.2, "b": 0.2, "c": -0.2}), **GAIN) == F, "it is claimed of every place"
    assert verdict(runs({"a": 0.2, "b": 0.2, "c": -0.2}), **GAIN, across="general") == H
    assert verdict(runs({"a": 0.2, "b": -0.2, "c": -0.2}), **GAIN, across="general") == F
    assert verdict(runs({"a": 0.2, "b": -0.2, "c": -0.2}), **GAIN, across="some") == H
    assert verdict(runs({"a": 0.001}), **GAIN, band="alike") == H
    assert verdict(runs({"a": 0.001}, noise=0.5), **GAIN, band="alike") == N
    assert verdict(runs({"a": 0.20}), **GAIN, band="alike") == F
    assert verdict(runs({"a": 0.20}), **GAIN, band="no less") == H
    assert verdict(runs({"a": 0.20}), **GAIN, band="no more") == F
    assert verdict(runs({"a": 0.02}, noise=0.001), **GAIN, band="more") == D, "less than the margin"
    assert verdict(runs({"a": 0.02}, noise=0.001), **GAIN, band="more", margin=1.0) == H
    assert verdict(runs({"a": 0.07}, seeds=1), **GAIN, band="more") == Verdict.UNTESTED


def test_growth_of_a_gain() -> None:
    how: dict[str, Any] = {"grows": "goodput_bps", "of": "new", "over": "old", "along": "place"}
    assert verdict(runs({"slow": 0.1, "fast": 0.5}), **how) == H
    assert verdict(runs({"slow": 0.1, "fast": 0.5}, seeds=200), **how, band=40.0) == H
    assert verdict(runs({"slow": 0.1, "fast": 0.5}), **how, band=150.0) == D
    assert verdict(runs({"slow": 0.5, "fast": 0.1}), **how) == F
    assert verdict(runs({"slow": 0.5, "fast": 0.1}), **how, band="less") == H
    assert verdict(runs({"slow": 0.1, "fast": 0.1}), **how) == F
    assert verdict(runs({"slow": 0.1, "fast": 0.1}, noise=0.3), **how) == N
    several = how | {"over": ["old", "new"]}
    assert verdict(runs({"slow": 0.1, "fast": 0.5}), **several) == F, "over itself nothing grows"
    assert verdict(runs({"slow": 0.1, "fast": 0.5}), **several, across="some") == H
    three = runs({"slow": 0.1, "middle": 0.5, "fast": 0.1})
    assert verdict(three, **how, to="middle") == H
    assert verdict(three, **how, to=["middle", "fast"]) == F, "it is claimed of both"


def test_nothing_divided_by_nothing_is_no_value() -> None:
    frame = pl.DataFrame({"waits": [6.0, 0.0, 2.0], "timeouts": [2, 0, 1]})
    assert with_quantity(frame, "waits / timeouts")["waits / timeouts"].to_list() == [3.0, None, 2.0]


def test_values_and_expressions() -> None:
    frame = runs({"a": 0.0}).with_columns(pl.lit(2.0).alias("timeouts"))
    assert verdict(frame, value="timeouts", of={"tcp": "old"}, band=2.0) == H
    found = with_quantity(frame, "timeouts * 3 + timeouts / 2 - 1")
    assert found["timeouts * 3 + timeouts / 2 - 1"].to_list()[0] == pytest.approx(6.0)
    assert with_quantity(frame, "ledger.ttl.data + 1")["ledger.ttl.data + 1"].to_list()[0] == 1.0


def test_the_result_names_the_cells_the_equivalence_and_what_could_have_been_found() -> None:
    def judged(frame: pl.DataFrame, **how: Any) -> Judgement:
        claim = Claim("X", "", "", {"experiment": "e"} | GAIN | how)
        return judge_claim(claim, {"e": (frame, ["tcp", "place"])})

    several = judged(runs({"a": 0.2, "b": 0.2, "c": -0.2}))
    assert "holds in 2 of 3 cells, does not in 1" in several.ours
    none = judged(runs({"a": 0.001}))
    assert none.verdict is F
    assert none.beside == ["equivalent within 5 %"]
    (cell,) = judged(runs({"a": 0.07}, noise=0.5)).cells
    noisy = judged(runs({"a": 0.07}, noise=0.5))
    assert noisy.verdict is N
    assert cell.detectable is not None
    assert noisy.beside == [f"these seeds would find {cell.detectable:.1f} %"]
    # One place: (t(0.975, 19) + t(0.8, 19)) / t(0.975, 19) = (2.0930 + 0.8610) / 2.0930 half widths.
    assert cell.measured.low is not None
    assert cell.measured.high is not None
    half = (cell.measured.high - cell.measured.low) / 2
    assert cell.detectable / half == pytest.approx(2.9540 / 2.0930, abs=1e-4)


def test_claims_on_several_experiments() -> None:
    """Gains of 20 and 5 %: each counts with `also`; with `against` the first is 15 points larger."""
    claim = Claim("X", "", "", {"experiment": "e"} | GAIN)
    frames = {"e": (runs({"a": 0.20}), ["tcp", "place"]), "f": (runs({"a": 0.05}), ["tcp", "place"])}
    both = judge_claim(replace(claim, how=claim.how | {"also": ["f"], "band": "no less"}), frames)
    assert [cell.place for cell in both.cells] == ["e a", "f a"]
    assert both.verdict is H
    apart = judge_claim(replace(claim, how=claim.how | {"against": "f"}), frames)
    (cell,) = apart.cells
    assert cell.measured.estimate == pytest.approx(15, abs=1)
    assert apart.verdict is H
    assert judge_claim(replace(claim, how=claim.how | {"against": "f", "band": "less"}), frames).verdict is F


def test_a_summary_has_the_cells_of_its_parts() -> None:
    frames = {"e": (runs({"a": 0.2, "b": 0.2, "c": -0.2}), ["tcp", "place"])}
    parts = {
        place: judge_claim(
            Claim(place, "", "", {"experiment": "e", "where": {"place": [place]}} | GAIN), frames
        )
        for place in "abc"
    }
    how = {"summary": ["a", "b", "c"], "across": "general"}
    found = judge_summary(Claim("S", "", "", how), parts)
    assert (found.verdict, len(found.cells)) == (H, 3)
    assert found.cells[0].place == "a a"
    assert judge_summary(Claim("S", "", "", how | {"across": "every"}), parts).verdict is F
    assert judge_summary(Claim("S", "", "", how), {}).verdict is Verdict.UNTESTED


def test_drops_of_forwarders_and_the_largest_window(tmp_path: Path) -> None:
    """Two of four segments die in full queues away from node 0, where the flow starts."""
    for name, table in (
        (
            "ledger",
            pl.DataFrame(
                {
                    "flow": [0, 0, 0, 0],
                    "node": [0, 1, 2, 1],
                    "kind": ["data", "data", "data", "ack"],
                    "cause": ["congestion", "congestion", "congestion", "congestion"],
                }
            ),
        ),
        ("series", pl.DataFrame({"cwnd_segments": [1.0, 70.0, 2.0]})),
    ):
        file = tmp_path / "tables" / name / "w-1.parquet"
        file.parent.mkdir(parents=True)
        table.write_parquet(file)
    frame = pl.DataFrame({"world": ["w"], "seed": [1], "document": ['{"flows": [{"from": 0, "to": 3}]}']})
    assert forwarders(frame, tmp_path)["queue_drops.forwarders"].to_list() == [2.0]
    row = peak_window(frame, tmp_path).row(0, named=True)
    assert (row["peak_cwnd_segments"], row["window.reached"]) == (70.0, 1.0)


def kept_tables(where: Path, tables: dict[str, dict[str, list[Any]]]) -> pl.DataFrame:
    """Write kept tables of a run, and return the frame of the run."""
    for name, columns in tables.items():
        file = where / "tables" / name / "w-1.parquet"
        file.parent.mkdir(parents=True)
        pl.DataFrame(columns).write_parquet(file)
    return pl.DataFrame({"world": ["w"], "seed": [1]})


def test_when_a_route_break_is_noticed_and_repaired(tmp_path: Path) -> None:
    """Contact of D and E (nodes 3 and 4) ends at 35 s, the timer doubles at 36 and 38 s, new data at 38.2 s.

    D gives up E falsely at 20 s, and its other neighbour F (node 5) at 35.8 s.
    """
    series: dict[str, list[Any]] = {
        "t_s": [34.0, 36.0, 38.0, 38.2],
        "cwnd_segments": [6.0, 1.0, 1.0, 2.0],
        "rto_s": [1.0, 2.0, 4.0, 1.0],
        "srtt_s": [0.2, 0.2, 0.2, 0.2],
    }
    routing: dict[str, list[Any]] = {
        "t_s": [20.0, 35.8, 37.1, 37.2, 37.4, 38.1],
        "node": [3, 3, 3, 4, 0, 0],
        "event": ["link-broken", "link-broken", "link-broken", "link-broken", "route-lost", "route-found"],
        "dst": [None, None, None, None, 4, 4],
        "neighbour": [4, 5, 4, 3, None, None],
        "hops": [None, None, None, None, None, 5],
    }
    found = restoration(kept_tables(tmp_path, {"series": series, "routing": routing}), tmp_path)
    row = found.row(0, named=True)
    assert (row["noticed_seconds"], row["restored_seconds"], row["expiries"]) == (37.1, 38.2, 2.0)
    assert found_again(pl.DataFrame(routing)) == 38.1
    assert found_again(pl.DataFrame(routing).filter(pl.col("t_s") < 37)) is None, "never noticed"


def test_a_transfer_s_first_seconds(tmp_path: Path) -> None:
    """The transfer starts at 1 s: its first 0.6 and 14 s end at 1.6 and 15 s, and 6 to 15 s are 7 to 16 s."""
    series: dict[str, list[Any]] = {
        "t_s": [1.0, 1.6, 5.0, 9.0, 15.0, 16.5],
        "cwnd_segments": [2.0, 7.0, 3.0, 6.4, 4.0, 9.0],
        "acked_bytes": [0, 1460 * 5, 1460 * 20, 1460 * 50, 1460 * 90, 1460 * 99],
    }
    row = growth_start(kept_tables(tmp_path, {"series": series}), tmp_path).row(0, named=True)
    assert (row["acked.0.6s"], row["acked.14s"], row["peak.6-15s"]) == (5.0, 90.0, 6.0)
    still: dict[str, list[Any]] = {
        "t_s": [1.0, 5.0, 16.5],
        "cwnd_segments": [2.0, 8.2, 1.0],
        "acked_bytes": [0, 0, 0],
    }
    other = tmp_path / "still"
    assert growth_start(kept_tables(other, {"series": still}), other)["peak.6-15s"].to_list() == [8.0]


def test_the_order_of_drops_is_compared_with_that_of_goodput() -> None:
    """Drops 9, 5, 0 are exactly inverse; 0, 9, 5 have the ranks 1, 3, 2: ρ = 1 − 6 (0 + 1 + 1) / 24 = 0.5."""
    rows = [
        {
            "scenario": s,
            "seed": 1,
            "goodput_bps": g,
            "mac.drops.rts_cts": d,
            "mac.drops.data": 0.0,
            "mac.drops.ack": 0.0,
        }
        for s, drops in (("x", (9.0, 5.0, 0.0)), ("y", (0.0, 9.0, 5.0)))
        for g, d in zip((1.0, 2.0, 3.0), drops, strict=True)
    ]
    found = order_of_drops(pl.DataFrame(rows), Path())["ranks.goodput_drops"].to_list()
    assert found == pytest.approx([-1, -1, -1, 0.5, 0.5, 0.5])


@pytest.mark.parametrize("paper", library.papers(), ids=lambda paper: paper.name)
def test_a_papers_data_are_sound(paper: Paper) -> None:
    ids = [claim.id for claim in paper.claims]
    assert len(ids) == len(set(ids))
    numbers = [figure.id for figure in paper.figures]
    assert len(numbers) == len(set(numbers))
    assert not set(ids) & set(numbers), "`PAPER:NAME` must be unambiguous"
    axes: dict[str, dict[str, tuple[str, ...]]] = {}
    for trial in paper.trials.values():
        plan = plan_of(trial, quick=False, seeds=None)
        axes[trial.id] = {axis.name: axis.labels for axis in plan.axes}
        # Every label of every axis, not every combination.
        for axis in plan.axes:
            others = {a.name: [a.labels[-1]] for a in plan.axes if a is not axis and a.name != "tcp"}
            assert read(_narrowed(document(trial, quick=False), others), derived=True).cells(), trial.id
        first = {axis.name: [axis.labels[0]] for axis in plan.axes if len(axis.labels) > 1}
        for changed in readings(trial).values():
            narrow = document(trial, quick=True, changed=changed)
            read(_narrowed(narrow, {k: v for k, v in first.items() if k != "tcp"}), derived=True).cells()
        assert document(trial, quick=True)
    for figure in paper.figures:
        assert (figure.experiment is None) == bool(figure.missing or figure.see), figure.id
        assert (figure.state in library.WITHOUT_RESULTS) == bool(figure.see), figure.id
        if figure.experiment is not None:
            there = axes[figure.experiment]
            assert {a for a in (figure.rows, figure.cols) if a} | set(figure.where) <= set(there), figure.id
    for headline in paper.headlines:
        assert set(headline.claims) <= set(ids), headline.says
    assert paper.study or 5 <= len(paper.headlines) <= 8
    for claim in paper.claims:
        if claim.experiment is None:
            assert claim.kind in ("shown", "cannot", "contradicted", "summary"), claim.id
            assert set(claim.parts) <= set(ids) - {claim.id}, claim.id
            forced = claim.kind in ("cannot", "contradicted") and not claim.quoted
            assert claim.quote or not forced, f"{claim.id}: quote the sentence that forces the label"
            continue
        there = axes[claim.experiment]
        assert set(claim.how.get("each", ())) <= set(there), claim.id
        for key, value in claim.how.get("where", {}).items():
            assert set(value if isinstance(value, list) else [value]) <= set(there[key]), claim.id
        places = claim.how.get("of_at", {})
        assert set(places) <= {label for axis in claim.how.get("each", ()) for label in there[axis]}, claim.id
        for entries in (claim.how.get("of", []), claim.how.get("over", []), list(places.values())):
            for entry in entries if isinstance(entries, list) else [entries]:
                for key, label in ({"tcp": entry} if isinstance(entry, str) else entry).items():
                    assert label in there[key], (claim.id, key, label)
        claimed = claimed_of(claim.how, [])
        assert claimed.basis in set(Basis), f"{claim.id}: say where its band comes from (`basis`)"
        across(claim.how)
        assert not claim.reading_of or claim.reading_of in ids, claim.id


# Of each paper a figure; what --quick leaves is cut down further, so that the test is a matter of seconds.
SHORT: dict[str, tuple[str, dict[str, Any]]] = {
    "freeze-probing": ("7", {"speed": ["2 m/s", "30 m/s"]}),
    "energy": ("4", {"situation": ["loss-free", "15 %"], "tcp": ["tahoe", "newreno"]}),
    "welcome": ("25", {"tcp": ["newreno", "welcome"]}),
    "probing": ("4", {"scenario": ["dumbbell-10"]}),
    "thesis": ("table 5.4", {}),
    "mesh-questions": ("clean vegas RTS on", {"scenario": ["string-2"], "retries": ["2", "7"]}),
    "today": ("nodes", {"scenario": ["string-4"], "help": ["none", "pacing"]}),
}


@pytest.mark.parametrize("paper", library.papers(), ids=lambda paper: paper.name)
def test_a_figure_of_each_paper_is_reproduced_and_its_claims_are_judged(paper: Paper, tmp_path: Path) -> None:
    """The form of the verdicts is checked, not what they say: that is what the full runs are for."""
    figure, only = SHORT[paper.name]
    trial = paper.trials[str(paper.figure(figure).experiment)]
    quick = {"seeds": 2, "set": {"duration": "60s" if paper.name == "energy" else "20s"}, "only": only}
    short = replace(paper, trials=paper.trials | {trial.id: replace(trial, quick=quick)})
    result = reproduce(short, tmp_path, figure=figure, quick=True, jobs=2)
    assert result.failed == 0
    assert result.drawn[figure].is_file()
    own = [claim for claim in paper.claims_of({trial.id}) if claim.role is not library.Role.MECHANISM]
    claims = {claim.id: claim for claim in own}
    assert set(result.judgements) == set(claims)
    for name, judgement in result.judgements.items():
        assert judgement.verdict in Verdict
        assert judgement.reason or judgement.cells, name
        for cell in judgement.cells:
            assert cell.measured.seeds <= 2
            low, high = cell.measured.low, cell.measured.high
            assert low is None or high is None or low <= high
    again = reproduce(short, tmp_path, figure=figure, quick=True, run=False)
    assert again.judgements == result.judgements
    pages.page(again, tmp_path / "pages")
    text = (tmp_path / "pages" / f"{paper.key}.md").read_text()
    assert all(f"| {claim.id} |" in text for claim in paper.claims if claim.id in result.judgements)
    # The cells beside the page give the same verdicts, in all readings.
    alone = from_stored(paper, tmp_path / "pages", wanted=figure)
    assert alone.judgements.keys() == result.judgements.keys()
    for name, judgement in result.judgements.items():
        assert (alone.judgements[name].verdict, alone.judgements[name].ours) == (
            judgement.verdict,
            judgement.ours,
        )
    for name, readings_ in alone.others.items():
        for reading_, judgement in readings_.items():
            assert judgement.verdict is result.others[name][reading_].verdict
    untold = {name for name in result.others if name not in alone.others}
    assert not any(judgement.cells for name in untold for judgement in result.others[name].values())


def test_a_part_of_a_page_is_renewed_and_the_rest_stays(cli: Any, tmp_path: Path) -> None:
    paper = library.find("thesis")
    quick = {"seeds": 2, "set": {"duration": "20s"}}
    names = {str(paper.figure(figure).experiment) for figure in ("table 5.4", "4.5")}
    trials = {name: replace(paper.trials[name], quick=quick) for name in names}
    short = replace(paper, trials=paper.trials | trials)
    first = reproduce(short, tmp_path / QUICK, figure="table 5.4", quick=True, jobs=2)
    folder = tmp_path / "pages"
    with pytest.raises(InputError, match="there are no stored cells"):
        pages.renew(first, folder)
    pages.page(first, folder)
    file = folder / f"{paper.key}.md"
    before = file.read_text()
    there = ("--out", str(tmp_path), "--pages", str(folder))
    refused = cli("reproduce", "thesis:table 5.4", "--no-run", *there)
    assert refused.code != 0
    assert "only runs of --quick" in refused.err
    assert file.read_text() == before
    second = reproduce(short, tmp_path, figure="4.5", quick=True, jobs=2)
    pages.renew(second, folder)
    after = file.read_text()
    assert "**4.5: " not in before
    for figure, result in (("table 5.4", first), ("4.5", second)):
        block = Earlier.read(file).figure(figure)
        assert block is not None
        assert (folder / block.picture).is_file()
        for claim, judgement in result.judgements.items():
            (line,) = (line for line in after.splitlines() if line.startswith(f"| {claim} |"))
            assert f"**{judgement.verdict}**" in line
            assert judgement.ours in line


def test_every_experiment_in_ns2s_dialect_has_the_standard_beside() -> None:
    for paper in library.papers():
        for trial in paper.trials.values():
            if trial.document.get("set", {}).get(library.DIALECT) == "ns2":
                assert readings(trial)[library.STANDARD] == {library.DIALECT: "standard"}, trial.id


def test_the_numbers_of_a_figure_stand_in_a_table() -> None:
    frame = runs({"a": 0.0, "b": 0.5}, noise=0.0).with_columns(pl.lit(3.0).alias("timeouts"))
    flat = frame.with_columns(pl.lit(2e6).alias("goodput_bps"))
    figure = library.Figure("1", "", "e", rows="place", cols="tcp")
    assert numbers(figure, flat, ["tcp", "place"]) == (
        ["goodput (kb/s)", "old", "new"],
        [["a", "2000 ± 0", "2000 ± 0"], ["b", "2000 ± 0", "2000 ± 0"]],
    )
    beside = replace(figure, columns=("goodput_bps", "timeouts"))
    found = numbers(beside, flat, ["tcp", "place"])
    assert found is not None
    assert found[1][0] == ["a", "old", "2000 ± 0", "3 ± 0"]
    assert numbers(replace(figure, where={"place": "c"}), flat, ["tcp", "place"]) is None


def test_guesses_of_all_runs_are_added_up() -> None:
    told = {"diagnosis": {"channel": {"congestion": 2, "none": 1}}}
    frame = pl.DataFrame({"tcp": ["a", "a", "b"], "document": [json.dumps(d) for d in (told, told, {})]})
    assert guess_table(guesses(frame)) == (
        ["variant", "guess", "congestion", "none"],
        [["a", "channel", "4", "2"]],
    )


def kept_pairs(where: Path, lengths: dict[int, list[float | None]]) -> pl.DataFrame:
    """Keep a table of pairs for each seed; return the frame of the runs."""
    for seed, hops in lengths.items():
        file = where / "tables" / "pairs" / f"world-{seed}.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        pl.DataFrame({"hops": hops}, schema={"hops": pl.Float64}).write_parquet(file)
    n = len(lengths)
    return pl.DataFrame(
        {"cell": [0] * n, "world": ["world"] * n, "speed": ["2 m/s"] * n, "seed": list(lengths)}
    )


def test_lengths_of_all_pairs_and_their_bins(tmp_path: Path) -> None:
    """Of 64 evenly spread values from 1 to 5, Freedman and Diaconis have 4 bins of width 1, Sturges 7.

    Sturges' middle bin ends at 3.29 and its middle is 3: what is in it doesn't count as above three hops.
    """
    values = [1 + 4 * i / 63 for i in range(64)]
    found = pair_lengths(kept_pairs(tmp_path, {1: [*values[:32], None], 2: [*values[32:]]}), tmp_path)
    assert found["pairs.mean_hops"].to_list() == pytest.approx([2.0 - 1 / 63, 4.0 + 1 / 63])
    assert found["pairs.long"].to_list() == [0.0, 1.0]
    assert found["pairs.long.freedman-diaconis"].to_list() == [0.0, 1.0]
    assert found["pairs.long.sturges"].to_list() == [0.0, 28 / 32]
    unkept = pair_lengths(kept_pairs(tmp_path, {1: values}).with_columns(world=pl.lit("older")), tmp_path)
    assert unkept["pairs.mean_hops"].to_list() == [None]


def test_a_histogram_counts_the_values_of_all_seeds(tmp_path: Path) -> None:
    frame = kept_pairs(tmp_path, {1: [1.0, 1.5, None], 2: [2.0, 5.0]})
    figure = Figure(
        "5.4", "t", "e", metric="hops", rows="speed", kind="histogram", table="pairs", bins="sturges"
    )
    drawn = draw_figure(figure, frame, ["speed"], tmp_path / "out", tmp_path)
    assert drawn is not None
    file, numbered = drawn
    assert file.read_text(encoding="utf-8").startswith("<?xml")
    assert numbered == (
        ["speed", "mean shortest path of a pair (hops)", "values", "% of them"],
        [
            ["2 m/s", "1 to 2.33", "3", "75"],
            ["2 m/s", "2.33 to 3.67", "0", "0"],
            ["2 m/s", "3.67 to 5", "1", "25"],
        ],
    )


def test_a_sweep_keeps_the_paths_of_every_two_nodes(tmp_path: Path) -> None:
    plan = read({"scenario": "string-3", "seeds": 1, "facts": "only", "keep": ["pairs"]})
    sweep = Sweep(plan, tmp_path / "out")
    sweep.run(jobs=1)
    (file,) = (tmp_path / "out" / "tables" / "pairs").glob("*.parquet")
    assert pl.read_parquet(file).rows() == [
        (a, b, float(b - a), 0.0) for a in range(4) for b in range(a + 1, 4)
    ]


def test_ack_coverage() -> None:
    counted = {"acks-of-1": 1, "acks-of-3": 2, "acks-of-4": 1}
    document = json.dumps({"flows": [{"counted": counted}]})
    frame = pl.DataFrame({"acked_segments": [11.0], "document": [document]})
    row = ack_coverage(frame, Path()).row(0, named=True)
    assert (row["acks"], row["covered"], row["share.acks-of-3"]) == (4.0, 2.75, 0.5)


def test_guesses_in_a_sweep_meet_their_causes(tmp_path: Path) -> None:
    """A run of a sweep records its losses: what a sender guessed about a switched-off relay is not 'none'."""
    plan = read(
        {
            "name": "told",
            "scenario": "link-failure",
            "tcp": ["welcome"],
            "seeds": [2],
            "set": {"dialect": "ns2"},
        }
    )
    Sweep(plan, tmp_path / "told").run(jobs=1)
    (document,) = reading.batch_frame(tmp_path / "told", ["document"])["document"]
    assert json.loads(document)["diagnosis"] == {"link-failure": {"node-down": 1}}
