//! The sending half: window, retransmission and its timer.

mod ack;
mod effects;
mod output;
mod rto;
mod rtt;
mod scoreboard;

pub(crate) use ack::{Ack, Dup};
pub(crate) use output::ip_bytes;
pub(crate) use rtt::RttEstimator;
pub(crate) use scoreboard::{NextSeg, Outstanding, Scoreboard};

use crate::config::TcpConfig;
use crate::control::{Controls, SenderView};
use crate::endpoint::{Counters, Phase, Ports, Snapshot, TcpAction, TcpNote, TcpTimer};
use crate::receive::Receiver;
use crate::variant::{RecoveryKind, Variant};
use std::collections::VecDeque;
use tworay_base::{Seq32, SimDuration, SimTime};

/// More data than any run can send.
pub(crate) const ENDLESS: u64 = 1 << 62;

/// What a call works with besides the sender itself.
pub(crate) struct Cx<'a> {
    pub now: SimTime,
    pub cfg: &'a TcpConfig,
    pub out: &'a mut Vec<TcpAction>,
    pub counters: &'a mut Counters,
    pub rx: &'a Receiver,
    pub ports: Ports,
    /// Set when a segment with the current acknowledgment left.
    pub acknowledged: bool,
}

impl Cx<'_> {
    pub fn note(&mut self, note: TcpNote) {
        self.out.push(TcpAction::Note(note));
    }
}

/// The last reduction of the window, and whether its recovery is over.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum LastCut {
    None,
    /// By duplicate ACKs; recovery goes on.
    DupAcks,
    /// By duplicate ACKs; recovery is over.
    Recovered,
    Timeout,
}

/// A segment in flight, for timing every segment and for Karn's rule.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) end: u64,
    /// The last time it was sent.
    pub(crate) at: SimTime,
    /// How often.
    pub(crate) times: u32,
}

/// The sending half of a connection.
#[derive(Debug)]
pub(crate) struct Sender {
    pub(crate) kind: RecoveryKind,
    pub(crate) controls: Controls,
    pub(crate) mss: u64,
    pub(crate) iss: Seq32,
    /// Oldest offset not acknowledged.
    pub(crate) una: u64,
    /// Next offset to send; goes back after a timeout.
    pub(crate) nxt: u64,
    /// The offset after the highest ever sent.
    pub(crate) max: u64,
    /// The offset after the last byte written.
    pub(crate) data_end: u64,
    /// The FIN follows the data.
    pub(crate) fin_wanted: bool,
    /// The peer's window, bytes.
    pub(crate) peer_window: u64,
    pub(crate) cwnd: f64,
    pub(crate) ssthresh: f64,
    pub(crate) initial_window: f64,
    /// Window inflation by duplicate ACKs, segments.
    pub(crate) inflation: f64,
    pub(crate) dup_acks: u32,
    /// `max` at the last reduction.
    pub(crate) recover: u64,
    pub(crate) last_cut: LastCut,
    /// A partial ACK came in this recovery.
    pub(crate) had_partial: bool,
    /// Bytes sent by limited transmit in this run of duplicate ACKs.
    pub(crate) limited_bytes: u64,
    pub(crate) rtt: RttEstimator,
    /// End and send time of the one segment being timed.
    pub(crate) timed: Option<(u64, SimTime)>,
    pub(crate) sent: VecDeque<Sent>,
    pub(crate) timer_armed: bool,
    pub(crate) persist: Option<u32>,
    pub(crate) phase_of_clock: SimDuration,
    /// `una` at the last timeout and how often it timed out in a row.
    pub(crate) timeouts_of: Option<(u64, u32)>,
    pub(crate) last_send: SimTime,
    pub(crate) last_activity: SimTime,
    pub(crate) scoreboard: Scoreboard,
    /// SACK recovery is on.
    pub(crate) sack_recovery: bool,
    /// ns-2's pipe, segments.
    pub(crate) pipe: i64,
    /// ns-2's `partial_ack_`: where the next answer to a partial ACK begins.
    pub(crate) repair_from: u64,
    /// ns-2's Sack1 ignores duplicate ACKs between a timeout and the next new ACK.
    pub(crate) deaf_to_dups: bool,
    /// Since when the variant has stopped it.
    pub(crate) frozen: Option<SimTime>,
    /// The variant's length of the retransmission timer, until new data is acknowledged.
    pub(crate) wait: Option<SimDuration>,
    /// The variant asks marked probes.
    pub(crate) wants_probes: bool,
    /// The peer answers them.
    pub(crate) peer_probes: bool,
    pub(crate) hops: u8,
    /// The hops are those of this end's own source route, which routing tells.
    pub(crate) source_routed: bool,
    pub(crate) vegas: crate::recovery::Vegas,
    pub(crate) linux: crate::recovery::TcpLinux,
}

