"""Damaged, edited and misnamed files: one line that names the file, exit code 1 or 2, never a traceback."""

from __future__ import annotations

import io
import json
import os
import shutil
from typing import TYPE_CHECKING

import polars as pl
import pytest
from conftest import Result

import tworay
from tworay.experiment.store.batches import name_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from forking import Forks

    Cli = Callable[..., Result]

SHORT = ("--set", "duration=3s")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, a comparison and a sweep."""
    place = tmp_path_factory.mktemp("made")
    tworay.run("string-2", set={"duration": "3s"}, out=place / "r")
    tworay.compare("string-2", tcp="reno,vegas", seeds=2, set={"duration": "3s"}, out=place / "c")
    plan = {"scenario": "string-2", "tcp": ["reno", "vegas"], "seeds": 2, "set": {"duration": "3s"}}
    tworay.Experiment(plan).run(place / "s")
    return place


@pytest.fixture
def there(made: Path, tmp_path: Path) -> Path:
    """Copies to damage."""
    for name in ("r", "c", "s"):
        shutil.copytree(made / name, tmp_path / name)
    return tmp_path


def told(found: Result, *words: str) -> None:
    """Assert that a command ended with one message that has these words."""
    assert found.code in (1, 2), found.err
    assert "Traceback" not in found.err, found.err
    assert "panicked" not in found.err, found.err
    for word in words:
        assert word in found.err, found.err
    assert len(found.err) < 1000


NAME = os.fsdecode(b"caf\xe9")


def test_a_path_that_is_not_utf8(cli: Cli, there: Path) -> None:
    shutil.copy(there / "r" / "scenario.toml", there / f"{NAME}.toml")
    told(cli("run", f"{NAME}.toml"), "UTF-8", r"caf\xe9")
    told(cli("compare", "string-2", "--tcp", "reno,vegas", "--out", NAME), "UTF-8")
    assert not (there / NAME).exists()
    with pytest.raises(tworay.ScenarioError, match="UTF-8"):
        tworay.load(there / f"{NAME}.toml")


DAMAGE = {
    "truncated": lambda content: content[: len(content) // 2],
    "garbage": lambda _: b"PAR1" + bytes(range(256)) * 8 + b"PAR1",
    "empty": lambda _: b"",
    "text": lambda _: b"not a table\n",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_table_is_named(cli: Cli, there: Path, damage: str) -> None:
    for file in (
        there / "r" / "series.parquet",
        there / "c" / "series.parquet",
        there / "c" / "ledger.parquet",
    ):
        file.write_bytes(DAMAGE[damage](file.read_bytes()))
    told(cli("plot", "c", "cwnd", "-o", "x.svg"), "c/series.parquet")
    told(cli("plot", "r", "cwnd", "-o", "x.svg"), "r/series.parquet")
    told(cli("report", "r"), "r/series.parquet")
    told(cli("report", "c"), "c/ledger.parquet")
    assert not (there / "x.svg").exists()


DOCUMENTS = {
    "NaN": '{"flows": [], "sim_seconds": NaN}',
    "a text": '"reno"',
    "null": "null",
    "no JSON": "{reno",
    "an empty document": "{}",
    "a number for flows": '{"flows": 3}',
    "a capacity in words": '{"flows": [], "throughput_max_bps": "much"}',
}


@pytest.mark.parametrize("text", DOCUMENTS)
def test_a_batch_with_a_wrong_document_is_named_with_its_run(cli: Cli, there: Path, text: str) -> None:
    """Its checksum is right: whoever wrote it meant it."""
    whole = tworay.results(there / "c").summary
    for file in (there / "c" / "parts").iterdir():
        frame = pl.read_parquet(file)
        if set(frame["world"]) == {"reno"}:
            wrong = pl.when(pl.col("seed") == 2).then(pl.lit(DOCUMENTS[text])).otherwise(pl.col("document"))
            content = io.BytesIO()
            frame.with_columns(document=wrong).write_parquet(content)
            file.unlink()
            file.with_name(name_of(content.getvalue())).write_bytes(content.getvalue())
    shown = tworay.results(there / "c")
    assert isinstance(shown, tworay.Comparison)
    assert len(shown) == 3
    assert any("c: reno, seed 2 can't be read" in one for one in shown.warnings)
    if text == "NaN":
        resumed = cli("compare", "--resume", "c")
        assert (resumed.code, "reno, seed 2 can't be read" in resumed.err) == (0, True)
        assert tworay.results(there / "c").summary == whole


MANIFESTS = {
    "arms": [[], {}, 3, None, {"reno": None}, {"reno": {"tcp": 3, "set": {}}}, {"reno": {"tcp": "reno"}}],
    "format": ["3", None, [], -1, 2.5],
    "seeds": ["1-2", None, [], [None], ["1"], [-1], [2**64], {"1": 2}],
    "set": [3, {"a": 1}, [3]],
    "entries": ["soon", 3],
    "judge": [3, "flow.x"],
    "max_seeds": ["a"],
    "scenario": [None, 7],
    "command": [None, 7, "dance"],
}


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, some in MANIFESTS.items() for value in some]
)
def test_an_odd_manifest_is_refused(there: Path, key: str, value: object) -> None:
    file = there / "c" / "tworay.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {key: value}))
    with pytest.raises(tworay.InputError):
        tworay.results(there / "c")
    with pytest.raises(tworay.InputError):
        tworay.compare(resume=there / "c", seeds=3)


def test_the_message_about_a_manifest_names_file_and_key(cli: Cli, there: Path) -> None:
    file = there / "c" / "tworay.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"seeds": "1-2"}))
    told(cli("show", "c"), "c/tworay.json", "seeds", "a list of numbers")


@pytest.mark.parametrize("text", ["[topology\n", "", "\x00", "name = 3\n"])
def test_a_broken_scenario_with_resume(cli: Cli, there: Path, text: str) -> None:
    (there / "c" / "scenario.toml").write_text(text)
    told(cli("compare", "--resume", "c", "--seeds", "3"), " c")


@pytest.mark.parametrize("text", ["{}", "null", "[]", '"x"', "{", '{"flows": 3}', '{"flows": [{}]}'])
def test_a_summary_that_is_none(cli: Cli, there: Path, text: str) -> None:
    (there / "r" / "summary.json").write_text(text)
    with pytest.raises(tworay.OutputError, match=r"r/summary\.json"):
        tworay.results(there / "r")
    if text == "{}":
        told(cli("show", "r"), "r/summary.json")
        told(cli("report", "r"), "r/summary.json")


@pytest.mark.parametrize(
    "name", ["seed", "cell", "world", "mean", "p", "goodput_bps", "metrics.jain_fairness", "mac.sent.rts"]
)
def test_an_axis_with_the_name_of_a_column_or_metric_is_refused(name: str) -> None:
    axis = {name: {"a": {"mac.queue_limit": 10}, "b": {"mac.queue_limit": 20}}}
    with pytest.raises(tworay.InputError, match=f"an axis can't be called `{name}`"):
        tworay.Experiment({"scenario": "string-2", "axis": axis})


@pytest.mark.parametrize("key", ["metrics", "keep", "axis", "vary", "set"])
def test_a_number_in_place_of_a_list_or_table_is_refused(key: str) -> None:
    with pytest.raises(tworay.InputError, match=f"{key} = 3"):
        tworay.Experiment({"scenario": "string-2", key: 3})


def test_a_zero_byte_in_a_scenarios_name(cli: Cli, tmp_path: Path) -> None:
    text = cli("scenarios", "string-2").out.replace('name = "string-2"', r'name = "a\u0000b"')
    (tmp_path / "zero.toml").write_text(text)
    found = cli("run", "zero.toml", *SHORT, "--animate", ".")
    assert found.code == 0, found.err
    assert [file.name for file in tmp_path.glob("*.xml")] == ["a-b-1.xml"]


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_a_full_disk_with_plot(forks: Forks, there: Path, ending: str) -> None:
    plot = ["plot", "c", "box", "-o", f"x.{ending}"]
    done = forks.run(plot, there, os.environ, seconds=120, largest_file=1000)
    told(Result(done), f"cannot write x.{ending}")
    assert list(there.glob("*x.*")) == []
    # Nor are modules cut that it was the first to import, where compiled ones are kept (`make test`).
    assert forks.run(plot, there, os.environ, seconds=120).returncode == 0


CHATTY = """
print("loading")
import tworay

class Mine(tworay.CongestionControl):
    def on_ack(self, state, event):
        print("an ACK")
"""


@pytest.mark.parametrize(
    "arguments",
    [("run", "string-2", "--tcp", "v.py:Mine"), ("compare", "string-2", "--tcp", "v.py:Mine,reno")],
)
def test_prints_of_a_variant_don_t_disturb_the_document(
    cli: Cli, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "v.py").write_text(CHATTY)
    seeds = ("--seeds", "2") if arguments[0] == "compare" else ()
    found = cli(*arguments, *seeds, "--set", "duration=2s", "--json")
    assert found.code == 0, found.err
    assert found.document["scenario"] == "string-2"
    assert "loading" in found.err
    assert "an ACK" in found.err


def test_a_batch_of_a_sweep_that_is_damaged_counts_as_not_there(cli: Cli, there: Path) -> None:
    (batch,) = (there / "s" / "parts").glob("*.parquet")
    batch.write_bytes(batch.read_bytes()[:-50])
    told(cli("table", "s"), "no run has finished")
