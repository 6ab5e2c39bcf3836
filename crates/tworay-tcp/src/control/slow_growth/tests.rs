#[allow(unused_imports)]
use super::*;
use crate::control::tests::*;

#[test]
fn the_gate_opens_once_in_theta_plus_one() {
    for (theta, expected) in [(0, "++++++++"), (1, "+.+.+.+."), (2, "+..+..+."), (4, "+....+..")] {
        let mut gate = Gate::default();
        let found: String = (0..8).map(|_| if gate.opens(theta) { '+' } else { '.' }).collect();
        assert_eq!(found, expected, "theta = {theta}");
    }
}

#[test]
fn ss_sca_and_ssca_gate_their_phases() {
    let (slow_start, avoidance) = (view(4.0, 10.0), view(10.0, 10.0));
    for (entry, in_slow_start, in_avoidance) in
        [(&SS, "+..+..", "++++++"), (&SCA, "++++++", "+..+.."), (&SSCA, "+..+..", "+..+..")]
    {
        let mut part = part(entry, &[2.0, 0.0, 0.0, -1.0]);
        assert_eq!(growth(&mut *part, &slow_start, 6), in_slow_start, "{}", entry.info.name);
        assert_eq!(growth(&mut *part, &avoidance, 6), in_avoidance, "{}: anew in avoidance", entry.info.name);
    }
}

#[test]
fn the_two_phases_of_ssca_can_have_thresholds_of_their_own() {
    // Papanastasiou 2006, §4.3.3: s_increase_thresh 1, ca_increase_thresh 4.
    let mut part = part(&SSCA, &[4.0, 0.0, 0.0, 1.0]);
    assert_eq!(growth(&mut *part, &view(4.0, 10.0), 6), "+.+.+.");
    assert_eq!(growth(&mut *part, &view(10.0, 10.0), 6), "+....+");
    // Zero in slow start leaves SCA.
    let mut sca = self::part(&SSCA, &[2.0, 0.0, 0.0, 0.0]);
    assert_eq!(growth(&mut *sca, &view(4.0, 10.0), 4), "++++");
    assert_eq!(growth(&mut *sca, &view(10.0, 10.0), 4), "+..+");
}

#[test]
fn a_loss_restarts_the_count() {
    let avoidance = view(10.0, 10.0);
    let mut part = part(&SCA, &[4.0, 0.0, 0.0]);
    assert_eq!(growth(&mut *part, &avoidance, 2), "+.");
    assert_eq!(part.on_loss(&avoidance, &LOSS, &mut Effects::new()), HALF);
    assert_eq!(growth(&mut *part, &avoidance, 2), "+.");
    part.on_rto(&avoidance, &rto(1), &mut Effects::new());
    assert_eq!(growth(&mut *part, &avoidance, 2), "+.");
}

#[test]
fn short_paths_can_be_left_alone() {
    let mut part = part(&SCA, &[4.0, 4.0, 0.0]);
    let at = |hops| SenderView { hops, ..view(10.0, 10.0) };
    assert_eq!(growth(&mut *part, &at(3), 6), "++++++");
    assert_eq!(growth(&mut *part, &at(4), 6), "+....+");
}

#[test]
fn the_count_can_outlive_a_loss() {
    let avoidance = view(10.0, 10.0);
    // keep = 1 is the other interpretation of the thesis.
    let mut part = part(&SCA, &[4.0, 0.0, 1.0]);
    assert_eq!(growth(&mut *part, &avoidance, 2), "+.");
    part.on_loss(&avoidance, &LOSS, &mut Effects::new());
    part.on_rto(&avoidance, &rto(1), &mut Effects::new());
    assert_eq!(growth(&mut *part, &avoidance, 5), "...+.");
}
