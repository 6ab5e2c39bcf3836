//! Pauses of adaptive pacing that noise is the reason for.
//!
//! A station that paces pauses after a packet while its packets need many retries on average. An imagined station needs only the
//! retries that load makes necessary: where that one would not pause, the pause is time that noise has cost. A pause is more slots of
//! the backoff, which stand still while others send: of the time from one packet to the next attempt it takes as large a part as of the slots.

use super::root_cause::RootCause;
use tworay_base::{SimDuration, SimTime};
use tworay_mac::OverloadConfig;

/// Pacing of one station.
#[derive(Clone, Debug)]
pub(crate) struct Pacing {
    weight: f64,
    min_retries: f64,
    /// Average retries per packet that load alone makes necessary.
    by_load: f64,
    /// The latest reason for other retries.
    noise: Option<RootCause>,
    /// The pause that the station makes, or made last: when it began, and how long it is.
    pause: Option<(SimTime, SimDuration)>,
}

impl Pacing {
    /// A station with these settings; `None` if it does not pace.
    pub fn of(config: &OverloadConfig) -> Option<Self> {
        let OverloadConfig { weight, min_retries, .. } = *config;
        config.pacing.then_some(Self { weight, min_retries, by_load: 0.0, noise: None, pause: None })
    }

    /// The station was switched off and begins anew.
    pub fn restart(&mut self) {
        (self.by_load, self.noise, self.pause) = (0.0, None, None);
    }

    /// The station is done with a packet, which needed so many retries because of load; `other`: the reason for others.
    pub fn done(&mut self, retries: u16, other: Option<RootCause>) {
        self.by_load += self.weight * (f64::from(retries) - self.by_load);
        self.noise = other.or(self.noise);
    }

    /// The station begins a pause.
    pub fn pauses(&mut self, now: SimTime, time: SimDuration) {
        self.pause = Some((now, time));
    }

    /// The latest pause, if noise is the reason for it: when it ended, its length and the root. The station had
    /// nothing to send last at `idle_at`; what it pauses then costs nothing. `backoff`: the mean of the one beside the pause. `begun`: when
    /// the first attempt after the pause began, if no other has followed; otherwise the slots of both are taken as never interrupted.
    pub fn lost(
        &mut self,
        begun: Option<SimTime>,
        backoff: SimDuration,
        idle_at: SimTime,
    ) -> Option<(SimTime, SimDuration, RootCause)> {
        let (began, time) = self.pause.take()?;
        let noise = self.noise.filter(|_| self.by_load < self.min_retries && idle_at <= began)?;
        let begun = begun.unwrap_or(began + time + backoff);
        let part = time.as_secs_f64() / (time + backoff).as_secs_f64();
        Some((begun, begun.since(began).mul_f64(part), noise.strikes(begun)))
    }
}

#[cfg(test)]
mod tests;
