"""The Python API as notebooks use it."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
import threading
import tomllib
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import polars as pl
import pytest

import tworay
from tworay import _native
from tworay.errors import InputError
from tworay.running.control import load_class

QUICK = {"duration": "10s"}


def test_everything_promised_is_there() -> None:
    for name in tworay.__all__:
        assert getattr(tworay, name) is not None
    assert dir(tworay) == sorted(tworay.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        getattr(tworay, "nonsense")  # noqa: B009


def test_functions_keep_their_names_once_modules_are_imported() -> None:
    # An imported submodule becomes an attribute of its package, in the place of a function of that name.
    code = "import tworay; tworay.load('string-1'); print(len(tworay.scenarios()), len(tworay.variants()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in set(tworay.__all__) - {"__version__"}:
        importlib.import_module(getattr(tworay, name).__module__)
        assert callable(getattr(tworay, name)), name


def test_a_run_has_data_frames_and_numbers() -> None:
    scenario = tworay.load("string-4", tcp="newreno", set=QUICK | {"mac.rts_threshold": "3000B"})
    result = tworay.run(scenario, seed=3)
    assert result.goodput_bps == result.summary["flows"][0]["goodput_bps"] > 0
    assert result.throughput_bps >= result.goodput_bps
    assert result.flows["retransmitted_segments"].sum() == result.retransmitted_segments
    assert result.flows["timeouts"].sum() == result.timeouts
    assert result.series["t_s"].is_sorted()
    assert result.series["srtt_s"].dtype == pl.Float64
    # Before the first sample there is no round-trip time: null, not NaN.
    assert result.series["srtt_s"].is_nan().sum() == 0
    assert "string-4" in repr(result)
    causes = {"congestion", "contention", "channel", "link-failure", "node-down", "no-route", "ttl"}
    causes |= {"rate", "reorder-discard", "unknown"}
    assert set(result.ledger["cause"].unique()) <= causes


def test_the_ledger_says_why_a_segment_was_lost_and_how_it_ended(tmp_path: Path) -> None:
    # Node 1 of 0 - 1 - 2 is switched off while node 0 sends: the break fills node 0's queue.
    text = """
        duration = "5s"
        topology = { kind = "string", hops = 2 }
        routing.protocol = "static"
        [[flow]]
        from = 0
        to = 2
        app = "cbr"
        size = "512B"
        rate = "400kbps"
        [[event]]
        node = 1
        at = "2s"
        what = "down"
    """
    path = tmp_path / "break.toml"
    path.write_text(text)
    lost = tworay.run(path).ledger.filter(pl.col("t_s") > 2)
    assert set(lost["cause"]) == {"node-down"}
    assert {"rts-retries", "ifq"} <= set(lost["died"])
    assert (lost["since_s"] <= lost["t_s"]).all()
    at_the_queue = lost.filter(died="ifq")
    assert set(at_the_queue["root_node"]) == {0}
    assert set(at_the_queue["next_hop"]) == {1}
    # No signal spoiled anything: null, not a number.
    assert lost["interferer"].dtype == pl.Int64
    assert lost["interferer"].is_null().all()


def test_series_are_left_out_on_request() -> None:
    assert tworay.run("string-2", set=QUICK, series=False).series.height == 0


def test_a_run_depends_on_the_seed_and_on_nothing_else() -> None:
    first, again, other = (tworay.run("string-4", seed=seed, set=QUICK) for seed in (1, 1, 2))
    assert first.series.equals(again.series)
    assert first.ledger.equals(again.ledger)
    assert not first.series.equals(other.series)


def test_compare_gives_tables() -> None:
    result = tworay.compare("string-3", tcp=["tahoe", "reno", "sack"], seeds=3, set=QUICK, jobs=2)
    assert result.failures == []
    assert result.seeds == [1, 2, 3]
    assert result.runs.height == 9
    assert result.table.filter(pl.col("metric") == "goodput_bps")["variant"].to_list() == [
        "tahoe",
        "reno",
        "sack",
    ]
    assert result.pairs.filter(pl.col("metric") == "timeouts").height == 3
    assert result.summary["scenario"] == "string-3"
    assert repr(result) == "<tworay.Comparison string-3: tahoe, reno, sack; 3 seeds>"


def test_variants_meet_the_same_world() -> None:
    """Common random numbers: what does not depend on TCP is equal for all variants of a seed."""
    base = tworay.load("strip-50", set={"duration": "5s"})
    assert base.facts(4) == base.with_variant("tahoe").facts(4)
    assert base.facts(4) != base.facts(5)


def test_scenario_text_is_complete_toml() -> None:
    scenario = tworay.load("string-2", set=QUICK)
    text = scenario.to_toml()
    assert tomllib.loads(text)["duration"] == "10s"
    again = _native.Scenario.from_toml(text, "string-2", ".")
    assert tworay.run(again, seed=1).series.equals(tworay.run(scenario, seed=1).series)


def test_errors_say_what_kind_they_are() -> None:
    with pytest.raises(tworay.ScenarioError, match="newreno"):
        tworay.load("string-2", tcp="newrno")
    with pytest.raises(tworay.ScenarioError, match="already loaded"):
        tworay.load(tworay.load("string-2"), set=QUICK)
    with pytest.raises(tworay.InputError):
        tworay.run("string-2", seed=-1)
    for kind in (
        tworay.ScenarioError,
        tworay.RunError,
        tworay.Cancelled,
        tworay.InputError,
        tworay.OutputError,
    ):
        assert issubclass(kind, tworay.TworayError)


def test_a_run_can_be_stopped_from_another_thread() -> None:
    control = _native.RunControl()
    timer = threading.Timer(0.3, control.cancel)
    timer.start()
    with pytest.raises(tworay.Cancelled):
        tworay.run("string-4", set={"duration": "1000000s"}, control=control, series=False)
    timer.join()
    assert 0 <= control.progress() < 1


def test_overrides_can_be_a_mapping_or_texts() -> None:
    one = tworay.load("string-2", set={"duration": "7s"}).to_toml()
    assert one == tworay.load("string-2", set=["duration=7s"]).to_toml()
    assert one == tworay.load("string-2", set="duration=7s").to_toml()


# What the command line checks is checked here, too


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"until_ci": 5}, "until_ci = 5 is not a share between 0 and 1; 0.05 means ± 5 %"),
        ({"until_ci": "5%"}, "not a share between 0 and 1"),
        ({"until_ci": 0.05, "max_seeds": 3, "seeds": 5}, "max_seeds=3 is less than the 5 seeds"),
        ({"max_seeds": 30}, "says where until_ci gives up"),
        ({"tcp": []}, "no variant given"),
        ({"tcp": ["reno", 5]}, "tcp: 5 is not a subclass of tworay.CongestionControl"),
        ({"tcp": ["newreno", "NewReno"]}, "`newreno` and `NewReno` are the same variant"),
        ({"tcp": "sca(10),newreno+sca(10)"}, r"`sca\(10\)` and `newreno\+sca\(10\)` are the same"),
        ({"tcp": "newreno+cwl(4)+elfn,NewReno+elfn+cwl(n=4)"}, "are the same variant"),
        ({"seeds": 2.5}, "the number of seeds is a whole number, found 2.5"),
        ({"seeds": [1, "2"]}, "a seed is a whole number, found '2'"),
        ({"seeds": []}, "no seeds given"),
        ({"jobs": "2"}, "the number of jobs is a whole number"),
    ],
)
def test_compare_refuses_what_the_command_line_refuses(arguments: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        tworay.compare("string-1", **({"tcp": "reno", "set": QUICK} | arguments))


def test_a_class_and_its_name_are_one_variant() -> None:
    file = Path(__file__).parents[2] / "docs/examples/sca.py"
    own = load_class(f"{file}:SCA")
    for twin in (f"{file.parent}/../examples/sca.py:SCA", own):
        with pytest.raises(InputError, match="are the same variant"):
            tworay.compare("string-1", tcp=[f"{file}:SCA", twin], set=QUICK)


def test_seeds_may_be_numpys() -> None:
    assert tworay.run("string-1", seed=np.uint32(3), set=QUICK).seed == 3
    with pytest.raises(InputError, match="the seed is a whole number, found '3'"):
        tworay.run("string-1", seed="3", set=QUICK)  # type: ignore[arg-type]


def test_a_callback_that_would_never_be_called_is_refused() -> None:
    def class_with(**names: Any) -> type[tworay.CongestionControl]:
        return type("Mine", (tworay.CongestionControl,), names)

    def callback(self: Any, state: Any, event: Any) -> None: ...

    for names, problem in (
        ({"on_ackk": callback}, "Mine.on_ackk is never called; did you mean on_ack?"),
        ({"onAck": callback}, "Mine.onAck is never called; did you mean on_ack?"),
        ({"on_timeout": callback}, "Mine.on_timeout is never called; there are on_ack, on_loss, on_rto"),
        ({"recoverry": "sack"}, "Mine.recoverry is never called; did you mean recovery?"),
        ({"on_rto": 5}, "Mine.on_rto is not a method"),
        ({"on_rto": lambda self, state: None}, "Mine.on_rto can't be called with the sender's state and"),
    ):
        with pytest.raises(InputError, match=re.escape(problem)):
            tworay.run("string-1", tcp=class_with(**names), set=QUICK)
    # Names of one's own, and parameters beyond the two, are nobody's business.
    own = class_with(
        on_ack=lambda self, state, ack, *more: None, slow_down=callback, count=0, recovery="reno"
    )
    assert tworay.run("string-1", tcp=own, set=QUICK).goodput_bps > 0


def test_what_pandas_needs_is_named() -> None:
    run = tworay.run("string-1", set=QUICK)
    # As without the two packages, whether they are there or not.
    with mock.patch.dict(sys.modules, {"pyarrow": None, "pandas": None}):
        for frame in (run.flows, tworay.compare("string-1", tcp="reno", seeds=1, set=QUICK).table):
            with pytest.raises(ModuleNotFoundError, match=r"pip install pandas pyarrow.* tworay\[pandas\]"):
                frame.to_pandas()
