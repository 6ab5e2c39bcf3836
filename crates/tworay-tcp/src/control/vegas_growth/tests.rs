use super::*;
use crate::control::bench::Bench;
use crate::control::{SentEvent, Window};
use tworay_base::Seq32;

/// Sends a segment with nothing else in flight.
fn send_alone(bench: &mut Bench, retransmission: bool) {
    let event = SentEvent { seq: bench.view.una, bytes: 1000, retransmission, alone: true };
    bench.part.on_sent(&bench.view, &event);
}

/// A sender with this window, whose round has just begun: it ends with an ACK above byte 10 001. The shortest round trip
/// so far is 100 ms.
fn bench(cwnd: f64, ssthresh: f64) -> Bench {
    let mut bench = Bench::new("vegas-growth");
    send_alone(&mut bench, false);
    bench.view.una = Seq32(1001);
    // Only a single segment had been sent when the first round began, so this ACK ends it.
    bench.rtt(100).ack();
    bench.view = SenderView { cwnd, ssthresh, flight: cwnd, ..bench.view };
    bench
}

/// ACKs within the round, one for each of these round trips, milliseconds: the window after the last.
fn within(bench: &mut Bench, rtts: &[u64]) -> Window {
    bench.view.una = Seq32(10_001);
    rtts.iter().map(|&rtt| bench.rtt(rtt).ack()).last().expect("a round trip")
}

/// The ACK that ends the round, after `rtt` milliseconds.
fn end(bench: &mut Bench, rtt: u64) -> Window {
    (bench.view.una, bench.view.max) = (Seq32(11_001), Seq32(21_001));
    bench.rtt(rtt).ack()
}

/// The window after a round whose shortest round trip this is.
fn judged(cwnd: f64, ssthresh: f64, shortest: u64) -> (f64, f64) {
    let mut bench = bench(cwnd, ssthresh);
    within(&mut bench, &[500, shortest]);
    let window = end(&mut bench, 500);
    (window.cwnd, window.ssthresh)
}

#[test]
fn avoidance_keeps_two_to_four_segments_in_the_queue() {
    // Queued: 20 (R - 100) / 100, rounded down; Linux adds 1 µs to R and to the 100 ms. ssthresh becomes at least the
    // halves and quarters of the new window: 21 gives 10 + 5, 20 gives 10 + 5, 19 gives 9 + 4.
    assert_eq!(judged(20.0, 12.0, 100), (21.0, 15.0), "0");
    assert_eq!(judged(20.0, 12.0, 109), (21.0, 15.0), "1.8, so 1");
    assert_eq!(judged(20.0, 12.0, 111), (20.0, 15.0), "2.2, so 2");
    assert_eq!(judged(20.0, 12.0, 124), (20.0, 15.0), "4.8, so 4");
    assert_eq!(judged(20.0, 12.0, 126), (19.0, 13.0), "5.2, so 5");
    // 2 x 300 / 100 = 6 (5.99), but two segments stay; ssthresh is 1, and the sender sees to 2.
    assert_eq!(judged(2.0, 2.0, 400), (2.0, 1.0));
}

#[test]
fn slow_start_ends_with_the_window_that_would_queue_nothing() {
    assert_eq!(judged(20.0, 64.0, 105), (21.0, 64.0), "20 x 5 / 100 = 1 (0.99): goes on");
    assert_eq!(judged(20.0, 64.0, 110), (21.0, 64.0), "2 (1.9998): goes on");
    // 20 x 100 / 111 = 18.02, and one more.
    assert_eq!(judged(20.0, 64.0, 111), (19.0, 19.0));
    // 20 x 100 / 200 = 10, and one more.
    assert_eq!(judged(20.0, 64.0, 200), (11.0, 11.0));
}

#[test]
fn the_limits_can_be_chosen() {
    let mut bench = Bench::new("vegas-growth(1,3,0)");
    bench.view = SenderView { cwnd: 20.0, ssthresh: 12.0, flight: 20.0, ..bench.view };
    bench.rtt(100).ack();
    // 20 x 18 / 100 = 3.6, so 3, is not above beta; 4.2 is.
    within(&mut bench, &[500, 118]);
    assert_eq!(end(&mut bench, 500).cwnd, 20.0);
    bench.view.una = Seq32(21_001);
    bench.rtt(500).rtt(121).rtt(500);
    bench.view.una = Seq32(22_001);
    assert_eq!(bench.ack().cwnd, 19.0);
}

