"""Energy and resources as Psaras et al. measure them: EEE, UAR, and the Throughput_max that both need.

Sources: Mamatas and Tsaoussidis, "Protocol behavior: more effort, more gains?", PIMRC 2004, as used in the
TCP-Probing study (Psaras, Mamatas, Tsaoussidis, section 5.2). The formulas compare throughputs with each
other, so all must have the same unit and be over the same time. Here they are bit/s, summed over the flows,
over the time from the start of the first flow (or the end of the warm-up) to the end of the run. A flow's
own rates are over its own time, which is shorter if it starts later or completes; they count with its
``measured_share``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tworay.running.scenarios import Source, load

if TYPE_CHECKING:
    from tworay.running.run import Run
    from tworay.running.scenarios import Scenario

EEE_EFFORT, EEE_IDLE = 1.0, 0.3
"""Weights a and b of EEE as that study prints them. Its text derives b from an idle power of 70 % of the
transmit power, which would be b = 0.7."""
UAR_THROUGHPUT, UAR_GOODPUT = 0.5, 0.5


def _share(part: float, whole: float) -> float:
    """Return ``part / whole``, clamped to 0..1; 0 where there is no whole."""
    return min(1.0, max(0.0, part / whole)) if whole > 0 else 0.0


def eee(throughput: float, goodput: float, maximum: float, *, idle: float = EEE_IDLE) -> float:
    """Extra energy expenditure, 0 (none) to 1 (all effort wasted).

    ``a (T - G) / T_max + b (T_max - T) / T_max`` with a = 1 and b = ``idle``. T is everything the sender
    transmitted (retransmissions, headers and probes included), G what its application received, T_max
    see ``tworay.running.run.throughput_max``. Shares are clamped to 0..1: T > T_max is possible because
    the medium reacts to the load.
    """
    return EEE_EFFORT * _share(throughput - goodput, maximum) + idle * _share(maximum - throughput, maximum)


def uar(throughput: float, goodput: float, maximum: float) -> float:
    """Unexploited available resources, 0 (all used) to 1 (none).

    ``1 - (0.5 T / T_max + 0.5 G / T)``; with T = 0 nothing is used and UAR is 1.
    """
    return 1 - (UAR_THROUGHPUT * _share(throughput, maximum) + UAR_GOODPUT * _share(goodput, throughput))


def saturated(scenario: Source) -> Scenario:
    """Return the same scenario with every TCP flow replaced by datagrams at the radio's full rate.

    Datagrams have the size of full TCP segments, headers included, and are sent until the end of the run.
    Energy is not counted: capacity must not depend on batteries.
    """
    return load(scenario).saturated()


def over_all(flow: dict[str, Any], rate: str) -> float:
    """Return a flow's rate over the time of all flows, bit/s; ``rate`` names one of its own rates."""
    # Documents from before the key count a flow as if it lasted for the whole run, as they did then.
    return float(flow[rate] * flow.get("measured_share", 1.0))


def with_resources(document: dict[str, Any], maximum: float) -> dict[str, Any]:
    """Return a run's document with ``metrics.eee`` and ``metrics.uar`` filled in.

    ``maximum`` is the Throughput_max of the run's scenario and seed, bit/s over the time of all flows.
    """
    sent = sum(over_all(flow, "sent_bps") for flow in document["flows"])
    goodput = sum(over_all(flow, "goodput_bps") for flow in document["flows"])
    result = dict(document)
    result["metrics"] = dict(document["metrics"]) | {
        "eee": eee(sent, goodput, maximum),
        "eee_idle70": eee(sent, goodput, maximum, idle=0.7),
        "uar": uar(sent, goodput, maximum),
        "throughput_max_bps": maximum,
    }
    return result


def carried(outcome: Run) -> float:
    """Return the rate at which datagrams left their sources, bit/s over the time of all flows."""
    total = 0.0
    for flow, lost in zip(outcome.summary["flows"], outcome.lost_at_source, strict=True):
        sent = flow["sent_segments"]
        if sent:
            total += over_all(flow, "sent_bps") * (sent - lost) / sent
    return total
