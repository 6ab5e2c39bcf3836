"""The page of a paper, in Markdown: claims, figures, settings and commentary."""

from __future__ import annotations

import datetime
import shutil
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from tworay._native import VERSION
from tworay.papers import parameters, stored, timelines
from tworay.papers.claimlists import by_experiment, by_headline, mechanisms, ours
from tworay.papers.deciding import deciding
from tworay.papers.earlier import Earlier
from tworay.papers.filling import filled, of_page, of_result
from tworay.papers.headlines import headlines
from tworay.papers.library import MAIN, STANDARD, WITHOUT_RESULTS, Role
from tworay.papers.markdown import listed, prose, table, write
from tworay.papers.reproducing import Reproduction, cells_of, from_stored
from tworay.papers.rule import Verdict
from tworay.papers.verdicts import RULE
from tworay.showing.labels import seeds_in_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tworay.papers.earlier import Drawn
    from tworay.papers.filling import Told
    from tworay.papers.library import Claim, Figure, Paper

FIGURES = "## Figures and tables"
CELLS = (
    "Estimate, 95 % interval and seeds of every cell are in [{file}]({file}). `tworay reproduce "
    "{name}:CLAIM` runs one claim; with `--stored docs/studies` it judges the stored cells without runs, and "
    "with `--explain` it says how, cell by cell. The sentence in quotation marks is the source's."
)
NUMBERS = (
    "Numbers are means over seeds ± half of the 95 % interval. Cells that a figure compares have the same "
    "seeds; a claim uses all seeds of its own cells, so its numbers may differ slightly."
)
STATES = (
    "A figure is *as defined* if it shows what its authors define, *deviating* if not, and *added* if the "
    "source has none."
)
OLDER = "Drawn before its definition changed; `tworay reproduce '{paper}:{figure}'` draws it anew."
DEFINITION = "<!-- definition {digest} -->"
SETTINGS = "## Settings"
RULED = "## How a claim is judged"
SHOWN = tuple(Verdict)


def page(result: Reproduction, folder: Path) -> None:
    """Write the page of a paper, its figures and its claims' cells next to it.

    Without runs (`Reproduction.stored`) drawings, numbers and guesses of an earlier page stay, but for those
    that the result has.
    """
    paper = result.paper
    file = folder / f"{paper.key}.md"
    cells_file = stored.file_of(folder, paper.key)
    before = Earlier.read(file) if result.stored else None
    lines = [f"# {paper.title}", "", *prose(paper.cite), *_made(result, before)]
    lines += headlines(result)
    lines += _counts(result)
    lines += ["## The claims", "", *prose(CELLS.format(name=paper.name, file=cells_file.name))]
    lines += by_headline(result, size, before)
    if paper.headlines:
        lines += ["## The other claims, by experiment", ""]
    lines += by_experiment(result, size, before)
    lines += mechanisms(paper)
    lines += deciding(result)
    lines += _sensitivity(result)
    lines += _figures(result, folder, before)
    lines += _settings(paper, of_result(result))
    lines += [RULED, "", *prose(RULE)]
    lines += prose("[How often the rule is wrong](how-claims-are-judged.md) has been measured.")
    write(file, lines)
    if not result.stored:
        stored.write(cells_of(result), cells_file)


def renew(result: Reproduction, folder: Path) -> None:
    """Renew those parts of a paper's page that a part of it was run for: its figures, its claims' cells.

    Every claim is judged anew, from the cells that are stored then.

    Raises:
        InputError: the folder has no cells of the paper.

    """
    file = stored.file_of(folder, result.paper.key)
    cells = stored.read(file)
    for claim, by in cells_of(result).items():
        cells[claim] = cells.get(claim, {}) | by
    order = [claim.id for claim in result.paper.claims]
    stored.write({claim: cells[claim] for claim in sorted(cells, key=order.index)}, file)
    whole = from_stored(result.paper, folder)
    of_figures = {one.experiment for one in result.asked if one.experiment in result.seeds}
    seeds = {trial: number for trial, number in result.seeds.items() if trial in of_figures}
    page(
        replace(
            whole,
            drawn=result.drawn,
            tables=result.tables,
            shown=result.shown,
            guesses=result.guesses,
            seeds=seeds | whole.seeds,
        ),
        folder,
    )


def written(paper: Paper, folder: Path) -> bool:
    """Return whether a paper's page is there."""
    return (folder / f"{paper.key}.md").is_file()


def refresh(paper: Paper, folder: Path) -> None:
    """Write the parts of an existing page anew that need no runs: states of figures, settings and notes."""
    file = folder / f"{paper.key}.md"
    before = Earlier.read(file)
    result = Reproduction(paper, folder, stored=True)
    lines = [
        *before.until(FIGURES),
        *_figures(result, folder, before),
        *_settings(paper, of_page(before)),
        *before.section(RULED),
    ]
    write(file, lines)


