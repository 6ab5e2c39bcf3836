//! One way to send a frame.

use super::rates::{CodeRate, DsssRate, MCS, Modulation, OfdmRate};
use super::standard::{GuardInterval, Width};
use std::fmt;
use tworay_base::{BitRate, ConfigProblem};

/// Format, modulation and coding of a frame's body (the TXVECTOR's share of it).
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// DSSS or CCK.
    Dsss(DsssRate),
    /// Non-HT OFDM in 20 MHz; at 2.4 GHz this is ERP-OFDM.
    Ofdm(OfdmRate),
    /// HT in mixed format.
    Ht(HtMode),
    /// VHT to a single user.
    Vht(VhtMode),
}

/// The parameters that HT and VHT modes have in common.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Spatial {
    mcs: u8,
    streams: u8,
    width: Width,
    guard: GuardInterval,
}

/// An HT mode with equal modulation of all streams, made by [`Mode::ht`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HtMode(Spatial);

/// A VHT mode, made by [`Mode::vht`].
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VhtMode(Spatial);

impl Spatial {
    /// Coded bits per symbol of all streams (N_CBPS).
    fn coded_bits(&self) -> u32 {
        self.width.data_subcarriers() * MCS[usize::from(self.mcs)].0.bits() * u32::from(self.streams)
    }

    /// Data bits per symbol (N_DBPS), if that is a whole number.
    fn data_bits(&self) -> Option<u32> {
        let (n, d) = MCS[usize::from(self.mcs)].1.ratio();
        let bits = self.coded_bits() * n;
        bits.is_multiple_of(d).then_some(bits / d)
    }

    /// Data bits per symbol. The constructors admit only whole numbers.
    fn whole_data_bits(&self) -> u32 {
        let (n, d) = MCS[usize::from(self.mcs)].1.ratio();
        self.coded_bits() * n / d
    }
}

impl Mode {
    /// The HT mode with MCS index 0 to 31 of §19.5: the index fixes the streams (8 indices each).
    ///
    /// # Errors
    /// An index above 31, or 80 MHz.
    pub fn ht(mcs: u8, width: Width, guard: GuardInterval) -> Result<Self, ConfigProblem> {
        if mcs > 31 {
            let problem = format!("HT has no MCS {mcs} with equal modulation");
            return ConfigProblem::refuse("mcs", problem, "use 0 to 31 (8 for each stream)");
        }
        if width > Width::Mhz40 {
            let problem = format!("HT has channels of at most 40 MHz, not of {width}");
            return ConfigProblem::refuse("width", problem, "use 20 or 40 MHz, or the standard ac");
        }
        Ok(Self::Ht(HtMode(Spatial { mcs: mcs % 8, streams: mcs / 8 + 1, width, guard })))
    }

    /// The VHT mode with MCS 0 to 9 and 1 to 4 streams.
    ///
    /// # Errors
    /// Values out of range, and the combinations that §21.5 excludes because an encoder would get a fraction of
    /// a bit per symbol: MCS 9 in 20 MHz but for 3 streams, MCS 6 in 80 MHz with 3 streams.
    pub fn vht(mcs: u8, streams: u8, width: Width, guard: GuardInterval) -> Result<Self, ConfigProblem> {
        if mcs > 9 {
            return ConfigProblem::refuse("mcs", format!("VHT has no MCS {mcs}"), "use 0 to 9");
        }
        if !(1..=4).contains(&streams) {
            return ConfigProblem::refuse("streams", format!("{streams} spatial streams"), "use 1 to 4");
        }
        let mode = VhtMode(Spatial { mcs, streams, width, guard });
        let whole = mode.0.data_bits().is_some_and(|bits| {
            let encoders = vht_encoders(bits);
            bits.is_multiple_of(encoders) && mode.0.coded_bits().is_multiple_of(encoders)
        });
        if !whole {
            let plural = if streams == 1 { "" } else { "s" };
            let problem = format!(
                "VHT has no MCS {mcs} in {width} with {streams} stream{plural}: an encoder would get a \
                 fraction of a bit per symbol"
            );
            return ConfigProblem::refuse("mcs", problem, format!("use MCS {}", mcs - 1));
        }
        Ok(Self::Vht(mode))
    }

    fn spatial(&self) -> Option<&Spatial> {
        match self {
            Self::Dsss(_) | Self::Ofdm(_) => None,
            Self::Ht(HtMode(s)) | Self::Vht(VhtMode(s)) => Some(s),
        }
    }

    /// The modulation of the body.
    pub fn modulation(&self) -> Modulation {
        match self {
            Self::Dsss(rate) => rate.modulation(),
            Self::Ofdm(rate) => rate.coding().0,
            Self::Ht(HtMode(s)) | Self::Vht(VhtMode(s)) => MCS[usize::from(s.mcs)].0,
        }
    }

