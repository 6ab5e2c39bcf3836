//! What a run gives back: the document of `run --json`; the tables behind it are next door.

mod power;
mod routing;
mod tables;
mod warnings;

use self::power::{Power, energy_report};
pub(crate) use self::tables::table;
pub use self::tables::{Column, ColumnData, Table};
pub use self::warnings::{Warning, WarningKind};
use crate::diagnosis::{self, Diagnosed};
use crate::flow::{Application, Flow, Resent, Sample, TcpPair, Transport};
use crate::ledger::{AloftSample, Ledger, LossRecord};
use crate::network::{Outcome, WireRecord};
use crate::paths::FlowPath;
use crate::record::Recorder;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use tworay_base::{FlowId, LossCause, SimTime};
use tworay_tcp::{Computing, CostTable, Counters, Ignored, Operation, Phase};

/// One flow's results. Rates are bits per second over the time from the flow's start (or the end of the
/// warm-up, if that is later) to the end of the run (or to its completion); windows are in segments. With
/// a warm-up, every figure but `handshake_seconds`, `connection_seconds` and `completion_seconds` leaves
/// it out.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct FlowReport {
    /// Index of the flow in the scenario.
    pub id: u16,
    /// Sending node.
    pub from: u16,
    /// Receiving node.
    pub to: u16,
    /// The TCP variant; `null` for UDP.
    pub tcp: Option<String>,
    /// Unique in-order payload that reached the receiving application.
    pub goodput_bps: f64,
    /// Everything the sender put on the path, headers not counted.
    pub throughput_bps: f64,
    /// Payload acknowledged, in whole segments (for UDP: datagrams received).
    pub acked_segments: u64,
    /// Segments with payload sent, retransmissions included (for UDP: datagrams sent).
    pub sent_segments: u64,
    /// Of these, sent again.
    pub retransmitted_segments: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Time spent waiting for these expiries, from the last segment sent.
    pub rto_idle_seconds: f64,
    /// Fast retransmits.
    pub fast_retransmits: u64,
    /// Empty probes of the path or of a closed window sent.
    pub probes_sent: u64,
    /// How often the variant stopped the sender (Freeze-Probing: cycles; ELFN: stand-bys).
    pub freezes: u64,
    /// Time spent stopped, in stops that are over.
    pub frozen_seconds: f64,
    /// Time-weighted mean of the congestion window (bounded by the advertised one).
    pub mean_cwnd_segments: Option<f64>,
    /// Time-weighted mean of segments sent and not acknowledged.
    pub mean_in_flight_segments: Option<f64>,
    /// Time-weighted mean of the smoothed round-trip time.
    pub mean_rtt_seconds: Option<f64>,
    /// From the start to the acknowledgment of everything, if the flow ended.
    pub completion_seconds: Option<f64>,
    /// All that the sender put on the path, TCP and IP headers and probes included.
    pub sent_bps: f64,
    /// `retransmitted_segments` by `sent_segments`, 0 to 1.
    pub retransmission_ratio: Option<f64>,
    /// `acked_segments` by `sent_segments`, at most 1: which share of what was sent brought payload across.
    pub delivery_ratio: Option<f64>,
    /// From the start to the opening of the connection.
    pub handshake_seconds: Option<f64>,
    /// From the first segment sent to the last new acknowledgment (paper 002's connection time); a
    /// lower bound if the flow didn't end (`completion_seconds` is `null`).
    pub connection_seconds: Option<f64>,
    /// Time in each of the sender's phases (thesis, table 4.3): they add up to the time from the start to
    /// the end of the run.
    pub phase_seconds: Option<BTreeMap<&'static str, f64>>,
    /// Data segments alive in the network, retransmissions counted, time-weighted mean (thesis, figures
    /// 3.11 and 5.7).
    pub mean_data_alive_segments: f64,
    /// Acknowledgments alive in the network, likewise.
    pub mean_ack_alive_segments: f64,
    /// Mean one-way delay of data segments (datagrams), from the transport to its peer.
    pub mean_delay_seconds: Option<f64>,
    /// Mean difference between the delays of consecutive arrivals.
    pub jitter_seconds: Option<f64>,
    /// Mean number of hops that data segments (datagrams) travelled.
    pub mean_hops: Option<f64>,
    /// What the two ends ignored, by reason: ACKs for data never sent, forged probes, notices for nobody.
    pub ignored: Option<BTreeMap<&'static str, u64>>,
    /// How often the sender ran each of its operations.
    pub operations: Option<BTreeMap<&'static str, u64>>,
    /// Instructions of these, by the table of costs; operations whose run time it has are not among them.
    pub instructions: Option<f64>,
    /// Processor time of the operations whose run time the table of costs has; absent without an energy model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computing_seconds: Option<f64>,
}

