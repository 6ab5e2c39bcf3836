//! A failed hop: MAC or ARP gave up, or messages of the neighbour stayed away.
//!
//! The MAC knows the outcome of its attempts. Where only routing or ARP noticed, geometry decides first: the
//! neighbour is out of reach, or was until a moment ago. If it is up and in range, this is a false link
//! failure, and the messages that were lost on the link decide.
//!
//! **ARP** asks once or a few times. The latest request of an exchange decides until the next one is on the medium: an
//! outage during which it was sent is the root, an outage that was over by then is not. Only messages of ARP keep an address away; one
//! that waits in a queue does so because of load as long as the imagined queue would not have sent it either.

use super::records::{Exchange, Miss};
use super::{Causes, Trigger};
use crate::observe::loss::root_cause::{RootCause, ends};
use crate::observe::loss::scene::{Messages, Scene};
use tworay_base::{LossCause, NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::Packet;

/// Upper bound for the propagation of a frame's last bit: 300 km.
const PASSING: SimDuration = SimDuration::from_millis(1);

impl Causes {
    /// An ARP request was transmitted.
    pub fn note_asked(&mut self, node: NodeId, target: NodeId, at: SimTime) {
        self.asked.insert((node, target), at);
    }

    /// An ARP request reached its target.
    pub fn note_heard(&mut self, node: NodeId, target: NodeId, at: SimTime) {
        self.heard.insert((node, target), at);
    }

    /// ARP's requests have not been answered.
    pub fn note_unresolved(&mut self, hop: (NodeId, NodeId), now: SimTime) {
        self.unresolved.insert(hop);
        if let Some(exchange) = self.exchanges.get_mut(&hop) {
            exchange.failed = Some(now);
        }
    }

    /// The attempts to send a message of ARP have failed so far for this cause; `None`: the station is done with it.
    pub fn note_repeated(&mut self, ends: (NodeId, NodeId), cause: Option<LossCause>) {
        match cause {
            Some(cause) => self.repeated.insert(ends, cause),
            None => self.repeated.remove(&ends),
        };
    }

    /// Why the MAC of one of two neighbours has tried in vain so far to send a message of their ARP exchange.
    fn message_delayed(&self, scene: &Scene<'_>, node: NodeId, next_hop: NodeId) -> Option<LossCause> {
        let repeated = |ends: (NodeId, NodeId)| self.repeated.get(&ends).copied();
        let beside_others = || repeated((node, next_hop)).or_else(|| repeated((next_hop, node)));
        scene.message_delayed(node, next_hop).or_else(beside_others)
    }

    /// An ARP exchange starts for a packet that was held up by `root`, if by anything. `used`: packets of its flow have arrived before, so that
    /// all addresses of a path were known.
    pub fn note_exchange(
        &mut self,
        (node, target): (NodeId, NodeId),
        now: SimTime,
        (packet, used): (&Packet, bool),
        root: Option<RootCause>,
    ) {
        let Packet { flow, src, dst, .. } = *packet;
        let failed = |before: &Exchange| before.failed.is_some_and(|at| at + self.timing.recent >= now);
        let before = self.exchanges.get(&(node, target)).filter(|before| failed(before));
        let because = before.map_or(now, |before| before.began);
        self.exchanges.insert((node, target), Exchange { began: now, because, failed: None });
        self.first_hops.entry((node, flow, dst)).or_insert(target);
        // From the request the target learns this node's address, and sends the flow's answers without asking.
        self.first_hops.entry((target, flow, src)).or_insert(node);
        let recent = |(at, ..): &&(SimTime, NodeId, RootCause)| *at + self.timing.recent >= now;
        let struck = self.struck.get(&ends(src, dst)).filter(recent).map(|(_, of, root)| (*of, *root));
        // An outage of the node itself, or of this very hop, has rerouted nothing to the hop.
        let elsewhere = |(_, root): &(NodeId, RootCause)| match root.next_hop {
            Some(b) if root.cause == Some(LossCause::NodeDown) => {
                b != node && (root.node, b) != (node, target)
            }
            Some(b) => (root.node, b) != (node, target),
            None => root.node != node,
        };
        let held_up = root.map(|root| (src, root)).or(struck).filter(elsewhere);
        match held_up.or_else(|| self.set_off(now, packet)) {
            Some(detour) => self.detours.insert((node, target), detour),
            None => self.detours.remove(&(node, target)),
        };
        let given_up = self.given_up.get(&ends(src, dst)).filter(|_| used).filter(recent);
        let given_up = given_up.map(|(_, of, root)| (*of, *root)).filter(|(_, root)| root.is_noise());
        match given_up.filter(elsewhere) {
            Some(avoided) => self.avoided.insert((node, target), avoided),
            None => self.avoided.remove(&(node, target)),
        };
    }

    /// When the latest request of the exchange in progress was transmitted.
    fn latest_request(&self, node: NodeId, target: NodeId) -> Option<SimTime> {
        let pair = (node, target);
        let began = self.exchanges.get(&pair)?.began;
        self.asked.get(&pair).copied().filter(|asked| *asked >= began)
    }

    /// Why a node considers the link to a neighbour broken, or cannot resolve its address. `trigger` has made it do so.
    pub fn link(
        &self,
        scene: &mut Scene<'_>,
        (node, next_hop): (NodeId, NodeId),
        trigger: &Trigger,
    ) -> RootCause {
        let now = scene.now;
        let fresh = |cause| RootCause::new(now, node, cause).towards(next_hop);
        if let Some(cause) = scene.out_of_reach(node, next_hop) {
            return fresh(cause);
        }
        if let Some(told) = self.told_lost(now, (node, next_hop), trigger) {
            return told;
        }
        // Tables that don't heed the link layer know a break by HELLOs only: what the MAC has given up matters to none of them.
        let by_hellos = self.proactive && !self.heeds_link_layer;
        let known = self.breaks.get(&(node, next_hop)).filter(|b| b.cause != Some(LossCause::Unknown));
        let known = known.filter(|b| !by_hellos || b.is_physical());
        if let Some(known) = known.filter(|b| b.at + self.timing.recent >= now) {
            return known.strikes(now);
        }
        if let Some(cause) = scene.was_out_of_reach(node, next_hop, self.timing.noticed) {
            return fresh(cause);
        }
        if self.proactive {
            let since = now.earlier_by(self.timing.noticed);
            let missed = |hearer, from| self.missed_hello(hearer, from, since);
            if let Some(miss) = missed(node, next_hop).or_else(|| missed(next_hop, node)) {
                return miss.root(fresh(miss.cause));
            }
        }
        let since = now.earlier_by(self.timing.recent);
        self.exchange(scene, (node, next_hop), since, Messages::All)
            .unwrap_or_else(|| fresh(LossCause::Unknown))
    }

    /// The root cause that broke a link at a neighbour, if a HELLO of the neighbour has just said that the link is lost. HELLOs say
    /// so for NEIGHB_HOLD_TIME (RFC 3626 §13). The fate of messages on the link meanwhile has nothing to do with it.
    fn told_lost(
        &self,
        now: SimTime,
        (node, neighbour): (NodeId, NodeId),
        trigger: &Trigger,
    ) -> Option<RootCause> {
        let told = matches!(trigger, Trigger::Received(from, _) if *from == neighbour);
        let there = self.heeded.get(&(neighbour, node)).filter(|_| self.proactive && told)?;
        let own = (there.node, there.next_hop) == (neighbour, Some(node));
        // The neighbour may have lost the link for what a break elsewhere has sent over it. A break of the link itself is known by geometry.
        let known = own && there.is_physical();
        let says_so = there.at + self.timing.noticed >= now && there.explains() && !known;
        // Attempts were made by the neighbour.
        let here = if own { RootCause { node, next_hop: Some(neighbour), ..*there } } else { *there };
        says_so.then(|| here.strikes(now))
    }

    /// Root cause that has spoiled the exchange of messages between two neighbours in reach of each other since a time.
    fn exchange(
        &self,
        scene: &Scene<'_>,
        (node, next_hop): (NodeId, NodeId),
        since: SimTime,
        of: Messages,
    ) -> Option<RootCause> {
        let now = scene.now;
        let recent = |at: SimTime| at >= since;
        let fresh = |cause| RootCause::new(now, node, cause).towards(next_hop);
        // Neither received the other's request or HELLO, or the MAC gave up the answer.
        let missed = [(node, next_hop), (next_hop, node)].into_iter();
        let missed =
            missed.filter_map(|(hearer, from)| self.lost_message(hearer, from, of)).find(|m| recent(m.at));
        // A break whose cause a search decides says nothing about the hop.
        let answer = self.breaks.get(&(next_hop, node));
        let answer = answer.filter(|b| recent(b.at) && b.explains() && !b.is_physical());
        let lost = missed.map(|m| m.root(fresh(m.cause)));
        let lost = lost.or_else(|| {
            answer.map(|b| RootCause { node, next_hop: Some(next_hop), ..b.strikes_others(now) })
        });
        // A message that still waits in a queue, or did not fit into it, was held up by what is sent before it, or by what
        // keeps the MAC from sending that. One that the MAC repeats was held up by what spoiled the attempts.
        let delayed = || self.message_delayed(scene, node, next_hop).map(fresh);
        let all = of == Messages::All;
        let unsent = [node, next_hop].into_iter().filter(|_| all);
        let refused = unsent.filter_map(|n| self.unsent.get(&n)).find(|m| recent(m.at));
        let refused = || refused.map(|m| m.root(fresh(m.cause)));
        lost.or_else(delayed).or_else(refused).or_else(|| Self::message_waits(scene, (node, next_hop), of))
    }

    /// The latest message of a kind that a neighbour has sent and `node` has missed.
    fn lost_message(&self, node: NodeId, from: NodeId, of: Messages) -> Option<&Miss> {
        match of {
            Messages::All => self.missed(node, from),
            Messages::OfArp => self.arp_lost.get(&(node, from)),
        }
    }

    /// The root cause that holds up a message between two neighbours in a queue, or has held up there the one being sent.
    pub(super) fn message_waits(
        scene: &Scene<'_>,
        (node, next_hop): (NodeId, NodeId),
        of: Messages,
    ) -> Option<RootCause> {
        let waits = scene.message_waits(node, next_hop, of);
        let sent = || scene.sends_message(node, next_hop).map(|at| (at, 0));
        let slow = waits.or_else(sent).and_then(|(at, ahead)| scene.kept_by(at, ahead));
        // What waits for the address goes the other way.
        let slow = slow.map(|root| if root.next_hop == Some(node) { root.reversed() } else { root });
        let load = || RootCause::new(scene.now, node, LossCause::Congestion).towards(next_hop);
        slow.or_else(|| waits.map(|_| load()))
    }

    /// The noise in which the MAC of one of two neighbours repeats a message of their ARP exchange.
    pub(super) fn repeated_in_noise(
        &self,
        scene: &Scene<'_>,
        node: NodeId,
        next_hop: NodeId,
    ) -> Option<RootCause> {
        let cause = self.message_delayed(scene, node, next_hop)?;
        Some(RootCause::new(scene.now, node, cause).towards(next_hop)).filter(RootCause::is_noise)
    }

    /// The physical reason for which the latest ARP request of this exchange, or the answer to it, did not arrive. It
    /// counts until the next request is on the medium.
    pub(super) fn asked_in_vain(
        &self,
        scene: &mut Scene<'_>,
        node: NodeId,
        next_hop: NodeId,
    ) -> Option<RootCause> {
        let now = scene.now;
        let fresh = |cause| RootCause::new(now, node, cause).towards(next_hop);
        if let Some(cause) = scene.out_of_reach(node, next_hop) {
            return Some(fresh(cause));
        }
        let asked = self.latest_request(node, next_hop).filter(|asked| *asked + self.timing.forgot >= now)?;
        if self.heard.get(&(node, next_hop)).is_none_or(|heard| *heard + PASSING < asked) {
            return scene.was_out_of_reach_at(node, next_hop, asked).map(fresh);
        }
        let answer = self.breaks.get(&(next_hop, node))?;
        let failed = answer.is_physical() && answer.at + PASSING >= asked;
        failed.then(|| RootCause { cause: answer.cause, ..fresh(LossCause::Unknown) })
    }

    /// The message between two neighbours that was lost since the exchange in progress, or the latest one, began. ns-2
    /// repeats a request only for the next packet, however late that is.
    pub(super) fn lost_of_exchange(&self, now: SimTime, node: NodeId, next_hop: NodeId) -> Option<RootCause> {
        let miss = self.misses_of_exchange(node, next_hop).next()?;
        Some(miss.root(RootCause::new(now, node, miss.cause).towards(next_hop)))
    }

    /// For how long ARP has asked for a neighbour.
    pub fn asks_for(&self, now: SimTime, (node, neighbour): (NodeId, NodeId)) -> SimDuration {
        self.exchanges.get(&(node, neighbour)).map_or(SimDuration::ZERO, |of| now.since(of.began))
    }

    /// When ARP's exchange in progress began, or the latest one. What was lost before has kept no address away.
    pub(super) fn began(&self, now: SimTime, node: NodeId, next_hop: NodeId) -> SimTime {
        let of = self.exchanges.get(&(node, next_hop));
        of.map_or(now.earlier_by(self.timing.recent), |of| of.began)
    }

    /// The noise that kept the exchange before from an answer, without which there would be none now: until the request is on the
    /// medium.
    pub(super) fn asked_again_because(
        &self,
        now: SimTime,
        node: NodeId,
        next_hop: NodeId,
    ) -> Option<RootCause> {
        let of = self.exchanges.get(&(node, next_hop))?;
        let earlier = |miss: &&Miss| (of.because..of.began).contains(&miss.at);
        let pairs = [(node, next_hop), (next_hop, node)].into_iter();
        let missed = pairs.filter_map(|(hearer, from)| self.lost_message(hearer, from, Messages::OfArp));
        let miss = missed.filter(earlier).max_by_key(|miss| miss.at)?;
        let root = miss.root(RootCause::new(now, node, miss.cause).towards(next_hop));
        (root.is_noise() && self.latest_request(node, next_hop).is_none()).then_some(root)
    }

    /// When and why messages of ARP between two neighbours were lost since then.
    pub(super) fn misses_of_exchange(&self, node: NodeId, next_hop: NodeId) -> impl Iterator<Item = &Miss> {
        let began = self.exchanges.get(&(node, next_hop)).map(|of| of.began);
        let pairs = [(node, next_hop), (next_hop, node)].into_iter();
        let missed = pairs.filter_map(|(hearer, from)| self.lost_message(hearer, from, Messages::OfArp));
        missed.filter(move |miss| began.is_some_and(|began| miss.at >= began))
    }

    /// The root cause that keeps a neighbour's address from a node that asks for it. Fading may have let a message through
    /// over a hop that is out of reach.
    pub(super) fn lost_for_address(
        &self,
        scene: &mut Scene<'_>,
        (node, target): (NodeId, NodeId),
    ) -> Option<RootCause> {
        let apart = self.asked_in_vain(scene, node, target);
        apart.or_else(|| self.lost_of_exchange(scene.now, node, target))
    }

    /// The root that keeps an address away, on the hop of the answer if that was lost.
    pub fn of_answer(&self, now: SimTime, (node, target): (NodeId, NodeId), root: RootCause) -> RootCause {
        let here = (root.node, root.next_hop) == (node, Some(target)) && !root.is_physical();
        let began = self.began(now, node, target);
        let answer = self.lost_message(node, target, Messages::OfArp).filter(|miss| miss.at >= began);
        if here && answer.is_some() { RootCause { node: target, ..root }.towards(node) } else { root }
    }

    /// A packet that waited for an address goes on: what delayed it, if load did not.
    pub fn delayed(&self, scene: &Scene<'_>, node: NodeId, next_hop: NodeId) -> Option<RootCause> {
        let since = self.began(scene.now, node, next_hop);
        let late = self.exchange(scene, (node, next_hop), since, Messages::OfArp);
        let late = late.filter(RootCause::is_independent_of_load);
        let of_exchange = || self.lost_of_exchange(scene.now, node, next_hop);
        late.or_else(of_exchange).filter(RootCause::is_independent_of_load)
    }

    /// Root cause that spoiled the resolution of an address, load apart, although the neighbour could be reached.
    pub(super) fn spoiled(&self, scene: &Scene<'_>, node: NodeId, next_hop: NodeId) -> Option<RootCause> {
        // What comes of an answer that its sender repeats decides, also about a request that this sender misses meanwhile.
        if let Some(root) = self.repeated_in_noise(scene, node, next_hop) {
            return Some(root);
        }
        let since = self.began(scene.now, node, next_hop);
        let of_this = |root: &&RootCause| root.at >= since && !root.is_physical();
        let known = self.breaks.get(&(node, next_hop)).filter(|root| root.explains()).filter(of_this);
        let known = known.map(|root| root.strikes_others(scene.now));
        let spoilt = known.or_else(|| self.exchange(scene, (node, next_hop), since, Messages::OfArp));
        let spoilt = spoilt.or_else(|| self.lost_of_exchange(scene.now, node, next_hop));
        spoilt.filter(|root| root.cause != Some(LossCause::Congestion))
    }

    /// Why a node could not resolve a neighbour's address for a packet. If nothing was lost, the request has not been sent
    /// yet, or the answer is under way: packets came faster than ARP can answer, because of load or because something had
    /// held them up before.
    pub fn address(
        &self,
        scene: &mut Scene<'_>,
        packet: PacketId,
        (node, next_hop): (NodeId, NodeId),
    ) -> RootCause {
        if let Some(root) = self.asked_in_vain(scene, node, next_hop) {
            return root;
        }
        let lost = self.spoiled(scene, node, next_hop);
        match lost.or_else(|| self.unanswered(scene, (node, next_hop))) {
            Some(lost) => {
                let [detour, outage] = self.needed_because(scene, (node, next_hop), &[packet]);
                RootCause::break_or_first([Some(lost), detour, outage]).unwrap_or(lost)
            }
            None => self.too_fast(scene, (node, next_hop), &[packet], None),
        }
    }

    /// Why the target of the latest request of an exchange has not answered it, although nothing is known to have been lost;
    /// `None` if it has not been sent yet, or has been heard.
    fn unanswered(&self, scene: &mut Scene<'_>, (node, next_hop): (NodeId, NodeId)) -> Option<RootCause> {
        let now = scene.now;
        let fresh = |cause| RootCause::new(now, node, cause).towards(next_hop);
        let heard = self.heard.get(&(node, next_hop)).map_or(SimTime::ZERO, |at| *at + PASSING);
        let asked = self.latest_request(node, next_hop);
        let asked = asked.filter(|asked| *asked > heard && *asked + PASSING < now)?;
        if let Some(cause) = scene.was_out_of_reach(node, next_hop, now.since(asked)) {
            return Some(fresh(cause));
        }
        // The target missed it, whatever became of answers to earlier ones.
        let missed = self.lost_message(next_hop, node, Messages::OfArp).filter(|miss| miss.at >= heard);
        let missed = missed.map(|miss| miss.root(fresh(miss.cause)));
        let waits = || Self::message_waits(scene, (node, next_hop), Messages::OfArp);
        Some(missed.or_else(waits).unwrap_or_else(|| fresh(LossCause::Unknown)))
    }

    /// The outage in which a node forgot its neighbours' addresses, if it was off lately. No hop failed.
    pub(super) fn forgotten(&self, scene: &Scene<'_>, node: NodeId) -> Option<RootCause> {
        let up = scene.nodes[node].up_since;
        let lately = up > SimTime::ZERO && up + self.timing.forgot >= scene.now;
        lately.then(|| RootCause::new(scene.now, node, LossCause::NodeDown))
    }
}
