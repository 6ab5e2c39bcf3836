//! The twin of a run: the same scenario and seed without disturbances, which has run before.
//!
//! Datagrams are sent whatever becomes of them. So the twin loses what load, or the want of a first route, costs without any
//! disturbance, and a disturbance costs the rest. As many losses of a flow as the twin has at about the same time are load's; others
//! are not, whatever has filled the queue by which they died.
//!
//! TCP sends less after a loss: its losses have no twin.

mod losses;
mod noises;
mod queues;

use super::ledger::LossRecord;
use super::root_cause::{Hop, RootCause};
use losses::{CAUSES, End, Losses, Lost, NEAR, is_noise};
pub(crate) use losses::{dies_on_hop, looks_ahead};
use noises::Noises;
use std::collections::BTreeMap;
use tworay_base::{Died, FlowId, LossCause, NodeId, Seq32, SimDuration, SimTime};
use tworay_scenario::Disturbance;

/// Time after a disturbance in which it may still cost packets.
const AFTERMATH: SimDuration = SimDuration::from_secs(30);

/// Time after an outage, or noise, in which what it has kept is sent.
const SETTLES: SimDuration = SimDuration::from_secs(5);

/// Losses of the twin, and the disturbances of the run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Twin {
    /// By flow, if it sends datagrams: losses of the twin.
    losses: Vec<Option<Losses>>,
    disturbances: Vec<Disturbance>,
    /// True if routes don't change with the network.
    set_routes: bool,
    /// When nodes have last sent or relayed a packet, by flow; the ends of flows always do.
    carried: BTreeMap<(NodeId, FlowId), SimTime>,
    /// The other end of a node's link that was cut at a time: the node itself may reach all others in another way.
    cuts: BTreeMap<(SimTime, NodeId), NodeId>,
    noises: Noises,
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

