"""Every option that is given again when a comparison goes on: refused, taken over, or as in one go."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import pytest
from test_costs import TABLE
from test_resume import digests, interrupted, stopped
from tiny_sweep import TINY

import tworay
from tworay.errors import InputError
from tworay.experiment.experimentfile import read
from tworay.experiment.options import DECIDE, Options
from tworay.experiment.store.batches import stored_rows
from tworay.experiment.sweeping import Sweep

if TYPE_CHECKING:
    from pathlib import Path

SET = {"duration": "2s"}
# An option, its value at first and the one with which the comparison is to go on.
REFUSED: list[tuple[str, Any, Any]] = [
    ("scenario", "string-2", "string-3"),
    ("set", SET, SET | {"tcp.window": 4}),
    ("set", SET | {"tcp.window": 4}, SET),
    ("costs", None, "2000"),
    ("costs", "2000", None),
    ("costs", "2000", "3000"),
    ("entries", None, "1s"),
    ("entries", "1s", "2s"),
]
# Options that add runs to those of the directory, or only say what is measured and shown.
ADD = {"tcp", "vary", "routing", "mix", "seeds", "until_ci", "max_seeds"}
SHOW = {"judge", "metrics", "resources"}


def options(tables: Path, **given: Any) -> dict[str, Any]:
    """Return the options of a comparison of one short run; ``costs`` is a number in its table."""
    chosen: dict[str, Any] = {"scenario": "string-2", "set": SET, "tcp": "newreno", "seeds": 1} | given
    if number := chosen.pop("costs", None):
        chosen["costs"] = tables / f"{number}.csv"
        chosen["costs"].write_text(TABLE.replace("1000", number))
    return chosen


def test_of_every_option_it_is_known_what_it_does_to_stored_runs() -> None:
    known = {name for name, *_ in REFUSED} | ADD | SHOW
    here = {one.name for one in fields(Options)} & {*DECIDE, "scenario"}
    assert here == known


@pytest.mark.parametrize(("name", "before", "after"), REFUSED)
def test_what_would_mix_runs_of_two_kinds_is_refused(
    tmp_path: Path, name: str, before: Any, after: Any
) -> None:
    out = tmp_path / "results"
    tworay.compare(**options(tmp_path, **{name: before}), out=out)
    kept = digests(out)
    with pytest.raises(InputError, match="it was made with"):
        tworay.compare(**options(tmp_path, **{name: after}) | {"seeds": 2}, resume=out)
    assert digests(out) == kept
    more = options(tmp_path, **{name: before}) | {"seeds": 2}
    assert tworay.compare(**more, resume=out).seeds == [1, 2]


def test_costs_that_were_edited_where_they_are_kept_are_refused(tmp_path: Path) -> None:
    given = options(tmp_path, costs="2000")
    out = tmp_path / "results"
    tworay.compare(**given, out=out)
    (out / "costs.csv").write_text(TABLE.replace("1000", "3000"))
    with pytest.raises(InputError, match="it was made with another table of computing costs"):
        tworay.compare(**given | {"seeds": 2}, resume=out)


def test_with_another_rule_of_stopping_every_seed_has_all_arms(tmp_path: Path) -> None:
    """Seeds were added up to seven. A wider interval is enough now: the new arm runs with all of them."""
    world = options(tmp_path) | {"out": tmp_path / "results"}
    first = tworay.compare(**world | {"seeds": 2}, until_ci=1e-9, max_seeds=7)
    assert first.seeds == [1, 2, 3, 4, 5, 6, 7]
    again = tworay.compare(resume=tmp_path / "results", tcp="reno", until_ci=0.9, max_seeds=10)
    for arm in ("newreno", "reno"):
        assert list(again.values(arm)) == first.seeds, arm


@pytest.mark.parametrize("done", [1, 4])
def test_an_interruption_leaves_whole_seeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: int
) -> None:
    """Two arms: runs go seed by seed, so that what is there can be compared in pairs."""
    given = options(tmp_path) | {"tcp": "newreno,sack", "seeds": 3}
    interrupted(monkeypatch, done, **given, out=tmp_path / "results")
    rows, _ = stored_rows(tmp_path / "results")
    order = [(arm, seed) for seed in (1, 2, 3) for arm in ("newreno", "sack")]
    assert {(row["world"], row["seed"]) for row in rows} == set(order[:done])


def test_an_interrupted_sweep_leaves_whole_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four cells: six runs are the first seed of all and the second of the first two."""
    plan = read(TINY)
    stopped(monkeypatch, 6, lambda: Sweep(plan, tmp_path / "out").run(jobs=1))
    rows, _ = stored_rows(tmp_path / "out")
    order = [(cell.key, seed) for seed in (1, 2) for cell in plan.cells()]
    assert {(row["world"], row["seed"]) for row in rows} == set(order[:6])


@pytest.mark.parametrize("seed", [1, 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1])
def test_every_seed_is_stored_read_and_resumed(tmp_path: Path, seed: int) -> None:
    """Up to the largest of 64 bits, also where numbers have a sign, or are of the kind of JavaScript's."""
    given = options(tmp_path) | {"seeds": [seed]}
    done = tworay.compare(**given, out=tmp_path / "results")
    read_again = tworay.results(tmp_path / "results")
    assert isinstance(read_again, tworay.Comparison)
    assert read_again.seeds == [seed]
    assert read_again.summary == done.summary
    other = seed - 1 or 2
    more = tworay.compare(resume=tmp_path / "results", seeds=[other])
    assert sorted(more.seeds) == sorted([seed, other])
    assert more.values("newreno")[seed] == done.values("newreno")[seed]
