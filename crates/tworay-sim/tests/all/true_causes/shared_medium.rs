//! A queue whose packets take the time of relays on the same medium.
//!
//! 802.11b at 2 Mb/s: a datagram of 512 bytes is a frame of 576 bytes with UDP, IP and MAC headers. With the preamble of 192 µs it
//! lasts 2.5 ms, and with DIFS, mean backoff, SIFS and the ACK 3.1 ms. Over two hops in reach of each other's signals that is
//! 6.2 ms a datagram at most: some 160 datagrams a second, or 660 to 700 kb/s, whoever sends.
//! With bit errors of 1e-4, a frame in three is lost.

use super::{Loss, THREE, as_many_as, losses, parse, run_once};

const ERRORS: &str = "errors.frame_err = { bernoulli = { rate = 1e-4, unit = \"bit\" } }";

/// Datagrams over two hops, with more flows; what the queue of `node` rejects after two seconds.
fn rejected(rate: &str, (rts, limit): (&str, u32), more: &str, node: i64, seed: u64) -> Vec<Loss> {
    let text = format!(
        "duration = \"20s\"\nradio.preset = \"b-2\"\nrouting.protocol = \"static\"\n\
         topology = {{ kind = \"explicit\", positions = {THREE} }}\n\
         mac.rts_threshold = \"{rts}\"\nmac.queue_limit = {limit}\n{more}\n\
         [[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\nrate = \"{rate}\"\nsize = \"512B\"\nstart = \"1s\""
    );
    let losses = losses(&run_once(&parse(&text), seed));
    losses.into_iter().filter(|l| l.at > 2.0 && l.died == "ifq" && l.node == node).collect()
}

fn of(losses: &[Loss], cause: &str) -> usize {
    losses.iter().filter(|l| l.cause == cause).count()
}

/// `0 ── 1 ── 2`: 900 kb/s (with RTS 720 kb/s) are more than both hops carry without errors, though less than one hop would: load keeps
/// the queue of the source full, errors or not, and as much of what that rejects is load's as it rejects without errors. 620 kb/s (with RTS
/// 520 kb/s) lose nothing without them.
#[test]
fn a_source_before_a_relay_is_full_of_load_if_both_hops_together_are_too_slow() {
    for (rts, light, heavy) in [("3000B", "620kbps", "900kbps"), ("0B", "520kbps", "720kbps")] {
        for limit in [20, 50] {
            let mac = (rts, limit);
            for seed in [43, 737] {
                for (rate, cause) in [(heavy, "congestion"), (light, "channel")] {
                    let [without, with] = ["", ERRORS].map(|errors| rejected(rate, mac, errors, 0, seed));
                    assert_eq!(
                        without.len() > 500,
                        cause == "congestion",
                        "{rate} {mac:?}: {}",
                        without.len()
                    );
                    assert!(with.len() > 400, "{rate} {mac:?}: {}", with.len());
                    as_many_as(&with, without.len(), "channel", &format!("{rate} {mac:?}"));
                }
            }
        }
    }
}

