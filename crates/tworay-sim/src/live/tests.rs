use super::*;
use crate::observe::loss::ledger::Carries;

const END: SimTime = SimTime::from_nanos(3_000_000_000);

fn live(scenario: &str, overrides: &[&str], layer: Layer) -> Live {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    let scenario = Scenario::load(scenario, &overrides).expect("a scenario");
    let stations = (0..scenario.node_count()).map(|n| NodeId(n as u16)).collect();
    let limit = SimDuration::from_secs_f64(10.0);
    Live::new(&scenario, &LiveOptions { seed: 1, layer, stations, limit, pcap: None, record: false })
        .expect("a network")
}

/// A datagram of an unknown protocol with 100 bytes of payload.
fn datagram(live: &mut Live, from: u16, to: u16, ttl: u8) -> Entering {
    let mut bytes = vec![7; 120];
    bytes[..20].copy_from_slice(&[0x45, 0, 0, 120, 0, 0, 0, 0, ttl, 253, 0, 0, 10, 0, 0, 0, 10, 0, 0, 0]);
    bytes[15] = from as u8;
    bytes[19] = to as u8;
    let flow = live.open_flow(NodeId(from), NodeId(to), 0, false).expect("a number");
    Entering {
        node: NodeId(from),
        to: NodeId(to),
        ttl,
        ip_bytes: 120,
        bytes: bytes.into(),
        flow,
        carries: Some(Carries::Data),
        seq: Seq32(0),
        frame: false,
        header: Header::default(),
    }
}

/// `0 ── 1 ── 2 ── 3 ── 4`: the bytes arrive unchanged; each of the three relays decrements the hop limit.
#[test]
fn a_packet_travels_the_string_and_leaves_with_its_bytes() {
    for routing in ["static", "aodv", "dsr", "olsr"] {
        let mut live = live("string-4", &[&format!("routing.protocol={routing}")], Layer::Three);
        // OLSR needs some seconds to find its routes.
        let start = SimTime::from_nanos(9_000_000_000);
        live.run_until(start);
        let entry = datagram(&mut live, 0, 4, 64);
        live.take_in(entry.clone());
        live.run_until(start + SimDuration::from_secs_f64(1.0));
        let out = live.pop_leaving().unwrap_or_else(|| panic!("{routing}: nothing arrived"));
        assert_eq!((out.node, out.ttl, out.hops), (NodeId(4), 61, 4), "{routing}");
        assert_eq!(out.bytes, entry.bytes);
        assert!(live.pop_leaving().is_none());
        let report = live.finish().expect("the books balance");
        assert_eq!(report.document.flows[0].mean_hops, Some(4.0));
    }
}

/// The same over 802.11n, where a receiver keeps copies of packets until they are in order; and Ethernet frames.
#[test]
fn packets_and_frames_travel_over_802_11n() {
    for (scenario, layer, ttl) in [("string-4", Layer::Three, 61), ("string-1", Layer::Two, 64)] {
        let mut live = live(scenario, &["routing.protocol=static", "radio.preset=n20"], layer);
        let to = if layer == Layer::Two { 1 } else { 4 };
        let entry = Entering { frame: layer == Layer::Two, ..datagram(&mut live, 0, to, 64) };
        live.take_in(entry.clone());
        live.run_until(END);
        let out = live.pop_leaving().unwrap_or_else(|| panic!("{layer:?}: nothing arrived"));
        assert_eq!((out.node, out.ttl), (NodeId(to), ttl), "{layer:?}");
        assert_eq!(out.bytes, entry.bytes);
        assert!(live.pop_leaving().is_none());
        live.finish().expect("the books balance");
    }
}

/// The hop limit reaches zero at the third node: the ledger has the cause.
#[test]
fn a_packet_with_too_few_hops_dies_of_it() {
    let mut live = live("string-4", &["routing.protocol=static"], Layer::Three);
    let entry = datagram(&mut live, 0, 4, 2);
    live.take_in(entry);
    live.run_until(END);
    assert!(live.pop_leaving().is_none());
    assert_eq!(live.status().lost, [(LossCause::Ttl, 1)]);
    live.finish().expect("the books balance");
}

