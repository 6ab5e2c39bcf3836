use super::*;
use crate::control::tests::{LOSS, ack, rto, view};
use crate::{TcpConfig, Variant};
use tworay_base::{Seq32, SimDuration};

/// A sender with a full window over a path of 100 ms, and an ACK for every segment.
struct Path {
    cubic: LinuxCubic,
    now: SimTime,
    window: Window,
}

const RTT: SimDuration = SimDuration::from_millis(100);

impl Path {
    fn new(cwnd: f64, ssthresh: f64) -> Self {
        let options = Options { form: Form::Linux, friendly: false, ..Options::defaults() };
        Self { cubic: LinuxCubic::new(options), now: SimTime::ZERO, window: Window { cwnd, ssthresh } }
    }

    fn view(&self) -> SenderView {
        let Window { cwnd, ssthresh } = self.window;
        SenderView { now: self.now, srtt: Some(RTT), flight: cwnd - 1.0, ..view(cwnd, ssthresh) }
    }

    fn ack(&mut self, event: impl Fn(AckEvent) -> AckEvent) -> Window {
        let view = self.view();
        self.window = self.cubic.on_ack(&view, &event(ack(&view)), &mut Effects::new());
        self.window
    }

    fn sample(&mut self, rtt: SimDuration) {
        self.cubic.on_rtt(&self.view(), &RttEvent { exact: rtt, ticked: rtt }, &mut Effects::new());
    }

    fn lose(&mut self) -> Window {
        self.window = self.cubic.on_loss(&self.view(), &LOSS, &mut Effects::new());
        self.window
    }

    fn time_out(&mut self, change: impl Fn(SenderView) -> SenderView, consecutive: u32) -> f64 {
        let view = change(self.view());
        let window = self.cubic.on_rto(&view, &rto(consecutive), &mut Effects::new()).window;
        assert_eq!(window.cwnd, 1.0);
        window.ssthresh
    }

    fn run(&mut self, until: f64) -> f64 {
        while self.now.as_secs_f64() < until {
            self.ack(|event| event);
            self.now += RTT.mul_f64(1.0 / self.window.cwnd);
        }
        self.window.cwnd
    }
}

/// RFC 9438 figure 1 by hand, as in the test of the RFC's form: W(t) = 0.4 (t − 4.217)³ + 100, in whole segments.
#[test]
fn the_window_follows_the_cubic_function() {
    let mut path = Path::new(100.0, 2.0);
    assert_eq!(path.lose(), Window { cwnd: 70.0, ssthresh: 70.0 });
    for (t, expected) in [(1.0, 86.68), (2.0, 95.64), (3.0, 99.28), (6.0, 102.27), (8.0, 121.64)] {
        let found = path.run(t);
        assert_eq!(found, found.floor());
        assert!((found - expected).abs() < 2.5, "W({t}) = {expected}, found {found}");
    }
}

/// Two segments acknowledged at 19 of 20: one reaches the threshold, and the other is the first of 20.
#[test]
fn slow_start_ends_at_the_threshold() {
    let mut path = Path::new(19.0, 20.0);
    assert_eq!(path.ack(|event| AckEvent { delivered: 2.0, ..event }).cwnd, 20.0);
    assert_eq!(path.ack(|event| AckEvent { delivered: 18.0, ..event }).cwnd, 20.0);
    assert_eq!(path.ack(|event| event).cwnd, 21.0);
}

#[test]
fn an_unused_window_does_not_grow() {
    let mut path = Path::new(10.0, 20.0);
    for event in [
        |event| AckEvent { limited: Some(false), ..event },
        |event: AckEvent| AckEvent {
            may_grow: false,
            standard: Window { cwnd: 10.0, ssthresh: 20.0 },
            ..event
        },
    ] {
        assert_eq!(path.ack(event), Window { cwnd: 10.0, ssthresh: 20.0 });
    }
    assert_eq!(path.ack(|event| AckEvent { limited: Some(true), ..event }).cwnd, 11.0);
}

