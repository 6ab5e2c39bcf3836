//! Prints durations of frames for `make peers ONLY=air-durations`: standard, MCS or rate in Mb/s, MHz, guard interval in ns,
//! streams, bytes, ns by the standard, ns as ns-3.37 computes them.
//!
//! `cargo run --release -p tworay-radio --example durations`

use tworay_radio::phy::{Airtime, Band, DurationRules, GuardInterval, Mode, Phy, Standard, Width};

const BYTES: [u32; 9] = [14, 28, 32, 100, 576, 1000, 1536, 4000, 20000];

/// A mode with its number, width, guard interval in ns and streams.
type Named = (Mode, u64, u32, u32, u8);

fn main() {
    let mut rows = Vec::new();
    for (name, standard) in [("a", Standard::A), ("g", Standard::G), ("n", Standard::N), ("ac", Standard::Ac)]
    {
        // The length of the preamble depends on the mode alone.
        let band = if standard == Standard::G { Band::Ghz2 } else { Band::Ghz5 };
        let phy = Phy { band, ..Phy::of(standard) };
        let [exact, ns3] =
            [DurationRules::Standard, DurationRules::Ns3].map(|rules| Airtime::new(&phy, rules));
        for (mode, number, width, guard, streams) in modes(&phy) {
            for bytes in BYTES {
                let [exact, ns3] = [exact, ns3].map(|airtime| airtime.frame(mode, bytes).as_nanos());
                rows.push(format!(
                    "[\"{name}\", {number}, {width}, {guard}, {streams}, {bytes}, {exact}, {ns3}]"
                ));
            }
        }
    }
    println!("{{\"flows\": [], \"durations\": [{}]}}", rows.join(", "));
}

fn modes(phy: &Phy) -> Vec<Named> {
    if matches!(phy.standard, Standard::A | Standard::G) {
        let ofdm = phy.modes().into_iter().filter(|mode| matches!(mode, Mode::Ofdm(_)));
        return ofdm.map(|mode| (mode, mode.rate().as_bps() / 1_000_000, 20, 800, 1)).collect();
    }
    let mut found = Vec::new();
    for width in Width::ALL {
        for (guard, nanos) in [(GuardInterval::Long, 800), (GuardInterval::Short, 400)] {
            for mcs in 0..32u8 {
                if phy.standard == Standard::N {
                    let mode = (width != Width::Mhz80).then(|| Mode::ht(mcs, width, guard).ok()).flatten();
                    found.extend(mode.map(|mode| (mode, u64::from(mcs), width.mhz(), nanos, mcs / 8 + 1)));
                    continue;
                }
                for streams in 1..=4 {
                    let mode = (mcs < 10).then(|| Mode::vht(mcs, streams, width, guard).ok()).flatten();
                    found.extend(mode.map(|mode| (mode, u64::from(mcs), width.mhz(), nanos, streams)));
                }
            }
        }
    }
    found
}
