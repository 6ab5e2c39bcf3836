//! Durations of frames.

use super::mode::Mode;
use super::rates::DsssRate;
use super::standard::{Band, DsssPreamble, GuardInterval, Phy};
use tworay_base::SimDuration;

/// The longest PPDU of HT and VHT (aPPDUMaxTime, §19.4.4 and §21.4.4).
pub const MAX_PPDU: SimDuration = SimDuration::from_micros(5_484);

/// SERVICE field before the PSDU, bits (§17.3.5.2).
const SERVICE_BITS: u64 = 16;
/// Tail bits of each encoder (§17.3.5.3).
const TAIL_BITS: u64 = 6;
/// Silence after OFDM frames at 2.4 GHz, in which decoders finish (aSignalExtension, §18.3.2.4).
const SIGNAL_EXTENSION: SimDuration = SimDuration::from_micros(6);

/// Whose durations to compute.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum DurationRules {
    /// IEEE 802.11-2020.
    #[default]
    Standard,
    /// ns-3.37, for comparisons: a VHT frame to a single user has no VHT-SIG-B (4 µs too short), and frames with
    /// the short guard interval end with their last symbol, not on a boundary of 4 µs.
    Ns3,
}

/// Computes the durations of frames at one station.
#[derive(Copy, Clone, Debug)]
pub struct Airtime {
    band: Band,
    preamble: DsssPreamble,
    rules: DurationRules,
}

impl Airtime {
    /// The durations of `phy`'s frames.
    pub const fn new(phy: &Phy, rules: DurationRules) -> Self {
        Self { band: phy.band, preamble: phy.preamble, rules }
    }

    /// From the start of the frame to the first bit of its body: preamble and all PHY headers. DSSS: §16.2.2;
    /// OFDM: 16 + 4 µs (§17.3.2); HT mixed format adds HT-SIG 8, HT-STF 4 and an HT-LTF of 4 µs per stream,
    /// four for three streams (§19.3.9); VHT adds VHT-SIG-B 4 µs (§21.3.8).
    pub fn header(&self, mode: Mode) -> SimDuration {
        let micros = match mode {
            Mode::Dsss(rate) => match self.preamble {
                DsssPreamble::Short if rate != DsssRate::R1 => 96,
                _ => 192,
            },
            Mode::Ofdm(_) => 20,
            Mode::Ht(_) => 32 + 4 * training_fields(mode),
            Mode::Vht(_) => {
                let sig_b = match self.rules {
                    DurationRules::Standard => 4,
                    DurationRules::Ns3 => 0,
                };
                32 + 4 * training_fields(mode) + sig_b
            }
        };
        SimDuration::from_micros(micros)
    }

    /// Data symbols of a body of `bytes`; none for DSSS and CCK. OFDM: §17.4.3; HT: §19.4.3; VHT: §21.4.3.
    pub fn symbols(&self, mode: Mode, bytes: u32) -> Option<u64> {
        let per_symbol = u64::from(mode.bits_per_symbol()?);
        let bits = SERVICE_BITS + 8 * u64::from(bytes) + TAIL_BITS * u64::from(mode.encoders());
        Some(bits.div_ceil(per_symbol))
    }

    /// Duration of a frame (TXTIME) with a body (PSDU) of `bytes`, signal extension included. The length isn't
    /// checked against [`Mode::max_psdu`].
    pub fn frame(&self, mode: Mode, bytes: u32) -> SimDuration {
        let header = self.header(mode);
        let Some(symbols) = self.symbols(mode, bytes) else {
            // The LENGTH field of the PLCP header counts whole microseconds (§16.2.3.5).
            let micros = (u64::from(bytes) * 8_000_000).div_ceil(mode.rate().as_bps());
            return header + SimDuration::from_micros(micros);
        };
        header + self.symbol_time(mode, symbols) + self.extension()
    }

    fn symbol_time(&self, mode: Mode, symbols: u64) -> SimDuration {
        let guard = mode.guard();
        let time = SimDuration::from_nanos(symbols * guard.symbol_ns());
        match (guard, self.rules) {
            // §19.4.3, §21.4.3: the frame occupies whole symbols of 4 µs.
            (GuardInterval::Short, DurationRules::Standard) => {
                let long = GuardInterval::Long.symbol_ns();
                SimDuration::from_nanos(time.as_nanos().div_ceil(long) * long)
            }
            _ => time,
        }
    }

    const fn extension(&self) -> SimDuration {
        match self.band {
            Band::Ghz2 => SIGNAL_EXTENSION,
            Band::Ghz5 => SimDuration::ZERO,
        }
    }

    /// From the start of the frame to the moment when byte `offset` of the body begins, rounded down to the
    /// nanosecond. Bits are spread evenly over the symbols that carry them; subframes of an aggregate are judged by
    /// the interference between these moments.
    pub fn byte(&self, mode: Mode, offset: u32) -> SimDuration {
        let header = self.header(mode);
        let nanos = match mode.bits_per_symbol() {
            Some(per_symbol) => {
                let bits = SERVICE_BITS + 8 * u64::from(offset);
                bits * mode.guard().symbol_ns() / u64::from(per_symbol)
            }
            None => u64::from(offset) * 8_000_000_000 / mode.rate().as_bps(),
        };
        header + SimDuration::from_nanos(nanos)
    }

    /// The longest body in bytes whose frame takes at most `limit`, and at most what `mode` allows; none if not
    /// even an empty one fits. Aggregates are filled up to this length.
    pub fn longest(&self, mode: Mode, limit: SimDuration) -> Option<u32> {
        let time = limit.as_nanos().checked_sub(self.header(mode).as_nanos())?;
        let bytes = match mode.bits_per_symbol() {
            Some(per_symbol) => {
                let time = time.checked_sub(self.extension().as_nanos())?;
                let (symbol, long) = (mode.guard().symbol_ns(), GuardInterval::Long.symbol_ns());
                let whole = match (mode.guard(), self.rules) {
                    (GuardInterval::Short, DurationRules::Standard) => time / long * long,
                    _ => time,
                };
                let bits = whole / symbol * u64::from(per_symbol);
                bits.checked_sub(SERVICE_BITS + TAIL_BITS * u64::from(mode.encoders()))? / 8
            }
            None => time / 1_000 * mode.rate().as_bps() / 8_000_000,
        };
        Some(bytes.min(u64::from(mode.max_psdu())) as u32)
    }
}

/// Long training fields of HT and VHT data streams: 1, 2, 4, 4 (Tables 19-13 and 21-13).
fn training_fields(mode: Mode) -> u64 {
    match mode.streams() {
        1 => 1,
        2 => 2,
        _ => 4,
    }
}
