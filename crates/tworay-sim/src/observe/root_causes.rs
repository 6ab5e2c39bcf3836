//! Facts from which root causes follow: what holds up packets, and why they die.
//!
//! The network reports what it sees at its place. The root cause is found here, with a view of the whole network, and
//! stays here.

mod backlog;
mod ends;
mod lost_time;
mod repetition;

use super::fact::{After, Fact, HopFailure, Obstacle, View};
use super::loss::causes::{Causes, Trigger};
use super::loss::circles::Circles;
use super::loss::exchanges::Exchanges;
use super::loss::held_up::HeldUps;
use super::loss::pacing::Pacing;
use super::loss::root_cause::{Noise, RootCause};
use super::loss::scene::{Scene, Ways, World};
use super::loss::service::{Service, Sharing};
use super::loss::wire_queue::WireQueue;
use super::observers::Observers;
use crate::network::node::Node;
use crate::network::packets::{UNTRACKED, is_message};
use backlog::{Backlogs, Overfull};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use tworay_base::{Died, LossCause, NodeId, PacketId, SimTime};
use tworay_mac::{CodelConfig, FrameKind, MAX_REQUESTS, QueueRule};
use tworay_routing::RoutingAction;
use tworay_scenario::Settings;
use tworay_wire::{Body, Packet};

/// State from which root causes follow, and the packets that they hold up.
#[derive(Debug, Default)]
pub(crate) struct RootCauses {
    /// Determines root causes.
    pub causes: Causes,
    /// Root causes that hold up packets, or have done so.
    pub held_ups: HeldUps,
    /// Where packets have been, so far as it takes to see that they circle.
    pub circles: Circles,
    /// Exchanges of each station with its next hops.
    pub exchanges: Exchanges,
    /// Hop counts from some nodes, where no path changes.
    ways: RefCell<Ways>,
    /// Service of each node's interface queue.
    pub services: Vec<Service>,
    /// Pauses of each node's MAC; none unless MACs pace.
    pacings: Vec<Pacing>,
    /// The queue of each wire; none until one is offered a packet that something has held up before.
    pub wires: Vec<WireQueue>,
    /// When load has overfilled each node's interface queue, and each wire's.
    overfull: Vec<Overfull>,
    overfull_wires: BTreeMap<u16, Overfull>,
    /// By station, source and destination of packets that noise or a break delays: when it was noted who shares the medium, and who does.
    sharing: BTreeMap<(NodeId, NodeId, NodeId), (SimTime, Sharing)>,
    /// Outages whose backlogs may not have passed on yet.
    backlogs: Backlogs,
    /// Breaks that routers are reacting to, one within the other.
    breaks: Vec<Break>,
}

/// A break to which a router reacts.
#[derive(Copy, Clone, Debug)]
struct Break {
    /// End of the packet that returns, if it dies now.
    died: Died,
    /// `None`: the link works, and only packets with a certain route are held up.
    root: Option<RootCause>,
}

impl RootCauses {
    pub fn new(nodes: usize) -> Self {
        let services = vec![Service::default(); nodes];
        let overfull = vec![Overfull::default(); nodes];
        let exchanges = Exchanges::new(nodes);
        Self { causes: Causes::new(nodes), exchanges, services, overfull, ..Self::default() }
    }

    /// The network follows these settings; `seed`: that of the run.
    pub fn expect(&mut self, settings: &Settings, seed: u64) {
        self.causes.expect(&settings.routing, seed);
        let several = settings.radio.air().is_ok_and(|air| air.is_some());
        self.exchanges.expect(&settings.mac, several);
        let codel = (settings.mac.queue == Some(QueueRule::FqCodel)).then(CodelConfig::default);
        let link_red = settings.mac.overload.link_red;
        self.services.fill(Service::of(codel, link_red).holding(settings.mac.queue_limit));
        let pacing = Pacing::of(&settings.mac.overload);
        self.pacings = pacing.map_or_else(Vec::new, |pacing| vec![pacing; self.services.len()]);
    }

