"""Estimates of runs, and scripts that do them as an array of Slurm jobs: ``--dry-run`` and ``--slurm``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tworay.experiment.estimating import Estimate
    from tworay.experiment.options import Options, SweepOptions
    from tworay.experiment.sweeping import Sweep


def say_sweep(work: Sweep, experiment: Path, options: SweepOptions, *, slurm: bool, as_json: bool) -> None:
    """Print the estimate or the script of a sweep."""
    from tworay.experiment.estimating import estimate
    from tworay.running.executing import check_jobs

    todo = work.missing(_light(work), work.start())
    found = estimate(todo, check_jobs(options.jobs), work.path)
    if slurm:
        from tworay.experiment.slurm import of_sweep

        print(of_sweep(work.plan.name, experiment, work.path, options, found), end="")
        return
    axes = " × ".join(f"{len(axis.labels)} {axis.name}" for axis in work.plan.axes)
    total = sum(map(len, work.start().values()))
    plan, cells = work.plan, len(work.cells)
    shown = [f"{plan.name}: {cells} cells ({axes}), {total} runs, {total - len(todo)} of them stored"]
    if plan.until_ci is not None:
        shown.append(f"until ± {plan.until_ci:.1%} of {plan.ci_metric}: up to {plan.max_seeds} seeds a cell")
    document = {"cells": cells, "runs": total, "stored": total - len(todo)}
    _print(shown, document, found, work.path, as_json=as_json)


def say_comparison(options: Options, *, slurm: bool, as_json: bool) -> None:
    """Print the estimate or the script of a comparison."""
    from tworay.experiment.comparing import Comparing
    from tworay.experiment.estimating import estimate

    if slurm:
        from tworay.experiment.slurm import check_comparison

        check_comparison(options)
    work = Comparing(options)
    try:
        seeds = work.start()
        todo = work.missing(work.runs, seeds)
        found = estimate(todo, work.jobs, None)
    finally:
        work.release()
    if slurm:
        from tworay.experiment.slurm import of_comparison

        print(of_comparison(options, found), end="")
        return
    arms, total = len(work.field.arms), sum(map(len, seeds.values()))
    shown = [f"{work.result.scenario}: {arms} arms, {total} runs, {total - len(todo)} of them stored"]
    if work.plan.until_ci is not None:
        shown.append(f"until ± {work.plan.until_ci:.1%} of goodput_bps: up to {work.plan.max_seeds} seeds")
    document = {"arms": arms, "runs": total, "stored": total - len(todo)}
    _print(shown, document, found, work.place, as_json=as_json)


def _print(
    shown: list[str], document: dict[str, Any], found: Estimate, place: Path | None, *, as_json: bool
) -> None:
    from tworay.cli.output import print_json
    from tworay.running.progress import duration

    if as_json:
        directory = None if place is None else str(place)
        print_json(document | {"missing": found.document(), "directory": directory})
        return
    if not found.runs:
        shown.append("nothing to do")
    else:
        time = "unknown" if found.seconds is None else duration(found.seconds)
        space = "" if place is None or found.bytes is None else f", {found.bytes / 1e6:.1f} MB in {place}"
        shown.append(f"{found.runs} runs to do: about {time} on {found.jobs} cores{space}")
    print("\n".join(shown))


def _light(work: Sweep) -> dict[tuple[str, int], str]:
    """Return what the directory holds, without repairing anything in it."""
    from tworay.experiment.store.sweeps import batch_frame

    if not work.path.is_dir():
        return {}
    return {(world, seed): status for world, seed, status in batch_frame(work.path, []).iter_rows()}
