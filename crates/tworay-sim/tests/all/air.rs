//! Radios of 802.11a/g/n/ac: goodput beside the closed form of a saturated hop, and beside ns-3.37's runs where its
//! table is at hand.

mod categories;
mod ns3;

use crate::common::{load, parse, run_once};
use tworay_sim::scenario::Scenario;

/// A string or a star as in ns-3.37's reference runs: log-distance loss of exponent 3 and 46.6777 dB at 1 m, 40 mW,
/// queues of 500 packets, fixed routes, known addresses.
#[derive(Clone, Debug)]
pub struct World {
    /// Keys of `[radio]`: standard, width, streams, guard, rate.
    pub radio: String,
    /// Keys of `[mac]`.
    pub mac: String,
    pub hops: u32,
    /// As many senders round one receiver instead of a string.
    pub star: bool,
    pub spacing: f64,
    /// Keys of each flow, after its ends.
    pub flows: Vec<String>,
    pub seconds: f64,
}

impl World {
    pub fn hop(radio: &str, mac: &str, spacing: f64) -> Self {
        Self {
            radio: radio.into(),
            mac: mac.into(),
            hops: 1,
            star: false,
            spacing,
            flows: vec![udp(0, 1, 60)],
            seconds: 6.0,
        }
    }

    pub fn scenario(&self) -> Scenario {
        let Self { radio, mac, hops, spacing, seconds, .. } = self;
        let ghz = if radio.contains("\"g\"") { "2.412" } else { "5.150" };
        let flows = self.flows.join("\n");
        // As ns-3's routes lead over neighbours.
        let longest = 1.5 * spacing;
        let topology = if self.star {
            let angle = |i: u32| 2.0 * std::f64::consts::PI * f64::from(i) / f64::from(*hops);
            let place = |i| format!(", [{:.4}, {:.4}]", spacing * angle(i).cos(), spacing * angle(i).sin());
            let round: String = (0..*hops).map(place).collect();
            format!("{{ kind = \"explicit\", positions = [[0, 0]{round}] }}")
        } else {
            format!("{{ kind = \"string\", hops = {hops}, spacing = \"{spacing}m\" }}")
        };
        parse(&format!(
            r#"
            duration = "{seconds}s"
            warmup = "2s"
            topology = {topology}
            routing = {{ protocol = "static", longest_hop = "{longest}m" }}
            tcp = {{ variant = "sack", mss = "1448B", window = "4MB", initial_window = 10, receiver.acks = "delayed" }}
            [radio]
            {radio}
            tx_power = "40mW"
            frequency = "{ghz}GHz"
            tx_gain = "0dB"
            rx_gain = "0dB"
            [mac]
            {mac}
            queue_limit = 500
            arp = false
            queue = "fifo"
            {flows}
            "#
        ))
    }

    /// Goodput of all flows, Mb/s.
    pub fn goodput(&self, seed: u64) -> f64 {
        let report = run_once(&self.scenario(), seed);
        report.document.flows.iter().map(|flow| flow.goodput_bps / 1e6).sum()
    }
}

/// A flow of datagrams of 1,460 B.
pub fn udp(from: u32, to: u32, megabits: u32) -> String {
    format!(
        "[[flow]]\nfrom = {from}\nto = {to}\napp = \"cbr\"\nrate = \"{megabits}Mbps\"\nsize = \"1460B\"\nstart = \"1s\"\n"
    )
}

/// 802.11a at 54 Mb/s: 1,524 B take 20 + 4 ⌈(22 + 12,192) / 216⌉ = 248 µs. With DIFS 34, a mean backoff of 67.5, SIFS 16
/// and an ACK of 28 µs an access takes 393.5 µs: 11,680 / 393.5 = 29.68 Mb/s.
#[test]
fn a_saturated_hop_of_802_11a_by_hand() {
    let world = World::hop("standard = \"a\"\nrate = \"fixed\"\nmcs = 7", "", 5.0);
    let found = world.goodput(1);
    assert!((found / (11_680.0 / 393.5) - 1.0).abs() <= 0.01, "{found} Mb/s");
}

