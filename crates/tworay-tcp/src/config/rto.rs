//! The retransmission timer and its round-trip samples.

use super::refusals::problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{ConfigProblem, Dialect, FollowsDialect, SimDuration};

/// The retransmission timer (RFC 6298).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RtoConfig {
    /// RTO before the first round-trip sample. Default 1s (RFC 6298 §2.1).
    pub initial: SimDuration,
    /// Factor applied to the computed RTO before the bounds, 1 to 64. Default 1. Receivers that delay ACKs
    /// over several segments may need more (de Oliveira and Braun 2005 use 5).
    pub multiplier: u32,
    /// Lower bound of the RTO. Default 200ms, as in Linux, ns-2 and the papers; RFC 6298 §2.4 recommends
    /// 1s.
    pub min: SimDuration,
    /// Upper bound of the RTO, backoff included. Default 60s (RFC 6298 §2.5).
    pub max: SimDuration,
    /// Largest factor of the exponential backoff, a power of two. `max` applies as well.
    pub backoff_cap: u32,
    /// Discard SRTT when the backoff factor exceeds this value (RFC 6298 §5 permits it, last paragraph); 0
    /// for never.
    pub forget_above: u32,
    /// Arithmetic of SRTT and RTTVAR.
    pub arithmetic: RttArithmetic,
}

impl Default for RtoConfig {
    fn default() -> Self {
        Self {
            initial: SimDuration::from_secs(1),
            multiplier: 1,
            min: SimDuration::from_millis(200),
            max: SimDuration::from_secs(60),
            backoff_cap: 1 << 16,
            forget_above: 0,
            arithmetic: RttArithmetic::Exact,
        }
    }
}

impl FollowsDialect for RtoConfig {
    fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Standard => Self::default(),
            Dialect::Ns2 => Self {
                initial: SimDuration::from_secs(3),
                forget_above: 8,
                arithmetic: RttArithmetic::ScaledTicks,
                ..Self::default()
            },
        }
    }
}

impl RtoConfig {
    /// True if a lost SYN does not raise the initial RTO for data (see
    /// [`TcpQuirks::lost_syn_keeps_rto`](crate::TcpQuirks)). The other arithmetics are those of programs:
    /// ns-2 never raises it, and Linux only without a round-trip sample, which its timestamps always give.
    pub(super) fn lost_syn_keeps_rto(&self) -> bool {
        self.arithmetic != RttArithmetic::Exact
    }

    pub(super) fn validate(&self) -> Result<(), ConfigProblem> {
        if self.initial.is_zero() {
            return problem(
                "rto.initial",
                "the first timeout would occur at once".into(),
                "choose 1s (RFC 6298)",
            );
        }
        if self.min.is_zero() {
            return problem("rto.min", "the timer could expire at once".into(), "choose 200ms or more");
        }
        if !(1..=64).contains(&self.multiplier) {
            return problem(
                "rto.multiplier",
                format!("{} is out of range", self.multiplier),
                "choose 1 (RFC 6298) to 64",
            );
        }
        if self.max < self.min || self.max < self.initial {
            return problem(
                "rto.max",
                format!("{} is below the other bounds", self.max),
                "choose 60s or more (RFC 6298)",
            );
        }
        if !self.backoff_cap.is_power_of_two() {
            return problem(
                "rto.backoff_cap",
                format!("{} is not a power of two", self.backoff_cap),
                "choose 64, for example",
            );
        }
        Ok(())
    }
}

/// Computation of the round-trip estimators.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RttArithmetic {
    /// In nanoseconds: RTO = SRTT + max(G, 4 RTTVAR) (RFC 6298 §2).
    Exact,
    /// In integer ticks: SRTT scaled by 8 and RTTVAR by 4, RTO = SRTT + 4 RTTVAR, at least two ticks
    /// (Jacobson's code; ns-2).
    ScaledTicks,
    /// As `scaled-ticks`, but a round trip shorter than SRTT by more than RTTVAR enters RTTVAR with an
    /// eighth of its weight (ns-2's TCP-Linux).
    LinuxTicks,
    /// Nanoseconds, as in Linux 6: a round trip shorter than SRTT has an eighth of the weight, RTTVAR rises
    /// at once and falls once per round trip, and RTO = SRTT + max(`min`, 4 RTTVAR).
    Linux,
}

impl RttArithmetic {
    /// True if the estimators count whole ticks.
    pub(crate) fn counts_ticks(self) -> bool {
        matches!(self, RttArithmetic::ScaledTicks | RttArithmetic::LinuxTicks)
    }
}

/// Which segments are timed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// One segment at a time, so about one sample per round trip. The gains of RFC 6298 assume this.
    OnePerWindow,
    /// Every segment that is acknowledged without having been retransmitted.
    EverySegment,
}
