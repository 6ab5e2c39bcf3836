//! What kept a packet from going on: how its attempts fared, and the setback that it carries with it.

use tworay_base::{LossCause, NodeId, SimTime};

/// The first thing that kept a packet from going on from the node where it is. Whatever becomes of the
/// packet later at that node, this is the root of its loss; see [`HeldUp`] for what comes after.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Setback {
    /// When it struck this packet: from then on it was not going on.
    pub at: SimTime,
    /// Where; for a missing route, the node before the break that removed it.
    pub node: NodeId,
    /// The hop that couldn't be taken, if it was one.
    pub next_hop: Option<NodeId>,
    /// Why. `None`: a route is being searched for although a path exists; what becomes of the search decides.
    pub cause: Option<LossCause>,
    /// Frames (RTS or DATA) or ARP requests sent in vain for that hop.
    pub attempts: u16,
    /// Whose signal spoiled the last of them, where the simulation knows.
    pub interferer: Option<NodeId>,
}

impl Setback {
    /// A setback at `node` for `cause`.
    pub fn new(at: SimTime, node: NodeId, cause: LossCause) -> Self {
        Self { at, node, next_hop: None, cause: Some(cause), attempts: 0, interferer: None }
    }

    /// The same on the way to `next_hop`.
    pub fn towards(self, next_hop: NodeId) -> Self {
        Self { next_hop: (!next_hop.is_broadcast()).then_some(next_hop), ..self }
    }

    /// A search for a route, with a path there to be found.
    pub fn search(at: SimTime, node: NodeId) -> Self {
        Self { at, node, next_hop: None, cause: None, attempts: 0, interferer: None }
    }

    /// Whether something else than load did it. Contention is the doing of load, as congestion is.
    pub fn is_independent_of_load(&self) -> bool {
        self.is_physical() || self.cause == Some(LossCause::Channel)
    }

    /// Whether the next hop or the destination was physically out of reach.
    pub fn is_physical(&self) -> bool {
        matches!(self.cause, Some(LossCause::LinkFailure | LossCause::NodeDown))
    }
}

/// What a packet had to wait for.
///
/// A setback ends with its hop: what happens to the packet further on is another matter. With one exception:
/// what a break held up is released together when there is a route again, and can fill the next queues as
/// load alone would not have done. So the packet remembers the break, for the judge of full queues.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct HeldUp {
    /// What keeps it from going on from where it is.
    pub here: Option<Setback>,
    /// The first setback earlier on its way that load did not cause.
    pub before: Option<Setback>,
}

impl HeldUp {
    /// The first setback, here or before, that load did not cause.
    pub fn independent(&self) -> Option<Setback> {
        self.before.or(self.here.filter(Setback::is_independent_of_load))
    }

    /// The same at the next hop; `None` if nothing is left to remember.
    pub fn one_hop_on(&self) -> Option<Self> {
        self.independent().map(|root| Self { here: None, before: Some(root) })
    }
}

/// How the attempts to send a packet to its next hop fared.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Attempts {
    pub contention: u16,
    pub out_of_range: u16,
    pub channel: u16,
    pub node_down: u16,
    /// Whose signal spoiled the last attempt, or the answer to it.
    pub interferer: Option<NodeId>,
    /// When an attempt was made first although the next hop was out of reach.
    pub out_of_reach_since: Option<SimTime>,
}

impl Attempts {
    /// The cause that most attempts died of; contention where they tie.
    pub fn verdict(self) -> LossCause {
        let most = self.contention.max(self.out_of_range).max(self.channel).max(self.node_down);
        if self.contention == most {
            LossCause::Contention
        } else if self.out_of_range == most {
            LossCause::LinkFailure
        } else if self.node_down == most {
            LossCause::NodeDown
        } else {
            LossCause::Channel
        }
    }

    /// Attempts so far.
    pub fn count(self) -> u16 {
        self.contention + self.out_of_range + self.channel + self.node_down
    }

    /// What a give-up at `node` on the way to `next_hop` amounts to. A hop out of reach keeps the packet
    /// from going on from the first attempt; otherwise any attempt might have succeeded, up to the last.
    pub fn give_up(self, now: SimTime, node: NodeId, next_hop: NodeId) -> Setback {
        let setback = Setback {
            attempts: self.count(),
            interferer: self.interferer,
            ..Setback::new(now, node, self.verdict()).towards(next_hop)
        };
        match self.out_of_reach_since {
            Some(at) if setback.is_physical() => Setback { at, ..setback },
            _ => setback,
        }
    }

    /// An attempt spoiled by the channel was booked as contention when it began.
    pub fn blame_channel(&mut self) {
        if self.contention > 0 {
            self.contention -= 1;
            self.channel += 1;
        }
        self.interferer = None;
    }
}

#[cfg(test)]
mod tests;
