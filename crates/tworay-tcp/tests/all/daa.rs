//! Dynamic Adaptive ACK end to end: the sender's window stays within 2 to 4 segments (Papanastasiou 2006,
//! p. 124), because the receiver acknowledges a single segment only when its timer expires.

use crate::common::{Fate, Pair};
use tworay_base::{SimDuration, SimTime};
use tworay_tcp::{AckPolicy, Phase, TcpConfig};
use tworay_wire::TcpFlags;

const MSS: u64 = 1460;

/// Every fifteenth packet is lost, including ACKs and retransmissions; for two seconds all packets are
/// lost.
fn rough(variant: &str) -> Pair {
    let fates = (0..900).map(|i| if i % 15 == 14 { Fate::Lost } else { Fate::Arrives }).collect();
    let mut pair = Pair::new(&TcpConfig::default(), &variant.parse().expect(variant), fates);
    pair.outages = vec![(SimTime::from_nanos(4_000_000_000), SimTime::from_nanos(6_000_000_000))];
    pair.start([400 * MSS, 0]);
    pair
}

#[test]
fn the_window_stays_within_two_to_four() {
    for recovery in ["tahoe", "reno", "newreno", "sack", "vegas"] {
        let variant = format!("{recovery}+daa");
        let mut pair = rough(&variant);
        while pair.ends[0].snapshot().phase == Phase::Handshake {
            pair.run(1);
        }
        while pair.seen[0].finished == 0 {
            pair.run(1);
            let now = pair.ends[0].snapshot();
            if recovery == "vegas" && now.phase == Phase::Recovery {
                // Vegas adds the inflation by duplicate ACKs to cwnd itself.
                continue;
            }
            assert!((2.0..=4.0).contains(&now.cwnd), "{variant}: {now:?}");
        }
        assert!(pair.ends[0].counters().timeouts > 0, "{variant}: the window after a timeout isn't tested");
        assert_eq!(pair.seen[1].delivered, 400 * MSS, "{variant}");
    }
}

/// Delay of the ACKs of new segments, in the second half of a transfer without loss.
fn holds(variant: &str, acks: AckPolicy) -> Vec<SimDuration> {
    let mut config = TcpConfig::default();
    config.receiver.acks = acks;
    let mut pair = Pair::new(&config, &variant.parse().expect(variant), Vec::new());
    pair.start([100 * MSS, 0]);
    pair.run(100_000);
    // For 100 segments and the FIN, whose ACK is never delayed.
    let acks =
        pair.log.iter().filter(|(_, who, s)| *who == 1 && s.payload == 0 && !s.flags.has(TcpFlags::FIN));
    acks.skip(50)
        .take(45)
        .map(|(at, _, ack)| {
            let answered = pair.log.iter().rev().find(|(_, who, s)| *who == 0 && s.seq_end() == ack.ack);
            at.since(answered.expect("a segment").0 + pair.delay)
        })
        .collect()
}

/// With a window of one segment no second one arrives, so every ACK waits for the timer.
#[test]
fn a_single_segment_is_acknowledged_by_the_timer_only() {
    let held = holds("newreno+cwl(1)", AckPolicy::Daa);
    assert!(held.len() > 20 && held.iter().all(|h| *h >= SimDuration::from_millis(100)), "{held:?}");
    let prompt = holds("newreno+cwl(1)", AckPolicy::EverySegment);
    assert!(prompt.iter().all(|h| h.is_zero()), "{prompt:?}");
}
