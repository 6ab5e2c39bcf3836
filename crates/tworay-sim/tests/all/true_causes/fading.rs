//! Fading, shadowing and errors above the MAC: they strike addresses and messages of routing as well.
//!
//! `0 ── 1`, 180 m apart and in range by the mean power (250 m), with one flow of datagrams from 0 to 1. Nothing moves or
//! fails, and no frame collides, so that nothing but the channel can keep a packet from going on.

use super::{Loss, causes, losses, parse, run_once};
use std::collections::BTreeSet;
use tworay_radio::Verdict;
use tworay_sim::{ColumnData, Emission, RunControl, RunOptions, RunReport, run};

/// A datagram of 200 bytes every 200 ms; OLSR has 20 s to converge if the channel lets it.
fn world(protocol: &str, channel: &str, seed: u64) -> RunReport {
    let start = if protocol == "olsr" { 20 } else { 1 };
    let text = format!(
        "duration = \"60s\"\ntopology = {{ kind = \"string\", hops = 1, spacing = \"180m\" }}\n{channel}\n\
         routing.protocol = \"{protocol}\"\n\
         [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nsize = \"200B\"\ninterval = \"200ms\"\nstart = \"{start}s\"\n"
    );
    let options = RunOptions { seed, medium_log: true, record: true, ..RunOptions::default() };
    run(&parse(&text), &options, &RunControl::new()).expect("a run")
}

/// Two transmissions overlap, so that a station may have missed a frame because of its own.
fn overlaps(report: &RunReport) -> bool {
    let log = report.medium_log().expect("a log of the medium").emissions();
    let collided = |e: &Emission| e.receptions.iter().any(|r| r.verdict == Verdict::Collided);
    log.iter().any(collided) || log.windows(2).any(|pair| pair[0].at + pair[0].airtime > pair[1].at)
}

/// Losses with each protocol in this channel, in runs in which nothing overlaps.
fn lost(channel: &str, seeds: std::ops::RangeInclusive<u64>) -> Vec<(&'static str, u64, Vec<Loss>)> {
    let mut all = Vec::new();
    for protocol in ["static", "aodv", "dsr", "olsr"] {
        for seed in seeds.clone() {
            let report = world(protocol, channel, seed);
            if !overlaps(&report) {
                all.push((protocol, seed, losses(&report)));
            }
        }
    }
    all
}

fn all_channel(channel: &str, seeds: std::ops::RangeInclusive<u64>, least: usize) {
    for protocol in ["static", "aodv", "dsr", "olsr"] {
        let clear = losses(&world(protocol, "", 1));
        assert_eq!(clear, [], "{protocol} without disturbance");
    }
    let runs = lost(channel, seeds);
    let protocols: BTreeSet<&str> =
        runs.iter().filter(|(.., l)| l.len() >= least).map(|(p, ..)| *p).collect();
    assert_eq!(protocols.len(), 4, "{channel}: only {protocols:?} lose much");
    for (protocol, seed, losses) in runs.iter().filter(|(.., losses)| !losses.is_empty()) {
        assert_eq!(
            causes(losses),
            BTreeSet::from(["channel"]),
            "{channel} {protocol} {seed}: {:?}",
            losses[0]
        );
    }
}

/// Every packet is lost above the MAC of its receiver: requests for addresses, requests for routes and HELLOs, too.
#[test]
fn errors_above_the_mac_strike_messages() {
    all_channel("errors.pkt_err = { bernoulli = { rate = 1.0 } }", 1..=3, 100);
    all_channel("errors.pkt_err = { bernoulli = { rate = 0.5 } }", 1..=4, 3);
    let bursts = "errors.pkt_err = { gilbert-elliott = { good_to_bad = 0.02, bad_to_good = 0.02 } }";
    all_channel(bursts, 1..=8, 20);
}

/// Rayleigh fading that keeps a value for 15 s: by the mean power, 180 m leave a margin of (250 / 180)⁴, 5.7 dB, and a
/// gain below 0.27 is drawn for every fourth period of each pair.
#[test]
fn deep_fades_strike_messages() {
    all_channel("radio.fading = { k = 0, coherence = \"15s\" }", 1..=16, 50);
}

/// Shadowing of 12 dB lasts longer than the run: half a standard deviation closes the link, in three runs of ten.
#[test]
fn shadows_strike_messages() {
    all_channel("radio.shadowing = { sigma = \"12dB\", coherence = \"100s\" }", 1..=12, 150);
}

/// 252 m are beyond the range. Fading lets some frames through, also RTS whose CTS it does not: all that is lost is lost
/// to the range.
#[test]
fn beyond_the_range_fading_explains_nothing() {
    let text = "duration = \"60s\"\ntopology = { kind = \"string\", hops = 1, spacing = \"252m\" }\nmac.arp = false\n\
                radio.fading = { k = 0 }\nrouting.protocol = \"olsr\"\n\
                [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nsize = \"200B\"\ninterval = \"200ms\"\nstart = \"1s\"\n";
    let mut given_up = 0;
    for seed in 1..=5 {
        let lost = losses(&run_once(&parse(text), seed));
        given_up += lost.iter().filter(|l| l.died.ends_with("retries")).count();
        assert_eq!(causes(&lost), BTreeSet::from(["link-failure"]), "{seed}: {lost:?}");
    }
    assert!(given_up > 50, "the MAC gave up {given_up} packets");
}

