"""Quantities of claims beyond the metrics of a run: expressions of metrics, and further columns."""

from __future__ import annotations

import json
from typing import Any

import polars as pl

from tworay.errors import InputError

OPERATORS = ("+", "-", "*", "/")


def with_quantity(frame: pl.DataFrame, expression: str) -> pl.DataFrame:
    """Add a column named after the expression: metrics and numbers with ``+ - * /``, separated by blanks.

    Raises:
        InputError: a metric or operator is unknown.

    """
    if expression in frame.columns:
        return frame
    words = expression.split(" ")
    if len(words) % 2 == 0:
        raise InputError(f"`{expression}` is not an expression; separate metrics and + - * / by blanks")
    # Products before sums.
    terms: list[pl.Expr] = [_operand(frame, words[0])]
    signs = ["+"]
    for operator, word in zip(words[1::2], words[2::2], strict=True):
        if operator not in OPERATORS:
            raise InputError(f"`{expression}`: `{operator}` is not an operator; allowed are + - * /")
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
        # A member of a family that occurred in no run has no column: its count is zero.
        if word.partition(".")[0] in ("ledger", "mac", "routing", "ignored", "diagnosis", "counted"):
            return pl.lit(0.0)
        raise InputError(f"there is no metric `{word}` in these runs; `tworay metrics` lists them")
    return pl.col(word)


def from_documents(frame: pl.DataFrame, documents: pl.Series) -> pl.DataFrame:
    """Add values of the documents that are not metrics: duration, scores of the diagnosis, shares."""
    found: dict[str, list[float | None]] = {}
    parsed: list[dict[str, Any]] = [json.loads(text) for text in documents]
    rows = [_leaves(document) for document in parsed]
    for name in sorted({name for row in rows for name in row}):
        found[name] = [row.get(name) for row in rows]
    return frame.with_columns([pl.Series(name, values, dtype=pl.Float64) for name, values in found.items()])


def _leaves(document: dict[str, Any]) -> dict[str, float | None]:
    scores = document.get("diagnosis_scores") or {}
    row: dict[str, float | None] = {
        "sim_seconds": document.get("sim_seconds"),
        "diagnosis.balanced_accuracy": scores.get("balanced_accuracy"),
        "diagnosis.needless": scores.get("needless"),
        "diagnosis.guesses": scores.get("guesses"),
    }
    flows = document["flows"]
    if len(flows) == 2:
        total = sum(flow["goodput_bps"] for flow in flows)
        row["share.first"] = flows[0]["goodput_bps"] / total if total else None
        for i, flow in enumerate(flows):
            row[f"flow{i}.mean_cwnd_segments"] = flow.get("mean_cwnd_segments")
    for kind in ("recall", "precision"):
        for name, value in (scores.get(kind) or {}).items():
            row[f"diagnosis.{kind}.{name}"] = value
    for guess, causes in (document.get("diagnosis") or {}).items():
        row[f"diagnosis.count.{guess}"] = float(sum(causes.values()))
    return row
