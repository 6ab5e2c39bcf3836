//! Frame lengths, airtimes and interframe spaces computed once from a [`MacConfig`].

use crate::config::{DSSS_RATES, MacConfig};
use crate::quirks::MacQuirks;
use tworay_base::{BitRate, SimDuration};

const RTS_BYTES: u32 = 20;
const CTS_BYTES: u32 = 14;
const ACK_BYTES: u32 = 14;
/// ns-2 counts the PLCP header, 192 bits at 1 Mb/s, as 24 bytes of every frame.
const PLCP_BYTES: u32 = 24;

/// Durations and sizes of MAC frames.
#[derive(Clone, Debug)]
pub struct Timing {
    /// Slot time.
    pub slot: SimDuration,
    /// Short interframe space.
    pub sifs: SimDuration,
    /// Distributed interframe space: SIFS + 2 slots.
    pub difs: SimDuration,
    /// Extended interframe space: SIFS + ACK at the lowest rate + DIFS (IEEE 802.11-1999 §9.2.10).
    pub eifs: SimDuration,
    /// Airtime of an RTS.
    pub rts: SimDuration,
    /// Airtime of a CTS.
    pub cts: SimDuration,
    /// Airtime of an ACK.
    pub ack: SimDuration,
    /// From the end of an RTS until the CTS counts as missing.
    pub cts_timeout: SimDuration,
    /// From the end of DATA until the ACK counts as missing.
    pub ack_timeout: SimDuration,
    plcp: SimDuration,
    data_rate: BitRate,
    basic_rate: BitRate,
    overhead: u32,
    rts_from: u32,
}

impl Timing {
    /// The longest delay of a hop at which its answers still come in time: there and back.
    #[inline]
    pub fn longest_delay(&self) -> SimDuration {
        (self.cts_timeout - self.sifs - self.cts) / 2
    }

    /// The timing of `config` with the given quirks.
    pub fn new(config: &MacConfig, quirks: &MacQuirks) -> Self {
        let at = |rate: BitRate, bytes: u32| config.plcp + rate.airtime(bytes);
        let difs = config.sifs + config.slot * 2;
        let cts = at(config.basic_rate, CTS_BYTES);
        let ack = at(config.rate_of_acks(), ACK_BYTES);
        let wait = |response: SimDuration| {
            if quirks.exact_response_timeout {
                config.sifs + response + SimDuration::from_micros(4)
            } else {
                config.sifs + config.slot + response
            }
        };
        let overhead = if quirks.four_address_header { 34 } else { 36 };
        let threshold = u32::try_from(config.threshold().0).unwrap_or(u32::MAX);
        // The smallest frame (MAC header to FCS) that is preceded by an RTS.
        let rts_from = if quirks.threshold_counts_plcp {
            threshold.saturating_sub(PLCP_BYTES)
        } else {
            threshold.saturating_add(1)
        };
        Self {
            slot: config.slot,
            sifs: config.sifs,
            difs,
            eifs: config.sifs + at(DSSS_RATES[0], ACK_BYTES) + difs,
            rts: at(config.basic_rate, RTS_BYTES),
            cts,
            ack,
            cts_timeout: wait(cts),
            ack_timeout: wait(ack),
            plcp: config.plcp,
            data_rate: config.data_rate,
            basic_rate: config.basic_rate,
            overhead,
            rts_from,
        }
    }

    /// Length in bytes of the data frame that carries a network packet of `ip_bytes`.
    #[inline]
    pub fn data_bytes(&self, ip_bytes: u32) -> u32 {
        ip_bytes + self.overhead
    }

    /// Airtime of a data frame of `bytes` (MAC header to FCS).
    #[inline]
    pub fn data_airtime(&self, bytes: u32, broadcast: bool) -> SimDuration {
        self.plcp + if broadcast { self.basic_rate } else { self.data_rate }.airtime(bytes)
    }

    /// True if a unicast data frame of `bytes` is preceded by RTS/CTS.
    #[inline]
    pub fn needs_rts(&self, bytes: u32) -> bool {
        bytes >= self.rts_from
    }

    /// Lengths in bytes of RTS, CTS and ACK.
    pub const fn control_bytes() -> (u32, u32, u32) {
        (RTS_BYTES, CTS_BYTES, ACK_BYTES)
    }
}

#[cfg(test)]
mod tests;
