//! What all recoveries share when an ACK arrives.

use super::*;
use crate::config::{Halving, HalvingPrecision, RttArithmetic, Timing};
use crate::control::{
    AckEvent, DupAckDecision, DupAckEvent, Effects, LossEvent, PathEvent, ProbeEvent, ProbeVerdict, RttEvent,
    Window,
};
use crate::costs::Operation;
use crate::endpoint::Ignored;
use smallvec::SmallVec;

/// An acknowledgment, checked and in offsets.
#[derive(Clone, Debug)]
pub(crate) struct Ack {
    /// Everything below is acknowledged; at most `max`.
    pub to: u64,
    /// It can be a duplicate: no payload, SYN, FIN or probe, the window unchanged.
    pub pure: bool,
    /// Valid SACK blocks above `to`.
    pub blocks: SmallVec<[(u64, u64); 4]>,
    /// The echoed timestamp.
    pub echo: Option<u32>,
}

/// What a duplicate ACK means for the recovery.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Dup {
    /// Below the threshold.
    Early,
    /// It shows a loss.
    Loss,
    /// Beyond the threshold.
    More,
    /// The variant has dealt with it.
    Done,
}

impl Sender {
    /// Takes an acknowledgment and sends what it allows.
    pub fn on_ack(&mut self, cx: &mut Cx, ack: &Ack) {
        if ack.to > self.una && self.una > 0 {
            cx.counters.ran(if self.in_recovery() {
                Operation::RecoveryAck
            } else if self.cwnd < self.ssthresh {
                Operation::AckSlowStart
            } else {
                Operation::AckCongestionAvoidance
            });
        }
        match self.kind {
            RecoveryKind::Tahoe => self.tahoe(cx, ack),
            RecoveryKind::Reno => self.reno(cx, ack),
            RecoveryKind::NewReno => self.newreno(cx, ack),
            RecoveryKind::Vegas => self.vegas(cx, ack),
            RecoveryKind::Sack => match cx.cfg.sack.form {
                crate::config::SackForm::Rfc6675 => self.sack(cx, ack),
                crate::config::SackForm::Ns2Pipe => self.sack_ns2(cx, ack),
                crate::config::SackForm::TcpLinux => self.tcp_linux(cx, ack),
            },
        }
    }

    /// The window changed without an ACK of data.
    pub fn set_peer_window(&mut self, bytes: u32) -> bool {
        let changed = self.peer_window != u64::from(bytes);
        self.peer_window = u64::from(bytes);
        changed
    }

    /// Whether this ACK counts as a duplicate (RFC 5681 §2).
    pub(crate) fn is_dup(&self, ack: &Ack) -> bool {
        ack.to == self.una && ack.pure && self.una < self.max && self.una > 0
    }

    /// New data is acknowledged: moves `una`, samples, restarts the timer.
    pub(crate) fn advance(&mut self, cx: &mut Cx, ack: &Ack) {
        let had_syn = self.una == 0;
        self.dup_acks = 0;
        self.limited_bytes = 0;
        self.move_una(cx, ack.to);
        self.sample(cx, ack);
        if had_syn && self.last_cut == LastCut::Timeout && cx.cfg.rto.arithmetic == RttArithmetic::Exact {
            self.rtt.syn_was_lost();
        }
        if self.una < self.max || self.vegas_waits() {
            self.arm_timer(cx);
        } else {
            self.disarm_timer(cx);
        }
        if had_syn {
            self.open_window();
        }
    }

    /// Moves `una` without sampling.
    pub(crate) fn move_una(&mut self, cx: &mut Cx, to: u64) {
        // Neither the SYN nor the FIN is payload.
        cx.counters.acked_bytes = to.clamp(1, self.data_end) - 1;
        cx.counters.acked_segments = cx.counters.acked_bytes / self.mss;
        self.una = to;
        // A variant that is still measuring the path has no better timeout yet.
        if !self.controls.withholds_samples() {
            self.wait = None;
        }
        self.nxt = self.nxt.max(to);
        self.timeouts_of = None;
        self.last_activity = cx.now;
    }

    /// Takes a round-trip sample if this ACK gives one (RFC 6298 §3, RFC 7323 §4).
    fn sample(&mut self, cx: &mut Cx, ack: &Ack) {
        let newest = self.forget_acked();
        let mut sent_at = None;
        if let Some((end, at)) = self.timed
            && self.una >= end
        {
            self.timed = None;
            self.rtt.end_backoff();
            if cx.cfg.timing == Timing::OnePerWindow {
                sent_at = Some(at);
            }
        }
        let withheld = self.controls.withholds_samples();
        if (withheld || cx.cfg.timing == Timing::EverySegment)
            && let Some(at) = newest
        {
            self.rtt.end_backoff();
            sent_at = Some(at);
        }
        if cx.cfg.timestamps && ack.echo.is_some() {
            return self.sample_echo(cx, ack);
        }
        if let Some(at) = sent_at {
            self.take_sample(cx, cx.now.since(at), self.rtt.measure(at, cx.now));
        }
    }

