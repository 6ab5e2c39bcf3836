//! The log of the medium, read independently of the ledger: which receptions failed, and why.
//!
//! Collisions are found from the times of the frames and the positions of the stations: a reception failed by
//! overlap if it failed while another station within carrier sense range of the receiver, or the receiver
//! itself, was transmitting. Corruption by the error models, of frames and above the MAC, is the one fact that only the
//! medium knows.

use super::geometry::{CutTime, Geometry};
use super::world::Scene;
use std::collections::{BTreeMap, BTreeSet};
use tworay_mac::FrameKind;
use tworay_radio::Verdict;
use tworay_sim::{ColumnData, Content, Emission, RunReport, Table};

/// Longest propagation delay between stations that sense each other, seconds.
const PROPAGATION: f64 = 2e-6;
/// Resolution of the simulator's clock, seconds.
const INSTANT: f64 = 1e-9;
/// Speed of light, m/s.
const LIGHT: f64 = 299_792_458.0;
/// Answers start a SIFS (10 µs) after the frame; anything later belongs to another exchange.
const ANSWER: f64 = 100e-6;
/// Longest reservation of the medium by a frame or exchange, seconds: 15 ms at 1 Mb/s, and EIFS.
const RESERVED: f64 = 0.06;

/// Physical reason for which a station did not receive a frame, or did not answer it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Another signal overlapped with it at the receiver.
    Overlap,
    /// The receiver had to keep silent for other stations' frames that it had heard.
    Reserved,
    /// The error model.
    Corruption,
}

/// A reception that failed.
#[derive(Copy, Clone, Debug)]
pub struct Failure {
    pub at: f64,
    pub from: usize,
    pub receiver: usize,
    pub content: Content,
    pub why: Reason,
}

/// A frame to one station.
#[derive(Copy, Clone, Debug)]
pub struct Attempt {
    pub at: f64,
    pub from: usize,
    pub to: usize,
    pub content: Content,
    pub answered: bool,
}

/// Failed receptions and attempts in a run's medium log.
#[derive(Debug, Default)]
pub struct Medium {
    pub failures: Vec<Failure>,
    /// RTS and data frames to single stations.
    pub attempts: Vec<Attempt>,
}

fn start(e: &Emission) -> f64 {
    e.at.as_secs_f64()
}

fn end(e: &Emission) -> f64 {
    (e.at + e.airtime).as_secs_f64()
}

impl Medium {
    pub fn new(geometry: &Geometry, report: &RunReport) -> Self {
        let log = report.medium_log().expect("the medium was logged").emissions();
        let mut medium = Self::default();
        for (place, e) in log.iter().enumerate() {
            medium.add_failures(geometry, log, place, e);
            if !e.to.is_broadcast() && matches!(e.kind, FrameKind::Rts | FrameKind::Data) {
                let answered = answer(log, place).is_some_and(|a| received(a, e.from.index()));
                medium.attempts.push(Attempt {
                    at: start(e),
                    from: e.from.index(),
                    to: e.to.index(),
                    content: e.content,
                    answered,
                });
            }
        }
        medium
    }

    fn add_failures(&mut self, geometry: &Geometry, log: &[Emission], place: usize, e: &Emission) {
        let failure =
            |receiver, why| Failure { at: end(e), from: e.from.index(), receiver, content: e.content, why };
        if geometry.errors().fades() {
            // Stations that the mean power would have reached, and that fading has left out.
            let meant = |n: &usize| *n != e.from.index() && (e.to.is_broadcast() || e.to.index() == *n);
            let left_out = |n: &usize| !e.receptions.iter().any(|r| r.node.index() == *n);
            let near = |n: &usize| geometry.in_mean_range(e.from.index(), *n, start(e));
            let faded = (0..geometry.stations()).filter(|n| meant(n) && left_out(n) && near(n));
            self.failures.extend(faded.map(|n| failure(n, Reason::Corruption)));
            if deaf(geometry, log, place) {
                self.failures.push(failure(e.to.index(), Reason::Corruption));
            }
        }
        for r in e.receptions.iter().filter(|r| r.up) {
            let receiver = r.node.index();
            let failure = |why| failure(receiver, why);
            match r.verdict {
                Verdict::Good if r.destroyed => self.failures.push(failure(Reason::Corruption)),
                Verdict::Good => {
                    let unicast = !e.to.is_broadcast() && matches!(e.kind, FrameKind::Rts | FrameKind::Data);
                    if unicast && answer(log, place).is_none() && reserved(geometry, log, place, receiver) {
                        self.failures.push(failure(Reason::Reserved));
                    }
                }
                Verdict::CutOff => {}
                Verdict::Corrupt => self.failures.push(failure(Reason::Corruption)),
                _ if overlapped(geometry, log, place, receiver) => {
                    self.failures.push(failure(Reason::Overlap))
                }
                _ => {}
            }
        }
    }

