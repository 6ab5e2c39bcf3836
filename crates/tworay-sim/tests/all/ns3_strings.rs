//! Built-in strings with their default settings against ns-3.37.
//!
//! The figures were measured with ns-3.37 (Debian's libns3-dev 3.37-2, driver `studies/peers/ns3/adhoc.cc`):
//! segments acknowledged in 119 s, mean over three seeds, NewReno with SACK. `make peers` runs ns-3 itself
//! and writes all numbers side by side into docs/studies/validation.md; here a few seeds guard the
//! agreement.

use crate::common::{load, mean_over};

fn compare(hops: u32, ns3: f64, sets: &[&str]) {
    let scenario = load(&format!("string-{hops}"), &[&["tcp.variant=sack"], sets].concat());
    let ours = mean_over(&scenario, 3, |r| r.document.flows[0].acked_segments as f64);
    let off = ours / ns3 - 1.0;
    println!("{hops} hops, {sets:?}: {ours:.0}, ns-3 {ns3} ({:+.1} %)", 100.0 * off);
    assert!(off.abs() <= 0.1, "{hops} hops, {sets:?}: {ours:.0} against {ns3}");
}

#[test]
fn fixed_routes_without_rts_agree_within_10_percent() {
    for (hops, ns3) in [(1, 14369.), (2, 7404.), (3, 5001.), (4, 4058.), (6, 3984.), (8, 3930.)] {
        compare(hops, ns3, &["routing.protocol=static", "mac.rts=none"]);
    }
}

/// Over AODV with RTS/CTS, where each packet that the MAC gives up breaks a link. ns-3 uses the standard's
/// limit of RTSs (`--rtslimit=7 --destonly=1 --hello=0`). Route discoveries for known destinations that
/// start in the whole network, and wait for all of it, cost 15 % here (RFC 3561 §6.4).
#[test]
fn aodv_agrees_within_10_percent() {
    for (hops, ns3) in [(6, 2708.), (8, 2500.)] {
        compare(hops, ns3, &[]);
    }
}

/// By default ns-3 never gives up an RTS; with the same persistence, tworay agrees.
#[test]
fn endless_rts_agree_within_10_percent() {
    for (hops, ns3) in [(4, 3394.), (6, 2873.), (8, 2795.)] {
        compare(hops, ns3, &["mac.short_retry_limit=255"]);
    }
}
