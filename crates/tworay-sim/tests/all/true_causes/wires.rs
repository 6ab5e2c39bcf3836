//! The queue of a wire behind a hop on which frames are lost, or behind an outage.
//!
//! A datagram of 1,000 bytes has 1,028 with UDP and IP, which a wire of 1 Mb/s sends in 8.2 ms: 973 kb/s of data.

use super::{Loss, losses, parse, run_once};

/// `0 ── 1` at 11 Mb/s and the wire `1 ── 2` of 1 Mb/s with so many places; what the wire rejects of datagrams from 0 to 2.
fn rejected(rate: &str, queue: u32, more: &str, seed: u64) -> Vec<Loss> {
    let text = format!(
        "duration = \"20s\"\nradio.preset = \"b-11\"\nrouting.protocol = \"static\"\nmac.rts_threshold = \"1MB\"\n\
         topology = {{ kind = \"explicit\", positions = [[0, 0], [200, 0], [5000, 0]] }}\n{more}\n\
         [[wire]]\nfrom = 1\nto = 2\nrate = \"1Mbps\"\ndelay = \"1ms\"\nqueue = {queue}\n\
         [[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\nrate = \"{rate}\"\nsize = \"1000B\"\nstart = \"1s\"\n"
    );
    let losses = losses(&run_once(&parse(&text), seed));
    losses.into_iter().filter(|l| l.died == "wire-queue").collect()
}

fn errors(rate: f64) -> String {
    format!("errors.frame_err = {{ bernoulli = {{ rate = {rate} }} }}")
}

/// 3 Mb/s are three times what the wire carries, and less than the hop before it does: an exchange takes 1.2 ms, a datagram comes every
/// 2.7 ms. With one frame in five lost, an exchange needs 1.6 attempts, and the hop still carries more than the wire. So errors there only slow
/// down what arrives. The same with 1.2 Mb/s.
#[test]
fn a_wire_that_load_overfills_does_not_lose_to_noise_before_it() {
    for rate in ["3Mbps", "1200kbps"] {
        for queue in [5, 20, 50] {
            for loss in [0.0, 0.05, 0.2] {
                for seed in 1..=2 {
                    let lost = rejected(rate, queue, &errors(loss), seed);
                    assert!(lost.len() > 400, "{rate} {queue} {loss} {seed}: {}", lost.len());
                    let wrong = lost.iter().find(|l| l.cause != "congestion");
                    assert_eq!(wrong, None, "{rate} {queue} {loss} {seed}");
                }
            }
        }
    }
}

/// 800 kb/s are less than the wire carries, so that a queue of five loses nothing. While the MAC repeats a frame in vain, up to seven times
/// with 0 to 1,023 slots of 20 µs before each, more than five datagrams gather, one every 10 ms, and then reach the wire together.
#[test]
fn what_noise_has_held_up_overfills_a_wire_that_load_does_not() {
    let mut all = 0;
    for seed in 1..=6 {
        assert_eq!(rejected("800kbps", 5, "", seed), [], "{seed}");
        let with = rejected("800kbps", 5, &errors(0.55), seed);
        assert_eq!(with.iter().find(|l| (l.cause.as_str(), l.root_node) != ("channel", 0)), None, "{seed}");
        all += with.len();
    }
    assert!(all > 20, "{all}");
}

/// 900 kb/s, and node 1 off for three seconds: what node 0 has kept meanwhile reaches the wire at 7 Mb/s.
#[test]
fn the_backlog_of_an_outage_overfills_a_wire() {
    let off =
        "event = [{ node = 1, at = \"5s\", what = \"down\" }, { node = 1, at = \"8s\", what = \"up\" }]";
    for (rate, more) in [("900kbps", String::new()), ("900kbps", errors(0.1))] {
        assert_eq!(rejected(rate, 20, &more, 1), []);
        let lost = rejected(rate, 20, &format!("{off}\n{more}"), 1);
        assert!(lost.len() > 10, "{more}: {}", lost.len());
        assert_eq!(lost.iter().find(|l| l.cause != "node-down"), None, "{more}");
    }
}

