use super::*;

fn s(secs: f64) -> SimDuration {
    SimDuration::from_secs_f64(secs)
}

#[test]
fn nothing_is_before_the_start() {
    let at = SimTime::from_nanos(3_000_000_000);
    assert_eq!(at.earlier_by(s(2.0)), SimTime::from_nanos(1_000_000_000));
    assert_eq!(at.earlier_by(s(4.0)), SimTime::ZERO);
}

#[test]
fn seconds_become_the_nearest_nanosecond() {
    for (secs, nanos) in [
        (1.0, 1_000_000_000),
        (0.1 + 0.2, 300_000_000),
        (1.4e-9, 1),
        (1.6e-9, 2),
        (0.4e-9, 0),
        (-3.0, 0),
        (f64::NAN, 0),
        (f64::NEG_INFINITY, 0),
    ] {
        assert_eq!(SimDuration::from_secs_f64(secs).as_nanos(), nanos, "{secs} s");
        assert_eq!(SimTime::from_secs_f64(secs).as_nanos(), nanos, "at {secs} s");
    }
    for secs in [f64::INFINITY, 1e30] {
        assert_eq!(SimDuration::from_secs_f64(secs), SimDuration::MAX);
    }
    assert_eq!(SimDuration::from_secs(2), SimDuration::from_millis(2000));
    assert_eq!(SimDuration::from_millis(3), SimDuration::from_micros(3000));
    assert_eq!(SimDuration::from_micros(4), SimDuration::from_nanos(4000));
}

#[test]
fn differences_stop_at_zero_and_sums_at_never() {
    let (early, late) = (SimTime::from_nanos(3), SimTime::from_nanos(10));
    assert_eq!((late.since(early).as_nanos(), early.since(late).as_nanos()), (7, 0));
    assert_eq!(s(1.0).saturating_sub(s(2.0)), SimDuration::ZERO);
    assert_eq!(SimTime::NEVER + s(1.0), SimTime::NEVER);
    assert_eq!(SimTime::from_nanos(u64::MAX - 1) + SimDuration::from_nanos(5), SimTime::NEVER);
    assert_eq!((SimDuration::from_nanos(u64::MAX) + s(1.0)).as_nanos(), u64::MAX);
    assert_eq!((SimDuration::from_nanos(u64::MAX / 2) * 3).as_nanos(), u64::MAX);
    let mut time = early;
    time += SimDuration::from_nanos(7);
    assert_eq!(time, late);
    assert_eq!(late.since_start().as_nanos(), 10);
}

#[test]
fn parts_of_a_length() {
    assert_eq!(s(1.0).whole(SimDuration::from_millis(300)), 3);
    assert_eq!(s(1.0) % SimDuration::from_millis(300), SimDuration::from_millis(100));
    assert_eq!((s(1.0) / 3).as_nanos(), 333_333_333);
    assert_eq!((s(1.0) - s(0.25)).as_nanos(), 750_000_000);
    assert_eq!(s(1.0).mul_f64(1.5), s(1.5));
    assert_eq!(s(1.0).mul_f64(-1.0), SimDuration::ZERO);
    assert!(SimDuration::ZERO.is_zero() && !SimDuration::from_nanos(1).is_zero());
}

#[test]
fn lengths_are_shown_in_the_shortest_exact_form() {
    for (nanos, text) in [
        (0, "0s"),
        (1, "1ns"),
        (1_500, "1.5us"),
        (20_000_000, "20ms"),
        (999_999_999, "999.999999ms"),
        (1_000_000_001, "1.000000001s"),
        (900_000_000_000, "900s"),
        (SimDuration::MAX.as_nanos(), "4611686018.427387903s"),
    ] {
        let length = SimDuration::from_nanos(nanos);
        assert_eq!(length.to_string(), text);
        assert_eq!(text.parse(), Ok(length));
    }
    assert_eq!(SimTime::from_nanos(1_250_000_000).to_string(), "1.25s");
    assert_eq!(SimTime::NEVER.to_string(), "never");
}

#[test]
fn texts_with_units_are_read() {
    for (text, nanos) in [
        ("900s", 900_000_000_000_u64),
        ("20 ms", 20_000_000),
        (" 1.5min ", 90_000_000_000),
        ("2h", 7_200_000_000_000),
        ("3µs", 3_000),
        ("1e-3s", 1_000_000),
        ("1_000us", 1_000_000),
        ("0.6ns", 1),
    ] {
        assert_eq!(text.parse::<SimDuration>().map(SimDuration::as_nanos), Ok(nanos), "{text}");
    }
    for (text, says) in [
        ("5", "the unit is missing"),
        ("-1s", "must not be negative"),
        ("5 parsecs", "\"parsecs\" is not a unit of a time"),
        ("s", "this is not a time"),
        ("", "this is not a time"),
        ("1e400s", "this is not a time"),
        ("9999999h", "at most 146 years"),
    ] {
        let error = text.parse::<SimDuration>().expect_err(text).to_string();
        assert!(error.contains(says) && error.contains("write it like"), "{text}: {error}");
    }
}

/// Whatever is shown is read back as the same length, up to the longest run of 30 days.
#[test]
fn shown_lengths_are_read_back() {
    proptest::proptest!(|(nanos in 0_u64..2_592_000_000_000_000)| {
        let length = SimDuration::from_nanos(nanos);
        proptest::prop_assert_eq!(length.to_string().parse::<SimDuration>(), Ok(length));
    });
}
