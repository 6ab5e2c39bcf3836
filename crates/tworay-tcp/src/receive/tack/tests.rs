use super::*;
use crate::config::TackConfig;

const CLOCK: SimDuration = SimDuration::from_millis(1);

fn at(ms: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(ms)
}

fn config(beta: u32, most: u32) -> ReceiverConfig {
    ReceiverConfig { tack: TackConfig { beta, most }, ..ReceiverConfig::default() }
}

/// A receiver that has measured one round trip of `round_trip` ms, 1000 ms after the start.
fn measured(round_trip: u64) -> Tack {
    let mut tack = Tack::new();
    tack.heard(1000 - round_trip as u32, at(1000), CLOCK);
    tack
}

/// Receives segments every `gap` ms from 1000 ms on; `A` marks a segment acknowledged at once.
fn rhythm(tack: &mut Tack, cfg: &ReceiverConfig, gap: u64, n: u64) -> String {
    (1..=n).map(|i| if tack.in_order(cfg, at(1000 + gap * i)).is_none() { 'A' } else { '.' }).collect()
}

#[test]
fn two_acks_a_round_trip_however_many_segments_it_holds() {
    // Round trip, gap, most; ACKs of twelve segments. The first two are acknowledged: the gap is still
    // unknown.
    for (round_trip, gap, most, acks) in [
        (20, 10, 8, "AAAAAAAAAAAA"),
        (40, 10, 8, "A.A.A.A.A.A."),
        (80, 10, 8, "A...A...A..."),
        // RTTmin / β is 40 ms: ACKs are at least that far apart, whatever `most` is.
        (80, 10, 2, "A...A...A..."),
        (500, 10, 8, "A......."),
    ] {
        let mut tack = measured(round_trip);
        let found = rhythm(&mut tack, &config(2, most), gap, acks.len() as u64);
        assert_eq!(found, acks, "a round trip of {round_trip} ms");
    }
}

#[test]
fn nothing_is_held_before_the_path_is_known() {
    assert_eq!(rhythm(&mut Tack::new(), &config(2, 8), 10, 5), "AAAAA");
}

#[test]
fn the_timer_waits_for_two_and_a_half_gaps() {
    let (mut tack, cfg) = (measured(80), config(2, 8));
    assert_eq!(rhythm(&mut tack, &cfg, 10, 1), "A");
    assert_eq!(tack.in_order(&cfg, at(1020)), Some(SimDuration::from_millis(25)));
    // Long gaps: no ACK is held longer than the interval.
    let (mut tack, cfg) = (measured(900), config(2, 8));
    assert_eq!(rhythm(&mut tack, &cfg, 200, 1), "A");
    assert_eq!(tack.in_order(&cfg, at(1400)), Some(cfg.interval));
}

#[test]
fn a_repeated_echo_measures_nothing() {
    let mut tack = measured(40);
    tack.heard(960, at(1500), CLOCK);
    assert_eq!(tack.round_trip, Some(0.04), "the sender was idle for half a second");
    tack.heard(1460, at(1500), CLOCK);
    assert_eq!(tack.shortest, 0.04);
    tack.heard(4_000_000_000, at(1501), CLOCK);
    assert!(tack.round_trip.is_some_and(|s| s < 0.041), "an echo from the future is not believed");
}