/// Nine samples of 120 ms after one of 100 ms end slow start with the window of then, unless a loss comes before.
#[test]
fn hystart_sets_the_threshold() {
    for loses in [false, true] {
        let mut path = Path::new(16.0, f64::INFINITY);
        path.cubic.curve.note_delay(100_000);
        (0..9).for_each(|_| path.sample(SimDuration::from_millis(120)));
        if loses {
            // 16 · 717 / 1024 = 11.2.
            assert_eq!(path.lose(), Window { cwnd: 11.0, ssthresh: 11.0 });
            assert_eq!(path.ack(|event| event).ssthresh, 11.0);
        } else {
            assert_eq!(path.ack(|event| event), Window { cwnd: 16.0, ssthresh: 16.0 });
        }
    }
}

/// Round trips of the first second of avoidance are those of the queue that the loss left.
#[test]
fn early_round_trips_do_not_count() {
    let mut path = Path::new(100.0, 2.0);
    path.lose();
    path.ack(|event| event);
    for (ms, counts) in [(999, false), (1000, true)] {
        path.now = SimTime::ZERO + SimDuration::from_millis(ms);
        path.sample(SimDuration::from_millis(50));
        let shortest = path.cubic.curve.note_delay(60_000);
        assert_eq!(shortest, if counts { 50_000 } else { 60_000 }, "{ms}");
    }
}

/// 100 → 70; a timeout in its recovery, and another of the same segment, change nothing. A timeout after a retransmission
/// has arrived is a new loss: 40 · 717 / 1024 = 28.0.
#[test]
fn a_window_is_reduced_once() {
    let mut path = Path::new(100.0, 200.0);
    path.lose();
    assert_eq!(path.time_out(|view| SenderView { in_recovery: true, ..view }, 1), 70.0);
    let repairing = |view| SenderView { after_timeout: true, ..view };
    assert_eq!(path.time_out(repairing, 2), 70.0);
    path.window = Window { cwnd: 40.0, ssthresh: 70.0 };
    assert_eq!(path.time_out(repairing, 1), 28.0);
}

/// After a timeout nothing is known: 20 segments for one more, where the function would aim at 100. Neither does an
/// undone timeout bring anything back.
#[test]
fn a_timeout_forgets_the_function() {
    let mut path = Path::new(100.0, 200.0);
    path.lose();
    path.time_out(|view| view, 1);
    path.window = Window { cwnd: 50.0, ssthresh: 49.0 };
    let event = UndoEvent { before: path.window, standard: path.window };
    assert_eq!(path.cubic.on_undo(&path.view(), &event, &mut Effects::new()), path.window);
    for acked in [50.0, 51.0] {
        assert_eq!(path.ack(|event| AckEvent { delivered: 10.0, ..event }).cwnd, acked);
    }
}

/// Ten seconds without anything in flight: W(2 s) = 95.64 comes at 12 s, where W(12 s) = 288.6.
#[test]
fn idle_time_does_not_count() {
    let sent = |path: &mut Path, alone| {
        let event = SentEvent { seq: Seq32(1), bytes: 1000, retransmission: false, alone };
        path.cubic.on_sent(&path.view(), &event);
    };
    let mut path = Path::new(100.0, 2.0);
    path.lose();
    path.run(1.0);
    sent(&mut path, false);
    path.now += SimDuration::from_secs(10);
    sent(&mut path, true);
    let found = path.run(12.0);
    assert!((found - 95.64).abs() < 2.5, "{found}");
}

#[test]
fn every_segment_is_timed() {
    for (text, timing) in
        [("cubic", TcpConfig::default().timing), ("cubic(form=linux)", Timing::EverySegment)]
    {
        let variant: Variant = text.parse().expect(text);
        assert_eq!(variant.configured(&TcpConfig::default()).timing, timing, "{text}");
        assert_eq!(variant.name(), text);
    }
}
