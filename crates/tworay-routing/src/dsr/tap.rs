//! Overheard packets: routes, errors, passive acknowledgments, shorter routes (RFC 4728 §3.4.3).

use super::found::Found;
use super::replies::nodes_of;
use super::{Dsr, Out, RequestPattern, TAPPED};
use crate::RoutingNote;
use crate::{Malformed, RoutingAction};
use smallvec::SmallVec;
use tworay_base::{NodeId, SimTime};
use tworay_wire::dsr::{DsrHeader, RouteReply};
use tworay_wire::{Body, Packet};

/// Number of gratuitous replies remembered.
const GRATUITOUS: usize = 32;

impl Dsr {
    pub(super) fn note_malformed(&mut self, from: NodeId, what: Malformed, out: Out) {
        self.counters.malformed[what as usize] += 1;
        out.push(RoutingAction::Note(RoutingNote::Malformed { from, what }));
    }

    /// A packet is processed once, however many of its hops are overheard.
    pub(super) fn first_time(&mut self, uid: u64) -> bool {
        if self.tapped.is_empty() {
            self.tapped = vec![u64::MAX; TAPPED];
        }
        let place = &mut self.tapped[uid as usize % TAPPED];
        std::mem::replace(place, uid) != uid
    }

    pub(super) fn tap_route(&mut self, now: SimTime, packet: &Packet, header: &DsrHeader, out: Out) {
        let Some(route) = &header.source_route else { return };
        let nodes = nodes_of(packet, route);
        // From the addressed node on, there remain `segments_left` addresses and the destination.
        let Some(heard) = nodes.len().checked_sub(usize::from(route.segments_left) + 2) else { return };
        match nodes.iter().position(|n| *n == self.node) {
            None => self.learn_neighbours_route(now, &nodes, heard),
            Some(me) => {
                self.learn_route(now, packet, route);
                let data = !matches!(packet.body, Body::Dsr);
                if self.config.gratuitous_replies && data && me > heard + 1 {
                    self.shorten(now, &nodes, heard, me, out);
                }
            }
        }
    }

    /// The nodes between `heard` and this one are unnecessary: notifies the author of the route.
    fn shorten(&mut self, now: SimTime, nodes: &[NodeId], heard: usize, me: usize, out: Out) {
        let (author, sender) = (nodes[0], nodes[heard]);
        let holdoff = self.config.grat_reply_holdoff;
        while self.gratuitous.front().is_some_and(|(_, _, at)| now.since(*at) >= holdoff) {
            self.gratuitous.pop_front();
        }
        if self.gratuitous.iter().any(|(a, s, _)| (*a, *s) == (author, sender)) {
            return;
        }
        if self.gratuitous.len() >= GRATUITOUS {
            self.gratuitous.pop_front();
        }
        self.gratuitous.push_back((author, sender, now));
        self.counters.gratuitous_replies += 1;
        let addresses = nodes[1..=heard].iter().chain(&nodes[me..]).copied().collect();
        let back: SmallVec<[NodeId; 10]> = nodes[..=heard].iter().rev().copied().collect();
        if self.config.requests == RequestPattern::Ns2 {
            self.learn(now, &back, Found::Wanted);
        }
        let header = DsrHeader { replies: vec![RouteReply { addresses }], ..DsrHeader::default() };
        self.originate(header, &back, tworay_base::SimDuration::ZERO, out);
    }
}
