//! Neighbours: HELLOs, timeouts, acknowledgments and the blacklist (RFC 3561 §6.8 to §6.10).

use super::table::Offer;
use super::{Aodv, Hello, Out};
use crate::{Malformed, RoutingAction};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_wire::aodv::{AodvMessage, Rrep};

/// State about neighbours.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    /// Neighbours that have sent a HELLO, with the time they were last heard.
    heard: BTreeMap<NodeId, SimTime>,
    /// Neighbours that must acknowledge a reply, with the deadline.
    unacknowledged: Vec<(NodeId, SimTime)>,
    /// Neighbours that do not receive from this node, with the time until which their requests are ignored.
    blacklisted: BTreeMap<NodeId, SimTime>,
}

impl Neighbours {
    pub(crate) fn forget(&mut self, neighbour: NodeId) {
        self.heard.remove(&neighbour);
    }

    /// A neighbour that has sent a HELLO was heard.
    #[inline]
    pub(crate) fn heard_again(&mut self, neighbour: NodeId, now: SimTime) {
        // The timer stays as it is: when it expires, the new time is taken into account.
        if let Some(last) = self.heard.get_mut(&neighbour) {
            *last = now;
        }
    }

    pub(crate) fn expect_ack(&mut self, neighbour: NodeId, deadline: SimTime) {
        if !self.unacknowledged.iter().any(|(n, _)| *n == neighbour) {
            self.unacknowledged.push((neighbour, deadline));
        }
    }

    pub(crate) fn acknowledged(&mut self, neighbour: NodeId) {
        self.unacknowledged.retain(|(n, _)| *n != neighbour);
    }

    /// The next deadline; `allowed_silence` is the silence allowed.
    pub(crate) fn deadline(&self, allowed_silence: SimDuration) -> SimTime {
        let silent = self.heard.values().map(|t| *t + allowed_silence).min().unwrap_or(SimTime::NEVER);
        let unacknowledged = self.unacknowledged.iter().map(|(_, t)| *t).min().unwrap_or(SimTime::NEVER);
        silent.min(unacknowledged)
    }
}

impl Aodv {
    pub(super) fn allowed_silence(&self) -> SimDuration {
        self.config.hello_interval * u64::from(self.config.allowed_hello_loss)
    }

    /// Learns the direct route to the sender of a message (§6.5).
    pub(super) fn learn_neighbour(&mut self, now: SimTime, from: NodeId, out: Out) {
        if !self.config.neighbour_routes {
            return;
        }
        let expire = now + self.config.active_route_timeout;
        let offer = Offer { dst: from, seq: None, hops: 1, via: from, expire };
        if self.learn(now, offer, out) {
            self.end_search(now, from, 1, out);
            self.release(now, from, SimDuration::ZERO, SimDuration::ZERO, out);
        } else if let Some(route) = self.table.up(now, from) {
            route.expire = route.expire.max(expire);
        }
    }

    pub(super) fn on_hello(&mut self, now: SimTime, id: PacketId, rrep: &Rrep, from: NodeId, out: Out) {
        if from.is_broadcast() || rrep.dst.is_broadcast() {
            return self.refuse(id, from, Malformed::BroadcastAddress, out);
        }
        if from == self.node {
            return self.refuse(id, from, Malformed::OwnAddress, out);
        }
        if rrep.dst != from || rrep.hop_count != 0 {
            return self.refuse(id, from, Malformed::HopCount, out);
        }
        if self.config.hello != Hello::Off {
            self.neighbours.heard.insert(from, now);
            self.stale_timer = true;
        }
        if self.config.neighbour_routes {
            let life = self.allowed_silence().max(rrep.lifetime.min(SimDuration::MAX));
            let expire = self.table.up(now, from).map_or(SimTime::ZERO, |r| r.expire).max(now + life);
            let offer = Offer { dst: from, seq: Some(rrep.dst_seq), hops: 1, via: from, expire };
            // The route is made in any case (§6.9), if need be without the number: after a break, the
            // neighbour's own number may be older than the one kept here.
            if self.learn(now, offer, out) || self.learn(now, Offer { seq: None, ..offer }, out) {
                self.end_search(now, from, 1, out);
                self.release(now, from, SimDuration::ZERO, SimDuration::ZERO, out);
            } else if let Some(route) = self.table.up(now, from) {
                route.expire = expire;
            }
        }
        out.push(RoutingAction::Consume { packet: id });
    }

    /// Sends a HELLO if one is due.
    pub(super) fn send_hello(&mut self, now: SimTime, out: Out) {
        let interval = self.config.hello_interval;
        let due = match self.config.hello {
            Hello::Off => false,
            Hello::Always => true,
            Hello::ActiveRoutes => {
                // Another broadcast within the last interval has the same effect.
                let quiet = now.since(self.last_broadcast) >= interval;
                let mut used = false;
                if quiet {
                    self.table.settle(now, |_, route| used |= route.is_up());
                }
                used
            }
        };
        if due {
            let hello = Rrep {
                ack_required: false,
                hop_count: 0,
                dst: self.node,
                dst_seq: self.seq,
                orig: self.node,
                lifetime: self.allowed_silence(),
            };
            self.emit(now, AodvMessage::Rrep(hello), NodeId::BROADCAST, 1, SimDuration::ZERO, out);
        }
        let jitter = self.config.hello_jitter;
        let shift = self.rng.jitter(jitter * 2);
        self.next_hello = now + (interval + shift).saturating_sub(jitter);
    }

    /// Removes neighbours that were silent for too long; blacklists those that did not acknowledge.
    pub(super) fn check_neighbours(&mut self, now: SimTime, out: Out) {
        let allowed_silence = self.allowed_silence();
        let silent: SmallVec<[NodeId; 8]> = self
            .neighbours
            .heard
            .iter()
            .filter(|(_, t)| **t + allowed_silence <= now)
            .map(|(n, _)| *n)
            .collect();
        for neighbour in silent {
            self.purge_queue(neighbour, out);
            self.break_link(now, neighbour, None, out);
        }
        let late: SmallVec<[NodeId; 8]> =
            self.neighbours.unacknowledged.iter().filter(|(_, t)| *t <= now).map(|(n, _)| *n).collect();
        for neighbour in late {
            self.neighbours.acknowledged(neighbour);
            self.add_to_blacklist(now, neighbour);
        }
    }

    /// The neighbour does not receive from this node: its requests are ignored for a while.
    pub(super) fn add_to_blacklist(&mut self, now: SimTime, neighbour: NodeId) {
        self.neighbours.blacklisted.insert(neighbour, now + self.config.blacklist_timeout);
    }

    pub(super) fn blacklisted(&mut self, now: SimTime, neighbour: NodeId) -> bool {
        match self.neighbours.blacklisted.get(&neighbour) {
            Some(&until) if until > now => true,
            Some(_) => {
                self.neighbours.blacklisted.remove(&neighbour);
                false
            }
            None => false,
        }
    }

    /// Sets the timer to the next deadline, if that has changed.
    pub(super) fn arm(&mut self, out: Out) {
        if !self.stale_timer {
            debug_assert!(self.armed <= self.next_deadline(), "a deadline has changed without the timer");
            return;
        }
        self.stale_timer = false;
        let next = self.next_deadline();
        if next != self.armed {
            self.armed = next;
            out.push(RoutingAction::WakeAt(next));
        }
    }
}
