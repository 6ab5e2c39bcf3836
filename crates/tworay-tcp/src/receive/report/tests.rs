//! Ladders of arrivals. Segments have 1000 bytes; the tables give the segment's number, when it was sent and
//! when it arrived, in ms, and the report of the ACK that follows.

use super::*;
use crate::config::{BiazRule, GapRule, HybridRule, SpikeRule, StateRule, ZigZagRule};
use tworay_base::{SimDuration, SimTime};
use tworay_wire::Report;

type Row = (u64, i64, i64, Option<Report>);
const CHANNEL: Option<Report> = Some(Report::Channel);
const CONGESTION: Option<Report> = Some(Report::Congestion);

fn arrival(number: u64, sent: i64, at: i64) -> Arrival {
    let at = SimTime::ZERO + SimDuration::from_millis(at as u64);
    Arrival { at, sent: sent * 1_000_000, start: 1 + 1000 * number, end: 1001 + 1000 * number }
}

/// Feeds the arrivals; with `gap`, data is missing at every ACK.
fn climb(reporter: &mut dyn Reporter, gap: bool, rows: &[Row]) {
    for (i, &(number, sent, at, expected)) in rows.iter().enumerate() {
        reporter.heard(&arrival(number, sent, at));
        assert_eq!(reporter.take(gap), expected, "row {i}: {:?}", rows[i]);
    }
}

const SPIKE: SpikeRule = SpikeRule { start: 0.5, end: 1.0 / 3.0 };
const ZIGZAG: ZigZagRule = ZigZagRule { weight: 1.0 / 32.0 };
const MBIAZ: BiazRule = BiazRule { slack: 0.25 };

/// Trip times of 50 to 110 ms: a spike begins above 50 + 60/2 = 80 ms and ends below 50 + 60/3 = 70 ms.
#[test]
fn spike_has_two_thresholds() {
    let mut gaps = make(Reporting::Gaps(GapRule::Spike(SPIKE)));
    climb(
        &mut *gaps,
        true,
        &[
            (0, 0, 50, None),
            (1, 10, 120, None),
            (2, 80, 130, None),
            // 80 ms: not above the limit.
            (4, 100, 180, CHANNEL),
            (6, 110, 191, CONGESTION),
            // 70 ms: not below the end of the spike.
            (8, 130, 200, CONGESTION),
            (10, 140, 209, CHANNEL),
            // Between the two, no spike has begun.
            (12, 150, 225, CHANNEL),
        ],
    );
}

/// After 100 alternating trip times of 49 and 51 ms the mean is 50 ms within 2 · 1/32 / 2 and the deviation
/// about 1 ms. The limits are mean − 1 for one segment lost, mean − 1/2 for two, the mean for three, mean +
/// 1/2 for more.
#[test]
fn zigzag_allows_more_delay_after_more_losses() {
    // Losses in a row, trip time in µs, wireless.
    for (lost, micros, wireless) in [
        (1, 48_500, true),
        (1, 49_300, false),
        (2, 49_300, true),
        (2, 49_700, false),
        (3, 49_700, true),
        (3, 50_200, false),
        (4, 50_200, true),
        (4, 50_800, false),
        (9, 50_200, true),
    ] {
        let mut gaps = make(Reporting::Gaps(GapRule::ZigZag(ZIGZAG)));
        for i in 0..200 {
            let sent = 10 * i as i64;
            gaps.heard(&arrival(i, sent, sent + if i % 2 == 0 { 49 } else { 51 }));
        }
        let mut after = arrival(200 + lost, 3000, 3000);
        after.at += SimDuration::from_micros(micros);
        gaps.heard(&after);
        assert_eq!(gaps.take(true), if wireless { CHANNEL } else { CONGESTION }, "{lost} lost, {micros} us");
    }
}

/// T_min is 10 ms. One segment lost: the next one is due after 20 ms. It is wireless up to 30 ms by Biaz and
/// Vaidya, up to 22.5 ms by mBiaz. Two lost: from 30 ms.
#[test]
fn biaz_expects_the_next_segment_when_it_is_due() {
    for (lost, after, biaz, mbiaz) in [
        (1, 19, CONGESTION, CONGESTION),
        (1, 20, CHANNEL, CHANNEL),
        (1, 22, CHANNEL, CHANNEL),
        (1, 23, CHANNEL, CONGESTION),
        (1, 29, CHANNEL, CONGESTION),
        (1, 30, CONGESTION, CONGESTION),
        (2, 29, CONGESTION, CONGESTION),
        (2, 30, CHANNEL, CHANNEL),
        (2, 39, CHANNEL, CONGESTION),
    ] {
        for (slack, expected) in [(1.0, biaz), (0.25, mbiaz)] {
            let mut gaps = make(Reporting::Gaps(GapRule::Biaz(BiazRule { slack })));
            let rows =
                [(0, 0, 50, None), (1, 5, 60, None), (2, 20, 75, None), (3 + lost, 30, 75 + after, expected)];
            climb(&mut *gaps, true, &rows);
        }
    }
}

/// The verdict is about the gap: retransmissions neither change it nor count as arrivals, and it is not
/// reported once the gap is filled.
#[test]
fn verdicts_are_about_gaps() {
    let mut gaps = make(Reporting::Gaps(GapRule::Biaz(MBIAZ)));
    climb(&mut *gaps, true, &[(0, 0, 50, None), (1, 10, 60, None), (3, 30, 80, CHANNEL)]);
    climb(&mut *gaps, true, &[(2, 35, 81, CHANNEL), (4, 40, 90, CHANNEL)]);
    assert_eq!(gaps.take(false), None);
    // 20 ms after segment 4, as before, although the retransmission came 29 ms before.
    climb(&mut *gaps, true, &[(6, 60, 110, CHANNEL)]);
}

