//! What the capture and the animation are told. Nothing here runs when there is neither.

use super::Network;
use crate::animation::Animation;
use crate::capture::{Capture, Fate, Layout};
use crate::medium::Hearer;
use std::io;
use std::path::Path;
use tworay_base::{NodeId, PacketId};
use tworay_mac::Frame;
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
        let (Some(capture), Some(medium)) = (&mut self.capture, &self.medium) else { return };
        capture.transmitted(self.now, tx, frame, frame.packet.map(|p| self.packets.get(p)));
        let rx_threshold = medium.channel().rx_threshold();
        let reaches = |h: &Hearer| h.node == frame.to && h.power >= rx_threshold;
        if !frame.to.is_broadcast() && !medium.hearers(tx).iter().any(reaches) {
            capture.note(tx, frame.to, Fate::OutOfRange);
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
        let (Some(capture), Some(medium)) = (&mut self.capture, &self.medium) else { return };
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
        capture.note(tx, h.node, fate);
    }

    /// The station that `frame` was for had refused to answer `before` times; if it did once more, the
    /// frame is to blame.
    #[cold]
    pub(super) fn capture_refusal(&mut self, tx: u32, frame: &Frame, before: u64) {
        let Some(capture) = &mut self.capture else { return };
        if self.nodes[frame.to.index()].mac.counters().busy > before {
            capture.note(tx, frame.to, Fate::NotAnswered);
        }
    }

    /// A frame was spoiled by overlap at a station it was meant for.
    pub(super) fn capture_collision(&mut self, tx: u32, node: NodeId) {
        if let Some(capture) = &mut self.capture {
            capture.note(tx, node, Fate::Collision);
        }
    }

    /// A copy of `packet` is gone: if it was the last, the ledger has a new entry.
    pub(super) fn capture_loss(&mut self, packet: PacketId, booked_before: usize) {
        let Some(capture) = &mut self.capture else { return };
        if let Some(loss) = self.ledger.records().get(booked_before) {
            capture.lost(self.now, self.packets.get(packet), loss);
        }
    }

    pub(super) fn capture_wire(&mut self, wire: u16, packet: PacketId) {
        if let Some(capture) = &mut self.capture {
            capture.wired(self.now, wire, self.packets.get(packet));
        }
    }
}
