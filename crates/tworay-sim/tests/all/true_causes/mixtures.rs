//! Several disturbances at once, found by readers whose expectations stood before the first run.

use super::{Loss, as_many_as, causes, losses, parse, run_once};
use std::collections::BTreeSet;

fn run(text: &str, seed: u64) -> Vec<Loss> {
    losses(&run_once(&parse(text), seed))
}

fn flow(ends: (u32, u32), app: &str) -> String {
    format!("[[flow]]\nfrom = {}\nto = {}\n{app}\n", ends.0, ends.1)
}

fn cbr(ends: (u32, u32), rate: &str, start: &str) -> String {
    flow(ends, &format!("app = \"cbr\"\nsize = \"1000B\"\nrate = \"{rate}\"\nstart = \"{start}\""))
}

fn of(losses: &[Loss], cause: &str) -> usize {
    losses.iter().filter(|l| l.cause == cause).count()
}

/// `0 ── 1`: a datagram of 1,000 bytes every millisecond, or every half. At 2 Mb/s its DATA frame alone lasts more than 4 ms, at
/// OFDM's 6 Mb/s more than 1.4 ms: whatever is lost, the load finds the queue full. As much of what the queue rejects is congestion as it
/// rejects without errors, and the errors cost the rest. That holds for a queue of any length, also if most of what waits in it has been
/// repeated.
#[test]
fn a_queue_that_load_overfills_rejects_as_much_for_load_as_without_errors() {
    let wavelan = "routing.protocol = \"static\"\n";
    let g = "routing.protocol = \"static\"\nradio = { preset = \"g\", rate = \"fixed\", mcs = 0 }\n";
    let draws = [
        ("b", wavelan, "8Mbps", 50, 0.3),
        ("b", wavelan, "8Mbps", 3, 0.47),
        ("b", wavelan, "8Mbps", 2, 0.47),
    ];
    for (name, world, rate, limit, lost) in draws.into_iter().chain([("g", g, "16Mbps", 50, 0.3)]) {
        for seed in [11, 12, 21, 23, 24] {
            let full = |lost: f64| -> Vec<Loss> {
                let text = format!(
                    "duration = \"12s\"\ntopology = {{ kind = \"explicit\", positions = [[0, 0], [150, 0]] }}\n{world}\
                     mac.queue_limit = {limit}\nerrors.frame_err = {{ bernoulli = {{ rate = {lost} }} }}\n{}",
                    cbr((0, 1), rate, "1s")
                );
                run(&text, seed).into_iter().filter(|l| l.died == "ifq").collect()
            };
            let (without, with) = (full(0.0), full(lost));
            assert!(without.len() > 4000, "{name} {seed} {limit}: {}", without.len());
            as_many_as(&with, without.len(), "channel", &format!("{name} {seed} {limit}"));
        }
    }
}

/// The same load without errors, and node 1 is off for a second: while it is off, it is the reason; afterwards load is, at once.
#[test]
fn an_overload_after_an_outage_is_congestion() {
    let text = format!(
        "duration = \"10s\"\ntopology = {{ kind = \"explicit\", positions = [[0, 0], [150, 0]] }}\n\
         routing.protocol = \"static\"\nevent = [{{ node = 1, at = \"5s\", what = \"down\" }}, \
         {{ node = 1, at = \"6s\", what = \"up\" }}]\n{}",
        cbr((0, 1), "8Mbps", "1s")
    );
    for seed in [11, 12, 13] {
        let losses = run(&text, seed);
        let full = |from: f64, until: f64| {
            let within = losses.iter().filter(move |l| l.died == "ifq" && l.at >= from && l.at < until);
            within.map(|l| l.cause.as_str()).collect::<BTreeSet<_>>()
        };
        assert_eq!(full(0.0, 5.0), BTreeSet::from(["congestion"]), "{seed}");
        // An attempt may be in progress when the outage begins.
        assert_eq!(full(5.01, 6.0), BTreeSet::from(["node-down"]), "{seed}");
        assert_eq!(full(6.0, 10.0), BTreeSet::from(["congestion"]), "{seed}");
    }
}

