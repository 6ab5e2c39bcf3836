//! Network of the suite: s1 -- 8 Mb/s, 0 ms -- r1 -- 800 kb/s, 100 ms -- k1, with listed drops before the
//! queue from r1 to k1. Events run in order of (time, insertion), as in ns-2.
//!
//! The harness keeps time in floating-point seconds as ns-2 does. In one test (fourdrops_sack, at 2.365672
//! s) a packet arrives exactly when another has been sent, and the last bit of ns-2's clock decides which
//! comes first. The endpoints get integer nanoseconds as always.

use super::traces::Point;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use tworay_base::{NodeId, Purpose, RngStream, SimTime};
use tworay_tcp::{
    Amount, Arrival, Connection, Ports, SegmentKind, Side, TcpAction, TcpConfig, TcpTimer, Variant,
};
use tworay_wire::TcpSegment;

const S1: usize = 0;
const K1: usize = 1;

#[derive(Clone)]
struct Packet {
    segment: TcpSegment,
    bytes: u32,
    /// Data and SYN: the number of the packet; ACK: the highest packet acknowledged.
    number: u64,
    is_ack: bool,
}

enum Event {
    Start,
    /// Sample the congestion window.
    Sample,
    /// A packet arrives at the far end of a link.
    Arrive(usize, Packet),
    /// A link has finished sending a packet.
    Idle(usize),
    Timer(usize, TcpTimer, f64),
}

struct Link {
    /// Bits per second.
    rate: f64,
    /// Seconds.
    delay: f64,
    limit: usize,
    queue: VecDeque<Packet>,
    busy: bool,
}

/// Links by number.
const S1_R1: usize = 0;
const R1_K1: usize = 1;
const K1_R1: usize = 2;
const R1_S1: usize = 3;

/// Events of a run; times in seconds.
#[derive(Default)]
pub struct Run {
    /// Packets as s1 sent them.
    pub data: Vec<(u64, f64)>,
    /// Drops before r1's queue.
    pub drops: Vec<(u64, f64)>,
    /// ACKs as they reached s1.
    pub acks_at_sender: Vec<(u64, f64)>,
    /// The sender's congestion window at the sampled times.
    pub cwnd: Vec<f64>,
    /// Packets dropped by a full queue.
    pub overflows: usize,
    /// `+` and `-` events at r1's queue.
    queue: Vec<(u64, f64)>,
    /// `+` and `-` events of ACKs at k1's queue.
    ack_queue: Vec<(u64, f64)>,
}

impl Run {
    /// Packets that s1 had sent before.
    pub fn retransmissions(&self) -> Vec<(u64, f64)> {
        let mut next = 0;
        let mut again = Vec::new();
        for &(n, t) in &self.data {
            if n < next {
                again.push((n, t));
            }
            next = next.max(n + 1);
        }
        again
    }
    pub fn packet_lines(&self) -> Vec<Point> {
        self.queue.iter().map(Point::from_event).collect()
    }
    /// The first four drops, then all of them sorted, as `raw2xg` writes them.
    pub fn drop_lines(&self) -> Vec<Point> {
        let all: Vec<_> = self.drops.iter().map(Point::from_event).collect();
        let mut lines: Vec<_> = all.iter().take(4).cloned().collect();
        lines.extend(sorted(all));
        lines
    }
    pub fn ack_lines(&self) -> Vec<Point> {
        sorted(self.ack_queue.iter().map(Point::from_event).collect())
    }
}

fn sorted(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a.text.cmp(&b.text));
    points
}

struct Network {
    /// Seconds.
    now: f64,
    /// Positive floats sort in the order of their bits.
    heap: BinaryHeap<Reverse<(u64, u64)>>,
    events: BTreeMap<u64, Event>,
    inserted: u64,
    links: Vec<Link>,
    ends: Vec<Connection>,
    timers: Vec<[f64; TcpTimer::COUNT]>,
    to_drop: Vec<u64>,
    arrived_at_r1: u64,
    mss: u64,
    iss: u32,
    run: Run,
}

/// Runs one test until 6 s.
pub fn run(variant: &str, config: &TcpConfig, drops: &[u64]) -> Run {
    run_for(variant, config, drops, 6.0)
}

/// Runs until `end_time`; samples the congestion window every half second from 2 s on.
pub fn run_for(variant: &str, config: &TcpConfig, drops: &[u64], end_time: f64) -> Run {
    run_over(variant, config, drops, end_time, Bottleneck::default())
}

/// The slow link.
#[derive(Copy, Clone, Debug)]
pub struct Bottleneck {
    /// Bits per second.
    pub rate: f64,
    /// Seconds.
    pub delay: f64,
    /// In packets, including the one being sent.
    pub limit: usize,
}

impl Default for Bottleneck {
    /// That of the suite.
    fn default() -> Self {
        Self { rate: 8e5, delay: 0.1, limit: 8 }
    }
}

/// The same over another bottleneck.
pub fn run_over(variant: &str, config: &TcpConfig, drops: &[u64], end_time: f64, slow: Bottleneck) -> Run {
    let variant: Variant = variant.parse().expect("a variant");
    let end = |side, local, remote, node| {
        let rng = RngStream::new(1, NodeId(node), Purpose::Tcp);
        Connection::new(config, &variant, side, Ports { local, remote }, rng)
    };
    let link = |rate, delay, limit| Link { rate, delay, limit, queue: VecDeque::new(), busy: false };
    let mut network = Network {
        now: 0.0,
        heap: BinaryHeap::new(),
        events: BTreeMap::new(),
        inserted: 0,
        links: vec![
            link(8e6, 0.0, 1000),
            link(slow.rate, slow.delay, slow.limit),
            link(slow.rate, slow.delay, slow.limit),
            link(8e6, 0.0, 1000),
        ],
        ends: vec![end(Side::Active, 1, 2, 0), end(Side::Passive, 2, 1, 3)],
        timers: vec![[f64::INFINITY; TcpTimer::COUNT]; 2],
        to_drop: drops.to_vec(),
        arrived_at_r1: 0,
        mss: config.mss.0,
        iss: config.iss,
        run: Run::default(),
    };
    network.schedule(1.0, Event::Start);
    network.schedule(2.0, Event::Sample);
    network.run_until(end_time);
    network.run
}