    /// The causes, and the network as they see it.
    pub fn with_scene<'a>(&'a mut self, world: &'a mut World<'_>) -> (&'a mut Causes, Scene<'a>) {
        (&mut self.causes, world.scene(&self.held_ups, &self.services, &self.exchanges, &self.ways))
    }

    /// The event to which a router reacts, with its root cause.
    fn trigger(&self, after: After) -> Trigger {
        match after {
            After::Other => Trigger::Other,
            After::Received(from, link) => Trigger::Received(from, link),
            After::Break(_) => match self.breaks.last() {
                Some(Break { died, root: Some(root) }) => Trigger::Break(*died, *root),
                Some(Break { root: None, .. }) | None => Trigger::Other,
            },
        }
    }

    /// The root cause of the latest break.
    fn latest(&self) -> Option<RootCause> {
        self.breaks.last()?.root
    }

    /// The consequences of the latest break are complete.
    pub fn break_over(&mut self) {
        self.breaks.pop();
    }

    /// Why a node considers the link to a neighbour broken. If nothing is wrong with the link, routing has given up a
    /// path that exists, and the search for it decides.
    fn link_given_up(&mut self, hop: (NodeId, NodeId), after: After, world: &mut World<'_>) -> RootCause {
        let trigger = self.trigger(after);
        let (causes, mut scene) = self.with_scene(world);
        let root = causes.link(&mut scene, hop, &trigger);
        if root.cause == Some(LossCause::Unknown) { RootCause { cause: None, ..root } } else { root }
    }

    /// A router gave up a neighbour without its MAC: the packets that it keeps because that neighbour has not confirmed
    /// them were delayed by the break, and go on together.
    fn delay_unconfirmed(&mut self, node: NodeId, neighbour: NodeId, root: RootCause, world: &World<'_>) {
        if !root.is_independent_of_load() {
            return;
        }
        for packet in world.nodes[node].router.buffered() {
            let p = world.packets.get(packet);
            let route = p.dsr.as_ref().and_then(|header| header.source_route.as_ref());
            let next_hop = route.map_or(Some(p.dst), |route| route.next_hop(p.dst));
            if next_hop == Some(neighbour) && self.held_ups.root_of(packet).is_none() {
                self.held_ups.delay(packet, root);
            }
        }
    }

    /// A packet is passed to the interface queue of `node`.
    #[inline]
    pub fn offered(&mut self, node: NodeId, packet: PacketId, idle: bool, view: View<'_>) {
        if idle {
            self.exchanges.rest(node);
        }
        let behind = self.services[node.index()].offered(view.now, idle);
        if behind || self.held_ups.is_held_up(packet) {
            self.offered_late(node, packet, behind, view);
        }
    }

    /// A packet that was held up before is passed to a wire, which has `length` packets.
    #[cold]
    #[inline(never)]
    pub(super) fn late_for_wire(&mut self, (wire, length): (u16, usize), packet: PacketId, view: View<'_>) {
        let Some(root) = self.held_ups.independent_root(packet) else { return };
        let place = usize::from(wire);
        if self.wires.len() <= place {
            self.wires.resize_with(place + 1, WireQueue::default);
        }
        let src = view.packets.get(packet).src;
        let noise = self.held_ups.noise(packet);
        self.wires[place].offered_late((src, root), length, noise.map(|noise| noise.together));
    }

    /// A wire rejects a packet behind those that wait there: the root cause if load is not the reason.
    #[cold]
    pub(super) fn wire_full(
        &mut self,
        (wire, waiting): (u16, &VecDeque<PacketId>),
        packet: PacketId,
        view: View<'_>,
    ) -> Option<RootCause> {
        let others: Vec<PacketId> = waiting.iter().copied().collect();
        let queue = self.wires.get_mut(usize::from(wire));
        let released = queue.as_ref().and_then(|queue| queue.filled_by_burst(others.len() as u32 + 1));
        if let Some(queue) = queue {
            queue.refused();
        }
        let burst = self.held_ups.burst(view, packet, &others, released);
        let burst = burst.filter(|root| released.is_some() || !root.is_noise());
        let overfull = self.overfull_wires.entry(wire).or_default();
        let burst = burst.filter(|root| !self.backlogs.found_full(view.now, overfull, root));
        if burst.is_none() {
            overfull.note(view.now, &self.backlogs);
        }
        burst
    }

    /// End of a packet for which a hop failed, and the root cause.
    fn hop_failed(
        &mut self,
        packet: PacketId,
        (node, next_hop): (NodeId, NodeId),
        why: HopFailure,
        world: &mut World<'_>,
    ) -> (Died, RootCause) {
        match why {
            HopFailure::NoAddress => {
                let (causes, mut scene) = self.with_scene(world);
                let root = causes.address(&mut scene, packet, (node, next_hop));
                causes.note_unresolved((node, next_hop), scene.now);
                let packet = scene.packets.get(packet);
                if is_message(packet) {
                    causes.note_reply_lost((node, next_hop), packet);
                }
                (Died::ArpUnanswered, RootCause { attempts: MAX_REQUESTS.into(), ..root })
            }
            HopFailure::Retries(unanswered) => {
                let attempts = self.exchanges.of(node);
                let root = attempts.root_of(world.now, (node, next_hop), unanswered);
                let lost = attempts.lost();
                let service = &mut self.services[node.index()];
                service.queues(world.airtime_of_next(node));
                service.retried(attempts, attempts.delay(world.now, node));
                self.done_by_pacing(node, packet, world);
                if root.is_independent_of_load() {
                    self.lose_with((node, packet), (lost, root), world.now, world);
                }
                self.services[node.index()].gave_up(world.now, root);
                if root.is_independent_of_load() {
                    self.hold_back(node, root, world);
                }
                let rts = unanswered == FrameKind::Rts;
                (if rts { Died::RtsRetries } else { Died::DataRetries }, root)
            }
        }
    }

    /// Packets leave a queue because routing gave up their next hop.
    fn purging(
        &mut self,
        (node, next_hop): (NodeId, NodeId),
        packets: usize,
        after: After,
        world: &mut World<'_>,
    ) {
        self.services[node.index()].withdrawn(packets);
        let root = match after {
            After::Break(to) if to == next_hop => self.latest(),
            // The neighbour lost its route while the link to it works: only packets that used this route
            // are held up.
            After::Received(from, _) if from == next_hop => None,
            After::Break(_) | After::Received(..) | After::Other => {
                Some(self.link_given_up((node, next_hop), after, world))
            }
        };
        self.breaks.push(Break { died: Died::Purged, root });
    }

    /// End of a packet that cannot go on, and the root cause.
    fn stopped(
        &mut self,
        packet: PacketId,
        node: NodeId,
        by: Obstacle,
        world: &mut World<'_>,
    ) -> (Died, RootCause) {
        if let Obstacle::Expired(next_hop) = by {
            return (Died::Expired, self.expired((node, next_hop), world));
        }
        if let Obstacle::QueueFull(refused) = by {
            self.services[node.index()].queues(Some(world.airtime(node, refused.ip_bytes)));
        }
        let trigger = if let Obstacle::Dropped(_, after) = by { self.trigger(after) } else { Trigger::Other };
        let hop = self.breaks.last().copied();
        let now = world.now;
        let mut scene = world.scene(&self.held_ups, &self.services, &self.exchanges, &self.ways);
        let causes = &mut self.causes;
        match by {
            Obstacle::QueueFull(refused) | Obstacle::LinkRed(refused) | Obstacle::CoDel(refused) => {
                let died = match by {
                    Obstacle::LinkRed(_) => Died::LinkRed,
                    Obstacle::CoDel(_) => Died::CoDel,
                    _ => Died::Ifq,
                };
                let root = Causes::queue(&mut scene, node, (refused, died), |root| {
                    self.backlogs.found_full(now, &self.overfull[node.index()], root)
                });
                let gathered = scene.gathered(node);
                // The imagined queue counts the packet that is being sent, which a MAC without windows has taken out of the real one.
                let length = gathered + u32::from(scene.air.is_none());
                let by_noise = root.is_noise() && self.services[node.index()].is_kept_by_noise(now);
                let may_be_late =
                    !self.backlogs.is_empty() && died != Died::LinkRed && !root.is_physical() && !by_noise;
                let late = if may_be_late { self.backlogs.behind(&self.services, node, world) } else { None };
                // What a router sends in reaction to a break takes the place of what has been waiting.
                let of_break = hop.and_then(|hop| hop.root).filter(RootCause::is_independent_of_load);
                let of_break = of_break.map(|root| root.strikes_others(now));
                let root = of_break.or(late).unwrap_or(root);
                self.services[node.index()].refused(now, length);
                if root.cause == Some(LossCause::Congestion) {
                    self.overfull[node.index()].note(now, &self.backlogs);
                }
                (died, root)
            }
            Obstacle::Replaced { next_hop, newer } => {
                (Died::Arp, causes.hold(&mut scene, node, next_hop, [packet, newer]))
            }
            Obstacle::Expired(_) | Obstacle::HopFailed => {
                let known = hop.and_then(|hop| Some((hop.died, hop.root?)));
                known.unwrap_or((Died::DataRetries, RootCause::new(now, node, LossCause::Unknown)))
            }
            Obstacle::Dropped(reason, _) => causes.dropped(&mut scene, node, packet, reason, &trigger),
        }
    }

    /// The node is about to fail: packets that wait for a route in vain are lost for want of it.
    fn settle_searches(&mut self, node: NodeId, world: &mut World<'_>) {
        for packet in world.nodes[node].router.buffered() {
            let Some(root) = self.held_ups.root_of(packet).filter(|root| root.cause.is_none()) else {
                continue;
            };
            let dst = world.packets.get(packet).dst;
            let (causes, mut scene) = self.with_scene(world);
            if let Some(root) = causes.interrupted(&mut scene, root, dst) {
                self.held_ups.settle_search(packet, root);
            }
        }
    }
}

