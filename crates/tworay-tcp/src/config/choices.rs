//! Enumerations and nested tables of [`TcpConfig`](super::TcpConfig).

use super::problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{Bytes, ConfigProblem, SimDuration};

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
    /// How SRTT and RTTVAR are computed.
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

impl RtoConfig {
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

/// How the round-trip estimators are computed.
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
    /// Nanoseconds, as in Linux 6: a round trip shorter than SRTT has an eighth of the weight, RTTVAR rises at once
    /// and falls once per round trip, and RTO = SRTT + max(`min`, 4 RTTVAR).
    Linux,
}

impl RttArithmetic {
    /// Whether the estimators count whole ticks.
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

/// When Reno may start another fast retransmit.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RenoForm {
    /// On any three duplicate ACKs (RFC 5681).
    Rfc,
    /// Only after all data sent before the last reduction is acknowledged (ns-2's `bugFix_`).
    Bugfix,
}

/// How Vegas records its transmissions. The choice matters only after losses.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VegasForm {
    /// Records every transmission of a segment until it is acknowledged.
    Clean,
    /// As `Agent/TCP/Vegas` of ns-2.35, with its quirks ([`TcpQuirks`](crate::TcpQuirks)): transmission
    /// counts that survive an ACK, empty slots that count as overdue, a window of 0 after a timeout, and a
    /// clock that a repeated SYN restarts. With a one-way handshake the SYN is as long as a full segment,
    /// and a repeated SYN is followed by data.
    Ns2,
}

/// NewReno's options (RFC 6582).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewRenoConfig {
    /// When fast recovery may start.
    pub entry: NewRenoEntry,
    /// Which partial ACKs restart the retransmission timer.
    pub timer: NewRenoTimer,
    /// On a partial ACK, reduce the inflated window by the amount acknowledged (RFC 6582 §3.2 step 3);
    /// otherwise remove the whole inflation.
    pub partial_window_deflation: bool,
    /// Window when recovery ends.
    pub exit: NewRenoExit,
    /// Most segments sent per ACK during recovery, 0 for no limit (ns-2: 2).
    pub recovery_burst: u32,
}

impl Default for NewRenoConfig {
    fn default() -> Self {
        Self {
            entry: NewRenoEntry::Careful,
            timer: NewRenoTimer::Impatient,
            partial_window_deflation: true,
            exit: NewRenoExit::Flight,
            recovery_burst: 0,
        }
    }
}

/// When NewReno may start fast recovery.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NewRenoEntry {
    /// Only when the ACK covers more than `recover` (RFC 6582 §3.2 step 2).
    Careful,
    /// Also when the ACK covers exactly `recover` (RFC 2582).
    LessCareful,
}

/// Which partial ACKs restart NewReno's retransmission timer (RFC 6582 §3.2 step 3, last paragraph).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NewRenoTimer {
    /// Only the first one in a recovery.
    Impatient,
    /// Every one.
    SlowButSteady,
}

/// Window at the end of NewReno's recovery (RFC 6582 §3.2 step 3).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NewRenoExit {
    /// min(ssthresh, max(FlightSize, 1) + 1), which avoids a burst.
    Flight,
    /// ssthresh.
    Ssthresh,
    /// The window that is left after deflation (ns-2).
    Keep,
}

/// Selective acknowledgments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SackConfig {
    /// Algorithm of the sender.
    pub form: SackForm,
    /// SACK blocks per ACK, 1 to 4 (RFC 2018 §3: 3 with timestamps, otherwise 4; ns-2: 3).
    pub max_blocks: u32,
    /// Report duplicate segments (D-SACK, RFC 2883).
    pub dsack: bool,
    /// What happens to the scoreboard on a timeout.
    pub after_rto: AfterRto,
    /// What the `ns2-pipe` form sends on a partial ACK.
    pub partial_ack: PartialAck,
}

impl Default for SackConfig {
    fn default() -> Self {
        Self {
            form: SackForm::Rfc6675,
            max_blocks: 3,
            dsack: false,
            after_rto: AfterRto::Keep,
            partial_ack: PartialAck::Pipe,
        }
    }
}

