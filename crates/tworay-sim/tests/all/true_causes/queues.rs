//! Queues that something other than load has filled, on all radios: drop-tail, CoDel and Link-RED.
//!
//! OFDM at 6 Mb/s (g) or 6.5 Mb/s (n), frames of 1,000 bytes: 1,064 or 1,066 bytes with headers last 1.44 ms and
//! 1.36 ms, SIFS and ACK 60 µs, DIFS or AIFS and the mean backoff 95 µs or 110 µs. Sent singly, a frame takes 1.6 ms; a
//! datagram every 3.2 ms is half of the capacity.

use super::{Loss, THREE, TWO, causes, datagrams, losses, off, parse, run_once};
use std::collections::BTreeSet;

/// OFDM at the slowest rate, and without ARP, whose hold slot loses the first packets.
fn ofdm(preset: &str, mac: &str, more: &str) -> String {
    format!(
        "routing.protocol = \"static\"\nradio = {{ preset = \"{preset}\", rate = \"fixed\", mcs = 0 }}\n\
         mac = {{ arp = false{mac} }}\n{more}"
    )
}

fn bernoulli(rate: f64) -> String {
    format!("errors.frame_err = {{ bernoulli = {{ rate = {rate} }} }}")
}

/// Stations at `positions`; datagrams of 1,000 bytes from node 0 to each of `to`, one every `interval`, from the first
/// second on.
fn stream(positions: &str, to: &[u32], interval: &str, more: &str) -> Vec<Loss> {
    let app = |to: &u32| {
        format!(
            "[[flow]]\nfrom = 0\nto = {to}\napp = \"cbr\"\ninterval = \"{interval}\"\nsize = \"1000B\"\nstart = \"1s\"\n"
        )
    };
    let flows: String = to.iter().map(app).collect();
    losses(&run_once(
        &parse(&format!(
            "duration = \"15s\"\ntopology = {{ kind = \"explicit\", positions = {positions} }}\n{more}\n{flows}"
        )),
        1,
    ))
}

fn full(losses: &[Loss]) -> usize {
    losses.iter().filter(|l| ["ifq", "codel"].contains(&l.died.as_str())).count()
}

const NEAR: &str = "[[0, 0], [50, 0]]";
const CORNER: &str = "[[0, 0], [50, 0], [0, 50]]";

/// `0 ── 1`: half of what the link carries. With `rate` of the frames lost, and as many answers, an exchange succeeds with
/// probability (1 − rate)²: from 0.3 on that is less than half, and the queue of 50 fills. Nothing else is wrong.
#[test]
fn bit_errors_fill_a_queue_at_half_load() {
    let stations = [
        ("g", ofdm("g", ", queue_limit = 50", ""), "3.2ms"),
        (
            "n, singly",
            ofdm("n20", ", queue = \"fifo\", queue_limit = 50, max_aggregate = \"0B\"", ""),
            "3.2ms",
        ),
        ("n", ofdm("n20", ", queue = \"fifo\", queue_limit = 50", ""), "2.8ms"),
    ];
    for (name, world, interval) in stations {
        assert!(stream(NEAR, &[1], interval, &world).is_empty(), "{name} alone");
        for rate in [0.3, 0.4, 0.5, 0.6] {
            let losses = stream(NEAR, &[1], interval, &format!("{world}\n{}", bernoulli(rate)));
            assert!(rate < 0.5 || full(&losses) > 500, "{name} {rate}: {}", full(&losses));
            let other = losses.iter().filter(|l| l.cause != "channel").count();
            assert_eq!(other, 0, "{name} {rate}: of {} {:?}", losses.len(), causes(&losses));
            assert!(losses.iter().all(|l| (l.root_node, l.next_hop) == (0, Some(1))), "{name} {rate}");
        }
    }
}

/// The same with 802.11b and RTS, whose link carries 2 Mb/s: an answered RTS before a corrupted DATA frame is lost time, too.
#[test]
fn bit_errors_fill_a_queue_behind_rts() {
    for dialect in ["standard", "ns2"] {
        let world = format!("routing.protocol = \"static\"\nmac.arp = false\ndialect = \"{dialect}\"");
        assert!(losses(&datagrams(TWO, 1, "500kbps", &world)).is_empty(), "{dialect} alone");
        for rate in [0.3, 0.4, 0.5, 0.6] {
            let losses = losses(&datagrams(TWO, 1, "500kbps", &format!("{world}\n{}", bernoulli(rate))));
            assert!(rate < 0.5 || full(&losses) > 500, "{dialect} {rate}: {}", full(&losses));
            assert_eq!(causes(&losses), BTreeSet::from(["channel"]), "{dialect} {rate}");
        }
    }
}

