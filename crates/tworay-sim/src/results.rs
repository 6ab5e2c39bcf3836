//! The result of a run: the document of `run --json`; `tables` has the tables behind it.

pub(crate) mod catalogue;
pub(crate) mod columns;
pub(crate) mod energy_report;
pub(crate) mod flow_report;
pub(crate) mod metrics;
pub(crate) mod routing_report;
pub(crate) mod sections;
pub(crate) mod tables;
pub(crate) mod transfers;
pub(crate) mod warnings;

pub use self::catalogue::metrics;
pub use self::metrics::{Better, Metric, Of};
pub use crate::results::flow_report::FlowReport;

pub use self::columns::{Column, ColumnData, Table};
use self::energy_report::{Power, energy_report};
pub use self::sections::{EnergyReport, FrameCount, MacReport, MetricsReport, RoutingReport};
pub use self::warnings::{Warning, WarningKind};
use crate::links::LinkRate;
use crate::network::Outcome;
use crate::network::hosts::flow::{External, Flow, TcpPair, Transport};
use crate::network::hosts::traffic::Transfer;
use crate::observe::loss::diagnosis;
use crate::observe::loss::diagnosis::Diagnosed;
use crate::observe::loss::ledger::{InFlightSample, LossRecord};
use crate::observe::{MediumLog, PathProbe, Recorder, Resent, Sample, WireRecord};
use crate::paths::FlowPath;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use tworay_base::{FlowId, LossCause, SimDuration, SimTime};
use tworay_routing::Protocol;
use tworay_scenario::Application;
use tworay_tcp::{Computing, CostTable, Ignored, Operation, Phase};

/// Losses of one cause.
#[derive(Copy, Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct LossCount {
    /// Data segments.
    pub data: u64,
    /// Acknowledgments.
    pub ack: u64,
}

/// The document of `run --json`.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Document {
    /// Version of tworay.
    pub tworay: &'static str,
    /// Name of the scenario.
    pub scenario: String,
    /// Seed of the run.
    pub seed: u64,
    /// Simulated time.
    pub sim_seconds: f64,
    /// Number of events processed.
    pub events: u64,
    /// CPU time of this run's thread: the only value that differs between repetitions of a run.
    pub cpu_seconds: f64,
    /// Numbers of the nodes that have a name; absent if none has.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, u16>,
    /// Flows in the order of the scenario.
    pub flows: Vec<FlowReport>,
    /// Losses by true cause.
    pub ledger: BTreeMap<&'static str, LossCount>,
    /// The senders' guesses after the warm-up, by true cause at the time of the guess; `none` if nothing had
    /// been lost or was held up.
    pub diagnosis: BTreeMap<String, BTreeMap<String, u64>>,
    /// The same guesses by outcome: `none` also if what was held up at the time of the guess arrived later.
    pub diagnosis_by_outcome: BTreeMap<String, BTreeMap<String, u64>>,
    /// Results of the MAC.
    pub mac: MacReport,
    /// Results of routing.
    pub routing: RoutingReport,
    /// Results of the energy model.
    pub energy: EnergyReport,
    /// Metrics over all flows.
    pub metrics: MetricsReport,
    /// Links by their best rate; absent for the 802.11b radio and where nodes move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<LinkRate>>,
    /// Warnings about the figures: flows without a path, flows that received nothing.
    pub warnings: Vec<Warning>,
}

/// The complete result of a run.
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
    in_flight: Vec<InFlightSample>,
    hops: Vec<Vec<u64>>,
    /// The transfers of each flow that has some.
    transfers: Vec<(u16, Vec<Transfer>)>,
    power: Option<Power>,
    record: Option<Box<Recorder>>,
    /// True if the tables `ledger` and `retransmissions` name the sender of each segment.
    senders: bool,
    medium_log: Option<Box<MediumLog>>,
}

impl RunReport {
    /// Adds the sender of each segment to the tables `ledger` and `retransmissions`. Real connections carry
    /// data in both directions, with sequence numbers of their own.
    pub(crate) fn name_senders(&mut self) {
        self.senders = true;
    }

    /// Data segments that died at their own source, by flow: they used no network resources.
    pub fn lost_at_source(&self) -> &[u64] {
        &self.lost_at_source
    }

