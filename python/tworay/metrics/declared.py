"""Every metric of a run, declared once: what it is called, its unit, what it means, which way is better.

Documents, comparisons, tables, ``--metrics`` and docs/reference/metrics.md follow this list. A name that
ends in ``.*`` stands for a family: ``mac.sent.*`` are ``mac.sent.rts``, ``mac.sent.cts`` and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Better(Enum):
    """Which way is better; ``NEITHER`` where that depends on the question."""

    MORE = "more"
    LESS = "less"
    NEITHER = "–"


class Of(Enum):
    """What a run's value is made of, and where the document has it."""

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
    of: Of = Of.SUM
    better: Better = Better.NEITHER
    # In tables: heading with the unit shown there, factor from the metric's own unit, format.
    heading: str = ""
    scale: float = 1.0
    form: str = ",.1f"

    @property
    def title(self) -> str:
        """Heading in tables: of its own, or the name."""
        return self.heading or self.name.rpartition(".")[2]

    def holds(self, name: str) -> bool:
        """Tell whether ``name`` is this metric, or of this family."""
        return name.startswith(self.name[:-1]) if self.name.endswith(".*") else name == self.name


MORE, LESS, NEITHER = Better
SUM, MEAN, RUN = Of

RATES = (
    Metric(
        "goodput_bps",
        "bit/s",
        "in-order payload that reached the receiving application, by time from the flow's start (or the "
        "warm-up's end) to the run's end or the flow's completion",
        "001, 004 (original bytes over connection time)",
        better=MORE,
        heading="goodput kb/s",
        scale=1e-3,
    ),
    Metric(
        "flow.*",
        "bit/s",
        "`flow.N.goodput_bps`: goodput of the flow with this id alone",
        "as goodput",
        of=RUN,
        better=MORE,
        heading="goodput kb/s",
        scale=1e-3,
    ),
    Metric(
        "acked_segments",
        "segments",
        "payload acknowledged at the sender, each byte once, in whole segments; of UDP, datagrams received",
        "003 chapters 3 and 5",
        better=MORE,
        heading="acked",
    ),
    Metric(
        "throughput_bps",
        "bit/s",
        "payload sent, retransmissions included",
        "001 without headers",
        heading="throughput kb/s",
        scale=1e-3,
    ),
    Metric(
        "sent_bps",
        "bit/s",
        "everything sent by the sender: TCP and IP headers, retransmissions, probes",
        "001, 004 (T of EEE and UAR)",
        heading="sent kb/s",
        scale=1e-3,
    ),
    Metric(
        "sent_segments",
        "segments",
        "segments with payload sent, retransmissions included; of UDP, datagrams",
        "this project",
        heading="sent",
    ),
    Metric(
        "delivery_ratio",
        "0..1",
        "`acked_segments` by `sent_segments`, at most 1: which share of what was sent brought payload across "
        "(of UDP, the usual packet delivery ratio)",
        "Broch et al. 1998",
        of=MEAN,
        better=MORE,
        heading="delivered %",
        scale=100,
    ),
    Metric(
        "metrics.jain_fairness",
        "1/n..1",
        "(Σx)² / (n Σx²) of the flows' goodputs",
        "Jain, Chiu, Hawe 1984; 004 prints it misspelt",
        of=RUN,
        better=MORE,
        heading="Jain",
        form=".3f",
    ),
    Metric(
        "metrics.least_goodput_bps",
        "bit/s",
        "goodput of the flow that gets least",
        "this project",
        of=RUN,
        better=MORE,
        heading="least flow kb/s",
        scale=1e-3,
    ),
    Metric(
        "metrics.most_goodput_bps",
        "bit/s",
        "goodput of the flow that gets most",
        "this project",
        of=RUN,
        heading="most flow kb/s",
        scale=1e-3,
    ),
)

