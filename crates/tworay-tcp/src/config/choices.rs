//! The named choices inside a [`TcpConfig`](super::TcpConfig).

use super::problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{Bytes, ConfigProblem, SimDuration};

/// A window: a number of segments or a size in bytes.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum WindowSize {
    /// Segments of the MSS.
    Segments(u32),
    /// Bytes.
    Bytes(Bytes),
}

/// The initial window: a number of segments or a rule.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum InitialWindow {
    /// Segments.
    Segments(u32),
    /// A rule by name.
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
    /// Before the first sample. Default 1 s (RFC 6298 §2.1).
    pub initial: SimDuration,
    /// Factor on what is computed from the samples, before the bounds; 1 to 64. Default 1; ACKs held
    /// back for several segments may want more (de Oliveira and Braun 2005: 5).
    pub multiplier: u32,
    /// Lower bound. Default 200 ms, which Linux, ns-2 and the papers use; RFC 6298 §2.4 says 1 s.
    pub min: SimDuration,
    /// Upper bound, backed off. Default 60 s (RFC 6298 §2.5).
    pub max: SimDuration,
    /// Largest factor of the exponential back-off, a power of two; `max` bounds it anyway.
    pub backoff_cap: u32,
    /// Forget SRTT when the back-off exceeds this factor (RFC 6298 §5, last note: MAY); 0 for never.
    pub forget_above: u32,
    /// How SRTT and RTTVAR are kept.
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
                "the first timeout would come at once".into(),
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
                format!("{} is no power of two", self.backoff_cap),
                "choose 64, for example",
            );
        }
        Ok(())
    }
}

/// How the round-trip estimators are kept.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RttArithmetic {
    /// Nanoseconds, RTO = SRTT + max(G, 4 RTTVAR) (RFC 6298 §2).
    Exact,
    /// Integer ticks, SRTT scaled by 8 and RTTVAR by 4, RTO = SRTT + 4 RTTVAR and never below two
    /// ticks (Jacobson's code; ns-2).
    ScaledTicks,
    /// The same, but where round trips get shorter by more than RTTVAR, that counts an eighth (ns-2's
    /// TCP-Linux).
    LinuxTicks,
}

impl RttArithmetic {
    /// Whether the estimators are whole ticks.
    pub(crate) fn counts_ticks(self) -> bool {
        self != RttArithmetic::Exact
    }
}

/// Which segments are timed.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Timing {
    /// One at a time, so about one sample per round trip: what RFC 6298's gains were chosen for.
    OnePerWindow,
    /// Every one that is acknowledged without a retransmission in between.
    EverySegment,
}

/// What is halved on a loss.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Halving {
    /// FlightSize, at least 2 segments, and only once per segment on timeouts (RFC 5681 §3.1).
    FlightSize,
    /// The window in use, min(cwnd, advertised), on every timeout too (ns-2).
    Window,
}

/// How exactly it is halved.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HalvingPrecision {
    /// Real numbers.
    Real,
    /// ssthresh truncated to whole segments, cwnd real (ns-2, `precisionReduce_` true).
    IntegerSsthresh,
    /// Both in whole segments, from the whole window (ns-2, `precisionReduce_` false).
    Integer,
}

/// When Reno may fast retransmit again.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RenoForm {
    /// On any three duplicate ACKs (RFC 5681).
    Rfc,
    /// Not while data from before the last reduction is unacknowledged (ns-2's `bugFix_`).
    Bugfix,
}

/// What Vegas remembers of its segments. It shows only after losses.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VegasForm {
    /// Each segment's own transmissions, from the first one to its ACK.
    Clean,
    /// As `Agent/TCP/Vegas` of ns-2.35 does, with its habits ([`TcpQuirks`](crate::TcpQuirks)): counts of
    /// transmissions that survive an ACK, empty slots that count as overdue, a window forgotten after a
    /// timeout, a clock restarted by a repeated SYN; and with a one-way handshake a SYN as long as a full
    /// segment, with which data goes when it is repeated.
    Ns2,
}

/// NewReno's options (RFC 6582).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewRenoConfig {
    /// When recovery may be entered.
    pub entry: NewRenoEntry,
    /// Which partial ACKs restart the retransmission timer.
    pub timer: NewRenoTimer,
    /// Whether a partial ACK deflates the window by what it acknowledges (RFC 6582 §3.2 step 3); if
    /// not, it removes all inflation.
    pub partial_window_deflation: bool,
    /// The window after recovery.
    pub exit: NewRenoExit,
    /// Segments sent at most per ACK in recovery, 0 for no bound (ns-2: 2).
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

/// When NewReno enters recovery.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NewRenoEntry {
    /// Only if more than `recover` is acknowledged (RFC 6582 §3.2 step 2).
    Careful,
    /// Also if exactly `recover` is acknowledged (RFC 2582).
    LessCareful,
}

/// NewReno's timer in recovery (RFC 6582 §3.2 step 3, last paragraph).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NewRenoTimer {
    /// Only the first partial ACK restarts it.
    Impatient,
    /// Every partial ACK restarts it.
    SlowButSteady,
}

/// The window when NewReno's recovery ends (RFC 6582 §3.2 step 3).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NewRenoExit {
    /// min(ssthresh, max(FlightSize, 1) + 1): no burst.
    Flight,
    /// ssthresh.
    Ssthresh,
    /// Whatever the deflation left (ns-2).
    Keep,
}

