"""Results of runs and comparisons as tables for other programs: means, long form, verdict."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay import metrics
from tworay.analysis import verdict as judging
from tworay.analysis.factors import choices, sender_of, variant_of
from tworay.experiment.numbering import with_numbers
from tworay.naming import Nodes
from tworay.running.frames import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tworay.experiment.comparison import Comparison
    from tworay.running.run import Run

# Metrics of one flow.
OF_FLOW = re.compile(r"flow\.(\d+)\.")
# Columns of the tables; a varied setting of the same name would be another column.
ARM = "variant"


def means(result: Comparison, chosen: Collection[str] | None = None) -> pl.DataFrame:
    """Return one row per arm and metric: what the arm varies, then mean, deviation, intervals, runs, letters.

    ``chosen`` are the metrics; by default all. ``group`` has the letters of the arm: arms that share one
    don't differ in the metric.
    """
    pairs = result.summary["pairs"]
    cells = result.summary["variants"]
    rows = [
        {ARM: variant, "metric": metric, "mean": cell["mean"], "std": cell["std"]}
        | _ends("ci90", cell["ci90"])
        | _ends("ci95", cell["ci95"])
        | {"n": cell["n"]}
        for variant, of in cells.items()
        for metric, cell in of.items()
        if chosen is None or metric in chosen
    ]
    table = with_axes(pl.DataFrame(rows, schema=_MEANS, orient="row"), result)
    groups: dict[tuple[str, str], str] = {}
    for name in table["metric"].unique(maintain_order=True):
        family = [pair for pair in pairs if pair["metric"] == name]
        for arm, letters in judging.letters(judging.ordered(cells, name), family).items():
            if family and not any(judging.undecided(pair, len(family)) for pair in family):
                groups[arm, name] = letters
    letters_of = [groups.get(place) for place in table.select(ARM, "metric").iter_rows()]
    frame = _with_units(table).with_columns(pl.Series("group", letters_of, dtype=pl.String))
    return Table(frame)


def long(result: Comparison, chosen: Collection[str] | None = None) -> pl.DataFrame:
    """Return one row per run and metric that it has: what the arm varies, ``seed``, metric, unit, value."""
    rows = [
        (variant, seed, name, value)
        for variant in result.variants
        for seed, values in result.values(variant).items()
        for name, value in values.items()
        if value is not None
    ]
    schema: Any = {ARM: pl.String, "seed": pl.UInt64, "metric": pl.String, "value": pl.Float64}
    frame = _chosen(pl.DataFrame(rows, schema=schema, orient="row"), chosen)
    named = {
        (variant, seed): result.nodes.flows(document["flows"])
        for variant in result.variants
        for seed, document in result.documents(variant).items()
    }
    places = frame.select(ARM, "seed").iter_rows()
    return Table(with_axes(_with_flows(_with_units(frame), [named[place] for place in places]), result))


def flows(run: Run) -> pl.DataFrame:
    """Return one row per flow of a run, with scenario and seed."""
    return Table(_of_run(run.flows, run))


def long_flows(run: Run, chosen: Collection[str] | None = None) -> pl.DataFrame:
    """Return one row per metric of a run: those of the whole run, and those of each flow by its name."""
    found = metrics.values(run.summary, metrics.TCP)
    rows = [(name, value) for name, value in found.items() if value is not None]
    frame = pl.DataFrame(rows, schema={"metric": pl.String, "value": pl.Float64}, orient="row")
    frame = _chosen(frame, chosen)
    flows = Nodes.of(run.summary).flows(run.summary["flows"])
    return Table(_of_run(_with_flows(_with_units(frame), [flows] * frame.height), run))


def verdict(result: Comparison, metric: str) -> pl.DataFrame:
    """Return the verdict about a metric, one row per arm, best first (``Comparison.verdict``)."""
    (name,) = result.names_of_metrics(metric, "--metric") or [metric]
    document = result.summary
    found = judging.judge(document["variants"], document["pairs"], name)
    ranking = [entry["arm"] for entry in found["ranking"]]
    best = found["best"] if judging.unfit(document, name) is None else []
    family = {(pair["a"], pair["b"]): pair for pair in document["pairs"] if pair["metric"] == name}
    rows = []
    for entry in found["ranking"]:
        arm = entry["arm"]
        cell = document["variants"][arm][name]
        rows.append(
            {
                ARM: arm,
                "group": entry["group"] if best or not found["better"] else None,
                "best": arm in best if best else None,
                "mean": cell["mean"],
                **dict(zip(("ci95_low", "ci95_high"), cell["ci95"] or (None, None), strict=True)),
                "n": cell["n"],
                **_difference(family, arm, ranking[0]),
            }
        )
    return Table(with_axes(pl.DataFrame(rows, schema=_VERDICT, orient="row"), result))


def _ends(name: str, interval: list[float] | None) -> dict[str, float | None]:
    low, high = interval or (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


_MEANS: Any = {ARM: str, "metric": str, "mean": float, "std": float}
_MEANS |= {"ci90_low": float, "ci90_high": float, "ci95_low": float, "ci95_high": float, "n": int}
_VERDICT: Any = {ARM: str, "group": str, "best": bool, "mean": float, "ci95_low": float, "ci95_high": float}
_VERDICT |= {"n": int, "difference": float, "difference_low": float, "difference_high": float}
_VERDICT |= {"holm_p": float}


def _difference(family: dict[tuple[str, str], dict[str, Any]], arm: str, first: str) -> dict[str, Any]:
    """Return the difference of an arm to the first one."""
    pair, sign = family.get((arm, first)), 1
    if pair is None:
        pair, sign = family.get((first, arm)), -1
    if pair is None:
        return dict.fromkeys(("difference", "difference_low", "difference_high", "holm_p"))
    # The negative of no difference is none, too: 0.0, not -0.0.
    low, high = sorted(sign * end + 0.0 for end in pair["ci95"]) if pair["ci95"] else (None, None)
    difference = None if pair["difference"] is None else sign * pair["difference"] + 0.0
    return {
        "difference": difference,
        "difference_low": low,
        "difference_high": high,
        "holm_p": pair["holm_p"],
    }


def _chosen(frame: pl.DataFrame, chosen: Collection[str] | None) -> pl.DataFrame:
    return frame if chosen is None else frame.filter(pl.col("metric").is_in(list(chosen)))


def _with_units(frame: pl.DataFrame) -> pl.DataFrame:
    """Add the unit of each row's metric; of a count or a share ``1``."""
    units = []
    for name in frame["metric"]:
        known = metrics.find(name)
        units.append(known.unit if known else None)
    place = frame.columns.index("metric") + 1
    return frame.clone().insert_column(place, pl.Series("unit", units, dtype=pl.String))


