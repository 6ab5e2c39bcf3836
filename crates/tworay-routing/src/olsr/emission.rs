//! Generating messages and sending packets (RFC 3626 §3.3, §6.2, §9.3).

use super::mpr::{Candidate, choose_relays};
use super::{Olsr, Out, TcRedundancy};
use crate::RoutingAction;
use std::collections::BTreeMap;
use tworay_base::{FlowId, NodeId, SimDuration, SimTime};
use tworay_wire::olsr::{LinkCode, LinkGroup, OlsrBody, OlsrHello, OlsrMessage, OlsrPacket, OlsrTc, Vtime};
use tworay_wire::{Body, Packet};

/// Bytes available to messages in a packet that fits into an Ethernet frame (RFC 3626 §3.3: below the MTU).
const ROOM: u32 = 1500 - 28 - OlsrPacket::HEADER;
/// Number of addresses that always fit into one message: HELLOs have at most six types of links.
const MOST: usize = (ROOM as usize - 12 - 4 - 6 * 4) / 4;

impl Olsr {
    /// Recomputes the relays if the neighbourhood has changed.
    pub(super) fn update_relays(&mut self, now: SimTime) {
        if !std::mem::take(&mut self.stale_relays) {
            return;
        }
        let mut candidates: Vec<Candidate> = Vec::new();
        for link in self.links.symmetric() {
            // A neighbour with several interfaces is one candidate.
            let at = candidates.binary_search_by_key(&link.main, |c| c.node).unwrap_or_else(|at| {
                let (node, willingness) = (link.main, link.willingness);
                candidates.insert(at, Candidate { node, willingness, reaches: Vec::new() });
                at
            });
            candidates[at].reaches.extend(link.reaches.iter().map(|(n, _)| *n));
        }
        let relays = choose_relays(self.node, &candidates, self.config.mpr_coverage);
        if relays != self.relays {
            self.relays = relays;
            if self.config.tc_redundancy == TcRedundancy::SelectorsAndRelays {
                self.advance_tc(now);
            }
        }
    }

    pub(super) fn send_hello(&mut self, now: SimTime) {
        self.update_relays(now);
        let mut groups: BTreeMap<LinkCode, Vec<NodeId>> = BTreeMap::new();
        for link in self.links.iter() {
            if let Some(code) = link.code(now, &self.relays) {
                groups.entry(code).or_default().push(link.iface);
            }
        }
        // Neighbours that do not fit into one message are spread over several.
        let mut parts: Vec<Vec<LinkGroup>> = vec![Vec::new()];
        let mut room = MOST;
        for (code, list) in groups {
            for chunk in list.chunks(MOST) {
                if chunk.len() > room {
                    parts.push(Vec::new());
                    room = MOST;
                }
                room -= chunk.len();
                if let Some(part) = parts.last_mut() {
                    part.push(LinkGroup { code, neighbours: chunk.to_vec() });
                }
            }
        }
        for links in parts {
            let hello = OlsrHello {
                htime: Vtime::covering(self.config.hello_interval),
                willingness: self.config.willingness,
                links,
            };
            self.originate(now, OlsrBody::Hello(hello));
        }
        self.next_hello = now + self.interval(self.config.hello_interval);
    }