impl Sender {
    pub fn new(variant: &Variant, cfg: &TcpConfig, clock_phase: SimDuration) -> Self {
        let mut sender = Self {
            kind: variant.recovery(),
            controls: variant.controls(cfg),
            mss: cfg.mss.0,
            iss: Seq32(cfg.iss),
            una: 0,
            nxt: 0,
            max: 0,
            data_end: 1,
            fin_wanted: false,
            peer_window: cfg.window_bytes(),
            cwnd: 1.0,
            ssthresh: cfg.initial_ssthresh.unwrap_or_else(|| cfg.window_segments()).max(2.0),
            initial_window: cfg.initial_window_segments(),
            inflation: 0.0,
            dup_acks: 0,
            recover: 0,
            last_cut: LastCut::None,
            had_partial: false,
            limited_bytes: 0,
            rtt: RttEstimator::new(cfg, clock_phase),
            timed: None,
            sent: VecDeque::new(),
            timer_armed: false,
            persist: None,
            phase_of_clock: clock_phase,
            timeouts_of: None,
            last_send: SimTime::ZERO,
            last_activity: SimTime::ZERO,
            scoreboard: Scoreboard::default(),
            sack_recovery: false,
            pipe: 0,
            repair_from: 0,
            deaf_to_dups: false,
            frozen: None,
            wait: None,
            wants_probes: variant.wants_probes(),
            peer_probes: false,
            hops: 0,
            source_routed: false,
            vegas: crate::recovery::Vegas::new(variant, cfg),
            linux: crate::recovery::TcpLinux::new(variant.recovery(), cfg),
        };
        if sender.linux.rushes() {
            sender.open_window();
        }
        sender
    }

    /// Opens without a SYN: offset 0 is taken as sent and acknowledged.
    pub fn skip_syn(&mut self) {
        (self.una, self.nxt, self.max) = (1, 1, 1);
        self.open_window();
    }

    pub(crate) fn open_window(&mut self) {
        self.cwnd = self.bounded(self.initial_window);
    }

    /// Data goes with the first SYN.
    pub fn rushes(&self) -> bool {
        self.linux.rushes()
    }

    /// Adds data to send.
    pub fn write(&mut self, bytes: u64) {
        self.data_end = self.data_end.saturating_add(bytes).min(ENDLESS);
    }

    /// The FIN follows what is written.
    pub fn want_fin(&mut self) {
        self.fin_wanted = true;
    }

    /// The offset after everything that is to be sent.
    pub(crate) fn end(&self) -> u64 {
        self.data_end + u64::from(self.fin_wanted)
    }

    /// Everything written (and the FIN, if wanted) is acknowledged.
    pub fn all_acked(&self) -> bool {
        self.una >= self.end()
    }

    #[inline]
    pub fn una(&self) -> u64 {
        self.una
    }
    #[inline]
    pub fn max_sent(&self) -> u64 {
        self.max
    }

    /// The wire's number of an offset.
    #[inline]
    pub fn seq(&self, offset: u64) -> Seq32 {
        self.iss.plus(offset as u32)
    }

    /// The offset of a number near `una`; `None` if it lies before the SYN.
    #[inline]
    pub fn offset(&self, seq: Seq32) -> Option<u64> {
        self.una.checked_add_signed(i64::from(seq.diff(self.seq(self.una))))
    }

    /// The receiver's bound, bytes.
    #[inline]
    pub(crate) fn rwnd(&self, cfg: &TcpConfig) -> u64 {
        cfg.window_bytes().min(self.peer_window)
    }

    /// The window in use, whole segments (ns-2's `window()`).
    pub(crate) fn window_whole(&self, cfg: &TcpConfig) -> f64 {
        (self.cwnd.floor() + self.inflation.floor()).min((self.rwnd(cfg) as f64 / self.mss as f64).floor())
    }

    /// The window in use, real (ns-2's `windowd()`).
    pub(crate) fn window_real(&self, cfg: &TcpConfig) -> f64 {
        (self.cwnd + self.inflation).min(self.rwnd(cfg) as f64 / self.mss as f64)
    }

    /// Bytes sent and not acknowledged; after going back to a loss, what was sent again since.
    pub(crate) fn flight(&self) -> u64 {
        self.nxt - self.una
    }

