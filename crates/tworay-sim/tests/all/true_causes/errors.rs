//! Bit errors, at a link and in front of it.

use super::{Loss, TWO, causes, datagrams, deaths, losses, parse, run_once};
use std::collections::BTreeSet;

const DIALECTS: [&str; 2] = ["standard", "ns2"];

/// `0 ── 1`: bit errors at a rate of 8·10⁻⁵ corrupt 30 % of data frames of 572 bytes (1 − (1 − 8·10⁻⁵)^4576) and
/// 1.3 % of RTS. Four data frames in a row fail in 0.8 % of all packets, seven RTS in a row never. So the limit of
/// DATA runs out, after four failed attempts and hardly any failed RTS: an answered RTS is not a failure.
#[test]
fn bit_errors_are_not_contention() {
    for dialect in DIALECTS {
        for app in ["app = \"ftp\"", "app = \"cbr\"\nsize = \"512B\"\nrate = \"300kbps\""] {
            let report = run_once(
                &parse(&format!(
                    "duration = \"60s\"\ndialect = \"{dialect}\"\nrouting.protocol = \"static\"\ntcp.window = 2\n\
                     topology = {{ kind = \"explicit\", positions = {TWO} }}\n\
                     errors.frame_err = {{ bernoulli = {{ rate = 8e-5, unit = \"bit\" }} }}\n\
                     [[flow]]\nfrom = 0\nto = 1\n{app}\n"
                )),
                1,
            );
            let collisions = &report.document.mac.collisions;
            assert_eq!(collisions.rts_cts + collisions.data + collisions.ack, 0, "{dialect} {app}");
            let losses = losses(&report);
            assert!(losses.len() > 20, "{dialect} {app}: {}", losses.len());
            assert_eq!(causes(&losses), BTreeSet::from(["channel"]), "{dialect} {app}");
            assert_eq!(deaths(&losses), BTreeSet::from(["data-retries"]), "{dialect} {app}");
            let attempts: i64 = losses.iter().map(|l| l.attempts).sum();
            let mean = attempts as f64 / losses.len() as f64;
            assert!((4.0..4.5).contains(&mean), "{dialect} {app}: {mean} attempts");
            assert!(losses.iter().all(|l| l.attempts >= 4 && l.interferer.is_none()), "{losses:?}");
        }
    }
}

/// `0 ── 1`, and nobody else: thermal noise in 22 MHz and a noise figure of 7 dB make -93.6 dBm. A signal of -83 dBm is
/// 10.6 dB above it, too little for 11 Mb/s (16 dB) and enough for 1 Mb/s (4 dB): a lower rate would help. At -89.8 dBm no
/// preamble is heard (4 dB), whatever the rate.
#[test]
fn a_signal_too_weak_for_its_rate_is_not_contention() {
    for (level, rate, cause) in [
        ("-83dBm", "11Mbps", Some("rate")),
        ("-83dBm", "2Mbps", None),
        ("-89.8dBm", "2Mbps", Some("channel")),
    ] {
        for app in ["app = \"ftp\"", "app = \"cbr\"\nsize = \"512B\"\nrate = \"300kbps\""] {
            let report = run_once(
                &parse(&format!(
                    "duration = \"60s\"\ntcp.window = 2\nrouting.protocol = \"static\"\nmac.data_rate = \"{rate}\"\n\
                     topology = {{ kind = \"explicit\", positions = {TWO} }}\n\
                     [radio]\npropagation = \"measured\"\nprofile = \"custom\"\nrx_threshold = \"1e-12W\"\n\
                     cs_threshold = \"2.5e-13W\"\n\
                     [[radio.link]]\nfrom = 0\nto = 1\nlevel = \"{level}\"\n\
                     [[radio.link]]\nfrom = 1\nto = 0\nlevel = \"{level}\"\n\
                     [[flow]]\nfrom = 0\nto = 1\n{app}\n"
                )),
                1,
            );
            let collisions = &report.document.mac.collisions;
            assert_eq!(collisions.rts_cts + collisions.data + collisions.ack, 0, "{level} {rate} {app}");
            assert_eq!(
                causes(&losses(&report)),
                cause.into_iter().collect::<BTreeSet<_>>(),
                "{level} {rate} {app}"
            );
        }
    }
}

