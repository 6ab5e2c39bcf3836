//! Each quirk of ns-2 by itself: the same inputs with the quirk off and on.

use crate::bench::{Bench, OTHER, control, data, rts, slow_acks, us};
use tworay_base::Bytes;
use tworay_mac::FrameKind::{Ack, Cts, Data, Rts};
use tworay_mac::{MacConfig, MacQuirks, RxError, Timing};

/// The standard with all backoffs of zero slots: times become exact.
const PROMPT: MacQuirks = MacQuirks { backoff_below_cw: true, ..MacQuirks::STANDARD };

fn prompt_config() -> MacConfig {
    MacConfig { cw_min: 1, cw_max: 1, ..slow_acks() }
}

fn prompt(quirks: MacQuirks) -> Bench {
    Bench::new(&prompt_config(), quirks, 1)
}

/// Smallest and largest number of slots drawn in 200 runs for a packet offered while the medium is busy.
fn slots(quirks: MacQuirks) -> (u64, u64) {
    let config = MacConfig { cw_min: 3, ..slow_acks() };
    let draws = (0..200).map(|seed| {
        let mut b = Bench::new(&config, quirks, seed);
        let access = b.busy(100).offer(100).access_in().expect("it contends");
        (access - 100 - 50) / 20
    });
    draws.fold((u64::MAX, 0), |(lo, hi), n| (lo.min(n), hi.max(n)))
}

#[test]
fn backoff_below_cw() {
    assert_eq!(slots(MacQuirks::STANDARD), (0, 3));
    assert_eq!(slots(PROMPT), (0, 2));
}

#[test]
fn backoff_always() {
    let access =
        |backoff_always| prompt(MacQuirks { backoff_always, ..PROMPT }).wait(1000).offer(100).access_in();
    assert_eq!(access(false), Some(0), "the medium has been idle for DIFS");
    assert_eq!(access(true), Some(50), "DIFS and a backoff (here of no slots) from now on");
}

#[test]
fn eifs_is_nav() {
    let mac = |eifs_is_nav| prompt(MacQuirks { eifs_is_nav, ..PROMPT });
    let after_error =
        |eifs_is_nav| mac(eifs_is_nav).busy(300).offer(100).wait(300).error(RxError::Corrupt).access_in();
    assert_eq!(after_error(false), Some(364), "EIFS contains DIFS");
    assert_eq!(after_error(true), Some(364 + 50));

    let after_good_frame = |eifs_is_nav| {
        let mut b = mac(eifs_is_nav);
        b.busy(300).offer(100).wait(300).error(RxError::Corrupt).wait(5);
        b.receive(control(Ack, OTHER, 0)).access_in()
    };
    assert_eq!(after_good_frame(false), Some(50), "a good frame ends EIFS");
    assert_eq!(after_good_frame(true), Some(364 - 5 - 304 + 50), "the NAV stands");
}

#[test]
fn eifs_after_undecodable() {
    let access = |eifs_after_undecodable| {
        let mut b = prompt(MacQuirks { eifs_after_undecodable, ..PROMPT });
        b.busy(300).offer(100).wait(300).error(RxError::Undecodable).access_in()
    };
    assert_eq!(access(false), Some(50));
    assert_eq!(access(true), Some(364));
}

#[test]
fn cts_needs_idle_after_sifs() {
    let mac = |cts_needs_idle_after_sifs| prompt(MacQuirks { cts_needs_idle_after_sifs, ..PROMPT });
    let with_nav = |on| mac(on).reserve(5000).receive(rts()).wait(400).sent(Cts).len();
    assert_eq!((with_nav(false), with_nav(true)), (0, 0), "both keep still while the NAV is set");

    let busy_again = |on| mac(on).receive(rts()).wait(5).busy(300).wait(400).sent(Cts).len();
    assert_eq!((busy_again(false), busy_again(true)), (1, 0));

    // The opposite case: the NAV ends within the SIFS.
    let nav_ends = |on| mac(on).reserve(352 + 8).receive(rts()).wait(400).sent(Cts).len();
    assert_eq!((nav_ends(false), nav_ends(true)), (0, 1));
}

