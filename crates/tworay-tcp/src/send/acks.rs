//! ACK processing shared by all recoveries: advancing, round-trip samples, duplicates.

use super::*;
use crate::config::Timing;
use crate::control::{DupAckDecision, DupAckEvent, Effects, ProbeEvent, ProbeVerdict, RttEvent};
use crate::endpoint::Ignored;

/// When the earliest and the newest of several segments, in sequence, were sent.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) struct SentBetween {
    earliest: SimTime,
    newest: SimTime,
}

impl SentBetween {
    /// Adds the next segment, sent at `at`.
    pub fn and(before: Option<Self>, at: SimTime) -> Self {
        Self { earliest: before.map_or(at, |known| known.earliest), newest: at }
    }
}

impl SendState {
    /// True if this ACK counts as a duplicate (RFC 5681 §2).
    #[inline]
    pub fn is_dup(&self, ack: &Ack) -> bool {
        ack.to == self.space.una && ack.pure && self.space.una < self.space.max && self.space.una > 0
    }

    /// Advances `una` without taking a sample.
    pub fn move_una(&mut self, cx: &mut Cx, to: u64) {
        // Neither the SYN nor the FIN is payload.
        cx.counters.acked_bytes = to.clamp(1, self.space.data_end) - 1;
        cx.counters.acked_segments = cx.counters.acked_bytes / self.space.mss;
        self.space.una = to;
        self.space.nxt = self.space.nxt.max(to);
        // While a variant measures a new path, there is no better timeout yet.
        if !self.controls.withholds_samples() {
            self.timer.chosen = None;
        }
        self.timer.expired = None;
        self.last_activity = cx.now;
    }

    /// A partial ACK: gives no sample, but may cover the timed segment.
    pub fn advance_partially(&mut self, cx: &mut Cx, to: u64) {
        self.move_una(cx, to);
        self.forget_acked();
        if self.timed.is_some_and(|(end, _)| to >= end) {
            self.timed = None;
            self.rtt.end_backoff();
        }
    }

    /// Removes acknowledged segments. Returns when they were sent, unless any was retransmitted.
    pub fn forget_acked(&mut self) -> Option<SentBetween> {
        let (mut found, mut ambiguous) = (None, false);
        while let Some(first) = self.sent.front().filter(|s| s.end <= self.space.una) {
            found = Some(SentBetween::and(found, first.at));
            ambiguous |= first.times > 1;
            self.sent.pop_front();
        }
        found.filter(|_| !ambiguous)
    }

    /// True if an ACK echoes a time before `at`: it answers an earlier transmission (RFC 7323).
    pub fn echoes_before(&self, cx: &Cx, ack: &Ack, at: SimTime) -> bool {
        let stamp = timestamp(at, cx.cfg.timestamp_clock);
        cx.cfg.timestamps && ack.echo.is_some_and(|echo| (echo.wrapping_sub(stamp) as i32) < 0)
    }

    /// When the segment that this ACK echoes was sent, by the timestamps' clock.
    pub(super) fn echoed(&self, cx: &Cx) -> Option<SimTime> {
        let echo = self.echo.filter(|_| cx.cfg.timestamps)?;
        let clock = cx.cfg.timestamp_clock;
        let ticks = cx.now.since_start().whole(clock);
        let age = u64::from((ticks as u32).wrapping_sub(echo));
        Some(SimTime::ZERO + clock * ticks.checked_sub(age)?)
    }

    /// True if a segment that begins at `seq` is outstanding.
    fn is_out(&self, seq: Seq32) -> bool {
        self.space.offset(seq).is_some_and(|at| (self.space.una..self.space.max).contains(&at))
    }

    /// True if an arrival over this many hops says nothing new.
    #[inline]
    pub fn knows_path(&self, hops: u8) -> bool {
        self.source_routed || self.hops == hops
    }
}

impl Sender {
    /// New data is acknowledged: advances `una`, takes a sample, restarts the timer.
    pub(super) fn advance_fully(&mut self, cx: &mut Cx, ack: &Ack) {
        let had_syn = self.tx.space.una == 0;
        self.tx.dup_acks = 0;
        self.tx.limited_bytes = 0;
        self.tx.move_una(cx, ack.to);
        self.sample(cx, ack, if had_syn { Timed::Handshake } else { Timed::Data });
        if had_syn && self.tx.cut.by == CutBy::Timeout && !self.tx.quirks.lost_syn_keeps_rto {
            self.tx.rtt.syn_was_lost();
        }
        if self.tx.space.una < self.tx.space.max || self.tx.waits_with_nothing_outstanding() {
            self.tx.arm_timer(cx);
        } else {
            self.tx.disarm_timer(cx);
        }
        if had_syn {
            self.tx.open_window();
        }
    }

