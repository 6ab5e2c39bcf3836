//! Vegas: compares the rate it expects with the rate it gets (Brakmo and Peterson 1995), as ns-2's
//! `Agent/TCP/Vegas` does it. It has its own growth, reduction and retransmission, finer than the
//! common timer, and no partial-ACK rule.
//!
//! ns-2's odd habits, which show only after losses, are taken on by `VegasForm::Ns2`.

mod ring;

use crate::TcpConfig;
use crate::TcpNote;
use crate::config::{Handshake, VegasForm};
use crate::send::*;
use crate::variant::{RecoveryKind, Variant};
use ring::{Ring, Stamp};
use tworay_base::SimTime;

/// Thresholds in segments, and what is measured.
#[derive(Debug)]
pub(crate) struct Vegas {
    alpha: f64,
    beta: f64,
    gamma: f64,
    /// The shortest round trip, seconds; infinite before the first.
    base_rtt: f64,
    /// Eight times the smoothed fine round trip, seconds.
    sa: f64,
    /// Four times its deviation, seconds.
    sd: f64,
    /// The fine timeout, seconds.
    timeout: f64,
    /// ACKs after a retransmission that still check the fine timeout.
    worried: u32,
    /// The segment whose ACK ends this round trip starts here; and when the round trip began.
    mark: u64,
    mark_at: SimTime,
    samples: u32,
    sum: f64,
    /// Growth per ACK in this round trip, segments.
    step: f64,
    /// Slow start grows every other round trip.
    may_step: bool,
    /// The window without inflation.
    deflated: f64,
    last_cut_at: Option<SimTime>,
    /// ns-2's memory of its segments, and with it all its habits; without it `Sender::sent` is asked.
    pub ring: Option<Ring>,
}

impl Vegas {
    /// From the variant's parameters alpha, beta and gamma.
    pub fn new(variant: &Variant, cfg: &TcpConfig) -> Self {
        let get = |i: usize, default| variant.parameters().get(i).copied().unwrap_or(default);
        let ringed = variant.recovery() == RecoveryKind::Vegas && cfg.vegas == VegasForm::Ns2;
        Self {
            alpha: get(0, 1.0),
            beta: get(1, 3.0),
            gamma: get(2, 1.0),
            base_rtt: f64::INFINITY,
            sa: 0.0,
            sd: 0.0,
            timeout: 1000.0,
            worried: 0,
            mark: 0,
            mark_at: SimTime::ZERO,
            samples: 0,
            sum: 0.0,
            step: 0.0,
            may_step: true,
            deflated: 0.0,
            last_cut_at: None,
            ring: ringed.then(|| Ring::new(cfg.window_segments())),
        }
    }

    fn first(&mut self, rtt: f64) {
        self.base_rtt = rtt;
        self.sa = rtt * 8.0;
        self.sd = rtt;
        self.timeout = (self.sa / 4.0 + self.sd) / 2.0;
    }

    /// A fine sample of a segment that was sent once.
    fn sample(&mut self, rtt: f64) {
        self.sum += rtt;
        self.samples += 1;
        if rtt > 0.0 {
            self.base_rtt = self.base_rtt.min(rtt);
            let error = rtt - self.sa / 8.0;
            self.sa += error;
            self.sd += error.abs() - self.sd / 4.0;
            self.timeout = (self.sa / 4.0 + self.sd) / 2.0 * (17.0 / 16.0);
        }
    }
}

impl Sender {
    /// Segments up to an offset, the SYN counted as one.
    fn count_to(&self, offset: u64) -> f64 {
        if offset == 0 { 0.0 } else { 1.0 + (offset - 1).div_ceil(self.mss) as f64 }
    }

    pub(crate) fn vegas(&mut self, cx: &mut Cx, ack: &Ack) {
        if !self.vegas.base_rtt.is_finite() {
            let first = self.sent.front().map_or(cx.now, |s| s.at);
            self.vegas.first(cx.now.since(first).as_secs_f64());
            (self.vegas.mark, self.vegas.mark_at) = (self.una, first);
        }
        if ack.to > self.una {
            self.vegas_new_ack(cx, ack);
        } else if self.is_dup(ack) || self.vegas_takes_as_dup(ack) {
            self.vegas_dup_ack(cx);
        }
        if self.dup_acks == 0 || self.dup_acks >= cx.cfg.dup_threshold {
            self.send_window(cx, cx.cfg.max_burst);
        }
    }

