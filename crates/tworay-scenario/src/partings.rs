//! Which events that move a node take it away from its neighbours, and for how long; and when wires are down.
//!
//! A node that stays in reach of all its neighbours has broken nothing: its move belongs to the network, as other movement does.

use crate::Setup;
use crate::event::{EventConfig, EventKind};
use crate::wire::Outages;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_mobility::Track;
use tworay_radio::Channel;

/// Distance that a node moves between two looks at its neighbours, m.
const STEP: f64 = 1.0;

/// Nodes that are slower, m/s, are looked at as seldom.
const SLOWEST: f64 = 1e-6;

/// The time in which a move keeps a node from a neighbour.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parting {
    /// When the first neighbour of those before the move is out of reach.
    pub from: SimTime,
    /// When all of them are in reach again; never, if the run ends before.
    pub until: SimTime,
}

/// More outages of a wire count as one that lasts: each packet that dies asks for all of them.
const MOST: usize = 1000;

/// The partings that a scenario's events cause, by event, and the outages of its wires. Without them every move counts, and wires may be down at
/// any time.
#[derive(Clone, Debug, Default)]
pub struct Partings {
    events: Option<Vec<Option<Parting>>>,
    wires: Vec<Outages>,
}

impl Partings {
    /// The partings of a run. Where power varies around its mean, or is measured, distances don't tell: every move counts.
    pub fn of(setup: &Setup) -> Self {
        let there = setup.wires.iter().filter(|wire| !wire.back);
        Self { events: Self::of_events(setup), wires: there.map(|wire| wire.outages.clone()).collect() }
    }

    fn of_events(setup: &Setup) -> Option<Vec<Option<Parting>>> {
        let radio = &setup.settings.radio;
        if radio.fades() || !radio.links.is_empty() || !setup.has_radio {
            return None;
        }
        let channel = Channel::new(radio);
        let range = channel.range_of(channel.rx_threshold());
        let mut stations =
            Stations { tracks: setup.tracks.clone(), range, end: SimTime::ZERO + setup.settings.duration };
        let events = &setup.settings.events;
        let parting = |(i, event): (usize, &EventConfig)| {
            let node = event.node.filter(|_| event.what == EventKind::Move)?;
            let moves_on = events[i + 1..].iter().find(|later| moves(later, Some(node)));
            let next = moves_on.map(|later| SimTime::ZERO + later.at);
            stations.parting(NodeId(node), SimTime::ZERO + event.at, next)
        };
        Some(events.iter().enumerate().map(parting).collect())
    }

    /// The outages of a wire, by its number, if they are known.
    pub(crate) fn outages(&self, wire: usize) -> Option<impl Iterator<Item = (SimTime, SimTime)> + '_> {
        let windows = self.wires.get(wire)?.windows();
        (windows.len() <= MOST).then(|| windows.iter().copied())
    }

    /// The parting by a move, with its number among the events; `None`: none, or none is known.
    pub(crate) fn by(&self, event: usize) -> Option<Parting> {
        self.events.as_ref()?.get(event).copied().flatten()
    }

    /// True if an event is known to part nothing.
    pub(crate) fn is_harmless(&self, event: usize) -> bool {
        self.events.is_some() && self.by(event).is_none()
    }

    /// True if a move parts nothing, and neither has one of the same node before: without disturbances it happens as well.
    pub(crate) fn belongs_to_network(&self, events: &[EventConfig], event: usize) -> bool {
        let node = events[event].node;
        let mut so_far = events.iter().enumerate().take(event + 1);
        moves(&events[event], node) && so_far.all(|(i, of)| !moves(of, node) || self.is_harmless(i))
    }
}

/// True if an event moves a node.
fn moves(event: &EventConfig, node: Option<u16>) -> bool {
    event.what == EventKind::Move && event.node == node
}

/// The stations of a run, which move.
struct Stations {
    tracks: Vec<Track>,
    /// Reach by the mean power, m.
    range: f64,
    end: SimTime,
}

impl Stations {
    fn are_near(&mut self, a: NodeId, b: NodeId, at: SimTime) -> bool {
        let here = self.tracks[a.index()].position(at);
        self.tracks[b.index()].position(at).distance(here) <= self.range
    }

    /// When and for how long a node that moves at one time, and at the `next`, is away from one of the neighbours that it has just before.
    fn parting(&mut self, node: NodeId, moves: SimTime, next: Option<SimTime>) -> Option<Parting> {
        let before = moves.earlier_by(SimDuration::from_nanos(1));
        let others = (0..self.tracks.len() as u16).map(NodeId).filter(|other| *other != node);
        let neighbours: Vec<NodeId> = others.filter(|other| self.are_near(node, *other, before)).collect();
        let from = self.look(node, &neighbours, moves, false)?;
        if next.is_some_and(|next| next <= from) {
            return None;
        }
        let until = self.look(node, &neighbours, from, true).unwrap_or(SimTime::NEVER);
        Some(Parting { from, until })
    }

    /// The first time from `now` on at which all neighbours are near, or not all are.
    fn look(&mut self, node: NodeId, neighbours: &[NodeId], mut now: SimTime, near: bool) -> Option<SimTime> {
        while now <= self.end {
            if neighbours.iter().all(|other| self.are_near(node, *other, now)) == near {
                return Some(now);
            }
            let moving = neighbours.iter().chain([&node]);
            let next = moving.map(|of| {
                let track = &mut self.tracks[of.index()];
                let (until, speed) = (track.course_until(now), track.speed_at(now).get());
                let step = SimDuration::from_secs_f64(STEP / speed.max(SLOWEST));
                until.min(now + step)
            });
            now = next.min()?.max(now + SimDuration::from_nanos(1));
        }
        None
    }
}

#[cfg(test)]
mod tests;
