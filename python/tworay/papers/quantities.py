"""Quantities of claims beyond the metrics of a run: expressions of metrics, and further columns."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import polars as pl

from tworay.errors import InputError
from tworay.metrics.diagnosis import NONE, covers
from tworay.showing.drawing import axis_title, scaled

if TYPE_CHECKING:
    from collections.abc import Sequence

OPERATORS = ("+", "-", "*", "/")
# Title with unit, and factor to it, of quantities that are no metrics of runs.
TITLES: dict[str, tuple[str, float]] = {
    "system_goodput_bps": ("goodput of all flows (Mb/s)", 1e-6),
    "eee": ("extra energy expenditure (EEE, 0 to 1)", 1.0),
    "uar": ("unexploited available resources (UAR, 0 to 1)", 1.0),
    "eee.carried": ("EEE by what the wires carry (0 to 1)", 1.0),
    "uar.carried": ("UAR by what the wires carry (0 to 1)", 1.0),
    "fairness.throughput": ("Jain's fairness of throughputs (0 to 1)", 1.0),
    "fairness.goodput": ("Jain's fairness of goodputs (0 to 1)", 1.0),
    "handled.full": ("whole window kept (% of losses)", 100.0),
    "handled.immediate": ("recovered immediately (% of losses)", 100.0),
    "cycles.full": ("whole window kept (% of probe cycles)", 100.0),
    "overhead_bps": ("throughput less goodput of all flows (Mb/s)", 1e-6),
    "lost.on_links": ("lost to errors or handoffs (share of the lost data, 0 to 1)", 1.0),
    "lost.congestion": ("lost to full queues or contention (share of the lost data, 0 to 1)", 1.0),
    "resumed_seconds": ("from the end of a handoff to the first new ACK (s)", 1.0),
    "handled.predicted": ("predicted as contention (% of losses)", 100.0),
    "mac.collisions.data + mac.collisions.ack + mac.collisions.rts_cts": ("collisions (frames)", 1.0),
    "mac.drops.data + mac.drops.ack": ("given up by the MAC (data segments and ACKs)", 1.0),
    "mac.drops.rts_cts + mac.drops.data + mac.drops.ack": ("FAIL TOTAL (exchanges + segments)", 1.0),
    "mac.drops.rts_cts": ("FAIL RTS/CTS (exchanges)", 1.0),
    "mac.drops.data": ("FAIL DATA (segments)", 1.0),
    "mac.drops.ack": ("FAIL ACK (segments)", 1.0),
    "acked_segments": ("acknowledged (segments)", 1.0),
    "flow0.acked_segments": ("flow A (segments)", 1.0),
    "flow1.acked_segments": ("flow B (segments)", 1.0),
    "share.first": ("flow A's share of the goodput (0 to 1)", 1.0),
    "mean_data_alive_segments": ("data in flight (segments, mean over time)", 1.0),
    "mean_ack_alive_segments": ("ACKs in flight (segments, mean over time)", 1.0),
    "alive.data_at_changes": ("data in flight (segments, mean over changes)", 1.0),
    "alive.ack_at_changes": ("ACKs in flight (segments, mean over changes)", 1.0),
    "alive.all_at_changes": ("both in flight (segments, mean over changes)", 1.0),
    "energy.radio_per_received_bit": ("radio (µJ/bit)", 1e6),
    "energy.computing_per_received_bit": ("computing (µJ/bit)", 1e6),
    "energy.joules_total + energy.joules_computation": ("total: radio and computing (J)", 1.0),
    "model.usable": ("modelled by simulated bytes, usable form of the model", 1.0),
    "model.refined": ("modelled by simulated bytes, refined model", 1.0),
    "model.frozen": ("modelled by simulated bytes, n = frozen time / T0", 1.0),
    "model.measured": ("modelled by simulated bytes, over the time of sending", 1.0),
    "diagnosis.balanced_accuracy": ("balanced accuracy of the guesses (0 to 1)", 1.0),
    "called.congestion": ("channel losses called congestion (0 to 1)", 1.0),
    "called.channel": ("channel losses called channel (0 to 1)", 1.0),
    "counted.full-immediate": ("immediate recoveries with the whole window", 1.0),
    "replay.goodput.hop": ("replayed by traced goodput, 802.11b hop", 1.0),
    "expiries": ("timeouts between the break and the first new ACK", 1.0),
    "path_hops": ("shortest path between sender and receiver (hops)", 1.0),
    "mean_hops": ("path of delivered segments (hops)", 1.0),
    "flow.0.goodput_bps": ("goodput of the first transfer (kb/s)", 1e-3),
    "pairs.long": ("pairs above three hops, as measured (0 to 1)", 1.0),
    "pairs.long.freedman-diaconis": ("pairs above three hops, Freedman and Diaconis' bins (0 to 1)", 1.0),
    "pairs.long.sturges": ("pairs above three hops, Sturges' bins (0 to 1)", 1.0),
    "share.acks-of-1": ("ACKs of 1 segment (0 to 1)", 1.0),
    "share.acks-of-2": ("ACKs of 2 segments (0 to 1)", 1.0),
    "share.acks-of-3": ("ACKs of 3 segments (0 to 1)", 1.0),
    "share.acks-of-4": ("ACKs of 4 segments (0 to 1)", 1.0),
    "share.acks-of-more": ("ACKs of more segments (0 to 1)", 1.0),
    "covered": ("segments that an ACK covers (mean)", 1.0),
    "phase_joules.slow_start": ("computing in slow start (J)", 1.0),
    "phase_joules.congestion_avoidance": ("computing in congestion avoidance (J)", 1.0),
    "phase_joules.recovery": ("computing in fast recovery (J)", 1.0),
    "phase_joules.rto_recovery": ("computing in repairs after timeouts (J)", 1.0),
    "energy.joules_per_received_bit": ("energy by received bit (µJ/bit)", 1e6),
    "srtt.change": ("range of the smoothed round-trip time (% of its mean)", 1.0),
    "peak_cwnd_segments": ("largest window (segments)", 1.0),
    "queue_drops.forwarders": ("data lost in full queues of forwarders (segments)", 1.0),
    "ranks.goodput_drops": ("rank correlation of goodput and drops", 1.0),
    "noticed_seconds": ("notice of the broken link by its node D (s)", 1.0),
    "restored_seconds": ("first new ACK after the break (s)", 1.0),
    "pairs.mean_hops": ("mean shortest path (hops)", 1.0),
}


def sum_of(quantities: Sequence[str]) -> str:
    """Return the expression of a sum."""
    return " + ".join(quantities)


def heading(quantity: str) -> tuple[str, float]:
    """Return the title of a quantity with its unit, and the factor to that unit."""
    if known := TITLES.get(quantity):
        return known
    if re.fullmatch(r"goodput_bps / \d+", quantity):
        return "mean goodput of a flow (kb/s)", 1e-3
    return axis_title(quantity), scaled(quantity)[1]


def with_quantity(frame: pl.DataFrame, expression: str) -> pl.DataFrame:
    """Add a column named after the expression: metrics and numbers with ``+ - * /``, separated by blanks.

    It is null where nothing is divided by nothing.

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
    return frame.with_columns(total.cast(pl.Float64).fill_nan(None).alias(expression))


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
            row[f"flow{i}.acked_segments"] = flow.get("acked_segments")
            row[f"flow{i}.rto_idle_seconds"] = flow.get("rto_idle_seconds")
            for phase, seconds in (flow.get("phase_seconds") or {}).items():
                row[f"flow{i}.phase_seconds.{phase}"] = seconds
    row |= _energy(document.get("energy") or {})
    for kind in ("recall", "precision"):
        for name, value in (scores.get(kind) or {}).items():
            row[f"diagnosis.{kind}.{name}"] = value
    for guess, causes in (document.get("diagnosis") or {}).items():
        row[f"diagnosis.count.{guess}"] = float(sum(causes.values()))
        row[f"diagnosis.right.{guess}"] = _right(guess, causes)
    return row


def _right(guess: str, causes: dict[str, int]) -> float | None:
    """Return the precision of a guess after losses; where nothing had been lost, it does not count."""
    losses = {cause: number for cause, number in causes.items() if cause != NONE}
    right = sum(number for cause, number in losses.items() if covers(guess, cause))
    return right / sum(losses.values()) if losses else None


def _energy(energy: dict[str, Any]) -> dict[str, float | None]:
    """Return the energy of the radios and of computing by received payload bit, J/bit."""
    radio, all_ = energy.get("joules_per_received_bit"), energy.get("joules_total_per_received_bit")
    if not radio or not all_:
        return {}
    bits = energy["joules_total"] / all_
    return {
        "energy.radio_per_received_bit": radio,
        "energy.computing_per_received_bit": (energy.get("joules_computation") or 0.0) / bits,
    }
