use super::*;

fn ms(ms: u64) -> SimDuration {
    SimDuration::from_millis(ms)
}

fn at(ms: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(ms)
}

fn segment(sent: u64, end: u64, order: u64) -> Sent {
    Sent { end, at: at(sent), times: 1, order }
}

const OPEN: Situation =
    Situation { repairing: false, many_sacked: false, srtt: Some(SimDuration::from_millis(100)) };

/// A round trip of 100 ms, and a segment that arrived after its successor.
fn with_reordering() -> Rack {
    let mut rack = Rack::new();
    rack.delivered(at(100), segment(0, 1000, 1), false);
    rack.delivered(at(110), segment(10, 3000, 3), false);
    rack.delivered(at(120), segment(10, 2000, 2), false);
    rack
}

#[test]
fn the_window_is_a_quarter_of_the_least_round_trip_or_nothing() {
    let repairing = Situation { repairing: true, ..OPEN };
    let many = Situation { many_sacked: true, ..OPEN };
    let mut rack = Rack::new();
    rack.delivered(at(100), segment(0, 1000, 1), false);
    assert_eq!([OPEN, repairing, many].map(|s| rack.reordering_window(s)), [ms(25), ms(0), ms(0)]);
    let rack = with_reordering();
    assert_eq!([OPEN, repairing, many].map(|s| rack.reordering_window(s)), [ms(25); 3]);
}

#[test]
fn each_round_trip_with_a_dsack_adds_a_quarter_up_to_srtt() {
    let mut rack = with_reordering();
    // The second comes within a round trip of the first.
    rack.on_round(5000, 9000, true);
    rack.on_round(6000, 9500, true);
    assert_eq!(rack.reordering_window(OPEN), ms(50));
    for n in 1..9 {
        rack.on_round(9000 * n, 9000 * (n + 1), true);
    }
    assert_eq!(rack.reordering_window(OPEN), ms(100), "at most SRTT");
    // Sixteen recoveries without a D-SACK.
    (0..15).for_each(|_| rack.on_recovery_end());
    assert_eq!(rack.reordering_window(OPEN), ms(100));
    rack.on_recovery_end();
    assert_eq!(rack.reordering_window(OPEN), ms(25));
}

#[test]
fn a_copy_whose_ack_is_the_originals_shows_nothing() {
    let mut rack = with_reordering();
    // Sent again at 200 ms, acknowledged at 210 ms, a tenth of the least round trip.
    let copy = Sent { end: 4000, at: at(200), times: 2, order: 9 };
    rack.delivered(at(210), copy, false);
    assert_eq!(
        rack.remaining(at(300), segment(150, 5000, 5), ms(0)),
        None,
        "nothing sent after it has arrived"
    );
    // An echo from before it was sent again says the same.
    rack.delivered(at(320), copy, true);
    assert_eq!(rack.remaining(at(330), segment(150, 5000, 5), ms(0)), None);
    rack.delivered(at(320), copy, false);
    // 120 ms was its round trip: what was sent at 250 ms before it has until 370 ms, and 25 ms more.
    assert_eq!(rack.remaining(at(330), segment(250, 5000, 5), ms(25)), Some(ms(65)));
    assert_eq!(rack.remaining(at(400), segment(250, 5000, 5), ms(25)), Some(ms(0)));
}

#[test]
fn the_least_round_trip_is_forgotten_in_time() {
    let mut least = LeastRtt::new();
    least.sample(at(0), ms(50));
    least.sample(at(200_000), ms(80));
    assert_eq!(least.get(), Some(ms(50)));
    least.sample(at(400_000), ms(90));
    assert_eq!(least.get(), Some(ms(80)));
}

/// A connection that begins at 140 s keeps its first round trip for at least 150 s of its own.
#[test]
fn the_least_round_trip_lasts_from_the_first_sample_on() {
    let mut least = LeastRtt::new();
    least.sample(at(140_000), ms(50));
    for seconds in [151, 280] {
        least.sample(at(seconds * 1000), ms(90));
        assert_eq!((least.halves[0], least.get()), (ms(50), Some(ms(50))), "{seconds} s");
    }
}
