//! Signals of the DSSS radio: a frame goes on the air, starts at its hearers, and ends there valid or corrupted.
//!
//! The network handles a valid frame at its receiver (`ends.rs`).

use super::super::common::Common;
use super::super::event::Event;
use super::{Radio, is_for};
use crate::network::medium::on_air::{Hearer, Transmission};
use crate::network::node::Nodes;
use crate::observe::Fact;
use crate::observe::loss::attempts::Failure;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_mac::{Dcf, Frame, FrameKind, RxError};
use tworay_radio::{Arrived, BodyRate, Reception, Signal, Verdict};

/// A signal passing its hearers.
#[derive(Copy, Clone)]
struct Passing {
    tx: u32,
    /// When it started at the sender.
    start: SimTime,
    airtime: SimDuration,
    body: BodyRate,
}

/// A transmission that ends at its hearers.
pub(crate) struct Ending {
    pub frame: Frame,
    /// When its last bit left the sender.
    pub origin: SimTime,
    /// True if nothing else happens until it has passed all of them.
    pub alone: bool,
}

impl Radio {
    /// A node's MAC sends a frame.
    pub fn transmit(&mut self, nodes: &mut Nodes, common: &mut Common, node: NodeId, frame: &Frame) {
        let tx = self.medium.transmit(common.now, frame, &mut self.tracks);
        if frame.to.is_broadcast() {
            self.begin_broadcast(nodes, common, tx, frame);
        } else {
            match frame.kind {
                FrameKind::Rts | FrameKind::Data => self.begin_attempt(nodes, common, tx, frame),
                FrameKind::Cts if self.reserves => {
                    if let Some(until) = nodes[node].mac.reserved_for_data() {
                        common.observe(Fact::Reserved { station: frame.to, until });
                    }
                }
                FrameKind::Cts | FrameKind::Ack => {}
            }
            if self.broadcasts > 0 {
                self.note_deafened(nodes, common, node);
            }
        }
        let faded = self.medium.fades() && self.blame_fading(nodes, common, tx, frame);
        if common.watched() {
            self.show_transmitted(nodes, common, node, (tx, frame, faded));
        }
        if let Some(meters) = &mut nodes.meters {
            meters.transmitted(common.now, node, frame, &mut common.agenda);
        }
        nodes[node].receiver.own_transmission(&self.rules);
        if let Some(packet) = frame.packet {
            common.packets.pin(packet);
        }
        common.agenda.push(common.now + frame.airtime, Event::End(tx));
        self.begin(nodes, common, tx);
    }

    /// A station tries to reach the next hop of its packet.
    #[inline(always)]
    fn begin_attempt(&mut self, nodes: &Nodes, common: &mut Common, tx: u32, frame: &Frame) {
        let (node, to, now) = (frame.from, frame.to, common.now);
        let rx_threshold = self.medium.channel().rx_threshold();
        // Over a very long hop, answers come after the time for which their sender waits.
        let longest = nodes[node].mac.timing().longest_delay().as_nanos();
        let heard = |h: &Hearer| h.node == to && h.power >= rx_threshold && u64::from(h.delay) <= longest;
        // A measured link may work in one direction only; then no answer can arrive.
        let in_range = self.medium.hearers(tx).iter().any(heard)
            && self.medium.measured_reach(to, node) != Some(false)
            && !self.cuts.between(node, to);
        let up = nodes[to].up;
        let failure = match (in_range, up) {
            (_, false) => Failure::NodeDown,
            (false, _) => Failure::OutOfRange,
            // The station can't answer because it sends, which this one would hear without fading.
            (true, true) if self.is_deaf_to(now, node, to) => Failure::Errors,
            (true, true) => Failure::Busy,
        };
        common.observe(Fact::Attempted { frame, failure });
        // The interferer matters only at the last attempt. If others corrupt it from now on,
        // `count_collision` notes that when the receiver has lost it.
        if nodes[node].mac.is_last_attempt(frame.kind) {
            self.show_last_attempt(nodes, common, tx, frame);
        }
    }

    /// True if only fading keeps a station from hearing that another one sends.
    fn is_deaf_to(&mut self, now: SimTime, node: NodeId, other: NodeId) -> bool {
        let sensed = self.medium.channel().cs_threshold();
        self.medium.fades() && self.is_deaf(now, node, other, |power| power >= sensed)
    }

