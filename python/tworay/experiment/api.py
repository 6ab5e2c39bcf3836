"""Experiments in Python: ``tworay.Experiment("x.toml").run().compare("goodput_bps", by="speed").plot()``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay.analysis import contrasts
from tworay.analysis.repeats import repeated, still
from tworay.calls import plainly
from tworay.errors import InputError
from tworay.experiment.experimentfile import read
from tworay.experiment.judgeplan import judge_of_runs
from tworay.experiment.numbering import with_numbers
from tworay.experiment.options import SweepOptions, method_taking
from tworay.experiment.store import sweeps as reading
from tworay.experiment.store.manifest import find_manifest
from tworay.experiment.sweeping import sweep_of
from tworay.metrics import parse_ends
from tworay.running.frames import Table
from tworay.running.watching import watching

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    import polars as pl

    from tworay.analysis.contrasts import Contrast
    from tworay.experiment.plan import Plan


# Name of a column that no metric and no axis can have.
ROW = "~row"


class Experiment:
    """An experiment (``tworay sweep --help``) as a file or a mapping; ``run`` does the missing runs."""

    def __init__(self, source: str | PathLike[str] | Mapping[str, Any]) -> None:
        self.plan: Plan = read(source if hasattr(source, "items") else Path(source))  # type: ignore[arg-type]

    @method_taking(SweepOptions)
    def run(self, options: SweepOptions) -> Results:
        """Do the runs that ``out`` (NAME.sweep) doesn't hold yet, ``jobs`` at a time (default: all cores).

        ``tcp``, ``vary``, ``mix``, ``seeds``, ``set``, ``until_ci``, ``max_seeds``, ``judge``, ``metrics``,
        ``entries`` and ``resources`` are those of ``tworay.compare``, and replace what the experiment says
        (``vary`` and ``set``: of the same keys).

        After an interruption finished runs are kept, and ``run`` continues. Failed runs are in
        ``Results.failures``; ``retry_failed`` repeats them. ``shard="1/4"`` does only the first of four
        parts, for ``tworay merge``; ``engine`` may be a ``tworay.experiment.cluster.Cluster``. ``watch`` is
        that of ``tworay.compare``. ``tworay.write_report`` of the directory adds the
        page for the browser, as ``tworay sweep`` does.
        """
        sweep, engine = sweep_of(self.plan, options)
        with watching(options.watch, self.plan.name, cells=True) as (watch, _):
            sweep.run(engine=engine, watch=watch)
        return Results(sweep.path)


class Results:
    """The runs of a sweep's directory, finished or not."""

    def __init__(self, path: str | PathLike[str], *, judge: str | None = None) -> None:
        self.path = reading.open_directory(path)
        self.axes = reading.axes(self.path)
        found = parse_ends(judge or (find_manifest(self.path) or {}).get("judge"))
        self._judge = judge_of_runs(found, self.path)
        self._runs: pl.DataFrame | None = None
        self._prints: dict[tuple[int, int], str] = {}

    def __repr__(self) -> str:
        return f"<tworay.Results {self.path} {self.runs.height} runs by {', '.join(self.axes)}>"

    def _repr_html_(self) -> str:
        from tworay.showing.notebook import sweep_html

        return sweep_html(self, (find_manifest(self.path) or {"metrics": ["goodput_bps"]})["metrics"][0])

    @property
    def runs(self) -> pl.DataFrame:
        """One row per finished run: cell, axes, seed, and every metric; axes of numbers are numbers."""
        return Table(with_numbers(self.labelled, self.axes))

    @property
    def labelled(self) -> pl.DataFrame:
        """``runs`` with the values of axes as texts, as the experiment has them."""
        if self._runs is None:
            frame = reading.with_prints(self.path, judge=self._judge)
            if (
                not frame.is_empty()
                and frame["goodput_bps"].null_count() == frame.height
                and self.judge != "tcp"
            ):
                raise InputError(f"--judge {self.judge}: no run has such flows")
            self._prints = {(c, s): p for c, s, p in frame.select("cell", "seed", reading.PRINT).iter_rows()}
            self._runs = frame.drop(reading.PRINT)
        return self._runs

    @property
    def judge(self) -> str:
        """The judged flows: ``tcp`` (all if there is no TCP), ``udp``, ``all`` or ``flow.0,flow.2``.

        ``Results(path, judge="bob:alice")`` names them by their ends.
        """
        return self._judge.name

    def repeated(self, where: Mapping[str, object] | None = None) -> dict[int, int]:
        """For each seed whose runs all equal those of an earlier one, that seed. They are counted once."""
        runs: dict[int, dict[int, str]] = {}
        for cell, seed in self._where(where).select("cell", "seed").iter_rows():
            runs.setdefault(seed, {})[cell] = self._prints[cell, seed]
        return repeated(runs)

    def still(self, where: Mapping[str, object] | None = None) -> list[int]:
        """Numbers of the cells whose runs are equal with all seeds: they count as one run."""
        cells: dict[int, list[str]] = {}
        for cell, seed in self._where(where).select("cell", "seed").iter_rows():
            cells.setdefault(cell, []).append(self._prints[cell, seed])
        return [cell for cell, prints in cells.items() if still(prints)]

    def _counted(self, where: Mapping[str, object] | None) -> pl.DataFrame:
        """Return the selected runs without seeds that repeat an earlier one."""
        frame, again = self._where(where), list(self.repeated(where))
        return frame.filter(~frame["seed"].is_in(again)) if again else frame

    @property
    def failures(self) -> pl.DataFrame:
        """One row per failed run, with its message; ``failures/WORLD.toml`` in the directory repeats it."""
        return reading.failures(self.path)

    @property
    def varying(self) -> list[str]:
        """Axes with more than one value."""
        return [axis for axis in self.axes if self.labelled[axis].n_unique() > 1]

    def where(self, where: Mapping[str, object] | None) -> pl.DataFrame:
        """Return the runs whose axes have these values, such as ``{"speed": "2m/s", "hops": [2, 4]}``."""
        chosen = contrasts.select(self.labelled.with_row_index(ROW), where or {}, self.axes)
        # Numbers or texts as in all runs, whatever is chosen of them.
        return Table(self.runs[chosen[ROW].to_list()])

    def _where(self, where: Mapping[str, object] | None) -> pl.DataFrame:
        return contrasts.select(self.labelled, where or {}, self.axes)

    @plainly
    def table(
        self,
        metric: str,
        rows: str | Iterable[str],
        cols: str | None = None,
        *,
        where: Mapping[str, object] | None = None,
    ) -> pl.DataFrame:
        """Return mean, 95 % interval and number of seeds for every combination of ``rows`` and ``cols``."""
        names = [rows] if isinstance(rows, str) else list(rows)
        keys = [contrasts.resolve(axis, self.axes, "rows") for axis in [*names, *([cols] if cols else [])]]
        return contrasts.means(
            self._counted(where), keys, metric_of(self.labelled, metric), self.still(where)
        )

    @plainly
    def compare(
        self,
        metric: str = "goodput_bps",
        *,
        by: str | Iterable[str] | None = None,
        over: str | None = None,
        against: str | None = None,
        where: Mapping[str, object] | None = None,
    ) -> Contrast:
        """Compare the values of ``over`` (``tcp``, or the last axis that varies) in every cell of ``by``.

        ``by`` defaults to all other axes that vary. Tests are paired by seed; Holm's correction covers the
        table.
        """
        frame = self._counted(where)
        varying = [axis for axis in self.axes if frame[axis].n_unique() > 1]
        if over is None:
            if not varying:
                raise InputError("nothing varies in these runs; there is nothing to compare")
            over = "tcp" if "tcp" in varying else varying[-1]
        over = contrasts.resolve(over, self.axes, "over")
        if by is None:
            by = [axis for axis in varying if axis != over]
        names = [by] if isinstance(by, str) else list(by)
        return contrasts.contrast(
            frame,
            self.axes,
            metric_of(frame, metric),
            over=over,
            by=names,
            against=against,
            still=self.still(where),
        )

    def interaction(
        self, metric: str, one: str, other: str, *, where: Mapping[str, object] | None = None
    ) -> pl.DataFrame:
        """Return interactions of two axes (``tworay.analysis.contrasts.interaction``)."""
        frame = self._counted(where)
        return contrasts.interaction(frame, self.axes, metric_of(frame, metric), one, other)


def metric_of(frame: pl.DataFrame, name: str) -> str:
    """Find a metric by its name or an unambiguous end of it."""
    from tworay.metrics import parse

    beside = {"cell", "world", "seed", "scenario", "tcp"}
    known = [c for c in frame.columns if c not in beside and frame[c].dtype.is_numeric()]
    return (parse(name, known, "--metric") or [name])[0]
