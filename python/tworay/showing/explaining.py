"""Explain one loss or one pause from the tables of a run: what the sender saw, and what happened.

A pause is a time without new acknowledgments although some are due. By default the longest pauses are
explained, each with the loss of the oldest segment or of the acknowledgment that would have ended it.
"""

from __future__ import annotations

import itertools
import tomllib
from bisect import bisect_left, bisect_right
from collections import Counter
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

from tworay.errors import InputError, OutputError
from tworay.experiment.store.records import SCENARIO
from tworay.metrics.diagnosis import covers
from tworay.naming import Nodes
from tworay.showing.chains import chain
from tworay.showing.changes import behind, changes
from tworay.showing.ending import Endings
from tworay.showing.idleness import held_back, idle_spells
from tworay.showing.numbers import SEQUENCE, Numbers

if TYPE_CHECKING:
    import polars as pl

    from tworay.running.run import Run

# Number of pauses, or bursts of lost datagrams, that are explained by default.
MOMENTS = 10
# A timeout doubles the RTO; RTT samples that raise it as much also change srtt.
BACKED_OFF = 1.5
# From this share of the RTO on, a change of state may be an expiry: the timer may have been started with
# another RTO.
DUE = 0.5
# Tolerance for times in tables, which are floats, s.
MICROSECOND = 1e-6
# Fields of a loss that only this module uses.
UNTOLD = ("byte", "seed", "against")
# Rounding of printed times, s.
HALF_MILLISECOND = 0.5e-3 + 1e-9
# A loss farther from the time asked for is told only if no listed pause has that time, s.
FAR = 0.1
# What stories say of a flow.
OF_FLOW = ("from", "to", "tcp", "protocol")
# Columns of the sender's state that a reaction may change.
CHANGING = ("cwnd_segments", "ssthresh_segments", "rto_s")

Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True, repr=False)
class Explanation:
    """Moments of one flow as a document; ``str()``, and the last line of a notebook's cell, is plain text."""

    document: dict[str, Any]

    def __str__(self) -> str:
        from tworay.showing.wording import text

        return text(self.document)

    __repr__ = __str__


def explain(run: Run, *, flow: int | str | None = None, at: float | None = None) -> Explanation:
    """Explain the loss next to ``at``, in seconds, or without it the longest pauses of a flow, or of all."""
    if flow is None and at is None and len(run.summary["flows"]) > 1:
        return _of_all(run)
    about = _choose(run, flow)
    seconds = run.summary["sim_seconds"]
    if at is not None and not (isinstance(at, int | float) and 0 <= at <= seconds):
        shown = f"{at:g}" if isinstance(at, float) else str(at)
        raise InputError(f"--at {shown}: this run lasts from 0 to {seconds:g} s; choose a time of it")
    seen = _Flow(run, about)
    moments = seen.moments() if at is None else [seen.moment_at(at)]
    names = run.summary.get("names")
    return Explanation(
        {
            **({"names": names} if names else {}),
            "scenario": run.scenario,
            "seed": run.seed,
            "flow": about["id"],
            "from": about["from"],
            "to": about["to"],
            "tcp": about["tcp"],
            **({"protocol": about["protocol"]} if "protocol" in about else {}),
            "at_s": at,
            "lost": len(seen.lost),
            "under_way": seen.alive[-1]["data_segments"] if seen.alive and not seen.is_tcp else 0,
            "idle": [{"begin_s": begin, "end_s": end} for begin, end in seen.idle],
            "moments": moments,
        }
    )


def _of_all(run: Run) -> Explanation:
    """Explain the longest pauses of all flows; each moment names its flow."""
    documents = [explain(run, flow=about["id"]).document for about in run.summary["flows"]]
    found = [moment | {"flow": one["flow"]} for one in documents for moment in one["moments"]]

    def length(moment: Row) -> float:
        pause = moment["pause"]
        return float(pause["end_s"] - pause["begin_s"]) if pause else 0.0

    longest = sorted(found, key=length, reverse=True)[:MOMENTS]
    nobody: Row = dict.fromkeys(("flow", "from", "to", "tcp"))
    nobody |= {key: sum(d[key] for d in documents) for key in ("lost", "under_way")}
    nobody |= {"idle": [s for d in documents for s in d["idle"]]}
    flows = {str(one["flow"]): {key: one[key] for key in OF_FLOW if key in one} for one in documents}
    begin = lambda moment: (moment["pause"] or {"begin_s": moment["loss"]["t_s"]})["begin_s"]  # noqa: E731
    return Explanation(documents[0] | nobody | {"flows": flows, "moments": sorted(longest, key=begin)})


