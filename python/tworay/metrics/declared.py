"""The metrics of a run: name, unit, definition and direction.

They are declared in the simulator (``crates/tworay-sim/src/results``), where the document is made, and
queried here. Documents, comparisons, tables, ``--metrics`` and their page of the documentation follow this
list. A name that ends in ``.*`` denotes a family: ``mac.sent.*`` stands for ``mac.sent.rts``,
``mac.sent.cts`` and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tworay import _native


class Better(Enum):
    """Which direction is better; ``NEITHER`` if that depends on the question."""

    MORE = "more"
    LESS = "less"
    NEITHER = "–"


class Of(Enum):
    """Definition of the value of a run."""

    SUM = "sum over the flows"
    MEAN = "mean over the flows that have one"
    RUN = "one value a run"


@dataclass(frozen=True)
class Metric:
    """One metric, or a family of them."""

    name: str
    unit: str
    definition: str
    source: str
    of: Of
    better: Better
    group: str
    # In tables: heading with the unit shown there, factor from the metric's own unit, format.
    heading: str
    scale: float
    form: str

    @property
    def title(self) -> str:
        """Heading in tables: its own, or the name."""
        return self.heading or self.name.rpartition(".")[2]

    def holds(self, name: str) -> bool:
        """Tell whether ``name`` is this metric, or a member of this family."""
        return name.startswith(self.name[:-1]) if self.name.endswith(".*") else name == self.name


# What flows of several kinds have beside goodput, each by itself: TCP flows, and datagrams.
OF_TRANSFERS = (
    "completed_transfers",
    "transfer_seconds",
    "transfer_p95_seconds",
    "stalls",
    "stalled_seconds",
    "startup_seconds",
)
OF_EACH = "latency_under_load_seconds"
OF_ONE_FLOW = {True: (OF_EACH, *OF_TRANSFERS), False: (OF_EACH, "delivery_ratio")}
ONE_FLOW = "flow.*"


def _alone() -> str:
    """Return which metrics there are of one flow besides its goodput, for the definition of their family."""
    tcp, datagrams = (
        ", ".join(f"`{name}`" for name in OF_ONE_FLOW[kind] if name != OF_EACH) for kind in (True, False)
    )
    return (
        f"; likewise, with the unit of the metric of all flows, `{OF_EACH}`, of a TCP flow {tcp}, "
        f"of datagrams {datagrams}"
    )


_OF = {"sum": Of.SUM, "mean": Of.MEAN, "run": Of.RUN}
_BETTER = {"more": Better.MORE, "less": Better.LESS, "": Better.NEITHER}


def _declared() -> list[Metric]:
    found = []
    for name, family, group, unit, of, better, definition, source, heading, scale, form in _native.metrics():
        full = f"{name}.*" if family else name
        definition += _alone() if full == ONE_FLOW else ""
        shown = (heading, scale, form)
        found.append(Metric(full, unit, definition, source or "–", _OF[of], _BETTER[better], group, *shown))
    return found


def _air(
    name: str,
    unit: str,
    better: str,
    shown: tuple[str, float, str],
    definition: str,
    source: str = "this project",
) -> Metric:
    """Declare what comparisons of routing measure in captures (``tworay.running.air``)."""
    return Metric(f"air.{name}", unit, definition, source, Of.RUN, _BETTER[better], "air", *shown)


_OF_AIR = (
    _air(
        "routing_packets", "packets", "less", ("routing packets", 1.0, ",.1f"),
        "transmissions of control packets of routing, retries of the MAC included",
        "Broch et al. 1998",
    ),
    _air(
        "routing_bytes", "B", "less", ("routing kB", 1e-3, ",.1f"),
        "bytes above the link layer of these transmissions, and those that routing adds to transmissions of "
        "other packets (DSR's options, batman-adv's encapsulation)",
        "Broch et al. 1998",
    ),
    _air(
        "routing_airtime_seconds", "s", "less", ("routing airtime s", 1.0, ",.2f"),
        "time on the air of these packets with their preambles, RTS, CTS and ACKs, and of the bytes added to "
        "others, summed over the nodes",
    ),
    _air(
        "airtime_seconds", "s", "", ("airtime s", 1.0, ",.1f"),
        "time on the air of all frames, summed over the nodes",
    ),
    _air(
        "next_hop_changes", "count", "", ("next-hop changes", 1.0, ",.1f"),
        "number of times that a node sent data of a TCP flow to another next hop than the data before",
    ),
    _air(
        "breaks", "count", "less", ("breaks", 1.0, ",.1f"),
        "number of times that a TCP flow lost data to a broken path after some had arrived; losses before it "
        "goes on belong to the same break",
    ),
    _air(
        "heal_seconds", "s", "less", ("time to heal s", 1.0, ",.2f"),
        "mean time from the root cause of a break's first loss to the arrival of data that left its source "
        "later, so with the sender's timer; breaks that last until the end count until then",
    ),
)  # fmt: skip
METRICS = (*_declared(), *_OF_AIR)
# By chapter of the page; the simulator lists them in its order.
GROUPS: dict[str, tuple[Metric, ...]] = {
    chapter: tuple(metric for metric in METRICS if metric.group == chapter)
    for chapter in dict.fromkeys(metric.group for metric in METRICS)
}
