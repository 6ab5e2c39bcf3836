//! Between MAC and air: transmissions begin and end at their hearers.

use super::{Event, MAC_CONTENTION, MAC_EXCHANGE, Network};
use crate::medium::Hearer;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_mac::{Frame, FrameKind, MacAction, MacTimer, RxError};
use tworay_radio::{Signal, Verdict};

impl Network {
    pub(super) fn apply_mac(&mut self, node: NodeId, actions: &[MacAction]) {
        // Timers first: what follows can come back to this MAC, which then sets them anew.
        for action in actions {
            match *action {
                MacAction::Arm(timer, at) => {
                    self.timers.set(Self::node_timer(node, which(timer)), at, &mut self.queue);
                }
                MacAction::Disarm(timer) => self.timers.clear(Self::node_timer(node, which(timer))),
                _ => {}
            }
        }
        for action in actions {
            match *action {
                MacAction::Arm(..) | MacAction::Disarm(_) => {}
                MacAction::Transmit(frame) => self.transmit(node, frame),
                MacAction::Deliver { packet, from } => self.on_delivery(node, packet, from),
                MacAction::Sent { packet } => {
                    self.nodes[node.index()].fates = Default::default();
                    self.release(packet);
                }
                MacAction::GaveUp(give_up) => self.on_give_up(node, give_up),
                MacAction::Ready => self.feed_mac(node),
            }
        }
    }

    fn transmit(&mut self, node: NodeId, frame: Frame) {
        let Some(medium) = &mut self.medium else { return };
        let tx = medium.transmit(self.now, frame, &mut self.tracks);
        let rx_threshold = medium.channel().rx_threshold();
        if !frame.to.is_broadcast() && matches!(frame.kind, FrameKind::Rts | FrameKind::Data) {
            let in_range = medium.hearers(tx).iter().any(|h| h.node == frame.to && h.power >= rx_threshold);
            let up = self.nodes[frame.to.index()].up;
            let fates = &mut self.nodes[node.index()].fates;
            match (in_range, up) {
                (_, false) => fates.node_down += 1,
                (false, _) => fates.out_of_range += 1,
                (true, true) => fates.contention += 1,
            }
        }
        if self.medium.as_ref().is_some_and(|m| m.fades()) {
            self.blame_fading(node, tx, &frame);
        }
        if self.watched {
            self.capture_frame(tx, &frame);
        }
        if self.energy.is_some() {
            self.meter_transmission(node, &frame);
        }
        if let Some(rules) = &self.rules {
            self.nodes[node.index()].receiver.own_transmission(rules);
        }
        if let Some(packet) = frame.packet {
            self.packets.pin(packet);
        }
        self.queue.push(self.now + frame.airtime, Event::End(tx));
        self.on_begin(tx);
    }

    /// An attempt that fading alone keeps from its next hop, or the answer to it, dies of the channel.
    #[cold]
    fn blame_fading(&mut self, node: NodeId, tx: u32, frame: &Frame) {
        let Some(medium) = &self.medium else { return };
        let threshold = medium.channel().rx_threshold();
        let arrives = medium.hearers(tx).iter().any(|h| h.node == frame.to && h.power >= threshold);
        if arrives || frame.to.is_broadcast() || !self.nodes[frame.to.index()].up {
            return;
        }
        if !self.in_range(node, frame.to) {
            return;
        }
        match frame.kind {
            FrameKind::Rts | FrameKind::Data => {
                let fates = &mut self.nodes[node.index()].fates;
                fates.out_of_range = fates.out_of_range.saturating_sub(1);
                fates.channel += 1;
            }
            FrameKind::Cts | FrameKind::Ack => {
                let fates = &mut self.nodes[frame.to.index()].fates;
                if fates.contention > 0 {
                    fates.contention -= 1;
                    fates.channel += 1;
                }
            }
        }
    }

    /// A transmission begins to arrive. All hearers share this event; only where something else
    /// happens within the propagation delay are the arrivals worked off one by one.
    pub(super) fn on_begin(&mut self, tx: u32) {
        let base = self.now;
        self.walk(tx, true);
        self.now = base;
    }

    pub(super) fn on_end(&mut self, tx: u32) {
        let base = self.now;
        if self.walk(tx, false)
            && let Some(medium) = &mut self.medium
        {
            if let Some(packet) = medium.get(tx).frame.packet {
                self.packets.unpin(packet);
            }
            medium.retire(tx);
            if let Some(capture) = &mut self.capture {
                capture.ended(tx);
            }
        }
        self.now = base;
    }

