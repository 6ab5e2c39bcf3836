//! TCP-DOOR's detection of reordering.

use super::reporter::{Arrival, Reporter};
use tworay_wire::Report;

/// TCP-DOOR's receiver. A retransmission has a newer timestamp than the first transmission, so it is not out
/// of order when it fills a gap.
#[derive(Debug, Default)]
pub struct Order {
    newest: Option<i64>,
    out_of_order: bool,
}

impl Order {
    /// True if a segment was overtaken by one sent later.
    pub fn is_late(&mut self, arrival: &Arrival) -> bool {
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
