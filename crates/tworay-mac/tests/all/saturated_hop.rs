//! Goodput of one saturated hop without losses, in closed form from durations, spaces and aggregates, beside
//! ns-3.37's runs.
//!
//! An access takes AIFS (DIFS without QoS), a mean backoff of half the smallest window, the PPDU, SIFS and the
//! response. ns-3's runs have an RTS threshold of 65,535 bytes, which longer aggregates exceed.

use std::path::{Path, PathBuf};
use tworay_base::SimDuration;
use tworay_mac::hcf::{Assembly, AssemblyLimits};
use tworay_radio::phy::{
    AccessCategory, Airtime, DurationRules, GuardInterval, Mode, OfdmRate, Phy, PhyTiming, Standard, Width,
    control_response,
};

/// Payload of the datagrams, bytes; UDP and IP add 28, LLC and SNAP 8.
const PAYLOAD: u32 = 1_460;
const UP_TO_LLC: u32 = PAYLOAD + 36;
/// MAC header without and with QoS control, and FCS.
const PLAIN: u32 = 24 + 4;
const QOS: u32 = 26 + 4;
const ACK: u32 = 14;
const BLOCK_ACK: u32 = 32;
const RTS: u32 = 20;
const CTS: u32 = 14;
const RTS_THRESHOLD: u32 = 65_535;

/// A saturated hop.
#[derive(Debug)]
struct Hop {
    standard: Standard,
    mode: Mode,
    /// Longest A-MPDU, bytes; 0: none.
    aggregate: u32,
}

impl Hop {
    /// Goodput of the payload, Mb/s.
    fn goodput(&self, rules: DurationRules) -> f64 {
        let phy = Phy::of(self.standard);
        let airtime = Airtime::new(&phy, rules);
        let timing = PhyTiming::new(&phy, &airtime);
        let response = control_response(self.mode, &[]);
        let qos = matches!(self.standard, Standard::N | Standard::Ac);
        let edca = timing.edca(AccessCategory::BestEffort);
        let space = if qos { timing.aifs(edca.aifsn) } else { timing.difs() };
        let backoff = timing.slot * u64::from(timing.window.min) / 2;
        let (frames, ppdu, answer) = if self.aggregate > 0 && qos {
            let limits = AssemblyLimits { bytes: self.aggregate, ..AssemblyLimits::default() };
            let mut assembly = Assembly::new(self.mode, &airtime, limits);
            while assembly.add(UP_TO_LLC + QOS) {}
            (assembly.subframes().len(), assembly.bytes(), BLOCK_ACK)
        } else {
            // VHT frames are A-MPDUs of one frame at least: a delimiter of 4 bytes.
            let delimiter = if self.standard == Standard::Ac { 4 } else { 0 };
            (1, UP_TO_LLC + delimiter + if qos { QOS } else { PLAIN }, ACK)
        };
        let control = |bytes| airtime.frame(Mode::Ofdm(OfdmRate::R24), bytes) + timing.sifs;
        let reserve = if ppdu > RTS_THRESHOLD { control(RTS) + control(CTS) } else { SimDuration::ZERO };
        let access = space
            + backoff
            + reserve
            + airtime.frame(self.mode, ppdu)
            + timing.sifs
            + airtime.frame(response, answer);
        f64::from(8 * PAYLOAD) * frames as f64 / access.as_secs_f64() / 1e6
    }
}

fn ht(mcs: u8, width: Width, guard: GuardInterval) -> Mode {
    Mode::ht(mcs, width, guard).expect("the standard has it")
}

fn vht(mcs: u8, streams: u8, width: Width) -> Mode {
    Mode::vht(mcs, streams, width, GuardInterval::Long).expect("the standard has it")
}

/// 28 frames of 1,526 bytes in an aggregate of 27 × 1,532 + 1,530 = 42,894 bytes, 1,320 symbols: 5,316 µs. With
/// AIFS 43, backoff 67.5, SIFS 16 and a BlockAck of 32 µs an access takes 5,474.5 µs: 59.74 Mb/s.
#[test]
fn an_aggregating_hop_by_hand() {
    let mode = ht(7, Width::Mhz20, GuardInterval::Long);
    let hop = Hop { standard: Standard::N, mode, aggregate: 65_535 };
    let found = hop.goodput(DurationRules::Standard);
    assert!((found - 28.0 * 11_680.0 / 5_474.5).abs() < 1e-9, "{found}");
}

