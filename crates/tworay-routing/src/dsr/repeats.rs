//! Paths that a link cache has learned lately.
//!
//! A node sees the same few paths again with every packet of a flow. All that a repeat changes is how long the
//! path's links last; nobody needs to know that before a route is looked up. So repeats are noted here, and
//! reach the links when somebody asks.

use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_wire::dsr::Addresses;

/// Number of paths that are kept: for two directions of a flow, heard from a few neighbours each.
const MOST: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct Learned {
    pub path: Addresses,
    /// When it was seen last.
    pub at: SimTime,
    /// The shortest lifetime of its links.
    lifetime: SimDuration,
    /// True if the links don't know of the last repeat yet.
    pending: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Repeats {
    paths: Vec<Learned>,
}

impl Repeats {
    /// Notes a repeat; false if the path is not known here, or one of its links may have expired.
    pub(super) fn again(&mut self, now: SimTime, path: &[NodeId]) -> bool {
        let Some(known) = self.paths.iter_mut().find(|known| known.path.as_slice() == path) else {
            return false;
        };
        let lasts = known.at + known.lifetime > now;
        if lasts {
            (known.at, known.pending) = (now, true);
        }
        lasts
    }

    /// Keeps a path that the links know, when none is pending, in place of the one seen longest ago.
    pub(super) fn keep(&mut self, now: SimTime, path: &[NodeId], lifetime: SimDuration) {
        let new = Learned { path: path.into(), at: now, lifetime, pending: false };
        let same = self.paths.iter().position(|known| known.path == new.path);
        let oldest = || self.paths.iter().enumerate().min_by_key(|(_, known)| known.at).map(|(at, _)| at);
        match same.or_else(|| oldest().filter(|_| self.paths.len() >= MOST)) {
            Some(at) => self.paths[at] = new,
            None => self.paths.push(new),
        }
    }

    /// The paths whose repeats the links don't know of; they do from now on.
    pub(super) fn pending(&mut self) -> impl Iterator<Item = &Learned> {
        self.paths.iter_mut().filter_map(|known| std::mem::take(&mut known.pending).then_some(&*known))
    }

    /// Links have gone, or their lifetimes have changed.
    pub(super) fn forget(&mut self) {
        self.paths.clear();
    }
}
