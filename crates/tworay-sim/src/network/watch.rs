//! The watchers: capture, animation and record. They never change a run, and cost nothing when none is
//! active.

use super::common::UNTRACKED;
use super::packets::PacketSlab;
use crate::animation::Animation;
use crate::capture::{Capture, FrameResult, Layout};
use crate::ledger::{Carries, LossRecord};
use crate::medium::{Hearer, Medium};
use crate::medium_log::{MediumLog, Reception};
use crate::record::Recorder;
use std::io;
use std::path::Path;
use tworay_base::{NodeId, PacketId, SimTime};
use tworay_mac::{Frame, FrameKind, MacConfig};
use tworay_mobility::Track;
use tworay_radio::Verdict;
use tworay_routing::RoutingNote;
use tworay_wire::Packet;

/// All watchers of a run.
#[derive(Default)]
pub(crate) struct Watchers {
    capture: Option<Box<Capture>>,
    animation: Option<Box<Animation>>,
    recorder: Option<Box<Recorder>>,
    medium_log: Option<Box<MediumLog>>,
    /// Whether any is active.
    pub on: bool,
}

impl Watchers {
    /// Starts a capture of transmissions in a file at `path`.
    pub fn capture_to(&mut self, path: &Path, layout: &Layout, mac: &MacConfig) -> io::Result<()> {
        self.capture = Some(Box::new(Capture::create(path, layout, mac)?));
        self.on = true;
        Ok(())
    }

    /// Starts an animation of transmissions at `path`; `flows` are the end nodes of each flow.
    pub fn animate_to(
        &mut self,
        path: &Path,
        tracks: Vec<Track>,
        end: SimTime,
        flows: &[(NodeId, NodeId)],
    ) -> io::Result<()> {
        self.animation = Some(Box::new(Animation::create(path, tracks, end, flows)?));
        self.on = true;
        Ok(())
    }

    /// Starts recording; `ranges` are the decoding and sensing range, m.
    pub fn record(&mut self, ranges: Option<(f64, f64)>) {
        self.recorder = Some(Box::new(Recorder::new(ranges)));
        self.on = true;
    }

    /// Starts a log of the medium.
    pub fn log_medium(&mut self) {
        self.medium_log = Some(Box::default());
        self.on = true;
    }

    /// Takes the log of the medium, if there is one.
    pub fn take_medium_log(&mut self) -> Option<Box<MediumLog>> {
        self.medium_log.take()
    }

    /// Takes the record, if there is one.
    pub fn take_record(&mut self) -> Option<Box<Recorder>> {
        self.recorder.take()
    }

    /// Completes the animation, if there is one.
    pub fn finish_animation(&mut self) -> io::Result<()> {
        self.animation.take().map_or(Ok(()), |animation| animation.finish())
    }

    /// Completes the capture, if there is one.
    pub fn finish_capture(&mut self) -> io::Result<()> {
        self.capture.take().map_or(Ok(()), |capture| capture.finish())
    }

    /// Whether every hearer of a frame is of interest, including those that cannot decode it.
    pub fn wants_every_hearer(&self) -> bool {
        self.on
    }

