//! Waiting for the medium: when it is idle, how long the backoff still takes (IEEE 802.11-1999 §9.2.5).

use super::{Dcf, Exchange, MacAction, MacTimer};
use crate::contention::Backoff;
use tworay_base::{SimDuration, SimTime};

/// How long the medium must be busy before a DSSS station can know (aCCATime, IEEE 802.11-1999 §15.3.3).
const CCA_TIME: SimDuration = SimDuration::from_micros(15);

impl Dcf {
    /// Until when the medium is known to be taken (physical and virtual carrier, own exchange).
    #[inline]
    fn taken_until(&self) -> SimTime {
        self.busy_until.max(self.tx_until).max(self.nav_until).max(self.hold_until)
    }

    /// From when DIFS may be counted: after a failed reception that is later than the medium's idle time.
    #[inline]
    pub(super) fn idle_from(&self) -> SimTime {
        self.taken_until().max(self.eifs_until)
    }

    /// Whether contention for our own frame may go on (no exchange of our own in progress).
    pub(super) fn may_contend(&self) -> bool {
        !matches!(
            self.exchange,
            Exchange::AwaitCts | Exchange::DataSoon | Exchange::AwaitAck | Exchange::Broadcasting
        )
    }

    /// A packet has been offered: how it gets at the medium.
    pub(super) fn begin_contention(&mut self, now: SimTime) {
        self.forget_expired(now, true);
        if self.backoff.is_some() || !self.may_contend() {
            return;
        }
        if self.quirks.backoff_always || self.taken_until() > now {
            self.draw_backoff(now);
        } else {
            let at = (self.idle_from() + self.timing.difs).max(now);
            self.backoff = Some(Backoff::immediate(at));
        }
    }

    pub(super) fn draw_backoff(&mut self, now: SimTime) {
        let range = if self.quirks.backoff_below_cw { self.cw } else { self.cw + 1 };
        let slots = self.rng.below(range);
        self.backoff = Some(Backoff::new(slots, self.idle_from().max(now) + self.timing.difs));
    }

    pub(super) fn double_window(&mut self) {
        self.cw = (2 * self.cw + 1).min(self.cw_max);
    }

    /// A backoff that ran out while there was nothing to send is over: the next frame needs a new one.
    #[inline]
    fn forget_expired(&mut self, now: SimTime, nothing_to_send: bool) {
        if nothing_to_send && self.backoff.is_some_and(|b| b.ends(self.timing.slot) <= now) {
            self.backoff = None;
        }
    }

    /// The rest of [`Dcf::on_busy`] for a station that has a backoff.
    pub(super) fn busy_during_backoff(&mut self, now: SimTime, until: SimTime) -> Option<SimTime> {
        let was_idle = self.taken_until() <= now;
        self.busy_until = until;
        if was_idle
            && !self.quirks.instant_carrier_sense
            && self.current.is_some()
            && let Some(b) = &mut self.backoff
            && b.ends(self.timing.slot) < now + CCA_TIME
        {
            b.commit();
            return None;
        }
        self.refreeze(now);
        let deadline = self.contention_deadline()?;
        (deadline != self.armed).then(|| {
            self.armed = deadline;
            deadline
        })
    }

    /// What is known of the medium has changed: the backoff counts on after its next idle time.
    pub(super) fn refreeze(&mut self, now: SimTime) {
        if self.backoff.is_none() {
            return;
        }
        self.forget_expired(now, self.current.is_none());
        let idle_from = self.idle_from();
        let taken = self.taken_until() > now;
        let transmitting = self.is_transmitting(now);
        let Some(b) = &mut self.backoff else { return };
        // An idle time in the past is what the backoff counts from already.
        if idle_from < now || b.is_committed() && !transmitting {
            return;
        }
        if b.is_immediate() && taken {
            self.draw_backoff(now);
        } else {
            b.freeze(now, idle_from + self.timing.difs, self.timing.slot);
        }
    }

    fn contention_deadline(&self) -> Option<SimTime> {
        let backoff = self.backoff?;
        self.current?;
        Some(backoff.ends(self.timing.slot))
    }

    /// The contention timer's deadline if it has changed; `NEVER` if there is none any more.
    #[inline]
    pub(super) fn moved_deadline(&mut self) -> Option<SimTime> {
        let deadline = self.contention_deadline().unwrap_or(SimTime::NEVER);
        (deadline != self.armed).then(|| {
            self.armed = deadline;
            deadline
        })
    }

    pub(super) fn arm_contention(&mut self, out: &mut Vec<MacAction>) {
        match self.moved_deadline() {
            Some(SimTime::NEVER) => out.push(MacAction::Disarm(MacTimer::Contention)),
            Some(deadline) => out.push(MacAction::Arm(MacTimer::Contention, deadline)),
            None => {}
        }
    }
}
