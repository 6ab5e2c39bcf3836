//! Minimal scenarios that the oracle found: packets that a disturbance has held up, released together or rerouted, and that
//! then meet in slots and queues or come too late for a relay's route; and two that the oracle itself misjudged.

use super::generate::{Ground, ring, string};
use super::medium::Loss;
use super::plain::causes;
use super::rules::Case;
use super::world::{BitErrors, Flow, Scene, Traffic};
use std::collections::BTreeSet;

/// Places in `world::PROTOCOLS`.
const AODV: usize = 1;
const AODV_THESIS: usize = 3;
const DSR: usize = 5;
const DSR_THESIS: usize = 7;
const DSR_TRACE: usize = 8;
const DSR_FREEZE_PROBING: usize = 9;
const OLSR_THESIS: usize = 11;

fn ground(protocol: usize, ns2: bool, seed: u64) -> Ground {
    Ground { protocol, ns2, rts: 0, arp: true, seed }
}

/// A ring of six, and a window of five segments from 0 over 1 and 2 to 3. Node 2 walks away, and node 3 searches for a way
/// back for its acknowledgments. The request shows node 0 the way over 5 and 4, and two segments follow each other there
/// too fast for ARP. Without the walk they had stayed on their path, where all addresses are known.
#[test]
fn segments_that_a_search_for_a_way_back_reroutes_were_lost_to_the_break() {
    let ground = Ground { rts: 1, ..ground(AODV_THESIS, false, 899) };
    let positions = ring(6);
    let (x, y) = positions[2];
    let scene = ground.scene(positions).with_flow(0, 3, Traffic::Transfer { window: 5 });
    assert_eq!(Case::run(&scene).losses.len(), 0);
    let case = Case::run(&scene.with_walk(2, 46, (x, y + 3000.0), 200.0));
    assert!(case.losses.iter().any(|loss| loss.died == "arp" && loss.node == 5), "{:?}", case.losses);
    assert_eq!(causes(&case), BTreeSet::from(["link-failure"]));
}

/// `0 ── … ── 3`, 135 m apart, eight datagrams a second, a third of the frames with bit errors. For 10 s the searches of node
/// 0 fail. Then node 2 answers from a route of its own, which is about to expire, and node 1 has none any more when the
/// first datagrams come. Without errors a datagram had used those routes every 124 ms.
#[test]
fn a_route_that_expires_while_bit_errors_keep_packets_from_it_is_channel() {
    let scene = ground(AODV, true, 644).scene(string(3, 134.65399264228972));
    let scene = scene.with_flow(0, 3, Traffic::Datagrams { kbps: 33 });
    assert_eq!(Case::run(&scene).losses.len(), 0);
    let case = Case::run(&Scene { errors: BitErrors::PerFrame(0.3241823415270254), ..scene });
    let relay = |loss: &&Loss| loss.died == "no-route" && loss.node == 1 && loss.since < 12.34;
    assert!(case.losses.iter().filter(relay).count() > 3, "{:?}", case.losses);
    assert_eq!(causes(&case), BTreeSet::from(["channel"]));
}

/// `0 ── … ── 3`, shadowing. DSR searches in vain for 15 s and finds a route within 60 ms of its last request. What has waited
/// is released at once, and the latest datagram, which came after that request, meets it in ARP's hold slot at node 1. Its
/// own search was not late: what fading held up fills the slot.
#[test]
fn a_new_packet_that_meets_released_ones_in_a_slot_was_not_late_itself() {
    let scene = ground(DSR_THESIS, true, 154).scene(string(3, 177.15480543395222));
    let scene = scene.with_flow(0, 3, Traffic::Datagrams { kbps: 29 });
    assert_eq!(Case::run(&scene).losses.len(), 0);
    let case = Case::run(&Scene { errors: BitErrors::Shadowing(9, 9), ..scene });
    assert!(case.losses.iter().any(|loss| loss.died == "arp" && loss.node == 1), "{:?}", case.losses);
    assert_eq!(causes(&case), BTreeSet::from(["channel"]));
}

/// A ring of six, three datagrams a second. Node 2 walks away at 2 s, and fading keeps DSR from a route over 5 and 4 until
/// 16.5 s; at 8.5 s two requests for the address of node 0 collide, so that half of the datagrams wait because of that.
/// Released together, they fill a queue of 49. Load alone fills no queue: a datagram is sent in a hundredth of the time until
/// the next one.
#[test]
fn a_queue_that_fading_and_a_collision_fill_together_is_not_congestion() {
    let ground = Ground { rts: 1, ..ground(DSR_THESIS, true, 297) };
    let positions = ring(6);
    let (x, y) = positions[2];
    let scene = ground.scene(positions).with_flow(0, 3, Traffic::Datagrams { kbps: 13 });
    let scene = scene.with_walk(2, 30, (x, y + 3000.0), 150.0);
    assert!(Case::run(&scene).losses.iter().all(|loss| loss.died != "ifq"));
    let case = Case::run(&Scene { errors: BitErrors::Fading(0), ..scene });
    let full: Vec<_> = case.losses.iter().filter(|loss| loss.died == "ifq").collect();
    assert!(!full.is_empty(), "{:?}", case.losses);
    assert!(full.iter().all(|loss| loss.cause == "channel"), "{full:?}");
}