/// The node where the hop limit ran out can answer: it has a way back with any routing protocol. Packets
/// that the ledger does not track arrive, too.
#[test]
fn where_the_hops_ran_out_is_told_and_can_be_answered() {
    for routing in ["static", "aodv", "dsr", "olsr"] {
        let mut live = live("string-4", &[&format!("routing.protocol={routing}")], Layer::Three);
        let start = SimTime::from_nanos(9_000_000_000);
        live.run_until(start);
        let entry = datagram(&mut live, 0, 4, 2);
        live.take_in(entry.clone());
        live.run_until(start + SimDuration::from_secs_f64(4.0));
        let expired = live.pop_expired().unwrap_or_else(|| panic!("{routing}: nothing expired"));
        assert_eq!(
            (expired.node, expired.src, &expired.bytes),
            (NodeId(2), NodeId(0), &entry.bytes),
            "{routing}"
        );
        assert!(live.pop_expired().is_none());
        let answer =
            Entering { node: NodeId(2), to: NodeId(0), ttl: 64, flow: FlowId::NONE, carries: None, ..entry };
        live.take_in(answer);
        live.run_until(start + SimDuration::from_secs_f64(8.0));
        let out = live.pop_leaving().unwrap_or_else(|| panic!("{routing}: no answer"));
        assert_eq!((out.node, out.ttl), (NodeId(0), 63), "{routing}");
        let flows = live.finish().expect("the books balance").document.flows;
        assert_eq!(flows.len(), 1, "the answer is nobody's flow");
    }
}

/// A station's edge can ask its own node's routing for the route and for packets that wait for one.
#[test]
fn a_node_knows_its_route_and_what_waits_for_it() {
    let mut live = live("string-4", &["routing.protocol=aodv"], Layer::Three);
    let (from, to) = (NodeId(0), NodeId(4));
    assert_eq!(live.hops_to(from, to), None);
    let entry = datagram(&mut live, 0, 4, 64);
    live.take_in(entry);
    live.run_until(SimTime::from_nanos(1_000_000));
    assert!(live.keeps_for(from, to) && !live.keeps_for(from, NodeId(3)));
    live.run_until(END);
    assert_eq!(live.hops_to(from, to), Some(4));
    assert!(!live.keeps_for(from, to));
}

/// A frame travels one hop. A broadcast reaches every neighbour and is not tracked by the ledger.
#[test]
fn frames_go_one_hop_and_broadcasts_to_all_neighbours() {
    let mut live = live("string-4", &[], Layer::Two);
    let entry = datagram(&mut live, 1, 2, 64);
    live.take_in(Entering { frame: true, ..entry.clone() });
    live.take_in(Entering { frame: true, to: NodeId::BROADCAST, carries: None, ..entry });
    live.run_until(END);
    let mut who: Vec<u16> = std::iter::from_fn(|| live.pop_leaving()).map(|l| l.node.0).collect();
    who.sort_unstable();
    assert_eq!(who, [0, 2, 2], "the frame at 2, the broadcast at 0 and 2");
    live.finish().expect("the books balance");
}

/// A frame to a node out of reach dies after the MAC's attempts, without a notice to upper layers.
#[test]
fn a_frame_to_nobody_is_in_the_ledger_alone() {
    let mut live = live("string-4", &[], Layer::Two);
    let entry = datagram(&mut live, 0, 3, 64);
    live.take_in(Entering { frame: true, ..entry });
    live.run_until(END);
    assert_eq!(live.status().lost, [(LossCause::LinkFailure, 1)]);
    assert!(live.pop_leaving().is_none() && live.pop_break().is_none());
}

