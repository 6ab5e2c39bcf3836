#[allow(unused_imports)]
use super::*;
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
