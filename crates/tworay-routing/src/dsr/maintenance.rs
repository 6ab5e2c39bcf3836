//! Route maintenance without link-layer feedback: passive and network-layer acknowledgments, and the buffer
//! of packets that the next hop has not confirmed (RFC 4728 §8.3.1 to §8.3.3).

use super::parcel::Parcel;
use super::{Dsr, Out};
use crate::RoutingAction;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_wire::Packet;
use tworay_wire::dsr::{Ack, AckRequest, DsrHeader};

/// The expected confirmation of a packet by its next hop.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Proof {
    /// By forwarding it; attempts left.
    Passive { left: u8 },
    /// By an acknowledgment; attempts left.
    Asked { left: u8, id: u16 },
    /// Not by itself: the link was confirmed recently, or an earlier packet is testing it. The next
    /// confirmation of a later packet covers this one too.
    Riding,
}

/// A packet of which a copy was sent to the next hop.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub parcel: Parcel,
    next_hop: NodeId,
    proof: Proof,
    sent_at: SimTime,
    deadline: SimTime,
}

impl Dsr {
    /// Sends a packet to the next hop of its header; waits for its confirmation if there is no link-layer
    /// feedback.
    pub(super) fn transmit(
        &mut self,
        now: SimTime,
        parcel: Parcel,
        next_hop: NodeId,
        delay: SimDuration,
        out: Out,
    ) {
        let watched = self.config.watches() && self.held.len() < self.config.rexmt_buffer_packets as usize;
        match self.proof(now, &parcel, next_hop).filter(|_| watched) {
            None => {
                let header = Some(Box::new(parcel.header));
                out.push(RoutingAction::SetHeader { packet: parcel.id, header });
                out.push(RoutingAction::Forward { packet: parcel.id, next_hop, delay });
            }
            Some(proof) => {
                let deadline = now + self.time_for(proof);
                self.held.push_back(Held { parcel, next_hop, proof, sent_at: now, deadline });
                self.send_held(self.held.len() - 1, out);
            }
        }
    }

    /// True if this packet, on this route, is waiting for confirmation.
    pub(super) fn is_held(&self, parcel: &Parcel) -> bool {
        let route = &parcel.header.source_route;
        self.held.iter().any(|h| h.parcel.uid == parcel.uid && h.parcel.header.source_route == *route)
    }

    fn proof(&mut self, now: SimTime, parcel: &Parcel, next_hop: NodeId) -> Option<Proof> {
        let passive = self.config.passive_acks && next_hop != parcel.dst;
        if !passive && !self.config.network_acks {
            return None;
        }
        // One request at a time: the link is tested, not each packet.
        let fresh = |at: &SimTime| now.since(*at) < self.config.maint_holdoff;
        let tested = self.held.iter().any(|h| h.next_hop == next_hop && h.proof != Proof::Riding);
        if tested || self.confirmed.get(&next_hop).is_some_and(fresh) {
            return Some(Proof::Riding);
        }
        Some(if passive { Proof::Passive { left: self.config.try_passive_acks } } else { self.ask() })
    }

    fn ask(&mut self) -> Proof {
        let id = self.next_ack_id;
        self.next_ack_id = id.wrapping_add(1);
        Proof::Asked { left: self.config.max_maint_rexmt, id }
    }

    fn time_for(&self, proof: Proof) -> SimDuration {
        match proof {
            Proof::Passive { .. } => self.config.passive_ack_timeout,
            Proof::Asked { .. } => self.config.ack_timeout,
            // Long enough for a later packet to test the link.
            Proof::Riding => {
                self.config.maint_holdoff
                    + self.config.ack_timeout * (u64::from(self.config.max_maint_rexmt) + 2)
            }
        }
    }

    fn send_held(&mut self, at: usize, out: Out) {
        let Some(held) = self.held.get(at) else { return };
        let mut header = held.parcel.header.clone();
        header.ack_request = match held.proof {
            Proof::Asked { id, .. } => Some(AckRequest { id }),
            _ => None,
        };
        out.push(RoutingAction::SetHeader { packet: held.parcel.id, header: Some(Box::new(header)) });
        out.push(RoutingAction::SendCopy { packet: held.parcel.id, next_hop: held.next_hop });
        self.stale_timer = true;
    }

