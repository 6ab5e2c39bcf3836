//! Complete message sequences. A line reads: time, sender>receiver, message. A frame takes 1 ms; a unicast
//! that is not received is given up after 5 ms.

use super::harness::{Net, Script, ms};
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

#[test]
fn a_break_in_the_middle_by_the_rfc() {
    let mut net = middle_leaves(AodvConfig::rfc3561());
    net.run_until(ms(10_000));
    net.assert_ladder(
        "
        1s 0>* RREQ 0#1 seq 1 for 4 seq ? hops 0 ttl 1
        1.24s 0>* RREQ 0#2 seq 2 for 4 seq ? hops 0 ttl 3
        1.241s 1>* RREQ 0#2 seq 2 for 4 seq ? hops 1 ttl 2
        1.242s 2>* RREQ 0#2 seq 2 for 4 seq ? hops 2 ttl 1
        1.64s 0>* RREQ 0#3 seq 3 for 4 seq ? hops 0 ttl 5
        1.641s 1>* RREQ 0#3 seq 3 for 4 seq ? hops 1 ttl 4
        1.642s 2>* RREQ 0#3 seq 3 for 4 seq ? hops 2 ttl 3
        1.643s 3>* RREQ 0#3 seq 3 for 4 seq ? hops 3 ttl 2
        1.644s 4>3 RREP 4 seq 0 hops 0 for 0 life 6s
        1.645s 3>2 RREP 4 seq 0 hops 1 for 0 life 6s
        1.646s 2>1 RREP 4 seq 0 hops 2 for 0 life 6s
        1.647s 1>0 RREP 4 seq 0 hops 3 for 0 life 6s
        1.648s 0>1 data 1
        1.649s 1>2 data 1
        1.65s 2>3 data 1
        1.651s 3>4 data 1
        1.652s 4 gets data 1
        3s -- link 1-2 breaks
        3s -- link 3-2 breaks
        3.1s 0>1 data 2
        3.101s 0>1 data 3
        3.101s 1>2 data 2
        3.106s 1 drops data 2 (CBK)
        3.106s 1 drops data 3 (CBK)
        3.106s 1>0 RERR 2 seq 0, 4 seq 1
        3.2s 0>* RREQ 0#4 seq 4 for 4 seq 1 hops 0 ttl 6
        3.201s 1>* RREQ 0#4 seq 4 for 4 seq 1 hops 1 ttl 5
        3.84s 0>* RREQ 0#5 seq 5 for 4 seq 1 hops 0 ttl 35
        3.841s 1>* RREQ 0#5 seq 5 for 4 seq 1 hops 1 ttl 34
        6.64s 0>* RREQ 0#6 seq 6 for 4 seq 1 hops 0 ttl 35
        6.641s 1>* RREQ 0#6 seq 6 for 4 seq 1 hops 1 ttl 34
        6.642s 5>* RREQ 0#6 seq 6 for 4 seq 1 hops 2 ttl 33
        6.643s 3>* RREQ 0#6 seq 6 for 4 seq 1 hops 3 ttl 32
        6.644s 4>3 RREP 4 seq 1 hops 0 for 0 life 6s
        6.645s 3>5 RREP 4 seq 1 hops 1 for 0 life 6s
        6.646s 5>1 RREP 4 seq 1 hops 2 for 0 life 6s
        6.647s 1>0 RREP 4 seq 1 hops 3 for 0 life 6s
        6.648s 0>1 data 4
        6.649s 1>5 data 4
        6.65s 5>3 data 4
        6.651s 3>4 data 4
        6.652s 4 gets data 4
        ",
    );
}

#[test]
fn a_break_in_the_middle_in_ns2() {
    let mut net = middle_leaves(AodvConfig::ns2());
    net.run_until(ms(10_000));
    net.assert_ladder(
        "
        1s 0>* RREQ 0#1 seq 4 for 4 seq ? hops 0 ttl 30
        1.001s 1>* RREQ 0#1 seq 4 for 4 seq ? hops 1 ttl 29
        1.002s 2>* RREQ 0#1 seq 4 for 4 seq ? hops 2 ttl 28
        1.003s 3>* RREQ 0#1 seq 4 for 4 seq ? hops 3 ttl 27
        1.004s 4>3 RREP 4 seq 4 hops 0 for 0 life 10s
        1.005s 3>2 RREP 4 seq 4 hops 1 for 0 life 10s
        1.006s 2>1 RREP 4 seq 4 hops 2 for 0 life 10s
        1.007s 1>0 RREP 4 seq 4 hops 3 for 0 life 10s
        1.008s 0>1 data 1
        1.009s 1>2 data 1
        1.01s 2>3 data 1
        1.011s 3>4 data 1
        1.012s 4 gets data 1
        3s -- link 1-2 breaks
        3s -- link 3-2 breaks
        3.1s 0>1 data 2
        3.101s 0>1 data 3
        3.101s 1>2 data 2
        3.106s 1 drops data 2 (CBK)
        3.106s 1 drops data 3 (CBK)
        3.106s 1>* RERR 4 seq 5
        3.2s 0>* RREQ 0#2 seq 6 for 4 seq 5 hops 0 ttl 6
        3.201s 1>* RREQ 0#2 seq 6 for 4 seq 5 hops 1 ttl 5
        3.5s 0>* RREQ 0#3 seq 8 for 4 seq 5 hops 0 ttl 8
        3.501s 1>* RREQ 0#3 seq 8 for 4 seq 5 hops 1 ttl 7
        4s 0>* RREQ 0#4 seq 10 for 4 seq 5 hops 0 ttl 30
        4.001s 1>* RREQ 0#4 seq 10 for 4 seq 5 hops 1 ttl 29
        4.002s 5>* RREQ 0#4 seq 10 for 4 seq 5 hops 2 ttl 28
        4.003s 3>* RREQ 0#4 seq 10 for 4 seq 5 hops 3 ttl 27
        4.004s 4>3 RREP 4 seq 6 hops 0 for 0 life 10s
        4.005s 3>5 RREP 4 seq 6 hops 1 for 0 life 10s
        4.006s 5>1 RREP 4 seq 6 hops 2 for 0 life 10s
        4.007s 1>0 RREP 4 seq 6 hops 3 for 0 life 10s
        4.008s 0>1 data 4
        4.009s 1>5 data 4
        4.01s 5>3 data 4
        4.011s 3>4 data 4
        4.012s 4 gets data 4
        ",
    );
}

#[test]
fn hellos_find_the_break_of_the_thesis_trace() {
    // The network of table 3.1: 0-1-2-3-4 with 5 next to 3 and 4; the link 3-4 breaks at 35 s.
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

#[test]
fn a_one_way_link_is_avoided_once_a_reply_is_lost_on_it() {
    // 0 reaches 3 through 1 and through 2, but 0 does not receive from 1.
    let delivered_at = |blacklist| {
        let mut net =
            Net::new(4, &still(AodvConfig { blacklist, destination_only: true, ..AodvConfig::rfc3561() }), 1);
        net.one_way(0, 1);
        net.link(1, 3);
        net.link(0, 2);
        net.link(2, 3);
        net.send_at(ms(1000), 0, 3);
        net.run_until(ms(60_000));
        net.delivered.first().map(|(t, _)| t.as_secs_f64())
    };
    let shunning = delivered_at(true).expect("found over 2");
    assert!(shunning < 2.5, "the second request that reached 3 is answered over 2, at {shunning} s");
    assert_eq!(delivered_at(false), None, "each request reaches 3 over 1 first");
}
