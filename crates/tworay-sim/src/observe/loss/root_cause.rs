//! The root causes that a packet carries: what prevents it from going on, here and earlier on its path.

use tworay_base::{LossCause, NodeId, SimDuration, SimTime};

/// Sender and intended receiver.
pub(crate) type Hop = (NodeId, NodeId);

/// Two nodes between which packets go in either direction.
pub(crate) fn ends(a: NodeId, b: NodeId) -> [NodeId; 2] {
    if a < b { [a, b] } else { [b, a] }
}

/// The first thing that prevented a packet from leaving its current node. Whatever happens to the packet
/// later at that node, this is the root of its loss; see [`HeldUp`] for later hops.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct RootCause {
    /// When it struck this packet: from then on the packet did not go on.
    pub at: SimTime,
    /// Where; for a missing route, the node before the break that removed it.
    pub node: NodeId,
    /// The hop that failed, if it was a hop.
    pub next_hop: Option<NodeId>,
    /// The cause. `None`: a route discovery is in progress although a path exists; its outcome will decide.
    pub cause: Option<LossCause>,
    /// Unsuccessful frames (RTS or DATA) or ARP requests for that hop.
    pub attempts: u16,
    /// Sender of the signal that corrupted the last of them, if known.
    pub interferer: Option<NodeId>,
}

impl RootCause {
    /// A root cause at `node` for `cause`.
    pub fn new(at: SimTime, node: NodeId, cause: LossCause) -> Self {
        Self { at, node, next_hop: None, cause: Some(cause), attempts: 0, interferer: None }
    }

    /// The hop that failed, if it was a hop.
    pub fn hop(&self) -> Option<Hop> {
        self.next_hop.map(|next_hop| (self.node, next_hop))
    }

    /// The same for the hop to `next_hop`.
    pub fn towards(self, next_hop: NodeId) -> Self {
        Self { next_hop: (!next_hop.is_broadcast()).then_some(next_hop), ..self }
    }

    /// The same break for packets in the opposite direction. A node that is off has no hop there: which neighbour the
    /// packets would have come from is open.
    pub fn reversed(self) -> Self {
        match (self.cause, self.next_hop) {
            (Some(LossCause::LinkFailure), Some(b)) => {
                Self::new(self.at, b, LossCause::LinkFailure).towards(self.node)
            }
            (Some(LossCause::NodeDown), Some(b)) => Self::new(self.at, b, LossCause::NodeDown),
            _ => self,
        }
    }

    /// The same root cause for a packet that it costs at `now`. Attempts that failed before were another packet's, so they aren't told.
    pub fn strikes(self, now: SimTime) -> Self {
        if self.at == now { self } else { self.strikes_others(now) }
    }

    /// The same for a packet that has no part in the attempts, even if they have failed at `now`.
    pub fn strikes_others(self, now: SimTime) -> Self {
        Self { at: now, attempts: 0, interferer: None, ..self }
    }

    /// A route discovery although a path exists.
    pub fn search(at: SimTime, node: NodeId) -> Self {
        Self { at, node, next_hop: None, cause: None, attempts: 0, interferer: None }
    }

    /// True if the cause is known, so that it may explain what happens later as well.
    pub fn explains(&self) -> bool {
        self.cause.is_some_and(|cause| cause != LossCause::Unknown)
    }

    /// True if the cause is independent of load. Contention depends on load, as congestion does.
    pub fn is_independent_of_load(&self) -> bool {
        self.is_physical()
            || matches!(self.cause, Some(LossCause::Channel | LossCause::Rate | LossCause::NoRoute))
    }

    /// Number that is higher for stronger effects: a break or an outage (2) stops packets, noise or a missing route (1) slows them down
    /// a little everywhere, and both come before load (0).
    fn strength(&self) -> u8 {
        u8::from(self.is_physical()) + u8::from(self.is_independent_of_load())
    }

    /// The strongest of several root causes; of equals, the first.
    pub fn strongest(roots: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        roots.into_iter().fold(None, Self::stronger)
    }

    /// The stronger of two root causes; of equals, the first. A full queue may ask thousands of packets.
    #[inline]
    fn stronger(first: Option<Self>, second: Option<Self>) -> Option<Self> {
        match (&first, &second) {
            (Some(one), Some(other)) if other.strength() <= one.strength() => first,
            (Some(_), None) => first,
            _ => second,
        }
    }