    /// Failures in a window of time, seconds.
    pub fn failures_between(&self, from: f64, to: f64) -> &[Failure] {
        let first = self.failures.partition_point(|f| f.at < from - 0.02);
        let last = self.failures.partition_point(|f| f.at <= to + 0.02);
        &self.failures[first..last]
    }
}

/// The CTS or ACK that answered a frame.
fn answer(log: &[Emission], place: usize) -> Option<&Emission> {
    let asked = &log[place];
    let wanted = if asked.kind == FrameKind::Rts { FrameKind::Cts } else { FrameKind::Ack };
    let late = end(asked) + ANSWER;
    log[place + 1..]
        .iter()
        .take_while(|e| start(e) <= late)
        .find(|e| e.kind == wanted && e.from == asked.to && e.to == asked.from && start(e) >= end(asked))
}

fn received(e: &Emission, node: usize) -> bool {
    e.receptions.iter().any(|r| r.node.index() == node && r.up && r.verdict == Verdict::Good)
}

/// Frames that were on the medium in a window of time, other than the one at `place`.
fn around(log: &[Emission], place: usize, from: f64, to: f64) -> impl Iterator<Item = &Emission> {
    const LONGEST: f64 = 0.03;
    let before = log[..place].iter().rev().take_while(move |e| start(e) >= from - LONGEST);
    let after = log[place + 1..].iter().take_while(move |e| start(e) <= to);
    before.chain(after).filter(move |e| start(e) < to && end(e) > from)
}

fn overlapped(geometry: &Geometry, log: &[Emission], place: usize, receiver: usize) -> bool {
    let e = &log[place];
    let (from, to) = (start(e) - PROPAGATION, end(e) + PROPAGATION);
    around(log, place, from, to).any(|other| {
        let sender = other.from.index();
        other.from != e.from && (sender == receiver || geometry.senses(sender, receiver, start(other)))
    })
}

/// True if the receiver of a frame is transmitting when it begins, which its sender would have heard by the mean power: only random powers
/// have let it send.
fn deaf(geometry: &Geometry, log: &[Emission], place: usize) -> bool {
    let e = &log[place];
    let (sender, begin) = (e.from.index(), start(e));
    let mut others = around(log, place, begin - PROPAGATION, begin + PROPAGATION);
    !e.to.is_broadcast()
        && others.any(|other| other.from == e.to && start(other) < begin)
        && geometry.senses(e.to.index(), sender, begin)
}

/// True if the receiver of a frame had heard other stations shortly before.
fn reserved(geometry: &Geometry, log: &[Emission], place: usize, receiver: usize) -> bool {
    let e = &log[place];
    around(log, place, start(e) - RESERVED, end(e)).any(|other| {
        let sender = other.from.index();
        other.from != e.from && (sender == receiver || geometry.senses(sender, receiver, start(other)))
    })
}

