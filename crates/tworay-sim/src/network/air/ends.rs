//! Frames of 802.11a/g/n/ac end at their hearers, and are judged there.

use super::antenna::Signal;
use super::judge::Reception;
use super::outline;
use crate::network::Network;
use crate::network::event::Event;
use crate::network::medium::on_air::Hearer;
use crate::observe::Fact;
use crate::observe::loss::attempts::Failure;
use tworay_base::{NodeId, SimTime};
use tworay_mac::Frame;
use tworay_mac::hcf::{AirFrame, AirKind};
use tworay_radio::Verdict;

/// A frame as judged at one station: bit i of `good` stands for packet i.
struct Judged {
    verdict: Verdict,
    good: u64,
}

impl Network {
    /// A transmission ends at its hearers, until another event comes first.
    #[inline(never)]
    pub(crate) fn air_end(&mut self, tx: u32) {
        let base = self.common.now;
        let (Some(radio), Some(air)) = (&mut self.radio, &mut self.air) else { return };
        let Some(frame) = air.sent[tx as usize].take() else { return };
        let origin = radio.medium.get(tx).start + frame.airtime;
        let mut turns = radio.turns(tx, origin, base, false);
        while let Some((hearer, at)) = turns.next(&self.common.agenda) {
            self.common.now = at;
            self.air_end_at(tx, &frame, hearer);
        }
        let (Some(radio), Some(air)) = (&mut self.radio, &mut self.air) else { return };
        match radio.end_turns(turns) {
            Some(at) => {
                air.sent[tx as usize] = Some(frame);
                self.common.agenda.push(at, Event::End(tx));
            }
            None => {
                radio.medium.retire(tx);
                frame.packets.iter().for_each(|packet| self.common.packets.unpin(packet.packet));
                self.common.watch(|| Fact::Passed { tx });
            }
        }
        self.common.now = base;
    }

    fn air_end_at(&mut self, tx: u32, frame: &AirFrame, h: Hearer) {
        let (Some(radio), Some(air)) = (&mut self.radio, &mut self.air) else { return };
        let now = self.common.now;
        let Some(signal) = air.station(h.node).antenna.end(tx) else {
            if self.common.watched() {
                let up = self.nodes[h.node].up;
                let deaf = air.station(h.node).hcf.is_transmitting(now);
                let verdict = if deaf { Verdict::Deaf } else { Verdict::NotHeard };
                let medium = &radio.medium;
                let shown = outline(frame);
                self.common.observe(Fact::Ended { tx, frame: &shown, hearer: h, verdict, up, medium });
            }
            return;
        };
        if !self.nodes[h.node].up {
            return;
        }
        self.common.agenda.events += 1;
        let judged = self.air_judge(tx, frame, h.node, signal);
        if self.common.watched()
            && let Some(radio) = &self.radio
        {
            let (verdict, medium, shown) = (judged.verdict, &radio.medium, outline(frame));
            self.common.observe(Fact::Ended { tx, frame: &shown, hearer: h, verdict, up: true, medium });
        }
        match judged.verdict {
            Verdict::Good => self.air_hear(frame, h.node, judged.good),
            // A header that isn't decoded starts no reception (§10.3.2.3.7 asks for EIFS after one).
            Verdict::Undecodable => {}
            _ => {
                if let Some(air) = &mut self.air {
                    air.station(h.node).hcf.on_bad_frame(now);
                }
            }
        }
        self.air_arm(h.node);
    }

    /// A frame of which at least a part was decoded.
    fn air_hear(&mut self, frame: &AirFrame, node: NodeId, good: u64) {
        let now = self.common.now;
        let for_others = frame.to != node && !frame.to.is_broadcast();
        if frame.kind.has_packets() {
            self.nodes[node].router.on_heard(now, frame.from);
            if let Some(meters) = &mut self.nodes.meters {
                meters.received(now, node, &outline(frame), &mut self.common.agenda);
            }
            if for_others && self.nodes[node].router.wants_tap() {
                for (i, packet) in frame.packets.iter().enumerate() {
                    if good >> i & 1 == 1 {
                        self.tap_packet(node, packet.packet, frame.from, frame.to);
                    }
                }
            }
        }
        if for_others
            && let Some(air) = &mut self.air
            && air.station(node).hcf.on_overheard(now, frame)
        {
            return;
        }
        self.air_frame(node, frame, good);
    }

