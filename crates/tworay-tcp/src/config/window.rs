//! The congestion window: its start, its halving, and what happens to it after an idle period.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::Bytes;

/// A window, as a number of segments or a size in bytes.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum WindowSize {
    /// Number of full segments.
    Segments(u32),
    /// Size in bytes.
    Bytes(Bytes),
}

/// The initial window: a number of segments, or a rule by name.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum InitialWindow {
    /// Number of segments.
    Segments(u32),
    /// Rule by name.
    Named(NamedInitialWindow),
}

/// Rules for the initial window.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NamedInitialWindow {
    /// 2 to 4 segments, about 4 KB (RFC 3390).
    Rfc3390,
    /// 10 segments, about 14 KB (RFC 6928).
    Rfc6928,
}

/// Which window is halved on a loss.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Halving {
    /// FlightSize, but at least 2 segments, and only once per segment on repeated timeouts (RFC 5681 §3.1).
    FlightSize,
    /// The window in use, min(cwnd, advertised window), on every timeout (ns-2).
    Window,
}

/// Rounding of the halved window.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HalvingPrecision {
    /// None: real numbers.
    Real,
    /// ssthresh is truncated to whole segments, cwnd is not (ns-2, `precisionReduce_` true).
    IntegerSsthresh,
    /// Both are whole segments, computed from the whole window (ns-2, `precisionReduce_` false).
    Integer,
}

/// Window after an idle period longer than the RTO.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdleRestart {
    /// Unchanged.
    Off,
    /// At most the initial window (RFC 5681 §4.1).
    InitialWindow,
    /// Halved for each RTO since the last segment, down to the initial window; ssthresh is at least three quarters of what it
    /// was (RFC 2861, Linux).
    Decay,
    /// One segment (ns-2's `slow_start_restart_`).
    OneSegment,
}
