//! A station's radio, and the combinations that the standard allows.

use super::mode::Mode;
use super::rates::{DsssRate, OfdmRate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use tworay_base::ConfigProblem;

/// The PHY of a station, by the letter of its amendment.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Standard {
    /// HR/DSSS, 1 to 11 Mb/s at 2.4 GHz (§15, §16).
    B,
    /// OFDM, 6 to 54 Mb/s at 5 GHz (§17).
    A,
    /// ERP: the rates of `b` and of OFDM at 2.4 GHz (§18).
    G,
    /// HT, 20 or 40 MHz, 1 to 4 streams, at either band (§19).
    N,
    /// VHT, 20 to 80 MHz, 1 to 4 streams of the 8 that exist, at 5 GHz (§21).
    Ac,
}

impl Standard {
    /// True if frames have a QoS field and go out in aggregates: those of `n` and `ac`.
    pub const fn has_aggregates(self) -> bool {
        matches!(self, Self::N | Self::Ac)
    }
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::B => "802.11b",
            Self::A => "802.11a",
            Self::G => "802.11g",
            Self::N => "802.11n",
            Self::Ac => "802.11ac",
        })
    }
}

/// A frequency band.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Band {
    /// 2.4 GHz.
    #[serde(rename = "2.4GHz")]
    Ghz2,
    /// 5 GHz.
    #[serde(rename = "5GHz")]
    Ghz5,
}

impl fmt::Display for Band {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ghz2 => "2.4 GHz",
            Self::Ghz5 => "5 GHz",
        })
    }
}

/// Width of the channel. DSSS counts as 20 MHz (its noise bandwidth is 22 MHz).
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Width {
    /// 20 MHz.
    #[serde(rename = "20MHz")]
    Mhz20,
    /// 40 MHz.
    #[serde(rename = "40MHz")]
    Mhz40,
    /// 80 MHz.
    #[serde(rename = "80MHz")]
    Mhz80,
}

impl Width {
    /// All, narrowest first.
    pub const ALL: [Self; 3] = [Self::Mhz20, Self::Mhz40, Self::Mhz80];

    /// The width in MHz.
    pub const fn mhz(self) -> u32 {
        match self {
            Self::Mhz20 => 20,
            Self::Mhz40 => 40,
            Self::Mhz80 => 80,
        }
    }

    /// Data subcarriers of HT and VHT (Tables 19-6 and 21-5).
    pub const fn data_subcarriers(self) -> u32 {
        match self {
            Self::Mhz20 => 52,
            Self::Mhz40 => 108,
            Self::Mhz80 => 234,
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MHz", self.mhz())
    }
}

/// Guard interval of HT and VHT data symbols.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GuardInterval {
    /// 800 ns: symbols of 4 µs.
    Long,
    /// 400 ns: symbols of 3.6 µs.
    Short,
}

impl GuardInterval {
    /// Length of a data symbol, ns.
    pub const fn symbol_ns(self) -> u64 {
        match self {
            Self::Long => 4_000,
            Self::Short => 3_600,
        }
    }
}

/// Preamble of DSSS and CCK frames (§16.2.2).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DsssPreamble {
    /// 144 µs of preamble and 48 µs of header.
    Long,
    /// 72 µs of preamble and 24 µs of header. Frames at 1 Mb/s have the long one all the same.
    Short,
}

/// Slot time at 2.4 GHz.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SlotTime {
    /// 20 µs: `b`, and networks without an access point (an IBSS must not use the short one, §9.4.1.4).
    Long,
    /// 9 µs.
    Short,
}

/// Older stations within range that a station must mind.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Coexistence {
    /// None: every station can decode every preamble.
    Alone,
    /// `b` stations, which can't decode OFDM: OFDM frames are preceded by a CTS-to-self at a DSSS rate, and
    /// the contention window begins at 31.
    BStations,
}

