//! Several reasons for time lost: of outages, and of noise that begins while a queue is still full because of one.

use super::{RootCause, Service};
use tworay_base::{LossCause, SimDuration, SimTime};

impl Service {
    /// The main reason for the time lost since the MAC last had nothing to send, `running` with its current packet included.
    pub fn main_reason(&self, running: Option<(SimDuration, RootCause)>) -> Option<RootCause> {
        match self.lost.is_zero() {
            true => running.map(|(_, root)| root),
            false => self.reasons.main(running),
        }
    }

    /// The main reason that still slows the MAC down.
    pub fn slowed_by(&self) -> Option<RootCause> {
        self.reasons.slows(self.drained_at).filter(|_| !self.lost.is_zero())
    }

    /// The MAC has lost `time` to `root`. Once noise alone has cost the time of half the packets that wait, it is the reason: they would also
    /// wait without the outage before.
    pub(super) fn compare_with_outages(&mut self, now: SimTime, time: SimDuration, root: &RootCause) {
        match root.cause {
            Some(LossCause::Channel) => self.noise_since += time,
            // A rate control that an outage has slowed down tries rates that are too fast.
            Some(LossCause::Rate) => {}
            _ => self.noise_since = SimDuration::ZERO,
        }
        if self.is_kept_by_noise(now) {
            self.reasons.forget_outages();
        }
    }

    /// True if noise since the latest outage has cost the time of half the packets that wait.
    pub fn is_kept_by_noise(&self, now: SimTime) -> bool {
        let rate = self.rate(now, SimDuration::ZERO).filter(|_| !self.noise_since.is_zero());
        let missed = rate.map(|rate| rate * self.noise_since.as_secs_f64());
        missed.is_some_and(|missed| 2.0 * missed >= f64::from(self.real))
    }
}
