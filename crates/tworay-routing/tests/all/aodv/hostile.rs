//! Messages that no correct neighbour sends.

use super::desk::{Desk, transit};
use super::harness::{control, data, n, rerr, rrep, rreq};
use proptest::prelude::*;
use tworay_base::{NodeId, PacketId, Purpose, RngStream, Seq32, SimDuration, SimTime};
use tworay_routing::{AodvConfig, AodvPaper, Malformed, Router, RoutingAction, RoutingConfig, Rules};
use tworay_wire::aodv::{AodvMessage, Rerr, Rrep, Rreq};

#[test]
fn impossible_messages_are_dropped_and_counted() {
    let all = u16::MAX;
    let cases = [
        (AodvMessage::Rreq(rreq(all, 1, 9, None, 1, 1)), Malformed::BroadcastAddress),
        (AodvMessage::Rreq(rreq(1, 1, all, None, 1, 1)), Malformed::BroadcastAddress),
        (AodvMessage::Rreq(rreq(9, 1, 9, None, 1, 1)), Malformed::SameEnds),
        (AodvMessage::Rreq(rreq(1, 1, 9, None, 255, 1)), Malformed::HopCount),
        (AodvMessage::Rreq(rreq(1, 1, 9, None, 0, 1)), Malformed::HopCount),
        (AodvMessage::Rreq(rreq(2, 1, 9, None, 3, 1)), Malformed::HopCount),
        (AodvMessage::Rrep(rrep(5, 1, 1, 1)), Malformed::OwnAddress),
        (AodvMessage::Rrep(rrep(9, 1, 9, 1)), Malformed::SameEnds),
        (AodvMessage::Rrep(rrep(all, 1, 9, 1)), Malformed::BroadcastAddress),
        (AodvMessage::Rrep(rrep(9, 1, 1, 0)), Malformed::HopCount),
        (AodvMessage::Rrep(rrep(9, 1, 1, 254)), Malformed::HopCount),
        (AodvMessage::Rerr(rerr(&[])), Malformed::EmptyList),
        (AodvMessage::Rerr(rerr(&[(9, 1), (all, 2)])), Malformed::BroadcastAddress),
    ];
    for (message, what) in cases {
        let mut desk = Desk::new(5, AodvConfig::rfc3561());
        let shown = format!("{message:?}");
        assert_eq!(desk.hear(SimTime::ZERO, 2, n(5), 9, message), ["drop BAD"], "{shown}");
        assert_eq!(desk.counters().malformed(what), 1, "{shown}");
        assert_eq!(desk.counters().malformed.iter().sum::<u64>(), 1, "{shown}");
        assert_eq!(desk.route(SimTime::ZERO, 2), None, "nothing is learned from it");
    }
}

fn node() -> impl Strategy<Value = NodeId> {
    prop_oneof![8 => (0u16..6).prop_map(NodeId), 1 => any::<u16>().prop_map(NodeId), 1 => Just(NodeId::BROADCAST)]
}
fn seq() -> impl Strategy<Value = Seq32> {
    prop_oneof![(0u32..5).prop_map(Seq32), any::<u32>().prop_map(Seq32)]
}
fn hops() -> impl Strategy<Value = u8> {
    prop_oneof![0u8..4, any::<u8>()]
}
fn lifetime() -> impl Strategy<Value = SimDuration> {
    prop_oneof![
        (0u64..5).prop_map(SimDuration::from_secs),
        any::<u64>().prop_map(SimDuration::from_nanos),
        Just(SimDuration::MAX)
    ]
}

pub fn message() -> impl Strategy<Value = AodvMessage> {
    let request =
        ((any::<bool>(), any::<bool>(), any::<bool>()), hops(), 0u32..4, (node(), seq()), (node(), seq()));
    let reply = (any::<bool>(), hops(), (node(), seq()), node(), lifetime());
    prop_oneof![
        request.prop_map(|((gratuitous, destination_only, unknown_seq), hop_count, id, dst, orig)| {
            AodvMessage::Rreq(Rreq {
                gratuitous,
                destination_only,
                unknown_seq,
                hop_count,
                id,
                dst: dst.0,
                dst_seq: dst.1,
                orig: orig.0,
                orig_seq: orig.1,
            })
        }),
        reply.prop_map(|(ack_required, hop_count, (dst, dst_seq), orig, lifetime)| {
            AodvMessage::Rrep(Rrep { ack_required, hop_count, dst, dst_seq, orig, lifetime })
        }),
        (any::<bool>(), prop::collection::vec((node(), seq()), 0..4))
            .prop_map(|(no_delete, unreachable)| AodvMessage::Rerr(Rerr { no_delete, unreachable })),
        Just(AodvMessage::RrepAck),
    ]
}