/// ZBS (Cen et al. 2003): by the average over the shortest time between arrivals, unless the trip time is the
/// shortest. Each row's last segment has a verdict that only the selected rule gives.
#[test]
fn zbs_selects_by_the_load_of_the_bottleneck() {
    let rule = HybridRule { spike: SPIKE, zigzag: ZIGZAG, biaz: MBIAZ };
    // Time between arrivals, trip times of the stream and of the last one, which comes after one loss.
    let verdict = |gap: i64, last_gap: i64, trips: [i64; 2]| {
        let mut gaps = make(Reporting::Gaps(GapRule::Hybrid(rule)));
        // One pair shows the shortest time of 10 ms, and one segment the longest trip of 150 ms.
        let (mut at, mut n) = (1000, 0);
        for (gap, trip) in [(0, 50), (10, 150)].into_iter().chain((0..200).map(|_| (gap, trips[0]))) {
            at += gap;
            gaps.heard(&arrival(n, at - trip, at));
            n += 1;
        }
        at += last_gap;
        gaps.heard(&arrival(n + 1, at - trips[1], at));
        gaps.take(true)
    };
    // Ratio 1: mBiaz, by the time since the last arrival.
    assert_eq!(verdict(10, 20, [60, 60]), CHANNEL);
    assert_eq!(verdict(10, 24, [60, 60]), CONGESTION);
    // Ratio 1.7: ZigZag. 60 ms are the mean; 40 would be the shortest trip, so 55 lie below mean and above
    // that.
    assert_eq!(verdict(17, 34, [60, 60]), CONGESTION);
    assert_eq!(verdict(17, 34, [60, 55]), CHANNEL);
    // Ratio 3: Spike, above 100 ms.
    assert_eq!(verdict(30, 60, [60, 60]), CHANNEL);
    assert_eq!(verdict(30, 60, [60, 101]), CONGESTION);
    // The shortest trip: Spike, although mBiaz would find congestion.
    assert_eq!(verdict(10, 24, [60, 50]), CHANNEL);
}

/// All three rules see every segment, whichever of them decides. The load rises after 200 segments with trips of 100 ms, whose
/// time between arrivals asks mBiaz, to a ratio of 1.7, with 30 trips of 60 ms. Then ZigZag's mean is still 60 + 40 · (31/32)³⁰,
/// 75 ms, and its deviation 19 ms: one loss is wireless below 56 ms.
#[test]
fn zbs_keeps_the_rules_up_to_date_that_do_not_decide() {
    let rule = HybridRule { spike: SPIKE, zigzag: ZIGZAG, biaz: MBIAZ };
    for (last_trip, expected) in [(54, CHANNEL), (58, CONGESTION)] {
        let mut gaps = make(Reporting::Gaps(GapRule::Hybrid(rule)));
        let (mut at, mut n) = (1000, 0);
        let early = [(0, 50), (10, 150)].into_iter().chain((0..200).map(|_| (10, 100)));
        for (gap, trip) in early.chain((0..30).map(|_| (17, 60))) {
            at += gap;
            gaps.heard(&arrival(n, at - trip, at));
            n += 1;
        }
        at += 34;
        gaps.heard(&arrival(n + 1, at - last_trip, at));
        assert_eq!(gaps.take(true), expected, "{last_trip} ms");
    }
}

#[test]
fn order_flags_a_segment_overtaken() {
    let mut order = make(Reporting::Order);
    let flag = Some(Report::OutOfOrder);
    climb(
        &mut *order,
        true,
        &[
            (0, 0, 50, None),
            (2, 20, 60, None),
            (1, 10, 62, flag),
            (3, 30, 70, None),
            // A retransmission fills a gap: nothing was overtaken.
            (5, 50, 90, None),
            (4, 100, 140, None),
            // Two in one clock tick.
            (6, 100, 141, None),
        ],
    );
}

/// ADTCP's order of decisions (Fu, Meng, Lu 2002), after 20 segments sent and received every 10 ms, which
/// make a history of 10 equal samples of each metric.
#[test]
fn adtcp_identifies_the_state() {
    let rule = StateRule { interval: SimDuration::from_millis(105), samples: 10, share: 0.3 };
    let path = || {
        let mut path = make(Reporting::State(rule));
        for i in 0..20 {
            path.heard(&arrival(i, 10 * i as i64, 50 + 10 * i as i64));
            assert_eq!(path.take(false), (i >= 10).then_some(Report::Normal), "segment {i}");
        }
        path
    };
    // The next segment is 15 ms late: delay difference high, and 10 instead of 11 arrivals in 105 ms.
    climb(&mut *path(), false, &[(20, 200, 265, CONGESTION)]);
    // Only the delay is high: a segment arrived in the meantime, sent as early.
    climb(&mut *path(), false, &[(20, 200, 250, Some(Report::Normal)), (21, 203, 255, Some(Report::Normal))]);
    // A segment is missing: the loss ratio is high, the delay is the same.
    climb(&mut *path(), false, &[(21, 210, 260, CHANNEL)]);
    // The missing one was only overtaken: reordering comes before losses.
    climb(&mut *path(), false, &[(21, 210, 255, CHANNEL), (20, 200, 256, Some(Report::RouteChange))]);
    // Throughput is high, and nothing else: normal.
    climb(&mut *path(), false, &[(20, 195, 245, Some(Report::Normal))]);
}
