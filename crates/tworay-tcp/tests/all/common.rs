//! Two endpoints and a path that applies a list of fates to packets; after the last fate the path is good.

pub mod numbered;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use tworay_base::{NodeId, Purpose, RngStream, SimDuration, SimTime};
use tworay_tcp::{
    Amount, Arrival, Connection, PathEvent, Phase, Ports, Side, Snapshot, TcpAction, TcpConfig, TcpNote,
    TcpTimer, Variant, VariantInfo, registry,
};
use tworay_wire::TcpSegment;

/// Every variant of the registry by itself; required parameters get their smallest value.
pub fn every_variant() -> Vec<Variant> {
    let whole = |info: &VariantInfo| {
        let needed = info.parameters.iter().filter(|p| p.default.is_none());
        let values: Vec<String> = needed.map(|p| format!("{}={}", p.name, p.min)).collect();
        let text = if values.is_empty() {
            info.name.to_owned()
        } else {
            format!("{}({})", info.name, values.join(","))
        };
        text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
    };
    registry().iter().map(whole).collect()
}

/// Fate of a packet on the path.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    Arrives,
    Lost,
    /// Arrives twice.
    Doubled,
    /// Arrives later than usual by this much, possibly after later packets.
    Late(SimDuration),
}

enum Event {
    Arrive(usize, TcpSegment),
    Timer(usize, TcpTimer, SimTime),
    /// Information about the path.
    Path(usize, PathEvent),
}

/// Events and actions of end 0, in order.
#[derive(Debug)]
#[expect(dead_code, reason = "some fields are only for the eyes of those whose test fails")]
pub enum Trace {
    /// This segment arrived.
    Heard(SimTime, TcpSegment),
    /// A timer expired.
    Timer(SimTime, TcpTimer),
    Noted(SimTime, TcpNote),
    /// This segment was sent; whether it is lost.
    Sent(SimTime, TcpSegment, bool),
    /// The state after all this.
    State(Snapshot),
}

/// Observations of one end.
#[derive(Default, Debug)]
pub struct Seen {
    pub delivered: u64,
    pub connected: u32,
    pub peer_closed: u32,
    pub finished: u32,
}

pub struct Pair {
    pub now: SimTime,
    pub ends: [Connection; 2],
    pub seen: [Seen; 2],
    /// Every segment sent, with its time and sender.
    pub log: Vec<(SimTime, usize, TcpSegment)>,
    /// Kept if `tracing`.
    pub trace: Vec<Trace>,
    pub tracing: bool,
    pub delay: SimDuration,
    /// Time that a segment with payload occupies the slowest link; none by default.
    pub spacing: SimDuration,
    /// When that link is free, by direction.
    free: [SimTime; 2],
    /// Periods in which nothing gets through; the sender is notified of each loss.
    pub outages: Vec<(SimTime, SimTime)>,
    /// True if the path removes probe options.
    pub strips_probes: bool,
    /// The fate of payload by its place in full segments, when it is sent first; comes before `fates`.
    pub fate_of_new_data: Option<Box<dyn Fn(u64) -> Fate>>,
    /// The fates of end 0's payload, in the order in which it is sent, first or again; come before all
    /// others.
    pub fates_of_data: Option<Vec<Fate>>,
    data_sent: usize,
    highest: u32,
    fates: Vec<Fate>,
    sent: usize,
    heap: BinaryHeap<Reverse<(SimTime, u64)>>,
    events: BTreeMap<u64, Event>,
    count: u64,
    timers: [[SimTime; TcpTimer::COUNT]; 2],
}