impl Dying {
    /// Load costs it rather than `root`.
    fn of_load(&self, root: &RootCause) -> RootCause {
        let hop = root.next_hop.filter(|_| root.node == self.node).unwrap_or(NodeId::BROADCAST);
        RootCause::new(self.at, self.node, LossCause::Congestion).towards(hop)
    }
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
        for lost in losses {
            if let Some(of) = by_flow[lost.flow.index()].as_mut() {
                of.note(lost.seq.0, of_twin(&lost));
            }
        }
        Self { losses: by_flow, disturbances, ..Self::default() }
    }

    /// The same where routes don't change with the network.
    pub fn with_set_routes(self, set_routes: bool) -> Self {
        Self { set_routes, ..self }
    }

    /// The same with flows between these nodes, in order of their numbers.
    pub fn with_ends(mut self, ends: impl IntoIterator<Item = [NodeId; 2]>) -> Self {
        let of_flows =
            ends.into_iter().zip(0..).flat_map(|(ends, flow)| ends.map(|node| (node, FlowId(flow))));
        self.carried.extend(of_flows.map(|end| (end, SimTime::NEVER)));
        self
    }

    /// A node sends or relays a packet of a flow.
    #[cold]
    pub fn carries(&mut self, node: NodeId, flow: FlowId, now: SimTime) {
        let latest = self.carried.entry((node, flow)).or_insert(now);
        *latest = (*latest).max(now);
    }

    /// Noise has destroyed something on a hop.
    pub fn noise_on(&mut self, hop: Hop, now: SimTime) {
        self.noises.note(hop, now);
    }

    /// True if noise has destroyed something on the hop of a root cause at about a time.
    fn has_noise(&self, root: &RootCause, at: SimTime) -> bool {
        root.hop().is_some_and(|hop| self.noises.has(hop, at))
    }

    /// A node's link to a neighbour is cut until a time.
    #[cold]
    pub fn cut(&mut self, now: SimTime, (node, to): Hop, until: SimTime) {
        self.cuts.insert((now, node), to);
        let earlier = self.disturbances.partition_point(|of| of.at <= now);
        let cut = Disturbance { node: Some(node), ..Disturbance::cut(now, until) };
        self.disturbances.insert(earlier, cut);
    }

    /// True if a disturbance may have touched packets of a flow, or of any: it strikes a node that has carried one lately, or no certain node.
    fn may_touch(&self, of: &Disturbance, flow: Option<FlowId>) -> bool {
        of.node.is_none_or(|node| self.has_carried(node, flow, of.at.earlier_by(AFTERMATH)))
    }

    /// True if a node has carried packets of a flow, or of any, since a time.
    fn has_carried(&self, node: NodeId, flow: Option<FlowId>, since: SimTime) -> bool {
        self.flows_since(node, since).any(|of| flow.is_none_or(|flow| flow == of))
    }

    /// True if a flow passes a node and what a disturbance strikes, so that this may have delayed or led there what the node has to send.
    fn shares(&self, now: SimTime, node: NodeId, of: &Disturbance) -> bool {
        let passes = |flow| self.may_touch(of, Some(flow));
        of.node.is_none() || self.flows_since(node, now.earlier_by(AFTERMATH)).any(passes)
    }

    /// The flows whose packets a node has carried since a time.
    fn flows_since(&self, node: NodeId, since: SimTime) -> impl Iterator<Item = FlowId> {
        let of_node = self.carried.range((node, FlowId(0))..=(node, FlowId(u16::MAX)));
        of_node.filter(move |(_, at)| **at >= since).map(|((_, flow), _)| *flow)
    }

    /// The latest disturbance that has cost a flow a datagram, or another flow that passes the same node, and when.
    fn latest(&self, now: SimTime, of: &Dying) -> Option<(SimTime, RootCause)> {
        let by = |flow: FlowId| self.losses.get(flow.index())?.as_ref()?.disturbed_by;
        let others = || self.flows_since(of.node, now.earlier_by(AFTERMATH)).filter_map(by);
        by(of.flow).or_else(|| others().max_by_key(|(at, _)| *at))
    }

    /// True if a disturbance may be why a queue is full: it costs the MAC time, or routes, whose messages it loses.
    fn may_fill_queues(&self, of: &Disturbance) -> bool {
        of.slows || !self.set_routes
    }

    /// The disturbances that may be the outage that a root cause speaks of.
    fn outages(&self, now: SimTime, outage: &RootCause) -> impl Iterator<Item = &Disturbance> {
        let (cause, ends) = (outage.cause, [Some(outage.node), outage.next_hop]);
        self.begun(now)
            .filter(move |of| Some(of.cause) == cause && (of.node.is_none() || ends.contains(&of.node)))
    }

    /// True if the outage that a root cause speaks of lasts, or is not over for long.
    fn lasts(&self, now: SimTime, outage: &RootCause) -> bool {
        self.outages(now, outage).any(|of| !has_settled(of, now))
    }

    /// The run delivers a packet.
    #[cold]
    pub fn delivered(&mut self, flow: FlowId, seq: Seq32) {
        if let Some(losses) = self.of_flow(flow) {
            losses.delivers = true;
            losses.goes(seq.0);
        }
    }

    /// True if a packet dies in a queue that the twin fills, too, or, if an outage elsewhere, or one of the node itself that is over, seems to be
    /// the reason, in any while the twin loses the same packet in one.
    fn fills_anyway(&self, of: &Dying, root: &RootCause, settled: bool) -> bool {
        let losses = self.losses.get(of.flow.index()).and_then(Option::as_ref);
        let elsewhere = root.is_physical() && (root.node != of.node || root.next_hop.is_none());
        let anyway =
            |losses: &Losses| settled && losses.fills(of.node) || elsewhere && losses.has_in_queue(of.seq.0);
        End::of(of.died) == End::InQueue && losses.is_some_and(anyway)
    }

    /// Losses of the twin, if the flow sends datagrams.
    fn of_flow(&mut self, flow: FlowId) -> Option<&mut Losses> {
        self.losses.get_mut(flow.index())?.as_mut()
    }

    /// True if a root cause may be a disturbance that has begun by then. Movement, which the twin has, too, is none.
    fn is_disturbance(&self, now: SimTime, root: &RootCause) -> bool {
        let ends = [Some(root.node), root.next_hop];
        // Shadowing, which belongs to the network, isn't noise that has begun.
        let needs_air = root.cause == Some(LossCause::Rate);
        let noise = |of: &Disturbance| {
            of.is_noise() && (of.slows || !needs_air) && (of.node.is_none() || ends.contains(&of.node))
        };
        let strikes = |of: &Disturbance| {
            let here = of.node.is_none() || ends.contains(&of.node);
            !of.is_noise() && of.at <= root.at && here
        };
        root.is_physical() && self.begun(now).any(strikes) || root.is_noise() && self.begun(now).any(noise)
    }

    /// Disturbances that have begun, and have not ended long ago, the latest one first.
    fn begun(&self, now: SimTime) -> impl Iterator<Item = &Disturbance> {
        let lasts = move |of: &&Disturbance| of.until == SimTime::NEVER || now <= of.until + AFTERMATH;
        self.disturbances.iter().rev().filter(move |disturbance| disturbance.at <= now).filter(lasts)
    }

    /// Noise that costs MACs time now, the latest first.
    fn lasting_noise(&self, now: SimTime) -> impl Iterator<Item = &Disturbance> {
        self.begun(now).filter(move |known| known.is_noise() && known.slows && now < known.until)
    }

    /// True if all outages, and noise that slows MACs down, have been over for so long that routes which are set leave nothing of them.
    fn is_settled(&self, now: SimTime) -> bool {
        let over = |of: &Disturbance| has_settled(of, now) || !of.slows;
        self.set_routes && self.begun(now).all(over)
    }

    /// The root cause of a packet that dies at `now`, if that seems to be `root`. It is `root` if the flow sends no datagrams.
    pub fn judge(&mut self, now: SimTime, of: Dying, root: RootCause) -> RootCause {
        let end = End::of(of.died);
        // Wires tell only by what they lose to noise that there is any.
        if let Some(hop) = root.hop().filter(|_| root.is_noise()) {
            self.noise_on(hop, root.at);
        }
        let begun = self.begun(now).next().is_some();
        let noise_lasts = self.lasting_noise(now).next().is_some();
        let settled = self.is_settled(now);
        let disturbed = self.is_disturbance(now, &root);
        // Where routes are set, an outage that has been over for a while no longer fills a queue that load fills without it.
        let (root, disturbed) = match disturbed && self.fills_anyway(&of, &root, settled) {
            true => (of.of_load(&root), false),
            false => (root, disturbed),
        };
        let by_load = !disturbed && root.cause.is_some_and(|cause| CAUSES.contains(&cause));
        let Some(losses) = self.losses.get_mut(of.flow.index()).and_then(Option::as_mut) else { return root };
        if begun && let Some(same) = losses.loses_at(now, of.node, of.died, of.seq.0) {
            losses.open.remove(&of.seq.0);
            return same;
        }
        if begun && !by_load && end == End::Elsewhere && losses.has_no_route_either(now, of.seq.0) {
            losses.open.remove(&of.seq.0);
            return RootCause::new(of.at, of.node, LossCause::NoRoute);
        }
        if disturbed {
            losses.disturbed_by = Some((now, root));
        }
        if !by_load && (end != End::InQueue || !root.is_noise()) {
            if disturbed || end != End::InQueue {
                // If the twin loses it, too, load may lose another one in its place.
                losses.takes(of.seq.0);
            } else {
                // Movement costs it, as one of the twin's.
                losses.matches((now, of.node), end, of.seq.0, false);
            }
            return root;
        }
        let twins_cause = losses.matches((now, of.node), end, of.seq.0, root.is_noise());
        let of_twins_noise = twins_cause.filter(|cause| is_noise(*cause));
        let matched =
            twins_cause.is_some() || by_load && end == End::InQueue && losses.replaces_older(now, of.seq.0);
        // Without noise that lasts, a queue is as full as in the twin, and rate control makes more difference than a count tells. Where
        // routes are set, and outages have been over for a while, nothing else does.
        let full_anyway = by_load && end == End::InQueue;
        let as_full = full_anyway
            && (!noise_lasts && losses.is_as_full(now, of.node) || settled && losses.fills(of.node));
        let of_load =
            matched || as_full || by_load && begun && losses.by_chance((now, of.node), end, root.cause);
        // Rates that are too fast fill a queue without noise, too, if they do so in the twin.
        let too_fast = root.cause == Some(LossCause::Rate) && end == End::InQueue;
        let of_rate = root.cause == Some(LossCause::Rate) && of_twins_noise.is_some();
        // Packets that wait for a route in vain: what the twin loses so, it knows better. But a request for an address that has collided
        // there need not have here.
        let of_twin = twins_cause.filter(|_| by_load && end == End::Elsewhere);
        let of_twin = of_twin.filter(|cause| of.died != Died::Arp || *cause != LossCause::Contention);
        let of_twin = of_twin.filter(|_| matches!(root.cause, Some(LossCause::Congestion | LossCause::Rate)));
        let other_rates = too_fast && by_load && !of_rate && (matched || !losses.at_rates);
        let found = if of_twin.is_some() {
            RootCause { cause: of_twin, ..root }
        } else if !begun || of_rate || by_load == of_load && !other_rates {
            root
        } else if by_load && !of_load {
            self.disturbed_by(now, &of, &root).unwrap_or(root)
        } else if of_twins_noise.is_some() {
            RootCause { cause: of_twins_noise, ..root }
        } else {
            of.of_load(&root)
        };
        let is_load = end == End::InQueue && found.cause.is_some_and(|cause| CAUSES.contains(&cause));
        if let Some(losses) = self.of_flow(of.flow).filter(|_| is_load) {
            losses.note_of_load(now, of.node);
        }
        found
    }

    /// The disturbance that costs a datagram which load alone would not have cost, as far as is known: what slows down the MAC, or
    /// the latest that has cost this flow one, or another that passes the node, or the latest one that has begun where such a flow passes, or
    /// anywhere.
    fn disturbed_by(&self, now: SimTime, of: &Dying, root: &RootCause) -> Option<RootCause> {
        let latest = self.latest(now, of);
        let end = End::of(of.died);
        let (in_queue, elsewhere) = (end == End::InQueue, end == End::Elsewhere);
        // A slow MAC takes no route away.
        let routed = !matches!(of.died, Died::Ttl | Died::Loop | Died::NoRoute);
        let slowed_by = of.slowed_by.filter(|root| routed && self.is_disturbance(now, root));
        if end == End::OnHop {
            // Its attempts are known: a disturbance elsewhere, or an outage that is over, has not destroyed them.
            let lasts = self.lasting_noise(now).next().is_some();
            let is_noise = |known: &RootCause| known.cause == Some(LossCause::Channel);
            let here = slowed_by.filter(|known| lasts && known.node == root.node && is_noise(known));
            return here.map(|known| known.strikes(root.at));
        }
        let fills = |root: &RootCause| {
            self.begun(now).any(|known| is_same(known, root) && self.may_fill_queues(known))
        };
        // What has cost nothing of late is no reason for a queue that noise slows down. Noise elsewhere explains it only if no outage lasts.
        let here = [Some(of.node), root.next_hop, None];
        let lasts = |root: &RootCause| root.is_physical() && self.outages(now, root).any(|of| now < of.until);
        let outage_lasts = latest.is_some_and(|(_, root)| lasts(&root));
        let is_here = |known: &&Disturbance| here.contains(&known.node);
        let passes = |known: &&Disturbance| self.shares(now, of.node, known);
        let noises = || self.lasting_noise(now).filter(|known| !outage_lasts && self.may_touch(known, None));
        let noise = self.lasting_noise(now).find(is_here);
        let noise = noise.or_else(|| noises().find(passes)).or_else(|| noises().next());
        let is_over = |(at, _): (SimTime, RootCause)| at + NEAR < now;
        let noise = noise.filter(|_| in_queue && latest.is_some_and(is_over));
        // Routes that collisions cost after an outage, and addresses, are not lost to it: as far as it is to blame, its breaks say so.
        let over = |root: &RootCause| elsewhere && root.is_physical() && !self.lasts(now, root);
        // Routes are lost to what strikes nodes that the flow has used: its searches ask others, too, but need not.
        let flow = elsewhere.then_some(of.flow);
        let used = |root: &RootCause| {
            let ends = [Some(root.node), root.next_hop];
            let since = root.at.earlier_by(AFTERMATH);
            flow.is_none() || ends.into_iter().flatten().any(|node| self.has_carried(node, flow, since))
        };
        let latest = latest.filter(|_| noise.is_none()).map(|(_, root)| root);
        // What has waited since before a disturbance waits for something else.
        let since = if elsewhere { root.at } else { now };
        let had_begun = |found: &RootCause| self.begun(since).any(|known| is_same(known, found));
        let latest = latest.filter(|root| !over(root) && used(root) && had_begun(root));
        let known = slowed_by.or(latest).filter(|root| !in_queue || fills(root));
        let may_be = |known: &&Disturbance| {
            let is_late = elsewhere && !known.is_noise() && has_settled(known, now);
            (!in_queue || self.may_fill_queues(known)) && !is_late && self.may_touch(known, flow)
        };
        let all = || self.begun(since).filter(may_be);
        let begun = noise.or_else(|| all().find(passes)).or_else(|| all().next());
        if known.is_none() && begun.is_none() {
            return None;
        }
        // A rate that was right before a station moved, or came back, is wrong because of that.
        let ends = [Some(root.node), root.next_hop];
        let strikes =
            |known: &&Disturbance| !known.is_noise() && known.node.is_some() && ends.contains(&known.node);
        if root.cause == Some(LossCause::Rate)
            && let Some(known) = self.begun(since).find(strikes)
        {
            return Some(RootCause { cause: Some(known.cause), attempts: 0, interferer: None, ..*root });
        }
        // Noise may be everywhere, also where this one died: but no wire has it.
        let everywhere = |known: &Disturbance| {
            known.is_noise() && known.node.is_none() && (!in_queue || self.may_fill_queues(known))
        };
        let by_radio = of.died != Died::WireQueue;
        let here = |begun: &Disturbance| {
            let at = RootCause::new(now, begun.node.unwrap_or(of.node), begun.cause);
            let hop = root.next_hop.filter(|_| by_radio && everywhere(begun) && root.node == of.node);
            let hop = hop.or_else(|| self.cuts.get(&(begun.at, begun.node?)).copied());
            at.towards(hop.unwrap_or(NodeId::BROADCAST))
        };
        let found = known.map(|known| known.strikes(now)).or_else(|| begun.map(here))?;
        let noise_here = by_radio && self.has_noise(root, root.at) && self.begun(now).any(everywhere);
        let found = match found.is_noise() && noise_here {
            true => RootCause { cause: Some(LossCause::Channel), attempts: 0, interferer: None, ..*root },
            false => found,
        };
        let found = if found.is_noise() { self.where_noise_was(of, root, found)? } else { found };
        let at = if self.begun(root.at).any(|known| is_same(known, &found)) { root.at } else { now };
        Some(RootCause { at, ..found })
    }

    /// Noise that seems to cost a datagram (`found`), on a hop where it has destroyed something at the time of `root`. `None`: it has destroyed
    /// nothing that could have touched the datagram.
    fn where_noise_was(&self, of: &Dying, root: &RootCause, found: RootCause) -> Option<RootCause> {
        if End::of(of.died) == End::Elsewhere && !self.noises.may_cost_routes(root.at) {
            return None;
        }
        if found.next_hop.is_none() || self.has_noise(&found, root.at) {
            return Some(found);
        }
        let since = root.at.earlier_by(AFTERMATH);
        let (node, next) =
            self.noises.latest(root.at, |node| self.has_carried(node, Some(of.flow), since))?;
        Some(RootCause { node, ..found }.towards(next))
    }
}

/// A loss of the twin, as its flow's losses keep it.
fn of_twin(lost: &LossRecord) -> Lost {
    let LossRecord { at, node, cause, died, .. } = *lost;
    let untold = match died {
        // Without a route or an address a packet is lost when it comes, or the next one, whatever keeps them away.
        Died::Arp | Died::NoRoute => true,
        Died::Ifq | Died::Buffer | Died::WireQueue | Died::LinkRed => node == lost.from,
        _ => false,
    };
    let root = RootCause {
        at: lost.since,
        node: lost.root_node,
        next_hop: lost.next_hop,
        cause: Some(cause),
        attempts: lost.attempts,
        interferer: lost.interferer,
    };
    Lost { at, node, cause, died, root: (!untold).then_some(root) }
}

/// True if a disturbance may be the one that a root cause speaks of.
fn is_same(known: &Disturbance, root: &RootCause) -> bool {
    Some(known.cause) == root.cause || root.is_noise() && known.is_noise()
}

/// True if a disturbance has been over for so long that nothing which it has kept is on its way any more.
fn has_settled(of: &Disturbance, now: SimTime) -> bool {
    of.until + SETTLES < now
}

#[cfg(test)]
mod tests;
