use super::super::bench::{Bench, HALF};
use super::history::longest_run;
use super::*;

const SAME: Window = Window { cwnd: 10.0, ssthresh: 20.0 };

/// A history of round trips in ms.
fn after(text: &str, rtts: impl IntoIterator<Item = u64>) -> Bench {
    let mut b = Bench::new(text);
    rtts.into_iter().for_each(|ms| {
        b.rtt(ms);
    });
    b
}

/// Constant round trips, and a ramp that counts as growth.
const FLAT: [u64; 12] = [100; 12];
const RAMP: [u64; 12] = [100, 100, 100, 100, 100, 110, 120, 135, 150, 170, 190, 210];

#[test]
fn figure_6_all_four_branches() {
    for (rtts, by_rto, guess) in [
        (FLAT, false, "guess=channel"),
        (RAMP, false, "guess=congestion"),
        (FLAT, true, "guess=link-failure"),
        (RAMP, true, "guess=congestion"),
    ] {
        let mut b = after("welcome", rtts);
        if by_rto {
            b.rto();
        } else {
            b.loss();
        }
        assert_eq!(b.wanted(), guess);
    }
    let mut b = after("welcome", [100; 9]);
    b.loss();
    assert_eq!(b.wanted(), "guess=congestion", "too few samples: as NewReno");
}

#[test]
fn predicates_differ_at_the_threshold() {
    // Bits by hand through `samples` that grow (x) from an average near 100.
    let bits = |text: &str, pattern: &str| {
        let mut b = after(text, [100; 3]);
        pattern.chars().for_each(|c| {
            b.rtt(if c == 'x' { 140 } else { 80 });
        });
        b.loss();
        b.wanted() == "guess=congestion"
    };
    for (pattern, run, five, six, current) in [
        ("..xxxxx...", true, true, false, false),
        (".....xxxxx", true, true, false, true),
        ("x.x.x.x.x.", false, true, false, false),
        ("xx.xx.xx..", false, true, true, false),
        ("....xxxx..", false, false, false, false),
    ] {
        for (name, expected) in
            [("run5", run), ("popcount5", five), ("popcount6", six), ("run_current", current)]
        {
            let found = bits(&format!("welcome(predicate={name},growth=5)"), pattern);
            assert_eq!(found, expected, "{name} of {pattern}");
        }
    }
    for (bits, run) in [(0, 0), (0b1, 1), (0b1011_0111, 3), (u64::MAX, 64)] {
        assert_eq!(longest_run(bits), run);
    }
}

#[test]
fn wireless_losses_keep_the_window() {
    let mut b = after("welcome", FLAT);
    assert_eq!(b.loss(), SAME);
    b.effects.clear();
    b.part.on_recovery_exit(&b.view, &mut b.effects);
    assert_eq!(b.wanted(), "window=10/20", "whatever deflation did to it");
    assert_eq!(b.part.burst(), Some(3), "not all at once");
    (b.view.flight, b.view.cwnd) = (9.5, 10.0);
    b.ack();
    assert_eq!(b.part.burst(), None, "the window is full");
}

#[test]
fn figure_7_literally() {
    // There is no bandwidth estimate yet: ssthresh is the standard's 5.
    let mut b = after("welcome(lra_wireless=cap)", FLAT);
    assert_eq!(b.loss(), HALF, "cwnd is capped at ssthresh");
    let mut b = after("welcome(congestion=fig7)", RAMP);
    assert_eq!(b.loss(), Window { cwnd: 1.0, ssthresh: 5.0 });
    b.view.ssthresh = 5.0;
    b.effects.clear();
    b.part.on_recovery_exit(&b.view, &mut b.effects);
    assert_eq!(b.wanted(), "window=1/5", "slow start after recovery");
    assert_eq!(after("welcome", RAMP).loss(), HALF, "the prose: NewReno");
}

#[test]
fn link_failure_step_by_step() {
    let mut b = after("welcome", FLAT);
    let decision = b.rto();
    assert_eq!(decision.window, HALF_OF_ONE);
    assert_eq!(decision.backoff, Backoff::Wait(SimDuration::from_millis(1500)), "RTO x 3/2");
    b.view.cwnd = 1.0;
    assert_eq!(b.rto().backoff, Backoff::Wait(SimDuration::from_millis(1500)), "and no longer");
    assert_eq!(b.part.sampling(), Sampling::Withheld);
    b.rtt(900);
    b.ack();
    assert_eq!(b.wanted(), "window=6.666666666666666/20", "2/3 of what it was, not of 1");
    // A timeout in the meantime: wait again, with the original values.
    b.rto();
    assert_eq!(b.wanted(), "guess=link-failure");
    b.ack();
    assert_eq!(b.wanted(), "window=6.666666666666666/20");
    for _ in 0..3 {
        assert_eq!(b.rtt(200).wanted(), "");
    }
    // a = 100 / 200: half the window, RTO x 2.
    assert_eq!(b.rtt(200).wanted(), "scale=2.000 window=5/20");
    assert_eq!(b.part.sampling(), Sampling::Standard);
    b.loss();
    assert_eq!(b.wanted(), "guess=channel", "the history begins anew");
}

