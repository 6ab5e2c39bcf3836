//! Losses that the same run has without the disturbance are not due to the disturbance.

use super::{Loss, causes, deaths, losses, parse, run_once};
use std::collections::BTreeSet;

/// Datagrams at an interval from node 0 to the end of a string.
fn string(hops: u32, settings: &str, datagrams: &str, seed: u64) -> Vec<Loss> {
    let text = format!(
        "topology = {{ kind = \"string\", hops = {hops}, spacing = \"200m\" }}\n{settings}\n\
         [[flow]]\nfrom = 0\nto = {hops}\napp = \"cbr\"\n{datagrams}\n"
    );
    losses(&run_once(&parse(&text), seed))
}

fn last(losses: &[Loss]) -> f64 {
    losses.iter().map(|l| l.at).fold(0.0, f64::max)
}

/// `0 ── 1 ── 2`, OLSR, and one of seven frames with bit errors. Without errors no datagram is lost once there is a
/// route, and until then every one is. No relay forwards TC messages here, so that HELLOs are sent at the same times in both
/// runs: the datagrams that the run without errors loses, too, find no route; all others are lost to the errors.
#[test]
fn a_lost_hello_matters_from_when_its_answer_could_have_come() {
    let mut late = 0;
    for seed in 1..=12 {
        let run = |errors: &str| {
            let settings = format!("duration = \"16s\"\nrouting.protocol = \"olsr\"\n{errors}");
            string(2, &settings, "size = \"100B\"\ninterval = \"100ms\"\nstart = \"100ms\"", seed)
        };
        let (with, without) = (run("errors.frame_err = { bernoulli = { rate = 0.15 } }"), run(""));
        let converged = last(&without);
        assert_eq!(causes(&without), BTreeSet::from(["no-route"]), "{seed}");
        for loss in with.iter().filter(|l| l.died == "no-route") {
            let cause = if loss.at <= converged { "no-route" } else { "channel" };
            assert_eq!(loss.cause, cause, "{seed}: {loss:?}, twin until {converged}");
            late += u32::from(loss.cause == "channel");
        }
    }
    assert!(late > 50, "{late} datagrams without a route because of errors");
}

/// Nine nodes 180 m apart, OLSR, and bit errors: TC messages cross seven hops, by relays that have to be chosen first. In
/// the run without errors that takes until 9.35 s, and nothing that is lost before was lost to an error.
#[test]
fn a_lost_table_matters_from_when_all_relays_are_chosen() {
    let run = |errors: &str| {
        let settings =
            format!("duration = \"12s\"\ndialect = \"ns2\"\nrouting.protocol = \"olsr\"\n{errors}");
        let text = format!(
            "topology = {{ kind = \"string\", hops = 8, spacing = \"180m\" }}\n{settings}\n[[flow]]\nfrom = 0\nto = 8\napp = \"on-off\"\n\
             rate = \"80kbps\"\nsize = \"200B\"\non = \"3s\"\noff = \"2s\"\nstart = \"2s\"\n"
        );
        losses(&run_once(&parse(&text), 11))
    };
    let with = run("errors.frame_err = { bernoulli = { rate = 4.2e-5, unit = \"bit\" } }");
    let without = run("");
    assert!(
        (9.3..9.4).contains(&last(&without)) && without.len() > 200,
        "{} {}",
        without.len(),
        last(&without)
    );
    assert_eq!(causes(&without), BTreeSet::from(["no-route"]));
    let early: Vec<&Loss> = with.iter().filter(|l| l.at <= last(&without)).collect();
    assert!(early.len() > 200 && early.iter().all(|l| l.cause == "no-route"), "{:?}", early.last());
}

