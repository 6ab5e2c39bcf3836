//! Energy and random errors in whole runs: balanced books, airtimes computed by hand, node deaths that
//! change routes, and give-ups caused by the channel.

use crate::common::{load, parse, run_once};
use proptest::prelude::*;
use tworay_sim::{ColumnData, RunControl, RunOptions, RunReport, run};

fn column(report: &RunReport, table: &str, name: &str) -> Vec<f64> {
    let tables = report.tables();
    let table = tables.iter().find(|t| t.name == table).unwrap_or_else(|| panic!("no table {table}"));
    let column = table.columns.iter().find(|c| c.name == name).unwrap_or_else(|| panic!("no column {name}"));
    match &column.data {
        ColumnData::F64(v) => v.clone(),
        ColumnData::I64(v) => v.iter().map(|&x| x as f64).collect(),
        ColumnData::MaybeI64(v) => v.iter().map(|x| x.map_or(f64::NAN, |x| x as f64)).collect(),
        ColumnData::Str(_) | ColumnData::Word(..) => panic!("{name} is text"),
    }
}

const STATES: [&str; 6] = ["transmit_s", "receive_s", "overhear_s", "idle_s", "sleep_s", "dead_s"];

/// Two stations, one datagram of 512 bytes, no RTS, no ARP. Airtime: 540 + 36 bytes at 2 Mb/s after 192 µs
/// (2496 µs), and its ACK of 14 bytes, also at 2 Mb/s (248 µs).
#[test]
fn one_datagram_by_hand() {
    let text = "name = \"one\"\nduration = \"1s\"\n[topology]\nkind = \"string\"\nhops = 1\nspacing = \"200m\"\n\
                [routing]\nprotocol = \"static\"\n[mac]\nrts = \"none\"\narp = false\n\
                [energy]\nmodel = \"states\"\ntransmit = \"2W\"\nreceive = \"1W\"\nidle = \"0.1W\"\n\
                [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\ninterval = \"2s\"\nsize = \"512B\"\n";
    let r = run_once(&parse(text), 1);
    let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-8, "{x} s, by hand {y} s");
    let (transmit, receive) = (column(&r, "energy", "transmit_s"), column(&r, "energy", "receive_s"));
    near(transmit[0], 2496e-6);
    near(receive[1], 2496e-6);
    near(transmit[1], 248e-6);
    near(receive[0], 248e-6);
    let e = &r.document.energy;
    // 2 W x 2.744 ms + 1 W x 2.744 ms; idle for the rest of two seconds.
    let active = 3.0 * 2.744e-3;
    assert!((e.joules_total.unwrap() - (active + 0.1 * (2.0 - 2.0 * 2.744e-3))).abs() < 1e-9);
    assert!((e.joules_per_received_bit.unwrap() - active / 4096.0).abs() < 1e-12);
    assert_eq!(e.dead_nodes, Some(0));
    assert!(e.joules_by_state.as_ref().unwrap()["overhear"] == 0.0);
}

/// A frame addressed to a neighbour is overheard, not received.
#[test]
fn frames_for_others_are_overheard() {
    let r =
        run_once(&load("string-2", &["duration=20s", "routing.protocol=static", "energy.model=states"]), 1);
    let overheard = column(&r, "energy", "overhear_s");
    assert!(overheard[0] > 0.5 && overheard[2] > 0.5, "{overheard:?}");
    assert_eq!(overheard[1], 0.0, "all frames are from or for the one in the middle");
}

#[test]
fn per_packet_energy_counts_packets() {
    let set = [
        "duration=20s",
        "routing.protocol=static",
        "mac.arp=false",
        "energy.model=per-packet",
        "energy.packet_sent=2mJ",
        "energy.packet_received=1mJ",
    ];
    let r = run_once(&load("string-1", &set), 1);
    let (sent, received) = (column(&r, "energy", "packets_sent"), column(&r, "energy", "packets_received"));
    let joules = column(&r, "energy", "joules");
    for i in 0..2 {
        assert!((joules[i] - 2e-3 * sent[i] - 1e-3 * received[i]).abs() < 1e-9);
        assert!(
            (sent[i] - received[1 - i]).abs() <= 1.0 + 0.05 * sent[i],
            "what one sends the other receives"
        );
    }
    assert_eq!(
        sent.iter().sum::<f64>() as u64,
        r.document.mac.sent["data"] + r.document.mac.sent["broadcast"]
    );
}

