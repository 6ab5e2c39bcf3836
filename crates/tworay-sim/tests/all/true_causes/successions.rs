//! Two disturbances after each other: a loss has the cause of the one that could have touched its packet.
//!
//! Queues are full all the time, so that the MAC never comes to rest between the two.

use super::{Loss, losses, parse, run_once};

/// Losses over stations at these places, with routes that are set.
fn lost(seed: u64, duration: &str, preset: &str, positions: &str, rest: &str) -> Vec<Loss> {
    let text = format!(
        "duration = \"{duration}\"\ntopology = {{ kind = \"explicit\", positions = {positions} }}\n\
         radio.preset = \"{preset}\"\nrouting.protocol = \"static\"\n{rest}"
    );
    losses(&run_once(&parse(&text), seed))
}

fn flow(from: u32, to: u32, interval: &str, size: u32) -> String {
    format!(
        "[[flow]]\nfrom = {from}\nto = {to}\napp = \"cbr\"\ninterval = \"{interval}\"\nsize = \"{size}B\"\n"
    )
}

fn event(node: u32, at: f64, what: &str) -> String {
    format!("[[event]]\nnode = {node}\nat = \"{at}s\"\n{what}\n")
}

fn noise(node: u32, rate: f64, from: f64, to: f64) -> String {
    event(node, from, &format!("what = \"loss\"\nrate = {rate:?}"))
        + &event(node, to, "what = \"loss\"\nrate = 0.0")
}

fn off(node: u32, from: f64, to: f64) -> String {
    event(node, from, "what = \"down\"") + &event(node, to, "what = \"up\"")
}

const BOTH_WAYS: &str = "[[0, 0], [240, 0], [480, 0]]";

/// `0 ── 1`: node 1 is off from 2 to 12 s, and 40 ms later it is away until 20 s. All that waits then was sent long after node 1 was on
/// again.
#[test]
fn what_an_outage_has_kept_is_not_lost_to_the_one_before() {
    let outages = off(1, 2.0, 12.0)
        + &event(1, 12.04, "what = \"move\"\nto = [-9000, 0]")
        + &event(1, 20.0, "what = \"move\"\nto = [100, 0]");
    for (preset, interval) in [("n20", "2ms"), ("g", "2ms"), ("b-11", "4ms")] {
        for seed in 1..=3 {
            let rest = flow(0, 1, interval, 1000) + &outages;
            let lost = lost(seed, "22s", preset, "[[0, 0], [100, 0]]", &rest);
            let after = lost.iter().filter(|l| l.at > 17.0);
            assert!(after.clone().count() > 20, "{preset} {seed}");
            let wrong = after.clone().find(|l| l.cause == "node-down");
            assert_eq!(wrong, None, "{preset} {seed}");
        }
    }
}

/// `0 ── 1 ── 2`: node 1 sends to both, more than it can. Something is wrong with node 0 from 3 to 6 s, and there is noise at node 2
/// from 9 to 11 s.
#[test]
fn what_noise_slows_down_is_not_lost_to_what_came_before() {
    let load = flow(1, 0, "4ms", 1000) + &flow(1, 2, "4ms", 1000);
    let first = [noise(0, 0.5, 3.0, 6.0), off(0, 3.0, 6.0)];
    for (seed, first) in
        [1, 2, 3, 8].into_iter().flat_map(|seed| first.iter().map(move |first| (seed, first)))
    {
        let rest = format!("{load}{first}{}", noise(2, 0.5, 9.0, 11.0));
        let lost = lost(seed, "12s", "b-11", BOTH_WAYS, &rest);
        let during = lost.iter().filter(|l| (9.0..11.0).contains(&l.at));
        assert!(during.clone().filter(|l| l.cause == "channel").count() > 300, "{seed}");
        let at_0 = |l: &&Loss| [(1, Some(0)), (0, Some(1))].contains(&(l.root_node, l.next_hop));
        let wrong = during.clone().find(|l| l.cause == "node-down" || l.cause == "channel" && at_0(l));
        assert_eq!(wrong, None, "{seed}, {first}");
    }
}