/// AODV's first request reaches one hop, the next ones, 240 and 640 ms later, three and five (RFC 3561 §6.4, §10:
/// RING_TRAVERSAL_TIME 2 · 40 ms · (TTL + 2)). A datagram every 4 ms fills the buffer of 64 in 256 ms. Until the first
/// request that reaches the destination, no lost message changes anything: the load fills the buffer.
#[test]
fn a_lost_request_that_does_not_reach_far_enough_explains_nothing() {
    for (hops, reaches) in [(4, 1.64), (6, 2.20)] {
        let mut seen = 0;
        for seed in 1..=12 {
            let settings = "duration = \"3s\"\nrouting.protocol = \"aodv\"\n\
                            errors.frame_err = { bernoulli = { rate = 0.08 } }";
            let lost = string(hops, settings, "size = \"50B\"\ninterval = \"4ms\"\nstart = \"1s\"", seed);
            let early: Vec<&Loss> = lost.iter().filter(|l| l.at < reaches && l.died == "buffer").collect();
            let wrong = early.iter().find(|l| l.cause != "congestion");
            assert_eq!(wrong, None, "{hops} hops, seed {seed}");
            seen += early.len();
        }
        assert!(seen > 500, "{hops} hops: {seen}");
    }
}

/// Two hops: the second request, 240 ms after the first, reaches the destination, and its answer is there within 50 ms.
/// Losses of the buffer before it are the load's, whatever became of the first request. The answer releases 64 datagrams, of which the
/// MAC and a queue of 50 take 51. So what came in the last 13 · 4 ms before it is lost without errors, too.
#[test]
fn an_answer_that_could_not_have_come_yet_is_not_missed() {
    for seed in 1..=60 {
        let run = |errors: &str| {
            let settings = format!("duration = \"3s\"\nrouting.protocol = \"aodv\"\n{errors}");
            let lost = string(2, &settings, "size = \"50B\"\ninterval = \"4ms\"\nstart = \"1s\"", seed);
            lost.into_iter().filter(|l| l.died == "buffer" && l.since < 1.3).collect::<Vec<Loss>>()
        };
        let with = run("errors.frame_err = { bernoulli = { rate = 0.08 } }");
        let answered = last(&run(""));
        let clearly_before = with.iter().find(|l| l.at < answered - 0.02 && l.cause != "congestion");
        let would_arrive = |l: &&Loss| l.at > answered + 0.05 && l.since < answered - 0.052 - 0.02;
        let clearly_after = with.iter().filter(would_arrive).find(|l| l.cause != "channel");
        assert_eq!((clearly_before, clearly_after), (None, None), "{seed}, twin until {answered}");
    }
}

/// `0 ── … ── 5`, and DSR whose routes have three hops at most. The datagram of 29 s has waited for 30 s, in vain, when node 3
/// goes off. Neither it nor those that follow would have found a route without that.
#[test]
fn a_later_break_does_not_replace_a_search_that_had_its_chance() {
    let settings = "duration = \"60s\"\nrouting = { protocol = \"dsr\", dsr.max_route_hops = 3 }";
    let events = [
        "event = [{ node = 3, at = \"59s\", what = \"down\" }]",
        "mobility = { kind = \"waypoints\", legs = [{ node = 3, at = \"57s\", to = [600, 2000], speed = \"900m/s\" }] }",
    ];
    for event in events {
        let settings = format!("{settings}\n{event}");
        let lost = string(5, &settings, "size = \"100B\"\ninterval = \"1s\"\nstart = \"1s\"", 1);
        assert!(lost.iter().any(|l| (28.9..29.1).contains(&l.since)), "{lost:?}");
        assert_eq!(causes(&lost), BTreeSet::from(["no-route"]), "{event}: {lost:?}");
    }
}