#[test]
fn cts_waits_for_data() {
    let mac = |cts_waits_for_data| prompt(MacQuirks { cts_waits_for_data, ..PROMPT });
    // CTS ends at 366 + 304; DATA should end 1010 + 4 µs later.
    let second = |on, later: u64| {
        mac(on).receive(rts()).wait(10 + 304 + later).receive(rts()).wait(400).sent(Cts).len()
    };
    assert_eq!((second(false, 0), second(true, 0)), (2, 1), "another RTS is ignored meanwhile");
    assert_eq!(second(true, 1014 - 352 - 1), 1);
    assert_eq!(second(true, 1014 - 352), 2);
    let own = |on| mac(on).receive(rts()).offer(100).wait(10).access_in();
    assert_eq!(own(false), Some(304 + 50));
    assert_eq!(own(true), Some(304 + 1014 + 50));
}

#[test]
fn data_needs_cts() {
    let answers = |data_needs_cts, protected| {
        let mut b = prompt(MacQuirks { data_needs_cts, ..PROMPT });
        b.receive(data(1, false, protected)).wait(400);
        (b.sent(Ack).len(), b.delivered())
    };
    assert_eq!(answers(false, true), (1, 1));
    assert_eq!(answers(true, true), (0, 0), "DATA that should have had an RTS comes out of the blue");
    assert_eq!(answers(true, false), (1, 1));
}

#[test]
fn only_timeout_ends_wait() {
    // DATA of 200 µs fits into the wait for a CTS (SIFS + slot + 304 µs).
    let short = data(1, false, false);
    let short = tworay_mac::Frame { airtime: us(200), ..short };
    let run = |only_timeout_ends_wait| {
        let mut b = prompt(MacQuirks { only_timeout_ends_wait, ..PROMPT });
        b.offer(1500).until_sent(Rts);
        let t0 = b.micros();
        b.receive(short).wait(2000);
        (b.sent(Ack)[0].0 - t0, b.sent(Rts)[1].0 - t0, b.delivered())
    };
    assert_eq!(run(false), (200 + 10, 200 + 10 + 304 + 50, 1), "the attempt has failed, the ACK is due");
    assert_eq!(run(true), (334 + 10, 334 + 10 + 304 + 50, 1), "the ACK waits for our timeout");

    // A frame between other stations ends the wait as well.
    let other = |only_timeout_ends_wait| {
        let mut b = prompt(MacQuirks { only_timeout_ends_wait, ..PROMPT });
        b.offer(1500).until_sent(Rts);
        b.receive(control(Ack, OTHER, 0));
        b.mac.counters().rts_failures
    };
    assert_eq!((other(false), other(true)), (1, 0));
}

#[test]
fn exact_response_timeout() {
    let timeout = |exact_response_timeout| {
        let mut b = prompt(MacQuirks { exact_response_timeout, ..PROMPT });
        b.wait(1000).offer(1500).wait(0);
        b.exchange_in().expect("it waits for an answer") - 352
    };
    assert_eq!(timeout(false), 10 + 20 + 304);
    assert_eq!(timeout(true), 10 + 304 + 2 * 2);
}

#[test]
fn duplicate_by_number_only() {
    let delivered = |duplicate_by_number_only, number, retry| {
        let mut b = prompt(MacQuirks { duplicate_by_number_only, ..PROMPT });
        b.receive(data(number, false, false)).wait(400).receive(data(number, retry, false)).wait(400);
        assert_eq!(b.sent(Ack).len(), 2, "a duplicate is acknowledged too");
        b.delivered()
    };
    assert_eq!((delivered(false, 7, true), delivered(true, 7, true)), (1, 1));
    assert_eq!((delivered(false, 7, false), delivered(true, 7, false)), (2, 1), "no retry bit");
    assert_eq!((delivered(false, 0, true), delivered(true, 0, true)), (1, 2), "number 0");

    // So the first frame of a station must not have number 0.
    let first = |duplicate_by_number_only| {
        let mut b = prompt(MacQuirks { duplicate_by_number_only, ..PROMPT });
        b.offer(1500).until_sent(Rts);
        b.receive(control(Cts, crate::bench::ME, 0)).until_sent(Data).number
    };
    assert_eq!((first(false), first(true)), (0, 1));
}

