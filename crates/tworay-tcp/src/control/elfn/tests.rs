use super::super::bench::{Bench, HALF};
use super::*;
use tworay_base::Seq32;

fn notice(b: &mut Bench) -> String {
    b.effects.clear();
    b.part.on_path_event(&b.view, PathEvent::LinkFailure { segment: None }, &mut b.effects);
    b.wanted()
}

#[test]
fn word_of_a_broken_link_stops_the_sender_until_an_ack() {
    let mut b = Bench::new("reno+elfn");
    assert_eq!(notice(&mut b), "guess=link-failure freeze timer=2");
    assert_eq!(notice(&mut b), "", "a second notice says nothing new");
    assert_eq!(b.loss(), Window { cwnd: 10.0, ssthresh: 20.0 }, "late duplicate ACKs are no loss");
    for _ in 0..3 {
        assert_eq!(b.timer().wanted(), "retransmit timer=2");
    }
    b.ack();
    assert_eq!(b.wanted(), "stop thaw", "window and timer as they were");
    assert_eq!(b.loss(), HALF, "losses without a notice are Reno's");
    assert_eq!(b.timer().wanted(), "", "an old timer does nothing");
}

/// The notice names the segment that met the break (Holland and Vaidya 1999, §5): the guess is about that
/// one, not about the oldest segment outstanding.
#[test]
fn the_guess_is_about_the_segment_that_the_notice_names() {
    for (segment, guessed) in [(Some(Seq32(4001)), Seq32(4001)), (None, Seq32(1))] {
        let mut b = Bench::new("reno+elfn");
        b.part.on_path_event(&b.view, PathEvent::LinkFailure { segment }, &mut b.effects);
        let Effect::Guess { seq, guess } = b.effects[0] else { panic!("{:?}", b.effects) };
        assert_eq!((seq, guess), (guessed, LINK_FAILURE), "{segment:?}");
    }
}

#[test]
fn resuming_may_send_everything_again() {
    let mut b = Bench::new("reno+elfn(interval=0.5,resume=go_back)");
    assert_eq!(notice(&mut b), "guess=link-failure freeze timer=0.5");
    b.ack();
    assert_eq!(b.wanted(), "stop thaw go-back=10/20");
}

#[test]
fn only_broken_links_matter() {
    let mut b = Bench::new("reno+elfn");
    for event in [PathEvent::RouteFound, PathEvent::Hops(4)] {
        b.part.on_path_event(&b.view, event, &mut b.effects);
        assert_eq!(b.wanted(), "");
    }
}
