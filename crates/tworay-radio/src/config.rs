//! The scenario's `[radio]` table.

use crate::air::{Preset, RateRule};
use crate::fading::{Fader, FadingConfig, ShadowingConfig, refuse_flat, refuse_measured};
use crate::measured::{self, MeasuredLink};
use crate::phy::{Band, GuardInterval, SlotTime, Standard, Width};
use crate::quirks::ReceptionQuirks;
use crate::refusals::{between, problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{BitRate, ConfigProblem, Dialect, FollowsDialect, Hertz, Metres, Ratio, Watts};

/// A named radio. A profile fixes transmit power, frequency, antennas, losses and thresholds. To change any
/// of these, set `profile = "custom"`.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Lucent WaveLAN DSSS at 914 MHz as in the CMU Monarch work and ns-2. Over two-ray ground, its range is
    /// 250 m to receive and 550 m to sense.
    #[default]
    #[serde(rename = "wavelan-914")]
    Wavelan914,
    /// The values of the other keys.
    Custom,
}

/// Fall of the mean received power with distance.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Propagation {
    /// Friis: the power falls with the square of the distance.
    FreeSpace,
    /// Friis up to the crossover distance 4π·ht·hr/λ, beyond it the fourth power of the distance (Rappaport,
    /// Wireless Communications §4.6).
    #[default]
    TwoRayGround,
    /// Full power within `range`, nothing beyond: every signal sensed is also received.
    Range,
    /// Friis up to the reference distance, beyond it the given power of the distance (Rappaport §4.9).
    LogDistance {
        /// Path loss exponent, 1 to 10: 2 is free space, 2.7 to 5 urban.
        #[serde(default = "default_exponent")]
        exponent: f64,
        /// Reference distance, above zero.
        #[serde(default = "default_reference")]
        reference: Metres,
    },
    /// As measured: only the links listed in `[[radio.link]]` exist, whatever the positions of the nodes.
    Measured,
}

fn default_exponent() -> f64 {
    3.0
}

fn default_reference() -> Metres {
    Metres(1.0)
}

/// Rule by which a receiver decides which of several overlapping signals it can decode.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReceptionModel {
    /// ns-2's pairwise rule: the signal being received survives another that is weaker by `capture_ratio`.
    Capture,
    /// Signal to noise plus the sum of all interference, with a threshold per rate.
    #[default]
    Sinr,
}

/// The minimum signal to interference and noise ratio at which a rate can be decoded.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateThreshold {
    /// The rate of the frame's body.
    pub rate: BitRate,
    /// The ratio, -20 dB to 60 dB.
    pub sinr: Ratio,
}

/// Rule by which the `sinr` reception decides from the ratio if a frame is good.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SinrErrors {
    /// Bit errors of DBPSK (1 Mb/s) and DQPSK (2 Mb/s) after despreading, over each interval of constant
    /// interference; higher rates by their threshold.
    #[default]
    Dsss,
    /// A frame is good if the ratio never falls below the threshold of its rate.
    Threshold,
}

/// Noise and thresholds of the `sinr` reception model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SinrConfig {
    /// Noise that the receiver adds to thermal noise, 0 dB to 40 dB.
    pub noise_figure: Ratio,
    /// Noise bandwidth: 22 MHz for DSSS.
    pub bandwidth: Hertz,
    /// Signal to interference and noise at which a frame's preamble is detected, -20 dB to 60 dB.
    pub preamble: Ratio,
    /// Rule by which the ratio decides about a frame: `dsss` or `threshold`.
    pub errors: SinrErrors,
    /// Thresholds by rate in ascending order; a rate between two entries uses the higher entry. The defaults
    /// (4, 7, 11, 16 dB for 802.11b's rates) are estimates: replace them by those of your card. The threshold
    /// is the sensitivity from a data sheet less the noise (-100.6 dBm in 22 MHz plus `noise_figure`).
    /// Example: the Acer MPCI-101's -91, -88, -85 and -82 dBm (its manual, section 3.3.2: 1024 bytes, 8 %
    /// lost, 25 °C) are 2.6, 5.6, 8.6 and 11.6 dB at a noise figure of 7 dB.
    pub thresholds: Vec<RateThreshold>,
}