/// A station is notified of a break where the packet came back, if the next hop is off by then; before, it is
/// not.
#[test]
fn a_station_is_notified_of_a_break_on_its_route() {
    let down = "event=[{node=1,at=\"1s\",what=\"down\"}]";
    let mut live = live("string-2", &["routing.protocol=static", down], Layer::Three);
    let entry = datagram(&mut live, 0, 2, 64);
    live.take_in(entry.clone());
    live.run_until(SimTime::from_nanos(1_000_000_000));
    assert!(live.pop_leaving().is_some() && live.pop_break().is_none(), "the route works for a second");
    live.take_in(entry);
    live.run_until(END);
    let found = live.pop_break().expect("the next hop is off");
    assert_eq!((found.node, found.dst), (NodeId(0), NodeId(2)));
    assert!(found.at > SimTime::from_nanos(1_000_000_000) && live.pop_break().is_none());
}

/// Running step by step to each event gives the same results as running in one go, and nothing happens
/// between the steps.
#[test]
fn steps_to_the_next_event_change_nothing() {
    let simulated = ["flow.0.app=cbr", "flow.0.interval=10ms", "flow.0.size=200B"];
    let run = |stepwise: bool| {
        let mut live = live("string-4", &simulated, Layer::Three);
        if stepwise {
            loop {
                let next = live.next_time();
                if next > END {
                    break;
                }
                let before = live.status().events;
                live.run_until(SimTime::from_nanos(next.as_nanos() - 1));
                assert_eq!(live.status().events, before, "before {next}");
                live.run_until(next);
            }
        }
        live.run_until(END);
        let status = live.status();
        let mut document = live.finish().expect("the books balance").document;
        document.cpu_seconds = 0.0;
        assert!(document.flows[0].goodput_bps > 10_000.0);
        (status, document)
    };
    assert_eq!(run(true), run(false));
}

/// Static routes and silent stations: nothing is due, also with more stations than are looked at in one pass. A packet that
/// enters makes something due; once it has left, nothing is.
#[test]
fn where_nothing_is_due_there_is_no_next_event() {
    for hops in [2, 64] {
        let mut live = live(&format!("string-{hops}"), &["routing.protocol=static"], Layer::Three);
        assert_eq!(live.next_time(), SimTime::NEVER, "{hops} hops");
        let entry = datagram(&mut live, 0, 2, 64);
        live.take_in(entry);
        assert!(live.next_time() < END, "{hops} hops");
        live.run_until(END);
        assert!(live.pop_leaving().is_some(), "{hops} hops");
        assert_eq!(live.next_time(), SimTime::NEVER, "{hops} hops");
    }
}

#[test]
fn what_cannot_be_set_up_is_refused() {
    let scenario = Scenario::load("string-4", &[]).expect("a scenario");
    let limit = SimDuration::from_secs_f64(1.0);
    let options = |station| LiveOptions {
        seed: 1,
        layer: Layer::Three,
        stations: vec![station],
        limit,
        pcap: None,
        record: false,
    };
    let refused = Live::new(&scenario, &options(NodeId(5))).err().expect("refused");
    assert_eq!(refused.to_string(), "there is no node 5 in the scenario");
}

