//! The timer and the tasks it triggers.

use super::{Dsr, Out, RequestPattern};
use crate::RoutingAction;
use tworay_base::{SimDuration, SimTime};

/// ns-2: minimum interval between checks of the buffered packets (BUFFER_CHECK); the maximum is twice that.
const BUFFER_CHECK: SimDuration = SimDuration::from_millis(30);

impl Dsr {
    pub(super) fn poll_after(&mut self, now: SimTime) -> SimTime {
        now + BUFFER_CHECK + self.rng.jitter(BUFFER_CHECK)
    }

    /// Runs at the end of every input: sends buffered packets if something was learned, and sets the timer.
    pub(super) fn finish(&mut self, now: SimTime, out: Out) {
        if std::mem::take(&mut self.news)
            && self.config.requests == RequestPattern::Rfc4728
            && !self.buffer.is_empty()
        {
            self.release(now, self.config.release_spacing, out);
        }
        if std::mem::take(&mut self.stale_timer) {
            let next = self.next_deadline(now);
            if next != self.armed {
                self.armed = next;
                out.push(RoutingAction::WakeAt(next));
            }
        }
        debug_assert!(self.armed <= self.next_deadline(now), "a deadline has changed without the timer");
    }

    fn next_deadline(&self, now: SimTime) -> SimTime {
        if !self.stranded.is_empty() {
            return now;
        }
        let mut next = self.buffer.deadline().min(self.next_ack_deadline());
        if self.config.requests == RequestPattern::Ns2 {
            if !self.buffer.is_empty() {
                next = next.min(self.next_poll);
            }
        } else {
            // A discovery without buffered packets needs no timer.
            let waited = self.searches.iter().filter(|(dst, _)| self.buffer.contains(**dst));
            next = waited.map(|(_, s)| s.until).fold(next, SimTime::min);
        }
        next
    }
}
