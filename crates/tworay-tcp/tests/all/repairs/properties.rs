//! The promises of RACK and PRR, over random losses and delays.

use super::network::{Fate, Pair, Trace};
use proptest::prelude::*;
use std::collections::BTreeSet;
use tworay_base::{SimDuration, SimTime};
use tworay_tcp::{InitialWindow, TcpConfig, TcpNote, Variant};

const RACKS: [&str; 5] = ["sack+rack", "sack+rack-tlp", "sack+rack+prr", "sack+rack-tlp+prr", "linux"];

fn variant(name: &str) -> Variant {
    name.parse().expect("a variant")
}

/// A transfer of `segments` whose data meets fates by its number when it is sent first; all else arrives.
fn transfer(name: &str, segments: u64, fate: impl Fn(u64) -> Fate + 'static) -> Pair {
    let config = TcpConfig {
        handshake: tworay_tcp::Handshake::None,
        initial_window: InitialWindow::Segments(4),
        fin: false,
        ..TcpConfig::default()
    };
    let mut pair = Pair::new(&config, &variant(name), Vec::new());
    pair.fate_of_new_data = Some(Box::new(fate));
    pair.start([segments * 1460, 0]);
    pair.run(100_000);
    assert_eq!(pair.seen[0].finished, 1, "{name}: {:?}", pair.ends[0].snapshot());
    pair
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// RFC 8985 §1: a loss is repaired without a timeout if something sent later arrives, and nothing else is
    /// sent again.
    #[test]
    fn rack_repairs_every_loss_without_a_timeout(
        segments in 10u64..120,
        lost in prop::collection::btree_set(0u64..120, 0..12),
    ) {
        // No two in a row, and not the last: so something sent later arrives.
        let lost: BTreeSet<u64> =
            lost.iter().copied().filter(|n| n + 1 < segments && !lost.contains(&(n + 1))).collect();
        for name in RACKS {
            let gone = lost.clone();
            let pair = transfer(name, segments, move |n| if gone.contains(&n) { Fate::Lost } else { Fate::Arrives });
            let counters = pair.ends[0].counters();
            prop_assert_eq!(counters.timeouts, 0, "{}: {:?} of {}", name, &lost, segments);
            prop_assert_eq!(counters.retransmitted_segments, lost.len() as u64, "{}: {:?}", name, &lost);
        }
    }

    /// RFC 8985 §6.2: once reordering was seen, what is late by less than a quarter of the least round trip,
    /// here 25 of 100 ms, isn't sent again.
    #[test]
    fn rack_does_not_repair_what_is_a_little_late(
        segments in 10u64..120,
        late in prop::collection::btree_map(3u64..120, 1u64..24, 0..40),
    ) {
        for name in RACKS {
            let late = late.clone();
            let pair = transfer(name, segments, move |n| match late.get(&n) {
                // The second is overtaken by the third and fourth alone: reordering is seen.
                _ if n == 1 => Fate::Late(SimDuration::from_millis(20)),
                Some(ms) => Fate::Late(SimDuration::from_millis(*ms)),
                None => Fate::Arrives,
            });
            let counters = pair.ends[0].counters();
            prop_assert_eq!(counters.retransmitted_segments, 0, "{}", name);
            prop_assert_eq!(counters.window_cuts, 0, "{}", name);
        }
    }
}

/// A transfer over a path that loses some copies of data, first or repeated, and no ACK. Fails at a timeout
/// if the last that was sent came after the last copy of the oldest missing segment and has arrived, and its
/// ACK has been there for more than the reordering window.
fn needless_timeouts(name: &str, segments: u64, window: u32, lost: &[bool]) -> Result<(), TestCaseError> {
    let config = TcpConfig {
        handshake: tworay_tcp::Handshake::None,
        initial_window: InitialWindow::Segments(window),
        fin: false,
        ..TcpConfig::default()
    };
    let mut pair = Pair::new(&config, &variant(name), Vec::new());
    pair.tracing = true;
    let fates = lost.iter().map(|lost| if *lost { Fate::Lost } else { Fate::Arrives });
    pair.fates_of_data = Some(fates.collect());
    pair.start([segments * 1460, 0]);
    pair.run(100_000);
    prop_assert_eq!(pair.seen[0].finished, 1, "{}: {:?}", name, pair.ends[0].snapshot());
    // A round trip of 100 ms, a quarter of it, and the ticks of `linux`' timers.
    let shown_after = SimDuration::from_millis(100 + 25 + 16);
    let mut sent: Vec<(SimTime, u64, bool)> = Vec::new();
    // After a timeout F-RTO sends new data first, whatever is known to be lost (RFC 5682 §2.1 step 2b).
    let (tests_first, mut repaired_to) = (name == "linux", 0);
    for event in &pair.trace {
        match event {
            Trace::Sent(at, segment, lost) if segment.payload > 0 => {
                sent.push((*at, u64::from(segment.seq.0 - 1) / 1460, *lost));
            }
            Trace::Noted(at, TcpNote::Timeout { seq, .. }) => {
                let oldest = u64::from(seq.0 - 1) / 1460;
                let again =
                    std::mem::replace(&mut repaired_to, sent.iter().map(|s| s.1 + 1).max().unwrap_or(0));
                if tests_first && oldest < again {
                    continue;
                }
                // The note comes after nothing was sent yet because of it.
                let last = sent.iter().rposition(|s| s.1 == oldest).expect("it was sent");
                // Another copy of what had arrived before tells nothing.
                let first = |i: usize| !sent[..i].iter().any(|s| s.1 == sent[i].1 && !s.2);
                let shows = |i: &usize| !sent[*i].2 && first(*i) && sent[*i].0 + shown_after < *at;
                let newest = (last + 1..sent.len()).rfind(shows);
                // What was sent after that and lost as well can fill the window; no ACK makes room.
                let shown = newest.filter(|&i| i + 1 == sent.len()).map(|i| sent[i]);
                prop_assert!(
                    shown.is_none(),
                    "{}: {} of {} timed out at {:?}, although {:?} was sent later and arrived; {:?}",
                    name,
                    oldest,
                    segments,
                    at,
                    shown,
                    sent
                );
            }
            _ => {}
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// RFC 8985 §3: whatever is lost, first copies or repeated ones, in bursts or alone: if anything sent
    /// later arrives, the loss is repaired without a timeout.
    #[test]
    fn rack_times_out_only_if_nothing_sent_later_arrived(
        segments in 5u64..80,
        window in 1u32..40,
        lost in prop::collection::vec(prop::bool::weighted(0.25), 0..200),
    ) {
        for name in RACKS {
            needless_timeouts(name, segments, window, &lost)?;
        }
    }
}
