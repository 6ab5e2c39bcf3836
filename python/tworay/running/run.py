"""One run of one scenario."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tworay import _native
from tworay.calls import plainly
from tworay.checks import whole
from tworay.errors import InputError, OutputError
from tworay.metrics import TCP
from tworay.metrics.diagnosis import scores
from tworay.naming import Nodes
from tworay.running.memory import Kept, check_memory
from tworay.running.resources import carried, saturated, with_resources
from tworay.running.scenarios import Source, load, overrides, warmup_in
from tworay.running.switching import numbers, renumbered
from tworay.running.watching import watching_one

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike
    from typing import Protocol

    import polars as pl

    from tworay._native import RunControl, _Column
    from tworay.running.control import Variant
    from tworay.running.scenarios import Scenario
    from tworay.showing.bins import Every
    from tworay.showing.explaining import Explanation

    class Report(Protocol):
        """The simulator's report, or one that was carried over from another process."""

        def json(self) -> str:
            """Return the document."""

        def lost_at_source(self) -> list[int]:
            """Return the data segments of each flow that were lost at their own source."""

        def tables(self) -> list[tuple[str, list[_Column]]]:
            """Return all tables."""


MAX_SEED = 2**64 - 1
# Capacity by the text of the saturated scenario and the seed, bit/s.
_carried: dict[tuple[str, int], float] = {}


def check_seed(seed: int) -> None:
    """Raise ``InputError`` if the simulator has no such seed."""
    if not 0 <= seed <= MAX_SEED:
        raise InputError(f"seed {seed} is out of range; allowed are 0 to {MAX_SEED}")


