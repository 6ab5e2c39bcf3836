//! The link set: for each link the neighbour, its neighbours, and whether it has chosen this node as relay
//! (RFC 3626 §4.2, §4.3, §7, §8).

use super::hysteresis::Quality;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_wire::olsr::{LinkCode, LinkType, NeighbourType};

/// A link to a neighbour's interface. Each property lasts until its time; a time in the past means that it no
/// longer holds.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// The neighbour's interface address.
    pub iface: NodeId,
    /// Its main address.
    pub main: NodeId,
    pub willingness: u8,
    /// Received from (L_ASYM_time).
    pub heard_until: SimTime,
    /// Works in both directions (L_SYM_time).
    pub both_ways_until: SimTime,
    /// Stored and advertised (L_time).
    pub kept_until: SimTime,
    /// Counts as lost, whatever is received (L_LOST_LINK_time).
    pub lost_until: SimTime,
    /// Has chosen this node as relay.
    pub selector_until: SimTime,
    /// Its symmetric neighbours, in ascending order.
    pub reaches: Vec<(NodeId, SimTime)>,
    /// The link's quality, if hysteresis is on.
    pub quality: Option<Quality>,
    /// True if it was symmetric at the last update.
    pub symmetric: bool,
}

impl Link {
    fn new(iface: NodeId, main: NodeId) -> Self {
        Self {
            iface,
            main,
            willingness: 0,
            heard_until: SimTime::ZERO,
            both_ways_until: SimTime::ZERO,
            kept_until: SimTime::ZERO,
            lost_until: SimTime::ZERO,
            selector_until: SimTime::ZERO,
            reaches: Vec::new(),
            quality: None,
            symmetric: false,
        }
    }

    fn pending(&self) -> bool {
        self.quality.as_ref().is_some_and(|q| q.pending)
    }

    fn is_symmetric(&self, now: SimTime) -> bool {
        self.both_ways_until > now && self.lost_until <= now && !self.pending()
    }

    /// Code by which a HELLO lists this link; `None` if it does not (§6.2, §14.2).
    pub(crate) fn code(&self, now: SimTime, relays: &[NodeId]) -> Option<LinkCode> {
        let link = if self.lost_until > now {
            LinkType::Lost
        } else if self.pending() {
            return None;
        } else if self.both_ways_until > now {
            LinkType::Symmetric
        } else if self.heard_until > now {
            LinkType::Asymmetric
        } else {
            LinkType::Lost
        };
        let neighbour = if link != LinkType::Symmetric {
            NeighbourType::Not
        } else if relays.binary_search(&self.main).is_ok() {
            NeighbourType::Mpr
        } else {
            NeighbourType::Symmetric
        };
        Some(LinkCode::new(link, neighbour))
    }

    /// Records that the neighbour reaches `nodes`. Returns whether one of them is new.
    ///
    /// Lists are usually in ascending order, as `reaches` is: then one pass through both suffices.
    pub(crate) fn learn_reaches(&mut self, nodes: impl Iterator<Item = NodeId>, until: SimTime) -> bool {
        let mut news = false;
        let mut at = 0;
        for node in nodes {
            if at > 0 && self.reaches[at - 1].0 >= node {
                at = 0;
            }
            at += self.reaches[at..].iter().take_while(|(known, _)| *known < node).count();
            if self.reaches.get(at).is_some_and(|(known, _)| *known == node) {
                self.reaches[at].1 = until;
            } else {
                self.reaches.insert(at, (node, until));
                news = true;
            }
            at += 1;
        }
        news
    }

    /// Records that the neighbour no longer reaches `node`. Returns whether it did.
    pub(crate) fn forget_reach(&mut self, node: NodeId) -> bool {
        let found = self.reaches.binary_search_by_key(&node, |(n, _)| *n);
        found.is_ok_and(|i| {
            self.reaches.remove(i);
            true
        })
    }

