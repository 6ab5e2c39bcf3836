use super::*;

#[test]
fn classes_are_narrow_and_follow_each_other() {
    let mut tried: Vec<u64> = (0..5000).collect();
    tried.extend((13..62).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 12_345]));
    tried.sort_unstable();
    let mut last = 0;
    for nanos in tried {
        let class = class_of(nanos);
        assert!(class >= last, "{nanos}");
        let (low, high) = (floor_of(class), floor_of(class + 1));
        assert!(low <= nanos && nanos < high, "{nanos} in {low}..{high}");
        assert!(high - low <= (low / 32).max(1), "{low}..{high}");
        last = class;
    }
}

#[test]
fn percentiles_of_a_uniform_distribution() {
    let mut delays = Delays::default();
    assert_eq!(delays.quantile(0.5), None);
    for millis in 1..=1000 {
        delays.add(SimDuration::from_millis(millis));
    }
    for (share, seconds) in [(0.5, 0.5), (0.95, 0.95), (1.0, 1.0)] {
        let found = delays.quantile(share).unwrap();
        assert!((found / seconds - 1.0).abs() <= 1.0 / 64.0, "{found}");
    }
}
