"""The extent of a comparison: everything, or a subset that takes a few minutes."""

from __future__ import annotations

from dataclasses import dataclass

from studies.peers.verdicts import Judging

VARIANTS = ("tahoe", "reno", "newreno", "sack")
RTS = {"full": 0, "partial": 500, "none": 3000}
"""RTS strategies of Papanastasiou 2006, as thresholds in bytes."""


@dataclass(frozen=True)
class Plan:
    """Hops, seeds and files of every chapter."""

    name: str
    judging: Judging
    static_hops: tuple[int, ...]
    aodv_hops: tuple[int, ...]
    reported_aodv_hops: tuple[int, ...]
    ns3_hops: tuple[int, ...]
    rts_hops: dict[str, tuple[int, ...]]
    """By routing protocol."""
    seeds: int
    string_seeds: int
    """For strings against ns-2: with few timeouts per run, the means of twenty seeds vary too much."""
    ns3_seeds: int
    ns3_moving_seeds: int
    """Movements of ``strip-50``, one per seed."""
    olsr_hops: tuple[int, ...]
    olsr_seeds: int
    """For strings over OLSR in ns-3: few HELLOs are lost, and goodput varies with them."""
    olsr_tables_seeds: int
    """Movements on which the routes of all nodes are counted; each has over a thousand changes."""
    moving: tuple[tuple[int, int], ...]
    """Movement files: maximum speed in m/s, seed."""
    moving_seeds: int
    suite_seeds: int
    air_seeds: int
    """For today's radios, whose single hops and stations differ little from seed to seed."""
    air_chain_seeds: int
    """For their strings, which differ by factors without RTS."""

    def seed_range(self, count: int | None = None) -> range:
        """Return seeds 1 to ``count``, by default ``seeds``."""
        return range(1, (count or self.seeds) + 1)


FULL = Plan(
    name="full",
    judging=Judging.MEANS,
    static_hops=tuple(range(1, 13)),
    aodv_hops=tuple(range(1, 7)),
    reported_aodv_hops=(7, 8, 10, 12),
    ns3_hops=(1, 2, 3, 4, 6, 8),
    rts_hops={"static": (3, 4, 5, 6, 8), "aodv": (3, 4, 5, 6)},
    seeds=10,
    string_seeds=40,
    ns3_seeds=3,
    ns3_moving_seeds=10,
    olsr_hops=(2, 3, 4, 6, 8),
    olsr_seeds=5,
    olsr_tables_seeds=3,
    moving=tuple((speed, seed) for speed in (5, 20) for seed in range(1, 6)),
    moving_seeds=10,
    suite_seeds=8,
    air_seeds=3,
    air_chain_seeds=30,
)

QUICK = Plan(
    name="quick",
    judging=Judging.INTERVALS,
    static_hops=(1, 2, 4, 8),
    aodv_hops=(2, 4, 6),
    reported_aodv_hops=(),
    ns3_hops=(2, 4),
    rts_hops={"static": (4,), "aodv": (4,)},
    seeds=3,
    string_seeds=3,
    ns3_seeds=2,
    ns3_moving_seeds=2,
    olsr_hops=(4,),
    olsr_seeds=2,
    olsr_tables_seeds=2,
    moving=((5, 1), (5, 3), (20, 1), (20, 4)),
    moving_seeds=2,
    suite_seeds=2,
    air_seeds=2,
    air_chain_seeds=4,
)
