use super::*;

fn window(cwnd: f64, ssthresh: f64) -> Window {
    Window { cwnd, ssthresh }
}

#[test]
fn slow_start_counts_segments_and_stops_at_the_threshold() {
    for (before, ssthresh, acked, after) in
        [(4.0, 64.0, 2.0, 6.0), (4.0, 5.0, 2.0, 5.0), (4.0, 5.5, 2.0, 5.0)]
    {
        assert_eq!(slow_start(window(before, ssthresh), acked), after, "{before} of {ssthresh}");
    }
    // One of two segments reaches the threshold, the other is the first of the five that the next step takes.
    let mut growth = WholeSegments::default();
    assert_eq!(growth.grow(window(4.0, 5.0), 2.0), 5.0);
    assert_eq!(growth.grow(window(5.0, 5.0), 3.0), 5.0);
    assert_eq!(growth.grow(window(5.0, 5.0), 1.0), 6.0);
}

#[test]
fn a_window_of_acknowledged_segments_adds_one() {
    let mut growth = WholeSegments::default();
    let grown: Vec<f64> = (0..4).map(|_| growth.grow(window(4.0, 2.0), 1.0)).collect();
    assert_eq!(grown, [4.0, 4.0, 4.0, 5.0]);
    // 9 segments are one window of 5, and 4 remain; the next makes another 5, but the window is 6 by then.
    assert_eq!(growth.grow(window(5.0, 5.0), 9.0), 6.0);
    assert_eq!(growth.grow(window(6.0, 5.0), 1.0), 6.0);
    assert_eq!(growth.grow(window(6.0, 5.0), 1.0), 7.0);
}

/// 9 of 10 segments; then one more costs 4: the credit counts as one, and 5 are another.
#[test]
fn credit_of_dearer_times_counts_as_one_segment() {
    let mut growth = WholeSegments::default();
    assert_eq!(growth.avoid(20.0, 9.0, 10.0), 20.0);
    assert_eq!(growth.avoid(20.0, 5.0, 4.0), 22.0);
    assert_eq!(growth.avoid(22.0, 3.0, 4.0), 23.0);
}

/// 4 of a window of 5 are acknowledged when the window falls to 4: they make one segment, and 4 more another. The price
/// stays that of the window before the ACK (`tcp_cong_avoid_ai`).
#[test]
fn one_ack_has_one_price() {
    let mut growth = WholeSegments::default();
    growth.grow(window(5.0, 2.0), 4.0);
    assert_eq!(growth.grow(window(4.0, 2.0), 4.0), 6.0);
}

#[test]
fn a_loss_restarts_the_count() {
    let mut growth = WholeSegments::default();
    growth.grow(window(10.0, 5.0), 9.0);
    growth.restart();
    assert_eq!(growth.grow(window(5.0, 5.0), 4.0), 5.0);
    assert_eq!(growth.grow(window(5.0, 5.0), 1.0), 6.0);
}

#[test]
fn the_least_threshold_is_three_quarters_in_whole_segments() {
    for (cwnd, threshold) in [(40.0, 30.0), (21.0, 15.0), (19.0, 13.0), (2.0, 1.0)] {
        assert_eq!(least_threshold(cwnd), threshold, "{cwnd}");
    }
}
