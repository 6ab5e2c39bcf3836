//! A full interface queue.
//!
//! The rejected packet's own next hop may be out of reach, so that it would not have got further anyway, or that of
//! the packet that the MAC is trying to send.
//! Otherwise the question is whether load alone would have filled the queue ([`Service`]): bit errors or a
//! missing next hop may have kept the MAC from sending. Packets that a break had held up arrive in bursts
//! when a route exists again: if they are at least half of the packets that compete for the queue, or if without them
//! the queue would be less than half full, the root is what held them up. The second rule is needed because of what
//! they set off: a released segment is acknowledged, and the acknowledgment meets them in the queue. A packet that was
//! held up and then meets a queue full of other packets has met an independent obstacle: congestion.
//!
//! [`Service`]: crate::observe::loss::service::Service

use super::Causes;
use super::search::is_replaced;
use crate::network::packets::is_message;
use crate::observe::loss::root_cause::RootCause;
use crate::observe::loss::scene::Scene;
use tworay_base::{LossCause, NodeId, PacketId};
use tworay_mac::QueueEntry;

impl Causes {
    /// The interface queue rejects a packet; it holds `limit` packets.
    pub fn queue(scene: &mut Scene<'_>, node: NodeId, refused: QueueEntry) -> RootCause {
        let now = scene.now;
        let here = RootCause::new(now, node, LossCause::Congestion).towards(refused.next_hop);
        let message = scene.packets.get(refused.packet);
        let to_same_hop = |e: &&QueueEntry| e.next_hop == refused.next_hop;
        if is_message(message)
            && let mut others = scene.nodes[node].queue.iter().filter(to_same_hop)
            && others.any(|e| is_replaced(message, scene.packets.get(e.packet)))
        {
            return RootCause { cause: Some(LossCause::Unknown), ..here };
        }
        if let Some(cause) = scene.out_of_reach(node, refused.next_hop) {
            return RootCause { cause: Some(cause), ..here };
        }
        let n = &scene.nodes[node];
        let service = &scene.services[node.index()];
        let failure = n.attempts.current().2;
        if let Some(hop) = n.mac.addressee().filter(|_| failure.is_physical()) {
            return RootCause { cause: Some(failure.cause()), ..here }.towards(hop);
        }
        let lost = n.attempts.lost_until(now);
        let running = n.attempts.delay(now, node).filter(|_| !lost.is_zero()).map(|root| (lost, root));
        let length = n.queue.len() as u32;
        if let Some(root) = service.filled_by(now, length, running) {
            return root;
        }
        let queued: Vec<PacketId> = n.queue.iter().map(|e| e.packet).collect();
        let released = service.filled_by_burst(length);
        scene.burst(refused.packet, &queued, released).unwrap_or(here)
    }
}