class Run:
    """A finished run: the JSON document as ``summary``, the tables as polars data frames."""

    def __init__(self, report: Report, world: Scenario | None = None) -> None:
        self._report: Report | None = report
        self._frames: dict[str, pl.DataFrame] | None = None
        self._text: str | None = None
        self._world = world
        self._kept: dict[str, str] | None = None
        self.summary: dict[str, Any] = json.loads(report.json())
        self.summary["diagnosis_scores"] = scores(self.summary["diagnosis"])

    def __getstate__(self) -> dict[str, Any]:
        """Pickle documents and tables, without the simulator's objects."""
        kept = self.to_keep() if self._world is not None or self._kept is not None else None
        lost = self._report.lost_at_source() if self._report else self._lost
        return {
            "text": self.json,
            "frames": self.tables,
            "kept": kept,
            "summary": self.summary,
            "lost": lost,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._report, self._world = None, None
        from tworay.running.frames import named

        self._text, self._kept, self.summary = state["text"], state["kept"], state["summary"]
        # Tables of earlier versions have numbers of nodes only.
        self._frames = named(state["frames"], Nodes.of(self.summary))
        self._lost: list[int] | None = state.get("lost")

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Run:
        """Read a directory that ``save`` or ``tworay run --out`` wrote."""
        from tworay.experiment.store.results import read_run

        result = cls.__new__(cls)
        result.__setstate__(read_run(Path(path)))
        return result

    def table_of(self, name: str) -> pl.DataFrame:
        """Return a table of the run, such as ``series``, ``ledger`` or ``transfers``: ``tables[name]``."""
        if name not in self.tables:
            raise InputError(f"the run has no table `{name}`; it has {', '.join(sorted(self.tables))}")
        return self.tables[name]

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write tables, ``summary.json`` and the complete scenario into a directory."""
        from tworay.experiment.store.results import Store

        Store.of_run(Path(path), self, force=force).write_single(self)

    def to_keep(self) -> dict[str, str]:
        """Return the files that repeat the run: the complete scenario and the files it names."""
        if self._kept is None:
            if self._world is None:
                raise OutputError("this run does not know its scenario")
            from tworay.experiment.store.results import keep

            self._kept = keep(self._world)
        return self._kept

    @property
    def warmup(self) -> float:
        """The scenario's warm-up, s, which figures of flows exclude and tables don't."""
        if self._kept is not None:
            return warmup_in(next(iter(self._kept.values())))
        return 0.0 if self._world is None else warmup_in(self._world.to_toml())

    def __repr__(self) -> str:
        return f"<tworay.Run {self.scenario} seed={self.seed} goodput={self.goodput_bps / 1000:.1f} kb/s>"

    def _repr_html_(self) -> str:
        from tworay.showing.notebook import run_html

        return run_html(self)

    @property
    def json(self) -> str:
        """The simulator's JSON document; equal runs give equal bytes, except ``cpu_seconds``."""
        if self._text is None:
            self._text = self._report.json() if self._report else json.dumps(self.summary)
        return self._text

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """All tables by name."""
        if self._frames is None:
            from tworay.running.frames import frames

            self._frames = frames(self._report, Nodes.of(self.summary)) if self._report else {}
        return self._frames

    @property
    def flows(self) -> pl.DataFrame:
        """One row per flow: goodput, retransmissions, timeouts, means."""
        return self.tables["flows"]

    @property
    def ledger(self) -> pl.DataFrame:
        """One row per lost segment: its true cause (the root), and how and where it ended (``died``)."""
        return self.tables["ledger"]

    @property
    def guesses(self) -> pl.DataFrame:
        """One row per guess of a sender about the cause of a loss, with the true cause."""
        return self.tables["guesses"]

    @property
    def series(self) -> pl.DataFrame:
        """Time series per flow: cwnd, ssthresh, srtt, rto, in flight (empty without ``series=True``)."""
        return self.tables["series"]

    def goodput_over_time(
        self, intervals: int | str | None = None, *, every: Every | None = None
    ) -> pl.DataFrame:
        """Return the rate of acknowledged payload in intervals of the run, a row per flow and interval.

        ``intervals`` is the number of equal ones (as many as in plots: ``tworay.showing.bins.INTERVALS``),
        ``every`` their width instead, in seconds or as text, ``"200ms"``; the last one ends with the run.
        ``acknowledged_bps`` is what the sender knows of the goodput. In a short interval it may exceed any
        link's rate, since one acknowledgment covers all that waited for a repaired loss. Its mean is less
        than the goodput if much of what arrived was not yet acknowledged at the end.
        """
        from tworay.experiment.overtime import of_run
        from tworay.showing.bins import Bins

        return of_run(self, Bins.of(intervals, every))

    @property
    def retransmissions(self) -> pl.DataFrame:
        """One row per retransmission: when, and in which phase its sender was."""
        return self.tables["retransmissions"]

    def explain(self, *, flow: int | str | None = None, at: float | None = None) -> Explanation:
        """Explain losses and pauses of a flow: plain text, with the data in ``.document``.

        With ``at``, a time in seconds, explains the nearest loss, or of a recorded run far from losses the
        delay; without, the longest times without new acknowledgments. ``flow`` is a number, or names of its
        ends, ``"barn:gw"`` or one end if it has one flow only; it is optional if the run has one flow.
        """
        from tworay.showing.explaining import explain

        return explain(self, flow=flow, at=at)

    @property
    def scenario(self) -> str:
        """Name of the scenario."""
        return str(self.summary["scenario"])

    @property
    def seed(self) -> int:
        """Seed of the run."""
        return int(self.summary["seed"])

    @property
    def lost_at_source(self) -> list[int]:
        """Data segments of each flow that were lost at their own source and so never used the network."""
        lost = self._report.lost_at_source() if self._report else self._lost
        if lost is None:
            raise OutputError("losses at the source are not stored with a run; run it again")
        return lost

    @property
    def goodput_bps(self) -> float:
        """In-order payload that reached the receiving applications, bit/s, summed over the TCP flows.

        Over all flows if none uses TCP; ``summary["flows"]`` has each one.
        """
        return float(sum(flow["goodput_bps"] for flow in TCP.of(self.summary["flows"])))

    @property
    def throughput_bps(self) -> float:
        """Sent payload, bit/s, retransmissions included, summed over the flows."""
        return self._sum("throughput_bps")

    @property
    def retransmitted_segments(self) -> int:
        """Segments sent more than once, summed over the flows."""
        return int(self._sum("retransmitted_segments"))

    @property
    def timeouts(self) -> int | None:
        """Retransmission timeouts, summed over the flows that count them; ``None``: none does.

        Kernels before Linux 6.7 don't count them.
        """
        counted = [flow["timeouts"] for flow in self.summary["flows"] if flow["timeouts"] is not None]
        return sum(counted) if counted or not self.summary["flows"] else None

    def _sum(self, key: str) -> float:
        return sum(flow[key] or 0 for flow in self.summary["flows"])


@plainly
def run(
    scenario: Source,
    *,
    seed: int = 1,
    tcp: Variant | None = None,
    set: Mapping[str, object] | Iterable[str] | str | None = None,
    series: bool = True,
    losses: bool = True,
    record: bool = False,
    control: RunControl | None = None,
    pcap: str | PathLike[str] | None = None,
    animation: str | PathLike[str] | None = None,
    resources: bool = False,
    costs: str | PathLike[str] | None = None,
    out: str | PathLike[str] | None = None,
    force: bool = False,
) -> Run:
    """Run a scenario once. The same scenario, seed and version give the same result on any machine.

    ``series`` records the time series (cwnd and so on), ``losses`` the rows of ``ledger`` and ``guesses``
    (without it the document has no ``diagnosis``; without both there are no ``retransmissions`` either, and a
    long run takes no more memory than a short one), ``record`` every segment, frame, queue length, route and
    position, as tables of the run. ``control`` lets another thread stop the run. ``pcap`` names a file
    for a capture of every frame (Wireshark), ``animation`` one for positions and the first 100000 packets
    (NetAnim). ``resources`` measures EEE and UAR, which needs a second run with saturating sources
    (``tworay.running.resources``). ``costs`` names a table of computing costs to use instead of the
    scenario's. ``out`` names a directory for tables, ``summary.json`` and the complete scenario, as
    ``Run.save`` writes them; ``force`` replaces an earlier run there. ``tworay.write_report(out)`` adds the
    page for the browser, as ``tworay run --out`` does. Raises ``ScenarioError``, ``RunError`` or
    ``Cancelled``.
    """
    seed = whole(seed, "the seed")
    check_seed(seed)
    world = load(scenario, tcp=tcp, set=set, costs=costs)
    store = None
    if out is not None:
        from tworay.experiment.store.results import Store

        # Reject the directory before the run, not after it.
        store = Store(Path(out), "run", force=force, scenario=world, details={"seed": seed})
    check_memory([world], seed, kept=Kept(series, record))
    with watching_one(f"{world.name}, seed {seed}", control) as control:
        result = Run(_native.run(world, seed, series, control, pcap, animation, losses, record), world)
    # Those of a loaded scenario are numbered by its caller, who knows the settings.
    result = renumbered(result, numbers(overrides(set), world.flows))
    if resources:
        result.summary = with_resources(result.summary, throughput_max(world, seed))
    if store is not None:
        store.write_single(result)
    return result


def throughput_max(scenario: Source, seed: int = 1) -> float:
    """Return the Throughput_max of Psaras et al.: the rate of saturating sources in this scenario.

    It is in bit/s, summed over the sources, over the time from the start of the first flow (or the end of
    the warm-up) to the end of the run.
    Datagrams lost at their own source (its queue is always full) don't count; later losses don't matter.
    Results are cached in the process: all variants of a comparison share one run per seed.
    """
    import hashlib

    aggressive = saturated(scenario)
    key = (hashlib.sha256(aggressive.to_toml().encode()).hexdigest(), seed)
    if key not in _carried:
        _carried[key] = carried(run(aggressive, seed=seed, series=False, losses=False))
    return _carried[key]
