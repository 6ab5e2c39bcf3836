//! The twin of a run: the same scenario and seed without disturbances, which has run before.
//!
//! Datagrams are sent whatever becomes of them. So the twin loses what load, or the want of a first route, costs without any
//! disturbance, and a disturbance costs the rest. As many losses of a flow as the twin has at about the same time are load's; others
//! are not, whatever has filled the queue by which they died.
//!
//! TCP sends less after a loss: its losses have no twin.

use super::ledger::LossRecord;
use super::root_cause::RootCause;
use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;
use tworay_base::{Died, FlowId, LossCause, NodeId, Seq32, SimDuration, SimTime};
use tworay_scenario::Disturbance;

/// Losses are counted in spans of this length.
const SPAN: SimDuration = SimDuration::from_millis(250);

/// A loss of the twin within this time is the same loss.
const NEAR: SimDuration = SimDuration::from_secs(1);

/// The same of losses on a hop, which collisions cause at random.
const NEAR_HOP: SimDuration = SimDuration::from_secs(5);

/// The same of losses for want of a route or an address, which depend on when a search begins, and of routes that collisions cost.
const NEAR_SEARCH: SimDuration = SimDuration::from_secs(10);

/// Two losses within this time are at the same time.
const SAME: SimDuration = SimDuration::from_millis(50);

/// A queue that the twin fills within this time may be full for the same reason.
const NEAR_FULL: SimDuration = SimDuration::from_secs(2);

/// Time after a disturbance in which it may still cost packets.
const AFTERMATH: SimDuration = SimDuration::from_secs(30);

/// Losses in queues and on hops may be so many more than the twin's by chance, and so many standard deviations more.
const BY_CHANCE: f64 = 3.0;

/// Causes that need no disturbance. A rate control loses some frames at rates that are too high; with noise it loses more.
const CAUSES: [LossCause; 5] =
    [LossCause::Congestion, LossCause::Contention, LossCause::NoRoute, LossCause::Ttl, LossCause::Rate];

fn is_noise(cause: LossCause) -> bool {
    matches!(cause, LossCause::Channel | LossCause::Rate)
}

/// The end of a datagram.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum End {
    InQueue,
    OnHop,
    /// For want of a route or an address.
    Elsewhere,
}

