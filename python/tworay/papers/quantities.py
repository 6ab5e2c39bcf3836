"""What claims are about, beyond the metrics of a run: sums and ratios of them, and derived columns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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


def freeze_probing_model(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add modelled over simulated bytes of Freeze-Probing's own model, in three readings.

    ``model.usable`` and ``model.refined`` are the model's forms with n the number of probes;
    ``model.frozen`` is the refined one with n = all frozen time / T0; ``model.measured``
    the refined one over the time in which the sender was neither stopped nor waiting for a timeout.
    """
    del where
    from tworay.models.freeze_probing import FreezeProbing

    names = ("usable", "refined", "frozen", "measured")
    found: dict[str, list[float | None]] = {f"model.{name}": [] for name in names}
    # The first flow is TCP's; the others load the network.
    for text in frame["document"]:
        document = json.loads(text)
        row, seconds = document["flows"][0], document["sim_seconds"]
        rtt, sent = row["mean_rtt_seconds"], row["sent_bps"] * seconds / 8
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


# When D and E of the route break lose each other; what was in flight then has arrived half a second later.
BREAK, DRAINED, END = 35.0, 35.5, 100.0
# The retransmission timer has expired where the timeout doubles.
DOUBLED = 1.9


def restoration(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add when the first new acknowledgment came after the route break, and expiries before it.

    ``restored_seconds`` is the time at which the window grows again (the run's end if it never does);
    ``expiries`` counts doublings of the timeout from the break to then.
    """
    restored, expiries = [], []
    for world, seed in frame.select("world", "seed").iter_rows():
        series = pl.read_parquet(where / "tables" / "series" / f"{world}-{seed}.parquet")
        times, window, timeout = (series[name].to_list() for name in ("t_s", "cwnd_segments", "rto_s"))
        grown = (t for i, t in enumerate(times) if i and t > DRAINED and window[i] > window[i - 1])
        back = next(grown, END)
        doubled = (t for i, t in enumerate(times) if i and timeout[i] > DOUBLED * timeout[i - 1])
        restored.append(back)
        expiries.append(sum(BREAK < t < back for t in doubled))
    return frame.with_columns(
        pl.Series("restored_seconds", restored, dtype=pl.Float64),
        pl.Series("expiries", expiries, dtype=pl.Float64),
    )


def wired(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add the system's goodput, EEE, UAR and fairness as the TCP-Probing study has them.

    Flows come and go, so each counts for the time in which it was there. Throughput_max is what saturating
    sources put on the path: each fills its own access link while it is there.
    """
    import tomllib

    from tworay._native import Scenario
    from tworay.running.resources import eee, uar

    texts = dict(pl.read_parquet(where / "cells.parquet").select("world", "toml").iter_rows())
    tomls = {world: tomllib.loads(text) for world, text in texts.items()}
    rates = {}
    for world, toml in tomls.items():
        scenario = Scenario.from_toml(texts[world], world, "")
        rates[world] = [scenario.access_bps(flow["from"]) for flow in toml["flow"]]
    columns: dict[str, list[float | None]] = {
        "system_goodput_bps": [],
        "eee": [],
        "uar": [],
        "fairness.throughput": [],
    }
    for world, text in frame.select("world", "document").iter_rows():
        document, toml = json.loads(text), tomls[world]
        bits = 8 * float(toml["tcp"]["mss"].removesuffix("B"))
        seconds = [
            flow["acked_segments"] * bits / flow["goodput_bps"] if flow["goodput_bps"] else 0.0
            for flow in document["flows"]
        ]
        total = document["sim_seconds"]
        good = sum(f["goodput_bps"] * s for f, s in zip(document["flows"], seconds, strict=True)) / total
        sent = sum(f["sent_bps"] * s for f, s in zip(document["flows"], seconds, strict=True)) / total
        most = sum(rate * s for rate, s in zip(rates[world], seconds, strict=True)) / total
        squares = sum(f["sent_bps"] ** 2 for f in document["flows"])
        whole = sum(f["sent_bps"] for f in document["flows"])
        columns["system_goodput_bps"].append(good)
        columns["eee"].append(eee(sent, good, most))
        columns["uar"].append(uar(sent, good, most))
        columns["fairness.throughput"].append(whole**2 / (len(seconds) * squares) if squares else None)
    # UAR and EEE of the document would need a run of saturated sources.
    return frame.with_columns([pl.Series(name, values, dtype=pl.Float64) for name, values in columns.items()])


# By the name that an experiment's `derive` has.
DERIVED: dict[str, Callable[[pl.DataFrame, Path], pl.DataFrame]] = {
    "freeze-probing-model": freeze_probing_model,
    "restoration": restoration,
    "wired": wired,
}


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
