//! Foresees that the route of a flow is about to be interrupted, for receivers that close their window in
//! time (Freeze-TCP: Goff, Moronski, Phatak and Gupta 2000).
//!
//! The route is the one that the flow's latest packets have taken. Every [`LOOK`] the simulator checks its
//! links now, and as they will be when the warning is over: by the nodes' tracks, the events that switch
//! nodes, and the handoffs of wires. A cut link and an empty battery are not foreseen. A warning of zero is
//! given at the break, to the sender in the receiver's name, because no ACK gets through any more.
//!
//! The path works again when all links of the route work and will work until the warning is over. If routing
//! finds another route, the sender's probes show it.

use super::Network;
use super::event::Event;
use crate::flow::{Flow, Transport};
use std::collections::BTreeMap;
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_tcp::{PathEvent, Side};
use tworay_wire::Packet;

/// Time between two checks of a route.
const LOOK: SimDuration = SimDuration::from_millis(10);

/// The flows whose receivers are warned.
pub(super) struct Foresight {
    watches: BTreeMap<u16, Watch>,
}

/// One of these flows.
struct Watch {
    to: NodeId,
    from: NodeId,
    warning: SimDuration,
    /// Where the flow's latest packet went from each node.
    next: BTreeMap<NodeId, NodeId>,
    closed: bool,
    /// The route will be interrupted until this time at least.
    until: SimTime,
}

/// What follows from a check.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Warn {
    Receiver(PathEvent),
    /// The sender, in the receiver's name.
    Sender,
}

impl Foresight {
    /// Of all flows, those whose receivers are to be warned; `None` if there are none.
    pub fn new(flows: &[Flow]) -> Option<Box<Self>> {
        let watch = |flow: &Flow| {
            let Transport::Tcp(pair) = &flow.transport else { return None };
            let warning = pair.receiver.warning()?;
            let (from, to, next) = (flow.setup.from, flow.setup.to, BTreeMap::new());
            Some(Watch { from, to, warning, next, closed: false, until: SimTime::ZERO })
        };
        let watches: BTreeMap<u16, Watch> =
            flows.iter().zip(0..).filter_map(|(flow, i)| Some((i, watch(flow)?))).collect();
        (!watches.is_empty()).then(|| Box::new(Self { watches }))
    }

    /// The flows.
    pub fn flows(&self) -> impl Iterator<Item = u16> {
        self.watches.keys().copied()
    }

    /// A packet has crossed the link from `from` to `to`.
    pub fn note_hop(&mut self, packet: &Packet, from: NodeId, to: NodeId) {
        if let Some(watch) = self.watches.get_mut(&packet.flow.0).filter(|w| w.to == packet.dst) {
            watch.next.insert(from, to);
        }
    }
}

impl Watch {
    /// The links that the flow's latest packets crossed; empty before one has reached the receiver.
    fn route(&self) -> Vec<(NodeId, NodeId)> {
        let (mut links, mut at) = (Vec::new(), self.from);
        while at != self.to {
            match self.next.get(&at) {
                Some(&next) if links.len() < self.next.len() => {
                    links.push((at, next));
                    at = next;
                }
                _ => return Vec::new(),
            }
        }
        links
    }

    /// Decides what to announce: whether the route works now, and whether it will when the warning is over.
    fn decide(&mut self, now: SimTime, works: bool, will_work: bool) -> Option<Warn> {
        if !will_work {
            self.until = now + self.warning;
        }
        if self.warning.is_zero() {
            // An ACK that was under way at the break must not end the freeze.
            if !works {
                self.closed = true;
                return Some(Warn::Sender);
            }
        } else if works && !will_work && !self.closed {
            self.closed = true;
            return Some(Warn::Receiver(PathEvent::Interruption));
        }
        let restored = self.closed && works && will_work && now >= self.until;
        restored.then(|| {
            self.closed = false;
            Warn::Receiver(PathEvent::Restored)
        })
    }
}

impl Network {
    /// Plans the first check of every flow whose receiver is to be warned.
    pub(super) fn plan_foresight(&mut self) {
        self.foresight = Foresight::new(&self.flows);
        for flow in self.foresight.iter().flat_map(|f| f.flows()) {
            let start = self.flows[usize::from(flow)].setup.start;
            self.common.agenda.push(start, Event::Foresee(flow));
        }
    }

    /// A packet has crossed a link.
    #[cold]
    pub(super) fn note_hop(&mut self, packet: PacketId, from: NodeId, to: NodeId) {
        if let Some(foresight) = &mut self.foresight {
            foresight.note_hop(self.common.packets.get(packet), from, to);
        }
    }

    /// Checks the route of a flow and warns its receiver.
    #[cold]
    pub(super) fn foresee(&mut self, flow: u16) {
        let index = usize::from(flow);
        if self.flows[index].finished_at.is_some() {
            return;
        }
        let now = self.common.now;
        self.common.agenda.push(now + LOOK, Event::Foresee(flow));
        let Some(watch) = self.foresight.as_ref().and_then(|f| f.watches.get(&flow)) else { return };
        let (route, warning) = (watch.route(), watch.warning);
        if route.is_empty() {
            return;
        }
        let works = route.iter().all(|&link| self.link_works(link, now));
        let will_work = if warning.is_zero() {
            works
        } else {
            route.iter().all(|&link| self.link_works(link, now + warning))
        };
        let watch = self.foresight.as_mut().and_then(|f| f.watches.get_mut(&flow));
        let (side, event) = match watch.and_then(|w| w.decide(now, works, will_work)) {
            Some(Warn::Receiver(event)) => (Side::Passive, event),
            Some(Warn::Sender) => (Side::Active, PathEvent::PeerWindow { open: false }),
            None => return,
        };
        self.with_tcp(index, side, |c, now, out| c.on_path_event(now, event, out));
    }

    /// Whether a link can carry packets at a time from now on, as far as is known now.
    fn link_works(&mut self, (a, b): (NodeId, NodeId), at: SimTime) -> bool {
        if !(self.is_up_at(a, at) && self.is_up_at(b, at)) {
            return false;
        }
        match self.wires.between(a, b) {
            Some(wire) => !self.wires.is_down(wire, at),
            None => self.radio.as_mut().is_some_and(|radio| radio.in_range(at, a, b)),
        }
    }

    fn is_up_at(&self, node: NodeId, at: SimTime) -> bool {
        let now = self.common.now;
        let coming = self.plan.switches.iter().filter(|s| s.1 == node && s.0 > now && s.0 <= at);
        coming.max_by_key(|s| s.0).map_or(self.nodes[node].up, |s| s.2)
    }
}

#[cfg(test)]
mod tests;