#[derive(Clone, Debug)]
enum Input {
    Message { from: NodeId, to: NodeId, ttl: u8, message: AodvMessage },
    Send { dst: NodeId },
    Transit { from: NodeId, src: NodeId, dst: NodeId, ttl: u8, hops: u8 },
    Failure { dst: NodeId, next_hop: NodeId, own: bool },
    Purged { dst: NodeId, next_hop: NodeId },
    Heard(NodeId),
    Timer,
    Pass(u64),
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        6 => (node(), node(), any::<u8>(), message())
            .prop_map(|(from, to, ttl, message)| Input::Message { from, to, ttl, message }),
        1 => node().prop_map(|dst| Input::Send { dst }),
        1 => (node(), node(), node(), 0u8..4, any::<u8>())
            .prop_map(|(from, src, dst, ttl, hops)| Input::Transit { from, src, dst, ttl, hops }),
        1 => (node(), node(), any::<bool>()).prop_map(|(dst, next_hop, own)| Input::Failure { dst, next_hop, own }),
        1 => (node(), node()).prop_map(|(dst, next_hop)| Input::Purged { dst, next_hop }),
        1 => node().prop_map(Input::Heard),
        1 => Just(Input::Timer),
        1 => (0u64..20_000).prop_map(Input::Pass),
    ]
}

fn any_config() -> impl Strategy<Value = AodvConfig> {
    (prop::sample::select(Rules::<AodvPaper>::all().collect::<Vec<_>>()), any::<bool>(), any::<bool>())
        .prop_map(|(dialect, blacklist, tight)| {
            let mut config = AodvConfig { blacklist, ..AodvConfig::by(dialect) };
            if tight {
                config.buffer_packets = 2;
            }
            config
        })
}

proptest! {
    /// For any input: no panic, and each packet gets exactly one answer or is buffered.
    #[test]
    fn anything_goes_in_and_one_answer_comes_out(config in any_config(), inputs in prop::collection::vec(input(), 1..80)) {
        let me = n(0);
        let routing = RoutingConfig { aodv: config, ..RoutingConfig::default() };
        let mut router = Router::new(&routing, me, RngStream::new(7, me, Purpose::RoutingJitter));
        let mut now = SimTime::ZERO;
        let mut out = Vec::new();
        let mut open = std::collections::BTreeSet::new();
        let mut wake = SimTime::NEVER;
        router.start(now, &mut out);
        for (i, input) in inputs.into_iter().enumerate() {
            let id = PacketId(i as u32);
            match input {
                Input::Message { from, to, ttl, message } => {
                    open.insert(id);
                    router.on_receive(now, id, &control(from.0, to, ttl, message), from, &mut out);
                }
                Input::Send { dst } => {
                    open.insert(id);
                    router.on_send(now, id, &data(0, dst.0, 1), &mut out);
                }
                Input::Transit { from, src, dst, ttl, hops } => {
                    open.insert(id);
                    let mut packet = transit(src.0, dst.0, hops);
                    packet.ttl = ttl;
                    router.on_receive(now, id, &packet, from, &mut out);
                }
                Input::Failure { dst, next_hop, own } => {
                    open.insert(id);
                    router.on_link_failure(now, id, &transit(if own { 0 } else { 1 }, dst.0, 2), next_hop, &mut out);
                }
                Input::Purged { dst, next_hop } => {
                    open.insert(id);
                    router.on_queue_purged(now, id, &transit(1, dst.0, 2), next_hop, &mut out);
                }
                Input::Heard(neighbour) => router.on_heard(now, neighbour),
                Input::Timer if wake < SimTime::NEVER => {
                    now = now.max(wake);
                    wake = SimTime::NEVER;
                    router.on_timer(now, &mut out);
                }
                Input::Timer => {}
                Input::Pass(millis) => now += SimDuration::from_millis(millis),
            }
            for action in out.drain(..) {
                match action {
                    RoutingAction::Forward { packet, .. }
                    | RoutingAction::Deliver { packet }
                    | RoutingAction::Consume { packet }
                    | RoutingAction::Drop { packet, .. } => prop_assert!(open.remove(&packet), "{packet:?} was answered twice"),
                    RoutingAction::WakeAt(t) => wake = t,
                    RoutingAction::Originate { packet, .. } => prop_assert!(packet.ttl > 0),
                    RoutingAction::PurgeQueue { .. } | RoutingAction::Note(_) => {}
                    RoutingAction::SetHeader { .. } | RoutingAction::SendCopy { .. } => panic!("DSR's"),
                }
            }
            let mut waiting = router.buffered();
            waiting.sort_unstable();
            prop_assert_eq!(open.iter().copied().collect::<Vec<_>>(), waiting);
        }
    }
}
