use super::super::bench::{Bench, HALF};
use super::decision::*;
use super::*;
use crate::Variant;
use crate::parts::Settings;
use ProbeKind::{Pr1Ack, Pr2Ack};

const SAME: Window = Window { cwnd: 10.0, ssthresh: 20.0 };

/// Data round trips of 100 ms: no contention.
fn calm(text: &str) -> Bench {
    let mut b = Bench::new(text);
    b.rtt(100).rtt(100);
    b
}

#[test]
fn a_cycle_of_two_probes() {
    for by_rto in [false, true] {
        let mut b = calm("probing");
        let window = if by_rto { b.rto().window } else { b.loss() };
        assert_eq!(window, SAME);
        assert_eq!(b.wanted(), "freeze probe1#1 timer=0.1", "the timer is the smoothed round trip");
        assert_eq!(b.at(50).answer(Pr2Ack, 1), ProbeVerdict::Stray, "the second answer first");
        assert_eq!(b.at(60).answer(Pr1Ack, 1), ProbeVerdict::Expected);
        assert_eq!(b.wanted(), "probe2#1 timer=0.1");
        assert_eq!(b.answer(Pr1Ack, 1), ProbeVerdict::Stray, "the first answer twice");
        assert_eq!(b.at(110).answer(Pr2Ack, 1), ProbeVerdict::Expected);
        // Probes of 60 and 50 ms, best data 100 ms; current 52.5 ms < average 55 ms.
        let resend = if by_rto { "go-back" } else { "recover" };
        assert_eq!(b.wanted(), format!("guess=transient stop end-backoff thaw {resend}=10/20"));
        assert_eq!(b.answer(Pr2Ack, 1), ProbeVerdict::Stray, "the cycle is over");
    }
}

/// The handshake took 30 ms, data 100 ms, and the probes 60 and 50 ms. Compared with data both probes are
/// shorter: full immediate recovery keeps the window of 10. Compared with all of the connection they aren't:
/// three quarters of it.
#[test]
fn the_reference_is_the_shortest_round_trip_of_data() {
    for (text, then) in [("probing", "10/20"), ("probing(reference=connection)", "7.5/7.5")] {
        let mut b = Bench::new(text);
        b.handshake(30).rtt(100).rtt(100);
        // The predictor uses the same shortest round trip: 10 (1 - 30 / 100) = 7 segments exceed its
        // threshold of 4, so the cycle is started by a timeout.
        b.rto();
        b.at(60).answer(Pr1Ack, 1);
        b.at(110).answer(Pr2Ack, 1);
        assert_eq!(b.wanted(), format!("guess=transient stop end-backoff thaw go-back={then}"), "{text}");
        b.loss();
        let contended = text != "probing";
        assert_eq!(b.wanted() == "guess=congestion", contended, "{text}");
    }
}

#[test]
fn a_lost_probe_starts_the_exchange_anew() {
    let mut b = calm("probing");
    b.loss();
    assert_eq!(b.at(100).timer().wanted(), "probe1#2 timer=0.1", "in the first step");
    b.at(150).answer(Pr1Ack, 2);
    assert_eq!(b.wanted(), "probe2#2 timer=0.1");
    assert_eq!(b.at(250).timer().wanted(), "probe1#3 timer=0.1", "in the second step, from the beginning");
    assert_eq!(b.answer(Pr2Ack, 2), ProbeVerdict::Stray);
    assert_eq!(b.at(350).timer().wanted(), "probe1#4 timer=0.2", "an answer too late doubles the timer");
    assert_eq!(b.answer(Pr1Ack, 999), ProbeVerdict::Stray);
    assert_eq!(b.at(550).timer().wanted(), "probe1#5 timer=0.2", "a forged id does not");
    assert_eq!(b.loss(), SAME, "duplicate ACKs during the cycle");
    assert_eq!(b.wanted(), "");
}

#[test]
fn the_predictor_skips_the_probes_of_duplicate_acks() {
    // cwnd 10, best 100 ms: 10 (1 - 100 / last) segments.
    for (text, last, dup_acks, timeout) in [
        ("probing", 160, "freeze probe1#1 timer=0.1", "freeze probe1#1 timer=0.1"),
        ("probing", 200, "guess=congestion", "freeze probe1#1 timer=0.1"),
        ("probing(gate_rto=yes)", 200, "guess=congestion", "guess=congestion"),
        ("probing(predictor=none)", 200, "freeze probe1#1 timer=0.1", "freeze probe1#1 timer=0.1"),
        ("probing(predictor=per_second)", 110, "guess=congestion", "freeze probe1#1 timer=0.1"),
        ("probing(threshold=6)", 200, "freeze probe1#1 timer=0.1", "freeze probe1#1 timer=0.1"),
    ] {
        let mut b = Bench::new(text);
        b.rtt(100).rtt(last);
        b.loss();
        assert_eq!(b.wanted(), dup_acks, "{text}, {last} ms");
        let mut b = Bench::new(text);
        b.rtt(100).rtt(last);
        b.rto();
        assert_eq!(b.wanted(), timeout, "{text}, {last} ms");
    }
    let contended = |text| Bench::new(text).rtt(100).rtt(200).loss();
    assert_eq!(contended("probing"), HALF);
    assert_eq!(contended("probing(contention=slow_start)"), Window { cwnd: 1.0, ssthresh: 5.0 });
}

