"""Derived columns of an experiment, computed from models, kept tables or bins."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tworay.analysis import stats
from tworay.histograms import Rule, histogram
from tworay.papers.kept import BREAK, MSS, doublings, file_of, notices
from tworay.papers.replays import replayed
from tworay.papers.roundtrips import round_trips_told
from tworay.papers.wiredcolumns import wired

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def freeze_probing_model(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add the ratio of modelled to simulated bytes for Freeze-Probing's own model, in four forms.

    ``model.usable`` and ``model.refined`` are the model's two forms with n the number of probes;
    ``model.frozen`` is the refined form with n = total frozen time / T0; ``model.measured`` is the refined
    form over the time in which the sender was neither stopped nor waiting for a timeout.
    """
    del where
    from tworay.models.freeze_probing import FreezeProbing

    names = ("usable", "refined", "frozen", "measured")
    found: dict[str, list[float | None]] = {f"model.{name}": [] for name in names}
    # The first flow is the TCP flow; the others are load.
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


# Seconds: half a second after the route break, everything in flight has arrived.
DRAINED, END = BREAK + 0.5, 100.0
# End of the plateau of the smoothed round-trip time in figure 3.2b of Papanastasiou (2006), s.
PLATEAU = 38.0


def restoration(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add when routing notices the route break, the first new acknowledgment, and the timeouts before it.

    ``noticed_seconds`` is the time at which D declares its link to E broken (null if it never does), and
    ``restored_seconds`` that at which the window grows again (the end of the run if it never does);
    ``expiries`` counts the doublings of the timeout between the break and that time. ``srtt.change`` is the
    range of the smoothed round-trip time from the break to 38 s, percent of its mean.
    """
    noticed, restored, expiries, plateau = [], [], [], []
    for world, seed in frame.select("world", "seed").iter_rows():
        noticed.append(notices(pl.read_parquet(file_of(where, "routing", world, seed))).min())
        series = pl.read_parquet(file_of(where, "series", world, seed))
        times, window = series["t_s"].to_list(), series["cwnd_segments"].to_list()
        grown = (t for i, t in enumerate(times) if i and t > DRAINED and window[i] > window[i - 1])
        back = next(grown, END)
        restored.append(back)
        expiries.append(sum(BREAK < t < back for t in doublings(series)))
        times_of = series.filter(pl.col("t_s").is_between(DRAINED, PLATEAU))["srtt_s"].drop_nulls().to_list()
        plateau.append(100 * (max(times_of) - min(times_of)) / stats.mean(times_of) if times_of else 0.0)
    return frame.with_columns(
        pl.Series("noticed_seconds", noticed, dtype=pl.Float64),
        pl.Series("restored_seconds", restored, dtype=pl.Float64),
        pl.Series("expiries", expiries, dtype=pl.Float64),
        pl.Series("srtt.change", plateau, dtype=pl.Float64),
    )


def at_changes(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add means of the segments alive over the times of their changes, as Papanastasiou (2006) averages."""
    columns: dict[str, list[float | None]] = {
        name: [] for name in ("alive.data_at_changes", "alive.ack_at_changes", "alive.all_at_changes")
    }
    for world, seed in frame.select("world", "seed").iter_rows():
        table = pl.read_parquet(file_of(where, "alive", world, seed))
        counts = (
            table["data_segments"],
            table["ack_segments"],
            table["data_segments"] + table["ack_segments"],
        )
        for name, count in zip(columns, counts, strict=True):
            changed = count.filter(count.diff().fill_null(1) != 0)
            columns[name].append(stats.mean(changed.cast(pl.Float64).to_list()))
    return frame.with_columns([pl.Series(name, values, dtype=pl.Float64) for name, values in columns.items()])


COVERED = ("acks-of-1", "acks-of-2", "acks-of-3", "acks-of-4", "acks-of-more")


def ack_coverage(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add the cumulative ACKs of a run, their shares by segments covered, and the mean per ACK."""
    del where
    counts = [json.loads(text)["flows"][0].get("counted", {}) for text in frame["document"]]
    acks = [float(sum(count.get(name, 0) for name in COVERED)) for count in counts]
    pairs = list(zip(counts, acks, strict=True))
    shares = [
        pl.Series(f"share.{name}", [count.get(name, 0) / n if n else None for count, n in pairs])
        for name in COVERED
    ]
    covered = frame["acked_segments"] / pl.Series(acks)
    return frame.with_columns(pl.Series("acks", acks), covered.alias("covered"), *shares)


RULES: tuple[Rule, ...] = ("freedman-diaconis", "sturges")
# Limit between short and long paths in Papanastasiou 2006, hops.
LONG = 3.0


def _kept(where: Path, table: str, world: str, seed: int, column: str) -> pl.Series:
    """Return a column of a kept table; empty where an earlier form of the experiment did not keep it."""
    file = file_of(where, table, world, seed)
    return pl.read_parquet(file)[column].drop_nulls() if file.is_file() else pl.Series(column, [], pl.Float64)


def pair_lengths(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add the mean shortest path of a topology's pairs, and the share of pairs above three hops.

    The share is given as measured, and with every pair at the middle of its bin. The bins are those of all
    pairs of a cell, by Freedman and Diaconis' rule and by Sturges'.
    """
    columns: dict[str, list[float | None]] = {"pairs.mean_hops": [], "pairs.long": []}
    columns |= {f"pairs.long.{rule}": [] for rule in RULES}
    cells = {
        cell: {
            seed: _kept(where, "pairs", world, seed, "hops")
            for world, seed in part.select("world", "seed").iter_rows()
        }
        for (cell,), part in frame.group_by("cell")
    }
    for cell, seed in frame.select("cell", "seed").iter_rows():
        hops = cells[cell][seed]
        columns["pairs.mean_hops"].append(None if hops.is_empty() else float(hops.to_numpy().mean()))
        columns["pairs.long"].append(None if hops.is_empty() else float((hops > LONG).to_numpy().mean()))
    for rule in RULES:
        edges = {
            cell: np.array(histogram(pl.concat(list(runs.values())).to_list(), rule).edges)
            for cell, runs in cells.items()
        }
        for cell, seed in frame.select("cell", "seed").iter_rows():
            known = edges[cell]
            if cells[cell][seed].is_empty():
                columns[f"pairs.long.{rule}"].append(None)
                continue
            bins = np.clip(np.searchsorted(known, cells[cell][seed], side="right") - 1, 0, len(known) - 2)
            middles = (known[bins] + known[bins + 1]) / 2
            columns[f"pairs.long.{rule}"].append(float((middles > LONG).mean()))
    return frame.with_columns([pl.Series(name, values, dtype=pl.Float64) for name, values in columns.items()])


def called(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add the shares of the true channel losses that the sender called channel, congestion and link failure.

    Null in a run whose sender guessed at no such loss.
    """
    del where
    names = ("channel", "congestion", "link-failure")
    shares: dict[str, list[float | None]] = {name: [] for name in names}
    for text in frame["document"]:
        diagnosis = json.loads(text).get("diagnosis") or {}
        counts = {name: diagnosis.get(name, {}).get("channel", 0) for name in names}
        total = sum(counts.values())
        for name in names:
            shares[name].append(counts[name] / total if total else None)
    return frame.with_columns(
        [pl.Series(f"called.{name}", values, dtype=pl.Float64) for name, values in shares.items()]
    )


def called_within_rto(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add the share of the losses at a node that was off which the sender called channel errors.

    Only in runs without a timeout, in which routing has repaired the path within the timeout; else null.
    """
    del where
    shares: list[float | None] = []
    for text in frame["document"]:
        document = json.loads(text)
        diagnosis = document.get("diagnosis") or {}
        counts = {guess: causes.get("node-down", 0) for guess, causes in diagnosis.items()}
        total = sum(counts.values()) if not any(flow["timeouts"] for flow in document["flows"]) else 0
        shares.append(counts.get("channel", 0) / total if total else None)
    return frame.with_columns(pl.Series("called.within-rto", shares, dtype=pl.Float64))


def apart_from_vegas(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add by how much a run's goodput differs from Vegas' with the same seed, percent, without sign."""
    del where
    vegas = frame.filter(tcp="vegas").select("seed", pl.col("goodput_bps").alias("vegas"))
    return (
        frame.join(vegas, on="seed", how="left", maintain_order="left")
        .with_columns(((pl.col("goodput_bps") / pl.col("vegas") - 1).abs() * 100).alias("apart.vegas"))
        .drop("vegas")
    )


# Largest window of both ends in Papanastasiou 2006, §4.4.1, segments.
WINDOW = 64.0


def peak_window(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add the largest congestion window of each run, segments, and whether it reached the limit of 64."""
    peaks = [
        _kept(where, "series", world, seed, "cwnd_segments").max()
        for world, seed in frame.select("world", "seed").iter_rows()
    ]
    peak = pl.Series("peak_cwnd_segments", peaks, dtype=pl.Float64)
    return frame.with_columns(peak, (peak >= WINDOW).cast(pl.Float64).alias("window.reached"))


# Papanastasiou 2006, §4.3.4, in seconds from the start of the transfer, which here is at 1 s: the end of the
# first slow start, the time from which SCA is ahead, and the ends of a stretch in congestion avoidance.
STARTED, SLOW_START, AHEAD, AVOIDANCE = 1.0, 0.6, 14.0, (6.0, 15.0)


def growth_start(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add what is acknowledged in the first 0.6 and 14 s, and the largest whole window from 6 to 15 s.

    Segments, by a sender's series. A window lets out whole segments only.
    """
    columns: dict[str, list[float | None]] = {"acked.0.6s": [], "acked.14s": [], "peak.6-15s": []}
    for world, seed in frame.select("world", "seed").iter_rows():
        series = pl.read_parquet(file_of(where, "series", world, seed))
        for name, end in (("acked.0.6s", SLOW_START), ("acked.14s", AHEAD)):
            most = series.filter(pl.col("t_s") <= STARTED + end)["acked_bytes"].max()
            columns[name].append(float(str(most or 0)) / MSS)
        first, last = (STARTED + end for end in AVOIDANCE)
        before = series.filter(pl.col("t_s") <= first)["cwnd_segments"].tail(1).to_list()
        during = series.filter(pl.col("t_s").is_between(first, last))["cwnd_segments"].to_list()
        columns["peak.6-15s"].append(float(math.floor(max(before + during))) if before + during else None)
    return frame.with_columns([pl.Series(name, values, dtype=pl.Float64) for name, values in columns.items()])


def forwarders(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add the data segments that full queues dropped in nodes other than the sources of their flows."""
    counts = []
    for world, seed, text in frame.select("world", "seed", "document").iter_rows():
        sources = [flow["from"] for flow in json.loads(text)["flows"]]
        lost = pl.read_parquet(file_of(where, "ledger", world, seed))
        lost = lost.filter((pl.col("cause") == "congestion") & (pl.col("kind") == "data"))
        counts.append(sum(node != sources[flow] for flow, node in lost.select("flow", "node").iter_rows()))
    return frame.with_columns(pl.Series("queue_drops.forwarders", counts, dtype=pl.Float64))


def losses_of_first(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add the share of the first flow's lost data segments that full queues and contention took.

    Null in a run that lost none.
    """
    shares = []
    for world, seed in frame.select("world", "seed").iter_rows():
        lost = pl.read_parquet(file_of(where, "ledger", world, seed))
        causes = lost.filter((pl.col("flow") == 0) & (pl.col("kind") == "data"))["cause"]
        taken = causes.is_in(["congestion", "contention"])
        shares.append(None if taken.is_empty() else float(taken.to_numpy().mean()))
    return frame.with_columns(pl.Series("lost.congestion", shares, dtype=pl.Float64))


# The handoff of an experiment with a single one begins at this time, s.
HANDOFF = 20.0


def one_handoff(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add the time from the end of a handoff to the first new ACK, s, as the mean over the flows.

    A flow that gets none until the end of the run counts until then.
    """
    import tomllib

    ends = {}
    for world, text in pl.read_parquet(where / "cells.parquet").select("world", "toml").iter_rows():
        lengths = (wire["handoffs"]["length"] for wire in tomllib.loads(text)["wire"] if "handoffs" in wire)
        ends[world] = HANDOFF + float(next(lengths).removesuffix("ms")) / 1000
    times = []
    for world, seed, text in frame.select("world", "seed", "document").iter_rows():
        document, end = json.loads(text), ends[world]
        series = pl.read_parquet(file_of(where, "series", world, seed))
        found = []
        for flow in range(len(document["flows"])):
            own = series.filter(pl.col("flow") == flow)
            before = own.filter(pl.col("t_s") <= end)["acked_bytes"].max() or 0
            after = own.filter((pl.col("t_s") > end) & (pl.col("acked_bytes") > before))["t_s"].min()
            found.append(float(str(after or document["sim_seconds"])) - end)
        times.append(stats.mean(found))
    return frame.with_columns(pl.Series("resumed_seconds", times, dtype=pl.Float64))


def order_of_drops(frame: pl.DataFrame, where: Path) -> pl.DataFrame:
    """Add the rank correlation (Spearman) of goodput and drops over the arms of a scenario and a seed.

    Drops are those of the MAC by kind: RTS, data and ACKs, as Papanastasiou (2006, §5.4) adds them up.
    """
    del where
    from scipy.stats import spearmanr

    drops = sum(
        (pl.col(f"mac.drops.{kind}").fill_null(0) for kind in ("rts_cts", "data", "ack")), pl.lit(0.0)
    )
    found: dict[tuple[str, int], float | None] = {}
    for (scenario, seed), part in frame.with_columns(drops.alias("drops")).group_by("scenario", "seed"):
        value = spearmanr(part["goodput_bps"].to_list(), part["drops"].to_list()).statistic
        found[str(scenario), int(str(seed))] = None if math.isnan(value) else float(value)
    ranks = [found[scenario, seed] for scenario, seed in frame.select("scenario", "seed").iter_rows()]
    return frame.with_columns(pl.Series("ranks.goodput_drops", ranks, dtype=pl.Float64))


# By a name in an experiment's `derive`.
DERIVED: dict[str, Callable[[pl.DataFrame, Path], pl.DataFrame]] = {
    "freeze-probing-model": freeze_probing_model,
    "restoration": restoration,
    "wired": wired,
    "at-changes": at_changes,
    "pair-lengths": pair_lengths,
    "ack-coverage": ack_coverage,
    "replayed": replayed,
    "called": called,
    "called-within-rto": called_within_rto,
    "round-trips": round_trips_told,
    "apart-from-vegas": apart_from_vegas,
    "peak-window": peak_window,
    "growth-start": growth_start,
    "forwarders": forwarders,
    "losses-of-first": losses_of_first,
    "one-handoff": one_handoff,
    "order-of-drops": order_of_drops,
}
