//! Queues behind lost time: what an outage has left in them, few places, and two neighbours.

use super::{BTreeSet, Loss, as_many_as, causes, losses, parse, run_once};
use tworay_sim::{ColumnData, RunControl, RunOptions, RunReport, run};

/// `1 ── 0 ── 2`, 802.11n, 6 Mb/s from each end, node 2 away from 5 to 8 s. Without that, all that is sent after 4 s arrives. So what node 2
/// loses at 8 s, when its queue is full of packets that waited for the end of that time, was lost to the break: a load that
/// the link carries fills no queue that it finds empty.
#[test]
fn a_queue_that_an_outage_has_left_full_is_no_congestion() {
    let positions = "[[0, 0], [200, 0], [-200, 0]]";
    let flow = |from: u32| {
        format!(
            "[[flow]]\nfrom = {from}\nto = 0\napp = \"cbr\"\nsize = \"1000B\"\nrate = \"6Mbps\"\nstart = \"1s\"\n"
        )
    };
    let late = |event: &str, seed: u64| {
        let text = format!(
            "duration = \"10s\"\ntopology = {{ kind = \"explicit\", positions = {positions} }}\n\
             radio = {{ preset = \"n40x2\", cs_threshold = \"6.3e-12W\" }}\nmac = {{ queue = \"fifo\", queue_limit = 50 }}\n\
             routing.protocol = \"static\"\n{event}\n{}{}",
            flow(1),
            flow(2)
        );
        let losses = losses(&run_once(&parse(&text), seed));
        losses.into_iter().filter(|l| l.at > 4.0).collect::<Vec<_>>()
    };
    let away = "event = [{ at = \"5s\", node = 2, what = \"move\", to = [-3000, 0] }, \
                { at = \"8s\", node = 2, what = \"move\", to = [-200, 0] }]";
    let mut after = 0;
    for seed in 1..=3 {
        assert_eq!(late("", seed).len(), 0, "{seed}");
        let lost = late(away, seed);
        let full: Vec<&Loss> = lost.iter().filter(|l| (l.node, l.died.as_str()) == (2, "ifq")).collect();
        assert_eq!(
            full.iter().find(|l| (l.cause.as_str(), l.next_hop) != ("link-failure", Some(0))),
            None,
            "{seed}"
        );
        after += full.iter().filter(|l| l.at > 8.0).count();
    }
    assert!(after > 100, "{after}");
}

/// The same with one flow and a load that alone overfills the queue (200 Mb/s; without the outage thousands of datagrams are lost
/// each second): from the end of the outage on, also during the attempt in progress then, load is what fills it, however
/// slow the MAC is at first.
#[test]
fn an_overload_after_an_outage_is_congestion_whatever_the_rate() {
    let run = |event: &str| {
        let text = format!(
            "duration = \"9s\"\ntopology = {{ kind = \"explicit\", positions = [[0, 0], [200, 0]] }}\n\
             radio.preset = \"n40x2\"\nmac = {{ queue = \"fifo\", queue_limit = 50 }}\nrouting.protocol = \"static\"\n{event}\n\
             [[flow]]\nfrom = 1\nto = 0\napp = \"cbr\"\nsize = \"1000B\"\nrate = \"200Mbps\"\nstart = \"4s\"\n"
        );
        let losses = losses(&run_once(&parse(&text), 1));
        losses.into_iter().filter(|l| l.at > 8.0 && l.died == "ifq").collect::<Vec<Loss>>()
    };
    let away = "event = [{ at = \"5s\", node = 1, what = \"move\", to = [-3000, 0] }, \
                { at = \"8s\", node = 1, what = \"move\", to = [200, 0] }]";
    let after = run(away);
    assert!(run("").len() > 5000 && after.len() > 5000, "{}", after.len());
    assert_eq!(after.iter().find(|l| l.cause != "congestion"), None);
}

