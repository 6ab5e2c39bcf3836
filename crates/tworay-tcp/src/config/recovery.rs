//! Choices of single recoveries: Reno, NewReno, SACK, Vegas.

use super::Handshake;
use crate::quirks::TcpQuirks;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{Dialect, FollowsDialect};

/// When Reno may start another fast retransmit.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RenoForm {
    /// On any three duplicate ACKs (RFC 5681).
    Rfc,
    /// Only after all data sent before the last reduction is acknowledged (ns-2's `bugFix_`).
    Bugfix,
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

impl FollowsDialect for NewRenoConfig {
    fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Standard => Self::default(),
            Dialect::Ns2 => Self { exit: NewRenoExit::Keep, recovery_burst: 2, ..Self::default() },
        }
    }
}

impl NewRenoConfig {
    /// Quirks of NewReno.
    pub(super) fn quirks(&self) -> TcpQuirks {
        TcpQuirks { exit_seen_by_inflation: self.exit == NewRenoExit::Keep, ..TcpQuirks::STANDARD }
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
    /// Treatment of the scoreboard on a timeout.
    pub after_rto: AfterRto,
    /// Segments that the `ns2-pipe` form sends on a partial ACK.
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

impl FollowsDialect for SackConfig {
    fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Standard => Self::default(),
            Dialect::Ns2 => Self { form: SackForm::Ns2Pipe, after_rto: AfterRto::Clear, ..Self::default() },
        }
    }
}

impl SackConfig {
    /// Quirks of SACK.
    pub(super) fn quirks(&self, handshake: Handshake) -> TcpQuirks {
        let linux = self.form == SackForm::TcpLinux;
        TcpQuirks { data_with_first_syn: linux && handshake == Handshake::OneWay, ..TcpQuirks::STANDARD }
    }
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

/// Treatment of the scoreboard on a timeout.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AfterRto {
    /// It is kept: SACKed data is not retransmitted (RFC 6675 §5.1).
    Keep,
    /// It is cleared: go-back-N (RFC 2018 §8; ns-2).
    Clear,
}

/// Reaction of ns-2's SACK sender to an ACK that advances during recovery without ending it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartialAck {
    /// Subtract two segments from the pipe and send what the pipe allows (ns-2's default).
    Pipe,
    /// Send two segments regardless of the pipe; only the first partial ACK restarts the timer (ns-2's
    /// `partial_ack_ 1`, after Gurtov and Ludwig 2003).
    TwoSegments,
}

/// Vegas' record of its transmissions. The choice matters only after losses.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VegasForm {
    /// Records every transmission of a segment until it is acknowledged.
    Clean,
    /// As `Agent/TCP/Vegas` of ns-2.35, with its quirks (`TcpQuirks`): transmission
    /// counts that survive an ACK, empty slots that count as overdue, a window of 0 after a timeout, and a
    /// clock that a repeated SYN restarts. With a one-way handshake the SYN is as long as a full segment,
    /// and a repeated SYN is followed by data.
    Ns2,
}

impl VegasForm {
    /// Quirks of Vegas.
    pub(super) fn quirks(self, handshake: Handshake) -> TcpQuirks {
        let one_way = handshake == Handshake::OneWay;
        match self {
            VegasForm::Clean => TcpQuirks::STANDARD,
            VegasForm::Ns2 => TcpQuirks {
                surviving_counts: true,
                overdue_nothing: true,
                forgotten_window: true,
                zero_window_waits: true,
                restarted_clock: true,
                long_syn: one_way,
                data_with_repeated_syn: one_way,
                lost_syn_keeps_window: one_way,
                ..TcpQuirks::STANDARD
            },
        }
    }
}
