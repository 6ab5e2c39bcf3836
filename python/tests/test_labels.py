"""Labels of arms: names of the user's choice in results, which change no run."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tworay
from tworay.errors import InputError, with_options
from tworay.experiment.arms import line_up
from tworay.experiment.experimentfile import read
from tworay.running.spec import parse_arms, parse_variants

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

    Cli = Callable[..., Result]

EXAMPLES = Path(__file__).parents[2] / "docs/examples"
QUICK = {"duration": "3s"}
WORDS = ("compare", "string-2", "--set", "duration=3s")


@pytest.fixture
def sca(tmp_path: Path) -> Path:
    return Path(shutil.copy(EXAMPLES / "sca.py", tmp_path / "sca.py"))


def test_labels_are_parsed_and_parameters_and_paths_are_none(sca: Path) -> None:
    assert parse_arms("gentle=newreno+sca(theta=10), reno") == {
        "gentle": "newreno+sca(theta=10)",
        "reno": "reno",
    }
    assert parse_arms(["newreno+sca(theta=10)"]) == {"newreno+sca(theta=10)": "newreno+sca(theta=10)"}
    assert parse_arms({"a.b-1": "vegas"}) == {"a.b-1": "vegas"}
    # Its own name, written as a plot should have it.
    assert parse_arms({"CUBIC": "cubic", "Vegas": "vegas"}) == {"CUBIC": "cubic", "Vegas": "vegas"}
    odd = sca.rename(sca.with_name("a=b.py"))
    assert parse_arms(f"{odd}:SCA") == {f"{odd}:SCA": f"{odd}:SCA"}


@pytest.mark.parametrize(
    ("tcp", "problem"),
    [
        ("a=reno,a=vegas", "`a` is given twice; choose another label"),
        ("a=reno,b=reno", "`a` and `b` are the same variant"),
        ("a=reno,reno", "`a` and `reno` are the same variant"),
        ("sack=reno,vegas", "`sack` is the name of a variant; choose another label"),
        (f"sack={EXAMPLES}/sca.py:SCA", "`sack` is the name of a variant; choose another label"),
        ("sack=kernel:reno", "`sack` is the name of a variant; choose another label"),
        ("a  b=reno", "a label has letters, digits"),
        ("a?=reno", "a label has letters, digits"),
        ("bbr:form=linux", r"parameters stand in parentheses: bbr\(form=linux\)"),
        ("=reno", "a label has letters, digits"),
        ("a=", "empty variant name"),
        ("a=renno", "there is no variant renno"),
        ("a=nothing.py:X", "there is no file nothing.py"),
        ({"a": "reno", "sack": "vegas"}, "`sack` is the name of a variant"),
        ({"a": int}, "is not a subclass of tworay.CongestionControl"),
        ({}, "no variant given"),
    ],
)
def test_wrong_labels_are_refused(tcp: Any, problem: str) -> None:
    with pytest.raises(tworay.TworayError, match=problem):
        line_up("string-2", tcp=tcp)


def test_labels_are_for_arms_and_a_mixture_names_variants(cli: Cli) -> None:
    with pytest.raises(InputError, match="only arms of `tworay compare` and `sweep` have labels"):
        parse_variants("a=reno")
    run = cli("run", "string-2", "--tcp", "a=reno")
    assert run.code == 2
    assert "leave `a=` out" in run.err
    mixed = cli(*WORDS, "--tcp", "a=vegas,newreno", "--mix", "a:0.5,newreno:0.5")
    assert mixed.code == 2
    assert "`a` is a label of --tcp; name its variant" in mixed.err


def test_a_label_names_the_arm_and_changes_no_run(cli: Cli, sca: Path) -> None:
    def documents(tcp: str) -> dict[str, Any]:
        found = cli(*WORDS, "--tcp", tcp, "--seeds", "2", "--json", "--vary", "mac.queue_limit=5,50")
        assert found.code == 0, found.err
        return found.document

    plain = documents("sca.py:SCA,newreno")
    labelled = documents("mine=sca.py:SCA,base=newreno")
    assert list(labelled["arms"]) == [
        "mine mac.queue_limit=5",
        "base mac.queue_limit=5",
        "mine mac.queue_limit=50",
        "base mac.queue_limit=50",
    ]
    assert labelled["arms"]["mine mac.queue_limit=5"] == plain["arms"]["sca.py:SCA mac.queue_limit=5"] | {
        "label": "mine"
    }
    assert "label" not in plain["arms"]["sca.py:SCA mac.queue_limit=5"]
    assert list(labelled["variants"].values()) == list(plain["variants"].values())


def test_labels_may_have_spaces(cli: Cli, tmp_path: Path) -> None:
    done = cli(*WORDS, "--tcp", "my reno=newreno,BBR v1=bbr", "--seeds", "2", "--out", "out", "--json")
    assert done.code == 0, done.err
    assert list(done.document["arms"]) == ["my reno", "BBR v1"]
    shown = cli("show", "out")
    assert "my reno is newreno, BBR v1 is bbr." in shown.out
    assert cli("compare", "--resume", "out", "--seeds", "3").code == 0
    told = cli("explain", "out", "--arm", "my reno", "--seed", "3")
    assert told.code == 0, told.err
    assert cli("plot", "out", "box", "-o", "box.svg").code == 0
    # The page's command can be pasted into a shell.
    page = (tmp_path / "out/report.html").read_text(encoding="utf-8")
    assert "--tcp &#x27;my reno=newreno,BBR v1=bbr&#x27;" in page


def test_arms_of_one_name_are_refused() -> None:
    """A label with a space, and a label of a value, may add up to the same words."""
    with pytest.raises(InputError, match="two arms are called `a b c`"):
        line_up(
            "string-2", tcp={"a b": "newreno", "a": "vegas"}, vary={"mac.queue_limit": {"c": 5, "b c": 6}}
        )


def test_tables_show_labels_and_what_they_stand_for(cli: Cli, sca: Path, tmp_path: Path) -> None:
    tcp = "mine=sca.py:SCA,base=newreno"
    shown = cli(*WORDS, "--tcp", tcp, "--seeds", "2", "--out", "out", "--long", "long.csv")
    assert "mine is sca.py:SCA, base is newreno." in shown.out
    assert "mine is sca.py:SCA" in cli("show", "out").out
    rows = pl.read_csv(tmp_path / "long.csv")
    assert rows["variant"].unique(maintain_order=True).to_list() == ["mine", "base"]
    assert rows["tcp"].unique(maintain_order=True).to_list() == ["mine", "base"]
    assert rows["tcp (variant)"].unique(maintain_order=True).to_list() == ["sca.py:SCA", "newreno"]
    # The page says how to make it again, with the labels.
    assert f"--tcp {tcp}" in (tmp_path / "out/report.html").read_text(encoding="utf-8")


def test_resumed_in_two_steps_labelled_arms_have_the_same_bytes(cli: Cli, sca: Path, tmp_path: Path) -> None:
    tcp = ("--tcp", "mine=sca.py:SCA,base=newreno")
    assert cli(*WORDS, *tcp, "--seeds", "2", "--out", "steps").code == 0
    assert cli("compare", "--resume", "steps", "--seeds", "4").code == 0
    assert cli(*WORDS, *tcp, "--seeds", "4", "--out", "once").code == 0
    for name in ("runs.parquet", "flows.parquet", "summary.json"):
        assert (tmp_path / "steps" / name).read_bytes() == (tmp_path / "once" / name).read_bytes(), name
    # Labels given again are the same arms; other meanings of them, and other names, are refused.
    again = cli(*WORDS, *tcp, "--seeds", "4", "--resume", "once")
    assert again.code == 0
    assert list(json.loads((tmp_path / "once/tworay.json").read_text())["arms"]) == ["mine", "base"]
    for other, problem in (
        ("base=vegas", "the comparison that is resumed calls newreno `base`"),
        ("newreno", "`base` and `newreno` are the same scenario"),
        ("other=sca.py:SCA", "`mine` and `other` are the same scenario"),
    ):
        wrong = cli(*WORDS, "--tcp", other, "--resume", "once")
        assert wrong.code == 2
        assert problem in wrong.err


def test_parts_that_call_different_variants_the_same_are_not_merged(cli: Cli) -> None:
    for shard, tcp in (("1/2", "a=reno"), ("2/2", "a=vegas")):
        words = ("--tcp", f"{tcp},newreno", "--seeds", "4", "--shard", shard, "--out", shard[0])
        assert cli(*WORDS, *words).code == 0
    wrong = cli("merge", "1", "2", "--out", "both")
    assert wrong.code == 2
    assert "the arm `a` is vegas and reno" in wrong.err


def test_a_python_class_has_a_label_too() -> None:
    class Mine(tworay.CongestionControl):
        pass

    result = tworay.compare("string-2", tcp={"mine": Mine, "base": "newreno"}, seeds=2, set=QUICK)
    assert result.variants == ["mine", "base"]
    # The standard rules, so the same runs.
    means = result.table.filter(metric="goodput_bps")["mean"].to_list()
    assert means[0] == means[1]


def test_a_sweep_has_labels_and_its_runs_are_identified_without_them(sca: Path, tmp_path: Path) -> None:
    def plan(tcp: list[str]) -> Any:
        document = {"name": "two", "scenario": "string-2", "tcp": tcp, "set": QUICK, "seeds": 1}
        return read(document)

    variants = [f"{sca}:SCA", "newreno+sca(10)"]
    plain, labelled = plan(variants), plan([f"mine={variants[0]}", f"base={variants[1]}"])
    assert [cell.place["tcp"] for cell in labelled.cells()] == ["mine", "base"]
    assert [cell.key for cell in labelled.cells()] == [cell.key for cell in plain.cells()]
    results = tworay.Experiment({"name": "two", "scenario": "string-2", "set": QUICK, "seeds": 1}).run(
        tmp_path / "two.sweep", tcp={"gentle": "newreno+sca(10)", "base": "newreno"}
    )
    assert results.runs["tcp"].to_list() == ["gentle", "base"]


def test_an_arm_of_a_mixture_may_have_a_label() -> None:
    """The unmixed case of a mixture is the arm of that variant, whatever its name."""
    mix = "vegas:0.5,newreno:0.5"
    field = line_up("bottleneck-2", tcp="v=vegas", mix=mix)
    assert field.names == ["v", "newreno", mix]
    result = tworay.compare("bottleneck-2", tcp="v=vegas", mix=mix, seeds=2, entries="1s", set=QUICK)
    assert set(result.summary["mixtures"][mix]["vegas"]["against_all"]) == {"vegas", "newreno"}


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"a b": 10, "a  b": 20}, r"--vary mac.queue_limit: the label 'a  b' has blanks .*; write 'a b'"),
        ({"a": 10, "a ": 20}, "the label 'a ' has blanks that no table shows; write 'a'"),
        ({"a": 10, "\ta": 20}, "has blanks"),
    ],
)
def test_labels_of_values_differ_by_more_than_blanks(spec: dict[str, int], why: str) -> None:
    with pytest.raises(InputError) as refused:
        line_up("string-2", tcp="reno", vary={"mac.queue_limit": spec})
    assert re.search(why, with_options(refused.value))


@pytest.mark.parametrize(
    "axes",
    [
        {"axis": {"room": {"a": {"mac.queue_limit": 10}, "a ": {"mac.queue_limit": 20}}}},
        {"zip": [{"mac.queue_limit": [1, 2], "labels": ["a b", "a  b"]}]},
    ],
)
def test_labels_of_axes_differ_by_more_than_blanks(axes: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"experiment: \[.*\].*: the label 'a.*' has blanks that no table"):
        read({"scenario": "string-2", "tcp": "reno"} | axes)


@pytest.mark.parametrize("tcp", ["Reno, no ECN=reno,cubic", "my Reno, no ECN=reno,cubic"])
def test_a_comma_in_a_label_is_said_to_split_it(tcp: str) -> None:
    name = tcp.partition(",")[0]
    with pytest.raises(InputError, match="a comma begins another variant, and labels have none") as refused:
        parse_arms(tcp)
    assert f"write {name} no ECN=reno" in str(refused.value)
    # Two variants, of which one has a label.
    assert parse_arms("vegas, no ECN=reno") == {"vegas": "vegas", "no ECN": "reno"}
