//! Deadlines that are postponed again and again, kept beside the event queue.
//!
//! Most contention deadlines are postponed before they fire: every signal on the medium moves them. This
//! table therefore stores a lower bound of each deadline, which is cheap to raise. When a bound is reached,
//! the true deadlines of the whole group are computed, because the signal that postponed one of them has
//! usually postponed its neighbours too.

use tworay_base::SimTime;

/// Stations in a group, and groups in a group of the next level.
const GROUP: usize = 8;

/// Up to this number of stations there are no groups.
const FEW: usize = 64;

/// Lower bounds of many deadlines.
pub struct Deadlines {
    /// Lower bound of each deadline; [`SimTime::NEVER`] where there is none.
    bounds: Vec<SimTime>,
    /// Smallest bound of each group, of each group of groups, and so on up to a single one; empty for few
    /// stations.
    groups: Vec<Vec<SimTime>>,
    /// Smallest of all bounds.
    next: SimTime,
}

impl Deadlines {
    /// Creates `n` stations without deadlines.
    pub fn new(n: usize) -> Self {
        if n <= FEW {
            return Self { bounds: vec![SimTime::NEVER; n], groups: Vec::new(), next: SimTime::NEVER };
        }
        let mut groups = Vec::new();
        let mut members = n.next_multiple_of(GROUP);
        let bounds = vec![SimTime::NEVER; members];
        while members > GROUP {
            members = (members / GROUP).next_multiple_of(GROUP);
            groups.push(vec![SimTime::NEVER; members]);
        }
        Self { bounds, groups, next: SimTime::NEVER }
    }

    /// Lower bound of all deadlines.
    #[inline(always)]
    pub fn next(&self) -> SimTime {
        self.next
    }

    /// Sets the deadline of `who`; [`SimTime::NEVER`] clears it.
    #[inline(always)]
    pub fn set(&mut self, who: usize, at: SimTime) {
        self.bounds[who] = at;
        let mut group = who;
        for level in &mut self.groups {
            group /= GROUP;
            if level[group] <= at {
                return;
            }
            level[group] = at;
        }
        self.next = at.min(self.next);
    }

    /// Postpones the deadline of `who` to `until` at the earliest.
    #[inline(always)]
    pub fn postpone(&mut self, who: usize, until: SimTime) {
        self.bounds[who] = self.bounds[who].max(until);
    }

    /// The station with the earliest deadline, if that is not after `limit` (which is before
    /// [`SimTime::NEVER`]). `deadline` returns a station's current deadline, never earlier than it was
    /// [`set`](Self::set) or [`postponed`](Self::postpone). Ties within a nanosecond go to the lowest
    /// number at some times and to the highest at others, as `tie` says, so that neither end of a string is favoured.
    #[inline(always)]
    pub fn first_until(
        &mut self,
        limit: SimTime,
        tie: SimTime,
        deadline: impl Fn(usize) -> SimTime,
    ) -> Option<(SimTime, usize)> {
        debug_assert!(limit < SimTime::NEVER);
        if self.groups.is_empty() {
            return self.first_of_few(limit, tie, deadline);
        }
        let lowest = prefers_lowest(tie);
        while self.next <= limit {
            let group = self.first_group(lowest);
            let least = self.ask(group, limit, &deadline);
            // Another group may have the same bound and precedence; then it is examined too.
            if least == self.next && least <= limit && self.first_group(lowest) == group {
                let from = group * GROUP;
                return Some((least, from + find(&self.bounds[from..][..GROUP], least, lowest)));
            }
        }
        None
    }

    /// As [`first_until`](Self::first_until) for few stations: one pass makes every bound up to `limit` a
    /// true deadline.
    #[inline(always)]
    fn first_of_few(
        &mut self,
        limit: SimTime,
        tie: SimTime,
        deadline: impl Fn(usize) -> SimTime,
    ) -> Option<(SimTime, usize)> {
        let mut least = SimTime::NEVER;
        for (who, bound) in self.bounds.iter_mut().enumerate() {
            if *bound <= limit {
                let at = deadline(who);
                debug_assert!(at >= *bound, "{who} is due at {at}, before {bound}");
                *bound = at;
            }
            least = least.min(*bound);
        }
        self.next = least;
        (least <= limit).then(|| (least, find(&self.bounds, least, prefers_lowest(tie))))
    }

    /// The lowest or the highest group of stations with the smallest bound.
    #[inline(always)]
    fn first_group(&self, lowest: bool) -> usize {
        let mut group = 0;
        for level in self.groups.iter().rev() {
            group = group * GROUP + find(&level[group * GROUP..][..GROUP], self.next, lowest);
        }
        group
    }

    /// Updates the bounds of a group's stations that may be due up to `limit`; returns the smallest.
    #[inline(always)]
    fn ask(&mut self, mut group: usize, limit: SimTime, deadline: impl Fn(usize) -> SimTime) -> SimTime {
        let from = group * GROUP;
        let mut first = SimTime::NEVER;
        for (who, bound) in (from..).zip(&mut self.bounds[from..][..GROUP]) {
            if *bound <= limit {
                let at = deadline(who);
                debug_assert!(at >= *bound, "{who} is due at {at}, before {bound}");
                *bound = at;
            }
            first = first.min(*bound);
        }
        let mut least = first;
        for level in &mut self.groups {
            level[group] = least;
            group /= GROUP;
            least = level[group * GROUP..][..GROUP].iter().fold(SimTime::NEVER, |least, &g| least.min(g));
        }
        self.next = least;
        first
    }
}

/// The lowest or the highest index whose time is `at`.
#[inline(always)]
fn find(times: &[SimTime], at: SimTime, lowest: bool) -> usize {
    let mut times = times.iter();
    let found = if lowest { times.position(|&t| t == at) } else { times.rposition(|&t| t == at) };
    found.unwrap_or(0)
}

/// True if ties near `at` go to the lowest number. Changes pseudo-randomly every 2^27 ns (134 ms).
#[inline(always)]
fn prefers_lowest(at: SimTime) -> bool {
    (at.as_nanos() >> 27).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0
}

#[cfg(test)]
mod tests;
