use super::*;

#[test]
fn ends_of_runs_are_round_numbers() {
    let table = [(0.0, 100), (3.0, 10), (93.5, 100), (100.0, 100), (100.5, 200), (899.7, 900), (900.0, 900)];
    for (last, end) in table {
        assert_eq!(rounded_up(SimDuration::from_secs_f64(last)), SimDuration::from_secs(end), "{last}");
    }
}