    fn vegas_new_ack(&mut self, cx: &mut Cx, ack: &Ack) {
        let opening = self.una == 0;
        // ns-2's one-way form opens to the initial window one round trip late.
        let late = cx.cfg.handshake == Handshake::OneWay;
        if late && self.una == 1 {
            self.open_window();
        }
        if self.dup_acks > cx.cfg.dup_threshold && self.cwnd > self.vegas.deflated {
            self.cwnd = self.vegas.deflated;
            self.ssthresh = 2.0;
        }
        // After few duplicate ACKs their inflation stays, though not beyond the variant's bounds.
        self.cwnd = self.bounded(self.cwnd);
        let newest = self.vegas_newest(ack.to);
        let unopened = if self.vegas.ring.is_some() { self.cwnd } else { 1.0 };
        self.advance(cx, ack);
        if opening && late {
            self.cwnd = self.bounded(unopened);
        }
        if self.una > self.vegas.mark {
            self.vegas_round_trip(cx);
        }
        if self.vegas.step == 1.0 && self.cwnd >= self.ssthresh {
            self.vegas.step = 0.0;
        }
        let used = self.count_to(self.nxt) - self.count_to(self.una) + 1.0;
        if self.vegas.step > 0.0 && self.cwnd - used <= 2.0 {
            self.cwnd = self.bounded(self.cwnd + self.vegas.step);
        }
        if let Some(at) = newest.filter(|s| s.times == 1 && !opening).and_then(|s| s.at) {
            self.vegas.sample(cx.now.since(at).as_secs_f64());
        }
        if self.vegas.worried > 0 {
            self.vegas.worried -= 1;
            if self.vegas_expired(cx) {
                self.dup_acks = cx.cfg.dup_threshold;
                self.vegas_send_oldest(cx);
            } else {
                self.vegas.worried = 0;
            }
        }
    }

    /// Once per round trip: how much faster could it be, and what follows for the window.
    fn vegas_round_trip(&mut self, cx: &Cx) {
        let v = &mut self.vegas;
        let rtt =
            if v.samples > 0 { v.sum / f64::from(v.samples) } else { cx.now.since(v.mark_at).as_secs_f64() };
        (v.sum, v.samples) = (0.0, 0);
        let sent = self.count_to(self.nxt) - self.count_to(self.vegas.mark);
        let window = self.count_to(self.nxt) - self.count_to(self.una) + 1.0;
        let v = &mut self.vegas;
        if rtt > 0.0 {
            if rtt < v.base_rtt || sent <= 1.0 {
                v.base_rtt = rtt;
            }
            let (expected, actual) = (window / v.base_rtt, sent / rtt);
            let excess = ((expected - actual) * v.base_rtt + 0.5).trunc();
            if self.cwnd < self.ssthresh {
                v.may_step = !v.may_step;
                v.step = 0.0;
                if v.may_step && excess > v.gamma {
                    self.ssthresh = 2.0;
                    self.cwnd = (self.cwnd - self.cwnd / 8.0).max(2.0);
                } else if v.may_step {
                    v.step = 1.0;
                }
            } else if excess > v.beta {
                self.cwnd = (self.cwnd - 1.0).max(2.0);
                v.step = 0.0;
            } else if excess < v.alpha {
                v.step = 1.0 / self.cwnd;
            } else {
                v.step = 0.0;
            }
        }
        (v.mark, v.mark_at) = (self.nxt, cx.now);
    }

    /// The oldest segment has been out longer than the fine timeout.
    fn vegas_expired(&self, cx: &Cx) -> bool {
        let age = match &self.vegas.ring {
            Some(ring) => Some(ring.age(ring.oldest(), cx.now)),
            None => self.sent.front().map(|s| cx.now.since(s.at)),
        };
        age.is_some_and(|age| age.as_secs_f64() >= self.vegas.timeout)
    }

    /// The newest segment that an ACK covers; a ring forgets what it covers.
    fn vegas_newest(&mut self, to: u64) -> Option<Stamp> {
        let covered = self.sent.iter().take_while(|s| s.end <= to);
        match &mut self.vegas.ring {
            Some(ring) => {
                let started = ring.started;
                // To ns-2, time 0 is none.
                ring.acknowledge(covered.count()).filter(|s| s.at != Some(started))
            }
            None => covered.last().map(|s| Stamp { at: Some(s.at), times: s.times }),
        }
    }