/// Losses of one cause.
#[derive(Copy, Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct LossCount {
    /// Data segments.
    pub data: u64,
    /// Acknowledgments.
    pub ack: u64,
}

/// Frames by what they carry.
#[derive(Copy, Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct FrameCount {
    /// RTS and CTS frames.
    pub rts_cts: u64,
    /// Frames with TCP data or UDP payload.
    pub data: u64,
    /// Frames with pure TCP acknowledgments.
    pub ack: u64,
}

/// The MAC's part.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct MacReport {
    /// Frames lost to overlap at a station they were meant for.
    pub collisions: FrameCount,
    /// Broadcast frames (ARP, routing) lost to overlap, counted at each station that could have read them. They
    /// are never sent again.
    pub broadcast_collisions: u64,
    /// Packets given up after the last attempt (`rts_cts`: those whose RTS went unanswered, counted under their kind too).
    pub drops: FrameCount,
    /// Frames lost to random errors at a station they were meant for.
    pub corrupted: FrameCount,
    /// Packets refused by a full interface queue.
    pub queue_drops: u64,
    /// Frames sent by kind: RTS, CTS, ACK, unicast data, broadcast.
    pub sent: BTreeMap<&'static str, u64>,
}

/// Routing's part.
#[derive(Clone, Debug, Default, Serialize, PartialEq)]
pub struct RoutingReport {
    /// The protocol's name.
    pub protocol: String,
    /// Control packets sent, each hop counted.
    pub control_packets: u64,
    /// Bytes of these (IP length).
    pub control_bytes: u64,
    /// `control_packets` by data packets that arrived in the whole run (normalised routing load of Perkins,
    /// Royer, Das and Marina 2001); `null` if none did.
    pub load: Option<f64>,
    /// Routes found or changed.
    pub route_changes: u64,
    /// Link failures reported by the MAC although the neighbour was up and in range.
    pub false_link_failures: u64,
    /// Word of broken links (ELFN) that reached a node without a TCP sender to that destination: ignored.
    pub stray_notices: u64,
    /// Routing packets of neighbours that were dropped because they can't be right, by what is wrong with
    /// them; reasons that didn't occur are left out.
    pub malformed: BTreeMap<&'static str, u64>,
}

/// By which table of costs computations were counted.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct CostsReport {
    /// SHA-256 of the table's text: of the user's own (`energy.costs`), else of the one that ships.
    pub sha256: String,
    /// What its head says about where the figures come from, line by line.
    pub provenance: Vec<String>,
    /// The variants that the user's own table has lines for; empty where the one that ships holds.
    pub replaced: Vec<String>,
}

/// Energy; `null` where no energy model is on.
#[derive(Clone, Debug, Default, Serialize, PartialEq)]
pub struct EnergyReport {
    /// Radio energy of all nodes, whatever they did: what all batteries have lost.
    pub joules_total: Option<f64>,
    /// Energy of transmitting, receiving and overhearing by payload bit received (paper 002, figure 2).
    pub joules_per_received_bit: Option<f64>,
    /// Energy of the transport's computations.
    pub joules_computation: Option<f64>,
    /// Nodes whose battery ran out.
    pub dead_nodes: Option<u64>,
    /// Radio energy of all nodes by state.
    pub joules_by_state: Option<BTreeMap<&'static str, f64>>,
    /// The same as `joules_per_received_bit` with all states.
    pub joules_total_per_received_bit: Option<f64>,
    /// When the first node died, if one did: the network's lifetime in its strict sense.
    pub first_death_seconds: Option<f64>,
    /// When half of the nodes were dead, if they were.
    pub half_dead_seconds: Option<f64>,
    /// The table of costs behind `joules_computation`; absent without an energy model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub costs: Option<CostsReport>,
}

