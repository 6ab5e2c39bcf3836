use super::*;
use crate::control::tests::view;
use tworay_base::{SimDuration, SimTime};

/// A slow start whose window has 1000-byte segments, all outstanding.
struct Start {
    hystart: HyStart,
    una: u32,
    cwnd: f64,
}

impl Start {
    fn new(cwnd: f64) -> Self {
        Self { hystart: HyStart::default(), una: 1, cwnd }
    }

    /// The next segment is acknowledged at `micros`.
    fn ack(&mut self, micros: u64, delay: u64, least: u64) -> bool {
        self.una += 1000;
        let window = self.cwnd as u32 * 1000;
        let view = SenderView {
            now: SimTime::ZERO + SimDuration::from_micros(micros),
            una: Seq32(self.una),
            max: Seq32(self.una + window),
            ..view(self.cwnd, 1000.0)
        };
        self.hystart.ends(&view, delay, least)
    }

    /// ACKs 5 ms apart, from the first of a round on: the number of the one that ends slow start, of 15.
    fn ends_at(cwnd: f64, delay: u64, least: u64) -> Option<usize> {
        let mut start = Self::new(cwnd);
        (1..16).find(|&n| start.ack(5_000 * n as u64, delay, least))
    }
}

/// An eighth of the shortest round trip, but 4 to 16 ms: 112.5, 14 and 216 ms are no queue. The ninth sample decides.
#[test]
fn the_ninth_longer_round_trip_ends_slow_start() {
    for (least, limit) in [(100_000, 112_500), (10_000, 14_000), (200_000, 216_000)] {
        assert_eq!(Start::ends_at(16.0, limit, least), None, "{least}");
        assert_eq!(Start::ends_at(16.0, limit + 1, least), Some(9), "{least}");
    }
    assert_eq!(Start::ends_at(15.0, 500_000, 100_000), None, "a small window");
}

/// One short sample shows that the queue is empty, until the round is over: of 16 outstanding segments at the first ACK, the
/// 17th ACK is the last of the round. The 18th begins another, whose ninth ACK is the 26th.
#[test]
fn every_round_is_judged_anew() {
    let mut start = Start::new(16.0);
    let ended = (1..40).find(|&n| start.ack(5_000 * n, if n == 3 { 100_000 } else { 150_000 }, 100_000));
    assert_eq!(ended, Some(26));
}

/// (100 + 1) / 2 = 50.5 ms after the round began at 2 ms: the ACK at 54 ms. It rests after that, until a timeout.
#[test]
fn a_train_of_half_a_round_trip_ends_slow_start() {
    let mut start = Start::new(40.0);
    let ended = (1..40).find(|&n| start.ack(2_000 * n, 100_000, 100_000));
    assert_eq!(ended, Some(27));
    assert!(!start.ack(56_000, 100_000, 100_000));
    start.hystart.restart(&view(40.0, 1000.0));
    let again = (0..40).find(|&n| start.ack(1_000_000 + 2_000 * n, 100_000, 100_000));
    assert_eq!(again, Some(26));
}

#[test]
fn a_gap_ends_the_train() {
    let mut start = Start::new(40.0);
    let times = (1..11).map(|n| 2_000 * n).chain((0..30).map(|n| 22_001 + 2_000 * n));
    assert!(!times.into_iter().any(|at| start.ack(at, 100_000, 100_000)));
}