/// Packets that the wire rejects if node 1 is off, or node 0 away, from 5 to 8 s.
fn with_outage(rate: &str, outage: &str, more: &str, seed: u64) -> Vec<Loss> {
    let event = match outage {
        "off" => {
            "event = [{ node = 1, at = \"5s\", what = \"down\" }, { node = 1, at = \"8s\", what = \"up\" }]"
        }
        _ => {
            "event = [{ node = 0, at = \"5s\", what = \"move\", to = [-3000, 0] }, \
             { node = 0, at = \"8s\", what = \"move\", to = [0, 0] }]"
        }
    };
    rejected(rate, 20, &format!("{event}\n{more}"), seed)
}

/// 3 Mb/s are three times what the wire carries, and 1.2 Mb/s a quarter more: its queue is full at 5 s. Without the outage it would be so all the
/// time, and would reject two thirds, or a fifth, of what comes. So the outage's backlog finds no place that it would have found otherwise.
#[test]
fn a_backlog_that_meets_a_wire_that_load_overfills_was_lost_to_load() {
    for rate in ["3Mbps", "1200kbps"] {
        for outage in ["off", "away"] {
            for more in [String::new(), errors(0.1)] {
                for seed in 1..=2 {
                    let lost = with_outage(rate, outage, &more, seed);
                    let after = lost.iter().filter(|l| (8.0..8.4).contains(&l.at)).count();
                    assert!(after > 20, "{rate} {outage} {seed}: {after}");
                    let wrong = lost.iter().find(|l| l.cause != "congestion");
                    assert_eq!(wrong, None, "{rate} {outage} {more} {seed}");
                }
            }
        }
    }
}

/// The same with 900 kb/s, beside which another flow overfills the wire until 3 s, and a third one from 12 s on: at 5 s nothing overfills it,
/// and what the backlog loses was lost to the outage.
#[test]
fn an_overload_at_another_time_does_not_fill_a_wire_after_an_outage() {
    let flow = |start: &str, stop: &str| {
        format!(
            "[[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\nrate = \"2Mbps\"\nsize = \"1000B\"\nstart = \"{start}\"\nstop = \"{stop}\"\n"
        )
    };
    let others = [flow("1s", "3s"), flow("12s", "15s")].concat();
    for outage in ["off", "away"] {
        let lost = with_outage("900kbps", outage, &others, 1);
        let (backlog, others): (Vec<_>, Vec<_>) = lost.iter().partition(|l| (8.0..10.0).contains(&l.at));
        assert!(backlog.len() > 10 && others.len() > 300, "{outage}: {} {}", backlog.len(), others.len());
        let cause = if outage == "off" { "node-down" } else { "link-failure" };
        assert_eq!(backlog.iter().find(|l| l.cause != cause), None, "{outage}");
        assert_eq!(others.iter().find(|l| l.cause != "congestion"), None, "{outage}");
    }
}

/// `0 ── 1` at 802.11n's MCS 9, and a wire of 100 Mb/s with ten places, ten times the load. With two frames in five lost, packets wait at node 1 for
/// missing ones, and more than the wire has places for come at once. Without errors they come alone, and nothing is lost.
#[test]
fn what_a_gap_before_a_fast_wire_releases_is_lost_to_the_errors() {
    let at_wire = |errors: &str, seed: u64| {
        let text = format!(
            "duration = \"4s\"\ntopology = {{ kind = \"explicit\", positions = [[0, 0], [150, 0], [9000, 0]] }}\n\
             radio = {{ preset = \"n40x2\", rate = \"fixed\", mcs = 9 }}\nrouting.protocol = \"static\"\n{errors}\n\
             [[wire]]\nfrom = 1\nto = 2\nrate = \"100Mbps\"\ndelay = \"2ms\"\nqueue = 10\n\
             [[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\nsize = \"1000B\"\nrate = \"10Mbps\"\nstart = \"1s\"\n"
        );
        let losses = losses(&run_once(&parse(&text), seed));
        losses.into_iter().filter(|l| l.died == "wire-queue").collect::<Vec<Loss>>()
    };
    for seed in 1..=3 {
        assert!(at_wire("", seed).is_empty(), "{seed}");
        let lost = at_wire(&errors(0.4), seed);
        assert!(lost.len() > 300, "{seed}: {}", lost.len());
        assert!(lost.iter().all(|l| (l.cause.as_str(), l.root_node) == ("channel", 0)), "{seed}: {lost:?}");
    }
}
