use super::super::bench::{Bench, HALF};
use super::*;

fn window(b: &mut Bench, open: bool) -> String {
    b.effects.clear();
    b.part.on_path_event(&b.view, PathEvent::PeerWindow { open }, &mut b.effects);
    b.wanted()
}

/// Persist mode (Goff et al. 2000, RFC 9293 §3.8.6.1): probes after one timeout (1 s) and then twice as long
/// each time. The window of 10 and its threshold of 20 are the same afterwards.
#[test]
fn a_closed_window_freezes_timer_and_window() {
    let mut b = Bench::new("freeze-tcp");
    assert_eq!(window(&mut b, true), "", "it was not closed");
    assert_eq!(window(&mut b, false), "freeze timer=1");
    assert_eq!(window(&mut b, false), "", "it is closed already");
    assert_eq!(b.loss(), Window { cwnd: 10.0, ssthresh: 20.0 }, "late duplicate ACKs are no loss");
    for wait in [2, 4, 8, 16, 32, 60, 60] {
        assert_eq!(b.timer().wanted(), format!("probe timer={wait}"));
    }
    assert_eq!(window(&mut b, true), "stop end-backoff thaw go-back=10/20");
    assert_eq!(b.timer().wanted(), "", "an old timer does nothing");
    assert_eq!(b.loss(), HALF, "losses with an open window are Reno's");
}

#[test]
fn the_warning_is_the_receivers() {
    for (text, warning) in [("freeze-tcp", 200), ("sack+freeze-tcp(0.5)", 500), ("freeze-tcp(warning=0)", 0)]
    {
        let variant: crate::Variant = text.parse().expect(text);
        let config = variant.configured(&TcpConfig::default());
        assert_eq!(config.receiver.warning, Some(SimDuration::from_millis(warning)), "{text}");
        assert_eq!(config.idle_restart, IdleRestart::Off, "{text}");
    }
    assert_eq!(TcpConfig::default().receiver.warning, None);
}