    /// Answers a request for acknowledgment.
    pub(super) fn acknowledge(&mut self, request: AckRequest, from: NodeId, out: Out) {
        let ack = Ack { id: request.id, source: self.node, destination: from };
        let header = DsrHeader { acks: vec![ack], ..DsrHeader::default() };
        self.emit(header, from, 1, from, SimDuration::ZERO, out);
    }

    pub(super) fn heed_acks(&mut self, now: SimTime, header: &DsrHeader, out: Out) {
        let me = self.node;
        for ack in header.acks.iter().filter(|a| a.destination == me) {
            let at = self.held.iter().position(|h| {
                h.next_hop == ack.source && matches!(h.proof, Proof::Asked { id, .. } if id == ack.id)
            });
            if let Some(at) = at {
                self.confirm(now, at, out);
            }
        }
    }

    /// The next hop was overheard forwarding a packet: the same packet with fewer segments left.
    pub(super) fn confirm_passively(
        &mut self,
        now: SimTime,
        packet: &Packet,
        header: &DsrHeader,
        from: NodeId,
        out: Out,
    ) {
        let Some(route) = &header.source_route else { return };
        let at = self.held.iter().position(|h| {
            let left = h.parcel.header.source_route.as_ref().map_or(0, |r| r.segments_left);
            let salvaged = h.parcel.header.source_route.as_ref().map_or(0, |r| r.salvage);
            let onward = route.salvage > salvaged || route.segments_left < left;
            h.next_hop == from && h.parcel.uid == packet.uid && onward
        });
        if let Some(at) = at {
            self.confirm(now, at, out);
        }
    }

    /// The next hop has the packet, and so the earlier packets that depended on it.
    fn confirm(&mut self, now: SimTime, at: usize, out: Out) {
        let Some(held) = self.held.remove(at) else { return };
        self.confirmed.insert(held.next_hop, now);
        out.push(RoutingAction::Consume { packet: held.parcel.id });
        self.held.retain(|h| {
            let covered =
                h.proof == Proof::Riding && h.next_hop == held.next_hop && h.sent_at <= held.sent_at;
            if covered {
                out.push(RoutingAction::Consume { packet: h.parcel.id });
            }
            !covered
        });
        self.stale_timer = true;
    }

    /// Handles packets that were not confirmed in time: another attempt, another type of acknowledgment, or a
    /// broken link.
    pub(super) fn end_ack_waits(&mut self, now: SimTime, out: Out) {
        while let Some(at) = self.held.iter().position(|h| h.deadline <= now) {
            let proof = match self.held[at].proof {
                Proof::Riding => {
                    if let Some(h) = self.held.remove(at) {
                        out.push(RoutingAction::Consume { packet: h.parcel.id });
                    }
                    continue;
                }
                Proof::Passive { left: 0 } if self.config.network_acks => Some(self.ask()),
                Proof::Passive { left } => left.checked_sub(1).map(|left| Proof::Passive { left }),
                Proof::Asked { left, id } => left.checked_sub(1).map(|left| Proof::Asked { left, id }),
            };
            match proof {
                Some(proof) => {
                    self.held[at].proof = proof;
                    self.held[at].deadline = now + self.time_for(proof);
                    self.send_held(at, out);
                }
                None => self.lose_next_hop(now, self.held[at].next_hop, out),
            }
        }
    }

    /// The next hop has not answered: its link is broken, its packets are salvaged.
    fn lose_next_hop(&mut self, now: SimTime, next_hop: NodeId, out: Out) {
        self.confirmed.remove(&next_hop);
        self.break_link(now, next_hop, out);
        let (lost, kept): (Vec<Held>, Vec<Held>) =
            std::mem::take(&mut self.held).into_iter().partition(|h| h.next_hop == next_hop);
        self.held = kept.into();
        for held in lost {
            self.report(&held.parcel, next_hop, out);
            self.strand(now, held.parcel, next_hop, out);
        }
        self.stale_timer = true;
    }

    pub(super) fn next_ack_deadline(&self) -> SimTime {
        self.held.iter().map(|h| h.deadline).min().unwrap_or(SimTime::NEVER)
    }
}
