//! Route requests: sending, relaying and answering (RFC 3561 §6.3 to §6.6).

use super::discovery::Step;
use super::errors::lose;
use super::table::{Number, Offer, Route, State};
use super::{Aodv, LocalRepair, Out, OwnSequence, ReplyLifetime, Requests, Search, Upkeep};
use crate::{DropReason, Malformed, RoutingAction, RoutingNote};
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::Packet;
use tworay_wire::aodv::{AodvMessage, Rrep, Rreq};

impl Aodv {
    /// A packet is buffered for `dst`: starts a discovery, unless one is in progress or has failed recently.
    pub(super) fn request(&mut self, now: SimTime, dst: NodeId, out: Out) {
        if self.table.up(now, dst).is_some() {
            return;
        }
        let waits = match self.config.requests {
            Requests::Rfc3561 if self.config.upkeep == Upkeep::Exact => self.searches.contains_key(&dst),
            Requests::Rfc3561 | Requests::Ns2 => self.searches.get(&dst).is_some_and(|s| s.until > now),
        };
        if !waits {
            self.advance(now, dst, out);
        }
    }

    /// Takes the next step of the discovery for `dst`.
    pub(super) fn advance(&mut self, now: SimTime, dst: NodeId, out: Out) {
        let last_hops = self.table.entry(now, dst).last_hops;
        let search = self.searches.entry(dst).or_insert_with(|| Search::new(now));
        if search.resting {
            search.resting = false;
            search.began_at = now;
            self.counters.discoveries += 1;
        }
        let mut before = search.clone();
        match search.step(&self.config, last_hops) {
            Step::Ask { ttl, wait } => {
                if let Err(free) = self.rreq_limiter.take(now) {
                    // Not sent because of the rate limit: the discovery keeps its state until the limit
                    // allows a request.
                    self.counters.rreq_held_back += 1;
                    before.until = free;
                    self.searches.insert(dst, before);
                    self.stale_timer = true;
                } else {
                    self.send_request(now, dst, ttl, wait, out);
                }
            }
            Step::GiveUp => self.give_up(now, dst, out),
        }
    }

    /// Sends one request with this hop limit if the rate limit allows; the wait begins in any case.
    pub(super) fn ask(&mut self, now: SimTime, dst: NodeId, ttl: u8, wait: SimDuration, out: Out) {
        if let Err(free) = self.rreq_limiter.take(now) {
            self.counters.rreq_held_back += 1;
            if let Some(search) = self.searches.get_mut(&dst) {
                search.until = free;
                search.last_ttl = ttl;
                self.stale_timer = true;
            }
            return;
        }
        self.send_request(now, dst, ttl, wait, out);
    }

    fn send_request(&mut self, now: SimTime, dst: NodeId, ttl: u8, wait: SimDuration, out: Out) {
        if let Some(search) = self.searches.get_mut(&dst) {
            search.resting = false;
            search.asked_at = now;
            search.until = now + wait;
            search.last_ttl = ttl;
        }
        self.stale_timer = true;
        self.step_seq();
        let route = self.table.entry(now, dst);
        if route.state == State::Repair && self.config.local_repair == LocalRepair::Ns2 {
            route.expire = SimTime::ZERO;
        }
        let rreq = Rreq {
            gratuitous: self.config.gratuitous_rrep,
            destination_only: self.config.destination_only,
            unknown_seq: !route.seq_seen,
            hop_count: 0,
            id: self.next_rreq_id,
            dst,
            dst_seq: route.seq,
            orig: self.node,
            orig_seq: self.seq,
        };
        self.next_rreq_id = self.next_rreq_id.wrapping_add(1);
        self.emit(now, AodvMessage::Rreq(rreq), NodeId::BROADCAST, ttl, SimDuration::ZERO, out);
    }

