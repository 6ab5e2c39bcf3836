//! Frames of 802.11n under a block ack agreement, which end with their lifetime: 500 TU = 512 ms.
//!
//! Log-distance loss of exponent 3 from 40 mW at 5.15 GHz: -81.6 dBm at 50 m, 12.4 dB above the noise of 20 MHz. MCS 7
//! needs 22 dB, MCS 2 needs 10.

use super::{Loss, causes, deaths, losses, off};
use crate::common::{parse, run_once};
use std::collections::BTreeSet;

/// Stations 50 m apart; 25 datagrams a second from station 0 to the last one, from the first second on.
fn datagrams(hops: u32, mcs: u8, layers: (&str, &str), more: &str) -> Vec<Loss> {
    let (protocol, mac) = layers;
    losses(&run_once(&parse(&scenario(hops, mcs, (protocol, &format!(", arp = false{mac}")), more)), 1))
}

fn scenario(hops: u32, mcs: u8, (protocol, mac): (&str, &str), more: &str) -> String {
    format!(
        r#"
        duration = "6s"
        topology = {{ kind = "string", hops = {hops}, spacing = "50m" }}
        routing = {{ protocol = "{protocol}" }}
        radio = {{ standard = "n", rate = "fixed", mcs = {mcs}, tx_power = "40mW", frequency = "5.15GHz", tx_gain = "0dB", rx_gain = "0dB" }}
        mac = {{ basic_rate = "6Mbps", queue = "fifo"{mac} }}
        {more}
        [[flow]]
        from = 0
        to = {hops}
        app = "cbr"
        rate = "200kbps"
        size = "1000B"
        start = "1s"
        "#
    )
}

/// `0 ─✗─ 1`: each frame is sent again for 512 ms, far more often than seven times.
#[test]
fn a_rate_that_is_too_fast_ends_frames_with_their_lifetime() {
    let losses = datagrams(1, 7, ("static", ""), "");
    assert!(losses.len() > 80, "{losses:?}");
    assert_eq!((causes(&losses), deaths(&losses)), (BTreeSet::from(["rate"]), BTreeSet::from(["expired"])));
    for (i, loss) in losses.iter().enumerate() {
        let lived = loss.at - (1.0 + 0.04 * i as f64);
        assert!((0.512..0.53).contains(&lived), "{lived} s: {loss:?}");
        assert!(loss.attempts > 7 && (loss.root_node, loss.next_hop) == (0, Some(1)), "{loss:?}");
    }
}

/// `0 ── 1 ── 2✗`. Static routing has no use for the news of a lost hop: what is under way to it expires. AODV
/// hears of it after seven exchanges without an answer, in which no lifetime can end: their backoffs together take at
/// most (15 + 31 + 63 + 127 + 255 + 511 + 1,023) × 9 µs = 18 ms.
#[test]
fn routing_that_listens_hears_of_a_lost_hop_before_any_lifetime_ends() {
    let off = off(2, "3s");
    let fixed = datagrams(2, 2, ("static", ""), &off);
    assert!(fixed.len() > 40, "{fixed:?}");
    assert_eq!(
        (causes(&fixed), deaths(&fixed)),
        (BTreeSet::from(["node-down"]), BTreeSet::from(["expired"]))
    );
    let heard = datagrams(2, 2, ("aodv", ""), &off);
    assert!(!heard.is_empty() && !deaths(&heard).contains("expired"), "{:?}", deaths(&heard));
    assert_eq!(causes(&heard), BTreeSet::from(["node-down"]));
    let first = heard.iter().map(|loss| loss.since).fold(f64::INFINITY, f64::min);
    assert!((3.0..3.1).contains(&first), "{first} s");
}

#[test]
fn a_scenario_sets_the_lifetime() {
    let losses = datagrams(1, 7, ("static", ", lifetime = \"50ms\""), "");
    assert!(losses.len() > 80, "{losses:?}");
    for (i, loss) in losses.iter().enumerate() {
        let lived = loss.at - (1.0 + 0.04 * i as f64);
        assert!(loss.died == "expired" && (0.05..0.07).contains(&lived), "{lived} s: {loss:?}");
    }
}