/// Fates of the unicast frames.
fn fates(report: &RunReport) -> BTreeSet<&'static str> {
    let tables = report.tables();
    let frames = tables.iter().find(|t| t.name == "frames").expect("frames");
    let column = frames.columns.iter().find(|c| c.name == "fate").expect("a column");
    let ColumnData::Word(words, fates) = &column.data else { panic!("outcomes are words") };
    fates.iter().flatten().map(|word| words[usize::from(*word)]).collect()
}

/// The table of frames names fading, too: 180 m are in range.
#[test]
fn a_faded_frame_is_a_channel_error() {
    let report = world("static", "radio.fading = { k = 0 }", 1);
    assert!(!overlaps(&report));
    assert_eq!(fates(&report), BTreeSet::from(["received", "channel-error"]));
}

/// Fifty datagrams a second over an OFDM radio, 177 m: in range by the mean power. Only one station has datagrams to send,
/// so that no frame collides. Returns how many are lost to the channel, the others for their rate.
fn faded(preset: &str, mac: &str, channel: &str) -> usize {
    let mut channels = 0;
    for seed in 1..=3 {
        let text = format!(
            "duration = \"30s\"\ntopology = {{ kind = \"string\", hops = 1, spacing = \"177m\" }}\n\
             radio.preset = \"{preset}\"\nradio.{channel}\nrouting.protocol = \"static\"\n\
             mac = {{ arp = false, {mac} }}\n\
             [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\ninterval = \"20ms\"\nstart = \"1s\"\n"
        );
        let lost = losses(&run_once(&parse(&text), seed));
        // A frame whose preamble gets through may be lost for its rate.
        let noise = |loss: &&Loss| ["channel", "rate"].contains(&loss.cause.as_str());
        assert_eq!(lost.iter().find(|loss| !noise(loss)), None, "{preset}, {channel}, seed {seed}");
        channels += lost.iter().filter(|loss| loss.cause == "channel").count();
    }
    channels
}

/// With OFDM as well, a fade is never contention. It is slow and deep enough that all attempts of a packet meet it.
#[test]
fn fades_of_ofdm_are_channel() {
    for preset in ["g", "n20", "ac80x2"] {
        for channel in [
            "fading = { k = 0.0, coherence = \"2s\" }",
            "shadowing = { sigma = \"12dB\", coherence = \"3s\" }",
        ] {
            let lost = faded(preset, "rts = \"none\"", channel);
            assert!(lost > 10, "{preset}, {channel}: {lost} lost to the channel");
        }
    }
}

/// Each frame has a gain of its own, so that CTS, ACK and BlockAck fade although the frame before them did not. A packet has
/// two attempts, or 4 ms.
#[test]
fn answers_that_fade_are_channel() {
    for (preset, mac) in
        [("g", "short_retry_limit = 2"), ("n20", "lifetime = \"4ms\""), ("ac80x2", "lifetime = \"4ms\"")]
    {
        let lost = faded(preset, &format!("rts = \"full\", {mac}"), "fading = { k = 0.0 }");
        assert!(lost > 100, "{preset}: {lost} lost to the channel");
    }
}

/// `0 ── 1`, beyond the mean reach of 250 m: with seed 4, shadowing carries the hop all the time. What a full queue loses there, and what
/// errors destroy, has the same causes as over 200 m.
#[test]
fn a_hop_that_only_slow_shadowing_carries_is_no_broken_one() {
    let run_once = |spacing: &str, protocol: &str, rate: &str, more: &str| {
        let text = format!(
            "duration = \"20s\"\ntopology = {{ kind = \"string\", hops = 1, spacing = \"{spacing}\" }}\n\
             radio = {{ preset = \"b-2\", shadowing = {{ sigma = \"3dB\", coherence = \"60s\" }} }}\n\
             mac.queue_limit = 20\nrouting.protocol = \"{protocol}\"\n{more}\n\
             [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nsize = \"1000B\"\nrate = \"{rate}\"\nstart = \"1s\"\n"
        );
        let options = RunOptions { seed: 4, medium_log: true, record: true, ..RunOptions::default() };
        run(&parse(&text), &options, &RunControl::new()).expect("a run")
    };
    let noise = "errors.frame_err.bernoulli.rate = 0.35";
    for protocol in ["aodv", "dsr", "olsr"] {
        for (rate, more, least) in [("3Mbps", "", 1000), ("400kbps", noise, 200)] {
            let far = run_once("265m", protocol, rate, more);
            let log = far.medium_log().expect("a log of the medium").emissions();
            let weak = |e: &&Emission| e.receptions.iter().any(|r| r.verdict == Verdict::Undecodable);
            let found = log.iter().find(weak);
            assert!(found.is_none(), "{protocol}: a frame was too weak: {found:?}");
            let (far, near) = (losses(&far), losses(&run_once("200m", protocol, rate, more)));
            assert!(far.len() >= least, "{protocol} {rate}: {} lost", far.len());
            assert_eq!(
                causes(&far),
                causes(&near),
                "{protocol} {rate}: {:?}",
                far.iter().find(|l| l.cause == "link-failure")
            );
        }
    }
}

