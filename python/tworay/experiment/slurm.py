"""Write a script that runs a sweep as an array of Slurm jobs, one shard each, into one directory."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Runs per job, so that starting a job doesn't cost more than its work.
RUNS_A_JOB = 50
MOST_JOBS = 1000


def script(
    experiment: Path, out: Path, runs: int, *, name: str, seconds_a_run: float | None, cpus: int = 4
) -> str:
    """Return an ``sbatch`` script; every job can be killed and queued again."""
    jobs = max(1, min(MOST_JOBS, -(-runs // (RUNS_A_JOB * cpus))))
    each = (seconds_a_run or 10.0) * runs / jobs / cpus
    # Three times the estimate, at least ten minutes; a job that is killed continues later.
    minutes = max(10, int(each * 3 / 60) + 1)
    there, place = shlex.quote(str(experiment.absolute())), shlex.quote(str(out.absolute()))
    return f"""#!/bin/bash
#SBATCH --job-name={shlex.quote(name)}
#SBATCH --array=1-{jobs}
#SBATCH --cpus-per-task={cpus}
#SBATCH --time={minutes}
#SBATCH --requeue
# {runs} runs in {jobs} jobs. A job that was killed, or queued again, does only what is missing.
# When all have ended: tworay merge {place}   (writes the table of all runs)
exec tworay sweep {there} --out {place} --jobs "$SLURM_CPUS_PER_TASK" --shard "$SLURM_ARRAY_TASK_ID/{jobs}"
"""