/// What ns-2's SACK sender does on an ACK that advances during recovery without ending it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartialAck {
    /// Subtract two segments from the pipe and send what the pipe allows (ns-2's default).
    Pipe,
    /// Send two segments regardless of the pipe; only the first partial ACK restarts the timer (ns-2's
    /// `partial_ack_ 1`, after Gurtov and Ludwig 2003).
    TwoSegments,
}

/// Algorithm of the SACK sender.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SackForm {
    /// Scoreboard, pipe and NextSeg as in RFC 6675.
    Rfc6675,
    /// As ns-2's `Agent/TCP/Sack1`: a counted pipe; any hole below SACKed data is lost.
    Ns2Pipe,
    /// As ns-2's TCP-Linux (`Agent/TCP/Linux`), which runs the congestion control modules of Linux 2.6.22
    /// on its own sender. To match its timeouts and round trips as well, set `rto.arithmetic =
    /// "linux-ticks"`, `tick = "1ms"` and timestamps.
    ///
    /// *Losses*: a segment is lost once `dup_threshold` segments above the next one are SACKed (FACK); a
    /// retransmission is lost once data sent after it is SACKed. A timeout marks everything that is not
    /// SACKed as lost. Segments that are neither SACKed nor lost are in flight.
    ///
    /// *Rate halving*: on a loss ssthresh becomes half the window (or what the reduction returns, such as
    /// `westwood+(2)`) and cwnd half of that. The sender may then send one segment for every two that leave
    /// the network, until no more are in flight than cwnd allows. Until then this limit is reported as the
    /// window. At the end cwnd is at least ssthresh, but exceeds the segments in flight by at most three.
    ///
    /// *Growth*: by whole segments, for bytes acknowledged (RFC 3465, L = 1), and only if the window was
    /// full. Slow start applies up to and including ssthresh. The window does not grow while a loss is
    /// repaired; bytes acknowledged meanwhile are credited afterwards. The limit is the advertised window.
    ///
    /// *Other differences*: duplicate ACKs restart the timer and, with timestamps, give round-trip samples.
    /// With `handshake = "one-way"` the first SYN is followed by data. `limited_transmit`, `halving`,
    /// `after_rto` and `growth_on_exit` have no effect.
    TcpLinux,
}

/// What happens to the scoreboard on a timeout.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AfterRto {
    /// It is kept: SACKed data is not retransmitted (RFC 6675 §5.1).
    Keep,
    /// It is cleared: go-back-N (RFC 2018 §8; ns-2).
    Clear,
}

/// Sizes of ACKs and SYNs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckSize {
    /// As encoded, with options padded to four bytes.
    Encoded,
    /// 40 bytes plus 8 per SACK block; timestamps add 10 bytes, and only to data (ns-2's one-way TCP).
    Ns2,
}

/// How a connection opens.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Handshake {
    /// Three-way: SYN, SYN-ACK, ACK (RFC 9293 §3.5).
    ThreeWay,
    /// A SYN answered by a bare ACK (ns-2's one-way TCP).
    OneWay,
    /// No handshake: both ends are open from the start.
    None,
}

/// When the receiver acknowledges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReceiverConfig {
    /// Which in-order segments are acknowledged immediately.
    pub acks: AckPolicy,
    /// Longest delay of an ACK, up to 500ms (RFC 1122 §4.2.3.2). Default 100ms (ns-2).
    pub interval: SimDuration,
    /// With delayed ACKs, acknowledge immediately after this many segments. Default 2 (RFC 5681 §4.2).
    pub every: u32,
    /// Granularity of the ACK timer: it fires only at multiples of this period, at a random phase per
    /// endpoint; "0s" for an exact timer (Papanastasiou 2006, table 5.1: 0, 10, 50, 200, 500 ms). Default:
    /// `tcp.heartbeat`.
    pub heartbeat: Option<SimDuration>,
    /// Parameters of `acks = "daa"`.
    pub daa: DaaConfig,
    /// The parameters of `acks = "tack"`.
    pub tack: TackConfig,
}