    /// Takes the age of the echoed timestamp as a sample; an echo from the future is garbage.
    pub(crate) fn sample_echo(&mut self, cx: &mut Cx, ack: &Ack) {
        let Some(echo) = ack.echo.filter(|_| cx.cfg.timestamps) else { return };
        self.rtt.end_backoff();
        let clock = cx.cfg.timestamp_clock;
        let age = clock * u64::from(output::timestamp(cx.now, clock).wrapping_sub(echo));
        if age <= cx.now.since_start() {
            self.take_sample(cx, age, self.rtt.measure_age(age, cx.now));
        }
    }

    fn take_sample(&mut self, cx: &mut Cx, exact: SimDuration, ticked: SimDuration) {
        if !self.controls.withholds_samples() {
            self.rtt.sample(ticked);
            cx.counters.ran(Operation::RttSample);
        }
        if !self.controls.is_standard() {
            let mut effects = Effects::new();
            let view = self.view(cx);
            cx.counters.ran(Operation::FilterUpdate);
            self.controls.on_rtt(&view, &RttEvent { exact, ticked }, &mut effects);
            self.apply(cx, effects);
        }
    }

    /// Drops what is acknowledged; gives the send time of the newest, unless any was sent twice.
    pub(crate) fn forget_acked(&mut self) -> Option<SimTime> {
        let (mut newest, mut ambiguous) = (None, false);
        while let Some(first) = self.sent.front().filter(|s| s.end <= self.una) {
            newest = Some(first.at);
            ambiguous |= first.times > 1;
            self.sent.pop_front();
        }
        newest.filter(|_| !ambiguous)
    }

    /// A partial ACK: no sample, but the timed segment may be done with.
    pub(crate) fn advance_partially(&mut self, cx: &mut Cx, to: u64) {
        self.move_una(cx, to);
        self.forget_acked();
        if self.timed.is_some_and(|(end, _)| to >= end) {
            self.timed = None;
            self.rtt.end_backoff();
        }
    }

    /// Grows the window by the rule in force; `may_grow` is false where only the variant's
    /// bookkeeping sees the ACK.
    pub(crate) fn grow(&mut self, cx: &mut Cx, bytes: u64, may_grow: bool) {
        let mut standard = Window { cwnd: self.cwnd, ssthresh: self.ssthresh };
        let may_grow = may_grow && !self.is_frozen();
        if may_grow {
            standard.cwnd += if self.cwnd < self.ssthresh { 1.0 } else { 1.0 / self.cwnd };
        }
        self.decide_growth(cx, bytes, may_grow, standard);
    }

    /// Sets the window to `standard` unless the variant knows better.
    pub(crate) fn decide_growth(&mut self, cx: &mut Cx, bytes: u64, may_grow: bool, standard: Window) {
        if self.controls.is_standard() {
            self.cwnd = standard.cwnd;
            return;
        }
        let event =
            AckEvent { bytes: bytes as u32, segments: bytes as f64 / self.mss as f64, may_grow, standard };
        let mut effects = Effects::new();
        let view = self.view(cx);
        let window = self.controls.on_ack(&view, &event, &mut effects);
        self.set_window(window);
        self.apply(cx, effects);
    }

    pub(crate) fn set_window(&mut self, window: Window) {
        let sane = |x: f64, floor: f64| if x.is_finite() { x.max(floor) } else { floor };
        self.cwnd = self.bounded(sane(window.cwnd, 0.0)).max(f64::MIN_POSITIVE);
        self.ssthresh = sane(window.ssthresh, 2.0);
        self.linux.show(self.cwnd);
    }

