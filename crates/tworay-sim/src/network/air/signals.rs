//! A frame of 802.11a/g/n/ac goes on the air, and starts at its hearers.

use super::antenna::{Begun, Signal};
use super::{outline, pin};
use crate::network::Network;
use crate::network::event::Event;
use crate::network::medium::on_air::Hearer;
use crate::observe::Fact;
use crate::observe::loss::attempts::Failure;
use tworay_base::{NodeId, SimTime};
use tworay_mac::hcf::{AirFrame, AirKind, MissingBlockAck};

impl Network {
    /// A station sends a frame.
    pub(super) fn air_transmit(&mut self, node: NodeId, frame: AirFrame) {
        let (Some(radio), Some(air)) = (&mut self.radio, &mut self.air) else { return };
        let now = self.common.now;
        let shown = outline(&frame);
        let tx = radio.medium.transmit(now, &shown, &mut radio.tracks);
        let mut faded = false;
        if frame.to.is_broadcast() {
            if radio.medium.fades() {
                radio.note_faded(&self.nodes, &mut self.common, tx, &shown);
            }
        } else if !frame.kind.is_answer() || radio.medium.fades() {
            let noise = air.judge.noise(frame.mode);
            let hears = |h: &Hearer| h.node == frame.to && air.judge.detects_alone(h.power, noise);
            let heard = radio.medium.hearers(tx).iter().any(hears);
            let failure = match (self.nodes[frame.to].up, heard, radio.reaches(now, node, frame.to)) {
                (false, ..) => Failure::NodeDown,
                (true, _, false) => Failure::OutOfRange,
                (true, false, true) => Failure::Errors,
                (true, true, true) => Failure::Busy,
            };
            faded = failure == Failure::Errors;
            if !frame.kind.is_answer() {
                self.air_begin_attempt(&frame, failure);
            } else if !heard && failure != Failure::NodeDown {
                // Where fading let the frame through and not its answer, a hop that is out of range has failed by the range.
                self.common.observe(Fact::AirLost {
                    frame: &frame,
                    node: frame.to,
                    failure,
                    interferer: None,
                });
            }
        }
        let (Some(radio), Some(air)) = (&mut self.radio, &mut self.air) else { return };
        if self.common.watched() {
            let medium = &radio.medium;
            self.common.observe(Fact::OnAir { tx, frame: &frame });
            self.common.observe(Fact::Transmitted { tx, frame: &shown, held: None, faded, medium });
        }
        if let Some(meters) = &mut self.nodes.meters {
            meters.transmitted(now, node, &shown, &mut self.common.agenda);
        }
        let limits = air.judge.limits;
        let station = air.station(node);
        let left = station.antenna.own_transmission();
        let after = now + frame.airtime;
        if let Some(until) = station.antenna.energy_until(after, &limits) {
            station.hcf.on_busy(now, until);
        }
        pin(&mut self.common.packets, &frame);
        self.common.agenda.push(after, Event::End(tx));
        let slot = tx as usize;
        if slot >= air.sent.len() {
            air.sent.resize_with(slot + 1, || None);
        }
        air.sent[slot] = Some(Box::new(frame));
        if let Some(left) = left {
            self.air_left(left, node, Failure::Busy);
        }
        self.air_begin(tx);
    }

    /// A station sends a frame that asks for an answer, which fails for the reason `failure` if it gets none.
    fn air_begin_attempt(&mut self, frame: &AirFrame, failure: Failure) {
        let Some(air) = &mut self.air else { return };
        let config = air.station(frame.from).hcf.config();
        let asks = frame.kind == AirKind::Aggregate && config.missing == MissingBlockAck::Request;
        self.report(Fact::AirAttempted { frame, failure, asks });
    }

    /// A transmission starts to arrive at its hearers, until another event comes first.
    pub(crate) fn air_begin(&mut self, tx: u32) {
        let base = self.common.now;
        let (Some(radio), Some(air)) = (&mut self.radio, &mut self.air) else { return };
        let Some(frame) = air.sent[tx as usize].take() else { return };
        let start = radio.medium.get(tx).start;
        let mut turns = radio.turns(tx, start, base, true);
        while let Some((hearer, at)) = turns.next(&self.common.agenda) {
            self.common.now = at;
            self.common.agenda.events += 1;
            self.air_begin_at(tx, &frame, hearer, at);
        }
        let (Some(radio), Some(air)) = (&mut self.radio, &mut self.air) else { return };
        air.sent[tx as usize] = Some(frame);
        if let Some(at) = radio.end_turns(turns) {
            self.common.agenda.push(at, Event::Begin(tx));
        }
        self.common.now = base;
    }

