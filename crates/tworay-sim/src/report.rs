//! What a run gives back: the document of `run --json` and the tables behind it.

mod power;
mod routing;

use self::power::{Power, energy_report};
use crate::diagnosis::{self, Diagnosed};
use crate::flow::{Application, Flow, Transport};
use crate::ledger::{AloftSample, Carries, Ledger, LossRecord};
use crate::network::{Network, WireEvent, WireRecord};
use serde::Serialize;
use std::collections::BTreeMap;
use tworay_base::{FlowId, LossCause, SimTime};
use tworay_mac::MacCounters;
use tworay_tcp::{Operation, Phase, Snapshot};

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
    /// How often the sender ran each of its operations.
    pub operations: Option<BTreeMap<&'static str, u64>>,
    /// Instructions of these, by the measured table.
    pub instructions: Option<f64>,
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
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct RoutingReport {
    /// The protocol's name.
    pub protocol: String,
    /// Control packets sent, each hop counted.
    pub control_packets: u64,
    /// Bytes of these (IP length).
    pub control_bytes: u64,
    /// Routes found or changed.
    pub route_changes: u64,
    /// Link failures reported by the MAC although the neighbour was up and in range.
    pub false_link_failures: u64,
    /// Routing packets of neighbours that were dropped because they can't be right, by what is wrong with
    /// them; reasons that didn't occur are left out.
    pub malformed: BTreeMap<&'static str, u64>,
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
}

/// Metrics over all flows; `null` where not defined for this run.
#[derive(Clone, Debug, Default, Serialize, PartialEq)]
pub struct MetricsReport {
    /// (Σx)² / (n·Σx²) of the flows' goodputs (Jain, Chiu, Hawe 1984).
    pub jain_fairness: Option<f64>,
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
    /// The senders' guesses by true cause; `none` where nothing had been lost.
    pub diagnosis: BTreeMap<String, BTreeMap<String, u64>>,
    /// The MAC.
    pub mac: MacReport,
    /// Routing.
    pub routing: RoutingReport,
    /// Energy.
    pub energy: EnergyReport,
    /// Metrics.
    pub metrics: MetricsReport,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name, with the unit.
    pub name: &'static str,
    /// Its values.
    pub data: ColumnData,
}

/// Values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnData {
    /// Reals; NaN where there is no value.
    F64(Vec<f64>),
    /// Integers.
    I64(Vec<i64>),
    /// Texts.
    Str(Vec<String>),
}

/// A table of equally long columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// `flows`, `ledger` or `series`.
    pub name: &'static str,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// Everything a run gives back.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// The document of `run --json`.
    pub document: Document,
    losses: Vec<LossRecord>,
    guesses: Vec<Diagnosed>,
    series: Vec<(u16, f64, Snapshot)>,
    packets: Vec<WireRecord>,
    aloft: Vec<AloftSample>,
    hops: Vec<Vec<u64>>,
    power: Option<Power>,
}

impl RunReport {
    pub(crate) fn gather(mut network: Network, scenario: &str, seed: u64, protocol: &str) -> Self {
        let end = network.end;
        let warm = network.warm_at;
        let mut mac = MacCounters::default();
        let (mut control_packets, mut control_bytes) = (0, 0);
        for n in &network.nodes {
            mac.add(n.mac.counters());
            control_packets += n.router.counters().control_packets();
            control_bytes += n.router.counters().control_bytes();
        }
        let flows: Vec<FlowReport> = network
            .flows
            .iter_mut()
            .enumerate()
            .map(|(i, f)| flow_report(f, i as u16, end, warm, &mut network.ledger))
            .collect();
        // Energy is counted from the run's beginning: so are the bits that it is divided by.
        let received_bits = network.flows.iter().map(|f| 8.0 * f.received_bytes() as f64).sum();
        let power = network.energy.take().map(|e| Power::gather(*e, end));
        let energy = energy_report(power.as_ref(), &flows, received_bits, network.joules_per_instruction);
        let aloft = network.ledger.take_aloft_series();
        let hops = network.flows.iter().map(|f| f.path.hops.clone()).collect();
        let mut flows = flows;
        if power.is_none() {
            flows.iter_mut().for_each(|f| f.instructions = None);
        }
        let metrics = metrics(&flows);
        let tally = &network.tally;
        let guesses = diagnosis::match_all(&network.flows, network.ledger.records());
        let document = Document {
            tworay: crate::VERSION,
            scenario: scenario.into(),
            seed,
            sim_seconds: end.as_secs_f64(),
            events: network.events,
            cpu_seconds: 0.0,
            flows,
            ledger: LossCause::ALL
                .iter()
                .map(|&c| {
                    let lost = network.ledger.lost(c);
                    (c.name(), LossCount { data: lost.data, ack: lost.ack })
                })
                .collect(),
            diagnosis: diagnosis::count(&guesses),
            mac: MacReport {
                collisions: frame_count(&tally.collisions),
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
                route_changes: tally.route_changes,
                false_link_failures: tally.false_link_failures,
                malformed: routing::malformed(network.nodes.iter().map(|n| n.router.counters())),
            },
            energy,
            metrics,
        };
        let series = network
            .flows
            .iter_mut()
            .enumerate()
            .flat_map(|(i, f)| {
                f.series
                    .take()
                    .unwrap_or_default()
                    .into_iter()
                    .map(move |s| (i as u16, s.at.as_secs_f64(), s.state))
            })
            .collect();
        let packets = network.wires.trace.take().unwrap_or_default();
        Self {
            document,
            losses: network.ledger.records().to_vec(),
            guesses,
            series,
            packets,
            aloft,
            hops,
            power,
        }
    }

