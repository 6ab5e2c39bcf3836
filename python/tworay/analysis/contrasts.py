"""Statistics of a sweep: means per cell, corrected paired differences, interactions.

All cells of a sweep use the same seeds, so cells are compared seed by seed. Holm's correction covers all
tests of one table.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay.analysis import stats
from tworay.analysis.stats import SIGNIFICANT
from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from os import PathLike

    from matplotlib.figure import Figure

Group = dict[tuple[str, ...], dict[int, float]]
# Verdicts of a contrast: of differences that are clear, of others, and of those that have no test.
CLEAR = ("above", "below")
UNCLEAR, TOO_FEW = "no difference found", "too few seeds"


@dataclass(frozen=True)
class Contrast:
    """Differences of pairs, cell by cell: ``frame`` has one row per pair and cell.

    Its columns: the axes of ``by``; ``a`` and ``b``, the two values of ``over`` that are compared; their
    means over the common seeds; ``difference`` a − b with ``low`` and ``high`` (paired 95 % t interval), the
    same in ``percent`` of b's mean with ``percent_low`` and ``percent_high``; ``p`` of the paired test and
    ``p_holm`` over all rows; ``n`` seeds; ``verdict``: above, below, no difference found, or too few seeds.
    """

    metric: str
    over: str
    by: tuple[str, ...]
    frame: pl.DataFrame
    means: pl.DataFrame

    def conclusion(self) -> str:
        """Say how many of the differences are clear, and of how many these seeds can't tell."""
        verdicts = self.frame["verdict"].to_list()
        clear, few = sum(one in CLEAR for one in verdicts), verdicts.count(TOO_FEW)
        test = f"Holm p < {SIGNIFICANT:g} over the whole table"
        text = f"{clear} of {len(verdicts)} paired differences are clear ({test})."
        if few:
            have = "has" if few == 1 else "have"
            text += f" {few} {have} too few seeds: it takes {stats.FEWEST_PAIRS} or more."
        return text

    def plot(self, output: str | PathLike[str] | None = None, *, kind: str | None = None) -> Figure:
        """Draw the means by the first axis of ``by`` with their intervals, also into the file ``output``."""
        from tworay.showing.drawing import draw

        rows = self.by[0] if self.by else self.over
        return draw(self.means, self.metric, rows=rows, lines=self.over, output=output, kind=kind)

    def _repr_html_(self) -> str:
        from tworay.showing.notebook import contrast_html

        return contrast_html(self)

    def to_pandas(self) -> Any:
        """Return the frame as a pandas data frame."""
        from tworay.running.frames import Table

        return Table(self.frame).to_pandas()


def resolve(axis: str, axes: Sequence[str], option: str) -> str:
    """Find an axis by its name or by the end of its name (``speed`` of ``mobility.max_speed``)."""
    if axis in axes:
        return axis
    near = [name for name in axes if name.endswith((f".{axis}", f"_{axis}"))]
    if len(near) == 1:
        return near[0]
    raise InputError(f"{option}: there is no axis `{axis}`; this sweep has {', '.join(axes)}")


def select(
    frame: pl.DataFrame, where: Mapping[str, object], axes: Sequence[str], option: str = "--where"
) -> pl.DataFrame:
    """Select the runs whose axes have these values (one, or a list)."""
    for key, value in where.items():
        axis = resolve(key, axes, option)
        wanted = [str(one) for one in value] if isinstance(value, list | tuple) else [str(value)]
        there = frame[axis].unique(maintain_order=True).to_list()
        for one in wanted:
            if one not in there:
                raise InputError(
                    f"{option}: {axis} has no value `{one}`; it has {', '.join(map(str, there))}"
                )
        frame = frame.filter(pl.col(axis).is_in(wanted))
    return frame


