//! Deadlines that are put off again and again, kept beside the queue.
//!
//! Who waits for the medium is put off by every signal, and most of these deadlines never come. So what is
//! noted here is a time before which nothing can be due, and that is raised without much ado; when it comes,
//! all of a group who could be due by then are asked, because the signal that put off one has mostly put off
//! the others too.

use tworay_base::SimTime;

/// So many stations of neighbouring numbers make a group, and so many groups a group of the next level.
const GROUP: usize = 8;

/// Up to so many stations are a single group.
const FEW: usize = 64;

/// Lower bounds of many deadlines.
pub struct Waits {
    /// No deadline is before these; [`SimTime::NEVER`] for those who wait for nothing.
    bounds: Vec<SimTime>,
    /// The least bound of each group, of each group of groups, and so on to a single one.
    groups: Vec<Vec<SimTime>>,
    /// The least of all bounds.
    next: SimTime,
    /// Stations in a group.
    width: usize,
}

impl Waits {
    /// Nobody of `n` waits for anything.
    pub fn new(n: usize) -> Self {
        if n <= FEW {
            return Self {
                bounds: vec![SimTime::NEVER; n],
                groups: Vec::new(),
                next: SimTime::NEVER,
                width: n,
            };
        }
        let mut groups = Vec::new();
        let mut members = n.next_multiple_of(GROUP);
        let bounds = vec![SimTime::NEVER; members];
        while members > GROUP {
            members = (members / GROUP).next_multiple_of(GROUP);
            groups.push(vec![SimTime::NEVER; members]);
        }
        Self { bounds, groups, next: SimTime::NEVER, width: GROUP }
    }

    /// Nothing is due before.
    #[inline(always)]
    pub fn next(&self) -> SimTime {
        self.next
    }

    /// `who` is due at `at`, or later if it is put off; [`SimTime::NEVER`] if it doesn't wait any more.
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

    /// Whatever `who` waits for isn't due before `until`.
    #[inline(always)]
    pub fn put_off(&mut self, who: usize, until: SimTime) {
        self.bounds[who] = self.bounds[who].max(until);
    }

    /// Who is due first, and when, if that is not after `limit` (before [`SimTime::NEVER`]); `deadline` says
    /// when somebody is due as things stand, never before what was [`set`](Self::set) and
    /// [`put_off`](Self::put_off). Of several due in one nanosecond it is now the lowest number, now the
    /// highest, so that neither end of a string is favoured.
    #[inline(always)]
    pub fn first_until(
        &mut self,
        limit: SimTime,
        deadline: impl Fn(usize) -> SimTime,
    ) -> Option<(SimTime, usize)> {
        debug_assert!(limit < SimTime::NEVER);
        while self.next <= limit {
            let lowest = prefers_lowest(limit);
            let group = self.first_group(lowest);
            let least = self.ask(group, limit, &deadline);
            // Another group may have the same bound and go before; then it is asked too.
            if least == self.next && least <= limit && self.first_group(lowest) == group {
                let from = group * self.width;
                return Some((least, from + find(&self.bounds[from..][..self.width], least, lowest)));
            }
        }
        None
    }

    /// The lowest or the highest of the groups of stations with the least bound.
    #[inline(always)]
    fn first_group(&self, lowest: bool) -> usize {
        let mut group = 0;
        for level in self.groups.iter().rev() {
            group = group * GROUP + find(&level[group * GROUP..][..GROUP], self.next, lowest);
        }
        group
    }

    /// Asks all of a group who could be due up to `limit`, notes what they say, and gives the least of it.
    #[inline(always)]
    fn ask(&mut self, mut group: usize, limit: SimTime, deadline: impl Fn(usize) -> SimTime) -> SimTime {
        let from = group * self.width;
        let mut first = SimTime::NEVER;
        for (who, bound) in (from..).zip(&mut self.bounds[from..][..self.width]) {
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

/// The lowest or the highest of those whose time is `at`.
#[inline(always)]
fn find(times: &[SimTime], at: SimTime, lowest: bool) -> usize {
    let mut times = times.iter();
    let found = if lowest { times.position(|&t| t == at) } else { times.rposition(|&t| t == at) };
    found.unwrap_or(0)
}

/// Whether of several due in one nanosecond around `at` the one with the lowest number goes first; as good as
/// drawn anew every 2^27 ns (134 ms).
#[inline(always)]
fn prefers_lowest(at: SimTime) -> bool {
    (at.as_nanos() >> 27).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 0
}

#[cfg(test)]
mod tests;
