"""``--csv`` and ``--long`` of ``compare`` and ``show``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tworay.cli.output import check_apart, check_csv, is_stdout, write_text
from tworay.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    import tworay


@dataclass(frozen=True)
class Exports:
    """The files to write; ``--csv`` has means, ``--long`` every run."""

    csv: Path | None
    long: Path | None

    @property
    def files(self) -> dict[str, Path]:
        """The files by their options."""
        named = {"--csv": self.csv, "--long": self.long}
        return {option: file for option, file in named.items() if file is not None}

    @property
    def printed(self) -> bool:
        """True if one goes to standard output, which then has nothing else."""
        return any(map(is_stdout, self.files.values()))

    def check(self, *, force: bool, as_json: bool, out: Path | None = None) -> None:
        """Reject files that exist, that are the same, or that would share standard output."""
        printed = [option for option, file in self.files.items() if is_stdout(file)]
        printed += ["--json"] if as_json and printed else []
        if len(printed) > 1:
            raise InputError(f"{' and '.join(printed)} both print; name a file for one of them")
        check_apart({**self.files, "--out": out} if not printed else {"--out": out})
        for option, file in self.files.items():
            check_csv(option, file, force=force)

    def refuse(self, reason: str) -> None:
        """Reject exports of what has no results."""
        for option in self.files:
            raise InputError(
                f"{option}: {reason} has no results to write; leave one out (`tworay show DIR {option} "
                "FILE.csv` writes stored ones)"
            )

    def write_table(
        self,
        found: tworay.Comparison | tworay.Run,
        name: str,
        *,
        intervals: str | None,
        every: str | None,
        as_json: bool,
    ) -> None:
        """Write a table of the runs as CSV to the file of ``--csv``, else to standard output."""
        if self.long is not None or as_json:
            raise InputError(f"--table {name}: a table is CSV only; leave --long and --json out")
        text = _table(found, name, intervals, every).write_csv()
        if self.csv is None or is_stdout(self.csv):
            print(text, end="")
        else:
            write_text(self.csv, text)

    def write(self, found: tworay.Comparison | tworay.Run, wanted: str | None) -> None:
        """Write the files; ``wanted`` are the metrics as the user names them, by default all."""
        import tworay
        from tworay import metrics
        from tworay.experiment import exporting

        if not self.files:
            return
        if isinstance(found, tworay.Run):
            chosen = metrics.of_run(found.summary, wanted)
            tables = {"--csv": exporting.flows(found), "--long": exporting.long_flows(found, chosen)}
        else:
            chosen = found.names_of_metrics(wanted)
            tables = {"--csv": exporting.means(found, chosen), "--long": exporting.long(found, chosen)}
        for option, file in self.files.items():
            write_text(file, tables[option].write_csv())


def _table(
    found: tworay.Comparison | tworay.Run, name: str, intervals: str | None, every: str | None
) -> pl.DataFrame:
    """Return a table by its name: of a run, or of all runs of a comparison."""
    import tworay
    from tworay._native import nearest
    from tworay.experiment.overtime import GOODPUT, ONLY_RECORDED, RECORDED
    from tworay.showing.bins import refuse

    if name == GOODPUT:
        return found.goodput_over_time(intervals, every=every)
    refuse(intervals, every, f"the table {name} has none; it is for --table {GOODPUT}")
    if isinstance(found, tworay.Run):
        known, whose = set(found.tables), "the run"
        if name in known:
            return found.tables[name]
    else:
        from tworay.experiment.store.tables import kept_tables

        known, whose = set(kept_tables(found.directory) if found.directory else ()), "the comparison"
        if name in known:
            return found.table_of(name)
        if name in RECORDED:
            raise InputError(f"--table {name}: {ONLY_RECORDED}")
    near = nearest(name, sorted(known | {GOODPUT}))
    hint = f"did you mean {near}? " if near else ""
    raise InputError(
        f"--table {name}: {whose} has no such table; {hint}it has {', '.join(sorted(known | {GOODPUT}))}"
    )
