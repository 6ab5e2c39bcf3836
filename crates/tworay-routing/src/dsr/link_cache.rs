//! A graph of links (RFC 4728 §4.1), with fixed lifetimes or those of Link-MaxLife.

use super::by_node::ByNode;
use super::config::DsrConfig;
use super::found::Found;
use super::options::CacheKind;
use super::repeats::Repeats;
use std::collections::BTreeMap;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_wire::dsr::Addresses;

/// Link-MaxLife: initial stability of a node (InitStability).
const INIT_STABILITY: SimDuration = SimDuration::from_secs(25);
/// Shortest lifetime of a link (MinLifetime).
const MIN_LIFETIME: SimDuration = SimDuration::from_secs(1);
/// Increase of stability per use, times the time since the last use (StabilityIncrFactor).
const INCREASE: u64 = 4;
/// Factor on stability after a break (StabilityDecrFactor).
const DECREASE: f64 = 0.5;
/// Minimum remaining lifetime of a link that is used (UseExtends).
const USE_EXTENDS: SimDuration = SimDuration::from_secs(120);

#[derive(Copy, Clone, Debug)]
struct Link {
    expires: SimTime,
    /// When it was last used, or learned.
    used_at: SimTime,
}

/// The links that this node knows.
#[derive(Clone, Debug)]
pub(super) struct LinkCache {
    node: NodeId,
    links: ByNode<ByNode<Link>>,
    /// Link-MaxLife only: how stable each node's links have been.
    stability: Option<BTreeMap<NodeId, SimDuration>>,
    timeout: SimDuration,
    bidirectional: bool,
    repeats: Repeats,
}

impl LinkCache {
    pub(super) fn new(config: &DsrConfig, node: NodeId) -> Self {
        Self {
            node,
            links: ByNode::default(),
            stability: (config.cache == CacheKind::LinkMaxLife).then(BTreeMap::new),
            timeout: config.route_cache_timeout,
            bidirectional: config.bidirectional,
            repeats: Repeats::default(),
        }
    }

    pub(super) fn add(&mut self, now: SimTime, path: &[NodeId]) -> bool {
        if self.repeats.again(now, path) {
            return false;
        }
        self.catch_up();
        let news = self.add_links(now, path);
        let ends = std::iter::once(&self.node).chain(path);
        let lifetime = ends.zip(path).map(|(from, to)| self.lifetime(*from, *to)).min();
        self.repeats.keep(now, path, lifetime.unwrap_or(SimDuration::ZERO));
        news
    }

    /// Extends the links of paths that were seen again.
    fn catch_up(&mut self) {
        let mut repeats = std::mem::take(&mut self.repeats);
        for seen in repeats.pending() {
            self.add_links(seen.at, &seen.path);
        }
        self.repeats = repeats;
    }

    fn add_links(&mut self, now: SimTime, path: &[NodeId]) -> bool {
        let mut news = false;
        let mut from = self.node;
        for &to in path {
            news |= self.add_link(now, from, to);
            if self.bidirectional {
                news |= self.add_link(now, to, from);
            }
            from = to;
        }
        news
    }

    fn add_link(&mut self, now: SimTime, from: NodeId, to: NodeId) -> bool {
        let lifetime = self.lifetime(from, to);
        let expires = now + lifetime;
        let mut news = false;
        let link = self.links.get_or_insert_with(from, ByNode::default).get_or_insert_with(to, || {
            news = true;
            Link { expires, used_at: now }
        });
        news |= link.expires <= now;
        link.expires = link.expires.max(expires);
        news
    }

    fn lifetime(&self, a: NodeId, b: NodeId) -> SimDuration {
        let Some(stability) = &self.stability else { return self.timeout };
        let of = |n: NodeId| stability.get(&n).copied().unwrap_or(INIT_STABILITY);
        of(a).min(of(b)).max(MIN_LIFETIME)
    }

    pub(super) fn find(&mut self, now: SimTime, dst: NodeId, purpose: Found) -> Option<Addresses> {
        self.catch_up();
        let path = self.shortest(now, dst)?;
        if purpose == Found::Wanted && self.stability.is_some() {
            self.used(now, &path);
        }
        Some(path)
    }

    /// Hops to `dst`, over links that may have expired.
    pub(super) fn distance(&self, dst: NodeId) -> Option<usize> {
        self.shortest(SimTime::ZERO, dst).map(|p| p.len())
    }

    /// The path with the fewest hops; among those, the one whose earliest expiry is latest.
    fn shortest(&self, now: SimTime, dst: NodeId) -> Option<Addresses> {
        // For each node reached: the previous node, and when the path to it expires.
        let mut reached: BTreeMap<NodeId, (NodeId, SimTime)> = BTreeMap::new();
        let mut ring = vec![(self.node, SimTime::NEVER)];
        while !ring.is_empty() && !reached.contains_key(&dst) {
            let mut next: BTreeMap<NodeId, (NodeId, SimTime)> = BTreeMap::new();
            for (from, until) in ring {
                for (to, link) in self.links.get(from).into_iter().flat_map(ByNode::iter) {
                    if link.expires <= now || to == self.node || reached.contains_key(&to) {
                        continue;
                    }
                    let until = until.min(link.expires);
                    let entry = next.entry(to).or_insert((from, until));
                    if until > entry.1 {
                        *entry = (from, until);
                    }
                }
            }
            ring = next.iter().map(|(n, (_, until))| (*n, *until)).collect();
            reached.append(&mut next);
        }
        let mut path = Addresses::new();
        let mut at = dst;
        while at != self.node {
            path.push(at);
            at = reached.get(&at)?.0;
        }
        path.reverse();
        (!path.is_empty()).then_some(path)
    }

    /// Link-MaxLife: use increases the stability of a link's ends and extends its lifetime.
    fn used(&mut self, now: SimTime, path: &[NodeId]) {
        let Some(stability) = &mut self.stability else { return };
        self.repeats.forget();
        let mut from = self.node;
        for &to in path {
            if let Some(link) = self.links.get_mut(from).and_then(|l| l.get_mut(to)) {
                let gain = now.since(link.used_at) * INCREASE;
                for end in [from, to] {
                    *stability.entry(end).or_insert(INIT_STABILITY) += gain;
                }
                link.used_at = now;
                link.expires = link.expires.max(now + USE_EXTENDS);
            }
            from = to;
        }
    }

    pub(super) fn remove(&mut self, from: NodeId, to: NodeId) {
        self.catch_up();
        self.repeats.forget();
        let mut known = self.remove_directed(from, to);
        if self.bidirectional {
            known |= self.remove_directed(to, from);
        }
        if let Some(stability) = self.stability.as_mut().filter(|_| known) {
            for end in [from, to] {
                let s = stability.entry(end).or_insert(INIT_STABILITY);
                *s = s.mul_f64(DECREASE);
            }
        }
    }

    fn remove_directed(&mut self, from: NodeId, to: NodeId) -> bool {
        self.links.get_mut(from).is_some_and(|l| l.remove(to).is_some())
    }
}

#[cfg(test)]
mod tests;
