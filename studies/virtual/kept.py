"""The values of finished runs, kept beside a study's page: a later machine goes on with them.

A run of a kernel takes seconds to minutes, so those of one kernel stand until their lines are
removed by hand, also where a later version of tworay judges losses otherwise; the page says which version
made them. Runs that are simulated only are made anew with every version of the results.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, NamedTuple

from tworay._native import RESULTS
from tworay.errors import InputError
from tworay.files import replacing
from tworay.virtual import cache

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

HEAD = ("case", "arm", "results", "kernel", "seed")


class Made(NamedTuple):
    """Origin of runs: the version of the simulator's results, and the kernel (empty: simulated)."""

    results: int
    kernel: str

    @property
    def stands(self) -> bool:
        """True if such runs are those that would be made now."""
        return self.kernel == cache.kernel().name if self.kernel else self.results == RESULTS

    def __str__(self) -> str:
        """Name both."""
        return f"{f'kernel {self.kernel}' if self.kernel else 'simulated'} with results {self.results}"


class Runs(NamedTuple):
    """The runs of an arm in a case: what made them, and each seed's metrics."""

    made: Made
    values: dict[int, dict[str, float | None]]

    def covers(self, seeds: Iterable[int]) -> bool:
        """Return whether nothing of these seeds is left to be run."""
        return self.made.stands and self.values.keys() >= set(seeds)


Kept = dict[tuple[str, str], Runs]
"""By case and arm."""


def now(*, kernel: bool) -> Made:
    """Return what makes runs now."""
    return Made(RESULTS, cache.kernel().name if kernel else "")


def read(file: Path, metrics: Iterable[str]) -> Kept:
    """Return the kept runs; none without the file.

    Raises:
        InputError: the file is not as written here.

    """
    found: Kept = {}
    if not file.is_file():
        return found
    with file.open(encoding="utf-8", newline="") as text:
        lines = csv.DictReader(text)
        wanted = [*HEAD, *metrics]
        if lines.fieldnames != wanted:
            raise InputError(
                f"{file}:1: the columns must be {','.join(wanted)}; remove the file to begin anew"
            )
        for line in lines:
            try:
                made = Made(int(line["results"]), line["kernel"])
                runs = found.setdefault((line["case"], line["arm"]), Runs(made, {}))
                runs.values[int(line["seed"])] = {
                    name: float(line[name]) if line[name] else None for name in metrics
                }
            except (TypeError, ValueError) as error:
                raise InputError(f"{file}:{lines.line_num}: {error}; remove the line") from error
    return found


def write(file: Path, kept: Kept, metrics: Iterable[str]) -> None:
    """Write the runs, sorted by case, arm and seed."""
    names = list(metrics)
    with replacing(file) as hidden, hidden.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow([*HEAD, *names])
        for (case, arm), runs in sorted(kept.items()):
            for seed, values in sorted(runs.values.items()):
                rows.writerow([case, arm, *runs.made, seed, *(_text(values.get(name)) for name in names)])


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def of_metrics(
    values: Mapping[int, Mapping[str, float | None]], metrics: Iterable[str]
) -> dict[int, dict[str, float | None]]:
    """Return these metrics of every seed."""
    names = list(metrics)
    return {seed: {name: one.get(name) for name in names} for seed, one in values.items()}


def made_by(case: str, runs: Kept) -> str:
    """Say how many seeds a case has, and which versions made its runs."""
    some = [(arm, one) for (name, arm), one in runs.items() if name == case]
    if not some:
        return "not run yet"
    seeds = sorted({len(one.values) for _, one in some})
    versions = sorted({str(one.made) for _, one in some})
    return f"{' or '.join(map(str, seeds))} seeds; {'; '.join(versions)}"
