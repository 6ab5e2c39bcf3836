//! The loss situations of TCP-WELCOME (Ghaleb-Seddik et al. 2012): in each, packets are lost for the
//! reason in its name.

use crate::common::{load, run_once};
use std::collections::BTreeMap;

/// Losses (data and ACK) by cause, over three seeds.
fn losses(scenario: &str) -> BTreeMap<&'static str, u64> {
    let world = load(scenario, &[]);
    let mut sum = BTreeMap::new();
    for seed in 1..=3 {
        for (cause, n) in run_once(&world, seed).document.ledger {
            *sum.entry(cause).or_insert(0) += n.data + n.ack;
        }
    }
    sum.retain(|_, n| *n > 0);
    sum
}

fn share(losses: &BTreeMap<&'static str, u64>, causes: &[&str]) -> f64 {
    let all: u64 = losses.values().sum();
    let these: u64 = causes.iter().filter_map(|c| losses.get(c)).sum();
    these as f64 / all as f64
}

#[test]
fn each_situation_loses_for_its_own_reason() {
    let table: [(&str, &[&str]); 6] = [
        ("channel-errors", &["channel"]),
        ("congestion", &["congestion"]),
        ("interference", &["contention"]),
        ("link-failure", &["node-down"]),
        ("link-failure-shorter", &["node-down"]),
        ("signal-loss", &["link-failure"]),
    ];
    for (scenario, causes) in table {
        let losses = losses(scenario);
        assert!(losses.values().sum::<u64>() >= 20, "{scenario}: too little is lost: {losses:?}");
        assert!(share(&losses, causes) > 0.9, "{scenario}: {losses:?}");
    }
}

/// A packet that crosses two hops, each of which corrupts 3 % of packets, is lost with 1 − 0.97² = 5.91 %.
/// Three runs send a few thousand segments of data and as many ACKs.
#[test]
fn channel_errors_strike_as_many_packets_as_set() {
    let world = load("channel-errors", &[]);
    let (mut sent, mut lost) = (0, 0);
    for seed in 1..=3 {
        let document = run_once(&world, seed).document;
        sent += document.flows[0].sent_segments;
        lost += document.ledger["channel"].data;
    }
    assert!(sent > 3000, "{sent} sent");
    let share = lost as f64 / sent as f64;
    // Four standard deviations of the share.
    let four = 4.0 * (0.0591 * 0.9409 / sent as f64).sqrt();
    assert!((share - 0.0591).abs() < four, "{share} of {sent}, allowed are {four} around 0.0591");
}

/// The MAC repeats frames. An attempt whose RTS was answered fails if data or ACK is struck: 1 − 0.97² = 5.9 % if
/// 3 % of frames are struck independently. Four attempts fail in a row with a probability of 0.000012, and a broken
/// route then costs the packets behind it too. Bursts of ten frames on average strike all attempts of a packet.
#[test]
fn the_mac_repairs_struck_frames_unless_they_come_in_bursts() {
    let lost = |errors: &str| {
        let sets = ["errors.pkt_err=none", errors];
        let (mut sent, mut lost) = (0, 0);
        for seed in 1..=3 {
            let document = run_once(&load("channel-errors", &sets), seed).document;
            sent += document.flows[0].sent_segments;
            lost += document.ledger["channel"].data;
        }
        lost as f64 / sent as f64
    };
    let apart = lost("errors.frame_err.bernoulli.rate=0.03");
    let bursts = lost("errors.frame_err={ gilbert-elliott = { good_to_bad = 0.00309, bad_to_good = 0.1 } }");
    assert!(apart < 0.001, "{apart}");
    assert!(bursts > 10.0 * apart && bursts > 0.002, "{bursts}, independently {apart}");
}

/// Without the second transfer, the interference scenario is a string without losses.
#[test]
fn the_second_transfer_is_what_disturbs_the_first() {
    let alone = load("interference", &["flow.1.start=119s"]);
    let together = load("interference", &[]);
    let (mut free, mut disturbed) = (0.0, 0.0);
    for seed in 1..=3 {
        free += run_once(&alone, seed).document.flows[0].goodput_bps;
        disturbed += run_once(&together, seed).document.flows[0].goodput_bps;
    }
    assert!(disturbed < 0.8 * free, "{disturbed} of {free}");
}

/// A failed relay changes the path length: mean hops over the whole run and after the failure.
#[test]
fn a_failed_relay_changes_the_length_of_the_path() {
    for (scenario, after) in [("link-failure", 3.0), ("link-failure-shorter", 2.0)] {
        let hops = |sets: &[&str]| run_once(&load(scenario, sets), 1).document.flows[0].mean_hops;
        assert!(hops(&[]).is_some_and(|h| h > 2.1 && h < 2.9), "{scenario}: {:?}", hops(&[]));
        assert_eq!(hops(&["warmup=25s"]), Some(after), "{scenario}");
    }
}

/// On the longer path a round trip exceeds the old timeout. WELCOME uses 3/2 of it until it has measured
/// the new path; with the old one every window would be sent twice (seed 6: 12 timeouts).
#[test]
fn welcome_does_not_time_out_again_and_again_on_a_longer_path() {
    let world = load("link-failure", &["tcp.variant=welcome"]);
    for seed in 1..=10 {
        let flow = &run_once(&world, seed).document.flows[0];
        let timeouts = flow.timeouts.expect("simulated flows count them");
        assert!(timeouts <= 3, "seed {seed}: {timeouts} timeouts");
        assert!(flow.retransmitted_segments <= 60, "seed {seed}: {}", flow.retransmitted_segments);
    }
}