impl Observers {
    /// Passes a fact to the observers that look at the network to understand it.
    pub fn report(&mut self, fact: Fact<'_>, mut world: World<'_>) {
        let world = &mut world;
        let (now, view) = (world.now, world.view());
        match fact {
            Fact::Stopped { packet, node, by } => {
                let (died, root) = self.roots.stopped(packet, node, by, world);
                match by.next_hop() {
                    Some(next_hop) if is_message(view.packets.get(packet)) => {
                        self.message_lost(packet, (node, next_hop), root, view);
                    }
                    _ => self.died(packet, (node, died, root), view),
                }
            }
            Fact::Waits { node, packet, actions } => {
                let Packet { dst, ref body, .. } = *world.packets.get(packet);
                if !matches!(body, Body::Tcp(_)) {
                    self.roots.causes.note_wait(now, (node, dst));
                }
                let (causes, mut scene) = self.roots.with_scene(world);
                for action in actions {
                    if let RoutingAction::Originate { packet, .. } = action {
                        causes.note_request(&mut scene, node, packet);
                    }
                }
                let root = causes.awaited_route(&mut scene, node, dst);
                self.hold_up(packet, root, view);
            }
            Fact::Originated { node, packet } => {
                let broken = self.roots.latest();
                let (causes, mut scene) = self.roots.with_scene(world);
                causes.note_request(&mut scene, node, packet);
                if let Some(root) = broken {
                    causes.note_set_off(now, node, packet, root);
                }
            }
            Fact::GoesOn { packet, after } => self.goes_on(packet, after, world),
            Fact::RouteLost { node, dst, after } => {
                let trigger = self.roots.trigger(after);
                let (causes, mut scene) = self.roots.with_scene(world);
                causes.note_route_lost(&mut scene, (node, dst), &trigger);
            }
            Fact::LinkFailed { node, packet, next_hop, why, .. } => {
                let (died, root) = self.roots.hop_failed(packet, (node, next_hop), why, world);
                self.counters.observe(fact, view);
                self.roots.causes.note_break((node, next_hop), root);
                self.message_lost(packet, (node, next_hop), root, view);
                if !matches!(view.packets.get(packet).body, Body::Arp(_) | Body::Frame(_)) {
                    self.hold_up(packet, root, view);
                    self.given_up(packet, root, view);
                }
                self.roots.breaks.push(Break { died, root: Some(root) });
                if matches!(why, HopFailure::Retries(_)) {
                    self.roots.exchanges.reset(node);
                }
            }
            Fact::LinkGivenUp { node, neighbour, after } => {
                let root = self.roots.link_given_up((node, neighbour), after, world);
                self.roots.causes.note_given_up((node, neighbour), root);
                self.roots.delay_unconfirmed(node, neighbour, root, world);
                // It takes the place of the break to which the router has reacted so far.
                if after.is_break() {
                    self.roots.breaks.pop();
                }
                self.roots.breaks.push(Break { died: Died::Unconfirmed, root: Some(root) });
            }
            Fact::Purging { node, next_hop, packets, after } => {
                self.roots.purging((node, next_hop), packets, after, world);
            }
            Fact::Purged { node, packet } => {
                let dst = view.packets.get(packet).dst;
                let broken = self.roots.latest().map(|root| root.strikes(now));
                let broken = broken.or_else(|| self.roots.causes.lost_route(now, node, dst));
                if let Some(root) = broken {
                    self.hold_up(packet, root, view);
                }
                // The link works, and the neighbour has no route, perhaps to another destination: the break behind that has
                // emptied the queue. Otherwise this node has no route either.
                let reported = || self.roots.causes.lost_now(now, node);
                let root = broken.or_else(reported).unwrap_or_else(|| {
                    let (causes, mut scene) = self.roots.with_scene(world);
                    causes.missing_route(&mut scene, node, dst)
                });
                self.roots.breaks.push(Break { died: Died::Purged, root: Some(root) });
            }
            Fact::AddressFound { node, target, packet } => {
                let (causes, scene) = self.roots.with_scene(world);
                if let Some(root) = causes.delayed(&scene, node, target) {
                    let message = view.packets.get(packet);
                    if is_message(message) {
                        self.roots.causes.note_message_delayed(now, (node, target), &root, message);
                    }
                    let time = self.roots.causes.asks_for(now, (node, target));
                    self.roots.held_ups.delay_with(packet, root, Noise { together: 1, time, since: None });
                }
            }
            Fact::Paces { node, packet, pauses } => self.roots.paces((node, packet), pauses, world),
            Fact::ServedLate { node, packet } => {
                self.roots.exchanges.sent(node, packet);
                self.note_repetition(node, packet, view);
                self.roots.served_late(node, packet, world);
                self.roots.arp_sent(node, packet, view);
                self.roots.exchanges.reset(node);
            }
            Fact::AirAttempted { frame, failure, asks } => {
                let lost = self.roots.exchanges.began(now, frame, asks, failure);
                self.roots.lose_exchange(frame.from, lost, None, world);
            }
            Fact::Missed { node, to, packets, awaited } => {
                self.roots.missed((node, to), packets, awaited, world);
            }
            Fact::Circles { node, packet } => {
                if self
                    .roots
                    .held_ups
                    .independent_root(packet)
                    .is_none_or(|root| !root.is_independent_of_load())
                {
                    let (causes, mut scene) = self.roots.with_scene(world);
                    let root = causes.led_astray(&mut scene, node, packet);
                    if root.is_independent_of_load() {
                        self.roots.held_ups.delay(packet, root);
                    }
                }
            }
            Fact::SwitchedOff { node } => {
                self.roots.settle_searches(node, world);
                let Node { arp, router, .. } = &world.nodes[node];
                let forgets = !router.is_configured();
                let routes = world.nodes.ids().filter(|dst| forgets && router.next_hop(*dst).is_some());
                self.roots.causes.forget(now, node, |neighbour| arp.knows(neighbour), routes);
                self.roots.services[node.index()].restart();
                self.roots.exchanges.restart(node);
                if let Some(pacing) = self.roots.pacings.get_mut(node.index()) {
                    pacing.restart();
                }
            }
            plain => self.observe(plain, view),
        }
    }

