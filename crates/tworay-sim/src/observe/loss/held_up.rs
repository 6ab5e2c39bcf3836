//! What holds up the packets of a network, or has done so.

use super::root_cause::{HeldUp, RootCause};
use tworay_base::PacketId;

/// The root causes of all live packets that have any.
#[derive(Debug, Default)]
pub(crate) struct HeldUps {
    by_packet: Vec<Option<Box<HeldUp>>>,
}

impl HeldUps {
    #[inline]
    fn get(&self, id: PacketId) -> Option<&HeldUp> {
        self.by_packet.get(id.index())?.as_deref()
    }

    fn get_mut(&mut self, id: PacketId) -> Option<&mut HeldUp> {
        self.by_packet.get_mut(id.index())?.as_deref_mut()
    }

    fn entry(&mut self, id: PacketId) -> &mut HeldUp {
        if self.by_packet.len() <= id.index() {
            self.by_packet.resize_with(id.index() + 1, Option::default);
        }
        self.by_packet[id.index()].get_or_insert_default()
    }

    /// A packet was made, and has a number that an earlier one may have had.
    #[inline]
    pub fn made(&mut self, id: PacketId) {
        if let Some(earlier) = self.by_packet.get_mut(id.index()) {
            *earlier = None;
        }
    }

    /// Root cause that currently prevents a live packet from going on, if any.
    pub fn root_of(&self, id: PacketId) -> Option<RootCause> {
        self.get(id)?.here
    }

    /// The first root cause of a live packet, here or earlier on its path, that load did not cause.
    pub fn independent_root(&self, id: PacketId) -> Option<RootCause> {
        self.get(id)?.independent()
    }

    /// Something prevents a live packet from going on. Only the first such root cause counts.
    /// `whole`: no other copy of the packet exists.
    pub fn hold_up(&mut self, id: PacketId, by: RootCause, whole: bool) {
        let held_up = self.entry(id);
        if held_up.here.is_none() {
            held_up.here = Some(by);
            held_up.whole = whole;
        }
    }

    /// Root cause that currently holds up the segment in a live packet, of which no other copy exists.
    pub fn hold(&self, id: PacketId) -> Option<RootCause> {
        let held_up = self.get(id)?;
        held_up.here.filter(|_| held_up.whole)
    }

    /// Something that load did not cause delays a live packet, which goes on later.
    pub fn delay(&mut self, id: PacketId, by: RootCause) {
        self.entry(id).before.get_or_insert(by);
    }

    /// True if a live packet waits for a route discovery.
    #[inline]
    pub fn is_searching(&self, id: PacketId) -> bool {
        self.get(id).is_some_and(|held_up| held_up.here.is_some_and(|here| here.cause.is_none()))
    }

    /// A live packet goes on; if it only waited for a route discovery, that root cause is over. Returns it, if it
    /// held up the segment. The packet remembers what delayed the search, if that was not load.
    pub fn end_search(&mut self, id: PacketId, late: Option<RootCause>) -> Option<RootCause> {
        let held_up = self.get_mut(id)?;
        let whole = held_up.whole;
        let search = held_up.here.take_if(|s| s.cause.is_none())?;
        held_up.before = held_up.before.or(late.filter(RootCause::is_independent_of_load));
        whole.then_some(search)
    }

    /// The outcome of the search that a live packet waits for.
    pub fn settle_search(&mut self, id: PacketId, root: RootCause) {
        if let Some(held_up) = self.get_mut(id)
            && held_up.here.is_some_and(|here| here.cause.is_none())
        {
            held_up.here = Some(root);
        }
    }

    /// True if anything holds up a live packet, or has done so.
    #[inline]
    pub fn is_held_up(&self, id: PacketId) -> bool {
        self.get(id).is_some()
    }

    /// A packet becomes another's copy at the next hop: it inherits the other's past root causes but no
    /// current one. Returns the current one of the original, if it held up the segment.
    pub fn hand_on(&mut self, id: PacketId, copy: PacketId) -> Option<RootCause> {
        let held_up = self.get_mut(id)?;
        let (next, hold) = (held_up.one_hop_on(), held_up.here.filter(|_| held_up.whole));
        held_up.whole = false;
        self.made(copy);
        if let Some(next) = next {
            *self.entry(copy) = next;
        }
        hold
    }
}

#[cfg(test)]
mod tests;
