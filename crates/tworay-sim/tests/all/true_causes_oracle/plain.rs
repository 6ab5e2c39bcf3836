//! Minimal scenarios that the oracle found, with the reason why geometry permits only one cause.

use super::generate::{Ground, ring, string};
use super::rules::Case;
use super::world::{BitErrors, Scene, Traffic};
use std::collections::BTreeSet;

/// Places in `world::PROTOCOLS`.
const STATIC: usize = 0;
const AODV: usize = 1;
const AODV_THESIS: usize = 3;
const AODV_TRACE: usize = 4;
const DSR_NS2: usize = 6;
const DSR_TRACE: usize = 8;
const DSR_FREEZE_PROBING: usize = 9;
const OLSR: usize = 10;

fn ground(protocol: usize, ns2: bool, arp: bool) -> Ground {
    Ground { protocol, ns2, rts: 0, arp, seed: 1 }
}

pub fn causes(case: &Case) -> BTreeSet<&'static str> {
    case.losses.iter().map(|loss| loss.cause).collect()
}

/// `0 ── 1`, one flow of 3.4 Mb/s. In ns-2's dialect each packet without an address asks again, and ARP gives up
/// with the packet after the third request, 3.6 ms after the first: before an answer is possible. One station
/// alone transmits, so nothing collides; load fills the slot.
#[test]
fn requests_that_follow_each_other_too_fast_are_congestion() {
    let scene = ground(OLSR, true, true).scene(string(1, 150.0));
    let mut scene = scene.with_flow(0, 1, Traffic::Datagrams { kbps: 3400 });
    scene.queue = 2;
    scene.seed = 158;
    let case = Case::run(&Scene { duration: 50, ..scene }.after_convergence());
    assert!(case.losses.iter().any(|loss| loss.died == "arp-unanswered"), "{:?}", case.losses.first());
    assert!(!case.collides());
    assert_eq!(causes(&case), BTreeSet::from(["congestion"]));
}

/// `0 ── 1 ── 2`, DSR with routes of one hop at most. The datagrams wait at node 0 for a route from 1 s on, in vain;
/// at 7.8 s node 0 is switched off. Before that, node 0 was on: node down cannot have struck them then.
#[test]
fn a_packet_that_waits_until_its_node_fails_was_not_struck_before() {
    let scene = ground(DSR_NS2, true, false).scene(string(2, 200.0));
    let mut scene = scene.with_flow(0, 2, Traffic::Datagrams { kbps: 20 }).with_outage(0, 78, None);
    scene.reach = Some(1);
    let case = Case::run(&scene);
    let waited: Vec<_> = case.losses.iter().filter(|l| l.died == "node-down" && l.since < 7.8).collect();
    assert!(case.losses.len() > 10, "{:?}", case.losses.first());
    assert!(waited.iter().all(|loss| loss.cause == "no-route"), "{:?}", waited.first());
}

/// `0 ── … ── 4`, AODV with a diameter of one hop, slow datagrams. The buffer fills because no search succeeds, not
/// because the flow is fast: it takes 13 s to fill 64 places.
#[test]
fn a_buffer_full_of_packets_without_a_route_had_no_route() {
    let scene = ground(AODV, false, false).scene(string(4, 200.0));
    let mut scene = scene.with_flow(0, 4, Traffic::Datagrams { kbps: 20 });
    scene.reach = Some(1);
    let case = Case::run(&Scene { duration: 400, ..scene });
    assert!(case.losses.iter().any(|loss| loss.died == "buffer"), "{:?}", case.losses.first());
    assert_eq!(causes(&case), BTreeSet::from(["no-route"]));
}

/// `0 ── 1`, bit errors in three of ten frames. An RTS that was answered is no failed attempt: the ledger counts
/// as many attempts as the medium shows without an answer.
#[test]
fn an_answered_rts_is_no_failed_attempt() {
    let scene = ground(OLSR, false, false).scene(string(1, 120.0));
    let mut scene = scene.with_flow(0, 1, Traffic::Datagrams { kbps: 8 });
    scene.errors = BitErrors::PerFrame(0.281);
    let case = Case::run(&scene.after_convergence());
    assert!(case.losses.iter().any(|loss| loss.died == "data-retries"), "{:?}", case.losses.first());
    assert_eq!(case.violations(), Vec::<String>::new());
}

/// `0 ── … ── 4`, 204.6 m apart, no RTS, ns-2's rule of reception, more load than the string carries. There is no
/// error model, and the received power is 30 dB above the noise at 250 m: only overlap can destroy a frame.
#[test]
fn nothing_is_channel_where_no_bit_is_wrong() {
    for (protocol, seed) in [(STATIC, 1), (OLSR + 1, 603)] {
        let ground = Ground { protocol, ns2: true, rts: 2, arp: false, seed };
        let scene = ground.scene(string(4, 204.6)).with_flow(0, 4, Traffic::Datagrams { kbps: 1723 });
        let case = Case::run(&Scene { queue: 26, ..scene }.after_convergence());
        assert!(case.losses.len() > 1000, "{}", case.losses.len());
        let channel = case.losses.iter().filter(|loss| loss.cause == "channel");
        assert_eq!(channel.count(), 0, "{}", case.scene.toml());
    }
}

