//! Processing and relaying messages (RFC 3626 §3.4, §5.4, §7.1, §8, §9.5, §12.5).

use super::hysteresis::{LinkChange, Quality};
use super::links::Change;
use super::{Olsr, Out};
use crate::{DropReason, Malformed, RoutingAction, RoutingNote};
use tworay_base::{NodeId, PacketId, SimTime};
use tworay_wire::olsr::{LinkType, NeighbourType, OlsrBody, OlsrHello, OlsrMessage, OlsrPacket, OlsrTc};

/// Link codes above this are undefined and are skipped (§6.1.1).
const LAST_CODE: u8 = 15;

impl Olsr {
    pub(super) fn on_packet(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &OlsrPacket,
        from: NodeId,
        out: Out,
    ) {
        if packet.messages.is_empty() {
            return self.refuse(id, from, Malformed::EmptyList, out);
        }
        if from.is_broadcast() {
            return self.refuse(id, from, Malformed::BroadcastAddress, out);
        }
        if from == self.node {
            return self.refuse(id, from, Malformed::OwnAddress, out);
        }
        self.count_packet(now, from, packet.seq, out);
        let mut good = false;
        for message in &packet.messages {
            match self.on_message(now, message, from, out) {
                Ok(()) => good = true,
                Err(what) => self.report_malformed(from, what, out),
            }
        }
        if good {
            out.push(RoutingAction::Consume { packet: id });
        } else {
            self.drop_packet(id, DropReason::Malformed, out);
        }
        self.finish(now, out);
    }

    /// Every packet counts as a sign of life for links with hysteresis.
    fn count_packet(&mut self, now: SimTime, from: NodeId, seq: u16, out: Out) {
        let hold = self.config.neighbour_hold_time;
        let Some(link) = self.links.get_mut(from) else { return };
        let Some(quality) = &mut link.quality else { return };
        match quality.heard(now, seq) {
            LinkChange::Good => link.lost_until = SimTime::ZERO,
            LinkChange::Same => {}
            LinkChange::Bad => link.lost_until = link.kept_until.min(now + hold),
        }
        let until = if link.lost_until > now { link.lost_until } else { SimTime::NEVER };
        let silent_at = quality.silent_at;
        self.note_expiry(until.min(silent_at));
        self.settle_link(now, from, out);
    }

    fn on_message(
        &mut self,
        now: SimTime,
        message: &OlsrMessage,
        from: NodeId,
        out: Out,
    ) -> Result<(), Malformed> {
        if message.originator.is_broadcast() {
            return Err(Malformed::BroadcastAddress);
        }
        if message.ttl == 0 || u16::from(message.ttl) + u16::from(message.hop_count) > 255 {
            return Err(Malformed::HopCount);
        }
        if let OlsrBody::Hello(hello) = &message.body {
            return self.on_hello(now, message, hello, from, out);
        }
        // A relay repeating this node's own message is normal.
        if message.originator == self.node || !self.links.get(from).is_some_and(|l| l.symmetric) {
            return Ok(());
        }
        check_addresses(&message.body)?;
        if !self.duplicates.first(now, message.originator, message.seq) {
            return Ok(());
        }
        let hold = message.vtime.time();
        match &message.body {
            OlsrBody::Tc(tc) => self.on_tc(now, message, tc),
            OlsrBody::Mid(addresses) => {
                for &address in addresses.iter().filter(|a| **a != self.node) {
                    let news = self.associations.learn_address(now, message.originator, address, hold);
                    self.stale_routes |= news;
                }
                self.note_expiry(now + hold);
            }
            OlsrBody::Hna(networks) => {
                for &network in networks {
                    self.associations.learn_network(now, message.originator, network, hold);
                }
                self.note_expiry(now + hold);
            }
            OlsrBody::Hello(_) | OlsrBody::Other { .. } => {}
        }
        self.relay(now, message, from);
        Ok(())
    }

    /// Default forwarding (§3.4.1) of a message that was received for the first time.
    fn relay(&mut self, now: SimTime, message: &OlsrMessage, from: NodeId) {
        let chosen = self.links.get(from).is_some_and(|l| l.symmetric && l.selector_until > now);
        if chosen && message.ttl > 1 {
            let mut copy = message.clone();
            copy.ttl -= 1;
            copy.hop_count += 1;
            let due = now + self.rng.jitter(self.config.max_jitter);
            self.counters.relayed += 1;
            self.outbox.push((due, copy));
        }
    }

