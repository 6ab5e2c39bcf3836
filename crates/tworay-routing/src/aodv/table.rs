//! The route table (RFC 3561 §2, §6.2).

use smallvec::SmallVec;
use tworay_base::{NodeId, NodeMap, Seq32, SimDuration, SimTime};

/// Last hop count of a destination that was never reached (also ns-2's initial value).
pub(crate) const UNKNOWN_HOPS: u8 = 255;

/// The state of a route.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Up,
    Down,
    /// Broken, under local repair.
    Repair,
}

/// Origin of a route's sequence number.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Number {
    /// It came with the route (RFC 3561's valid sequence number).
    Valid,
    /// Invalid: the neighbour was heard without a number. The number is what the last route left here when it
    /// broke or expired, so no node has a route with this number over this node.
    Invalid,
    /// Invalid: the neighbour was heard while a longer route with this number was in use. Other nodes may
    /// still follow that route with the same number.
    Superseded,
}

/// The route to one destination.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub state: State,
    /// Largest sequence number received; a lower bound for accepted ones, even if it is invalid.
    pub seq: Seq32,
    /// True if any sequence number was ever received.
    pub seq_seen: bool,
    /// Origin of `seq` if the route is valid.
    pub number: Number,
    pub hops: u8,
    /// Hops of the last valid route, [`UNKNOWN_HOPS`] if there was none.
    pub last_hops: u8,
    pub next_hop: NodeId,
    /// When the route expires; for an invalid route, when it became invalid (deletion counts from there).
    pub expire: SimTime,
    pub precursors: SmallVec<[NodeId; 4]>,
    /// This node's own packets use it.
    pub own: bool,
}

impl Route {
    fn unknown() -> Self {
        Self {
            state: State::Down,
            seq: Seq32(0),
            seq_seen: false,
            number: Number::Invalid,
            hops: UNKNOWN_HOPS,
            last_hops: UNKNOWN_HOPS,
            next_hop: NodeId::BROADCAST,
            expire: SimTime::ZERO,
            precursors: SmallVec::new(),
            own: false,
        }
    }

    pub(crate) fn is_up(&self) -> bool {
        self.state == State::Up
    }

    /// Invalidates the route; its distance is kept.
    pub(crate) fn down(&mut self, now: SimTime) {
        if self.state != State::Down {
            if self.hops != UNKNOWN_HOPS {
                self.last_hops = self.hops;
            }
            self.hops = UNKNOWN_HOPS;
            self.state = State::Down;
            self.expire = now;
            self.own = false;
        }
    }

    /// Increments the number that a later route must reach, after this one broke or expired here (§6.11).
    pub(crate) fn bump(&mut self) {
        // An invalid number stays. If it rose at each break of a neighbour that sends no number, the
        // neighbour's own numbers would count as old. Loop freedom requires more only if other nodes know the
        // number.
        if self.seq_seen && self.number != Number::Invalid {
            self.seq = self.seq.plus(1);
        }
    }

    /// True if a route of `hops` hops with this route's own sequence number is better (§6.7 i, iii, iv).
    fn yields_to(&self, hops: u8) -> bool {
        self.state == State::Down
            || match self.number {
                Number::Valid => hops < self.hops,
                Number::Invalid => true,
                // Only the neighbour's own: a longer route with this number could lead back to this node.
                Number::Superseded => hops <= self.hops,
            }
    }

    pub(crate) fn add_precursor(&mut self, node: NodeId) {
        if !self.precursors.contains(&node) {
            self.precursors.push(node);
        }
    }
}

/// An offered route.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Offer {
    pub dst: NodeId,
    /// The destination's sequence number; `None` for a neighbour that itself sent a message.
    pub seq: Option<Seq32>,
    pub hops: u8,
    pub via: NodeId,
    pub expire: SimTime,
}

/// The result of an offer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Refused,
    /// Accepted; the route has not changed.
    Refreshed,
    /// Accepted; a known destination has a new next hop or distance.
    Changed,
    /// Accepted; the destination was never reached before.
    Found,
}

/// All destinations by node. Each packet looks up about six of them, so there is an index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// Index in `routes` of each node's route.
    places: NodeMap,
    routes: Vec<Route>,
    /// Unused indices of `routes`.
    free: Vec<u16>,
    /// Time for which the sequence numbers of invalid routes are kept.
    delete_period: SimDuration,
    /// True if expiry takes effect at each access (otherwise by polling).
    exact: bool,
}

