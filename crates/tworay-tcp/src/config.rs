//! A connection's settings: the default follows the RFCs, `ns2()` follows ns-2.35. Each table has its values
//! in both dialects (`of`) and the quirks that come with them.

mod agents;
mod handshake;
mod presets;
mod receiver;
mod recovery;
mod refusals;
mod reporting;
mod rto;
mod window;

pub use handshake::{AckSize, Handshake};
pub use receiver::{AckPolicy, DaaConfig, ReceiverConfig, StretchedConfig, TackConfig};
pub use recovery::{
    AfterRto, NewRenoConfig, NewRenoEntry, NewRenoExit, NewRenoTimer, PartialAck, RenoForm, SackConfig,
    SackForm, VegasForm,
};
pub use reporting::{BiazRule, GapRule, HybridRule, Reporting, SpikeRule, StateRule, ZigZagRule};
pub use rto::{RtoConfig, RttArithmetic, Timing};
pub use window::{Halving, HalvingPrecision, IdleRestart, InitialWindow, NamedInitialWindow, WindowSize};

use refusals::{COARSEST_HEARTBEAT, problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{Bytes, ConfigProblem, SimDuration};

/// Settings of a TCP endpoint. Both ends of a connection are expected to use the same settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TcpConfig {
    /// Payload of a full segment, 1B to 65495B; headers and options are added to it. Default 1460B (an
    /// Ethernet frame, RFC 9293 §3.7.1).
    pub mss: Bytes,
    /// Advertised window: a number of segments, or a size such as "64KiB". It also limits what this end
    /// sends.
    pub window: WindowSize,
    /// Congestion window after the handshake: a number of segments, "rfc3390" or "rfc6928". Default 2, as
    /// in ns-2 and the papers; RFC 5681 allows up to 3 at an MSS of 1460 bytes.
    pub initial_window: InitialWindow,
    /// Initial slow-start threshold in segments, at least 2. Default: the advertised window (RFC 5681 §3.1:
    /// "arbitrarily high").
    pub initial_ssthresh: Option<f64>,
    /// Number of duplicate ACKs that indicate a loss. Default 3 (RFC 5681).
    pub dup_threshold: u32,
    /// Send a new segment on each of the first two duplicate ACKs (RFC 3042).
    pub limited_transmit: bool,
    /// Most segments sent in response to one ACK; 0 for no limit.
    pub max_burst: u32,
    /// The retransmission timer (RFC 6298).
    pub rto: RtoConfig,
    /// Which segments are timed for round-trip samples when timestamps are off.
    pub timing: Timing,
    /// Clock granularity of round-trip samples, the G of RFC 6298; "0s" for an exact clock. Each endpoint's
    /// clock starts at a random phase of the tick.
    pub tick: SimDuration,
    /// The retransmission timer fires only at multiples of this period, at a random phase per endpoint; so
    /// does the receiver's ACK timer unless `receiver.heartbeat` is set. "0s" for exact timers.
    pub heartbeat: SimDuration,
    /// Send timestamps with segments (RFC 7323).
    pub timestamps: bool,
    /// Tick of the timestamp clock, 1us to 1s. Default 1ms, the shortest that RFC 7323 §5.4 recommends; 1us
    /// with `dialect = "ns2"`, because ns-2's timestamps are exact.
    pub timestamp_clock: SimDuration,
    /// Which window is halved on a loss.
    pub halving: Halving,
    /// Rounding of the halved window.
    pub halving_precision: HalvingPrecision,
    /// Also grow the window on the ACK that ends fast recovery, as ns-2's Reno and NewReno do.
    pub growth_on_exit: bool,
    /// When Reno may start another fast retransmit.
    pub reno: RenoForm,
    /// Form of Vegas: its record of transmissions, and the details in which it follows ns-2.
    pub vegas: VegasForm,
    /// NewReno's options.
    pub newreno: NewRenoConfig,
    /// Selective acknowledgments.
    pub sack: SackConfig,
    /// Sizes of ACKs and SYNs.
    pub ack_size: AckSize,
    /// The handshake that opens a connection.
    pub handshake: Handshake,
    /// When the receiver acknowledges.
    pub receiver: ReceiverConfig,
    /// Send a FIN on closing.
    pub fin: bool,
    /// Window after an idle period longer than the RTO.
    pub idle_restart: IdleRestart,
    /// Initial sequence number of both ends; fixed, so that runs repeat.
    pub iss: u32,
}