/// `0 ── 1`, 802.11n, three places in the queue, and bit errors in half of the frames: a datagram of 1,000 bytes every 0.8 ms is twice
/// what the link carries without errors (see `queues.rs`), so load fills the queue from the first packet on: no MAC sends a frame of 1,066
/// bytes in less than 1.3 ms at 6.5 Mb/s. As many as are lost without errors are load's, and the errors cost the others.
#[test]
fn load_fills_few_places_beside_errors() {
    for seed in 1..=3 {
        let text = "duration = \"15s\"\ntopology = { kind = \"explicit\", positions = [[0, 0], [50, 0]] }\n\
                    routing.protocol = \"static\"\nradio = { preset = \"n20\", rate = \"fixed\", mcs = 0 }\n\
                    mac = { arp = false, queue = \"fifo\", queue_limit = 3 }\n\
                    [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\ninterval = \"0.8ms\"\nsize = \"1000B\"\nstart = \"1s\"\n";
        let full = |errors: &str| -> Vec<Loss> {
            let losses = losses(&run_once(&parse(&format!("{errors}\n{text}")), seed));
            losses.into_iter().filter(|l| l.died == "ifq").collect()
        };
        let (without, with) = (full(""), full("errors.frame_err = { bernoulli = { rate = 0.5 } }"));
        assert!(without.len() > 6000 && with.len() > 10_000, "{seed}: {} {}", without.len(), with.len());
        as_many_as(&with, without.len(), "channel", &format!("{seed}"));
    }
}

/// `0 ── 2 ── 1` and `2 ── 3`, 802.11b at 11 Mb/s with fades, a transfer from 0 to 1 and one from 2 to 3. Around 2 s, node 2 tries in
/// vain several times to reach a neighbour: 40 to 60 ms, in which it could send more than ten packets at its mean of 3.7 ms. From node
/// 1 come at most as many that noise has held up there. What finds the queue full is lost to the noise that node 2's own MAC meets.
#[test]
fn a_queue_that_stands_before_noise_has_its_hop() {
    let text = "duration = \"3s\"\ndialect = \"ns2\"\n\
                topology = { kind = \"explicit\", positions = [[0, 0], [200, 0], [100, 170], [100, 370]] }\n\
                radio = { preset = \"b-11\", fading = { k = 3.0, coherence = \"20ms\" } }\nmac.queue_limit = 50\n\
                routing.protocol = \"aodv\"\nerrors.frame_err = { bernoulli = { rate = 9e-6, unit = \"bit\" } }\n\
                [[flow]]\nfrom = 0\nto = 1\napp = \"ftp\"\nstart = \"1s\"\n\
                [[flow]]\nfrom = 2\nto = 3\napp = \"ftp\"\nstart = \"1s\"\n";
    let losses = losses(&run_once(&parse(text), 2));
    let full = |l: &&Loss| (l.node, l.died.as_str()) == (2, "ifq") && (1.9..2.3).contains(&l.at);
    let noise: Vec<&Loss> = losses.iter().filter(full).filter(|l| l.cause == "channel").collect();
    assert!(noise.len() > 15, "{}", noise.len());
    assert_eq!(noise.iter().find(|l| l.root_node != 2), None);
}

/// `0 ── 1 ── 2`, 802.11b at 2 Mb/s, and more than both hops carry (660 to 700 kb/s, see `shared_medium.rs`): node 0's queue is full, and
/// node 1 takes turns with it, so that nothing is lost there. While node 2 is off, node 0 has the medium to itself and delivers up to
/// twice as much. When node 2 is back, node 1's queue is full of that, and node 0 still takes every other turn. What finds no place in
/// it was lost to the outage, unless the same load alone fills half of it.
#[test]
fn what_a_source_delivers_during_an_outage_is_no_load() {
    let at_relay = |event: &str, (rts, rate): (&str, &str), seed: u64| {
        let text = format!(
            "duration = \"12s\"\nradio.preset = \"b-2\"\nrouting.protocol = \"static\"\n{event}\n\
             topology = {{ kind = \"string\", hops = 2, spacing = \"200m\" }}\n\
             mac = {{ rts_threshold = \"{rts}\", queue_limit = 50 }}\n\
             [[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\nrate = \"{rate}\"\nsize = \"512B\"\nstart = \"1s\"\n"
        );
        let options = RunOptions { seed, record: true, ..RunOptions::default() };
        let report = run(&parse(&text), &options, &RunControl::new()).expect("a run");
        let after = |l: &Loss| (l.node, l.died.as_str()) == (1, "ifq") && l.at > 8.0;
        (losses(&report).into_iter().filter(after).collect::<Vec<Loss>>(), longest_queue(&report, 1))
    };
    let off =
        "event = [{ node = 2, at = \"5s\", what = \"down\" }, { node = 2, at = \"8s\", what = \"up\" }]";
    let mut after = 0;
    for load in [("3000B", "800kbps"), ("3000B", "1200kbps"), ("0B", "800kbps")] {
        for seed in 1..=4 {
            let (lost, longest) = at_relay("", load, seed);
            assert_eq!(lost, [], "{load:?} {seed}");
            if longest >= 25 {
                continue;
            }
            let (lost, _) = at_relay(off, load, seed);
            assert_eq!(lost.iter().find(|l| l.cause != "node-down"), None, "{load:?} {seed}");
            after += lost.len();
        }
    }
    assert!(after > 30, "{after}");
}

