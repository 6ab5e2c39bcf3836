//! The main loop: keeps simulated time in step with the clock and moves packets between devices and
//! network.

use crate::clock::Clock;
use crate::connections::Connections;
use crate::device::{Station, address};
use crate::diag::{Asked, Told};
use crate::freeze::{Admission, Freeze, Freezer};
use crate::idle::Idle;
use crate::late::LateSpans;
use crate::lateness::Lateness;
use crate::packet::{self, Refused, View};
use crate::watched::{Helm, Watched};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::Duration;
use tworay_base::{FlowId, NodeId, Seq32, SimTime};
use tworay_sim::{Entering, Expired, Header, Layer, Leaving, Live, LiveStatus};

/// Longest sleep, which bounds the reaction time to a stop request.
pub(crate) const NAP: Duration = Duration::from_millis(20);
/// Most packets read from one device before the network runs again.
const BATCH: usize = 32;
/// Longest piece of simulated time processed before the devices are checked.
const PIECE_NANOS: u64 = 1_000_000;
/// Interval of progress reports, simulated time.
const REPORT_NANOS: u64 = 100_000_000;

/// Why the loop ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    /// It was requested to stop.
    Stopped,
    /// The time limit was reached.
    Limit,
    /// The machine was too slow: lateness in real seconds, and the simulated time.
    TooLate { seconds: f64, at: SimTime },
    /// A device or the network failed.
    Failed(String),
}

/// Progress reported while the loop runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    pub at: SimTime,
    pub delivered_bytes: u64,
    pub closing: usize,
    pub status: LiveStatus,
    pub lateness_seconds: f64,
    pub lag_seconds: f64,
    pub watched: Watched,
}

/// When progress is to be reported next.
#[derive(Debug)]
pub(crate) struct Reports {
    next: SimTime,
}

impl Default for Reports {
    fn default() -> Self {
        Self { next: SimTime::ZERO }
    }
}

/// Settings of the loop.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub layer: Layer,
    pub slow: f64,
    /// Largest lateness that goes unmarked, real seconds.
    pub most_late: f64,
    /// True to stop when it is exceeded.
    pub strict: bool,
    pub limit: SimTime,
    pub freeze: bool,
}

/// A network in real time.
pub(crate) struct Engine {
    pub live: Live,
    pub stations: Vec<Station>,
    pub rules: Rules,
    pub lateness: Lateness,
    pub late: LateSpans,
    /// The kernels' time (CLOCK_MONOTONIC, ns) at the start.
    pub started_nanos: u64,
    pub connections: Connections,
    pub refused: BTreeMap<&'static str, u64>,
    /// Packets that a kernel did not accept.
    pub not_taken: u64,
    pub kept: u64,
    /// Freezes that have ended: flow, node of the sender, and times.
    pub freezes: Vec<(FlowId, NodeId, Freeze)>,
    /// Packets whose hop limit ran out in the simulated network and that were answered.
    pub expired: u64,
    pub(crate) places: BTreeMap<NodeId, usize>,
    pub(crate) freezer: Freezer,
    pub(crate) helm: Helm,
    buffer: Vec<u8>,
}

impl Engine {
    pub fn new(live: Live, stations: Vec<Station>, rules: Rules) -> Self {
        let asked = Asked::new(stations.iter().map(|s| s.node));
        let usual = stations.iter().map(|s| (s.node, s.congestion.clone())).collect();
        let places = stations.iter().enumerate().map(|(i, s)| (s.node, i)).collect();
        Self {
            live,
            stations,
            rules,
            lateness: Lateness::default(),
            late: LateSpans::default(),
            started_nanos: 0,
            connections: Connections::new(asked, usual),
            refused: BTreeMap::new(),
            not_taken: 0,
            kept: 0,
            freezes: Vec::new(),
            expired: 0,
            places,
            freezer: Freezer::default(),
            helm: Helm::default(),
            buffer: vec![0; 1 << 16],
        }
    }

    /// Runs until something ends it. `tell` is called from time to time.
    pub fn run(&mut self, stop: &AtomicBool, told: &Receiver<Told>, mut tell: impl FnMut(Progress)) -> End {
        let clock = Clock::start(self.rules.slow);
        self.started_nanos = clock.monotonic_nanos();
        if let Some(idle) = Idle::open() {
            return self.run_ahead(&idle, &clock, stop, told, tell);
        }
        let mut reports = Reports::default();
        loop {
            let target = clock.now().min(self.rules.limit);
            let next = self.live.next_time();
            if next <= target {
                let late = clock.real_seconds(target.since(next).as_secs_f64());
                self.lateness.note((late * 1e9) as u64);
                if late > self.rules.most_late {
                    if self.rules.strict {
                        return End::TooLate { seconds: late, at: next };
                    }
                    self.late.note(next, target, late);
                }
            }
            // In pieces, because packets must not wait for a long stretch of work.
            let piece = SimTime::from_nanos(next.max(self.live.now()).as_nanos().saturating_add(PIECE_NANOS));
            if let Err(end) = self.advance(target.min(piece), stop) {
                return end;
            }
            let wake = self.live.next_time().min(self.freezer.next_due());
            let behind = self.live.now() < target;
            let wait = if behind { Duration::ZERO } else { clock.until(wake).min(NAP) };
            let limit = self.rules.limit;
            if let Err(error) = self.take_in(wait, BATCH, || clock.now().min(limit)) {
                return End::Failed(format!("the devices can't be read: {error}"));
            }
            let lag = clock.real_seconds(clock.now().since(self.live.now()).as_secs_f64());
            self.report(&mut reports, told, lag, &mut tell);
        }
    }

