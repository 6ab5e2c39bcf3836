"""Columns of the core as polars data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from tworay._native import _Column
    from tworay.naming import Nodes
    from tworay.running.run import Report


class Table(pl.DataFrame):
    """A polars data frame whose ``to_pandas`` names the packages it needs."""

    def to_pandas(self, *, use_pyarrow_extension_array: bool = False, **kwargs: Any) -> Any:
        """Return a pandas data frame, as ``polars.DataFrame.to_pandas`` does."""
        try:
            return super().to_pandas(use_pyarrow_extension_array=use_pyarrow_extension_array, **kwargs)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                f"{error}; pip install pandas pyarrow, which is the extra tworay[pandas]"
            ) from error


def frames(report: Report, nodes: Nodes) -> dict[str, pl.DataFrame]:
    """Return all tables of a run by name: flows, ledger, series; with the names of its nodes."""
    return named(from_tables(report.tables()), nodes)


def named(tables: dict[str, pl.DataFrame], nodes: Nodes) -> dict[str, pl.DataFrame]:
    """Return tables with columns of names beside the numbers of nodes and flows, if any node has a name."""
    rows = tables["flows"].select("flow", "from", "to").to_dicts() if "flows" in tables else []
    flows = nodes.flows(rows, "flow")
    return {name: Table(nodes.flow_column(nodes.columns(frame), flows)) for name, frame in tables.items()}


def from_tables(tables: list[tuple[str, list[_Column]]]) -> dict[str, pl.DataFrame]:
    """Return tables of the core by name."""
    return {name: Table([_series(column) for column in columns]) for name, columns in tables}


def _series(column: _Column) -> pl.Series:
    name = column[0]
    if column[1] == "f64":
        # NaN means "no value" in the core; a data frame says null.
        return pl.Series(name, np.frombuffer(column[2], dtype="<f8"), dtype=pl.Float64, nan_to_null=True)
    if column[1] == "i64":
        return pl.Series(name, np.frombuffer(column[2], dtype="<i8"), dtype=pl.Int64)
    if column[1] == "i64?":
        # The smallest integer means "no value" in the core.
        values = pl.Series(name, np.frombuffer(column[2], dtype="<i8"), dtype=pl.Int64)
        return values.set(values == np.iinfo(np.int64).min, None)
    texts, places = column[2]
    if column[1] == "str?":
        values = pl.Series(name, np.frombuffer(places, dtype="<i8"), dtype=pl.Int64)
        return pl.Series(name, texts, dtype=pl.String).gather(
            values.set(values == np.iinfo(np.int64).min, None)
        )
    return pl.Series(name, texts, dtype=pl.String).gather(np.frombuffer(places, dtype="<i8"))