/// Metrics over all flows; `null` where not defined for this run.
#[derive(Clone, Debug, Default, Serialize, PartialEq)]
pub struct MetricsReport {
    /// (Σx)² / (n·Σx²) of the flows' goodputs (Jain, Chiu, Hawe 1984).
    pub jain_fairness: Option<f64>,
    /// Goodput of the flow that gets least.
    pub least_goodput_bps: Option<f64>,
    /// Goodput of the flow that gets most.
    pub most_goodput_bps: Option<f64>,
    /// Energy-efficiency estimate of paper 004.
    pub eee: Option<f64>,
    /// Use of available resources of paper 004.
    pub uar: Option<f64>,
    /// Mean of the TCP flows' `connection_seconds` (paper 002, figure 3).
    pub mean_connection_seconds: Option<f64>,
    /// TCP flows that hadn't ended: their connection times are lower bounds.
    pub unfinished_connections: u64,
}

/// The document of `run --json`.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Document {
    /// Version of tworay.
    pub tworay: &'static str,
    /// Scenario's name.
    pub scenario: String,
    /// Seed of the run.
    pub seed: u64,
    /// Simulated time.
    pub sim_seconds: f64,
    /// Events worked off.
    pub events: u64,
    /// CPU time of this run's thread: the only value that differs between equal runs.
    pub cpu_seconds: f64,
    /// Flows in the scenario's order.
    pub flows: Vec<FlowReport>,
    /// Losses by true cause.
    pub ledger: BTreeMap<&'static str, LossCount>,
    /// The senders' guesses after the warm-up by true cause; `none` where nothing had been lost.
    pub diagnosis: BTreeMap<String, BTreeMap<String, u64>>,
    /// The MAC.
    pub mac: MacReport,
    /// Routing.
    pub routing: RoutingReport,
    /// Energy.
    pub energy: EnergyReport,
    /// Metrics.
    pub metrics: MetricsReport,
    /// What to know before trusting the figures: flows without a path, flows that got nothing.
    pub warnings: Vec<Warning>,
}

/// Everything a run gives back.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The document of `run --json`.
    pub document: Document,
    losses: Vec<LossRecord>,
    lost_at_source: Vec<u64>,
    guesses: Vec<Diagnosed>,
    resent: Vec<(u16, Resent)>,
    series: Vec<(u16, Sample)>,
    packets: Vec<WireRecord>,
    aloft: Vec<AloftSample>,
    hops: Vec<Vec<u64>>,
    power: Option<Power>,
    record: Option<Box<Recorder>>,
}

impl RunReport {
    /// Data segments that died at their own source, by flow: they took nothing from the outcome.
    pub fn lost_at_source(&self) -> &[u64] {
        &self.lost_at_source
    }

