//! The observers that a run has only on request: capture, animation, record, log of the medium and trace of the wires.

use super::animation::Animation;
use super::capture::{Capture, FrameResult};
use super::fact::{Fact, View, WireEvent};
use super::loss::ledger::{Carries, LossRecord};
use super::medium_log::{MediumLog, Reception};
use super::record::Recorder;
use super::wire_trace::WireRecord;
use crate::network::hosts::gateway::Header;
use crate::network::medium::on_air::{Hearer, Medium};
use crate::network::packets::UNTRACKED;
use tworay_base::{NodeId, PacketId, SimTime};
use tworay_mac::{Frame, FrameKind};
use tworay_radio::Verdict;
use tworay_wire::Packet;

/// Observers on request.
#[derive(Default)]
pub(crate) struct Watchers {
    pub capture: Option<Box<Capture>>,
    pub animation: Option<Box<Animation>>,
    pub recorder: Option<Box<Recorder>>,
    pub medium_log: Option<Box<MediumLog>>,
    pub wire_trace: Option<Vec<WireRecord>>,
}

impl Watchers {
    /// Passes a fact to those that are concerned.
    #[cold]
    pub fn observe(&mut self, fact: Fact<'_>, view: View<'_>) {
        let now = view.now;
        match fact {
            Fact::Transmitted { tx, frame, held, faded, medium } => {
                self.transmitted((tx, frame, faded), held, medium, view)
            }
            Fact::OnAir { tx, frame } => {
                self.capture.iter_mut().for_each(|capture| capture.on_air(now, tx, frame, view.packets));
                self.recorder.iter_mut().for_each(|recorder| recorder.on_air(now, frame));
            }
            Fact::Fates { tx, node, fates, .. } => {
                self.capture.iter_mut().for_each(|capture| capture.note_parts(tx, node, fates));
            }
            Fact::Ended { tx, frame, hearer, verdict, up, medium } => {
                self.ended((tx, frame), hearer, (verdict, up), medium, view);
            }
            Fact::NotAnswered { tx, node, medium } => self.note(tx, node, FrameResult::NotAnswered, medium),
            Fact::Collided { tx, node, medium, .. } => {
                if let Some(log) = &mut self.medium_log {
                    log.ended(tx, Reception { node, up: true, verdict: Verdict::Collided, destroyed: false });
                }
                self.note(tx, node, FrameResult::Collision, medium);
            }
            Fact::Passed { tx } => self.capture.iter_mut().for_each(|capture| capture.ended(tx)),
            Fact::Wired { wire, ends, event, packet } => {
                if let Some(trace) = &mut self.wire_trace {
                    trace.push(WireRecord::new(ends, event, packet, view));
                }
                if event == WireEvent::Send {
                    let packet = view.packets.get(packet);
                    self.capture.iter_mut().for_each(|capture| capture.wired(now, wire, packet));
                }
            }
            Fact::Queued { node, packets } => {
                self.recorder.iter_mut().for_each(|r| r.queued(now, node, packets))
            }
            Fact::Noted { node, note } => self.recorder.iter_mut().for_each(|r| r.noted(now, node, note)),
            Fact::Routed { node, packet, next_hop } => {
                let packet = view.packets.get(packet);
                if let Some(recorder) = &mut self.recorder
                    && packet.uid < UNTRACKED
                    && !next_hop.is_broadcast()
                {
                    recorder.routed(now, node, packet.dst, next_hop);
                }
            }
            _ => {}
        }
    }

    /// Random errors above the MAC destroy a packet at `node` that came from `from`.
    #[cold]
    pub fn destroyed(&mut self, node: NodeId, from: NodeId) {
        self.medium_log.iter_mut().for_each(|log| log.destroyed(node, from));
    }

    /// A transport sends a packet.
    #[cold]
    pub fn sent(&mut self, packet: &Packet, carries: Carries, again: bool, now: SimTime) {
        self.recorder.iter_mut().for_each(|recorder| recorder.sent(now, packet, carries, again));
    }

