use super::*;
use crate::control::tests::{LOSS, view};

/// A sender with given round trips; each call is one round trip that delivers the given number of segments.
struct Path {
    copa: Copa,
    view: SenderView,
    delivered: f64,
    gap: SimDuration,
}

impl Path {
    fn new(options: Options, cwnd: f64) -> Self {
        let view = SenderView {
            now: SimTime::ZERO + SimDuration::from_secs(1),
            srtt: Some(SimDuration::from_millis(100)),
            ..view(cwnd, 1e9)
        };
        Self { copa: Copa::new(options), view, delivered: 0.0, gap: SimDuration::ZERO }
    }

    /// Past slow start, with a minimum round trip of 100 ms.
    fn steady(cwnd: f64) -> Self {
        let mut path = Self::new(Options::defaults(), cwnd);
        path.copa.slow_start = false;
        path.ack(100, 0.0);
        path.view.cwnd = cwnd;
        path.copa.velocity.from = cwnd;
        path
    }

    fn ack(&mut self, rtt_ms: u64, acked: f64) -> f64 {
        self.view.now += SimDuration::from_millis(100);
        let prior_delivered = self.delivered;
        self.delivered += acked;
        let sample = RateSample {
            delivered: acked,
            interval: Some(SimDuration::from_millis(100)),
            app_limited: false,
            newly_delivered: acked,
            prior_delivered,
            total_delivered: self.delivered,
            lost: 0.0,
            sent_in_flight: self.view.cwnd,
            prior_in_flight: self.view.cwnd,
            in_flight: self.view.cwnd,
            rtt: Some(SimDuration::from_millis(rtt_ms)),
        };
        let mut effects = Effects::new();
        self.copa.on_rate(&self.view, &sample, &mut effects);
        for effect in effects {
            match effect {
                Effect::SetWindow(w) => (self.view.cwnd, self.view.ssthresh) = (w.cwnd, w.ssthresh),
                Effect::Pace(gap) => self.gap = gap,
                _ => {}
            }
        }
        self.view.cwnd
    }
}

/// By hand: a queue of 40 ms asks for 1/(0.5 · 0.04 s) = 50 segments/s; 10 in 140 ms are 71, 5 are 36. A step
/// is 1/(0.5 cwnd). Pacing: twice the window in the standing round trip.
#[test]
fn the_window_moves_towards_the_target_rate() {
    for (cwnd, expected) in [(10.0, 9.8), (5.0, 5.4), (7.01, 7.01 - 2.0 / 7.01), (6.99, 6.99 + 2.0 / 6.99)] {
        let mut path = Path::steady(cwnd);
        let found = path.ack(140, 1.0);
        assert!((found - expected).abs() < 1e-9, "{cwnd}: {found}");
        assert!((path.gap.as_secs_f64() - 0.14 / (2.0 * found)).abs() < 1e-6);
    }
}

#[test]
fn the_start_doubles_until_the_target() {
    let mut path = Path::new(Options::defaults(), 2.0);
    // An empty queue: 4, 8, 16.
    for expected in [4.0, 8.0, 16.0] {
        let acked = path.view.cwnd;
        assert_eq!(path.ack(100, acked), expected);
    }
    // 16 in 130 ms are 123, the target is 1/(0.5 · 0.03) = 67.
    assert!(path.ack(130, 1.0) < 16.0);
    assert!(!path.copa.slow_start);
    assert!((path.view.ssthresh - path.view.cwnd).abs() < 1e-9);
}

/// §2.1: after three round trips in one direction the velocity doubles every round trip; a turn resets it.
#[test]
fn velocity_doubles_after_three_round_trips_one_way() {
    let mut path = Path::steady(100.0);
    path.copa.options.switching = false;
    let mut speeds = Vec::new();
    for _ in 0..8 {
        path.ack(400, 1.0);
        speeds.push(path.copa.velocity.value);
    }
    // The first one turns it downwards.
    assert_eq!(speeds, [1.0, 1.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
    // An empty queue turns it upwards.
    path.view.srtt = Some(SimDuration::from_millis(10));
    path.ack(100, 1.0);
    path.ack(100, 1.0);
    assert_eq!(path.copa.velocity.value, 1.0);
}

/// §2.2: five round trips without a nearly empty queue; then 1/δ grows by one per round trip and halves on
/// a loss.
#[test]
fn a_queue_that_never_empties_means_competition() {
    let mut path = Path::steady(20.0);
    for _ in 0..5 {
        path.ack(150, 1.0);
        assert_eq!(path.copa.inverse, 2.0);
    }
    let grown: Vec<f64> = (0..4)
        .map(|_| {
            path.ack(150, 1.0);
            path.copa.inverse
        })
        .collect();
    assert_eq!(grown, [3.0, 4.0, 5.0, 6.0]);
    path.copa.on_loss(&path.view, &LOSS, &mut Effects::new());
    path.ack(150, 1.0);
    assert_eq!(path.copa.inverse, 3.0);
    // 0.1 · (150 − 100) = 5 ms: a queue of 4 ms counts as empty.
    path.ack(104, 1.0);
    assert_eq!(path.copa.inverse, 2.0);
    let mut always = Path::steady(20.0);
    always.copa.options.switching = false;
    (0..20).for_each(|_| _ = always.ack(150, 1.0));
    assert_eq!(always.copa.inverse, 2.0);
}

#[test]
fn only_timeouts_cut_the_window() {
    let mut path = Path::steady(20.0);
    let kept = path.copa.on_loss(&path.view, &LOSS, &mut Effects::new());
    assert_eq!(kept.cwnd, 20.0);
    let cut = path.copa.on_rto(&path.view, &crate::control::tests::rto(1), &mut Effects::new());
    assert_eq!(cut.window.cwnd, 1.0);
    assert!(path.copa.slow_start);
}

/// Where the receiver's window of 8 is the limit there is no queue, and the target rate is never reached. The
/// window must not go on growing: 8, and what one ACK delivers.
#[test]
fn the_window_stays_at_the_receivers() {
    for mut path in [Path::steady(4.0), Path::new(Options::defaults(), 4.0)] {
        path.view.advertised = 8.0;
        let windows: Vec<f64> = (0..100).map(|_| path.ack(100, 1.0)).collect();
        assert!(windows.iter().all(|&w| w <= 9.0) && windows[99] >= 8.0, "{windows:?}");
    }
}
