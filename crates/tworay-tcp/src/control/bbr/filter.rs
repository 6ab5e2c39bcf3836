//! Filters shared by both versions of BBR.

use crate::control::RateSample;
use std::collections::VecDeque;
use tworay_base::{SimDuration, SimTime};

/// Maximum over the last rounds; each value comes with the number of its round.
#[derive(Clone, Debug)]
pub(super) struct MaxFilter {
    /// Number of rounds for which a value counts.
    length: u64,
    /// Values not exceeded by a later one, oldest first.
    values: VecDeque<(u64, f64)>,
}

impl MaxFilter {
    pub fn new(length: u64) -> Self {
        Self { length, values: VecDeque::new() }
    }

    pub fn update(&mut self, round: u64, value: f64) {
        while self.values.back().is_some_and(|&(_, v)| v <= value) {
            self.values.pop_back();
        }
        self.values.push_back((round, value));
        while self.values.front().is_some_and(|&(at, _)| at + self.length < round) {
            self.values.pop_front();
        }
    }

    /// The maximum; 0 before the first value.
    pub fn best(&self) -> f64 {
        self.values.front().map_or(0.0, |&(_, v)| v)
    }
}

/// Round trips counted by packets: a round ends when a segment is delivered that was sent after the round
/// began.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// Segments delivered when the round began.
    next: f64,
    pub count: u64,
    /// True if the latest ACK began a round.
    pub started: bool,
}

impl Rounds {
    pub fn update(&mut self, sample: &RateSample) {
        self.started = sample.prior_delivered >= self.next;
        if self.started {
            self.next = sample.total_delivered;
            self.count += 1;
        }
    }

    /// Starts a round now, at `delivered` segments.
    pub fn restart(&mut self, delivered: f64) {
        self.next = delivered;
    }
}

/// Marks periods in which the sender itself limits what it sends, so that their rates are not taken for the
/// path's.
#[derive(Debug, Default)]
pub(super) struct OwnLimit {
    /// Segments delivered when the latest period began, and the number at which it ends.
    span: Option<(f64, f64)>,
}

impl OwnLimit {
    /// Starts or extends a period until everything in flight is delivered.
    pub fn mark(&mut self, sample: &RateSample) {
        let begun = self.span.filter(|&(_, end)| sample.total_delivered <= end);
        let begin = begun.map_or(sample.total_delivered, |(begin, _)| begin);
        self.span = Some((begin, sample.total_delivered + sample.in_flight.max(1.0)));
    }

    /// True if the segment of the sample was sent in such a period or while the application lacked data.
    pub fn concerns(&self, sample: &RateSample) -> bool {
        let own = self.span.is_some_and(|(begin, end)| (begin..=end).contains(&sample.prior_delivered));
        sample.app_limited || own
    }
}

/// The time between two segments at this rate (segments per second), at most one smoothed round trip: a
/// rate measured across an outage would otherwise hold the sender back long afterwards.
pub(super) fn gap(rate: f64, srtt: Option<SimDuration>) -> SimDuration {
    let gap = SimDuration::from_secs_f64((1.0 / rate).min(1e3));
    srtt.map_or(gap, |srtt| gap.min(srtt))
}

/// True if `length` has passed since `then`.
pub(super) fn passed(now: SimTime, then: SimTime, length: SimDuration) -> bool {
    now.since(then) > length
}