impl TcpConfig {
    /// Checks ranges; keys are relative to the `[tcp]` table.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        if !(1..=65_495).contains(&self.mss.0) {
            return problem(
                "mss",
                format!("{} can't be carried", self.mss),
                "choose 1B to 65495B, such as 1460B",
            );
        }
        let window = self.window_bytes();
        if window < self.mss.0 {
            return problem(
                "window",
                "the window holds no full segment".into(),
                "choose at least one segment",
            );
        }
        if window > 1 << 30 {
            return problem(
                "window",
                "no TCP window exceeds 1 GiB (RFC 7323 §2.3)".into(),
                "choose a smaller window",
            );
        }
        if self.initial_window_segments() < 1.0 {
            return problem(
                "initial_window",
                "nothing could ever be sent".into(),
                "choose 1 or more segments",
            );
        }
        if self.initial_ssthresh.is_some_and(|s| !s.is_finite() || s < 2.0) {
            return problem(
                "initial_ssthresh",
                "it must be at least 2 segments (RFC 5681 §3.1)".into(),
                "leave it out, or choose 2 or more",
            );
        }
        if self.dup_threshold == 0 {
            return problem(
                "dup_threshold",
                "0 would treat every ACK as a loss".into(),
                "choose 3 (RFC 5681)",
            );
        }
        self.rto.validate()?;
        if !(SimDuration::from_micros(1)..=SimDuration::from_secs(1)).contains(&self.timestamp_clock) {
            return problem(
                "timestamp_clock",
                format!("{} is out of range", self.timestamp_clock),
                "choose 1ms (RFC 7323 §5.4), or from 1us to 1s",
            );
        }
        if self.rto.arithmetic.counts_ticks() && self.tick.is_zero() {
            return problem(
                "tick",
                "arithmetic in ticks needs a tick".into(),
                "set tick = \"10ms\" or rto.arithmetic = \"exact\"",
            );
        }
        if self.tick > SimDuration::from_secs(1) {
            return problem(
                "tick",
                format!("a tick of {} is too coarse", self.tick),
                "choose at most 1s (RFC 7323 §5.4)",
            );
        }
        if self.heartbeat > COARSEST_HEARTBEAT {
            return problem("heartbeat", format!("{} is too coarse", self.heartbeat), "choose at most 10s");
        }
        if !(1..=4).contains(&self.sack.max_blocks) {
            return problem(
                "sack.max_blocks",
                format!("{} blocks don't fit an option space of 40 bytes", self.sack.max_blocks),
                "choose 1 to 4 (3 with timestamps)",
            );
        }
        self.receiver.validate()
    }

    /// The granularity of the receiver's ACK timer.
    pub fn ack_heartbeat(&self) -> SimDuration {
        self.receiver.heartbeat.unwrap_or(self.heartbeat)
    }

    /// The advertised window in bytes.
    pub fn window_bytes(&self) -> u64 {
        match self.window {
            WindowSize::Segments(n) => u64::from(n) * self.mss.0,
            WindowSize::Bytes(b) => b.0,
        }
    }

    /// Shift of the window scale option (RFC 7323 §2.3): the smallest that fits the window into 16 bits; 0
    /// if no option is needed.
    pub fn window_shift(&self) -> u8 {
        let window = self.window_bytes();
        (0..14).find(|shift| window >> shift <= u64::from(u16::MAX)).unwrap_or(14)
    }

    /// The advertised window in segments.
    pub fn window_segments(&self) -> f64 {
        match self.window {
            WindowSize::Segments(n) => f64::from(n),
            WindowSize::Bytes(b) => b.0 as f64 / self.mss.0 as f64,
        }
    }

    /// The window after the handshake, segments.
    pub fn initial_window_segments(&self) -> f64 {
        let mss = self.mss.0 as f64;
        match self.initial_window {
            InitialWindow::Segments(n) => f64::from(n),
            // RFC 3390 eq. 1 and RFC 6928 eq. 1, in bytes.
            InitialWindow::Named(NamedInitialWindow::Rfc3390) => {
                (4.0 * mss).min((2.0 * mss).max(4380.0)) / mss
            }
            InitialWindow::Named(NamedInitialWindow::Rfc6928) => {
                (10.0 * mss).min((2.0 * mss).max(14_600.0)) / mss
            }
        }
    }
}

#[cfg(test)]
mod tests;
