//! A minimal ideal medium for exchange tests: fixed delay between stations, perfect carrier sense, any
//! overlap corrupts both frames, losses by script.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use tworay_base::{NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_mac::{
    Dcf, Frame, FrameKind, GiveUp, MacAction, MacConfig, MacQuirks, MacTimer, Outgoing, RxError,
};

pub fn us(n: u64) -> SimDuration {
    SimDuration::from_micros(n)
}

pub fn at(micros: u64) -> SimTime {
    SimTime::ZERO + us(micros)
}

enum Event {
    Offer(usize, Outgoing),
    Timer(usize, MacTimer),
    Begin(usize, u64, Frame),
    End(usize, u64, Frame),
}

struct Signal {
    tx: u64,
    spoiled: bool,
}

struct Station {
    mac: Dcf,
    armed: BTreeMap<u8, SimTime>,
    waiting: VecDeque<Outgoing>,
    arriving: Vec<Signal>,
}

/// Loses the `nth` (from 1) frame of a kind from a station.
#[derive(Clone, Copy, PartialEq)]
pub struct Lose(pub FrameKind, pub usize, pub u32);

pub struct Air {
    pub now: SimTime,
    stations: Vec<Station>,
    delay: Vec<Vec<Option<SimDuration>>>,
    events: BTreeMap<(SimTime, u64), Event>,
    serial: u64,
    lose: Vec<Lose>,
    sent: BTreeMap<(u8, usize), u32>,
    pub ladder: String,
    /// Packets acknowledged or broadcast so far.
    pub done: u64,
}

impl Air {
    /// Stations on a line, 1 µs from their neighbours. Stations at most `reach` hops apart hear each other.
    pub fn line(stations: usize, reach: usize, config: &MacConfig, quirks: MacQuirks) -> Self {
        let delay = |i: usize, j: usize| {
            let apart = i.abs_diff(j);
            (apart > 0 && apart <= reach).then(|| us(apart as u64))
        };
        let delay = (0..stations).map(|i| (0..stations).map(|j| delay(i, j)).collect()).collect();
        Self::new(stations, delay, config, quirks)
    }

    pub fn new(
        n: usize,
        delay: Vec<Vec<Option<SimDuration>>>,
        config: &MacConfig,
        quirks: MacQuirks,
    ) -> Self {
        let station = |i: usize| {
            let id = NodeId(i as u16);
            Station {
                mac: Dcf::with_quirks(config, quirks, id, RngStream::new(1, id, Purpose::Backoff)),
                armed: BTreeMap::new(),
                waiting: VecDeque::new(),
                arriving: Vec::new(),
            }
        };
        Self {
            now: SimTime::ZERO,
            stations: (0..n).map(station).collect(),
            delay,
            events: BTreeMap::new(),
            serial: 0,
            lose: Vec::new(),
            sent: BTreeMap::new(),
            ladder: String::new(),
            done: 0,
        }
    }

    pub fn losing(mut self, lose: &[Lose]) -> Self {
        self.lose = lose.to_vec();
        self
    }

    /// A packet of `ip_bytes` enters the interface queue of `from` at `when`. `to` 99 is broadcast.
    pub fn send(&mut self, when: SimTime, from: usize, to: u16, packet: u32, ip_bytes: u32) {
        let to = if to == 99 { NodeId::BROADCAST } else { NodeId(to) };
        self.push(when, Event::Offer(from, Outgoing { packet: PacketId(packet), to, ip_bytes }));
    }

    pub fn mac(&self, station: usize) -> &Dcf {
        &self.stations[station].mac
    }

    fn push(&mut self, when: SimTime, event: Event) {
        self.serial += 1;
        self.events.insert((when, self.serial), event);
    }

    fn note(&mut self, station: usize, what: &str) {
        let micros = self.now.as_nanos() as f64 / 1e3;
        writeln!(self.ladder, "{micros:>8} {station} {what}").expect("a string takes all");
    }

    /// Handles all events up to `until`.
    pub fn run(&mut self, until: SimTime) -> &mut Self {
        while let Some(entry) = self.events.first_entry() {
            if entry.key().0 > until {
                break;
            }
            let ((when, _), event) = entry.remove_entry();
            self.now = when;
            self.step(event);
        }
        self.now = until;
        self
    }

