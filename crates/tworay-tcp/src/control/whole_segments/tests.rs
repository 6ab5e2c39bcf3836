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
