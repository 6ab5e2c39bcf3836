"""``tworay reproduce``."""

from __future__ import annotations

import math
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tworay.cli.app import FAILED, app
from tworay.cli.options import JsonOption

if TYPE_CHECKING:
    from tworay.papers.library import Figure, Paper
    from tworay.papers.plannedruns import Planned
    from tworay.papers.reproducing import Reproduction


@app.command()
def reproduce(
    paper: Annotated[
        str | None,
        typer.Argument(
            metavar="[PAPER[:FIGURE|:CLAIM|:HEADLINE]]",
            help="A paper, or one figure, claim or headline of it, such as probing, thesis:3.8a, "
            "thesis:T5.41 or thesis:H2. Default: all papers.",
        ),
    ] = None,
    list_: Annotated[
        bool,
        typer.Option(
            "--list",
            help="Only list papers, claims, and figures and tables with their state: as defined, deviating "
            "(how), not made (why), drawing, settings (what carries them), added.",
        ),
    ] = False,
    mechanisms: Annotated[
        bool,
        typer.Option(
            "--mechanisms",
            help="Only list what the papers describe: section, state, and the command that shows it.",
        ),
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Use fewer seeds and shorter runs: minutes per paper.")
    ] = False,
    seeds: Annotated[
        str | None, typer.Option(help="Use these seeds instead of the experiments': N, 1-10 or 3,5,9.")
    ] = None,
    sensitivity: Annotated[
        bool,
        typer.Option(
            "--sensitivity", help="Also judge with other values of settings that the paper doesn't state."
        ),
    ] = False,
    out: Annotated[
        Path,
        typer.Option("--out", metavar="DIR", help="Where runs and figures are kept. Run again to resume."),
    ] = Path("reproduce"),
    jobs: Annotated[int | None, typer.Option(metavar="N", help="Runs at a time. Default: all cores.")] = None,
    shard: Annotated[str | None, typer.Option(metavar="I/N", help="Do only part I of N.")] = None,
    no_run: Annotated[
        bool, typer.Option("--no-run", help="Only judge and draw what --out already holds.")
    ] = False,
    stored: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Only judge the cells that DIR holds beside the pages, such as docs/studies of a checkout; "
            "of a figure also its state and the drawing there.",
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say how each claim was judged, cell by cell.")
    ] = False,
    budget: Annotated[
        float | None,
        typer.Option(
            metavar="HOURS",
            help="Hours for all runs, pilots included; replaces a stored plan of seeds. Default: 8.",
        ),
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Only run the pilots, and print and store the plan of seeds.")
    ] = False,
    plan_of: Annotated[
        Path | None,
        typer.Option(
            "--plan-of",
            metavar="DIR",
            help="Take the plan of seeds beside the pages in DIR (docs/studies of a checkout).",
        ),
    ] = None,
    pages: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write a Markdown page per paper, and an overview; with a figure or claim renew its part.",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Reproduce papers.

    Runs their experiments, draws their figures and judges their claims. A pilot of 10 seeds decides how many
    follow (--budget); --seeds and --quick do without.
    """
    from tworay.cli.claims import explain_all, named_claims, show_claims
    from tworay.cli.output import note, print_json
    from tworay.errors import InputError
    from tworay.experiment.engines import Shard
    from tworay.papers.library import find, papers
    from tworay.papers.pages import renew
    from tworay.papers.planfile import file_of as file_of_plan
    from tworay.papers.planfile import planned, put, read, take
    from tworay.papers.planning import Asked, only
    from tworay.papers.planning import plan as plan_seeds
    from tworay.papers.reproducing import QUICK, from_stored
    from tworay.papers.reproducing import chosen as selected
    from tworay.papers.reproducing import reproduce as do
    from tworay.papers.stored import file_of
    from tworay.running.progress import Progress

    name, _, figure = (paper or "").partition(":")
    chosen = [find(name)] if name else papers()
    of_claims = bool(figure) and named_claims(chosen[0], figure)
    if figure and not of_claims:
        chosen[0].numbered(figure)
    if mechanisms:
        if figure:
            raise InputError(f"--mechanisms lists those of whole papers; leave `:{figure}` out")
        _mechanisms(chosen, as_json=json)
        return
    if list_:
        _list(chosen, figure or None, as_json=json)
        return
    if pages is not None and figure and (quick or seeds is not None or stored is not None):
        raise InputError(
            f"--pages with `:{figure}` renews a part of a page from full runs; leave --quick, --seeds and "
            "--stored out"
        )
    if pages is not None and figure and not file_of(pages, chosen[0].key).is_file():
        raise InputError(f"{pages} has no cells of {chosen[0].name} yet; leave `:{figure}` out")
    results = []
    if stored is not None:
        left_out = [one for one in chosen if not name and not file_of(stored, one.key).is_file()]
        if left_out:
            note(f"{stored} has no cells of {', '.join(one.name for one in left_out)}")
        results = [from_stored(one, stored, wanted=figure or None) for one in chosen if one not in left_out]
    if budget is not None and not 0 < budget < math.inf:
        raise InputError(f"--budget: {budget:g} is out of range; give hours above 0, such as 8")
    planning = plan or budget is not None or plan_of is not None
    if planning and (quick or no_run or seeds is not None or stored is not None):
        raise InputError(
            "--plan, --plan-of and --budget belong to full runs; leave --quick, --no-run, --seeds and "
            "--stored out"
        )
    if budget is not None and plan_of is not None:
        raise InputError("--budget makes a new plan; leave it or --plan-of out")
    plans: dict[str, Planned] = {}
    if stored is None and not quick and seeds is None:
        if no_run:
            plans = {one.name: planned(read(file_of_plan(out, one))) for one in chosen}
        else:
            if plan_of is not None:
                take(plan_of, out, chosen)
            asked = Asked(chosen, figure or None, out, jobs, Shard.parse(shard), budget)
            with Progress("pilots", cells=True) as progress:
                plans = plan_seeds(asked, note, progress.watch)
        if of_claims and figure:
            _, trials, claims = selected(chosen[0], figure)
            plans = {name: only(one, claims, trials) for name, one in plans.items()}
    if plan:
        return
    for one in chosen if stored is None else ():
        with Progress(one.name, cells=True) as progress:
            results.append(
                do(
                    one,
                    out / QUICK if quick else out,
                    figure=figure or None,
                    quick=quick,
                    seeds=seeds,
                    jobs=jobs,
                    shard=Shard.parse(shard),
                    others=sensitivity,
                    run=not no_run,
                    watch=progress.watch,
                    planned=plans.get(one.name),
                )
            )
    if pages is not None:
        if figure and results[0].shortened:
            raise InputError(
                f"{out} has only runs of --quick for `{figure}`, and pages are renewed from full ones; "
                "leave --no-run out"
            )
        if stored is None:
            put(out, pages, chosen)
        if figure:
            renew(results[0], pages)
        else:
            _pages(results, chosen, pages, whole=not name)
        note(f"wrote {pages}")
    from tworay.report.writing import write_papers

    # A drawing or a table of settings has no runs, and no report.
    ran = [result for result in results if result.seeds or result.judgements]
    for written in write_papers(ran) if stored is None else ():
        note(f"wrote {written}")
    if json:
        print_json(
            {
                "claims": [c for r in results for c in _judged(r)],
                "figures": _drawn(results, named=bool(figure)),
                "parameters": _settings(results),
            }
        )
    else:
        for result in results:
            if of_claims:
                show_claims(result, figure, explain=explain)
                continue
            _show(result, one=bool(figure))
            if explain:
                explain_all(result)
    if any(result.failed for result in results):
        note(f"tworay: some runs failed; failures/ of the sweeps in {out} has the scenarios to replay them")
        sys.exit(FAILED)


def _pages(results: list[Reproduction], chosen: list[Paper], folder: Path, *, whole: bool) -> None:
    """Write the pages of papers; ``whole``: also what is about all of them.

    Of chosen papers without a result only what needs no runs is written anew.
    """
    from tworay.papers import overview, pages, testbed

    judged = [result.paper for result in results]
    left_out = [one for one in chosen if one not in judged]
    for result in results:
        pages.page(result, folder)
    for one in left_out:
        if pages.written(one, folder):
            pages.refresh(one, folder)
    if whole:
        testbed.page(folder)
        overview.write_both(results, chosen, folder)


def _list(chosen: list[Paper], figure: str | None, *, as_json: bool) -> None:
    from tworay.cli.claims import named_claims
    from tworay.cli.output import print_entry, print_json

    figures = [
        (p, f)
        for p in chosen
        for f in (p.figures if figure is None else () if named_claims(p, figure) else p.numbered(figure))
    ]
    wanted = {f.experiment for _, f in figures}
    named = named_claims(chosen[0], figure) if figure else ()
    claims = [
        (p, c) for p in chosen for c in p.claims if figure is None or c.id in named or c.experiment in wanted
    ]
    if as_json:
        print_json(
            {
                "papers": [{"name": p.name, "key": p.key, "title": p.title, "cite": p.cite} for p in chosen],
                "figures": [_about(p, f) for p, f in figures],
                "claims": [
                    {
                        "id": c.id,
                        "paper": p.name,
                        "source": c.source,
                        "text": c.says,
                        "role": str(c.role),
                        "verdict": None,
                    }
                    for p, c in claims
                ],
            }
        )
        return
    for one in chosen:
        print(textwrap.fill(f"{one.name}  ({one.cite})", 80, subsequent_indent="  "))
        for p, f in figures:
            if p is one:
                remark = f": {f.remark}" if f.remark else ""
                print_entry(f"{one.name}:{f.id}", f.title, f"[{f.state}{remark}]", width=24, indent=2)
        for p, c in claims:
            if p is one:
                print_entry(c.id, f"{c.source}: {c.says}", width=8, indent=4)


def _mechanisms(chosen: list[Paper], *, as_json: bool) -> None:
    from dataclasses import asdict

    from tworay.cli.output import print_entry, print_json
    from tworay.papers.mechanisms import of

    if as_json:
        print_json({"mechanisms": [{"paper": one.name} | asdict(m) for one in chosen for m in of(one)]})
        return
    for one in chosen:
        if not of(one):
            continue
        print(textwrap.fill(f"{one.name}  ({one.cite})", 80, subsequent_indent="  "))
        for number, m in enumerate(of(one), 1):
            print_entry(f"{number}", m.says, f"{m.source} [{m.said}]", m.note, width=6, indent=2)
            if m.show:
                print(f"{'':8}{m.show}")  # On one line, to be copied.


def _judged(result: Reproduction) -> list[dict[str, Any]]:
    found = []
    for claim in result.paper.claims:
        judgement = result.judgements.get(claim.id)
        if judgement is None:
            continue
        others = {name: str(j.verdict) for name, j in result.others.get(claim.id, {}).items()}
        found.append(
            {
                "id": claim.id,
                "paper": result.paper.name,
                "source": claim.source,
                "text": claim.says,
                "role": str(claim.role),
                "verdict": str(judgement.verdict),
                "across": str(judgement.across),
                "beside": judgement.beside,
                "claimed": claim.paper,
                "ours": judgement.ours,
                "reason": judgement.reason or None,
                "quote": claim.quote or None,
                "known": claim.known or None,
                "seeds": judgement.seeds,
                "unit": judgement.unit,
                "cells": [
                    {
                        "place": c.place,
                        "estimate": c.measured.estimate,
                        "low": c.measured.low,
                        "high": c.measured.high,
                        "seeds": c.measured.seeds,
                        "band": str(c.claimed),
                        "basis": str(c.claimed.basis),
                        "margin_percent": c.claimed.margin,
                        "verdict": str(c.verdict),
                        "equivalent": c.equivalent,
                        "detectable": c.detectable,
                    }
                    for c in judgement.cells
                ],
                "readings": others,
            }
        )
    return found


def _about(paper: Paper, figure: Figure) -> dict[str, Any]:
    """Return what is known of a figure without runs."""
    return {
        "paper": paper.name,
        "id": figure.id,
        "title": figure.title,
        "experiment": figure.experiment,
        "state": str(figure.state),
        "how": figure.deviates or None,
        "why": figure.missing or None,
        "see": figure.see or None,
    }


def _drawn(results: list[Reproduction], *, named: bool) -> list[dict[str, Any]]:
    """Return the figures that are drawn; of a figure that was named also without a drawing."""
    return [
        _about(r.paper, one) | {"file": str(r.drawn[one.id]) if one.id in r.drawn else None}
        for r in results
        for one in r.asked
        if named or one.id in r.drawn
    ]


def _settings(results: list[Reproduction]) -> list[dict[str, str]]:
    from dataclasses import asdict

    from tworay.papers import parameters

    return [
        {"table": one.id} | asdict(parameter)
        for r in results
        for one in r.asked
        for parameter in parameters.of(r.paper, one)
    ]


def _numbers(result: Reproduction) -> list[Any]:
    """Return the numbers of the figures and tables that were asked for, and where the others' content is."""
    from rich.text import Text

    from tworay.papers import parameters
    from tworay.papers.timelines import LISTED
    from tworay.showing.layout import Column, table

    shown: list[Any] = []
    for one in result.asked:
        shown.append(Text(f"{result.paper.name}:{one.id}: {one.title} [{one.state}]", style="bold"))
        if one.id in result.tables and one.kind not in LISTED:
            (first, *names), rows = result.tables[one.id]
            columns = [Column(name, [row[i] for row in rows]) for i, name in enumerate(names, 1)]
            shown += table(first, [row[0] for row in rows], columns, names=24)
        if known := [parameter.row for parameter in parameters.of(result.paper, one)]:
            first, *names = parameters.HEAD
            columns = [Column(name, [row[i] for row in known]) for i, name in enumerate(names, 1)]
            shown += table(first, [row[0] for row in known], columns, names=40)
        if one.remark:
            shown.append(Text(one.remark))
    return shown


