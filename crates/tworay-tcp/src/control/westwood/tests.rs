#[allow(unused_imports)]
use super::*;
use crate::control::tests::*;

#[test]
fn westwood_fills_the_pipe_after_a_loss() {
    // 100 segments/s over 100 ms: about 10 segments.
    for (entry, values, enlarges) in [
        (&ENTRY, &[0.0, 1.0, 1.0, 0.0][..], false),
        (&TIBET, &[0.9, 0.5], false),
        (&westwood_plus::ENTRY, &[0.0], true),
    ] {
        let name = entry.info.name;
        let mut p = fed(part(entry, values));
        let cut = p.on_loss(&view(20.0, 64.0), &LOSS, &mut Effects::new());
        assert!((9.0..=10.0).contains(&cut.ssthresh) && cut.cwnd == cut.ssthresh, "{name}: {cut:?}");
        let small = p.on_loss(&view(4.0, 64.0), &LOSS, &mut Effects::new());
        assert_eq!(small.cwnd, if enlarges { cut.ssthresh } else { 4.0 }, "{name}");
        let timeout = p.on_rto(&view(20.0, 64.0), &rto(1), &mut Effects::new());
        assert_eq!((timeout.window.cwnd, timeout.window.ssthresh), (1.0, cut.ssthresh), "{name}");
        let mut fresh = part(entry, values);
        assert_eq!(
            fresh.on_loss(&view(10.0, 64.0), &LOSS, &mut Effects::new()),
            HALF,
            "{name}: no estimate yet"
        );
    }
}

#[test]
fn duplicates_do_not_decide_for_westwood() {
    let mut p = part(&ENTRY, &[0.0, 1.0, 1.0, 0.0]);
    let decision = p.on_dup_ack(&view(10.0, 10.0), &DupAckEvent { count: 3 }, &mut Effects::new());
    assert_eq!(decision, DupAckDecision::Recovery);
}

#[test]
fn ucla_filters_and_the_window_after_a_timeout() {
    // Index of the filter, tau, rto_cwnd, rtt; window after a timeout.
    for (values, cwnd) in [
        ([0.0, 1.0, 1.0, 0.0], 1.0),
        ([1.0, 1.0, 2.0, 0.0], 2.0),
        ([2.0, 1.0, 1.0, 1.0], 1.0),
        ([3.0, 1.0, 1.0, 0.0], 1.0),
        ([4.0, 0.5, 2.0, 0.0], 2.0),
    ] {
        let mut p = fed(part(&ENTRY, &values));
        let window = p.on_rto(&view(20.0, 64.0), &rto(1), &mut Effects::new()).window;
        assert_eq!(window.cwnd, cwnd, "{values:?}");
        assert!((9.0..=10.0).contains(&window.ssthresh), "{values:?}: 100 segments/s over 100 ms");
    }
    for (text, name) in [
        ("westwood(filter=8)", "westwood(filter=8)"),
        ("westwood(3,2)", "westwood(tau=2)"),
        ("westwood(3)", "westwood"),
    ] {
        assert_eq!(text.parse::<Variant>().expect(text).name(), name);
    }
    assert!("westwood(filter=5)".parse::<Variant>().is_err(), "one sample per round trip is Westwood+");
}
