use super::*;
use crate::control::tests::*;

#[test]
fn congestion_avoidance_takes_small_steps() {
    // alpha, cwnd, ssthresh, cwnd after a standard increase, expected cwnd
    for (alpha, cwnd, ssthresh, standard, expected) in [
        (0.02, 4.0, 2.0, 4.25, 4.005),
        (0.5, 4.0, 2.0, 4.25, 4.125),
        (1.0, 4.0, 2.0, 4.25, 4.25),
        // Slow start is unchanged.
        (0.02, 4.0, 8.0, 5.0, 5.0),
    ] {
        let view = view(cwnd, ssthresh);
        let event = AckEvent { standard: Window { cwnd: standard, ssthresh }, ..ack(&view) };
        let window = part(&ENTRY, &[alpha]).on_ack(&view, &event, &mut Effects::new());
        assert!((window.cwnd - expected).abs() < 1e-12, "alpha {alpha}: {} of {expected}", window.cwnd);
        assert_eq!(window.ssthresh, ssthresh);
    }
}

#[test]
fn fast_recovery_is_the_recoverys() {
    let view = view(4.0, 2.0);
    let event = AckEvent { may_grow: false, standard: Window { cwnd: 4.0, ssthresh: 2.0 }, ..ack(&view) };
    let window = part(&ENTRY, &[0.02]).on_ack(&view, &event, &mut Effects::new());
    assert_eq!(window, event.standard);
}