    /// Something prevents a packet from going on; only the first such root cause counts.
    pub(super) fn hold_up(&mut self, packet: PacketId, by: RootCause, view: View<'_>) {
        let p = view.packets.get(packet);
        if p.uid < UNTRACKED {
            self.roots.causes.note_held_up(view.now, p, by);
            let whole = self.ledger.copies(p.uid) == 1;
            self.roots.held_ups.hold_up(packet, by, whole);
        }
    }

    /// The link layer has given up a packet.
    fn given_up(&mut self, packet: PacketId, root: RootCause, view: View<'_>) {
        let p = view.packets.get(packet);
        if p.uid < UNTRACKED {
            self.roots.causes.note_packet_given_up(view.now, p, root);
        }
    }

    /// A packet goes to its next hop. If it waited for a search, what made that late may have held up others, too, so that
    /// they arrive together. If its router has just noticed a break, this has delayed it, together with others.
    fn goes_on(&mut self, packet: PacketId, after: After, world: &mut World<'_>) {
        let view = world.view();
        if self.roots.held_ups.is_searching(packet)
            && let Some(root) = self.roots.held_ups.root_of(packet)
        {
            let dst = view.packets.get(packet).dst;
            let (causes, mut scene) = self.roots.with_scene(world);
            let late = causes.late(&mut scene, root, dst);
            if let Some(search) = self.roots.held_ups.end_search(packet, late) {
                self.held(packet, late.map_or(search, |late| late.root), view);
            }
        } else if let Some(root) = self.roots.held_ups.root_of(packet)
            && root.cause == Some(LossCause::Contention)
            && self.roots.causes.is_late(root.at, view.now)
        {
            self.roots.held_ups.delay(packet, root);
        }
        if let Trigger::Break(_, root) = self.roots.trigger(after)
            && root.is_independent_of_load()
        {
            // The break may have struck before this packet was sent.
            let since = self.roots.held_ups.root_of(packet).map_or(view.now, |own| own.at);
            self.roots.held_ups.delay(packet, RootCause { at: since, ..root });
        }
    }