def _settings(paper: Paper, told: Callable[[str, str], Told | None]) -> list[str]:
    lines = [SETTINGS, "", "Stated by the source:", "", *listed(paper.stated)]
    lines += ["Left open by the source:", "", *listed(paper.left_open)]
    return [*lines, filled(paper.notes, told, paper), ""] if paper.notes else lines


def today() -> str:
    """Return a sentence with the date and version of the pages."""
    today = datetime.datetime.now(tz=datetime.UTC).date()
    return f"Made by `tworay reproduce --pages docs/studies` on {today} with tworay {VERSION}."


def _made(result: Reproduction, before: Earlier | None) -> list[str]:
    if before:
        date = datetime.datetime.now(tz=datetime.UTC).date()
        judged = (
            f"The claims were judged on {date} from stored cells: `tworay reproduce --stored docs/studies"
        )
        return [*before.made(), *prose(f"{judged} --pages docs/studies`.")]
    name = result.paper.name
    short = len(result.shortened)
    total = len(result.paper.trials)
    of = f"{short} of {total} experiments have the fewer and shorter runs of `--quick`"
    quick = f" {of}; they are marked." if short else ""
    return prose(today() + f"{quick} To repeat it: `tworay reproduce {name}`.")


def seeds_of(result: Reproduction, trial: str) -> str:
    """Return the number of seeds of an experiment, marked if shortened."""
    short = ", shortened" if trial in result.shortened else ""
    return f"{result.seeds[trial]}{short}" if trial in result.seeds else "not run yet"


def size(result: Reproduction, trial: str) -> str:
    """Return the numbers of seeds of an experiment's cells, and its full size if that is larger."""
    planned = result.planned.get(trial, {}).values()
    return _size(result, trial, max(planned, default=0) if full_size(result, trial) == "yes" else 0)


def _size(result: Reproduction, trial: str, most: int) -> str:
    full = full_size(result, trial)
    least = result.seeds[trial]
    return seeds_in_words(least, max(least, most)) + (
        "" if full == "yes" else f"{', shortened' * (trial in result.shortened)} (full size: {full})"
    )


def full_size(result: Reproduction, trial: str) -> str:
    """Return "yes" if an experiment was run in full size, otherwise the command for it."""
    wanted = result.paper.trials[trial].document.get("seeds", 10)
    if trial in result.planned:
        wanted = min(result.planned[trial].values())
    have = result.seeds.get(trial, 0)
    figure = next((f.id for f in result.paper.figures if f.experiment == trial), None)
    of = f":{figure}" if figure else ""
    if have >= wanted and trial not in result.shortened:
        return "yes"
    return f"{wanted} seeds: `tworay reproduce '{result.paper.name}{of}'`"


def count(result: Reproduction) -> Counter[Verdict]:
    """Count the verdicts on a paper's own claims, each once."""
    own = [claim.id for claim in result.paper.claims if claim.role is Role.CLAIM]
    return Counter(result.judgements[claim].verdict for claim in own if claim in result.judgements)


def _counts(result: Reproduction) -> list[str]:
    own = {
        verdict: [
            claim.id
            for claim in result.paper.claims
            if claim.role is Role.CLAIM
            and claim.id in result.judgements
            and result.judgements[claim.id].verdict is verdict
        ]
        for verdict in SHOWN
    }
    rows = [[str(verdict), str(len(own[verdict])), ", ".join(own[verdict])] for verdict in SHOWN]
    roles = Counter(claim.role for claim in result.paper.claims)
    apart = [
        f"{roles[role]} {said}"
        for role, said in (
            (Role.READING, "further readings of a claim"),
            (Role.QUOTED, "claims that the source quotes from others"),
            (Role.MECHANISM, "descriptions of an algorithm"),
        )
        if roles[role]
    ]
    told = ["## Verdicts", "", *table(["verdict", "claims", "which"], rows)]
    return told + (prose(f"Not counted: {', '.join(apart)}.") if apart else [])