/// Two hops of 200 m, a datagram every 100 ms from node 0 to node 2, until 3 s: the losses (when the cause struck, why, where), and how
/// many arrived. At 1.5 s a command, either as an event of the scenario or given then.
fn changed(command: &str, scheduled: bool, overrides: &[&str]) -> (Vec<(u64, LossCause, u16)>, usize) {
    let overrides: Vec<String> =
        ["routing.protocol=static"].iter().chain(overrides).map(|o| (*o).to_owned()).collect();
    let mut scenario = Scenario::load("string-2", &overrides).expect("a scenario");
    let order = scenario.order(command, SimDuration::ZERO).expect("a command");
    if scheduled {
        scenario = scenario.with_script(&format!("1.5s {command}"), "script").expect("a script");
    }
    let stations = vec![NodeId(0), NodeId(2)];
    let limit = SimDuration::from_secs_f64(10.0);
    let options = LiveOptions { seed: 1, layer: Layer::Three, stations, limit, pcap: None, record: false };
    let mut live = Live::new(&scenario, &options).expect("a network");
    let mut arrived = 0;
    for step in 0..30_u64 {
        if step == 15 {
            live.run_until(SimTime::from_nanos(1_500_000_000));
            if !scheduled {
                live.steer(&order);
            }
        }
        live.run_until(SimTime::from_nanos(100_000_000 * step + 7_000_000));
        let entry = datagram(&mut live, 0, 2, 64);
        live.take_in(entry);
        // In the middle of its first DATA frame; later ones are on the air at 1.5 s, too.
        live.run_until(SimTime::from_nanos(100_000_000 * step + 9_000_000));
        arrived += std::iter::from_fn(|| live.pop_leaving()).count();
    }
    // Stations with block acknowledgment hold frames for a while.
    live.run_until(END + SimDuration::from_secs_f64(4.0));
    arrived += std::iter::from_fn(|| live.pop_leaving()).count();
    let report = live.finish().expect("the books balance");
    let losses =
        report.losses().iter().map(|loss| (loss.since.as_nanos(), loss.cause, loss.root_node.0)).collect();
    (losses, arrived)
}

/// Of 30 datagrams, 15 are sent before the change.
#[test]
fn a_change_now_is_the_same_as_an_event_of_the_scenario() {
    let cases = [
        ("move 2 651,0", LossCause::LinkFailure, 1),
        ("off 1", LossCause::NodeDown, 0),
        ("loss 2 1", LossCause::Channel, 1),
    ];
    for air in [&[][..], &["radio.preset=n20"]] {
        for (command, cause, node) in cases {
            let (losses, arrived) = changed(command, false, air);
            assert_eq!((losses.len(), arrived), (15, 15), "{command} {air:?}: {losses:?}");
            assert!(
                losses.iter().all(|loss| (loss.1, loss.2) == (cause, node)),
                "{command} {air:?}: {losses:?}"
            );
            assert_eq!(changed(command, true, air), (losses, arrived), "{command} {air:?}");
        }
        // 249 m from the relay everything arrives.
        assert_eq!(changed("move 2 449,0", false, air), (Vec::new(), 30));
    }
}

/// A node that leaves while it receives a frame still gets its end: every packet is accounted for, and later frames
/// reach those who are near then.
#[test]
fn a_node_may_leave_and_come_back_in_the_middle_of_frames() {
    let mut live = live("string-2", &["routing.protocol=static"], Layer::Three);
    let place = |command| {
        Scenario::load("string-2", &[])
            .expect("a scenario")
            .order(command, SimDuration::ZERO)
            .expect("a command")
    };
    let (away, back) = (place("move 1 200,900"), place("move 1 200,0"));
    let entry = datagram(&mut live, 0, 2, 64);
    live.take_in(entry);
    // The first datagram takes 12 ms.
    for step in 1..=300_u64 {
        live.run_until(SimTime::from_nanos(37_000 * step));
        live.steer(if step % 7 == 1 { &away } else { &back });
    }
    live.run_until(END);
    let entry = datagram(&mut live, 0, 2, 64);
    live.take_in(entry);
    live.run_until(END + SimDuration::from_secs_f64(1.0));
    assert!(live.pop_leaving().is_some());
    live.finish().expect("the books balance");
}

