"""The cells of a sweep: what an experiment asks for, and which of its runs are there already.

Traps 6 and 8 of campaign tools, each with the rule that avoids it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from tiny_sweep import TINY, sweep

import tworay
from tworay.errors import InputError
from tworay.experiment.axes import SCENARIO, Axis
from tworay.experiment.engines import Shard
from tworay.experiment.experimentfile import read
from tworay.experiment.plan import Plan, digest, kept
from tworay.experiment.store.sweeps import joined
from tworay.experiment.sweeping import Sweep

if TYPE_CHECKING:
    from pathlib import Path

EVERY_SETTING = (
    "duration=4s",
    "warmup=1s",
    "topology.spacing=190m",
    "topology.hops=3",
    "radio.propagation=range",
    "mac.rts_threshold=3000B",
    "mac.short_retry_limit=4",
    "mac.arp=false",
    "errors.frame_err.bernoulli.rate=0.01",
    "station.clock_offset=5ms",
    "routing.protocol=dsr",
    "routing.aodv.dialect=ns2",
    "tcp.window=8",
    "tcp.rto.min=1s",
    "tcp.receiver.acks=delayed",
    "tcp.sack.dsack=true",
    "energy.model=states",
    "flow.0.start=2s",
)


def key_of(*settings: str, **extras: Any) -> str:
    return digest(kept(tworay.load("string-2", set=["flow.0.to=2", *settings])), extras)


# Of a plan, beside the scenario: what is asked of runs decides what they keep.
ASKED: dict[str, Any] = {
    "facts": True, "keep": ("series",), "resources": True, "entries": "2s", "whole": True, "air": True,
}  # fmt: skip


def test_the_hash_forgets_nothing_that_is_asked_of_runs() -> None:
    axes = (Axis("scenario", ("string-2",), (((SCENARIO, "string-2"),),)),)
    plan = Plan("asked", axes, (1,))
    assert set(ASKED) == set(plan.extras), "each needs a value here that is not the default"
    plans = [plan, *(replace(plan, **{name: value}) for name, value in ASKED.items())]
    keys = {cell.key for one in plans for cell in one.cells()}
    assert len(keys) == len(ASKED) + 1


def test_trap_6_the_hash_forgets_no_setting_and_remembers_no_formatting(tmp_path: Path) -> None:
    base = key_of()
    others = [key_of(setting) for setting in EVERY_SETTING]
    assert len({base, *others}) == len(EVERY_SETTING) + 1
    text = tworay.load("string-2", set="flow.0.to=2").to_toml()
    assert digest({"scenario.toml": text}, {}) == base
    assert digest({"scenario.toml": text}, {}, "0.0.1") != base, "another engine gives other results"
    assert digest({"scenario.toml": text}, {"keep": ["series"], "facts": False}) != base
    # Another file, name, comment and order of keys, and a default that is said aloud.
    mine = tmp_path / "mine.toml"
    lines = (
        tworay.scenario_text("string-2")
        .replace('name = "string-2"', 'name = "mine"  # a comment')
        .splitlines()
    )
    mine.write_text(
        "\n".join(line.replace(" = ", "   =   ") for line in lines) + "\n\n[mac]\nshort_retry_limit = 7\n"
    )
    assert digest(kept(tworay.load(mine)), {}) == base


def test_trap_6_of_a_movement_file_the_moves_count_not_the_place(tmp_path: Path) -> None:
    moves = tworay.moves(tworay.load("strip-50", set=["duration=5s", "topology.nodes=4"]))
    keys = []
    # A name with a quotation mark is written with another kind of string.
    other = moves.replace("X_ ", "X_ 1", 1)
    for folder, text in (("a", moves), ("b", moves), ('in "quotes"', moves), ("c", other)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "walk.mov").write_text(text)
        scenario = tmp_path / folder / "walk.toml"
        scenario.write_text(
            tworay.convert(tmp_path / folder / "walk.mov", flows=["0:1:ftp"], output=scenario)
        )
        keys.append(digest(kept(tworay.load(scenario)), {}))
    assert keys[0] == keys[1] == keys[2] != keys[3]


def test_trap_8_a_value_more_computes_only_its_cells(tmp_path: Path) -> None:
    done = sweep(tmp_path / "s")
    keys = {cell.key for cell in done.cells}
    grown = sweep(done.path, TINY | {"scenario": ["string-4", "string-2", "string-3"]})
    assert grown.state.done == 2 * 3
    assert keys < {cell.key for cell in grown.cells}
    seeds = sweep(done.path, TINY | {"seeds": 5})
    assert seeds.state.done == 4 * 2
    frame = pl.read_parquet(done.path / "runs.parquet")
    assert frame.height == 20, "the table is of the experiment as it is now"


def test_until_ci_adds_seeds_where_they_are_needed(tmp_path: Path) -> None:
    document = TINY | {"seeds": 2, "until_ci": "3%", "max_seeds": 12, "scenario": ["string-2", "string-6"]}
    done = sweep(tmp_path / "s", document | {"set": {"duration": "10s"}})
    seeds = {name: frame["seed"].to_list() for (name,), frame in joined(done.path).group_by("scenario")}
    assert len(set(seeds["string-2"])) == 5
    assert len(set(seeds["string-6"])) > 5
    again = sweep(tmp_path / "s", document | {"set": {"duration": "10s"}})
    assert again.state.done == 0
    with pytest.raises(InputError, match="until_ci"):
        Sweep(read(document), tmp_path / "t", shard=Shard(1, 2))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('scenari = "string-2"', "did you mean scenario?"),
        ('scenario = "string-2"\n[vary]\n"topology.hops" = []', "give a list of values"),
        ('scenario = "string-2"\n[vary]\nx = { from = 3, to = 1, step = 1 }', "runs upwards"),
        ('scenario = "string-2"\n[[zip]]\na = [1, 2]\nb = [1]', "a has 2, b has 1"),
        ('scenario = "string-2"\nkeep = ["flight"]', "there is no table `flight`"),
        ('scenario = "string-2"\nseeds = 0', "0 seeds asked for"),
        ('scenario = "strng-2"', "strng-2"),
        ('scenario = "string-2"\n[vary]\n"mac.retry" = [1]', "mac.retry"),
        ("seeds = 3", "nothing to run"),
        ("scenario = ", "x.toml"),
    ],
)
def test_a_wrong_experiment_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(tworay.TworayError, match=re.escape(says)) as refusal:
        read(tmp_path / "x.toml").cells()
    assert isinstance(refusal.value, InputError | tworay.ScenarioError)