    /// Every loss in order of time; empty if only totals were [counted](crate::RunOptions::losses).
    pub fn losses(&self) -> &[LossRecord] {
        &self.losses
    }

    /// Every frame on the medium and how its receptions ended, if [logged](crate::RunOptions::medium_log).
    pub fn medium_log(&self) -> Option<&MediumLog> {
        self.medium_log.as_deref()
    }

    pub(crate) fn gather(
        mut outcome: Outcome,
        scenario: &str,
        seed: u64,
        protocol: Option<Protocol>,
        paths: &[FlowPath],
    ) -> Self {
        let record = outcome.record.take();
        let medium_log = outcome.medium_log.take();
        let end = outcome.end;
        let warm = outcome.warm_at;
        let mac = &outcome.mac;
        let routers = routing_report::total(&outcome.counters.stopped_routers, &outcome.routing);
        let dsr = protocol.filter(|one| *one == Protocol::Dsr);
        let first = outcome.flows.iter().map(|f| f.setup.start.max(warm)).min().unwrap_or(warm).min(end);
        let report = |(i, f)| flow_report(f, i as u16, &outcome, end.since(first));
        let flows: Vec<FlowReport> = outcome.flows.iter().enumerate().map(report).collect();
        // Energy is counted from the start of the run, and so are the bits and instructions related to it.
        let received_bits = outcome.flows.iter().map(|f| 8.0 * f.received_bytes() as f64).sum();
        let battery = std::mem::take(&mut outcome.battery);
        let power = outcome.meters.take().map(|meters| Power::new(meters, battery));
        let costs = Arc::clone(&outcome.costs);
        let computed = outcome.flows.iter().filter_map(|f| computing_of(f, &costs.table));
        let computation =
            computed.fold(Computing::default(), Computing::plus).joules(outcome.joules_per_instruction);
        let energy = energy_report(power.as_ref(), received_bits, computation, &costs);
        let in_flight = outcome.ledger.take_in_flight_series();
        let hops = outcome.paths.iter().map(|path| path.hops.clone()).collect();
        let arrived: u64 = outcome.paths.iter().map(PathProbe::all_packets).sum();
        let mut flows = flows;
        if power.is_none() {
            flows.iter_mut().for_each(|f| (f.instructions, f.computing_seconds) = (None, None));
        }
        let metrics = over_flows(&flows);
        let counters = &outcome.counters;
        let warnings = warnings::warnings(&outcome.flows, paths, outcome.ledger.records(), end);
        let guesses =
            diagnosis::match_all(&outcome.senders, outcome.ledger.records(), outcome.ledger.holds());
        let counted = |name: fn(&Diagnosed) -> &'static str| {
            diagnosis::count(guesses.iter().filter(|g| g.at >= warm), name)
        };
        let document = Document {
            tworay: crate::version::VERSION,
            scenario: scenario.into(),
            seed,
            sim_seconds: end.as_secs_f64(),
            events: outcome.events,
            cpu_seconds: 0.0,
            names: BTreeMap::new(),
            flows,
            ledger: LossCause::ALL
                .iter()
                .map(|&c| {
                    let lost = outcome.ledger.lost(c);
                    (c.name(), LossCount { data: lost.data, ack: lost.ack })
                })
                .collect(),
            diagnosis: counted(Diagnosed::cause_name),
            diagnosis_by_outcome: counted(Diagnosed::outcome_name),
            mac: MacReport {
                collisions: frame_count(&counters.collisions),
                broadcast_collisions: counters.broadcast_collisions,
                drops: frame_count(&counters.give_ups),
                corrupted: frame_count(&counters.corrupted),
                queue_drops: counters.queue_drops,
                sent: BTreeMap::from([
                    ("rts", mac.tx_rts),
                    ("cts", mac.tx_cts),
                    ("ack", mac.tx_ack),
                    ("data", mac.tx_data),
                    ("broadcast", mac.tx_broadcast),
                ]),
            },
            routing: RoutingReport {
                protocol: protocol.map_or("none", Protocol::name).into(),
                control_packets: protocol.and(Some(routers.control_packets())),
                control_bytes: protocol.and(Some(routers.control_bytes())),
                load: protocol
                    .filter(|_| arrived > 0)
                    .map(|_| routers.control_packets() as f64 / arrived as f64),
                sent: protocol.map_or_else(BTreeMap::new, |one| routing_report::sent(one, &routers)),
                counted: protocol.map_or_else(BTreeMap::new, |one| routing_report::counted(one, &routers)),
                route_changes: protocol.and(Some(counters.route_changes)),
                false_link_failures: counters.false_link_failures,
                stray_notices: protocol.and(Some(counters.stray_notices)),
                notices_sent: dsr.and(Some(routers.notices_sent)),
                notices_arrived: dsr.and(Some(routers.notices_arrived)),
                malformed: routing_report::malformed(&routers),
            },
            energy,
            metrics,
            links: None,
            warnings,
        };
        let by_flow = outcome.senders.into_iter().enumerate();
        let resent =
            by_flow.flat_map(|(i, log)| log.resent.into_iter().map(move |r| (i as u16, r))).collect();
        let transfers = transfers::taken(&mut outcome.flows);
        let series = std::mem::take(&mut outcome.series);
        let packets = std::mem::take(&mut outcome.wire_trace);
        Self {
            document,
            lost_at_source: outcome.ledger.lost_at_source(),
            losses: outcome.ledger.take_records(),
            guesses,
            resent,
            series,
            packets,
            in_flight,
            hops,
            transfers,
            power,
            record,
            senders: false,
            medium_log,
        }
    }

    /// The document as one line of JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(&self.document).unwrap_or_else(|e| format!("{{\"error\":\"{e}\"}}"))
    }
}

