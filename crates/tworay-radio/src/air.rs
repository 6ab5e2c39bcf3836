//! The keys of the `[radio]` table that select a radio of 802.11a/g/n/ac instead of the DSSS radio of the other keys.

use crate::config::{Profile, RadioConfig};
use crate::phy::{Band, Mode, OfdmRate, Phy, SlotTime, Standard};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{BitRate, ConfigProblem, Dialect};

/// A radio in one word: its keys of `[radio]` and `[mac]`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Preset {
    /// 802.11b at 2 Mb/s: the default radio and MAC.
    #[serde(rename = "b-2")]
    B2,
    /// 802.11b at 11 Mb/s: the default radio and MAC, with unicast frames at 11 Mb/s.
    #[serde(rename = "b-11")]
    B11,
    /// 802.11g at 2.4 GHz.
    #[serde(rename = "g")]
    G,
    /// 802.11n, 20 MHz at 2.4 GHz, one stream.
    #[serde(rename = "n20")]
    N20,
    /// 802.11n, 40 MHz at 5 GHz, two streams.
    #[serde(rename = "n40x2")]
    N40x2,
    /// 802.11ac, 80 MHz at 5 GHz, two streams.
    #[serde(rename = "ac80x2")]
    Ac80x2,
}

/// Choice of the rate of unicast frames.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RateRule {
    /// That of `mcs`.
    Fixed,
    /// The best one for the ratio of signal to noise at the receiver, which a real station doesn't know: a bound.
    Ideal,
    /// Minstrel-HT, as in Linux from 5.12 on.
    MinstrelHt,
    /// Minstrel-HT as in Linux before 5.12 and in ns-3.37, which sample every rate in turn.
    MinstrelHtLookaround,
}

/// The rate rule with its mode.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AirRate {
    /// Always this mode.
    Fixed(Mode),
    /// The best mode for the receiver's ratio of signal to noise.
    Ideal,
    /// Minstrel-HT.
    MinstrelHt,
    /// Minstrel-HT before Linux 5.12.
    MinstrelHtLookaround,
}

/// A radio of 802.11a/g/n/ac, checked.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct AirRadio {
    /// The radio.
    pub phy: Phy,
    /// Choice of rates.
    pub rate: AirRate,
}

impl RadioConfig {
    /// The radio that `standard` selects; `None` for `b`, or without one: that is the radio of the other keys.
    ///
    /// # Errors
    /// Combinations that the standard forbids, keys that need `standard`, and keys that contradict it.
    pub fn air(&self) -> Result<Option<AirRadio>, ConfigProblem> {
        let Some(standard) = self.standard.filter(|standard| *standard != Standard::B) else {
            self.refuse_without_standard()?;
            return Ok(None);
        };
        if self.dialect == Dialect::Ns2 {
            let remedy = "leave `standard` and `preset` out, or write dialect = \"standard\"";
            return ConfigProblem::refuse("standard", format!("ns-2.35 has no {standard}"), remedy);
        }
        if self.profile != Profile::Custom {
            let problem = format!("profile wavelan-914 is a radio of 914 MHz, not of {standard}");
            return ConfigProblem::refuse("profile", problem, "write profile = \"custom\"");
        }
        let plain = Phy::of(standard);
        let band = self.band.unwrap_or(plain.band);
        let usual = if band == Band::Ghz2 { SlotTime::Long } else { SlotTime::Short };
        let phy = Phy::new(Phy {
            band,
            width: self.width.unwrap_or(plain.width),
            streams: self.streams.unwrap_or(plain.streams),
            guard: self.guard.unwrap_or(plain.guard),
            slot: self.slot.unwrap_or(usual),
            ..plain
        })?;
        let hertz = self.frequency.get();
        let (low, usual, high) =
            if band == Band::Ghz2 { (2.4e9, "2.412GHz", 2.5e9) } else { (4.9e9, "5.18GHz", 6.0e9) };
        if !(low..=high).contains(&hertz) {
            let problem = format!("{} is not at {band}", self.frequency);
            let (low, high) = (low / 1e9, high / 1e9);
            let remedy = format!("write frequency = \"{usual}\" ({low} to {high} GHz), or the other band");
            return ConfigProblem::refuse("frequency", problem, remedy);
        }
        Ok(Some(AirRadio { phy, rate: self.rate_of(&phy)? }))
    }

    fn rate_of(&self, phy: &Phy) -> Result<AirRate, ConfigProblem> {
        let rule = self.rate.unwrap_or(RateRule::MinstrelHt);
        match (rule, self.mcs) {
            (RateRule::Fixed, None) => {
                let remedy = "give radio.mcs: 0 to 7 (a, g), 0 to 31 (n), 0 to 9 (ac)";
                ConfigProblem::refuse("rate", "a fixed rate needs its index", remedy)
            }
            (RateRule::Fixed, Some(mcs)) => {
                let mode = mode_of(phy, mcs)?;
                phy.check(mode).map_err(|problem| problem.of("mcs"))?;
                Ok(AirRate::Fixed(mode))
            }
            (_, Some(_)) => {
                let remedy = "write radio.rate = \"fixed\", or leave mcs out";
                ConfigProblem::refuse("mcs", "the rate isn't fixed", remedy)
            }
            (RateRule::Ideal, None) => Ok(AirRate::Ideal),
            (RateRule::MinstrelHt, None) => Ok(AirRate::MinstrelHt),
            (RateRule::MinstrelHtLookaround, None) => Ok(AirRate::MinstrelHtLookaround),
        }
    }

    fn refuse_without_standard(&self) -> Result<(), ConfigProblem> {
        let given = [
            ("band", self.band.is_some()),
            ("width", self.width.is_some()),
            ("streams", self.streams.is_some()),
            ("guard", self.guard.is_some()),
            ("slot", self.slot.is_some()),
            ("rate", self.rate.is_some()),
            ("mcs", self.mcs.is_some()),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((key, _)) => {
                let remedy = "give radio.preset or radio.standard, or leave it out";
                ConfigProblem::refuse(key, "the 802.11b radio has no such key", remedy)
            }
            None => Ok(()),
        }
    }
}

/// The mode with an index: rates 6 to 54 Mb/s of a and g, MCS of n (with its streams) and of ac.
fn mode_of(phy: &Phy, mcs: u8) -> Result<Mode, ConfigProblem> {
    match phy.standard {
        Standard::N => Mode::ht(mcs, phy.width, phy.guard),
        Standard::Ac => Mode::vht(mcs, phy.streams, phy.width, phy.guard),
        Standard::A | Standard::G | Standard::B => match OfdmRate::ALL.get(usize::from(mcs)) {
            Some(rate) => Ok(Mode::Ofdm(*rate)),
            None => {
                let problem = format!("{} has no rate number {mcs}", phy.standard);
                ConfigProblem::refuse("mcs", problem, "use 0 to 7: 6, 9, 12, 18, 24, 36, 48, 54 Mb/s")
            }
        },
    }
}

/// The OFDM mode of a rate for broadcasts and RTS.
///
/// # Errors
/// A rate that OFDM lacks.
pub fn basic_mode(rate: BitRate) -> Result<Mode, ConfigProblem> {
    match OfdmRate::ALL.into_iter().find(|ofdm| ofdm.rate() == rate) {
        Some(rate) => Ok(Mode::Ofdm(rate)),
        None => {
            let remedy = "use 6, 9, 12, 18, 24, 36, 48 or 54 Mbps";
            ConfigProblem::refuse("basic_rate", format!("OFDM radios don't support {rate}"), remedy)
        }
    }
}
