//! The figures of flows, checked by hand or against each other.

use crate::common::{load, parse, run_once};
use tworay_sim::{ColumnData, RunControl, RunOptions, run};

/// Phases add up to the flow's time (Papanastasiou 2006, table 4.3), whatever the variant.
#[test]
fn phases_add_up_to_the_flows_time() {
    for tcp in ["tahoe", "reno", "newreno", "sack", "vegas"] {
        // With the run's clock the flow starts at 1 s.
        let sets = ["duration=60s", "station.clock_offset=0s", &format!("tcp.variant={tcp}")];
        let r = run_once(&load("string-4", &sets), 1).document;
        let phases = r.flows[0].phase_seconds.as_ref().expect("it is TCP");
        assert!((phases.values().sum::<f64>() - 59.0).abs() < 1e-9, "{tcp}: {phases:?}");
        assert!(phases["slow_start"] + phases["congestion_avoidance"] > 30.0, "{tcp}: {phases:?}");
    }
}

/// The search of flow 0's receiver for a route tells node 3 of one before flow 1 begins there: nothing that flow 1 did.
#[test]
fn a_series_begins_with_its_flow() {
    let scenario = parse(
        "duration = \"12s\"\nrouting.protocol = \"aodv\"\n[topology]\nkind = \"string\"\nhops = 3\n\
         [[flow]]\nfrom = 0\nto = 3\n[[flow]]\nfrom = 3\nto = 0\nstart = \"10s\"\n",
    );
    for seed in 1..=6 {
        let options = RunOptions { seed, series: true, ..RunOptions::default() };
        let tables = run(&scenario, &options, &RunControl::new()).unwrap().tables();
        let series = tables.iter().find(|table| table.name == "series").expect("a series");
        let column = |name| series.columns.iter().find(|column| column.name == name).map(|c| &c.data);
        let (Some(ColumnData::I64(flows)), Some(ColumnData::F64(times))) = (column("flow"), column("t_s"))
        else {
            panic!("flows and times are numbers");
        };
        for (flow, start) in [(0, 0.0), (1, 10.0)] {
            let at = flows.iter().position(|of| *of == flow).map(|row| times[row]).expect("it has rows");
            // Clocks of stations are up to 10 ms late.
            assert!((start..start + 0.02).contains(&at), "seed {seed}: flow {flow} begins at {at} s");
        }
    }
}

/// With a limit of two segments, at most two are alive, counting data and ACKs together.
#[test]
fn segments_alive_respect_the_window() {
    let r = run_once(
        &load("string-4", &["duration=60s", "routing.protocol=static", "tcp.variant=newreno+cwl(2)"]),
        1,
    );
    let f = &r.document.flows[0];
    assert!(f.mean_data_alive_segments + f.mean_ack_alive_segments <= 2.0 + 1e-9, "{f:?}");
    assert!(f.mean_data_alive_segments > f.mean_ack_alive_segments, "data take longer than ACKs");
    assert!(f.mean_data_alive_segments > 0.5);
}

/// Little's law: segments alive = rate x time alive. On a clean hop everything sent arrives.
#[test]
fn delay_obeys_littles_law() {
    let r = run_once(
        &load("string-1", &["duration=60s", "routing.protocol=static", "tcp.variant=newreno+cwl(8)"]),
        1,
    )
    .document;
    let f = &r.flows[0];
    let per_second = f.sent_segments as f64 / 59.0;
    let alive = per_second * f.mean_delay_seconds.expect("packets arrived");
    assert!(
        (alive / f.mean_data_alive_segments - 1.0).abs() < 0.01,
        "{alive} {}",
        f.mean_data_alive_segments
    );
    assert_eq!(f.mean_hops, Some(1.0));
    assert!(f.jitter_seconds.expect("several") < f.mean_delay_seconds.expect("some"));
    assert_eq!(f.retransmission_ratio, Some(0.0));
}

/// One datagram every 250 ms over a free hop: the delay is the frame's airtime and waiting time, the jitter
/// that of the backoff.
#[test]
fn a_steady_source_has_little_jitter() {
    let text = "name = \"j\"\nduration = \"30s\"\n[topology]\nkind = \"string\"\nhops = 1\nspacing = \"200m\"\n[routing]\nprotocol = \"static\"\n\
                [mac]\nrts = \"none\"\narp = false\n[[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\ninterval = \"250ms\"\nsize = \"512B\"\n";
    let f = run_once(&parse(text), 1).document.flows.remove(0);
    // At most DIFS and 2496 µs of airtime.
    let delay = f.mean_delay_seconds.expect("packets arrived");
    assert!((2496e-6..2496e-6 + 51e-6 + 31.0 * 20e-6).contains(&delay), "{delay}");
    assert!(f.jitter_seconds.expect("several") < 1e-3);
    assert_eq!(f.phase_seconds, None);
}

