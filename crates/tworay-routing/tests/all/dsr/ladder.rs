//! Complete message sequences. A frame takes 1 ms; the MAC gives up after 5 ms.

use super::net::{Net, Script, ms, n};
use tworay_base::SimDuration;
use tworay_routing::dsr::MaintenanceOrder;
use tworay_routing::{DsrConfig, RoutingNote};

fn still(config: DsrConfig) -> DsrConfig {
    DsrConfig { broadcast_jitter: SimDuration::ZERO, reply_holdoff: SimDuration::ZERO, ..config }
}

#[test]
fn a_route_is_found_and_used() {
    let mut net = Net::chain(4, &still(DsrConfig::rfc4728()));
    net.send_at(ms(1000), 0, 3);
    net.run_until(ms(2000));
    net.assert_ladder(
        "
        1s 0>* RREQ #1 0..3 ttl 1
        1.03s 0>* RREQ #2 0..3 ttl 255
        1.031s 1>* RREQ #2 0-1..3 ttl 254
        1.032s 2>* RREQ #2 0-1-2..3 ttl 253
        1.033s 3>2 RREP 0-1-2-3 via [2-1] left 2
        1.034s 2>1 RREP 0-1-2-3 via [2-1] left 1
        1.035s 1>0 RREP 0-1-2-3 via [2-1] left 0
        1.036s 0>1 data 1 via [1-2] left 2
        1.037s 1>2 data 1 via [1-2] left 1
        1.038s 2>3 data 1 via [1-2] left 0
        1.039s 3 gets data 1
        ",
    );
}

/// 0-1-2-3-4 with 5 next to 3 and 4, as in the route-break scenario of Papanastasiou (2006).
fn last_leaves(config: DsrConfig) -> Net {
    let mut net = Net::new(6, &still(config), 1);
    for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 4), (3, 5), (5, 4)] {
        net.link(a, b);
    }
    net.send_at(ms(1000), 0, 4);
    net.at(ms(3000), Script::Down(3, 4));
    for t in [3100, 3101, 3200] {
        net.send_at(ms(t), 0, 4);
    }
    net
}

#[test]
fn a_packet_is_salvaged_where_its_route_breaks() {
    let mut net = last_leaves(DsrConfig::rfc4728());
    net.run_until(ms(4000));
    net.assert_ladder(
        "
        1s 0>* RREQ #1 0..4 ttl 1
        1.03s 0>* RREQ #2 0..4 ttl 255
        1.031s 1>* RREQ #2 0-1..4 ttl 254
        1.032s 2>* RREQ #2 0-1-2..4 ttl 253
        1.033s 3>* RREQ #2 0-1-2-3..4 ttl 252
        1.034s 4>3 RREP 0-1-2-3-4 via [3-2-1] left 3
        1.034s 5>* RREQ #2 0-1-2-3-5..4 ttl 251
        1.035s 3>2 RREP 0-1-2-3-4 via [3-2-1] left 2
        1.035s 4>5 RREP 0-1-2-3-5-4 via [5-3-2-1] left 4
        1.036s 2>1 RREP 0-1-2-3-4 via [3-2-1] left 1
        1.036s 5>3 RREP 0-1-2-3-5-4 via [5-3-2-1] left 3
        1.037s 1>0 RREP 0-1-2-3-4 via [3-2-1] left 0
        1.037s 3>2 RREP 0-1-2-3-5-4 via [5-3-2-1] left 2
        1.038s 0>1 data 1 via [1-2-3] left 3
        1.038s 2>1 RREP 0-1-2-3-5-4 via [5-3-2-1] left 1
        1.039s 1>2 data 1 via [1-2-3] left 2
        1.04s 1>0 RREP 0-1-2-3-5-4 via [5-3-2-1] left 0
        1.04s 2>3 data 1 via [1-2-3] left 1
        1.041s 3>4 data 1 via [1-2-3] left 0
        1.042s 4 gets data 1
        3s -- link 3-4 breaks
        3.1s 0>1 data 2 via [1-2-3] left 3
        3.101s 0>1 data 3 via [1-2-3] left 3
        3.101s 1>2 data 2 via [1-2-3] left 2
        3.102s 1>2 data 3 via [1-2-3] left 2
        3.102s 2>3 data 2 via [1-2-3] left 1
        3.103s 2>3 data 3 via [1-2-3] left 1
        3.103s 3>4 data 2 via [1-2-3] left 0
        3.108s 3>2 RERR 3-4 to 0 via [2-1] left 2
        3.109s 3>5 data 2 via [3-5] left 1 salvaged 1
        3.109s 2>1 RERR 3-4 to 0 via [2-1] left 1
        3.11s 3>5 data 3 via [3-5] left 1 salvaged 1
        3.11s 5>4 data 2 via [3-5] left 0 salvaged 1
        3.11s 1>0 RERR 3-4 to 0 via [2-1] left 0
        3.111s 4 gets data 2
        3.111s 5>4 data 3 via [3-5] left 0 salvaged 1
        3.112s 4 gets data 3
        3.2s 0>1 data 4 via [1-2-3-5] left 4
        3.201s 1>2 data 4 via [1-2-3-5] left 3
        3.202s 2>3 data 4 via [1-2-3-5] left 2
        3.203s 3>5 data 4 via [1-2-3-5] left 1
        3.204s 5>4 data 4 via [1-2-3-5] left 0
        3.205s 4 gets data 4
        ",
    );
}

