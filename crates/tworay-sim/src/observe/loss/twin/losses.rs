//! Datagrams of one flow that the twin loses, and which of this run's losses they stand for.

use super::queues::{Queue, is_random};
use crate::observe::loss::root_cause::RootCause;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use tworay_base::{Died, LossCause, NodeId, SimDuration, SimTime};

/// A loss of the twin within this time is the same loss.
pub(super) const NEAR: SimDuration = SimDuration::from_secs(1);

/// Causes that need no disturbance. A rate control loses some frames at rates that are too high; with noise it loses more.
pub(super) const CAUSES: [LossCause; 5] =
    [LossCause::Congestion, LossCause::Contention, LossCause::NoRoute, LossCause::Ttl, LossCause::Rate];

pub(super) fn is_noise(cause: LossCause) -> bool {
    matches!(cause, LossCause::Channel | LossCause::Rate)
}

/// Losses are counted in spans of this length.
const SPAN: SimDuration = SimDuration::from_millis(250);

/// The same of losses on a hop, which collisions cause at random.
const NEAR_HOP: SimDuration = SimDuration::from_secs(5);

/// The same of losses for want of a route or an address, which depend on when a search begins, and of routes that collisions cost.
const NEAR_SEARCH: SimDuration = SimDuration::from_secs(10);

/// Losses of the twin count for those of the run that are at most so much earlier. With routes that are set, nothing searches for one.
pub(crate) fn looks_ahead(set_routes: bool) -> SimDuration {
    if set_routes { NEAR_HOP } else { NEAR_SEARCH }
}

/// Two losses within this time are at the same time.
const SAME: SimDuration = SimDuration::from_millis(50);

/// The end of a datagram.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    InQueue,
    OnHop,
    /// For want of a route or an address.
    Elsewhere,
}

impl End {
    pub fn of(died: Died) -> Self {
        match died {
            Died::Ifq | Died::CoDel | Died::LinkRed | Died::WireQueue => Self::InQueue,
            Died::RtsRetries
            | Died::DataRetries
            | Died::Expired
            | Died::Late
            | Died::Purged
            | Died::Repetition => Self::OnHop,
            _ => Self::Elsewhere,
        }
    }

    /// Spans in which a loss may be the same as one that ends so at a time.
    fn spans(self, at: SimTime) -> RangeInclusive<u64> {
        let near = match self {
            Self::InQueue => NEAR,
            Self::OnHop => NEAR_HOP,
            Self::Elsewhere => NEAR_SEARCH,
        };
        span_of(at.earlier_by(near))..=span_of(at + near)
    }
}

/// True if the attempts to send a packet to its next hop have ended it.
pub(crate) fn dies_on_hop(died: Died) -> bool {
    End::of(died) == End::OnHop
}

/// A datagram that the twin loses.
#[derive(Copy, Clone, Debug)]
pub(super) struct Lost {
    pub at: SimTime,
    pub node: NodeId,
    pub cause: LossCause,
    pub died: Died,
    /// Its root cause, unless this run may lose it at the same instant for another reason.
    pub root: Option<RootCause>,
}

impl Lost {
    fn end(&self) -> End {
        End::of(self.died)
    }
}

/// Datagrams of a flow that the twin loses without any disturbance.
#[derive(Clone, Debug, Default)]
pub(super) struct Losses {
    /// By sequence number, as long as this run has neither delivered nor lost them.
    pub(super) open: BTreeMap<u32, Lost>,
    /// The causes of those that this run has delivered, or lost to a disturbance, by number of the span: others may be lost in their
    /// place.
    in_queues: BTreeMap<u64, Vec<LossCause>>,
    elsewhere: BTreeMap<u64, Vec<LossCause>>,
    /// True if the twin loses any at rates that are too fast.
    pub(super) at_rates: bool,
    /// Those in queues by node, and times of those on hops, which happen at random if the load is high.
    queues: BTreeMap<NodeId, Queue>,
    on_hops: Vec<SimTime>,
    /// Times of datagrams for which collisions have cost the twin the route or the address, and how many of them have counted in favour of
    /// one of this run, or are too long ago.
    breaks: Vec<SimTime>,
    by_breaks: usize,
    /// Losses of this run that count as chance, though the twin has none in their place.
    surplus: u32,
    /// True if this run has delivered one, so that it has had a route.
    pub(super) delivers: bool,
    /// The latest disturbance that has cost this run a datagram, and when.
    pub(super) disturbed_by: Option<(SimTime, RootCause)>,
}

impl Losses {
    /// The twin loses a datagram at a node.
    pub fn note(&mut self, seq: u32, lost: Lost) {
        let Lost { at, node, cause, .. } = lost;
        let (end, is_load) = (lost.end(), CAUSES.contains(&cause));
        // A full queue is one in the twin, too, whether shadowing or movement has slowed it down there.
        if !is_load && end != End::InQueue {
            return;
        }
        self.at_rates |= cause == LossCause::Rate;
        self.open.insert(seq, lost);
        match end {
            End::InQueue if is_load => self.queues.entry(node).or_default().note(at),
            End::OnHop => self.on_hops.push(at),
            End::Elsewhere if cause == LossCause::Contention => self.breaks.push(at),
            End::InQueue | End::Elsewhere => {}
        }
    }

    /// Load has cost this run a datagram in the queue of a node.
    pub fn note_of_load(&mut self, now: SimTime, node: NodeId) {
        self.queues.entry(node).or_default().note_of_load(now);
    }