    /// The document as one line of JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(&self.document).unwrap_or_else(|e| format!("{{\"error\":\"{e}\"}}"))
    }

    /// The tables `flows`, `ledger` (one row a loss), `guesses` (one row a guess), `series`, and for wired links `packets`.
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = vec![
            self.flow_table(),
            self.ledger_table(),
            self.guess_table(),
            self.series_table(),
            self.path_table(),
        ];
        if !self.aloft.is_empty() {
            tables.push(self.alive_table());
        }
        if let Some(power) = &self.power {
            tables.push(power.node_table());
            tables.extend(power.sample_table());
        }
        if !self.packets.is_empty() {
            tables.push(self.packet_table());
        }
        tables
    }

    /// Packets by the number of hops they travelled.
    fn path_table(&self) -> Table {
        let rows: Vec<(i64, i64, i64)> = self
            .hops
            .iter()
            .enumerate()
            .flat_map(|(flow, counts)| {
                let seen = counts.iter().enumerate().filter(|(_, n)| **n > 0);
                seen.map(move |(hops, &n)| (flow as i64, hops as i64, n as i64))
            })
            .collect();
        table(
            "paths",
            [
                ("flow", ColumnData::I64(rows.iter().map(|r| r.0).collect())),
                ("hops", ColumnData::I64(rows.iter().map(|r| r.1).collect())),
                ("packets", ColumnData::I64(rows.iter().map(|r| r.2).collect())),
            ],
        )
    }

    /// Segments alive, change by change.
    fn alive_table(&self) -> Table {
        let a = &self.aloft;
        let ints = |get: &dyn Fn(&AloftSample) -> i64| ColumnData::I64(a.iter().map(get).collect());
        table(
            "alive",
            [
                ("t_s", ColumnData::F64(a.iter().map(|r| r.0.as_secs_f64()).collect())),
                ("flow", ints(&|r| r.1.0.into())),
                ("data_segments", ints(&|r| r.2.data as i64)),
                ("ack_segments", ints(&|r| r.2.ack as i64)),
            ],
        )
    }

    fn packet_table(&self) -> Table {
        let p = &self.packets;
        let ints = |get: &dyn Fn(&WireRecord) -> i64| ColumnData::I64(p.iter().map(get).collect());
        let event = |r: &WireRecord| match r.event {
            WireEvent::Enqueue => "enqueue".to_string(),
            WireEvent::Send => "send".to_string(),
            WireEvent::Receive => "receive".to_string(),
            WireEvent::Drop => "drop".to_string(),
        };
        table(
            "packets",
            [
                ("t_s", ColumnData::F64(p.iter().map(|r| r.at.as_secs_f64()).collect())),
                ("event", ColumnData::Str(p.iter().map(event).collect())),
                ("from", ints(&|r| r.from.0.into())),
                ("to", ints(&|r| r.to.0.into())),
                ("flow", ints(&|r| r.flow.into())),
                ("kind", ColumnData::Str(p.iter().map(|r| r.kind.to_string()).collect())),
                ("seq", ints(&|r| r.seq.into())),
                ("bytes", ints(&|r| r.bytes.into())),
            ],
        )
    }

    fn flow_table(&self) -> Table {
        let f = &self.document.flows;
        let ints = |get: fn(&FlowReport) -> u64| ColumnData::I64(f.iter().map(|x| get(x) as i64).collect());
        let reals = |get: fn(&FlowReport) -> f64| ColumnData::F64(f.iter().map(get).collect());
        let maybe = |get: fn(&FlowReport) -> Option<f64>| {
            ColumnData::F64(f.iter().map(|x| get(x).unwrap_or(f64::NAN)).collect())
        };
        let texts =
            ColumnData::Str(f.iter().map(|x| x.tcp.clone().unwrap_or_else(|| "udp".into())).collect());
        table(
            "flows",
            [
                ("flow", ints(|x| x.id as u64)),
                ("from", ints(|x| x.from as u64)),
                ("to", ints(|x| x.to as u64)),
                ("tcp", texts),
                ("goodput_bps", reals(|x| x.goodput_bps)),
                ("throughput_bps", reals(|x| x.throughput_bps)),
                ("acked_segments", ints(|x| x.acked_segments)),
                ("sent_segments", ints(|x| x.sent_segments)),
                ("retransmitted_segments", ints(|x| x.retransmitted_segments)),
                ("timeouts", ints(|x| x.timeouts)),
                ("rto_idle_seconds", reals(|x| x.rto_idle_seconds)),
                ("fast_retransmits", ints(|x| x.fast_retransmits)),
                ("probes_sent", ints(|x| x.probes_sent)),
                ("freezes", ints(|x| x.freezes)),
                ("frozen_seconds", reals(|x| x.frozen_seconds)),
                ("mean_cwnd_segments", maybe(|x| x.mean_cwnd_segments)),
                ("mean_in_flight_segments", maybe(|x| x.mean_in_flight_segments)),
                ("mean_rtt_seconds", maybe(|x| x.mean_rtt_seconds)),
                ("completion_seconds", maybe(|x| x.completion_seconds)),
            ],
        )
    }

    fn ledger_table(&self) -> Table {
        let l = &self.losses;
        let kind = |r: &LossRecord| match r.carries {
            Carries::Data => "data".to_string(),
            Carries::Ack => "ack".to_string(),
        };
        table(
            "ledger",
            [
                ("t_s", ColumnData::F64(l.iter().map(|r| r.at.as_secs_f64()).collect())),
                ("flow", ColumnData::I64(l.iter().map(|r| r.flow.0 as i64).collect())),
                ("node", ColumnData::I64(l.iter().map(|r| r.node.0 as i64).collect())),
                ("kind", ColumnData::Str(l.iter().map(kind).collect())),
                ("seq", ColumnData::I64(l.iter().map(|r| r.seq.0 as i64).collect())),
                ("cause", ColumnData::Str(l.iter().map(|r| r.cause.name().to_string()).collect())),
            ],
        )
    }

    fn guess_table(&self) -> Table {
        let g = &self.guesses;
        let texts = |get: fn(&Diagnosed) -> &'static str| {
            ColumnData::Str(g.iter().map(|d| get(d).to_string()).collect())
        };
        table(
            "guesses",
            [
                ("t_s", ColumnData::F64(g.iter().map(|d| d.at.as_secs_f64()).collect())),
                ("flow", ColumnData::I64(g.iter().map(|d| d.flow.0.into()).collect())),
                ("seq", ColumnData::I64(g.iter().map(|d| d.seq.0.into()).collect())),
                ("guess", texts(|d| d.guess)),
                ("cause", texts(|d| d.cause_name())),
            ],
        )
    }

    fn series_table(&self) -> Table {
        let s = &self.series;
        let reals = |get: &dyn Fn(&Snapshot) -> f64| ColumnData::F64(s.iter().map(|r| get(&r.2)).collect());
        table(
            "series",
            [
                ("t_s", ColumnData::F64(s.iter().map(|r| r.1).collect())),
                ("flow", ColumnData::I64(s.iter().map(|r| r.0 as i64).collect())),
                ("cwnd_segments", reals(&|x| x.cwnd)),
                ("ssthresh_segments", reals(&|x| x.ssthresh)),
                ("srtt_s", reals(&|x| x.srtt.map_or(f64::NAN, |d| d.as_secs_f64()))),
                ("rto_s", reals(&|x| x.rto.as_secs_f64())),
                ("in_flight_segments", reals(&|x| x.flight_segments as f64)),
            ],
        )
    }
}