LOSSES = (
    Metric(
        "retransmitted_segments",
        "segments",
        "segments sent again",
        "002, 003",
        better=LESS,
        heading="retransmitted",
    ),
    Metric(
        "retransmission_ratio",
        "0..1",
        "segments sent again by all segments sent",
        "002, 003",
        of=MEAN,
        better=LESS,
        heading="sent again %",
        scale=100,
    ),
    Metric(
        "timeouts",
        "count",
        "expiries of the retransmission timer with data outstanding",
        "003 §3.4",
        better=LESS,
        heading="timeouts",
    ),
    Metric(
        "rto_idle_seconds",
        "s",
        "time from the last segment sent to each of these expiries, summed",
        "003 §3.4",
        better=LESS,
        heading="idle in RTO s",
    ),
    Metric(
        "ignored.*",
        "count",
        "segments and notices that an end took no heed of: ACKs for data never sent (`ack-too-high`), forged "
        "or unexpected probes (`stray-probe`), word of a broken link with nothing on its way "
        "(`stray-notice`), …",
        "this project",
    ),
    Metric(
        "probes_sent",
        "count",
        "empty probes of the path or of a closed window",
        "001",
        heading="probes",
    ),
    Metric(
        "freezes",
        "count",
        "how often a variant stopped its sender (Freeze-Probing, Probing, ELFN)",
        "001",
    ),
    Metric(
        "frozen_seconds",
        "s",
        "how long it was stopped, stops that are over",
        "001",
        heading="frozen s",
    ),
    Metric(
        "fast_retransmits",
        "count",
        "recoveries entered by duplicate ACKs",
        "RFC 5681",
        heading="fast retransmits",
    ),
    Metric(
        "ledger.*",
        "segments",
        "`ledger.CAUSE.data` and `.ack`: segments of which no copy arrived, by the one true cause, the root "
        "(docs/reference/metrics.md, The ledger)",
        "this project",
        of=RUN,
        better=LESS,
    ),
    Metric(
        "mac.collisions.*",
        "frames",
        "frames lost to overlap at a station they were meant for, by what they carried",
        "003 §5.4 (COL)",
        of=RUN,
        better=LESS,
    ),
    Metric(
        "mac.broadcast_collisions",
        "frames",
        "broadcasts (ARP, routing) lost to overlap, counted at each station that could have read them; they "
        "are never sent again",
        "this project",
        of=RUN,
        better=LESS,
        heading="broadcast collisions",
    ),
    Metric(
        "mac.drops.*",
        "packets",
        "packets given up after the last attempt; `rts_cts`: those whose RTS stayed unanswered, which count "
        "under their own kind too",
        "003 §5.4 (FAIL); `data` + `ack` are distinct segments",
        of=RUN,
        better=LESS,
    ),
    Metric(
        "mac.corrupted.*",
        "frames",
        "frames lost to random errors (`errors.frame_err`) at a station they were meant for",
        '002 ("BER")',
        of=RUN,
    ),
    Metric(
        "mac.queue_drops",
        "packets",
        "refused by a full interface queue",
        "003 §5.4",
        of=RUN,
        better=LESS,
        heading="queue drops",
    ),
    Metric(
        "mac.sent.*", "frames", "frames sent by kind: RTS, CTS, ACK, unicast data, broadcast", "–", of=RUN
    ),
)

ROUTING = (
    Metric(
        "routing.control_packets",
        "packets",
        "routing packets sent, each hop counted",
        "Broch et al. 1998",
        of=RUN,
        better=LESS,
        heading="routing packets",
        form=",.0f",
    ),
    Metric(
        "routing.control_bytes",
        "B",
        "bytes of these, IP headers included",
        "Broch et al. 1998",
        of=RUN,
        better=LESS,
        heading="routing kB",
        scale=1e-3,
    ),
    Metric(
        "routing.load",
        "1",
        "routing packets sent, each hop counted, by data packets that arrived in the whole run (normalised "
        "routing load)",
        "Perkins, Royer, Das and Marina 2001",
        of=RUN,
        better=LESS,
        heading="routing load",
        form=",.3f",
    ),
    Metric(
        "routing.route_changes",
        "count",
        "routes found or changed",
        "this project",
        of=RUN,
        heading="route changes",
    ),
    Metric(
        "routing.false_link_failures",
        "count",
        "link failures reported by the MAC although the neighbour was up and in range",
        "this project",
        of=RUN,
        better=LESS,
        heading="false link failures",
    ),
    Metric(
        "routing.stray_notices",
        "count",
        "word of a broken link that reached a node without a TCP sender to that destination",
        "this project",
        of=RUN,
    ),
    Metric(
        "routing.malformed.*",
        "packets",
        "routing packets dropped because they can't be right, by what is wrong with them; reasons that "
        "didn't occur are left out",
        "this project",
        of=RUN,
    ),
)