    pub(super) fn send_topology(&mut self, now: SimTime) {
        self.update_relays(now);
        let mut advertised: Vec<NodeId> = match self.config.tc_redundancy {
            TcRedundancy::Selectors => self.links.selectors(now).collect(),
            TcRedundancy::SelectorsAndRelays => {
                self.links.selectors(now).chain(self.relays.iter().copied()).collect()
            }
            TcRedundancy::Neighbours => self.links.symmetric().map(|l| l.main).collect(),
        };
        advertised.sort_unstable();
        advertised.dedup();
        if advertised != self.advertised {
            self.ansn = self.ansn.wrapping_add(1);
            self.advertised = advertised;
        }
        // A node with nothing left to advertise says so until all its earlier messages have expired.
        if !self.advertised.is_empty() {
            self.silent_from = now + self.config.topology_hold_time;
        }
        if self.silent_from > now {
            let lists: Vec<Vec<NodeId>> = match self.advertised.as_slice() {
                [] => vec![Vec::new()],
                all => all.chunks(MOST).map(<[NodeId]>::to_vec).collect(),
            };
            for advertised in lists {
                self.originate(now, OlsrBody::Tc(OlsrTc { ansn: self.ansn, advertised }));
            }
            self.last_tc = Some(now);
        }
        self.next_tc = now + self.interval(self.config.tc_interval);
    }

    /// The contents of TC messages have changed: brings the next one forward if so configured.
    pub(super) fn advance_tc(&mut self, now: SimTime) {
        if self.config.immediate_tc {
            let earliest = self.last_tc.map_or(now, |last| now.max(last + self.config.immediate_tc_spacing));
            if self.next_tc > earliest {
                self.next_tc = earliest;
            }
        }
    }

    /// An interval, shortened by a random time so that nodes do not synchronise (§3.5).
    fn interval(&mut self, interval: SimDuration) -> SimDuration {
        interval.saturating_sub(self.rng.jitter(self.config.max_jitter))
    }

    /// Queues a message of this node to be sent now.
    fn originate(&mut self, now: SimTime, body: OlsrBody) {
        let (hold, ttl) = match &body {
            OlsrBody::Hello(_) => (self.config.neighbour_hold_time, 1),
            _ => {
                self.counters.tc_originated += 1;
                (self.config.topology_hold_time, 255)
            }
        };
        let message = OlsrMessage {
            vtime: Vtime::covering(hold),
            originator: self.node,
            ttl,
            hop_count: 0,
            seq: self.message_seq,
            body,
        };
        self.message_seq = self.message_seq.wrapping_add(1);
        self.outbox.push((now, message));
    }

    /// When the next queued message must be sent.
    pub(super) fn outbox_due(&self) -> SimTime {
        self.outbox.iter().map(|(due, _)| *due).min().unwrap_or(SimTime::NEVER)
    }

    /// Sends what is due and, with bundling, everything else with it.
    pub(super) fn flush(&mut self, now: SimTime, out: Out) {
        let mut load: Vec<OlsrMessage> = Vec::new();
        let mut bytes = 0;
        for (due, message) in std::mem::take(&mut self.outbox) {
            if due > now && !self.config.bundling {
                self.outbox.push((due, message));
                continue;
            }
            let full = !load.is_empty() && (!self.config.bundling || bytes + message.wire_bytes() > ROOM);
            if full {
                self.send_packet(std::mem::take(&mut load), out);
                bytes = 0;
            }
            bytes += message.wire_bytes();
            load.push(message);
        }
        if !load.is_empty() {
            self.send_packet(load, out);
        }
    }

    fn send_packet(&mut self, messages: Vec<OlsrMessage>, out: Out) {
        let packet = OlsrPacket { seq: self.packet_seq, messages };
        self.packet_seq = self.packet_seq.wrapping_add(1);
        let ip_bytes = packet.ip_bytes();
        let hello = packet.messages.iter().any(|m| matches!(m.body, OlsrBody::Hello(_)));
        let count = if hello { &mut self.counters.hello } else { &mut self.counters.tc };
        count.add(ip_bytes);
        let packet = Packet {
            uid: 0,
            src: self.node,
            dst: NodeId::BROADCAST,
            ttl: 1,
            hops: 0,
            ip_bytes,
            flow: FlowId::NONE,
            dsr: None,
            body: Body::Olsr(Box::new(packet)),
        };
        let next_hop = NodeId::BROADCAST;
        out.push(RoutingAction::Originate { packet: Box::new(packet), next_hop, delay: SimDuration::ZERO });
    }
}
