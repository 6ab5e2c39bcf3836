//! Root causes that hold up the packets of a network, or have done so.

use super::root_cause::{Found, HeldUp, Noise, RootCause};
use crate::observe::fact::View;
use tworay_base::{LossCause, NodeId, PacketId, SimDuration};
use tworay_wire::Packet;

/// The root causes of all live packets that have any.
#[derive(Debug, Default)]
pub(crate) struct HeldUps {
    by_packet: Vec<Option<Box<HeldUp>>>,
    /// Number of packets that have an entry, including those that are gone and whose numbers are still free.
    known: usize,
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
        let held_up = &mut self.by_packet[id.index()];
        self.known += usize::from(held_up.is_none());
        held_up.get_or_insert_default()
    }

    /// A packet was made, and has a number that an earlier one may have had.
    #[inline]
    pub fn made(&mut self, id: PacketId) {
        if let Some(earlier) = self.by_packet.get_mut(id.index())
            && earlier.take().is_some()
        {
            self.known -= 1;
        }
    }

    /// True if nothing holds up any live packet, or has done so.
    pub fn is_empty(&self) -> bool {
        self.known == 0
    }

    /// Root cause that currently prevents a live packet from going on, if any.
    pub fn root_of(&self, id: PacketId) -> Option<RootCause> {
        self.get(id)?.here
    }

    /// The first root cause of a live packet, here or earlier on its path, that load did not cause, or the contention that
    /// made it wait for a route.
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

    /// Something delays a live packet, which goes on later: a cause other than load, or contention that has cost its route.
    pub fn delay(&mut self, id: PacketId, by: RootCause) {
        self.entry(id).remember(by);
    }

    /// The same, or, if noise is the reason, `noise` does so at the next hop.
    pub fn delay_with(&mut self, id: PacketId, by: RootCause, noise: Noise) {
        match by.is_noise() {
            true => self.entry(id).remember_noise(by, noise),
            false => self.entry(id).remember(by),
        }
    }

    /// If only noisy hops have held up a live packet: for how long, and among how many.
    pub fn noise(&self, id: PacketId) -> Option<Noise> {
        self.get(id)?.noise()
    }

    /// A live packet that noise has held up leaves this node so much later because of that; `None`: no later.
    pub fn pass_on(&mut self, id: PacketId, later: Option<SimDuration>) {
        if let Some(held_up) = self.get_mut(id) {
            held_up.pass_on(later);
        }
    }

    /// True if a live packet waits for a route discovery.
    #[inline]
    pub fn is_searching(&self, id: PacketId) -> bool {
        self.get(id).is_some_and(|held_up| held_up.here.is_some_and(|here| here.cause.is_none()))
    }

    /// True if a live packet waits for a route: for a discovery, or for one that contention has cost.
    #[inline]
    pub fn waits_for_route(&self, id: PacketId) -> bool {
        let waits = |here: RootCause| matches!(here.cause, None | Some(LossCause::Contention));
        self.get(id).is_some_and(|held_up| held_up.here.is_some_and(waits))
    }

    /// A live packet goes on; if it only waited for a route discovery, that root cause is over. Returns it, if it
    /// held up the segment. The packet remembers what delayed the search.
    pub fn end_search(&mut self, id: PacketId, late: Option<Found>) -> Option<RootCause> {
        let held_up = self.get_mut(id)?;
        let whole = held_up.whole;
        let search = held_up.here.take_if(|s| s.cause.is_none())?;
        if let Some(Found { root, lost_anyway }) = late.filter(|late| late.root.may_delay_search()) {
            held_up.remember(root);
            held_up.lost_anyway = lost_anyway;
        }
        whole.then_some(search)
    }

    /// True if a live packet that goes on after a search would not find a place in this node's queue either if nothing had made that search
    /// late.
    pub fn is_lost_anyway(&self, id: PacketId) -> bool {
        self.get(id).is_some_and(|held_up| held_up.lost_anyway)
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

    /// Root cause of the packets of a full queue, if at least half of them and of the dying packet were held
    /// up: then they arrived together for this reason, the most frequent one. `released`: the source and the root of
    /// the latest packet that was held up, if the queue is known to be full because of such packets.
    pub fn burst(
        &self,
        view: View<'_>,
        dies: PacketId,
        others: &[PacketId],
        released: Option<(NodeId, RootCause)>,
    ) -> Option<RootCause> {
        let own = self.independent_root(dies);
        let Packet { src, dst, .. } = *view.packets.get(dies);
        // The dying packet itself was not held up before; it stops now. Its flow's packets in the other direction met
        // the same break from the other side.
        let others_root = |root: RootCause, back: bool| {
            let root = if back { root.reversed() } else { root };
            root.strikes(view.now)
        };
        let (mut tally, mut of_flows) = (Tally::default(), 0);
        own.into_iter().for_each(|root| tally.add(root.cause, || root));
        for id in others.iter().copied().filter(|id| view.packets.is_tracked(*id)) {
            of_flows += 1;
            if let Some(root) = self.independent_root(id) {
                tally.add(root.cause, || others_root(root, view.packets.get(id).dst == src));
            }
        }
        let most = tally.most_frequent();
        let released = released.map(|(of, root)| most.unwrap_or(others_root(root, of == dst)));
        released.or(most.filter(|_| 2 * tally.known > of_flows))
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

/// Counts root causes by their cause.
#[derive(Default)]
struct Tally {
    /// The number of each cause, and its first root cause with its place among all. The last entry is of those without a cause.
    causes: [(usize, Option<(usize, RootCause)>); LossCause::ALL.len() + 1],
    known: usize,
}

impl Tally {
    /// Adds a root cause; only the first one of its cause is made.
    fn add(&mut self, cause: Option<LossCause>, root: impl FnOnce() -> RootCause) {
        let (count, first) = &mut self.causes[cause.map_or(LossCause::ALL.len(), |cause| cause as usize)];
        *count += usize::from(cause.is_some());
        first.get_or_insert_with(|| (self.known, root()));
        self.known += 1;
    }

    /// The first root cause of the most frequent cause. Contention alone may have held up some packets a little; what load did
    /// not cause comes first. Of equals, that which was added first.
    fn most_frequent(&self) -> Option<RootCause> {
        let firsts = self.causes.iter().filter_map(|(count, first)| Some((count, (*first)?)));
        let most = firsts.max_by_key(|(count, (place, root))| {
            (root.is_independent_of_load(), *count, std::cmp::Reverse(*place))
        });
        most.map(|(_, (_, root))| root)
    }
}

#[cfg(test)]
mod tests;