    pub(crate) fn gather(
        mut outcome: Outcome,
        scenario: &str,
        seed: u64,
        protocol: &str,
        paths: &[FlowPath],
    ) -> Self {
        let record = outcome.record.take();
        let end = outcome.end;
        let warm = outcome.warm_at;
        let mac = &outcome.mac;
        let control_packets: u64 = outcome.routing.iter().map(|r| r.control_packets()).sum();
        let control_bytes: u64 = outcome.routing.iter().map(|r| r.control_bytes()).sum();
        let flows: Vec<FlowReport> = outcome
            .flows
            .iter()
            .enumerate()
            .map(|(i, f)| flow_report(f, i as u16, end, warm, &outcome.ledger, &outcome.costs.table))
            .collect();
        // Energy is counted from the run's beginning: so are the bits that it is divided by, and the
        // instructions.
        let received_bits = outcome.flows.iter().map(|f| 8.0 * f.received_bytes() as f64).sum();
        let battery = std::mem::take(&mut outcome.battery);
        let power = outcome.meters.take().map(|meters| Power::new(meters, battery));
        let costs = Arc::clone(&outcome.costs);
        let computed = outcome.flows.iter().filter_map(|f| computing_of(f, &costs.table));
        let computation =
            computed.fold(Computing::default(), Computing::plus).joules(outcome.joules_per_instruction);
        let energy = energy_report(power.as_ref(), received_bits, computation, &costs);
        let aloft = outcome.ledger.take_aloft_series();
        let hops = outcome.flows.iter().map(|f| f.path.hops.clone()).collect();
        let arrived: u64 = outcome.flows.iter().map(|f| f.base.arrivals + f.path.packets).sum();
        let mut flows = flows;
        if power.is_none() {
            flows.iter_mut().for_each(|f| (f.instructions, f.computing_seconds) = (None, None));
        }
        let metrics = metrics(&flows);
        let tally = &outcome.tally;
        let warnings = warnings::warnings(&outcome.flows, paths, outcome.ledger.records(), end);
        let guesses = diagnosis::match_all(&outcome.flows, outcome.ledger.records());
        let document = Document {
            tworay: crate::VERSION,
            scenario: scenario.into(),
            seed,
            sim_seconds: end.as_secs_f64(),
            events: outcome.events,
            cpu_seconds: 0.0,
            flows,
            ledger: LossCause::ALL
                .iter()
                .map(|&c| {
                    let lost = outcome.ledger.lost(c);
                    (c.name(), LossCount { data: lost.data, ack: lost.ack })
                })
                .collect(),
            diagnosis: diagnosis::count(guesses.iter().filter(|g| g.at >= warm)),
            mac: MacReport {
                collisions: frame_count(&tally.collisions),
                broadcast_collisions: tally.broadcast_collisions,
                drops: frame_count(&tally.give_ups),
                corrupted: frame_count(&tally.corrupted),
                queue_drops: tally.queue_drops,
                sent: BTreeMap::from([
                    ("rts", mac.tx_rts),
                    ("cts", mac.tx_cts),
                    ("ack", mac.tx_ack),
                    ("data", mac.tx_data),
                    ("broadcast", mac.tx_broadcast),
                ]),
            },
            routing: RoutingReport {
                protocol: protocol.into(),
                control_packets: control_packets + tally.control_packets,
                control_bytes: control_bytes + tally.control_bytes,
                load: (arrived > 0)
                    .then(|| (control_packets + tally.control_packets) as f64 / arrived as f64),
                route_changes: tally.route_changes,
                false_link_failures: tally.false_link_failures,
                stray_notices: tally.stray_notices,
                malformed: routing::malformed(outcome.routing.iter()),
            },
            energy,
            metrics,
            warnings,
        };
        let series = outcome
            .flows
            .iter_mut()
            .enumerate()
            .flat_map(|(i, f)| f.series.take().unwrap_or_default().into_iter().map(move |s| (i as u16, s)))
            .collect();
        let resent = outcome
            .flows
            .iter_mut()
            .enumerate()
            .flat_map(|(i, f)| std::mem::take(&mut f.resent).into_iter().map(move |r| (i as u16, r)))
            .collect();
        let packets = std::mem::take(&mut outcome.wire_trace);
        Self {
            document,
            lost_at_source: outcome.ledger.lost_at_source(),
            losses: outcome.ledger.take_records(),
            guesses,
            resent,
            series,
            packets,
            aloft,
            hops,
            power,
            record,
        }
    }

    /// The document as one line of JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(&self.document).unwrap_or_else(|e| format!("{{\"error\":\"{e}\"}}"))
    }
}

fn frame_count(b: &crate::tally::ByFrame) -> FrameCount {
    FrameCount { rts_cts: b.rts + b.cts, data: b.data, ack: b.ack }
}

