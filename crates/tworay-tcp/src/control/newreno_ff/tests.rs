#[allow(unused_imports)]
use super::*;
use crate::control::bench::Bench;
use crate::control::tests::*;

#[test]
fn newreno_ff_blames_the_channel_without_delay() {
    let jumps = |ms: &[u64]| {
        let mut p = part(&ENTRY, &[10.0, 1.0, 0.0]);
        let (mut effects, v) = (Effects::new(), view(10.0, 20.0));
        for &n in ms {
            let exact = SimDuration::from_millis(n);
            p.on_rtt(&v, &RttEvent { exact, ticked: exact }, &mut effects);
        }
        let window = p.on_loss(&v, &LOSS, &mut effects);
        (window, effects[0])
    };
    let guess = |guess| Effect::Guess { seq: Seq32(1), guess };
    assert_eq!(jumps(&[100, 101, 99, 100, 101]), (Window { cwnd: 10.0, ssthresh: 20.0 }, guess("channel")));
    assert_eq!(jumps(&[100, 101, 99, 160, 220, 300]), (HALF, guess("congestion")));
}

/// The end of a recovery restores the window of a wireless loss and leaves that of a congestion loss. Until
/// the window is full again, an ACK releases at most three segments (RFC 6582 §3.2 step 3).
#[test]
fn the_window_returns_with_the_end_of_recovery() {
    let mut b = Bench::new("newreno-ff");
    for ms in [100, 101, 99, 100] {
        b.rtt(ms);
    }
    assert_eq!(b.loss(), Window { cwnd: 10.0, ssthresh: 20.0 });
    assert_eq!(b.part.burst(), None, "during the recovery the recovery's limit applies");
    b.effects.clear();
    b.part.on_recovery_exit(&b.view, &mut b.effects);
    assert_eq!(b.wanted(), "window=10/20");
    for (flight, limit) in [(0.0, Some(3)), (6.0, Some(3)), (9.0, None)] {
        b.view.flight = flight;
        b.ack();
        assert_eq!(b.part.burst(), limit, "{flight} in flight");
    }
    // A timeout in a recovery ends it otherwise.
    b.loss();
    b.rto();
    b.effects.clear();
    b.part.on_recovery_exit(&b.view, &mut b.effects);
    assert_eq!(b.wanted(), "");
}
