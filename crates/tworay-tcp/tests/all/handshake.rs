//! The handshake's round trip: it starts SRTT (RFC 6298 §2.2), but it is none of data.

use crate::common::{Fate, Pair};
use tworay_base::{SimDuration, SimTime};
use tworay_tcp::{TcpConfig, WindowSize};

/// Every segment with data takes 200 ms longer than one without.
fn transfer(variant: &str) -> Pair {
    let config = TcpConfig { window: WindowSize::Segments(8), ..TcpConfig::default() };
    let mut pair = Pair::new(&config, &variant.parse().expect(variant), Vec::new());
    pair.fates_of_data = Some(vec![Fate::Late(SimDuration::from_millis(200)); 10_000]);
    pair.start([4_000_000, 0]);
    pair
}

/// The SYN and its answer take 100 ms, data and its ACK 300 ms. SRTT starts with the handshake's 100 ms and
/// is near 300 ms after thirty samples, so the timer knows both. Veno compares 300 ms with the shortest round
/// trip of data, also 300 ms: no segment is queued, and a loss costs a fifth of the window. If the handshake
/// counted, 8 (1 - 100 / 300) = 5.3 segments would seem queued, more than its limit of 3, and the window
/// would be halved. (The spurious timeout at the start must not reset the shortest one, hence `base=ever`.)
#[test]
fn a_controller_compares_round_trips_of_data_with_those_of_data() {
    for (variant, left) in [("veno(base=ever)", 0.8), ("newreno", 0.5)] {
        let mut pair = transfer(variant);
        while pair.ends[0].snapshot().srtt.is_none() {
            pair.run(1);
        }
        assert_eq!(pair.ends[0].snapshot().srtt, Some(SimDuration::from_millis(100)), "the handshake's");
        let begin = SimTime::ZERO + SimDuration::from_secs(15);
        while pair.now < begin {
            pair.run(1);
        }
        // The next segment is lost.
        let sent = pair.log.iter().filter(|(_, who, s)| *who == 0 && s.payload > 0).count();
        pair.fates_of_data.as_mut().expect("fates")[sent] = Fate::Lost;
        while pair.ends[0].counters().fast_retransmits == 0 {
            pair.run(1);
        }
        assert_eq!(pair.ends[0].snapshot().ssthresh, left * 8.0, "{variant}");
    }
}
