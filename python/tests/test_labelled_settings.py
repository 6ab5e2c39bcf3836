"""Labels of values of settings, and words and figures of results that were wrong in small ways."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

import tworay
from tworay.errors import InputError, ScenarioError
from tworay.experiment.arms import labels_of, parse_vary
from tworay.showing.rendering import number

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Result

    Cli = Callable[..., Result]

RTS = {"mac.rts_threshold": {"plain": "0B", "no RTS": "3000B"}}
SHORT = {"duration": "3s"}


def test_labels_of_settings_name_arms_columns_and_rows(tmp_path: Path, cli: Cli) -> None:
    made = tworay.compare("string-2", tcp="reno,vegas", vary=RTS, seeds=2, set=SHORT, out=tmp_path / "out")
    names = ["reno plain", "vegas plain", "reno no RTS", "vegas no RTS"]
    assert made.variants == names
    rows = made.long.filter(made.long["metric"] == "goodput_bps")
    assert set(rows["mac.rts_threshold"]) == {"plain", "no RTS"}
    assert made.choices["vegas no RTS"] == {"tcp": "vegas", "mac.rts_threshold": "no RTS"}
    # What a label stands for is kept, said, and run again.
    assert made.arms["reno plain"].settings == (("mac.rts_threshold", "0B"),)
    read = tworay.results(tmp_path / "out")
    assert isinstance(read, tworay.Comparison)
    assert (read.variants, read.choices) == (made.variants, made.choices)
    shown = cli("show", "out").out
    assert "plain is mac.rts_threshold=0B" in " ".join(shown.split())
    again = cli("compare", "--resume", "out", "--seeds", "3")
    assert again.code == 0, again.err
    assert len(tworay.results(tmp_path / "out").seeds) == 3  # type: ignore[union-attr]


def test_the_shell_has_the_same_labels(tmp_path: Path, cli: Cli) -> None:
    words = ("--tcp", "reno,vegas", "--seeds", "2", "--set", "duration=3s", "--json")
    said = cli("compare", "string-2", *words, "--vary", "mac.rts_threshold=plain=0B,no RTS=3000B")
    assert said.code == 0, said.err
    arms = said.document["arms"]
    assert list(arms) == ["reno plain", "vegas plain", "reno no RTS", "vegas no RTS"]
    assert arms["reno plain"]["labels"] == {"mac.rts_threshold": "plain"}
    assert arms["reno plain"]["set"] == {"mac.rts_threshold": "0B"}
    # Labels and plain values side by side; an `=` within brackets belongs to the value.
    assert parse_vary("tcp.window=small=4,32") == [("tcp.window", ["4", "32"])]
    assert labels_of("tcp.window=small=4,32") == {("tcp.window", "4"): "small"}
    assert labels_of("flow.0.tcp=sca(n=10),welcome(bwe=tustin)") == {}
    sizes = '{ kind = "fixed", size = "5kB" }'
    assert parse_vary(f"flow.0.sizes={sizes}") == [("flow.0.sizes", [sizes])]
    assert labels_of(f"flow.0.sizes=few={sizes}") == {("flow.0.sizes", sizes): "few"}
    for text, problem in (
        ("tcp.window==4,big=32", "'' is no label"),
        ("tcp.window=small=,big=32", "`small=` is a label without a value"),
        ("tcp.window=a=4,a=32", "two arms are called `a`"),
    ):
        refused = cli("compare", "string-2", "--vary", text)
        assert (refused.code, problem in refused.err) == (2, True), refused.err
    (tmp_path / "e.toml").write_text('scenario = "string-2"\n')
    assert "a table [axis.NAME]" in cli("sweep", "e.toml", "--vary", "tcp.window=small=4,big=32").err


def test_labels_that_are_none_are_refused(tmp_path: Path) -> None:
    for word in ("", "a,b", "a=b"):
        with pytest.raises(InputError, match="is no label"):
            tworay.compare("string-2", vary={"mac.rts_threshold": {word: "0B"}}, seeds=1)
    with pytest.raises(ScenarioError, match="this is not a size"):
        tworay.compare("string-2", vary={"mac.rts_threshold": {"plain": "much"}}, seeds=1)


def test_a_run_with_several_variants_is_a_comparison() -> None:
    with pytest.raises(InputError, match=r"tworay\.compare\(\.\.\., tcp=\[\.\.\.\]\)"):
        tworay.run("string-2", tcp=["newreno", "cubic"])  # type: ignore[arg-type]


def test_a_kernel_as_a_flow_is_answered_with_arms(cli: Cli) -> None:
    refused = cli("run", "string-2", "--set", "flow.0.tcp=kernel:cubic")
    assert refused.code == 2
    assert "`tworay compare --tcp kernel:cubic,newreno`" in refused.err


def test_one_node_is_one_node(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(
        'duration = "5s"\n[topology]\nkind = "explicit"\npositions = [[0.0, 0.0]]\n'
        "[[flow]]\nfrom = 0\nto = 1\n"
    )
    assert "This scenario has one node, number 0." in cli("run", "one.toml").err


def test_no_difference_has_no_sign() -> None:
    assert number(-0.04, 1.0, ",.1f") == "0.0"
    assert number(-0.06, 1.0, ",.1f") == "-0.1"
    # Two names of one variant: every difference is none.
    found = tworay.compare("string-2", tcp={"a": "newreno", "b": "newreno+tcp-ap"}, seeds=2, set=SHORT)
    table = found.verdict("timeouts")
    values = [v for name in ("difference", "difference_low", "difference_high") for v in table[name]]
    assert [math.copysign(1.0, v) for v in values if v == 0.0] == [1.0] * sum(v == 0.0 for v in values)


def test_a_run_in_a_notebook_shows_transfers_and_stalls(tmp_path: Path) -> None:
    (tmp_path / "video.toml").write_text(
        'duration = "20s"\n[topology]\nkind = "string"\nhops = 1\n'
        '[[flow]]\nfrom = 0\nto = 1\napp = "video"\nrate = "200kbps"\n'
    )
    run = tworay.run(str(tmp_path / "video.toml"))
    page = run._repr_html_()
    assert all(heading in page for heading in ("transfers", "stalls"))
    assert "stalls" not in tworay.run("string-2", set=SHORT)._repr_html_()