    /// The first break or outage among several root causes; if there is none, the first of all.
    pub fn break_or_first<const N: usize>(roots: [Option<Self>; N]) -> Option<Self> {
        let known = || roots.iter().flatten().copied();
        known().find(Self::is_physical).or_else(|| known().next())
    }

    /// True if it may keep a route from being found, and thereby hold up packets that then arrive together. Load does so
    /// only by collisions.
    pub fn may_delay_search(&self) -> bool {
        self.is_independent_of_load() || self.cause == Some(LossCause::Contention)
    }

    /// True if noise has slowed a link down, in contrast to a break, which stops it.
    pub fn is_noise(&self) -> bool {
        matches!(self.cause, Some(LossCause::Channel | LossCause::Rate))
    }

    /// True if the next hop or the destination was physically out of reach.
    pub fn is_physical(&self) -> bool {
        matches!(self.cause, Some(LossCause::LinkFailure | LossCause::NodeDown))
    }
}

/// The root cause that keeps a packet waiting for a route.
#[derive(Copy, Clone, Debug)]
pub struct Found {
    /// The root cause.
    pub root: RootCause,
    /// Without it, load would have lost the packet later.
    pub lost_anyway: bool,
}

impl From<RootCause> for Found {
    fn from(root: RootCause) -> Self {
        Self { root, lost_anyway: false }
    }
}

/// Delay of a packet by noisy hops.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Noise {
    /// The number of packets that one of them held up together at most.
    pub together: u32,
    /// Least delay of the packet.
    pub time: SimDuration,
    /// Without it, the packet would have gone on at that time, and not have waited for others either.
    pub since: Option<SimTime>,
}

impl Noise {
    /// One after the other.
    fn and(self, next: Self) -> Self {
        let together = self.together.max(next.together);
        Self { together, time: self.time + next.time, since: self.since.or(next.since) }
    }

    /// Least delay of the packet if it goes on now.
    pub fn until(self, now: SimTime) -> SimDuration {
        self.since.map_or(self.time, |since| self.time.max(now.since(since)))
    }
}

/// The root causes of a packet.
///
/// A root cause normally ends with its hop: what happens to the packet later is a separate matter. There is
/// one exception. Packets held up by a break are released together when a route exists again, and can fill
/// the next queues in a way that load alone would not. The packet therefore remembers the break, for
/// judging full queues. The same holds for what made a search for a route late, also if that was contention.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct HeldUp {
    /// Root cause that currently prevents it from going on.
    pub here: Option<RootCause>,
    /// The strongest earlier root cause on its path, of equals the first: a break, else something else that load did not cause,
    /// else the contention that made it wait for a route.
    pub before: Option<RootCause>,
    /// True if no other copy existed when the current root cause struck, so that it held up the segment itself
    /// and not only a copy that was left behind.
    pub whole: bool,
    /// If all of `before` are noisy hops.
    noise: Option<Noise>,
    /// Load alone would lose it at this node.
    pub lost_anyway: bool,
}

impl HeldUp {
    /// The strongest root cause, earlier or current, load apart; or the contention in `before`.
    pub fn independent(&self) -> Option<RootCause> {
        RootCause::stronger(self.before, self.here.filter(RootCause::is_independent_of_load))
    }

    /// Something delays the packet, which goes on later.
    #[inline]
    pub fn remember(&mut self, root: RootCause) {
        self.before = RootCause::stronger(self.before, Some(root));
        self.noise = None;
    }

    /// Noise at the next hop delays it.
    pub fn remember_noise(&mut self, root: RootCause, noise: Noise) {
        let known = self.noise;
        let only_noise = self.before.is_none() || known.is_some();
        self.remember(root);
        self.noise = only_noise.then(|| known.map_or(noise, |known| known.and(noise)));
    }

    /// Noise makes it leave this node so much later; `None`: no later.
    pub fn pass_on(&mut self, later: Option<SimDuration>) {
        let Some(noise) = self.noise else { return };
        self.noise = later.map(|time| Noise { time, since: None, ..noise });
        self.before = self.before.filter(|_| later.is_some());
    }

    /// The state at the next hop; `None` if nothing is left to remember.
    pub fn one_hop_on(&self) -> Option<Self> {
        self.independent().map(|root| Self { before: Some(root), noise: self.noise(), ..Self::default() })
    }

    /// If only noisy hops have held it up.
    pub fn noise(&self) -> Option<Noise> {
        self.noise.filter(|_| self.here.is_none())
    }
}

#[cfg(test)]
mod tests;
