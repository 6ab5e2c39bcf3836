"""Write ``report.html`` of a result directory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tworay.errors import InputError, OutputError
from tworay.experiment.store.manifest import read_manifest
from tworay.experiment.store.tables import known_tables
from tworay.files import replacing
from tworay.report.commands import Again, again

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from tworay.papers.reproducing import Reproduction
    from tworay.running.run import Run

REPORT = "report.html"


def write_report(
    directory: str | os.PathLike[str],
    *,
    arm: str | None = None,
    seed: int | None = None,
    against: Sequence[str | os.PathLike[str]] = (),
) -> Path:
    """Write the report of a result directory into it and return where it is.

    With ``arm`` and ``seed`` it is the page of one run of a comparison, next to the comparison's own; with
    ``seed`` alone the comparison's page lays runs of this seed over each other. ``against``: directories of
    further runs; the page shows them and this one on one axis. Raises ``InputError`` if a directory holds no
    results, ``OutputError`` if the file can't be written.
    """
    place = Path(directory)
    if against:
        return _write_together(place, arm, seed, [Path(one) for one in against])
    if arm is None and (seed is None or _has_arms(place)):
        with known_tables(place):
            page = render(place, seed)
        return write_text(place / REPORT, page)
    if read_manifest(place)["command"] == "run":
        raise InputError(f"{place} holds a single run; leave out --arm and --seed")
    from tworay.experiment.store.reading import run_of
    from tworay.report.runpage import run_page

    with known_tables(place):
        run = run_of(place, arm, seed)
        chosen = _safe(f"{arm or run.summary['flows'][0]['tcp']}-{run.seed}")
        page = run_page(run, one_of_many(place, arm, run))
    return write_text(place / f"report-{chosen}.html", page)


def _has_arms(directory: Path) -> bool:
    """Return whether a directory holds a comparison of several arms."""
    manifest = read_manifest(directory)
    return manifest["command"] == "compare" and len(manifest["arms"]) > 1


def _write_together(place: Path, arm: str | None, seed: int | None, others: list[Path]) -> Path:
    """Write the page of several runs on one axis into the first one's directory."""
    from tworay.experiment.store.reading import run_of
    from tworay.report.overlaid import together_page

    for other in others:
        if read_manifest(other)["command"] != "run":
            raise InputError(f"--with {other}: name the directory of a run (`tworay run … --out`)")
    names = [one.resolve().name for one in (place, *others)]
    if len(set(names)) < len(names):
        names = [str(one) for one in (place, *others)]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"--with {twice}: this run is named twice")
    with known_tables(place):
        first = run_of(place, arm, seed)
    runs = {names[0]: first} | {name: run_of(other) for name, other in zip(names[1:], others, strict=True)}
    chosen = _safe("-".join(Path(name).name for name in names[1:]))
    return write_text(place / f"report-with-{chosen}.html", together_page(runs))


def render(directory: Path, seed: int | None = None) -> str:
    """Return the page of a result directory; ``seed``: which one a comparison shows over time."""
    from tworay.report.comparisonpage import comparison_page
    from tworay.report.runpage import run_page
    from tworay.running.run import Run

    if _is_sweep(directory):
        from tworay.report.sweeppage import sweep_page

        return sweep_page(directory)
    command = read_manifest(directory)["command"]
    if command == "run":
        run = Run.read(directory)
        return run_page(run, again(run, directory))
    from tworay.experiment.store.reading import read

    return comparison_page(read(directory), seed)


def _is_sweep(directory: Path) -> bool:
    from tworay.experiment.store.manifest import find_manifest as read_sweep

    return (read_sweep(directory) or {}).get("command") == "sweep"


def write_papers(results: Iterable[Reproduction]) -> list[Path]:
    """Write a page for each paper next to its runs."""
    from tworay.report.paperpage import paper_page

    written = []
    for result in results:
        folder = result.out / result.paper.name
        if folder.is_dir():
            written.append(write_text(folder / REPORT, paper_page(result)))
    return written


def one_of_many(directory: Path, arm: str | None, run: Run) -> Again:
    """Return the command that makes one run of a comparison again."""
    from tworay.experiment.store.reading import read
    from tworay.report.comparisonpage import compare_command

    stored = read(directory)
    arms = stored.manifest["arms"]
    about = arms[arm] if arm is not None else next(iter(arms.values()))
    if "mix" in about:
        # Only a comparison gives each flow a variant of its own.
        return Again(compare_command(stored))
    settings = [] if about["tcp"] is None else ["--tcp", about["tcp"]]
    for key, value in about["set"].items():
        settings += ["--set", f"{key}={value}"]
    if stored.manifest.get("entries"):
        settings += ["--entries", stored.manifest["entries"]]
    return again(run, directory, *settings)


def write_text(target: Path, text: str) -> Path:
    """Write a hidden file and rename it in one step."""
    try:
        with replacing(target) as hidden:
            hidden.write_text(text, encoding="utf-8", errors="replace")
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror}") from error
    return target


def _safe(name: str) -> str:
    """Return a name that a file can have."""
    return re.sub(r"[^A-Za-z0-9.+=-]", "_", name)[:100]