    fn step(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Offer(i, packet) => {
                self.stations[i].waiting.push_back(packet);
                self.feed(i);
            }
            Event::Timer(i, timer) => {
                if self.stations[i].armed.get(&(timer as u8)) == Some(&now) {
                    self.stations[i].armed.remove(&(timer as u8));
                    self.with(i, |mac, out| mac.on_timer(now, timer, out));
                }
            }
            Event::Begin(j, tx, frame) => {
                let s = &mut self.stations[j];
                let alone = s.arriving.is_empty() && !s.mac.is_transmitting(now);
                s.arriving.iter_mut().for_each(|a| a.spoiled = true);
                s.arriving.push(Signal { tx, spoiled: !alone });
                let end = now + frame.airtime;
                s.mac.on_busy(now, end);
                self.arm(j);
                self.push(end, Event::End(j, tx, frame));
            }
            Event::End(j, tx, frame) => {
                let s = &mut self.stations[j];
                let k = s.arriving.iter().position(|a| a.tx == tx).expect("it began");
                let spoiled = s.arriving.remove(k).spoiled;
                if s.mac.is_transmitting(now) {
                } else if spoiled {
                    self.with(j, |mac, _| mac.on_rx_error(now, RxError::Corrupt));
                } else {
                    self.with(j, |mac, out| mac.on_frame(now, &frame, out));
                }
            }
        }
    }

    fn feed(&mut self, i: usize) {
        let now = self.now;
        if self.stations[i].mac.is_free()
            && let Some(packet) = self.stations[i].waiting.pop_front()
        {
            self.with(i, |mac, _| mac.offer(now, packet));
        }
    }

    fn with(&mut self, i: usize, input: impl FnOnce(&mut Dcf, &mut Vec<MacAction>)) {
        let mut out = Vec::new();
        input(&mut self.stations[i].mac, &mut out);
        self.arm(i);
        for action in out {
            self.apply(i, action);
        }
    }

    /// Sets a station's timers to its MAC's deadlines.
    fn arm(&mut self, i: usize) {
        let mac = &self.stations[i].mac;
        let wanted = [
            (MacTimer::Exchange, mac.exchange_deadline()),
            (MacTimer::Contention, mac.contention_deadline()),
        ];
        for (timer, deadline) in wanted {
            let armed = &mut self.stations[i].armed;
            if deadline == SimTime::NEVER {
                armed.remove(&(timer as u8));
            } else if armed.insert(timer as u8, deadline) != Some(deadline) {
                self.push(deadline, Event::Timer(i, timer));
            }
        }
    }

    fn apply(&mut self, i: usize, action: MacAction) {
        match action {
            MacAction::Transmit(frame) => self.transmit(i, frame),
            MacAction::Deliver { packet, from } => {
                self.note(i, &format!("got packet {} from {from}", packet.0))
            }
            MacAction::Sent { packet } => {
                self.done += 1;
                self.note(i, &format!("sent packet {}", packet.0));
            }
            MacAction::Unanswered { .. } => {}
            MacAction::GaveUp(GiveUp { packet, unanswered, .. }) => {
                self.note(i, &format!("gave up packet {} ({unanswered:?})", packet.0));
            }
            MacAction::Ready => self.feed(i),
        }
    }

    fn transmit(&mut self, i: usize, frame: Frame) {
        let count = self.sent.entry((frame.kind as u8, i)).or_default();
        *count += 1;
        let lost = self.lose.contains(&Lose(frame.kind, i, *count));
        let again = if frame.retry { " again" } else { "" };
        let fate = if lost { " (lost)" } else { "" };
        self.note(i, &format!("{:?} to {}{again}{fate}", frame.kind, frame.to).to_string());
        self.serial += 1;
        let tx = self.serial;
        self.stations[i].arriving.iter_mut().for_each(|a| a.spoiled = true);
        for j in 0..self.stations.len() {
            if let Some(delay) = self.delay[i][j]
                && !lost
            {
                self.push(self.now + delay, Event::Begin(j, tx, frame));
            }
        }
    }
}
