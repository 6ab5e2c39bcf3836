//! The route cache: one interface for three types.

use super::config::DsrConfig;
use super::found::Found;
use super::link_cache::LinkCache;
use super::options::CacheKind;
use super::path_cache::PathCache;
use tworay_base::{NodeId, SimTime};
use tworay_wire::dsr::Addresses;

/// Routes from this node. A path lists the nodes after this one; its last is the destination.
#[derive(Clone, Debug)]
pub(super) enum RouteCache {
    Path(PathCache),
    Link(LinkCache),
}

impl RouteCache {
    pub(super) fn new(config: &DsrConfig, node: NodeId) -> Self {
        match config.cache {
            CacheKind::Path => RouteCache::Path(PathCache::new(config, node)),
            CacheKind::Link | CacheKind::LinkMaxLife => RouteCache::Link(LinkCache::new(config, node)),
        }
    }

    /// Adds a path. Returns whether it contained anything new.
    pub(super) fn add(&mut self, now: SimTime, path: &[NodeId], found: Found) -> bool {
        match self {
            RouteCache::Path(c) => c.add(now, path, found),
            RouteCache::Link(c) => c.add(now, path),
        }
    }

    /// The shortest path to `dst`; `Found::Wanted` means that it will be used.
    pub(super) fn find(&mut self, now: SimTime, dst: NodeId, purpose: Found) -> Option<Addresses> {
        match self {
            RouteCache::Path(c) => c.find(now, dst, purpose),
            RouteCache::Link(c) => c.find(now, dst, purpose),
        }
    }

    /// Hops of the shortest path to `dst`. For a path that is not used, the answer may be out of date.
    pub(super) fn distance(&self, dst: NodeId) -> Option<u8> {
        let hops = match self {
            RouteCache::Path(c) => c.distance(dst),
            RouteCache::Link(c) => c.distance(dst),
        }?;
        u8::try_from(hops).ok()
    }

    /// Removes a link that does not work.
    pub(super) fn remove(&mut self, from: NodeId, to: NodeId) {
        match self {
            RouteCache::Path(c) => c.remove(from, to),
            RouteCache::Link(c) => c.remove(from, to),
        }
    }
}
