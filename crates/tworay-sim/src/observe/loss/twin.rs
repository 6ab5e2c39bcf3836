//! The twin of a run: the same scenario and seed without disturbances, which has run before.
//!
//! Datagrams are sent whatever becomes of them. So the twin loses what load, or the want of a first route, costs without any
//! disturbance, and a disturbance costs the rest. As many losses of a flow as the twin has at about the same time are load's; others
//! are not, whatever has filled the queue by which they died.
//!
//! TCP sends less after a loss: its losses have no twin.

use super::root_cause::RootCause;
use std::collections::BTreeMap;
use tworay_base::{Died, FlowId, LossCause, NodeId, SimDuration, SimTime};
use tworay_scenario::Disturbance;

/// Losses are counted in spans of this length.
const SPAN: SimDuration = SimDuration::from_millis(250);

/// A loss of the twin within this time is the same loss.
const NEAR: SimDuration = SimDuration::from_secs(1);

/// The same of losses on a hop, which collisions cause at random.
const NEAR_HOP: SimDuration = SimDuration::from_secs(5);

/// Time after a disturbance in which it may still cost packets.
const AFTERMATH: SimDuration = SimDuration::from_secs(60);

/// Losses by chance, beyond those of the twin: collisions on a hop, which come at random, also if the twin has none.
const BY_CHANCE: f64 = 3.0;

/// Causes that need no disturbance. A rate control loses some frames at rates that are too high; with noise it loses more.
const CAUSES: [LossCause; 5] =
    [LossCause::Congestion, LossCause::Contention, LossCause::NoRoute, LossCause::Ttl, LossCause::Rate];

/// Losses of the twin, by cause.
type Counts = [u32; CAUSES.len()];

/// Losses of the twin, and the disturbances of the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Twin {
    /// By flow, and by number of the span; those that have been matched are taken out.
    losses: Vec<BTreeMap<u64, Counts>>,
    /// By flow: when the twin has lost datagrams in queues and on hops, which happens at random if the load is high.
    random: Vec<Vec<SimTime>>,
    /// By flow: losses without a loss of the twin near them that have counted as chance.
    surplus: BTreeMap<FlowId, f64>,
    /// By flow: true if it sends datagrams.
    datagrams: Vec<bool>,
    disturbances: Vec<Disturbance>,
    /// The latest disturbance that has cost a flow a datagram, and that has cost any flow one.
    by_flow: BTreeMap<FlowId, RootCause>,
    latest: Option<RootCause>,
}

/// A datagram that dies.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Dying {
    pub flow: FlowId,
    /// Where, and how.
    pub node: NodeId,
    pub died: Died,
    /// The reason for most of the time that the MAC of `node` has lost, if that is no load.
    pub slowed_by: Option<RootCause>,
}

fn place(cause: LossCause) -> Option<usize> {
    CAUSES.iter().position(|known| *known == cause)
}

fn span_of(at: SimTime) -> u64 {
    at.as_nanos() / SPAN.as_nanos()
}

/// True for ends in a queue.
fn in_queue(died: Died) -> bool {
    matches!(died, Died::Ifq | Died::CoDel | Died::LinkRed | Died::WireQueue)
}

/// True for ends on a hop.
fn on_hop(died: Died) -> bool {
    matches!(died, Died::RtsRetries | Died::DataRetries | Died::Expired | Died::Purged)
}

impl Twin {
    /// The twin of a run with these disturbances, whose flows send datagrams or not. `losses`: what it has lost.
    pub fn of(
        disturbances: Vec<Disturbance>,
        datagrams: Vec<bool>,
        losses: impl IntoIterator<Item = (FlowId, SimTime, Died, LossCause)>,
    ) -> Self {
        let mut twin = Self { disturbances, datagrams, ..Self::default() };
        twin.losses.resize_with(twin.datagrams.len(), BTreeMap::new);
        twin.random.resize_with(twin.datagrams.len(), Vec::new);
        for (flow, at, died, cause) in losses {
            let Some(place) = place(cause).filter(|_| twin.sends_datagrams(flow)) else { continue };
            if in_queue(died) || on_hop(died) {
                twin.random[flow.index()].push(at);
            }
            twin.losses[flow.index()].entry(span_of(at)).or_default()[place] += 1;
        }
        twin
    }

    /// True if a flow sends datagrams.
    pub fn sends_datagrams(&self, flow: FlowId) -> bool {
        self.datagrams.get(flow.index()).copied().unwrap_or(false)
    }