fn metrics(flows: &[FlowReport]) -> MetricsReport {
    let goodputs: Vec<f64> = flows.iter().map(|f| f.goodput_bps).collect();
    let connections: Vec<f64> = flows.iter().filter_map(|f| f.connection_seconds).collect();
    let unfinished = flows.iter().filter(|f| f.tcp.is_some() && f.completion_seconds.is_none());
    MetricsReport {
        jain_fairness: jain(&goodputs),
        least_goodput_bps: goodputs.iter().copied().reduce(f64::min),
        most_goodput_bps: goodputs.iter().copied().reduce(f64::max),
        mean_connection_seconds: (!connections.is_empty())
            .then(|| connections.iter().sum::<f64>() / connections.len() as f64),
        unfinished_connections: unfinished.count() as u64,
        ..MetricsReport::default()
    }
}

fn jain(x: &[f64]) -> Option<f64> {
    let sum: f64 = x.iter().sum();
    let squares: f64 = x.iter().map(|v| v * v).sum();
    (squares > 0.0).then(|| sum * sum / (x.len() as f64 * squares))
}

/// What both ends of a connection ignored, by reason, those of the warm-up left out.
fn ignored(pair: &TcpPair, before: [u64; Ignored::COUNT]) -> BTreeMap<&'static str, u64> {
    let counts = pair.ignored().into_iter().zip(before).map(|(n, b)| n - b);
    Ignored::ALL.iter().map(|why| why.name()).zip(counts).collect()
}

/// What a TCP flow's sender computed in the whole run.
fn computing_of(f: &Flow, costs: &CostTable) -> Option<Computing> {
    match (&f.transport, &f.setup.application) {
        (Transport::Tcp(pair), Application::Ftp { variant, .. }) => {
            Some(costs.computing(variant, &pair.sender.counters().operations()))
        }
        _ => None,
    }
}

fn flow_report(
    f: &Flow,
    id: u16,
    end: SimTime,
    warm: SimTime,
    ledger: &Ledger,
    costs: &CostTable,
) -> FlowReport {
    let from = f.setup.start.max(warm).min(end);
    let until = f.finished_at.unwrap_or(end).min(end);
    let seconds = until.since(from).as_secs_f64();
    let rate = |bytes: u64| if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 };
    let (cwnd, flight, srtt) = f.means.means();
    let (data_alive, ack_alive) = ledger.mean_aloft(FlowId(id), from, end);
    let since_start = |t: SimTime| t.since(f.setup.start).as_secs_f64();
    let base = FlowReport {
        id,
        from: f.setup.from.0,
        to: f.setup.to.0,
        tcp: None,
        goodput_bps: 0.0,
        throughput_bps: 0.0,
        acked_segments: 0,
        sent_segments: 0,
        retransmitted_segments: 0,
        timeouts: 0,
        rto_idle_seconds: 0.0,
        fast_retransmits: 0,
        probes_sent: 0,
        freezes: 0,
        frozen_seconds: 0.0,
        mean_cwnd_segments: None,
        mean_in_flight_segments: None,
        mean_rtt_seconds: None,
        completion_seconds: None,
        sent_bps: rate(f.sent_bytes - f.base.sent_bytes),
        retransmission_ratio: None,
        delivery_ratio: None,
        handshake_seconds: None,
        connection_seconds: None,
        phase_seconds: None,
        mean_data_alive_segments: data_alive,
        mean_ack_alive_segments: ack_alive,
        mean_delay_seconds: f.path.mean_delay(),
        jitter_seconds: f.path.jitter(),
        mean_hops: f.path.mean_hops(),
        ignored: None,
        operations: None,
        instructions: None,
        computing_seconds: None,
    };
    let report = match (&f.transport, &f.setup.application) {
        (Transport::Tcp(pair), Application::Ftp { variant, .. }) => {
            let c = pair.sender.counters();
            let before = &f.base.counters;
            let sent = c.sent_segments - before.sent_segments;
            let again = c.retransmitted_segments - before.retransmitted_segments;
            let mut operations = c.operations();
            operations.iter_mut().zip(before.operations()).for_each(|(n, b)| *n -= b);
            let computing = costs.computing(variant, &operations);
            let phases = f.means.phases();
            FlowReport {
                tcp: Some(variant.to_string()),
                goodput_bps: rate(f.delivered_bytes - f.base.delivered_bytes),
                throughput_bps: rate(c.bytes_sent - before.bytes_sent),
                acked_segments: c.acked_segments - before.acked_segments,
                sent_segments: sent,
                retransmitted_segments: again,
                timeouts: c.timeouts - before.timeouts,
                rto_idle_seconds: c.rto_idle.saturating_sub(before.rto_idle).as_secs_f64(),
                fast_retransmits: c.fast_retransmits - before.fast_retransmits,
                probes_sent: c.probes_sent - before.probes_sent,
                freezes: c.freezes - before.freezes,
                frozen_seconds: c.frozen.saturating_sub(before.frozen).as_secs_f64(),
                mean_cwnd_segments: Some(cwnd),
                mean_in_flight_segments: Some(flight),
                mean_rtt_seconds: srtt,
                completion_seconds: f.finished_at.map(since_start),
                retransmission_ratio: (sent > 0).then(|| again as f64 / sent as f64),
                handshake_seconds: f.connected_at.map(since_start),
                connection_seconds: f.first_sent.zip(f.last_acked).map(|(a, b)| b.since(a).as_secs_f64()),
                phase_seconds: Some(
                    Phase::ALL.iter().zip(phases).map(|(p, d)| (p.name(), d.as_secs_f64())).collect(),
                ),
                ignored: Some(ignored(pair, f.base.ignored)),
                operations: Some(Operation::ALL.iter().zip(operations).map(|(o, n)| (o.name(), n)).collect()),
                instructions: Some(computing.instructions),
                computing_seconds: Some(computing.seconds),
                ..base
            }
        }
        (Transport::Udp(udp), _) => FlowReport {
            goodput_bps: rate(udp.received_bytes - f.base.udp_received_bytes),
            throughput_bps: rate((udp.sent - f.base.udp_sent) * udp.payload as u64),
            acked_segments: udp.received - f.base.udp_received,
            sent_segments: udp.sent - f.base.udp_sent,
            ..base
        },
        (Transport::External(c), Application::External { tcp }) => {
            external_report(f, c, tcp.clone(), (cwnd, flight, srtt), seconds, base)
        }
        _ => base,
    };
    let (acked, sent) = (report.acked_segments as f64, report.sent_segments as f64);
    // What was sent during the warm-up may arrive after it.
    FlowReport { delivery_ratio: (sent > 0.0).then(|| (acked / sent).min(1.0)), ..report }
}

