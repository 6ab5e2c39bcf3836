//! What RACK and PRR promise, over random losses and delays.

use crate::network::{Fate, Pair};
use proptest::prelude::*;
use std::collections::BTreeSet;
use tworay_base::SimDuration;
use tworay_tcp::{InitialWindow, TcpConfig, Variant};

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

    /// RFC 8985 §1: a loss is repaired without a timeout if something sent later arrives, and nothing else is sent
    /// again.
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

    /// RFC 8985 §6.2: once reordering was seen, what is late by less than a quarter of the least round trip, here
    /// 25 of 100 ms, isn't sent again.
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
