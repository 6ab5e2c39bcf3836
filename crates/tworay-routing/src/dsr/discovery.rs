//! Route requests of this node and of others (RFC 4728 §8.2).

use super::found::Found;
use super::{Dsr, Out, RequestPattern, Search};
use crate::{DropReason, RoutingAction, RoutingNote};
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_wire::Packet;
use tworay_wire::dsr::{Addresses, DsrHeader, RouteReply, RouteRequest};

/// ns-2 counts unanswered requests up to this number.
const NS2_MOST_TRIES: u8 = 15;
/// ns-2: number of requests sent for a packet of another node.
const NS2_SALVAGE_REQUESTS: u8 = 1;

impl Dsr {
    /// Starts a discovery for `dst`, unless one is in progress.
    pub(super) fn begin_search(&mut self, now: SimTime, dst: NodeId, out: Out) {
        if let Some(search) = self.searches.get(&dst) {
            // A wait left over from an earlier failure continues.
            if search.until <= now {
                self.advance(now, dst, out);
            }
            return;
        }
        self.counters.discoveries += 1;
        let fresh =
            Search { began_at: now, last_at: now, tries: 0, nonpropagating: false, until: SimTime::NEVER };
        self.searches.insert(dst, fresh);
        if self.config.nonpropagating {
            self.send_request(now, dst, 1, out);
            let until = now + self.config.nonprop_request_timeout;
            self.searches.insert(dst, Search { nonpropagating: true, until, ..fresh });
            self.stale_timer = true;
        } else {
            self.advance(now, dst, out);
        }
    }

    /// The wait for a reply is over: sends the next request, or gives up.
    pub(super) fn advance(&mut self, now: SimTime, dst: NodeId, out: Out) {
        let most = self.config.max_request_rexmt;
        let (first, longest) = (self.config.request_period, self.config.max_request_period);
        let Some(search) = self.searches.get_mut(&dst) else { return };
        if search.tries > most {
            self.searches.remove(&dst);
            self.counters.discoveries_failed += 1;
            out.push(RoutingAction::Note(RoutingNote::DiscoveryFailed { dst }));
            while let Some(parcel) = self.buffer.pop(dst) {
                self.drop_packet(parcel.id, DropReason::NoRoute, out);
            }
            return;
        }
        let wait = (first * (1 << search.tries.min(20))).min(longest);
        search.tries += 1;
        search.nonpropagating = false;
        search.last_at = now;
        search.until = now + wait;
        self.send_request(now, dst, self.config.discovery_hop_limit, out);
        self.stale_timer = true;
    }

    /// ns-2: a packet needs a route to `dst`; sends the requests that are due. Returns false if a packet of
    /// another node has used up its request and should be dropped.
    pub(super) fn ask_ns2(&mut self, now: SimTime, dst: NodeId, own: bool, out: Out) -> bool {
        let (first, longest) = (self.config.request_period, self.config.max_request_period);
        let nonpropagating = self.config.nonpropagating;
        let hop_limit = self.config.discovery_hop_limit;
        let fresh = !self.searches.contains_key(&dst);
        let search = self.searches.entry(dst).or_insert(Search {
            began_at: now,
            last_at: now,
            tries: 0,
            nonpropagating: false,
            until: SimTime::NEVER,
        });
        let wait = (first * (1u64 << (2 * search.tries))).min(longest);
        if fresh || now >= search.last_at + wait {
            search.tries = (search.tries + 1).min(NS2_MOST_TRIES);
            search.last_at = now;
            if !own && search.tries > NS2_SALVAGE_REQUESTS {
                return false;
            }
            search.nonpropagating = nonpropagating;
            self.counters.discoveries += u64::from(fresh);
            self.send_request(now, dst, if nonpropagating { 1 } else { hop_limit }, out);
        } else if own
            && search.nonpropagating
            && now.since(search.last_at) > self.config.nonprop_request_timeout
        {
            search.nonpropagating = false;
            self.send_request(now, dst, hop_limit, out);
        }
        true
    }

    fn send_request(&mut self, now: SimTime, target: NodeId, ttl: u8, out: Out) {
        let id = self.next_request_id;
        self.next_request_id = id.wrapping_add(1);
        let request = RouteRequest { id, target, addresses: Addresses::new() };
        let mut header = DsrHeader { request: Some(request), ..DsrHeader::default() };
        if let Some((at, error)) = self.held_error {
            if now.since(at) < self.config.error_hold {
                header.errors.push(error);
            }
            // At least one request must reach beyond the neighbours.
            if ttl > 1 {
                self.held_error = None;
            }
        }
        let delay = self.jitter();
        self.emit(header, NodeId::BROADCAST, ttl, NodeId::BROADCAST, delay, out);
    }