/// The same with 800 kb/s, queues of five, and 200 kb/s from node 2 to node 0. Three stations that always have something to send
/// take turns: each sends every 9.3 ms, so 107 datagrams a second. Node 2 has 49, and loses none without errors. It needs one attempt and
/// a half for each of them and waits longer after a failed one: what its queue loses is lost to errors, but for as many as node 1's queue
/// loses without. Node 0 has 195 in either case.
#[test]
fn a_source_with_little_to_send_beside_a_busy_relay_is_full_because_of_errors() {
    let back =
        "[[flow]]\nfrom = 2\nto = 0\napp = \"cbr\"\nrate = \"200kbps\"\nsize = \"512B\"\nstart = \"1s\"\n";
    let mac = ("3000B", 5);
    let at = |errors: &str, node: i64, seed: u64| {
        rejected("800kbps", mac, &format!("{errors}\n{back}"), node, seed)
    };
    let (mut light, mut at_relay) = (Vec::new(), 0);
    for seed in [43, 737, 7] {
        assert!(at("", 2, seed).is_empty() && at("", 0, seed).len() > 800, "{seed}");
        light.extend(at(ERRORS, 2, seed));
        at_relay += at("", 1, seed).iter().filter(|l| l.flow == 1).count();
        let heavy = at(ERRORS, 0, seed);
        // Node 1 rejects some of them, too, so that the numbers at node 0 are not those of the flow.
        let (by_load, without) = (of(&heavy, "congestion"), at("", 0, seed).len());
        assert!(heavy.len() > 1500 && 10 * by_load >= 9 * without, "{seed}: {by_load} of {}", heavy.len());
        assert_eq!(heavy.len(), by_load + of(&heavy, "channel"), "{seed}");
    }
    let by_load = light.len() - of(&light, "channel");
    assert!(light.len() > 100 && by_load <= at_relay, "{by_load} of {}, {at_relay}", light.len());
    assert!(4 * by_load < 3 * light.len(), "{by_load} of {}", light.len());
}

/// Datagrams of 1,000 bytes over `0 ── 1 ── 2 ── 3`, from 0 and from 1 to 3; what the queue of `node` rejects once such queues
/// have filled.
fn rejected_of_two(world: &str, rate: &str, node: i64, seed: u64) -> Vec<Loss> {
    let flow = |from: u32| {
        format!(
            "[[flow]]\nfrom = {from}\nto = 3\napp = \"cbr\"\nsize = \"1000B\"\nrate = \"{rate}\"\nstart = \"2s\"\n"
        )
    };
    let text = format!("duration = \"20s\"\nrouting.protocol = \"static\"\n{world}\n{}{}", flow(0), flow(1));
    let losses = losses(&run_once(&parse(&text), seed));
    losses.into_iter().filter(|l| l.at > 5.0 && l.died == "ifq" && l.node == node).collect()
}

/// Three stations in reach of each other's signals carry datagrams of 1,000 bytes over five hops in all, from 0 and from 1 to 3. At
/// 11 Mb/s an exchange takes 1.2 ms (a frame of 1,062 bytes and preamble 960 µs, DIFS, SIFS and ACK 260 µs) and what is left of the
/// backoff: 1.2 Mb/s each are 750 exchanges a second, 0.9 s without any backoff. The queue of node 1 loses datagrams without errors,
/// and with errors on the hops after it alone. Errors on the hop before it only slow down what arrives, and so are no reason.
/// Likewise the queue of node 2 with OFDM at 4 Mb/s each.
#[test]
fn a_relay_that_load_overfills_does_not_lose_to_noise_before_it() {
    let bits = |world: &str, rate: &str| {
        format!("{world}\nerrors.frame_err = {{ bernoulli = {{ rate = {rate}, unit = \"bit\" }} }}")
    };
    let b = "topology = { kind = \"string\", hops = 3, spacing = \"200m\" }\nradio.preset = \"b-11\"\n\
             mac = { rts_threshold = \"1MB\", queue_limit = 100 }";
    let g = "topology = { kind = \"string\", hops = 3, spacing = \"150m\" }\nradio.preset = \"g\"\n\
             mac = { queue = \"fifo\", queue_limit = 100 }";
    let links = [[0.0, 0.12], [0.12, 0.12]].map(noisy_links);
    let [b, g] = [b, g].map(|world| ["0", "1.5e-5"].map(|rate| bits(world, rate)));
    for (name, [without, with], rate, node) in [
        ("links", &links, "1400kbps", 1),
        ("b", &b, "1200kbps", 1),
        ("b", &b, "1500kbps", 1),
        ("g", &g, "4Mbps", 2),
    ] {
        for seed in 1..=3 {
            let [without, with] = [without, with].map(|world| rejected_of_two(world, rate, node, seed));
            let load = of(&without, "congestion");
            assert!(
                load > 500 && 20 * (without.len() - load) <= without.len(),
                "{name} {rate} {seed}: {load}"
            );
            let before = with.iter().filter(|l| l.root_node != node).count();
            let all = with.len();
            assert!(all > 1000 && 20 * before <= all, "{name} {rate} {seed}: {before} of {all}");
        }
    }
}