/// The rates of a DSSS radio: IEEE 802.11-1999 §15.1 (1 and 2 Mb/s), 802.11b-1999 §18.1 (5.5 and 11 Mb/s).
pub const RADIO_RATES: [BitRate; 4] = [
    BitRate::from_bps(1_000_000),
    BitRate::from_bps(2_000_000),
    BitRate::from_bps(5_500_000),
    BitRate::from_bps(11_000_000),
];

impl Default for SinrConfig {
    fn default() -> Self {
        // Commonly quoted for Lucent's Orinoco card at 1, 2, 5.5 and 11 Mb/s; its data sheet could not be
        // found to check them. They apply only with `errors = "threshold"` and to rates that are not DSSS.
        let table = RADIO_RATES.into_iter().zip([4.0, 7.0, 11.0, 16.0]);
        Self {
            noise_figure: Ratio(7.0),
            bandwidth: Hertz(22e6),
            preamble: Ratio(4.0),
            errors: SinrErrors::Dsss,
            thresholds: table.map(|(rate, db)| RateThreshold { rate, sinr: Ratio(db) }).collect(),
        }
    }
}

/// The scenario's `[radio]` table: one radio for all nodes. The defaults are the WaveLAN-914 profile over
/// two-ray ground with cumulative interference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RadioConfig {
    /// Whose quirks of reception apply: `standard` or `ns2` (ns-2.35: signals that arrive while the station
    /// transmits occupy its receiver, and a frame that was captured over reserves the medium).
    pub dialect: Dialect,
    /// The named radio. `custom` allows the keys from `tx_power` to `cs_threshold`.
    pub profile: Profile,
    /// A radio in one word: it sets the keys of `[radio]` and `[mac]`; keys given beside it take precedence. Absent:
    /// the defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// 802.11 amendment. `b`, or absent: the radio for which the other keys and those of `[mac]` stand. The others
    /// set the plain keys of their radio, as a preset does: 20 MHz, one stream, OFDM at `mac.basic_rate` for
    /// broadcasts and RTS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard: Option<Standard>,
    /// Frequency band of the `standard`. Default: 2.4GHz for `g`, otherwise 5GHz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub band: Option<Band>,
    /// Width of the channel of the `standard`. Default: 20MHz.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<Width>,
    /// Spatial streams of the `standard`, 1 to 4. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams: Option<u8>,
    /// Shortest guard interval of the `standard`. Default: long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guard: Option<GuardInterval>,
    /// Slot time of the `standard` at 2.4GHz. Default: long, as in every network without access point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<SlotTime>,
    /// Choice of the rates of the `standard`: `fixed`, `ideal`, `minstrel-ht` or `minstrel-ht-lookaround`. Default:
    /// minstrel-ht.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<RateRule>,
    /// The rate of `rate = "fixed"`: 0 to 7 for 6 to 54 Mb/s of `a` and `g`, the MCS of `n` (0 to 31, 8 for each
    /// stream) or `ac` (0 to 9).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcs: Option<u8>,
    /// Path loss: the received power over distance.
    pub propagation: Propagation,
    /// Additional log-normal shadowing; absent: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadowing: Option<ShadowingConfig>,
    /// Additional Rician or Rayleigh fading; absent: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fading: Option<FadingConfig>,
    /// Reception of overlapping signals.
    pub reception: ReceptionModel,
    /// Transmit power.
    pub tx_power: Watts,
    /// Carrier frequency.
    pub frequency: Hertz,
    /// Height of every antenna above the ground.
    pub antenna_height: Metres,
    /// Gain of the transmitting antenna.
    pub tx_gain: Ratio,
    /// Gain of the receiving antenna.
    pub rx_gain: Ratio,
    /// Losses of the system (cables, filters); not negative.
    pub system_loss: Ratio,
    /// Minimum received power at which a frame can be decoded.
    pub rx_threshold: Watts,
    /// Minimum received power that makes the medium busy; at most `rx_threshold`.
    pub cs_threshold: Watts,
    /// Ratio by which the signal being received must exceed a new one to survive it (`capture`).
    pub capture_ratio: Ratio,
    /// Range of the `range` propagation.
    pub range: Metres,
    /// Noise and thresholds of the `sinr` reception.
    pub sinr: SinrConfig,
    /// The links of the `measured` propagation, each in one direction.
    #[serde(rename = "link", skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<MeasuredLink>,
}