/// One station's radio. Fields are public to be read; only [`Phy::new`] checks a combination.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Phy {
    /// The standard.
    pub standard: Standard,
    /// The band.
    pub band: Band,
    /// The widest channel in use.
    pub width: Width,
    /// Spatial streams, 1 to 4.
    pub streams: u8,
    /// Shortest guard interval in use.
    pub guard: GuardInterval,
    /// Preamble of DSSS frames.
    pub preamble: DsssPreamble,
    /// Slot time.
    pub slot: SlotTime,
    /// Older stations within range.
    pub coexistence: Coexistence,
}

impl Phy {
    /// The plainest radio of a standard: 20 MHz, one stream, long guard interval and preamble; `g` and `n` with
    /// the slot of an ad hoc network. `n` is at 5 GHz.
    pub const fn of(standard: Standard) -> Self {
        let band = match standard {
            Standard::B | Standard::G => Band::Ghz2,
            Standard::A | Standard::N | Standard::Ac => Band::Ghz5,
        };
        let slot = match band {
            Band::Ghz2 => SlotTime::Long,
            Band::Ghz5 => SlotTime::Short,
        };
        Self {
            standard,
            band,
            width: Width::Mhz20,
            streams: 1,
            guard: GuardInterval::Long,
            preamble: DsssPreamble::Long,
            slot,
            coexistence: Coexistence::Alone,
        }
    }

    /// Checks that the standard allows the combination; otherwise the error names the key, the reason and the
    /// remedy.
    pub fn new(phy: Self) -> Result<Self, ConfigProblem> {
        phy.check_band()?;
        phy.check_width()?;
        phy.check_streams()?;
        phy.check_two_ghz_keys()?;
        Ok(phy)
    }

    fn check_band(&self) -> Result<(), ConfigProblem> {
        let (needed, why) = match (self.standard, self.band) {
            (Standard::B | Standard::G, Band::Ghz5) => (Band::Ghz2, "exists at 2.4 GHz only"),
            (Standard::A | Standard::Ac, Band::Ghz2) => (Band::Ghz5, "exists at 5 GHz only"),
            _ => return Ok(()),
        };
        let remedy = match needed {
            Band::Ghz2 => "use 2.4 GHz, or the standard a, n or ac",
            Band::Ghz5 => "use 5 GHz, or the standard g or n",
        };
        ConfigProblem::refuse("band", format!("{} {why}", self.standard), remedy)
    }

    fn check_width(&self) -> Result<(), ConfigProblem> {
        let (most, remedy) = match self.standard {
            Standard::B | Standard::A | Standard::G => (Width::Mhz20, "use 20 MHz, or the standard n or ac"),
            Standard::N => (Width::Mhz40, "use 20 or 40 MHz, or the standard ac at 5 GHz"),
            Standard::Ac => (Width::Mhz80, "use 20, 40 or 80 MHz"),
        };
        if self.width <= most {
            return Ok(());
        }
        let problem = format!("{} has channels of at most {most}, not of {}", self.standard, self.width);
        ConfigProblem::refuse("width", problem, remedy)
    }

    fn check_streams(&self) -> Result<(), ConfigProblem> {
        let many = matches!(self.standard, Standard::N | Standard::Ac);
        if !(1..=4).contains(&self.streams) {
            return ConfigProblem::refuse(
                "streams",
                format!("{} spatial streams", self.streams),
                "use 1 to 4",
            );
        }
        if !many && self.streams > 1 {
            let problem = format!("{} has one spatial stream, not {}", self.standard, self.streams);
            return ConfigProblem::refuse("streams", problem, "use 1, or the standard n or ac");
        }
        if !many && self.guard == GuardInterval::Short {
            let problem = format!("{} has no short guard interval", self.standard);
            return ConfigProblem::refuse("guard", problem, "use \"long\", or the standard n or ac");
        }
        Ok(())
    }