/// `0 ── 1`: the channel is good for 500 frames on average, then bad for 500, and then no frame arrives. The MAC gives up a packet after seven
/// RTS; meanwhile more packets arrive than are given up. 250 kb/s alone never fill a queue of 50 on a link
/// that carries five times as much.
#[test]
fn a_blackout_of_the_channel_that_fills_a_queue() {
    for dialect in DIALECTS {
        let world = |errors: &str| {
            format!("routing.protocol = \"static\"\ndialect = \"{dialect}\"\nmac.queue_limit = 10\n{errors}")
        };
        let alone = losses(&datagrams(TWO, 1, "250kbps", &world("")));
        assert!(alone.is_empty(), "{dialect}: {alone:?}");
        let blackouts =
            "errors.frame_err = { gilbert-elliott = { good_to_bad = 0.002, bad_to_good = 0.002 } }";
        let losses = losses(&datagrams(TWO, 1, "250kbps", &world(blackouts)));
        let full = losses.iter().filter(|l| l.died == "ifq").count();
        assert!(full > 20, "{dialect}: {full}");
        assert_eq!(causes(&losses), BTreeSet::from(["channel"]), "{dialect}");
        assert!(losses.iter().all(|l| (l.root_node, l.next_hop) == (0, Some(1))), "{dialect}: {losses:?}");
    }
}

/// `0 ── 1`: 4 Mb/s fill the queue of a link of 2 Mb/s at any time; that one frame in a hundred has bit errors
/// changes nothing.
#[test]
fn bit_errors_beside_an_overload() {
    for dialect in DIALECTS {
        let more = format!(
            "routing.protocol = \"static\"\ndialect = \"{dialect}\"\nerrors.frame_err = {{ bernoulli = {{ rate = 0.01 }} }}"
        );
        let losses = losses(&datagrams(TWO, 1, "4Mbps", &more));
        let full: Vec<&Loss> = losses.iter().filter(|l| l.died == "ifq").collect();
        assert!(
            full.len() > 1000 && full.iter().all(|l| l.cause == "congestion"),
            "{dialect}: {}",
            full.len()
        );
    }
}

/// `0 ── 1`: node 1 receives every packet and loses it above the MAC. No hop failed.
#[test]
fn errors_above_the_mac() {
    let more = "routing.protocol = \"static\"\nerrors.pkt_err = { bernoulli = { rate = 0.2 } }";
    let losses = losses(&datagrams(TWO, 1, "100kbps", more));
    assert!(losses.len() > 50);
    assert!(
        losses.iter().all(|l| (l.cause.as_str(), l.died.as_str(), l.attempts) == ("channel", "error", 0))
    );
}

/// `0 ── 1 ── 2`, datagrams every 0.5 s. Each station destroys half of the packets that it receives, above the MAC, so that the
/// relay is without a packet for 3 s (AODV's ACTIVE_ROUTE_TIMEOUT) after one packet in 64 on average, and its route
/// expires. The next packet that survives dies there for want of it. The stations never move, load is far below the
/// capacity, and without errors nothing is lost: the errors alone are the reason.
#[test]
fn errors_above_the_mac_let_a_route_expire() {
    let lost = |errors: &str| {
        losses(&run_once(
            &parse(&format!(
                "duration = \"600s\"\nrouting.protocol = \"aodv\"\n{errors}\n\
                 topology = {{ kind = \"explicit\", positions = [[0, 0], [150, 0], [300, 0]] }}\n\
                 flow = [{{ from = 0, to = 2, app = \"cbr\", size = \"512B\", rate = \"8192bps\" }}]"
            )),
            1,
        ))
    };
    assert_eq!(lost("").len(), 0);
    let losses = lost("errors.pkt_err = { bernoulli = { rate = 0.5 } }");
    let expired: Vec<&Loss> =
        losses.iter().filter(|l| (l.node, l.died.as_str()) == (1, "no-route")).collect();
    assert!(expired.len() >= 3, "{expired:?}");
    assert_eq!(causes(&losses), BTreeSet::from(["channel"]), "{expired:?}");
}