    /// A real station sends a packet.
    #[cold]
    pub fn entered(&mut self, packet: &Packet, carries: Carries, header: &Header, now: SimTime) {
        self.recorder.iter_mut().for_each(|recorder| recorder.entered(now, packet, carries, header));
    }

    /// The first copy of a tracked packet has reached its destination.
    #[cold]
    pub fn arrived(&mut self, packet: &Packet, now: SimTime) {
        self.recorder.iter_mut().for_each(|recorder| recorder.arrived(now, packet.uid, packet.hops));
    }

    /// The ledger booked a loss: the last copy of `packet` is gone.
    #[cold]
    pub fn lost(&mut self, packet: &Packet, loss: &LossRecord, view: View<'_>) {
        if let Some(capture) = &mut self.capture {
            capture.lost(view.now, packet, loss);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.lost(loss);
        }
    }

    fn transmitted(
        &mut self,
        (tx, frame, faded): (u32, &Frame, bool),
        held: Option<PacketId>,
        medium: &Medium,
        view: View<'_>,
    ) {
        let View { now, packets } = view;
        if let Some(animation) = &mut self.animation {
            animation.transmitted(now, tx);
        }
        let packet = frame.packet.map(|p| packets.get(p));
        if let Some(capture) = &mut self.capture {
            capture.transmitted(now, tx, frame, packet);
        }
        // An RTS belongs to the packet that it announces.
        let held = held.filter(|_| frame.kind == FrameKind::Rts);
        let packet = packet.or(held.map(|p| packets.get(p)));
        if let Some(recorder) = &mut self.recorder {
            recorder.transmitted(now, tx, frame, packet, medium);
        }
        if let Some(log) = &mut self.medium_log {
            log.transmitted(now, tx, frame, packet);
        }
        let rx_threshold = medium.channel().rx_threshold();
        let reaches = |h: &Hearer| h.node == frame.to && h.power >= rx_threshold;
        if !frame.to.is_broadcast() && !medium.hearers(tx).iter().any(reaches) {
            let result = if faded { FrameResult::ChannelError } else { FrameResult::OutOfRange };
            self.note(tx, frame.to, result, medium);
        }
    }

    /// Records how a station received a frame addressed to it.
    fn note(&mut self, tx: u32, node: NodeId, result: FrameResult, medium: &Medium) {
        if let Some(capture) = &mut self.capture {
            capture.note(tx, node, result);
        }
        if let Some(recorder) = &mut self.recorder {
            let interferer =
                if result == FrameResult::Collision { medium.interferer(tx, node) } else { None };
            recorder.fate(tx, result, interferer);
        }
    }

    /// A frame ended at one of its hearers; `up`: that node is switched on.
    fn ended(
        &mut self,
        (tx, frame): (u32, &Frame),
        h: Hearer,
        (verdict, up): (Verdict, bool),
        medium: &Medium,
        view: View<'_>,
    ) {
        let meant = frame.to == h.node || frame.to.is_broadcast();
        if let (true, Verdict::Good, Some(animation), Some(packet)) =
            (meant, verdict, &mut self.animation, frame.packet)
        {
            animation.received(view.now, tx, h.node, frame, view.packets.get(packet));
        }
        if !meant || h.power < medium.channel().rx_threshold() {
            return;
        }
        if let Some(log) = &mut self.medium_log {
            log.ended(tx, Reception { node: h.node, up, verdict, destroyed: false });
        }
        let result = match verdict {
            _ if !up => FrameResult::NodeDown,
            // Its sender is.
            Verdict::CutOff => FrameResult::NodeDown,
            Verdict::Good => FrameResult::Received,
            Verdict::Collided => FrameResult::Collision,
            // Strong enough to be decoded, so the link is cut.
            Verdict::Undecodable => FrameResult::OutOfRange,
            Verdict::Corrupt | Verdict::Weak => FrameResult::ChannelError,
            Verdict::NotHeard | Verdict::Deafened | Verdict::Deaf => FrameResult::ReceiverBusy,
        };
        self.note(tx, h.node, result, medium);
    }
}
