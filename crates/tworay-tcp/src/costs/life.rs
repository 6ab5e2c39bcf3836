//! One transfer over a lossy path, made for counting the instructions of its sender.
//!
//! A profiler that counts instructions by function (callgrind) sees each call of the sender through a
//! function named after the operation that the call performs. Which operation that is is known only after
//! the call, so the transfer runs twice, and in the second run the name of every call is known. The path is
//! the same for all variants: 100 ms round trip, 5 ms between segments on the slowest link, single and
//! double losses of data, lost ACKs, and outages that end in a timeout, with a notice of the broken link
//! for variants that use it. The path has twelve hops, because variants that keep a window of two or three
//! segments on short paths would never see a duplicate ACK there.

use crate::costs::{Operation, Operations};
use crate::{
    Amount, Arrival, Connection, PathEvent, Ports, SegmentKind, Side, TcpAction, TcpConfig, TcpTimer, Variant,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hint::black_box;
use tworay_base::{NodeId, Purpose, RngStream, SimDuration, SimTime};
use tworay_wire::TcpSegment;

/// Calls of the sender in one transfer.
const CALLS: usize = 20_000;
const DELAY: SimDuration = SimDuration::from_millis(50);
const SPACING: SimDuration = SimDuration::from_millis(5);
const OUTAGE: SimDuration = SimDuration::from_millis(3500);

/// Purpose of a call of the sender.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The operation that names it, or `None` if it performed none of them.
    pub operation: Option<Operation>,
    /// True if the estimator also took a round-trip sample.
    pub sampled: bool,
}

/// Occurrences of each kind of call, and the sender's own counts.
#[derive(Clone, Debug, Default)]
pub struct Lived {
    /// By the name of the function that made the call.
    pub calls: BTreeMap<&'static str, u64>,
    /// Counts kept by the sender.
    pub operations: Operations,
}

/// Input to the sender.
enum Input {
    Segment(TcpSegment),
    Timer(TcpTimer),
    Notice,
}

/// The only place where the sender is called.
#[inline(always)]
fn call(sender: &mut Connection, now: SimTime, input: &Input, out: &mut Vec<TcpAction>) {
    match input {
        Input::Segment(s) => sender.on_segment(now, s, Arrival { ttl_left: 53, hops: 12 }, out),
        Input::Timer(t) => sender.on_timer(now, *t, out),
        Input::Notice if sender.warning().is_some() => {
            sender.on_path_event(now, PathEvent::PeerWindow { open: false }, out);
        }
        Input::Notice => sender.on_path_event(now, PathEvent::LinkFailure { segment: None }, out),
    }
}

/// The compiler would merge functions with equal bodies, so each contains its own number.
macro_rules! measured {
    ($($number:literal $name:ident ($operation:pat, $sampled:pat),)*) => {
        $(#[inline(never)]
        fn $name(sender: &mut Connection, now: SimTime, input: &Input, out: &mut Vec<TcpAction>) {
            black_box($number);
            call(sender, now, input, out);
        })*

        fn measured(
            kind: Call, sender: &mut Connection, now: SimTime, input: &Input, out: &mut Vec<TcpAction>,
        ) -> &'static str {
            match (kind.operation, kind.sampled) {
                $(($operation, $sampled) => {
                    $name(sender, now, input, out);
                    stringify!($name)
                })*
            }
        }
    };
}

measured! {
    1 tworay_cost_ack_slow_start_end (Some(Operation::AckSlowStart), false),
    2 tworay_cost_ack_slow_start_sampled_end (Some(Operation::AckSlowStart), true),
    3 tworay_cost_ack_congestion_avoidance_end (Some(Operation::AckCongestionAvoidance), false),
    4 tworay_cost_ack_congestion_avoidance_sampled_end (Some(Operation::AckCongestionAvoidance), true),
    5 tworay_cost_recovery_ack_end (Some(Operation::RecoveryAck), _),
    6 tworay_cost_fast_retransmit_end (Some(Operation::FastRetransmit), _),
    7 tworay_cost_dup_ack_end (Some(Operation::DupAck), _),
    8 tworay_cost_timeout_end (Some(Operation::Timeout), _),
    9 tworay_cost_probe_end (Some(Operation::Probe), _),
    10 tworay_cost_other_end (_, _),
}

/// The first operation in this list that a call performed names it: a fast retransmit is also a duplicate
/// ACK.
const BY_WEIGHT: [Operation; 7] = [
    Operation::Timeout,
    Operation::FastRetransmit,
    Operation::Probe,
    Operation::RecoveryAck,
    Operation::DupAck,
    Operation::AckSlowStart,
    Operation::AckCongestionAvoidance,
];

fn kind(before: &Operations, after: &Operations) -> Call {
    let ran = |o: Operation| after[o as usize] > before[o as usize];
    Call { operation: BY_WEIGHT.into_iter().find(|&o| ran(o)), sampled: ran(Operation::RttSample) }
}

