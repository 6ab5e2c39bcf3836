//! Complete paths in two stores, as in ns-2's MobiCache.

use super::config::DsrConfig;
use super::found::Found;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_wire::dsr::Addresses;

#[derive(Clone, Debug)]
struct Stored {
    path: Addresses,
    expires: SimTime,
}

/// A store of a fixed number of paths, first in first out.
#[derive(Clone, Debug)]
struct Store {
    paths: Vec<Stored>,
    limit: usize,
    victim: usize,
}

impl Store {
    fn new(limit: u32) -> Self {
        Self { paths: Vec::new(), limit: limit as usize, victim: 0 }
    }

    /// Adds the path, unless a stored path begins with it. If it extends a stored path, it replaces that one.
    fn add(&mut self, now: SimTime, path: &[NodeId], expires: SimTime) -> bool {
        for s in &mut self.paths {
            if s.expires <= now {
                s.path.clear();
            }
            if s.path.starts_with(path) {
                s.expires = s.expires.max(expires);
                return false;
            }
            if path.starts_with(&s.path) {
                s.path = path.into();
                s.expires = expires;
                return true;
            }
        }
        let stored = Stored { path: path.into(), expires };
        if self.paths.len() < self.limit {
            self.paths.push(stored);
        } else {
            self.paths[self.victim] = stored;
            self.victim = (self.victim + 1) % self.limit;
        }
        true
    }

    /// The index of the path with the fewest hops to `dst`, below `limit`, and the number of hops.
    fn shortest(&self, now: SimTime, dst: NodeId, limit: usize) -> Option<(usize, usize)> {
        let mut best = None;
        let mut limit = limit;
        for (i, s) in self.paths.iter().enumerate() {
            if s.expires <= now {
                continue;
            }
            if let Some(at) = s.path.iter().take(limit - 1).position(|n| *n == dst) {
                limit = at + 1;
                best = Some((i, limit));
            }
        }
        best
    }

    fn remove(&mut self, node: Option<NodeId>, to: NodeId) {
        for s in &mut self.paths {
            let at = match node {
                None => (s.path.first() == Some(&to)).then_some(0),
                Some(from) => s.path.windows(2).position(|w| w == [from, to]).map(|i| i + 1),
            };
            if let Some(at) = at {
                s.path.truncate(at);
            }
        }
    }
}

/// Paths from this node.
#[derive(Clone, Debug)]
pub(super) struct PathCache {
    node: NodeId,
    primary: Store,
    secondary: Store,
    timeout: SimDuration,
    bidirectional: bool,
}

impl PathCache {
    pub(super) fn new(config: &DsrConfig, node: NodeId) -> Self {
        Self {
            node,
            primary: Store::new(config.primary_paths),
            secondary: Store::new(config.secondary_paths),
            timeout: config.route_cache_timeout,
            bidirectional: config.bidirectional,
        }
    }

    pub(super) fn add(&mut self, now: SimTime, path: &[NodeId], found: Found) -> bool {
        if path.is_empty() {
            return false;
        }
        let expires = now + self.timeout;
        match found {
            Found::Wanted => self.primary.add(now, path, expires),
            Found::Overheard => self.secondary.add(now, path, expires),
        }
    }

    pub(super) fn find(&mut self, now: SimTime, dst: NodeId, purpose: Found) -> Option<Addresses> {
        let primary = self.primary.shortest(now, dst, usize::MAX);
        let limit = primary.map_or(usize::MAX, |(_, hops)| hops);
        if let Some((i, hops)) = self.secondary.shortest(now, dst, limit) {
            let path: Addresses = self.secondary.paths[i].path[..hops].into();
            if purpose == Found::Wanted {
                let whole = std::mem::take(&mut self.secondary.paths[i].path);
                let expires = self.secondary.paths[i].expires;
                self.primary.add(now, &whole, expires);
            }
            return Some(path);
        }
        primary.map(|(i, hops)| self.primary.paths[i].path[..hops].into())
    }

    pub(super) fn distance(&self, dst: NodeId) -> Option<usize> {
        let primary = self.primary.shortest(SimTime::ZERO, dst, usize::MAX).map(|(_, hops)| hops);
        let limit = primary.unwrap_or(usize::MAX);
        self.secondary.shortest(SimTime::ZERO, dst, limit).map(|(_, hops)| hops).or(primary)
    }

    pub(super) fn remove(&mut self, from: NodeId, to: NodeId) {
        self.remove_directed(from, to);
        if self.bidirectional {
            self.remove_directed(to, from);
        }
    }

    fn remove_directed(&mut self, from: NodeId, to: NodeId) {
        let from = (from != self.node).then_some(from);
        self.primary.remove(from, to);
        self.secondary.remove(from, to);
    }
}