impl Default for RadioConfig {
    fn default() -> Self {
        Self {
            dialect: Dialect::Standard,
            profile: Profile::Wavelan914,
            preset: None,
            standard: None,
            band: None,
            width: None,
            streams: None,
            guard: None,
            slot: None,
            rate: None,
            mcs: None,
            propagation: Propagation::TwoRayGround,
            shadowing: None,
            fading: None,
            reception: ReceptionModel::Sinr,
            // ns-2.35, tcl/lib/ns-default.tcl, Phy/WirelessPhy.
            tx_power: Watts(0.281_838_15),
            frequency: Hertz(914e6),
            antenna_height: Metres(1.5),
            tx_gain: Ratio(0.0),
            rx_gain: Ratio(0.0),
            system_loss: Ratio(0.0),
            rx_threshold: Watts(3.652e-10),
            cs_threshold: Watts(1.559e-11),
            capture_ratio: Ratio(10.0),
            range: Metres(250.0),
            sinr: SinrConfig::default(),
            links: Vec::new(),
        }
    }
}

impl FollowsDialect for RadioConfig {
    fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Standard => Self::default(),
            Dialect::Ns2 => Self::ns2(),
        }
    }
}

impl RadioConfig {
    /// True if shadowing or fading varies the power of signals.
    pub fn fades(&self) -> bool {
        self.shadowing.is_some() || self.fading.is_some()
    }

    /// Shadowing and fading of signals in a run with `seed`; `None` if this radio has neither.
    pub fn fader(&self, seed: u64) -> Option<Fader> {
        Fader::new(self.shadowing.clone(), self.fading.clone(), seed)
    }

    /// The quirks of the dialect.
    pub fn quirks(&self) -> ReceptionQuirks {
        match self.dialect {
            Dialect::Standard => ReceptionQuirks::CAPTURE,
            Dialect::Ns2 => ReceptionQuirks::NS2,
        }
    }

    /// ns-2.35's radio: the default radio with ns-2's capture rule for overlapping signals.
    pub fn ns2() -> Self {
        Self { dialect: Dialect::Ns2, reception: ReceptionModel::Capture, ..Self::default() }
    }