    /// When the next of its properties ends.
    fn next_end(&self, now: SimTime) -> SimTime {
        let ends = [
            self.heard_until,
            self.both_ways_until,
            self.kept_until,
            self.lost_until,
            self.selector_until,
            self.quality.as_ref().map_or(SimTime::ZERO, |q| q.silent_at),
        ];
        let later = |t: &SimTime| *t > now;
        let of_link = ends.into_iter().filter(later).min().unwrap_or(SimTime::NEVER);
        self.reaches.iter().map(|(_, until)| *until).fold(of_link, SimTime::min)
    }
}

/// Changes in the neighbourhood.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    /// Neighbours or two-hop neighbours: relays and routes must be recomputed.
    pub neighbourhood: bool,
    /// The nodes that have chosen this one as relay.
    pub selectors: bool,
    /// A neighbour appeared or disappeared.
    pub neighbours: bool,
}

impl std::ops::BitOrAssign for Change {
    fn bitor_assign(&mut self, other: Self) {
        self.neighbourhood |= other.neighbourhood;
        self.selectors |= other.selectors;
        self.neighbours |= other.neighbours;
    }
}

/// The links of a node, by interface address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    list: Vec<Link>,
}

impl Links {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Link> {
        self.list.iter()
    }

    /// The symmetric links.
    pub(crate) fn symmetric(&self) -> impl Iterator<Item = &Link> {
        self.list.iter().filter(|l| l.symmetric)
    }

    pub(crate) fn get(&self, iface: NodeId) -> Option<&Link> {
        self.list.binary_search_by_key(&iface, |l| l.iface).ok().map(|i| &self.list[i])
    }

    pub(crate) fn get_mut(&mut self, iface: NodeId) -> Option<&mut Link> {
        self.list.binary_search_by_key(&iface, |l| l.iface).ok().map(|i| &mut self.list[i])
    }

    /// The link; creates it if necessary.
    pub(crate) fn entry(&mut self, iface: NodeId, main: NodeId, new: impl FnOnce(&mut Link)) -> &mut Link {
        let i = match self.list.binary_search_by_key(&iface, |l| l.iface) {
            Ok(i) => i,
            Err(i) => {
                let mut link = Link::new(iface, main);
                new(&mut link);
                self.list.insert(i, link);
                i
            }
        };
        &mut self.list[i]
    }

    /// The nodes that have chosen this one as relay, in ascending order.
    pub(crate) fn selectors(&self, now: SimTime) -> impl Iterator<Item = NodeId> + '_ {
        self.symmetric().filter(move |l| l.selector_until > now).map(|l| l.main)
    }
}

impl Link {
    /// Updates the link's state to `now`; sets `lost` if it broke.
    pub(crate) fn settle(
        &mut self,
        now: SimTime,
        hold: SimDuration,
        lost: &mut impl FnMut(NodeId),
    ) -> Change {
        let mut change = Change::default();
        if let Some(q) = &mut self.quality
            && q.notice_silence(now)
        {
            self.lost_until = self.kept_until.min(now + hold);
        }
        let symmetric = self.is_symmetric(now);
        if symmetric != self.symmetric {
            self.symmetric = symmetric;
            change.neighbourhood = true;
            change.neighbours = true;
            if !symmetric {
                // Everything that depends on the link is lost with it (§8.5).
                change.selectors = self.selector_until != SimTime::ZERO;
                self.selector_until = SimTime::ZERO;
                self.reaches.clear();
                lost(self.iface);
            }
        }
        if self.selector_until != SimTime::ZERO && self.selector_until <= now {
            self.selector_until = SimTime::ZERO;
            change.selectors = true;
        }
        let before = self.reaches.len();
        self.reaches.retain(|(_, until)| *until > now);
        change.neighbourhood |= self.reaches.len() != before;
        change
    }
}

impl Links {
    /// Updates every link's state to `now` and removes expired links. Returns what changed and when the next
    /// property ends.
    pub(crate) fn settle(
        &mut self,
        now: SimTime,
        hold: SimDuration,
        mut lost: impl FnMut(NodeId),
    ) -> (Change, SimTime) {
        let mut change = Change::default();
        let mut next = SimTime::NEVER;
        for link in &mut self.list {
            change |= link.settle(now, hold, &mut lost);
            next = next.min(link.next_end(now));
        }
        self.list.retain(|l| l.kept_until > now);
        (change, next)
    }
}

#[cfg(test)]
mod tests;