/// `0 ── 1 ── 2`, 200 m apart: 802.11g at 18 Mb/s, 0.85 of what both hops carry. Without fading nothing is lost. With it, node 0 often does not
/// hear that node 1 sends, and sends to it meanwhile: such a frame is lost to the channel, and so is what node 0's queue loses.
#[test]
fn a_frame_sent_to_a_station_that_fading_hides_is_lost_to_the_channel() {
    let at_source = |fading: &str, seed: u64| {
        let text = format!(
            "duration = \"6s\"\ntopology = {{ kind = \"string\", hops = 2, spacing = \"200m\" }}\n\
             radio = {{ preset = \"g\", rate = \"fixed\", mcs = 2{fading} }}\nmac.queue_limit = 20\nrouting.protocol = \"static\"\n\
             [[flow]]\nfrom = 0\nto = 2\napp = \"cbr\"\nsize = \"1000B\"\nrate = \"3655kbps\"\nstart = \"1s\"\n"
        );
        let options = RunOptions { seed, ..RunOptions::default() };
        let losses = losses(&run(&parse(&text), &options, &RunControl::new()).expect("a run"));
        losses.into_iter().filter(|l| l.died == "ifq" && l.node == 0).collect::<Vec<Loss>>()
    };
    let mut all = Vec::new();
    for seed in 1..=3 {
        assert!(at_source("", seed).is_empty(), "{seed}");
        all.extend(at_source(", fading = { k = 0.0, coherence = \"0s\" }", seed));
    }
    assert!(all.len() > 4000, "{}", all.len());
    assert_eq!(causes(&all), BTreeSet::from(["channel"]));
}

/// A grid of 3 by 3 nodes at rest, 207 m apart: its diagonals, 293 m, are longer than the mean reach and work only because of fading. What
/// is lost before the first route is lost to the fading; without fading no route is missing because of a broken link.
#[test]
fn a_hop_that_only_fading_carries_is_no_reason_for_a_first_route() {
    let run = |fading: &str, seed: u64| {
        let text = format!(
            "duration = \"35s\"\ntopology = {{ kind = \"grid\", rows = 3, columns = 3, spacing = \"207m\" }}\n\
             radio = {{ preset = \"b-11\"{fading} }}\nrouting.protocol = \"olsr\"\n\
             [[flow]]\nfrom = 8\nto = 0\napp = \"cbr\"\nstart = \"2s\"\nrate = \"100kbps\"\nsize = \"512B\"\n"
        );
        losses(&run_once(&parse(&text), seed))
    };
    let mut without_route = 0;
    for seed in [8, 9, 13] {
        assert!(run("", seed).iter().all(|loss| loss.cause != "link-failure"), "{seed}");
        let found = run(", fading = { k = 5.7, coherence = \"300ms\" }", seed);
        // One after the other, from the first datagram on: node 8 has no route yet.
        let yet =
            |(number, loss): &(i64, &Loss)| loss.seq == found[0].seq + number && loss.died == "no-route";
        let unrouted: Vec<&Loss> = (0..).zip(&found).take_while(yet).map(|(_, loss)| loss).collect();
        assert_eq!(
            unrouted.iter().find(|loss| loss.cause == "link-failure"),
            None,
            "{seed}: {}",
            unrouted.len()
        );
        without_route += unrouted.len();
    }
    assert!(without_route > 300, "{without_route}");
}

/// Shadowing of 0 dB is a factor of one: it changes nothing, and names nothing. `0 ── 4`, 130 m apart, 802.11n over DSR, both ways at more
/// than the path carries: receivers are busy, and frames collide.
#[test]
fn shadowing_of_nothing_is_no_cause() {
    let world = |shadowing: &str| {
        let text = format!(
            "duration = \"2.5s\"\ntopology = {{ kind = \"string\", hops = 4, spacing = \"130m\" }}\n\
             radio.preset = \"n20\"\n{shadowing}\nrouting.protocol = \"dsr\"\nmac.rts_threshold = \"500B\"\n\
             [[flow]]\nfrom = 0\nto = 4\napp = \"cbr\"\nrate = \"5Mbps\"\nsize = \"512B\"\nstart = \"1s\"\n\
             [[flow]]\nfrom = 4\nto = 0\napp = \"cbr\"\nrate = \"5Mbps\"\nsize = \"1400B\"\nstart = \"1s\"\n"
        );
        losses(&run_once(&parse(&text), 1))
    };
    let (clear, shadowed) = (world(""), world("radio.shadowing = { sigma = \"0dB\", coherence = \"20s\" }"));
    assert!(clear.iter().any(|loss| loss.cause == "contention"), "{:?}", causes(&clear));
    assert_eq!(clear, shadowed);
}
