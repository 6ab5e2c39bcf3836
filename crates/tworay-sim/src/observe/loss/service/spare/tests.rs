use super::*;

fn at(ms: u64) -> SimTime {
    SimTime::ZERO + span(ms)
}

fn span(ms: u64) -> SimDuration {
    SimDuration::from_millis(ms)
}

fn noise(together: u32, ms: u64) -> Noise {
    Noise { together, time: span(ms), since: None }
}

/// Noise has held up packets for 50 ms. They come at 500 ms. A MAC that had nothing to send until 470 ms would have sent one
/// of them 20 ms earlier at most; one that has been busy since 440 ms, no earlier.
#[test]
fn a_mac_that_was_busy_meanwhile_sends_no_earlier() {
    let of = |idle_at| Spare::unknown().take(at(500), at(idle_at), noise(5, 50));
    assert_eq!(of(470), Delayed { waits: true, later: Some(span(20)) });
    assert_eq!(of(440), Delayed { waits: false, later: None });
}

/// Three packets were held up together, and the MAC was idle for the time of ten: there was time for three of them. The fourth may
/// leave earlier, but waits behind others.
#[test]
fn no_more_wait_than_were_held_up_together() {
    let mut spare = Spare::unknown();
    let waits: Vec<bool> = (0..4).map(|_| spare.take(at(500), at(490), noise(3, 50)).waits).collect();
    assert_eq!(waits, [true, true, true, false]);
    spare.idle(10.0);
    let waits: Vec<bool> = (0..4).map(|_| spare.take(at(900), at(890), noise(3, 50)).waits).collect();
    assert_eq!(waits, [true, true, true, false]);
}

/// The imagined MAC had time for one packet more at 480 ms, though the real one was busy: that counts for a packet that was held up
/// for 50 ms and comes at 500 ms, not for one that was held up for 10 ms.
#[test]
fn time_to_spare_counts_from_when_the_packet_would_have_come() {
    for (held, waits) in [(50, true), (10, false)] {
        let mut spare = Spare::unknown();
        spare.take(at(100), at(100), noise(1, 1));
        spare.busy(at(480), 1);
        assert_eq!(spare.take(at(500), at(100), noise(1, held)).waits, waits);
    }
}

/// A packet that waits behind others, which noise has held up since 300 ms, comes at 500 ms: 200 ms late, whatever the MAC has lost.
#[test]
fn what_waits_behind_others_is_late_until_it_comes() {
    let noise = Noise { since: Some(at(300)), ..noise(2, 20) };
    let found = Spare::unknown().take(at(500), at(350), noise);
    assert_eq!(found, Delayed { waits: true, later: Some(span(50)) });
}