/// ```text
///          2✗        ns-2's AODV throws away all packets for node 1 when this one reports that it has lost
/// 0 ── 1 <           its route to 2, also those for 3. Nothing else empties a queue: what died there was lost to
///          3         node 2, on the hop from 1.
/// ```
#[test]
fn packets_that_a_route_error_about_another_destination_purges() {
    let mut purged = 0;
    for seed in 11..=16 {
        let text = format!(
            "duration = \"20s\"\ndialect = \"ns2\"\nrouting.protocol = \"aodv\"\n\
             topology = {{ kind = \"explicit\", positions = [[0, 0], [200, 0], [400, 100], [400, -100]] }}\n\
             event = [{{ node = 2, at = \"8s\", what = \"down\" }}]\n{}{}",
            cbr((0, 2), "600kbps", "1s"),
            cbr((0, 3), "300kbps", "2s")
        );
        let losses = run(&text, seed);
        assert_eq!((of(&losses, "channel"), of(&losses, "no-route")), (0, 0), "{seed}: {losses:?}");
        let first_after = |l: &&Loss| l.flow == 1 && l.died == "purged" && (8.0..9.0).contains(&l.at);
        for loss in losses.iter().filter(first_after) {
            let root = (loss.cause.as_str(), loss.root_node, loss.next_hop);
            assert_eq!(root, ("node-down", 1, Some(2)), "{seed}: {loss:?}");
            purged += 1;
        }
    }
    assert!(purged > 10, "{purged}");
}

/// Eight stations, 200 m apart, and a search that reaches four hops: node 7 is seven hops away, so that nothing for it can ever
/// leave node 0. Node 6 is switched off, or leaves: that changes nothing, whichever it is, and whether packets have waited
/// before or come later.
#[test]
fn a_break_behind_the_reach_of_a_search_is_no_cause() {
    let off = "event = [{ node = 6, at = \"15s\", what = \"down\" }]";
    let away = "mobility = { kind = \"waypoints\", legs = [{ node = 6, at = \"15s\", to = [1200, 900], speed = \"900m/s\" }] }";
    let both = format!("{off}\n{}", away.replace("node = 6", "node = 5").replace("1200", "1000"));
    for (protocol, limit) in [("aodv", "net_diameter"), ("dsr", "max_route_hops")] {
        for what in ["", off, away, &both] {
            let text = format!(
                "duration = \"30s\"\ntopology = {{ kind = \"string\", hops = 7, spacing = \"200m\" }}\n\
                 routing = {{ protocol = \"{protocol}\", {protocol}.{limit} = 4 }}\n{what}\n{}",
                flow((0, 7), "app = \"cbr\"\nsize = \"200B\"\ninterval = \"200ms\"\nstart = \"1s\"")
            );
            let losses = run(&text, 11);
            assert!(losses.len() > 50, "{protocol} {what}: {}", losses.len());
            assert_eq!(causes(&losses), BTreeSet::from(["no-route"]), "{protocol} {what}");
        }
    }
}

/// ```text
///      3          150 m apart, and 219 m to node 3; 0 and 2 don't reach each other. Nodes 1 and 3 are off from 5 s on, and node 3
///   ┊     ┊       is back after 6.5 s. Until then nothing can be sent, and then only because node 3 has forgotten all addresses
/// 0 ── 1 ── 2     is anything lost: a reply for the search of 0 waits there for an address, and so do the first packets.
/// ```
/// Packets held up after 5.03 s were lost to one of these outages. Before that, seven exchanges with a node that has just gone end:
/// their backoffs take 9 µs × (7.5 + 15.5 + … + 511.5) = 9 ms on average, and at most twice as long.
#[test]
fn after_an_outage_of_all_relays_nothing_else_is_to_blame() {
    let events = "event = [{ node = 1, at = \"5s\", what = \"down\" }, { node = 3, at = \"5s\", what = \"down\" }, \
                  { node = 3, at = \"6.5s\", what = \"up\" }]";
    let mut at_relay = 0;
    for seed in 11..=17 {
        let text = format!(
            "duration = \"12s\"\nradio.preset = \"n40x2\"\nrouting.protocol = \"aodv\"\n{events}\n\
             topology = {{ kind = \"explicit\", positions = [[0, 0], [150, 0], [300, 0], [150, 160]] }}\n{}{}{}",
            cbr((0, 2), "5Mbps", "1s"),
            flow((2, 0), "app = \"ftp\"\nstart = \"2s\""),
            flow((0, 2), "app = \"ftp\"\nstart = \"2s\"")
        );
        let losses = run(&text, seed);
        let after: Vec<&Loss> = losses.iter().filter(|l| l.since > 5.03).collect();
        assert!(after.len() > 2000, "{seed}: {}", after.len());
        assert_eq!(after.iter().find(|l| l.cause != "node-down"), None, "{seed}");
        // Packets that node 1 did not answer have waited at node 2, and meet in the slot of node 3.
        let slot = losses.iter().filter(|l| (l.node, l.died.as_str()) == (3, "arp"));
        for loss in slot {
            assert_eq!(loss.cause, "node-down", "{seed}: {loss:?}");
            at_relay += 1;
        }
    }
    assert!(at_relay > 50, "{at_relay}");
}

