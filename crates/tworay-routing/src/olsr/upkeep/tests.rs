use super::*;
use crate::{OlsrConfig, RoutingProtocol};
use proptest::prelude::*;
use tworay_base::{FlowId, PacketId, Purpose, RngStream, SimDuration};
use tworay_wire::olsr::{
    HnaNetwork, LinkCode, LinkGroup, OlsrBody, OlsrHello, OlsrMessage, OlsrPacket, OlsrTc, Vtime,
};
use tworay_wire::{Body, Packet, UdpDatagram};

const ME: NodeId = NodeId(0);

/// An input of the router.
#[derive(Clone, Debug)]
enum Input {
    Hears(NodeId, OlsrMessage),
    /// The MAC gives up a packet for this neighbour.
    LosesLink(NodeId),
}

fn packet(body: Body, dst: NodeId) -> Packet {
    Packet { uid: 1, src: ME, dst, ttl: 1, hops: 0, ip_bytes: 500, flow: FlowId::NONE, dsr: None, body }
}

fn input() -> impl Strategy<Value = Input> {
    let nodes = || proptest::collection::vec((0u16..6).prop_map(NodeId), 0..4);
    // Symmetric and asymmetric links, relays, lost ones.
    let code = prop_oneof![Just(0b0001u8), Just(0b0110), Just(0b1010), Just(0b0011)].prop_map(LinkCode);
    let groups = (code, nodes()).prop_map(|(code, neighbours)| LinkGroup { code, neighbours });
    let body = prop_oneof![
        5 => (0u8..8, proptest::collection::vec(groups, 0..3)).prop_map(|(willingness, links)| {
            OlsrBody::Hello(OlsrHello { htime: Vtime(0x05), willingness, links })
        }),
        2 => (any::<u16>(), nodes()).prop_map(|(ansn, advertised)| OlsrBody::Tc(OlsrTc { ansn, advertised })),
        1 => nodes().prop_map(OlsrBody::Mid),
        1 => Just(OlsrBody::Hna(vec![HnaNetwork { network: 0x0a01_0000, mask: 0xffff_0000 }])),
    ];
    // From a sixteenth of a second to half a minute.
    let hears = (1u16..5, 1u16..6, 0x00u8..0x0a, any::<u16>(), body);
    prop_oneof![
        4 => hears.prop_map(|(from, originator, vtime, seq, body)| {
            let originator = if matches!(body, OlsrBody::Hello(_)) { from } else { originator };
            let message = OlsrMessage {
                vtime: Vtime(vtime),
                originator: NodeId(originator),
                ttl: 1,
                hop_count: 0,
                seq,
                body,
            };
            Input::Hears(NodeId(from), message)
        }),
        1 => (1u16..5).prop_map(|neighbour| Input::LosesLink(NodeId(neighbour))),
    ]
}

proptest! {
    /// Whatever is heard and lost: the timer fires whenever an entry ends, so that at no time anything is overdue.
    #[test]
    fn nothing_is_ever_overdue(
        script in proptest::collection::vec((0u64..3_000, input()), 1..40),
        hysteresis: bool,
        link_layer_feedback: bool,
    ) {
        let config = OlsrConfig { hysteresis, link_layer_feedback, ..OlsrConfig::default() };
        let mut olsr = Olsr::new(&config, ME, RngStream::new(1, ME, Purpose::Test));
        let mut now = SimTime::ZERO;
        let mut out = Vec::new();
        olsr.start(now, &mut out);
        let mut wake = SimTime::NEVER;
        for (wait, input) in script {
            let end = now + SimDuration::from_millis(wait);
            loop {
                for action in out.drain(..) {
                    if let RoutingAction::WakeAt(at) = action {
                        wake = at;
                    }
                }
                if wake > end {
                    break;
                }
                now = std::mem::replace(&mut wake, SimTime::NEVER);
                olsr.on_timer(now, &mut out);
            }
            now = end;
            let mut copy = olsr.clone();
            let mut lost = Vec::new();
            let (change, _) = copy.links.settle(now, config.neighbour_hold_time, |neighbour| lost.push(neighbour));
            prop_assert_eq!((change, &lost[..]), (Change::default(), &[][..]), "links at {}", now);
            prop_assert!(!copy.topology.settle(now).0, "topology at {now}");
            prop_assert!(!copy.associations.settle(now).0, "associations at {now}");
            match input {
                Input::Hears(from, message) => {
                    let body = Body::Olsr(Box::new(OlsrPacket { seq: message.seq, messages: vec![message] }));
                    let packet = Packet { src: from, ..packet(body, NodeId::BROADCAST) };
                    olsr.on_receive(now, PacketId(1), &packet, from, &mut out);
                }
                Input::LosesLink(neighbour) => {
                    let body = Body::Udp(UdpDatagram { src_port: 1, dst_port: 2, payload: 472, number: 0 });
                    olsr.on_link_failure(now, PacketId(1), &packet(body, neighbour), neighbour, &mut out);
                }
            }
        }
    }
}