    fn check_two_ghz_keys(&self) -> Result<(), ConfigProblem> {
        if self.band == Band::Ghz5 {
            if self.slot == SlotTime::Long {
                let problem = "the slot at 5 GHz is 9 us".to_owned();
                return ConfigProblem::refuse("slot", problem, "use \"short\", or 2.4 GHz");
            }
            if self.coexistence == Coexistence::BStations {
                let problem = "802.11b stations exist at 2.4 GHz only".to_owned();
                return ConfigProblem::refuse("coexistence", problem, "use \"alone\", or 2.4 GHz");
            }
            if self.preamble == DsssPreamble::Short {
                let problem = "frames at 5 GHz have no DSSS preamble".to_owned();
                return ConfigProblem::refuse("preamble", problem, "leave it out, or use 2.4 GHz");
            }
        }
        if self.standard == Standard::B && self.slot == SlotTime::Short {
            let problem = "the slot of 802.11b is 20 us".to_owned();
            return ConfigProblem::refuse("slot", problem, "use \"long\", or the standard g or n");
        }
        if self.coexistence == Coexistence::BStations && self.slot == SlotTime::Short {
            let problem = "802.11b stations within range don't know the slot of 9 us".to_owned();
            return ConfigProblem::refuse("slot", problem, "use \"long\"");
        }
        Ok(())
    }

    /// True if the station can send and receive DSSS and CCK frames.
    pub const fn has_dsss(&self) -> bool {
        matches!(self.band, Band::Ghz2)
    }

    /// True if the station can send and receive OFDM frames.
    pub const fn has_ofdm(&self) -> bool {
        !matches!(self.standard, Standard::B)
    }

    /// Every mode of this station: DSSS, OFDM, then HT or VHT by guard interval, width, streams and MCS.
    pub fn modes(&self) -> Vec<Mode> {
        let dsss = DsssRate::ALL.into_iter().filter(|_| self.has_dsss()).map(Mode::Dsss);
        let ofdm = OfdmRate::ALL.into_iter().filter(|_| self.has_ofdm()).map(Mode::Ofdm);
        let mut modes: Vec<Mode> = dsss.chain(ofdm).collect();
        let guards = [GuardInterval::Long, GuardInterval::Short].into_iter().filter(|g| *g <= self.guard);
        for guard in guards {
            for width in Width::ALL.into_iter().filter(|w| *w <= self.width) {
                for streams in 1..=self.streams {
                    match self.standard {
                        Standard::N => modes.extend(
                            (0..8).filter_map(|mcs| Mode::ht((streams - 1) * 8 + mcs, width, guard).ok()),
                        ),
                        Standard::Ac => {
                            modes.extend((0..10).filter_map(|mcs| Mode::vht(mcs, streams, width, guard).ok()))
                        }
                        Standard::B | Standard::A | Standard::G => {}
                    }
                }
            }
        }
        modes
    }

    /// Checks that this station has `mode`; otherwise the error names what it lacks.
    pub fn check(&self, mode: Mode) -> Result<(), ConfigProblem> {
        if self.modes().contains(&mode) {
            return Ok(());
        }
        let problem = format!("a station of {} has no {mode}", self.described());
        ConfigProblem::refuse("rate", problem, "choose a rate that both ends of the link have")
    }

    /// The mandatory modes of control frames: DSSS's four rates, OFDM's three.
    pub fn mandatory(&self) -> Vec<Mode> {
        let dsss = DsssRate::ALL.into_iter().filter(|_| self.has_dsss()).map(Mode::Dsss);
        let ofdm = OfdmRate::MANDATORY.into_iter().filter(|_| self.has_ofdm()).map(Mode::Ofdm);
        dsss.chain(ofdm).collect()
    }

    /// Standard, band, width and streams in words.
    pub fn described(&self) -> String {
        let plural = if self.streams == 1 { "" } else { "s" };
        format!("{} at {}, {}, {} stream{plural}", self.standard, self.band, self.width, self.streams)
    }
}
