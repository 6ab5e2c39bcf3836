//! Flows: an application at one node, its transport, its peer, and what is measured of them.

use crate::engine::TimerSlot;
use tworay_base::{NodeId, Purpose, RngStream, SimDuration, SimTime};
use tworay_tcp::{Connection, Ports, Side, Snapshot, TcpConfig, Variant};

/// What an application sends.
#[derive(Clone, Debug, PartialEq)]
pub enum Application {
    /// A file over TCP: so many bytes, or without end.
    Ftp {
        /// Bytes to send, then FIN; `None` never ends.
        bytes: Option<u64>,
        /// The TCP.
        variant: Variant,
    },
    /// Datagrams of constant size at constant intervals over UDP.
    Cbr {
        /// Time between datagrams.
        interval: SimDuration,
        /// Payload of each, bytes.
        payload: u32,
    },
    /// CBR in bursts: exponential on and off times.
    OnOff {
        /// Time between datagrams while on.
        interval: SimDuration,
        /// Payload of each, bytes.
        payload: u32,
        /// Mean length of a burst.
        on: SimDuration,
        /// Mean pause between bursts.
        off: SimDuration,
    },
}

/// A flow to be set up.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSetup {
    /// Sending node.
    pub from: NodeId,
    /// Receiving node.
    pub to: NodeId,
    /// Destination port.
    pub port: u16,
    /// When the application starts.
    pub start: SimTime,
    /// When it stops, if it does before the end.
    pub stop: Option<SimTime>,
    /// What it sends.
    pub application: Application,
}

/// The transport of a flow.
pub(crate) enum Transport {
    Tcp(Box<TcpPair>),
    Udp(Udp),
}

/// The two ends of a TCP connection.
pub(crate) struct TcpPair {
    pub sender: Connection,
    pub receiver: Connection,
}

/// A UDP source and its sink.
pub(crate) struct Udp {
    pub interval: SimDuration,
    pub payload: u32,
    /// Mean on and off times of bursts.
    pub bursts: Option<(SimDuration, SimDuration)>,
    pub until: SimTime,
    pub ticking: bool,
    pub sent: u64,
    pub received: u64,
    pub received_bytes: u64,
    /// Which numbers have come, to count each once.
    pub highest: Option<u64>,
}

/// A row of a flow's time series.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Sample {
    /// When.
    pub at: SimTime,
    /// The sender's state.
    pub state: Snapshot,
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
}

impl Means {
    fn advance(&mut self, now: SimTime) {
        let dt = now.since(self.since).as_secs_f64();
        self.since = now;
        self.total += dt;
        self.cwnd += dt * self.last_cwnd;
        self.flight += dt * self.last_flight;
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
    }

    /// (mean cwnd, mean flight, mean smoothed RTT) up to `now`.
    pub fn finish(&mut self, now: SimTime) -> (f64, f64, Option<f64>) {
        self.advance(now);
        let per = |x: f64, t: f64| if t > 0.0 { x / t } else { 0.0 };
        let srtt = (self.srtt_time > 0.0).then(|| self.srtt / self.srtt_time);
        (per(self.cwnd, self.total), per(self.flight, self.total), srtt)
    }
}

/// A flow at run time.
pub(crate) struct Flow {
    pub setup: FlowSetup,
    pub transport: Transport,
    /// First of its timers: the sender's, then the receiver's.
    pub timers: TimerSlot,
    pub means: Means,
    pub window_limit: f64,
    pub delivered_bytes: u64,
    pub connected_at: Option<SimTime>,
    pub finished_at: Option<SimTime>,
    pub series: Option<Vec<Sample>>,
    pub guesses: Vec<Guess>,
    pub rng: RngStream,
}

/// A sender's opinion about a loss.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Guess {
    /// When.
    pub at: SimTime,
    /// First byte of the segment.
    pub seq: tworay_base::Seq32,
    /// The opinion.
    pub guess: &'static str,
}

impl Flow {
    pub fn new(
        setup: FlowSetup,
        index: usize,
        timers: TimerSlot,
        tcp: &TcpConfig,
        seed: u64,
        series: bool,
    ) -> Self {
        let transport = match &setup.application {
            Application::Ftp { variant, .. } => {
                let ports = Ports { local: 49_152 + index as u16, remote: setup.port };
                let back = Ports { local: ports.remote, remote: ports.local };
                let stream = |end: u64| RngStream::numbered(seed, 2 * index as u64 + end, Purpose::Tcp);
                let sender = Connection::new(tcp, variant, Side::Active, ports, stream(0));
                let mut receiver = Connection::new(tcp, variant, Side::Passive, back, stream(1));
                // Listening asks for nothing.
                receiver.open(SimTime::ZERO, &mut Vec::new());
                Transport::Tcp(Box::new(TcpPair { sender, receiver }))
            }
            Application::Cbr { interval, payload } => Transport::Udp(Udp::new(*interval, *payload, None)),
            Application::OnOff { interval, payload, on, off } => {
                Transport::Udp(Udp::new(*interval, *payload, Some((*on, *off))))
            }
        };
        Self {
            means: Means { since: setup.start, ..Means::default() },
            setup,
            transport,
            timers,
            window_limit: tcp.window_segments(),
            delivered_bytes: 0,
            connected_at: None,
            finished_at: None,
            series: series.then(Vec::new),
            guesses: Vec::new(),
            rng: RngStream::numbered(seed, index as u64, Purpose::Traffic),
        }
    }

    /// Notes the sender's state after something happened to it.
    #[inline]
    pub fn observe(&mut self, now: SimTime) {
        let Transport::Tcp(pair) = &self.transport else { return };
        let state = pair.sender.snapshot();
        self.means.set(now, &state, self.window_limit);
        if let Some(series) = &mut self.series
            && series.last().is_none_or(|s| s.state != state)
        {
            series.push(Sample { at: now, state });
        }
    }
}

impl Udp {
    fn new(interval: SimDuration, payload: u32, bursts: Option<(SimDuration, SimDuration)>) -> Self {
        Self {
            interval,
            payload,
            bursts,
            until: SimTime::NEVER,
            ticking: false,
            sent: 0,
            received: 0,
            received_bytes: 0,
            highest: None,
        }
    }
}