/// ```text
///     1           Node 1 is off from 20 to 30 s and has forgotten the addresses of 0 and 3. Packets that meet in its hold slot
/// 0 <   > 3       were lost to that, or to messages of ARP that were destroyed at node 1 or on the way to it. None of them has
///     2           ever been on the hop from 0 to 2, where noise has cost node 0 some time.
/// ```
#[test]
fn packets_that_die_at_a_relay_were_not_lost_on_a_hop_that_they_never_took() {
    let events =
        "event = [{ node = 1, at = \"20s\", what = \"down\" }, { node = 1, at = \"30s\", what = \"up\" }]";
    let mut forgotten = 0;
    for seed in 11..=15 {
        let text = format!(
            "duration = \"40s\"\nradio.preset = \"g\"\nrouting.protocol = \"olsr\"\n{events}\n\
             topology = {{ kind = \"explicit\", positions = [[0, 0], [180, 80], [180, -80], [360, 0]] }}\n{}{}",
            flow((0, 3), "app = \"cbr\"\nsize = \"1000B\"\ninterval = \"20ms\"\nstart = \"1s\""),
            flow((3, 0), "app = \"ftp\"\nstart = \"12s\"")
        );
        let losses = run(&text, seed);
        for loss in losses.iter().filter(|l| (l.node, l.died.as_str()) == (1, "arp") && l.at > 30.0) {
            assert!(loss.root_node != 2 && loss.next_hop != Some(2), "{seed}: {loss:?}");
            forgotten += usize::from(loss.cause == "node-down");
        }
    }
    assert!(forgotten > 10, "{forgotten}");
}

/// The same stations and AODV, a datagram every 50 ms, and node 2 off from the start. Without the outage of node 1 from 20 to
/// 22 s nothing is lost; with it, packets wait for the next search and are released at once. One that comes while noise delays
/// the answer for some milliseconds finds a queue that the outage has filled.
#[test]
fn what_a_burst_of_an_outage_crowds_out_is_lost_to_the_outage() {
    let mut crowded_out = 0;
    for seed in 11..=13 {
        let lost = |more: &str| {
            let text = format!(
                "duration = \"40s\"\nradio.preset = \"g\"\nrouting.protocol = \"aodv\"\n\
                 event = [{{ node = 2, at = \"0.1s\", what = \"down\" }}{more}]\n\
                 topology = {{ kind = \"explicit\", positions = [[0, 0], [180, 80], [180, -80], [360, 0]] }}\n{}",
                flow((0, 3), "app = \"cbr\"\nsize = \"1000B\"\ninterval = \"50ms\"\nstart = \"1s\"")
            );
            run(&text, seed).into_iter().filter(|l| l.at > 20.0).collect::<Vec<_>>()
        };
        assert_eq!(lost(""), [], "{seed}");
        let outage =
            ", { node = 1, at = \"20s\", what = \"down\" }, { node = 1, at = \"22s\", what = \"up\" }";
        let losses = lost(outage);
        assert_eq!(losses.iter().find(|l| l.cause != "node-down"), None, "{seed}");
        crowded_out += losses.iter().filter(|l| l.died == "ifq").count();
    }
    assert!(crowded_out > 20, "{crowded_out}");
}