    /// The last attempt with a packet begins.
    #[cold]
    #[inline(never)]
    fn show_last_attempt(&self, nodes: &Nodes, common: &mut Common, tx: u32, frame: &Frame) {
        let deaf = nodes[frame.to].mac.is_transmitting(common.now).then_some(frame.to);
        common.observe(Fact::LastAttempt { tx, frame, deaf, medium: &self.medium });
    }

    /// A broadcast starts. Stations that transmit miss it, and its sender misses others.
    #[inline(never)]
    fn begin_broadcast(&mut self, nodes: &Nodes, common: &mut Common, tx: u32, frame: &Frame) {
        if self.broadcasts > 0 {
            self.note_deafened(nodes, common, frame.from);
        }
        self.broadcasts += u32::from(frame.packet.is_some());
        if self.medium.is_shared() {
            self.note_deaf(nodes, common, tx, frame);
        }
    }

    /// A station starts to transmit. It misses the broadcast that it is receiving (if it sends an answer, for
    /// instance), or that is about to arrive.
    #[cold]
    #[inline(never)]
    fn note_deafened(&self, nodes: &Nodes, common: &mut Common, node: NodeId) {
        let threshold = self.medium.channel().rx_threshold();
        let reading = nodes[node].receiver.reading();
        let near = |t: &Transmission| t.frame.to.is_broadcast() && self.medium.may_reach(t.frame.from, node);
        for (tx, t) in self.medium.live().filter(|(_, t)| near(t)) {
            let here = self.medium.hearers(tx).iter().find(|h| h.node == node && h.power >= threshold);
            if here.is_some_and(|h| reading == Some(tx) || t.start + h.delay() >= common.now) {
                Self::note_unheard(common, (&t.frame, node), Some(node));
            }
        }
    }

    /// Stations that are transmitting when a broadcast arrives miss it.
    #[inline(never)]
    fn note_deaf(&self, nodes: &Nodes, common: &mut Common, tx: u32, frame: &Frame) {
        let threshold = self.medium.channel().rx_threshold();
        for h in self.medium.hearers(tx) {
            let hearer = &nodes[h.node];
            if h.power >= threshold && hearer.up && hearer.mac.is_transmitting(common.now + h.delay()) {
                Self::note_unheard(common, (frame, h.node), Some(h.node));
            }
        }
    }

    /// A station misses a broadcast because of its own transmission, or of a frame that it receives.
    #[cold]
    fn note_unheard(common: &mut Common, (frame, node): (&Frame, NodeId), interferer: Option<NodeId>) {
        common.observe(Fact::Unheard { frame, node, interferer });
    }

    /// The latest attempt of `node` to reach `to` got no answer until now.
    #[cold]
    #[inline(never)]
    pub fn unanswered(&mut self, nodes: &Nodes, common: &mut Common, node: NodeId, to: NodeId) {
        let may_be_gone = self.links_change || self.medium.fades();
        let in_range = !may_be_gone || self.reaches(common.now, node, to);
        let awaited = nodes.awaited(to, in_range);
        common.observe(Fact::Unanswered { station: node, awaited });
    }

    #[cold]
    #[inline(never)]
    fn show_transmitted(&self, nodes: &Nodes, common: &mut Common, node: NodeId, sent: (u32, &Frame, bool)) {
        let held = nodes[node].mac.holds();
        let (tx, frame, faded) = sent;
        common.observe(Fact::Transmitted { tx, frame, held, faded, medium: &self.medium });
    }

    /// An attempt that only fading keeps from its next hop, or whose answer fading keeps away, fails by the
    /// channel. If the next hop is out of range by the mean power, and fading let the attempt through but not the answer,
    /// it fails by the range. True if only fading keeps the frame from the station that it is addressed to.
    #[cold]
    fn blame_fading(&mut self, nodes: &Nodes, common: &mut Common, tx: u32, frame: &Frame) -> bool {
        if frame.to.is_broadcast() {
            self.note_faded(nodes, common, tx, frame);
            return false;
        }
        if self.arrives(tx, frame.to) {
            return false;
        }
        let in_range = self.reaches(common.now, frame.from, frame.to);
        match frame.kind {
            _ if !nodes[frame.to].up => {}
            FrameKind::Rts | FrameKind::Data if in_range => {
                show_spoilt(common, frame.from, frame.kind, Failure::Errors);
            }
            FrameKind::Rts | FrameKind::Data => {}
            FrameKind::Cts | FrameKind::Ack => {
                let failure = if in_range { Failure::Errors } else { Failure::OutOfRange };
                show_spoilt(common, frame.to, answered_by(frame.kind), failure);
            }
        }
        in_range
    }