    /// This run loses a datagram at a time, too, or another one in place of one that the twin loses at about that time: the cause there.
    /// Noise rather replaces noise. A queue that the twin never fills isn't full because a collision has cost the twin the same one.
    pub fn matches(
        &mut self,
        (at, node): (SimTime, NodeId),
        end: End,
        seq: u32,
        noise: bool,
    ) -> Option<LossCause> {
        if let Some(same) = self.open.remove(&seq) {
            let collided = end == End::InQueue && same.end() == End::OnHop && !self.fills(node);
            return Some(same.cause).filter(|_| !collided);
        }
        let delivered = if end == End::InQueue { &mut self.in_queues } else { &mut self.elsewhere };
        let (span, causes) = delivered.range_mut(end.spans(at)).next()?;
        let alike = causes.iter().rposition(|cause| is_noise(*cause) == noise);
        let (span, cause) = (*span, causes.remove(alike.unwrap_or(causes.len() - 1)));
        if causes.is_empty() {
            delivered.remove(&span);
        }
        Some(cause)
    }

    /// The root cause of a datagram that the twin loses at the same instant, in the same way: no disturbance has touched it.
    pub fn loses_at(&self, at: SimTime, node: NodeId, died: Died, seq: u32) -> Option<RootCause> {
        let lost = self.open.get(&seq).filter(|lost| (lost.at, lost.node, lost.died) == (at, node, died))?;
        lost.root
    }

    /// True if the twin loses the same datagram at the same time for want of a first route: no disturbance has kept one away. If this run has
    /// delivered any datagram, it has had a route, and lost it.
    pub fn has_no_route_either(&self, at: SimTime, seq: u32) -> bool {
        let is_same = |lost: &Lost| {
            let at_once = at.earlier_by(SAME) <= lost.at && lost.at <= at + SAME;
            at_once && lost.end() == End::Elsewhere && lost.cause == LossCause::NoRoute
        };
        !self.delivers && self.open.get(&seq).is_some_and(is_same)
    }

    /// True if the twin loses an older datagram in a full queue at about that time, which this run has not lost: this one is lost in its
    /// place. Newer ones do not count, because this run's queue may still reject them itself.
    pub fn replaces_older(&mut self, at: SimTime, seq: u32) -> bool {
        let spans = End::InQueue.spans(at);
        let is_near = |(_, lost): &(&u32, &Lost)| spans.contains(&span_of(lost.at));
        let mut older = self.open.range(..seq).rev().take_while(is_near);
        let in_queue = older.find(|(_, lost)| lost.end() == End::InQueue).map(|(seq, _)| *seq);
        in_queue.is_some_and(|seq| self.open.remove(&seq).is_some())
    }

    /// This run delivers a datagram, or loses it to a disturbance. How it ends in the twin.
    pub fn goes(&mut self, seq: u32) -> Option<End> {
        let lost = self.open.remove(&seq)?;
        let (at, end, cause) = (lost.at, lost.end(), lost.cause);
        let delivered = if end == End::InQueue { &mut self.in_queues } else { &mut self.elsewhere };
        delivered.entry(span_of(at)).or_default().push(cause);
        Some(end)
    }

    /// A disturbance has cost this run a datagram, before a queue could reject it.
    pub fn takes(&mut self, seq: u32) {
        let Some(Lost { node, .. }) = self.open.get(&seq).copied() else { return };
        if self.goes(seq) == Some(End::InQueue) {
            self.queues.entry(node).or_default().taken += 1;
        }
    }

    /// True if load fills the queue of a node in the twin at any time.
    pub fn fills(&self, node: NodeId) -> bool {
        self.queues.contains_key(&node)
    }

    /// True if load costs the twin a datagram in some queue that this run has neither delivered nor lost.
    pub fn has_in_queue(&self, seq: u32) -> bool {
        let of_load = |lost: &Lost| lost.end() == End::InQueue && CAUSES.contains(&lost.cause);
        self.open.get(&seq).is_some_and(of_load)
    }

    /// True if that holds, and the twin fills it not less than this run.
    pub fn is_as_full(&mut self, now: SimTime, node: NodeId) -> bool {
        self.queues.get_mut(&node).is_some_and(|queue| queue.is_as_full(now))
    }

    /// True if a loss in whose place the twin has none may be chance: not more have been than random numbers differ. Collisions cost many
    /// datagrams the route at once, or none: as many more as the twin loses so are chance.
    pub fn by_chance(&mut self, (now, node): (SimTime, NodeId), end: End, cause: Option<LossCause>) -> bool {
        let is_chance = match end {
            End::Elsewhere => {
                let before = |time: SimTime| self.breaks.partition_point(|at| *at < time);
                let (gone, known) = (before(now.earlier_by(NEAR_SEARCH)), before(now + NEAR_SEARCH));
                self.by_breaks = self.by_breaks.max(gone);
                let is_chance = cause == Some(LossCause::Contention) && self.by_breaks < known;
                self.by_breaks += usize::from(is_chance);
                return is_chance;
            }
            End::InQueue => {
                let surplus = self.surplus;
                self.queues.get_mut(&node).is_some_and(|queue| queue.by_chance(now, surplus))
            }
            End::OnHop => is_random(self.surplus, self.on_hops.partition_point(|at| *at <= now)),
        };
        self.surplus += u32::from(is_chance);
        is_chance
    }
}

fn span_of(at: SimTime) -> u64 {
    at.as_nanos() / SPAN.as_nanos()
}
