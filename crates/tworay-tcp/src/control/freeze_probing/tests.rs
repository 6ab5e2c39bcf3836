use super::super::bench::Bench;
use super::*;

const SAME: Window = Window { cwnd: 10.0, ssthresh: 20.0 };

#[test]
fn normal_to_frozen_and_back() {
    // The signal of the loss, and what the ACK of the retransmission causes.
    for (by_rto, resume) in [(false, "window=5/5"), (true, "go-back=5/5")] {
        let mut b = Bench::new("freeze-probing");
        let window = if by_rto { b.rto().window } else { b.loss() };
        assert_eq!(window, SAME, "no cut yet");
        assert_eq!(b.wanted(), "freeze retransmit timer=2");
        assert_eq!(b.dup_ack(), DupAckDecision::Ignore);
        assert_eq!(b.loss(), SAME, "already frozen");
        assert_eq!(b.wanted(), "");
        assert_eq!(b.ack(), SAME);
        assert_eq!(b.wanted(), format!("stop end-backoff thaw {resume}"));
        assert_eq!(b.ack().cwnd, 11.0, "normal again");
    }
}

#[test]
fn frozen_to_probing_until_an_answer() {
    let mut b = Bench::new("freeze-probing(1,3)");
    b.loss();
    assert_eq!(b.wanted(), "freeze retransmit timer=1");
    assert_eq!(b.timer().wanted(), "probe1#1 timer=3");
    assert_eq!(b.timer().wanted(), "probe1#2 timer=3");
    assert_eq!(b.dup_ack(), DupAckDecision::Ignore, "an old duplicate is no answer");
    assert_eq!(b.wanted(), "");
    assert_eq!(b.answer(ProbeKind::Pr2Ack, 2), ProbeVerdict::Stray);
    assert_eq!(b.answer(ProbeKind::Pr1Ack, 2), ProbeVerdict::Expected);
    assert_eq!(b.wanted(), "stop end-backoff thaw go-back=5/5");
    assert_eq!(b.answer(ProbeKind::Pr1Ack, 2), ProbeVerdict::Stray, "normal: nobody asked");
    assert_eq!(b.timer().wanted(), "", "an old timer does nothing");
}

#[test]
fn late_data_acks_end_probing() {
    let mut b = Bench::new("freeze-probing");
    b.rto();
    b.timer();
    b.ack();
    assert_eq!(b.wanted(), "stop end-backoff thaw go-back=5/5");
}

#[test]
fn unmarked_answers_count_where_no_others_come() {
    let mut b = Bench::new("freeze-probing");
    b.view.peer_probes = false;
    b.loss();
    b.timer();
    b.dup_ack();
    assert_eq!(b.wanted(), "stop end-backoff thaw go-back=5/5", "the peer doesn't know marks");
    let mut b = Bench::new("freeze-probing");
    b.loss();
    b.timer().timer().timer();
    b.dup_ack();
    assert_eq!(b.wanted(), "stop end-backoff thaw go-back=5/5", "marks are lost on the way");
}

#[test]
fn the_short_way_back_may_keep_the_window() {
    let mut b = Bench::new("freeze-probing(halve_after_frozen=no)");
    b.loss();
    b.ack();
    assert_eq!(b.wanted(), "stop end-backoff thaw window=10/20");
    b.loss();
    b.timer();
    b.ack();
    assert_eq!(b.wanted(), "stop end-backoff thaw go-back=5/5", "but not after probing");
}

#[test]
fn what_is_sent_again_after_a_freeze_makes_no_new_one() {
    let mut b = Bench::new("freeze-probing");
    assert_eq!(b.dup_ack(), DupAckDecision::Recovery);
    b.view.after_timeout = true;
    assert_eq!(b.dup_ack(), DupAckDecision::Ignore);
}

#[test]
fn windows_never_fall_below_one_segment() {
    let mut b = Bench::new("freeze-probing");
    (b.view.cwnd, b.view.ssthresh) = (1.0, 2.0);
    b.rto();
    b.ack();
    assert_eq!(b.wanted(), "stop end-backoff thaw go-back=1/2");
}

/// A receiver's window of 8: half of it is 4. Half of a cwnd of 78 would be no reduction.
#[test]
fn half_of_the_window_in_use() {
    for (text, resume) in [("freeze-probing", "window=4/4"), ("freeze-probing(halves=cwnd)", "window=39/39")]
    {
        let mut b = Bench::new(text);
        (b.view.cwnd, b.view.advertised, b.view.flight) = (78.0, 8.0, 8.0);
        b.loss();
        b.ack();
        assert_eq!(b.wanted(), format!("stop end-backoff thaw {resume}"), "{text}");
    }
}