def groups(frame: pl.DataFrame, keys: Sequence[str], metric: str) -> Group:
    """Return the metric by seed of every combination of keys; a combination of several cells is rejected."""
    if metric not in frame.columns:
        raise InputError(f"--metric: this sweep has no `{metric}`; `tworay metrics` lists what runs have")
    cells: dict[tuple[str, ...], set[int]] = {}
    found: Group = {}
    for *place, cell, seed, value in frame.select([*keys, "cell", "seed", metric]).iter_rows():
        key = tuple(map(str, place))
        cells.setdefault(key, set()).add(cell)
        if value is not None:
            found.setdefault(key, {})[seed] = float(value)
    for key, numbers in cells.items():
        if len(numbers) > 1:
            where = ", ".join(f"{axis} = {value}" for axis, value in zip(keys, key, strict=True))
            missing = _varying(frame.filter(pl.col("cell").is_in(numbers)), keys)
            raise InputError(
                f"{len(numbers)} cells fall together{f' in {where}' if where else ''}, since they differ in "
                f"{missing}: name every axis that varies (--rows, --cols), or fix it (--where AXIS=VALUE)"
            )
    return found


def _varying(frame: pl.DataFrame, keys: Sequence[str]) -> str:
    """Return the axes, other than ``keys``, in which the cells of runs differ."""
    axes = frame.columns[: frame.columns.index("seed")] if "seed" in frame.columns else []
    others = [axis for axis in axes if axis not in ("cell", "world", *keys)]
    return " and ".join(axis for axis in others if frame[axis].n_unique() > 1) or "another axis"


def on_common_seeds(frame: pl.DataFrame, alike: Sequence[str]) -> pl.DataFrame:
    """Return the runs with seeds that all cells with the same values of the axes ``alike`` have.

    Seeds are worlds: means over different ones differ by chance, however alike the cells are.
    """
    cells = pl.col("cell").n_unique()
    every = frame.with_columns(_cells=cells.over(alike) if alike else cells)
    return every.filter(cells.over([*alike, "seed"]) == pl.col("_cells")).drop("_cells")


def _still(frame: pl.DataFrame, keys: Sequence[str], cells: Collection[int]) -> set[tuple[str, ...]]:
    """Return the combinations of keys whose runs are equal with all seeds."""
    places = frame.select([*keys, "cell"]).unique().iter_rows()
    return {tuple(map(str, place)) for *place, cell in places if cell in cells}


def _first(by_seed: Mapping[int, float]) -> dict[int, float]:
    return dict(itertools.islice(by_seed.items(), 1))


def means(
    frame: pl.DataFrame,
    keys: Sequence[str],
    metric: str,
    still: Collection[int] = (),
    level: float = 0.95,
) -> pl.DataFrame:
    """Return mean, t interval of this level and number of seeds of every combination of keys.

    Cells in ``still``, whose runs are equal with all seeds, count as one run.
    """
    rows = []
    same = _still(frame, keys, still)
    for key, by_seed in groups(frame, keys, metric).items():
        values = list((_first(by_seed) if key in same else by_seed).values())
        interval = stats.t_interval(values, level)
        rows.append(
            {
                **dict(zip(keys, key, strict=True)),
                "mean": stats.mean(values),
                "low": interval.low if interval else None,
                "high": interval.high if interval else None,
                "std": stats.std(values),
                "n": len(values),
                "values": values,
            }
        )
    schema: Any = {
        **dict.fromkeys(keys, pl.String),
        "mean": pl.Float64,
        "low": pl.Float64,
        "high": pl.Float64,
    }
    return pl.DataFrame(
        rows, schema={**schema, "std": pl.Float64, "n": pl.Int64, "values": pl.List(pl.Float64)}
    )


def difference(a: Mapping[int, float], b: Mapping[int, float], level: float = 0.95) -> dict[str, Any]:
    """Compare two cells over their common seeds; percentages are of b's mean."""
    seeds = sorted(a.keys() & b.keys())
    left, right = [a[s] for s in seeds], [b[s] for s in seeds]
    differences = stats.differences(left, right)
    interval = stats.t_interval(differences, level)
    base = stats.mean(right)
    scale = 100 / base if base else None
    row: dict[str, Any] = {
        "mean_a": stats.mean(left),
        "mean_b": base,
        "difference": stats.mean(differences),
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }
    for name, of in (("percent", "difference"), ("percent_low", "low"), ("percent_high", "high")):
        row[name] = row[of] * scale if scale is not None and row[of] is not None else None
    return row | {"p": stats.paired_p(left, right) if seeds else None, "n": len(seeds)}


