use super::*;

fn shape() -> Shape {
    Shape::new((0.7, 0.4), true, true)
}

fn cubic_only() -> Shape {
    Shape { friendly: false, ..shape() }
}

/// A curve after a loss at this window.
fn after(window: u64) -> Curve {
    let mut curve = Curve::default();
    curve.lose(shape(), window);
    curve
}

/// 0.7 · 1024 = 716.8 and 0.4 · 102.4 = 40.96; 8 · 1741 / 3 / 307 = 4642 / 307 = 15 eighths.
#[test]
fn the_parameters_are_the_modules() {
    let Shape { beta, steepness, reno, .. } = shape();
    assert_eq!((beta, steepness, reno), (717, 410, 15));
}

/// Whole segments: 100 · 717 / 1024 = 70.02; 90 · 717 / 1024 = 63.01, and as it is below 100 the function aims at
/// 90 · 1741 / 2048 = 76.5; 2 · 717 / 1024 = 1.4, but at least 2.
#[test]
fn a_loss_leaves_seven_tenths() {
    let mut curve = Curve::default();
    for (window, threshold, last_max) in [(100, 70, 100), (90, 63, 76), (120, 84, 120), (2, 2, 1)] {
        assert_eq!((curve.lose(shape(), window), curve.last_max), (threshold, last_max), "{window}");
    }
    let plain = Shape { fast_convergence: false, ..shape() };
    assert_eq!((curve.lose(plain, 100), curve.lose(plain, 90), curve.last_max), (70, 63, 90));
}

/// K = ∛(2^40/410 · 30) = ∛80452070310 = 4316 (4.215 s, RFC 9438: 4.217 s), and with x = |t − K| the function is
/// 100 ∓ 410 x³/2^40:
///
/// | tick | t | x | 410 x³/2^40 | target | price of a window of 70 |
/// |---|---|---|---|---|---|
/// | 0 | 0 | 4316 | 29.98 | 71 | 70 / 1 |
/// | 250 | 1024 | 3292 | 13.30 | 87 | 70 / 17 = 4 |
/// | 1055 | 4321 | 5 | 0 | 100 | 70 / 30 = 2 |
/// | 1250 | 5120 | 804 | 0.19 | 100 | 2 |
#[test]
fn the_price_follows_the_cubic_function() {
    let mut curve = after(100);
    for (tick, price) in [(0, 70), (250, 4), (1055, 2), (1250, 2)] {
        assert_eq!(curve.price(cubic_only(), 70, 1.0, Tick(tick)), price, "{tick}");
    }
    assert_eq!(curve.epoch.map(|epoch| epoch.k), Some(4316));
    // The window is at its plateau, or above: a hundred windows for one segment.
    assert_eq!(curve.price(cubic_only(), 100, 1.0, Tick(1300)), 10_000);
    // Long after: not more than half a window in a round trip.
    assert_eq!(curve.price(cubic_only(), 100, 1.0, Tick(100_000)), 2);
}

/// The target is that of a round trip later: 100 ms are 25 ticks, at tick 250 t = 275 · 1024 / 250 = 1126, x = 3190,
/// 410 x³/2^40 = 12.10, target 88, 70 / 18 = 3. 97 ms are 25 ticks, too.
#[test]
fn the_shortest_round_trip_is_looked_ahead() {
    for shortest in [100_000, 97_000] {
        let mut curve = after(100);
        curve.note_delay(150_000);
        assert_eq!(curve.note_delay(shortest), shortest);
        assert_eq!(curve.note_delay(200_000), shortest);
        curve.price(cubic_only(), 70, 1.0, Tick(0));
        assert_eq!(curve.price(cubic_only(), 70, 1.0, Tick(250)), 3, "{shortest}");
    }
}

/// Before a loss nothing says where the path ends: 20 instead of 100 windows.
#[test]
fn before_a_loss_the_window_grows_by_a_twentieth() {
    assert_eq!(Curve::default().price(cubic_only(), 50, 1.0, Tick(0)), 20);
    assert_eq!(after(50).price(cubic_only(), 50, 1.0, Tick(0)), 5000);
}

/// From 7 after a loss at 10, K = ∛(2681735677 · 3) = 2003: until x is 1750 (253 / 1024 s later) the function is
/// 10 − 2 = 8, and the price 7. Reno's estimate grows by one for more than 7 · 15 / 8 = 13 segments: 14 make 8, and the
/// price is 7 / (8 − 7); 13 more make 9, and it is 7 / 2.
#[test]
fn renos_estimate_lowers_the_price() {
    let mut curve = after(10);
    for (acked, tick, reno, price) in [(1.0, 0, 7, 7), (12.0, 8, 7, 7), (1.0, 16, 8, 7), (13.0, 24, 9, 3)] {
        assert_eq!(curve.price(shape(), 7, acked, Tick(tick)), price, "{tick}");
        assert_eq!(curve.epoch.map(|epoch| (epoch.k, epoch.reno)), Some((2003, reno)), "{tick}");
    }
    assert_eq!(curve.price(cubic_only(), 7, 1.0, Tick(32)), 7);
    // No other alpha at the window of the loss: 10 · 15 / 8 = 18 segments, so that 91 are five more.
    let mut curve = after(10);
    curve.price(shape(), 10, 1.0, Tick(0));
    assert_eq!(curve.price(shape(), 10, 90.0, Tick(8)), 2);
    assert_eq!(curve.epoch.map(|epoch| epoch.reno), Some(15));
}

/// 250 / 32 = 7 ticks without a new evaluation while the window is the same; the segments count nevertheless.
#[test]
fn an_unchanged_window_is_evaluated_at_intervals() {
    let mut curve = after(100);
    curve.price(cubic_only(), 70, 1.0, Tick(100));
    for (tick, at) in [(107, 100), (108, 108), (115, 108), (116, 116)] {
        curve.price(cubic_only(), 70, 1.0, Tick(tick));
        assert_eq!(curve.evaluated, Some((70, Tick(at))), "{tick}");
    }
    assert_eq!(curve.epoch.map(|epoch| epoch.acked), Some(5.0));
    // Another window in the same tick is left to Reno's estimate.
    curve.price(cubic_only(), 71, 1.0, Tick(116));
    assert_eq!(curve.evaluated, Some((70, Tick(116))));
}

#[test]
fn the_clock_stands_while_nothing_is_in_flight() {
    let mut curve = after(100);
    curve.shift(Tick(90), Tick(50));
    curve.price(shape(), 70, 1.0, Tick(100));
    curve.shift(Tick(160), Tick(50));
    assert_eq!(curve.age(Tick(160)), Some(Tick(10)));
    curve.shift(Tick(170), Tick(500));
    assert_eq!(curve.age(Tick(170)), Some(Tick(0)), "not into the future");
}