/// A string whose relay, or whose last node, is off from 4 to 7 s. Without that the path carries the load and loses nothing. Afterwards the
/// backlog takes the medium from the stations before it, which deliver together what has waited for that. What finds no place
/// in a queue then, or is dropped by CoDel, was lost to the outage. With a load that the path doesn't carry, node 0's queue is full anyway.
#[test]
fn what_waits_while_a_backlog_passes_was_lost_to_the_outage() {
    let lost = |(preset, spacing, hops, mac): (&str, u32, u32, &str), rate: &str, event: &str, seed: u64| {
        let text = format!(
            "duration = \"12s\"\ntopology = {{ kind = \"string\", hops = {hops}, spacing = \"{spacing}m\" }}\n\
             radio.preset = \"{preset}\"\n{mac}\nrouting.protocol = \"static\"\n{event}\n\
             [[flow]]\nfrom = 0\nto = {hops}\napp = \"cbr\"\nrate = \"{rate}\"\nsize = \"1000B\"\nstart = \"1s\""
        );
        let losses = losses(&run_once(&parse(&text), seed));
        let queue = |l: &Loss| ["codel", "ifq"].contains(&l.died.as_str()) && l.at > 4.0;
        losses.into_iter().filter(queue).collect::<Vec<Loss>>()
    };
    let off =
        "event = [{ at = \"4s\", node = 2, what = \"down\" }, { at = \"7s\", node = 2, what = \"up\" }]";
    let fifo = "mac = { queue = \"fifo\", queue_limit = 50 }";
    let (codel, far, near) = (("n40x2", 150, 3, ""), ("g", 200, 2, fifo), ("g", 150, 2, fifo));
    let mut waited = 0;
    for seed in 1..=4 {
        for (path, rate) in [(codel, "15Mbps"), (far, "6Mbps"), (near, "6Mbps")] {
            assert_eq!(lost(path, rate, "", seed), [], "{path:?} {seed}");
            let after = lost(path, rate, off, seed);
            let wrong: Vec<&Loss> = after.iter().filter(|l| l.cause != "node-down").collect();
            // CoDel drops a datagram of a load that fits now and then, as long as its MAC looks for the best rate.
            assert!(wrong.len() <= 1, "{path:?} {seed}: {} of {}, {:?}", wrong.len(), after.len(), wrong[0]);
            waited += after.iter().filter(|l| l.node != 1 && l.at > 7.0).count();
        }
        for rate in ["30Mbps", "40Mbps"] {
            let at_source = |event: &str| -> Vec<Loss> {
                lost(codel, rate, event, seed).into_iter().filter(|l| l.node == 0 && l.at > 7.0).collect()
            };
            let (alone, after) = (at_source(""), at_source(off));
            assert!(alone.len() > 400 && after.len() > 200, "{rate} {seed}: {} {}", alone.len(), after.len());
            // CoDel drops in bursts, at other times than without the outage.
            let by_load = after.iter().filter(|l| l.cause != "node-down").count();
            let anyway = alone.len().min(after.len());
            assert!(
                3 * by_load >= 2 * anyway,
                "{rate} {seed}: {by_load} of {}, {}",
                after.len(),
                alone.len()
            );
        }
    }
    assert!(waited > 800, "{waited}");
}

/// `0 ── 1 ───── 2`, 802.11n, 20 m and then 250 m, which carries a fraction of 80 Mb/s: thousands of datagrams a second find the queue of node 1 full.
/// Node 0 is away from 5 to 8 s, and brings its backlog then. Without that, node 1 would have been full all the time.
#[test]
fn a_backlog_that_meets_a_queue_that_load_overfills_was_lost_to_load() {
    let rejected = |event: &str, seed: u64| {
        let text = format!(
            "duration = \"12s\"\ntopology = {{ kind = \"explicit\", positions = [[0, 0], [20, 0], [270, 0]] }}\n\
             radio.preset = \"n40x2\"\nmac = {{ queue = \"fifo\", queue_limit = 20 }}\nrouting.protocol = \"static\"\n{event}\n\
             [[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\nsize = \"1000B\"\nrate = \"80Mbps\"\nstart = \"1s\"\n"
        );
        let losses = losses(&run_once(&parse(&text), seed));
        let queue = |l: &Loss| (l.node, l.died.as_str()) == (1, "ifq") && l.at > 2.0;
        losses.into_iter().filter(queue).collect::<Vec<Loss>>()
    };
    let away = "event = [{ at = \"5s\", node = 0, what = \"move\", to = [-3000, 0] }, \
                { at = \"8s\", node = 0, what = \"move\", to = [0, 0] }]";
    for seed in 1..=2 {
        let (alone, with) = (rejected("", seed), rejected(away, seed));
        for second in 2..12 {
            let of = |losses: &[Loss]| losses.iter().filter(|l| l.at as i64 == second).count();
            assert!(of(&alone) > 500, "{seed} {second}: {}", of(&alone));
            assert!((5..8).contains(&second) || of(&with) > 500, "{seed} {second}: {}", of(&with));
        }
        assert_eq!(with.iter().find(|l| l.cause == "link-failure"), None, "{seed}");
    }
}

