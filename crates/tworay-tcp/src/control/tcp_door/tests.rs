use super::super::bench::{Bench, HALF};
use super::*;
use crate::Variant;

/// Window and threshold of the bench.
const OLD: Window = Window { cwnd: 10.0, ssthresh: 20.0 };
const ONE: Window = Window { cwnd: 1.0, ssthresh: 5.0 };

fn out_of_order(b: &mut Bench) -> String {
    b.effects.clear();
    b.part.on_path_event(&b.view, PathEvent::Report(Report::OutOfOrder), &mut b.effects);
    b.wanted()
}

/// Response 1 (Wang and Zhang 2002): for T1 neither losses nor timeouts change the window, and the timeout
/// stays.
#[test]
fn congestion_control_is_off_after_a_detection() {
    let mut b = Bench::new("tcp-door(t1=2)");
    assert_eq!(out_of_order(&mut b), "timer=2", "T1 = two timeouts of 1 s; nothing to take back");
    assert_eq!(b.part.sampling(), Sampling::Withheld, "the timeout stays");
    assert_eq!(b.loss(), OLD);
    assert_eq!(b.wanted(), "guess=link-failure");
    b.effects.clear();
    b.part.on_recovery_exit(&b.view, &mut b.effects);
    assert_eq!(b.wanted(), "window=10/20", "what NewReno deflates");
    assert_eq!(b.rto(), RtoDecision { window: OLD, backoff: Backoff::Keep });
    assert_eq!(b.wanted(), "guess=link-failure");
    assert_eq!(b.ack(), OLD, "no growth either");
    assert_eq!(out_of_order(&mut b), "timer=2", "T1 begins anew");
    b.timer();
    assert_eq!(b.part.sampling(), Sampling::Standard);
    assert_eq!(b.loss(), HALF, "T1 is over");
    assert_eq!(b.wanted(), "guess=congestion");
}

/// Response 2: a reduction up to T2 (1 s) before the detection is taken back, an older one stands.
#[test]
fn a_recent_reduction_is_taken_back() {
    for (ms, back) in [(0, true), (1000, true), (1001, false)] {
        for timeout in [false, true] {
            let mut b = Bench::new("tcp-door");
            b.at(5000);
            if timeout {
                assert_eq!(b.rto(), RtoDecision { window: ONE, backoff: Backoff::Double });
            } else {
                assert_eq!(b.loss(), HALF);
            }
            assert_eq!(b.wanted(), "guess=congestion");
            (b.view.cwnd, b.view.ssthresh) = (5.0, 5.0);
            let wanted = if back { "window=10/20 end-backoff timer=1" } else { "timer=1" };
            assert_eq!(out_of_order(b.at(5000 + ms)), wanted, "{ms} ms, timeout: {timeout}");
            assert_eq!(out_of_order(&mut b), "timer=1", "once");
        }
    }
}

/// Two reductions within T2: the window before the first comes back.
#[test]
fn the_first_of_two_reductions_counts() {
    let mut b = Bench::new("tcp-door");
    b.loss();
    b.view.cwnd = 5.0;
    b.at(400).rto();
    b.view.cwnd = 1.0;
    assert_eq!(out_of_order(b.at(600)), "window=10/20 end-backoff timer=1");
}

/// While fast recovery is in progress it must also end with the old window.
#[test]
fn recovery_ends_with_the_window_taken_back() {
    let mut b = Bench::new("tcp-door");
    b.loss();
    (b.view.in_recovery, b.view.cwnd) = (true, 5.0);
    out_of_order(&mut b);
    b.effects.clear();
    b.part.on_recovery_exit(&b.view, &mut b.effects);
    assert_eq!(b.wanted(), "window=10/20");
}

#[test]
fn only_the_flag_of_reordering_counts() {
    let mut b = Bench::new("tcp-door");
    for report in [Report::Normal, Report::Congestion, Report::Channel, Report::RouteChange] {
        b.part.on_path_event(&b.view, PathEvent::Report(report), &mut b.effects);
        assert_eq!(b.wanted(), "");
    }
    assert_eq!(b.loss(), HALF);
}

#[test]
fn the_receiver_reports_unless_the_sender_is_alone() {
    for (text, receiver) in [("tcp-door", Some(Reporting::Order)), ("tcp-door(detection=sender)", None)] {
        let config = text.parse::<Variant>().expect(text).configured(&TcpConfig::default());
        assert_eq!((config.receiver.reporting, config.timestamps), (receiver, true), "{text}");
    }
}
