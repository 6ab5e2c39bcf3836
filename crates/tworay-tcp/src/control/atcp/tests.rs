use super::super::bench::Bench;
use super::*;

/// Window and threshold of the bench.
const OLD: Window = Window { cwnd: 10.0, ssthresh: 20.0 };

fn notice(b: &mut Bench) -> String {
    b.effects.clear();
    b.part.on_path_event(&b.view, PathEvent::LinkFailure { segment: None }, &mut b.effects);
    b.wanted()
}

/// Liu and Singh 2001: the third duplicate ACK is not passed to TCP, which stops; ATCP retransmits until an
/// ACK of new data wakes TCP with the window that it had.
#[test]
fn loss_after_duplicate_acks() {
    let mut b = Bench::new("reno+atcp");
    assert_eq!(b.dup_ack(), DupAckDecision::Recovery, "the first two are counted");
    assert_eq!(b.loss(), OLD);
    assert_eq!(b.wanted(), "guess=channel freeze retransmit timer=1");
    assert_eq!(b.dup_ack(), DupAckDecision::Ignore);
    assert_eq!(b.wanted(), "");
    assert_eq!(b.loss(), OLD, "further duplicate ACKs");
    assert_eq!(b.wanted(), "");
    for _ in 0..2 {
        assert_eq!(b.timer().wanted(), "retransmit timer=1", "ATCP's own timer");
    }
    b.ack();
    assert_eq!(b.wanted(), "stop end-backoff thaw");
    assert_eq!(b.timer().wanted(), "", "an old timer does nothing");
}

/// A timeout about to happen is kept from TCP too: no backoff, no smaller window.
#[test]
fn loss_before_a_timeout() {
    let mut b = Bench::new("atcp");
    assert_eq!(b.rto(), RtoDecision { window: OLD, backoff: Backoff::Keep });
    assert_eq!(b.wanted(), "guess=channel freeze retransmit timer=1");
    b.ack();
    assert_eq!(b.wanted(), "stop end-backoff thaw go-back=10/20");
    assert_eq!(b.part.burst(), Some(3), "the window fills without a burst");
}

/// Destination unreachable: persist mode with cwnd = 1 and probes at growing intervals; any ACK reconnects,
/// and TCP starts with one segment.
#[test]
fn a_disconnection_restarts_with_one_segment() {
    for (new_data, before) in [(false, "normal"), (true, "normal"), (false, "loss")] {
        let mut b = Bench::new("atcp");
        if before == "loss" {
            b.loss();
        }
        assert_eq!(notice(&mut b), "guess=link-failure freeze window=1/20 timer=1", "{before}");
        assert_eq!(notice(&mut b), "", "a second notice");
        for wait in [2, 4, 8, 16, 32, 60, 60] {
            assert_eq!(b.timer().wanted(), format!("probe timer={wait}"));
        }
        // The sender has carried out the effect.
        b.view.cwnd = 1.0;
        if new_data {
            b.ack();
        } else {
            assert_eq!(b.dup_ack(), DupAckDecision::Ignore);
        }
        assert_eq!(b.wanted(), "stop end-backoff thaw go-back=1/20");
        assert_eq!(b.dup_ack(), DupAckDecision::Recovery, "normal again");
    }
}