    /// Visits the hearers of `tx` at their times; true when all are done, otherwise an event is queued
    /// for the rest.
    fn walk(&mut self, tx: u32, begins: bool) -> bool {
        let Some(medium) = &mut self.medium else { return true };
        let base = self.now;
        let t = medium.get(tx);
        let (frame, cursor) = (t.frame, t.cursor as usize);
        let origin = if begins { t.start } else { t.start + frame.airtime };
        let whole =
            cursor == 0 && self.queue.peek_time() > origin + SimDuration::from_nanos(t.farthest.into());
        if !whole {
            medium.sort(tx);
        }
        let hearers = medium.take_hearers(tx);
        let mut rest = None;
        for (i, &hearer) in hearers.iter().enumerate().skip(cursor) {
            let at = origin + hearer.delay();
            if !whole && at > base {
                // Whoever starts to send in the very nanosecond in which a signal arrives has not heard
                // it: timers of that time go before beginnings, and after ends.
                let next = self.queue.peek_time();
                if next < at || (begins && next == at) {
                    rest = Some((i, at));
                    break;
                }
            }
            self.now = at;
            if begins {
                self.begin_at(tx, &frame, hearer);
            } else {
                self.end_at(tx, &frame, hearer);
            }
        }
        if let Some(medium) = &mut self.medium {
            medium.give_back(tx, hearers);
            medium.get_mut(tx).cursor = rest.map_or(0, |r| r.0 as u32);
        }
        if let Some((_, at)) = rest {
            self.queue.push(at, if begins { Event::Begin(tx) } else { Event::End(tx) });
        }
        rest.is_none()
    }

    #[inline]
    fn begin_at(&mut self, tx: u32, frame: &Frame, h: Hearer) {
        self.events += 1;
        let now = self.now;
        let end = now + frame.airtime;
        let Some(rules) = &self.rules else { return };
        let node = &mut self.nodes[h.node.index()];
        if !node.up {
            return;
        }
        let transmitting = node.mac.is_transmitting(now);
        let fast = frame.kind == FrameKind::Data && !frame.to.is_broadcast();
        let arrived = node.receiver.begin(now, Signal { tx, end, power: h.power, fast }, transmitting, rules);
        let moved = node.mac.on_busy(now, end);
        self.move_contention(h.node, moved);
        if arrived.captured_over {
            let until = end + self.eifs;
            let moved = self.nodes[h.node.index()].mac.reserve(now, until);
            self.move_contention(h.node, moved);
        }
        if let Some(lost) = arrived.lost {
            self.count_collision(h.node, lost);
        }
        if self.energy.is_some() {
            self.meter_signal(frame, h);
        }
    }

    #[inline]
    fn end_at(&mut self, tx: u32, frame: &Frame, h: Hearer) {
        let now = self.now;
        let Some(rules) = &self.rules else { return };
        let node = &mut self.nodes[h.node.index()];
        let transmitting = node.mac.is_transmitting(now);
        let mut verdict = node.receiver.end(tx, transmitting, rules);
        if verdict == Verdict::Good && (self.errors.is_some() || self.any_down) {
            verdict = self.after_errors(tx, frame, h.node);
        }
        if self.watched {
            self.capture_fate(tx, frame, h, verdict);
        }
        if verdict == Verdict::NotHeard {
            return;
        }
        self.events += 1;
        let node = &mut self.nodes[h.node.index()];
        if !node.up {
            return;
        }
        match verdict {
            Verdict::NotHeard | Verdict::Deaf => {}
            Verdict::Good => {
                if let Some(packet) = frame.packet {
                    if self.energy.is_some() {
                        self.meter_reception(h.node, frame);
                    }
                    let node = &mut self.nodes[h.node.index()];
                    node.router.on_heard(now, frame.from);
                    let for_others = frame.to != h.node && !frame.to.is_broadcast();
                    if for_others && node.router.wants_tap() {
                        self.tap_packet(h.node, packet, frame.from, frame.to);
                    }
                }
                let mac = &mut self.nodes[h.node.index()].mac;
                if frame.to != h.node && !frame.to.is_broadcast() && mac.only_overhears() {
                    let moved = mac.on_overheard(now, frame);
                    return self.move_contention(h.node, moved);
                }
                let refused = mac.counters().busy;
                self.with_mac(h.node, |mac, now, out| mac.on_frame(now, frame, out));
                if self.capture.is_some() && frame.to == h.node {
                    self.capture_refusal(tx, frame, refused);
                }
            }
            Verdict::Collided => {
                self.count_collision(h.node, tx);
                self.rx_error(h.node, RxError::Corrupt);
            }
            Verdict::Corrupt => {
                self.rx_error(h.node, RxError::Corrupt);
            }
            Verdict::Undecodable | Verdict::Deafened => {
                self.rx_error(h.node, RxError::Undecodable);
            }
        }
    }

    #[inline]
    fn move_contention(&mut self, node: NodeId, moved: Option<SimTime>) {
        if let Some(at) = moved {
            self.timers.set(Self::node_timer(node, MAC_CONTENTION), at, &mut self.queue);
        }
    }

    fn rx_error(&mut self, node: NodeId, error: RxError) {
        let moved = self.nodes[node.index()].mac.on_rx_error(self.now, error);
        self.move_contention(node, moved);
    }

    /// Books a frame that was lost to overlap at a station it was meant for.
    fn count_collision(&mut self, node: NodeId, tx: u32) {
        let Some(medium) = &self.medium else { return };
        let frame = medium.get(tx).frame;
        if frame.to == node || frame.to.is_broadcast() {
            let packet = frame.packet.map(|p| self.packets.get(p));
            self.tally.collisions.add(frame.kind, packet);
            self.capture_collision(tx, node);
        }
    }
}

fn which(timer: MacTimer) -> u32 {
    match timer {
        MacTimer::Contention => MAC_CONTENTION,
        MacTimer::Exchange => MAC_EXCHANGE,
    }
}
