use super::Pacing;
use crate::observe::loss::root_cause::RootCause;
use tworay_base::{LossCause, NodeId, SimDuration, SimTime};
use tworay_mac::OverloadConfig;

/// The pause, as long as the mean backoff beside it.
const AIRTIME: SimDuration = SimDuration::from_millis(3);

/// Above half a retry on average, of which the newest packet counts for half.
fn pacing() -> Pacing {
    let config = OverloadConfig { pacing: true, min_retries: 0.5, weight: 0.5, ..OverloadConfig::default() };
    Pacing::of(&config).expect("it paces")
}

fn at(ms: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(ms)
}

fn noise() -> RootCause {
    RootCause::new(at(1), NodeId(1), LossCause::Channel).towards(NodeId(2))
}

#[test]
fn a_station_that_does_not_pace_loses_no_pauses() {
    assert!(Pacing::of(&OverloadConfig::default()).is_none());
}

#[test]
fn a_pause_after_retries_because_of_noise_is_lost_with_its_part_of_the_wait() {
    let mut pacing = pacing();
    pacing.done(0, Some(noise()));
    pacing.pauses(at(10), AIRTIME);
    // Ten milliseconds until the next attempt: other stations have sent for four, and half of the slots were the pause.
    let lost = pacing.lost(Some(at(20)), AIRTIME, SimTime::ZERO).expect("noise is the reason");
    assert_eq!(lost, (at(20), SimDuration::from_millis(5), noise().strikes(at(20))));
    assert_eq!(pacing.lost(Some(at(20)), AIRTIME, SimTime::ZERO), None, "each pause counts once");
    pacing.pauses(at(30), AIRTIME);
    let lost = pacing.lost(None, AIRTIME, SimTime::ZERO).expect("noise is the reason");
    assert_eq!(lost, (at(36), AIRTIME, noise().strikes(at(36))));
}

#[test]
fn a_pause_that_load_would_have_made_is_not_lost() {
    let mut pacing = pacing();
    // Half of two retries is one, and half a retry is enough.
    pacing.done(2, Some(noise()));
    pacing.pauses(at(10), AIRTIME);
    assert_eq!(pacing.lost(Some(at(20)), AIRTIME, SimTime::ZERO), None);
    // A packet later the average is half, and then a quarter.
    pacing.done(0, None);
    pacing.done(0, None);
    pacing.pauses(at(30), AIRTIME);
    assert!(pacing.lost(Some(at(40)), AIRTIME, SimTime::ZERO).is_some());
}

#[test]
fn a_pause_with_nothing_to_send_costs_nothing() {
    let mut pacing = pacing();
    pacing.done(0, Some(noise()));
    pacing.pauses(at(10), AIRTIME);
    assert_eq!(pacing.lost(Some(at(20)), AIRTIME, at(11)), None);
}
