"""Comparisons in shards and on a cluster: joined, they have the bytes of one go.

That of two workers is in ``test_cluster``, which starts them.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tworay
from tworay.errors import InputError
from tworay.experiment import slurm
from tworay.experiment.cluster import ENGINE, Cluster, work
from tworay.experiment.estimating import Estimate
from tworay.experiment.options import Options
from tworay.experiment.store.merging import merge

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Result

    Cli = Callable[..., Result]

BASE: dict[str, Any] = {
    "tcp": "reno,vegas",
    "mix": "reno:0.5,vegas:0.5",
    "set": {"duration": "4s"},
    "entries": "1s",
    "resources": True,
}


def compare(**options: Any) -> tworay.Comparison:
    return tworay.compare("dumbbell-2", **(BASE | {"seeds": 3, "jobs": 2} | options))


def digests(directory: Path) -> dict[str, str]:
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def test_shards_of_a_comparison_are_joined_to_the_bytes_of_one_go(cli: Cli, tmp_path: Path) -> None:
    compare(out=tmp_path / "whole")
    parts = [compare(out=tmp_path / f"part{i}", shard=f"{i}/3") for i in (1, 2, 3)]
    assert sum(map(len, parts)) == 9, "each run is in one shard"
    assert max(map(len, parts)) < 9
    joined = cli("merge", "part1", "part2", "part3", "--out", "all", "--json")
    assert (joined.code, joined.document) == (0, {"directory": "all", "runs": 9})
    (tmp_path / "all" / "report.html").unlink()
    assert digests(tmp_path / "all") == digests(tmp_path / "whole")
    nothing = cli("merge", "nowhere", "part1")
    assert (nothing.code, "nowhere holds neither a sweep nor a comparison" in nothing.err) == (2, True)
    refused = cli("merge", "part1", "part2", "--out", "part3")
    assert (refused.code, "name it among the parts" in refused.err) == (2, True)
    # Joined into one of them, and a part twice: nothing is counted twice.
    merge([tmp_path / "part1", tmp_path / "part2", tmp_path / "part3", tmp_path / "all"], tmp_path / "part1")
    assert digests(tmp_path / "part1") == digests(tmp_path / "whole")


SHORT: dict[str, Any] = {"mix": None, "resources": False, "set": {"duration": "2s"}}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Compare in one go; what is there then."""
    place = tmp_path_factory.mktemp("whole")
    compare(out=place / "whole", **SHORT)
    return digests(place / "whole")


@pytest.mark.parametrize(
    "parts",
    [
        [("reno,vegas", [1, 2]), ("reno,vegas", [3])],
        [("reno", [1, 2, 3]), ("vegas", [1, 2, 3])],
        [("reno,vegas", [1]), ("reno", [1, 2]), ("vegas", [2, 3]), ("reno", [3])],
    ],
)
def test_seeds_and_arms_are_joined_to_the_bytes_of_one_go(
    tmp_path: Path, whole: dict[str, str], parts: list[tuple[str, list[int]]]
) -> None:
    places = [tmp_path / str(number) for number in range(len(parts))]
    for place, (tcp, seeds) in zip(places, parts, strict=True):
        compare(out=place, **SHORT | {"tcp": tcp, "seeds": seeds})
    assert merge(places, tmp_path / "all") == (6, [])
    assert digests(tmp_path / "all") == whole


def test_a_part_that_lacks_runs_says_so_and_is_completed(tmp_path: Path) -> None:
    compare(out=tmp_path / "whole", resources=False)
    for i in (1, 2):
        compare(out=tmp_path / f"part{i}", shard=f"{i}/3", resources=False)
    runs, notes = merge([tmp_path / "part1", tmp_path / "part2"], tmp_path / "all")
    assert runs < 9
    assert notes == [f"{9 - runs} runs are missing; `tworay compare --resume {tmp_path / 'all'}` does them"]
    tworay.compare(resume=tmp_path / "all")
    assert digests(tmp_path / "all") == digests(tmp_path / "whole")


def test_parts_of_other_comparisons_are_not_joined(tmp_path: Path) -> None:
    short: dict[str, Any] = {"mix": None, "resources": False, "seeds": 1}
    compare(out=tmp_path / "a", **short)
    compare(out=tmp_path / "b", **(short | {"set": {"duration": "3s"}}))
    compare(out=tmp_path / "c", **(short | {"entries": "2s"}))
    before = digests(tmp_path)
    for other, what in (("b", "different scenarios"), ("c", "differ in entries")):
        with pytest.raises(InputError, match=what):
            merge([tmp_path / "a", tmp_path / other], tmp_path / "all")
    assert digests(tmp_path) == before


