//! What the recorder is told. Nothing here runs without one.

use super::Network;
use crate::record::Recorder;
use tworay_base::{NodeId, PacketId};
use tworay_routing::RoutingNote;

impl Network {
    /// Records from now on what happens.
    pub(crate) fn record(&mut self) {
        let ranges = self.medium.as_ref().and_then(|m| {
            let channel = m.channel();
            let of = |threshold: f64| Some(channel.range_of(threshold)).filter(|r| r.is_finite() && *r > 0.0);
            of(channel.rx_threshold()).zip(of(channel.cs_threshold()))
        });
        self.recorder = Some(Box::new(Recorder::new(ranges)));
        self.watched = true;
    }

    /// The complete record, if there is one.
    pub(crate) fn take_record(&mut self) -> Option<Box<Recorder>> {
        let mut recorder = self.recorder.take()?;
        if self.medium.is_some() {
            let end = self.end;
            recorder.moved(self.tracks.iter_mut().map(|t| t.legs_until(end).to_vec()).collect());
        }
        Some(recorder)
    }

    /// A transport sends `packet`.
    #[cold]
    pub(super) fn record_sent(&mut self, packet: PacketId) {
        let Some(recorder) = &mut self.recorder else { return };
        let p = self.packets.get(packet);
        let Some(carries) = self.ledger.carries(p.uid) else { return };
        let flow = self.flows.get(p.flow.index());
        let again = flow.and_then(|f| f.resent.last()).is_some_and(|r| r.uid == p.uid);
        recorder.sent(self.now, p, carries, again);
    }

    /// The first copy of a tracked packet has reached its destination.
    #[cold]
    pub(super) fn record_arrival(&mut self, uid: u64, hops: u8) {
        if let Some(recorder) = &mut self.recorder {
            recorder.arrived(self.now, uid, hops);
        }
    }

    /// Packets have entered or left an interface queue.
    #[cold]
    pub(super) fn record_queue(&mut self, node: NodeId) {
        if let Some(recorder) = &mut self.recorder {
            recorder.queued(self.now, node, self.nodes[node.index()].queue.len());
        }
    }

    /// A packet leaves `node` for a neighbour.
    #[cold]
    pub(super) fn record_hop(&mut self, node: NodeId, packet: PacketId, next_hop: NodeId) {
        let p = self.packets.get(packet);
        if let Some(recorder) = &mut self.recorder
            && p.uid < super::UNTRACKED
            && !next_hop.is_broadcast()
        {
            recorder.routed(self.now, node, p.dst, next_hop);
        }
    }

    /// Routing has something to tell.
    pub(super) fn record_note(&mut self, node: NodeId, note: RoutingNote) {
        if let Some(recorder) = &mut self.recorder {
            recorder.noted(self.now, node, note);
        }
    }
}
