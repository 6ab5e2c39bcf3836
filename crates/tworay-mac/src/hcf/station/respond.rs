//! Frames received: answers to other stations, order of packets, virtual carrier sense.

use super::peer::{Arrival, Recipient};
use super::{ACK_BYTES, Exchange, Hcf, HcfAction, Host, Order};
use crate::hcf::{AirFrame, AirKind, AirPacket};
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_radio::phy::control_response;

impl Hcf {
    /// A frame was received; bit i of `good` says that its packet i was. A frame without packets was received well.
    /// `copy` makes a copy of a packet for this station, or says that it is lost above the MAC.
    pub fn on_frame(
        &mut self,
        now: SimTime,
        frame: &AirFrame,
        good: u64,
        host: &mut impl Host,
        copy: &mut dyn FnMut(PacketId) -> Option<PacketId>,
        out: &mut Vec<HcfAction>,
    ) {
        if frame.kind.has_packets() && good == 0 {
            return self.on_bad_frame(now);
        }
        self.edca.on_good_frame(now);
        let awaited = frame.to == self.node
            && match self.exchange {
                Exchange::AwaitCts => frame.kind == AirKind::Cts,
                Exchange::AwaitAnswer => matches!(frame.kind, AirKind::Ack | AirKind::BlockAck(_)),
                _ => true,
            };
        if !awaited && matches!(self.exchange, Exchange::AwaitCts | Exchange::AwaitAnswer) {
            // Any other good frame means that the attempt has failed (§10.3.2.11).
            self.unanswered(now, host, out);
        }
        if frame.to == self.node {
            match frame.kind {
                AirKind::Rts => self.on_rts(now, frame),
                AirKind::Cts => self.on_cts(now),
                AirKind::Ack => self.on_answer(now, None, host, out),
                AirKind::BlockAck(ack) => self.on_answer(now, Some(ack), host, out),
                AirKind::BlockAckReq(_) | AirKind::Data | AirKind::Aggregate => {
                    self.on_data(now, frame, good, copy, out);
                }
            }
        } else if frame.to.is_broadcast() {
            let packets = frame.packets.iter().map(|packet| packet.packet);
            out.extend(packets.map(|packet| HcfAction::Deliver { packet, from: frame.from }));
        } else if !frame.duration.is_zero() {
            self.reserve(now, frame);
        }
    }

    /// A frame for another station was decoded, at least in part. Returns false, and does nothing, if it ends an attempt of
    /// this station, so that [`Hcf::on_frame`] must be called.
    #[inline]
    pub fn on_overheard(&mut self, now: SimTime, frame: &AirFrame) -> bool {
        if matches!(self.exchange, Exchange::AwaitCts | Exchange::AwaitAnswer) {
            return false;
        }
        self.edca.on_good_frame(now);
        if !frame.duration.is_zero() {
            self.reserve(now, frame);
        }
        true
    }

    /// Sets the NAV.
    fn reserve(&mut self, now: SimTime, frame: &AirFrame) {
        let until = now + frame.duration;
        if until <= self.nav_until {
            return;
        }
        self.nav_until = until;
        if frame.kind == AirKind::Rts {
            let cts = control_response(frame.mode, &[self.config.basic]);
            let answered = self.timing.sifs * 2
                + self.airtime.frame(cts, ACK_BYTES)
                + self.airtime.header(cts)
                + self.timing.slot * 2;
            self.nav_check = now + answered;
        }
        self.edca.on_busy(now, until);
    }

    fn on_rts(&mut self, now: SimTime, frame: &AirFrame) {
        if !matches!(self.exchange, Exchange::None) || self.nav_until > now {
            self.counters.busy += 1;
            return;
        }
        let mode = control_response(frame.mode, &[self.config.basic]);
        let spent = self.timing.sifs + self.airtime.frame(mode, ACK_BYTES);
        let cts = self.control(AirKind::Cts, frame.from, mode, frame.duration.saturating_sub(spent));
        self.respond(now, cts);
    }

    fn respond(&mut self, now: SimTime, frame: AirFrame) {
        self.exchange = Exchange::RespondSoon(Box::new(frame));
        self.hold(now, now + self.timing.sifs);
    }

    pub(super) fn count_answer(&mut self, frame: &AirFrame) {
        *if frame.kind == AirKind::Cts { &mut self.counters.tx_cts } else { &mut self.counters.tx_ack } += 1;
    }