    fn vegas_oldest(&self) -> Option<Stamp> {
        match &self.vegas.ring {
            Some(ring) => Some(ring.oldest()),
            None => self.sent.front().map(|s| Stamp { at: Some(s.at), times: s.times }),
        }
    }

    /// ns-2's Vegas counts duplicate ACKs even with nothing out, as long as there is something to send.
    fn vegas_takes_as_dup(&self, ack: &Ack) -> bool {
        let has_more = self.una > 0 && self.una < self.end();
        self.vegas.ring.is_some() && ack.to == self.una && ack.pure && has_more
    }

    /// Sends the oldest segment again; with ns-2's habits also one that was never sent, past `nxt`.
    fn vegas_send_oldest(&mut self, cx: &mut Cx) {
        if self.vegas.ring.is_none() {
            self.retransmit_una(cx);
        } else if self.una < self.end() {
            let len = self.segment_len(self.una);
            if self.una < self.max || len <= self.rwnd(cx.cfg) {
                self.output(cx, self.una, len);
            }
        }
    }

    /// The window has not been cut since this segment was sent.
    fn vegas_may_cut(&self, oldest: Stamp) -> bool {
        let last = self.vegas.last_cut_at.or(self.vegas.ring.as_ref().map(|r| r.started));
        oldest.at.is_some_and(|at| last.is_none_or(|last| last < at))
    }

    fn vegas_dup_ack(&mut self, cx: &mut Cx) {
        self.dup_acks += 1;
        cx.counters.dup_acks += 1;
        if !self.vegas_expired(cx) && self.dup_acks != cx.cfg.dup_threshold {
            if self.dup_acks > cx.cfg.dup_threshold {
                self.cwnd += 1.0;
            }
            return;
        }
        if self.una <= self.recover && self.last_cut == LastCut::Timeout {
            return;
        }
        let Some(oldest) = self.vegas_oldest() else { return };
        let window = self.window_whole(cx.cfg);
        self.last_cut = LastCut::DupAcks;
        self.recover = self.max;
        self.vegas.worried = (self.count_to(self.nxt) - self.count_to(self.una) + 1.0).min(2.0) as u32;
        self.vegas.timeout *= if oldest.times > 1 { 2.0 } else { 1.125 };
        cx.counters.fast_retransmits += 1;
        cx.note(TcpNote::FastRetransmit { seq: self.seq(self.una) });
        if self.vegas_may_cut(oldest) {
            let cut = if window <= 3.0 {
                2.0
            } else if oldest.times > 1 {
                (window / 2.0).floor()
            } else {
                window - (window / 4.0).floor()
            };
            self.vegas.deflated = cut;
            self.cwnd = cut + f64::from(self.dup_acks);
            self.vegas.last_cut_at = Some(cx.now);
            cx.counters.window_cuts += 1;
        }
        self.rtt.back_off();
        self.arm_timer(cx);
        self.timed = None;
        self.vegas_send_oldest(cx);
        if oldest.times == 1 {
            self.dup_acks = cx.cfg.dup_threshold;
        }
    }

    /// After a timeout Vegas starts with two segments.
    pub(crate) fn vegas_after_timeout(&mut self, cx: &Cx) {
        self.cwnd = self.bounded(2.0);
        self.vegas.deflated = self.cwnd;
        self.vegas.last_cut_at = Some(cx.now);
        if let Some(ring) = &self.vegas.ring {
            self.vegas.deflated = 0.0;
            if self.una == 0 {
                // The SYN sets ns-2's clock back to zero, and this isn't.
                self.vegas.last_cut_at = Some(cx.now + cx.now.since(ring.started));
            }
        }
    }

    /// With a window of zero, ns-2's Vegas waits for the timer even with nothing out.
    pub(crate) fn vegas_waits(&self) -> bool {
        self.vegas.ring.is_some() && self.cwnd < 1.0 && self.una < self.end()
    }

    /// ns-2's Vegas sends data together with a repeated SYN, and has no fear after its loss.
    pub(crate) fn vegas_rushes(&self, cfg: &TcpConfig) -> bool {
        self.vegas.ring.is_some() && cfg.handshake == Handshake::OneWay
    }
}