    /// True if a transmission is strong enough for a station to decode it.
    fn arrives(&self, tx: u32, node: NodeId) -> bool {
        let threshold = self.medium.channel().rx_threshold();
        self.medium.hearers(tx).iter().any(|h| h.node == node && h.power >= threshold)
    }

    /// Stations in reach that do not receive a broadcast because of fading alone.
    pub fn note_faded(&mut self, nodes: &Nodes, common: &mut Common, tx: u32, frame: &Frame) {
        let mut near = Vec::new();
        self.neighbours(common.now, frame.from, |node| nodes[node].up, &mut near);
        for node in near {
            if !self.arrives(tx, node) {
                common.observe(Fact::Faded { frame, node });
            }
        }
    }

    /// A transmission starts to arrive. All hearers share this event; only if something else happens within
    /// the propagation delay are the arrivals processed one by one.
    pub fn begin(&mut self, nodes: &mut Nodes, common: &mut Common, tx: u32) {
        let base = common.now;
        let t = self.medium.get(tx);
        let (origin, farthest) = (t.start, SimDuration::from_nanos(t.farthest.into()));
        let alone = t.passed == 0 && !nodes.something_until(&mut common.agenda, origin + farthest);
        let signal = Passing { tx, start: origin, airtime: t.frame.airtime, body: body_of(&t.frame) };
        if alone {
            self.begin_at(nodes, common, signal, self.medium.hearers(tx));
        } else {
            self.begin_by_turns(nodes, common, signal);
        }
        common.now = base;
    }

    #[cold]
    fn begin_by_turns(&mut self, nodes: &mut Nodes, common: &mut Common, signal: Passing) {
        let mut turns = self.turns(signal.tx, signal.start, common.now, true);
        while let Some((hearer, at)) = turns.next(&common.agenda) {
            common.now = at;
            self.begin_at(nodes, common, signal, &[hearer]);
        }
        if let Some(at) = self.end_turns(turns) {
            common.agenda.push(at, Event::Begin(signal.tx));
        }
    }

    /// A signal starts at some of its hearers.
    #[inline(always)]
    fn begin_at(&self, nodes: &mut Nodes, common: &mut Common, signal: Passing, hearers: &[Hearer]) {
        common.agenda.events += hearers.len() as u64;
        let mut hearers = hearers.iter();
        loop {
            // Which rules hold is checked once per signal, not at each hearer.
            let noted = if self.rules.adds_up() {
                begin_until_noted::<true>(signal, &mut hearers, &self.rules, nodes, common)
            } else {
                begin_until_noted::<false>(signal, &mut hearers, &self.rules, nodes, common)
            };
            let Some((h, arrived)) = noted else { return };
            common.now = signal.start + h.delay();
            self.after_begin(nodes, common, signal, h, arrived);
        }
    }

    /// Rare consequences of the start of a signal.
    #[inline(never)]
    fn after_begin(
        &self,
        nodes: &mut Nodes,
        common: &mut Common,
        signal: Passing,
        h: Hearer,
        arrived: Arrived,
    ) {
        if arrived.captured_over {
            if self.rules.captured_over_sets_nav() {
                let until = common.now + signal.airtime + nodes.eifs;
                nodes[h.node].mac.reserve(common.now, until);
            }
            self.note_unnoticed(common, signal.tx, h);
        }
        if let Some(lost) = arrived.lost {
            // Rules that add up interference lose the new signal itself.
            if self.rules.hides(h.power) {
                self.count_hidden(nodes, common, lost, h);
            } else {
                self.count_collision(nodes, common, h.node, lost);
            }
        }
        if let Some(meters) = &mut nodes.meters {
            let readable = h.power >= self.medium.channel().rx_threshold();
            let frame = &self.medium.get(signal.tx).frame;
            meters.signal(common.now, h.node, frame, readable, &mut common.agenda);
        }
    }

    /// A station notices nothing of a signal, because it receives a stronger one.
    #[cold]
    #[inline(never)]
    fn note_unnoticed(&self, common: &mut Common, tx: u32, h: Hearer) {
        let frame = &self.medium.get(tx).frame;
        if frame.to.is_broadcast() && h.power >= self.medium.channel().rx_threshold() {
            Self::note_unheard(common, (frame, h.node), self.medium.interferer(tx, h.node));
        }
    }