/// The relay of a two-hop string dies: its neighbours lose it, the flow ends, and the ledger has the
/// reason.
#[test]
fn a_dead_relay_ends_the_flow() {
    let set = ["duration=60s", "energy.model=states", "energy.batteries=[{node = 1, battery = \"5J\"}]"];
    let r = run_once(&load("string-2", &set), 3);
    let e = &r.document.energy;
    let died = e.first_death_seconds.expect("the relay dies");
    assert_eq!(e.dead_nodes, Some(1));
    assert_eq!(e.half_dead_seconds, None);
    // ns-2's powers: 0.66 W transmitting, 0.395 W receiving or overhearing, none while idle.
    let of = |state: &str| column(&r, "energy", state)[1];
    let heard = of("receive_s") + of("overhear_s");
    assert!((0.66 * of("transmit_s") + 0.395 * heard - 5.0).abs() < 1e-6, "5 J last {died} s");
    assert!((of("transmit_s") + heard + of("idle_s") - died).abs() < 1e-6, "{died} s");
    assert!((column(&r, "energy", "joules")[1] - 5.0).abs() < 1e-8);
    let silent = 60.0 - died;
    assert!((column(&r, "energy", "dead_s")[1] - silent).abs() < 1e-6);
    let lost: u64 = ["node-down", "link-failure"].iter().map(|c| r.document.ledger[c].data).sum();
    assert!(lost > 0, "{:?}", r.document.ledger);
    let unharmed = run_once(&load("string-2", &["duration=60s"]), 3);
    assert!(r.document.flows[0].acked_segments < unharmed.document.flows[0].acked_segments * 2 / 3);
}

/// With an alternative route, the network outlives its relay.
#[test]
fn routes_go_round_a_dead_node() {
    let text = "name = \"diamond\"\nduration = \"60s\"\n[topology]\nkind = \"explicit\"\n\
                positions = [[0, 0], [200, 100], [200, -100], [400, 0]]\n\
                [energy]\nmodel = \"per-packet\"\nbatteries = [{ node = 1, battery = \"1J\" }, { node = 2, battery = \"1J\" }]\n\
                [[flow]]\nfrom = 0\nto = 3\napp = \"cbr\"\nrate = \"100kbps\"\nstart = \"1s\"\n";
    let r = run_once(&parse(text), 1);
    // 24.4 packets per second at 2.7 mJ: each relay lasts 15.17 s from the flow's start or the death of the
    // first one, minus the share of routing messages and repeated frames, under 5 %.
    let most = 1.0 / (100e3 / (8.0 * 512.0) * 2.7e-3);
    let e = &r.document.energy;
    assert_eq!(e.dead_nodes, Some(2), "{e:?}");
    let (first, second) = (e.first_death_seconds.unwrap(), e.half_dead_seconds.unwrap());
    let lasts = 0.95 * most..most;
    assert!(lasts.contains(&(first - 1.0)) && lasts.contains(&(second - first)), "{first} {second}");
}

/// Without a model the document has no energy, and a model without batteries changes no run.
#[test]
fn counting_energy_changes_nothing_else() {
    let set = ["duration=20s", "tcp.variant=sack"];
    let off = run_once(&load("grid-4x4", &set), 2).document;
    let on = run_once(
        &load("grid-4x4", &[&set[..], &["energy.model=states", "energy.preset=wavelan"]].concat()),
        2,
    )
    .document;
    assert_eq!(off.energy, Default::default());
    assert_eq!(off.mac, on.mac);
    assert_eq!(off.ledger, on.ledger);
    assert_eq!(off.flows[0].acked_segments, on.flows[0].acked_segments);
    assert!(on.energy.joules_total.unwrap() > 20.0 * 16.0 * 0.8, "wavelan idles at 0.84 W");
}

/// A tenth of the frames is lost at each receiver. The MAC retransmits them, and what it gives up is caused
/// by the channel, not by contention.
#[test]
fn frame_errors_are_repaired_by_the_mac_and_blamed_on_the_channel() {
    let base = ["duration=60s", "routing.protocol=static"];
    let with = |rate: &str| {
        run_once(
            &load("string-1", &[&base[..], &[&format!("errors.frame_err.bernoulli.rate={rate}")]].concat()),
            1,
        )
        .document
    };
    let clean = with("0");
    let tenth = with("0.1");
    assert_eq!(tenth.mac.collisions, clean.mac.collisions);
    let corrupted = tenth.mac.corrupted.data as f64
        / (tenth.mac.corrupted.data as f64 + tenth.flows[0].acked_segments as f64);
    assert!((0.08..0.13).contains(&corrupted), "{corrupted}");
    assert!(tenth.flows[0].acked_segments < clean.flows[0].acked_segments);
    let half = with("0.5");
    assert!(half.ledger["channel"].data > 0, "{:?}", half.ledger);
    assert_eq!(half.ledger["contention"].data + half.ledger["link-failure"].data, 0, "{:?}", half.ledger);
}

