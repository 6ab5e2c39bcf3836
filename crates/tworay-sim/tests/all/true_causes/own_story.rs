//! Each row of the ledger tells its segment's own story, not that of another one with the same root cause.

use super::{Loss, losses, parse, run_once};
use std::collections::BTreeSet;

fn run(text: &str, seed: u64) -> Vec<Loss> {
    losses(&run_once(&parse(text), seed))
}

/// `2 ── 1✗ ── 0`, a datagram a second from 2 to 0; node 1 is off from 2.35 to 5.7 s. The datagram of 3 s is sent to it in vain: seven
/// RTS. Those of 4 and 5 s wait for a route, and nothing is sent for them. All three go on to node 1 once it is back. It has
/// forgotten the address of node 0, and keeps one packet while it asks: each takes the place of the one before.
#[test]
fn attempts_and_beginning_are_those_of_the_segment() {
    let text = "duration = \"12s\"\ntopology = { kind = \"string\", hops = 2 }\n\
                event = [{ node = 1, at = \"2.35s\", what = \"down\" }, { node = 1, at = \"5.7s\", what = \"up\" }]\n\
                [[flow]]\nfrom = 2\nto = 0\napp = \"cbr\"\ninterval = \"1s\"\nsize = \"64B\"";
    let lost = run(text, 1);
    let rows: Vec<_> = lost.iter().map(|l| (l.seq, l.cause.as_str(), l.died.as_str())).collect();
    assert_eq!(rows, [3, 4, 5].map(|seq| (seq, "node-down", "arp")));
    for loss in &lost {
        let sent = loss.seq as f64;
        assert!((sent..sent + 0.1).contains(&loss.since), "{loss:?}");
        assert_eq!((loss.root_node, loss.next_hop), (2, Some(1)), "{loss:?}");
        assert_eq!(loss.attempts, if loss.seq == 3 { 7 } else { 0 }, "{loss:?}");
    }
}

/// `0 ── 1✗`: ten datagrams a second. Each give-up of AODV's next hop costs seven RTS; datagrams that come while no route is known
/// wait without any frame.
#[test]
fn a_datagram_that_waits_for_a_route_has_no_attempts() {
    let text = "duration = \"12s\"\ntopology = { kind = \"explicit\", positions = [[0, 0], [200, 0]] }\n\
                event = [{ node = 1, at = \"3s\", what = \"down\" }]\n\
                [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\ninterval = \"100ms\"\nsize = \"64B\"\nstart = \"1s\"";
    let lost = run(text, 1);
    let tried = lost.iter().filter(|l| l.attempts > 0);
    assert_eq!(tried.map(|l| (l.seq, l.attempts)).collect::<Vec<_>>(), [(20, 7)]);
    assert!(lost.len() > 20, "{}", lost.len());
}

/// `0 ── 1 ── 2 ── 3 ── 4`, AODV without feedback of the MAC: routes end only by time, 3 s after their last packet. A datagram every
/// 2 s; node 2 is away when that of 7 s comes, so that node 1 loses it. That of 9 s finds its way to node 2, whose route to 4 has had no
/// packet for 4 s. Node 1 stands before it on the path: what it lost would have kept the route.
///
/// The same for node 3, which is away for that of 7 s: node 2 loses it, and the route ends at node 3. Node 1 and 2 have had
/// all packets.
#[test]
fn a_route_expires_for_want_of_what_was_lost_before_it() {
    let lost = |away: u32| {
        let text = format!(
            "duration = \"12s\"\ntopology = {{ kind = \"string\", hops = 4 }}\nmac.arp = false\n\
             routing = {{ protocol = \"aodv\", aodv.link_layer_feedback = false, aodv.hello = \"off\" }}\n\
             event = [{{ node = {away}, at = \"6.7s\", what = \"move\", to = [400, 5000] }}, \
                      {{ node = {away}, at = \"7.5s\", what = \"move\", to = [{}, 0] }}]\n\
             [[flow]]\nfrom = 0\nto = 4\napp = \"cbr\"\ninterval = \"2s\"\nsize = \"64B\"\nstart = \"1s\"",
            200 * away
        );
        run(&text, 1)
    };
    for away in [2, 3] {
        let losses = lost(away);
        let hop = (i64::from(away) - 1, Some(i64::from(away)));
        let expired: Vec<&Loss> = losses.iter().filter(|l| l.died == "no-route").collect();
        assert!(!expired.is_empty(), "{losses:?}");
        for loss in losses.iter() {
            assert_eq!(
                (loss.cause.as_str(), (loss.root_node, loss.next_hop)),
                ("link-failure", hop),
                "{loss:?}"
            );
        }
        assert!(expired.iter().all(|l| l.node == i64::from(away) && l.at > 9.0), "{losses:?}");
    }
}

/// `0 ── 1 ── 2 ── 3` in a ring of eight, OLSR without feedback of the MAC, 802.11g, bursts of errors: node 2 gives up node 3 at
/// 22.486 s because its HELLOs have stayed away for 6 s. Two of the three met node 2 while it was sending. Without the bursts, the third
/// one arrives and nothing breaks. Packets go back and forth, fill queues, and find no route later. All of that is one break, and has one
/// cause; but a datagram that is lost without the bursts, too, was not lost to them.
#[test]
fn a_break_that_missing_hellos_show_has_one_cause() {
    let text = "duration = \"24s\"\nrouting.protocol = \"olsr\"\nradio.preset = \"g\"\nmac = { rts_threshold = \"0B\", queue_limit = 5 }\n\
                topology = { kind = \"explicit\", positions = [[0, 0], [100, 135], [260, 150], [420, 135], [520, 0], \
                [100, -135], [260, -150], [420, -135]] }\n\
                [[flow]]\nfrom = 0\nto = 4\napp = \"cbr\"\nrate = \"6Mbps\"\nsize = \"1000B\"\nstart = \"1s\"";
    let bursts = "errors.frame_err = { gilbert-elliott = { good_to_bad = 0.02, bad_to_good = 0.2 } }";
    let (without, lost) = (run(text, 187), run(&format!("{bursts}\n{text}"), 187));
    let anyway: BTreeSet<i64> = without.iter().map(|l| l.seq).collect();
    assert!(!without.iter().any(|l| l.died == "no-route" && l.at > 20.0));
    let ends = ["ttl", "loop", "no-route"];
    let of_break = |l: &&Loss| {
        l.at > 22.486 && (l.root_node, l.next_hop) == (2, Some(3)) && ends.contains(&l.died.as_str())
    };
    let lost: Vec<&Loss> = lost.iter().filter(of_break).collect();
    assert!(lost.len() > 500, "{}", lost.len());
    let (anyway, own): (Vec<&Loss>, Vec<&Loss>) = lost.iter().partition(|l| anyway.contains(&l.seq));
    assert!(own.len() > 100, "{} {}", anyway.len(), own.len());
    assert_eq!(own.iter().find(|l| l.cause != "channel"), None, "of {}", own.len());
    assert!(ends.iter().all(|end| lost.iter().any(|l| l.died == *end)));
}