/// Bianchi's saturation goodput (IEEE JSAC 18, 2000) of `count` stations with best effort's windows 15 to 1,023, Mb/s:
/// `frames` of 1,460 B in `ppdu` µs, `answer` µs with its SIFS, AIFS 43 µs. Stations at equal strength detect no preamble in a
/// collision, so that nobody waits for EIFS.
fn bianchi(count: i32, frames: f64, ppdu: f64, answer: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let tau: f64 = (low + high) / 2.0;
        let p = 1.0 - (1.0 - tau).powi(count - 1);
        let grown: f64 = (0..6).map(|i| (2.0 * p).powi(i)).sum();
        if 2.0 / (17.0 + 16.0 * p * grown) > tau { low = tau } else { high = tau }
    }
    let tau: f64 = low;
    let idle = (1.0 - tau).powi(count);
    let success = f64::from(count) * tau * (1.0 - tau).powi(count - 1);
    let time = idle * 9.0 + success * (ppdu + answer + 43.0) + (1.0 - idle - success) * (ppdu + 43.0);
    success * frames * 11_680.0 / time
}

/// 802.11n at MCS 7: single frames of 1,526 B take 36 + 4 × 48 = 228 µs and an ACK of 28 µs; 28 of them in an aggregate 5,316 µs
/// and a BlockAck of 32 µs. All signals are equally strong, as the model has it: nobody decodes one of two that collide.
/// The model repeats what has collided, without a BlockAckReq.
#[test]
fn saturated_stations_share_the_medium_as_bianchi_says() {
    let radio = "standard = \"n\"\nrate = \"fixed\"\nmcs = 7\npropagation = \"range\"";
    for (aggregate, frames, ppdu, answer) in [(0, 1.0, 228.0, 44.0), (65_535, 28.0, 5_316.0, 48.0)] {
        for count in [2, 5, 10, 20] {
            let world = World {
                hops: count,
                star: true,
                flows: (1..=count).map(|from| udp(from, 0, 60)).collect(),
                seconds: 22.0,
                ..World::hop(
                    radio,
                    &format!("max_aggregate = \"{aggregate}B\"\nmissing_block_ack = \"repeat\""),
                    5.0,
                )
            };
            let found = world.goodput(1);
            let model = bianchi(count as i32, frames, ppdu, answer);
            println!("{count} stations, {frames} frames: {found:.2} Mb/s, model {model:.2}");
            assert!(
                (found / model - 1.0).abs() <= 0.03,
                "{count} stations, {frames} frames: {found}, {model}"
            );
        }
    }
}

/// Three stations 25 m apart at 40 mW: 50 m are heard at -81.6 dBm, above the preamble's -82 dBm.
#[test]
fn a_longest_hop_keeps_static_routes_from_the_farthest_links() {
    for (longest, hops) in [("", 1.0), (", longest_hop = \"30m\"", 2.0)] {
        let scenario = parse(&format!(
            r#"
            duration = "3s"
            topology = {{ kind = "string", hops = 2, spacing = "25m" }}
            routing = {{ protocol = "static"{longest} }}
            radio = {{ standard = "n", rate = "fixed", mcs = 0, tx_power = "40mW", frequency = "5.15GHz", tx_gain = "0dB", rx_gain = "0dB" }}
            mac = {{ basic_rate = "6Mbps" }}
            [[flow]]
            from = 0
            to = 2
            start = "1s"
            "#
        ));
        assert_eq!(run_once(&scenario, 1).document.flows[0].mean_hops, Some(hops), "{longest}");
    }
}

