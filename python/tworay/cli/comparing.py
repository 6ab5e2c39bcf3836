"""``tworay compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from tworay.cli.verbs import say_if_idle, say_what_it_takes
from tworay.cli.writing import note, print_json

if TYPE_CHECKING:
    from pathlib import Path

    import tworay

FAILURES_SHOWN = 5


def compare_arms(
    scenario: str | None,
    *,
    tcp: str | None,
    vary: list[str] | None,
    mix: list[str] | None,
    seeds: str | None,
    settings: list[str] | None,
    jobs: int | None,
    until_ci: str | None,
    max_seeds: int | None,
    out: Path | None,
    resume: Path | None,
    force: bool,
    resources: bool,
    costs: Path | None,
    wanted: str | None,
    pairs: bool,
    as_json: bool,
) -> None:
    """``tworay compare``."""
    from tworay import metrics
    from tworay.comparing import Plan
    from tworay.progress import Progress
    from tworay.spec import parse_percent, written

    metrics.check(wanted)
    precision = None if until_ci is None else parse_percent(until_ci)
    plan = Plan(
        scenario,
        tcp=tcp,
        vary=vary,
        mix=mix,
        seeds=seeds,
        set=settings,
        jobs=jobs,
        until_ci=precision,
        max_seeds=max_seeds,
        out=out,
        resume=resume,
        force=force,
        resources=resources,
        costs=costs,
    )
    plan.announce(say_what_it_takes)
    result, place = plan.result, plan.place
    if plan.stored_runs:
        note(f"{place} has {plan.stored_runs} finished runs")
    if plan.left_out:
        note(
            f"tworay: --seeds {seeds}: {len(plan.left_out)} seeds that were planned earlier and not begun "
            f"are left out ({written(plan.left_out)}); seeds that have finished runs stay"
        )
    try:
        with Progress(result.scenario) as progress:
            plan.execute(progress.watch, progress.stage)
    except KeyboardInterrupt:
        if place is not None and place.is_dir():
            note(f"tworay: interrupted; the finished runs are in {place}; go on with --resume {place}")
        else:
            note("tworay: interrupted")
        print_comparison(result, wanted, pairs=pairs, as_json=as_json)
        raise
    if costs is not None and len(result):
        say_if_idle(result.summary["costs"])
        _say_if_mixed(result.costed())
    print_comparison(result, wanted, pairs=pairs, as_json=as_json)
    if precision is not None:
        _say_precision(result, precision)
    if place is not None and len(result):
        from tworay.report.writing import write_report

        note(f"results are in {place}, to be looked at in {write_report(place)}")
    if result.failures:
        for failure in result.failures[:FAILURES_SHOWN]:
            note(f"tworay: {failure.task.variant}, seed {failure.task.seed} failed: {failure.message}")
        total = len(result) + len(result.failures)
        note(f"tworay: {len(result.failures)} of {total} runs failed; the figures are of the others")
        raise typer.Exit(1)


def print_comparison(result: tworay.Comparison, wanted: str | None, *, pairs: bool, as_json: bool) -> None:
    """Print what there is, also after an interruption."""
    if len(result) and as_json:
        for warning in result.warnings:
            note(f"tworay: {warning}")
        print_json(result.summary)
    elif len(result):
        from tworay import metrics
        from tworay.rendering import show
        from tworay.reporting import comparison_report

        shown = metrics.parse(wanted, result.metrics)
        show(comparison_report(result, shown=shown, pairs=pairs))


def _say_if_mixed(costed: dict[str, set[str]]) -> None:
    """Say so if computing energies were not all counted in the same unit."""
    if len({frozenset(kinds) for kinds in costed.values() if kinds}) > 1:
        ways = "; ".join(f"{name}: {' and '.join(sorted(kinds))}" for name, kinds in costed.items())
        note(
            f"tworay: computing energies can't be compared, they are counted differently ({ways}); "
            "measure all of the variants alike"
        )


def _say_precision(result: tworay.Comparison, wanted: float) -> None:
    reached = result.headline_precision()
    if reached is None or reached <= wanted:
        return
    needed = result.seeds_needed(wanted)
    advice = f"about {needed} seeds would do" if needed else "no number of seeds can be named"
    note(
        f"tworay: goodput's 95 % interval is ± {reached:.1%} after {len(result.seeds)} seeds, "
        f"not ± {wanted:.1%}; {advice} (--max-seeds)"
    )