/// 1.25 ms apart, datagrams of 1,000 bytes are more than any of these links carries: one frame in a hundred changes little.
#[test]
fn bit_errors_beside_an_overload_of_ofdm() {
    let fifo = ", queue = \"fifo\", queue_limit = 50";
    let stations = [("g", ", queue_limit = 50"), ("n20", fifo), ("n20", "")];
    for (preset, mac) in stations {
        let losses = stream(NEAR, &[1], "1.1ms", &ofdm(preset, mac, &bernoulli(0.01)));
        let full: Vec<&Loss> =
            losses.iter().filter(|l| ["ifq", "codel"].contains(&l.died.as_str())).collect();
        assert!(full.len() > 500, "{preset}{mac}: {}", full.len());
        let other = full.iter().filter(|l| l.cause != "congestion").count();
        // One frame in a hundred costs the link some of its time.
        assert!(25 * other <= full.len(), "{preset}{mac}: {other} of {}", full.len());
    }
}

/// `0 ── 1` with CoDel: the load alone leaves no packet in the queue for longer than the airtime of one aggregate. Errors
/// make it stand.
#[test]
fn bit_errors_make_codel_drop() {
    let world = ofdm("n20", "", "");
    for (interval, rate) in [("10ms", 0.7), ("5ms", 0.6), ("2.8ms", 0.5), ("2.8ms", 0.6)] {
        assert!(stream(NEAR, &[1], interval, &world).is_empty(), "{interval} alone");
        let losses = stream(NEAR, &[1], interval, &format!("{world}\n{}", bernoulli(rate)));
        assert!(losses.iter().filter(|l| l.died == "codel").count() > 200, "{interval} {rate}");
        let other = losses.iter().filter(|l| l.cause != "channel").count();
        assert_eq!(other, 0, "{interval} {rate}: of {} {:?}", losses.len(), causes(&losses));
    }
}

/// A window of 200 segments stands in its sender's queue at any speed of the link: TCP fills what CoDel drops from, errors or not.
#[test]
fn a_transfer_over_codel_is_congestion() {
    for more in ["", "errors.frame_err = { bernoulli = { rate = 0.1 } }"] {
        let world = ofdm("n20", "", more);
        let losses = losses(&run_once(
            &parse(&format!(
                "duration = \"30s\"\ntopology = {{ kind = \"explicit\", positions = {NEAR} }}\ntcp.window = 200\n{world}\n\
                 [[flow]]\nfrom = 0\nto = 1\napp = \"ftp\"\n"
            )),
            1,
        ));
        let dropped: Vec<&Loss> = losses.iter().filter(|l| l.died == "codel" && l.node == 0).collect();
        assert!(dropped.len() > 20, "{more}: {}", dropped.len());
        let other = dropped.iter().filter(|l| l.cause != "congestion").count();
        let wrong: Vec<_> = dropped.iter().filter(|l| l.cause != "congestion").collect();
        assert_eq!(other, 0, "{more}: of {} {wrong:?}", dropped.len());
    }
}

/// `0 ── 1` with CoDel: node 1 is off, or out of range, for five seconds. When it is back, CoDel drops what has waited
/// meanwhile: the load alone is a fifth of what the link carries.
#[test]
fn the_backlog_of_an_outage_makes_codel_drop() {
    let blink =
        "event = [{ node = 1, at = \"5s\", what = \"down\" }, { node = 1, at = \"10s\", what = \"up\" }]";
    let walk = "[mobility]\nkind = \"waypoints\"\nlegs = [\n\
                { node = 1, at = \"5s\", to = [3000, 0], speed = \"2000m/s\" },\n\
                { node = 1, at = \"10s\", to = [50, 0], speed = \"2000m/s\" },\n]";
    for (cause, more) in [("node-down", blink), ("link-failure", walk)] {
        let losses = stream(NEAR, &[1], "8ms", &ofdm("n20", "", more));
        assert!(losses.iter().filter(|l| l.died == "codel").count() > 50, "{cause}");
        assert_eq!(causes(&losses), BTreeSet::from([cause]));
    }
}

