//! Timers that the scenario sets: how long a break, an outage or a lost message can matter follows from them.

use super::{FIVE, Loss, causes, losses, parse, run_once};
use std::collections::BTreeSet;

/// OLSR with all intervals and hold times of RFC 3626 §18 multiplied: HELLO 2 s, TC 5 s, neighbour hold 6 s, topology
/// hold 15 s.
fn olsr(factor: f64) -> String {
    olsr_holding(factor, 6.0 * factor, 15.0 * factor)
}

/// As [`olsr`], with these hold times in seconds.
fn olsr_holding(factor: f64, neighbours: f64, topology: f64) -> String {
    format!(
        "routing = {{ protocol = \"olsr\", olsr.hello_interval = \"{}s\", olsr.tc_interval = \"{}s\", \
         olsr.neighbour_hold_time = \"{}s\", olsr.topology_hold_time = \"{}s\" }}\nmac.arp = false",
        2.0 * factor,
        5.0 * factor,
        neighbours,
        topology
    )
}

/// Datagrams of 20 kb/s from 0 to `to`.
fn world(positions: &str, to: u32, (start, end): (f64, f64), settings: &str, seed: u64) -> Vec<Loss> {
    let text = format!(
        "duration = \"{end}s\"\ntopology = {{ kind = \"explicit\", positions = {positions} }}\n{settings}\n\
         [[flow]]\nfrom = 0\nto = {to}\napp = \"cbr\"\nsize = \"512B\"\nrate = \"20kbps\"\nstart = \"{start}s\"\n"
    );
    losses(&run_once(&parse(&text), seed))
}

/// `0 ── 1 ── 2 ── 3 ── 4`, and node 2 is off for four times as long as routes hold. Without the outage nothing is lost:
/// all that is lost before its return, and until OLSR has learnt of it, is lost to it, however slow the timers are.
#[test]
fn the_tail_after_a_return_lasts_as_long_as_olsrs_timers() {
    for factor in [0.5, 1.0, 2.0, 4.0] {
        let (start, down, up) = (40.0 * factor, 60.0 * factor, 144.0 * factor);
        let event = format!(
            "event = [{{ node = 2, at = \"{down}s\", what = \"down\" }}, {{ node = 2, at = \"{up}s\", what = \"up\" }}]"
        );
        let mut tail = 0.0_f64;
        for seed in 1..=6 {
            let settings = olsr(factor);
            let ends = (start, up + 50.0 * factor);
            let undisturbed = world(FIVE, 4, ends, &settings, seed);
            assert_eq!(undisturbed, [], "{factor} {seed}");
            let lost = world(FIVE, 4, ends, &format!("{settings}\n{event}"), seed);
            assert!(lost.len() > 100, "{factor} {seed}: {}", lost.len());
            assert_eq!(causes(&lost), BTreeSet::from(["node-down"]), "{factor} {seed}");
            tail = tail.max(lost.last().map_or(0.0, |loss| loss.at - up));
        }
        // Two HELLOs make a link symmetric, and a third one tells the neighbours' neighbours.
        assert!(tail > 4.0 * factor, "{factor}: the last loss is {tail} s after the return");
    }
}

/// `0 ── 1 ── 2`, half of the frames with bit errors, and node 0 is off from 20 to 30 s. With HELLOs every second and
/// TC messages every 2.5 s, four HELLOs and two TC messages have gone out by 39 s. If node 0 has no route after that,
/// bit errors have struck them: the outage is over. A missing route is judged anew every second, so until 40 s.
#[test]
fn an_outage_ends_when_fast_timers_have_made_up_for_it() {
    let event =
        "event = [{ node = 0, at = \"20s\", what = \"down\" }, { node = 0, at = \"30s\", what = \"up\" }]";
    let mut seen = 0;
    for seed in 1..=3 {
        let settings =
            format!("{}\n{event}\nerrors.frame_err = {{ bernoulli = {{ rate = 0.5 }} }}", olsr(0.5));
        let lost = world(super::THREE, 2, (35.0, 60.0), &settings, seed);
        let late: Vec<&Loss> = lost.iter().filter(|l| l.since > 40.0).collect();
        let wrong: Vec<_> = late.iter().filter(|l| l.cause != "channel").collect();
        assert!(wrong.is_empty(), "{seed}: {} of {}: {:?}", wrong.len(), late.len(), wrong.first());
        seen += late.iter().filter(|l| l.since < 48.0 && l.died == "no-route").count();
    }
    assert!(seen > 10, "{seen} packets without a route soon after");
}

/// `0 ── 1` with HELLOs every 8 or 32 s, and bit errors. Without the errors nothing is lost. A neighbour counts as gone
/// 3.9 intervals after the latest HELLO that arrived: three or four in a row are lost, and the latest of them was sent up to
/// 0.9 intervals before, 29 s. Until the next one arrives, the latest that was lost is up to an interval old. Both hold where
/// topology entries last as long as ever, and where they last for 15 s.
#[test]
fn a_neighbour_whose_slow_hellos_are_lost_is_channel() {
    for (factor, topology) in [(4.0, 60.0), (16.0, 240.0), (16.0, 15.0)] {
        let settings = olsr_holding(factor, 7.8 * factor, topology);
        let ends = (40.0 * factor, 240.0 * factor);
        assert_eq!(world(super::TWO, 1, ends, &settings, 1), [], "{factor} {topology}");
        let errors = "errors.frame_err = { bernoulli = { rate = 0.6 } }";
        let mut without = 0;
        for seed in 1..=3 {
            let lost = world(super::TWO, 1, ends, &format!("{settings}\n{errors}"), seed);
            without += lost.iter().filter(|l| l.died == "no-route").count();
            assert_eq!(causes(&lost), BTreeSet::from(["channel"]), "{factor} {topology} {seed}");
        }
        assert!(without > 300, "{factor} {topology}: {without}");
    }
}