/// `0 ── 1 ── 2`, bit errors spoil every message of the search, and node 1 goes off long after the datagrams began to wait.
/// Without the errors they would have gone on at once.
#[test]
fn a_later_break_does_not_replace_the_errors_that_delay_a_search() {
    let settings = "duration = \"30s\"\nrouting.protocol = \"aodv\"\nerrors.frame_err = { bernoulli = { rate = 1.0 } }\n\
                    event = [{ node = 1, at = \"20s\", what = \"down\" }]";
    let lost = string(2, settings, "size = \"100B\"\ninterval = \"500ms\"\nstart = \"1s\"", 1);
    let before: Vec<&Loss> = lost.iter().filter(|l| l.since < 19.9).collect();
    assert!(before.iter().any(|l| l.at > 20.0 && l.since > 19.0), "{lost:?}");
    assert!(before.iter().all(|l| l.cause == "channel"), "{before:?}");
    assert!(lost.iter().filter(|l| l.since > 20.0).all(|l| l.cause == "node-down"), "{lost:?}");
}

/// The same with more than the routing buffer holds: it has been full for long when node 1 goes off, and what overflows then has
/// waited for half a second.
#[test]
fn a_break_does_not_replace_the_errors_that_keep_a_buffer_full() {
    for protocol in ["aodv", "dsr"] {
        let settings = format!(
            "duration = \"20s\"\nrouting.protocol = \"{protocol}\"\nerrors.frame_err = {{ bernoulli = {{ rate = 1.0 }} }}\n\
             event = [{{ node = 1, at = \"15s\", what = \"down\" }}]"
        );
        let lost = string(2, &settings, "size = \"100B\"\ninterval = \"8ms\"\nstart = \"1s\"", 1);
        let waited = |l: &&Loss| l.at > 15.0 && l.since < 14.9;
        assert!(lost.iter().filter(waited).count() > 30, "{protocol}: {lost:?}");
        let wrong = lost.iter().find(|l| l.since < 14.9 && l.cause != "channel");
        assert_eq!(wrong, None, "{protocol}");
        let later = lost.iter().find(|l| l.since > 15.0 && l.cause != "node-down");
        assert_eq!(later, None, "{protocol}");
    }
}

/// `0 ── 1 ── 2`, OLSR, and node 1 is off from 0.1 to 15 s, before anyone has heard of it. Without that, everything from 8 s on
/// arrives; OLSR needs time to learn of node 1 when it is back, and that time is the outage's.
#[test]
fn an_outage_that_nobody_noticed_lasts_until_tables_know_of_its_end() {
    let run = |event: &str, seed| {
        let settings = format!("duration = \"40s\"\nrouting.protocol = \"olsr\"\n{event}");
        string(2, &settings, "size = \"200B\"\ninterval = \"200ms\"\nstart = \"10s\"", seed)
    };
    for seed in 1..=4 {
        let event = "event = [{ node = 1, at = \"100ms\", what = \"down\" }, { node = 1, at = \"15s\", what = \"up\" }]";
        assert_eq!(run("", seed), []);
        let lost = run(event, seed);
        assert!(last(&lost) > 15.5, "{lost:?}");
        assert_eq!(
            (causes(&lost), deaths(&lost)),
            (BTreeSet::from(["node-down"]), BTreeSet::from(["no-route"]))
        );
    }
}

