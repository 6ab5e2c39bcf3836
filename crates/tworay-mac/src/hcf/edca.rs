//! Enhanced distributed channel access: four categories of traffic contend side by side within a station
//! (§10.23.2).

use crate::contention::Backoff;
use tworay_base::{RngStream, SimDuration, SimTime};
use tworay_radio::phy::{AccessCategory, EdcaParameters, PhyTiming};

/// The outcome for the categories whose backoffs have ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The one that may transmit: the highest.
    pub winner: AccessCategory,
    /// The lower ones that ended in the same slot, by their numbers. Each counts this as a collision (§10.23.2.4): the caller
    /// reports it by [`Edca::failed`].
    pub collided: [bool; 4],
}

/// One category.
#[derive(Clone, Debug)]
struct Contender {
    parameters: EdcaParameters,
    aifs: SimDuration,
    window: u32,
    backoff: Option<Backoff>,
    /// True if a frame waits for access.
    waits: bool,
}

impl Contender {
    /// A new backoff, counting from `now` at the earliest.
    fn draw(&mut self, now: SimTime, rng: &mut RngStream) {
        self.backoff = Some(Backoff::new(rng.below(self.window + 1), now + self.aifs));
    }

    fn widen(&mut self) {
        self.window = (2 * self.window + 1).min(self.parameters.window.max);
    }

    /// When its backoff ends if the medium stays idle from `idle` on.
    fn ends(&self, idle: SimTime, slot: SimDuration) -> Option<SimTime> {
        self.backoff.map(|backoff| backoff.ends(idle + self.aifs, slot))
    }
}

/// The contention of one station.
#[derive(Clone, Debug)]
pub struct Edca {
    contenders: [Contender; 4],
    slot: SimDuration,
    /// EIFS less DIFS: how much later interframe spaces begin after a frame that couldn't be decoded.
    extension: SimDuration,
    /// When the medium becomes idle, as far as known.
    busy_until: SimTime,
    /// As `busy_until`, with the extension after a bad frame.
    idle_from: SimTime,
    rng: RngStream,
}

impl Edca {
    /// A station with the default parameters of its PHY, on an idle medium.
    pub fn new(timing: &PhyTiming, rng: RngStream) -> Self {
        let contender = |category| {
            let parameters = timing.edca(category);
            Contender {
                parameters,
                aifs: timing.aifs(parameters.aifsn),
                window: parameters.window.min,
                backoff: None,
                waits: false,
            }
        };
        Self {
            contenders: AccessCategory::ALL.map(contender),
            slot: timing.slot,
            extension: timing.eifs() - timing.difs(),
            busy_until: SimTime::ZERO,
            idle_from: SimTime::ZERO,
            rng,
        }
    }

    /// A station without QoS: the DCF, as the category best effort with DIFS in place of AIFS (§10.3.4.2).
    pub fn dcf(timing: &PhyTiming, rng: RngStream) -> Self {
        let mut edca = Self::new(timing, rng);
        for c in &mut edca.contenders {
            c.parameters = EdcaParameters { aifsn: 2, window: timing.window, txop: SimDuration::ZERO };
            c.aifs = timing.difs();
            c.window = timing.window.min;
        }
        edca
    }

    /// The station was switched off: nothing waits, and all windows are the smallest.
    pub fn reset(&mut self, now: SimTime) {
        for c in &mut self.contenders {
            (c.backoff, c.waits, c.window) = (None, false, c.parameters.window.min);
        }
        (self.busy_until, self.idle_from) = (now, now);
    }

    fn of(&mut self, category: AccessCategory) -> &mut Contender {
        &mut self.contenders[category as usize]
    }

    /// A frame of `category` waits. Without a backoff in progress and on an idle medium, it goes after AIFS.
    pub fn request(&mut self, now: SimTime, category: AccessCategory) {
        let (idle_from, busy, slot) = (self.idle_from, self.busy_until > now, self.slot);
        let Self { contenders, rng, .. } = self;
        let c = &mut contenders[category as usize];
        if c.waits {
            return;
        }
        c.waits = true;
        // A backoff after the previous frame that is over doesn't count for this one.
        if c.ends(idle_from, slot).is_some_and(|end| end > now) {
            return;
        }
        if busy {
            c.draw(now, rng);
        } else {
            c.backoff = Some(Backoff::immediate(now));
        }
    }

