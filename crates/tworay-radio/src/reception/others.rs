//! Signals at a station that it is not receiving.

use tworay_base::SimTime;

/// A signal that is not being received.
#[derive(Copy, Clone, Debug)]
pub(super) struct Other {
    pub start: SimTime,
    pub end: SimTime,
    /// Received power, W.
    pub power: f64,
}

/// The signals at a station that it is not receiving; some of them may have ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Others {
    list: Vec<Other>,
    /// When the last of them ends. Usually that time has passed, and the list needs no search.
    until: SimTime,
}

impl Others {
    #[inline]
    pub fn push(&mut self, other: Other) {
        self.until = self.until.max(other.end);
        self.list.push(other);
    }

    /// All that were not forgotten.
    pub fn iter(&self) -> std::slice::Iter<'_, Other> {
        self.list.iter()
    }

    /// The sum of the powers at `now`, W.
    #[inline]
    pub fn sum(&self, now: SimTime) -> f64 {
        if self.until <= now {
            return 0.0;
        }
        self.list.iter().map(|o| if o.end > now { o.power } else { 0.0 }).sum()
    }

    /// The largest power at `now`, W, or 0; forgets what has ended.
    pub fn strongest(&mut self, now: SimTime) -> f64 {
        self.list.retain(|o| o.end > now);
        self.list.iter().fold(0.0, |m, o| m.max(o.power))
    }

    /// Forgets what has ended; returns the sum of the remaining powers, W.
    #[inline]
    pub fn forget_ended(&mut self, now: SimTime) -> f64 {
        if self.until <= now {
            self.list.clear();
            return 0.0;
        }
        let others = self.list.as_mut_slice();
        let (mut kept, mut sum) = (0, 0.0);
        for i in 0..others.len() {
            let other = others[i];
            others[kept] = other;
            let lasts = other.end > now;
            kept += usize::from(lasts);
            sum += if lasts { other.power } else { 0.0 };
        }
        self.list.truncate(kept);
        sum
    }
}

#[cfg(test)]
mod tests;
