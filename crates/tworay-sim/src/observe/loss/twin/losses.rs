//! Datagrams of one flow that the twin loses, and which of this run's losses they stand for.

use crate::observe::loss::root_cause::RootCause;
use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;
use tworay_base::{Died, LossCause, SimDuration, SimTime};

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

/// Two losses within this time are at the same time.
const SAME: SimDuration = SimDuration::from_millis(50);

/// A queue that the twin fills within this time may be full for the same reason.
const NEAR_FULL: SimDuration = SimDuration::from_secs(2);

/// Losses in queues and on hops may be so many more than the twin's by chance, and so many standard deviations more.
const BY_CHANCE: f64 = 3.0;

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

/// A datagram that the twin loses.
#[derive(Copy, Clone, Debug)]
pub(super) struct Lost {
    at: SimTime,
    end: End,
    pub(super) cause: LossCause,
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
    /// Datagrams that this run's queues have lost for load, and those of the twin's queues that this run has lost to a disturbance.
    of_load: usize,
    taken: usize,
    /// Times of the latest ones that load has cost.
    latest_of_load: VecDeque<SimTime>,
    /// True if the twin loses any at rates that are too fast.
    pub(super) at_rates: bool,
    /// Times of those in queues, and on hops, which happen at random if the load is high.
    by_queues: Vec<SimTime>,
    on_hops: Vec<SimTime>,
    /// Times of datagrams for which collisions have cost the twin the route or the address, and how many of them have counted in favour of
    /// one of this run, or are too long ago.
    breaks: Vec<SimTime>,
    by_breaks: usize,
    /// Losses of this run that count as chance, though the twin has none in their place; the times of the latest ones in queues.
    surplus: u32,
    latest_surplus: VecDeque<SimTime>,
    /// The latest disturbance that has cost this run a datagram, and when.
    pub(super) disturbed_by: Option<(SimTime, RootCause)>,
}

impl Losses {
    /// The twin loses a datagram.
    pub fn note(&mut self, at: SimTime, seq: u32, died: Died, cause: LossCause) {
        let (end, is_load) = (End::of(died), CAUSES.contains(&cause));
        // A full queue is one in the twin, too, whether shadowing or movement has slowed it down there.
        if !is_load && end != End::InQueue {
            return;
        }
        self.at_rates |= cause == LossCause::Rate;
        self.open.insert(seq, Lost { at, end, cause });
        match end {
            End::InQueue if is_load => self.by_queues.push(at),
            End::OnHop => self.on_hops.push(at),
            End::Elsewhere if cause == LossCause::Contention => self.breaks.push(at),
            End::InQueue | End::Elsewhere => {}
        }
    }

    /// Load has cost this run a datagram in a queue.
    pub fn note_of_load(&mut self, now: SimTime) {
        self.of_load += 1;
        self.latest_of_load.push_back(now);
    }