    /// A frame transmission starts; `held` is the packet that the sender's MAC is working on.
    #[cold]
    pub fn transmitted(
        &mut self,
        now: SimTime,
        (tx, frame): (u32, &Frame),
        held: Option<PacketId>,
        packets: &PacketSlab,
        medium: &Medium,
    ) {
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
            recorder.transmitted(now, tx, frame, packet);
        }
        if let Some(log) = &mut self.medium_log {
            log.transmitted(now, tx, frame, packet);
        }
        let rx_threshold = medium.channel().rx_threshold();
        let reaches = |h: &Hearer| h.node == frame.to && h.power >= rx_threshold;
        if !frame.to.is_broadcast() && !medium.hearers(tx).iter().any(reaches) {
            self.note(tx, frame.to, FrameResult::OutOfRange, medium);
        }
    }

    /// Records how a station received a frame addressed to it.
    fn note(&mut self, tx: u32, node: NodeId, fate: FrameResult, medium: &Medium) {
        if let Some(capture) = &mut self.capture {
            capture.note(tx, node, fate);
        }
        if let Some(recorder) = &mut self.recorder {
            let interferer = if fate == FrameResult::Collision { medium.interferer(tx, node) } else { None };
            recorder.fate(tx, fate, interferer);
        }
    }

    /// Outcome of a frame at one of its hearers; `up` says whether that node is switched on.
    #[cold]
    pub fn received(
        &mut self,
        now: SimTime,
        (tx, frame): (u32, &Frame),
        h: Hearer,
        (verdict, up): (Verdict, bool),
        packets: &PacketSlab,
        medium: &Medium,
    ) {
        let meant = frame.to == h.node || frame.to.is_broadcast();
        if let (true, Verdict::Good, Some(animation), Some(packet)) =
            (meant, verdict, &mut self.animation, frame.packet)
        {
            animation.received(now, tx, h.node, frame, packets.get(packet));
        }
        if !meant || h.power < medium.channel().rx_threshold() {
            return;
        }
        if let Some(log) = &mut self.medium_log {
            log.ended(tx, Reception { node: h.node, up, verdict });
        }
        let fate = match verdict {
            _ if !up => FrameResult::NodeDown,
            Verdict::Good => FrameResult::Received,
            Verdict::Collided => FrameResult::Collision,
            // Strong enough to be decoded, so the link is cut.
            Verdict::Undecodable => FrameResult::OutOfRange,
            Verdict::Corrupt => FrameResult::ChannelError,
            Verdict::NotHeard | Verdict::Deafened | Verdict::Deaf => FrameResult::ReceiverBusy,
        };
        self.note(tx, h.node, fate, medium);
    }

    /// The station that a frame was addressed to did not answer it.
    #[cold]
    pub fn refused(&mut self, tx: u32, node: NodeId, medium: &Medium) {
        self.note(tx, node, FrameResult::NotAnswered, medium);
    }

    /// A frame was lost to overlap at a station it was addressed to.
    pub fn collided(&mut self, tx: u32, node: NodeId, medium: &Medium) {
        if let Some(log) = &mut self.medium_log {
            log.ended(tx, Reception { node, up: true, verdict: Verdict::Collided });
        }
        self.note(tx, node, FrameResult::Collision, medium);
    }

    /// A transmission has ended at all hearers.
    pub fn ended(&mut self, tx: u32) {
        if let Some(capture) = &mut self.capture {
            capture.ended(tx);
        }
    }

    /// The last copy of `packet` is gone.
    #[cold]
    pub fn lost(&mut self, now: SimTime, packet: &Packet, loss: &LossRecord) {
        if let Some(capture) = &mut self.capture {
            capture.lost(now, packet, loss);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.lost(loss);
        }
    }

    /// A wire starts to send a packet.
    pub fn wired(&mut self, now: SimTime, wire: u16, packet: &Packet) {
        if let Some(capture) = &mut self.capture {
            capture.wired(now, wire, packet);
        }
    }

    /// A transport sends a packet; `again` marks a retransmission.
    #[cold]
    pub fn sent(&mut self, now: SimTime, packet: &Packet, carries: Option<Carries>, again: bool) {
        if let (Some(recorder), Some(carries)) = (&mut self.recorder, carries) {
            recorder.sent(now, packet, carries, again);
        }
    }

    /// The first copy of a tracked packet has reached its destination.
    #[cold]
    pub fn arrived(&mut self, now: SimTime, uid: u64, hops: u8) {
        if let Some(recorder) = &mut self.recorder {
            recorder.arrived(now, uid, hops);
        }
    }

    /// The number of packets in a node's interface queue changed to `packets`.
    #[cold]
    pub fn queued(&mut self, now: SimTime, node: NodeId, packets: usize) {
        if let Some(recorder) = &mut self.recorder {
            recorder.queued(now, node, packets);
        }
    }

    /// A packet leaves `node` for a neighbour.
    #[cold]
    pub fn routed(&mut self, now: SimTime, node: NodeId, packet: &Packet, next_hop: NodeId) {
        if let Some(recorder) = &mut self.recorder
            && packet.uid < UNTRACKED
            && !next_hop.is_broadcast()
        {
            recorder.routed(now, node, packet.dst, next_hop);
        }
    }

    /// Routing reported a note.
    #[cold]
    pub fn noted(&mut self, now: SimTime, node: NodeId, note: RoutingNote) {
        if let Some(recorder) = &mut self.recorder {
            recorder.noted(now, node, note);
        }
    }
}
