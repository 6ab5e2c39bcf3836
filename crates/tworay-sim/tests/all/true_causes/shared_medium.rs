//! A queue whose packets take the time of relays on the same medium.
//!
//! 802.11b at 2 Mb/s: a datagram of 512 bytes is a frame of 576 bytes with UDP, IP and MAC headers. With the preamble of 192 µs it
//! lasts 2.5 ms, and with DIFS, mean backoff, SIFS and the ACK 3.1 ms. Over two hops in reach of each other's signals that is
//! 6.2 ms a datagram at most: some 160 datagrams a second, or 660 to 700 kb/s, whoever sends.
//! With bit errors of 1e-4, a frame in three is lost.

use super::{Loss, THREE, losses, parse, run_once};

const ERRORS: &str = "errors.frame_err = { bernoulli = { rate = 1e-4, unit = \"bit\" } }";

/// Datagrams over two hops, with more flows; what the queue of `node` rejects after two seconds.
fn rejected(rate: &str, (rts, limit): (&str, u32), more: &str, node: i64, seed: u64) -> Vec<Loss> {
    let text = format!(
        "duration = \"20s\"\nradio.preset = \"b-2\"\nrouting.protocol = \"static\"\n\
         topology = {{ kind = \"explicit\", positions = {THREE} }}\n\
         mac = {{ rts_threshold = \"{rts}\", queue_limit = {limit} }}\n{more}\n\
         [[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\nrate = \"{rate}\"\nsize = \"512B\"\nstart = \"1s\""
    );
    let losses = losses(&run_once(&parse(&text), seed));
    losses.into_iter().filter(|l| l.at > 2.0 && l.died == "ifq" && l.node == node).collect()
}

fn of(losses: &[Loss], cause: &str) -> usize {
    losses.iter().filter(|l| l.cause == cause).count()
}

/// `0 ── 1 ── 2`: 900 kb/s (with RTS 720 kb/s) are more than both hops carry without errors, though less than one hop would: load keeps
/// the queue of the source full, errors or not. 620 kb/s (with RTS 520 kb/s) lose nothing without them.
#[test]
fn a_source_before_a_relay_is_full_of_load_if_both_hops_together_are_too_slow() {
    for (rts, light, heavy) in [("3000B", "620kbps", "900kbps"), ("0B", "520kbps", "720kbps")] {
        for limit in [20, 50] {
            let mac = (rts, limit);
            for seed in [43, 737] {
                for (rate, cause) in [(heavy, "congestion"), (light, "channel")] {
                    let [without, with] = ["", ERRORS].map(|errors| rejected(rate, mac, errors, 0, seed));
                    assert_eq!(
                        without.len() > 500,
                        cause == "congestion",
                        "{rate} {mac:?}: {}",
                        without.len()
                    );
                    let wrong = with.len() - of(&with, cause);
                    assert!(
                        with.len() > 400 && 20 * wrong <= with.len(),
                        "{rate} {mac:?}: {wrong} of {}",
                        with.len()
                    );
                }
            }
        }
    }
}

/// The same with 800 kb/s, queues of five, and 200 kb/s from node 2 to node 0. Three stations that always have something to send
/// take turns: each sends every 9.3 ms, so 107 datagrams a second. Node 2 has 49, and loses none without errors. It needs one attempt and
/// a half for each of them and waits longer after a failed one: what its queue loses is lost to errors. Node 0 has 195 in either case.
#[test]
fn a_source_with_little_to_send_beside_a_busy_relay_is_full_because_of_errors() {
    let back =
        "[[flow]]\nfrom = 2\nto = 0\napp = \"cbr\"\nrate = \"200kbps\"\nsize = \"512B\"\nstart = \"1s\"\n";
    let mac = ("3000B", 5);
    let at = |errors: &str, node: i64, seed: u64| {
        rejected("800kbps", mac, &format!("{errors}\n{back}"), node, seed)
    };
    let mut light = Vec::new();
    for seed in [43, 737, 7] {
        assert!(at("", 2, seed).is_empty() && at("", 0, seed).len() > 800, "{seed}");
        light.extend(at(ERRORS, 2, seed));
        let heavy = at(ERRORS, 0, seed);
        let wrong = heavy.len() - of(&heavy, "congestion");
        assert!(heavy.len() > 1500 && 20 * wrong <= heavy.len(), "{seed}: {wrong} of {}", heavy.len());
    }
    let wrong = light.len() - of(&light, "channel");
    assert!(light.len() > 100 && 8 * wrong <= light.len(), "{wrong} of {}", light.len());
}