/// `0 ── 1 ── 2✗ ── 3`, 150 m apart: 802.11n with rates that it finds itself, 15 Mb/s from end to end. Without the outage nothing
/// is lost once rates are found. What waits at node 1 for node 2 from 4 to 7 s, and what comes behind it, CoDel drops there only
/// because node 2 was off, though frames with too quick a rate cost some time afterwards, there and before. Datagram n is sent
/// at 1 s + n × 8,000 bit / (15 Mb/s).
#[test]
fn what_codel_drops_of_an_outages_backlog_was_not_lost_to_retries_beside_it() {
    let lost = |more: &str, seed: u64| {
        let text = format!(
            "duration = \"12s\"\ntopology = {{ kind = \"string\", hops = 3, spacing = \"150m\" }}\n\
             radio.preset = \"n40x2\"\nrouting.protocol = \"static\"\n{more}\n\
             [[flow]]\nfrom = 0\nto = 3\napp = \"cbr\"\nrate = \"15Mbps\"\nsize = \"1000B\"\nstart = \"1s\""
        );
        losses(&run_once(&parse(&text), seed))
    };
    let sent = |l: &Loss| 1.0 + l.seq as f64 * 8000.0 / 15e6;
    let blink =
        "event = [{ node = 2, at = \"4s\", what = \"down\" }, { node = 2, at = \"7s\", what = \"up\" }]";
    for seed in 1..=4 {
        assert_eq!(lost("", seed).iter().find(|l| l.at > 3.0), None, "{seed}: without the outage");
        let losses = lost(blink, seed);
        // All that node 1 sends or drops before the last of those that have waited there for node 2.
        let waited = |l: &&Loss| l.node == 1 && sent(l) < 7.0;
        let last = losses.iter().filter(waited).map(|l| l.at).fold(7.0, f64::max);
        let backlog = |l: &&Loss| l.died == "codel" && l.node == 1 && l.at > 4.6 && l.at <= last;
        let backlog: Vec<&Loss> = losses.iter().filter(backlog).collect();
        assert!(backlog.len() > 100, "{seed}: {}", backlog.len());
        let wrong: Vec<_> = backlog.iter().filter(|l| l.cause != "node-down").collect();
        assert_eq!(wrong.first(), None, "{seed}: {} of {}", wrong.len(), backlog.len());
        assert!(backlog.iter().all(|l| (l.root_node, l.next_hop) == (1, Some(2))), "{seed}");
        // Those of the backlog that have come as far as node 2 overfill its queue together.
        let further = losses.iter().filter(|l| l.died == "codel" && l.node == 2 && sent(l) < 7.0);
        let wrong: Vec<_> = further.filter(|l| l.cause != "node-down").collect();
        assert_eq!(wrong.first(), None, "{seed}: {}", wrong.len());
        // A lifetime of 512 ms that ends later than 4.512 s has not begun before the outage.
        let old =
            losses.iter().filter(|l| l.died == "expired" && l.node == 1 && (4.513..7.0).contains(&l.at));
        assert_eq!(old.clone().find(|l| l.cause != "node-down"), None, "{seed}");
        assert!(old.count() > 10, "{seed}");
    }
}

/// `0 ── 1✗`, `0 ── 2`: each frame to node 1 is repeated until its lifetime ends, 512 ms later. Node 2's packets wait behind.
#[test]
fn a_dead_neighbour_holds_up_packets_for_another() {
    for (name, mac) in [("fq-codel", ""), ("fifo", ", queue = \"fifo\", queue_limit = 50")] {
        assert!(stream(CORNER, &[1, 2], "20ms", &ofdm("n20", mac, "")).is_empty(), "{name} alone");
        let losses = stream(CORNER, &[1, 2], "20ms", &ofdm("n20", mac, &off(1, "5s")));
        let behind = losses.iter().filter(|l| l.flow == 1).count();
        assert!(behind > 100, "{name}: {behind}");
        assert_eq!(causes(&losses), BTreeSet::from(["node-down"]), "{name}");
    }
}