#[test]
fn without_the_option_it_is_newreno() {
    let mut b = calm("probing");
    b.view.peer_probes = false;
    assert_eq!(b.loss(), HALF);
    assert_eq!(b.wanted(), "");
    let decision = b.rto();
    assert_eq!((decision.window.cwnd, decision.backoff), (1.0, Backoff::Double));
    // Negotiated, but the path removes the option: ACKs arrive, answers do not.
    let mut b = calm("probing");
    b.loss();
    (0..7).for_each(|_| {
        b.timer();
    });
    assert_eq!(b.dup_ack(), DupAckDecision::Recovery);
    assert_eq!(b.wanted(), "", "still patient");
    b.timer();
    assert_eq!(b.dup_ack(), DupAckDecision::Ignore);
    assert_eq!(b.wanted(), "stop thaw go-back=1/5");
    assert_eq!(b.loss(), HALF, "plain from now on");
}

#[test]
fn the_decision_table() {
    use Outcome::{FullImmediate, Reno, SlowStart, ThreeQuarters};
    // The earlier probes (ms) set best, worst and current; then two new ones are compared with the best of
    // data.
    type Row = (&'static str, [f64; 2], [f64; 2], f64, Outcome);
    let table: [Row; 6] = [
        ("below, both shorter", [90.0, 90.0], [50.0, 50.0], 100.0, FullImmediate),
        ("below, one longer", [200.0, 200.0], [50.0, 110.0], 100.0, ThreeQuarters),
        ("above, both shorter", [50.0, 50.0], [90.0, 90.0], 100.0, Reno),
        ("above, one longer", [50.0, 50.0], [90.0, 120.0], 100.0, SlowStart),
        ("equal counts as above", [50.0, 50.0], [50.0, 50.0], 100.0, Reno),
        ("equal to the best is not shorter", [200.0, 200.0], [100.0, 100.0], 100.0, ThreeQuarters),
    ];
    for (what, before, now, best, outcome) in table {
        let mut judge = Judge::new(Reference::Data, Tie::Above);
        judge.decide(&before, best);
        assert_eq!(judge.decide(&now, best).outcome, outcome, "{what}");
    }
    let first = |tie| Judge::new(Reference::Data, tie).decide(&[50.0, 50.0], 100.0).outcome;
    assert_eq!((first(Tie::Above), first(Tie::Below)), (Reno, FullImmediate));
    let mut judge = Judge::new(Reference::BestProbe, Tie::Above);
    judge.decide(&[90.0, 90.0], 1.0);
    assert_eq!(judge.decide(&[50.0, 50.0], 1.0).outcome, FullImmediate, "shorter than the probes before");
}

#[test]
fn each_outcome_sets_its_window() {
    // Probes of the first and the second cycle, the window, and how lost data is retransmitted.
    for (text, before, now, wanted) in [
        ("probing", [90, 90], [50, 50], "guess=transient stop end-backoff thaw recover=10/20"),
        ("probing", [200, 200], [50, 110], "guess=transient stop end-backoff thaw recover=7.5/7.5"),
        (
            "probing(three_quarters=printed)",
            [200, 200],
            [50, 110],
            "guess=transient stop end-backoff thaw go-back=1/15",
        ),
        (
            "probing(three_quarters=capped)",
            [200, 200],
            [50, 110],
            "guess=transient stop end-backoff thaw recover=10/15",
        ),
        ("probing", [50, 50], [90, 90], "guess=congestion stop end-backoff thaw recover=5/5"),
        ("probing", [50, 50], [90, 120], "guess=congestion stop end-backoff thaw go-back=1/5"),
    ] {
        let mut b = calm(text);
        for (id, [first, second]) in [(1, before), (2, now)] {
            b.at(0).loss();
            b.at(first).answer(Pr1Ack, id);
            b.at(first + second).answer(Pr2Ack, id);
        }
        assert_eq!(b.wanted(), wanted, "{text} {before:?} {now:?}");
    }
}

/// The window after `cycles` three-quarter recoveries in a row.
fn ratchet(text: &str, cycles: u16) -> Window {
    let mut b = calm(text);
    (b.view.cwnd, b.view.ssthresh, b.view.advertised) = (64.0, 64.0, 64.0);
    for id in 1..=cycles {
        // The first cycle makes the average long; later ones are below it, with one probe above the best.
        let (first, second) = if id == 1 { (400, 400) } else { (50, 110) };
        b.at(0).loss();
        b.at(first).answer(Pr1Ack, id);
        b.at(first + second).answer(Pr2Ack, id);
        if id > 1 {
            let window = b.effects.iter().find_map(|effect| match effect {
                Effect::Recover(window) | Effect::GoBack(window) => Some(*window),
                _ => None,
            });
            let window = window.expect("a window");
            // Before the next loss the window has grown back to the peer's.
            (b.view.cwnd, b.view.ssthresh) = (64.0, window.ssthresh);
        }
    }
    let Some(Effect::Recover(window) | Effect::GoBack(window)) = b.effects.last() else {
        panic!("no window")
    };
    *window
}

/// As the pseudo-code prints it the threshold can only fall; with ¾ of the window in use it does not.
#[test]
fn the_printed_three_quarters_ratchet_down_and_those_of_the_window_do_not() {
    assert_eq!(ratchet("probing", 14), Window { cwnd: 48.0, ssthresh: 48.0 });
    assert_eq!(ratchet("probing(three_quarters=printed)", 14), Window { cwnd: 1.0, ssthresh: 2.0 });
    assert_eq!(ratchet("probing(three_quarters=capped)", 14), Window { cwnd: 2.0, ssthresh: 2.0 });
}

#[test]
fn three_quarters_are_of_the_window_in_use() {
    let mut b = calm("probing");
    (b.view.cwnd, b.view.ssthresh, b.view.advertised) = (100.0, 64.0, 64.0);
    assert_eq!(Options::defaults().reduced(&b.view, 1.0), Window { cwnd: 48.0, ssthresh: 48.0 });
}

#[test]
fn what_becomes_of_losses_is_counted() {
    let counted =
        |b: &Bench| -> Vec<_> { b.part.counted().iter().filter(|(_, n)| *n > 0).copied().collect() };
    let mut b = calm("probing");
    assert_eq!(counted(&b), []);
    // As in a_cycle_of_two_probes: the path is as quick as ever.
    b.loss();
    b.at(60).answer(Pr1Ack, 1);
    b.at(110).answer(Pr2Ack, 1);
    assert_eq!(counted(&b), [("full-immediate", 1)]);
    // cwnd 10, round trips from 100 to 200 ms: five segments wait in queues.
    b.rtt(200).loss();
    assert_eq!(counted(&b), [("predicted", 1), ("full-immediate", 1)]);
}

/// A receiver's window of 8: the difference is 8 (1 − 100/150) = 2.7 segments, below the threshold of 4, and
/// a cwnd of 78 does not make it 26.
#[test]
fn the_predictor_counts_the_window_in_use() {
    for (last, wanted) in [(150, "freeze probe1#1 timer=0.1"), (250, "guess=congestion")] {
        let mut b = calm("probing");
        (b.view.cwnd, b.view.advertised, b.view.flight) = (78.0, 8.0, 8.0);
        b.rtt(last).loss();
        assert_eq!(b.wanted(), wanted, "{last} ms");
    }
}

/// One probe of 60 ms, shorter than data's 100 ms. It is the current round trip, the best and the worst: a
/// tie, which counts as above the average and so, with a short probe, as Reno's half. The second cycle's 50 ms
/// give 0.25 × 60 + 0.75 × 50 = 52.5 ms, below (50 + 60) / 2 = 55 ms.
#[test]
fn one_probe_ends_the_cycle() {
    let mut b = calm("probing(probes=one)");
    b.loss();
    assert_eq!(b.wanted(), "freeze probe1#1 timer=0.1");
    assert_eq!(b.at(60).answer(Pr1Ack, 1), ProbeVerdict::Expected);
    assert_eq!(b.wanted(), "guess=congestion stop end-backoff thaw recover=5/5");
    assert_eq!(b.answer(Pr2Ack, 1), ProbeVerdict::Stray, "no second probe was sent");
    b.at(100).loss();
    assert_eq!(b.wanted(), "freeze probe1#2 timer=0.1");
    assert_eq!(b.at(200).timer().wanted(), "probe1#3 timer=0.1", "a lost probe is sent again");
    b.at(250).answer(Pr1Ack, 3);
    assert_eq!(b.wanted(), "guess=transient stop end-backoff thaw recover=10/20");
}

/// The share of the third recovery in a window of 10 with a threshold of 20.
#[test]
fn the_three_quarters_can_be_adjusted() {
    let mut b = calm("probing");
    (b.view.cwnd, b.view.ssthresh, b.view.advertised) = (10.0, 20.0, 64.0);
    let options = |three_quarters, share| Options { three_quarters, share, ..Options::defaults() };
    // three_quarters, share, distance, cwnd, ssthresh
    for (rule, share, distance, cwnd, ssthresh) in [
        (ThreeQuarters::Window, 0.5, 0.0, 5.0, 5.0),
        (ThreeQuarters::Window, 0.9, 1.0, 9.0, 9.0),
        (ThreeQuarters::Printed, 0.5, 0.0, 1.0, 10.0),
        (ThreeQuarters::Capped, 0.6, 0.0, 10.0, 12.0),
        (ThreeQuarters::Capped, 0.5, 0.0, 10.0, 10.0),
        (ThreeQuarters::Scaled, 0.75, 0.0, 10.0, 10.0),
        (ThreeQuarters::Scaled, 0.75, 0.5, 7.5, 7.5),
        (ThreeQuarters::Scaled, 0.75, 1.0, 5.0, 5.0),
        (ThreeQuarters::Scaled, 1.0, 1.0, 10.0, 10.0),
        (ThreeQuarters::Scaled, 0.5, 1.0, 2.0, 2.0),
    ] {
        let window = options(rule, share).reduced(&b.view, distance);
        assert_eq!((window.cwnd, window.ssthresh), (cwnd, ssthresh), "{rule:?} {share} {distance}");
    }
}

/// Probes of 200 ms, then of 50 and 110 ms: best 50, worst 200, average 125 ms. The current round trip goes from
/// 200 to 87.5 to 104.375 ms, (104.375 − 50) / (125 − 50) = 0.725 of the way.
#[test]
fn the_distance_is_that_from_the_best_probe() {
    let mut judge = Judge::new(Reference::Data, Tie::Above);
    assert_eq!(judge.decide(&[200.0, 200.0], 100.0).distance, 1.0, "all probes took equally long");
    let Decision { outcome, distance } = judge.decide(&[50.0, 110.0], 100.0);
    assert_eq!(outcome, Outcome::ThreeQuarters);
    assert!((distance - 0.725).abs() < 1e-12, "{distance}");
    assert_eq!(judge.decide(&[400.0, 400.0], 100.0).distance, 1.0, "above the average");
    // The window of 10 segments becomes 10 (1 − 0.5 × 0.725) = 6.375.
    let mut b = calm("probing(three_quarters=scaled)");
    for (id, [first, second]) in [(1, [200, 200]), (2, [50, 110])] {
        b.at(0).loss();
        b.at(first).answer(Pr1Ack, id);
        b.at(first + second).answer(Pr2Ack, id);
    }
    assert_eq!(b.wanted(), "guess=transient stop end-backoff thaw recover=6.375/6.375");
}

/// Contention from the third sample on.
#[derive(Debug, Default)]
struct Counting {
    samples: u32,
    acks: u32,
}

impl LossPredictor for Counting {
    fn on_rtt(&mut self, _: &SenderView, _: &RttEvent) {
        self.samples += 1;
    }
    fn on_ack(&mut self, _: &SenderView, _: &AckEvent) {
        self.acks += 1;
    }
    fn contention(&mut self, _: &SenderView, _: &LossEvent) -> bool {
        self.samples > 2 || self.acks > 0
    }
}

#[test]
fn another_predictor_takes_the_place_of_vegas() {
    let own = |text: &str| Variant::probing("own", text, Arc::new(|_| Box::<Counting>::default()));
    let variant = own("probing(gate_rto=yes)").expect("it is probing");
    assert_eq!((variant.name(), variant.spelt_out().as_str()), ("own", "newreno+own"));
    let bench = || Bench::of(&variant);
    let mut b = bench();
    // 200 after 100 ms would be contention for Vegas' predictor.
    b.rtt(100).rtt(200).loss();
    assert_eq!(b.wanted(), "freeze probe1#1 timer=0.1");
    let mut b = bench();
    b.rtt(100).rtt(100).rtt(100).loss();
    assert_eq!(b.wanted(), "guess=congestion");
    b.rto();
    assert_eq!(b.wanted(), "guess=congestion", "gate_rto");
    let mut b = bench();
    b.ack();
    b.loss();
    assert_eq!(b.wanted(), "guess=congestion", "it sees ACKs");
    // Other parts stay, and a variant that does not probe is refused.
    assert!(own("newreno+probing+cwl(3)").is_ok());
    let problem = own("newreno").expect_err("nothing probes").to_string();
    assert!(problem.contains("probing"), "{problem}");
}
