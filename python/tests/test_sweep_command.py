"""Sweeps from the command line: failed runs, shards and their merge, dry runs, foreign directories.

Trap 9 of campaign tools with the rule that avoids it.
"""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any

import pytest
from conftest import Result
from tiny_sweep import TINY, TINY_TOML, sweep

from tworay.cli import streams
from tworay.cli.main import main
from tworay.experiment import engines, onerun
from tworay.experiment.engines import Shard
from tworay.experiment.experimentfile import read
from tworay.experiment.store import batches
from tworay.experiment.store import sweeps as reading
from tworay.experiment.store.batches import DONE
from tworay.experiment.store.sweeps import joined
from tworay.experiment.sweeping import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run ``tworay`` within this process, in an empty directory: starting another one takes a second."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(streams, "prepare", lambda: None)

    def run(*arguments: str | Path) -> Result:
        monkeypatch.setattr(sys, "argv", ["tworay", *map(str, arguments)])
        handler = signal.getsignal(signal.SIGTERM)
        code = 0
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            try:
                main()
            except SystemExit as leaving:
                code = int(leaving.code or 0)
            finally:
                signal.signal(signal.SIGTERM, handler)
        return Result(subprocess.CompletedProcess([], code, out.getvalue(), err.getvalue()))

    return run


RAISES = """
import tworay

class Fragile(tworay.CongestionControl):
    def on_rto(self, state, rto):
        raise ValueError("no timeouts, please")
"""


def test_trap_9_failures_are_rows_and_hide_nothing(tmp_path: Path, here: Callable[..., Result]) -> None:
    (tmp_path / "fragile.py").write_text(RAISES)
    (tmp_path / "x.toml").write_text(
        'scenario = "string-2"\ntcp = ["newreno", "fragile.py:Fragile"]\nseeds = 2\n'
        '[set]\nduration = "20s"\n"errors.frame_err.bernoulli.rate" = 0.6\n'
    )
    result = here("sweep", "x.toml", "--json")
    assert result.code == 1
    assert result.document["stored"] == 2
    assert [one["seed"] for one in result.document["failures"]] == [1, 2]
    assert "no timeouts, please" in result.document["failures"][0]["message"]
    (replay,) = re.findall(r"tworay run (\S+) --seed 1", result.err)
    assert "no timeouts, please" in here("run", replay, "--seed", "1").err
    again = here("sweep", "x.toml", "--json")
    assert (again.code, again.document["done"]) == (1, 0), "a failed run is not done again unasked"
    (tmp_path / "fragile.py").write_text(
        RAISES.replace('raise ValueError("no timeouts, please")', "return None")
    )
    mended = here("sweep", "x.toml", "--json", "--retry-failed")
    assert mended.code == 0, "a class that is mended is another variant: its runs are new"
    assert mended.document["done"] == 2


def test_retry_failed_does_failed_runs_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = onerun.do
    broken = {2}

    def do(cell: Any, seed: int, *rest: Any) -> batches.Row:
        return (
            batches.row(cell.key, seed, None, message="broken") if seed in broken else real(cell, seed, *rest)
        )

    monkeypatch.setattr(engines, "do", do)
    failed = sweep(tmp_path / "s")
    assert (failed.state.done, failed.state.failed) == (8, 4)
    assert joined(failed.path).height == 8
    broken.clear()
    assert sweep(failed.path).state.done == 0
    mended = sweep(failed.path, retry_failed=True)
    assert (mended.state.done, mended.state.failed) == (4, 0)
    assert mended.open().found.runs == dict.fromkeys(mended.open().found.runs, DONE)
    assert joined(failed.path).height == 12


def test_shards_together_are_the_whole(tmp_path: Path, here: Callable[..., Result]) -> None:
    whole = sweep(tmp_path / "whole")
    expected = (whole.path / "runs.parquet").read_bytes()
    counts = [sweep(tmp_path / f"part{i}", shard=Shard(i, 3)).state.done for i in (1, 2, 3)]
    assert sum(counts) == 12
    assert max(counts) < 12
    for i in (1, 2, 3):
        sweep(tmp_path / "shared", shard=Shard(i, 3))
    assert (tmp_path / "shared" / "runs.parquet").read_bytes() == expected
    places = [tmp_path / f"part{i}" for i in (1, 2, 3)]
    result = here("merge", *places, "--out", "merged", "--json")
    assert result.document == {"directory": "merged", "runs": 12}
    assert (tmp_path / "merged" / "runs.parquet").read_bytes() == expected
    again = here("merge", "merged", *places, places[0])
    assert again.code == 0
    assert (tmp_path / "merged" / "runs.parquet").read_bytes() == expected
    sweep(tmp_path / "else", TINY | {"name": "else", "seeds": 1})
    refused = here("merge", "merged", "else")
    assert refused.code == 2
    assert "only parts of the same sweep" in refused.err


def test_dry_run_writes_nothing(tmp_path: Path, here: Callable[..., Result]) -> None:
    (tmp_path / "x.toml").write_text(TINY_TOML)
    result = here("sweep", "x.toml", "--dry-run", "--json", "--jobs", "1")
    assert result.document["missing"]["runs"] == 12
    assert result.document["cells"] == 4
    assert result.document["missing"]["seconds"] > 0
    assert [file.name for file in tmp_path.iterdir()] == ["x.toml"]
    script = here("sweep", "x.toml", "--slurm").out
    assert "#SBATCH --array=1-1" in script
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
    here("sweep", "x.toml", "--out", "done")
    took = reading.batch_frame(tmp_path / "done", ["cpu_seconds"])["cpu_seconds"].sum()
    assert took / 3 < result.document["missing"]["seconds"] < 10 * took + 1


def test_a_directory_of_something_else_is_left_alone(tmp_path: Path, here: Callable[..., Result]) -> None:
    (tmp_path / "x.toml").write_text(TINY_TOML)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("precious")
    result = here("sweep", "x.toml", "--out", "mine")
    assert result.code == 2
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["thesis.tex"]
    assert here("table", "mine").code == 2


def test_a_rule_of_stopping_judges_planned_seeds_only(tmp_path: Path) -> None:
    """Runs that the directory has from an earlier, larger sweep don't decide how many seeds are added."""
    plan: dict[str, Any] = {
        "name": "x",
        "scenario": "string-6",
        "tcp": ["newreno"],
        "set": {"duration": "3s"},
    }
    # ± 16 % after 5 seeds, 10 % after 8, 8 % after 12, and 4 % after 40.
    rule = plan | {"seeds": 2, "until_ci": 0.09, "max_seeds": 20}
    fresh = Sweep(read(rule), tmp_path / "fresh").run(jobs=2)
    Sweep(read(plan | {"seeds": 40}), tmp_path / "more").run(jobs=2)
    again = Sweep(read(rule), tmp_path / "more").run(jobs=2)
    assert 5 < fresh.total == again.total < 20
    tables = [(tmp_path / place / "runs.parquet").read_bytes() for place in ("fresh", "more")]
    assert tables[0] == tables[1]
