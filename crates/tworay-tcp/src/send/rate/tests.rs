use super::*;
use smallvec::smallvec;

const MSS: u64 = 1000;

fn ms(ms: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(ms)
}

fn ack(to: u64, blocks: &[(u64, u64)]) -> Ack {
    Ack { to, pure: true, blocks: blocks.iter().copied().collect(), dsack: None, echo: None }
}

/// Sends segment `n` (from 0) at a time in milliseconds.
fn send(meter: &mut RateMeter, at: u64, n: u64, max: &mut u64) {
    let (start, end) = (1 + n * MSS, 1 + (n + 1) * MSS);
    meter.on_sent(ms(at), start, end, *max);
    *max = end.max(*max);
}

#[test]
fn a_steady_flow_shows_the_rate_of_its_acks() {
    // One segment every 10 ms, a round trip of 100 ms: 100 segments per second, 10 of them in flight.
    let (mut meter, mut max) = (RateMeter::new(), 1);
    let mut last = None;
    for n in 0..40 {
        if n >= 10 {
            last = meter.take(ms(10 * n), &ack(1 + (n - 9) * MSS, &[]), MSS);
        }
        send(&mut meter, 10 * n, n, &mut max);
    }
    let sample = last.expect("an ACK of new data");
    assert_eq!(sample.rate(), Some(100.0));
    assert_eq!((sample.delivered, sample.newly_delivered), (10.0, 1.0));
    assert_eq!((sample.prior_in_flight, sample.in_flight), (10.0, 9.0));
    assert_eq!(sample.sent_in_flight, 10.0);
    assert_eq!(sample.rtt, Some(SimDuration::from_millis(100)));
    assert_eq!((sample.total_delivered, sample.prior_delivered), (30.0, 20.0));
    assert!(!sample.app_limited);
}

#[test]
fn compressed_acks_show_no_more_than_the_sending() {
    // Ten segments sent within 90 ms whose ACKs all arrive at 200 ms: ten per 200 ms, not ten at once.
    let (mut meter, mut max) = (RateMeter::new(), 1);
    (0..10).for_each(|n| send(&mut meter, 10 * n, n, &mut max));
    let mut samples = (1..=10).map(|n| meter.take(ms(200), &ack(1 + n * MSS, &[]), MSS).expect("new data"));
    // The first ACK: one segment since the first was sent 200 ms ago.
    assert_eq!(samples.next().and_then(|s| s.rate()), Some(5.0));
    // The last was sent 90 ms after the first: 10 in 200 ms, because all were delivered in that time.
    assert_eq!(samples.last().and_then(|s| s.rate()), Some(50.0));
}

#[test]
fn sacked_segments_count_once_and_losses_are_seen() {
    let (mut meter, mut max) = (RateMeter::new(), 1);
    (0..4).for_each(|n| send(&mut meter, 10 * n, n, &mut max));
    // The first is lost; SACK reports the second, then also the third.
    let second = meter.take(ms(110), &ack(1, &[(1 + MSS, 1 + 2 * MSS)]), MSS).expect("a SACK");
    assert_eq!((second.newly_delivered, second.in_flight, second.lost), (1.0, 3.0, 0.0));
    let third = meter.take(ms(120), &ack(1, &[(1 + MSS, 1 + 3 * MSS)]), MSS).expect("a SACK");
    assert_eq!((third.newly_delivered, third.total_delivered), (1.0, 2.0));
    assert!(meter.take(ms(121), &ack(1, &[(1 + MSS, 1 + 3 * MSS)]), MSS).is_none(), "nothing new");
    send(&mut meter, 125, 0, &mut max);
    // The fourth arrived earlier; the first was found lost after the fourth was sent.
    let fourth = meter.take(ms(130), &ack(1, &[(1 + MSS, 1 + 4 * MSS)]), MSS).expect("a SACK");
    assert_eq!((fourth.lost, fourth.rtt), (1.0, Some(SimDuration::from_millis(100))));
    let first = meter.take(ms(225), &ack(1 + 4 * MSS, &[]), MSS).expect("the hole is closed");
    assert_eq!((first.newly_delivered, first.total_delivered, first.in_flight), (1.0, 4.0, 0.0));
    // It is unknown which copy arrived (Karn), and the loss of the first copy is older than the
    // retransmission.
    assert_eq!((first.rtt, first.lost), (None, 0.0));
}

#[test]
fn a_sample_of_an_idle_application_says_so() {
    let (mut meter, mut max) = (RateMeter::new(), 1);
    send(&mut meter, 0, 0, &mut max);
    meter.limited_by_application();
    send(&mut meter, 10, 1, &mut max);
    let limited =
        |meter: &mut RateMeter, at, to| meter.take(ms(at), &ack(to, &[]), MSS).map(|s| s.app_limited);
    assert_eq!(limited(&mut meter, 100, 1 + MSS), Some(false), "sent before the application paused");
    assert_eq!(limited(&mut meter, 110, 1 + 2 * MSS), Some(true));
    send(&mut meter, 120, 2, &mut max);
    assert_eq!(limited(&mut meter, 220, 1 + 3 * MSS), Some(false), "what was limited is delivered");
}

#[test]
fn a_part_sent_again_keeps_the_segments_apart() {
    let (mut meter, mut max) = (RateMeter::new(), 1);
    (0..3).for_each(|n| send(&mut meter, n, n, &mut max));
    // From the middle of the second segment to the end of the third.
    meter.on_sent(ms(50), 1501, 3001, max);
    let all = meter.take(ms(150), &Ack { blocks: smallvec![], ..ack(max, &[]) }, MSS).expect("all");
    assert_eq!((all.newly_delivered, all.in_flight, all.rtt), (3.0, 0.0, None));
}