impl Pair {
    pub fn new(config: &TcpConfig, variant: &Variant, fates: Vec<Fate>) -> Self {
        let end = |side, local, remote| {
            let rng = RngStream::new(1, NodeId(local), Purpose::Tcp);
            Connection::new(config, variant, side, Ports { local, remote }, rng)
        };
        Self {
            now: SimTime::ZERO + SimDuration::from_secs(1),
            ends: [end(Side::Active, 1, 2), end(Side::Passive, 2, 1)],
            seen: Default::default(),
            log: Vec::new(),
            trace: Vec::new(),
            tracing: false,
            delay: SimDuration::from_millis(50),
            spacing: SimDuration::ZERO,
            free: [SimTime::ZERO; 2],
            outages: Vec::new(),
            strips_probes: false,
            fate_of_new_data: None,
            fates_of_data: None,
            data_sent: 0,
            highest: 0,
            fates,
            sent: 0,
            heap: BinaryHeap::new(),
            events: BTreeMap::new(),
            count: 0,
            timers: [[SimTime::NEVER; TcpTimer::COUNT]; 2],
        }
    }

    /// Opens both ends, writes `bytes[i]` at end i, and closes both.
    pub fn start(&mut self, bytes: [u64; 2]) {
        for who in [1, 0] {
            let mut out = Vec::new();
            let now = self.now;
            self.ends[who].open(now, &mut out);
            self.ends[who].write(now, Amount::Bytes(bytes[who]), &mut out);
            self.ends[who].close(now, &mut out);
            self.act(who, out);
        }
    }

    /// Opens both ends and writes `amount` at end 0, which stops after the first event at or after `at`; then
    /// runs to the end. Returns how much of the log is from before.
    pub fn stop_at(&mut self, amount: Amount, at: SimTime) -> usize {
        for who in [1, 0] {
            let mut out = Vec::new();
            self.ends[who].open(self.now, &mut out);
            if who == 0 {
                self.ends[who].write(self.now, amount, &mut out);
                if amount != Amount::Endless {
                    self.ends[who].close(self.now, &mut out);
                }
            }
            self.act(who, out);
        }
        while self.next_at() < at && !self.heap.is_empty() {
            self.run(1);
        }
        self.now = self.now.max(at);
        let (stopped, logged, mut out) = (self.now, self.log.len(), Vec::new());
        self.ends[0].stop(stopped, &mut out);
        self.act(0, out);
        let mut out = Vec::new();
        self.ends[1].close(stopped, &mut out);
        self.act(1, out);
        self.run(200_000);
        logged
    }

    /// Plans information about the path for an end.
    pub fn plan(&mut self, at: SimTime, who: usize, event: PathEvent) {
        self.schedule(at, Event::Path(who, event));
    }

    /// Runs until both ends are finished, no event is left, or `limit` events have run.
    pub fn run(&mut self, limit: u64) {
        for _ in 0..limit {
            if self.seen.iter().all(|s| s.finished > 0) {
                return;
            }
            let Some(Reverse((at, id))) = self.heap.pop() else { return };
            self.now = at;
            let mut out = Vec::new();
            let who = match self.events.remove(&id).expect("an event") {
                Event::Arrive(who, segment) => {
                    self.note(who, || Trace::Heard(at, segment));
                    self.ends[who].on_segment(at, &segment, Arrival { ttl_left: 60, hops: 4 }, &mut out);
                    who
                }
                Event::Path(who, event) => {
                    self.ends[who].on_path_event(at, event, &mut out);
                    who
                }
                Event::Timer(who, timer, at) => {
                    if self.timers[who][timer.index()] != at {
                        continue;
                    }
                    self.timers[who][timer.index()] = SimTime::NEVER;
                    self.note(who, || Trace::Timer(at, timer));
                    self.ends[who].on_timer(at, timer, &mut out);
                    who
                }
            };
            self.act(who, out);
            // A stopped sender needs a timer to wake it, and one with outstanding data needs a
            // retransmission timer.
            let state = self.ends[who].snapshot();
            self.note(who, || Trace::State(state));
            let runs = |timer: TcpTimer| self.timers[who][timer.index()] < SimTime::NEVER;
            let frozen = state.phase == Phase::Frozen;
            assert!(!frozen || runs(TcpTimer::Variant), "stopped without a timer: {:?}", self.ends[who]);
            let waits = state.flight_bytes > 0 && !frozen;
            assert!(!waits || runs(TcpTimer::Retransmit), "waits without a timer: {:?}", self.ends[who]);
        }
    }