    /// A transmission ends.
    #[inline]
    pub fn ending(&self, nodes: &Nodes, common: &mut Common, tx: u32) -> Ending {
        let t = self.medium.get(tx);
        let origin = t.start + t.frame.airtime;
        let farthest = SimDuration::from_nanos(t.farthest.into());
        let alone = t.passed == 0 && !nodes.something_until(&mut common.agenda, origin + farthest);
        Ending { frame: t.frame, origin, alone }
    }

    /// Result of a frame that ends at a station, after errors, cuts and deaths of senders. `WATCHED`: there may be
    /// observers on request.
    #[inline(always)]
    pub fn verdict<const WATCHED: bool>(
        &mut self,
        nodes: &mut Nodes,
        common: &mut Common,
        tx: u32,
        frame: &Frame,
        h: Hearer,
    ) -> Verdict {
        let node = &mut nodes[h.node];
        let transmitting = node.mac.is_transmitting(common.now);
        let mut verdict = node.receiver.end(tx, transmitting, &self.rules);
        if verdict == Verdict::Good && self.may_spoil {
            verdict = self.spoil(nodes, common, tx, frame, h.node);
        }
        if WATCHED && common.watched() {
            self.show_received(nodes, common, (tx, frame), h, verdict);
        }
        verdict
    }

    /// Reports how a station received a frame. Out of line: it would cost every run registers.
    #[cold]
    #[inline(never)]
    fn show_received(
        &self,
        nodes: &Nodes,
        common: &mut Common,
        sent: (u32, &Frame),
        h: Hearer,
        verdict: Verdict,
    ) {
        let up = nodes[h.node].up;
        let (tx, frame) = sent;
        common.observe(Fact::Ended { tx, frame, hearer: h, verdict, up, medium: &self.medium });
    }

    /// A transmission has ended everywhere. Inlined, because it costs 2 % of all instructions where it is called.
    #[inline(always)]
    pub fn retire(&mut self, common: &mut Common, tx: u32, frame: &Frame) {
        self.medium.retire(tx);
        if let Some(packet) = frame.packet {
            common.packets.unpin(packet);
            self.broadcasts -= u32::from(frame.to.is_broadcast());
        }
        common.watch(|| Fact::Passed { tx });
    }

    /// Reports a frame lost to overlap at a station it was addressed to.
    #[inline(never)]
    pub fn count_collision(&self, nodes: &Nodes, common: &mut Common, node: NodeId, tx: u32) {
        let frame = &self.medium.get(tx).frame;
        if !is_for(frame, node) {
            return;
        }
        common.observe(Fact::Collided { tx, frame, node, medium: &self.medium });
        if !frame.to.is_broadcast() {
            // The attempt of the station that waits for this frame, or for the answer to it, has failed.
            let sender = awaiting(frame, node);
            let attempt = answered_by(frame.kind);
            show_spoilt(common, sender, attempt, Failure::Collided);
            if nodes[sender].mac.is_last_attempt(attempt) {
                let (itself, medium) = (attempt == frame.kind, &self.medium);
                common.observe(Fact::SpoiledLast { tx, node, station: sender, itself, medium });
            }
        }
    }

    /// A station does not notice a frame in range, because noise hides its preamble.
    #[cold]
    #[inline(never)]
    fn count_hidden(&self, nodes: &Nodes, common: &mut Common, tx: u32, h: Hearer) {
        if common.watched() {
            let frame = self.medium.get(tx).frame;
            self.show_received(nodes, common, (tx, &frame), h, Verdict::Weak);
        }
        self.show_weak(common, (h.node, tx), Failure::Errors);
    }

    /// Reports a frame that noise destroyed at a station it was addressed to.
    #[cold]
    #[inline(never)]
    pub fn count_weak(&self, nodes: &Nodes, common: &mut Common, node: NodeId, tx: u32) {
        let frame = &self.medium.get(tx).frame;
        let slower = self.rules.slower_gets_through(nodes[node].receiver.weak_power(), body_of(frame));
        let slower = slower && !self.errors.as_ref().is_some_and(|errors| errors.would_corrupt(frame, node));
        self.show_weak(common, (node, tx), if slower { Failure::Rate } else { Failure::Errors });
    }

    fn show_weak(&self, common: &mut Common, (node, tx): (NodeId, u32), failure: Failure) {
        let frame = &self.medium.get(tx).frame;
        if !is_for(frame, node) {
            return;
        }
        common.observe(Fact::Corrupted { frame, node });
        if frame.to == node {
            show_spoilt(common, awaiting(frame, node), answered_by(frame.kind), failure);
        }
    }