    /// The code rate of the body; none for DSSS and CCK.
    pub fn code(&self) -> Option<CodeRate> {
        match self {
            Self::Dsss(_) => None,
            Self::Ofdm(rate) => Some(rate.coding().1),
            Self::Ht(HtMode(s)) | Self::Vht(VhtMode(s)) => Some(MCS[usize::from(s.mcs)].1),
        }
    }

    /// Spatial streams.
    pub fn streams(&self) -> u8 {
        self.spatial().map_or(1, |s| s.streams)
    }

    /// The width of the signal.
    pub fn width(&self) -> Width {
        self.spatial().map_or(Width::Mhz20, |s| s.width)
    }

    /// The guard interval of the body's symbols.
    pub fn guard(&self) -> GuardInterval {
        self.spatial().map_or(GuardInterval::Long, |s| s.guard)
    }

    /// MCS of one stream, 0 to 9; none for DSSS and non-HT OFDM.
    pub fn mcs_of_stream(&self) -> Option<u8> {
        self.spatial().map(|s| s.mcs)
    }

    /// The MCS index as the standard numbers it: HT 0 to 31, VHT 0 to 9.
    pub fn mcs(&self) -> Option<u8> {
        match self {
            Self::Dsss(_) | Self::Ofdm(_) => None,
            Self::Ht(HtMode(s)) => Some((s.streams - 1) * 8 + s.mcs),
            Self::Vht(VhtMode(s)) => Some(s.mcs),
        }
    }

    /// Data bits per OFDM symbol (N_DBPS); none for DSSS and CCK.
    pub fn bits_per_symbol(&self) -> Option<u32> {
        match self {
            Self::Dsss(_) => None,
            Self::Ofdm(rate) => Some(rate.bits_per_symbol()),
            Self::Ht(HtMode(s)) | Self::Vht(VhtMode(s)) => Some(s.whole_data_bits()),
        }
    }

    /// Convolutional encoders (N_ES), each of which adds six tail bits: a second one in HT above 300 Mb/s at the
    /// long guard interval (§19.5), one more in VHT for each 540 Mb/s (§21.5).
    pub fn encoders(&self) -> u32 {
        match self {
            Self::Dsss(_) | Self::Ofdm(_) => 1,
            Self::Ht(HtMode(s)) => s.whole_data_bits().div_ceil(1_200),
            Self::Vht(VhtMode(s)) => vht_encoders(s.whole_data_bits()),
        }
    }

    /// The rate of the body, rounded down to a bit per second.
    pub fn rate(&self) -> BitRate {
        match self {
            Self::Dsss(rate) => rate.rate(),
            Self::Ofdm(rate) => rate.rate(),
            Self::Ht(HtMode(s)) | Self::Vht(VhtMode(s)) => {
                let bits = u64::from(s.whole_data_bits());
                BitRate::from_bps(bits * 1_000_000_000 / s.guard.symbol_ns())
            }
        }
    }

    /// The longest body (PSDU) in bytes: 4,095 of DSSS and OFDM (the LENGTH field, §17.3.4.3), and the longest
    /// A-MPDU that HT and VHT can announce, 2¹⁶ - 1 and 2²⁰ - 1 (§9.4.2.55.3, §9.4.2.157.2).
    pub const fn max_psdu(&self) -> u32 {
        match self {
            Self::Dsss(_) | Self::Ofdm(_) => 4_095,
            Self::Ht(_) => 65_535,
            Self::Vht(_) => 1_048_575,
        }
    }

    /// True if frames of this mode can be aggregated into an A-MPDU.
    pub const fn aggregates(&self) -> bool {
        matches!(self, Self::Ht(_) | Self::Vht(_))
    }
}

/// Encoders of a VHT mode: 2,160 data bits per symbol are 540 Mb/s, or 600 Mb/s at the short guard interval.
/// This is the rule behind Tables 21-30 to 21-61 up to 80 MHz and 4 streams.
fn vht_encoders(data_bits: u32) -> u32 {
    data_bits.div_ceil(2_160)
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabits = self.rate().as_bps() as f64 / 1e6;
        let (name, s) = match self {
            Self::Dsss(_) => return write!(f, "{megabits} Mb/s DSSS"),
            Self::Ofdm(_) => return write!(f, "{megabits} Mb/s OFDM"),
            Self::Ht(HtMode(s)) => ("HT", s),
            Self::Vht(VhtMode(s)) => ("VHT", s),
        };
        let plural = if s.streams == 1 { "" } else { "s" };
        let guard = match s.guard {
            GuardInterval::Long => "",
            GuardInterval::Short => ", short guard interval",
        };
        let mcs = self.mcs().unwrap_or(s.mcs);
        write!(f, "{name} MCS {mcs} in {} with {} stream{plural}{guard}", s.width, s.streams)
    }
}
