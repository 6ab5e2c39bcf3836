//! The scenario file's `[mac]` table.

use crate::hcf::MissingBlockAck;
use crate::overload::OverloadConfig;
use crate::quirks::MacQuirks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{BitRate, Bytes, ConfigProblem, Dialect, FollowsDialect, SimDuration};

/// The rates that every DSSS station can send and receive (IEEE 802.11-1999 §15.1).
pub(crate) const DSSS_RATES: [BitRate; 2] = [BitRate::from_bps(1_000_000), BitRate::from_bps(2_000_000)];

/// The RTS/CTS strategies of the thesis (Papanastasiou 2006 §5.4) by name.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RtsStrategy {
    /// RTS/CTS before every unicast frame (threshold 0).
    Full,
    /// RTS/CTS before TCP data only (threshold 500 bytes).
    Partial,
    /// No RTS/CTS (threshold 3000 bytes).
    None,
}

impl RtsStrategy {
    /// The RTS threshold of the strategy.
    pub const fn threshold(self) -> Bytes {
        match self {
            RtsStrategy::Full => Bytes(0),
            RtsStrategy::Partial => Bytes(500),
            RtsStrategy::None => Bytes(3000),
        }
    }
}

/// Discipline of the interface queue.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum QueueRule {
    /// Drop-tail, in order of arrival.
    Fifo,
    /// A queue for each flow, kept short by CoDel (RFC 8290).
    FqCodel,
}

/// Lifetime of a frame under a block ack agreement: 500 TU of 1,024 µs, the default of dot11EDCATableMSDULifetime
/// (IEEE 802.11-2020, annex C).
pub const MSDU_LIFETIME: SimDuration = SimDuration::from_micros(500 * 1024);

/// Longest `mac.lifetime`.
const LONGEST_LIFETIME: SimDuration = SimDuration::from_secs(1000);

/// 802.11 DSSS parameters (IEEE 802.11-1999 §15.3.3, ns-2.35 defaults where the standard leaves a choice).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MacConfig {
    /// Whose MAC: `standard` (IEEE 802.11-1999, clause 9) or `ns2` (ns-2.35, `Mac/802_11`).
    pub dialect: Dialect,
    /// Rate of unicast data frames.
    pub data_rate: BitRate,
    /// Rate of RTS, CTS and broadcast frames.
    pub basic_rate: BitRate,
    /// Rate of ACK frames. If absent, the dialect decides. `standard`: the highest basic rate not above
    /// `data_rate` (IEEE 802.11-1999 §9.6); basic rates are DSSS's 1 and 2 Mb/s and `basic_rate`. `ns2`:
    /// `basic_rate`.
    pub ack_rate: Option<BitRate>,
    /// A frame longer than this is preceded by RTS/CTS. 0B: always; 3000B: never.
    pub rts_threshold: Bytes,
    /// RTS/CTS strategy of Papanastasiou (2006): `full`, `partial` or `none`. Overrides `rts_threshold`.
    pub rts: Option<RtsStrategy>,
    /// Slot time.
    pub slot: SimDuration,
    /// Short interframe space.
    pub sifs: SimDuration,
    /// Preamble and PLCP header before each frame (long: 192 µs).
    pub plcp: SimDuration,
    /// Smallest contention window in slots, one less than a power of two.
    pub cw_min: u32,
    /// Largest contention window in slots, one less than a power of two.
    pub cw_max: u32,
    /// Attempts for frames up to the RTS threshold, and for RTS frames (1..=255).
    pub short_retry_limit: u8,
    /// Attempts for frames above the RTS threshold (1..=255).
    pub long_retry_limit: u8,
    /// Capacity of the interface queue in packets (2..=100000).
    pub queue_limit: u32,
    /// Interface queue of a radio with `radio.standard`: `fifo` or `fq-codel`. Absent: `fifo`, which is the only one
    /// without `radio.standard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueRule>,
    /// Longest aggregate (A-MPDU) of `radio.standard` `n` and `ac`, 0B: frames are sent singly. Absent: what the
    /// standard allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_aggregate: Option<Bytes>,
    /// Time that a frame of `radio.standard` `n` and `ac` may spend in the MAC, from the moment at which it leaves the
    /// interface queue (1ms..=1000s). Under a block ack agreement it is sent again until then, without a limit of
    /// attempts (IEEE 802.11-2020 §10.23.2.12.1, dot11EDCATableMSDULifetime). Absent: 512ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifetime: Option<SimDuration>,
    /// Next step of a sender to which no BlockAck comes, with `radio.standard` `n` and `ac`: `request` asks by
    /// BlockAckReq what has arrived (ns-3), `repeat` sends the frames again (Linux' ath9k). Absent: `request`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_block_ack: Option<MissingBlockAck>,
    /// Resolve next hops with ARP before the first unicast frame to them.
    pub arp: bool,
    /// Interval after which an unanswered ARP request is repeated, three requests in all. 0s: ask again only
    /// when the next packet for the same neighbour arrives (ns-2).
    pub arp_retry: SimDuration,
    /// Link-layer processing delay in each direction (ns-2: 25 µs).
    pub link_delay: SimDuration,
    /// Measures of the node against an overloaded link, to help TCP; off by default.
    pub overload: OverloadConfig,
}