    fn on_tc(&mut self, now: SimTime, message: &OlsrMessage, tc: &OlsrTc) {
        let hold = message.vtime.time();
        let associations = &self.associations;
        let advertised = tc.advertised.iter().map(|a| associations.main(*a));
        self.stale_routes |= self.topology.learn(now, message.originator, tc.ansn, advertised, hold);
        self.note_expiry(now + hold);
    }

    fn on_hello(
        &mut self,
        now: SimTime,
        message: &OlsrMessage,
        hello: &OlsrHello,
        from: NodeId,
        out: Out,
    ) -> Result<(), Malformed> {
        let main = message.originator;
        if main == self.node {
            return Err(Malformed::OwnAddress);
        }
        if message.hop_count != 0 {
            return Err(Malformed::HopCount);
        }
        if from != main && self.associations.main(from) != main {
            return Err(Malformed::ForeignSender);
        }
        if hello.willingness > 7 {
            return Err(Malformed::FieldRange);
        }
        let known = || hello.links.iter().filter(|g| g.code.0 <= LAST_CODE);
        for group in known() {
            if group.code.parts().is_none() {
                return Err(Malformed::FieldRange);
            }
            if group.neighbours.iter().any(|n| n.is_broadcast()) {
                return Err(Malformed::BroadcastAddress);
            }
        }
        let groups = || known().filter_map(|g| g.code.parts().map(|(l, n)| (l, n, &g.neighbours)));

        let until = now + message.vtime.time();
        let hold = self.config.neighbour_hold_time;
        let (node, config, associations) = (self.node, &self.config, &self.associations);
        let mut change = Change::default();
        // The link itself (§7.1.1).
        let link = self.links.entry(from, main, |link| link.quality = Quality::new(config));
        link.main = main;
        link.heard_until = until;
        for (kind, neighbour, _) in groups().filter(|(_, _, list)| list.contains(&node)) {
            match kind {
                LinkType::Lost => link.both_ways_until = SimTime::ZERO,
                LinkType::Symmetric | LinkType::Asymmetric => {
                    link.both_ways_until = until;
                    link.kept_until = until + hold;
                }
                LinkType::Unspecified => {}
            }
            if neighbour == NeighbourType::Mpr {
                change.selectors |= link.selector_until == SimTime::ZERO;
                link.selector_until = until;
            }
        }
        link.kept_until = link.kept_until.max(until);
        if let Some(quality) = &mut link.quality {
            quality.expect(now, hello.htime.time());
        }
        if link.willingness != hello.willingness {
            link.willingness = hello.willingness;
            change.neighbourhood = true;
        }
        let mut lost = false;
        change |= link.settle(now, hold, &mut |_| lost = true);
        // The neighbour's neighbours (§8.2.1).
        if link.symmetric {
            for (_, neighbour, list) in groups() {
                let others = list.iter().filter(|a| **a != node).map(|a| associations.main(*a));
                change.neighbourhood |= match neighbour {
                    NeighbourType::Not => others.fold(false, |gone, far| gone | link.forget_reach(far)),
                    NeighbourType::Symmetric | NeighbourType::Mpr => link.learn_reaches(others, until),
                };
            }
        }
        let silent_at = link.quality.as_ref().map_or(SimTime::NEVER, |q| q.silent_at);
        self.note_expiry(until.min(silent_at));
        if lost {
            self.report_lost(from, out);
        }
        self.apply_change(now, change);
        Ok(())
    }

    fn report_malformed(&mut self, from: NodeId, what: Malformed, out: Out) {
        self.counters.malformed[what as usize] += 1;
        out.push(RoutingAction::Note(RoutingNote::Malformed { from, what }));
    }

    pub(super) fn refuse(&mut self, packet: PacketId, from: NodeId, what: Malformed, out: Out) {
        self.report_malformed(from, what, out);
        self.drop_packet(packet, DropReason::Malformed, out);
    }
}

/// A TC may be empty (§9.3), but no list may contain the broadcast address.
fn check_addresses(body: &OlsrBody) -> Result<(), Malformed> {
    let addresses: &[NodeId] = match body {
        OlsrBody::Tc(tc) => &tc.advertised,
        OlsrBody::Mid(addresses) => addresses,
        _ => &[],
    };
    if addresses.iter().any(|a| a.is_broadcast()) { Err(Malformed::BroadcastAddress) } else { Ok(()) }
}
