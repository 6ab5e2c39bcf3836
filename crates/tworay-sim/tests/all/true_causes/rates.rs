//! Radios with several rates: what noise costs a queue is not load because the rate control has become slow.
//!
//! With 802.11g, a datagram of 1,000 bytes is a frame of 1,064. At 54 Mb/s, which reach 100 m, its exchange takes 430 µs: DIFS 50, half a window
//! of 15 slots 150, the frame 186, SIFS 10, the ACK 34. 200 m are in reach at 24 Mb/s: 382 µs for the frame, 626 in all. Over two hops of that
//! length whose stations hear each other, a datagram takes two exchanges and one backoff, 1,102 µs.

use super::{Loss, losses, parse, run_once};

/// Losses of queues, with datagrams of 1,000 bytes over a string of hops of this length.
fn rejected((preset, hops, spacing): (&str, u32, u32), interval: &str, disturbance: &str) -> Vec<Loss> {
    let text = format!(
        "duration = \"4s\"\ntopology = {{ kind = \"string\", hops = {hops}, spacing = \"{spacing}m\" }}\n\
         radio.preset = \"{preset}\"\nmac.queue = \"fifo\"\nrouting.protocol = \"static\"\n{disturbance}\n\
         [[flow]]\nfrom = 0\nto = {hops}\napp = \"cbr\"\nsize = \"1000B\"\ninterval = \"{interval}\"\nstart = \"1s\"\n"
    );
    let losses = losses(&run_once(&parse(&text), 1));
    losses.into_iter().filter(|loss| loss.died == "ifq").collect()
}

/// The queue of a flow that loses nothing without the disturbance: what it loses with it has one of these causes.
fn all_are(place: (&str, u32, u32), interval: &str, disturbance: &str, causes: &[&str]) {
    let without = rejected(place, interval, "").len();
    assert_eq!(without, 0, "{place:?} {interval} without disturbance");
    let with = rejected(place, interval, disturbance);
    assert!(with.len() > 100, "{place:?} {interval} {disturbance}: {}", with.len());
    let wrong = with.iter().find(|loss| !causes.contains(&loss.cause.as_str()));
    assert_eq!(wrong, None, "{place:?} {interval} {disturbance}: of {}", with.len());
}

const NEAR: (&str, u32, u32) = ("g", 1, 100);
/// One hop of 200 m: the station between has nothing to do.
const FAR: (&str, u32, u32) = ("g", 2, 100);
const RELAY: (&str, u32, u32) = ("g", 2, 200);

/// Minstrel takes lower rates while Rayleigh fading lasts, and keeps them for a while: that is not load.
#[test]
fn a_rate_that_fading_has_lowered_is_not_load() {
    for (place, interval) in [(NEAR, "800us"), (FAR, "1ms"), (RELAY, "1400us")] {
        for coherence in ["100ms", "5ms"] {
            let fading = format!("radio.fading = {{ k = 0, coherence = \"{coherence}\" }}");
            all_are(place, interval, &fading, &["channel", "rate"]);
        }
    }
}

/// One frame in five is lost at any rate from the first one on, before anything can be measured.
#[test]
fn errors_from_the_first_frame_on_are_not_load() {
    let errors = "errors.frame_err = { bernoulli = { rate = 0.2 } }";
    all_are(NEAR, "800us", errors, &["channel"]);
    all_are(FAR, "1ms", errors, &["channel"]);
    all_are(RELAY, "1400us", errors, &["channel"]);
}

/// 65,000 bytes of an aggregate take 1.9 ms at 270 Mb/s, and hold 62 datagrams: 60 µs for each of them are twice as long as it needs. With half of
/// the subframes lost, small aggregates at first are not load.
#[test]
fn errors_while_aggregates_are_small_are_not_load() {
    all_are(("n40x2", 1, 60), "60us", "errors.frame_err = { bernoulli = { rate = 0.5 } }", &["channel"]);
}

/// The receiver is off soon after the flow has begun.
#[test]
fn an_early_outage_is_not_load() {
    for until in ["1150ms", "1550ms"] {
        let outage = format!(
            "event = [{{ node = 2, at = \"1020ms\", what = \"down\" }}, {{ node = 2, at = \"{until}\", what = \"up\" }}]"
        );
        all_are(FAR, "1ms", &outage, &["node-down"]);
    }
}

/// More than the hop carries: the queue is full of load, whatever the channel does.
#[test]
fn more_than_the_hop_carries_is_load() {
    for (place, interval) in [(NEAR, "340us"), (FAR, "550us")] {
        let late = |losses: Vec<Loss>| losses.into_iter().filter(|loss| loss.at > 1.5).collect::<Vec<_>>();
        let without = late(rejected(place, interval, ""));
        let with = late(rejected(place, interval, "errors.frame_err = { bernoulli = { rate = 0.1 } }"));
        let of_load = with.iter().filter(|loss| loss.cause == "congestion").count();
        assert!(without.len() > 200 && of_load >= without.len(), "{place:?}: {of_load} of {}", with.len());
    }
}

/// Queues of five fill aggregates of five at most. Five frames of 266 bytes take 0.38 ms at 52 Mb/s with their access: 13,000 datagrams a second are
/// less than the 15,625 of 25 Mb/s, which 64 at once would carry.
#[test]
fn a_short_queue_fills_no_long_aggregate() {
    let lost = |errors: &str| {
        let text = format!(
            "duration = \"2s\"\ntopology = {{ kind = \"string\", hops = 1, spacing = \"50m\" }}\n\
             radio = {{ preset = \"n20\", rate = \"fixed\", mcs = 5 }}\nmac.queue_limit = 5\nrouting.protocol = \"static\"\n{errors}\n\
             [[flow]]\nfrom = 0\nto = 1\napp = \"cbr\"\nrate = \"25000kbps\"\nsize = \"200B\"\n"
        );
        let losses = losses(&run_once(&parse(&text), 1));
        losses.iter().filter(|loss| loss.cause == "congestion").count()
    };
    let without = lost("");
    assert!(without > 10_000, "{without}");
    for rate in ["0.001", "0.05"] {
        let with = lost(&format!("errors.frame_err.bernoulli.rate = {rate}"));
        assert!(with >= without, "{with} of {without} with {rate}");
    }
}

/// 40 Mb/s for 0.3 s, then nothing for 1.5 s: 48 Mb/s carry some 20 Mb/s of datagrams of 1,000 bytes. One frame in a hundred is lost.
#[test]
fn a_burst_is_load_from_its_first_datagram_on() {
    let text = "duration = \"4s\"\ntopology = { kind = \"string\", hops = 1, spacing = \"50m\" }\n\
                radio = { preset = \"g\", rate = \"fixed\", mcs = 5 }\nmac.queue_limit = 50\nrouting.protocol = \"static\"\n\
                errors.frame_err.bernoulli.rate = 0.01\n\
                [[flow]]\nfrom = 0\nto = 1\napp = \"on-off\"\nrate = \"40000kbps\"\nsize = \"1000B\"\non = \"300ms\"\noff = \"1500ms\"\n";
    let losses = losses(&run_once(&parse(text), 1));
    let of_errors = losses.iter().filter(|loss| loss.cause == "channel").count();
    assert!(losses.len() > 2000 && 50 * of_errors < losses.len(), "{of_errors} of {}", losses.len());
}