    /// Judges a frame at a station that has detected its preamble.
    fn air_judge(&mut self, tx: u32, frame: &AirFrame, node: NodeId, signal: Signal) -> Judged {
        let (Some(radio), Some(air)) = (&mut self.radio, &mut self.air) else {
            return Judged { verdict: Verdict::NotHeard, good: 0 };
        };
        let start = radio.medium.get(tx).start;
        let meant = frame.to == node || frame.to.is_broadcast();
        // Nobody may receive the rest of a frame whose sender lost its power.
        let down = self.nodes[frame.from].down_since;
        if down != SimTime::NEVER && down >= start {
            return Judged { verdict: Verdict::Corrupt, good: 0 };
        }
        if radio.cuts.between(frame.from, node) {
            if frame.to == node {
                self.air_lost(tx, frame, node, Failure::OutOfRange);
            }
            return Judged { verdict: Verdict::Undecodable, good: 0 };
        }
        let judge = &air.judge;
        let station = &mut air.stations[node.index()];
        let luck = &mut station.luck;
        let reception = Reception::new(signal, frame, &station.antenna);
        if let Some(failure) = judge.header(reception, luck) {
            if meant {
                self.air_lost(tx, frame, node, failure);
            }
            return Judged { verdict: Verdict::Undecodable, good: 0 };
        }
        let tapped = self.nodes[node].router.wants_tap();
        if !meant && !tapped {
            let good = judge.any(reception, luck);
            let verdict = if good { Verdict::Good } else { Verdict::Corrupt };
            return Judged { verdict, good: u64::from(good) };
        }
        // What errors would have destroyed at any rate is not the rate's.
        let mut fate = |part: (u32, u32)| {
            let failure = judge.bytes(reception, part, luck);
            let Some(errors) = &mut radio.errors else { return failure };
            let shown = Frame { bytes: part.1 - part.0, ..outline(frame) };
            match failure {
                Some(Failure::Rate) if errors.would_corrupt(&shown, node) => Some(Failure::Errors),
                Some(failure) => Some(failure),
                None => errors.corrupts(&shown, node).then_some(Failure::Errors),
            }
        };
        if frame.packets.is_empty() {
            let failure = fate((0, frame.bytes));
            if let Some(failure) = failure {
                if meant {
                    self.air_lost(tx, frame, node, failure);
                }
                return Judged { verdict: verdict_of(failure), good: 0 };
            }
            if meant && !frame.kind.is_answer() {
                self.common.observe(Fact::Fates { tx, frame, node, fates: &[], interferer: None });
            }
            return Judged { verdict: Verdict::Good, good: 1 };
        }
        let mut good = 0;
        let mut fates: Vec<Option<Failure>> = Vec::with_capacity(frame.packets.len());
        for (i, packet) in frame.packets.iter().enumerate() {
            let failure = fate((packet.from, packet.to));
            good |= u64::from(failure.is_none()) << i;
            fates.push(failure);
        }
        let verdict = if good == 0 { verdict_of(fates[0].unwrap_or(Failure::Errors)) } else { Verdict::Good };
        if meant {
            self.air_fates(tx, frame, node, &fates);
        }
        Judged { verdict, good }
    }

    /// Reports the fates of a frame's packets at a station that it is for.
    fn air_fates(&mut self, tx: u32, frame: &AirFrame, node: NodeId, fates: &[Option<Failure>]) {
        let Some(radio) = &self.radio else { return };
        let collided = fates.contains(&Some(Failure::Collided));
        let interferer = if collided { radio.medium.interferer(tx, node) } else { None };
        self.common.observe(Fact::Fates { tx, frame, node, fates, interferer });
        let shown = outline(frame);
        if collided {
            let medium = &radio.medium;
            self.common.observe(Fact::Collided { tx, frame: &shown, node, medium });
        } else if fates.iter().flatten().next().is_some() {
            self.common.observe(Fact::Corrupted { frame: &shown, node });
        }
        debug_assert!(frame.kind != AirKind::Aggregate || fates.len() > 1, "aggregates have several packets");
    }
}

fn verdict_of(failure: Failure) -> Verdict {
    if failure == Failure::Collided { Verdict::Collided } else { Verdict::Corrupt }
}
