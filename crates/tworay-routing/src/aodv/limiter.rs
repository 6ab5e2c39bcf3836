//! Rate limits per second (RFC 3561 §6.3, §6.11).

use std::collections::VecDeque;
use tworay_base::{SimDuration, SimTime};

const WINDOW: SimDuration = SimDuration::from_secs(1);

/// A sliding window of one second.
#[derive(Clone, Debug)]
pub(crate) struct Limiter {
    sent: VecDeque<SimTime>,
    limit: usize,
}

impl Limiter {
    /// At most `limit` in any second; 0: no limit.
    pub(crate) fn new(limit: u32) -> Self {
        Self { sent: VecDeque::new(), limit: limit as usize }
    }

    /// Counts one more if the limit allows; otherwise returns when it will.
    pub(crate) fn take(&mut self, now: SimTime) -> Result<(), SimTime> {
        if self.limit == 0 {
            return Ok(());
        }
        while self.sent.front().is_some_and(|&t| t + WINDOW <= now) {
            self.sent.pop_front();
        }
        match self.sent.front() {
            Some(&oldest) if self.sent.len() >= self.limit => Err(oldest + WINDOW),
            _ => {
                self.sent.push_back(now);
                Ok(())
            }
        }
    }
}