/// Above the MAC every error is a loss for TCP: nothing retransmits the packet.
#[test]
fn packet_errors_are_losses_of_tcp() {
    let r = run_once(
        &load("string-1", &["duration=60s", "routing.protocol=static", "errors.pkt_err.bernoulli.rate=0.02"]),
        1,
    )
    .document;
    let (lost, sent) = (r.ledger["channel"], r.flows[0].sent_segments as f64);
    assert!((0.012..0.03).contains(&(lost.data as f64 / sent)), "{} of {sent}", lost.data);
    assert!(lost.ack > 0 && r.mac.corrupted.data == 0);
    assert!(r.flows[0].retransmitted_segments >= lost.data / 2);
}

/// Bursts with the same mean rate but other lengths: the fraction of lost frames equals the model's mean
/// rate.
#[test]
fn gilbert_elliott_bursts_have_their_mean_rate() {
    let bursts = "errors.frame_err={gilbert-elliott = {good_to_bad = 0.02, bad_to_good = 0.18}}";
    let r =
        run_once(&load("string-1", &["duration=120s", "routing.protocol=static", "mac.rts=none", bursts]), 1)
            .document;
    let share = r.mac.corrupted.data as f64 / r.mac.sent["data"] as f64;
    assert!((0.04..0.16).contains(&share), "{share}, model 0.1 seen by retries in bursts");
}