def contrast(
    frame: pl.DataFrame,
    axes: Sequence[str],
    metric: str,
    *,
    over: str,
    by: Iterable[str] = (),
    against: str | None = None,
    still: Collection[int] = (),
) -> Contrast:
    """Compare the values of the axis ``over`` in every cell of ``by``: all pairs, or with ``against``.

    Two cells in ``still``, whose runs are equal with all seeds, are compared by one seed: without a test.
    """
    by = tuple(resolve(axis, axes, "--rows") for axis in by)
    over = resolve(over, axes, "--cols")
    found = groups(frame, [*by, over], metric)
    same = _still(frame, [*by, over], still)
    labels = list(dict.fromkeys(key[-1] for key in found))
    if against is not None and against not in labels:
        raise InputError(f"--against: {over} has no value `{against}`; it has {', '.join(labels)}")
    rows, untested = [], []
    for place in dict.fromkeys(key[:-1] for key in found):
        pairs = (
            [(a, against) for a in labels if a != against] if against else itertools.combinations(labels, 2)
        )
        for a, b in pairs:
            if (*place, a) in found and (*place, b) in found:
                left, right = found[*place, a], found[*place, b]
                fixed = {(*place, a), (*place, b)} <= same
                if fixed:
                    left = _first(left)
                between = difference(left, right)
                untested.append(not fixed and between["n"] < stats.FEWEST_PAIRS)
                rows.append({**dict(zip(by, place, strict=True)), "a": a, "b": b, **between})
    corrected = stats.holm([one["p"] for one in rows])
    for one, p, few in zip(rows, corrected, untested, strict=True):
        one["p_holm"] = p
        if p is not None and p < SIGNIFICANT:
            above, below = CLEAR
            one["verdict"] = above if one["difference"] > 0 else below
        else:
            one["verdict"] = TOO_FEW if few else UNCLEAR
    numbers = ("mean_a", "mean_b", "difference", "low", "high", "percent", "percent_low", "percent_high", "p")
    schema: Any = {
        **dict.fromkeys([*by, "a", "b"], pl.String),
        **dict.fromkeys(numbers, pl.Float64),
        "n": pl.Int64,
        "p_holm": pl.Float64,
        "verdict": pl.String,
    }
    return Contrast(
        metric, over, by, pl.DataFrame(rows, schema=schema), means(frame, [*by, over], metric, still)
    )


def interaction(frame: pl.DataFrame, axes: Sequence[str], metric: str, one: str, other: str) -> pl.DataFrame:
    """Return the interactions of two axes: how far each cell is from the sum of the axes' effects.

    Per seed, y(i, j) − y(i, 0) − y(0, j) + y(0, 0), with 0 the first value of each axis; mean, 95 % t
    interval, and p of the paired test, corrected over the table.
    """
    one, other = resolve(one, axes, "interaction"), resolve(other, axes, "interaction")
    found = groups(frame, [one, other], metric)
    first = list(dict.fromkeys(key[0] for key in found))
    second = list(dict.fromkeys(key[1] for key in found))
    rows = []
    for a, b in itertools.product(first[1:], second[1:]):
        corners = [
            found.get(key, {}) for key in ((a, b), (a, second[0]), (first[0], b), (first[0], second[0]))
        ]
        seeds = sorted(set.intersection(*(set(corner) for corner in corners)))
        together = [corners[0][s] + corners[3][s] for s in seeds]
        apart = [corners[1][s] + corners[2][s] for s in seeds]
        rows.append(
            {
                one: a,
                other: b,
                **difference(dict(zip(seeds, together, strict=True)), dict(zip(seeds, apart, strict=True))),
            }
        )
    for row, p in zip(rows, stats.holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = p
    dropped = ["mean_a", "mean_b", "percent", "percent_low", "percent_high"]
    return pl.DataFrame(rows, infer_schema_length=None).drop(dropped) if rows else pl.DataFrame()
