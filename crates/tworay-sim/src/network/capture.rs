//! What capture, animation and record are told of frames and losses. Nothing here runs without one of them.

use super::Network;
use crate::animation::Animation;
use crate::capture::{Capture, Fate, Layout};
use crate::medium::Hearer;
use std::io;
use std::path::Path;
use tworay_base::{NodeId, PacketId};
use tworay_mac::{Frame, FrameKind};
use tworay_radio::Verdict;

impl Network {
    /// Captures what is sent from now on in a file at `path`, with a remark in its header.
    pub(crate) fn capture_to(&mut self, path: &Path, megahertz: u16, comment: String) -> io::Result<()> {
        let radios = if self.medium.is_some() { self.nodes.len() } else { 0 };
        let layout = Layout { radios, wires: self.wires.ends(), megahertz, comment };
        self.capture = Some(Box::new(Capture::create(path, &layout, &self.mac_config)?));
        self.watched = true;
        Ok(())
    }

    /// Shows what is sent from now on in an animation at `path`; `flows` are the ends of each flow.
    pub(crate) fn animate_to(&mut self, path: &Path, flows: &[(NodeId, NodeId)]) -> io::Result<()> {
        let animation = Animation::create(path, self.tracks.clone(), self.end, flows)?;
        self.animation = Some(Box::new(animation));
        self.watched = true;
        Ok(())
    }

    /// Completes the animation, if there is one.
    pub(crate) fn finish_animation(&mut self) -> io::Result<()> {
        self.animation.take().map_or(Ok(()), |animation| animation.finish())
    }

    /// Completes the capture, if there is one.
    pub(crate) fn finish_capture(&mut self) -> io::Result<()> {
        self.capture.take().map_or(Ok(()), |capture| capture.finish())
    }

    #[cold]
    pub(super) fn capture_frame(&mut self, tx: u32, frame: &Frame) {
        if let Some(animation) = &mut self.animation {
            animation.transmitted(self.now, tx);
        }
        let packet = frame.packet.map(|p| self.packets.get(p));
        if let Some(capture) = &mut self.capture {
            capture.transmitted(self.now, tx, frame, packet);
        }
        if let Some(recorder) = &mut self.recorder {
            // An RTS is part of the story of the packet that it announces.
            let held = self.nodes[frame.from.index()].mac.holds().filter(|_| frame.kind == FrameKind::Rts);
            recorder.transmitted(self.now, tx, frame, packet.or(held.map(|p| self.packets.get(p))));
        }
        let Some(medium) = &self.medium else { return };
        let rx_threshold = medium.channel().rx_threshold();
        let reaches = |h: &Hearer| h.node == frame.to && h.power >= rx_threshold;
        if !frame.to.is_broadcast() && !medium.hearers(tx).iter().any(reaches) {
            self.note_fate(tx, frame.to, Fate::OutOfRange);
        }
    }

    /// What became of a frame at one of its hearers.
    #[cold]
    pub(super) fn capture_fate(&mut self, tx: u32, frame: &Frame, h: Hearer, verdict: Verdict) {
        let meant = frame.to == h.node || frame.to.is_broadcast();
        if let (true, Verdict::Good, Some(animation), Some(packet)) =
            (meant, verdict, &mut self.animation, frame.packet)
        {
            animation.received(self.now, tx, h.node, frame, self.packets.get(packet));
        }
        let Some(medium) = &self.medium else { return };
        if !meant || h.power < medium.channel().rx_threshold() {
            return;
        }
        let fate = match verdict {
            _ if !self.nodes[h.node.index()].up => Fate::NodeDown,
            Verdict::Good => Fate::Received,
            Verdict::Collided | Verdict::Undecodable => Fate::Collision,
            Verdict::Corrupt => Fate::ChannelError,
            Verdict::NotHeard | Verdict::Deafened | Verdict::Deaf => Fate::ReceiverBusy,
        };
        self.note_fate(tx, h.node, fate);
    }

    /// The station that `frame` was for had refused to answer `before` times; if it did once more, the
    /// frame is to blame.
    #[cold]
    pub(super) fn capture_refusal(&mut self, tx: u32, frame: &Frame, before: u64) {
        if self.nodes[frame.to.index()].mac.counters().busy > before {
            self.note_fate(tx, frame.to, Fate::NotAnswered);
        }
    }

    /// How a frame fared at a station it was for.
    fn note_fate(&mut self, tx: u32, node: NodeId, fate: Fate) {
        if let Some(capture) = &mut self.capture {
            capture.note(tx, node, fate);
        }
        if let (Some(recorder), Some(medium)) = (&mut self.recorder, &self.medium) {
            let interferer = if fate == Fate::Collision { medium.interferer(tx, node) } else { None };
            recorder.fate(tx, fate, interferer);
        }
    }

    /// A frame was spoiled by overlap at a station it was meant for.
    pub(super) fn capture_collision(&mut self, tx: u32, node: NodeId) {
        if self.watched {
            self.note_fate(tx, node, Fate::Collision);
        }
    }

    /// A copy of `packet` is gone: if it was the last, the ledger has a new entry.
    pub(super) fn capture_loss(&mut self, packet: PacketId, booked_before: usize) {
        if !self.watched {
            return;
        }
        let Some(loss) = self.ledger.records().get(booked_before) else { return };
        if let Some(capture) = &mut self.capture {
            capture.lost(self.now, self.packets.get(packet), loss);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.lost(loss);
        }
    }

    pub(super) fn capture_wire(&mut self, wire: u16, packet: PacketId) {
        if let Some(capture) = &mut self.capture {
            capture.wired(self.now, wire, self.packets.get(packet));
        }
    }
}
