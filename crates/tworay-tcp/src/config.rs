//! A connection's settings: the default follows the RFCs, `ns2()` follows ns-2.35.

mod choices;
mod presets;

pub use choices::{
    AckPolicy, AckSize, AfterRto, DaaConfig, Halving, HalvingPrecision, Handshake, IdleRestart,
    InitialWindow, NamedInitialWindow, NewRenoConfig, NewRenoEntry, NewRenoExit, NewRenoTimer, PartialAck,
    ReceiverConfig, RenoForm, RtoConfig, RttArithmetic, SackConfig, SackForm, Timing, VegasForm, WindowSize,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{Bytes, ConfigProblem, SimDuration};

/// Settings of a TCP endpoint. Both ends of a connection are expected to have the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TcpConfig {
    /// Payload bytes of a full segment, 1..=65495; headers and options come on top. Default 1460 B
    /// (an Ethernet frame, RFC 9293 §3.7.1).
    pub mss: Bytes,
    /// Advertised window: a number of segments or a size such as "64KiB". Also bounds what is sent.
    pub window: WindowSize,
    /// Window after the handshake: a number of segments, or "rfc3390" or "rfc6928". Default 2
    /// (within RFC 5681's bound of 3 for a 1460-byte MSS, and what ns-2 and the papers use).
    pub initial_window: InitialWindow,
    /// Slow-start threshold at the start, segments, at least 2; default: the advertised window
    /// (RFC 5681 §3.1: "arbitrarily high").
    pub initial_ssthresh: Option<f64>,
    /// Duplicate ACKs that make a loss (RFC 5681: 3).
    pub dup_threshold: u32,
    /// Whether the first two duplicate ACKs each release a new segment (RFC 3042).
    pub limited_transmit: bool,
    /// Segments sent at most per arriving ACK; 0 for no bound.
    pub max_burst: u32,
    /// The retransmission timer (RFC 6298).
    pub rto: RtoConfig,
    /// Which segments give round-trip samples when there are no timestamps.
    pub timing: Timing,
    /// Clock tick of round-trip samples and the G of RFC 6298; "0s" for an exact clock. Each
    /// endpoint's clock starts at a random phase of the tick.
    pub tick: SimDuration,
    /// The retransmission timer expires only at multiples of this, at a random phase per endpoint; so does
    /// the receiver's ACK timer, unless `receiver.heartbeat` says otherwise. "0s" for exact timers.
    pub heartbeat: SimDuration,
    /// Whether segments carry timestamps (RFC 7323).
    pub timestamps: bool,
    /// Tick of the timestamps' clock, 1 us to 1 s; RFC 7323 §5.4 says 1 ms at least. Default 1 ms; with
    /// `compat = "ns2"` 1 us, for ns-2's timestamps are exact.
    pub timestamp_clock: SimDuration,
    /// What is halved on a loss.
    pub halving: Halving,
    /// How exactly it is halved.
    pub halving_precision: HalvingPrecision,
    /// Whether the ACK that ends fast recovery also grows the window (ns-2's Reno and NewReno).
    pub growth_on_exit: bool,
    /// Reno's guard against repeated fast retransmits.
    pub reno: RenoForm,
    /// What Vegas remembers of its segments, and other habits of ns-2's.
    pub vegas: VegasForm,
    /// NewReno's options.
    pub newreno: NewRenoConfig,
    /// Selective acknowledgments.
    pub sack: SackConfig,
    /// Lengths of ACKs and SYNs.
    pub ack_size: AckSize,
    /// How a connection opens.
    pub handshake: Handshake,
    /// When the receiver acknowledges.
    pub receiver: ReceiverConfig,
    /// Whether closing sends a FIN.
    pub fin: bool,
    /// What happens to the window after an idle time.
    pub idle_restart: IdleRestart,
    /// Initial sequence number of both sides: fixed, so that runs repeat.
    pub iss: u32,
}

/// No timer is coarser.
const COARSEST_HEARTBEAT: SimDuration = SimDuration::from_secs(10);

fn problem(key: &str, what: String, remedy: &str) -> Result<(), ConfigProblem> {
    ConfigProblem::refuse(key, what, remedy)
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
            return problem("dup_threshold", "every ACK would be a loss".into(), "choose 3 (RFC 5681)");
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

    /// The window scale option's shift (RFC 7323 §2.3): the least with which the window fits its 16 bits;
    /// 0 if no option is needed.
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