    /// The discovery failed: drops the buffered packets and reports a failed repair.
    fn give_up(&mut self, now: SimTime, dst: NodeId, out: Out) {
        self.counters.discoveries_failed += 1;
        out.push(RoutingAction::Note(RoutingNote::DiscoveryFailed { dst }));
        if self.config.requests == Requests::Ns2 {
            if let Some(search) = self.searches.get_mut(&dst) {
                search.until = now + self.config.max_rreq_timeout;
                search.resting = true;
            }
        } else {
            self.searches.remove(&dst);
        }
        // ns-2 keeps the route under repair until the repair's own deadline.
        if self.config.local_repair != LocalRepair::Ns2 || self.config.requests != Requests::Ns2 {
            let route = self.table.entry(now, dst);
            if route.state == State::Repair {
                // The broken link of the repair.
                let link = (self.node, Some(route.next_hop));
                lose(route, now, dst, link, out);
                self.report_failed_repair(now, dst, out);
                // Packets generated here are buffered as well; they may still get a route.
                while let Some(id) = self.buffer.pop_transit(dst) {
                    self.drop_packet(id, DropReason::NoRoute, out);
                }
                self.stale_timer = true;
                if self.buffer.contains(dst) {
                    self.request(now, dst, out);
                }
                return;
            }
        }
        self.drop_waiting(dst, DropReason::NoRoute, out);
    }

    /// A route request was received.
    pub(super) fn on_request(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &Packet,
        rreq: &Rreq,
        from: NodeId,
        out: Out,
    ) {
        if let Err(what) = self.check_request(rreq, from) {
            return self.refuse(id, from, what, out);
        }
        out.push(RoutingAction::Consume { packet: id });
        if rreq.orig == self.node || self.blacklisted(now, from) {
            return;
        }
        self.learn_neighbour(now, from, out);
        if !self.seen.insert(now, rreq.orig, rreq.id) {
            return;
        }
        let hops = rreq.hop_count + 1;
        self.learn_reverse(now, rreq, hops, from, out);
        if rreq.dst == self.node {
            self.answer_as_destination(now, rreq, out);
        } else if !self.answer_from_table(now, rreq, hops, out) && packet.ttl > 1 {
            self.relay_request(now, rreq, hops, packet.ttl - 1, out);
        }
    }

    fn check_request(&self, rreq: &Rreq, from: NodeId) -> Result<(), Malformed> {
        if rreq.orig.is_broadcast() || rreq.dst.is_broadcast() || from.is_broadcast() {
            Err(Malformed::BroadcastAddress)
        } else if from == self.node {
            Err(Malformed::OwnAddress)
        } else if rreq.orig == rreq.dst {
            Err(Malformed::SameEnds)
        } else if rreq.hop_count >= u8::MAX - 1 || (rreq.hop_count == 0) != (rreq.orig == from) {
            Err(Malformed::HopCount)
        } else {
            Ok(())
        }
    }

    /// Learns the route back to the request's originator (§6.5).
    fn learn_reverse(&mut self, now: SimTime, rreq: &Rreq, hops: u8, from: NodeId, out: Out) {
        let life = if self.config.reverse_route_lifetime.is_zero() {
            let crossed = self.config.node_traversal_time * (2 * u64::from(hops));
            (self.config.net_traversal_time * 2).saturating_sub(crossed)
        } else {
            self.config.reverse_route_lifetime
        };
        let known = self.table.up(now, rreq.orig).map_or(SimTime::ZERO, |r| r.expire);
        let mut expire = known.max(now + life);
        let ns2_asking = self.config.requests == Requests::Ns2
            && self.searches.get(&rreq.orig).is_some_and(|s| s.until > SimTime::ZERO);
        if ns2_asking {
            // This node's own discovery uses the route, so it gets the lifetime of a forward route.
            expire = now + self.config.active_route_timeout;
        }
        let offer = Offer { dst: rreq.orig, seq: Some(rreq.orig_seq), hops, via: from, expire };
        if self.learn(now, offer, out) {
            if ns2_asking || self.config.requests == Requests::Rfc3561 {
                self.end_search(now, rreq.orig, hops, out);
            }
            self.release(now, rreq.orig, SimDuration::ZERO, SimDuration::ZERO, out);
        } else if let Some(route) = self.table.up(now, rreq.orig) {
            route.expire = route.expire.max(now + life);
        }
    }