    /// The discovery for `dst` has succeeded.
    pub(super) fn end_search(&mut self, now: SimTime, dst: NodeId, hops: usize, out: Out) {
        if let Some(search) = self.searches.remove(&dst) {
            let discovery_time = now.since(search.began_at);
            let hops = u8::try_from(hops).unwrap_or(u8::MAX);
            out.push(RoutingAction::Note(RoutingNote::RouteFound { dst, hops, discovery_time }));
            self.stale_timer = true;
        }
    }

    /// A request of another node; its errors have been processed.
    pub(super) fn on_request(&mut self, now: SimTime, packet: &Packet, header: &DsrHeader, out: Out) {
        let Some(request) = &header.request else { return };
        if packet.src == self.node || request.addresses.contains(&self.node) {
            return;
        }
        let mut back: Addresses =
            std::iter::once(packet.src).chain(request.addresses.iter().copied()).collect();
        back.reverse();
        let most = usize::from(self.config.max_route_hops);
        if request.target == self.node {
            let copy = self.seen.note(packet.src, request.id);
            if back.len() <= most && (self.config.reply_to_copies || !copy) {
                self.learn(now, &back, Found::Wanted);
                let delay = self.jitter();
                self.reply(request, &[], &back, delay, out);
            }
            return;
        }
        if self.seen.note(packet.src, request.id) {
            return;
        }
        if self.config.learn_from_requests {
            self.learn(now, &back, Found::Overheard);
        }
        let asked_alone = packet.ttl <= 1 && request.addresses.is_empty();
        let may_answer = self.config.reply_from_cache && (asked_alone || self.config.reply_to_propagating);
        if may_answer && self.reply_from_cache(now, request, &back, out) {
            return;
        }
        if packet.ttl <= 1 || back.len() >= most {
            return;
        }
        let mut relayed = header.clone();
        if let Some(r) = &mut relayed.request {
            r.addresses.push(self.node);
        }
        let delay = self.jitter();
        let packet = self.control(packet.src, NodeId::BROADCAST, packet.ttl - 1, relayed);
        out.push(RoutingAction::Originate { packet: Box::new(packet), next_hop: NodeId::BROADCAST, delay });
    }

    fn reply_from_cache(&mut self, now: SimTime, request: &RouteRequest, back: &[NodeId], out: Out) -> bool {
        let Some(rest) = self.cache.find(now, request.target, Found::Overheard) else { return false };
        let disjoint = !rest.iter().any(|n| back.contains(n));
        if !disjoint || back.len() + rest.len() > usize::from(self.config.max_route_hops) {
            return false;
        }
        // Nodes with shorter routes answer earlier (§3.3.2).
        let steps = (back.len() + rest.len() - 1) as f64 + self.rng.unit();
        let delay = self.config.reply_holdoff.mul_f64(steps);
        self.learn(now, back, Found::Wanted);
        self.counters.cached_replies += 1;
        self.reply(request, &rest, back, delay, out);
        true
    }

    /// Sends a reply with the path of the request, this node, and `rest`.
    fn reply(
        &mut self,
        request: &RouteRequest,
        rest: &[NodeId],
        back: &[NodeId],
        delay: SimDuration,
        out: Out,
    ) {
        let mut addresses = request.addresses.clone();
        addresses.push(self.node);
        addresses.extend_from_slice(rest);
        let header = DsrHeader { replies: vec![RouteReply { addresses }], ..DsrHeader::default() };
        self.originate(header, back, delay, out);
    }

    /// ns-2: searches routes for all buffered packets.
    pub(super) fn poll(&mut self, now: SimTime, out: Out) {
        debug_assert!(self.config.requests == RequestPattern::Ns2);
        self.release(now, SimDuration::ZERO, out);
        let mut at = 0;
        while let Some(waiting) = self.buffer.look(at) {
            let (dst, own) = (waiting.dst, waiting.src == self.node);
            if self.ask_ns2(now, dst, own, out) {
                at += 1;
            } else if let Some(parcel) = self.buffer.remove(at) {
                self.drop_packet(parcel.id, DropReason::NoRoute, out);
            }
        }
        self.next_poll = if self.buffer.is_empty() { SimTime::NEVER } else { self.poll_after(now) };
        self.stale_timer = true;
    }
}