/// Every loss over the new radios has a cause, with every routing protocol, and the same run gives the same bytes.
#[test]
fn every_loss_over_the_new_radios_is_explained() {
    let mut lost = 0;
    for preset in ["g", "n20", "n40x2", "ac80x2"] {
        for (scenario, more) in [
            ("string-5", "duration=10s"),
            ("grid-3x3", "routing.protocol=dsr"),
            ("square-50-5", "routing.protocol=olsr"),
            ("cross", "mac.queue_limit=20"),
            ("link-failure", "duration=40s"),
            ("string-3", "radio.fading.k=2"),
            ("string-3", "mac.rts=full"),
        ] {
            let preset = format!("radio.preset={preset}");
            let sets = [preset.as_str(), "duration=15s", "mac.queue=fifo", more];
            let scenario = load(scenario, &sets);
            let report = run_once(&scenario, 1);
            let ledger = &report.document.ledger;
            lost += ledger.values().map(|n| n.data + n.ack).sum::<u64>();
            let unknown = ledger["unknown"];
            assert_eq!((unknown.data, unknown.ack), (0, 0), "{} {sets:?}", scenario.name());
            let goodput: f64 = report.document.flows.iter().map(|flow| flow.goodput_bps).sum();
            println!("{} {sets:?}: {:.2} Mb/s, {lost} lost so far", scenario.name(), goodput / 1e6);
        }
    }
    assert!(lost > 100, "{lost} lost");
}

/// 802.11n at MCS 7 needs 22 dB; at -80 dBm, 14 dB above noise, MCS 3 still works. 40 mW over 46.7 dB + 30 lg 44 m: -80 dBm.
#[test]
fn losses_at_a_rate_that_is_too_fast_are_those_of_the_rate() {
    let world = World::hop("standard = \"n\"\nrate = \"fixed\"\nmcs = 7", "", 44.0);
    let report = run_once(&world.scenario(), 1);
    let lost = |cause: &str| report.document.ledger[cause].data;
    assert!(lost("rate") > 1_000, "{:?}", report.document.ledger);
    assert_eq!((lost("contention"), lost("channel"), lost("unknown")), (0, 0, 0));
    let slower = World::hop("standard = \"n\"\nrate = \"fixed\"\nmcs = 2", "", 44.0);
    assert!(slower.goodput(1) > 10.0);
}

/// 40 mW over 46.68 dB + 30 lg d at a noise of -93.98 dBm: 63.32 dB - 30 lg d. By the closed form of Pei and Henderson (2010)
/// with frames of 1,536 B, and 34 + 67.5 + 16 + 32 us beside their own time, MCS 5 is best from 21.23 to 22.77 dB, MCS 4 from
/// 16.32 dB, MCS 2 from 9.54 to 13.3 dB. 24 m have 21.92 dB, 27 m 20.38 dB, 48 m 12.88 dB; 54 m are below -82 dBm (11.98 dB).
#[test]
fn each_links_best_rate_is_that_of_the_error_models_closed_form() {
    let links = |standard: &str, spacing| {
        let world = World { hops: 2, ..World::hop(&format!("standard = \"{standard}\""), "", spacing) };
        run_once(&world.scenario(), 1).document.links.map(|rates| {
            let rate = |r: &tworay_sim::LinkRate| (r.rate_bps / 1_000, r.links.clone(), r.more);
            rates.iter().map(rate).collect::<Vec<_>>()
        })
    };
    let neighbours = vec![(0, 1), (1, 2)];
    let near = vec![(52_000, neighbours.clone(), 0), (19_500, vec![(0, 2)], 0)];
    assert_eq!(links("n", 24.0), Some(near));
    assert_eq!(links("n", 27.0), Some(vec![(39_000, neighbours, 0)]));
    assert_eq!(run_once(&load("string-1", &["duration=3s"]), 1).document.links, None, "802.11b");
    let moving = load("square-50-1", &["radio.preset=n20", "duration=2s"]);
    assert_eq!(run_once(&moving, 1).document.links, None, "nodes move");
}