def _show(result: Reproduction, *, one: bool) -> None:
    from collections import Counter

    from tworay.papers.library import Role
    from tworay.showing.layout import Column, table
    from tworay.showing.rendering import show
    from tworay.showing.text import Group, Text

    claims = [c for c in result.paper.claims if c.id in result.judgements]
    judged = [result.judgements[c.id] for c in claims]
    columns = [
        Column("verdict", [str(j.verdict) for j in judged]),
        Column("paper's value", [c.paper for c in claims]),
        Column("tworay", [j.ours or (j.reason if len(j.reason) < 40 else "see --json") for j in judged]),
        Column("seeds", [str(j.seeds) if j.cells else "" for j in judged]),
    ]
    own = [c for c in claims if c.role is Role.CLAIM]
    counts = Counter(str(result.judgements[c.id].verdict) for c in own)
    summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()) or "none judged"
    shown: list[Any] = [Text(f"{result.paper.cite}", style="bold")]
    if one:
        shown += _numbers(result)
    if claims:
        shown += table("claim", [c.id for c in claims], columns, names=3)
        claims_ = "claim" if len(own) == 1 else "claims"
        listed = f"`tworay reproduce {result.paper.name} --list` has all."
        shown.append(Text(f"{len(own)} {claims_}: {summary}. {listed}"))
    shown += [Text(f"figure {name}: {file}") for name, file in result.drawn.items()]
    show(Group(*shown))
