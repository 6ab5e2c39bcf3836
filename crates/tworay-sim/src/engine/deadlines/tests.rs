use super::*;
use proptest::prelude::*;

fn ns(at: u64) -> SimTime {
    SimTime::from_nanos(at)
}

/// Current deadlines, and their bounds.
struct Model {
    bounds: Deadlines,
    due: Vec<SimTime>,
}

impl Model {
    fn new(n: usize) -> Self {
        Self { bounds: Deadlines::new(n), due: vec![SimTime::NEVER; n] }
    }

    fn set(&mut self, who: usize, at: SimTime) {
        self.due[who] = at;
        self.bounds.set(who, at);
    }

    fn first_until(&mut self, limit: u64) -> Option<(SimTime, usize)> {
        self.bounds.first_until(ns(limit), ns(limit), |who| self.due[who])
    }
}

#[test]
fn nobody_waits_at_first() {
    for n in [0, 1, 64, 65, 512, 513, 1000] {
        let mut model = Model::new(n);
        assert_eq!(model.bounds.next(), SimTime::NEVER);
        assert_eq!(model.first_until(u64::MAX / 2), None, "{n} stations");
    }
}

#[test]
fn who_was_postpone_is_asked_when_its_bound_comes() {
    let mut model = Model::new(70);
    model.set(3, ns(50));
    model.set(67, ns(70));
    // A signal postpones station 3 without updating its bound.
    model.due[3] = ns(90);
    assert_eq!(model.bounds.next(), ns(50));
    assert_eq!(model.first_until(60), None, "station 3 isn't due before 90");
    assert_eq!(model.bounds.next(), ns(70), "and that is known now");
    assert_eq!(model.first_until(100), Some((ns(70), 67)));
    model.set(67, SimTime::NEVER);
    assert_eq!(model.first_until(100), Some((ns(90), 3)));
}

#[test]
fn who_is_due_now_and_again_stays_first_until_it_is_set() {
    let mut model = Model::new(3);
    model.set(1, ns(5));
    assert_eq!(model.first_until(5), Some((ns(5), 1)));
    assert_eq!(model.first_until(5), Some((ns(5), 1)));
    model.set(1, ns(7));
    assert_eq!(model.first_until(6), None);
    assert_eq!(model.first_until(7), Some((ns(7), 1)));
}

/// Stations at both ends of a string with equal deadlines go first equally often.
#[test]
fn ties_favour_nobody() {
    for (n, low, high) in [(5, 0, 4), (65, 0, 64), (400, 17, 390)] {
        let mut model = Model::new(n);
        let mut lowest = 0;
        for second in 0..2000u64 {
            let at = ns(second * 1_000_000_000);
            model.set(low, at);
            model.set(high, at);
            let (_, who) = model.first_until(at.as_nanos()).expect("both are due");
            lowest += u32::from(who == low);
            assert!(who == low || who == high);
            model.set(who, SimTime::NEVER);
            let (_, other) = model.first_until(at.as_nanos()).expect("the other is still due");
            assert_eq!(who + other, low + high);
            model.set(other, SimTime::NEVER);
        }
        assert!((900..=1100).contains(&lowest), "{lowest} of 2000 of {n} stations");
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// A station sets its deadline.
    Set(usize, Option<u64>),
    /// A signal postpones a station, with or without updating its bound.
    PutOff(usize, u64, bool),
    /// Time advances to the next event queued elsewhere.
    Until(u64),
}

fn step(n: usize) -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..n, proptest::option::weighted(0.8, 0u64..40)).prop_map(|(who, wait)| Step::Set(who, wait)),
        3 => (0..n, 1u64..40, any::<bool>()).prop_map(|(who, by, told)| Step::PutOff(who, by, told)),
        2 => (0u64..30).prop_map(Step::Until),
    ]
}

proptest! {
    /// Every station is returned at its deadline, in order of time; none is missed.
    #[test]
    fn all_come_at_their_times(
        (n, steps) in prop_oneof![Just(1usize), Just(5), Just(64), Just(65), Just(600)]
            .prop_flat_map(|n| (Just(n), proptest::collection::vec(step(n), 1..120)))
    ) {
        let mut model = Model::new(n);
        let mut clock = 0;
        for step in steps {
            match step {
                Step::Set(who, wait) => model.set(who, wait.map_or(SimTime::NEVER, |wait| ns(clock + wait))),
                Step::PutOff(who, by, told) if model.due[who] < SimTime::NEVER => {
                    model.due[who] = ns(model.due[who].as_nanos() + by);
                    if told {
                        model.bounds.postpone(who, model.due[who]);
                    }
                }
                Step::PutOff(..) => {}
                Step::Until(wait) => {
                    let limit = clock + wait;
                    while let Some((at, who)) = model.first_until(limit) {
                        let least = model.due.iter().min().copied();
                        prop_assert_eq!(Some(at), least, "not the first");
                        let tied = || (0..n).filter(|&i| model.due[i] == at);
                        prop_assert!([tied().next(), tied().next_back()].contains(&Some(who)), "not its turn");
                        prop_assert!(at >= ns(clock) && at <= ns(limit));
                        clock = at.as_nanos();
                        model.set(who, SimTime::NEVER);
                    }
                    prop_assert!(model.due.iter().all(|&at| at > ns(limit)), "somebody was missed");
                    prop_assert!(model.bounds.next() > ns(limit));
                    clock = limit;
                }
            }
            let least = model.due.iter().min().copied();
            prop_assert!(Some(model.bounds.next()) <= least, "a bound after its deadline");
        }
    }
}
