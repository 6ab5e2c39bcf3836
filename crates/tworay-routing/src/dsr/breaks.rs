//! Broken links: route errors and salvaging (RFC 4728 §8.3.3 to §8.3.6).

use super::found::Found;
use super::parcel::Parcel;
use super::{Dsr, MaintenanceOrder, Out, RequestPattern};
use crate::{DropReason, RoutingAction, RoutingNote};
use smallvec::SmallVec;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_wire::dsr::{DsrHeader, RouteError};

impl Dsr {
    /// Handles a packet whose next hop was lost: salvages it at once, or, if the newest goes first, after the
    /// packets behind it in the interface queue have been returned as well.
    pub(super) fn strand(&mut self, now: SimTime, parcel: Parcel, next_hop: NodeId, out: Out) {
        let newest_first = self.config.maintenance_order == MaintenanceOrder::Lifo;
        if newest_first && self.can_be_saved(now, &parcel) {
            self.stranded.push((parcel, next_hop));
            self.stale_timer = true;
        } else {
            self.save(now, parcel, next_hop, out);
        }
    }

    /// True if a packet without its next hop has another route, or may be buffered until it has one.
    fn can_be_saved(&mut self, now: SimTime, parcel: &Parcel) -> bool {
        let waits = if parcel.src == self.node {
            parcel.data && self.config.keep_own
        } else {
            self.config.salvage_search
        };
        waits || self.cache.find(now, parcel.dst, Found::Overheard).is_some()
    }

    /// Salvages the packets of lost next hops, newest first. Packets without another route are buffered in
    /// order of arrival; the buffer again gives the newest first.
    pub(super) fn save_stranded(&mut self, now: SimTime, out: Out) {
        let mut without = Vec::new();
        while let Some((parcel, next_hop)) = self.stranded.pop() {
            if self.cache.find(now, parcel.dst, Found::Overheard).is_some() {
                self.save(now, parcel, next_hop, out);
            } else {
                without.push((parcel, next_hop));
            }
        }
        for (parcel, next_hop) in without.into_iter().rev() {
            self.save(now, parcel, next_hop, out);
        }
    }

    /// This node cannot reach `next_hop`.
    pub(super) fn break_link(&mut self, now: SimTime, next_hop: NodeId, out: Out) {
        self.counters.broken_links += 1;
        self.current_break = (now, next_hop, SmallVec::new());
        self.cache.remove(self.node, next_hop);
        out.push(RoutingAction::Note(RoutingNote::LinkBroken { neighbour: next_hop }));
        self.lose_routes(self.node, next_hop, true, out);
    }

    /// Reports the loss of routes in use over a broken link. `noticed`: the source's own packets detected the
    /// break.
    fn lose_routes(&mut self, from: NodeId, to: NodeId, noticed: bool, out: Out) {
        let me = self.node;
        self.in_use.retain(|&dst, path| {
            let first = from == me && path.first() == Some(&to);
            let hit = first || path.windows(2).any(|w| w == [from, to]);
            if hit {
                if noticed {
                    let note = RoutingNote::RouteError { broken_from: from, broken_to: Some(to), dst };
                    out.push(RoutingAction::Note(note));
                }
                out.push(RoutingAction::Note(RoutingNote::RouteLost { dst }));
            }
            !hit
        });
    }

    /// Sends a route error about a break at this node to the author of the packet's route.
    pub(super) fn report(&mut self, parcel: &Parcel, next_hop: NodeId, out: Out) {
        let Some(route) = &parcel.header.source_route else { return };
        let author = route.author(parcel.src);
        if author == self.node || self.current_break.2.contains(&author) {
            return;
        }
        let mut back: SmallVec<[NodeId; 10]> = SmallVec::new();
        if route.salvage == 0 {
            back.push(parcel.src);
        }
        back.extend(route.addresses.iter().copied().take_while(|n| *n != self.node));
        back.reverse();
        // A node that is not on the route has no way back along it.
        if !route.addresses.contains(&self.node) || back.is_empty() {
            return;
        }
        self.current_break.2.push(author);
        let error = RouteError {
            salvage: route.salvage,
            source: self.node,
            destination: author,
            unreachable: next_hop,
        };
        let header = DsrHeader { errors: vec![error], ..DsrHeader::default() };
        self.counters.notices_sent += 1;
        self.originate(header, &back, SimDuration::ZERO, out);
    }

