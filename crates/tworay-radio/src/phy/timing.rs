//! Slot, interframe spaces and contention windows.

use super::airtime::Airtime;
use super::control::ACK_BYTES;
use super::mode::Mode;
use super::rates::{DsssRate, OfdmRate};
use super::standard::{Band, Coexistence, Phy, SlotTime, Standard};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::SimDuration;

/// Bounds of the contention window in slots, each one less than a power of two.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ContentionWindow {
    /// The first window.
    pub min: u32,
    /// The largest window.
    pub max: u32,
}

/// The classes of traffic that contend separately (§10.2.3.2).
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AccessCategory {
    /// Background, AC_BK.
    Background,
    /// Best effort, AC_BE.
    BestEffort,
    /// Video, AC_VI.
    Video,
    /// Voice, AC_VO.
    Voice,
}

impl AccessCategory {
    /// All, lowest priority first.
    pub const ALL: [Self; 4] = [Self::Background, Self::BestEffort, Self::Video, Self::Voice];
}

/// Parameters of an access category's contention.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct EdcaParameters {
    /// Slots of the arbitration interframe space after SIFS (AIFSN).
    pub aifsn: u32,
    /// The contention window.
    pub window: ContentionWindow,
    /// Longest time on the air per access; zero: one frame or aggregate.
    pub txop: SimDuration,
}

/// Times and windows of a station.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct PhyTiming {
    /// Slot time.
    pub slot: SimDuration,
    /// Short interframe space.
    pub sifs: SimDuration,
    /// Window of the DCF, and base of EDCA's windows (aCWmin, aCWmax).
    pub window: ContentionWindow,
    ack_at_lowest: SimDuration,
    dsss: bool,
}

impl PhyTiming {
    /// The times of `phy`: §15.3.3, §17.4.4, §18.5.4, §19.4.4, §21.4.4. The window begins at 31 for `b` and
    /// beside `b` stations, otherwise at 15.
    pub fn new(phy: &Phy, airtime: &Airtime) -> Self {
        let slot = match phy.slot {
            SlotTime::Long => 20,
            SlotTime::Short => 9,
        };
        let sifs = match phy.band {
            Band::Ghz2 => 10,
            Band::Ghz5 => 16,
        };
        let wide = phy.standard == Standard::B || phy.coexistence == Coexistence::BStations;
        let lowest = if phy.has_dsss() { Mode::Dsss(DsssRate::R1) } else { Mode::Ofdm(OfdmRate::R6) };
        Self {
            slot: SimDuration::from_micros(slot),
            sifs: SimDuration::from_micros(sifs),
            window: ContentionWindow { min: if wide { 31 } else { 15 }, max: 1_023 },
            ack_at_lowest: airtime.frame(lowest, ACK_BYTES),
            dsss: phy.standard == Standard::B,
        }
    }

    /// Distributed interframe space: SIFS and two slots.
    pub fn difs(&self) -> SimDuration {
        self.sifs + self.slot * 2
    }

    /// Arbitration interframe space of `aifsn` slots (§10.23.2.4).
    pub fn aifs(&self, aifsn: u32) -> SimDuration {
        self.sifs + self.slot * u64::from(aifsn)
    }

    /// Extended interframe space of the DCF: SIFS, an ACK at the lowest mandatory rate, and DIFS (§10.3.2.3.7).
    /// The lowest rate at 2.4 GHz is 1 Mb/s.
    pub fn eifs(&self) -> SimDuration {
        self.sifs + self.ack_at_lowest + self.difs()
    }

    /// As [`PhyTiming::eifs`] for EDCA, where AIFS takes the place of DIFS (§10.23.2.4).
    pub fn eifs_of(&self, aifsn: u32) -> SimDuration {
        self.sifs + self.ack_at_lowest + self.aifs(aifsn)
    }

    /// From the end of a frame until its response counts as missing: SIFS, a slot, and the time after which the
    /// receiver reports the start of the response (§10.3.2.11), here the response's preamble and PHY header.
    pub fn response_timeout(&self, airtime: &Airtime, response: Mode) -> SimDuration {
        self.sifs + self.slot + airtime.header(response)
    }

    /// The default EDCA parameters (Table 9-155). The TXOP limits are those of OFDM PHYs, or of `b`.
    pub fn edca(&self, category: AccessCategory) -> EdcaParameters {
        let ContentionWindow { min, max } = self.window;
        let txop = |ofdm: u64, dsss: u64| SimDuration::from_micros(if self.dsss { dsss } else { ofdm });
        match category {
            AccessCategory::Background => {
                EdcaParameters { aifsn: 7, window: ContentionWindow { min, max }, txop: SimDuration::ZERO }
            }
            AccessCategory::BestEffort => {
                EdcaParameters { aifsn: 3, window: ContentionWindow { min, max }, txop: SimDuration::ZERO }
            }
            AccessCategory::Video => EdcaParameters {
                aifsn: 2,
                window: ContentionWindow { min: min.div_ceil(2) - 1, max: min },
                txop: txop(3_008, 6_016),
            },
            AccessCategory::Voice => EdcaParameters {
                aifsn: 2,
                window: ContentionWindow { min: min.div_ceil(4) - 1, max: min.div_ceil(2) - 1 },
                txop: txop(1_504, 3_264),
            },
        }
    }
}