/// When links were cut: just after the first data packet of the flow that crosses one from the order's time on. One
/// that is destroyed above the MAC has not crossed it.
pub fn cut_times(scene: &Scene, report: &RunReport, segments: &BTreeMap<u64, Segment>) -> Vec<CutTime> {
    let log = report.medium_log().expect("the medium was logged").emissions();
    let mut waiting: Vec<_> = scene.cuts.clone();
    waiting.sort_by_key(|cut| cut.at);
    // Frames that were received, until their sender receives the ACK or gives up and turns to something else: what it
    // repeats is a duplicate. A frame after that is a copy that routing sends, and crosses the link again.
    let (mut repeated, mut cuts) = (BTreeSet::new(), Vec::new());
    let data = |e: &Emission| e.kind == FrameKind::Data && !e.to.is_broadcast();
    for (place, e) in
        log.iter().enumerate().filter(|(_, e)| matches!(e.kind, FrameKind::Rts | FrameKind::Data))
    {
        repeated.retain(|(uid, from, _)| *from != e.from || Content::Segment(*uid) == e.content);
        let Content::Segment(uid) = e.content else { continue };
        if !data(e) {
            continue;
        }
        let frame = (uid, e.from, e.to);
        let is_new = received(e, e.to.index()) && repeated.insert(frame);
        // An ACK from farther away comes after the timer for it.
        let flight = |e: &Emission| scene.distance(e.from.index(), e.to.index(), end(e)) / LIGHT;
        let acknowledged = answer(log, place).is_some_and(|ack| received(ack, e.from.index()));
        if flight(e) <= PROPAGATION && acknowledged {
            repeated.remove(&frame);
        }
        // Of two that arrive in the same instant, the one whose ACK comes back has not cut its link.
        let twin = |other: &Emission| {
            data(other) && (end(other) + flight(other) - end(e) - flight(e)).abs() < INSTANT
        };
        let later = acknowledged && around(log, place, start(e), end(e)).any(twin);
        let crosses = is_new && !later && !e.receptions.iter().any(|r| r.destroyed);
        let Some(segment) = segments.get(&uid).filter(|_| crosses) else { continue };
        let due = waiting.iter().position(|cut| {
            // The order is due when the last bit arrives.
            f64::from(cut.at) / 10.0 <= end(e) + flight(e)
                && segment.flow == cut.flow
                && segment.to == scene.flows[cut.flow].to
        });
        if let Some(due) = due {
            let cut = waiting.remove(due);
            let until = cut.lasts.map_or(f64::INFINITY, |lasts| end(e) + f64::from(lasts) / 10.0);
            cuts.push(CutTime { ends: (e.from.index(), e.to.index()), from: end(e), until });
        }
    }
    cuts
}

/// A segment as its transport sent it.
#[derive(Copy, Clone, Debug)]
pub struct Segment {
    pub flow: usize,
    pub from: usize,
    pub to: usize,
    pub sent: f64,
}

/// A loss as the ledger booked it.
#[derive(Clone, Debug)]
pub struct Loss {
    pub at: f64,
    pub since: f64,
    pub node: usize,
    pub uid: u64,
    pub cause: &'static str,
    pub died: &'static str,
    pub root_node: usize,
    pub next_hop: Option<usize>,
    pub attempts: u16,
}

/// Every loss.
pub fn losses(report: &RunReport) -> Vec<Loss> {
    let loss = |r: &tworay_sim::LossRecord| Loss {
        at: r.at.as_secs_f64(),
        since: r.since.as_secs_f64(),
        node: r.node.index(),
        uid: r.uid,
        cause: r.cause.name(),
        died: r.died.name(),
        root_node: r.root_node.index(),
        next_hop: r.next_hop.map(|n| n.index()),
        attempts: r.attempts,
    };
    report.losses().iter().map(loss).collect()
}

/// A table of a report.
struct Rows(Table);

impl Rows {
    fn of(report: &RunReport, name: &str) -> Self {
        Self(report.tables().into_iter().find(|t| t.name == name).unwrap_or_else(|| panic!("a table {name}")))
    }

    fn column(&self, name: &str) -> &ColumnData {
        &self.0.columns.iter().find(|c| c.name == name).unwrap_or_else(|| panic!("a column {name}")).data
    }

    fn reals(&self, name: &str) -> &[f64] {
        match self.column(name) {
            ColumnData::F64(values) => values,
            other => panic!("{name}: {other:?}"),
        }
    }

    fn ints(&self, name: &str) -> Vec<Option<i64>> {
        match self.column(name) {
            ColumnData::I64(values) => values.iter().map(|v| Some(*v)).collect(),
            ColumnData::MaybeI64(values) => values.clone(),
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// Every segment by uid.
pub fn segments(report: &RunReport) -> BTreeMap<u64, Segment> {
    let rows = Rows::of(report, "segments");
    let [uid, flow, from, to] = ["uid", "flow", "from", "to"].map(|name| rows.ints(name));
    let index = |value: Option<i64>| value.expect("a number") as usize;
    let sent = rows.reals("t_s");
    (0..sent.len())
        .map(|i| {
            let segment =
                Segment { flow: index(flow[i]), from: index(from[i]), to: index(to[i]), sent: sent[i] };
            (index(uid[i]) as u64, segment)
        })
        .collect()
}

/// Lengths of a node's interface queue: (time, packets).
pub fn queue_lengths(report: &RunReport, nodes: usize) -> Vec<Vec<(f64, i64)>> {
    let rows = Rows::of(report, "queues");
    let (node, packets) = (rows.ints("node"), rows.ints("packets"));
    let mut lengths = vec![Vec::new(); nodes];
    for (i, &at) in rows.reals("t_s").iter().enumerate() {
        lengths[node[i].expect("a node") as usize].push((at, packets[i].expect("a count")));
    }
    lengths
}
