//! Between MAC and air: transmissions begin and end at their hearers.

use super::{Event, MAC_EXCHANGE, Network, Node, is_message};
use crate::engine::{EventQueue, Waits};
use crate::medium::Hearer;
use tworay_base::{LossCause, NodeId, SimDuration, SimTime};
use tworay_mac::{Frame, FrameKind, MacAction, RxError};
use tworay_radio::{Arrived, BodyRate, Reception, Signal, Verdict};

/// A signal on its way past its hearers.
#[derive(Copy, Clone)]
struct Passing {
    tx: u32,
    /// When it began where it was sent.
    start: SimTime,
    airtime: SimDuration,
    body: BodyRate,
}

impl Network {
    pub(super) fn apply_mac(&mut self, node: NodeId, actions: &[MacAction]) {
        for action in actions {
            match *action {
                MacAction::Transmit(ref frame) => self.transmit(node, frame),
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

    /// Sets a station's timers to what its MAC wants.
    #[inline(always)]
    pub(super) fn set_mac_timers(&mut self, node: NodeId) {
        let mac = &self.nodes[node.index()].mac;
        let (access, step) = (mac.contention_deadline(), mac.exchange_deadline());
        self.waits.set(node.index(), access);
        let slot = self.node_timer(node, MAC_EXCHANGE);
        self.timers.set(slot, step, &mut self.queue);
    }

    fn transmit(&mut self, node: NodeId, frame: &Frame) {
        let Some(medium) = &mut self.medium else { return };
        let tx = medium.transmit(self.now, frame, &mut self.tracks);
        let rx_threshold = medium.channel().rx_threshold();
        if !frame.to.is_broadcast() && matches!(frame.kind, FrameKind::Rts | FrameKind::Data) {
            let heard = |h: &Hearer| h.node == frame.to && h.power >= rx_threshold;
            // A measured link may lead one way only: then no answer can come.
            let in_range = medium.hearers(tx).iter().any(heard)
                && medium.measured_reach(frame.to, node) != Some(false)
                && !self.cuts.between(node, frame.to);
            let up = self.nodes[frame.to.index()].up;
            let sender = &mut self.nodes[node.index()];
            let last = sender.mac.is_last_attempt(frame.kind);
            let fates = &mut sender.fates;
            match (in_range, up) {
                (_, false) => fates.node_down += 1,
                (false, _) => fates.out_of_range += 1,
                (true, true) => fates.contention += 1,
            }
            if !(in_range && up) {
                fates.out_of_reach_since.get_or_insert(self.now);
            }
            // Only the last attempt's matters. Who spoils it from now on is noted when the receiver has
            // lost it (`count_collision`).
            if last {
                let repeated = fates.attempts() > 1;
                let deaf = self.nodes[frame.to.index()].mac.is_transmitting(self.now).then_some(frame.to);
                let blocker = || if repeated { medium.blocker(tx, frame.to) } else { None };
                self.nodes[node.index()].fates.interferer = deaf.or_else(blocker);
            }
        }
        if self.medium.as_ref().is_some_and(|m| m.fades()) {
            self.blame_fading(node, tx, frame);
        }
        if self.watched {
            self.capture_frame(tx, frame);
        }
        if self.energy.is_some() {
            self.meter_transmission(node, frame);
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
            FrameKind::Cts | FrameKind::Ack => self.nodes[frame.to.index()].fates.blame_channel(),
        }
    }

    /// Which station may send first, and when, if that is not after `limit`.
    #[inline(never)]
    pub(super) fn first_access(
        limit: SimTime,
        waits: &mut Waits,
        nodes: &[Node],
    ) -> Option<(SimTime, usize)> {
        waits.first_until(limit, |i| nodes[i].mac.contention_deadline())
    }

    /// When the first station may send, if that is not after `limit`.
    pub(crate) fn first_access_until(&mut self, limit: SimTime) -> Option<SimTime> {
        Self::first_access(limit, &mut self.waits, &self.nodes).map(|(at, _)| at)
    }

    /// Whether anything can happen up to `limit`.
    #[inline(always)]
    fn comes_until(limit: SimTime, queue: &EventQueue<Event>, waits: &mut Waits, nodes: &[Node]) -> bool {
        queue.peek_time() <= limit
            || waits.next() <= limit && Self::first_access(limit, waits, nodes).is_some()
    }

    /// When something can happen next.
    #[inline(always)]
    fn next_time(&self) -> SimTime {
        self.queue.peek_time().min(self.waits.next())
    }

    /// A transmission begins to arrive. All hearers share this event; only where something else
    /// happens within the propagation delay are the arrivals worked off one by one.
    pub(super) fn on_begin(&mut self, tx: u32) {
        let Some(medium) = &mut self.medium else { return };
        let base = self.now;
        let t = medium.get(tx);
        let (origin, farthest) = (t.start, SimDuration::from_nanos(t.farthest.into()));
        let alone =
            t.passed == 0 && !Self::comes_until(origin + farthest, &self.queue, &mut self.waits, &self.nodes);
        let signal = Passing {
            tx,
            start: origin,
            airtime: t.frame.airtime,
            body: match t.frame.kind {
                FrameKind::Data if !t.frame.to.is_broadcast() => BodyRate::Data,
                FrameKind::Ack => BodyRate::Ack,
                FrameKind::Data | FrameKind::Rts | FrameKind::Cts => BodyRate::Basic,
            },
        };
        if alone {
            let hearers = medium.take_hearers(tx);
            self.begin_at(signal, &hearers);
            if let Some(medium) = &mut self.medium {
                medium.give_back(tx, hearers);
            }
        } else {
            self.by_turns(tx, origin, |network, hearer| network.begin_at(signal, &[hearer]), Event::Begin);
        }
        self.now = base;
    }

    /// A transmission ends: see [`Network::on_begin`].
    pub(super) fn on_end(&mut self, tx: u32) {
        let Some(medium) = &mut self.medium else { return };
        let base = self.now;
        let t = medium.get(tx);
        let frame = t.frame;
        let (origin, farthest) = (t.start + frame.airtime, SimDuration::from_nanos(t.farthest.into()));
        let alone =
            t.passed == 0 && !Self::comes_until(origin + farthest, &self.queue, &mut self.waits, &self.nodes);
        let done = if alone {
            let hearers = medium.take_hearers(tx);
            let every = self.watched;
            for &hearer in &hearers {
                if every || self.nodes[hearer.node.index()].receiver.reads(tx) {
                    self.now = origin + hearer.delay();
                    self.end_at(tx, &frame, hearer);
                }
            }
            if let Some(medium) = &mut self.medium {
                medium.give_back(tx, hearers);
            }
            true
        } else {
            self.by_turns(tx, origin, |network, hearer| network.end_at(tx, &frame, hearer), Event::End)
        };
        if done && let Some(medium) = &mut self.medium {
            medium.retire(tx);
            if let Some(packet) = frame.packet {
                self.packets.unpin(packet);
            }
            if let Some(capture) = &mut self.capture {
                capture.ended(tx);
            }
        }
        self.now = base;
    }

    /// Visits the hearers of `tx` at their times until something else is to happen first; true when all are
    /// done, otherwise `again` is queued for the rest.
    #[cold]
    fn by_turns(
        &mut self,
        tx: u32,
        origin: SimTime,
        mut visit: impl FnMut(&mut Self, Hearer),
        again: fn(u32) -> Event,
    ) -> bool {
        let Some(medium) = &mut self.medium else { return true };
        let base = self.now;
        medium.sort(tx);
        let passed = medium.get(tx).passed as usize;
        let hearers = medium.take_hearers(tx);
        let begins = matches!(again(tx), Event::Begin(_));
        let mut rest = None;
        for (i, &hearer) in hearers.iter().enumerate().skip(passed) {
            let at = origin + hearer.delay();
            // Whoever starts to send in the very nanosecond in which a signal arrives has not heard
            // it: timers of that time go before beginnings, and after ends.
            let next = self.next_time();
            if at > base && (next < at || begins && next == at) {
                rest = Some((i, at));
                break;
            }
            self.now = at;
            visit(self, hearer);
        }
        if let Some(medium) = &mut self.medium {
            medium.give_back(tx, hearers);
            medium.get_mut(tx).passed = rest.map_or(0, |(i, _)| i as u32);
        }
        if let Some((_, at)) = rest {
            self.queue.push(at, again(tx));
        }
        rest.is_none()
    }

    /// A signal begins at some of its hearers.
    #[inline(always)]
    fn begin_at(&mut self, signal: Passing, hearers: &[Hearer]) {
        self.events += hearers.len() as u64;
        let mut hearers = hearers.iter();
        let metered = self.energy.is_some();
        while let Some(rules) = &self.rules
            && let Some((h, arrived)) =
                begin_until_noted(signal, &mut hearers, rules, &mut self.nodes, &mut self.waits, metered)
        {
            self.now = signal.start + h.delay();
            self.after_begin(signal, h, arrived);
        }
    }

    /// What the beginning of a signal brings about besides.
    #[inline(never)]
    fn after_begin(&mut self, signal: Passing, h: Hearer, arrived: Arrived) {
        if arrived.captured_over {
            let until = self.now + signal.airtime + self.eifs;
            self.nodes[h.node.index()].mac.reserve(self.now, until);
        }
        if let Some(lost) = arrived.lost {
            self.count_collision(h.node, lost);
        }
        if self.energy.is_some()
            && let Some(medium) = &self.medium
        {
            let frame = medium.get(signal.tx).frame;
            self.meter_signal(&frame, h);
        }
    }

    #[inline]
    fn end_at(&mut self, tx: u32, frame: &Frame, h: Hearer) {
        let now = self.now;
        let Some(rules) = &self.rules else { return };
        let node = &mut self.nodes[h.node.index()];
        let transmitting = node.mac.is_transmitting(now);
        let mut verdict = node.receiver.end(tx, transmitting, rules);
        if verdict == Verdict::Good && (self.errors.is_some() || self.any_damage) {
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
        let Verdict::Good = verdict else { return self.after_bad_end(tx, h.node, verdict) };
        let for_others = frame.to != h.node && !frame.to.is_broadcast();
        if let Some(packet) = frame.packet {
            node.router.on_heard(now, frame.from);
            if self.energy.is_some() {
                self.meter_reception(h.node, frame);
            }
            if for_others && self.nodes[h.node.index()].router.wants_tap() {
                self.tap_packet(h.node, packet, frame.from, frame.to);
            }
        }
        let mac = &mut self.nodes[h.node.index()].mac;
        if for_others && mac.only_overhears() {
            if mac.on_overheard(now, frame) {
                let access = mac.contention_deadline();
                self.waits.set(h.node.index(), access);
            }
            return;
        }
        self.hand_up(tx, frame, h.node);
    }

    /// A good frame that concerns the station's own MAC.
    #[inline(never)]
    fn hand_up(&mut self, tx: u32, frame: &Frame, node: NodeId) {
        let refused = self.nodes[node.index()].mac.counters().busy;
        self.with_mac(node, |mac, now, out| mac.on_frame(now, frame, out));
        if self.watched && frame.to == node {
            self.capture_refusal(tx, frame, refused);
        }
    }

    /// A reception ended without a good frame.
    #[inline(never)]
    fn after_bad_end(&mut self, tx: u32, node: NodeId, verdict: Verdict) {
        let error = match verdict {
            Verdict::NotHeard | Verdict::Good | Verdict::Deaf => return,
            Verdict::Collided => {
                self.count_collision(node, tx);
                RxError::Corrupt
            }
            Verdict::Corrupt => RxError::Corrupt,
            Verdict::Undecodable | Verdict::Deafened => RxError::Undecodable,
        };
        self.nodes[node.index()].mac.on_rx_error(self.now, error);
    }

    /// Books a frame that was lost to overlap at a station it was meant for.
    fn count_collision(&mut self, node: NodeId, tx: u32) {
        let Some(medium) = &self.medium else { return };
        let frame = medium.get(tx).frame;
        if frame.to == node || frame.to.is_broadcast() {
            let packet = frame.packet.map(|p| self.packets.get(p));
            let message = packet.is_some_and(is_message);
            self.tally.collisions.add(frame.kind, packet);
            self.tally.broadcast_collisions += u64::from(frame.to.is_broadcast());
            self.capture_collision(tx, node);
            if !frame.to.is_broadcast() {
                // The attempt of whoever waits for this frame, or for the answer to it, has failed.
                let (sender, attempt) = match frame.kind {
                    FrameKind::Rts | FrameKind::Data => (frame.from, frame.kind),
                    FrameKind::Cts => (node, FrameKind::Rts),
                    FrameKind::Ack => (node, FrameKind::Data),
                };
                if self.nodes[sender.index()].mac.is_last_attempt(attempt) {
                    let interferer = self.medium.as_ref().and_then(|m| m.interferer(tx, node));
                    self.nodes[sender.index()].fates.interferer = interferer;
                }
            } else if message {
                self.note_missed(node, frame.from, LossCause::Contention);
            }
        }
    }
}

/// Tells stations in turn that a signal begins, up to the first one at which something is to be booked.
#[inline(always)]
fn begin_until_noted(
    signal: Passing,
    hearers: &mut std::slice::Iter<'_, Hearer>,
    rules: &Reception,
    nodes: &mut [Node],
    waits: &mut Waits,
    every: bool,
) -> Option<(Hearer, Arrived)> {
    let Passing { tx, start, airtime, body } = signal;
    for &h in hearers {
        let node = &mut nodes[h.node.index()];
        if !node.up {
            continue;
        }
        let now = start + h.delay();
        let end = now + airtime;
        let transmitting = node.mac.is_transmitting(now);
        let arrived = node.receiver.begin(now, Signal { tx, end, power: h.power, body }, transmitting, rules);
        if node.mac.on_busy(now, end) {
            waits.put_off(h.node.index(), end + node.mac.timing().difs);
        }
        if arrived.lost.is_some() || arrived.captured_over || every {
            return Some((h, arrived));
        }
    }
    None
}