/// Two rows of three. Node 1 is switched off at 40.2 s, while the first frame of the segment that could execute the order to
/// cut the flow's link is on its way there: it does not cross. The link 0-2, which the flow uses from 46.4 s on, is cut.
#[test]
fn a_frame_to_a_station_that_is_switched_off_meanwhile_cuts_no_link() {
    let positions = (0..6).map(|i| (f64::from(i / 2) * 200.0, f64::from(i % 2) * 200.0)).collect();
    let ground = Ground { rts: 2, arp: false, ..ground(OLSR_THESIS, false, 183) };
    let scene = ground.scene(positions).with_flow(0, 5, Traffic::Transfer { window: 1 });
    let case = Case::run(&scene.with_outage(1, 102, None).with_cut(102, None).after_convergence());
    let cut = case.losses.iter().find(|loss| (loss.root_node, loss.next_hop) == (2, Some(0)));
    assert_eq!(cut.map(|loss| loss.cause), Some("link-failure"), "{:?}", case.losses);
    assert_eq!(case.violations(), Vec::<String>::new());
}

/// `0 ── … ── 3`, 120 m apart, six datagrams a second, a fifth of the packets destroyed above the MAC. They strike what ARP
/// sends, so that node 3 cannot send its reply and searches for a way to node 0 instead. Its request shows node 0 the route:
/// the reply to it and a datagram meet in ARP's hold slot. Without errors node 3 had not searched.
#[test]
fn a_packet_that_meets_the_reply_to_a_search_set_off_by_errors_is_channel() {
    let scene = ground(DSR_FREEZE_PROBING, false, 487).scene(string(3, 120.0));
    let scene = scene.with_flow(0, 3, Traffic::Datagrams { kbps: 25 });
    assert_eq!(Case::run(&scene).losses.iter().filter(|loss| loss.node == 0).count(), 0);
    let case = Case::run(&Scene { errors: BitErrors::PerPacket(0.21196894813906672), ..scene });
    assert!(case.losses.iter().any(|loss| loss.died == "arp" && loss.node == 0), "{:?}", case.losses);
    assert_eq!(causes(&case), BTreeSet::from(["channel"]));
}

/// `0 ── 1`, ten datagrams a second. Node 1's reply waits for an address since bit errors have struck the request for it at
/// 3.1 s; ns-2's ARP asks again only for the reply to node 0's next request, 8 s later, and gives up both. What has waited
/// since 3.1 s waited because of that request for the address.
#[test]
fn packets_that_waited_for_a_reply_which_arp_gives_up_later_are_channel() {
    let scene = Ground { rts: 1, ..ground(DSR, true, 534) }.scene(string(1, 120.0));
    let scene = scene.with_flow(0, 1, Traffic::Datagrams { kbps: 39 });
    assert_eq!(Case::run(&scene).losses.len(), 0);
    let case = Case::run(&Scene { errors: BitErrors::PerFrame(0.3607626605042721), ..scene });
    let full = |loss: &&Loss| loss.died == "ifq" && loss.since > 9.5;
    assert!(case.losses.iter().filter(full).count() > 10, "{:?}", case.losses);
    assert_eq!(causes(&case), BTreeSet::from(["channel"]));
}

/// A square. From 5.8 s on, the next link that a packet of the flow crosses is cut. DSR repeats packets that are not
/// confirmed, and errors above the MAC destroy those that come over 2-3 first: they cross nothing. The link 0-2 is cut.
#[test]
fn a_repeated_packet_that_is_destroyed_above_the_mac_cuts_no_link() {
    let square = vec![(0.0, 0.0), (0.0, 200.0), (200.0, 0.0), (200.0, 200.0)];
    let scene = Ground { arp: false, ..ground(DSR_TRACE, false, 215) }.scene(square);
    let scene = scene.with_flow(0, 3, Traffic::Datagrams { kbps: 12 }).with_cut(58, None);
    let case = Case::run(&Scene { errors: BitErrors::PerPacket(0.395822362114701), ..scene });
    let cut = |loss: &Loss| (loss.root_node, loss.next_hop, loss.cause) == (0, Some(2), "link-failure");
    assert!(case.losses.iter().any(cut), "{:?}", case.losses);
    assert_eq!(case.violations(), Vec::<String>::new());
}

/// `0 ── 1 ── 2`, seven datagrams a second, four of ten packets destroyed above the MAC. Station 2 receives none of the three
/// copies for which node 1 wants an acknowledgment, so that DSR gives up the hop. No acknowledgment was lost lately.
#[test]
fn a_hop_whose_packets_ask_in_vain_for_acknowledgments_is_lost_to_what_destroys_them() {
    let ground = Ground { arp: false, ..ground(DSR_TRACE, false, 172) };
    let scene = ground.scene(string(2, 166.7981460353563));
    let scene = scene.with_flow(0, 2, Traffic::Datagrams { kbps: 29 });
    assert_eq!(Case::run(&scene).losses.len(), 0);
    let case = Case::run(&Scene { errors: BitErrors::PerPacket(0.4237787761265747), ..scene });
    let given_up = |loss: &&Loss| loss.node == 1 && loss.died == "unconfirmed" && loss.since < 2.6;
    assert!(case.losses.iter().any(|loss| given_up(&loss)), "{:?}", case.losses);
    assert_eq!(causes(&case), BTreeSet::from(["channel"]));
}