#[test]
fn wrong_tables_are_refused_at_their_line() {
    let fails = |set: &str| {
        let sets = [set.to_owned()];
        tworay_sim::scenario::Scenario::load("string-2", &sets).expect_err("it is wrong").to_string()
    };
    assert!(fails("errors.frame_err.bernoulli.rate=1.5").contains("errors.frame_err.bernoulli.rate"));
    assert!(fails("energy.battery=0J").contains("energy.battery"));
    assert!(fails("energy.batteries=[{node = 9, battery = \"1J\"}]").contains("there is no node 9"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Whichever nodes die: each node's states add up to the run, the joules spent equal what the batteries
    /// lost, and every segment is still counted exactly once.
    #[test]
    fn energy_and_segments_are_conserved(
        battery in 1u32..60, model in 0usize..2, protocol in 0usize..3, nodes in 4u32..12,
        down in proptest::option::of((0u32..4, 1u32..18)), error in 0usize..3, seed in 0u64..500,
    ) {
        let mut t = format!(
            "name = \"e\"\nduration = \"20s\"\nwarmup = \"3s\"\n[topology]\nkind = \"uniform\"\nnodes = {nodes}\nwidth = \"500m\"\nheight = \"300m\"\n\
             [mobility]\nkind = \"random-waypoint\"\nmin_speed = \"1m/s\"\nmax_speed = \"10m/s\"\n\
             [energy]\nmodel = \"{}\"\npreset = \"wavelan\"\nbattery = \"{}J\"\n[routing]\nprotocol = \"{}\"\n",
            ["states", "per-packet"][model], f64::from(battery) * [0.4, 0.02][model], ["static", "aodv", "olsr"][protocol],
        );
        t += ["", "[errors.frame_err.bernoulli]\nrate = 0.1\n", "[errors.pkt_err.bernoulli]\nrate = 0.1\n"][error];
        t += "[[flow]]\nfrom = 0\nto = 3\napp = \"ftp\"\n[[flow]]\nfrom = 2\nto = 1\napp = \"cbr\"\nrate = \"200kbps\"\n";
        if let Some((node, at)) = down {
            t += &format!("[[event]]\nnode = {node}\nat = \"{at}s\"\nwhat = \"down\"\n[[event]]\nnode = {node}\nat = \"{}s\"\nwhat = \"up\"\n", at + 1);
        }
        let r = run_once(&parse(&t), seed);
        let states: Vec<Vec<f64>> = STATES.iter().map(|s| column(&r, "energy", s)).collect();
        let (joules, left) = (column(&r, "energy", "joules"), column(&r, "energy", "joules_left"));
        let had = f64::from(battery) * [0.4, 0.02][model];
        for node in 0..nodes as usize {
            let total: f64 = states.iter().map(|s| s[node]).sum();
            prop_assert!((total - 20.0).abs() < 1e-9, "node {}: {} s", node, total);
            prop_assert!((had - left[node] - joules[node]).abs() < 1e-9);
            prop_assert!(left[node] >= 0.0);
        }
        let e = &r.document.energy;
        prop_assert!((e.joules_total.unwrap() - joules.iter().sum::<f64>()).abs() < 1e-9);
        let dead = left.iter().filter(|&&l| l < 1e-8).count() as u64;
        prop_assert_eq!(e.dead_nodes, Some(dead));
    }
}

/// Computations draw from the battery as they happen: a joule an operation empties it long before the radio
/// would, and what every phase drew adds up to the computing energy.
#[test]
fn computing_can_empty_a_battery() {
    let set = [
        "duration=30s",
        "routing.protocol=static",
        "energy.model=states",
        "energy.batteries=[{node = 0, battery = \"100J\"}]",
        "energy.instruction=1mJ",
    ];
    let reported = run_once(&load("string-2", &set), 3);
    let drawn = run_once(&load("string-2", &[&set[..], &["energy.draw_computing=true"]].concat()), 3);
    assert_eq!(reported.document.energy.dead_nodes, Some(0), "only reported, it empties nothing");
    assert!(reported.document.flows[0].phase_joules.is_none());
    assert_eq!(drawn.document.energy.dead_nodes, Some(1));
    assert!(drawn.document.energy.first_death_seconds.unwrap() < 10.0);
    let phases = drawn.document.flows[0].phase_joules.as_ref().unwrap();
    let computing = drawn.document.energy.joules_computation.unwrap();
    assert!(
        (phases.values().sum::<f64>() - computing).abs() < 1e-9 * computing,
        "{phases:?} against {computing}"
    );
    assert!(phases["slow_start"] > 0.0, "{phases:?}");
}

/// Without a shortage the energy drawn is the radio's and that of computing.
#[test]
fn energy_drawn_is_that_of_radio_and_computing() {
    let set = ["duration=20s", "routing.protocol=static", "energy.model=states", "energy.battery=1000J"];
    let total = |more: &[&str]| {
        let e = run_once(&load("string-2", &[&set[..], more].concat()), 1).document.energy;
        (e.joules_total.unwrap(), e.joules_computation.unwrap())
    };
    let (radio, computing) = total(&[]);
    let (both, same) = total(&["energy.draw_computing=true"]);
    assert_eq!(computing, same);
    assert!((both - radio - computing).abs() < 1e-9 * both, "{both} against {radio} and {computing}");
}

/// A cross of equal hops, where stations often begin in the same nanosecond. Samples of energy are no events that could decide who goes first.
#[test]
fn recording_energy_changes_nothing() {
    let text = "name = \"cross\"\nduration = \"3s\"\n[topology]\nkind = \"cross\"\narm = 1\nspacing = \"200m\"\n\
                [energy]\nmodel = \"states\"\n\
                [[flow]]\nfrom = 3\nto = 1\napp = \"on-off\"\ninterval = \"5ms\"\non = \"159ms\"\noff = \"1305ms\"\n\
                [[flow]]\nfrom = 0\nto = 3\nstart = \"1600ms\"\n";
    let scenario = parse(text);
    for seed in 1..=20 {
        let [plain, recorded] = [false, true].map(|series| {
            let options = RunOptions { seed, series, ..RunOptions::default() };
            let report = run(&scenario, &options, &RunControl::new()).expect("a run");
            let flows = report.document.flows.iter().map(|flow| (flow.goodput_bps, flow.mean_delay_seconds));
            (report.document.events, flows.collect::<Vec<_>>(), report.document.energy.joules_total)
        });
        assert_eq!(plain, recorded, "seed {seed}");
    }
}

/// One sample a second by default, the first at the start: what is left falls from the whole battery. Nothing is sent in the first second.
#[test]
fn what_is_left_is_sampled_every_second() {
    let scenario = load("string-2", &["duration=5s", "energy.model=states", "energy.battery=1000J"]);
    let options = RunOptions { seed: 1, series: true, ..RunOptions::default() };
    let r = run(&scenario, &options, &RunControl::new()).expect("a run");
    let (at, left) = (column(&r, "battery", "t_s"), column(&r, "battery", "joules_left"));
    let nodes = 3;
    assert_eq!((at[0], left[0]), (0.0, 1000.0));
    for node in 0..nodes {
        let own: Vec<f64> = left.iter().skip(node).step_by(nodes).copied().collect();
        assert!(own.windows(2).all(|w| w[1] <= w[0]) && own[5] < own[0], "{own:?}");
    }
    assert_eq!(at.last(), Some(&5.0));
}
