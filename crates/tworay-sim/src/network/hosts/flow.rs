//! Flows: an application, its transport, the peer, and their measurements.

use super::arrivals::Arrivals;
use super::traffic::Traffic;
use crate::engine::TimerSlot;
use std::sync::Arc;
use tworay_base::{NodeId, Purpose, RngStream, SimDuration, SimTime};
use tworay_scenario::{Application, FlowSetup};
use tworay_tcp::{
    Connection, Counters, Ignored, Operation, Operations, Phase, Ports, Side, Snapshot, TcpConfig,
};
use tworay_wire::packet_trace::{TracePacket, UDP_HEADERS};

/// The transport of a flow.
pub(crate) enum Transport {
    Tcp(Box<TcpPair>),
    Udp(Udp),
    /// Both ends are outside.
    External(Box<External>),
}

/// A flow of programs outside, as observed there.
#[derive(Default)]
pub(crate) struct External {
    pub counters: Counters,
    /// Number of timeouts and the time in them; `None` if the sender doesn't count them.
    pub timeouts: Option<(u64, SimDuration)>,
    /// Payload that arrived after the receiving program had closed the connection, bytes.
    pub untaken_bytes: u64,
    /// IP bytes that the receiving end has sent, and the time of its first packet: the flow's, should it turn.
    pub back: (u64, Option<SimTime>),
}

/// The two ends of a TCP connection.
pub(crate) struct TcpPair {
    pub sender: Connection,
    pub receiver: Connection,
}

impl TcpPair {
    /// Events ignored by both ends, in the order of [`Ignored::ALL`].
    pub fn ignored(&self) -> [u64; Ignored::COUNT] {
        let (sender, receiver) = (self.sender.counters().ignored, self.receiver.counters().ignored);
        std::array::from_fn(|why| sender[why] + receiver[why])
    }
}

/// When a UDP source sends, and how much.
pub(crate) enum Pace {
    /// Payloads of the same size at the same intervals.
    Constant { interval: SimDuration, payload: u32 },
    /// The packets of a trace.
    Trace(Arc<[TracePacket]>),
}

impl Pace {
    /// Payload of datagram `number`, and the time from it to the next one; `None` if there is no such datagram.
    pub fn datagram(&self, number: u64) -> Option<(u32, Option<SimDuration>)> {
        match self {
            Pace::Constant { interval, payload } => Some((*payload, Some(*interval))),
            Pace::Trace(packets) => {
                let place = usize::try_from(number).ok()?;
                let packet = packets.get(place)?;
                let gap = packets.get(place + 1).map(|next| next.at.saturating_sub(packet.at));
                Some((packet.ip_bytes.saturating_sub(UDP_HEADERS), gap))
            }
        }
    }
}

/// A UDP source and its sink.
pub(crate) struct Udp {
    pub pace: Pace,
    /// Mean on and off time of bursts.
    pub bursts: Option<(SimDuration, SimDuration)>,
    pub until: SimTime,
    /// Datagrams left to send.
    pub packets: u64,
    pub ticking: bool,
    pub sent: u64,
    pub sent_payload: u64,
    pub received: u64,
    pub received_bytes: u64,
    pub arrivals: Arrivals,
}

/// Energy that a sender's computations draw from its battery.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    /// Energy of each operation, J.
    costs: [f64; Operation::COUNT],
    /// Operations already paid for.
    paid: Operations,
    /// Energy drawn in each phase of the sender, J, in the order of [`Phase::ALL`].
    pub by_phase: [f64; Phase::COUNT],
}

impl Drawn {
    pub fn new(costs: [f64; Operation::COUNT]) -> Self {
        Self { costs, paid: Operations::default(), by_phase: [0.0; Phase::COUNT] }
    }

    /// Charges what was computed since the last call, in the phase in which the sender was; returns the energy.
    pub fn charge(&mut self, operations: &Operations, phase: Phase) -> f64 {
        let new = operations.iter().zip(self.paid).map(|(n, paid)| n - paid);
        let joules = new.zip(self.costs).map(|(n, cost)| n as f64 * cost).sum();
        self.paid = *operations;
        self.by_phase[phase as usize] += joules;
        joules
    }
}

/// Time-weighted means of the sender's state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Means {
    since: SimTime,
    cwnd: f64,
    flight: f64,
    srtt: f64,
    srtt_time: f64,
    last_cwnd: f64,
    last_flight: f64,
    last_srtt: Option<f64>,
    total: f64,
    last_phase: Option<Phase>,
    /// Time spent in each phase, in the order of [`Phase::ALL`].
    phases: [SimDuration; Phase::COUNT],
}

/// Counts at the end of the warm-up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Baseline {
    pub delivered_bytes: u64,
    pub sent_bytes: u64,
    pub counters: Counters,
    pub ignored: [u64; Ignored::COUNT],
    pub udp_sent: u64,
    pub udp_sent_payload: u64,
    pub udp_received: u64,
    pub udp_received_bytes: u64,
}