/// Single runs of ns-3: standard, mode, longest aggregate, Mb/s.
#[test]
fn single_runs_of_ns3_agree_within_one_percent() {
    let (long, short) = (GuardInterval::Long, GuardInterval::Short);
    let runs = [
        (Standard::A, Mode::Ofdm(OfdmRate::R54), 0, 29.6906),
        (Standard::G, Mode::Ofdm(OfdmRate::R54), 0, 23.4330),
        (Standard::G, Mode::Ofdm(OfdmRate::R6), 0, 5.0370),
        (Standard::N, ht(0, Width::Mhz20, long), 65_535, 5.8342),
        (Standard::N, ht(7, Width::Mhz20, long), 65_535, 59.7052),
        (Standard::N, ht(7, Width::Mhz20, long), 0, 30.5374),
        (Standard::N, ht(7, Width::Mhz40, short), 65_535, 135.0870),
        (Standard::N, ht(15, Width::Mhz20, long), 65_535, 117.8901),
        (Standard::Ac, vht(8, 1, Width::Mhz20), 65_535, 71.6568),
        (Standard::Ac, vht(8, 1, Width::Mhz20), 0, 33.3201),
        (Standard::Ac, vht(9, 2, Width::Mhz80), 1_048_575, 576.7175),
    ];
    for (standard, mode, aggregate, ns3) in runs {
        let hop = Hop { standard, mode, aggregate };
        let found = hop.goodput(DurationRules::Ns3);
        assert!((found / ns3 - 1.0).abs() <= 0.01, "{hop:?}: {found} Mb/s, ns-3 {ns3}");
    }
}

/// A line of ns-3's table, if it is a saturated UDP hop at a fixed rate: the hop, and ns-3's goodput.
fn parse(line: &str) -> Option<(Hop, f64)> {
    let c: Vec<&str> = line.split(',').collect();
    let of = |name: &str| c[17].split(' ').find_map(|option| option.strip_prefix(name));
    let strings = of("stations=").is_none() && c[7] == "1" && c[6] == "65535";
    if !(strings && c[9] == "udp" && c[10] == "fixed" && c[11] == "fifo") {
        return None;
    }
    let number = |text: &str| text.parse::<u32>().expect("a number");
    let width = *Width::ALL.iter().find(|w| w.mhz() == number(c[2])).expect("a width");
    let guard = if c[4] == "400" { GuardInterval::Short } else { GuardInterval::Long };
    let mcs = number(c[1]) as u8;
    let (standard, mode) = match c[0] {
        "a" => (Standard::A, Mode::Ofdm(OfdmRate::ALL[usize::from(mcs)])),
        "g" => (Standard::G, Mode::Ofdm(OfdmRate::ALL[usize::from(mcs)])),
        "n" => (Standard::N, ht(mcs, width, guard)),
        _ => (Standard::Ac, Mode::vht(mcs, number(c[3]) as u8, width, guard).expect("the standard has it")),
    };
    Some((Hop { standard, mode, aggregate: number(c[5]) }, c[14].parse().expect("Mb/s")))
}

/// Every such line of ns-3.37's table of runs, which is found through `TWORAY_REFERENCE` or in
/// `../shared/reference` beside the repository.
#[test]
fn the_table_of_ns3_agrees_within_one_percent() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/reference");
    let folder = std::env::var_os("TWORAY_REFERENCE").map_or(beside, PathBuf::from);
    let Ok(text) = std::fs::read_to_string(folder.join("ns3_air.csv")) else {
        println!("NOTE: no ns3_air.csv (set TWORAY_REFERENCE): ns-3's runs were not compared");
        return;
    };
    let mut worst = (0.0, String::new());
    let mut lines = 0;
    for (hop, ns3) in text.lines().skip(1).filter_map(parse) {
        let ratio = hop.goodput(DurationRules::Ns3) / ns3 - 1.0;
        println!("{hop:?} ns-3 {ns3} {:+.2} %", 100.0 * ratio);
        lines += 1;
        if f64::abs(ratio) > worst.0 {
            worst = (f64::abs(ratio), format!("{hop:?}: {:+.2} % of ns-3's {ns3}", 100.0 * ratio));
        }
    }
    assert!(lines > 0, "the table has no such lines");
    assert!(worst.0 <= 0.01, "of {lines} lines, {}", worst.1);
}
