//! The interface of a reporter.

use tworay_base::SimTime;
use tworay_wire::Report;

/// A segment with payload.
#[derive(Copy, Clone, Debug)]
pub struct Arrival {
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
    pub fn trip(&self) -> i64 {
        self.at.as_nanos() as i64 - self.sent
    }
}

/// Observes arrivals and reports about them.
pub trait Reporter: std::fmt::Debug + Send {
    /// A segment arrived.
    fn heard(&mut self, arrival: &Arrival);
    /// The report of the next pure ACK; `gap` is true while data is missing.
    fn take(&mut self, gap: bool) -> Option<Report>;
}