    /// Reroutes, buffers or drops a packet whose next hop was lost.
    pub(super) fn save(&mut self, now: SimTime, mut parcel: Parcel, next_hop: NodeId, out: Out) {
        if parcel.src == self.node {
            let lost = !self.config.keep_own && self.cache.find(now, parcel.dst, Found::Wanted).is_none();
            if parcel.data && lost {
                self.drop_packet(parcel.id, DropReason::MacCallback, out);
            } else if parcel.data {
                self.send_or_wait(now, parcel, out);
            } else {
                self.save_own_control(now, parcel, next_hop, out);
            }
            return;
        }
        let salvaged = parcel.header.source_route.as_ref().map_or(0, |r| r.salvage);
        if !self.config.salvage {
            return self.drop_packet(parcel.id, DropReason::MacCallback, out);
        }
        if salvaged >= self.config.max_salvage_count {
            return self.drop_packet(parcel.id, DropReason::Salvaged, out);
        }
        if self.cut_bad_replies(&mut parcel, next_hop) {
            return self.drop_packet(parcel.id, DropReason::MacCallback, out);
        }
        let purpose = Found::Overheard;
        let room = usize::from(self.config.max_route_hops);
        match self.cache.find(now, parcel.dst, purpose).filter(|p| p.len() <= room) {
            Some(path) => self.send_along(now, parcel, &path, SimDuration::ZERO, out),
            None if self.config.salvage_search => {
                let dst = parcel.dst;
                self.wait(now, parcel, out);
                if self.config.requests == RequestPattern::Rfc4728 {
                    self.begin_search(now, dst, out);
                }
            }
            None => self.drop_packet(parcel.id, DropReason::MacCallback, out),
        }
    }

    /// Sends this node's own replies and errors on another known route or drops them; only in ns-2 are they
    /// buffered.
    fn save_own_control(&mut self, now: SimTime, mut parcel: Parcel, next_hop: NodeId, out: Out) {
        if parcel.header.source_route.is_none() {
            return self.drop_packet(parcel.id, DropReason::MacCallback, out);
        }
        if self.config.requests == RequestPattern::Ns2 {
            // As for data, whatever it contains.
            return self.send_or_wait(now, parcel, out);
        }
        let dead = self.cut_bad_replies(&mut parcel, next_hop);
        let path = self.cache.find(now, parcel.dst, Found::Overheard).filter(|_| !dead);
        match path {
            Some(path) => self.send_along(now, parcel, &path, SimDuration::ZERO, out),
            None => self.drop_packet(parcel.id, DropReason::MacCallback, out),
        }
    }

    /// Removes replies that advertise the broken link; returns true if nothing worth sending remains.
    fn cut_bad_replies(&self, parcel: &mut Parcel, next_hop: NodeId) -> bool {
        let me = self.node;
        let initiator = parcel.dst;
        let had = !parcel.header.replies.is_empty();
        parcel.header.replies.retain(|r| {
            let mut before = initiator;
            !r.addresses.iter().any(|&n| {
                let link = [before, n];
                before = n;
                link == [me, next_hop] || link == [next_hop, me]
            })
        });
        let h = &parcel.header;
        had && h.replies.is_empty() && !parcel.data && h.errors.is_empty() && h.acks.is_empty()
    }

    /// Processes the route errors in any header received.
    pub(super) fn process_errors(&mut self, now: SimTime, header: &DsrHeader, out: Out) {
        for error in &header.errors {
            if error.source == self.node && !self.config.heed_own_errors {
                // A node knows its own links best.
                continue;
            }
            self.cache.remove(error.source, error.unreachable);
            let for_me = error.destination == self.node;
            self.lose_routes(error.source, error.unreachable, for_me, out);
            if for_me && self.config.propagate_errors {
                self.held_error = Some((now, *error));
            }
        }
    }
}
