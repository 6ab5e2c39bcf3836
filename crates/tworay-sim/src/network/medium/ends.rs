//! Frames of the DSSS radio end at their hearers.

use crate::network::Network;
use crate::network::event::Event;
use crate::network::medium::bad_end;
use crate::network::medium::on_air::Hearer;
use crate::observe::Fact;
use tworay_base::{NodeId, SimTime};
use tworay_mac::Frame;
use tworay_radio::Verdict;

impl Network {
    /// A transmission ends. As in `Radio::begin`, hearers share one event if nothing else comes between
    /// them.
    ///
    /// Kept out of line, with [`Network::end_at`] inlined: calling that for each hearer takes up to 4 % more
    /// instructions.
    #[inline(never)]
    pub(crate) fn on_end(&mut self, tx: u32) {
        if self.air.is_some() {
            return self.air_end(tx);
        }
        let Some(radio) = &mut self.radio else { return };
        let base = self.common.now;
        let ending = radio.ending(&self.nodes, &mut self.common, tx);
        let frame = ending.frame;
        if ending.alone {
            let hearers = radio.take_hearers(tx);
            if self.common.watched() {
                self.end_at_every(tx, ending.origin, &frame, &hearers);
            } else {
                for &hearer in &hearers {
                    if self.nodes[hearer.node].receiver.reads(tx) {
                        self.common.now = ending.origin + hearer.delay();
                        self.end_at::<false>(tx, &frame, hearer);
                    }
                }
            }
            if let Some(radio) = &mut self.radio {
                radio.give_back(tx, hearers);
                radio.retire(&mut self.common, tx, &frame);
            }
        } else {
            self.end_by_turns(tx, ending.origin, &frame);
        }
        self.common.now = base;
    }

    /// Ends a transmission at all its hearers, also at those that do not receive it, because an observer shows
    /// each of them.
    #[cold]
    #[inline(never)]
    fn end_at_every(&mut self, tx: u32, origin: SimTime, frame: &Frame, hearers: &[Hearer]) {
        for &hearer in hearers {
            self.common.now = origin + hearer.delay();
            self.end_at::<true>(tx, frame, hearer);
        }
    }

    /// Ends a transmission at its hearers until another event comes first; then its end goes on later.
    #[cold]
    fn end_by_turns(&mut self, tx: u32, origin: SimTime, frame: &Frame) {
        let Some(radio) = &mut self.radio else { return };
        let mut turns = radio.turns(tx, origin, self.common.now, false);
        while let Some((hearer, at)) = turns.next(&self.common.agenda) {
            self.common.now = at;
            self.end_at::<true>(tx, frame, hearer);
        }
        let Some(radio) = &mut self.radio else { return };
        match radio.end_turns(turns) {
            Some(at) => self.common.agenda.push(at, Event::End(tx)),
            None => radio.retire(&mut self.common, tx, frame),
        }
    }

    /// A transmission ends at one hearer. `WATCHED`: there may be observers on request.
    #[inline(always)]
    fn end_at<const WATCHED: bool>(&mut self, tx: u32, frame: &Frame, h: Hearer) {
        let Some(radio) = &mut self.radio else { return };
        let now = self.common.now;
        let verdict = radio.verdict::<WATCHED>(&mut self.nodes, &mut self.common, tx, frame, h);
        if verdict == Verdict::NotHeard {
            return;
        }
        self.common.agenda.events += 1;
        let node = &mut self.nodes[h.node];
        if !node.up {
            return;
        }
        let Verdict::Good = verdict else {
            if verdict == Verdict::Collided {
                radio.count_collision(&self.nodes, &mut self.common, h.node, tx);
            } else if verdict == Verdict::Weak {
                radio.count_weak(&self.nodes, &mut self.common, h.node, tx);
            }
            return bad_end(&mut self.nodes[h.node].mac, now, verdict);
        };
        let for_others = frame.to != h.node && !frame.to.is_broadcast();
        if let Some(packet) = frame.packet {
            node.router.on_heard(now, frame.from);
            if let Some(meters) = &mut self.nodes.meters {
                meters.received(now, h.node, frame, &mut self.common.agenda);
            }
            if for_others && self.nodes[h.node].router.wants_tap() {
                self.tap_packet(h.node, packet, frame.from, frame.to);
            }
        }
        let mac = &mut self.nodes[h.node].mac;
        if for_others && mac.only_overhears() {
            if mac.on_overheard(now, frame) {
                let access = mac.contention_deadline();
                self.common.agenda.set_access(h.node, access);
            }
            return;
        }
        self.hand_up(tx, frame, h.node);
    }

    /// A valid frame for the station's own MAC.
    #[inline(never)]
    fn hand_up(&mut self, tx: u32, frame: &Frame, node: NodeId) {
        if self.common.watched() {
            return self.hand_up_watched(tx, frame, node);
        }
        self.with_mac(node, |mac, now, out| mac.on_frame(now, frame, out));
    }

    /// As [`Network::hand_up`]; reports whether the MAC refused the frame.
    #[cold]
    #[inline(never)]
    fn hand_up_watched(&mut self, tx: u32, frame: &Frame, node: NodeId) {
        let refused = self.nodes[node].mac.counters().busy;
        self.with_mac(node, |mac, now, out| mac.on_frame(now, frame, out));
        if frame.to == node
            && self.nodes[node].mac.counters().busy > refused
            && let Some(radio) = &self.radio
        {
            self.common.observe(Fact::NotAnswered { tx, node, medium: radio.medium() });
        }
    }
}
