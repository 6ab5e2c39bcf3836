//! ADTCP's identification of the path's state from four metrics together (Fu, Meng, Lu 2002).
//!
//! | metric | of one segment |
//! |---|---|
//! | inter-packet delay difference (IDD) | its trip time minus that of the segment before |
//! | short-term throughput (STT) | segments that arrived in the interval that ends with it |
//! | packet out-of-order ratio (POR) | the part of these that were overtaken by segments sent later |
//! | packet loss ratio (PLR) | segments missing between these, over their number |
//!
//! Each metric alone is noisy; the paper calls a sample high or low by its place among the latest ones, and
//! decides in this order: congestion if IDD is high and STT low, a change of the route if POR is high,
//! channel errors if PLR is high, otherwise nothing. The paper's interval and number of samples could not be
//! recovered.

use super::order::Order;
use super::reporter::{Arrival, Reporter};
use crate::config::StateRule;
use std::collections::VecDeque;
use tworay_base::SimTime;
use tworay_wire::Report;

/// The latest samples of one metric.
#[derive(Debug, Default)]
struct History {
    samples: VecDeque<f64>,
}

/// The place of a sample among the latest ones.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Place {
    Low,
    Middle,
    High,
}

impl History {
    /// Adds a sample; returns its place among those before, once there are enough of them.
    fn place(&mut self, rule: &StateRule, sample: f64) -> Option<Place> {
        let full = self.samples.len() >= rule.samples;
        let place = full.then(|| {
            let part = |n: usize| n as f64 / self.samples.len() as f64;
            // Equal samples are on neither side: a metric that never changes is neither high nor low.
            let below = part(self.samples.iter().filter(|&&s| s < sample).count());
            let above = part(self.samples.iter().filter(|&&s| s > sample).count());
            if below >= 1.0 - rule.share {
                Place::High
            } else if above >= 1.0 - rule.share {
                Place::Low
            } else {
                Place::Middle
            }
        });
        if full {
            self.samples.pop_front();
        }
        self.samples.push_back(sample);
        place
    }
}

/// One segment's share in the counts of the interval.
#[derive(Copy, Clone, Debug)]
struct Counted {
    at: SimTime,
    lost: u64,
    late: bool,
}

#[derive(Debug)]
pub(super) struct PathState {
    rule: StateRule,
    order: Order,
    /// The arrivals of the latest interval.
    recent: VecDeque<Counted>,
    lost: u64,
    late: u64,
    /// End of the newest segment.
    end: Option<u64>,
    trip: Option<i64>,
    delays: History,
    throughputs: History,
    reorderings: History,
    losses: History,
    state: Option<Report>,
}

impl PathState {
    pub fn new(rule: StateRule) -> Self {
        Self {
            rule,
            order: Order::default(),
            recent: VecDeque::new(),
            lost: 0,
            late: 0,
            end: None,
            trip: None,
            delays: History::default(),
            throughputs: History::default(),
            reorderings: History::default(),
            losses: History::default(),
            state: None,
        }
    }

    fn count(&mut self, counted: Counted) {
        self.recent.push_back(counted);
        (self.lost, self.late) = (self.lost + counted.lost, self.late + u64::from(counted.late));
        while let Some(first) = self.recent.front().copied()
            && counted.at.since(first.at) >= self.rule.interval
        {
            self.recent.pop_front();
            (self.lost, self.late) = (self.lost - first.lost, self.late - u64::from(first.late));
        }
    }
}

impl Reporter for PathState {
    fn heard(&mut self, arrival: &Arrival) {
        let end = *self.end.get_or_insert(arrival.start);
        let lost = arrival.start.saturating_sub(end).div_ceil(arrival.end - arrival.start);
        self.end = Some(end.max(arrival.end));
        let late = self.order.is_late(arrival);
        self.count(Counted { at: arrival.at, lost, late });
        let trip = arrival.trip();
        let delay = trip - self.trip.replace(trip).unwrap_or(trip);
        let arrived = self.recent.len() as f64;
        let rule = &self.rule;
        let delay = self.delays.place(rule, delay as f64);
        let throughput = self.throughputs.place(rule, arrived);
        let reordering = self.reorderings.place(rule, self.late as f64 / arrived);
        let loss = self.losses.place(rule, self.lost as f64 / arrived);
        let high = Some(Place::High);
        self.state = match (delay, throughput) {
            (None, _) => None,
            (Some(Place::High), Some(Place::Low)) => Some(Report::Congestion),
            _ if reordering == high => Some(Report::RouteChange),
            _ if loss == high => Some(Report::Channel),
            _ => Some(Report::Normal),
        };
    }

    fn take(&mut self, _: bool) -> Option<Report> {
        self.state
    }
}
