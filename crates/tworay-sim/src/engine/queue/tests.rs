use super::*;
use proptest::prelude::*;

impl Packed for u64 {
    fn pack(self) -> u64 {
        self
    }
    fn unpack(word: u64) -> Self {
        word
    }
}

#[test]
fn events_of_one_nanosecond_keep_their_order() {
    let mut q = EventQueue::default();
    let t = SimTime::from_nanos(5);
    for i in 0..100 {
        q.push(t, i);
    }
    let out: Vec<u64> = std::iter::from_fn(|| q.pop().map(|e| e.1)).collect();
    assert_eq!(out, (0..100).collect::<Vec<_>>());
}

proptest! {
    /// Against a simple model: a stable sort by time.
    #[test]
    fn pops_like_a_stable_sort(times in proptest::collection::vec(0u64..50, 0..300)) {
        let mut q = EventQueue::default();
        for (i, &t) in (0..).zip(&times) {
            q.push(SimTime::from_nanos(t), i);
        }
        let mut model: Vec<(u64, u64)> = times.iter().copied().zip(0..).collect();
        model.sort_by_key(|e| e.0);
        let got: Vec<(u64, u64)> =
            std::iter::from_fn(|| q.pop().map(|(t, i)| (t.as_nanos(), i))).collect();
        prop_assert_eq!(got, model);
    }

    /// Pushing while popping never moves the clock backwards.
    #[test]
    fn time_never_runs_backwards(steps in proptest::collection::vec((0u64..20, 0usize..3), 1..200)) {
        let mut q = EventQueue::default();
        q.push(SimTime::ZERO, 0u64);
        let mut last = SimTime::ZERO;
        for (ahead, pushes) in steps {
            let Some((now, _)) = q.pop() else { break };
            prop_assert!(now >= last);
            last = now;
            for _ in 0..pushes {
                q.push(SimTime::from_nanos(now.as_nanos() + ahead), 0);
            }
        }
    }
}
