"""Write scripts that do a sweep or a comparison as an array of Slurm jobs, one shard each."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from tworay.errors import InputError

if TYPE_CHECKING:
    from tworay.experiment.estimating import Estimate
    from tworay.experiment.options import Options, SweepOptions

# Runs per job, so that starting a job doesn't cost more than its work.
RUNS_A_JOB = 50
MOST_JOBS = 1000
CPUS = 4


def of_sweep(name: str, experiment: Path, out: Path, options: SweepOptions, todo: Estimate) -> str:
    """Return the script of a sweep, whose jobs share a directory."""
    place = shlex.quote(str(out.absolute()))
    words = shlex.join(["tworay", "sweep", str(experiment.absolute()), *options.words()])
    return _script(
        name,
        todo,
        f"tworay merge {place}   (writes the table of all runs)",
        f"exec {words} --out {place} {{shard}}\n",
    )


def check_comparison(options: Options) -> None:
    """Refuse a comparison that can't be split into jobs."""
    if options.out is None:
        raise InputError("--slurm needs --out DIR, where `tworay merge` joins the parts of the jobs")
    if not isinstance(options.scenario, str | os.PathLike) or os.fspath(options.scenario) == "-":
        raise InputError("--slurm needs a scenario that the jobs can load: a built-in one or a file")
    if options.until_ci is not None:
        raise InputError(
            "--slurm: until_ci needs all runs, but a job has only a part of them; give fixed seeds"
        )


def of_comparison(options: Options, todo: Estimate) -> str:
    """Return the script of a comparison, whose jobs have a directory each beside ``out``."""
    assert options.out is not None
    name = os.fspath(options.scenario)  # type: ignore[arg-type]
    scenario = Path(name)
    out = Path(options.out).absolute()
    place, parts = shlex.quote(str(out)), shlex.quote(f"{out}.parts")
    start = shlex.join(
        ["tworay", "compare", str(scenario.absolute()) if scenario.is_file() else name, *options.words()]
    )
    return _script(
        scenario.stem,
        todo,
        f"tworay merge {parts}/* --out {place}   (joins the parts)",
        f"""mkdir -p {parts}
part={parts}/$SLURM_ARRAY_TASK_ID
if [ -e "$part/tworay.json" ]; then
  exec tworay compare --resume "$part" {{shard}}
fi
exec {start} --out "$part" {{shard}}
""",
    )


def _script(name: str, todo: Estimate, after: str, command: str) -> str:
    """Return an ``sbatch`` script; every job can be killed and queued again."""
    jobs = max(1, min(MOST_JOBS, -(-todo.runs // (RUNS_A_JOB * CPUS))))
    each = (todo.seconds_a_run or 10.0) * todo.runs / jobs / CPUS
    # Three times the estimate, at least ten minutes; a job that is killed continues later.
    minutes = max(10, int(each * 3 / 60) + 1)
    shard = f'--jobs "$SLURM_CPUS_PER_TASK" --shard "$SLURM_ARRAY_TASK_ID/{jobs}"'
    return f"""#!/bin/bash
#SBATCH --job-name={shlex.quote(name)}
#SBATCH --array=1-{jobs}
#SBATCH --cpus-per-task={CPUS}
#SBATCH --time={minutes}
#SBATCH --requeue
# {todo.runs} runs in {jobs} jobs. A job that was killed, or queued again, does only what is missing.
# When all have ended: {after}
{command.replace("{shard}", shard)}"""
