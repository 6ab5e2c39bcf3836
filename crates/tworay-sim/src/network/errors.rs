//! Random errors: on frames at each receiver, on packets above the MAC.

use super::{Network, is_message};
use crate::provenance::Setback;
use tworay_base::{Died, LossCause, NodeId, PacketId, Purpose, RngStream};
use tworay_mac::{Frame, FrameKind};
use tworay_radio::{ErrorModel, ErrorModelConfig, ErrorsConfig, Verdict};
use tworay_wire::Packet;

/// The error models of all receivers; there are none if no errors are asked for.
pub(crate) struct Errors {
    frame: Vec<ErrorModel>,
    packet: Vec<ErrorModel>,
}

/// Streams of the error models begin here, apart from the receivers' own.
const FRAME_STREAMS: u64 = 1 << 32;
const PACKET_STREAMS: u64 = 2 << 32;

impl Errors {
    pub fn new(config: &ErrorsConfig, seed: u64, nodes: usize) -> Option<Box<Self>> {
        let models = |config: &ErrorModelConfig, first: u64| {
            let stream = |i| RngStream::numbered(seed, first + i as u64, Purpose::ChannelError);
            let count = if *config == ErrorModelConfig::None { 0 } else { nodes };
            (0..count).map(|i| ErrorModel::new(*config, stream(i))).collect()
        };
        (!config.is_none()).then(|| {
            Box::new(Self {
                frame: models(&config.frame_err, FRAME_STREAMS),
                packet: models(&config.pkt_err, PACKET_STREAMS),
            })
        })
    }
}

impl Network {
    /// What random errors, a cut link and a sender's death make of a frame that was received well.
    #[cold]
    pub(super) fn after_errors(&mut self, tx: u32, frame: &Frame, node: NodeId) -> Verdict {
        if self.any_damage && self.was_cut_off(tx, frame) {
            return Verdict::Corrupt;
        }
        if self.any_damage && self.cuts.between(frame.from, node) {
            return Verdict::Undecodable;
        }
        let model = self.errors.as_mut().and_then(|e| e.frame.get_mut(node.index()));
        if !model.is_some_and(|m| m.corrupts(8 * frame.bytes)) || !self.nodes[node.index()].up {
            return Verdict::Good;
        }
        if frame.to == node || frame.to.is_broadcast() {
            let packet = frame.packet.map(|p| self.packets.get(p));
            let message = packet.is_some_and(is_message);
            self.tally.corrupted.add(frame.kind, packet);
            if message && frame.to.is_broadcast() {
                self.note_missed(node, frame.from, LossCause::Channel);
            }
        }
        if frame.to == node {
            // The attempt of whoever waits for this frame, or for the answer to it, fails by the channel.
            let sender = match frame.kind {
                FrameKind::Rts | FrameKind::Data => frame.from,
                FrameKind::Cts | FrameKind::Ack => node,
            };
            self.nodes[sender.index()].fates.blame_channel();
        }
        Verdict::Corrupt
    }

    /// Whether a packet that the MAC has received is lost above it.
    pub(super) fn packet_errs(&mut self, node: NodeId, ip_bytes: u32) -> bool {
        let model = self.errors.as_mut().and_then(|e| e.packet.get_mut(node.index()));
        model.is_some_and(|m| m.corrupts(8 * ip_bytes))
    }

    /// The copy of `original` that arrived at `node` is lost there.
    pub(super) fn lose_copy(&mut self, node: NodeId, original: PacketId) {
        let copy: Packet = self.packets.get(original).clone();
        if copy.uid < super::UNTRACKED {
            self.ledger.copied(copy.uid);
        }
        let copy = self.packets.insert(copy);
        self.kill(copy, node, Died::Error, Setback::new(self.now, node, LossCause::Channel));
    }
}
