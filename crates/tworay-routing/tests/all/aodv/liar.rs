//! A node that lies: forged sequence numbers, hop counts, lifetimes and errors.

use super::harness::{Net, Script, control, ms};
use super::hostile::message;
use proptest::prelude::*;
use tworay_base::{NodeId, SimDuration};
use tworay_routing::AodvConfig;
use tworay_wire::aodv::AodvMessage;

const LONGEST_LIE: SimDuration = SimDuration::from_secs(60);

proptest! {
    /// One of the nodes of a connected network sends forged messages for ten seconds, to all or to a neighbour. The
    /// network checks that every packet gets one answer. RFC 3561 believes a lie for as long as it says: two nodes may
    /// even forward to each other, until the hop limit ends it. But when the forged lifetimes are over, the first packet to
    /// each of the others arrives, because a destination takes up forged numbers of its own that are higher (§6.1).
    #[test]
    fn a_liar_is_forgotten(
        nodes in 3u16..9,
        extra in prop::collection::vec((0u16..9, 0u16..9), 0..8),
        lies in prop::collection::vec((0u64..10_000, message(), any::<Option<u16>>(), 1u8..64), 1..25),
        talk in prop::collection::vec((0u64..12_000, 0u16..8, 1u16..8), 0..20),
        seed in any::<u64>(),
        dialect in 0usize..3,
    ) {
        let config = &[AodvConfig::rfc3561(), AodvConfig::thesis(), AodvConfig::thesis_trace()][dialect];
        let mut net = Net::new(nodes + 1, config, seed);
        for i in 1..nodes {
            net.link((seed % u64::from(i)) as u16, i);
        }
        for (a, b) in extra {
            if a < nodes && b < nodes && a != b {
                net.link(a, b);
            }
        }
        // The liar is everybody's neighbour while it lies, so that every lie is heard everywhere.
        let liar = nodes;
        (0..nodes).for_each(|i| net.link(i, liar));
        for (t, mut message, to, ttl) in lies {
            if let AodvMessage::Rrep(reply) = &mut message {
                reply.lifetime = reply.lifetime.min(LONGEST_LIE);
            }
            let next_hop = to.map_or(NodeId::BROADCAST, |to| NodeId(to % nodes));
            let packet = Box::new(control(liar, next_hop, ttl, message));
            net.at(ms(t), Script::Forge { from: liar, packet, next_hop });
        }
        for (t, from, by) in talk {
            net.send_at(ms(t), from % nodes, (from % nodes + 1 + by % (nodes - 1)) % nodes);
        }
        (0..nodes).for_each(|i| net.at(ms(12_000), Script::Down(i, liar)));
        net.run_until(ms(12_000));
        // Until then every lie has expired, and what was known of its number too (DELETE_PERIOD is 25 s at most).
        net.run_until(ms(12_000) + LONGEST_LIE + SimDuration::from_secs(60));
        let start = 12_000 + 60_000 + 60_000;
        let before = (net.delivered.len() as u64, net.sent);
        for to in 1..nodes {
            net.send_at(ms(start + 4000 * u64::from(to)), 0, to);
            net.send_at(ms(start + 4000 * u64::from(to) + 2000), to, 0);
        }
        net.run_until(ms(start + 100_000));
        prop_assert_eq!(net.delivered.len() as u64 - before.0, net.sent - before.1, "{}", net.ladder);
    }
}