#[test]
fn within_a_round_only_slow_start_grows() {
    assert_eq!(within(&mut bench(20.0, 64.0), &[300, 300]), Window { cwnd: 21.0, ssthresh: 64.0 });
    assert_eq!(within(&mut bench(20.0, 20.5), &[300, 300]), Window { cwnd: 20.0, ssthresh: 20.5 });
    assert_eq!(within(&mut bench(20.0, 12.0), &[100, 100]), Window { cwnd: 20.0, ssthresh: 12.0 });
}

#[test]
fn fewer_than_three_samples_are_renos() {
    // 20 x 400 / 100 = 80 would end slow start and shrink the window.
    let mut slow = bench(20.0, 64.0);
    within(&mut slow, &[500]);
    assert_eq!(end(&mut slow, 500), Window { cwnd: 21.0, ssthresh: 64.0 });
    let mut avoiding = bench(20.0, 12.0);
    within(&mut avoiding, &[500]);
    assert_eq!(end(&mut avoiding, 500), Window { cwnd: 20.0, ssthresh: 12.0 });
    let mut enough = bench(20.0, 12.0);
    within(&mut enough, &[500, 500]);
    assert_eq!(end(&mut enough, 500).cwnd, 19.0);
}

#[test]
fn reno_does_not_grow_a_window_that_is_not_used() {
    let mut idle = bench(20.0, 64.0);
    within(&mut idle, &[500]);
    // Nine were in flight before this ACK, less than half of 20.
    idle.view.flight = 8.0;
    assert_eq!(end(&mut idle, 500).cwnd, 20.0);
}

#[test]
fn the_recovery_knows_whether_the_window_was_used() {
    // The flight fills the window, and yet the sender had nothing to send before.
    let mut idle = bench(20.0, 64.0);
    within(&mut idle, &[500]);
    idle.view.una = Seq32(11_001);
    idle.rtt(500);
    let event = AckEvent {
        bytes: 1000,
        segments: 1.0,
        delivered: 1.0,
        may_grow: true,
        limited: Some(false),
        standard: Window { cwnd: 21.0, ssthresh: 64.0 },
        echo: None,
    };
    assert_eq!(idle.part.on_ack(&idle.view, &event, &mut Effects::new()).cwnd, 20.0);
}

#[test]
fn a_duplicate_ack_or_a_loss_begins_a_new_round() {
    let disturbances: [fn(&mut Bench); 3] = [
        |bench| assert_eq!(bench.dup_ack(), DupAckDecision::Recovery),
        |bench| assert_eq!(bench.loss(), crate::control::tests::HALF),
        |bench| assert_eq!(bench.rto().window.cwnd, 1.0),
    ];
    for disturb in disturbances {
        let mut bench = bench(20.0, 12.0);
        within(&mut bench, &[500, 500, 500]);
        disturb(&mut bench);
        // Would have ended the round with 80 queued segments; the new round has only two samples.
        assert_eq!(end(&mut bench, 500).cwnd, 20.0);
        bench.view.una = Seq32(22_001);
        bench.view.max = Seq32(32_001);
        assert_eq!(bench.rtt(500).rtt(500).ack().cwnd, 20.0);
        // The next one has three.
        bench.view.una = Seq32(33_001);
        assert_eq!(bench.rtt(500).rtt(500).rtt(500).ack().cwnd, 19.0);
    }
}

#[test]
fn while_losses_are_repaired_growth_is_renos() {
    let mut bench = bench(4.0, 2.0);
    bench.rto();
    bench.view.after_timeout = true;
    // One more for a window of four.
    let grown: Vec<f64> = (0..4).map(|_| bench.ack().cwnd).collect();
    assert_eq!(grown, [4.0, 4.0, 4.0, 5.0]);
}

#[test]
fn a_segment_sent_alone_forgets_the_shortest_round_trip() {
    for retransmission in [false, true] {
        let mut bench = bench(20.0, 12.0);
        within(&mut bench, &[500, 500]);
        send_alone(&mut bench, retransmission);
        // New data ends the round with its own ACK, a repetition with one above all that was sent: it has one sample.
        assert_eq!(end(&mut bench, 500).cwnd, 20.0);
        bench.view.una = Seq32(22_001);
        // All round trips are 500 ms now, so nothing is queued.
        assert_eq!(bench.rtt(500).rtt(500).rtt(500).ack().cwnd, 21.0);
    }
}