/// The same links and 900 kb/s each, with queues of ten: nothing is lost without the errors on 0–1, though one frame in twenty is lost on
/// the hops after it. What node 0 holds up during failed attempts comes to node 1 at once.
#[test]
fn a_relay_that_the_load_leaves_short_loses_to_noise_before_it() {
    let (mut all, mut before) = (0, 0);
    for seed in 1..=3 {
        let at = |first: f64| {
            let world = noisy_links([first, 0.05]).replace("queue_limit = 100", "queue_limit = 10");
            rejected_of_two(&world, "900kbps", 1, seed)
        };
        assert_eq!(at(0.0), [], "{seed}");
        let with = at(0.3);
        all += with.len();
        before += with.iter().filter(|l| (l.cause.as_str(), l.root_node) == ("channel", 0)).count();
    }
    assert!(all > 50 && 2 * before > all, "{before} of {all}");
}

/// Six hops of 150 m, 802.11g, and 2.45 Mb/s, which the first hops don't carry: every few seconds the queues of nodes 1 and 2 are full without any error. With
/// one frame in twelve lost, a relay that has been busy since noise held up a packet at the hop before sends no less because of that.
#[test]
fn a_busy_relay_does_not_lose_to_noise_before_it() {
    let run = |rate: f64, seed: u64| {
        let text = format!(
            "duration = \"25s\"\ntopology = {{ kind = \"string\", hops = 6, spacing = \"150m\" }}\nradio.preset = \"g\"\n\
             mac.rts_threshold = \"3000B\"\nrouting.protocol = \"static\"\n\
             errors.frame_err = {{ bernoulli = {{ rate = {rate:?} }} }}\n\
             [[flow]]\nfrom = 0\nto = 6\napp = \"cbr\"\nsize = \"1000B\"\nrate = \"2450kbps\"\nstart = \"3s\"\n"
        );
        let losses = losses(&run_once(&parse(&text), seed));
        let relays = |l: &Loss| l.died == "ifq" && (1..=3).contains(&l.node) && l.at > 5.0;
        losses.into_iter().filter(relays).collect::<Vec<Loss>>()
    };
    for seed in 1..=4 {
        let (with, without) = (run(0.084, seed), run(0.0, seed));
        assert!(without.len() > 1000 && with.len() > 500, "{seed}: {} {}", without.len(), with.len());
        let before = with.iter().filter(|l| l.cause != "congestion" && l.root_node < l.node).count();
        assert!(100 * before <= with.len(), "{seed}: {before} of {}", with.len());
    }
}

/// A string of 3 hops with measured links of 802.11b at 11 Mb/s; `errors`: the part of frames lost on 0–1, and on the hops after it.
fn noisy_links([first, others]: [f64; 2]) -> String {
    let hop = |from: u32, to: u32, level: &str, loss: f64| {
        format!("{{ from = {from}, to = {to}, level = \"{level}\", loss = {loss:?} }}, ")
    };
    let links: String = (0..3)
        .flat_map(|a| {
            let loss = if a == 0 { first } else { others };
            let far =
                (a + 2 < 4).then(|| [hop(a, a + 2, "-70dBm", 0.0), hop(a + 2, a, "-70dBm", 0.0)].concat());
            [hop(a, a + 1, "-55dBm", loss), hop(a + 1, a, "-55dBm", 0.0), far.unwrap_or_default()]
        })
        .collect();
    format!(
        "topology = {{ kind = \"string\", hops = 3 }}\nmac = {{ rts_threshold = \"1MB\", queue_limit = 100 }}\n\
         radio = {{ preset = \"b-11\", propagation = \"measured\", link = [{links}] }}"
    )
}

