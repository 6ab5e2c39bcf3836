//! Route replies, and learning routes from headers (RFC 4728 §8.2.6, §8.1.4).

use super::found::Found;
use super::{Dsr, Out, RequestPattern};
use smallvec::SmallVec;
use tworay_base::{NodeId, SimTime};
use tworay_wire::Packet;
use tworay_wire::dsr::{RouteReply, SourceRoute};

/// All nodes of a source route, from its author to the destination.
pub(super) fn nodes_of(packet: &Packet, route: &SourceRoute) -> SmallVec<[NodeId; 10]> {
    let src = (route.salvage == 0).then_some(packet.src);
    src.into_iter().chain(route.addresses.iter().copied()).chain([packet.dst]).collect()
}

impl Dsr {
    /// A reply to this node: a route that begins here.
    pub(super) fn accept_reply(&mut self, now: SimTime, reply: &RouteReply, out: Out) {
        let Some(&target) = reply.addresses.last() else { return };
        self.learn(now, &reply.addresses, Found::Wanted);
        self.end_search(now, target, reply.addresses.len(), out);
        if self.config.requests == RequestPattern::Ns2 {
            self.release(now, self.config.release_spacing, out);
        }
    }

    /// A forwarded reply to `initiator`: learns the part of its route that begins here.
    pub(super) fn learn_reply(&mut self, now: SimTime, initiator: NodeId, reply: &RouteReply) {
        if let Some(at) = reply.addresses.iter().position(|n| *n == self.node) {
            self.learn(now, &reply.addresses[at + 1..], Found::Overheard);
            if self.config.bidirectional {
                let back: SmallVec<[NodeId; 10]> =
                    reply.addresses[..at].iter().rev().copied().chain([initiator]).collect();
                self.learn(now, &back, Found::Overheard);
            }
        }
    }

    /// Learns from the source route of a packet that is forwarded or delivered here.
    pub(super) fn learn_route(&mut self, now: SimTime, packet: &Packet, route: &SourceRoute) {
        let nodes = nodes_of(packet, route);
        if let Some(at) = nodes.iter().position(|n| *n == self.node) {
            self.learn(now, &nodes[at + 1..], Found::Overheard);
            if self.config.bidirectional {
                let back: SmallVec<[NodeId; 10]> = nodes[..at].iter().rev().copied().collect();
                self.learn(now, &back, Found::Overheard);
            }
        }
    }

    /// Learns from the source route of an overheard packet that does not pass through here, over its sender
    /// `nodes[heard]`.
    pub(super) fn learn_neighbours_route(&mut self, now: SimTime, nodes: &[NodeId], heard: usize) {
        self.learn(now, &nodes[heard..], Found::Overheard);
        if self.config.bidirectional {
            let back: SmallVec<[NodeId; 10]> = nodes[..=heard].iter().rev().copied().collect();
            self.learn(now, &back, Found::Overheard);
        }
    }
}
