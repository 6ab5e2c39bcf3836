//! Inputs and actions of MACs.

use crate::network::Network;
use crate::observe::Fact;
use tworay_base::{NodeId, PacketId, SimTime};
use tworay_mac::{Dcf, MacAction};

impl Network {
    /// Passes an input to a MAC and carries out its actions.
    #[inline]
    pub(crate) fn with_mac(
        &mut self,
        node: NodeId,
        input: impl FnOnce(&mut Dcf, SimTime, &mut Vec<MacAction>),
    ) {
        let mut out = std::mem::take(&mut self.scratch.mac);
        input(&mut self.nodes[node].mac, self.common.now, &mut out);
        // Timers first: an action may call this MAC again, which then changes them.
        self.nodes.set_mac_timers(node, &mut self.common.agenda);
        if !out.is_empty() {
            self.apply_mac(node, &out);
            out.clear();
        }
        self.scratch.mac = out;
    }

    fn apply_mac(&mut self, node: NodeId, actions: &[MacAction]) {
        for action in actions {
            match *action {
                MacAction::Transmit(ref frame) => {
                    if let Some(radio) = &mut self.radio {
                        radio.transmit(&mut self.nodes, &mut self.common, node, frame);
                    }
                }
                MacAction::Deliver { packet, from } => self.on_delivery(node, packet, from),
                MacAction::Sent { packet } => {
                    self.sent(node, packet);
                    self.common.release(packet);
                }
                MacAction::Unanswered { to } => {
                    if let Some(radio) = &mut self.radio {
                        radio.unanswered(&self.nodes, &mut self.common, node, to);
                    }
                }
                MacAction::GaveUp(give_up) => self.on_give_up(node, give_up, false),
                MacAction::Ready => self.feed_mac(node),
            }
        }
    }

    /// The MAC of `node` is done with a packet; attempts with it may have failed before.
    #[inline]
    pub(crate) fn served_late(&mut self, node: NodeId, packet: PacketId) {
        if self.common.observers.failed_before(node, packet) {
            self.report(Fact::ServedLate { node, packet });
        }
    }

    /// The MAC of `node` is done with its packet, which was acknowledged or broadcast.
    #[inline]
    fn sent(&mut self, node: NodeId, packet: PacketId) {
        self.common.observe(Fact::Served { node });
        if self.plan.settings.mac.overload.pacing {
            let pauses = self.nodes[node].mac.paces();
            self.report(Fact::Paces { node, packet, pauses });
        }
        self.served_late(node, packet);
    }
}