fn frame_count(b: &crate::observe::ByFrame) -> FrameCount {
    FrameCount { rts_cts: b.rts + b.cts, data: b.data, ack: b.ack }
}

fn over_flows(flows: &[FlowReport]) -> MetricsReport {
    let goodputs = |chosen: &dyn Fn(&FlowReport) -> bool| -> Vec<f64> {
        flows.iter().filter(|f| chosen(f)).map(|f| f.goodput_bps).collect()
    };
    let (all, tcp, udp) =
        (goodputs(&|_| true), goodputs(&|f| f.tcp.is_some()), goodputs(&|f| f.tcp.is_none()));
    let judged = |f: &&FlowReport| tcp.is_empty() || f.tcp.is_some();
    let shares = Shares::of(flows.iter().filter(judged).map(|f| Sharer {
        goodput: f.goodput_bps,
        outside: Sharer::is_outside(f.tcp.as_deref()),
        in_flight: f.mean_in_flight_segments,
        is_done: f.completion_seconds.is_some(),
    }));
    let connections: Vec<f64> = flows.iter().filter_map(|f| f.connection_seconds).collect();
    let unfinished = flows
        .iter()
        .filter(|f| f.tcp.is_some() && f.completion_seconds.is_none() && f.completed_transfers.is_none());
    MetricsReport {
        jain_fairness: shares.jain,
        least_goodput_bps: shares.least,
        most_goodput_bps: shares.most,
        udp_goodput_bps: (!udp.is_empty()).then(|| udp.iter().sum()),
        total_goodput_bps: (!all.is_empty()).then(|| all.iter().sum()),
        mean_connection_seconds: (!connections.is_empty())
            .then(|| connections.iter().sum::<f64>() / connections.len() as f64),
        unfinished_connections: unfinished.count() as u64,
        ..MetricsReport::default()
    }
}

/// Prefix of the names of kernels' congestion controls.
const KERNEL: &str = "kernel:";

/// A sender with a backlog has a segment in flight from its first to its last one (RFC 5681 §3), or its SYN. Its mean
/// is a little less, because kernels are asked for the first time up to 50 ms after the start.
const BACKLOG: f64 = 0.9;

/// A flow among those whose shares are compared.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Sharer {
    /// Goodput, bit/s.
    pub goodput: f64,
    /// True for a connection that a program has opened: it may be one by which programs arrange a transfer.
    pub outside: bool,
    /// Mean number of segments in flight, if its kernel was asked.
    pub in_flight: Option<f64>,
    /// True if it was completed.
    pub is_done: bool,
}

