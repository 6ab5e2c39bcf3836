//! The number of duplicate ACKs that show a loss (`tcp.dup_threshold`; RFC 5681 §3.2 step 2, RFC 6675 §2 DupThresh, RFC 8985 §6.2):
//! every recovery counts to the same one.

use super::table::ten;
use crate::common::numbered::{ack, sender, sent};
use tworay_base::{SimDuration, SimTime};
use tworay_tcp::{Amount, Arrival, SackConfig, SackForm, TcpConfig};

/// Ten segments, of which the first is lost. The receiver reports one more with each duplicate ACK. All of these come at one
/// time, so that nothing is lost by time.
fn duplicates_before_the_repair(variant: &str, config: &TcpConfig) -> u32 {
    let mut end = sender(variant, config);
    let mut out = Vec::new();
    end.open(SimTime::ZERO, &mut out);
    end.write(SimTime::ZERO, Amount::Endless, &mut out);
    let now = SimTime::ZERO + SimDuration::from_millis(100);
    for last in 2..=10 {
        out.clear();
        end.on_segment(now, &ack(0, &[(2, last)], config), Arrival::default(), &mut out);
        if sent(&out).first() == Some(&1) {
            return last - 1;
        }
    }
    panic!("{variant}: the loss was not found")
}

#[test]
fn every_recovery_counts_to_the_threshold() {
    for dup_threshold in [2, 3, 4, 6] {
        let config = TcpConfig { dup_threshold, ..ten() };
        for variant in ["tahoe", "reno", "newreno", "sack", "rack", "prr"] {
            assert_eq!(duplicates_before_the_repair(variant, &config), dup_threshold, "{variant}");
        }
        let form = |form| TcpConfig { sack: SackConfig { form, ..config.sack.clone() }, ..config.clone() };
        let of = |of| duplicates_before_the_repair("sack", &form(of));
        assert_eq!(of(SackForm::Ns2Pipe), dup_threshold);
        // Linux 2.6.22 wants more than that many up to the last SACKed one, the lost one included (`tcp_time_to_recover`).
        assert_eq!(of(SackForm::TcpLinux), dup_threshold + 1);
    }
}
