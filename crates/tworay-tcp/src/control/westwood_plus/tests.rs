#[allow(unused_imports)]
use super::*;
use crate::control::tests::*;

#[test]
fn westwood_plus_as_in_linux() {
    let mut p = fed(part(&ENTRY, &[1.0]));
    let mut effects = Effects::new();
    assert_eq!(p.on_loss(&view(20.0, 64.0), &LOSS, &mut effects), HALF, "Reno on entry");
    p.on_recovery_exit(&view(5.0, 5.0), &mut effects);
    assert!(
        matches!(effects[..], [Effect::SetWindow(w)] if w.cwnd > 8.0 && w.cwnd == w.ssthresh),
        "{effects:?}"
    );
    assert_eq!(p.on_rto(&view(20.0, 64.0), &rto(1), &mut effects).window, rto(1).standard, "Reno's timeout");
}

/// ns-2's agent never notifies the module that a reduction is complete: Reno's half remains.
#[test]
fn westwood_plus_as_in_ns2s_tcp_linux() {
    let mut p = fed(part(&ENTRY, &[2.0]));
    let mut effects = Effects::new();
    let window = p.on_loss(&view(20.0, 64.0), &LOSS, &mut effects);
    assert_eq!(window.ssthresh, HALF.ssthresh);
    assert!(window.cwnd > 8.0, "the estimate: {window:?}");
    p.on_recovery_exit(&view(4.0, 10.0), &mut effects);
    assert!(
        matches!(effects[..], [Effect::SetWindow(w)] if w.cwnd == 10.0 && w.ssthresh == 10.0),
        "{effects:?}"
    );
}

#[test]
fn its_parameter_can_be_written() {
    for text in ["westwood+(1)", "westwood+(2)", "sack+westwood+(1)+cwl(3)"] {
        assert_eq!(text.parse::<Variant>().expect(text).name(), text);
    }
}