enum Event {
    Arrive(usize, TcpSegment),
    Timer(usize, TcpTimer),
    Notice,
}

/// Two ends and the path between them; end 0 sends.
struct Life {
    now: SimTime,
    ends: [Connection; 2],
    free: [SimTime; 2],
    sent: [u64; 2],
    dark_until: SimTime,
    queue: BinaryHeap<Reverse<(SimTime, u64)>>,
    events: BTreeMap<u64, Event>,
    count: u64,
    timers: [[SimTime; TcpTimer::COUNT]; 2],
}

impl Life {
    fn new(variant: &Variant) -> Self {
        let config = TcpConfig::default();
        let end = |side, local, remote| {
            let rng = RngStream::new(1, NodeId(local), Purpose::Tcp);
            Connection::new(&config, variant, side, Ports { local, remote }, rng)
        };
        let mut life = Self {
            now: SimTime::ZERO + SimDuration::from_secs(1),
            ends: [end(Side::Active, 1, 2), end(Side::Passive, 2, 1)],
            free: [SimTime::ZERO; 2],
            sent: [0; 2],
            dark_until: SimTime::ZERO,
            queue: BinaryHeap::new(),
            events: BTreeMap::new(),
            count: 0,
            timers: [[SimTime::NEVER; TcpTimer::COUNT]; 2],
        };
        for who in [1, 0] {
            let mut out = Vec::new();
            life.ends[who].open(life.now, &mut out);
            if who == 0 {
                life.ends[who].write(life.now, Amount::Endless, &mut out);
            }
            life.act(who, &mut out);
        }
        life
    }

    /// Runs the transfer and returns its calls; `known` are the calls of an earlier run.
    fn live(&mut self, known: Option<&[Call]>, lived: &mut Lived) -> Vec<Call> {
        let mut calls = Vec::with_capacity(CALLS);
        let mut out = Vec::with_capacity(256);
        while calls.len() < CALLS {
            let Some(Reverse((at, id))) = self.queue.pop() else { break };
            let Some(event) = self.events.remove(&id) else { continue };
            self.now = at;
            let (who, input) = match event {
                Event::Arrive(who, segment) => (who, Input::Segment(segment)),
                Event::Notice => (0, Input::Notice),
                Event::Timer(who, timer) => {
                    if self.timers[who][timer.index()] != at {
                        continue;
                    }
                    self.timers[who][timer.index()] = SimTime::NEVER;
                    (who, Input::Timer(timer))
                }
            };
            let end = &mut self.ends[who];
            if who == 1 {
                call(end, at, &input, &mut out);
            } else {
                let before = end.counters().operations();
                match known.and_then(|k| k.get(calls.len())) {
                    Some(&kind) => {
                        let name = measured(kind, end, at, &input, &mut out);
                        *lived.calls.entry(name).or_default() += 1;
                    }
                    None => call(end, at, &input, &mut out),
                }
                calls.push(kind(&before, &end.counters().operations()));
            }
            self.act(who, &mut out);
        }
        lived.operations = self.ends[0].counters().operations();
        calls
    }

    fn schedule(&mut self, at: SimTime, event: Event) {
        self.queue.push(Reverse((at, self.count)));
        self.events.insert(self.count, event);
        self.count += 1;
    }

    fn act(&mut self, who: usize, out: &mut Vec<TcpAction>) {
        for action in out.drain(..) {
            match action {
                TcpAction::Send { segment, kind, .. } => self.send(who, segment, kind),
                TcpAction::Arm(timer, at) => {
                    self.timers[who][timer.index()] = at;
                    self.schedule(at, Event::Timer(who, timer));
                }
                TcpAction::Disarm(timer) => self.timers[who][timer.index()] = SimTime::NEVER,
                _ => {}
            }
        }
    }

    fn send(&mut self, who: usize, segment: TcpSegment, kind: SegmentKind) {
        self.sent[who] += 1;
        let n = self.sent[who];
        if who == 0 && n.is_multiple_of(1200) {
            self.dark_until = self.now + OUTAGE;
        }
        if self.now < self.dark_until {
            if who == 0 {
                self.schedule(self.now + DELAY, Event::Notice);
            }
            return;
        }
        let lost = match kind {
            // Two losses in one window, and single ones in between.
            SegmentKind::Data { .. } => n % 300 == 150 || n % 300 == 153 || n % 100 == 20,
            SegmentKind::Ack => n % 50 == 7,
            _ => false,
        };
        let takes = if segment.payload > 0 { SPACING } else { SimDuration::ZERO };
        self.free[who] = self.free[who].max(self.now) + takes;
        if !lost {
            self.schedule(self.free[who] + DELAY, Event::Arrive(1 - who, segment));
        }
    }
}

/// Runs the transfer of `variant` twice; the second run calls the sender through the named functions.
pub fn live(variant: &Variant) -> Lived {
    let mut lived = Lived::default();
    let calls = Life::new(variant).live(None, &mut lived);
    Life::new(variant).live(Some(&calls), &mut lived);
    lived
}
