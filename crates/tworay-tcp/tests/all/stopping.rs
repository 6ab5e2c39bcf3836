//! Variants that stop their sender at a loss, after they have sent the lost segment again.

use crate::common::{Fate, Pair};
use tworay_tcp::{Counters, TcpConfig};

const SEGMENTS: u64 = 60;

/// The sender's counters after a transfer of 60 segments, of which one is lost once.
fn counters(variant: &str, lost: u64) -> Counters {
    let mut pair = Pair::new(&TcpConfig::default(), &variant.parse().expect(variant), Vec::new());
    pair.fate_of_new_data = Some(Box::new(move |n| if n == lost { Fate::Lost } else { Fate::Arrives }));
    pair.start([1460 * SEGMENTS, 0]);
    pair.run(10_000);
    assert_eq!(pair.seen[1].delivered, 1460 * SEGMENTS, "{variant}");
    pair.ends[0].counters().clone()
}

/// What three duplicate ACKs make the sender repeat is a fast retransmission (RFC 5681 §3.2), also where the variant
/// then waits instead of recovering. The last segment has no successors that could cause duplicate ACKs.
#[test]
fn what_is_repeated_before_the_stop_is_a_fast_retransmission() {
    for variant in ["freeze-probing", "atcp"] {
        for (lost, fast, timeouts) in [(20, 1, 0), (SEGMENTS - 1, 0, 1)] {
            let c = counters(variant, lost);
            let seen = (c.fast_retransmits, c.timeouts, c.freezes);
            assert_eq!(seen, (fast, timeouts, 1), "{variant}, segment {lost}");
        }
    }
}
