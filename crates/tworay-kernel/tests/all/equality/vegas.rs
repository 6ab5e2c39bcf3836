//! Vegas: in the simulator it is a separate recovery, so whole connections are compared, over a path with a
//! queue.

use super::drive::config;
use super::native::{self, Core, VegasAck, VegasLimits, View, Window};
use proptest::collection::vec;
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use tworay_base::{NodeId, Purpose, RngStream, SimDuration, SimTime};
use tworay_tcp::{
    Amount, Arrival, Connection, Ports, SegmentKind, Side, Snapshot, TcpAction, TcpConfig, TcpNote, TcpTimer,
    Variant,
};
use tworay_wire::TcpSegment;

/// The fault at the end of a connection.
#[derive(Copy, Clone, Debug)]
enum Fault {
    /// One data segment is lost.
    Drop(usize),
    /// Loss of everything from this data segment on.
    Outage(usize),
}

#[derive(Clone, Debug)]
struct Path {
    /// One-way delay, microseconds.
    delay: u64,
    /// Service time of the slowest link per segment in microseconds, used cyclically.
    service: Vec<u64>,
    fault: Fault,
    limits: (u32, u32, u32),
}

fn paths() -> impl Strategy<Value = Path> {
    let fault = prop_oneof![(20..300usize).prop_map(Fault::Drop), (20..300usize).prop_map(Fault::Outage)];
    let limits = (1..4u32, 0..4u32, 1..4u32).prop_map(|(alpha, more, gamma)| (alpha, alpha + more, gamma));
    (1_000..50_000u64, vec(500..15_000u64, 1..60), fault, limits)
        .prop_map(|(delay, service, fault, limits)| Path { delay, service, fault, limits })
}

#[derive(Debug)]
enum Event {
    Arrive(usize, TcpSegment),
    Timer(usize, TcpTimer),
}

/// Two connections and the path between them; end 0 sends.
struct World {
    now: u64,
    ends: [Connection; 2],
    queue: BinaryHeap<Reverse<(u64, u64)>>,
    events: BTreeMap<u64, Event>,
    count: u64,
    timers: [[Option<u64>; TcpTimer::COUNT]; 2],
    /// When the slowest link becomes free.
    free: u64,
    data: usize,
    path: Path,
    /// By end of a data segment: when it was sent, and how often.
    sent: BTreeMap<u32, (u64, u32)>,
}

fn time(micros: u64) -> SimTime {
    SimTime::from_nanos(micros * 1000)
}

impl World {
    fn new(path: &Path, config: &TcpConfig, variant: &Variant) -> Self {
        let end = |side, local, remote| {
            let rng = RngStream::new(1, NodeId(local), Purpose::Tcp);
            Connection::new(config, variant, side, Ports { local, remote }, rng)
        };
        let mut world = Self {
            now: 1_000_000,
            ends: [end(Side::Active, 1, 2), end(Side::Passive, 2, 1)],
            queue: BinaryHeap::new(),
            events: BTreeMap::new(),
            count: 0,
            timers: [[None; TcpTimer::COUNT]; 2],
            free: 0,
            data: 0,
            path: path.clone(),
            sent: BTreeMap::new(),
        };
        let mut out = Vec::new();
        world.ends[1].open(time(world.now), &mut out);
        world.act(1, &out);
        out.clear();
        world.ends[0].open(time(world.now), &mut out);
        world.ends[0].write(time(world.now), Amount::Endless, &mut out);
        world.act(0, &out);
        world
    }

    fn later(&mut self, at: u64, event: Event) {
        self.count += 1;
        self.queue.push(Reverse((at, self.count)));
        self.events.insert(self.count, event);
    }

    fn act(&mut self, end: usize, actions: &[TcpAction]) {
        for action in actions {
            match action {
                TcpAction::Send { segment, kind, .. } => self.send(end, segment, *kind),
                TcpAction::Arm(timer, at) => {
                    // Rounded up to the next microsecond, the tick of this test.
                    let at = at.as_nanos().div_ceil(1000);
                    self.timers[end][timer.index()] = Some(at);
                    self.later(at, Event::Timer(end, *timer));
                }
                TcpAction::Disarm(timer) => self.timers[end][timer.index()] = None,
                _ => {}
            }
        }
    }

    fn send(&mut self, end: usize, segment: &TcpSegment, kind: SegmentKind) {
        let mut leaves = self.now;
        if let (0, SegmentKind::Data { .. }) = (end, kind) {
            let number = self.data;
            self.data += 1;
            let stamp = self.sent.entry(segment.seq_end().0).or_default();
            *stamp = (self.now, stamp.1 + 1);
            match self.path.fault {
                Fault::Drop(lost) if lost == number => return,
                Fault::Outage(first) if number >= first => return,
                _ => {}
            }
            leaves = self.free.max(self.now) + self.path.service[number % self.path.service.len()];
            self.free = leaves;
        }
        self.later(leaves + self.path.delay, Event::Arrive(1 - end, *segment));
    }