#[test]
fn without_the_link_layer_acknowledgments_find_the_break() {
    let config = DsrConfig { maintenance_order: MaintenanceOrder::Fifo, ..DsrConfig::thesis_trace() };
    let mut net = last_leaves(config);
    net.run_until(ms(6000));
    net.assert_ladder(
        "
        1s 0>* RREQ #1 0..4 ttl 1
        1.03s 0>* RREQ #2 0..4 ttl 255
        1.031s 1>* RREQ #2 0-1..4 ttl 254
        1.032s 2>* RREQ #2 0-1-2..4 ttl 253
        1.033s 3>* RREQ #2 0-1-2-3..4 ttl 252
        1.034s 4>3 RREP 0-1-2-3-4 via [3-2-1] left 3
        1.034s 5>* RREQ #2 0-1-2-3-5..4 ttl 251
        1.035s 3>2 RREP 0-1-2-3-4 via [3-2-1] left 2
        1.035s 4>5 RREP 0-1-2-3-5-4 via [5-3-2-1] left 4
        1.036s 2>1 RREP 0-1-2-3-4 via [3-2-1] left 1
        1.036s 5>3 RREP 0-1-2-3-5-4 via [5-3-2-1] left 3
        1.037s 1>0 RREP 0-1-2-3-4 ack? 1 via [3-2-1] left 0
        1.037s 3>2 RREP 0-1-2-3-5-4 via [5-3-2-1] left 2
        1.038s 0>1 ACK 1
        1.038s 2>1 RREP 0-1-2-3-5-4 via [5-3-2-1] left 1
        1.039s 0>1 data 1 via [1-2-3] left 3
        1.039s 1>0 RREP 0-1-2-3-5-4 via [5-3-2-1] left 0
        1.04s 1>2 data 1 via [1-2-3] left 2
        1.041s 2>3 data 1 via [1-2-3] left 1
        1.042s 3>4 data 1 ack? 1 via [1-2-3] left 0
        1.043s 4 gets data 1
        1.043s 4>3 ACK 1
        3s -- link 3-4 breaks
        3.1s 0>1 data 2 via [1-2-3] left 3
        3.101s 0>1 data 3 via [1-2-3] left 3
        3.101s 1>2 data 2 via [1-2-3] left 2
        3.102s 1>2 data 3 via [1-2-3] left 2
        3.102s 2>3 data 2 via [1-2-3] left 1
        3.103s 2>3 data 3 via [1-2-3] left 1
        3.103s 3>4 data 2 ack? 2 via [1-2-3] left 0
        3.108s 3 drops data 2 ack? 2 via [1-2-3] left 0 (CBK)
        3.108s 3>4 data 3 via [1-2-3] left 0
        3.113s 3 drops data 3 via [1-2-3] left 0 (CBK)
        3.2s 0>1 data 4 via [1-2-3] left 3
        3.201s 1>2 data 4 via [1-2-3] left 2
        3.202s 2>3 data 2 via [1-2-3] left 1
        3.203s 2>3 data 4 via [1-2-3] left 1
        3.204s 3>4 data 4 via [1-2-3] left 0
        3.209s 3 drops data 4 via [1-2-3] left 0 (CBK)
        3.302s 2>3 data 2 ack? 1 via [1-2-3] left 1
        3.303s 3>2 ACK 1
        3.353s 3>4 data 2 ack? 2 via [1-2-3] left 0
        3.358s 3 drops data 2 ack? 2 via [1-2-3] left 0 (CBK)
        3.603s 3>4 data 2 ack? 2 via [1-2-3] left 0
        3.608s 3 drops data 2 ack? 2 via [1-2-3] left 0 (CBK)
        3.853s 3>2 RERR 3-4 to 0 via [2-1] left 2
        3.854s 3>5 data 2 via [3-5] left 1 salvaged 1
        3.854s 2>1 RERR 3-4 to 0 via [2-1] left 1
        3.855s 3>5 data 3 via [3-5] left 1 salvaged 1
        3.855s 5>4 data 2 ack? 1 via [3-5] left 0 salvaged 1
        3.855s 1>0 RERR 3-4 to 0 ack? 2 via [2-1] left 0
        3.856s 3>5 data 4 via [3-5] left 1 salvaged 1
        3.856s 4 gets data 2
        3.856s 5>4 data 3 via [3-5] left 0 salvaged 1
        3.856s 4>5 ACK 1
        3.856s 0>1 ACK 2
        3.857s 4 gets data 3
        3.857s 5>4 data 4 via [3-5] left 0 salvaged 1
        3.858s 4 gets data 4
        ",
    );
}