/// ```text
///    2 ── 1
///   /      \     0 sends to 3 over 2 hops of one side; the link behind the first data packet after 6.5 s is cut.
///  3        0    The station before the cut repairs the route and finds the way back, over the source of the
///   \      /     packet, which drops it as a loop. Without the cut it had arrived: nothing else is wrong.
///    4 ── 5
/// ```
#[test]
fn a_packet_that_a_repair_sends_back_was_lost_to_the_break() {
    let ground = Ground { protocol: AODV_THESIS, ns2: false, rts: 1, arp: true, seed: 273 };
    let scene = ground.scene(ring(6)).with_flow(0, 3, Traffic::Transfer { window: 2 });
    let case = Case::run(&scene.with_cut(65, Some(19)));
    assert!(case.losses.iter().any(|loss| loss.died == "loop"), "{:?}", case.losses);
    assert_eq!(causes(&case), BTreeSet::from(["link-failure"]));
}

/// `0 ── 1`, 3.4 Mb/s into a queue of five packets. Every loss at the queue has a cause, also where a HELLO of
/// AODV pushes the last packet out. At 3.845 s node 0 begins to send in the instant in which a HELLO of node 1 arrives, and
/// misses it: for the next 10 ms it has no route, and what comes in this time waits for one.
#[test]
fn no_loss_of_a_full_queue_is_unknown() {
    let ground = Ground { protocol: AODV_TRACE, ns2: false, rts: 0, arp: true, seed: 74 };
    let scene = ground.scene(string(1, 150.0)).with_flow(0, 1, Traffic::Datagrams { kbps: 3365 });
    let case = Case::run(&Scene { queue: 5, duration: 50, ..scene });
    assert!(case.losses.len() > 1000, "{}", case.losses.len());
    let (without_route, others): (Vec<_>, Vec<_>) =
        case.losses.iter().partition(|loss| (3.8475..3.8575).contains(&loss.since));
    assert!(others.iter().all(|loss| loss.cause == "congestion"), "{:?}", causes(&case));
    let waited = ["congestion", "contention"];
    assert!(without_route.iter().all(|loss| waited.contains(&loss.cause)), "{without_route:?}");
}

/// `0 ── … ── 3`, 133 m apart, 37 kb/s, half of the frames with bit errors. DSR's search for a route fails until its
/// buffer holds dozens of packets, which are then released at once into the queue. Load alone offers 9 packets a
/// second, far too few to fill 49 places: errors held them up.
#[test]
fn a_queue_that_a_burst_after_bit_errors_fills_is_channel() {
    let ground = Ground { protocol: DSR_TRACE, ns2: true, rts: 2, arp: false, seed: 976 };
    let scene = ground.scene(string(3, 133.0)).with_flow(0, 3, Traffic::Datagrams { kbps: 37 });
    let case = Case::run(&Scene { errors: BitErrors::PerFrame(0.456), ..scene });
    let full: Vec<_> = case.losses.iter().filter(|loss| loss.died == "ifq").collect();
    assert!(full.len() > 10, "{:?}", case.losses.first());
    assert!(full.iter().all(|loss| loss.cause == "channel"), "{:?}", full.first());
}

/// ```text
/// 1 ── 3    node 3 was off from 2 to 21 s, on again, and walks away at 55 s. The flow from 0 to 3 starts at 71 s,
/// │    │    when node 3 is 2 km away: nothing but that keeps its packets. The outage ended 50 s before.
/// 0 ── 2
/// ```
#[test]
fn an_outage_that_is_over_is_not_the_cause_of_a_later_break() {
    let square = vec![(0.0, 0.0), (0.0, 200.0), (200.0, 0.0), (200.0, 200.0)];
    let ground = Ground { protocol: AODV_TRACE, ns2: true, rts: 2, arp: true, seed: 734 };
    let traffic = Traffic::Datagrams { kbps: 18 };
    let scene = ground.scene(square).with_flow(0, 3, traffic).later(700).with_flow(0, 3, traffic);
    let mut scene = scene.with_outage(3, 20, Some(192)).with_walk(3, 555, (200.0, 3200.0), 150.0);
    scene.flows[1].stop = Some(41);
    let case = Case::run(&scene);
    let late: Vec<_> = case.losses.iter().filter(|loss| loss.since > 70.0).collect();
    assert!(!late.is_empty());
    assert!(late.iter().all(|loss| loss.cause == "link-failure"), "{:?}", late.first());
}