const HALF_OF_ONE: Window = Window { cwnd: 1.0, ssthresh: 5.0 };

#[test]
fn a_shorter_path_lets_the_timeout_fall_but_not_the_window_rise() {
    let mut b = after("welcome", FLAT);
    b.rto();
    b.ack();
    (0..4).for_each(|_| {
        b.rtt(20);
    });
    assert_eq!(b.wanted(), "scale=0.500 window=10/20", "a = 5, bounded");
}

/// Equation 6 as printed: 100 ms / 20 ms = 5 times the window of 10, up to equation 7's bound.
#[test]
fn equation_6_as_printed_lets_the_window_rise_on_a_shorter_path() {
    for (text, adapted) in [
        ("welcome(grow=yes)", "scale=0.500 window=20/20"),
        ("welcome(grow=yes,lra_link=keep)", "scale=0.500 window=50/20"),
        ("welcome(lra_link=keep)", "scale=0.500 window=10/20"),
    ] {
        let mut b = after(text, FLAT);
        b.rto();
        b.ack();
        b.wanted();
        (0..4).for_each(|_| {
            b.rtt(20);
        });
        assert_eq!(b.wanted(), adapted, "{text}");
    }
}

#[test]
fn the_three_propositions() {
    for (text, at_once, adapted) in [
        ("welcome", "window=6.666666666666666/20", "scale=2.000 window=5/20"),
        ("welcome(a_fixed=yes)", "window=6.666666666666666/20", "scale=1.500 window=6.666666666666666/20"),
        ("welcome(cwnd=2)", "window=5/20", "scale=2.000"),
        ("welcome(cwnd=1)", "window=10/20", "scale=2.000"),
    ] {
        let mut b = after(text, FLAT);
        b.rto();
        b.ack();
        assert_eq!(b.wanted(), at_once, "{text}");
        (0..4).for_each(|_| {
            b.rtt(200);
        });
        assert_eq!(b.wanted(), adapted, "{text}");
    }
}

/// cwnd grows beyond the peer's window; the rate before the loss follows from the window in use.
#[test]
fn a_broken_link_cuts_the_window_that_was_in_use() {
    for (text, at_once) in [
        ("welcome(cwnd=1)", "window=20/20"),
        ("welcome(cwnd=2)", "window=10/20"),
        ("welcome(cwnd=3)", "window=13.333333333333332/20"),
    ] {
        let mut b = after(text, FLAT);
        (b.view.cwnd, b.view.advertised) = (61.0, 20.0);
        b.rto();
        b.ack();
        assert_eq!(b.wanted(), at_once, "{text}");
    }
    let mut b = after("welcome", FLAT);
    (b.view.cwnd, b.view.advertised) = (61.0, 20.0);
    assert_eq!(b.loss(), Window { cwnd: 20.0, ssthresh: 20.0 }, "a wireless loss keeps the rate");
}

/// Figure 7 caps the new window at bandwidth x shortest round trip; §V.C does not decrease it.
#[test]
fn the_cap_after_a_broken_link_is_an_option() {
    for (text, ssthresh, adapted) in [
        ("welcome", 5.0, "scale=2.000 window=4/4"),
        ("welcome(lra_link=keep)", 20.0, "scale=2.000 window=5/20"),
        ("welcome(lra_link=keep,cwnd=2)", 20.0, "scale=2.000"),
    ] {
        let mut b = after(text, FLAT);
        assert_eq!(b.rto().window, Window { cwnd: 1.0, ssthresh }, "{text}");
        b.ack();
        // Without a bandwidth estimate, the sender's threshold replaces the product.
        b.view.ssthresh = 4.0;
        (0..4).for_each(|_| {
            b.rtt(200);
        });
        assert_eq!(b.wanted(), adapted, "{text}");
    }
}

/// 20 segments in flight over a round trip of 200 ms, so an ACK every 10 ms: 100 segments/s x 0.2 s = 20. The
/// path is interrupted for three seconds and comes back as it was, so a = 1 and the window of 20 is again
/// what fits (§IV.B: the sender starts from the calculated window rather than from the minimum). Counted as a
/// gap between two ACKs, three seconds raise TIBET's interval from 10 ms to 0.9 x 10 + 0.1 x 3190 = 328 ms,
/// and nothing is left of the old estimate: exp(-3.19 / 0.5) = 0.2 %. 3.05 + 0.17 segments/s x 0.2 s are less
/// than one segment, so the cap is its minimum of two.
#[test]
fn an_outage_is_no_gap_between_acks() {
    for (text, window) in [("welcome", "20/20"), ("welcome(outage=counted)", "2/2")] {
        let mut b = Bench::new(text);
        (b.view.cwnd, b.view.flight) = (20.0, 20.0);
        for ack in 0..200 {
            b.at(10 * ack).rtt(200);
            b.ack();
        }
        // Three timeouts, then the acknowledgment of what was retransmitted.
        for ms in [2500, 3500, 4500] {
            b.at(ms).rto();
        }
        b.at(5180);
        b.ack();
        for _ in 0..4 {
            b.rtt(200);
        }
        assert_eq!(b.wanted(), format!("scale=1.000 window={window}"), "{text}");
    }
}

