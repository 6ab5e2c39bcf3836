//! TCP-WELCOME with every recovery it supports: the window after a lost segment and after a broken path.

use crate::common::{Fate, Pair};
use tworay_base::{SimDuration, SimTime};
use tworay_tcp::{Handshake, SackConfig, SackForm, TcpConfig, WindowSize};

/// The peer's window in segments; cwnd grows beyond it.
const WINDOW: f64 = 20.0;

/// Recoveries by name, with the form of the SACK sender.
const RECOVERIES: [(&str, SackForm); 5] = [
    ("newreno", SackForm::Rfc6675),
    ("reno", SackForm::Rfc6675),
    ("sack", SackForm::Rfc6675),
    ("sack", SackForm::Ns2Pipe),
    ("sack", SackForm::TcpLinux),
];

fn config(form: SackForm) -> TcpConfig {
    TcpConfig {
        window: WindowSize::Segments(WINDOW as u32),
        handshake: Handshake::None,
        sack: SackConfig { form, ..SackConfig::default() },
        ..TcpConfig::default()
    }
}

/// A long transfer over a constant round trip of 100 ms, so that no loss can count as congestion.
fn transfer(variant: &str, form: SackForm, fates: Vec<Fate>) -> Pair {
    let mut pair = Pair::new(&config(form), &variant.parse().expect(variant), fates);
    pair.start([4_000_000, 0]);
    pair
}

/// Index of the transfer's n-th segment among all packets.
fn place_of_segment(variant: &str, form: SackForm, n: usize) -> usize {
    let mut pair = transfer(variant, form, Vec::new());
    pair.run(4 * n as u64);
    let data = pair.log.iter().enumerate().filter(|(_, (_, who, s))| *who == 0 && s.payload > 0);
    data.map(|(place, _)| place).nth(n).expect("a segment")
}

/// cwnd after each event, from time `begin` on.
fn windows_after(pair: &mut Pair, begin: SimTime, events: usize) -> Vec<f64> {
    while pair.now < begin {
        pair.run(1);
    }
    let mut windows = Vec::new();
    for _ in 0..events {
        pair.run(1);
        windows.push(pair.ends[0].snapshot().cwnd);
    }
    windows
}

/// A single loss at constant round trips counts as a wireless loss: it is repaired and the window in use
/// stays. The plain recovery would halve the window.
#[test]
fn a_lost_segment_costs_nothing_of_the_window() {
    for (recovery, form) in RECOVERIES {
        for (variant, least, most) in
            [(format!("{recovery}+welcome"), WINDOW, f64::INFINITY), (recovery.to_owned(), 0.0, 0.6 * WINDOW)]
        {
            let lost = place_of_segment(&variant, form, 600);
            let mut fates = vec![Fate::Arrives; lost];
            fates.push(Fate::Lost);
            let mut pair = transfer(&variant, form, fates);
            let when = transfer_time_of(&variant, form, lost);
            let windows = windows_after(&mut pair, when, 150);
            let smallest = windows.iter().copied().fold(f64::INFINITY, f64::min);
            assert!((least..=most).contains(&smallest), "{variant}, {form:?}: {smallest}");
            let counters = pair.ends[0].counters();
            let seen = (counters.fast_retransmits, counters.timeouts);
            assert_eq!(seen, (1, 0), "{variant}, {form:?}");
            // RFC 6675 also retransmits the last segment (rescue) if the peer's window permits no new data
            // (§4, rule 4).
            let rescues = recovery == "sack" && form == SackForm::Rfc6675;
            let again = counters.retransmitted_segments;
            assert!(again == 1 || rescues && again == 2, "{variant}, {form:?}: {again} sent again");
        }
    }
}

/// When the packet with this index is sent.
fn transfer_time_of(variant: &str, form: SackForm, place: usize) -> SimTime {
    let mut pair = transfer(variant, form, Vec::new());
    while pair.log.len() <= place {
        pair.run(1);
    }
    pair.log[place].0
}