/// The warm-up is excluded: rates cover the rest, counts start at its end.
#[test]
fn the_warm_up_is_left_out() {
    let whole = run_once(&load("string-1", &["duration=60s", "routing.protocol=static"]), 1).document;
    let warm =
        run_once(&load("string-1", &["duration=60s", "warmup=31s", "routing.protocol=static"]), 1).document;
    let (w, f) = (&warm.flows[0], &whole.flows[0]);
    assert!((w.goodput_bps / f.goodput_bps - 1.0).abs() < 0.02, "a clean hop is steady");
    assert!((w.acked_segments as f64 / (f.acked_segments as f64 * 29.0 / 59.0) - 1.0).abs() < 0.02);
    assert!((w.phase_seconds.as_ref().expect("tcp").values().sum::<f64>() - 29.0).abs() < 1e-9);
    assert!((w.mean_cwnd_segments.expect("tcp") - f.mean_cwnd_segments.expect("tcp")).abs() < 10.0);
    // The queue grows a little. A mean that kept what it had before, 59 s over 29 s, would be twice as high.
    let means = |flow: &tworay_sim::FlowReport| {
        [
            ("in flight", flow.mean_in_flight_segments),
            ("data alive", Some(flow.mean_data_alive_segments)),
            ("ACKs alive", Some(flow.mean_ack_alive_segments)),
            ("SRTT", flow.mean_rtt_seconds),
        ]
    };
    for ((name, warm), (_, whole)) in means(w).into_iter().zip(means(f)) {
        let ratio = warm.expect("tcp") / whole.expect("tcp");
        assert!((0.5..1.5).contains(&ratio), "{name}: {ratio}");
    }
    assert_eq!(w.handshake_seconds, f.handshake_seconds);
    assert_eq!(whole.mac, warm.mac, "the network's figures are of the whole run");
}

/// A finite transfer: connection time, handshake, no unfinished connection.
#[test]
fn a_finite_transfer_has_a_connection_time() {
    let text = "name = \"f\"\nduration = \"60s\"\n[topology]\nkind = \"string\"\nhops = 2\nspacing = \"200m\"\n[routing]\nprotocol = \"static\"\n\
                [[flow]]\nfrom = 0\nto = 2\napp = \"ftp\"\nbytes = \"100kB\"\nstart = \"1s\"\n[[flow]]\nfrom = 2\nto = 0\napp = \"ftp\"\nstart = \"40s\"\n";
    let d = run_once(&parse(text), 1).document;
    let (first, second) = (&d.flows[0], &d.flows[1]);
    let (connection, completion) =
        (first.connection_seconds.expect("sent"), first.completion_seconds.expect("ended"));
    // The end also waits for the ACK of the FIN.
    assert!(connection <= completion && completion - connection < 0.1, "{connection} {completion}");
    let handshake = first.handshake_seconds.expect("open");
    assert!((1e-3..0.1).contains(&handshake), "two hops there and back: {handshake}");
    assert_eq!(d.metrics.unfinished_connections, 1);
    let mean = d.metrics.mean_connection_seconds.expect("two flows");
    assert!((mean - (connection + second.connection_seconds.expect("sent")) / 2.0).abs() < 1e-9);
}

/// Operations: every ACK of new data is in one of three phases and has a cost.
#[test]
fn operations_are_counted_and_cost_instructions() {
    let d = run_once(&load("string-4", &["duration=60s", "energy.model=states"]), 1).document;
    let f = &d.flows[0];
    let n = f.operations.as_ref().expect("tcp");
    assert_eq!(Some(n["timeout"]), f.timeouts);
    assert_eq!(n["fast_retransmit"], f.fast_retransmits);
    let acks = n["ack_slow_start"] + n["ack_congestion_avoidance"] + n["recovery_ack"];
    assert!(acks > 0 && acks <= f.acked_segments + f.fast_retransmits + 1, "{n:?}");
    assert_eq!(n["classification"], 0, "newreno doesn't guess");
    let joules = d.energy.joules_computation.expect("a model is on");
    assert!((joules - 1e-9 * f.instructions.expect("tcp")).abs() < 1e-12 && joules > 0.0);
}

/// The strategies by name (Papanastasiou 2006, §5.4): RTS before every unicast frame, before data, before
/// none.
#[test]
fn rts_strategies_do_what_their_names_say() {
    let of = |rts: &str| {
        let rts = format!("mac.rts={rts}");
        // As in ns-2, where overlapping frames are lost more often.
        let world = ["duration=60s", "routing.protocol=static", "mac.arp=false", "radio.reception=capture"];
        run_once(&load("string-3", &[&world[..], &[rts.as_str()]].concat()), 1).document
    };
    let (full, partial, none) = (of("full"), of("partial"), of("none"));
    assert!(full.mac.sent["rts"] >= full.mac.sent["data"]);
    assert!(partial.mac.sent["rts"] > 0 && partial.mac.sent["cts"] < partial.mac.sent["data"] * 2 / 3);
    assert_eq!((none.mac.sent["rts"], none.mac.sent["cts"]), (0, 0));
    assert_eq!(none.mac.collisions.rts_cts + none.mac.drops.rts_cts, 0);
    assert!(partial.mac.collisions.ack > full.mac.collisions.ack, "unprotected ACKs collide");
}