/// The row of a flow between real stations: what the network saw of it, and what the sender's kernel said.
fn external_report(
    f: &Flow,
    c: &Counters,
    tcp: Option<String>,
    (cwnd, flight, srtt): (f64, f64, Option<f64>),
    seconds: f64,
    base: FlowReport,
) -> FlowReport {
    let rate = |bytes: u64| if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 };
    let since_start = |t: SimTime| t.since(f.setup.start).as_secs_f64();
    let is_tcp = tcp.is_some();
    FlowReport {
        tcp,
        goodput_bps: rate(f.delivered_bytes),
        throughput_bps: rate(c.bytes_sent),
        acked_segments: c.acked_segments,
        sent_segments: c.sent_segments,
        retransmitted_segments: c.retransmitted_segments,
        timeouts: c.timeouts,
        rto_idle_seconds: c.rto_idle.as_secs_f64(),
        fast_retransmits: c.fast_retransmits,
        probes_sent: c.probes_sent,
        freezes: c.freezes,
        frozen_seconds: c.frozen.as_secs_f64(),
        mean_cwnd_segments: is_tcp.then_some(cwnd),
        mean_in_flight_segments: is_tcp.then_some(flight),
        mean_rtt_seconds: srtt,
        completion_seconds: f.finished_at.map(since_start),
        retransmission_ratio: (is_tcp && c.sent_segments > 0)
            .then(|| c.retransmitted_segments as f64 / c.sent_segments as f64),
        handshake_seconds: f.connected_at.map(since_start),
        connection_seconds: f.first_sent.zip(f.last_acked).map(|(a, b)| b.since(a).as_secs_f64()),
        ..base
    }
}