    /// Checks ranges and that a profile's values are unchanged. The error names the key, the problem and the
    /// remedy.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        self.check_profile()?;
        for (key, value, most) in [
            ("tx_power", self.tx_power.get(), 1e6),
            ("frequency", self.frequency.get(), 1e12),
            ("antenna_height", self.antenna_height.get(), 1e5),
            ("rx_threshold", self.rx_threshold.get(), 1e6),
            ("cs_threshold", self.cs_threshold.get(), 1e6),
            ("range", self.range.get(), 1e7),
            ("sinr.bandwidth", self.sinr.bandwidth.get(), 1e12),
        ] {
            // The negation also refuses NaN.
            if !(value > 0.0 && value <= most) {
                return Err(problem(
                    key,
                    format!("{value} is out of range"),
                    format!("give a value above 0 and at most {most}"),
                ));
            }
        }
        for (key, value, least, most) in [
            ("tx_gain", self.tx_gain.get(), -60.0, 60.0),
            ("rx_gain", self.rx_gain.get(), -60.0, 60.0),
            ("system_loss", self.system_loss.get(), 0.0, 200.0),
            ("capture_ratio", self.capture_ratio.get(), 0.0, 100.0),
            ("sinr.noise_figure", self.sinr.noise_figure.get(), 0.0, 40.0),
        ] {
            between(key, value, least, most)?;
        }
        if self.cs_threshold > self.rx_threshold {
            return Err(problem(
                "cs_threshold",
                format!("{} is above rx_threshold {}", self.cs_threshold, self.rx_threshold),
                "every frame that can be decoded must be sensed: lower cs_threshold or raise rx_threshold"
                    .into(),
            ));
        }
        if let Propagation::LogDistance { exponent, reference } = self.propagation {
            between("propagation.log-distance.exponent", exponent, 1.0, 10.0)?;
            if !(reference.get() > 0.0 && reference.get() <= 1e6) {
                return Err(problem(
                    "propagation.log-distance.reference",
                    format!("{reference} is out of range"),
                    "give a distance above 0m and at most 1000km; 1m is usual".into(),
                ));
            }
        }
        if let Some(shadowing) = &self.shadowing {
            shadowing.validate()?;
        }
        if let Some(fading) = &self.fading {
            fading.validate()?;
        }
        match (self.propagation, &self.shadowing, &self.fading) {
            (Propagation::Range, Some(_), _) => return Err(refuse_flat("shadowing")),
            (Propagation::Range, _, Some(_)) => return Err(refuse_flat("fading")),
            (Propagation::Measured, Some(_), _) => return Err(refuse_measured("shadowing")),
            (Propagation::Measured, _, Some(_)) => return Err(refuse_measured("fading")),
            _ => {}
        }
        self.check_links()?;
        self.air()?;
        self.check_sinr()
    }

    fn check_links(&self) -> Result<(), ConfigProblem> {
        let measured = self.propagation == Propagation::Measured;
        if measured && self.links.is_empty() {
            let remedy = "add [[radio.link]] with from = 0, to = 1, loss = 0.1; each direction is one";
            return Err(problem("propagation", "no links are listed".into(), remedy.into()));
        }
        if !measured && !self.links.is_empty() {
            let remedy = "write propagation = \"measured\" in [radio], or remove these links";
            return Err(problem("link", "listed links need measured propagation".into(), remedy.into()));
        }
        measured::validate(&self.links, self.cs_threshold)
    }

    fn check_sinr(&self) -> Result<(), ConfigProblem> {
        let table = &self.sinr.thresholds;
        if table.is_empty() {
            return Err(problem(
                "sinr.thresholds",
                "the list is empty".into(),
                "give at least one { rate = \"2Mbps\", sinr = \"7dB\" }, or remove the key".into(),
            ));
        }
        for (i, entry) in table.iter().enumerate() {
            between(&format!("sinr.thresholds[{i}].sinr"), entry.sinr.get(), -20.0, 60.0)?;
        }
        match table.windows(2).position(|w| w[0].rate >= w[1].rate) {
            Some(i) => Err(problem(
                &format!("sinr.thresholds[{}].rate", i + 1),
                format!("{} does not come after {}", table[i + 1].rate, table[i].rate),
                "list each rate once, in ascending order".into(),
            )),
            None => Ok(()),
        }
    }

    fn check_profile(&self) -> Result<(), ConfigProblem> {
        if self.profile == Profile::Custom {
            return Ok(());
        }
        let promised = Self::default();
        for (key, ours, theirs) in [
            ("tx_power", self.tx_power.to_string(), promised.tx_power.to_string()),
            ("frequency", self.frequency.to_string(), promised.frequency.to_string()),
            ("antenna_height", self.antenna_height.to_string(), promised.antenna_height.to_string()),
            ("tx_gain", self.tx_gain.to_string(), promised.tx_gain.to_string()),
            ("rx_gain", self.rx_gain.to_string(), promised.rx_gain.to_string()),
            ("system_loss", self.system_loss.to_string(), promised.system_loss.to_string()),
            ("rx_threshold", self.rx_threshold.to_string(), promised.rx_threshold.to_string()),
            ("cs_threshold", self.cs_threshold.to_string(), promised.cs_threshold.to_string()),
        ] {
            if ours != theirs {
                return Err(problem(
                    key,
                    format!("{ours} contradicts profile wavelan-914, which has {theirs}"),
                    "write profile = \"custom\" to choose the radio's values yourself".into(),
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