/// `0 ── 1 ── 2`: node 2 walks away at 3 s, and node 1 goes on sending to it, forty datagrams a second: seven RTS in vain and the
/// backoff between them take 35 ms each time. Node 1's answer to the ARP request of node 0 waits behind them, and node 0's
/// datagrams, one in 10 ms, replace each other in the hold slot. Load alone, 2 ms for a datagram, loses nothing. The request itself
/// waits for an RTS or two: until 4.02 s that may count.
#[test]
fn an_address_whose_answer_waits_behind_a_dead_hop_is_lost_to_that_hop() {
    let flow = |(from, to): (u32, u32), interval: &str, start: &str, stop: &str| {
        format!(
            "[[flow]]\nfrom = {from}\nto = {to}\napp = \"cbr\"\nsize = \"200B\"\ninterval = \"{interval}\"\n\
             start = \"{start}\"\nstop = \"{stop}\"\n"
        )
    };
    // From the request of node 2, node 1 knows its address, which node 0 does not overhear.
    let flows = [
        flow((2, 1), "100ms", "0.5s", "0.55s"),
        flow((1, 2), "25ms", "1s", "6s"),
        flow((0, 1), "10ms", "4s", "5s"),
    ];
    let lost = |more: &str| {
        losses(&run_once(
            &parse(&format!(
                "duration = \"8s\"\nrouting.protocol = \"static\"\nmac.rts = \"full\"\n\
                 topology = {{ kind = \"explicit\", positions = {THREE} }}\n{more}\n{}",
                flows.concat()
            )),
            1,
        ))
    };
    assert_eq!(lost(""), []);
    let leg = "{ node = 2, at = \"3s\", to = [400, 3000], speed = \"1000m/s\" }";
    let losses = lost(&format!("mobility = {{ kind = \"waypoints\", legs = [{leg}] }}"));
    let ways: BTreeSet<&str> = losses.iter().filter(|l| l.flow == 2).map(|l| l.died.as_str()).collect();
    assert_eq!(ways, BTreeSet::from(["arp", "arp-unanswered"]));
    let of_hop = |l: &&Loss| l.cause == "link-failure" && (l.root_node, l.next_hop) == (1, Some(2));
    let others: Vec<&Loss> = losses.iter().filter(|l| !of_hop(l) && (l.flow != 2 || l.at > 4.02)).collect();
    assert_eq!(others, Vec::<&Loss>::new());
}

/// Link-RED drops packets because of retries. `0 ── 1`: only bit errors cause them. `0 ── 1 ── 2`, 200 m apart, where 0 and
/// 2 send without RTS and sense only their neighbours: only collisions cause them.
#[test]
fn link_red_drops_for_the_reason_of_the_retries() {
    let early = |losses: Vec<Loss>| losses.into_iter().filter(|l| l.died == "link-red").collect::<Vec<_>>();
    let world = "routing.protocol = \"static\"\nmac.overload.link_red = true";
    let errors = format!("{world}\nerrors.frame_err = {{ bernoulli = {{ rate = 1.2e-4, unit = \"bit\" }} }}");
    for dialect in ["standard", "ns2"] {
        let losses =
            early(losses(&datagrams(TWO, 1, "250kbps", &format!("dialect = \"{dialect}\"\n{errors}"))));
        assert!(losses.len() > 20, "{dialect}: {}", losses.len());
        assert_eq!(causes(&losses), BTreeSet::from(["channel"]), "{dialect}");
        assert!(losses.iter().all(|l| (l.root_node, l.next_hop) == (0, Some(1))), "{dialect}");
    }
    let other =
        "[[flow]]\nfrom = 2\nto = 1\napp = \"cbr\"\nsize = \"512B\"\nrate = \"500kbps\"\nstart = \"1s\"";
    let hidden = format!(
        "{world}\nmac.rts_threshold = \"3000B\"\n{other}\n[radio]\nprofile = \"custom\"\ncs_threshold = \"3.652e-10W\""
    );
    let collided = early(losses(&datagrams("[[0, 0], [240, 0], [480, 0]]", 1, "500kbps", &hidden)));
    assert!(collided.len() > 20, "{}", collided.len());
    assert_eq!(causes(&collided), BTreeSet::from(["congestion"]));
}