/// The endpoints' time.
fn clock(now: f64) -> SimTime {
    SimTime::from_secs_f64(now)
}

impl Network {
    fn schedule(&mut self, at: f64, event: Event) {
        self.heap.push(Reverse((at.to_bits(), self.inserted)));
        self.events.insert(self.inserted, event);
        self.inserted += 1;
    }

    fn run_until(&mut self, end: f64) {
        while let Some(Reverse((at, id))) = self.heap.pop() {
            let at = f64::from_bits(at);
            if at >= end {
                break;
            }
            self.now = at;
            match self.events.remove(&id).expect("an event") {
                Event::Start => self.start(),
                Event::Sample => {
                    self.run.cwnd.push(self.ends[S1].snapshot().cwnd);
                    self.schedule(self.now + 0.5, Event::Sample);
                }
                Event::Arrive(link, packet) => self.arrive(link, packet),
                Event::Idle(link) => self.next(link),
                Event::Timer(who, timer, at) => {
                    if self.timers[who][timer.index()] == at {
                        self.timers[who][timer.index()] = f64::INFINITY;
                        let mut out = Vec::new();
                        self.ends[who].on_timer(clock(self.now), timer, &mut out);
                        self.act(who, out);
                    }
                }
            }
        }
    }

    fn start(&mut self) {
        for who in [K1, S1] {
            let mut out = Vec::new();
            self.ends[who].open(clock(self.now), &mut out);
            if who == S1 {
                self.ends[who].write(clock(self.now), Amount::Endless, &mut out);
            }
            self.act(who, out);
        }
    }

    fn act(&mut self, who: usize, actions: Vec<TcpAction>) {
        for action in actions {
            match action {
                TcpAction::Send { segment, ip_bytes, kind } => self.send(who, segment, ip_bytes, kind),
                TcpAction::Arm(timer, at) => {
                    let at = self.now + at.since(clock(self.now)).as_secs_f64();
                    self.timers[who][timer.index()] = at;
                    self.schedule(at, Event::Timer(who, timer, at));
                }
                TcpAction::Disarm(timer) => self.timers[who][timer.index()] = f64::INFINITY,
                _ => {}
            }
        }
    }

    fn send(&mut self, who: usize, segment: TcpSegment, bytes: u32, kind: SegmentKind) {
        let is_ack = kind == SegmentKind::Ack;
        // Bytes after the SYN; packet 0 is the SYN.
        let after_syn = |seq: tworay_base::Seq32| u64::from(seq.0.wrapping_sub(self.iss).wrapping_sub(1));
        let number = match kind {
            SegmentKind::Ack => after_syn(segment.ack) / self.mss,
            SegmentKind::Data { .. } => after_syn(segment.seq) / self.mss + 1,
            _ => 0,
        };
        if who == S1 {
            assert!(!is_ack, "the sender has nothing to acknowledge");
            self.run.data.push((number, self.now));
        }
        let packet = Packet { segment, bytes, number, is_ack };
        self.enqueue(if who == S1 { S1_R1 } else { K1_R1 }, packet);
    }

    fn enqueue(&mut self, link: usize, packet: Packet) {
        let now = self.now;
        if link == R1_K1 {
            let index = self.arrived_at_r1;
            self.arrived_at_r1 += 1;
            if self.to_drop.contains(&index) {
                self.run.drops.push((packet.number, now));
                return;
            }
            self.run.queue.push((packet.number, now));
        } else if link == K1_R1 {
            assert!(packet.is_ack);
            self.run.ack_queue.push((packet.number, now));
        }
        let l = &mut self.links[link];
        // ns-2's drop-tail queue does not count the packet being sent.
        if l.queue.len() + 1 >= l.limit {
            self.run.overflows += 1;
            return;
        }
        l.queue.push_back(packet);
        if !l.busy {
            self.next(link);
        }
    }

    /// Starts sending the first queued packet.
    fn next(&mut self, link: usize) {
        let l = &mut self.links[link];
        let Some(packet) = l.queue.pop_front() else {
            l.busy = false;
            return;
        };
        l.busy = true;
        // Summed in ns-2's order.
        let airtime = 8.0 * f64::from(packet.bytes) / l.rate;
        let (sent, there) = (self.now + airtime, self.now + (airtime + l.delay));
        match link {
            R1_K1 => self.run.queue.push((packet.number, self.now)),
            K1_R1 => self.run.ack_queue.push((packet.number, self.now)),
            _ => {}
        }
        self.schedule(there, Event::Arrive(link, packet));
        self.schedule(sent, Event::Idle(link));
    }

    fn arrive(&mut self, link: usize, packet: Packet) {
        match link {
            S1_R1 => self.enqueue(R1_K1, packet),
            K1_R1 => self.enqueue(R1_S1, packet),
            _ => {
                let who = if link == R1_K1 { K1 } else { S1 };
                if who == S1 {
                    self.run.acks_at_sender.push((packet.number, self.now));
                }
                let mut out = Vec::new();
                self.ends[who].on_segment(clock(self.now), &packet.segment, Arrival::default(), &mut out);
                self.act(who, out);
            }
        }
    }
}