    fn on_data(
        &mut self,
        now: SimTime,
        frame: &AirFrame,
        good: u64,
        copy: &mut dyn FnMut(PacketId) -> Option<PacketId>,
        out: &mut Vec<HcfAction>,
    ) {
        let at = self.peer_of(frame.from, frame.category);
        let received = frame.packets.iter().enumerate().filter(|(i, _)| good >> i & 1 == 1).map(|(_, p)| p);
        let kind = if self.config.has_agreements() {
            let held = Self::collect(now, &mut self.peers[at].recipient, frame, received, copy);
            self.counters.duplicates += held.duplicates;
            let from = frame.from;
            out.extend(held.late.into_iter().map(|(packet, since)| HcfAction::TooLate {
                packet,
                from,
                since,
            }));
            hand_up(now, &held.released, from, out);
            let waits = self.peers[at].recipient.as_ref().is_some_and(|r| r.reorder.waiting() > 0);
            if waits && self.reorder_at == SimTime::NEVER {
                self.reorder_at = self.peers[at].recipient.as_ref().map_or(now, |r| r.reorder.deadline());
            }
            held.answer
        } else {
            for p in received {
                if self.peers[at].duplicates.is_duplicate(frame.from, p.number.get(), p.retry) {
                    self.counters.duplicates += 1;
                } else {
                    out.push(HcfAction::Deliver { packet: p.packet, from: frame.from });
                }
            }
            AirKind::Ack
        };
        if !matches!(self.exchange, Exchange::None) {
            // Only one response at a time; no frame fits into a SIFS.
            self.counters.busy += 1;
            return;
        }
        let mode = control_response(frame.mode, &[]);
        let mut answer = self.control(kind, frame.from, mode, SimDuration::ZERO);
        answer.category = frame.category;
        self.respond(now, answer);
    }

    /// The packets of a frame for this station that [`Hcf::on_frame`] will copy, if bit i of `good` says that packet
    /// i was received.
    pub fn fresh(&self, frame: &AirFrame, good: u64) -> Vec<PacketId> {
        let peer = self.peers.iter().find(|peer| peer.node == frame.from && peer.category == frame.category);
        let known = peer.and_then(|peer| peer.recipient.as_ref()).filter(|r| r.agreement == frame.agreement);
        let received = frame.packets.iter().enumerate().filter(|(i, _)| good >> i & 1 == 1).map(|(_, p)| p);
        let mut fresh = Vec::with_capacity(frame.packets.len());
        fresh.extend(received.filter(|p| known.is_none_or(|r| r.reorder.is_new(p.number))).map(|p| p.packet));
        fresh
    }

    /// Puts frames in order under an agreement.
    fn collect<'f>(
        now: SimTime,
        recipient: &mut Option<Box<Recipient>>,
        frame: &AirFrame,
        received: impl Iterator<Item = &'f AirPacket>,
        copy: &mut dyn FnMut(PacketId) -> Option<PacketId>,
    ) -> Collected {
        let fresh = || Box::new(Recipient::new(frame.agreement, frame.start));
        let recipient = recipient.get_or_insert_with(fresh);
        let mut released = Vec::with_capacity(frame.packets.len());
        if recipient.agreement != frame.agreement {
            // The sender was off meanwhile: what waits for its former frames goes on.
            recipient.reorder.flush(now, &mut released);
            *recipient = fresh();
        }
        let mut duplicates = 0;
        if let AirKind::BlockAckReq(start) = frame.kind {
            recipient.scoreboard.on_request(start);
            recipient.reorder.on_request(now, start, &mut released);
        }
        let mut late = Vec::new();
        for p in received {
            let known = recipient.scoreboard.has_or_is_beyond(p.number);
            recipient.scoreboard.on_frame(p.number);
            if recipient.reorder.is_new(p.number) {
                let arrival = Arrival { packet: p.packet, copy: copy(p.packet), at: now };
                recipient.reorder.on_frame(now, p.number, arrival, &mut released);
            } else if known {
                duplicates += 1;
            } else {
                late.push((p.packet, recipient.reorder.skipped_at(p.number).unwrap_or(now)));
            }
        }
        let answer = match frame.kind {
            AirKind::Data => AirKind::Ack,
            _ => AirKind::BlockAck(recipient.scoreboard.answer()),
        };
        Collected { released, late, duplicates, answer }
    }

    /// Hands up packets that have waited too long for missing ones.
    pub(super) fn release_overdue(&mut self, now: SimTime, out: &mut Vec<HcfAction>) {
        self.reorder_at = SimTime::NEVER;
        for peer in &mut self.peers {
            let Some(recipient) = &mut peer.recipient else { continue };
            if recipient.reorder.waiting() == 0 {
                continue;
            }
            let mut released = Vec::new();
            recipient.reorder.on_timer(now, &mut released);
            self.reorder_at = self.reorder_at.min(recipient.reorder.deadline());
            let from = peer.node;
            hand_up(now, &released, from, out);
        }
    }
}

/// Hands up packets that are in order now. Those that come behind one that has waited come together with it.
fn hand_up(now: SimTime, released: &[Arrival], from: NodeId, out: &mut Vec<HcfAction>) {
    out.reserve(released.len());
    let first = released.iter().position(|arrival| arrival.at < now).unwrap_or(released.len());
    let together = (released.len() - first) as u16;
    let mut behind = None;
    for (i, &Arrival { packet, copy, at }) in released.iter().enumerate() {
        let order = match i < first {
            true => Order::Next(packet),
            false => Order::Waited { since: at, together, behind },
        };
        if at == now {
            behind = Some(packet);
        }
        if let Some(copy) = copy {
            out.push(HcfAction::HandUp { copy, from, order });
        }
    }
}

/// Effect of a frame under an agreement.
struct Collected {
    /// Packets that are in order now.
    released: Vec<Arrival>,
    /// Packets for which the station has stopped to wait, and since when.
    late: Vec<(PacketId, SimTime)>,
    duplicates: u64,
    answer: AirKind,
}
