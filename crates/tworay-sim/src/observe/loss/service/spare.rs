//! Time that the imagined MAC has to spare for packets that noise has held up before.
//!
//! Without that noise they would have come earlier. That makes the queue shorter only if the MAC had time for more than it has sent
//! since then: one that has been busy all the time sends as much in any case. So what it had to spare earlier doesn't count.

use super::pace::RECENT;
use crate::observe::loss::root_cause::Noise;
use tworay_base::{SimDuration, SimTime};

/// Packets for which there was time, beyond those of the queue without what was held up.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Spare {
    /// While the real MAC was busy; when that was so last.
    busy: f64,
    busy_at: SimTime,
    /// While it had nothing to send.
    idle: f64,
    /// Number of packets that noise has held up together of late: no more come at once.
    together: f64,
}

/// Effect of noise on a packet's time in a queue.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Delayed {
    /// Without it, the packet would be gone.
    pub waits: bool,
    /// By how much earlier it would leave the queue at most. `None`: no earlier.
    pub later: Option<SimDuration>,
}

impl Spare {
    /// Time to spare of a MAC whose past is not known.
    pub fn unknown() -> Self {
        Self { idle: f64::INFINITY, ..Self::default() }
    }

    /// The MAC had nothing to send for the time of so many packets.
    pub fn idle(&mut self, packets: f64) {
        self.idle += packets;
    }

    /// The imagined MAC had time for so many packets more.
    #[inline]
    pub fn busy(&mut self, now: SimTime, packets: u32) {
        if packets > 0 {
            self.busy += f64::from(packets);
            self.busy_at = now;
        }
    }

    /// Noise has held up a packet that comes now. The MAC had nothing to send last at `idle_at`.
    pub fn take(&mut self, now: SimTime, idle_at: SimTime, noise: Noise) -> Delayed {
        let together = f64::from(noise.together);
        let mean = self.together + (together - self.together) / f64::from(RECENT);
        self.together = mean.max(together);
        (self.busy, self.idle) = (self.busy.min(self.together), self.idle.min(self.together));
        let later = noise.until(now);
        let since = |at: SimTime| (later >= now.since(at)).then(|| later - now.since(at));
        let (busy, idle) = (since(self.busy_at), since(idle_at));
        let (of_busy, of_idle) = (busy.map_or(0.0, |_| self.busy), idle.map_or(0.0, |_| self.idle));
        let waits = of_busy + of_idle >= 1.0;
        if waits {
            self.busy -= of_busy.min(1.0);
            self.idle -= 1.0 - of_busy.min(1.0);
        }
        Delayed { waits, later: busy.max(idle) }
    }
}

#[cfg(test)]
mod tests;
