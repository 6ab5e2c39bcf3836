use super::super::bench::{Bench, HALF};
use super::*;
use crate::Variant;

/// Window and threshold of the bench.
const OLD: Window = Window { cwnd: 10.0, ssthresh: 20.0 };
const RULES: [&str; 4] = ["spike", "zigzag", "biaz", "zbs"];

fn report(b: &mut Bench, report: Report) {
    b.effects.clear();
    b.part.on_path_event(&b.view, PathEvent::Report(report), &mut b.effects);
    assert_eq!(b.wanted(), "");
}

#[test]
fn a_wireless_verdict_keeps_the_window() {
    for rule in RULES {
        for (verdict, window, guess, end) in [
            (None, HALF, CONGESTION, ""),
            (Some(Report::Congestion), HALF, CONGESTION, ""),
            (Some(Report::Channel), OLD, CHANNEL, "window=10/20"),
        ] {
            let mut b = Bench::new(rule);
            if let Some(verdict) = verdict {
                report(&mut b, verdict);
            }
            assert_eq!(b.loss(), window, "{rule}: {verdict:?}");
            assert_eq!(b.wanted(), format!("guess={guess}"), "{rule}: {verdict:?}");
            b.effects.clear();
            b.part.on_recovery_exit(&b.view, &mut b.effects);
            assert_eq!(b.wanted(), end, "{rule}: {verdict:?}");
            assert_eq!(b.loss(), HALF, "{rule}: the verdict was on another gap");
        }
    }
}

/// Nothing arrives before a timeout, so there is no verdict on it.
#[test]
fn timeouts_are_congestion() {
    let mut b = Bench::new("spike");
    report(&mut b, Report::Channel);
    let one = Window { cwnd: 1.0, ssthresh: 5.0 };
    assert_eq!(b.rto(), RtoDecision { window: one, backoff: Backoff::Double });
    assert_eq!(b.wanted(), "");
    assert_eq!(b.loss(), HALF, "the verdict is spent");
}

/// The defaults are the papers': Spike 1/2 and 1/3 of the range, ZigZag 1/32, Biaz (n + 2), mBiaz and ZBS (n
/// + 1.25).
#[test]
fn the_rules_reach_the_receiver() {
    let spike = SpikeRule { start: 0.5, end: 1.0 / 3.0 };
    let zigzag = ZigZagRule { weight: 1.0 / 32.0 };
    for (text, rule) in [
        ("spike", GapRule::Spike(spike)),
        ("sack+spike(0.6,0.2)", GapRule::Spike(SpikeRule { start: 0.6, end: 0.2 })),
        ("zigzag", GapRule::ZigZag(zigzag)),
        ("biaz", GapRule::Biaz(BiazRule { slack: 1.0 })),
        ("biaz(slack=0.25)", GapRule::Biaz(BiazRule { slack: 0.25 })),
        ("zbs", GapRule::Hybrid(HybridRule { spike, zigzag, biaz: BiazRule { slack: 0.25 } })),
    ] {
        let config = text.parse::<Variant>().expect(text).configured(&TcpConfig::default());
        assert_eq!(
            (config.receiver.reporting, config.timestamps),
            (Some(Reporting::Gaps(rule)), true),
            "{text}"
        );
    }
}