#[test]
fn four_address_header() {
    let bytes = |four_address_header| {
        Timing::new(&prompt_config(), &MacQuirks { four_address_header, ..PROMPT }).data_bytes(1500)
    };
    assert_eq!((bytes(false), bytes(true)), (1536, 1534));
}

#[test]
fn threshold_counts_plcp() {
    let config = MacConfig { rts_threshold: Bytes(500), ..prompt_config() };
    let smallest_with_rts = |threshold_counts_plcp| {
        let t = Timing::new(&config, &MacQuirks { threshold_counts_plcp, ..PROMPT });
        (0..3000).find(|&ip| t.needs_rts(t.data_bytes(ip)))
    };
    assert_eq!(smallest_with_rts(false), Some(500 - 36 + 1), "longer than the threshold");
    assert_eq!(smallest_with_rts(true), Some(500 - 36 - 24), "at least the threshold, with 24 bytes of PLCP");
}

#[test]
fn data_needs_idle_after_sifs() {
    let run = |data_needs_idle_after_sifs| {
        let mut b = Bench::new(&slow_acks(), MacQuirks { data_needs_idle_after_sifs, ..PROMPT }, 5);
        b.offer(1500).until_sent(Rts);
        b.receive(control(Cts, crate::bench::ME, 0)).wait(5).busy(500).wait(20_000);
        assert_eq!(b.mac.counters().rts_failures, b.sent(Rts).len() as u64 - 1);
        (b.sent(Data).len(), b.sent(Rts).len() > 1)
    };
    assert_eq!(run(false).0, 1);
    assert_eq!(run(true), (0, true));
}

#[test]
fn instant_carrier_sense() {
    // The backoff of a packet offered while the medium is busy ends DIFS after it (no slots).
    let sends = |instant_carrier_sense, before: u64| {
        let mut b = prompt(MacQuirks { instant_carrier_sense, ..PROMPT });
        b.busy(100).offer(1500).wait(100 + 50 - before).busy(300).wait(200);
        b.sent(Rts).len()
    };
    assert_eq!((sends(false, 14), sends(true, 14)), (1, 0), "the medium turned busy 14 µs before");
    assert_eq!((sends(false, 15), sends(true, 15)), (0, 0));
}

#[test]
fn no_backoff_after_give_up() {
    let accesses = |no_backoff_after_give_up| -> Vec<u64> {
        let draws = (0..50).map(|seed| {
            let config = MacConfig { short_retry_limit: 1, ..slow_acks() };
            let mut b = Bench::new(&config, MacQuirks { no_backoff_after_give_up, ..PROMPT }, seed);
            b.offer(1500).until_sent(Rts);
            while b.gave_up() == 0 {
                b.wait(1);
            }
            let access = b.offer(1500).access_in().expect("it contends");
            access / 20
        });
        draws.collect()
    };
    assert!(accesses(false).iter().any(|&slots| slots > 2), "a backoff follows each attempt");
    assert_eq!(accesses(true), vec![2; 50], "DIFS");
}

#[test]
fn retries_outlive_packet() {
    // First packet: one DATA without ACK, then RTSs without CTS until it is given up. Second packet: one more
    // DATA.
    let given_up = |retries_outlive_packet| {
        let config = MacConfig { long_retry_limit: 2, ..prompt_config() };
        let mut b = Bench::new(&config, MacQuirks { retries_outlive_packet, ..PROMPT }, 1);
        let fail_data = |b: &mut Bench| {
            b.offer(1500).until_sent(Rts);
            b.receive(control(Cts, crate::bench::ME, 0)).until_sent(Data);
        };
        fail_data(&mut b);
        b.wait(100_000);
        assert_eq!((b.gave_up(), b.sent(Rts).len()), (1, 1 + 7));
        fail_data(&mut b);
        b.wait(500);
        b.gave_up() - 1
    };
    assert_eq!((given_up(false), given_up(true)), (0, 1));
}