impl Sharer {
    /// True if this is the name of a kernel's congestion control.
    pub fn is_outside(tcp: Option<&str>) -> bool {
        tcp.is_some_and(|name| name.starts_with(KERNEL))
    }

    /// True unless it is a program's connection that mostly had nothing to send, or was over before anybody asked.
    fn wants_more(&self) -> bool {
        !self.outside || self.in_flight.map_or(!self.is_done, |mean| mean >= BACKLOG)
    }
}

/// Shares of the flows.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Shares {
    /// Jain's fairness index (Σx)² / (n Σx²); `None` if nothing arrived.
    pub jain: Option<f64>,
    /// The least of the goodputs, bit/s.
    pub least: Option<f64>,
    /// The largest of the goodputs, bit/s.
    pub most: Option<f64>,
}

impl Shares {
    /// The shares of those that want more than they get; of all, if none does.
    pub fn of(flows: impl IntoIterator<Item = Sharer>) -> Self {
        let (chosen, others): (Vec<_>, Vec<_>) = flows.into_iter().partition(Sharer::wants_more);
        let chosen = if chosen.is_empty() { others } else { chosen };
        let goodputs: Vec<f64> = chosen.iter().map(|flow| flow.goodput).collect();
        let sum: f64 = goodputs.iter().sum();
        let squares: f64 = goodputs.iter().map(|x| x * x).sum();
        Self {
            jain: (squares > 0.0).then(|| sum * sum / (goodputs.len() as f64 * squares)),
            least: goodputs.iter().copied().reduce(f64::min),
            most: goodputs.iter().copied().reduce(f64::max),
        }
    }
}

/// Segments and notices that both ends of a connection ignored after the warm-up, by reason.
fn ignored(pair: &TcpPair, before: [u64; Ignored::COUNT]) -> BTreeMap<&'static str, u64> {
    let counts = pair.ignored().into_iter().zip(before).map(|(n, b)| n - b);
    Ignored::ALL.iter().map(|why| why.name()).zip(counts).collect()
}

/// Counters of the sender's variant, if it counts anything.
fn counted(pair: &TcpPair) -> Option<BTreeMap<&'static str, u64>> {
    let counts: BTreeMap<_, _> = pair.sender.counted().collect();
    (!counts.is_empty()).then_some(counts)
}

/// Computing cost of a TCP flow's sender in the whole run.
fn computing_of(f: &Flow, costs: &CostTable) -> Option<Computing> {
    match (&f.transport, f.setup.application.variant()) {
        (Transport::Tcp(pair), Some(variant)) => {
            Some(costs.computing(variant, &pair.sender.counters().operations()))
        }
        _ => None,
    }
}

