use super::*;
use crate::control::tests::{ack, part, view};
use tworay_base::SimDuration;

/// The gap after an ACK, ms; `None` if nothing is paced.
fn gap(srtt: Option<u64>, cwnd: f64, advertised: f64) -> Option<f64> {
    let mut effects = Effects::new();
    let view = SenderView { srtt: srtt.map(SimDuration::from_millis), advertised, ..view(cwnd, 64.0) };
    part(&ENTRY, &[]).on_ack(&view, &ack(&view), &mut effects);
    match effects[..] {
        [Effect::Pace(gap)] => Some(gap.as_secs_f64() * 1e3),
        [] => None,
        _ => panic!("{effects:?}"),
    }
}

/// Eight segments in 80 ms are 10 ms apart; the peer's window counts if it is the smaller one.
#[test]
fn a_window_lasts_a_round_trip() {
    for (cwnd, advertised, expected) in
        [(8.0, 64.0, 10.0), (2.5, 64.0, 32.0), (16.0, 4.0, 20.0), (1.0, 64.0, 80.0)]
    {
        let found = gap(Some(80), cwnd, advertised).expect("a gap");
        assert!((found - expected).abs() < 1e-4, "{cwnd} of {advertised}: {found} ms, expected {expected}");
    }
    assert_eq!(gap(None, 8.0, 64.0), None, "no round trip is known");
}