/// `0 ─✗─ 1`: node 1 hears the request for its address at 6 Mb/s, and repeats its answer at a rate that the hop doesn't carry.
/// The answer lives longer (512 ms) than node 0 waits for it (3 × 100 ms). Nobody else sends.
#[test]
fn an_answer_of_arp_that_is_repeated_too_fast_costs_packets_by_rate() {
    let run = run_once(&parse(&scenario(1, 7, ("static", ", arp = true"), "")), 1);
    let collisions = &run.document.mac.collisions;
    assert_eq!(collisions.rts_cts + collisions.data + collisions.ack, 0);
    let losses = losses(&run);
    assert!(losses.len() > 80, "{losses:?}");
    assert_eq!(causes(&losses), BTreeSet::from(["rate"]), "{losses:?}");
    assert!(deaths(&losses).is_subset(&BTreeSet::from(["arp", "arp-unanswered"])), "{:?}", deaths(&losses));
}

/// Every 100 ms six datagrams of 200 B and then one of 1,460 B come at once. The small ones, of 272 B each with delimiter and
/// padding, go together: 1,630 B. The large one's 1,530 B don't fit into 2,000 B beside them, so that it waits in the station
/// for their end. At MCS 0 (26 bits a symbol) that takes 36 + 4 ⌈(22 + 8 × 1,630) / 26⌉ = 2,048 µs: its lifetime of 1 ms is over
/// before its first attempt, and nothing has failed.
#[test]
fn a_frame_that_expires_behind_its_own_stations_frames_is_lost_to_load() {
    let flow = |size: u32| {
        let rate = 80 * size;
        format!(
            "[[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nrate = \"{rate}bps\"\nsize = \"{size}B\"\nstart = \"1s\"\n"
        )
    };
    let flows: String = [[200; 6].as_slice(), &[1_460]].concat().into_iter().map(flow).collect();
    let report = run_once(
        &parse(&format!(
            r#"
            duration = "1950ms"
            topology = {{ kind = "string", hops = 1, spacing = "5m" }}
            routing = {{ protocol = "static" }}
            station = {{ clock_offset = "0s", processing_delay = "0s", broadcast_jitter = "0s" }}
            radio = {{ standard = "n", rate = "fixed", mcs = 0, tx_power = "40mW", frequency = "5.15GHz", tx_gain = "0dB", rx_gain = "0dB" }}
            mac = {{ basic_rate = "24Mbps", arp = false, queue = "fifo", max_aggregate = "2000B", lifetime = "1ms", rts_threshold = "3000B" }}
            {flows}
            "#
        )),
        1,
    );
    let losses = losses(&report);
    assert_eq!(
        (causes(&losses), deaths(&losses)),
        (BTreeSet::from(["congestion"]), BTreeSet::from(["expired"]))
    );
    // At 1.0, 1.1, … 1.9 s.
    assert_eq!(losses.len(), 10, "{losses:?}");
    for (i, loss) in losses.iter().enumerate() {
        let lived = loss.at - (1.0 + 0.1 * i as f64);
        // 2,048 us, SIFS, a BlockAck of at most 68 us, AIFS twice and at most 15 slots twice.
        assert!((0.002_048..0.002_550).contains(&lived) && loss.attempts == 0, "{lived} s: {loss:?}");
        assert_eq!((loss.root_node, loss.next_hop), (0, Some(1)));
    }
}

/// Three hops of 802.11n with fading: the receiver of an aggregate waits 100 ms for what is missing, and a repeat that comes later is useless from
/// then on, whenever it arrives.
#[test]
fn what_comes_too_late_is_lost_when_its_receiver_goes_on() {
    let text = "duration = \"40s\"\nradio = { preset = \"n20\", fading = { k = 3.0, coherence = \"100ms\" } }\nmac.arp = false\n\
                topology = { kind = \"explicit\", positions = [[598, 116], [395, 192], [321, 71], [105, 64]] }\n\
                routing.protocol = \"static\"\n\
                [[flow]]\nfrom = 0\nto = 3\napp = \"cbr\"\nsize = \"1400B\"\nrate = \"750kbps\"\n";
    let all = losses(&run_once(&parse(text), 8));
    let late: Vec<_> = all.iter().filter(|l| l.died == "late").collect();
    assert!(late.len() > 5, "{}", late.len());
    for loss in late {
        assert!(loss.since < loss.at && loss.at < loss.since + 0.5, "{loss:?}");
    }
}
