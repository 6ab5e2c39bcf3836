use super::{ArpAction, ArpDue, ArpTable};
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};

/// Runs a script of `send` (a packet to node 1) and `learn`; returns one answer per line.
fn script(steps: &[&str]) -> Vec<String> {
    let mut table = ArpTable::default();
    let mut packet = 0;
    let mut step = |what: &&str| {
        if *what == "learn" {
            return format!("learnt, releases {:?}", table.learn(NodeId(1)).map(|p| p.0));
        }
        packet += 1;
        match table.resolve(SimTime::ZERO, NodeId(1), PacketId(packet)) {
            ArpAction::Send(p) => format!("send {}", p.0),
            ArpAction::Request { pushed_out } => {
                format!("request for {packet}, pushes out {:?}", pushed_out.map(|p| p.0))
            }
            ArpAction::Wait { pushed_out } => {
                format!("{packet} waits, pushes out {:?}", pushed_out.map(|p| p.0))
            }
            ArpAction::Unreachable { held } => {
                format!("unreachable for {packet} and {:?}", held.map(|p| p.0))
            }
        }
    };
    steps.iter().map(&mut step).collect()
}

#[test]
fn an_answer_releases_the_packet_that_waits() {
    assert_eq!(
        script(&["send", "learn", "send", "learn"]),
        ["request for 1, pushes out None", "learnt, releases Some(1)", "send 2", "learnt, releases None"]
    );
}

#[test]
fn only_the_newest_packet_waits() {
    assert_eq!(
        script(&["send", "send", "learn"]),
        ["request for 1, pushes out None", "request for 2, pushes out Some(1)", "learnt, releases Some(2)"]
    );
}

#[test]
fn after_three_requests_the_fourth_packet_finds_nobody_and_counting_begins_anew() {
    assert_eq!(
        script(&["send", "send", "send", "send", "send"]),
        [
            "request for 1, pushes out None",
            "request for 2, pushes out Some(1)",
            "request for 3, pushes out Some(2)",
            "unreachable for 4 and Some(3)",
            "request for 5, pushes out None",
        ]
    );
}

#[test]
fn neighbours_do_not_mix_and_a_heard_request_teaches_too() {
    let mut table = ArpTable::default();
    assert_eq!(table.learn(NodeId(7)), None);
    assert_eq!(table.resolve(SimTime::ZERO, NodeId(7), PacketId(1)), ArpAction::Send(PacketId(1)));
    assert_eq!(table.resolve(SimTime::ZERO, NodeId(3), PacketId(2)), ArpAction::Request { pushed_out: None });
    assert_eq!(table.held().collect::<Vec<_>>(), [(NodeId(3), PacketId(2))]);
}

/// With a retry interval, a lost request is repeated without another packet, three times in all.
#[test]
fn a_lost_request_is_repeated_by_time() {
    let at = |ms| SimTime::ZERO + SimDuration::from_millis(ms);
    let mut table = ArpTable::new(SimDuration::from_millis(100));
    assert_eq!(table.resolve(at(0), NodeId(1), PacketId(1)), ArpAction::Request { pushed_out: None });
    assert_eq!(
        table.resolve(at(50), NodeId(1), PacketId(2)),
        ArpAction::Wait { pushed_out: Some(PacketId(1)) }
    );
    let mut log = Vec::new();
    while table.next_due() != SimTime::NEVER {
        let now = table.next_due();
        let mut due = Vec::new();
        table.on_timer(now, &mut due);
        log.extend(due.into_iter().map(|d| (now, d)));
    }
    assert_eq!(
        log,
        [
            (at(100), ArpDue::Request(NodeId(1))),
            (at(200), ArpDue::Request(NodeId(1))),
            (at(300), ArpDue::Unreachable(NodeId(1), PacketId(2))),
        ]
    );
    assert_eq!(table.resolve(at(400), NodeId(1), PacketId(3)), ArpAction::Request { pushed_out: None });
    assert_eq!(table.learn(NodeId(1)), Some(PacketId(3)));
    assert_eq!(table.next_due(), SimTime::NEVER);
}