/// Five stations, of which the first two can't hear all others, under an overload: the last hop's receiver has noise from 7.32 to 13.07 s.
/// No frame has bit errors after that: what fails then collides.
#[test]
fn collisions_after_noise_are_contention() {
    let positions = "[[708.5, 763.8], [607.3, 701.9], [636.8, 522.0], [708.8, 306.0], [525.2, 169.8]]";
    let rest = flow(0, 4, "2666us", 1000) + &noise(4, 0.8, 7.32, 13.07);
    for seed in 1..=3 {
        let lost = lost(seed, "30s", "b-11", positions, &rest);
        let after = lost.iter().filter(|l| l.at > 13.6 && l.died.ends_with("retries"));
        assert!(after.clone().count() > 20, "{seed}");
        let wrong = after.clone().find(|l| l.cause != "contention");
        assert_eq!(wrong, None, "{seed}");
    }
}

/// `0 ── 1 ── 2 ── 3`, where the load overfills the queue of node 2 with and without its outage, which is over at 9.37 s; all other
/// disturbances are at 12.94 s. Five seconds later the queue loses to load alone, as it would have done without.
#[test]
fn an_overfull_queue_is_load_again_when_outages_are_long_over() {
    let load = flow(1, 3, "8ms", 100) + &flow(1, 3, "8ms", 512) + &flow(2, 1, "8ms", 512);
    let outage = off(2, 6.14, 9.37);
    let both = format!("{outage}{}", noise(1, 1.0, 9.06, 12.94));
    for (events, settled) in [(outage, 14.4), (both, 18.0)] {
        for seed in 1..=3 {
            let rest = format!("{load}{events}");
            let lost = lost(seed, "30s", "b-11", "[[0, 0], [240, 0], [480, 0], [720, 0]]", &rest);
            let after = lost.iter().filter(|l| l.at > settled && l.died == "ifq");
            assert!(after.clone().count() > 200, "{seed}");
            let wrong = after.clone().find(|l| l.cause != "congestion");
            assert_eq!(wrong, None, "{seed}, {events}");
        }
    }
}

/// `0 ── 1` over 802.11ac, where noise destroys every frame from 2.005 s on, and node 1 is away from 2.5 s on. What expires just after that
/// has spent its time with attempts that the noise destroyed: the run without the move loses the same packets at the same time.
#[test]
fn what_expires_just_after_a_move_was_lost_to_the_noise_before() {
    let noise = event(1, 2.005, "what = \"loss\"\nrate = 1.0");
    let away = event(1, 2.5, "what = \"move\"\nto = [2000, 0]");
    for seed in 1..=3 {
        let rest = flow(0, 1, "20ms", 1000) + &noise + &away;
        let lost = lost(seed, "6s", "ac80x2", "[[0, 0], [120, 0]]", &rest);
        let early = lost.iter().filter(|l| l.at < 2.6);
        assert!(early.clone().count() > 0, "{seed}");
        assert_eq!(early.clone().find(|l| l.cause != "channel"), None, "{seed}");
        let late = lost.iter().filter(|l| l.at > 3.1);
        assert!(late.clone().count() > 50, "{seed}");
        assert_eq!(late.clone().find(|l| l.cause != "link-failure"), None, "{seed}");
    }
}

/// `0 ── 1 ── 2` over 802.11g, bit errors in a third of the frames, and hidden senders: where frames have collided, no lower rate would have
/// carried them.
#[test]
fn collisions_beside_noise_are_no_fault_of_the_rate() {
    let mut collided = 0;
    for seed in 1..=12 {
        let rest = flow(0, 1, "10ms", 500)
            + &flow(2, 1, "10ms", 500)
            + "[errors]\nframe_err = { bernoulli = { rate = 0.3 } }\n";
        let lost = lost(seed, "12s", "g", "[[0, 0], [230, 0], [460, 0]]", &rest);
        let without_attempts = |l: &&Loss| l.cause == "rate" && l.attempts == 0 && l.died == "data-retries";
        assert_eq!(lost.iter().find(without_attempts), None, "{seed}");
        collided += lost.iter().filter(|l| l.cause == "contention").count();
    }
    assert!(collided > 20, "{collided}");
}