impl Means {
    /// The state stays constant up to `end`; then [`Means::means`] is final.
    pub fn close(&mut self, end: SimTime) {
        self.advance(end);
    }

    fn advance(&mut self, now: SimTime) {
        let spent = now.since(self.since);
        let dt = spent.as_secs_f64();
        self.since = self.since.max(now);
        self.total += dt;
        self.cwnd += dt * self.last_cwnd;
        self.flight += dt * self.last_flight;
        if let Some(phase) = self.last_phase {
            self.phases[phase as usize] += spent;
        }
        if let Some(srtt) = self.last_srtt {
            self.srtt += dt * srtt;
            self.srtt_time += dt;
        }
    }

    fn set(&mut self, now: SimTime, s: &Snapshot, limit: f64) {
        self.advance(now);
        self.last_cwnd = s.cwnd.min(limit);
        self.last_flight = s.flight_segments as f64;
        self.last_srtt = s.srtt.map(|d| d.as_secs_f64());
        self.last_phase = Some(s.phase);
    }

    /// Discards everything before `now` except the current state.
    fn restart(&mut self, now: SimTime) {
        *self = Self {
            since: self.since.max(now),
            last_cwnd: self.last_cwnd,
            last_flight: self.last_flight,
            last_srtt: self.last_srtt,
            last_phase: self.last_phase,
            ..Self::default()
        };
    }

    /// The sender's phase up to now.
    pub fn phase(&self) -> Phase {
        self.last_phase.unwrap_or(Phase::ALL[0])
    }

    /// Time spent in each phase, in the order of [`Phase::ALL`], until [`Means::close`].
    pub fn phases(&self) -> [SimDuration; Phase::COUNT] {
        self.phases
    }

    /// True if there was a state.
    pub fn is_known(&self) -> bool {
        self.last_phase.is_some()
    }

    /// (mean cwnd, mean flight, mean smoothed RTT) until [`Means::close`].
    pub fn means(&self) -> (f64, f64, Option<f64>) {
        let per = |x: f64, t: f64| if t > 0.0 { x / t } else { 0.0 };
        let srtt = (self.srtt_time > 0.0).then(|| self.srtt / self.srtt_time);
        (per(self.cwnd, self.total), per(self.flight, self.total), srtt)
    }
}

/// A flow at run time.
pub(crate) struct Flow {
    pub setup: FlowSetup,
    pub transport: Transport,
    /// The application, if it asks for transfers over TCP.
    pub traffic: Option<Box<Traffic>>,
    /// First of its timers: the sender's, followed by the receiver's.
    pub timers: TimerSlot,
    pub means: Means,
    pub window_limit: f64,
    pub delivered_bytes: u64,
    pub connected_at: Option<SimTime>,
    pub finished_at: Option<SimTime>,
    /// Energy drawn by the sender's computations, if they draw any.
    pub drawn: Option<Box<Drawn>>,
    /// The first segment that a node could not pass on since the last route error that reached the sender.
    pub stopped: Option<tworay_base::Seq32>,
    /// IP bytes transmitted by the sending side, including headers, retransmissions and probes.
    pub sent_bytes: u64,
    pub first_sent: Option<SimTime>,
    /// Time of the last ACK of new data.
    pub last_acked: Option<SimTime>,
    acked_bytes: u64,
    pub base: Baseline,
    pub rng: RngStream,
}

impl Flow {
    /// IP bytes that an end of the flow has sent, and the time of its first packet, as far as they are counted.
    pub fn sent_by(&mut self, node: NodeId) -> Option<(&mut u64, &mut Option<SimTime>)> {
        if self.setup.from == node {
            return Some((&mut self.sent_bytes, &mut self.first_sent));
        }
        match &mut self.transport {
            Transport::External(outside) if self.setup.to == node => {
                Some((&mut outside.back.0, &mut outside.back.1))
            }
            _ => None,
        }
    }

    /// The payload of a flow of programs outside goes the other way. The state of the sender until now was that of
    /// the wrong end.
    pub fn turn(&mut self, now: SimTime) {
        std::mem::swap(&mut self.setup.from, &mut self.setup.to);
        if let Transport::External(outside) = &mut self.transport {
            let back = std::mem::replace(&mut outside.back, (self.sent_bytes, self.first_sent));
            (self.sent_bytes, self.first_sent) = back;
        }
        self.means = Means { since: now, ..Means::default() };
        (self.acked_bytes, self.last_acked) = (0, None);
    }

