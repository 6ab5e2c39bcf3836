//! Contention: when the medium is idle and when the backoff ends (IEEE 802.11-1999 §9.2.5).

use super::{Dcf, Exchange};
use crate::contention::Backoff;
use tworay_base::{SimDuration, SimTime};

/// Time a DSSS station needs to detect a busy medium (aCCATime, IEEE 802.11-1999 §15.3.3).
const CCA_TIME: SimDuration = SimDuration::from_micros(15);

impl Dcf {
    /// When the medium becomes idle, as far as known (physical and virtual carrier sense, own exchange).
    #[inline]
    pub(super) fn taken_until(&self) -> SimTime {
        self.busy_until.max(self.tx_until).max(self.nav_until).max(self.hold_until)
    }

    /// When DIFS may start: the idle time, or later after a failed reception.
    #[inline]
    pub(super) fn idle_from(&self) -> SimTime {
        self.taken_until().max(self.eifs_until)
    }

    /// When backoffs may count, unless the medium turns busy again: the idle time plus DIFS.
    #[inline]
    pub(super) fn free_from(&self) -> SimTime {
        self.idle_from() + self.timing.difs
    }

    /// True if the station may contend for its own frame: it has no exchange of its own in progress.
    pub(super) fn may_contend(&self) -> bool {
        !matches!(
            self.exchange,
            Exchange::AwaitCts | Exchange::DataSoon | Exchange::AwaitAck | Exchange::Broadcasting
        )
    }

    /// A packet was offered: starts contention for it.
    pub(super) fn begin_contention(&mut self, now: SimTime) {
        // A backoff that ended with nothing to send does not count for this frame.
        let (free, slot) = (self.free_from(), self.timing.slot);
        self.backoff = self.backoff.filter(|b| b.ends(free, slot) > now);
        if self.backoff.is_some() || !self.may_contend() {
            return;
        }
        if self.quirks.backoff_always || self.taken_until() > now {
            self.draw_backoff(now);
        } else {
            self.backoff = Some(Backoff::immediate(now));
        }
    }

    pub(super) fn draw_backoff(&mut self, now: SimTime) {
        let range = if self.quirks.backoff_below_cw { self.cw } else { self.cw + 1 };
        let slots = self.rng.below(range);
        self.backoff = Some(Backoff::new(slots, now + self.timing.difs));
    }

    pub(super) fn double_window(&mut self) {
        self.cw = (2 * self.cw + 1).min(self.cw_max);
    }

    /// The medium turns busy at `now` while the station has a backoff. Returns whether the backoff stops.
    #[inline(always)]
    pub(super) fn stop_backoff(&mut self, now: SimTime) -> bool {
        let free = self.free_from();
        let slot = self.timing.slot;
        let waits = self.current.is_some();
        let Some(b) = &mut self.backoff else { return false };
        if waits && !self.quirks.instant_carrier_sense && b.ends(free, slot) < now + CCA_TIME {
            b.commit(free);
            return false;
        }
        if !waits && b.ends(free, slot) <= now {
            self.backoff = None;
        } else if b.is_immediate() {
            self.draw_backoff(now);
        } else {
            b.stop(now, free, slot);
        }
        true
    }

    /// Counts the slots elapsed until `now`, just before something other than an arriving signal occupies the
    /// medium.
    #[inline]
    pub(super) fn use_up(&mut self, now: SimTime) {
        if self.backoff.is_none() || self.taken_until() > now {
            return;
        }
        let free = self.free_from();
        let slot = self.timing.slot;
        let Some(b) = &mut self.backoff else { return };
        if self.current.is_none() && b.ends(free, slot) <= now {
            self.backoff = None;
        } else if free < now && !b.is_committed() && !b.is_immediate() {
            b.stop(now, free, slot);
        }
    }

    /// The station's own action changed the medium: draws or stops the backoff where necessary.
    pub(super) fn review_backoff(&mut self, now: SimTime) {
        let Some(b) = &self.backoff else { return };
        if b.is_immediate() && self.taken_until() > now {
            self.draw_backoff(now);
        } else if b.is_committed() && self.is_transmitting(now) {
            let (free, slot) = (self.free_from(), self.timing.slot);
            if let Some(b) = &mut self.backoff {
                b.stop(now, free, slot);
            }
        }
    }

    /// When the backoff ends, as far as known; [`SimTime::NEVER`] if no packet is waiting for it.
    #[inline]
    pub fn contention_deadline(&self) -> SimTime {
        match &self.backoff {
            Some(backoff) if self.current.is_some() => backoff.ends(self.free_from(), self.timing.slot),
            _ => SimTime::NEVER,
        }
    }
}
