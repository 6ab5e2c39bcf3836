//! Routing's part of the report.

use std::collections::BTreeMap;
use tworay_routing::{Malformed, RoutingCounters};

/// Malformed packets summed over all nodes, by reason.
pub(crate) fn malformed<'a>(nodes: impl Iterator<Item = &'a RoutingCounters>) -> BTreeMap<&'static str, u64> {
    let mut sums = BTreeMap::new();
    for counters in nodes {
        for &what in Malformed::ALL.iter().filter(|what| counters.malformed(**what) > 0) {
            *sums.entry(what.name()).or_default() += counters.malformed(what);
        }
    }
    sums
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
        let sums = malformed(routers.iter().map(Router::counters));
        assert_eq!(sums, BTreeMap::from([("own-address", 2), ("same-ends", 1)]));
    }
}
