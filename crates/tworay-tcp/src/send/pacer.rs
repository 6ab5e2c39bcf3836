//! State of pacing.

use tworay_base::{SimDuration, SimTime};

/// The gap between segments, and the timer of the segment that is held back.
#[derive(Debug)]
pub(crate) struct Pacer {
    /// Minimum time from one segment to the next; zero without pacing.
    pub(super) gap: SimDuration,
    /// When the last segment with payload was sent.
    pub(super) last: SimTime,
    /// True if the timer is running.
    pub(super) armed: bool,
}

impl Pacer {
    pub fn new() -> Self {
        Self { gap: SimDuration::ZERO, last: SimTime::ZERO, armed: false }
    }
}
