//! State of pacing.

use tworay_base::{SimDuration, SimTime};

/// Segments with payload that Linux sends before it paces (`tcp_update_skb_after_send`).
const UNPACED: u32 = 10;

/// When the next segment may leave.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Spacing {
    /// The gap of now after the last segment.
    Strict,
    /// As in Linux: at a time fixed when the last segment left, earlier if that one was late.
    Linux(Schedule),
}

/// Linux' departure times.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Schedule {
    /// Earliest departure of the next segment.
    due: SimTime,
    sent: u32,
}

impl Schedule {
    /// A segment leaves. If it leaves later than it could, the next gap is shorter by this delay, at most by half:
    /// a sender that waited for ACKs catches up with its rate.
    fn sent(self, now: SimTime, gap: SimDuration) -> Self {
        let (leaves, sent) = (self.due.max(now), self.sent.saturating_add(1));
        let credit = leaves.since(self.due).min(gap.mul_f64(0.5));
        let due = if sent < UNPACED { leaves } else { leaves + gap.saturating_sub(credit) };
        Self { due, sent }
    }
}

/// The gap between segments, and the timer of the segment that is held back.
#[derive(Debug)]
pub(crate) struct Pacer {
    /// Minimum time from one segment to the next; zero without pacing.
    pub(super) gap: SimDuration,
    /// When the last segment with payload was sent.
    pub(super) last: SimTime,
    pub(super) spacing: Spacing,
    /// True if the timer is running.
    pub(super) armed: bool,
}

impl Pacer {
    pub fn new() -> Self {
        Self { gap: SimDuration::ZERO, last: SimTime::ZERO, spacing: Spacing::Strict, armed: false }
    }

    /// Earliest departure of the next segment.
    pub fn due(&self) -> SimTime {
        match self.spacing {
            Spacing::Strict => self.last + self.gap,
            Spacing::Linux(schedule) => schedule.due,
        }
    }

    #[inline]
    pub fn sent(&mut self, now: SimTime) {
        self.last = now;
        if let Spacing::Linux(schedule) = &mut self.spacing {
            *schedule = schedule.sent(now, self.gap);
        }
    }

    /// From now on Linux' departure times hold.
    pub fn follow_linux(&mut self) {
        if self.spacing == Spacing::Strict {
            self.spacing = Spacing::Linux(Schedule::default());
        }
    }
}

#[cfg(test)]
mod tests;