/// Every segment sent once is timed, unless one per window is asked for (§IV.B: Karn's algorithm; §V: a
/// module of Linux 2.6).
#[test]
fn every_segment_is_timed() {
    for (text, timing) in
        [("welcome", Timing::EverySegment), ("welcome(timing=window)", Timing::OnePerWindow)]
    {
        let variant: crate::Variant = text.parse().expect("a variant");
        assert_eq!(variant.configured(&TcpConfig::default()).timing, timing, "{text}");
    }
}

/// RTO 1 s and a = 2/3. Equation 3: 1.5 s at each timeout. Figure 7's RTO_n = (1/a) RTO_(n-1): 1.5, 2.25 and
/// 3.375 s; after an acknowledgment it starts again.
#[test]
fn the_timeouts_of_one_failure_are_alike_or_grow() {
    for (text, waits) in
        [("welcome", [1500, 1500, 1500, 1500]), ("welcome(repeat=each)", [1500, 2250, 3375, 1500])]
    {
        let mut b = after(text, FLAT);
        let backoff = |b: &mut Bench, ms| {
            assert_eq!(b.rto().backoff, Backoff::Wait(SimDuration::from_millis(ms)), "{text}");
        };
        waits[..3].iter().for_each(|ms| backoff(&mut b, *ms));
        b.ack();
        backoff(&mut b, waits[3]);
    }
}

/// Equation 2: all round trips within 10 % of the average. Neither growing nor constant is treated as
/// congestion.
#[test]
fn constant_round_trips_by_equation_2() {
    let outlier = || FLAT.into_iter().chain([112, 100]);
    for (text, guess) in [
        ("welcome", "guess=channel"),
        ("welcome(constant=band)", "guess=congestion"),
        ("welcome(constant=band,band=15)", "guess=channel"),
    ] {
        let mut b = after(text, outlier());
        b.loss();
        assert_eq!(b.wanted(), guess, "{text}");
        // Ten samples later the outlier is forgotten.
        (0..10).for_each(|_| {
            b.rtt(100);
        });
        b.loss();
        assert_eq!(b.wanted(), "guess=channel", "{text}");
    }
}

#[test]
fn options_are_named() {
    let name = |text: &str| text.parse::<crate::Variant>().map(|v| v.to_string()).map_err(|e| e.to_string());
    assert_eq!(name("welcome(cwnd=3)").as_deref(), Ok("welcome"), "the default isn't named");
    assert_eq!(
        name("newreno+welcome(cap, a=0.5, bwe=tustin)").as_deref(),
        Ok("newreno+welcome(lra_wireless=cap,bwe=tustin,a=0.5)")
    );
    for (text, message) in [
        ("welcome(bwe=x)", "bwe can't be \"x\"; choose tibet or westwood_plus or tustin"),
        ("welcome(keep,lra_wireless=cap)", "lra_wireless is given twice; keep one of them"),
        ("welcome(a=7)", "a = 7 is out of range; choose 0.01 to 1"),
        (
            "tahoe+welcome",
            "welcome cannot be combined with tahoe: it changes what fast recovery does to the window; \
             combine it with newreno or reno or sack",
        ),
    ] {
        assert_eq!(name(text), Err(format!("\"{text}\": {message}")));
    }
}

/// The limit of three segments per ACK ends when the window is full, also if the receiver's window of 8 fills
/// before a larger cwnd.
#[test]
fn the_burst_limit_ends_when_the_window_in_use_is_full() {
    let mut b = after("welcome", FLAT);
    (b.view.cwnd, b.view.advertised, b.view.flight) = (78.0, 8.0, 8.0);
    b.loss();
    b.part.on_recovery_exit(&b.view, &mut b.effects);
    for (flight, limit) in [(0.0, Some(3)), (4.0, Some(3)), (7.0, None)] {
        // What is in flight after the ACK of one segment.
        b.view.flight = flight;
        b.ack();
        assert_eq!(b.part.burst(), limit, "{flight} in flight");
    }
}

/// A recovery whose end went unnoticed (ns-2 without deflation on partial ACKs) leaves nothing for the next
/// one: a loss by congestion gets NewReno's reduction, and keeps it.
#[test]
fn congestion_ends_what_a_wireless_loss_began() {
    let mut b = after("welcome", FLAT);
    assert_eq!(b.loss(), SAME);
    RAMP.into_iter().for_each(|ms| {
        b.rtt(ms);
    });
    assert_eq!(b.loss(), HALF);
    b.effects.clear();
    b.part.on_recovery_exit(&b.view, &mut b.effects);
    assert_eq!(b.wanted(), "");
}
