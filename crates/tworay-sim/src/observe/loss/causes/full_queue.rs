//! A full interface queue, and packets that CoDel or Link-RED drops from one that is not full.
//!
//! The rejected packet's own next hop may be out of reach, so that it would not have got further anyway, or that of
//! the packet that the MAC is trying to send. A hop that is back in reach is no longer the reason, even before the MAC tries it again.
//! Otherwise the question is whether load, with the contention that it brings, would have filled the queue ([`Service`]): bit errors
//! or a missing next hop may have kept the MAC from sending. A drop by CoDel is congestion only if that load would have kept
//! the queue standing for CoDel's interval, at half its target delay and half its length or more. A drop by Link-RED has
//! the cause of most retries, which is congestion if contention made them necessary. Packets that a break had held up, or
//! a late search, arrive in bursts when a route exists again: if they are at least half of the packets that compete for the queue, or if without them
//! the queue would be less than half full, the root is what held them up. The second rule is needed because of what
//! they set off: a released segment is acknowledged, and the acknowledgment meets them in the queue. If a break held them up, it
//! comes before noise that slows the queue down, unless load overfilled the queue before (`root_causes/backlog.rs`). What a search releases, and would
//! have released to a full queue in time, was lost to load (`release`). A packet that was
//! held up and then meets a queue full of other packets has met an independent obstacle: congestion. So it seems where an outage's backlog
//! takes the medium from other queues, which `root_causes/backlog.rs` judges.
//!
//! Packets that circle come back to a queue again and again. From the first return on, what led them astray counts as having
//! held them up: a queue that would be less than half full without them is full for that reason. If load alone made
//! tables wrong, by collisions, it stays congestion.
//!
//! [`Service`]: crate::observe::loss::service::Service

use super::Causes;
use super::search::is_replaced;
use crate::network::packets::is_message;
use crate::observe::loss::root_cause::RootCause;
use crate::observe::loss::scene::Scene;
use crate::observe::loss::service::Backlog;
use tworay_base::{Died, LossCause, NodeId};
use tworay_mac::QueueEntry;

impl Causes {
    /// The interface queue rejects a packet, or CoDel or Link-RED drops it, as `died` tells. `by_load` tells whether load alone would have
    /// filled the queue when a backlog of a root cause comes.
    pub fn queue(
        scene: &mut Scene<'_>,
        node: NodeId,
        (refused, died): (QueueEntry, Died),
        by_load: impl Fn(&RootCause) -> bool,
    ) -> RootCause {
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
        let service = &scene.services[node.index()];
        if died == Died::LinkRed {
            return service.retried_because_of(now).unwrap_or(here);
        }
        // Once that is back, the time lost so far tells, until the next attempt, too.
        let stuck = scene.stuck_at(node).filter(|(hop, _)| scene.out_of_reach(node, *hop).is_some());
        if let Some((hop, cause)) = stuck {
            return RootCause { cause: Some(cause), ..here }.towards(hop);
        }
        // Saturated queues reject most packets: what has gathered is looked at only if something other than load counts.
        let slow = match died {
            Died::CoDel => service
                .main_reason(None)
                .and_then(|root| service.kept_standing_by(now, scene.backlog(node, &root))),
            _ => scene.filled_by(node),
        };
        if let Some(root) = slow.filter(RootCause::is_physical) {
            return root;
        }
        let running = scene.running_time(node);
        let gathered = scene.gathered(node);
        let released = service.filled_by_burst(now, gathered, running).filter(|(_, root)| {
            let is_tcp = |queue: Backlog| 2 * queue.of_tcp >= queue.packets;
            !root.is_noise()
                || service.filled_by_burst_of_tcp(gathered, running)
                || !is_tcp(scene.backlog(node, root))
        });
        let burst = if released.is_some() || !scene.held_ups.is_empty() {
            // What noise has cost a packet here is time of the imagined queue.
            let burst = scene.burst(refused.packet, &scene.waiting(node), released);
            let anyway = |root: &RootCause| {
                by_load(root) || !root.is_physical() && scene.held_ups.is_lost_anyway(refused.packet)
            };
            burst.filter(|root| released.is_some() || !root.is_noise()).filter(|root| !anyway(root))
        } else {
            None
        };
        // Of two that slow packets down, the one that keeps more of them comes first.
        let own = burst.filter(|_| released.is_some() && service.is_slower_than_burst(now, running));
        let own = own.and_then(|_| service.main_reason(scene.running(node)));
        RootCause::strongest([slow, own.map(|root| root.strikes(now)), burst]).unwrap_or(here)
    }
}
