use super::*;
use crate::control::tests::{LOSS, ack, rto, view};
use tworay_base::SimDuration;

/// A sender whose window is always full, over a path with this round trip and one ACK per segment.
struct Path {
    cubic: Cubic,
    rtt: SimDuration,
    now: SimTime,
    window: Window,
}

impl Path {
    /// A loss at `before` segments, and the end of its recovery.
    fn after_loss(options: Options, before: f64, rtt_ms: u64) -> Self {
        let mut path = Self {
            cubic: Cubic::new(options),
            rtt: SimDuration::from_millis(rtt_ms),
            now: SimTime::ZERO,
            window: Window { cwnd: before, ssthresh: 2.0 },
        };
        path.lose();
        path
    }

    fn view(&self) -> SenderView {
        let Window { cwnd, ssthresh } = self.window;
        SenderView { now: self.now, srtt: Some(self.rtt), flight: cwnd - 1.0, ..view(cwnd, ssthresh) }
    }

    fn lose(&mut self) {
        let view = SenderView { flight: self.window.cwnd, ..self.view() };
        self.window = self.cubic.on_loss(&view, &LOSS, &mut Effects::new());
    }

    /// Processes ACKs for this many seconds.
    fn run(&mut self, seconds: f64) -> f64 {
        let end = self.now + SimDuration::from_secs_f64(seconds);
        while self.now < end {
            let view = self.view();
            self.window = self.cubic.on_ack(&view, &ack(&view), &mut Effects::new());
            self.now += self.rtt.mul_f64(1.0 / self.window.cwnd);
        }
        self.window.cwnd
    }
}

/// RFC 9438 figure 1: after a loss at 100 segments K = ∛(30/0.4) = 4.217 s, and W(t) = 0.4 (t − K)³ + 100.
#[test]
fn the_window_follows_the_cubic_function() {
    let options = Options { friendly: false, ..Options::defaults() };
    let mut path = Path::after_loss(options, 100.0, 100);
    assert!((path.window.cwnd - 70.0).abs() < 1e-9 && path.window == Window { cwnd: 70.0, ssthresh: 70.0 });
    // t, W(t) by hand; the last is at K.
    for (t, expected) in
        [(1.0, 86.68), (2.0, 95.64), (3.0, 99.28), (4.217, 100.0), (6.0, 102.27), (8.0, 121.64)]
    {
        let before = path.now.as_secs_f64();
        let found = path.run(t - before);
        assert!((found - expected).abs() < 0.01 * expected, "W({t}) = {expected}, found {found}");
    }
}

/// RFC 9438 §4.3 by hand: from 7 segments α = 0.9/1.7 = 0.529 per round trip up to the previous 10, and one
/// per round trip from then on.
#[test]
fn short_round_trips_are_in_the_friendly_region() {
    let mut path = Path::after_loss(Options::defaults(), 10.0, 10);
    assert!((path.window.cwnd - 7.0).abs() < 1e-9);
    let trips = |path: &mut Path, n: f64| path.run(n * 0.01);
    let after = trips(&mut path, 4.0);
    assert!((after - (7.0 + 4.0 * 0.9 / 1.7)).abs() < 0.15, "{after}");
    let (at_10, at_20) = (trips(&mut path, 6.0), trips(&mut path, 10.0));
    assert!((at_20 - at_10 - 10.0).abs() < 0.5, "one a round trip: {at_10} to {at_20}");
    let mut alone = Path::after_loss(Options { friendly: false, ..Options::defaults() }, 10.0, 10);
    assert!(alone.run(0.2) < 9.0, "the cubic function alone takes ∛(3/0.4) = 1.96 s back to 10");
}

/// RFC 9438 §4.7: 100 then 90 leaves W_max = 90 · 1.7/2 = 76.5.
#[test]
fn a_shrinking_window_leaves_room() {
    for (fast_convergence, second, w_max) in [(true, 90.0, 76.5), (true, 110.0, 110.0), (false, 90.0, 90.0)] {
        let mut path = Path::after_loss(Options { fast_convergence, ..Options::defaults() }, 100.0, 100);
        path.window.cwnd = second;
        path.lose();
        assert!((path.cubic.w_max.expect("a loss") - w_max).abs() < 1e-9, "{fast_convergence} {second}");
        assert_eq!(path.cubic.prior, second);
    }
}

/// RFC 9438 §4.8: W(t) = 0.4 t³ + cwnd from the end of slow start on.
#[test]
fn after_a_timeout_the_plateau_is_where_avoidance_begins() {
    let options = Options { friendly: false, ..Options::defaults() };
    let mut path = Path::after_loss(options, 100.0, 100);
    path.window.cwnd = 100.0;
    let decision = path.cubic.on_rto(&path.view(), &rto(1), &mut Effects::new());
    // All segments except the one just acknowledged are outstanding.
    assert!((decision.window.ssthresh - 69.3).abs() < 1e-9 && decision.window.cwnd == 1.0);
    let again = SenderView { ssthresh: 69.3, ..view(1.0, 69.3) };
    let second = path.cubic.on_rto(&again, &rto(2), &mut Effects::new());
    assert_eq!(second.window.ssthresh, 69.3, "the second timeout of a segment reduces nothing");
    path.window = Window { cwnd: 70.0, ssthresh: 69.3 };
    let found = path.run(4.0);
    assert!((found - (70.0 + 0.4 * 64.0)).abs() < 1.0, "{found}");
}

