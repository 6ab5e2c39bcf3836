use super::super::bench::{Bench, HALF};
use super::*;
use crate::Variant;

/// Window and threshold of the bench.
const OLD: Window = Window { cwnd: 10.0, ssthresh: 20.0 };
const ONE: Window = Window { cwnd: 1.0, ssthresh: 5.0 };

fn bench(state: Option<Report>) -> Bench {
    let mut b = Bench::new("adtcp");
    if let Some(state) = state {
        b.part.on_path_event(&b.view, PathEvent::Report(state), &mut b.effects);
    }
    b
}

/// The sender's reactions (Fu, Meng, Lu 2002): congestion control only in the state of congestion, or in
/// none.
#[test]
fn reactions_by_state() {
    use Report::*;
    // State, window after the third duplicate ACK, guess, and whether a timeout is a disconnection.
    for (state, window, guess, disconnects) in [
        (None, HALF, CONGESTION, false),
        (Some(Congestion), HALF, CONGESTION, false),
        (Some(Normal), HALF, CONGESTION, true),
        (Some(Channel), OLD, CHANNEL, true),
        (Some(RouteChange), OLD, LINK_FAILURE, true),
        (Some(OutOfOrder), HALF, CONGESTION, false),
    ] {
        let mut b = bench(state);
        assert_eq!(b.loss(), window, "{state:?}");
        assert_eq!(b.wanted(), format!("guess={guess}"), "{state:?}");
        b.effects.clear();
        b.part.on_recovery_exit(&b.view, &mut b.effects);
        assert_eq!(b.wanted(), if window == OLD { "window=10/20" } else { "" }, "{state:?}");
        let mut b = bench(state);
        if disconnects {
            assert_eq!(b.rto(), RtoDecision { window: OLD, backoff: Backoff::Keep }, "{state:?}");
            assert_eq!(b.wanted(), "guess=link-failure freeze retransmit timer=2", "{state:?}");
        } else {
            assert_eq!(b.rto(), RtoDecision { window: ONE, backoff: Backoff::Double }, "{state:?}");
            assert_eq!(b.wanted(), "guess=congestion", "{state:?}");
        }
    }
}

/// Disconnected the sender probes as ELFN does, until an ACK of new data.
#[test]
fn a_disconnection_ends_with_an_ack() {
    let mut b = bench(Some(Report::Normal));
    b.rto();
    for _ in 0..3 {
        assert_eq!(b.timer().wanted(), "retransmit timer=2");
    }
    assert_eq!(b.loss(), OLD, "late duplicate ACKs are no loss");
    assert_eq!(b.wanted(), "");
    b.ack();
    assert_eq!(b.wanted(), "stop end-backoff thaw go-back=10/20");
    assert_eq!(b.timer().wanted(), "", "an old timer does nothing");
}

#[test]
fn the_parameters_reach_the_receiver() {
    let variant: Variant = "adtcp(interval=0.2,samples=30,share=0.25)".parse().expect("a variant");
    let config = variant.configured(&TcpConfig::default());
    let rule = StateRule { interval: SimDuration::from_millis(200), samples: 30, share: 0.25 };
    assert_eq!((config.receiver.reporting, config.timestamps), (Some(Reporting::State(rule)), true));
}