/// 30 x 30 stations, 20 m apart, reach 51.4 m: 2 x 30 x 29 links of 20 m at 24.29 dB have MCS 7, from 24.02 dB on. The list
/// ends after 16 links a rate.
#[test]
fn links_of_a_large_field_are_counted_and_not_all_listed() {
    let grid = [
        "radio.standard=n",
        "radio.tx_power=40mW",
        "radio.frequency=5.15GHz",
        "radio.tx_gain=0dB",
        "radio.rx_gain=0dB",
        "topology.spacing=20m",
        "topology.rows=30",
        "topology.columns=30",
        "duration=2s",
    ];
    let rates = run_once(&load("grid-3x3", &grid), 1).document.links.expect("nodes stand still");
    assert_eq!((rates[0].rate_bps, rates[0].links.len(), rates[0].more), (65_000_000, 16, 2 * 30 * 29 - 16));
    assert!(rates.iter().all(|rate| rate.links.len() <= 16));
    // A row of 30 has 30 - j pairs j places apart, so (i, j) places 30 - i times 30 - j, both diagonals for i, j > 0.
    let reach = |i: u32, j: u32| (i, j) != (0, 0) && 400 * (i * i + j * j) <= 2_641;
    let ways = |i: u32, j: u32| if i > 0 && j > 0 { 2 } else { 1 };
    let pairs = (0..3).flat_map(|i| (0..3).map(move |j| (i, j))).filter(|&(i, j)| reach(i, j));
    let all: u32 = pairs.map(|(i, j)| ways(i, j) * (30 - i) * (30 - j)).sum();
    assert_eq!(rates.iter().map(|rate| rate.links.len() + rate.more).sum::<usize>(), all as usize);
}

/// Minstrel finds what the ideal control knows: at 5 m the fastest rate.
#[test]
fn minstrel_comes_close_to_the_ideal_control_on_a_still_link() {
    for distance in [5.0, 25.0, 40.0] {
        let goodput =
            |rate: &str| World::hop(&format!("standard = \"n\"\nrate = \"{rate}\""), "", distance).goodput(1);
        let (ideal, minstrel) = (goodput("ideal"), goodput("minstrel-ht"));
        println!("{distance} m: ideal {ideal:.2}, minstrel {minstrel:.2} Mb/s");
        assert!(minstrel >= 0.85 * ideal && minstrel <= 1.02 * ideal, "{distance} m: {ideal}, {minstrel}");
    }
}

/// FQ-CoDel keeps the queue of a bulk transfer short: without it, 500 packets of 1,500 B wait at about 50 Mb/s for 120 ms.
#[test]
fn fq_codel_shortens_the_queue_of_a_transfer() {
    let delay = |queue: &str| {
        let sets = [
            "radio.preset=n20",
            "duration=10s",
            "tcp.window=600",
            "topology.spacing=40m",
            "mac.queue_limit=500",
            queue,
        ];
        run_once(&load("string-1", &sets), 1).document.flows[0].mean_delay_seconds
    };
    let (fifo, fair) = (delay("mac.queue=fifo"), delay("mac.queue=fq-codel"));
    println!("fifo {fifo:?}, fq-codel {fair:?}");
    assert!(fair < fifo, "{fair:?} and {fifo:?}");
}

/// The scenario of every loss again, and the built-in ones for these radios: two runs give the same bytes.
#[test]
fn built_in_scenarios_of_new_radios_are_explained_and_repeat() {
    for (name, seconds) in [("street-n", 15), ("mesh-ac-25", 12), ("hidden-n", 10)] {
        let scenario = load(name, &[&format!("duration={seconds}s")]);
        let text = |seed| {
            let mut report = run_once(&scenario, seed);
            report.document.cpu_seconds = 0.0;
            let unknown = report.document.ledger["unknown"];
            assert_eq!((unknown.data, unknown.ack), (0, 0), "{name}");
            let goodput: Vec<f64> = report.document.flows.iter().map(|flow| flow.goodput_bps / 1e6).collect();
            println!("{name}: {goodput:.2?} Mb/s, {:?}", report.document.ledger);
            report.json()
        };
        let first = text(1);
        assert_eq!(first, text(1), "{name}");
        assert_ne!(first, text(2), "{name}");
    }
}