#[test]
fn the_source_hears_of_the_break() {
    let mut net = last_leaves(DsrConfig::rfc4728());
    net.run_until(ms(4000));
    let told = RoutingNote::RouteError { broken_from: n(3), broken_to: Some(n(4)), dst: n(4) };
    let told_at: Vec<_> = net.notes.iter().filter(|(_, at, note)| *at == n(0) && *note == told).collect();
    assert_eq!(told_at.len(), 1, "{:?}", net.notes);
}

#[test]
fn ns2_asks_in_pairs_that_follow_each_other_ever_more_slowly() {
    let mut net = Net::chain(2, &still(DsrConfig::ns2()));
    net.send_at(ms(1000), 0, 9);
    net.run_until(ms(33_000));
    let requests: Vec<(f64, bool)> = net
        .ladder
        .lines()
        .filter(|l| l.contains(" 0>* RREQ"))
        .map(|l| (l.split('s').next().unwrap().parse().unwrap(), l.ends_with("ttl 255")))
        .collect();
    // Pairs at 0, 2, 10, 20, 30 s after the start, sent at the next check of the buffer; the network-wide
    // request 30 to 90 ms later.
    let due = [1.0, 3.0, 11.0, 21.0, 31.0];
    assert_eq!(requests.len(), 2 * due.len() - 2, "the packet is dropped after 30 s: {requests:?}");
    let mut last = 1.0;
    for (pair, gap) in requests.chunks(2).zip([0.0, 2.0, 8.0, 10.0]) {
        assert_eq!((pair[0].1, pair[1].1), (false, true));
        assert!((0.0..0.061).contains(&(pair[0].0 - last - gap)), "{requests:?}");
        assert!((0.03..0.1).contains(&(pair[1].0 - pair[0].0)), "{requests:?}");
        last = pair[0].0;
    }
    assert_eq!(net.dropped, [(1, "TOUT")]);
}
