//! Vegas: compares the rate it expects with the rate it gets (Brakmo and Peterson 1995), as ns-2's
//! `Agent/TCP/Vegas` does it. It has its own growth, reduction and retransmission, finer than the
//! common timer, and no partial-ACK rule.
//!
//! Three faults of ns-2's code are left out: data sent together with a repeated SYN; a segment sent
//! twice when everything was acknowledged while it still "worries"; send counts that survive in a ring
//! when one ACK covers its end. They show only after losses.

use super::ack::Ack;
use super::*;
use crate::config::Handshake;

/// Thresholds in segments, and what is measured.
#[derive(Debug)]
pub(super) struct Vegas {
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
}

impl Vegas {
    /// From the parameters alpha, beta and gamma.
    pub fn new(parameters: &[f64]) -> Self {
        let get = |i: usize, default| parameters.get(i).copied().unwrap_or(default);
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

    pub(super) fn vegas(&mut self, cx: &mut Cx, ack: &Ack) {
        if !self.vegas.base_rtt.is_finite() {
            let first = self.sent.front().map_or(cx.now, |s| s.at);
            self.vegas.first(cx.now.since(first).as_secs_f64());
            (self.vegas.mark, self.vegas.mark_at) = (self.una, first);
        }
        if ack.to > self.una {
            self.vegas_new_ack(cx, ack);
        } else if self.is_dup(ack) {
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
        let newest = self.sent.iter().take_while(|s| s.end <= ack.to).last().copied();
        self.advance(cx, ack);
        if opening && late {
            self.cwnd = 1.0;
        }
        if self.una > self.vegas.mark {
            self.vegas_round_trip(cx);
        }
        if self.vegas.step == 1.0 && self.cwnd >= self.ssthresh {
            self.vegas.step = 0.0;
        }
        let used = self.count_to(self.nxt) - self.count_to(self.una) + 1.0;
        if self.vegas.step > 0.0 && self.cwnd - used <= 2.0 {
            self.cwnd = self.limited(self.cwnd + self.vegas.step);
        }
        if let Some(sent) = newest.filter(|s| s.times == 1 && !opening) {
            self.vegas.sample(cx.now.since(sent.at).as_secs_f64());
        }
        if self.vegas.worried > 0 {
            self.vegas.worried -= 1;
            if self.vegas_expired(cx) {
                self.dup_acks = cx.cfg.dup_threshold;
                self.retransmit_una(cx);
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
        self.sent.front().is_some_and(|s| cx.now.since(s.at).as_secs_f64() >= self.vegas.timeout)
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
        let Some(oldest) = self.sent.front().copied() else { return };
        let window = self.window_whole(cx.cfg);
        self.last_cut = LastCut::DupAcks;
        self.recover = self.max;
        self.vegas.worried = (self.count_to(self.nxt) - self.count_to(self.una) + 1.0).min(2.0) as u32;
        self.vegas.timeout *= if oldest.times > 1 { 2.0 } else { 1.125 };
        cx.counters.fast_retransmits += 1;
        cx.note(TcpNote::FastRetransmit { seq: self.seq(self.una) });
        // The window has been cut for what was sent before the last cut.
        if self.vegas.last_cut_at.is_none_or(|at| at < oldest.at) {
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
        self.retransmit_una(cx);
        if oldest.times == 1 {
            self.dup_acks = cx.cfg.dup_threshold;
        }
    }

    /// After a timeout Vegas starts with two segments.
    pub(super) fn vegas_after_timeout(&mut self, cx: &Cx) {
        self.cwnd = self.limited(2.0);
        self.vegas.deflated = self.cwnd;
        self.vegas.last_cut_at = Some(cx.now);
    }
}
