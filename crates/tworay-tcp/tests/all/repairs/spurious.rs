//! Spurious timeouts: F-RTO (RFC 5682), Eifel (RFC 3522) and the response (RFC 4015).

use super::ladder::On::{Ack, Echo, Timer};
use super::ladder::{Ladder, climb, config};
use tworay_tcp::TcpConfig;

/// RFC 5682 §2.1: the window was delayed, not lost. The first ACK brings two new segments, the second shows
/// that the originals arrive.
#[test]
fn f_rto_takes_back_a_timeout_section_2_1() {
    for variant in ["newreno+f-rto", "reno+f-rto", "tahoe+f-rto", "sack+f-rto", "sack+rack+f-rto"] {
        let ladder = climb(
            variant,
            &config(6),
            None,
            &[1, 2, 3, 4, 5, 6],
            &[
                (1000, Timer, &[1]),
                // Step 2b: new data instead of 2 and 3.
                (1100, Ack(1, &[]), &[7, 8]),
                // Step 3b: 2 was sent once. Its ACK restores: FlightSize 6 and one more.
                (1110, Ack(2, &[]), &[9]),
            ],
        );
        let (counters, state) = (ladder.counters(), ladder.state());
        assert_eq!((counters.undone_timeouts, counters.retransmitted_segments), (1, 1), "{variant}");
        assert!(state.cwnd >= 7.0 && state.ssthresh >= 6.0, "{variant}: {state:?}");
    }
}

/// RFC 5682 §2.1 step 2a and step 3a: a duplicate ACK shows that the loss was real.
#[test]
fn a_real_loss_is_repaired_as_ever() {
    // Everything was lost: after the first retransmission the new data arrives, out of order.
    let ladder = climb(
        "newreno+f-rto",
        &config(4),
        None,
        &[1, 2, 3, 4],
        &[
            (1000, Timer, &[1]),
            (1100, Ack(1, &[]), &[5, 6]),
            // 5 arrived, 2 is missing: back to go-back-N.
            (1200, Ack(1, &[]), &[2, 3]),
        ],
    );
    assert_eq!(ladder.counters().undone_timeouts, 0);
    // With SACK the duplicate says what arrived.
    let ladder = climb(
        "sack+f-rto",
        &config(4),
        None,
        &[1, 2, 3, 4],
        &[(1000, Timer, &[1]), (1100, Ack(1, &[]), &[5, 6]), (1200, Ack(1, &[(5, 5)]), &[2, 3])],
    );
    assert_eq!(ladder.counters().undone_timeouts, 0);
    // Step 2a: the first ACK is a duplicate.
    climb(
        "newreno+f-rto",
        &TcpConfig { limited_transmit: false, ..config(4) },
        None,
        &[1, 2, 3, 4],
        &[(1000, Timer, &[1]), (1050, Ack(0, &[]), &[]), (1100, Ack(1, &[]), &[2, 3])],
    );
    // Nothing new to send: the timeout can't be questioned.
    climb(
        "newreno+f-rto",
        &config(4),
        Some(4),
        &[1, 2, 3, 4],
        &[(1000, Timer, &[1]), (1100, Ack(1, &[]), &[2, 3])],
    );
}

/// RFC 3522 §3.2: the ACK echoes the time stamp of the original, sent at 0 ms; the retransmission left at
/// 1000 ms.
#[test]
fn eifel_knows_at_the_first_ack() {
    let config = TcpConfig { timestamps: true, ..config(6) };
    for variant in ["newreno+eifel", "sack+eifel", "sack+rack+eifel"] {
        let ladder = climb(
            variant,
            &config,
            None,
            &[1, 2, 3, 4, 5, 6],
            &[(1000, Timer, &[1]), (1100, Echo(1, &[], 0), &[7])],
        );
        assert_eq!(ladder.counters().undone_timeouts, 1, "{variant}");
        // RFC 4015 §3.1 step 8: the timeout allows for the round trip of 1.1 s.
        assert!(ladder.state().rto.as_secs_f64() > 1.1, "{variant}: {:?}", ladder.state());
        let real = climb(
            variant,
            &config,
            None,
            &[1, 2, 3, 4, 5, 6],
            &[(1000, Timer, &[1]), (1100, Echo(1, &[], 1000), &[2, 3])],
        );
        assert_eq!(real.counters().undone_timeouts, 0, "{variant}");
    }
}

/// Linux looks at the time stamps too, and restores the whole window of six.
#[test]
fn linux_knows_at_the_first_ack() {
    // Without a round trip there is no probe: the timeout follows at once.
    let rungs = [(1000, Timer, &[][..]), (1000, Timer, &[1]), (1100, Echo(1, &[], 0), &[7])];
    let ladder = climb("linux", &config(6), None, &[1, 2, 3, 4, 5, 6], &rungs);
    assert_eq!(ladder.counters().undone_timeouts, 1);
    assert_eq!(ladder.state().cwnd, 6.0);
}

/// After a spurious timeout CUBIC and BBR have at least the window of before, whoever found it (RFC 4015
/// §3.2, RFC 9438 §4.9.1, Linux' `tcp_undo_cwnd_reduction`). BBR's segments are paced: only the state is
/// checked.
#[test]
fn cubic_and_bbr_get_their_window_back() {
    let config = TcpConfig { timestamps: true, ..config(6) };
    for (variant, echo) in [
        ("sack+cubic+f-rto", false),
        ("sack+cubic+eifel", true),
        ("sack+rack-tlp+prr+cubic+f-rto", false),
        ("linux+cubic", true),
        ("bbr+f-rto", false),
        ("bbr+eifel", true),
        ("linux+bbr", true),
        ("bbr3+f-rto", false),
        ("bbr3+eifel", true),
        ("linux+bbr3", true),
    ] {
        let (mut ladder, _) = Ladder::new(variant, &config, None);
        // A round trip, and time for the pacer; then nothing until the timeout, after probes if there are
        // any.
        ladder.step(100, &Echo(1, &[], 0));
        let before = ladder.state();
        while ladder.counters().timeouts == 0 {
            let due = ladder.due.expect("a timer runs").ceil() as u64;
            ladder.due = Some(due as f64);
            ladder.step(due, &Timer);
        }
        let at = ladder.due.expect("the next timeout") as u64;
        assert_eq!(ladder.state().cwnd, 1.0, "{variant}");
        ladder.step(at - 20, &Echo(2, &[], if echo { 0 } else { u64::from(u32::MAX) }));
        if !echo {
            ladder.step(at - 10, &Ack(3, &[]));
        }
        assert_eq!(ladder.counters().undone_timeouts, 1, "{variant}");
        // BBR restores its window at the next ACK, from its model.
        ladder.step(at - 5, &Ack(4, &[]));
        let after = ladder.state();
        assert!(after.cwnd + 1.0 >= before.cwnd, "{variant}: {} before, {} after", before.cwnd, after.cwnd);
    }
}