/// `0 ── … ── 4`, fixed routes, shadowing. From 9.2 s on node 3 asks for the address of node 4 three times in vain. Node 2 walks
/// away and comes back, so that the next packet needs the address only six seconds later. ns-2 asks no fourth time: what
/// kept the three requests from node 4 has this packet, and the one that waits.
#[test]
fn a_late_packet_dies_of_the_requests_for_an_address_that_were_lost_long_before() {
    let ground = ground(0, true, 71);
    let positions = string(4, 176.20665624419303);
    let (x, y) = positions[2];
    let scene = ground.scene(positions).with_flow(0, 4, Traffic::Datagrams { kbps: 10 });
    let scene = scene.with_walk(2, 86, (x, y + 3000.0), 150.0).with_walk(2, 126, (x, y), 150.0);
    let case = Case::run(&Scene { errors: BitErrors::Shadowing(4, 101), ..scene });
    let late = |loss: &&Loss| loss.died == "arp-unanswered" && loss.node == 3 && loss.at > 16.0;
    let late: Vec<_> = case.losses.iter().filter(late).collect();
    assert_eq!(late.iter().map(|loss| loss.cause).collect::<Vec<_>>(), ["channel"; 2]);
    assert_eq!(case.violations(), Vec::<String>::new());
}

/// `0 ── … ── 3`, three datagrams sent for each one that gets through. Node 1 asks for the address of node 0, which starts to
/// send at the very instant in which the request arrives, and misses it; its other answers find its queue full. Later
/// exchanges fail as well. Only load does all this.
#[test]
fn a_request_that_arrives_in_the_instant_in_which_its_target_starts_to_send_is_lost_to_load() {
    let ground = Ground { rts: 1, ..ground(DSR_TRACE, false, 331) };
    let scene = ground.scene(string(3, 185.44516461493308));
    let scene = scene.with_flow(0, 3, Traffic::Datagrams { kbps: 2736 });
    let case = Case::run(&Scene { queue: 12, ..scene.with_flow(3, 0, Traffic::Transfer { window: 1 }) });
    let address = |loss: &Loss| loss.node == 1 && loss.died == "arp";
    assert!(case.losses.iter().any(address), "no loss by ARP");
    assert!(causes(&case).is_subset(&BTreeSet::from(["congestion", "contention"])), "{:?}", causes(&case));
}

/// A ring of eight, shadowing. Node 0 finds a way after ten seconds of vain searches, and what its buffer kept arrives at node 2
/// too fast for ARP, which ns-2 gives up with the fourth packet. The route error names the hop behind node 2, over which
/// nothing was lost: what held up the burst is the root there, too.
#[test]
fn a_hop_that_a_burst_exhausts_is_lost_to_what_held_up_the_burst() {
    let scene = ground(DSR, true, 457).scene(ring(8)).with_flow(0, 4, Traffic::Datagrams { kbps: 1023 });
    let case = Case::run(&Scene { queue: 3, errors: BitErrors::Shadowing(9, 9), ..scene });
    let without_route = |loss: &&Loss| (13.73..13.80).contains(&loss.since);
    assert!(
        case.losses.iter().filter(without_route).any(|loss| loss.cause == "channel"),
        "{:?}",
        causes(&case)
    );
    assert!(!causes(&case).contains("unknown"), "{:?}", causes(&case));
}

/// A ring of seven and 6.8 datagrams in a second from 0 over 1 and 2 to 3, which walks away. Node 0 hears of the break at
/// 71.57 s, 20 ms before it makes the next datagram, and sends on the other way round what waits by then. There packets replace
/// each other in ARP's hold slot: the break has struck the new datagram as well, but not before that was made.
#[test]
fn a_break_strikes_no_packet_before_it_is_sent() {
    let positions = ring(7);
    let (x, y) = positions[3];
    let traffic = Traffic::Datagrams { kbps: 28 };
    let mut scene = ground(DSR_THESIS, false, 206).scene(positions).with_flow(0, 3, traffic).later(700);
    let later = scene.flows[0];
    scene.flows.push(Flow { start: 10, stop: Some(30), ..later });
    let scene = scene.with_outage(0, 20, Some(103)).with_walk(3, 694, (x, y + 3000.0), 150.0);
    let case = Case::run(&scene);
    let early = |loss: &&Loss| loss.since < case.segment(loss).sent;
    assert_eq!(case.losses.iter().filter(early).count(), 0, "{:?}", case.losses);
    assert!(case.losses.iter().any(|loss| loss.died == "arp" && loss.at > 71.5), "{:?}", case.losses);
}
