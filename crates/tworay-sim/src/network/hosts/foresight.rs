//! Foresees that the route of a flow is about to be interrupted, for receivers that close their window in
//! time (Freeze-TCP: Goff, Moronski, Phatak and Gupta 2000).
//!
//! The route is the one that the flow's latest packets have taken. Every 10 ms the simulator checks its
//! links now, and as they will be when the warning is over: by the nodes' tracks, the events that switch
//! nodes, and the handoffs of wires. A cut link and an empty battery are not foreseen. A warning of zero is
//! given at the break, to the sender in the receiver's name, because no ACK gets through any more.
//!
//! The path works again when all links of the route work and will work until the warning is over. If routing
//! finds another route, the sender's probes show it.

mod checks;

use crate::network::hosts::flow::{Flow, Transport};
use std::collections::BTreeMap;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_tcp::PathEvent;
use tworay_wire::Packet;

/// The flows whose receivers are warned.
pub(crate) struct Foresight {
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

/// Consequence of a check.
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

#[cfg(test)]
mod tests;