/// Packets on the path: a table of hops, and the series of live segments.
#[test]
fn tables_of_hops_and_of_segments_alive() {
    let scenario = load("string-3", &["duration=20s"]);
    let r = run(&scenario, &RunOptions { series: true, ..RunOptions::default() }, &RunControl::new())
        .expect("it runs");
    let tables = r.tables();
    let ints = |table: &str, name: &str| -> Vec<i64> {
        let t = tables.iter().find(|t| t.name == table).expect("the table");
        match &t.columns.iter().find(|c| c.name == name).expect("the column").data {
            ColumnData::I64(v) => v.clone(),
            _ => panic!("no integers"),
        }
    };
    assert_eq!(ints("paths", "hops"), [3]);
    let arrived = ints("paths", "packets")[0] as u64;
    assert!(arrived >= r.document.flows[0].acked_segments);
    let data = ints("alive", "data_segments");
    assert!(data.iter().all(|&n| n >= 0) && data.iter().max() > Some(&1));
}

/// The warm-up is excluded from the figures of flows, including guesses, but not from those of the network.
#[test]
fn a_warm_up_is_left_out_of_the_flows_and_of_nothing_else() {
    let tcp = "tcp.variant=welcome";
    let energy = "energy.model=states";
    let whole = run_once(&load("strip-50", &["duration=120s", tcp, energy]), 3);
    let late = run_once(&load("strip-50", &["duration=120s", "warmup=60s", tcp, energy]), 3);
    let (a, b) = (&whole.document, &late.document);
    let guessed = |d: &tworay_sim::Document| d.diagnosis.values().flat_map(|c| c.values()).sum::<u64>();
    let after = |r: &tworay_sim::RunReport| -> u64 {
        let table = r.tables().into_iter().find(|t| t.name == "guesses").expect("a table");
        let ColumnData::F64(times) = &table.columns[0].data else { panic!("times are reals") };
        times.iter().filter(|t| **t >= 60.0).count() as u64
    };
    assert!(after(&whole) > 0 && guessed(a) > after(&whole), "guesses before and after: {}", guessed(a));
    assert_eq!(guessed(b), after(&late));
    assert_eq!(after(&whole), after(&late), "the run itself is the same");
    assert!(b.flows[0].sent_segments < a.flows[0].sent_segments);
    assert!(b.flows[0].instructions < a.flows[0].instructions);
    assert_eq!((&a.ledger, &a.mac, &a.routing, &a.energy), (&b.ledger, &b.mac, &b.routing, &b.energy));
}

/// Routing packets by kind add up to all of them, also where a node is switched off in between.
#[test]
fn routing_packets_by_kind_add_up() {
    let kinds: [(&str, &[&str], &[&str]); 4] = [
        (
            "aodv",
            &["errors", "hellos", "replies", "reply_acks", "requests"],
            &[
                "broken_links",
                "failed_searches",
                "held_requests",
                "local_repairs",
                "searches",
                "unsent_errors",
            ],
        ),
        (
            "dsr",
            &["acks", "errors", "replies", "requests"],
            &[
                "broken_links",
                "cached_replies",
                "failed_searches",
                "gratuitous_replies",
                "salvaged",
                "searches",
            ],
        ),
        ("olsr", &["hellos", "tc"], &["broken_links", "relayed", "tc_messages"]),
        ("static", &[], &[]),
    ];
    for (protocol, kinds, counts) in kinds {
        let sets = ["duration=40s", "event=[{ at = \"20s\", node = 1, what = \"down\" }]"];
        let set = format!("routing.protocol={protocol}");
        let routing = run_once(&load("string-2x2", &[&set, sets[0], sets[1]]), 1).document.routing;
        assert_eq!(routing.sent.keys().copied().collect::<Vec<_>>(), kinds);
        assert_eq!(routing.counted.keys().copied().collect::<Vec<_>>(), counts);
        assert_eq!(routing.sent.values().sum::<u64>(), routing.control_packets.unwrap(), "{protocol}");
    }
}

/// The relay sends a HELLO a second until it is switched off at 20 s, both ends until 40 s.
#[test]
fn a_switched_off_node_keeps_its_place_in_the_counts() {
    let sets = [
        "duration=40s",
        "routing.protocol=aodv",
        "routing.aodv.hello=always",
        "event=[{ at = \"20s\", node = 1, what = \"down\" }]",
    ];
    let routing = run_once(&load("string-2", &sets), 1).document.routing;
    assert!((96..=104).contains(&routing.sent["hellos"]), "{:?}", routing.sent);
    assert!(routing.counted["broken_links"] >= 1, "{:?}", routing.counted);
}