/// Four hops: AODV's first request that reaches as far follows its rings 640 ms after the first one (RFC 3561 §6.4). By then 43 datagrams wait, one every 15
/// ms, and the MAC and a queue of ten take 11 of them. Where an error delays the search, what came by then without a place would be lost in any case;
/// the first 11, and what came later, would have arrived.
#[test]
fn what_a_search_in_time_would_have_lost_was_not_lost_to_its_delay() {
    let sent = |l: &Loss| 1.0 + 0.015 * l.seq as f64;
    let (mut by_load, mut by_errors) = (0, 0);
    for seed in 1..=40 {
        let run = |errors: &str| {
            let settings =
                format!("duration = \"8s\"\nrouting.protocol = \"aodv\"\nmac.queue_limit = 10\n{errors}");
            let mut lost = string(4, &settings, "size = \"50B\"\ninterval = \"15ms\"\nstart = \"1s\"", seed);
            lost.retain(|l| l.node == 0 && l.at < 4.0 && ["buffer", "ifq"].contains(&l.died.as_str()));
            lost
        };
        let (with, without) = (run("errors.frame_err = { bernoulli = { rate = 0.08 } }"), run(""));
        let answered = last(&without);
        let late = with.iter().filter(|l| l.died == "ifq").all(|l| l.at > answered + 0.3);
        if !(1.64..1.8).contains(&answered) || !late {
            continue;
        }
        let of_twin: BTreeSet<i64> = without.iter().map(|l| l.seq).collect();
        let first = of_twin.first().copied().expect("a loss");
        assert!((11..=13).contains(&first) && of_twin.len() > 25, "{seed}: {of_twin:?}");
        // How long the search would have taken is known to some 50 ms. What came during its last request has not waited for another one.
        let is_clear = |l: &&Loss| {
            (l.seq - first).abs() > 1 && (sent(l) - answered).abs() > 0.05 && sent(l) < l.at - 0.15
        };
        for loss in with.iter().filter(is_clear) {
            let cause = if of_twin.contains(&loss.seq) { "congestion" } else { "channel" };
            assert_eq!(loss.cause, cause, "{seed}: {loss:?}, twin until {answered}");
            by_load += u32::from(cause == "congestion");
            by_errors += u32::from(cause == "channel");
        }
    }
    assert!(by_load > 50 && by_errors > 100, "{by_load} {by_errors}");
}

/// A grid of fifteen stations with 802.11n, AODV, and datagrams from corner to corner.
fn grid(seconds: u32, more: &str, seed: u64) -> Vec<Loss> {
    let text = format!(
        "duration = \"{seconds}s\"\ntopology = {{ kind = \"grid\", rows = 3, columns = 5, spacing = \"90m\" }}\n\
         radio.preset = \"n20\"\nmac = {{ queue = \"fifo\", queue_limit = 100 }}\nrouting.protocol = \"aodv\"\n{more}\n\
         [[flow]]\nfrom = 0\nto = 4\napp = \"cbr\"\nrate = \"1787500bps\"\nsize = \"1000B\"\nstart = \"2.1s\"\n"
    );
    losses(&run_once(&parse(&text), seed))
}

/// Errors above the MAC keep node 3 from the first request, which reaches the destination all the same. Its answer has to wait for an
/// address, because of a collision: as without these errors, and with the same datagrams lost at the same times.
#[test]
fn errors_that_strike_a_needless_copy_of_a_request_cost_nothing() {
    let with = grid(3, "event = [{ node = 3, at = \"100ms\", what = \"loss\", rate = 0.6 }]", 1);
    let without = grid(3, "", 1);
    let same = |l: &Loss| without.iter().find(|of| (of.seq, of.at, &of.died) == (l.seq, l.at, &l.died));
    let both: Vec<(&Loss, &Loss)> = with.iter().filter_map(|l| Some((l, same(l)?))).collect();
    assert!(both.len() >= 10, "{} of {}", both.len(), with.len());
    for (loss, of_twin) in both {
        assert_eq!(
            (&loss.cause, loss.root_node, loss.next_hop),
            (&of_twin.cause, of_twin.root_node, of_twin.next_hop)
        );
    }
}

/// One search, for which 55 datagrams wait. The frames show its request at the destination, and the answer in seven corrupted frames on
/// 2 → 0, the last of them at 22.978 s. From then on, that hop and the channel are the cause of all.
#[test]
fn a_request_that_was_answered_is_not_the_cause() {
    let noise = "errors.frame_err = { gilbert-elliott = { good_to_bad = 0.02, bad_to_good = 0.05 } }";
    let lost = grid(24, noise, 1);
    let of_search: Vec<&Loss> = lost.iter().filter(|l| (22.9785..23.2).contains(&l.at)).collect();
    assert!(of_search.len() > 45, "{}", of_search.len());
    let hops: BTreeSet<_> = of_search.iter().map(|l| (l.cause.as_str(), l.root_node, l.next_hop)).collect();
    assert_eq!(hops, BTreeSet::from([("channel", 2, Some(0))]));
}