TIMES = (
    Metric(
        "mean_cwnd_segments",
        "segments",
        "time-weighted mean of min(cwnd, advertised window)",
        "003 figure 3.11",
        of=MEAN,
        heading="cwnd",
        form=",.2f",
    ),
    Metric(
        "mean_in_flight_segments",
        "segments",
        "sent and not acknowledged, as the sender sees it, time-weighted",
        "003 figure 3.11",
        of=MEAN,
        heading="in flight",
        form=",.2f",
    ),
    Metric(
        "mean_data_alive_segments",
        "segments",
        "data segments that exist in the network (shipped, neither delivered nor lost), time-weighted; table "
        "`alive` has every change",
        "003 figures 3.11 and 5.7, table 5.3 (which averages over changes: docs/studies/thesis-rts.md)",
        of=MEAN,
        heading="data alive",
        form=",.2f",
    ),
    Metric(
        "mean_ack_alive_segments",
        "segments",
        "the same of acknowledgments",
        "003 figures 3.11 and 5.7",
        of=MEAN,
        heading="ACKs alive",
        form=",.2f",
    ),
    Metric(
        "phase_seconds.*",
        "s",
        "time in handshake, slow start (cwnd < ssthresh), congestion avoidance, fast recovery, repair after "
        "a timeout, frozen; they add up to the time from the flow's start to the run's end",
        '003 table 4.3 (whose "RTO" is `rto_idle_seconds` and the repair)',
        of=MEAN,
    ),
    Metric(
        "handshake_seconds",
        "s",
        "from the flow's start to the opening of the connection",
        "003",
        of=MEAN,
        better=LESS,
        heading="handshake s",
        form=",.3f",
    ),
    Metric(
        "connection_seconds",
        "s",
        "first segment sent to last new ACK; a lower bound while `completion_seconds` is null",
        "002 figure 3; endless transfers are censored",
        of=MEAN,
        heading="connection s",
    ),
    Metric(
        "metrics.mean_connection_seconds",
        "s",
        "mean of `connection_seconds` over the TCP flows",
        "002",
        of=RUN,
        heading="connection s",
    ),
    Metric(
        "metrics.unfinished_connections",
        "count",
        "TCP flows that had not ended: their connection times are lower bounds",
        "002",
        of=RUN,
        better=LESS,
        heading="unfinished",
    ),
    Metric(
        "completion_seconds",
        "s",
        "start to the acknowledgment of everything",
        "–",
        of=MEAN,
        better=LESS,
        heading="completion s",
        form=",.2f",
    ),
    Metric(
        "mean_rtt_seconds",
        "s",
        "time-weighted mean of the smoothed round-trip time",
        "RFC 6298",
        of=MEAN,
        better=LESS,
        heading="RTT ms",
        scale=1e3,
        form=",.0f",
    ),
    Metric(
        "mean_delay_seconds",
        "s",
        "one-way delay of data, transport to transport, over first arrivals",
        "–",
        of=MEAN,
        better=LESS,
        heading="delay ms",
        scale=1e3,
    ),
    Metric(
        "jitter_seconds",
        "s",
        "mean difference of the delays of consecutive arrivals",
        "RFC 3550's quantity, unsmoothed",
        of=MEAN,
        better=LESS,
        heading="jitter ms",
        scale=1e3,
    ),
    Metric(
        "mean_hops",
        "hops",
        "hops travelled by arrived data; table `paths` has packets by number of hops",
        "003 (path lengths)",
        of=MEAN,
        heading="hops",
        form=",.2f",
    ),
)

