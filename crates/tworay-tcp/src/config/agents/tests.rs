use super::*;
use crate::config::{Handshake, SackForm};
use crate::variant::Variant;

const ALL: [RecoveryKind; 5] =
    [RecoveryKind::Tahoe, RecoveryKind::Reno, RecoveryKind::NewReno, RecoveryKind::Sack, RecoveryKind::Vegas];

#[test]
fn the_standard_has_none() {
    for recovery in ALL {
        assert_eq!(TcpConfig::default().quirks(recovery), TcpQuirks::STANDARD, "{recovery:?}");
    }
    assert_eq!(TcpQuirks::default(), TcpQuirks::STANDARD);
}

/// In ns-2's dialect each agent has its own quirks and no others.
#[test]
fn ns2_has_them_by_agent() {
    let all = TcpQuirks { lost_syn_keeps_rto: true, ..TcpQuirks::STANDARD };
    let newreno = TcpQuirks { exit_seen_by_inflation: true, ..all };
    let vegas = TcpQuirks {
        surviving_counts: true,
        overdue_nothing: true,
        forgotten_window: true,
        zero_window_waits: true,
        long_syn: true,
        data_with_repeated_syn: true,
        lost_syn_keeps_window: true,
        restarted_clock: true,
        ..all
    };
    for (recovery, quirks) in ALL.into_iter().zip([all, all, newreno, all, vegas]) {
        assert_eq!(TcpConfig::ns2().quirks(recovery), quirks, "{recovery:?}");
    }
    let three_way = TcpConfig { handshake: Handshake::ThreeWay, ..TcpConfig::ns2() };
    let quirks = three_way.quirks(RecoveryKind::Vegas);
    assert!(quirks.restarted_clock && !quirks.long_syn && !quirks.lost_syn_keeps_window);
}

/// Data follows the SYN only in TCP-Linux, and only without a SYN in the other direction.
#[test]
fn tcp_linux_has_its_own() {
    let mut config = TcpConfig::ns2();
    config.sack.form = SackForm::TcpLinux;
    assert!(config.quirks(RecoveryKind::Sack).data_with_first_syn);
    assert!(!config.quirks(RecoveryKind::Reno).data_with_first_syn);
    config.handshake = Handshake::ThreeWay;
    assert!(!config.quirks(RecoveryKind::Sack).data_with_first_syn);
}

/// RACK, PRR and the sender of Linux 6 have forms of their own, whatever the scenario's.
#[test]
fn repairs_that_mark_segments_do_not_send_data_with_the_syn() {
    let mut config = TcpConfig::ns2();
    config.sack.form = SackForm::TcpLinux;
    for (text, with_syn) in [
        ("sack", true),
        ("rack", false),
        ("sack+rack-tlp", false),
        ("sack+prr", false),
        ("linux+cubic", false),
    ] {
        let variant: Variant = text.parse().expect(text);
        let quirks = variant.configured(&config).quirks(variant.recovery());
        assert_eq!(quirks.data_with_first_syn, with_syn, "{text}");
    }
}
