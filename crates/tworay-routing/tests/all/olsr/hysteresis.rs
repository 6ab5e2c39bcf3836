//! Link quality (RFC 3626 §14), with the constants of §18.6: scaling 0.5, thresholds 0.8 and 0.3.

use super::desk::{ASYM, Desk, LOST, SYM, at, ids, punctual};
use tworay_base::{NodeId, SimDuration};
use tworay_routing::OlsrConfig;
use tworay_routing::RoutingProtocol;
use tworay_wire::olsr::OlsrPacket;

fn desk() -> Desk {
    Desk::new(&OlsrConfig { hysteresis: true, ..punctual() })
}

/// A packet of node 1 with this number and a HELLO that lists this node.
fn hello(desk: &mut Desk, seq: u16) {
    let message = desk.message(1, super::desk::hello(3, &[(SYM, &[0])]));
    desk.hear_packet(NodeId(1), OlsrPacket { seq, messages: vec![message] });
}

/// Quality after each packet: 0.5, 0.75, 0.875. From the third packet on the link is used.
#[test]
fn a_link_must_prove_itself() {
    let mut desk = desk();
    for seq in 1..=3 {
        desk.run_to(at(f64::from(seq)));
        hello(&mut desk, seq as u16);
        assert_eq!(desk.olsr.neighbours().is_empty(), seq < 3, "packet {seq}");
    }
    desk.run_to(at(5.0));
    assert_eq!(desk.last_hello(), [(SYM, ids(&[1]))]);
}

#[test]
fn a_pending_link_is_not_told_of() {
    let mut desk = desk();
    hello(&mut desk, 1);
    desk.run_to(at(2.0));
    assert_eq!(desk.last_hello(), []);
    let mut plain = Desk::new(&punctual());
    plain.hear_hello(1, &[]);
    plain.run_to(at(2.0));
    assert_eq!(plain.last_hello(), [(ASYM, ids(&[1]))], "without hysteresis it would be");
}

/// Lost packets before the fourth, and the result for the link: 0.875 · 0.5² = 0.22 is below 0.3. The packet
/// after the gap raises it to 0.61, but only above 0.8 the link is used again.
#[test]
fn gaps_in_the_numbers_count() {
    for (lost, in_use) in [(0, true), (1, true), (2, false), (3, false)] {
        let mut desk = desk();
        for seq in 1..=3 {
            hello(&mut desk, seq);
        }
        hello(&mut desk, 4 + lost);
        assert_eq!(!desk.olsr.neighbours().is_empty(), in_use, "{lost} lost");
        if !in_use {
            desk.run_to(at(2.0));
            assert_eq!(desk.last_hello(), [(LOST, ids(&[1]))]);
            hello(&mut desk, 5 + lost);
            hello(&mut desk, 6 + lost);
            assert_eq!(desk.olsr.neighbours(), ids(&[1]), "good again, used again");
        }
    }
}

/// Silence counts as lost packets, one for each HELLO interval of the neighbour (2 s), and not again when the
/// gap in the numbers appears.
#[test]
fn silence_counts_once() {
    let mut desk = desk();
    for seq in 1..=3 {
        hello(&mut desk, seq);
    }
    desk.run_to(at(3.9));
    assert_eq!(desk.olsr.neighbours(), ids(&[1]), "0.44 after one");
    desk.run_to(at(4.0));
    assert_eq!(desk.olsr.neighbours(), [], "0.22 after two");

    let mut other = self::desk();
    for seq in 1..=3 {
        hello(&mut other, seq);
    }
    other.run_to(at(3.0));
    hello(&mut other, 5);
    assert_eq!(other.olsr.neighbours(), ids(&[1]), "the gap of one is the silence of before");
}

/// A large jump of the number is a restart of the neighbour; older numbers arrived out of order.
#[test]
fn restarts_and_stragglers_are_no_losses() {
    let mut desk = desk();
    for seq in [1, 2, 3, 40_000, 40_001, 40_000, 40_002] {
        hello(&mut desk, seq);
        desk.now += SimDuration::from_millis(1);
    }
    assert_eq!(desk.olsr.neighbours(), ids(&[1]));
    assert_eq!(desk.olsr.counters().broken_links, 0);
}