    /// Time of the next event, which a timer that was set anew may precede in vain.
    pub fn next_at(&self) -> SimTime {
        self.heap.peek().map_or(self.now, |Reverse((at, _))| *at)
    }

    fn note(&mut self, who: usize, event: impl FnOnce() -> Trace) {
        if self.tracing && who == 0 {
            self.trace.push(event());
        }
    }

    fn schedule(&mut self, at: SimTime, event: Event) {
        self.heap.push(Reverse((at, self.count)));
        self.events.insert(self.count, event);
        self.count += 1;
    }

    /// Writes at end 0 now.
    pub fn write(&mut self, bytes: u64) {
        let mut out = Vec::new();
        self.ends[0].write(self.now, Amount::Bytes(bytes), &mut out);
        self.act(0, out);
    }

    pub fn act(&mut self, who: usize, actions: Vec<TcpAction>) {
        for action in actions {
            match action {
                TcpAction::Send { mut segment, .. } => {
                    if self.strips_probes {
                        segment.options.probe = None;
                    }
                    self.log.push((self.now, who, segment));
                    let mut fate = self.fates.get(self.sent).copied().unwrap_or(Fate::Arrives);
                    if who == 0 && segment.payload > 0 && segment.seq.0 > self.highest {
                        self.highest = segment.seq.0;
                        if let Some(fate_of) = &self.fate_of_new_data {
                            fate = fate_of(u64::from(segment.seq.0 - 1) / 1460);
                        }
                    }
                    if who == 0
                        && segment.payload > 0
                        && let Some(fates) = &self.fates_of_data
                    {
                        fate = fates.get(self.data_sent).copied().unwrap_or(Fate::Arrives);
                        self.data_sent += 1;
                    }
                    let sent = self.now;
                    self.note(who, || Trace::Sent(sent, segment, fate == Fate::Lost));
                    self.sent += 1;
                    let mut at = self.now + self.delay;
                    if segment.payload > 0 && self.spacing > SimDuration::ZERO {
                        self.free[who] = self.free[who].max(self.now) + self.spacing;
                        at = self.free[who] + self.delay;
                    }
                    if self.outages.iter().any(|o| (o.0..o.1).contains(&self.now)) {
                        let segment = (segment.payload > 0).then_some(segment.seq);
                        self.schedule(at, Event::Path(who, PathEvent::LinkFailure { segment }));
                        continue;
                    }
                    match fate {
                        Fate::Lost => {}
                        Fate::Arrives => self.schedule(at, Event::Arrive(1 - who, segment)),
                        Fate::Late(by) => self.schedule(at + by, Event::Arrive(1 - who, segment)),
                        Fate::Doubled => {
                            self.schedule(at, Event::Arrive(1 - who, segment));
                            self.schedule(at, Event::Arrive(1 - who, segment));
                        }
                    }
                }
                TcpAction::Arm(timer, at) => {
                    assert!(at >= self.now, "a timer in the past");
                    self.timers[who][timer.index()] = at;
                    self.schedule(at, Event::Timer(who, timer, at));
                }
                TcpAction::Disarm(timer) => self.timers[who][timer.index()] = SimTime::NEVER,
                TcpAction::Deliver { bytes } => self.seen[who].delivered += u64::from(bytes),
                TcpAction::Connected => self.seen[who].connected += 1,
                TcpAction::PeerClosed => self.seen[who].peer_closed += 1,
                TcpAction::Finished => self.seen[who].finished += 1,
                TcpAction::Note(note) => {
                    let at = self.now;
                    self.note(who, || Trace::Noted(at, note));
                }
            }
        }
    }
}