/// RFC 9438 §5.8.
#[test]
fn what_the_window_does_not_limit_does_not_let_it_grow() {
    let mut path = Path::after_loss(Options { friendly: false, ..Options::defaults() }, 100.0, 100);
    let (before, grown) = (path.run(1.0), path.cubic.epoch.expect("an epoch"));
    // Ten seconds with few segments outstanding.
    for _ in 0..100 {
        path.now += SimDuration::from_millis(100);
        let view = SenderView { flight: 10.0, ..path.view() };
        path.window = path.cubic.on_ack(&view, &ack(&view), &mut Effects::new());
    }
    assert_eq!(path.window.cwnd, before);
    let idle = path.cubic.epoch.expect("an epoch").began.since(grown.began).as_secs_f64();
    assert!((idle - 10.0).abs() < 0.01, "the clock stood still: {idle} s");
    let after = path.run(1.0);
    assert!((after - 95.64).abs() < 1.0, "W(2 s) of its own clock: {after}");
}

/// RFC 9438 §4.9.1: after a spurious timeout the window follows the function of before, as if nothing had
/// happened.
#[test]
fn a_spurious_timeout_changes_nothing() {
    let options = Options { friendly: false, ..Options::defaults() };
    let mut path = Path::after_loss(options, 100.0, 100);
    path.run(2.0);
    let (view, before) = (path.view(), path.window);
    let after = path.cubic.on_rto(&view, &rto(1), &mut Effects::new()).window;
    assert!(after.cwnd == 1.0 && path.cubic.epoch.is_none() && path.cubic.w_max.is_none());
    let again = SenderView { cwnd: 1.0, ssthresh: after.ssthresh, ..view };
    path.cubic.on_rto(&again, &rto(2), &mut Effects::new());
    let event = UndoEvent { before, standard: before };
    path.window = path.cubic.on_undo(&again, &event, &mut Effects::new());
    assert_eq!(path.window, before);
    let found = path.run(4.0);
    assert!((found - 102.27).abs() < 1.0, "W(6) = 102.27, found {found}");
}

/// RFC 9438 §4.9.2: after a needless fast recovery the function goes on as if there had been no loss: W(6 s) = 102.27, as above.
#[test]
fn a_needless_recovery_is_undone() {
    let options = Options { friendly: false, ..Options::defaults() };
    let mut path = Path::after_loss(options, 100.0, 100);
    path.run(2.0);
    let (view, before) = (path.view(), path.window);
    let after = path.cubic.on_loss(&view, &LOSS, &mut Effects::new());
    assert!(after.cwnd < before.cwnd && path.cubic.epoch.is_none());
    let event = UndoEvent { before, standard: before };
    let reduced = SenderView { cwnd: after.cwnd, ssthresh: after.ssthresh, ..view };
    path.window = path.cubic.on_undo(&reduced, &event, &mut Effects::new());
    let found = path.run(4.0);
    assert!((found - 102.27).abs() < 1.0, "{found}");
}

/// RFC 9438 §4.6 starts from the flight, and W_max is the window of the loss: with a receiver's window of 8
/// the plateau is 8 segments, K = ∛(2.4/0.4) = 1.8 s, although slow start had taken cwnd to 78.
#[test]
fn the_plateau_is_the_window_in_use() {
    let mut cubic = Cubic::new(Options::defaults());
    let view = SenderView { advertised: 8.0, flight: 8.0, ..view(78.0, 100.0) };
    let window = cubic.on_loss(&view, &LOSS, &mut Effects::new());
    assert!((window.cwnd - 5.6).abs() < 1e-9 && cubic.w_max == Some(8.0), "{window:?} {:?}", cubic.w_max);
    let after = SenderView { cwnd: 5.6, ssthresh: 5.6, ..view };
    assert!((cubic.begin(&after).k - 6f64.cbrt()).abs() < 1e-9);
}

/// RFC 9438 §4.2: t does not include idle periods. Before and after ten seconds with nothing in flight the
/// window follows one function: W(1 s) = 86.68 and W(2 s) = 95.64, but W(12 s) = 288.6.
#[test]
fn idle_time_does_not_count() {
    let mut path = Path::after_loss(Options { friendly: false, ..Options::defaults() }, 100.0, 100);
    let before = path.run(1.0);
    assert!((before - 86.68).abs() < 1.0, "{before}");
    let last = path.cubic.last_ack;
    path.now += SimDuration::from_secs(10);
    let event = RestartEvent { idle: path.now.since(last), app_limited: false, standard: path.window };
    path.window = path.cubic.on_restart(&path.view(), &event, &mut Effects::new());
    assert_eq!(path.window.cwnd, before);
    let after = path.run(1.0);
    assert!((after - 95.64).abs() < 1.0, "W(2 s) of its own clock: {after}");
}
