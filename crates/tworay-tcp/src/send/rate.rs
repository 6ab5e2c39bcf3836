//! Delivery-rate samples, kept only for variants that need them (Cheng et al. 2022,
//! draft-cheng-iccrg-delivery-rate-estimation-02).

use super::ack::Ack;
use crate::control::RateSample;
use std::collections::VecDeque;
use tworay_base::{SimDuration, SimTime};

/// State recorded when a segment was sent (§3.1.2 of the draft, `P`).
#[derive(Copy, Clone, Debug)]
struct Stamp {
    start: u64,
    end: u64,
    at: SimTime,
    delivered: u64,
    delivered_at: SimTime,
    first_sent: SimTime,
    app_limited: bool,
    lost: u64,
    /// In flight when it was sent, including it.
    out: u64,
    again: bool,
    /// True if the receiver has it.
    done: bool,
}

/// State of the connection (§3.1.1, `C`), in bytes.
#[derive(Debug)]
pub(crate) struct RateMeter {
    delivered: u64,
    delivered_at: SimTime,
    first_sent: SimTime,
    /// Samples are limited by the application until this much is delivered; 0 if they are not.
    app_limited: u64,
    /// Bytes retransmitted.
    lost: u64,
    /// Bytes sent and not delivered.
    out: u64,
    min_rtt: SimDuration,
    stamps: VecDeque<Stamp>,
}

impl RateMeter {
    pub fn new() -> Self {
        Self {
            delivered: 0,
            delivered_at: SimTime::ZERO,
            first_sent: SimTime::ZERO,
            app_limited: 0,
            lost: 0,
            out: 0,
            min_rtt: SimDuration::MAX,
            stamps: VecDeque::new(),
        }
    }

    /// `[start, end)` is sent; data from `max` on is new.
    pub fn on_sent(&mut self, now: SimTime, start: u64, end: u64, max: u64) {
        if self.out == 0 {
            (self.first_sent, self.delivered_at) = (now, now);
        }
        let mut stamp = Stamp {
            start: start.max(max),
            end,
            at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_sent: self.first_sent,
            app_limited: self.app_limited > 0,
            lost: self.lost,
            out: self.out + end.saturating_sub(start.max(max)),
            again: false,
            done: false,
        };
        if start < max {
            let first = self.stamps.partition_point(|s| s.end <= start);
            for old in self.stamps.range_mut(first..).take_while(|s| s.start < end).filter(|s| !s.done) {
                self.lost += old.end - old.start;
                *old = Stamp { start: old.start, end: old.end, lost: self.lost, again: true, ..stamp };
            }
        }
        if end > max {
            stamp.lost = self.lost;
            self.out += stamp.end - stamp.start;
            self.stamps.push_back(stamp);
        }
    }

    /// There is no more data to send although the window has room (§3.4).
    pub fn limited_by_application(&mut self) {
        self.app_limited = (self.delivered + self.out).max(1);
    }

    /// True if the application had no more data when everything sent so far had been sent.
    pub fn is_limited_by_application(&self) -> bool {
        self.app_limited > 0
    }

    pub fn is_below(&self, bytes: f64) -> bool {
        (self.out as f64) < bytes
    }

    /// The sample of an ACK; `None` if it delivers nothing (§3.3).
    pub fn take(&mut self, now: SimTime, ack: &Ack, mss: u64) -> Option<RateSample> {
        let (before, prior) = (self.delivered, self.out);
        let mut newest: Option<Stamp> = None;
        let mut deliver = |stamp: &mut Stamp| {
            if !std::mem::replace(&mut stamp.done, true) {
                self.delivered += stamp.end - stamp.start;
                self.out -= stamp.end - stamp.start;
                if newest.is_none_or(|n| (stamp.at, stamp.end) > (n.at, n.end)) {
                    newest = Some(*stamp);
                }
            }
        };
        while self.stamps.front().is_some_and(|s| s.end <= ack.to) {
            self.stamps.pop_front().iter_mut().for_each(&mut deliver);
        }
        for &(left, right) in &ack.blocks {
            let first = self.stamps.partition_point(|s| s.start < left);
            self.stamps.range_mut(first..).take_while(|s| s.end <= right).for_each(&mut deliver);
        }
        let newest = newest?;
        self.delivered_at = now;
        self.first_sent = newest.at;
        if self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let rtt = (!newest.again).then(|| now.since(newest.at));
        self.min_rtt = rtt.map_or(self.min_rtt, |rtt| rtt.min(self.min_rtt));
        // ACKs that were delayed and arrive together would give too high a rate; so would bursts of
        // segments (§2.2).
        let interval = newest.at.since(newest.first_sent).max(now.since(newest.delivered_at));
        let segments = |bytes: u64| bytes as f64 / mss as f64;
        Some(RateSample {
            delivered: segments(self.delivered - newest.delivered),
            interval: Some(interval).filter(|i| !i.is_zero() && *i >= self.min_rtt),
            app_limited: newest.app_limited,
            newly_delivered: segments(self.delivered - before),
            prior_delivered: segments(newest.delivered),
            total_delivered: segments(self.delivered),
            lost: segments(self.lost - newest.lost),
            sent_in_flight: segments(newest.out),
            prior_in_flight: segments(prior),
            in_flight: segments(self.out),
            rtt,
        })
    }
}

#[cfg(test)]
mod tests;