ENERGY = (
    Metric(
        "energy.joules_total",
        "J",
        "radio energy of all nodes",
        "–",
        of=RUN,
        better=LESS,
        heading="radio J",
        form=",.3g",
    ),
    Metric("energy.joules_by_state.*", "J", "the same by state of the radio", "–", of=RUN),
    Metric(
        "energy.joules_per_received_bit",
        "J/bit",
        "transmit + receive + overhear energy of all nodes by payload bits received",
        "002 figure 2 (idle left out)",
        of=RUN,
        better=LESS,
        heading="µJ/bit",
        scale=1e6,
        form=",.3g",
    ),
    Metric(
        "energy.joules_total_per_received_bit",
        "J/bit",
        "the same with idle and sleep",
        "–",
        of=RUN,
        better=LESS,
        heading="µJ/bit with idle",
        scale=1e6,
        form=",.3g",
    ),
    Metric(
        "energy.joules_computation",
        "J",
        "instructions × `energy.instruction` (1 nJ unless told) + run times × the power stated with them, "
        "over all flows and the whole run",
        "000 §V; reported to be compared with NewReno's",
        of=RUN,
        better=LESS,
        heading="computing mJ",
        scale=1e3,
        form=",.3g",
    ),
    Metric(
        "energy.dead_nodes",
        "count",
        "nodes whose battery ran out",
        "002",
        of=RUN,
        better=LESS,
        heading="dead nodes",
    ),
    Metric(
        "energy.first_death_seconds",
        "s",
        "when the first node died, if one did: the network's lifetime in its strict sense",
        "002",
        of=RUN,
        better=MORE,
        heading="first death s",
    ),
    Metric(
        "energy.half_dead_seconds",
        "s",
        "when half of the nodes were dead, if they were",
        "002",
        of=RUN,
        better=MORE,
        heading="half dead s",
    ),
    Metric(
        "operations.*",
        "count",
        "what the sender did: ACK in slow start or congestion avoidance, duplicate ACK, fast retransmit, "
        "recovery ACK, timeout, RTT sample, filter update, classification, probe",
        "000 §V",
    ),
    Metric(
        "instructions",
        "count",
        "these times the instructions that the table of costs has for each",
        "000 §V",
        better=LESS,
        form=",.0f",
    ),
    Metric(
        "computing_seconds",
        "s",
        "these times the run times that the table of costs has instead (none in the table that ships)",
        "000 §V",
        better=LESS,
        heading="computing s",
        form=",.3g",
    ),
)

RESOURCES = (
    Metric(
        "metrics.eee",
        "0..1",
        "extra energy expenditure: (T − G)/T_max + b·(T_max − T)/T_max with b = 0.3 as printed",
        "004",
        of=RUN,
        better=LESS,
        heading="EEE",
        form=".3f",
    ),
    Metric(
        "metrics.eee_idle70",
        "0..1",
        "the same with b = 0.7, which 004's text derives",
        "004",
        of=RUN,
        better=LESS,
        heading="EEE (b = 0.7)",
        form=".3f",
    ),
    Metric(
        "metrics.uar",
        "0..1",
        "unexploited available resources: 1 − (0.5·T/T_max + 0.5·G/T)",
        "004",
        of=RUN,
        better=LESS,
        heading="UAR",
        form=".3f",
    ),
    Metric(
        "metrics.throughput_max_bps",
        "bit/s",
        "T_max: what leaves saturating sources in the same world",
        "004",
        of=RUN,
        heading="Throughput_max kb/s",
        scale=1e-3,
    ),
)

GROUPS: dict[str, tuple[Metric, ...]] = {
    "rates": RATES,
    "losses": LOSSES,
    "routing": ROUTING,
    "times": TIMES,
    "energy": ENERGY,
    "resources": RESOURCES,
}
METRICS = tuple(metric for group in GROUPS.values() for metric in group)