/// `0 ── … ── 5`, OLSR, hops of 230 m: tables need longer than 10 s for a first route. Node 4 moves away before that.
#[test]
fn without_a_first_route_nobody_misses_the_node_that_moves_away() {
    let run = |more: &str| {
        let text = format!(
            "duration = \"12s\"\ntopology = {{ kind = \"string\", hops = 5, spacing = \"230m\" }}\nradio.preset = \"b-2\"\n\
             mac.queue_limit = 100\nrouting = {{ protocol = \"olsr\", olsr.link_layer_feedback = false }}\n{more}\n\
             [[flow]]\nfrom = 0\nto = 5\napp = \"cbr\"\nrate = \"50490bps\"\nsize = \"512B\"\nstart = \"5.74s\"\n\
             [[flow]]\nfrom = 1\nto = 5\napp = \"cbr\"\nrate = \"165kbps\"\nsize = \"1000B\"\nstart = \"4.96s\"\n"
        );
        losses(&run_once(&parse(&text), 1))
    };
    let away = "event = [{ node = 4, at = \"9.6s\", what = \"move\", to = [920, 1500], speed = \"300m/s\" }]";
    let (with, without) = (run(away), run(""));
    let end = |flow| without.iter().filter(|l| l.flow == flow).map(|l| l.at).fold(0.0, f64::max);
    let early: Vec<&Loss> = with.iter().filter(|l| l.at > 9.6 && l.at <= end(l.flow)).collect();
    assert!((10.4..11.0).contains(&end(0)) && (10.4..11.0).contains(&end(1)) && early.len() > 20);
    assert_eq!(early.iter().map(|l| l.cause.as_str()).collect::<BTreeSet<_>>(), BTreeSet::from(["no-route"]));
}

/// `0 ── … ── 5` with set routes. The string carries less than its flows send, and node 5 is off from 11.5 to 13.9 s. A datagram that its twin
/// loses in a queue, too, is not lost to that at another node's queue; and five seconds later no queue is full because of it.
#[test]
fn an_overload_is_not_lost_to_an_outage_elsewhere() {
    let mut count = 0;
    for seed in [2, 8] {
        let run = |event: &str| {
            let text = format!(
                "duration = \"30s\"\ntopology = {{ kind = \"string\", hops = 5, spacing = \"150m\" }}\nrouting.protocol = \"static\"\n\
                 mac.queue_limit = 10\n{event}\n\
                 [[flow]]\nfrom = 0\nto = 5\napp = \"cbr\"\nsize = \"512B\"\ninterval = \"8ms\"\nstart = \"2s\"\n\
                 [[flow]]\nfrom = 4\nto = 2\napp = \"cbr\"\nsize = \"1000B\"\ninterval = \"8ms\"\nstart = \"2s\"\n"
            );
            losses(&run_once(&parse(&text), seed))
        };
        let off = "event = [{ node = 5, at = \"11.5s\", what = \"down\" }, { node = 5, at = \"13.9s\", what = \"up\" }]";
        let (with, without) = (run(off), run(""));
        let too: BTreeSet<(i64, i64)> =
            without.iter().filter(|l| l.died == "ifq").map(|l| (l.flow, l.seq)).collect();
        let of_outage = |l: &&Loss| l.died == "ifq" && l.cause == "node-down" && l.node != l.root_node;
        let wrong = with.iter().filter(of_outage).find(|l| too.contains(&(l.flow, l.seq)) || l.at > 18.9);
        assert_eq!(wrong, None, "{seed}");
        count += with.iter().filter(|l| l.cause == "node-down").count();
    }
    assert!(count > 100, "{count} lost to the outage");
}
