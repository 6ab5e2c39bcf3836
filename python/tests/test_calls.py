"""Arguments that a function of Python doesn't have are refused with what to write instead."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import tworay
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

EXPERIMENT = {"scenario": ["string-1", "string-2"], "seeds": 1, "set": {"duration": "2s"}}
SWEEP: Any = tworay.Experiment(EXPERIMENT)
RUN: Any = tworay.run
COMPARE: Any = tworay.compare
PLOT: Any = tworay.plot


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: COMPARE("string-2", tpc="reno"), "tworay.compare has no argument `tpc`; did you mean tcp?"),
        (lambda: RUN("string-2", seeds=3), "tworay.run has no argument `seeds`; did you mean seed?"),
        (lambda: RUN("string-2", vary={}), "`vary`; tworay.compare and Experiment.run have it; leave it out"),
        (lambda: RUN("string-2", duration="5s"), '`duration`; .* set, such as set={"duration": ...}'),
        (lambda: COMPARE("string-2", "reno"), 'takes scenario without a name; .* such as tcp="reno"'),
        (lambda: RUN("string-2", "reno"), "takes scenario without a name; .* such as seed=3"),
        (lambda: PLOT("out", "cwnd", "a.svg", 2), "takes source, what, output without a name; .* flow=0"),
        (lambda: SWEEP.run(force=True), "Experiment.run has no argument `force`; .* another directory"),
        (lambda: SWEEP.run(jbos=2), "did you mean jobs?"),
    ],
)
def test_a_wrong_argument_is_refused_with_the_right_one(call: Callable[[], object], text: str) -> None:
    with pytest.raises(InputError) as wrong:
        call()
    assert re.search(text.replace("?", r"\?"), str(wrong.value)), wrong.value


def test_methods_of_sweeps_take_the_metrics_to_show(cli: Callable[..., Result], tmp_path: Path) -> None:
    found = SWEEP.run(out=tmp_path / "a.sweep", metrics="timeouts,goodput")
    assert "timeouts" in found._repr_html_()
    with pytest.raises(InputError, match=r"Results.table has no argument `columns`; did you mean cols\?"):
        found.table("goodput", rows="scenario", columns="seed")
    with pytest.raises(InputError, match="metrics: there is no metric `timeoust`; did you mean timeouts"):
        SWEEP.run(out=tmp_path / "b.sweep", metrics=["timeoust"])
    # The same at the shell, where the first is that of the table.
    (tmp_path / "a.toml").write_text('scenario = ["string-1", "string-2"]\nseeds = 1\n[set]\nduration = "2s"')
    said = cli("sweep", "a.toml", "--metrics", "timeouts", "--metrics", "goodput", "--out", "c.sweep")
    assert said.code == 0, said.err
    assert "--metric timeouts" in said.out
    assert cli("table", "c.sweep", "--json").document["metric"] == "timeouts"
