//! Access categories: interframe spaces, TXOP limits, and agreements of their own (Table 9-155).

use super::*;
use AccessCategory::{Background, BestEffort, Video, Voice};

/// SIFS 16 µs and 7, 3, 2 and 2 slots of 9 µs.
#[test]
fn a_frame_on_an_idle_medium_goes_after_the_aifs_of_its_category() {
    for (category, aifs) in [(Background, 79), (BestEffort, 43), (Video, 34), (Voice, 34)] {
        let mut m = Medium::new(2, config(65_535, u32::MAX), Script::new());
        m.queue_as(category, 0, 1, 0..1).run(1_000);
        assert!(m.ladder.starts_with(&format!("{aifs:>8} 0 DATA to 1 0\n")), "{category:?}: {}", m.ladder);
    }
}

/// The exchange stays within the TXOP. With a SIFS and a BlockAck of 32 µs after it, 2,960 of 3,008 µs are left for video's PPDU:
/// (2,960 - 36) / 4 = 731 symbols of 260 bits, 23,754 bytes, 22 frames of 1,038 B in 1,044 each. Voice: 1,456 µs, 11,534 bytes, 11
/// frames; with RTS and CTS of 28 µs each, and a SIFS after each, 88 µs less: 10,819 bytes, 10 frames. The others have no limit
/// but the longest PPDU: 44,262 bytes, 42 frames.
#[test]
fn aggregates_end_with_the_txop_of_their_category() {
    let first = |category, rts_above| {
        let mut m = Medium::new(2, config(65_535, rts_above), Script::new());
        m.queue_as(category, 0, 1, 0..60).run(400);
        let sent = m.steps().into_iter().find(|step| step.contains("A-MPDU")).expect("an aggregate");
        sent.split_whitespace().skip(4).count()
    };
    for (category, rts_above, frames) in [
        (Video, u32::MAX, 22),
        (Video, 3_000, 22),
        (Voice, u32::MAX, 11),
        (Voice, 3_000, 10),
        (BestEffort, u32::MAX, 42),
        (Background, u32::MAX, 42),
    ] {
        assert_eq!(first(category, rts_above), frames, "{category:?}, RTS above {rts_above}");
    }
}

/// Both categories count from 0, and the loss of a frame of best effort doesn't hold back voice at the receiver.
#[test]
fn numbers_and_order_are_those_of_a_category() {
    let lost = Script::from([(("A-MPDU", 0, 2), 0b110)]);
    let mut m = Medium::new(2, config(65_535, u32::MAX), lost);
    m.queue_as(BestEffort, 0, 1, 0..3);
    m.queue_as(Voice, 0, 1, 10..12).run(20_000);
    let steps = m.steps();
    let aggregates: Vec<_> = steps.iter().filter(|step| step.contains("A-MPDU")).collect();
    assert_eq!(aggregates, ["0 A-MPDU to 1 0 1", "0 A-MPDU to 1 0 1 2"]);
    let got: Vec<_> = steps.iter().filter_map(|step| step.strip_prefix("1 got ")).collect();
    assert_eq!(got, ["10", "11", "0", "1", "2"]);
}

/// A neighbour that answers none of seven exchanges in a row is gone, for frames of all categories: the first exchanges are those of
/// background, the last ones those of voice, which doesn't leave background a slot any more.
#[test]
fn a_neighbour_is_gone_for_all_categories() {
    let gone = HcfConfig { gone_after: Some(7), ..config(65_535, u32::MAX) };
    let lost = (1..=40).map(|n| (("DATA", 0, n), 0)).collect();
    let mut m = Medium::new(2, gone, lost);
    m.queue_as(Background, 0, 1, 1..2).run(700);
    let exchanges = |m: &Medium| m.steps().iter().filter(|step| step.starts_with("0 DATA")).count();
    assert!((1..7).contains(&exchanges(&m)), "{}", m.ladder);
    m.queue_as(Voice, 0, 1, 0..1).run(100_000);
    assert_eq!(exchanges(&m), 7, "{}", m.ladder);
    let mut gave_up: Vec<_> =
        m.steps().iter().filter_map(|step| step.strip_prefix("0 gave up ").map(str::to_owned)).collect();
    gave_up.sort();
    assert_eq!(gave_up, ["0", "1"]);
    let mut held = Vec::new();
    m.stations[0].0.held(&mut held);
    assert!(held.is_empty(), "{held:?}");
}