/// Acknowledgments per round trip instead of per segment (after TACK, Li et al. 2020).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TackConfig {
    /// Maximum number of ACKs per shortest round trip, and minimum per current round trip as far as `most` allows.
    /// 2 to 64. Default 2, the fewest that keep a sender going; Li et al. use 4 for fast networks.
    pub beta: u32,
    /// Maximum number of segments per ACK; the ACK still waits for the shortest round trip / beta. 1 to 64.
    /// Default 8.
    pub most: u32,
}

impl Default for TackConfig {
    fn default() -> Self {
        Self { beta: 2, most: 8 }
    }
}

/// Dynamic Adaptive ACK (de Oliveira and Braun 2005).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DaaConfig {
    /// Weight of the old value in the smoothed gap between segments, 0 to 1. Default 0.75.
    pub alpha: f64,
    /// Tolerance in the timer (2 + kappa) x gap, above 0. Default 0.2.
    pub kappa: f64,
    /// Growth of the number of segments per ACK during start-up, 0 to 1. Default 0.3.
    pub mu: f64,
    /// Most segments per ACK. Default 4.
    pub max: u32,
    /// Initial value of the segment counter after each ACK, 0 or 1. Default 0: one ACK for `max` segments.
    /// With 1, as Papanastasiou (2006, p. 123) describes `ack_count`, it is one segment less.
    pub count_from: u32,
}

impl Default for DaaConfig {
    fn default() -> Self {
        Self { alpha: 0.75, kappa: 0.2, mu: 0.3, max: 4, count_from: 0 }
    }
}

impl Default for ReceiverConfig {
    fn default() -> Self {
        Self {
            acks: AckPolicy::EverySegment,
            interval: SimDuration::from_millis(100),
            every: 2,
            heartbeat: None,
            daa: DaaConfig::default(),
            tack: TackConfig::default(),
        }
    }
}

impl ReceiverConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigProblem> {
        if self.interval.is_zero() || self.interval > SimDuration::from_millis(500) {
            return problem(
                "receiver.interval",
                format!("{} is out of range", self.interval),
                "choose up to 500ms (RFC 1122 §4.2.3.2)",
            );
        }
        if self.every == 0 {
            return problem(
                "receiver.every",
                "no segment would ever be acknowledged at once".into(),
                "choose 2 (RFC 5681 §4.2)",
            );
        }
        if self.heartbeat.is_some_and(|h| h > super::COARSEST_HEARTBEAT) {
            return problem(
                "receiver.heartbeat",
                format!("{} is too coarse", self.heartbeat.unwrap_or_default()),
                "choose at most 10s, such as 200ms",
            );
        }
        let unit = |x: f64| x > 0.0 && x < 1.0;
        let d = &self.daa;
        if !(unit(d.alpha) && unit(d.mu) && d.kappa > 0.0 && d.kappa.is_finite() && d.max >= 1) {
            return problem(
                "receiver.daa",
                "alpha and mu lie between 0 and 1, kappa above 0, max at 1 or more".into(),
                "leave them out for 0.75, 0.3, 0.2 and 4",
            );
        }
        if d.count_from > 1 {
            return problem(
                "receiver.daa.count_from",
                format!("{} is out of range", d.count_from),
                "choose 0, or 1 as the thesis describes it",
            );
        }
        for (key, value, least) in
            [("receiver.tack.beta", self.tack.beta, 2), ("receiver.tack.most", self.tack.most, 1)]
        {
            if !(least..=64).contains(&value) {
                return problem(key, format!("{value} is out of range"), &format!("choose {least} to 64"));
            }
        }
        Ok(())
    }
}

/// Which in-order segments are acknowledged immediately. Out-of-order segments always are (RFC 5681 §4.2).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckPolicy {
    /// Every segment.
    EverySegment,
    /// Every second segment, or after the interval (RFC 1122).
    Delayed,
    /// Up to four segments per ACK, adapted to their arrival rate (Dynamic Adaptive ACK).
    Daa,
    /// A few ACKs per round trip, whatever the number of segments (after TACK). Needs `tcp.timestamps`; without it,
    /// every segment is acknowledged.
    Tack,
}

/// Window after an idle period longer than the RTO.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdleRestart {
    /// Unchanged.
    Off,
    /// At most the initial window (RFC 5681 §4.1).
    InitialWindow,
    /// One segment (ns-2's `slow_start_restart_`).
    OneSegment,
}
