"""An added metric costs nothing that is stored: runs of an earlier schema are shown, resumed and merged.

``before`` makes a directory look as if its runs had been done before ``jitter_seconds`` was added.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import tworay
from tworay._native import RESULTS, SCHEMA, VERSION
from tworay.experiment.engines import Shard
from tworay.experiment.experimentfile import read
from tworay.experiment.plan import ENGINE
from tworay.experiment.store.batches import name_of, stored_rows
from tworay.experiment.store.merging import merge
from tworay.experiment.store.sweeps import batch_frame
from tworay.experiment.sweeping import Sweep

METRIC = "jitter_seconds"
PLAN = {"name": "tiny", "scenario": "string-1", "tcp": ["reno", "tahoe"], "set": {"duration": "2s"}}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a directory of one's own."""
    monkeypatch.chdir(tmp_path)


def without(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document of before the metric."""
    flows = [{key: value for key, value in flow.items() if key != METRIC} for flow in document["flows"]]
    return document | {"flows": flows}


def before(place: Path) -> None:
    """Take the metric out of a directory's documents, tables and batches, and lower its schema."""
    manifest = json.loads((place / "tworay.json").read_text())
    (place / "tworay.json").write_text(json.dumps(manifest | {"schema": SCHEMA - 1}))
    for file in (*place.glob("*.parquet"), *place.glob("parts/*.parquet")):
        frame = pl.read_parquet(file).drop(METRIC, strict=False)
        if "document" in frame.columns:
            texts = [json.dumps(without(json.loads(text))) for text in frame["document"]]
            frame = frame.with_columns(pl.Series("document", texts))
        content = io.BytesIO()
        frame.write_parquet(content)
        file.unlink()
        name = name_of(content.getvalue()) if file.parent.name == "parts" else file.name
        file.with_name(name).write_bytes(content.getvalue())


def compared(**options: Any) -> tworay.Comparison:
    return tworay.compare(**options)


def test_directories_say_their_schema() -> None:
    compared(scenario="string-1", tcp="reno", seeds=1, set={"duration": "2s"}, out="new")
    Sweep(read(PLAN | {"seeds": 1}), Path("swept")).run(jobs=1)
    for place in ("new", "swept"):
        manifest = json.loads((Path(place) / "tworay.json").read_text())
        assert (manifest["results"], manifest["schema"]) == (RESULTS, SCHEMA)


def test_a_comparison_of_before_is_resumed_and_keeps_its_runs() -> None:
    compared(scenario="string-1", tcp="reno,tahoe", seeds=2, set={"duration": "2s"}, out="old")
    before(Path("old"))
    kept = {one["document"] for one in stored_rows(Path("old"))[0]}
    shown = tworay.results("old")
    assert isinstance(shown, tworay.Comparison)
    assert METRIC not in shown.metrics
    resumed = compared(resume="old", seeds=3)
    assert kept < {one["document"] for one in stored_rows(Path("old"))[0]}, "no run is done again"
    cells = resumed.summary["variants"]["reno"]
    assert (cells["goodput_bps"]["n"], cells[METRIC]["n"]) == (3, 1)
    flows = pl.read_parquet("old/flows.parquet")
    missing = flows.filter(pl.col(METRIC).is_null())["seed"]
    assert (flows.height, sorted(missing)) == (6, [1, 1, 2, 2])
    assert json.loads(Path("old/tworay.json").read_text())["schema"] == SCHEMA
    assert tworay.results("old").runs[METRIC].null_count() == 4
    # Tables of two schemas in one directory can be taken apart and merged again.
    again = compared(resume="old", seeds=4)
    assert (again.summary["variants"]["tahoe"][METRIC]["n"], len(again)) == (2, 8)


def test_a_sweep_of_before_goes_on_where_it_was() -> None:
    old = Path("old")
    Sweep(read(PLAN | {"seeds": 2}), old).run(jobs=1)
    before(old)
    assert batch_frame(old, [METRIC])[METRIC].null_count() == 4
    assert batch_frame(old)["goodput_bps"].null_count() == 0
    sweep = Sweep(read(PLAN | {"seeds": 3, "metrics": [METRIC]}), old)
    state = sweep.run(jobs=1)
    assert (state.done, state.stored, sweep.notes) == (2, 6, [])
    runs = pl.read_parquet(old / "runs.parquet")
    assert runs.filter(pl.col(METRIC).is_null())["seed"].unique().to_list() == [1, 2]
    assert runs["goodput_bps"].null_count() == 0


def test_a_column_that_documents_have_is_filled_from_them() -> None:
    """A metric that was in the documents before it became a column of batches has its value."""
    place = Path("old")
    Sweep(read(PLAN | {"seeds": 2}), place).run(jobs=1)
    known = batch_frame(place)[METRIC].to_list()
    for file in place.glob("parts/*.parquet"):
        content = io.BytesIO()
        pl.read_parquet(file).drop(METRIC).write_parquet(content)
        file.unlink()
        file.with_name(name_of(content.getvalue())).write_bytes(content.getvalue())
    assert batch_frame(place)[METRIC].to_list() == known
    assert batch_frame(place, [METRIC])[METRIC].to_list() == known
    assert None not in known


def test_shards_of_two_schemas_are_merged() -> None:
    plan = read(PLAN | {"seeds": 4})
    for index in (1, 2):
        Sweep(plan, Path(f"shard-{index}"), shard=Shard(index, 2)).run(jobs=1)
    before(Path("shard-1"))
    old = batch_frame(Path("shard-1")).height
    assert 0 < old < 8, "both shards have runs"
    count, notes = merge([Path("shard-1"), Path("shard-2")], Path("whole"))
    assert (count, notes) == (8, [])
    assert pl.read_parquet("whole/runs.parquet")[METRIC].null_count() == old


def test_only_a_change_of_results_makes_other_runs() -> None:
    assert f"{VERSION}, results {RESULTS}" == ENGINE
    place = Path("old")
    compared(scenario="string-1", tcp="reno", seeds=1, set={"duration": "2s"}, out=place)
    manifest = json.loads((place / "tworay.json").read_text())
    (place / "tworay.json").write_text(json.dumps(manifest | {"results": RESULTS - 1}))
    with pytest.raises(tworay.InputError, match="results changed last"):
        compared(resume=place, seeds=2)


def test_merging_keeps_the_number_of_results_of_the_parts() -> None:
    """Runs of an earlier simulator stay its runs, whichever tworay merges them."""
    for index, seed in enumerate(("1", "2")):
        place = Path(f"part{index}")
        compared(scenario="string-1", tcp="reno", seeds=f"{seed},9", set={"duration": "2s"}, out=place)
        manifest = json.loads((place / "tworay.json").read_text())
        changed = {"results": RESULTS - 1, "tworay": "0.0.9"}
        (place / "tworay.json").write_text(json.dumps(manifest | changed))
    assert merge([Path("part0"), Path("part1")], Path("whole")) == (3, [])
    manifest = json.loads(Path("whole/tworay.json").read_text())
    assert (manifest["results"], manifest["tworay"]) == (RESULTS - 1, "0.0.9")
    with pytest.raises(tworay.InputError, match=r"its runs are of tworay 0\.0\.9"):
        compared(resume="whole", seeds=3)