    /// True if a root cause may be a disturbance that has begun by then.
    fn is_disturbance(&self, now: SimTime, root: &RootCause) -> bool {
        let noise = || self.begun(now).any(|disturbance| disturbance.cause == LossCause::Channel);
        root.is_physical() || root.is_noise() && (root.cause != Some(LossCause::Rate) || noise())
    }

    /// Disturbances that have begun, and have not ended long ago, the latest one first.
    fn begun(&self, now: SimTime) -> impl Iterator<Item = &Disturbance> {
        let lasts = move |of: &&Disturbance| of.until == SimTime::NEVER || now <= of.until + AFTERMATH;
        self.disturbances.iter().rev().filter(move |disturbance| disturbance.at <= now).filter(lasts)
    }

    /// The root cause of a datagram that dies at `now`, if that seems to be `root`.
    pub fn judge(&mut self, now: SimTime, of: Dying, root: RootCause) -> RootCause {
        let disturbed = self.is_disturbance(now, &root);
        let load = root.cause.and_then(place).filter(|_| !disturbed);
        if disturbed {
            self.by_flow.insert(of.flow, root);
            self.latest = Some(root);
        }
        if load.is_none() && !in_queue(of.died) {
            return root;
        }
        let near = if on_hop(of.died) { NEAR_HOP } else { NEAR };
        let like = load.unwrap_or_default();
        match (self.take(of.flow, now, near, like), load) {
            (true, None) if self.begun(now).next().is_some() => {
                let here = RootCause::new(now, of.node, LossCause::Congestion);
                root.next_hop.filter(|_| root.node == of.node).map_or(here, |hop| here.towards(hop))
            }
            (false, Some(_)) if self.begun(now).next().is_some() && !self.by_chance(now, &of) => {
                self.disturbed_by(now, of, &root).unwrap_or(root)
            }
            _ => root,
        }
    }

    /// True if a loss without one of the twin near it may be chance: not more have been than random numbers differ.
    fn by_chance(&mut self, now: SimTime, of: &Dying) -> bool {
        let random = &self.random[of.flow.index()];
        let before = random.partition_point(|at| *at <= now);
        let at_least = if random.is_empty() && !on_hop(of.died) { 0.0 } else { BY_CHANCE };
        let surplus = self.surplus.entry(of.flow).or_default();
        let is_chance = *surplus + 1.0 <= at_least + 3.0 * (before as f64).sqrt();
        *surplus += f64::from(u8::from(is_chance));
        is_chance
    }

    /// Takes a loss of the twin near a time: of a cause, if there is one, or of any. Only load overfills a queue.
    fn take(&mut self, flow: FlowId, now: SimTime, near: SimDuration, like: usize) -> bool {
        let Some(losses) = self.losses.get_mut(flow.index()) else { return false };
        let from = SimTime::from_nanos(now.as_nanos().saturating_sub(near.as_nanos()));
        let spans = span_of(from)..=span_of(now + near);
        let alike = losses.range(spans.clone()).find(|(_, counts)| counts[like] > 0);
        let alike = alike.map(|(span, _)| (*span, like));
        let any = || {
            losses.range(spans).find_map(|(span, counts)| Some((*span, counts.iter().position(|n| *n > 0)?)))
        };
        let Some((span, place)) = alike.or_else(any) else { return false };
        if let Some(counts) = losses.get_mut(&span) {
            counts[place] -= 1;
            if *counts == Counts::default() {
                losses.remove(&span);
            }
        }
        true
    }

    /// The disturbance that costs a datagram which load alone would not have cost, as far as is known: what slows down the MAC, or the
    /// latest one that has cost this flow one, or any, or that has begun.
    fn disturbed_by(&self, now: SimTime, of: Dying, root: &RootCause) -> Option<RootCause> {
        let slowed_by = of.slowed_by.filter(|root| self.is_disturbance(now, root));
        let known = slowed_by.or_else(|| self.by_flow.get(&of.flow).copied()).or(self.latest);
        known.map(|known| known.strikes(now)).or_else(|| {
            let begun = self.begun(now).next()?;
            let here = RootCause::new(now, begun.node.unwrap_or(of.node), begun.cause);
            Some(match (begun.node, root.next_hop) {
                (None, Some(hop)) if root.node == of.node => here.towards(hop),
                _ => here,
            })
        })
    }
}

#[cfg(test)]
mod tests;
