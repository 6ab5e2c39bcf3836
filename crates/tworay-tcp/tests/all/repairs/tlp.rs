//! Tail loss probes (RFC 8985 §7).

use super::ladder::On::{Ack, Timer};
use super::ladder::{climb, config};

/// §7.2: two smoothed round trips after the last new data or ACK, and 200 ms more for one segment in flight.
#[test]
fn when_a_probe_is_due() {
    // With one in flight, 2 x 100 + 200 ms would be after the timeout of 100 + 4 x 50 ms: it takes its place.
    for (segments, due) in [(4, 300.0), (2, 400.0)] {
        let sent: Vec<u32> = (1..=segments).collect();
        let ladder = climb("rack-tlp", &config(segments), Some(segments), &sent, &[(100, Ack(1, &[]), &[])]);
        assert_eq!(ladder.due, Some(due), "{segments} segments");
    }
    // No round trip yet: a second, as long as the first timeout. The timeout stays.
    let ladder = climb("rack-tlp", &config(2), Some(2), &[1, 2], &[]);
    assert_eq!(ladder.due, Some(1000.0));
}

/// §7.3: new data if there is any, whatever the window says.
#[test]
fn a_probe_is_new_data_if_there_is_any() {
    let ladder = climb(
        "rack-tlp",
        &config(3),
        None,
        &[1, 2, 3],
        &[
            (100, Ack(1, &[]), &[4]),
            (300, Timer, &[5]),
            // 5 arrives: 2, 3 and 4 were sent before it, long ago. Half of four segments may be out.
            (400, Ack(1, &[(5, 5)]), &[2, 3]),
        ],
    );
    assert_eq!((ladder.counters().timeouts, ladder.counters().window_cuts), (0, 1));
}

/// §7.4: the ACK of a probe that repaired a loss reduces the window, although nothing more has to be done.
#[test]
fn a_loss_that_a_probe_repaired_reduces_the_window() {
    let rungs = [(100, Ack(3, &[]), &[][..]), (400, Timer, &[4]), (500, Ack(4, &[]), &[])];
    let mut all = rungs.to_vec();
    // Ten segments more: the answer to the probe is the ACK that passes its end.
    let ladder = climb("rack-tlp", &config(4), Some(4), &[1, 2, 3, 4], &all);
    assert_eq!(ladder.counters().window_cuts, 0, "an ACK up to the probe's end may be the original's");
    // The original was late: the receiver reports the copy.
    all.push((610, Ack(4, &[(4, 4)]), &[]));
    let ladder = climb("rack-tlp", &config(4), Some(4), &[1, 2, 3, 4], &all);
    assert_eq!((ladder.counters().window_cuts, ladder.counters().timeouts), (0, 0));
}

/// §7.3: one probe at a time; then the timeout, counted from the probe.
#[test]
fn after_a_probe_comes_the_timeout() {
    let ladder =
        climb("rack-tlp", &config(4), Some(4), &[1, 2, 3, 4], &[(100, Ack(1, &[]), &[]), (300, Timer, &[4])]);
    // RTO = 100 + 4 x 50 ms from 300 ms on.
    assert_eq!(ladder.due, Some(600.0));
}

/// Linux: RTO = SRTT + 200 ms at least, from 200 ms to 120 s; probes are 2 ms later. Both in whole ticks of 4
/// ms.
#[test]
fn linux_timers() {
    let mut rungs = vec![(100, Ack(1, &[]), &[][..])];
    let ladder = climb("linux", &config(4), Some(4), &[1, 2, 3, 4], &rungs);
    assert_eq!(ladder.due, Some(304.0));
    rungs.push((304, Timer, &[4]));
    let ladder = climb("linux", &config(4), Some(4), &[1, 2, 3, 4], &rungs);
    // SRTT 100 ms, 4 RTTVAR 200 ms.
    assert_eq!(ladder.due, Some(604.0));
    assert_eq!(ladder.state().rto.as_secs_f64(), 0.3);
}
