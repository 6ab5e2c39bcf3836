use super::{Other, Others};
use proptest::prelude::*;
use tworay_base::SimTime;

#[derive(Copy, Clone, Debug)]
enum Step {
    Push { lasts: u64, power: f64 },
    Sum,
    Forget,
    Strongest,
}

fn step() -> impl Strategy<Value = (u64, Step)> {
    let push = (0u64..40, 1u8..9).prop_map(|(lasts, power)| Step::Push { lasts, power: f64::from(power) });
    let step =
        prop_oneof![4 => push, 2 => Just(Step::Sum), 2 => Just(Step::Forget), 1 => Just(Step::Strongest)];
    (0u64..20, step)
}

proptest! {
    /// Whatever was forgotten in between, the sums and maxima are those of all signals still on the air.
    #[test]
    fn powers_are_those_of_what_has_not_ended(steps in prop::collection::vec(step(), 1..60)) {
        let mut others = Others::default();
        let mut all: Vec<(u64, f64)> = Vec::new();
        let mut now = 0;
        for (pause, step) in steps {
            now += pause;
            let at = SimTime::from_nanos(now);
            let lasting = |all: &[(u64, f64)]| -> Vec<f64> {
                all.iter().filter(|s| s.0 > now).map(|s| s.1).collect()
            };
            match step {
                Step::Push { lasts, power } => {
                    others.push(Other { start: at, end: SimTime::from_nanos(now + lasts), power });
                    all.push((now + lasts, power));
                }
                Step::Sum => prop_assert_eq!(others.sum(at), lasting(&all).iter().sum::<f64>()),
                Step::Forget => {
                    prop_assert_eq!(others.forget_ended(at), lasting(&all).iter().sum::<f64>());
                    prop_assert_eq!(others.iter().count(), lasting(&all).len());
                }
                Step::Strongest => {
                    prop_assert_eq!(others.strongest(at), lasting(&all).iter().fold(0.0, |m: f64, &p| m.max(p)));
                }
            }
        }
    }
}