/// A kernel older than Linux 6.7 doesn't count its timeouts, no kernel its probes, and where the stations route nobody
/// counts their packets and changes: none of these is 0.
#[test]
fn what_nobody_counts_is_null_not_zero() {
    let document = |layer, timeouts| {
        let mut live = live("string-1", &["routing.protocol=static"], layer);
        let flow = live.open_flow(NodeId(0), NodeId(1), 5001, true).expect("a number");
        live.set_flow(flow, FlowLook { tcp: Some("kernel:cubic".into()), timeouts, ..FlowLook::default() });
        live.run_until(SimTime::from_nanos(1_000_000_000));
        live.finish().expect("the books balance").document
    };
    let old = document(Layer::Two, None);
    let flow = &old.flows[0];
    assert_eq!((flow.timeouts, flow.rto_idle_seconds, flow.probes_sent), (None, None, None));
    assert_eq!((old.routing.route_changes, old.routing.control_packets), (None, None));
    assert_eq!((old.routing.control_bytes, old.routing.stray_notices), (None, None));
    let new = document(Layer::Three, Some((2, SimDuration::from_secs(3))));
    assert_eq!((new.flows[0].timeouts, new.flows[0].rto_idle_seconds), (Some(2), Some(3.0)));
    assert_eq!((new.routing.route_changes, new.routing.control_packets), (Some(0), Some(0)));
}

fn seen(srtt: u64, flight: u64) -> Snapshot {
    Snapshot {
        cwnd: 10.0,
        ssthresh: f64::INFINITY,
        srtt: Some(SimDuration::from_millis(srtt)),
        rttvar: None,
        rto: SimDuration::from_secs(1),
        flight_bytes: 1000 * flight,
        flight_segments: flight,
        una: Seq32(0),
        nxt: Seq32(0),
        phase: Phase::SlowStart,
    }
}

/// Two connections of 2 s in a network that stands for 10 s. One asked for 1 s whether all had arrived and waited for 1 s
/// with 0.1 s of SRTT; the other had four segments in flight. Their means are those of 2 s, and the first is no rival.
#[test]
fn a_connection_that_is_over_has_the_means_of_its_time_and_one_without_a_backlog_no_share() {
    let mut live = live("string-1", &["routing.protocol=static"], Layer::Three);
    let second = |n: u64| SimTime::ZERO + SimDuration::from_secs(n);
    let open = |live: &mut Live| live.open_flow(NodeId(0), NodeId(1), 5201, true).expect("a number");
    let (asks, sends) = (open(&mut live), open(&mut live));
    live.note_state(asks, seen(300, 1), 0);
    live.note_state(sends, seen(200, 4), 0);
    live.run_until(second(1));
    live.note_state(asks, seen(100, 0), 0);
    for (flow, delivered_bytes) in [(asks, 100), (sends, 100_000)] {
        let (tcp, finished_at) = (Some("kernel:reno".into()), Some(second(2)));
        live.set_flow(flow, FlowLook { tcp, delivered_bytes, finished_at, ..FlowLook::default() });
    }
    live.run_until(second(10));
    let document = live.finish().expect("the books balance").document;
    let means = |i: usize| (document.flows[i].mean_in_flight_segments, document.flows[i].mean_rtt_seconds);
    assert_eq!(means(0), (Some(0.5), Some(0.2)));
    assert_eq!(means(1), (Some(4.0), Some(0.2)));
    let shares = &document.metrics;
    assert_eq!((shares.jain_fairness, shares.least_goodput_bps), (Some(1.0), Some(400_000.0)));
    assert_eq!(shares.total_goodput_bps, Some(400_400.0));
}

/// 10 segments of 1000 B were sent, 3 of which arrived after the receiving program had closed the connection: of the
/// other 7 one was sent twice. The kernel was asked last 0.1 s after the end, and knew of no other ACK than that at 1.9 s.
#[test]
fn what_arrives_after_its_program_has_closed_is_not_undelivered() {
    let mut live = live("string-1", &["routing.protocol=static"], Layer::Three);
    let flow = live.open_flow(NodeId(0), NodeId(1), 5201, true).expect("a number");
    let entry = Entering { flow, ..datagram(&mut live, 0, 1, 64) };
    live.take_in(entry);
    live.run_until(SimTime::from_nanos(2_100_000_000));
    live.note_state(flow, seen(100, 0), 7000);
    let mut counters = Counters::default();
    (counters.sent_segments, counters.retransmitted_segments) = (11, 1);
    (counters.bytes_sent, counters.acked_bytes) = (11_000, 7000);
    live.set_flow(
        flow,
        FlowLook {
            tcp: Some("kernel:reno".into()),
            finished_at: Some(SimTime::from_nanos(2_000_000_000)),
            acked_at: Some(SimTime::from_nanos(1_900_000_000)),
            counters,
            untaken_bytes: 3000,
            ..FlowLook::default()
        },
    );
    let report = &live.finish().expect("the books balance").document.flows[0];
    assert_eq!(report.delivery_ratio, Some(7.0 / 8.0));
    assert_eq!(report.completion_seconds, Some(2.0));
    assert_eq!(report.connection_seconds, Some(1.9));
}