pub(crate) fn table<const N: usize>(name: &'static str, columns: [(&'static str, ColumnData); N]) -> Table {
    Table { name, columns: columns.into_iter().map(|(name, data)| Column { name, data }).collect() }
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

fn flow_report(f: &mut Flow, id: u16, end: SimTime, warm: SimTime, ledger: &mut Ledger) -> FlowReport {
    let from = f.setup.start.max(warm).min(end);
    let until = f.finished_at.unwrap_or(end).min(end);
    let seconds = until.since(from).as_secs_f64();
    let rate = |bytes: u64| if seconds > 0.0 { bytes as f64 * 8.0 / seconds } else { 0.0 };
    let (cwnd, flight, srtt) = f.means.finish(end);
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
        handshake_seconds: None,
        connection_seconds: None,
        phase_seconds: None,
        mean_data_alive_segments: data_alive,
        mean_ack_alive_segments: ack_alive,
        mean_delay_seconds: f.path.mean_delay(),
        jitter_seconds: f.path.jitter(),
        mean_hops: f.path.mean_hops(),
        operations: None,
        instructions: None,
    };
    match (&f.transport, &f.setup.application) {
        (Transport::Tcp(pair), Application::Ftp { variant, .. }) => {
            let c = pair.sender.counters();
            let before = &f.base.counters;
            let sent = c.sent_segments - before.sent_segments;
            let again = c.retransmitted_segments - before.retransmitted_segments;
            let mut operations = c.operations();
            operations.iter_mut().zip(before.operations()).for_each(|(n, b)| *n -= b);
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
                operations: Some(Operation::ALL.iter().zip(operations).map(|(o, n)| (o.name(), n)).collect()),
                instructions: Some(tworay_tcp::instructions(variant.name(), &operations)),
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
        _ => base,
    }
}