    fn air_begin_at(&mut self, tx: u32, frame: &AirFrame, h: Hearer, now: SimTime) {
        let (Some(radio), Some(air)) = (&mut self.radio, &mut self.air) else { return };
        if !self.nodes[h.node].up {
            return;
        }
        if let Some(meters) = &mut self.nodes.meters {
            let readable = h.power >= radio.medium.channel().rx_threshold();
            meters.signal(now, h.node, &outline(frame), readable, &mut self.common.agenda);
        }
        let limits = air.judge.limits;
        let start = radio.medium.get(tx).start;
        let noise = air.judge.noise(frame.mode);
        let signal = Signal { tx, from: now, to: now + frame.airtime, power: h.power, noise };
        let clear = air.judge.detects_alone(h.power, noise);
        let station = air.station(h.node);
        let deaf = station.hcf.is_transmitting(now);
        let begun = station.antenna.begin(signal, deaf, &limits);
        let energy = station.antenna.energy_until(now.max(station.hcf.transmits_until()), &limits);
        match begun {
            Begun::Received { .. } => station.hcf.on_busy(now, signal.to),
            Begun::Interferes { lost: Some(_) } => station.hcf.on_less_busy(now, energy.unwrap_or(now)),
            Begun::Interferes { lost: None } => {}
        }
        if let Some(until) = energy {
            station.hcf.on_busy(now, until);
        }
        let (Begun::Received { lost } | Begun::Interferes { lost }) = begun;
        let deadline = station.hcf.deadline();
        self.common.agenda.set_timer(air.timer(h.node), deadline);
        let meant = frame.to == h.node || frame.to.is_broadcast();
        if meant && matches!(begun, Begun::Interferes { .. }) {
            let readable = h.power >= limits.preamble && !radio.cuts.between(frame.from, h.node);
            let judge = &air.judge;
            let failure = match (clear, deaf) {
                // Noise alone hides the preamble of a station in range.
                (false, _) => readable.then_some(Failure::Errors),
                // It sends, which the sender would have heard without fading.
                (true, true)
                    if radio
                        .is_deaf(start, frame.from, h.node, |power| judge.detects_alone(power, noise)) =>
                {
                    Some(Failure::Errors)
                }
                (true, true) => Some(Failure::Busy),
                (true, false) => Some(Failure::Collided),
            };
            if let Some(failure) = failure {
                self.air_lost(tx, frame, h.node, failure);
            }
        }
        if let Some(lost) = lost {
            self.air_left(lost, h.node, Failure::Collided);
        }
    }

    /// A station leaves a frame: during its preamble because of another signal, or because it transmits.
    fn air_left(&mut self, tx: u32, node: NodeId, failure: Failure) {
        let Some(air) = &mut self.air else { return };
        let Some(frame) = air.sent[tx as usize].take() else { return };
        if frame.to == node || frame.to.is_broadcast() {
            self.air_lost(tx, &frame, node, failure);
        }
        if let Some(air) = &mut self.air {
            air.sent[tx as usize] = Some(frame);
        }
    }

    /// The whole frame is lost at a station that it is for.
    pub(super) fn air_lost(&mut self, tx: u32, frame: &AirFrame, node: NodeId, failure: Failure) {
        let Some(radio) = &self.radio else { return };
        let by = matches!(failure, Failure::Collided | Failure::Busy);
        let interferer = if by { radio.medium.interferer(tx, node) } else { None };
        let shown = outline(frame);
        if frame.to.is_broadcast() {
            if failure == Failure::Busy {
                self.common.observe(Fact::Unheard { frame: &shown, node, interferer });
            }
        } else {
            self.common.observe(Fact::AirLost { frame, node, failure, interferer });
        }
        match failure {
            Failure::Collided => {
                let medium = &radio.medium;
                self.common.observe(Fact::Collided { tx, frame: &shown, node, medium });
            }
            Failure::Errors | Failure::Rate => self.common.observe(Fact::Corrupted { frame: &shown, node }),
            _ => {}
        }
    }
}
