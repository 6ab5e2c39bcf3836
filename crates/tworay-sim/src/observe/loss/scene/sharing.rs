//! The part of the view about the medium: who shares it with whom, and how long exchanges take.

use super::{Scene, World};
use tworay_base::{NodeId, PacketId, SimDuration};
use tworay_mac::Timing;
use tworay_wire::Packet;

impl World<'_> {
    /// Time of an exchange for a packet with a MAC that sends at one rate only, without the backoff before it.
    pub fn exchange_time(&self, node: NodeId, packet: PacketId) -> SimDuration {
        exchange_time(self.nodes[node].mac.timing(), self.packets.get(packet).ip_bytes)
    }
}

/// Time of an exchange for an IP packet of this size at one rate, without the backoff before it.
fn exchange_time(timing: &Timing, ip_bytes: u32) -> SimDuration {
    let bytes = timing.data_bytes(ip_bytes);
    let rts = timing.rts + timing.cts + timing.sifs * 2;
    let rts = if timing.needs_rts(bytes) { rts } else { SimDuration::ZERO };
    timing.difs + rts + timing.data_airtime(bytes, false) + timing.sifs + timing.ack
}

impl Scene<'_> {
    /// The stations that send a packet one after the other on its path, wires apart: from its source on, if its path leads over `node`,
    /// otherwise from there on.
    pub fn senders(&self, node: NodeId, packet: PacketId) -> Vec<NodeId> {
        let Packet { src, dst, ref dsr, .. } = *self.packets.get(packet);
        let listed = dsr.as_ref().and_then(|header| header.source_route.as_ref());
        if let Some(route) = listed {
            return std::iter::once(src).chain(route.addresses.iter().copied()).collect();
        }
        let next = |at: &NodeId| self.nodes[*at].router.next_hop(dst).filter(|next| *next != dst);
        // Tables may lead in a circle.
        let from =
            |first| std::iter::successors(Some(first), next).take(self.nodes.len()).collect::<Vec<_>>();
        let path = Some(from(src)).filter(|path| path.contains(&node)).unwrap_or_else(|| from(node));
        let hops = path.iter().zip(path.iter().skip(1).chain([&dst]));
        hops.filter(|(a, b)| self.wires.between(**a, **b).is_none()).map(|(a, _)| *a).collect()
    }

    /// True if a node senses the frames of another one.
    pub fn senses(&mut self, node: NodeId, sender: NodeId) -> bool {
        self.radio.as_mut().is_some_and(|radio| radio.senses(self.now, node, sender))
    }
}