    /// The station has nothing to send in `category` any more.
    pub fn withdraw(&mut self, category: AccessCategory) {
        self.of(category).waits = false;
    }

    /// The medium is busy, or reserved, until `until`; also by the station's own transmission.
    pub fn on_busy(&mut self, now: SimTime, until: SimTime) {
        if until <= self.busy_until {
            return;
        }
        if self.busy_until <= now {
            let (idle, slot) = (self.idle_from, self.slot);
            let Self { contenders, rng, .. } = self;
            for c in contenders {
                let Some(backoff) = &mut c.backoff else { continue };
                if !c.waits && backoff.ends(idle + c.aifs, slot) <= now {
                    c.backoff = None;
                } else if backoff.is_immediate() {
                    c.draw(now, rng);
                } else {
                    backoff.stop(now, idle + c.aifs, slot);
                }
            }
        }
        self.busy_until = until;
        self.idle_from = self.idle_from.max(until);
    }

    /// The medium is busy only until `until`, which isn't before `now`: what was reported before ends earlier.
    pub fn on_idle_at(&mut self, now: SimTime, until: SimTime) {
        if until >= self.busy_until {
            return self.on_busy(now, until);
        }
        if self.idle_from <= self.busy_until {
            self.idle_from = until;
        }
        self.busy_until = until;
    }

    /// A reception ended at `now` without a good frame: interframe spaces are longer, until a good one comes.
    pub fn on_bad_frame(&mut self, now: SimTime) {
        self.idle_from = self.idle_from.max(now + self.extension);
    }

    /// A good frame ended at `now`: interframe spaces count from here.
    pub fn on_good_frame(&mut self, now: SimTime) {
        if self.idle_from > self.busy_until {
            self.idle_from = self.busy_until.max(now);
            for c in &mut self.contenders {
                if let Some(backoff) = &mut c.backoff {
                    // Slots from before the end of the wait must not count.
                    backoff.wait_until(now + c.aifs);
                }
            }
        }
    }

    /// When the first waiting category may transmit, if the medium stays idle; `NEVER` if none waits.
    pub fn deadline(&self) -> SimTime {
        let ends = |c: &Contender| if c.waits { c.ends(self.idle_from, self.slot) } else { None };
        self.contenders.iter().filter_map(ends).min().unwrap_or(SimTime::NEVER)
    }

    /// The deadline has come: the highest category whose backoff has ended transmits. The others that ended in
    /// the same slot have collided with it. `None` if no backoff has ended.
    pub fn on_deadline(&mut self, now: SimTime) -> Option<Access> {
        let (idle, slot) = (self.idle_from, self.slot);
        let ended = |c: &Contender| c.waits && c.ends(idle, slot).is_some_and(|end| end <= now);
        let highest = (0..4).rev().find(|i| ended(&self.contenders[*i]))?;
        let mut collided = [false; 4];
        for (c, collided) in self.contenders[..highest].iter().zip(&mut collided) {
            *collided = ended(c);
        }
        let winner = &mut self.contenders[highest];
        winner.backoff = None;
        winner.waits = false;
        Some(Access { winner: AccessCategory::ALL[highest], collided })
    }

    /// The transmission of `category` was answered, or needed no answer: its window is the smallest again. A backoff
    /// follows in any case.
    pub fn succeeded(&mut self, now: SimTime, category: AccessCategory) {
        let Self { contenders, rng, .. } = self;
        let c = &mut contenders[category as usize];
        c.window = c.parameters.window.min;
        c.draw(now, rng);
    }

    /// No answer came: the window grows. With `given_up`, the frame was the last attempt, and the window is the
    /// smallest again.
    pub fn failed(&mut self, now: SimTime, category: AccessCategory, given_up: bool) {
        let Self { contenders, rng, .. } = self;
        let c = &mut contenders[category as usize];
        if given_up {
            c.window = c.parameters.window.min;
        } else {
            c.widen();
        }
        c.draw(now, rng);
    }

    /// The contention window of `category` in slots.
    pub fn window(&self, category: AccessCategory) -> u32 {
        self.contenders[category as usize].window
    }
}

#[cfg(test)]
mod tests;
