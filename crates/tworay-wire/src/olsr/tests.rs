use super::*;
use proptest::prelude::*;

fn message(body: OlsrBody) -> OlsrMessage {
    OlsrMessage {
        vtime: Vtime::covering(SimDuration::from_secs(6)),
        originator: NodeId(1),
        ttl: 1,
        hop_count: 0,
        seq: 7,
        body,
    }
}

/// The hold times of RFC 3626 §18.3 are encoded exactly, with the RFC's mantissas and exponents.
#[test]
fn standard_times_are_exact() {
    for (seconds, mantissa, exponent) in [(2, 0, 5), (6, 8, 6), (15, 14, 7), (30, 14, 8)] {
        let v = Vtime::covering(SimDuration::from_secs(seconds));
        assert_eq!((v.0 >> 4, v.0 & 15), (mantissa, exponent), "{seconds} s");
        assert_eq!(v.time(), SimDuration::from_secs(seconds));
    }
    assert_eq!(Vtime::covering(SimDuration::ZERO).time(), SimDuration::from_micros(62_500));
    assert_eq!(Vtime::covering(SimDuration::MAX).time(), SimDuration::from_secs(3968));
}

#[test]
fn sizes_follow_the_formats() {
    let hello = OlsrBody::Hello(OlsrHello {
        htime: Vtime(5),
        willingness: 3,
        links: vec![
            LinkGroup {
                code: LinkCode::new(LinkType::Symmetric, NeighbourType::Mpr),
                neighbours: vec![NodeId(2)],
            },
            LinkGroup {
                code: LinkCode::new(LinkType::Lost, NeighbourType::Not),
                neighbours: vec![NodeId(3), NodeId(4)],
            },
        ],
    });
    let tc = OlsrBody::Tc(OlsrTc { ansn: 1, advertised: vec![NodeId(2), NodeId(3)] });
    let hna = OlsrBody::Hna(vec![HnaNetwork { network: 0, mask: 0 }]);
    let table = [
        (hello, 12 + 4 + (4 + 4) + (4 + 8)),
        (tc, 12 + 4 + 8),
        (OlsrBody::Mid(vec![NodeId(2)]), 12 + 4),
        (hna, 12 + 8),
        (OlsrBody::Other { kind: 130, bytes: vec![0; 8] }, 12 + 8),
    ];
    for (body, bytes) in table {
        assert_eq!(message(body.clone()).wire_bytes(), bytes, "{body:?}");
        let packet = OlsrPacket { seq: 0, messages: vec![message(body.clone()), message(body)] };
        assert_eq!(packet.ip_bytes(), 20 + 8 + 4 + 2 * bytes);
    }
}

/// The RFC defines 11 of the 256 link codes.
#[test]
fn link_codes() {
    let meant: Vec<u8> = (0..=255).filter(|b| LinkCode(*b).parts().is_some()).collect();
    assert_eq!(meant, [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    for byte in meant {
        let (link, neighbour) = LinkCode(byte).parts().unwrap();
        assert_eq!(LinkCode::new(link, neighbour), LinkCode(byte));
    }
}

proptest! {
    /// An encoded time is never shorter than the original, and at most a sixteenth longer.
    #[test]
    fn times_are_covered_closely(nanos in SCALE..3_968_000_000_000) {
        let v = Vtime::covering(SimDuration::from_nanos(nanos));
        prop_assert!(v.nanos() >= nanos);
        prop_assert!(v.nanos() - nanos <= nanos / 16 + 1);
        prop_assert_eq!(Vtime::covering(v.time()), v);
    }
}