    /// Runs the next event; returns its segment, the sender's state before, and the resulting actions.
    fn step(&mut self) -> Option<(Option<TcpSegment>, Snapshot, Vec<TcpAction>)> {
        loop {
            let Reverse((at, number)) = self.queue.pop()?;
            let event = self.events.remove(&number)?;
            self.now = at;
            let before = self.ends[0].snapshot();
            let mut out = Vec::new();
            match event {
                Event::Arrive(end, segment) => {
                    self.ends[end].on_segment(time(at), &segment, Arrival::default(), &mut out);
                    self.act(end, &out);
                    if end == 0 {
                        return Some((Some(segment), before, out));
                    }
                }
                Event::Timer(end, timer) => {
                    if self.timers[end][timer.index()] != Some(at) {
                        continue;
                    }
                    self.timers[end][timer.index()] = None;
                    self.ends[end].on_timer(time(at), timer, &mut out);
                    self.act(end, &out);
                    if end == 0 {
                        return Some((None, before, out));
                    }
                }
            }
        }
    }
}

/// Counts of what a connection has tested.
#[derive(Debug, Default)]
struct Met {
    acks: u32,
    shrunk: u32,
    losses: u32,
    timeouts: u32,
}

fn vegas(path: &Path, met: &mut Met) -> Result<(), TestCaseError> {
    let (alpha, beta, gamma) = path.limits;
    let limits = VegasLimits { alpha, beta, gamma };
    let variant: Variant = format!("vegas({alpha},{beta},{gamma})").parse().expect("a variant");
    // A clock without ticks, as in the kernel, and an unlimited receiver window.
    let config = TcpConfig { tick: SimDuration::ZERO, heartbeat: SimDuration::ZERO, ..TcpConfig::default() };
    let (mss, advertised) = (config.mss.0 as u32, config.window_segments() as u32);
    let mut world = World::new(path, &config, &variant);
    let mut core = Core::default();
    let (opened, first) = (world.now, config.iss.wrapping_add(1));
    let (mut open, mut ssthresh, mut dups) = (false, 0, 0);
    // Once the window has grown to the peer's, further events test nothing new.
    for _ in 0..2000 {
        let Some((segment, before, out)) = world.step() else { break };
        let after = world.ends[0].snapshot();
        let view = |cwnd: u32, ssthresh: u32| View {
            now: world.now,
            cwnd,
            ssthresh,
            advertised,
            flight: before.flight_segments as u32,
            ..View::default()
        };
        let noted = |wanted: fn(&TcpNote) -> bool| {
            out.iter().any(|a| matches!(a, TcpAction::Note(note) if wanted(note)))
        };
        if noted(|n| matches!(n, TcpNote::Timeout { .. })) {
            let flight = before.flight_segments as u32;
            let standard = Window { cwnd: 1, ssthresh: (flight / 2).max(2) };
            let decision = native::vegas_rto(&standard);
            near(decision.window.cwnd, after.cwnd)?;
            near(decision.window.ssthresh, after.ssthresh)?;
            met.timeouts += 1;
            return Ok(());
        }
        let Some(segment) = segment else { continue };
        if !open {
            native::vegas_start(&mut core, world.now, first, (world.now - opened) as u32);
            native::vegas_sync(&mut core, after.cwnd as u32);
            (open, ssthresh) = (true, after.ssthresh as u32);
            continue;
        }
        if segment.ack.diff(before.una) <= 0 {
            dups += 1;
            if noted(|n| matches!(n, TcpNote::FastRetransmit { .. })) {
                let decision = native::vegas_loss(&view(native::vegas_cwnd(&core), ssthresh));
                near(decision.window.cwnd, after.cwnd - f64::from(dups))?;
                met.losses += 1;
                return Ok(());
            }
            continue;
        }
        if dups > 0 {
            // The first ACKs after a hole caused by reordering: the inflation stays, which a core does not
            // model.
            return Ok(());
        }
        let (una, nxt) = (segment.ack.0, before.nxt.0);
        let segments = |bytes: u32| bytes.div_ceil(mss);
        let ack = VegasAck {
            una,
            nxt,
            sent: segments(nxt.wrapping_sub(native::vegas_mark(&core))),
            flight: segments(nxt.wrapping_sub(una)),
        };
        let was = native::vegas_cwnd(&core);
        native::vegas_ack(&mut core, &view(was, ssthresh), &ack, &mut ssthresh, &limits);
        if let Some((at, 1)) = world.sent.get(&una) {
            native::vegas_rtt(&mut core, (world.now - at) as u32);
        }
        near(native::vegas_cwnd(&core), after.cwnd)?;
        near(ssthresh, after.ssthresh)?;
        met.acks += 1;
        met.shrunk += u32::from(native::vegas_cwnd(&core) < was);
    }
    Ok(())
}

fn near(kernel: u32, simulated: f64) -> Result<(), TestCaseError> {
    prop_assert!(
        (f64::from(kernel) - simulated).abs() <= 1.0 + 1e-9,
        "kernel {kernel}, simulated {simulated}"
    );
    Ok(())
}

#[test]
fn vegas_of_the_kernel_is_that_of_the_simulator() {
    let met = std::cell::RefCell::new(Met::default());
    let cases = config().cases / 4;
    proptest!(ProptestConfig { cases, ..config() }, |(path in paths())| {
        vegas(&path, &mut met.borrow_mut())?;
    });
    let met = met.into_inner();
    assert!(met.acks > 50 * cases && met.shrunk > cases, "{met:?} in {cases} lives");
    assert!(met.losses > cases / 5 && met.timeouts > cases / 5, "{met:?} in {cases} lives");
}