impl Default for MacConfig {
    fn default() -> Self {
        Self {
            dialect: Dialect::Standard,
            data_rate: BitRate::from_bps(2_000_000),
            basic_rate: BitRate::from_bps(1_000_000),
            ack_rate: None,
            rts_threshold: Bytes(0),
            rts: None,
            slot: SimDuration::from_micros(20),
            sifs: SimDuration::from_micros(10),
            plcp: SimDuration::from_micros(192),
            cw_min: 31,
            cw_max: 1023,
            short_retry_limit: 7,
            long_retry_limit: 4,
            queue_limit: 50,
            queue: None,
            max_aggregate: None,
            lifetime: None,
            missing_block_ack: None,
            arp: true,
            arp_retry: SimDuration::from_millis(100),
            link_delay: SimDuration::ZERO,
            overload: OverloadConfig::default(),
        }
    }
}

impl FollowsDialect for MacConfig {
    fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Standard => Self::default(),
            Dialect::Ns2 => Self::ns2(),
        }
    }
}

impl MacConfig {
    /// ns-2.35's `Mac/802_11` at 2 Mb/s data and 1 Mb/s basic rate.
    pub fn ns2() -> Self {
        Self {
            dialect: Dialect::Ns2,
            link_delay: SimDuration::from_micros(25),
            arp_retry: SimDuration::ZERO,
            ..Self::default()
        }
    }

    /// The RTS threshold in use, bytes.
    pub fn threshold(&self) -> Bytes {
        self.rts.map_or(self.rts_threshold, RtsStrategy::threshold)
    }

    /// The rate of ACK frames in use.
    pub fn rate_of_acks(&self) -> BitRate {
        if let Some(rate) = self.ack_rate {
            return rate;
        }
        if self.quirks().responses_at_basic_rate {
            return self.basic_rate;
        }
        // Every DSSS station supports 1 Mb/s, whatever the data rate is.
        let basic = [self.basic_rate, DSSS_RATES[1]];
        basic.into_iter().filter(|rate| *rate <= self.data_rate).max().unwrap_or(DSSS_RATES[0])
    }

    /// The quirks of the dialect.
    pub fn quirks(&self) -> MacQuirks {
        match self.dialect {
            Dialect::Standard => MacQuirks::STANDARD,
            Dialect::Ns2 => MacQuirks::NS2,
        }
    }

    /// Checks ranges; the error is (key, problem, remedy).
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        let bad = |key: &str, problem: String, remedy: &str| ConfigProblem::refuse(key, problem, remedy);
        for (key, cw) in [("cw_min", self.cw_min), ("cw_max", self.cw_max)] {
            if !(1..=65_535).contains(&cw) || !(cw + 1).is_power_of_two() {
                return bad(
                    key,
                    format!("{cw} is not one less than a power of two"),
                    "use 31, 63, 127, … 1023",
                );
            }
        }
        if self.cw_min > self.cw_max {
            return bad(
                "cw_min",
                format!("{} is above cw_max ({})", self.cw_min, self.cw_max),
                "lower cw_min",
            );
        }
        for (key, limit) in
            [("short_retry_limit", self.short_retry_limit), ("long_retry_limit", self.long_retry_limit)]
        {
            if limit == 0 {
                return bad(key, "0 attempts can send nothing".into(), "use 1 to 255 (802.11: 7 and 4)");
            }
        }
        if !(2..=100_000).contains(&self.queue_limit) {
            return bad(
                "queue_limit",
                format!("{} packets", self.queue_limit),
                "use 2 to 100000 (usual: 50)",
            );
        }
        if let Some(lifetime) = self.lifetime
            && !(SimDuration::from_millis(1)..=LONGEST_LIFETIME).contains(&lifetime)
        {
            return bad("lifetime", format!("{lifetime}"), "use 1ms to 1000s (802.11: 512ms)");
        }
        if self.slot.is_zero() || self.slot > SimDuration::from_millis(1) {
            return bad("slot", format!("{}", self.slot), "use more than 0 and up to 1ms (DSSS: 20us)");
        }
        if self.sifs.is_zero() || self.sifs > SimDuration::from_millis(1) {
            return bad("sifs", format!("{}", self.sifs), "use more than 0 and up to 1ms (DSSS: 10us)");
        }
        if self.plcp > SimDuration::from_millis(10) {
            return bad("plcp", format!("{}", self.plcp), "use up to 10ms (long preamble: 192us)");
        }
        if self.arp_retry > SimDuration::from_secs(60) {
            return bad(
                "arp_retry",
                format!("{}", self.arp_retry),
                "use up to 60s (RFC 1122 suggests 1s; 0s is ns-2)",
            );
        }
        if self.link_delay > SimDuration::from_secs(1) {
            return bad("link_delay", format!("{}", self.link_delay), "use up to 1s (ns-2: 25us)");
        }
        self.overload.validate()
    }
}

#[cfg(test)]
mod tests;
