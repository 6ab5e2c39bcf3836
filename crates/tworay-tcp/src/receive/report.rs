//! Receivers that report about the path in their pure ACKs: loss differentiation algorithms ([`gaps`]), ADTCP's
//! identification of the path's state ([`state`]), and TCP-DOOR's detection of reordering.
//!
//! The receiver decides, not the sender. While a segment is missing, an ACK echoes the timestamp of the last segment
//! before the gap (RFC 7323 §4.3), so the sender never sees the trip times of those after it, and with delayed ACKs it
//! sees no times between arrivals. The receiver needs the sender's timestamps only to measure trip times; the offset of
//! the two clocks cancels in every rule.

mod gaps;
mod state;

use crate::config::Reporting;
use tworay_base::SimTime;
use tworay_wire::Report;

/// A segment with payload.
#[derive(Copy, Clone, Debug)]
pub(super) struct Arrival {
    /// When it arrived.
    pub at: SimTime,
    /// When it was sent by the sender's clock, nanoseconds.
    pub sent: i64,
    /// Offset of its first byte.
    pub start: u64,
    /// Offset after its last byte.
    pub end: u64,
}

impl Arrival {
    /// Relative one-way trip time: its differences are those of the trip times. Nanoseconds.
    fn trip(&self) -> i64 {
        self.at.as_nanos() as i64 - self.sent
    }
}

/// Observes arrivals and reports about them.
pub(super) trait Reporter: std::fmt::Debug + Send {
    /// A segment arrived.
    fn heard(&mut self, arrival: &Arrival);
    /// The report of the next pure ACK; `gap` is true while data is missing.
    fn take(&mut self, gap: bool) -> Option<Report>;
}

/// Creates the reporter of a connection.
pub(super) fn make(what: Reporting) -> Box<dyn Reporter> {
    match what {
        Reporting::Gaps(rule) => Box::new(gaps::Gaps::new(rule)),
        Reporting::State(rule) => Box::new(state::PathState::new(rule)),
        Reporting::Order => Box::new(Order::default()),
    }
}

/// TCP-DOOR's receiver. A retransmission has a newer timestamp than the first transmission, so it is not out of order
/// when it fills a gap.
#[derive(Debug, Default)]
struct Order {
    newest: Option<i64>,
    out_of_order: bool,
}

impl Order {
    /// True if a segment was overtaken by one sent later.
    fn is_late(&mut self, arrival: &Arrival) -> bool {
        let newest = self.newest.get_or_insert(arrival.sent);
        let late = arrival.sent < *newest;
        *newest = arrival.sent.max(*newest);
        late
    }
}

impl Reporter for Order {
    fn heard(&mut self, arrival: &Arrival) {
        self.out_of_order |= self.is_late(arrival);
    }
    fn take(&mut self, _: bool) -> Option<Report> {
        std::mem::take(&mut self.out_of_order).then_some(Report::OutOfOrder)
    }
}

#[cfg(test)]
mod tests;
