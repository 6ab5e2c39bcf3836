use super::*;

/// A clock that started at 5 s of the kernels' time, with time `slow` times slower.
fn clock(slow: f64) -> Clock {
    #[expect(clippy::disallowed_methods, reason = "the field has to be filled; the tests don't read it")]
    let start = Instant::now();
    Clock { start, monotonic_nanos: 5_000_000_000, slow }
}

#[test]
fn a_moment_of_the_kernels_is_one_of_the_simulation() {
    assert_eq!(clock(1.0).at(5_000_000_256), SimTime::from_nanos(256));
    assert_eq!(clock(4.0).at(9_000_000_000), SimTime::from_nanos(1_000_000_000));
    // Before the start nothing has happened yet.
    assert_eq!(clock(1.0).at(4_000_000_000), SimTime::ZERO);
}

#[test]
fn a_span_is_real_time_and_never_negative() {
    let (one, two) = (SimTime::from_nanos(1_000), SimTime::from_nanos(3_000));
    assert_eq!(clock(1.0).span(one, two), Duration::from_nanos(2_000));
    assert_eq!(clock(5.0).span(one, two), Duration::from_nanos(10_000));
    assert_eq!(clock(1.0).span(two, one), Duration::ZERO);
    // Without a next event the span is longer than any sleep, but one that the kernel takes.
    assert_eq!(clock(1.0).span(one, SimTime::NEVER), Duration::from_nanos(1_000_000_000_000_000_000));
}
