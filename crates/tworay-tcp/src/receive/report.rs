//! Receivers that report about the path in their pure ACKs: loss differentiation algorithms ([`gaps`]),
//! ADTCP's identification of the path's state ([`state`]), and TCP-DOOR's detection of reordering
//! ([`order`]).
//!
//! The receiver decides, not the sender. While a segment is missing, an ACK echoes the timestamp of the last
//! segment before the gap (RFC 7323 §4.3), so the sender never sees the trip times of those after it, and
//! with delayed ACKs it sees no times between arrivals. The receiver needs the sender's timestamps only to
//! measure trip times; the offset of the two clocks cancels in every rule.

mod gaps;
mod order;
mod path_state;
mod reporter;

pub(super) use reporter::{Arrival, Reporter};

use crate::config::Reporting;

/// Creates the reporter of a connection.
pub(super) fn make(what: Reporting) -> Box<dyn Reporter> {
    match what {
        Reporting::Gaps(rule) => Box::new(gaps::Gaps::new(rule)),
        Reporting::State(rule) => Box::new(path_state::PathState::new(rule)),
        Reporting::Order => Box::new(order::Order::default()),
    }
}

#[cfg(test)]
mod tests;