    /// The variant has stopped it.
    #[inline]
    pub(crate) fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    /// The peer answers marked probes.
    pub fn agree_on_probes(&mut self, agreed: bool) {
        self.peer_probes = agreed;
    }

    pub(crate) fn after_timeout(&self) -> bool {
        if self.linux.is_on() {
            return self.linux.after_timeout();
        }
        self.last_cut == LastCut::Timeout && self.una < self.recover
    }

    pub(crate) fn in_recovery(&self) -> bool {
        match self.kind {
            RecoveryKind::Sack => self.sack_recovery,
            RecoveryKind::Tahoe => false,
            _ => self.last_cut == LastCut::DupAcks && self.una < self.recover,
        }
    }

    pub(crate) fn outstanding(&self, cfg: &TcpConfig) -> Outstanding {
        Outstanding { una: self.una, max: self.max, mss: self.mss, dup_threshold: cfg.dup_threshold }
    }

    /// Applies the variant's bounds on the window.
    pub(crate) fn bounded(&self, cwnd: f64) -> f64 {
        let cwnd = self.controls.floor().map_or(cwnd, |floor| cwnd.max(floor));
        match self.controls.limit() {
            Some(limit) => cwnd.min(limit.max(1.0)),
            None => cwnd,
        }
    }

    pub(crate) fn view(&self, cx: &Cx) -> SenderView {
        SenderView {
            now: cx.now,
            cwnd: self.cwnd,
            ssthresh: self.ssthresh,
            advertised: self.rwnd(cx.cfg) as f64 / self.mss as f64,
            mss: self.mss as u32,
            una: self.seq(self.una),
            nxt: self.seq(self.nxt),
            max: self.seq(self.max),
            flight: (self.max - self.una) as f64 / self.mss as f64,
            dup_acks: self.dup_acks,
            in_recovery: self.in_recovery(),
            after_timeout: self.after_timeout(),
            srtt: self.rtt.srtt(),
            rttvar: self.rtt.rttvar(),
            rto: self.rtt.rto(),
            base_rto: self.rtt.rto_without_backoff(),
            peer_probes: self.peer_probes,
            hops: self.hops,
        }
    }

    /// The state at this moment.
    pub fn snapshot(&self) -> Snapshot {
        let flight = self.max - self.una;
        let phase = if self.una == 0 {
            Phase::Handshake
        } else if self.is_frozen() {
            Phase::Frozen
        } else if self.in_recovery() {
            Phase::Recovery
        } else if self.after_timeout() {
            Phase::RtoRecovery
        } else if self.cwnd < self.ssthresh {
            Phase::SlowStart
        } else {
            Phase::CongestionAvoidance
        };
        Snapshot {
            cwnd: if self.linux.is_on() { self.linux.shown() } else { self.cwnd },
            ssthresh: self.ssthresh,
            srtt: self.rtt.srtt(),
            rttvar: self.rtt.rttvar(),
            rto: self.rtt.rto(),
            flight_bytes: flight,
            flight_segments: flight.div_ceil(self.mss),
            una: self.seq(self.una),
            nxt: self.seq(self.nxt),
            phase,
        }
    }

    /// (Re)starts the retransmission timer.
    pub(crate) fn arm_timer(&mut self, cx: &mut Cx) {
        if !self.is_frozen() {
            self.timer_armed = true;
            let wait = self.wait.map_or(self.rtt.rto(), |w| w.min(cx.cfg.rto.max));
            let at = heartbeat(cx.now + wait, cx.cfg.heartbeat, self.phase_of_clock);
            cx.out.push(TcpAction::Arm(TcpTimer::Retransmit, at));
        }
    }

    pub(crate) fn disarm_timer(&mut self, cx: &mut Cx) {
        if self.timer_armed {
            self.timer_armed = false;
            cx.out.push(TcpAction::Disarm(TcpTimer::Retransmit));
        }
    }
}

/// The first multiple of `period` (counted from `phase`) at or after `at`; `at` itself if there is none.
pub(crate) fn heartbeat(at: SimTime, period: SimDuration, phase: SimDuration) -> SimTime {
    if period.is_zero() {
        return at;
    }
    let phase = phase.as_nanos() % period.as_nanos();
    let since = at.as_nanos().saturating_sub(phase);
    SimTime::from_nanos(
        since.div_ceil(period.as_nanos()).saturating_mul(period.as_nanos()).saturating_add(phase),
    )
}

#[cfg(test)]
mod tests;