def test_jobs_of_a_slurm_array_are_joined_to_the_bytes_of_one_go(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The script runs as Slurm would run it; one job was killed before its first run, one is queued again."""
    monkeypatch.setattr(slurm, "RUNS_A_JOB", 1)
    options = Options("dumbbell-2", seeds=3, out=tmp_path / "all", **(BASE | {"set": ["duration=4s"]}))
    script = slurm.of_comparison(options, Estimate(9, 0.1, 2, None))
    assert "#SBATCH --array=1-3\n" in script
    (tmp_path / "job.sh").write_text(script)
    (tmp_path / "all.parts" / "2" / ".2.99.tmp").mkdir(parents=True)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for task in (1, 2, 3, 3):
        given = {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_CPUS_PER_TASK": "2", "PATH": path}
        subprocess.run(["bash", "job.sh"], cwd=tmp_path, env=os.environ | given, check=True, timeout=60)
    joining = re.search(r"# When all have ended: (.*?)   \(", script)
    assert joining
    subprocess.run(joining[1], cwd=tmp_path, env=os.environ | {"PATH": path}, check=True, shell=True)
    whole = ("--tcp", "reno,vegas", "--mix", "reno:0.5,vegas:0.5", "--seeds", "3", "--set", "duration=4s")
    done = cli("compare", "dumbbell-2", *whole, "--entries", "1s", "--resources", "--out", "whole")
    assert done.code == 0
    for place in ("all", "whole"):
        (tmp_path / place / "report.html").unlink()
    assert digests(tmp_path / "all") == digests(tmp_path / "whole")


def test_a_script_for_slurm_needs_a_place_and_a_scenario_to_load(cli: Cli) -> None:
    for words, text in (
        (("string-2", "--tcp", "reno"), "--slurm needs --out DIR"),
        (("-", "--tcp", "reno", "--out", "x"), "--slurm needs a scenario that the jobs can load"),
        (("string-2", "--tcp", "reno", "--out", "x", "--until-ci", "5%"), "a job has only a part of them"),
    ):
        found = cli("compare", *words, "--slurm")
        assert (found.code, text in found.err, found.out) == (2, True, "")


def test_a_dry_run_of_a_comparison_writes_nothing(cli: Cli, tmp_path: Path) -> None:
    words = ("compare", "string-2", "--tcp", "reno,vegas", "--seeds", "4", "--set", "duration=2s")
    document = cli(*words, "--dry-run", "--out", "x", "--json", "--jobs", "1").document
    found = [document[key] for key in ("arms", "runs", "stored")]
    assert (found, document["missing"]["runs"]) == ([2, 8, 0], 8)
    assert document["missing"]["seconds"] > 0
    assert list(tmp_path.iterdir()) == []
    assert cli(*words, "--out", "x").code == 0
    before = digests(tmp_path)
    assert "nothing to do" in cli("compare", "--resume", "x", "--dry-run").out
    assert "2 runs to do" in cli("compare", "--resume", "x", "--seeds", "5", "--dry-run").out
    assert digests(tmp_path) == before


def test_a_shard_needs_a_directory_and_a_fixed_number_of_seeds(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs out DIR"):
        compare(shard="1/2")
    with pytest.raises(InputError, match="only a part of them"):
        compare(shard="1/2", out=tmp_path / "x", until_ci=0.1)
    with pytest.raises(InputError, match="write I/N"):
        compare(shard="3/2", out=tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_run_on_a_worker_is_a_message() -> None:
    (text,) = {tworay.load("string-2", set={"duration": "2s"}).to_toml()}
    extras = {"facts": False, "keep": [], "resources": False, "entries": "", "whole": True}
    tasks = [(0, "a", 1, False), (1, "b", 1, False), (0, "most", 1, True)]
    content, tables = work(ENGINE, [text, "nonsense = 1"], tasks, extras)
    ran, failed, most = pl.read_parquet(io.BytesIO(content)).to_dicts()
    assert {"flows", "ledger", "series"} <= {name for key, seed, name, _ in tables}
    assert {(key, seed) for key, seed, _, _ in tables} == {("a", 1)}
    assert (ran["status"], failed["status"], most["status"]) == ("done", "failed", "done")
    assert "nonsense" in failed["message"]
    assert json.loads(most["document"])["throughput_max_bps"] > ran["goodput_bps"] > 0


def test_a_class_in_python_does_not_go_to_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("import tworay\nclass Mine(tworay.CongestionControl):\n    pass\n")
    with pytest.raises(InputError, match=r"cluster: mine\.py:Mine needs files beside its scenario"):
        tworay.compare("string-2", tcp="mine.py:Mine", seeds=1, engine=Cluster("tcp://127.0.0.1:1"))