/// Connections that were over before their kernel was asked are judged only if there are no others; one that never got
/// through always is.
#[test]
fn starved_connections_have_a_share() {
    use crate::{Sharer, Shares};
    let of = |goodput, in_flight, is_done| Sharer { goodput, outside: true, in_flight, is_done };
    let (short, starved, bulk) = (of(8.0, None, true), of(0.0, None, false), of(4.0, Some(3.0), false));
    let least = |flows: &[Sharer]| Shares::of(flows.iter().copied()).least;
    assert_eq!(least(&[short, bulk]), Some(4.0));
    assert_eq!(least(&[short, bulk, starved]), Some(0.0));
    assert_eq!(Shares::of([short, short]).jain, Some(1.0));
    // (8 + 4)² / 2 (8² + 4²): the scenario's own flows count, whatever they have to send.
    let own = Sharer { outside: false, ..short };
    assert_eq!(Shares::of([own, bulk]).jain, Some(0.9));
}

/// The direction of a connection shows once more payload goes back: what was measured of it until then counts.
#[test]
fn a_flow_that_turns_keeps_what_was_measured_of_its_direction() {
    let mut live = live("string-4", &["routing.protocol=static"], Layer::Three);
    let forth = datagram(&mut live, 0, 4, 64);
    let mut bytes = forth.bytes.to_vec();
    (bytes[15], bytes[19]) = (4, 0);
    live.take_in(Entering { node: NodeId(4), to: NodeId(0), bytes: bytes.into(), ..forth.clone() });
    live.run_until(SimTime::from_nanos(1_000_000_000));
    live.turn_flow(forth.flow);
    let report = live.finish().expect("the books balance");
    let flow = &report.document.flows[0];
    assert_eq!((flow.from, flow.to, flow.mean_hops), (4, 0, Some(4.0)));
    // 120 bytes of IP in a second.
    assert!((flow.sent_bps - 960.0).abs() < 1.0, "{}", flow.sent_bps);
}

/// The record has the packets of real stations, with the numbers of their headers, and what became of them.
#[test]
fn the_record_keeps_the_packets_of_real_stations() {
    let scenario = Scenario::load("string-4", &["routing.protocol=static".to_owned()]).expect("a scenario");
    let stations = vec![NodeId(0), NodeId(4)];
    let limit = SimDuration::from_secs_f64(10.0);
    let options = LiveOptions { seed: 1, layer: Layer::Three, stations, limit, pcap: None, record: true };
    let mut live = Live::new(&scenario, &options).expect("a network");
    let header = Header {
        seq: 4_000_000_000,
        payload: 100,
        ack: Some((Seq32(7), 65_536)),
        sacks: [Some((Seq32(8), Seq32(9))), None, None, None],
        again: false,
    };
    let entry = Entering { header, ..datagram(&mut live, 0, 4, 64) };
    live.take_in(entry);
    live.run_until(SimTime::from_nanos(1_000_000_000));
    let report = live.finish().expect("the books balance");
    let tables = report.tables();
    let text = |name: &str| format!("{:?}", tables.iter().find(|table| table.name == name).expect("a table"));
    let segments = text("segments");
    for part in ["4000000000", "65536", "I64([100])"] {
        assert!(segments.contains(part), "{part}: {segments}");
    }
    assert!(text("sacks").contains("I64([9])"), "{}", text("sacks"));
}