impl Table {
    pub(crate) fn new(delete_period: SimDuration, exact: bool) -> Self {
        Self { delete_period, exact, ..Self::default() }
    }

    #[inline]
    fn place(&self, dst: NodeId) -> Option<usize> {
        self.places.get(dst).map(usize::from)
    }

    /// The route to `dst` at `now`.
    #[inline]
    pub(crate) fn get(&mut self, now: SimTime, dst: NodeId) -> Option<&mut Route> {
        let place = self.place(dst)?;
        let route = &self.routes[place];
        if self.exact && !(route.is_up() && route.expire >= now) && self.outdated(now, place) {
            self.places.remove(dst);
            self.free.push(place as u16);
            return None;
        }
        Some(&mut self.routes[place])
    }

    /// Invalidates an expired route; returns whether it has been invalid for long enough to be deleted.
    fn outdated(&mut self, now: SimTime, place: usize) -> bool {
        let route = &mut self.routes[place];
        if route.is_up() && route.expire < now {
            let expired_at = route.expire;
            route.bump();
            route.down(expired_at);
        }
        route.state == State::Down && route.expire + self.delete_period < now
    }

    /// The route to `dst` if it is valid.
    #[inline]
    pub(crate) fn up(&mut self, now: SimTime, dst: NodeId) -> Option<&mut Route> {
        self.get(now, dst).filter(|r| r.is_up())
    }

    /// The entry for `dst`; creates it if necessary.
    pub(crate) fn entry(&mut self, now: SimTime, dst: NodeId) -> &mut Route {
        self.get(now, dst);
        let place =
            self.place(dst).unwrap_or_else(|| self.insert(dst, Route { expire: now, ..Route::unknown() }));
        &mut self.routes[place]
    }

    fn insert(&mut self, dst: NodeId, route: Route) -> usize {
        let place = match self.free.pop() {
            Some(place) => {
                self.routes[place as usize] = route;
                place as usize
            }
            None => {
                self.routes.push(route);
                self.routes.len() - 1
            }
        };
        self.places.insert(dst, place as u16);
        place
    }

    /// The entry without checking for expiry.
    pub(crate) fn peek(&self, dst: NodeId) -> Option<&Route> {
        self.place(dst).map(|place| &self.routes[place])
    }

    /// Calls `visit` for all entries in the order of their nodes, after invalidating expired ones.
    pub(crate) fn settle(&mut self, now: SimTime, mut visit: impl FnMut(NodeId, &mut Route)) {
        for node in self.places.nodes() {
            if let Some(route) = self.get(now, node) {
                visit(node, route);
            }
        }
    }

    /// Accepts the offered route if it is newer, or as new and better (§6.2, §6.7). Loop freedom requires in
    /// addition that a sequence number never decreases, not even an invalid one.
    pub(crate) fn offer(&mut self, now: SimTime, offer: Offer) -> Outcome {
        let route = self.entry(now, offer.dst);
        let better = match offer.seq {
            Some(seq) => {
                !route.seq_seen || seq.gt(route.seq) || seq == route.seq && route.yields_to(offer.hops)
            }
            // A direct route to a neighbour: the next hop is the destination, so it cannot form a loop.
            None => !route.is_up() || route.hops > 1,
        };
        if !better {
            return Outcome::Refused;
        }
        let reached_before = route.state != State::Down || route.last_hops != UNKNOWN_HOPS;
        let old_hops = if route.hops == UNKNOWN_HOPS { route.last_hops } else { route.hops };
        let same = old_hops == offer.hops && route.next_hop == offer.via;
        route.number = match offer.seq {
            Some(_) => Number::Valid,
            None if route.is_up() => Number::Superseded,
            None => Number::Invalid,
        };
        if let Some(seq) = offer.seq {
            route.seq = seq;
            route.seq_seen = true;
        }
        route.hops = offer.hops;
        route.next_hop = offer.via;
        route.state = State::Up;
        route.expire = offer.expire;
        match (reached_before, same) {
            (false, _) => Outcome::Found,
            (true, true) => Outcome::Refreshed,
            (true, false) => Outcome::Changed,
        }
    }
}