/// The path fails for four seconds. The first acknowledgment afterwards sets cwnd to the whole, half or two
/// thirds of the window that was in use (propositions 1, 2 and 3), whatever cwnd had grown to; that many
/// segments are then in flight.
#[test]
fn each_proposition_resumes_with_its_share_of_the_window_in_use() {
    let away = (SimTime::from_nanos(11_000_000_000), SimTime::from_nanos(15_000_000_000));
    for (recovery, form) in RECOVERIES {
        for (proposition, share) in [("cwnd=1", 1.0), ("cwnd=2", 0.5), ("cwnd=3", 2.0 / 3.0)] {
            let variant = format!("{recovery}+welcome({proposition})");
            let mut pair = transfer(&variant, form, Vec::new());
            pair.outages = vec![away];
            while pair.now < away.1 {
                pair.run(1);
            }
            let before = pair.ends[0].snapshot();
            assert_eq!(before.cwnd, 1.0, "{variant}, {form:?}: it waits");
            while pair.ends[0].snapshot().una == before.una {
                pair.run(1);
            }
            let now = pair.ends[0].snapshot();
            let expected = share * WINDOW;
            assert!((now.cwnd - expected).abs() < 1e-9, "{variant}, {form:?}: {now:?}");
            assert!(now.flight_segments as f64 >= expected.floor(), "{variant}, {form:?}: {now:?}");
        }
    }
}

/// The path that returns is the old one, so a = 1. Without the bandwidth cap the window becomes what it was
/// (§V.C, signal loss: it "does not decrease its CWND"), and no repair that ends later reduces it.
#[test]
fn without_the_cap_the_window_is_what_it_was_once_the_path_is_measured() {
    let away = (SimTime::from_nanos(11_000_000_000), SimTime::from_nanos(15_000_000_000));
    for (recovery, form) in RECOVERIES {
        let variant = format!("{recovery}+welcome(lra_link=keep)");
        let mut pair = transfer(&variant, form, Vec::new());
        pair.outages = vec![away];
        while pair.now < away.1 + SimDuration::from_secs(2) {
            pair.run(1);
        }
        let now = pair.ends[0].snapshot();
        assert!(now.cwnd >= WINDOW && now.ssthresh >= WINDOW, "{variant}, {form:?}: {now:?}");
        assert_eq!(now.flight_segments as f64, WINDOW, "{variant}, {form:?}");
        // The timer used 3/2 of the timeout each time and was never doubled.
        assert!(pair.ends[0].counters().timeouts > 8, "{variant}, {form:?}");
    }
}

/// The path that returns after four seconds is the old one: its rate of 200 segments/s times the round trip
/// of 100 ms is the window of 20, and the outage is no part of the estimate (§IV.B: the sender starts from
/// the calculated window rather than from the minimum). The first flight after the outage has two thirds of
/// the window, so the estimate may be a tenth lower. Counted as one gap of four seconds between two ACKs, the
/// outage leaves the minimum of two segments, from which the window has to grow again.
#[test]
fn the_cap_after_an_outage_is_what_the_path_carries() {
    let away = (SimTime::from_nanos(11_000_000_000), SimTime::from_nanos(15_000_000_000));
    for (recovery, form) in RECOVERIES {
        for (outage, range) in [("excluded", 0.9 * WINDOW..=WINDOW), ("counted", 0.0..=0.5 * WINDOW)] {
            let variant = format!("{recovery}+welcome(outage={outage})");
            let mut pair = transfer(&variant, form, Vec::new());
            pair.outages = vec![away];
            while pair.now < away.1 {
                pair.run(1);
            }
            let waiting = pair.ends[0].snapshot();
            while pair.ends[0].snapshot().una == waiting.una {
                pair.run(1);
            }
            // Two round trips later the new path has been measured.
            let later = pair.now + SimDuration::from_millis(210);
            while pair.now < later {
                pair.run(1);
            }
            let now = pair.ends[0].snapshot();
            assert!(range.contains(&now.ssthresh), "{variant}, {form:?}: {now:?}");
        }
    }
}