def _sensitivity(result: Reproduction) -> list[str]:
    if not any(name != STANDARD for by in result.others.values() for name in by):
        return []
    lines = ["## Do the verdicts depend on what the source leaves open?", ""]
    lines += prose(
        "One setting is changed at a time, with fewer seeds. A dash is an unchanged verdict; claims whose "
        "verdicts are all unchanged are only counted."
    )
    by_trial: dict[str, list[Claim]] = {}
    for claim in result.paper.claims:
        if claim.id in result.others and claim.experiment:
            by_trial.setdefault(claim.experiment, []).append(claim)
    for trial, claims in by_trial.items():
        names = list(dict.fromkeys(name for claim in claims for name in result.others[claim.id]))
        names = [name for name in names if name != STANDARD]
        if not names:
            continue
        rows, same = [], 0
        for claim in claims:
            main = result.judgements[claim.id].verdict
            cells = [result.others[claim.id].get(name) for name in names]
            shown = [
                "" if c is None else "–" if c.verdict == main else f"{c.verdict}: {ours(c)}" for c in cells
            ]
            if any(one not in ("", "–") for one in shown):
                rows.append([claim.id, str(main), *shown])
            else:
                same += 1
        lines += [f"### {result.paper.trials[trial].title}", ""]
        lines += prose(f"{same} of {len(claims)} claims keep their verdict in every reading.")
        if rows:
            lines += table(["", MAIN, *names], rows)
    return lines


def _heading(result: Reproduction, figure: Figure, trial: str, span: tuple[int, int]) -> str:
    """Return a figure's number, title, seeds and state."""
    least, most = span
    size_ = _size(replace(result, seeds={trial: least}), trial, most)
    if figure.kind in timelines.KINDS and figure.kind not in timelines.COUNTED and most > 1:
        size_ += ", the first drawn"
    said = f"**{figure.id}: {figure.title}**; {size_}"
    if result.paper.study:
        return f"{said}."
    return f"{said}; {figure.state}: {figure.deviates}." if figure.deviates else f"{said}; {figure.state}."


def _figures(result: Reproduction, folder: Path, before: Earlier | None) -> list[str]:
    """Return the figures that were drawn, and of the others what an earlier page has."""
    lines = [FIGURES, "", *prose(_told(result.paper))]
    folder.mkdir(parents=True, exist_ok=True)
    made = set()
    for figure in result.paper.figures:
        kept = before.figure(figure.id) if before else None
        if figure.experiment is None:
            continue
        if figure.id in result.drawn or figure.id in result.tables:
            lines += _drawn(result, figure, folder)
        elif kept is not None:
            lines += _kept(result, figure, kept)
        else:
            continue
        made.add(figure.id)
    return lines + _without(result.paper, made)


def _drawn(result: Reproduction, figure: Figure, folder: Path) -> list[str]:
    """Return a figure as it was drawn now, and copy its picture."""
    trial = figure.experiment or ""
    seeds = result.seeds[trial]
    lines = prose(_heading(result, figure, trial, result.shown.get(figure.id, (seeds, seeds))))
    lines += [DEFINITION.format(digest=figure.definition), ""]
    if figure.id in result.drawn:
        name = f"{result.paper.key}-{result.drawn[figure.id].name}"
        shutil.copyfile(result.drawn[figure.id], folder / name)
        lines += [_picture(figure, name), ""]
    if figure.id in result.tables:
        lines += table(*result.tables[figure.id])
    return lines


def _kept(result: Reproduction, figure: Figure, kept: Drawn) -> list[str]:
    """Return a figure of an earlier page, with its title and state as they are now."""
    trial = figure.experiment or ""
    drawn = replace(result, shortened={trial} if kept.shortened else set())
    lines = prose(_heading(drawn, figure, trial, (kept.seeds, kept.most)))
    # Pages from before definitions were noted can't tell; they count as current.
    digest = kept.definition or figure.definition
    lines += [DEFINITION.format(digest=digest), ""]
    if digest != figure.definition:
        lines += prose(OLDER.format(paper=result.paper.name, figure=figure.id))
    lines += [_picture(figure, kept.picture), ""] if kept.picture else []
    return lines + kept.table


def _told(paper: Paper) -> str:
    return NUMBERS if paper.study else f"{NUMBERS} {STATES}"


def _picture(figure: Figure, name: str) -> str:
    return f"![{figure.id}: {figure.title}]({name})"


def _without(paper: Paper, made: set[str]) -> list[str]:
    """Return tables of the figures that are not made, and of those without results, with their settings."""
    lines: list[str] = []
    missing = [
        [figure.id, figure.title, figure.missing or "not run yet"]
        for figure in paper.figures
        if figure.state not in WITHOUT_RESULTS and figure.id not in made
    ]
    if missing:
        lines += ["Not made:", "", *table(["", "what", "why"], missing)]
    known = [
        [figure.id, figure.title, str(figure.state), figure.see]
        for figure in paper.figures
        if figure.state in WITHOUT_RESULTS
    ]
    if known:
        lines += ["Without results:", "", *table(["", "what", "kind", "where it is here"], known)]
    for figure in paper.figures:
        if rows := [one.row for one in parameters.of(paper, figure)]:
            title = f"{figure.id[0].upper()}{figure.id[1:]}. {figure.title}:"
            lines += [*prose(title), *table(list(parameters.HEAD), rows)]
    return lines