    /// Takes a round-trip sample if this ACK gives one (RFC 6298 §3, RFC 7323 §4).
    fn sample(&mut self, cx: &mut Cx, ack: &Ack, timed: Timed) {
        let acked = self.tx.forget_acked();
        let mut sent_at = None;
        if let Some((end, at)) = self.tx.timed
            && self.tx.space.una >= end
        {
            self.tx.timed = None;
            self.tx.rtt.end_backoff();
            if cx.cfg.timing == Timing::OnePerWindow {
                sent_at = Some(SentBetween { earliest: at, newest: at });
            }
        }
        let every = cx.cfg.timing == Timing::EverySegment || self.tx.controls.withholds_samples();
        if let Some(times) = acked.filter(|_| every) {
            self.tx.rtt.end_backoff();
            sent_at = Some(times);
        }
        // Linux prefers its own record to the echo, whose clock is coarse.
        let recorded = self.tx.rtt.is_linux() && sent_at.is_some();
        if cx.cfg.timestamps && ack.echo.is_some() && !recorded {
            return self.sample_echo(cx, timed);
        }
        if let Some(sent) = sent_at {
            self.sample_sent(cx, sent, timed);
        }
    }

    /// Takes the round trip of segments that this ACK reports.
    fn sample_sent(&mut self, cx: &mut Cx, SentBetween { earliest, newest }: SentBetween, timed: Timed) {
        let rtt = &self.tx.rtt;
        let event = RttEvent { exact: cx.now.since(newest), ticked: rtt.measure(newest, cx.now) };
        // Linux' timer counts a delayed ACK's wait, as an echo would (RFC 7323 §4.3); its controllers don't.
        let timer = if rtt.is_linux() { rtt.measure(earliest, cx.now) } else { event.ticked };
        self.take_sample(cx, event, timer, timed);
    }

    /// Takes the round trip of segments that an ACK of nothing new has SACKed. In fast recovery Linux has few other
    /// samples.
    pub(super) fn sample_sacked(&mut self, cx: &mut Cx, sent: SentBetween) {
        self.tx.rtt.end_backoff();
        self.sample_sent(cx, sent, Timed::Data);
    }

    /// Takes the age of the latest echoed timestamp as a sample; ignores an echo from the future.
    pub(super) fn sample_echo(&mut self, cx: &mut Cx, timed: Timed) {
        let Some(echo) = self.tx.echo.filter(|_| cx.cfg.timestamps) else { return };
        self.tx.rtt.end_backoff();
        let clock = cx.cfg.timestamp_clock;
        let age = clock * u64::from(timestamp(cx.now, clock).wrapping_sub(echo));
        if age <= cx.now.since_start() {
            let event = RttEvent { exact: age, ticked: self.tx.rtt.measure_age(age, cx.now) };
            self.take_sample(cx, event, event.ticked, timed);
        }
    }

    /// Gives the variant the sample `event`, and the timer its own.
    #[inline]
    fn take_sample(&mut self, cx: &mut Cx, event: RttEvent, timer: SimDuration, timed: Timed) {
        if !self.tx.controls.withholds_samples() {
            self.tx.rtt.sample(timer);
            if self.tx.rtt.is_linux() {
                self.tx.rtt.on_round(self.tx.space.una, self.tx.space.nxt);
            }
            cx.counters.ran(Operation::RttSample);
        }
        if !self.tx.controls.is_standard() {
            let mut effects = Effects::new();
            let view = self.view(cx);
            cx.counters.ran(Operation::FilterUpdate);
            match timed {
                Timed::Handshake => self.tx.controls.on_handshake(&view, &event, &mut effects),
                Timed::Data => self.tx.controls.on_rtt(&view, &event, &mut effects),
            }
            self.apply(cx, effects);
        }
    }