fn flow_report(f: &Flow, id: u16, outcome: &Outcome, measured: SimDuration) -> FlowReport {
    let Outcome { end, warm_at: warm, ref ledger, ref paths, .. } = *outcome;
    let (costs, path) = (&outcome.costs.table, &paths[usize::from(id)]);
    let from = f.setup.start.max(warm).min(end);
    let until = f.finished_at.unwrap_or(end).min(end);
    let seconds = until.since(from).as_secs_f64();
    let rate = |bytes: u64| if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 };
    let (cwnd, flight, srtt) = f.means.means();
    let (data_alive, ack_alive) = ledger.mean_in_flight(FlowId(id), from, end);
    let since_start = |t: SimTime| t.since(f.setup.start).as_secs_f64();
    let base = FlowReport {
        id,
        from: f.setup.from.0,
        to: f.setup.to.0,
        sent_bps: rate(f.sent_bytes - f.base.sent_bytes),
        measured_share: if measured.is_zero() { 0.0 } else { seconds / measured.as_secs_f64() },
        mean_data_alive_segments: data_alive,
        mean_ack_alive_segments: ack_alive,
        mean_delay_seconds: path.mean_delay(),
        latency_under_load_seconds: path.high_delay(),
        jitter_seconds: path.jitter(),
        mean_hops: path.mean_hops(),
        // Datagrams have no timer.
        timeouts: Some(0),
        rto_idle_seconds: Some(0.0),
        probes_sent: Some(0),
        ..FlowReport::default()
    };
    let report = match (&f.transport, f.setup.application.variant()) {
        (Transport::Tcp(pair), Some(variant)) => {
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
                delivery_ratio: share(c.acked_bytes - before.acked_bytes, c.bytes_sent - before.bytes_sent),
                sent_segments: sent,
                retransmitted_segments: again,
                timeouts: Some(c.timeouts - before.timeouts),
                rto_idle_seconds: Some(c.rto_idle.saturating_sub(before.rto_idle).as_secs_f64()),
                fast_retransmits: c.fast_retransmits - before.fast_retransmits,
                probes_sent: Some(c.probes_sent - before.probes_sent),
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
                counted: counted(pair),
                phase_joules: f.drawn.as_ref().map(|d| {
                    Phase::ALL.iter().zip(d.by_phase).map(|(p, joules)| (p.name(), joules)).collect()
                }),
                ..base
            }
        }
        (Transport::Udp(udp), _) => FlowReport {
            goodput_bps: rate(udp.received_bytes - f.base.udp_received_bytes),
            throughput_bps: rate(udp.sent_payload - f.base.udp_sent_payload),
            acked_segments: udp.received - f.base.udp_received,
            delivery_ratio: share(udp.received - f.base.udp_received, udp.sent - f.base.udp_sent),
            sent_segments: udp.sent - f.base.udp_sent,
            ..base
        },
        (Transport::External(outside), _) => {
            let tcp = match &f.setup.application {
                Application::External { tcp } => tcp.clone(),
                _ => None,
            };
            external_report(f, outside, tcp, (cwnd, flight, srtt), seconds, base)
        }
        _ => base,
    };
    match &f.traffic {
        Some(traffic) => transfers::reported(traffic, warm, end, report),
        None => report,
    }
}

/// The share of what was sent that was delivered. What was sent during the warm-up may arrive after it.
fn share(delivered: u64, sent: u64) -> Option<f64> {
    (sent > 0).then(|| (delivered as f64 / sent as f64).min(1.0))
}

/// The row of a flow between real stations: what the network observed, and what the sender's kernel
/// reported.
fn external_report(
    f: &Flow,
    External { counters: c, timeouts, untaken_bytes, .. }: &External,
    tcp: Option<String>,
    (cwnd, flight, srtt): (f64, f64, Option<f64>),
    seconds: f64,
    base: FlowReport,
) -> FlowReport {
    let rate = |bytes: u64| if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 };
    let since_start = |t: SimTime| t.since(f.setup.start).as_secs_f64();
    let is_tcp = tcp.is_some();
    // A connection may end before its kernel is asked for the first time.
    let known = is_tcp && f.means.is_known();
    FlowReport {
        tcp,
        goodput_bps: rate(f.delivered_bytes),
        throughput_bps: rate(c.bytes_sent),
        acked_segments: c.acked_segments,
        sent_segments: c.sent_segments,
        delivery_ratio: match is_tcp {
            true => share(c.acked_bytes, c.bytes_sent.saturating_sub(*untaken_bytes)),
            false => share(c.acked_segments, c.sent_segments),
        },
        retransmitted_segments: c.retransmitted_segments,
        timeouts: if is_tcp { timeouts.map(|(count, _)| count) } else { base.timeouts },
        rto_idle_seconds: if is_tcp {
            timeouts.map(|(_, idle)| idle.as_secs_f64())
        } else {
            base.rto_idle_seconds
        },
        fast_retransmits: c.fast_retransmits,
        probes_sent: if is_tcp { None } else { base.probes_sent },
        freezes: c.freezes,
        frozen_seconds: c.frozen.as_secs_f64(),
        mean_cwnd_segments: known.then_some(cwnd),
        mean_in_flight_segments: known.then_some(flight),
        mean_rtt_seconds: srtt,
        completion_seconds: f.finished_at.map(since_start),
        retransmission_ratio: (is_tcp && c.sent_segments > 0)
            .then(|| c.retransmitted_segments as f64 / c.sent_segments as f64),
        handshake_seconds: f.connected_at.map(since_start),
        connection_seconds: f.first_sent.zip(f.last_acked).map(|(a, b)| b.since(a).as_secs_f64()),
        ..base
    }
}
