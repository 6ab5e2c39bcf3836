#![allow(clippy::unwrap_used)]

use super::*;
use tworay_base::{FlowId, PacketId, Position, SimDuration};
use tworay_mac::FrameKind;
use tworay_wire::{ArpBody, Body};

fn at(millis: u64) -> SimTime {
    SimTime::from_nanos(millis * 1_000_000)
}

/// The limit of frames holds, counted at each receiver.
#[test]
fn the_number_of_frames_is_limited() {
    let path = std::env::temp_dir().join(format!("tworay-animation-{}.xml", std::process::id()));
    let tracks = vec![Track::fixed(Position::default()); 3];
    let mut animation = Animation::create(
        &path,
        Film { tracks, end: at(9), names: [(1, "relay".into())].into() },
        &[(NodeId(0), NodeId(2))],
    )
    .unwrap();
    animation.most = 3;
    let arp = ArpBody { request: true, sender: NodeId(0), target: NodeId(2) };
    let packet = Packet {
        uid: 0,
        src: NodeId(0),
        dst: NodeId::BROADCAST,
        ttl: 1,
        hops: 0,
        ip_bytes: 28,
        flow: FlowId::NONE,
        dsr: None,
        body: Body::Arp(arp),
    };
    let frame = Frame {
        kind: FrameKind::Data,
        from: NodeId(0),
        to: NodeId::BROADCAST,
        packet: Some(PacketId(0)),
        airtime: SimDuration::from_millis(1),
        duration: SimDuration::ZERO,
        number: 0,
        retry: false,
        protected: false,
        bytes: 64,
    };
    for tx in 0..4u32 {
        animation.transmitted(at(2 * u64::from(tx)), tx % 2);
        for node in [1, 2] {
            animation.received(at(2 * u64::from(tx) + 1), tx % 2, NodeId(node), &frame, &packet);
        }
    }
    animation.finish().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let count = |what: &str| text.matches(what).count();
    assert_eq!(count("<wp "), 3);
    assert!(text.contains("descr=\"0 source of flow 0\"") && text.contains("descr=\"2 sink of flow 0\""));
    assert!(text.contains("descr=\"relay\""), "{text}");
    let last = "tId=\"1\" fbRx=\"0.002\" lbRx=\"0.003\" />\n</anim>\n";
    assert!(text.ends_with(last), "{text}");
}