def _with_flows(frame: pl.DataFrame, flows: Sequence[Mapping[int, str]]) -> pl.DataFrame:
    """Add the name of the flow beside its metrics, if nodes have names; ``flows``: those of each row."""
    if not any(flows):
        return frame
    found = [OF_FLOW.match(metric) for metric in frame["metric"]]
    names = [of.get(int(one[1])) if one else None for one, of in zip(found, flows, strict=True)]
    place = frame.columns.index("metric") + 1
    return frame.insert_column(place, pl.Series("flow_name", names, dtype=pl.String))


def with_axes(frame: pl.DataFrame, result: Comparison) -> pl.DataFrame:
    """Add what the arms vary after their names: ``tcp``, what its labels stand for, and each setting."""
    arms = result.summary["arms"]
    settings = list(dict.fromkeys(key for about in arms.values() for key in about["set"]))
    columns = {"tcp": {name: sender_of(about) for name, about in arms.items()}}
    if any(about.get("label") for about in arms.values()):
        columns["tcp (variant)"] = {name: variant_of(about) for name, about in arms.items()}
    columns |= {key: {name: choices(about).get(key) for name, about in arms.items()} for key in settings}
    for place, (key, texts) in enumerate(columns.items(), start=1):
        if key not in frame.columns:
            values = [texts[arm] for arm in frame[ARM]]
            frame.insert_column(place, pl.Series(key, values, dtype=pl.String))
    return with_numbers(frame, settings)


def _of_run(frame: pl.DataFrame, run: Run) -> pl.DataFrame:
    known = [pl.lit(run.scenario).alias("scenario"), pl.lit(run.seed, dtype=pl.UInt64).alias("seed")]
    return frame.select([*known, *(name for name in frame.columns if name not in ("scenario", "seed"))])