/// Selective acknowledgments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SackConfig {
    /// The sender's algorithm.
    pub form: SackForm,
    /// Blocks per ACK, 1..=4 (RFC 2018 §3: 3 with timestamps, else 4; ns-2: 3).
    pub max_blocks: u32,
    /// Whether the receiver reports duplicates (D-SACK, RFC 2883).
    pub dsack: bool,
    /// What a timeout does to the scoreboard.
    pub after_rto: AfterRto,
    /// What a partial ACK makes the `ns2-pipe` form send.
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

/// How ns-2's SACK sender answers an ACK that moves on but does not end the recovery.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartialAck {
    /// Two segments have left the pipe; it decides what is sent (ns-2's default).
    Pipe,
    /// Two segments are sent whatever the pipe says, and only the first partial ACK restarts the timer
    /// (ns-2's `partial_ack_ 1`, after Gurtov and Ludwig 2003).
    TwoSegments,
}

/// The SACK sender's algorithm.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SackForm {
    /// Scoreboard, pipe and NextSeg of RFC 6675.
    Rfc6675,
    /// ns-2's Sack1: a counted pipe, holes below any SACKed data are lost.
    Ns2Pipe,
    /// ns-2's TCP-Linux (`Agent/TCP/Linux`): it runs congestion control modules of Linux 2.6.22 on a sender of
    /// its own. Timeouts and round trips are as in that sender with `rto.arithmetic = "linux-ticks"`,
    /// `tick = "1ms"` and timestamps.
    ///
    /// *Losses*: a segment is lost once `dup_threshold` others above the next one are SACKed (FACK); a
    /// retransmission, once something is SACKed that was sent after it. A timeout loses all that isn't
    /// SACKed. In flight is what is neither SACKed nor lost.
    ///
    /// *Walk down*: at a loss ssthresh is half the window and the window half of that (or what the
    /// reduction says, such as `westwood+(2)`), but for each two segments that leave the network one goes
    /// in, until no more is in flight than the window holds. Until then the walk is shown as the window. At
    /// the end the window is ssthresh at least, but at most three segments more than what is in flight.
    ///
    /// *Growth*: by whole segments, for bytes acknowledged (RFC 3465, L = 1) and only if the window was
    /// full; slow start up to ssthresh and with it; nothing while a loss is repaired, but what was
    /// acknowledged then counts afterwards. At most the advertised window.
    ///
    /// *Habits*: duplicate ACKs restart the timer, and with timestamps they are round-trip samples.
    /// With `handshake = "one-way"` data goes with the first SYN. `limited_transmit`, `halving`, `after_rto` and
    /// `growth_on_exit` have no say.
    TcpLinux,
}

/// The scoreboard after a timeout.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AfterRto {
    /// SACKed data is not sent again (RFC 6675 §5.1).
    Keep,
    /// Forgotten: go back N (RFC 2018 §8; ns-2).
    Clear,
}

/// Lengths of ACKs and SYNs.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckSize {
    /// As encoded, options padded to four bytes.
    Encoded,
    /// 40 bytes, 8 more per SACK block; timestamps take 10, with data only (ns-2's one-way TCP).
    Ns2,
}

/// How a connection opens.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Handshake {
    /// SYN, SYN-ACK, ACK (RFC 9293 §3.5).
    ThreeWay,
    /// A SYN answered by a bare ACK (ns-2's one-way TCP).
    OneWay,
    /// None: both ends are open from the start.
    None,
}

/// When the receiver acknowledges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReceiverConfig {
    /// Which in-order segments are acknowledged at once.
    pub acks: AckPolicy,
    /// Longest delay of an ACK, up to 500 ms (RFC 1122 §4.2.3.2). Default 100 ms (ns-2).
    pub interval: SimDuration,
    /// With delayed ACKs, every so many segments are acknowledged at once (RFC 5681 §4.2: 2).
    pub every: u32,
    /// Granularity of the ACK timer alone: it expires only at multiples of this, at a random phase per
    /// endpoint; "0s" for an exact timer (Papanastasiou 2006, table 5.1: 0, 10, 50, 200, 500 ms). Default:
    /// `tcp.heartbeat`.
    pub heartbeat: Option<SimDuration>,
    /// The parameters of `acks = "daa"`.
    pub daa: DaaConfig,
}

/// Dynamic Adaptive ACK (de Oliveira and Braun 2005).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DaaConfig {
    /// Weight of the old value in the smoothed gap between segments, 0 to 1. Default 0.75.
    pub alpha: f64,
    /// Tolerance of the timer (2 + kappa) x gap, above 0. Default 0.2.
    pub kappa: f64,
    /// Growth of the segments per ACK during start-up, 0 to 1. Default 0.3.
    pub mu: f64,
    /// Segments per ACK at most. Default 4.
    pub max: u32,
    /// What the count of segments begins with for each ACK, 0 or 1. Default 0: an ACK for `max` segments. With
    /// 1, as Papanastasiou (2006, p. 123) describes `ack_count`, it is one segment less.
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
        Ok(())
    }
}

/// Which in-order segments are acknowledged at once. Segments out of order always are (RFC 5681 §4.2).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AckPolicy {
    /// Every one.
    EverySegment,
    /// Every second one, or after the interval.
    Delayed,
    /// Up to every fourth, by the rhythm of arrivals (Dynamic Adaptive ACK).
    Daa,
}

/// The window after an idle time longer than the RTO.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IdleRestart {
    /// Untouched.
    Off,
    /// At most the initial window (RFC 5681 §4.1).
    InitialWindow,
    /// One segment (ns-2's `slow_start_restart_`).
    OneSegment,
}