    /// Passes on progress from time to time.
    pub(crate) fn report(
        &mut self,
        reports: &mut Reports,
        told: &Receiver<Told>,
        lag_seconds: f64,
        tell: &mut impl FnMut(Progress),
    ) {
        let now = self.live.now();
        if now < reports.next {
            return;
        }
        reports.next = SimTime::from_nanos(now.as_nanos() + REPORT_NANOS);
        for (node, local, remote, info) in told.try_iter() {
            self.connections.note_info(&mut self.live, node, local, remote, info);
        }
        self.live.flush_capture();
        tell(Progress {
            at: now,
            delivered_bytes: self.connections.delivered(),
            closing: self.connections.closing(),
            status: self.live.status(),
            lateness_seconds: self.lateness.quantile_seconds(0.99),
            lag_seconds,
            watched: self.look(),
        });
    }

    /// Waits for packets and passes them to the network, `batch` from each device at most. They enter at the
    /// time `now`, asked for when there are some.
    pub(crate) fn take_in(
        &mut self,
        wait: Duration,
        batch: usize,
        now: impl Fn() -> SimTime,
    ) -> io::Result<()> {
        let ready: Vec<usize> = {
            let mut fds: Vec<PollFd<'_>> =
                self.stations.iter().map(|s| PollFd::new(s.as_fd(), PollFlags::POLLIN)).collect();
            match ppoll(&mut fds, Some(TimeSpec::from_duration(wait)), None) {
                Ok(0) | Err(nix::Error::EINTR) => return Ok(()),
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            fds.iter().enumerate().filter(|(_, fd)| fd.any() == Some(true)).map(|(i, _)| i).collect()
        };
        // Packets enter at the current time, not at that of the last event.
        self.live.run_until(now());
        for station in ready {
            for _ in 0..batch {
                let length = match self.stations[station].receive(&mut self.buffer) {
                    Ok(length) => length,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) => return Err(error),
                };
                let bytes: Arc<[u8]> = Arc::from(&self.buffer[..length]);
                if let Err(refused) = self.packet_from(station, bytes) {
                    *self.refused.entry(refused.name()).or_default() += 1;
                }
            }
        }
        Ok(())
    }

    /// A packet sent by a station's kernel.
    fn packet_from(&mut self, station: usize, bytes: Arc<[u8]>) -> Result<(), Refused> {
        let node = self.stations[station].node;
        if self.rules.layer == Layer::Two {
            let (to, view) = packet::frame(&bytes)?;
            self.frame_from(node, to, view, bytes);
            return Ok(());
        }
        let view = packet::view(&bytes)?;
        let to = packet::destination(node, &view)?;
        if !self.places.contains_key(&to) {
            return Err(Refused::NoStation);
        }
        let Some(sorted) = self.connections.sort(&mut self.live, &view, (node, to), true) else {
            return Ok(());
        };
        let connection = &mut self.connections.all[sorted.connection];
        if self.rules.freeze
            && let Some(tcp) = &view.tcp
        {
            let place = connection.place(sorted.side, tcp);
            let acked = connection.acked(sorted.side);
            let sender = (sorted.connection, sorted.side);
            if self.freezer.sends(sender, (place, acked), tcp, &bytes) == Admission::Withheld {
                self.kept += 1;
                return Ok(());
            }
        }
        let (flow, phase) = (connection.flow, connection.phase(sorted.side));
        let carries = Some(sorted.carries);
        let uid = self.live.take_in(Entering {
            flow,
            carries,
            seq: sorted.seq,
            header: sorted.header,
            ..untracked((node, to), &view, bytes)
        });
        if sorted.again {
            self.live.note_resent(flow, node, sorted.seq, uid, phase);
        }
        Ok(())
    }