impl End {
    fn of(died: Died) -> Self {
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
struct Lost {
    at: SimTime,
    end: End,
    cause: LossCause,
}

/// Datagrams of a flow that the twin loses without any disturbance.
#[derive(Clone, Debug, Default)]
struct Losses {
    /// By sequence number, as long as this run has neither delivered nor lost them.
    open: BTreeMap<u32, Lost>,
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
    at_rates: bool,
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
    disturbed_by: Option<(SimTime, RootCause)>,
}

impl Losses {
    /// This run loses a datagram at a time, too, or another one in place of one that the twin loses at about that time: the cause there.
    /// Noise rather replaces noise.
    fn matches(&mut self, at: SimTime, end: End, seq: u32, noise: bool) -> Option<LossCause> {
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
    fn has_no_route_either(&self, at: SimTime, seq: u32) -> bool {
        let is_same = |lost: &Lost| {
            let at_once = at.earlier_by(SAME) <= lost.at && lost.at <= at + SAME;
            at_once && lost.end == End::Elsewhere && lost.cause == LossCause::NoRoute
        };
        self.open.get(&seq).is_some_and(is_same)
    }

    /// True if the twin loses an older datagram in a full queue at about that time, which this run has not lost: this one is lost in its
    /// place. Newer ones do not count, because this run's queue may still reject them itself.
    fn replaces_older(&mut self, at: SimTime, seq: u32) -> bool {
        let spans = End::InQueue.spans(at);
        let is_near = |(_, lost): &(&u32, &Lost)| spans.contains(&span_of(lost.at));
        let mut older = self.open.range(..seq).rev().take_while(is_near);
        let in_queue = older.find(|(_, lost)| lost.end == End::InQueue).map(|(seq, _)| *seq);
        in_queue.is_some_and(|seq| self.open.remove(&seq).is_some())
    }

    /// This run delivers a datagram, or loses it to a disturbance. How it ends in the twin.
    fn goes(&mut self, seq: u32) -> Option<End> {
        let Lost { at, end, cause } = self.open.remove(&seq)?;
        let delivered = if end == End::InQueue { &mut self.in_queues } else { &mut self.elsewhere };
        delivered.entry(span_of(at)).or_default().push(cause);
        Some(end)
    }

    /// A disturbance has cost this run a datagram, before a queue could reject it.
    fn is_taken(&mut self, seq: u32) {
        self.taken += usize::from(self.goes(seq) == Some(End::InQueue));
    }

    /// True if the twin's queues lose datagrams within some seconds, too, and this run's have not lost a fourth more for load then, nor so
    /// far than those of the twin's that no disturbance has cost.
    fn is_as_full(&mut self, now: SimTime) -> bool {
        let since = now.earlier_by(NEAR_FULL);
        forget_before(since, &mut self.latest_of_load);
        let of_twin = |until: SimTime| self.by_queues.partition_point(|at| *at <= until);
        let (before, so_far) = (of_twin(since), of_twin(now + NEAR));
        let few = |own: usize, of_twin: usize| 4 * own < 5 * of_twin;
        of_twin(now + NEAR_FULL) > before
            && few(self.latest_of_load.len(), so_far - before)
            && few(self.of_load, so_far.saturating_sub(self.taken))
    }

    /// The number of losses in queues that may be chance within a second, beside the twin's.
    fn has_chance(&mut self, now: SimTime) -> bool {
        let since = now.earlier_by(NEAR);
        forget_before(since, &mut self.latest_surplus);
        let before = |time: SimTime| self.by_queues.partition_point(|at| *at <= time);
        let near = before(now + NEAR) - before(since);
        is_random(self.latest_surplus.len() as u32, near)
    }

    /// True if a loss in whose place the twin has none may be chance: not more have been than random numbers differ. Collisions cost many
    /// datagrams the route at once, or none: as many more as the twin loses so are chance.
    fn by_chance(&mut self, now: SimTime, end: End, cause: Option<LossCause>) -> bool {
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

/// Losses of the twin, and the disturbances of the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Twin {
    /// By flow, if it sends datagrams: losses of the twin.
    losses: Vec<Option<Losses>>,
    disturbances: Vec<Disturbance>,
    /// The latest disturbance that has cost any flow a datagram, and when.
    latest: Option<(SimTime, RootCause)>,
}

/// A packet that dies.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Dying {
    pub flow: FlowId,
    /// Its sequence number.
    pub seq: Seq32,
    /// Where, when, and how.
    pub node: NodeId,
    pub at: SimTime,
    pub died: Died,
    /// The reason for most of the time that the MAC of `node` has lost, if that is no load.
    pub slowed_by: Option<RootCause>,
}

fn span_of(at: SimTime) -> u64 {
    at.as_nanos() / SPAN.as_nanos()
}

impl Twin {
    /// The twin of a run with these disturbances, whose flows send datagrams or not. `losses`: what it has lost.
    pub fn of(
        disturbances: Vec<Disturbance>,
        datagrams: Vec<bool>,
        losses: impl IntoIterator<Item = LossRecord>,
    ) -> Self {
        let mut by_flow: Vec<Option<Losses>> =
            datagrams.into_iter().map(|sends| sends.then(Losses::default)).collect();
        for LossRecord { flow, seq, at, died, cause, .. } in losses {
            let end = End::of(died);
            // A full queue is one in the twin, too, whether shadowing or movement has slowed it down there.
            let is_load = CAUSES.contains(&cause);
            let counts = is_load || end == End::InQueue;
            let Some(of) = by_flow[flow.index()].as_mut().filter(|_| counts) else { continue };
            of.at_rates |= cause == LossCause::Rate;
            of.open.insert(seq.0, Lost { at, end, cause });
            match end {
                End::InQueue if is_load => of.by_queues.push(at),
                End::InQueue => {}
                End::OnHop => of.on_hops.push(at),
                End::Elsewhere if cause == LossCause::Contention => of.breaks.push(at),
                End::Elsewhere => {}
            }
        }
        Self { losses: by_flow, disturbances, ..Self::default() }
    }

    /// The run delivers a packet.
    #[cold]
    pub fn delivered(&mut self, flow: FlowId, seq: Seq32) {
        if let Some(losses) = self.of_flow(flow) {
            losses.goes(seq.0);
        }
    }

    /// Losses of the twin, if the flow sends datagrams.
    fn of_flow(&mut self, flow: FlowId) -> Option<&mut Losses> {
        self.losses.get_mut(flow.index())?.as_mut()
    }

    /// True if a root cause may be a disturbance that has begun by then. Movement, which the twin has, too, is none.
    fn is_disturbance(&self, now: SimTime, root: &RootCause) -> bool {
        let noise = || self.begun(now).any(|known| known.is_noise() && known.slows);
        let ends = [Some(root.node), root.next_hop];
        let strikes = |of: &Disturbance| {
            let here = of.node.is_none() || ends.contains(&of.node);
            !of.is_noise() && of.at <= root.at && here
        };
        root.is_physical() && self.begun(now).any(strikes)
            || root.is_noise() && (root.cause != Some(LossCause::Rate) || noise())
    }

    /// Disturbances that have begun, and have not ended long ago, the latest one first.
    fn begun(&self, now: SimTime) -> impl Iterator<Item = &Disturbance> {
        let lasts = move |of: &&Disturbance| of.until == SimTime::NEVER || now <= of.until + AFTERMATH;
        self.disturbances.iter().rev().filter(move |disturbance| disturbance.at <= now).filter(lasts)
    }

    /// The root cause of a packet that dies at `now`, if that seems to be `root`. It is `root` if the flow sends no datagrams.
    pub fn judge(&mut self, now: SimTime, of: Dying, root: RootCause) -> RootCause {
        let end = End::of(of.died);
        let begun = self.begun(now).next().is_some();
        let noise_lasts = self.begun(now).any(|known| known.is_noise() && known.slows && now < known.until);
        let disturbed = self.is_disturbance(now, &root);
        let by_load = !disturbed && root.cause.is_some_and(|cause| CAUSES.contains(&cause));
        let Some(losses) = self.losses.get_mut(of.flow.index()).and_then(Option::as_mut) else { return root };
        if begun && !by_load && end == End::Elsewhere && losses.has_no_route_either(now, of.seq.0) {
            losses.open.remove(&of.seq.0);
            return RootCause::new(of.at, of.node, LossCause::NoRoute);
        }
        if disturbed {
            losses.disturbed_by = Some((now, root));
            self.latest = losses.disturbed_by;
        }
        if !by_load && (end != End::InQueue || !root.is_noise()) {
            if disturbed || end != End::InQueue {
                // If the twin loses it, too, load may lose another one in its place.
                losses.is_taken(of.seq.0);
            } else {
                // Movement costs it, as one of the twin's.
                losses.matches(now, end, of.seq.0, false);
            }
            return root;
        }
        let twins_cause = losses.matches(now, end, of.seq.0, root.is_noise());
        let of_twins_noise = twins_cause.filter(|cause| is_noise(*cause));
        let matched =
            twins_cause.is_some() || by_load && end == End::InQueue && losses.replaces_older(now, of.seq.0);
        // Without noise that lasts, a queue is as full as in the twin, and rate control makes more difference than a count tells.
        let as_full = !noise_lasts && by_load && end == End::InQueue && losses.is_as_full(now);
        let of_load = matched || as_full || by_load && begun && losses.by_chance(now, end, root.cause);
        let by_disturbance = losses.disturbed_by.or(self.latest);
        // Rates that are too fast fill a queue without noise, too, if they do so in the twin.
        let too_fast = root.cause == Some(LossCause::Rate) && end == End::InQueue;
        let of_rate = root.cause == Some(LossCause::Rate) && of_twins_noise.is_some();
        // Packets that wait for a route in vain: what the twin loses so, it knows better.
        let of_twin = twins_cause.filter(|_| by_load && end == End::Elsewhere);
        let of_twin = of_twin.filter(|_| root.cause == Some(LossCause::Congestion));
        let other_rates = too_fast && by_load && !of_rate && (matched || !losses.at_rates);
        let found = if of_twin.is_some() {
            RootCause { cause: of_twin, ..root }
        } else if !begun || of_rate || by_load == of_load && !other_rates {
            root
        } else if by_load && !matched {
            self.disturbed_by(now, &of, &root, by_disturbance).unwrap_or(root)
        } else if of_twins_noise.is_some() {
            RootCause { cause: of_twins_noise, ..root }
        } else {
            let hop = root.next_hop.filter(|_| root.node == of.node).unwrap_or(NodeId::BROADCAST);
            RootCause::new(of.at, of.node, LossCause::Congestion).towards(hop)
        };
        let is_load = end == End::InQueue && found.cause.is_some_and(|cause| CAUSES.contains(&cause));
        if let Some(losses) = self.of_flow(of.flow).filter(|_| is_load) {
            losses.of_load += 1;
            losses.latest_of_load.push_back(now);
        }
        found
    }

    /// The disturbance that costs a datagram which load alone would not have cost, as far as is known: what slows down the MAC, or
    /// `latest`, which has cost this flow one, or any, or the latest one that has begun.
    fn disturbed_by(
        &self,
        now: SimTime,
        of: &Dying,
        root: &RootCause,
        latest: Option<(SimTime, RootCause)>,
    ) -> Option<RootCause> {
        let slowed_by = of.slowed_by.filter(|root| self.is_disturbance(now, root));
        if End::of(of.died) == End::OnHop {
            // Its attempts are known: a disturbance elsewhere has not destroyed them.
            return slowed_by.filter(|known| known.node == root.node).map(|known| known.strikes(root.at));
        }
        let of_noise = |known: &Disturbance| known.is_noise() && known.slows;
        let fills = |root: &RootCause| !root.is_noise() || self.begun(now).any(of_noise);
        let in_queue = End::of(of.died) == End::InQueue;
        // An outage that has cost nothing of late is no reason for a queue that noise slows down.
        let noise = self.begun(now).find(|known| of_noise(known) && now < known.until);
        let is_over = |(at, root): (SimTime, RootCause)| root.is_physical() && at + NEAR < now;
        let noise = noise.filter(|_| in_queue && latest.is_some_and(is_over));
        let latest = latest.filter(|_| noise.is_none()).map(|(_, root)| root);
        let known = slowed_by.or(latest).filter(|root| !in_queue || fills(root));
        let begun = noise.or_else(|| self.begun(now).find(|known| !in_queue || known.slows))?;
        // A rate that was right before a station moved, or came back, is wrong because of that.
        let ends = [Some(root.node), root.next_hop];
        let strikes =
            |known: &&Disturbance| !known.is_noise() && known.node.is_some() && ends.contains(&known.node);
        if root.cause == Some(LossCause::Rate)
            && let Some(known) = self.begun(now).find(strikes)
        {
            return Some(RootCause { cause: Some(known.cause), attempts: 0, interferer: None, ..*root });
        }
        // Noise may be everywhere, also where this one died: but no wire has it.
        let everywhere = |known: &Disturbance| known.is_noise() && known.node.is_none();
        let by_radio = of.died != Died::WireQueue;
        let here = || {
            let at = RootCause::new(now, begun.node.unwrap_or(of.node), begun.cause);
            let hop = root.next_hop.filter(|_| by_radio && everywhere(begun) && root.node == of.node);
            at.towards(hop.unwrap_or(NodeId::BROADCAST))
        };
        let found = known.map_or_else(here, |known| known.strikes(now));
        let is_same =
            |known: &Disturbance| Some(known.cause) == found.cause || found.is_noise() && known.is_noise();
        let noise_here = by_radio && root.next_hop.is_some() && self.begun(now).any(everywhere);
        let found = match found.is_noise() && noise_here {
            true => RootCause { cause: Some(LossCause::Channel), attempts: 0, interferer: None, ..*root },
            false => found,
        };
        let at = if self.begun(root.at).any(is_same) { root.at } else { now };
        Some(RootCause { at, ..found })
    }
}

#[cfg(test)]
mod tests;