    /// Passes the sample of an ACK to the variant, before the recovery processes the ACK.
    pub(super) fn sample_rate(&mut self, cx: &mut Cx, ack: &Ack) {
        if let Some(sample) = self.tx.rate.take(cx.now, ack, self.tx.space.mss) {
            let mut effects = Effects::new();
            let view = self.view(cx);
            self.tx.controls.on_rate(&view, &sample, &mut effects);
            self.apply(cx, effects);
        }
    }

    /// Counts a duplicate ACK and asks the variant about it.
    pub(super) fn count_dup(&mut self, cx: &mut Cx) -> Dup {
        self.tx.dup_acks += 1;
        cx.counters.dup_acks += 1;
        if !self.tx.controls.is_standard() {
            let mut effects = Effects::new();
            let view = self.view(cx);
            let event = DupAckEvent { count: self.tx.dup_acks };
            let decision = self.tx.controls.on_dup_ack(&view, &event, &mut effects);
            self.apply(cx, effects);
            match decision {
                DupAckDecision::Recovery => {}
                DupAckDecision::RetransmitNow if self.recovery.in_recovery(&self.tx) => {}
                DupAckDecision::RetransmitNow => return Dup::Loss,
                DupAckDecision::RetransmitOnly => {
                    self.retransmit_una(cx);
                    return Dup::Done;
                }
                DupAckDecision::Ignore => return Dup::Done,
            }
        }
        match self.tx.dup_acks.cmp(&cx.cfg.dup_threshold) {
            std::cmp::Ordering::Less => Dup::Early,
            std::cmp::Ordering::Equal => Dup::Loss,
            std::cmp::Ordering::Greater => Dup::More,
        }
    }

    /// Information about the path; ignored if it concerns nothing in flight.
    #[inline(never)]
    pub fn on_path_event(&mut self, cx: &mut Cx, mut event: PathEvent) {
        let nothing_out = self.tx.space.una == 0 || self.tx.space.una >= self.tx.space.max;
        match &mut event {
            PathEvent::LinkFailure { .. } if nothing_out => {
                return cx.counters.ignore(Ignored::StrayNotice);
            }
            PathEvent::LinkFailure { segment } => *segment = segment.filter(|&seq| self.tx.is_out(seq)),
            PathEvent::PeerWindow { .. } if self.tx.space.una == 0 => return,
            _ => {}
        }
        match event {
            PathEvent::Hops(hops) if self.tx.knows_path(hops) => return,
            PathEvent::SourceRoute(hops) if self.tx.source_routed && self.tx.hops == hops => return,
            PathEvent::Hops(hops) => self.tx.hops = hops,
            PathEvent::SourceRoute(hops) => {
                self.tx.hops = hops;
                self.tx.source_routed = true;
            }
            PathEvent::Interruption | PathEvent::Restored => return,
            PathEvent::LinkFailure { .. }
            | PathEvent::RouteFound
            | PathEvent::PeerWindow { .. }
            | PathEvent::Report(_) => {}
        }
        if self.tx.controls.is_standard() {
            return;
        }
        let asked = match event {
            PathEvent::LinkFailure { .. } => self.tx.needs.contains(Needs::NOTICES),
            PathEvent::RouteFound => self.wants_routes(),
            PathEvent::Report(_) => self.wants_reports(),
            PathEvent::Hops(_) | PathEvent::SourceRoute(_) => self.tx.needs.contains(Needs::HOPS),
            PathEvent::PeerWindow { .. } => self.tx.needs.contains(Needs::WINDOWS),
            PathEvent::Interruption | PathEvent::Restored => false,
        };
        if asked {
            let mut effects = Effects::new();
            let view = self.view(cx);
            self.tx.controls.on_path_event(&view, event, &mut effects);
            self.tx.window.cwnd = self.tx.bounded(self.tx.window.cwnd);
            self.apply(cx, effects);
        } else {
            self.tx.window.cwnd = self.tx.bounded(self.tx.window.cwnd);
        }
    }

    /// The peer answered a marked probe.
    pub fn on_probe_answer(&mut self, cx: &mut Cx, event: ProbeEvent) {
        let mut effects = Effects::new();
        let view = self.view(cx);
        if self.tx.controls.on_probe_answer(&view, &event, &mut effects) == ProbeVerdict::Stray {
            cx.counters.ignore(Ignored::StrayProbe);
        }
        self.apply(cx, effects);
        self.send_window(cx, cx.cfg.max_burst);
    }
}