    /// A frame from a station. If it contains an IP packet for one neighbour, it belongs to a flow and is
    /// tracked by the ledger hop by hop; broadcasts and other protocols are not tracked.
    fn frame_from(&mut self, node: NodeId, to: NodeId, view: Option<View>, bytes: Arc<[u8]>) {
        let tracked = match &view {
            Some(view) if !to.is_broadcast() => {
                let station =
                    |address| packet::node_of(address).filter(|node| self.places.contains_key(node));
                let source = station(view.src).unwrap_or(node);
                let nodes = (source, station(view.dst).unwrap_or(to));
                self.connections.sort(&mut self.live, view, nodes, source == node)
            }
            _ => None,
        };
        let flow = tracked.map_or(FlowId::NONE, |s| self.connections.all[s.connection].flow);
        self.live.take_in(Entering {
            node,
            to,
            ttl: view.map_or(1, |v| v.ttl),
            ip_bytes: (bytes.len() as u32).saturating_sub(14),
            bytes,
            flow,
            carries: tracked.map(|s| s.carries),
            seq: tracked.map_or(Seq32(0), |s| s.seq),
            frame: true,
            header: tracked.map_or(Header::default(), |s| s.header),
        });
    }

    /// Simulates until then, and passes on what has left the network; returns the number of packets that kernels
    /// got, or why the run ends.
    pub(crate) fn advance(&mut self, until: SimTime, stop: &AtomicBool) -> Result<usize, End> {
        self.live.run_until(until);
        self.obey();
        let sent = self.let_out();
        self.answer_expired();
        self.look_after_breaks();
        if self.live.now() >= self.rules.limit {
            return Err(End::Limit);
        }
        if stop.load(Ordering::Relaxed) {
            return Err(End::Stopped);
        }
        Ok(sent)
    }

    /// Passes packets that have reached their station to its kernel; returns how many.
    pub(crate) fn let_out(&mut self) -> usize {
        let leaving: Vec<_> = std::iter::from_fn(|| self.live.pop_leaving()).collect();
        let count = leaving.len();
        self.hand_out(leaving);
        count
    }

    /// Passes packets to the kernels of their stations.
    pub(crate) fn hand_out(&mut self, packets: Vec<Leaving>) {
        for leaving in packets {
            let Some(&place) = self.places.get(&leaving.node) else { continue };
            let Leaving { ttl, bytes, .. } = leaving;
            let sent = if self.rules.layer == Layer::Two {
                // At a relay it has not arrived yet.
                if let Ok((_, Some(view))) = packet::frame(&bytes)
                    && packet::node_of(view.dst)
                        .is_none_or(|node| node == leaving.node || !self.places.contains_key(&node))
                {
                    self.note_arrival(&view);
                }
                self.stations[place].send(&bytes)
            } else {
                if let Ok(view) = packet::view(&bytes) {
                    self.note_arrival(&view);
                }
                let mut bytes = bytes.to_vec();
                packet::set_ttl(&mut bytes, ttl);
                self.stations[place].send(&bytes)
            };
            self.not_taken += u64::from(sent.is_err());
        }
    }

    /// The node at which a packet's hop limit ran out tells the packet's sender, over the air.
    pub(crate) fn answer_expired(&mut self) {
        while let Some(Expired { node, src, bytes, .. }) = self.live.pop_expired() {
            let Ok(view) = packet::view(&bytes) else { continue };
            let Some(answer) = packet::time_exceeded(address(node), &view, &bytes) else { continue };
            if let Ok(view) = packet::view(&answer) {
                self.expired += 1;
                self.live.take_in(untracked((node, src), &view, answer.into()));
            }
        }
    }

    fn note_arrival(&mut self, view: &View) {
        let Some((number, side)) = self.connections.find(view) else { return };
        let now = self.live.now();
        let connection = &mut self.connections.all[number];
        connection.arrived(now, side, view);
        if self.rules.freeze
            && let Some(tcp) = &view.tcp
        {
            let sender = (number, 1 - side);
            if let Some(freeze) = self.freezer.hears(sender, connection.acked(1 - side), now, tcp) {
                connection.frozen += freeze.until.since(freeze.since);
                self.freezes.push((connection.flow, connection.nodes[1 - side], freeze));
            }
        }
    }
}

/// Injects an IP packet from one node to another that the ledger does not track.
pub(crate) fn untracked((node, to): (NodeId, NodeId), view: &View, bytes: Arc<[u8]>) -> Entering {
    Entering {
        node,
        to,
        ttl: view.ttl,
        ip_bytes: view.bytes,
        bytes,
        flow: FlowId::NONE,
        carries: None,
        seq: Seq32(0),
        frame: false,
        header: Header::default(),
    }
}

/// Requests real-time priority for the calling thread. A refusal is not an error; the lateness statistics
/// show the effect.
#[expect(unsafe_code, reason = "no safe wrapper sets a thread's scheduling policy")]
pub(crate) fn ask_for_priority() {
    let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    let parameter = libc::sched_param { sched_priority: 10 };
    // SAFETY: the structure is complete and outlives the call; 0 names the calling thread.
    unsafe {
        libc::sched_setscheduler(0, policy, &raw const parameter);
    }
}