/// An outage has made a relay forget its neighbours' addresses, and a search releases together what has waited meanwhile. Without the
/// outage the relay knows the addresses, which were in use before, and asks for none. So what meets in its hold slots has one
/// root, whatever becomes of the messages of ARP: errors, collisions, or packets that are too fast for it.
///
/// - `0 ── 1 ── 2`, measured links of 802.11b, DSR, 15 % of frames lost: a search of node 2 releases up to 64 datagrams.
/// - `0 ── 1 ── 2 ── 3 ── 4`, 802.11n, ns-2's AODV, errors in bursts.
#[test]
fn what_meets_in_the_slot_of_a_relay_that_was_off_has_one_root() {
    let cbr = |ends, interval: &str| {
        flow(ends, &format!("app = \"cbr\"\ninterval = \"{interval}\"\nstart = \"1s\""))
    };
    let links = "{ from = 0, to = 1 }, { from = 1, to = 0 }, { from = 1, to = 2 }, { from = 2, to = 1 }";
    let measured = format!(
        "duration = \"25s\"\ntopology = {{ kind = \"explicit\", positions = [[0, 0], [100, 0], [200, 0]] }}\n\
         radio = {{ preset = \"b-11\", propagation = \"measured\", link = [{links}] }}\nrouting.protocol = \"dsr\"\n\
         errors.frame_err.bernoulli.rate = 0.15\n{{event}}\n{}{}",
        flow((0, 2), "app = \"ftp\"\nstart = \"1s\""),
        cbr((2, 0), "50ms")
    );
    let bursts = "errors.frame_err.gilbert-elliott = { good_to_bad = 0.02, bad_to_good = 0.3 }";
    let string = format!(
        "duration = \"32s\"\ntopology = {{ kind = \"string\", hops = 4, spacing = \"150m\" }}\nradio.preset = \"n20\"\n\
         routing = {{ protocol = \"aodv\", aodv.dialect = \"ns2\" }}\n{bursts}\n{{event}}\n{}{}",
        cbr((0, 4), "50ms"),
        cbr((4, 0), "50ms")
    );
    for (name, world, relay, (down, up)) in [("b", measured, 1, (10, 15)), ("n", string, 2, (12, 20))] {
        let mut together = 0;
        for seed in 1..=6 {
            let asked = |event: &str| {
                let losses = run(&world.replace("{event}", event), seed);
                let asked = |l: &Loss| l.node == relay && l.at > f64::from(up) && l.died.starts_with("arp");
                losses.into_iter().filter(asked).collect::<Vec<_>>()
            };
            assert_eq!(asked("").first(), None, "{name} {seed}: without the outage");
            let blink = format!(
                "event = [{{ node = {relay}, at = \"{down}s\", what = \"down\" }}, \
                 {{ node = {relay}, at = \"{up}s\", what = \"up\" }}]"
            );
            let losses = asked(&blink);
            assert_eq!(losses.iter().find(|l| l.cause != "node-down"), None, "{name} {seed}");
            together += losses.len();
        }
        assert!(together > 60, "{name}: {together}");
    }
}

/// `0 ── 1`: node 0 asks for an address that it never gets, because errors above the MAC destroy every message. From 5 to 5.5 s one of
/// the two is off. Node 0 knew nothing before that it could have forgotten, and there is no other path: afterwards, too, nothing but
/// the errors keeps the address away. The exchange in progress at the outage lasts 300 ms more, in ns-2's dialect until the third
/// packet after it.
#[test]
fn an_address_that_was_never_known_is_not_forgotten() {
    for (dialect, off) in [("standard", 0), ("standard", 1), ("ns2", 0), ("ns2", 1)] {
        for seed in 1..=3 {
            let text = format!(
                "duration = \"20s\"\ndialect = \"{dialect}\"\ntopology = {{ kind = \"explicit\", positions = [[0, 0], [200, 0]] }}\n\
                 routing.protocol = \"static\"\nerrors.pkt_err = {{ bernoulli = {{ rate = 1.0 }} }}\n\
                 event = [{{ node = {off}, at = \"5s\", what = \"down\" }}, {{ node = {off}, at = \"5.5s\", what = \"up\" }}]\n{}",
                cbr((0, 1), "16kbps", "1s")
            );
            let losses = run(&text, seed);
            let others = losses.iter().filter(|l| l.at < 5.0 || l.at > 7.0);
            assert!(others.clone().count() > 20, "{dialect} {off} {seed}: {}", losses.len());
            assert_eq!(others.clone().find(|l| l.cause != "channel"), None, "{dialect} {off} {seed}");
        }
    }
}

/// `0 ── 1 ── 3`, 200 m each. Node 1 is off from 6.8 to 9.3 s and has forgotten the address of 3. From 9.6 to 19.2 s, in the second
/// interval of coherence, fading keeps that hop below the threshold: with the address, too, no packet would arrive.
#[test]
fn a_fade_after_an_outage_needs_no_address() {
    let text = format!(
        "duration = \"19s\"\ntopology = {{ kind = \"explicit\", positions = [[0, 0], [0, 200], [200, 0], [200, 200]] }}\n\
         routing.protocol = \"static\"\nmac.rts = \"full\"\nradio.fading = {{ k = 0, coherence = \"9.6s\" }}\n\
         event = [{{ node = 1, at = \"6.8s\", what = \"down\" }}, {{ node = 1, at = \"9.3s\", what = \"up\" }}]\n{}",
        flow((0, 3), "app = \"cbr\"\nsize = \"512B\"\nrate = \"8kbps\"\nstart = \"1s\"")
    );
    let losses = run(&text, 880);
    let late: Vec<&Loss> = losses.iter().filter(|l| l.at > 9.6).collect();
    assert!(late.len() > 15, "{}", late.len());
    let of_fade = |l: &&&Loss| (l.cause.as_str(), l.root_node, l.next_hop) == ("channel", 1, Some(3));
    assert_eq!(late.iter().find(|l| !of_fade(l)), None);
}