def _choose(run: Run, flow: int | str | None) -> dict[str, Any]:
    """Return the document of the requested flow, or of the only one."""
    flows = {one["id"]: one for one in run.summary["flows"]}
    nodes = Nodes.of(run.summary)
    if flow is None:
        there = nodes.list_flows(flows.values())
        if len(flows) != 1:
            raise InputError(f"which flow? --flow names one of {there}" if flows else "the run has no flows")
        (about,) = flows.values()
        return dict(about)
    return dict(flows[nodes.flow_number(flow, flows.values())])


class _Flow:
    """The tables of a run for one flow."""

    def __init__(self, run: Run, about: dict[str, Any]) -> None:
        self.run, self.about = run, about
        self.is_tcp = about["tcp"] is not None
        self.end: float = run.summary["sim_seconds"]
        self._refuse_incomplete(run)
        number = about["id"]
        self.lost = _rows(run, "ledger", number)
        self.guesses = _rows(run, "guesses", number)
        self.alive = _rows(run, "alive", number)
        self.keeps_resent = "retransmissions" in run.tables
        self.resent = _rows(run, "retransmissions", number)
        self.series = _rows(run, "series", number)
        self.times = [row["t_s"] for row in self.series]
        self.acked = [row["acked_bytes"] for row in self.series]
        self.settings = _settings(run)
        self.changes = changes(run, self.settings)
        frozen = [one for one in run.summary.get("live", {}).get("freezes", []) if one["flow"] == number]
        held = held_back(_rows(run, "phases", number), frozen, self.end)
        completed = about["completion_seconds"]
        end = self.end if completed is None or not self.times else self.times[0] + completed
        self.idle = idle_spells(self.series, held, end)
        self.numbers = Numbers(run, about, self.settings)
        self.endings = Endings(run, about)
        for row in (*self.lost, *self.resent, *self.guesses):
            row["against"] = self.is_tcp and self.numbers.against(row)
            row["byte"] = self._byte(row) if self.is_tcp else row["seq"]
            if self.numbers.known:
                row["relative_seq"] = self.numbers.relative(row)

    def _refuse_incomplete(self, run: Run) -> None:
        counted = sum(kinds["data"] + kinds["ack"] for kinds in run.summary["ledger"].values())
        if "ledger" not in run.tables or counted > run.tables["ledger"].height:
            raise InputError(
                "this run has no table `ledger` with a row for each loss; run it again with --out, or in "
                "Python with losses=True"
            )
        if self.is_tcp and run.tables["series"].is_empty():
            raise InputError(
                "this run has no table `series` of what its senders saw; run it again with --out, or in "
                "Python with series=True"
            )

    def _byte(self, row: Row) -> int:
        """Return the payload before a sequence number; -1 for a SYN's."""
        first = (self.numbers.relative(row) - 1) % SEQUENCE
        if row["against"]:
            # What is acknowledged of this direction is not kept.
            return -1 if first == SEQUENCE - 1 else first
        place = bisect_right(self.times, row["t_s"]) - 1
        near = self.acked[place] if place >= 0 else 0
        return first + SEQUENCE * round((near - first) / SEQUENCE)

    def moments(self) -> list[Row]:
        """Explain the longest pauses in order of time; of datagrams, the longest bursts of losses."""
        if not self.is_tcp:
            return [self._moment(burst[0], None, burst) for burst in self._bursts()]
        pauses = self._longest(self._pauses())
        return [self._moment(self._behind(pause), pause) for pause in sorted(pauses)]

    def moment_at(self, at: float) -> Row:
        """Explain what happened at a time: a loss or a pause that has it, else the nearest loss.

        Times are printed in milliseconds, so the time of a listed loss or pause finds that one.
        """
        pauses = [] if not self.is_tcp else self._pauses()
        if not self.lost:
            around = [(begin, end) for begin, end in pauses if begin <= at <= end]
            return self._moment(None, around[-1] if around else None)
        loss = min(self.lost, key=lambda row: (_distance(row, at), row["kind"] != "data", row["t_s"]))
        away = _distance(loss, at)[0]
        pause = self._listed(pauses, at) if away > HALF_MILLISECOND else None
        if pause is None and away > FAR and "segments" in self.run.tables:
            # A record says where the packets waited; a loss at another time explains nothing.
            pause = next((one for one in reversed(pauses) if one[0] <= at <= one[1]), None)
        if pause and (away > FAR or min(abs(at - pause[0]), abs(at - pause[1])) <= HALF_MILLISECOND):
            return self._moment(self._behind(pause), pause) | {"of": "pause"}
        if not self.is_tcp:
            return self._moment(loss, None)
        until = self._repaired(loss)
        between = [
            (begin, end)
            for begin, end in pauses
            if end > loss["since_s"]
            and (until is None or begin < until)
            and (loss["kind"] != "ack" or self._in_time([loss], (begin, end)))
        ]
        # A loss in flight during one pause often causes a later one: that is its own.
        caused = [pause for pause in between if self._behind(pause) is loss]
        longest = max(caused or between, key=lambda pause: pause[1] - pause[0], default=None)
        return self._moment(loss, longest, until=until)

    def _longest(self, pauses: list[tuple[float, float]]) -> list[tuple[float, float]]:
        return sorted(pauses, key=lambda pause: (pause[0] - pause[1], pause[0]))[:MOMENTS]

    def _listed(self, pauses: list[tuple[float, float]], at: float) -> tuple[float, float] | None:
        """Return the longest pause around a time, if it is one of those that are listed."""
        around = [
            (begin, end)
            for begin, end in self._longest(pauses)
            if begin - HALF_MILLISECOND <= at <= end + HALF_MILLISECOND
        ]
        # Pauses follow each other without a gap: the one that begins there is meant.
        return max(around, default=None)

    def _pauses(self) -> list[tuple[float, float]]:
        """Return the times between advances of the acknowledgments, to the run's end or the flow's.

        Idle spells are left out: a pause begins when something is sent again.
        """
        if not self.series:
            return []
        marks = [self.times[0]]
        marks += [self.times[i] for i in range(1, len(self.times)) if self.acked[i] > self.acked[i - 1]]
        if self.about["completion_seconds"] is None:
            marks.append(self.end)
        idle = dict(self.idle)
        pauses = [(idle.get(begin, begin), end) for begin, end in itertools.pairwise(marks)]
        return [(begin, end) for begin, end in pauses if begin < end]

    def _behind(self, pause: tuple[float, float]) -> Row | None:
        """Return the loss that caused the pause.

        The oldest unacknowledged segment, or else an acknowledgment beyond it: if it had arrived, the pause
        would have ended.
        """
        una = self.acked[bisect_right(self.times, pause[0]) - 1]
        before = self._in_time([row for row in self.lost if row["since_s"] < pause[1]], pause)
        firsts = {una, -1} if una == 0 else {una}
        # The answer to the SYN flows against the flow.
        oldest = [
            row
            for row in before
            if row["kind"] == "data" and row["byte"] in firsts and (not row["against"] or row["byte"] < 0)
        ]
        beyond = [row for row in before if row["kind"] == "ack" and row["byte"] > una and not row["against"]]
        return min(oldest or beyond, key=lambda row: row["since_s"], default=None)

    def _in_time(self, lost: list[Row], pause: tuple[float, float]) -> list[Row]:
        """Return the losses that aren't too late to have caused a pause."""
        una, done = (self.acked[bisect_right(self.times, time) - 1] for time in pause)
        # A receiver's numbers never decrease: an ACK of more than the pause's end brought was sent later.
        most = done if done > una else inf
        latest = self.endings.latest(pause)
        return [
            row
            for row in lost
            if not (row["kind"] == "ack" and not row["against"] and row["byte"] > most)
            and not self.endings.too_late(row, latest)
        ]

    def _part(self, loss: Row) -> str:
        """Return the kind of the lost segment."""
        if not self.is_tcp:
            return "datagram"
        if loss["kind"] == "data" and loss["byte"] < 0:
            return "syn"
        if loss["against"]:
            return f"other-{loss['kind']}"
        if loss["kind"] == "ack":
            return "ack"
        # Already acknowledged and never retransmitted: the receiver's own FIN.
        known = loss["byte"] < self.acked[max(bisect_right(self.times, loss["since_s"]) - 1, 0)]
        again = any(row["byte"] == loss["byte"] and not row["against"] for row in self.resent)
        return "fin" if known and not again and self.keeps_resent else "data"

    def _bursts(self) -> list[list[Row]]:
        """Return the longest bursts of lost datagrams."""
        bursts: list[list[Row]] = []
        for row in sorted(self.lost, key=lambda row: (row["byte"], row["t_s"])):
            if bursts and row["byte"] <= bursts[-1][-1]["byte"] + 1:
                bursts[-1].append(row)
            else:
                bursts.append([row])
        bursts = sorted(bursts, key=lambda burst: (-len(burst), burst[0]["t_s"]))[:MOMENTS]
        return sorted(bursts, key=lambda burst: burst[0]["t_s"])

    def _repaired(self, loss: Row) -> float | None:
        """Return when the lost data was acknowledged, or a later acknowledgment replaced the lost one."""
        if loss["against"] and loss["byte"] >= 0:
            return None
        if loss["byte"] < 0:
            open_after = self.about["handshake_seconds"]
            return None if open_after is None else self.times[0] + open_after
        place = bisect_left(self.acked, loss["byte"] + (loss["kind"] == "data"))
        return self.times[place] if place < len(self.times) else None

    def _moment(
        self,
        loss: Row | None,
        pause: tuple[float, float] | None,
        burst: list[Row] | None = None,
        until: float | None = None,
    ) -> Row:
        """Return the document of a loss and a pause; reactions to ``until`` if that is after the pause."""
        begin = loss["since_s"] if loss else pause[0] if pause else 0.0
        repaired = self._repaired(loss) if loss and self.is_tcp else None
        end = pause[1] if pause else max(loss["t_s"] if loss else begin, repaired or begin)
        everything = burst or [row for row in self.lost if row["t_s"] >= begin and row["since_s"] <= end]
        others = [row for row in everything if row is not loss]
        # A segment lost before the pause is noticed during it.
        told = max(end, until or end)
        reactions = self._reactions(min(begin, pause[0]) if pause else begin, told)
        guess = next((row for row in self.guesses if begin <= row["t_s"] <= told), None)
        found: Row = {
            "pause": pause
            and {
                "begin_s": pause[0],
                "end_s": pause[1],
                "to_the_end": pause[1] >= self.end,
                "after_idle": any(end == pause[0] for _, end in self.idle),
                "from_start": pause[0] == self.times[0],
            },
            "burst": burst and {"first": burst[0]["seq"], "last": burst[-1]["seq"], "datagrams": len(burst)},
            "loss": loss and {key: value for key, value in loss.items() if key not in UNTOLD},
            "part": loss and self._part(loss),
            "change": self._change(loss),
            "queue_limit": self.settings.get("mac", {}).get("queue_limit")
            if loss and loss["died"] == "ifq"
            else None,
            "others_lost": [
                {"kind": kind, "cause": cause, "segments": count}
                for (kind, cause), count in sorted(Counter((r["kind"], r["cause"]) for r in others).items())
            ],
            "sender": self._state(begin),
            "in_network": self._in_network(begin),
            "reactions": reactions,
            "guess": guess
            and {
                **{key: guess[key] for key in ("t_s", "seq", "guess", "cause")},
                # Results stored by earlier versions lack the second view.
                "cause_by_outcome": guess.get("cause_by_outcome", guess["cause"]),
                "right": covers(guess["guess"], guess["cause"]),
            },
            "guesses_in_run": len(self.guesses),
            "sent_again": self._sent_again(loss, end) if self.keeps_resent and self.is_tcp else None,
            "acknowledged_s": repaired,
        }
        since = self._silent_since(pause[0]) if pause else None
        return found | {"chain": chain(self.run, self.about, found, self.changes, since)}

    def _change(self, loss: Row | None) -> Row | None:
        """Return the change of the network that made the hop of a loss fail."""
        change = behind(self.changes, loss) if loss else None
        return None if change is None else {"t_s": change.t_s, "text": change.text}

    def _silent_since(self, begin: float) -> float:
        """Return when something was last acknowledged before a pause; 0 if nothing was.

        That is before an idle spell, if the pause follows one.
        """
        if not self.times or begin <= self.times[0]:
            return 0.0
        return next((start for start, end in self.idle if end == begin), begin)

    def _state(self, time: float) -> Row | None:
        """Return the sender's state just before an event."""
        place = max(bisect_left(self.times, time) - 1, 0)
        return (
            {k: v for k, v in self.series[place].items() if k not in ("seed", "flow")}
            if self.series
            else None
        )

    def _in_network(self, time: float) -> Row | None:
        """Return the number of the flow's segments in the network."""
        place = bisect_left(self.alive, time, key=lambda row: row["t_s"]) - 1
        if place < 0:
            return None
        return {key: self.alive[place][key] for key in ("data_segments", "ack_segments")}

    def _reactions(self, begin: float, end: float) -> list[Row]:
        """Return the sender's reactions to silence or duplicate ACKs, without new acknowledgments."""
        again: dict[float, list[Row]] = {}
        for row in self.resent:
            if begin <= row["t_s"] <= end and not row["against"]:
                again.setdefault(row["t_s"], []).append(row)
        first = max(bisect_left(self.times, begin), 1)
        times = {*self.times[first : bisect_right(self.times, end)], *again}
        found: list[Row] = []
        for time in sorted(times):
            old = self.series[max(bisect_left(self.times, time) - 1, 0)]
            new = self.series[max(bisect_right(self.times, time) - 1, 0)]
            if new["acked_bytes"] != old["acked_bytes"]:
                continue
            progress = self.times[bisect_left(self.acked, old["acked_bytes"])]
            silent = time - max([progress, *(row["t_s"] for row in found[-1:])])
            what = _reaction(old, new, again.get(time, []), silent)
            if what is not None:
                changes = {key: [old[key], new[key]] for key in CHANGING}
                found.append({"t_s": time, "what": what} | changes)
        return found

    def _sent_again(self, loss: Row | None, end: float) -> list[Row]:
        """Return when the lost segment was retransmitted; for a lost ACK, segments that it covered."""
        if loss is None or loss["byte"] < 0:
            return []
        rows = [
            row for row in self.resent if loss["since_s"] < row["t_s"] and row["against"] == loss["against"]
        ]
        if loss["kind"] == "data":
            rows = [row for row in rows if row["byte"] == loss["byte"]]
        else:
            rows = [row for row in rows if row["byte"] < loss["byte"] and row["t_s"] <= end]
        return [{key: row[key] for key in ("t_s", "seq", "phase")} for row in rows]


