//! Records of lost routes, missed messages and searches.

use crate::observe::loss::root_cause::RootCause;
use smallvec::SmallVec;
use std::collections::{BTreeMap, VecDeque};
use tworay_base::{LossCause, NodeId, SimDuration, SimTime};

/// Record of a node that lost its route to a destination, or misses it.
#[derive(Copy, Clone, Debug)]
pub(super) struct LostRoute {
    pub root: RootCause,
    /// When the route was lost or first missed.
    pub began: SimTime,
    /// When the judgement was last made, and when a packet last needed the route.
    pub checked: SimTime,
    pub asked: SimTime,
}

impl LostRoute {
    /// The judgement by geometry is no longer valid.
    pub fn look_again(&mut self) {
        self.checked = SimTime::ZERO;
    }

    /// True if packets have needed the route without a pause longer than `unused`.
    pub fn is_needed(&self, now: SimTime, unused: SimDuration) -> bool {
        self.asked + unused >= now
    }
}

/// ARP of a node for another one.
#[derive(Copy, Clone, Debug)]
pub(super) struct Exchange {
    pub began: SimTime,
    /// When the exchange began without whose failure there would be none: the one before, or this one itself.
    pub because: SimTime,
    /// When its requests turned out not to be answered.
    pub failed: Option<SimTime>,
}

/// A message that a station failed to receive.
#[derive(Copy, Clone, Debug)]
pub(super) struct Miss {
    pub at: SimTime,
    pub cause: LossCause,
    pub interferer: Option<NodeId>,
    /// The root cause, if it struck elsewhere: node and next hop.
    pub elsewhere: Option<(NodeId, Option<NodeId>)>,
    /// It was not lost, but goes on only then.
    pub delayed: bool,
}

impl Miss {
    /// The root cause of what needed the message; `here`: the same for the hop on which it was lost.
    pub fn root(&self, here: RootCause) -> RootCause {
        let here = RootCause { cause: Some(self.cause), interferer: self.interferer, ..here };
        self.elsewhere.map_or(here, |(node, next_hop)| RootCause { node, next_hop, ..here })
    }
}

/// Direction of a lost message of a search.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Leg {
    /// A request, away from the searching node.
    Request,
    /// A reply, back to it.
    Reply,
}

/// The outcome that the network allowed the latest request of a search when it was sent.
#[derive(Copy, Clone, Debug, Default)]
pub(super) enum Prospect {
    /// None was sent since the route was lost.
    #[default]
    NotSent,
    /// This break stood in its way.
    Hopeless { at: SimTime, root: RootCause },
    /// A path existed that the request could reach, or routing sends none that reaches farther.
    Open,
}

/// A lost message of a search.
#[derive(Copy, Clone, Debug)]
pub(super) struct LostMessage {
    pub leg: Leg,
    pub from: NodeId,
    /// Intended receiver; [`NodeId::BROADCAST`] if it never reached the medium.
    pub to: NodeId,
    /// Remaining hop limit when it was sent.
    pub ttl: u8,
    /// When it would have gone on otherwise: a reply may have waited for an address before.
    pub due: SimTime,
    pub miss: Miss,
}

/// A request whose hop limit ends before the destination.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    pub asked: SimTime,
    /// Nodes that knew a route to the destination then, and can answer from it.
    pub answerers: SmallVec<[NodeId; 4]>,
}

/// A request that a node has had.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Had {
    /// The one with this number: it has sent it.
    Sent(u32),
    /// The latest one at that time: it has answered it.
    Answered(SimTime),
}

/// One search: its lost messages, its requests, and the prospect of the latest one.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    pub lost: VecDeque<LostMessage>,
    /// Its requests that did not reach as far as the destination.
    pub rings: VecDeque<Ring>,
    pub prospect: Prospect,
    /// When that request was sent.
    pub asked: SimTime,
    /// When requests were sent, also those that no longer matter.
    pub requests: VecDeque<SimTime>,
    /// When a request was last sent in reaction to a break, and the break: without it there would be no search.
    pub set_off: Option<(SimTime, RootCause)>,
    /// The latest request that each node has had, and has passed on or answered.
    pub had: BTreeMap<NodeId, Had>,
    /// When packets began to wait for it, in order, and true once it is over: the next one waits for another search.
    pub waits: Vec<SimTime>,
    pub over: bool,
}

impl Search {
    /// Earlier requests no longer matter.
    pub fn restart(&mut self) {
        (self.prospect, self.asked, self.over) = (Prospect::NotSent, SimTime::ZERO, true);
    }

    /// True if a node has had the request with a number: it ignores another copy of it.
    pub fn has_had(&self, node: NodeId, number: Option<u32>) -> bool {
        match self.had.get(&node) {
            Some(Had::Sent(sent)) => number == Some(*sent),
            Some(Had::Answered(at)) => {
                let latest = self.requests.back().max(self.rings.back().map(|ring| &ring.asked));
                number.is_some() && latest.is_some_and(|asked| asked <= at)
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests;