/// A ring of six, 200 m between neighbours. Errors above the MAC strike the searches of node 0 for node 3, which walks away at 3 s:
/// nodes 2 and 4 reach it until 5.7 s, and node 2 again from 8.3 s on. At 12 s node 2 answers from its route, which nobody has used
/// for 10 s (ns-2's ACTIVE_ROUTE_TIMEOUT) and which ends at once, so that what has waited finds no route at node 1. The walk has held
/// up packets for less than three seconds, which lets no route expire; without errors none does.
#[test]
fn a_wait_shorter_than_its_lifetime_lets_no_route_expire() {
    let without_route = |errors: &str| {
        let ring = "[[200, 0], [100, 173.20508], [-100, 173.20508], [-200, 0], [-100, -173.20508], [100, -173.20508]]";
        let leg =
            |at: u32, y: u32| format!("{{ node = 3, at = \"{at}s\", to = [-200, {y}], speed = \"150m/s\" }}");
        let text = format!(
            "duration = \"20s\"\nrouting = {{ protocol = \"aodv\", aodv.dialect = \"ns2\" }}\nmac.rts = \"full\"\n\
             topology = {{ kind = \"explicit\", positions = {ring} }}\n{errors}\n\
             mobility = {{ kind = \"waypoints\", legs = [{}, {}] }}\n\
             [[flow]]\nfrom = 0\nto = 3\nstart = \"1s\"\napp = \"cbr\"\nsize = \"512B\"\nrate = \"18kbps\"\n",
            leg(3, 3000),
            leg(7, 0)
        );
        let mut losses = losses(&run_once(&parse(&text), 743));
        losses.retain(|l| (l.node, l.died.as_str()) == (1, "no-route"));
        losses
    };
    assert_eq!(without_route(""), []);
    let losses = without_route("errors.pkt_err = { bernoulli = { rate = 0.17655116643192215 } }");
    assert!(losses.len() > 30 && losses.iter().all(|l| l.at > 12.0), "{losses:?}");
    assert_eq!(causes(&losses), BTreeSet::from(["channel"]), "{losses:?}");
}

/// `0 ── 1`, 802.11n at MCS 11 and 200 m: a part of the frames needs a lower rate, and for two seconds node 1 receives nothing at any rate. What is lost
/// then was not lost to the rate.
#[test]
fn what_is_lost_at_every_rate_is_not_lost_to_the_rate() {
    let text = "duration = \"8s\"\ntopology = { kind = \"explicit\", positions = [[0, 0], [200, 0]] }\n\
                radio = { preset = \"n40x2\", rate = \"fixed\", mcs = 11 }\nrouting.protocol = \"static\"\n\
                event = [{ node = 1, at = \"2.5s\", what = \"loss\", rate = 1.0 },\n\
                { node = 1, at = \"4.5s\", what = \"loss\", rate = 0.0 }]\n\
                [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nrate = \"1Mbps\"\nsize = \"512B\"\nstart = \"1s\"";
    let report = run_once(&parse(text), 1);
    let expired: Vec<Loss> = losses(&report).into_iter().filter(|l| l.died == "expired").collect();
    let during: Vec<&Loss> = expired.iter().filter(|l| (3.1..4.5).contains(&l.at)).collect();
    assert!(during.len() > 20, "{}", during.len());
    let causes: BTreeSet<&str> = during.iter().map(|l| l.cause.as_str()).collect();
    assert_eq!(causes, BTreeSet::from(["channel"]));
}