/// Collisions belong to load: senders that do not hear each other fill their queues with what they could send if they did.
#[test]
fn a_queue_that_collisions_fill_is_congestion() {
    let world = |apart: u32| {
        let positions = format!("[[0, 0], [{apart}, 0], [{}, 0]]", 2 * apart);
        let other = "[[flow]]\nfrom = 2\nto = 1\napp = \"cbr\"\ninterval = \"4.5ms\"\nsize = \"1000B\"\nstart = \"1s\"";
        let mac = ", queue_limit = 50, rts_threshold = \"3000B\"";
        let world = ofdm("g", mac, "").replace("arp = false", "arp = true");
        stream(&positions, &[1], "4.5ms", &format!("{world}\n{other}"))
    };
    assert_eq!(full(&world(60)), 0, "the same load without collisions");
    let losses = world(200);
    assert!(full(&losses) > 500, "{}", full(&losses));
    assert!(
        losses.iter().filter(|l| l.died == "ifq").all(|l| l.cause == "congestion"),
        "{:?}",
        causes(&losses)
    );
}

/// `0 ── 1 ── 2`, 200 m apart: 802.11n, 2 Mb/s of datagrams of 512 bytes. Node 1 receives nothing for two seconds. What node 0 sends then
/// waits at node 1 for packets that have expired meanwhile: their sender does not ask. After 100 ms, node 1 stops to wait and hands up a whole
/// window of 64 packets at once, to a queue with 20 places, of which the MAC takes none before all have come: 44 are lost, and nothing without the outage.
#[test]
fn packets_that_wait_for_lost_ones_and_come_together_are_lost_to_what_lost_those() {
    let outage = "event = [{ node = 1, at = \"2.5s\", what = \"loss\", rate = 1.0 },\n\
                  { node = 1, at = \"4.5s\", what = \"loss\", rate = 0.0 }]";
    for queue in ["fifo", "fq-codel"] {
        let at_relay = |more: &str, seed: u64| {
            let text = format!(
                "duration = \"8s\"\ntopology = {{ kind = \"string\", hops = 2, spacing = \"200m\" }}\n\
                 radio.preset = \"n40x2\"\nrouting.protocol = \"static\"\n\
                 mac = {{ queue = \"{queue}\", queue_limit = 20, missing_block_ack = \"repeat\" }}\n{more}\n\
                 [[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\nrate = \"2Mbps\"\nsize = \"512B\"\nstart = \"1s\""
            );
            let losses = losses(&run_once(&parse(&text), seed));
            losses.into_iter().filter(|l| l.node == 1 && l.died == "ifq").collect::<Vec<_>>()
        };
        for seed in 1..=3 {
            assert!(at_relay("", seed).is_empty(), "{queue} {seed}");
            let lost = at_relay(outage, seed);
            assert_eq!(lost.len(), 64 - 20, "{queue} {seed}");
            assert!(
                lost.iter().all(|l| (l.cause.as_str(), l.root_node) == ("channel", 0)),
                "{queue} {seed}: {lost:?}"
            );
        }
    }
}

/// Errors that destroy packets above the MAC cost it no time: a queue loses nothing to them. Bursts of twice what two hops
/// carry.
#[test]
fn errors_above_the_mac_fill_no_queue() {
    let run = |errors: &str, seed: u64| {
        let text = format!(
            "duration = \"40s\"\ntopology = {{ kind = \"string\", hops = 2 }}\nrouting.protocol = \"static\"\n{errors}\n\
             [[flow]]\nfrom = 0\nto = 2\napp = \"on-off\"\nstart = \"2.2s\"\nrate = \"1.2Mbps\"\nsize = \"512B\"\non = \"0.75s\"\noff = \"2s\"\n"
        );
        let mut found = losses(&run_once(&parse(&text), seed));
        found.retain(|loss| loss.died == "ifq");
        found
    };
    for seed in 1..=6 {
        let with = run("errors.pkt_err = { bernoulli = { rate = 0.06 } }", seed);
        let without = run("", seed);
        assert!(
            without.len() > 700 && with.len() <= without.len(),
            "{seed}: {} of {}",
            with.len(),
            without.len()
        );
        assert_eq!(causes(&with), BTreeSet::from(["congestion"]), "{seed}");
    }
}