    /// Counts a duplicate ACK and asks the variant about it.
    pub(crate) fn count_dup(&mut self, cx: &mut Cx) -> Dup {
        self.dup_acks += 1;
        cx.counters.dup_acks += 1;
        if !self.controls.is_standard() {
            let mut effects = Effects::new();
            let view = self.view(cx);
            let decision =
                self.controls.on_dup_ack(&view, &DupAckEvent { count: self.dup_acks }, &mut effects);
            self.apply(cx, effects);
            match decision {
                DupAckDecision::Recovery => {}
                DupAckDecision::RetransmitNow if self.in_recovery() => {}
                DupAckDecision::RetransmitNow => return Dup::Loss,
                DupAckDecision::RetransmitOnly => {
                    self.retransmit_una(cx);
                    return Dup::Done;
                }
                DupAckDecision::Ignore => return Dup::Done,
            }
        }
        match self.dup_acks.cmp(&cx.cfg.dup_threshold) {
            std::cmp::Ordering::Less => Dup::Early,
            std::cmp::Ordering::Equal => Dup::Loss,
            std::cmp::Ordering::Greater => Dup::More,
        }
    }

    /// The standard reduction: half of what the settings say.
    pub(crate) fn halved(&self, cx: &Cx) -> Window {
        let base = match (cx.cfg.halving, cx.cfg.halving_precision) {
            (Halving::Window, HalvingPrecision::Integer) => self.window_whole(cx.cfg),
            (Halving::Window, _) => self.window_real(cx.cfg),
            // Limited transmit's segments don't count (RFC 5681 §3.2 step 2).
            (Halving::FlightSize, _) => {
                self.flight().saturating_sub(self.limited_bytes) as f64 / self.mss as f64
            }
        };
        let half = base / 2.0;
        let (cwnd, ssthresh) = match cx.cfg.halving_precision {
            HalvingPrecision::Real => (half.max(2.0), half),
            HalvingPrecision::IntegerSsthresh => (half, half.floor()),
            HalvingPrecision::Integer => (half.floor(), half.floor()),
        };
        Window { cwnd, ssthresh: ssthresh.max(2.0) }
    }

    /// Duplicate ACKs showed a loss: reduces the window, `standard` unless the variant knows better.
    /// Whether the recovery may begin: not while the variant has stopped the sender.
    #[must_use]
    pub(crate) fn cut_for_loss(&mut self, cx: &mut Cx, standard: Window) -> bool {
        let seq = self.seq(self.una);
        if self.controls.is_standard() {
            (self.cwnd, self.ssthresh) = (standard.cwnd, standard.ssthresh);
        } else {
            let mut effects = Effects::new();
            let view = self.view(cx);
            let window = self.controls.on_loss(&view, &LossEvent { seq, standard }, &mut effects);
            self.set_window(window);
            self.apply(cx, effects);
            if self.is_frozen() {
                return false;
            }
        }
        cx.counters.window_cuts += 1;
        cx.counters.fast_retransmits += 1;
        cx.note(TcpNote::FastRetransmit { seq });
        true
    }

    /// Fast recovery is over.
    pub(crate) fn leave_recovery(&mut self, cx: &mut Cx) {
        cx.note(TcpNote::RecoveryExit);
        if !self.controls.is_standard() {
            let mut effects = Effects::new();
            let view = self.view(cx);
            self.controls.on_recovery_exit(&view, &mut effects);
            self.apply(cx, effects);
        }
    }

    /// News about the path; what isn't about anything on its way is ignored.
    pub fn on_path_event(&mut self, cx: &mut Cx, event: PathEvent) {
        if event == PathEvent::LinkFailure && (self.una == 0 || self.una >= self.max) {
            return cx.counters.ignore(Ignored::StrayNotice);
        }
        match event {
            PathEvent::Hops(hops) if self.source_routed || self.hops == hops => return,
            PathEvent::SourceRoute(hops) if self.source_routed && self.hops == hops => return,
            PathEvent::Hops(hops) => self.hops = hops,
            PathEvent::SourceRoute(hops) => {
                self.hops = hops;
                self.source_routed = true;
            }
            PathEvent::LinkFailure | PathEvent::RouteFound => {}
        }
        if !self.controls.is_standard() {
            let mut effects = Effects::new();
            let view = self.view(cx);
            self.controls.on_path_event(&view, event, &mut effects);
            self.cwnd = self.bounded(self.cwnd);
            self.apply(cx, effects);
        }
    }

    /// The peer has answered a marked probe.
    pub fn on_probe_answer(&mut self, cx: &mut Cx, event: ProbeEvent) {
        let mut effects = Effects::new();
        let view = self.view(cx);
        if self.controls.on_probe_answer(&view, &event, &mut effects) == ProbeVerdict::Stray {
            cx.counters.ignore(Ignored::StrayProbe);
        }
        self.apply(cx, effects);
        self.send_window(cx, cx.cfg.max_burst);
    }

    /// Whether no variant listens to anything.
    pub fn is_standard(&self) -> bool {
        self.controls.is_standard()
    }
}