/// Most packets in the queue of a node.
fn longest_queue(report: &RunReport, node: i64) -> i64 {
    let tables = report.tables();
    let queues = tables.iter().find(|t| t.name == "queues").expect("lengths of queues");
    let column = |name: &str| match &queues.columns.iter().find(|c| c.name == name).expect("a column").data {
        ColumnData::I64(values) => values.clone(),
        other => panic!("{name}: {other:?}"),
    };
    let of_node = column("node").into_iter().zip(column("packets")).filter(|(of, _)| *of == node);
    of_node.map(|(_, packets)| packets).max().unwrap_or(0)
}

/// `0 ── 1 ── 2`: 630 kb/s from each end, 1.8 times what the relay can pass on, so that all three queues are overfilled long before 8 s. Node 1 is
/// away from 12 to 12.4 s. Then both hops are in reach again, and a node that waits for its next attempt loses to its load what it would lose anyway.
#[test]
fn an_overload_after_a_return_is_congestion_before_the_next_attempt() {
    let scene = include_str!("../../../../../docs/make/samples/how-it-is-checked/late-return.toml");
    let (still, _) = scene.split_once("[[event]]").expect("events");
    for seed in 1..=6 {
        let without = losses(&run_once(&parse(still), seed));
        for node in 0..3 {
            let rejects =
                |from: f64| without.iter().any(|l| l.node == node && (from..from + 1.0).contains(&l.at));
            assert!((8..14).all(|second| rejects(f64::from(second))), "{seed} {node}");
        }
        let full = losses(&run_once(&parse(scene), seed));
        let full: Vec<&Loss> = full.iter().filter(|l| l.died == "ifq").collect();
        let away: Vec<&&Loss> = full.iter().filter(|l| (12.01..12.4).contains(&l.at)).collect();
        assert!(away.len() > 20 && away.iter().all(|l| l.cause == "link-failure"), "{seed}: {away:?}");
        let back: Vec<&&Loss> = full.iter().filter(|l| l.at > 12.4).collect();
        let wrong: Vec<&&&Loss> = back.iter().filter(|l| l.cause != "congestion").collect();
        assert!(
            back.len() > 50 && wrong.is_empty(),
            "{seed}: {} of {}: {:?}",
            wrong.len(),
            back.len(),
            wrong.first()
        );
    }
}

/// `0 ── 1`: node 1 is away until 4 s, and from 3.9 to 6 s receives nothing. A hundred datagrams a second fill the ten places in 0.1 s: without the
/// outage the queue would be just as full from then on.
#[test]
fn noise_that_begins_before_a_backlog_is_gone_keeps_the_queue_full_by_itself() {
    for seed in [1, 2] {
        let run = |moves: &str| {
            let text = format!(
                "duration = \"6s\"\ntopology = {{ kind = \"string\", hops = 1, spacing = \"200m\" }}\nradio.preset = \"b-2\"\n\
                 mac.queue_limit = 10\nrouting.protocol = \"static\"\n\
                 event = [{moves} {{ node = 1, at = \"3900ms\", what = \"loss\", rate = 1.0 }}]\n\
                 [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\ninterval = \"10ms\"\nsize = \"1000B\"\n"
            );
            let losses = losses(&run_once(&parse(&text), seed));
            losses.into_iter().filter(|l| l.at > 4.4 && l.died == "ifq").collect::<Vec<Loss>>()
        };
        let with = run(
            "{ node = 1, at = \"1s\", what = \"move\", to = [600, 0] }, { node = 1, at = \"4s\", what = \"move\", to = [200, 0] },",
        );
        let without = run("");
        assert!(without.len() > 90 && with.len() > 90, "{} {}", without.len(), with.len());
        assert_eq!(
            (causes(&without), causes(&with)),
            (BTreeSet::from(["channel"]), BTreeSet::from(["channel"]))
        );
    }
}
