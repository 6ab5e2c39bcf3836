//! The retransmission timer.

use tworay_base::{SimDuration, SimTime};

/// Purposes of the retransmission timer before the timeout: one timer serves all (RFC 8985 §8).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Early {
    /// Segments that may only be out of order count as lost.
    Reordering,
    /// A tail loss probe is due.
    Probe,
}

/// State of the timer; its length comes from the estimator.
#[derive(Debug)]
pub(crate) struct RetransmitTimer {
    pub(super) armed: bool,
    /// Timeout chosen by the variant, in force until new data is acknowledged.
    pub(super) chosen: Option<SimDuration>,
    /// `una` at the last expiry, and its number of consecutive timeouts.
    pub(super) expired: Option<(u64, u32)>,
    /// The timer runs for this instead of the timeout.
    pub(super) early: Option<Early>,
    /// When the timeout is due.
    pub(super) expiry: SimTime,
    /// Phase of the clock at whose beats the timer fires.
    pub(super) phase: SimDuration,
}

impl RetransmitTimer {
    pub fn new(phase: SimDuration) -> Self {
        Self { armed: false, chosen: None, expired: None, early: None, expiry: SimTime::NEVER, phase }
    }

    /// True if the last timeout was the first since an ACK advanced.
    pub fn is_first(&self) -> bool {
        self.expired.is_some_and(|(_, consecutive)| consecutive == 1)
    }

    pub fn is_armed(&self) -> bool {
        self.armed
    }

    /// The timer runs for this.
    pub fn waits_for(&self, early: Early) -> bool {
        self.early == Some(early)
    }
}
