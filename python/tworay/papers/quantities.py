"""What claims are about, beyond the metrics of a run: sums and ratios of them, and derived columns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

OPERATORS = ("+", "-", "*", "/")


def with_quantity(frame: pl.DataFrame, expression: str) -> pl.DataFrame:
    """Add a column named after the expression: metrics and numbers with ``+ - * /`` between blanks."""
    if expression in frame.columns:
        return frame
    words = expression.split(" ")
    if len(words) % 2 == 0:
        raise InputError(f"`{expression}` is no expression; write metrics with + - * / between blanks")
    # Products first, then sums.
    terms: list[pl.Expr] = [_operand(frame, words[0])]
    signs = ["+"]
    for operator, word in zip(words[1::2], words[2::2], strict=True):
        if operator not in OPERATORS:
            raise InputError(f"`{expression}`: `{operator}` is no operator; allowed are + - * /")
        value = _operand(frame, word)
        if operator in "+-":
            signs.append(operator)
            terms.append(value)
        else:
            terms[-1] = terms[-1] * value if operator == "*" else terms[-1] / value
    total = terms[0]
    for sign, term in zip(signs[1:], terms[1:], strict=True):
        total = total + term if sign == "+" else total - term
    return frame.with_columns(total.alias(expression))


def _operand(frame: pl.DataFrame, word: str) -> pl.Expr:
    try:
        return pl.lit(float(word))
    except ValueError:
        pass
    if word not in frame.columns:
        # A family's member that never occurred in any run was counted zero times.
        if word.partition(".")[0] in ("ledger", "mac", "routing", "ignored", "diagnosis"):
            return pl.lit(0.0)
        raise InputError(f"there is no metric `{word}` in these runs; `tworay metrics` lists them")
    return pl.col(word)


def freeze_probing_model(frame: pl.DataFrame) -> pl.DataFrame:
    """Add modelled over simulated bytes of Freeze-Probing's own model, in three readings.

    ``model.usable`` and ``model.refined`` are the model's forms with n the number of probes;
    ``model.frozen`` is the refined one with n = all frozen time / T0; ``model.measured``
    the refined one over the time in which the sender was neither stopped nor waiting for a timeout.
    """
    from tworay.models.freeze_probing import FreezeProbing

    names = ("usable", "refined", "frozen", "measured")
    found: dict[str, list[float | None]] = {f"model.{name}": [] for name in names}
    columns = ("mean_rtt_seconds", "freezes", "probes_sent", "sent_bps", "frozen_seconds", "rto_idle_seconds")
    for row in frame.select(*columns, "sim_seconds").iter_rows(named=True):
        rtt, seconds = row["mean_rtt_seconds"], row["sim_seconds"]
        sent = (row["sent_bps"] or 0.0) * seconds / 8
        if not rtt or not sent:
            for column in found.values():
                column.append(None)
            continue
        probes, freezes = int(row["probes_sent"]), int(row["freezes"])
        model = FreezeProbing(seconds, rtt, freezes, probes)
        frozen = FreezeProbing(seconds, rtt, freezes, round(row["frozen_seconds"] / 2.0))
        sending = max(1e-3, seconds - row["frozen_seconds"] - row["rto_idle_seconds"])
        measured = FreezeProbing(sending, rtt, freezes, 0)
        found["model.usable"].append(model.total_bytes / sent)
        found["model.refined"].append(model.refined_bytes / sent)
        found["model.frozen"].append(frozen.refined_bytes / sent)
        found["model.measured"].append(measured.refined_bytes / sent)
    return frame.with_columns([pl.Series(name, values, dtype=pl.Float64) for name, values in found.items()])


# By the name that an experiment's `derive` has.
DERIVED: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {"freeze-probing-model": freeze_probing_model}


def from_documents(frame: pl.DataFrame, documents: pl.Series) -> pl.DataFrame:
    """Add what documents have beside metrics: the run's length, and how well losses were told apart."""
    found: dict[str, list[float | None]] = {}
    parsed: list[dict[str, Any]] = [json.loads(text) for text in documents]
    rows = [_leaves(document) for document in parsed]
    for name in sorted({name for row in rows for name in row}):
        found[name] = [row.get(name) for row in rows]
    return frame.with_columns([pl.Series(name, values, dtype=pl.Float64) for name, values in found.items()])


def _leaves(document: dict[str, Any]) -> dict[str, float | None]:
    scores = document.get("diagnosis_scores") or {}
    row: dict[str, float | None] = {
        "sim_seconds": document["sim_seconds"],
        "diagnosis.balanced_accuracy": scores.get("balanced_accuracy"),
        "diagnosis.needless": scores.get("needless"),
        "diagnosis.guesses": scores.get("guesses"),
    }
    for kind in ("recall", "precision"):
        for name, value in (scores.get(kind) or {}).items():
            row[f"diagnosis.{kind}.{name}"] = value
    for guess, causes in (document.get("diagnosis") or {}).items():
        row[f"diagnosis.count.{guess}"] = float(sum(causes.values()))
    return row