    /// Effect of random errors, a cut link and a sender's death on a frame that was received well.
    #[cold]
    fn spoil(
        &mut self,
        nodes: &mut Nodes,
        common: &mut Common,
        tx: u32,
        frame: &Frame,
        node: NodeId,
    ) -> Verdict {
        // Nobody may receive the rest of a frame whose sender lost its power.
        let down = nodes[frame.from].down_since;
        if down != SimTime::NEVER && down >= self.medium.get(tx).start {
            return Verdict::CutOff;
        }
        if self.cuts.between(frame.from, node) {
            if frame.to == node {
                let sender = awaiting(frame, node);
                show_spoilt(common, sender, answered_by(frame.kind), Failure::OutOfRange);
            }
            return Verdict::Undecodable;
        }
        let spoiled = self.errors.as_mut().is_some_and(|errors| errors.corrupts(frame, node));
        if !spoiled || !nodes[node].up {
            return Verdict::Good;
        }
        if is_for(frame, node) {
            common.observe(Fact::Corrupted { frame, node });
        }
        if frame.to == node {
            // The attempt of the station that waits for this frame, or for the answer to it, fails by the
            // channel.
            show_spoilt(common, awaiting(frame, node), answered_by(frame.kind), Failure::Errors);
        }
        Verdict::Corrupt
    }
}

/// Something spoils the attempt of a station, or the answer to it.
#[inline]
fn show_spoilt(common: &mut Common, station: NodeId, attempt: FrameKind, failure: Failure) {
    common.observe(Fact::Spoiled { station, attempt, failure });
}

/// The station whose attempt depends on the arrival of `frame` at `node`, to which it is addressed.
fn awaiting(frame: &Frame, node: NodeId) -> NodeId {
    match frame.kind {
        FrameKind::Rts | FrameKind::Data => frame.from,
        FrameKind::Cts | FrameKind::Ack => node,
    }
}

/// The rate of a frame's body.
#[inline(always)]
fn body_of(frame: &Frame) -> BodyRate {
    match frame.kind {
        FrameKind::Data if !frame.to.is_broadcast() => BodyRate::Data,
        FrameKind::Ack => BodyRate::Ack,
        FrameKind::Data | FrameKind::Rts | FrameKind::Cts => BodyRate::Basic,
    }
}

/// The kind of attempt that a frame of this kind makes or answers.
fn answered_by(kind: FrameKind) -> FrameKind {
    match kind {
        FrameKind::Rts | FrameKind::Cts => FrameKind::Rts,
        FrameKind::Data | FrameKind::Ack => FrameKind::Data,
    }
}

/// A reception ended without a valid frame.
#[inline(never)]
pub(crate) fn bad_end(mac: &mut Dcf, now: SimTime, verdict: Verdict) {
    let error = match verdict {
        Verdict::NotHeard | Verdict::Good | Verdict::Deaf => return,
        Verdict::Collided | Verdict::Weak | Verdict::Corrupt | Verdict::CutOff => RxError::Corrupt,
        Verdict::Undecodable | Verdict::Deafened => RxError::Undecodable,
    };
    mac.on_rx_error(now, error);
}

/// Notifies stations in order that a signal starts, up to the first one that needs an entry in the books.
/// `ADDS_UP` is [`Reception::adds_up`] of the rules.
#[inline(always)]
fn begin_until_noted<const ADDS_UP: bool>(
    signal: Passing,
    hearers: &mut std::slice::Iter<'_, Hearer>,
    rules: &Reception,
    nodes: &mut Nodes,
    common: &mut Common,
) -> Option<(Hearer, Arrived)> {
    let Passing { tx, start, airtime, body } = signal;
    let every = nodes.meters.is_some();
    let (nodes, accesses) = (nodes.as_mut_slice(), common.agenda.accesses());
    for &h in hearers {
        let node = &mut nodes[h.node.index()];
        if !node.up {
            continue;
        }
        let now = start + h.delay();
        let end = now + airtime;
        let transmitting = node.mac.is_transmitting(now);
        let signal = Signal { tx, end, power: h.power, body };
        let arrived = if ADDS_UP {
            node.receiver.begin_sinr(now, signal, transmitting, rules)
        } else {
            node.receiver.begin_capture(now, signal, transmitting, rules)
        };
        if node.mac.on_busy(now, end) {
            accesses.postpone(h.node.index(), end + node.mac.timing().difs);
        }
        if arrived.lost.is_some() || arrived.captured_over || every {
            return Some((h, arrived));
        }
    }
    None
}

#[cfg(test)]
mod tests;
