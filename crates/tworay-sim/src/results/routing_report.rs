//! Routing's part of the report.

use std::collections::BTreeMap;
use tworay_routing::{Malformed, Protocol, RoutingCounters};

/// The counters of all routers: of those that run to the end, and of those whose nodes were switched off.
pub(crate) fn total(stopped: &RoutingCounters, running: &[RoutingCounters]) -> RoutingCounters {
    running.iter().fold(stopped.clone(), |mut sum, one| {
        sum.add(one);
        sum
    })
}

/// Malformed packets by reason.
pub(crate) fn malformed(routers: &RoutingCounters) -> BTreeMap<&'static str, u64> {
    let counts = Malformed::ALL.iter().map(|&what| (what.name(), routers.malformed(what)));
    counts.filter(|(_, count)| *count > 0).collect()
}

/// Control packets sent, by the protocol's kinds, also those that were never sent.
pub(crate) fn sent(protocol: Protocol, routers: &RoutingCounters) -> BTreeMap<&'static str, u64> {
    protocol.sent(routers).into_iter().map(|(kind, count)| (kind, count.packets)).collect()
}

/// Counts of the protocol besides packets sent.
pub(crate) fn counted(protocol: Protocol, routers: &RoutingCounters) -> BTreeMap<&'static str, u64> {
    protocol.counted(routers).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tworay_base::{FlowId, NodeId, PacketId, Purpose, RngStream, Seq32, SimTime};
    use tworay_routing::{Router, RoutingConfig};
    use tworay_wire::aodv::{AodvMessage, Rrep};
    use tworay_wire::{Body, Packet};

    /// Two replies about the node's own route, and one whose two ends are equal.
    #[test]
    fn reasons_are_summed_over_the_nodes() {
        let reply = |dst, orig| {
            let rrep = Rrep {
                ack_required: false,
                hop_count: 3,
                dst: NodeId(dst),
                dst_seq: Seq32(1),
                orig: NodeId(orig),
                lifetime: tworay_base::SimDuration::from_secs(1),
            };
            let message = AodvMessage::Rrep(rrep);
            Packet {
                uid: 0,
                src: NodeId(9),
                dst: NodeId(orig),
                ttl: 9,
                hops: 0,
                ip_bytes: message.ip_bytes(),
                flow: FlowId::NONE,
                dsr: None,
                body: Body::Aodv(Box::new(message)),
            }
        };
        let mut routers: Vec<Router> = (0..3)
            .map(|i| {
                let rng = RngStream::new(1, NodeId(i), Purpose::RoutingJitter);
                Router::new(&RoutingConfig::default(), NodeId(i), rng)
            })
            .collect();
        for (at, packet) in [(0, reply(0, 5)), (1, reply(1, 5)), (1, reply(7, 7)), (2, reply(8, 7))] {
            let mut out = Vec::new();
            routers[at].on_receive(SimTime::ZERO, PacketId(0), &packet, NodeId(9), &mut out);
        }
        let running: Vec<_> = routers.iter().map(|one| one.counters().clone()).collect();
        // The first one was switched off, and its counts go on to count.
        let sum = total(&running[0], &running[1..]);
        assert_eq!(malformed(&sum), BTreeMap::from([("own-address", 2), ("same-ends", 1)]));
    }
}