def _reaction(old: Row, new: Row, again: list[Row], silent: float) -> str | None:
    """Name the sender's reaction between two states without a new acknowledgment.

    ``silent``: time since an acknowledgment or a reaction last restarted the timer, s.
    """
    if new["rto_s"] >= BACKED_OFF * old["rto_s"] and new["srtt_s"] == old["srtt_s"]:
        # Vegas backs off its RTO when duplicate ACKs bring a retransmission, too.
        if any(row["phase"] == "recovery" for row in again):
            return "fast-retransmit"
        # A timer that isn't due doesn't expire: after a SYN's loss the RTO rises to 3 s with the handshake
        # (RFC 6298, 5.7), and a kernel's state is a sample that comes after its retransmission.
        if silent >= DUE * old["rto_s"]:
            return "timeout"
    # An expiry that doesn't change the state (RTO at its limit) is recognized by its retransmission.
    oldest = any(row["phase"] == "rto_recovery" and row["byte"] == old["acked_bytes"] for row in again)
    if oldest and silent >= old["rto_s"] - MICROSECOND:
        return "timeout"
    if new["cwnd_segments"] < old["cwnd_segments"] or new["ssthresh_segments"] < old["ssthresh_segments"]:
        return "fast-retransmit" if again else "window-cut"
    return None


def _rows(run: Run, table: str, flow: int) -> list[Row]:
    import polars as pl

    frame: pl.DataFrame | None = run.tables.get(table)
    return [] if frame is None or frame.is_empty() else frame.filter(pl.col("flow") == flow).to_dicts()


def _settings(run: Run) -> dict[str, Any]:
    """Return the complete scenario if the run knows it."""
    try:
        return tomllib.loads(run.to_keep()[SCENARIO])
    except (OutputError, KeyError):
        return {}


def _distance(row: Row, at: float) -> tuple[float, float]:
    """Return the distance of a time from the two printed times of a loss, and from the span between them.

    A loss printed with this time comes first, then one whose span has it, then the nearest.
    """
    begin, end = float(row["since_s"]), float(row["t_s"])
    printed = min(abs(begin - at), abs(end - at))
    outside = max(begin - at, at - end, 0.0)
    return (
        (printed, printed) if printed <= HALF_MILLISECOND else (max(outside, 2 * HALF_MILLISECOND), printed)
    )