/// A ring of seven. Node 2 walks away at 34.5 s. Node 1 notices it first and sends what it gets from node 0 for
/// node 3 the other way round: back to node 0, which drops its own packets as a loop. Before the walk everything
/// arrived: the walk is the root.
#[test]
fn a_packet_that_a_better_informed_neighbour_returns_was_lost_to_the_walk() {
    let ground = Ground { protocol: OLSR + 1, ns2: true, rts: 1, arp: true, seed: 107 };
    let positions = ring(7);
    let (x, y) = positions[2];
    let scene = ground.scene(positions).with_flow(0, 3, Traffic::Datagrams { kbps: 31 });
    let case = Case::run(&scene.with_walk(2, 45, (x, y + 3000.0), 200.0).after_convergence());
    assert!(case.losses.iter().any(|loss| loss.died == "loop"), "{:?}", case.losses.last());
    assert_eq!(causes(&case), BTreeSet::from(["link-failure"]));
}

/// `0 ── … ── 3`, 175 m apart: all stations sense each other. OLSR has had 30 s to converge and loses its routes to
/// bursts of bit errors that strike its messages. Without the bursts nothing is lost here.
#[test]
fn routes_that_olsr_loses_to_bit_errors_are_channel() {
    let scene = ground(OLSR, true, false).scene(string(3, 175.1));
    let mut scene = scene.with_flow(0, 3, Traffic::Datagrams { kbps: 17 });
    scene.seed = 739;
    let quiet = Case::run(&scene.clone().after_convergence());
    assert_eq!(quiet.losses.len(), 0);
    let case = Case::run(&Scene { errors: BitErrors::Bursts(0.0084, 0.0207), ..scene }.after_convergence());
    assert!(case.losses.iter().any(|loss| loss.died == "no-route"), "{:?}", case.losses.first());
    assert_eq!(causes(&case), BTreeSet::from(["channel"]));
}

/// `0 ── 1 ── 2`, datagrams of 32 kb/s from 0 to 2, and against them a transfer with a window of 18. The link 1-2 is cut
/// from 8.9 s on for 2.2 s, and DSR finds a route again at 17 s. What waited for it fills the queues, together with the
/// acknowledgments that it sets off. Without the cut, 18 segments, their acknowledgments and 8 datagrams a second cannot
/// fill a queue of 50: the cut filled them.
#[test]
fn a_queue_of_released_packets_and_their_acknowledgments_is_link_failure() {
    let ground = Ground { protocol: DSR_NS2, ns2: false, rts: 0, arp: false, seed: 950 };
    let scene = ground.scene(string(2, 223.93883574982905)).with_flow(0, 2, Traffic::Datagrams { kbps: 32 });
    let scene = scene.with_flow(2, 0, Traffic::Transfer { window: 18 });
    let undisturbed = Case::run(&scene);
    assert_eq!(undisturbed.losses.len(), 0, "{:?}", undisturbed.losses.first());
    let case = Case::run(&scene.with_cut(89, Some(22)));
    assert!(case.losses.iter().any(|loss| loss.died == "ifq" && loss.node == 1), "{:?}", case.losses);
    assert_eq!(causes(&case), BTreeSet::from(["link-failure"]));
}

/// `0 ── 1`, seven datagrams a second, and long bursts of bit errors. Station 1 has two replies for station 0 in the same
/// millisecond, and the newer one replaces the other in ARP's hold slot; then errors strike all three requests for the
/// address. Had the older reply been sent, too, it would have waited for the same address: errors keep the route away.
#[test]
fn a_search_whose_last_reply_bit_errors_strike_is_channel() {
    let ground = Ground { protocol: DSR_FREEZE_PROBING, ns2: false, rts: 0, arp: true, seed: 443 };
    let scene = ground.scene(string(1, 120.0)).with_flow(0, 1, Traffic::Datagrams { kbps: 30 });
    let undisturbed = Case::run(&scene);
    assert_eq!(undisturbed.losses.len(), 0, "{:?}", undisturbed.losses.first());
    let case = Case::run(&Scene { errors: BitErrors::Bursts(0.001, 0.001), ..scene });
    assert!(case.losses.iter().any(|loss| loss.died == "buffer"), "{:?}", case.losses.first());
    assert!(!case.collides());
    assert_eq!(causes(&case), BTreeSet::from(["channel"]));
}

/// A ring of six, and a window of one segment from 0 over 1 and 2 to 3. The link 2-3 is cut at 3.8 s, for good. Node 2
/// repairs its route, and sends what has waited back to node 1, which has lost its route meanwhile. Without the cut
/// nothing is lost, and the packets had never been sent back.
#[test]
fn a_packet_that_a_repair_sends_to_a_node_without_a_route_was_lost_to_the_break() {
    let ground = Ground { protocol: AODV, ns2: true, rts: 2, arp: false, seed: 911 };
    let scene = ground.scene(ring(6)).with_flow(0, 3, Traffic::Transfer { window: 1 });
    assert_eq!(Case::run(&scene).losses.len(), 0);
    let case = Case::run(&scene.with_cut(38, None));
    assert!(case.losses.iter().any(|loss| loss.died == "no-route" && loss.node == 1), "{:?}", case.losses);
    assert_eq!(causes(&case), BTreeSet::from(["link-failure"]));
}