    pub fn new(setup: FlowSetup, index: usize, timers: TimerSlot, tcp: &TcpConfig, seed: u64) -> Self {
        let traffic = Traffic::new(&setup.application, setup.start);
        let variant = setup.application.variant();
        let transport = match (&setup.application, variant) {
            (_, Some(variant)) => {
                let ports = Ports { local: 49_152 + index as u16, remote: setup.port };
                let back = Ports { local: ports.remote, remote: ports.local };
                let stream = |end: u64| RngStream::numbered(seed, 2 * index as u64 + end, Purpose::Tcp);
                let sender = Connection::new(tcp, variant, Side::Active, ports, stream(0));
                let mut receiver = Connection::new(tcp, variant, Side::Passive, back, stream(1));
                // Opening the listening end causes no action.
                receiver.open(SimTime::ZERO, &mut Vec::new());
                Transport::Tcp(Box::new(TcpPair { sender, receiver }))
            }
            (&Application::Cbr { interval, payload, packets }, _) => {
                let udp = Udp::new(Pace::Constant { interval, payload }, None);
                Transport::Udp(Udp { packets: packets.unwrap_or(u64::MAX), ..udp })
            }
            (&Application::OnOff { interval, payload, on, off }, _) => {
                Transport::Udp(Udp::new(Pace::Constant { interval, payload }, Some((on, off))))
            }
            (Application::Replay { trace, .. }, _) => {
                Transport::Udp(Udp::new(Pace::Trace(Arc::clone(&trace.packets)), None))
            }
            // Only programs outside are left: every other application has a variant or sends datagrams.
            _ => Transport::External(Box::default()),
        };
        Self {
            means: Means { since: setup.start, ..Means::default() },
            setup,
            transport,
            traffic,
            timers,
            window_limit: tcp.window_segments(),
            delivered_bytes: 0,
            connected_at: None,
            finished_at: None,
            drawn: None,
            stopped: None,
            sent_bytes: 0,
            first_sent: None,
            last_acked: None,
            acked_bytes: 0,
            base: Baseline::default(),
            rng: RngStream::numbered(seed, index as u64, Purpose::Traffic),
        }
    }

    /// The run ends. The state of a program's connection is that of its kernel until the connection is over: a network
    /// may stand for long after it.
    pub fn close(&mut self, end: SimTime) {
        let over = match self.transport {
            Transport::External(_) => self.finished_at,
            _ => None,
        };
        self.means.close(over.map_or(end, |over| over.min(end)));
    }

    /// Payload bytes that reached the receiving application.
    pub fn received_bytes(&self) -> u64 {
        match &self.transport {
            Transport::Tcp(_) | Transport::External(_) => self.delivered_bytes,
            Transport::Udp(udp) => udp.received_bytes,
        }
    }

    /// Energy of the sender's computations since the last call, joules, if they draw any.
    #[inline]
    pub fn joules_computed(&mut self) -> Option<f64> {
        let (Some(drawn), Transport::Tcp(pair)) = (&mut self.drawn, &self.transport) else { return None };
        let joules = drawn.charge(&pair.sender.counters().operations(), self.means.phase());
        (joules > 0.0).then_some(joules)
    }

    /// Records the sender's state after an event.
    #[inline]
    pub fn observe(&mut self, now: SimTime) {
        let Transport::Tcp(pair) = &self.transport else { return };
        let state = pair.sender.snapshot();
        let acked = pair.sender.counters().acked_bytes;
        self.note_state(now, &state, acked);
    }

    /// Records that the sender's state is `state` from `now` on, with `acked` bytes acknowledged.
    #[inline]
    pub fn note_state(&mut self, now: SimTime, state: &Snapshot, acked: u64) {
        if acked != self.acked_bytes {
            self.acked_bytes = acked;
            self.last_acked = Some(now);
        }
        self.means.set(now, state, self.window_limit);
    }

    /// The flow's figures start at `now`: everything counted before is left out.
    pub fn restart(&mut self, now: SimTime) {
        self.means.restart(now);
        self.base = Baseline {
            delivered_bytes: self.delivered_bytes,
            sent_bytes: self.sent_bytes,
            ..Baseline::default()
        };
        match &self.transport {
            Transport::Tcp(pair) => {
                self.base.counters = pair.sender.counters().clone();
                self.base.ignored = pair.ignored();
            }
            Transport::Udp(udp) => {
                self.base.udp_sent = udp.sent;
                self.base.udp_sent_payload = udp.sent_payload;
                self.base.udp_received = udp.received;
                self.base.udp_received_bytes = udp.received_bytes;
            }
            Transport::External(outside) => self.base.counters = outside.counters.clone(),
        }
    }
}

impl Udp {
    fn new(pace: Pace, bursts: Option<(SimDuration, SimDuration)>) -> Self {
        Self {
            pace,
            bursts,
            until: SimTime::NEVER,
            packets: u64::MAX,
            ticking: false,
            sent: 0,
            sent_payload: 0,
            received: 0,
            received_bytes: 0,
            arrivals: Arrivals::new(),
        }
    }
}
