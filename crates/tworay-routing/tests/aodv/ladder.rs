//! Who says what when, in full. A line reads: time, sender>receiver, message; a frame takes 1 ms, a
//! unicast that nobody hears is given up after 5 ms.

use crate::harness::{Net, Script, ms};
use tworay_base::SimDuration;
use tworay_routing::{AodvConfig, RoutingNote};

fn still(config: AodvConfig) -> AodvConfig {
    AodvConfig { broadcast_jitter: SimDuration::ZERO, ..config }
}

/// 0-1-2-3-4; node 2 leaves at 3 s, node 5 takes its place at 4 s.
fn middle_leaves(config: AodvConfig) -> Net {
    let mut net = Net::new(6, &still(config), 1);
    for i in 1..5 {
        net.link(i - 1, i);
    }
    net.send_at(ms(1000), 0, 4);
    for other in [1, 3] {
        net.at(ms(3000), Script::Down(other, 2));
        net.at(ms(4000), Script::Up(other, 5));
    }
    for t in [3100, 3101, 3200] {
        net.send_at(ms(t), 0, 4);
    }
    net
}

fn assert_ladder(net: &Net, expected: &str) {
    let clean = |s: &str| s.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n");
    let (is, should) = (clean(&net.ladder), clean(expected));
    assert!(is == should, "the ladder is\n{is}\n\nand should be\n{should}");
}

#[test]
fn a_break_in_the_middle_by_the_rfc() {
    let mut net = middle_leaves(AodvConfig::rfc3561());
    net.run_until(ms(10_000));
    assert_ladder(&net, "");
}

#[test]
fn a_break_in_the_middle_in_ns2() {
    let mut net = middle_leaves(AodvConfig::ns2());
    net.run_until(ms(10_000));
    assert_ladder(&net, "");
}

#[test]
fn hellos_find_the_break_of_the_thesis_trace() {
    // Table 3.1's setting: 0-1-2-3-4 with 5 beside 3 and 4; the link 3-4 breaks at 35 s.
    let mut net = Net::chain(6, &AodvConfig::thesis_trace());
    net.link(3, 5);
    for t in (1000..45_000).step_by(100) {
        net.send_at(ms(t), 0, 4);
    }
    net.at(ms(35_000), Script::Down(3, 4));
    net.run_until(ms(45_000));
    let first = |what: &dyn Fn(&RoutingNote) -> bool| {
        let found = net.notes.iter().find(|(t, _, note)| *t > ms(35_000) && what(note));
        found.map(|(t, ..)| t.as_secs_f64()).expect("it is noted")
    };
    let broken = first(&|n| matches!(n, RoutingNote::LinkBroken { .. }));
    let found = first(&|n| matches!(n, RoutingNote::RouteFound { .. }));
    assert!((36.0..=37.0).contains(&broken), "detected at {broken} s: up to two HELLO intervals later");
    assert!((broken..=39.0).contains(&found), "restored at {found} s");
}