    /// This run loses a datagram at a time, too, or another one in place of one that the twin loses at about that time: the cause there.
    /// Noise rather replaces noise.
    pub fn matches(&mut self, at: SimTime, end: End, seq: u32, noise: bool) -> Option<LossCause> {
        if let Some(same) = self.open.remove(&seq) {
            return Some(same.cause);
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

    /// True if the twin loses the same datagram at the same time for want of a first route: no disturbance has kept one away.
    pub fn has_no_route_either(&self, at: SimTime, seq: u32) -> bool {
        let is_same = |lost: &Lost| {
            let at_once = at.earlier_by(SAME) <= lost.at && lost.at <= at + SAME;
            at_once && lost.end == End::Elsewhere && lost.cause == LossCause::NoRoute
        };
        self.open.get(&seq).is_some_and(is_same)
    }

    /// True if the twin loses an older datagram in a full queue at about that time, which this run has not lost: this one is lost in its
    /// place. Newer ones do not count, because this run's queue may still reject them itself.
    pub fn replaces_older(&mut self, at: SimTime, seq: u32) -> bool {
        let spans = End::InQueue.spans(at);
        let is_near = |(_, lost): &(&u32, &Lost)| spans.contains(&span_of(lost.at));
        let mut older = self.open.range(..seq).rev().take_while(is_near);
        let in_queue = older.find(|(_, lost)| lost.end == End::InQueue).map(|(seq, _)| *seq);
        in_queue.is_some_and(|seq| self.open.remove(&seq).is_some())
    }

    /// This run delivers a datagram, or loses it to a disturbance. How it ends in the twin.
    pub fn goes(&mut self, seq: u32) -> Option<End> {
        let Lost { at, end, cause } = self.open.remove(&seq)?;
        let delivered = if end == End::InQueue { &mut self.in_queues } else { &mut self.elsewhere };
        delivered.entry(span_of(at)).or_default().push(cause);
        Some(end)
    }

    /// A disturbance has cost this run a datagram, before a queue could reject it.
    pub fn takes(&mut self, seq: u32) {
        self.taken += usize::from(self.goes(seq) == Some(End::InQueue));
    }

    /// True if the twin's queues lose datagrams within some seconds, too, and this run's have not lost a fourth more for load then, nor so
    /// far than those of the twin's that no disturbance has cost.
    pub fn is_as_full(&mut self, now: SimTime) -> bool {
        let since = now.earlier_by(NEAR_FULL);
        forget_before(since, &mut self.latest_of_load);
        let of_twin = |until: SimTime| self.by_queues.partition_point(|at| *at <= until);
        let (before, so_far) = (of_twin(since), of_twin(now + NEAR));
        let few = |own: usize, of_twin: usize| 4 * own < 5 * of_twin;
        of_twin(now + NEAR_FULL) > before
            && few(self.latest_of_load.len(), so_far - before)
            && few(self.of_load, so_far.saturating_sub(self.taken))
    }

    /// True if one more loss in a queue may be chance, within a second.
    fn has_chance(&mut self, now: SimTime) -> bool {
        let since = now.earlier_by(NEAR);
        forget_before(since, &mut self.latest_surplus);
        let before = |time: SimTime| self.by_queues.partition_point(|at| *at <= time);
        let near = before(now + NEAR) - before(since);
        is_random(self.latest_surplus.len() as u32, near)
    }

    /// True if a loss in whose place the twin has none may be chance: not more have been than random numbers differ. Collisions cost many
    /// datagrams the route at once, or none: as many more as the twin loses so are chance.
    pub fn by_chance(&mut self, now: SimTime, end: End, cause: Option<LossCause>) -> bool {
        let random = match end {
            End::Elsewhere => {
                let before = |time: SimTime| self.breaks.partition_point(|at| *at < time);
                let (gone, known) = (before(now.earlier_by(NEAR_SEARCH)), before(now + NEAR_SEARCH));
                self.by_breaks = self.by_breaks.max(gone);
                let is_chance = cause == Some(LossCause::Contention) && self.by_breaks < known;
                self.by_breaks += usize::from(is_chance);
                return is_chance;
            }
            End::InQueue if self.by_queues.is_empty() => return false,
            End::InQueue => &self.by_queues,
            End::OnHop => &self.on_hops,
        };
        let before = random.partition_point(|at| *at <= now);
        let in_queue = end == End::InQueue;
        let is_chance = is_random(self.surplus, before) && (!in_queue || self.has_chance(now));
        self.surplus += u32::from(is_chance);
        self.latest_surplus.extend((is_chance && in_queue).then_some(now));
        is_chance
    }
}

fn forget_before(since: SimTime, times: &mut VecDeque<SimTime>) {
    let old = times.partition_point(|at| *at < since);
    times.drain(..old);
}

/// True if one more loss may be chance, beside so many that count as chance and so many of the twin.
fn is_random(surplus: u32, of_twin: usize) -> bool {
    f64::from(surplus + 1) <= BY_CHANCE + BY_CHANCE * (of_twin as f64).sqrt()
}

fn span_of(at: SimTime) -> u64 {
    at.as_nanos() / SPAN.as_nanos()
}
