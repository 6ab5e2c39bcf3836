use super::super::bench::{Bench, HALF};
use super::*;
use tworay_base::Seq32;

fn path(b: &mut Bench, event: PathEvent) -> String {
    b.effects.clear();
    b.part.on_path_event(&b.view, event, &mut b.effects);
    b.wanted()
}

const RFN: PathEvent = PathEvent::LinkFailure { segment: None };
/// Window and threshold of the bench.
const OLD: Window = Window { cwnd: 10.0, ssthresh: 20.0 };

/// Chandran et al. 1998: stop on the RFN, keep window and timers, ignore further RFNs, and retransmit on the
/// RRN what is outstanding, with the old window.
#[test]
fn snoozes_from_the_failure_to_the_notice_of_a_route() {
    let mut b = Bench::new("reno+tcp-f");
    assert_eq!(path(&mut b, PathEvent::RouteFound), "", "routes found while nothing has failed");
    assert_eq!(path(&mut b, RFN), "guess=link-failure freeze timer=0");
    assert_eq!(path(&mut b, RFN), "", "a second RFN");
    assert_eq!(b.timer().wanted(), "probe timer=10", "its own node searches; the route failure timer runs");
    assert_eq!(b.loss(), OLD, "late duplicate ACKs are no loss");
    assert_eq!(path(&mut b, RFN), "");
    assert_eq!(path(&mut b, PathEvent::RouteFound), "stop thaw go-back=10/20");
    assert_eq!(path(&mut b, PathEvent::RouteFound), "", "the sender is awake");
    assert_eq!(b.loss(), HALF, "losses without an RFN are Reno's");
}

/// The route failure timer ends the snooze without a route: TCP's own timer does the rest.
#[test]
fn the_route_failure_timer_bounds_the_snooze() {
    let mut b = Bench::new("tcp-f(route_failure=3)");
    path(&mut b, RFN);
    assert_eq!(b.timer().wanted(), "probe timer=3");
    assert_eq!(b.timer().wanted(), "thaw", "window and timeout as they were");
    assert_eq!(b.timer().wanted(), "", "an old timer does nothing");
    assert_eq!(path(&mut b, PathEvent::RouteFound), "", "too late");
    assert_eq!(b.rto().window, Window { cwnd: 1.0, ssthresh: 5.0 });
}

/// Over a cached route there is no search: the answer to the empty segment shows that the route works.
#[test]
fn an_answer_stands_for_the_notice() {
    for new_data in [false, true] {
        let mut b = Bench::new("tcp-f");
        path(&mut b, RFN);
        b.timer();
        if new_data {
            b.ack();
        } else {
            assert_eq!(b.dup_ack(), DupAckDecision::Ignore);
        }
        assert_eq!(b.wanted(), "stop thaw go-back=10/20");
        assert_eq!(b.dup_ack(), DupAckDecision::Recovery);
    }
}

#[test]
fn the_guess_is_about_the_segment_that_the_notice_names() {
    for (segment, guessed) in [(Some(Seq32(4001)), Seq32(4001)), (None, Seq32(1))] {
        let mut b = Bench::new("tcp-f");
        path(&mut b, PathEvent::LinkFailure { segment });
        assert_eq!(b.effects[0], Effect::Guess { seq: guessed, guess: LINK_FAILURE }, "{segment:?}");
    }
}