/// Two TCP transfers cross in node 2; one in three frames that reach node 5 is lost from 10 to 30 s. Node 2 sends more than a hundred packets each second,
/// so that its queue of 50 has been sent twice within a second after that: what it rejects from 31 s on, windows have filled without an
/// error. The twin without errors loses datagrams there as well, all to congestion.
#[test]
fn tcp_that_errors_have_slowed_fills_a_relays_queue_by_itself_afterwards() {
    let scene = include_str!("../../../../../docs/make/samples/how-it-is-checked/after-errors.toml");
    let (without, _) = scene.split_once("[[event]]").expect("events");
    let after = |text: &str, seed: u64| {
        let losses = losses(&run_once(&parse(text), seed));
        losses.into_iter().filter(|l| l.node == 2 && l.at > 31.0).collect::<Vec<_>>()
    };
    let (mut lost, mut anyway) = (0, 0);
    for seed in 1..=8 {
        let twin = after(without, seed);
        assert!(twin.iter().all(|l| l.cause == "congestion"), "{seed}: {twin:?}");
        let slowed = after(scene, seed);
        let wrong = slowed.iter().find(|l| l.cause != "congestion");
        assert_eq!(wrong, None, "{seed}");
        (lost, anyway) = (lost + slowed.len(), anyway + twin.len());
    }
    assert!(lost > 20 && anyway > 20, "{lost} {anyway}");
}

const ONE_IN_FIVE: &str = "errors.frame_err = { bernoulli = { rate = 0.2 } }";

/// As [`rejected`], with the same flow back from node 2, and queues of 20.
fn both_ways(rate: &str, rts: &str, more: &str, node: i64, seed: u64) -> Vec<Loss> {
    let back = format!(
        "[[flow]]\nfrom = 2\nto = 0\napp = \"cbr\"\nrate = \"{rate}\"\nsize = \"512B\"\nstart = \"1s\"\n"
    );
    rejected(rate, (rts, 20), &format!("{more}\n{back}"), node, seed)
}

/// The same with adaptive pacing, and 200 kb/s in both directions: of each second, the 196 frames of both take 0.6. With one frame in five
/// lost, a packet needs 0.6 retries on average (of DATA, and of its ACK), more than the 0.5 from which on a station pauses for the airtime of one more
/// packet. Without errors nothing is lost, so that the errors are the reason for what the queues lose while stations pause.
#[test]
fn pauses_after_retries_because_of_errors_are_the_errors() {
    let at = |errors: &str, node, seed| {
        both_ways("200kbps", "3000B", &format!("mac.overload.pacing = true\n{errors}"), node, seed)
    };
    let mut relay = Vec::new();
    for seed in [43, 737, 7] {
        assert!((0..3).all(|node| at("", node, seed).is_empty()), "{seed}");
        relay.extend(at(ONE_IN_FIVE, 1, seed));
    }
    let wrong = relay.len() - of(&relay, "channel");
    assert!(relay.len() > 500 && 20 * wrong <= relay.len(), "{wrong} of {}", relay.len());
}

/// The same without pauses, and with RTS, with which a frame takes 3.65 ms: 240 kb/s in both directions take 0.86 of the time, and nothing is lost without
/// errors. With them the ends of the string always have something to send and take the medium from the relay, which would need it twice as often as they.
#[test]
fn a_relay_between_ends_that_errors_make_busy_is_full_because_of_errors() {
    let at = |errors: &str, node, seed| both_ways("240kbps", "0B", errors, node, seed);
    for seed in [43, 737, 7] {
        assert!((0..3).all(|node| at("", node, seed).is_empty()), "{seed}");
        // What flows send is known after a second and a half.
        let relay: Vec<Loss> = at(ONE_IN_FIVE, 1, seed).into_iter().filter(|l| l.at > 2.5).collect();
        assert!(relay.len() > 300, "{}", relay.len());
        assert_eq!(of(&relay, "channel"), relay.len(), "{seed}");
    }
}