    /// The relay `node` receives a packet. True if it has been there before.
    #[inline]
    pub fn comes_back(&mut self, node: NodeId, packet: PacketId, hops: u8) -> bool {
        self.roots.circles.relayed(packet, node, hops)
    }

    /// True if attempts with a packet have failed, with which the MAC of `node` is done.
    #[inline]
    pub fn failed_before(&self, node: NodeId, packet: PacketId) -> bool {
        self.roots.exchanges.has_failed(node, packet)
    }

    /// True if it matters when a packet goes on.
    #[inline]
    pub fn follows(&self, packet: PacketId) -> bool {
        self.roots.held_ups.waits_for_route(packet)
    }

    /// A packet that something has held up becomes another's copy at the next hop.
    #[cold]
    #[inline(never)]
    pub(super) fn hop_done(&mut self, packet: PacketId, copy: PacketId, view: View<'_>) {
        if let Some(hold) = self.roots.held_ups.hand_on(packet, copy) {
            self.held(packet, hold, view);
        }
    }

    /// A segment that a root cause held up has gone on.
    #[cold]
    fn held(&mut self, packet: PacketId, by: RootCause, view: View<'_>) {
        self.ledger.held_up(view.packets.get(packet).uid, by, view.now);
    }

    /// The run ends: notes what still holds up segments.
    pub fn close(&mut self, view: View<'_>) {
        debug_assert!(self.roots.breaks.is_empty(), "routers have reacted to {:?}", self.roots.breaks);
        for (id, packet) in view.packets.iter() {
            if let Some(by) = self.roots.held_ups.hold(id) {
                self.ledger.held_up(packet.uid, by, view.now);
            }
        }
    }
}