    fn answer_as_destination(&mut self, now: SimTime, rreq: &Rreq, out: Out) {
        match self.config.own_sequence {
            OwnSequence::Rfc3561 if rreq.unknown_seq => {}
            // Each node on the path wrote the newest number it knows. If that equals this node's, a reply
            // with it would not count as newer and would be discarded, so the number is incremented.
            OwnSequence::Rfc3561 if rreq.dst_seq == self.seq => self.step_seq(),
            OwnSequence::Rfc3561 => self.seq = self.seq.max(rreq.dst_seq),
            OwnSequence::Even => {
                let next = self.seq.max(rreq.dst_seq).plus(1);
                self.seq = next.plus(next.0 % 2);
            }
        }
        let rrep = Rrep {
            ack_required: self.config.blacklist,
            hop_count: 0,
            dst: self.node,
            dst_seq: self.seq,
            orig: rreq.orig,
            lifetime: self.config.my_route_timeout,
        };
        self.send_reply(now, rrep, out);
    }

    /// Replies for a destination with a fresh route (§6.6.2); returns whether it did.
    fn answer_from_table(&mut self, now: SimTime, rreq: &Rreq, hops: u8, out: Out) -> bool {
        let ns2 = self.config.local_repair == LocalRepair::Ns2;
        let Some(route) = self.table.get(now, rreq.dst) else { return false };
        // ns-2 also replies from a route under repair.
        let usable = route.is_up() || ns2 && route.state == State::Repair;
        let fresh = route.number == Number::Valid && (rreq.unknown_seq || route.seq.ge(rreq.dst_seq));
        if !usable || !fresh || rreq.destination_only {
            return false;
        }
        let lifetime = reply_lifetime(self.config.reply_lifetime, route, now);
        let (route_hops, seq, next_hop) = (route.hops, route.seq, route.next_hop);
        let Some(back) = self.table.up(now, rreq.orig) else { return true };
        let back_hop = back.next_hop;
        let back_life = back.expire.since(now);
        back.add_precursor(next_hop);
        if let Some(route) = self.table.get(now, rreq.dst) {
            route.add_precursor(back_hop);
        }
        let rrep = Rrep {
            ack_required: self.config.blacklist,
            hop_count: route_hops,
            dst: rreq.dst,
            dst_seq: seq,
            orig: rreq.orig,
            lifetime,
        };
        self.send_reply(now, rrep, out);
        if rreq.gratuitous {
            let gratuitous = Rrep {
                ack_required: false,
                hop_count: hops,
                dst: rreq.orig,
                dst_seq: rreq.orig_seq,
                orig: rreq.dst,
                lifetime: back_life,
            };
            self.send_reply(now, gratuitous, out);
        }
        true
    }

    fn relay_request(&mut self, now: SimTime, rreq: &Rreq, hops: u8, ttl: u8, out: Out) {
        let mut relayed = rreq.clone();
        relayed.hop_count = hops;
        if let Some(route) = self.table.get(now, rreq.dst).filter(|r| r.seq_seen)
            && (rreq.unknown_seq || route.seq.gt(rreq.dst_seq))
        {
            relayed.dst_seq = route.seq;
            relayed.unknown_seq = false;
        }
        let delay = self.jitter();
        self.emit(now, AodvMessage::Rreq(relayed), NodeId::BROADCAST, ttl, delay, out);
    }
}

fn reply_lifetime(kind: ReplyLifetime, route: &Route, now: SimTime) -> SimDuration {
    match kind {
        ReplyLifetime::Remaining => route.expire.since(now),
        ReplyLifetime::WholeSeconds => {
            let left = route.expire.as_nanos() as i64 - now.as_nanos() as i64;
            // C's conversion of a double to an unsigned 32-bit number, as on x86-64.
            SimDuration::from_secs(u64::from((left / 1_000_000_000) as u32))
        }
    }
}
