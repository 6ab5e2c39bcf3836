//! Orders to cut a link that wait for a packet.

use crate::network::Network;
use crate::observe::Fact;
use tworay_base::{FlowId, NodeId, PacketId, SimTime};

impl Network {
    /// A packet has crossed the link from `from` to `node`; an order to cut the link may wait for this.
    #[cold]
    pub(crate) fn cut_behind(&mut self, packet: PacketId, from: NodeId, node: NodeId) {
        let p = self.common.packets.get(packet);
        let (flow, dst) = (p.flow, p.dst);
        if flow == FlowId::NONE || self.flows[flow.index()].setup.to != dst {
            return;
        }
        let Some(radio) = &mut self.radio else { return };
        if let Some((until, mended)) = radio.cut_behind(self.common.now, flow, [from, node]) {
            self.common.observe(Fact::LinkCut { node: from, to: node, until });
            if until != SimTime::NEVER {
                self.common.agenda.push(until, mended);
            }
        }
    }
}
