//! A queue at which the twin loses datagrams of one flow, and what this run loses there.

use super::losses::NEAR;
use std::collections::VecDeque;
use tworay_base::{SimDuration, SimTime};

/// A queue that the twin fills within this time may be full for the same reason.
const NEAR_FULL: SimDuration = SimDuration::from_secs(2);

/// Losses in queues and on hops may be so many more than the twin's by chance, and so many standard deviations more.
const BY_CHANCE: f64 = 3.0;

/// A queue of one node.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    /// Times of the datagrams that load costs the twin here.
    lost: Vec<SimTime>,
    /// Those of them that this run has lost to a disturbance.
    pub(super) taken: usize,
    /// Datagrams that this run has lost here for load, and times of the latest ones.
    of_load: usize,
    latest_of_load: VecDeque<SimTime>,
    /// Times of the latest ones that count as chance.
    latest_surplus: VecDeque<SimTime>,
}

impl Queue {
    /// Load costs the twin a datagram.
    pub fn note(&mut self, at: SimTime) {
        self.lost.push(at);
    }

    /// Load has cost this run a datagram.
    pub fn note_of_load(&mut self, now: SimTime) {
        self.of_load += 1;
        self.latest_of_load.push_back(now);
    }

    /// Datagrams that load costs the twin up to a time.
    fn until(&self, time: SimTime) -> usize {
        self.lost.partition_point(|at| *at <= time)
    }

    /// True if the twin's queue loses datagrams within some seconds, too.
    fn is_full(&self, now: SimTime) -> bool {
        self.until(now + NEAR_FULL) > self.until(now.earlier_by(NEAR_FULL))
    }

    /// True if that holds, and this run's has not lost a fourth more for load then, nor so far than the twin's without those that a
    /// disturbance has cost.
    pub fn is_as_full(&mut self, now: SimTime) -> bool {
        let since = now.earlier_by(NEAR_FULL);
        forget_before(since, &mut self.latest_of_load);
        // The twin's packets may come a little later.
        let (so_far, later) = (self.until(now), self.until(now + NEAR));
        let of_twin = (so_far - self.until(since)).max(later - self.until(now.earlier_by(NEAR)));
        let few = |own: usize, of_twin: usize| 4 * own < 5 * of_twin;
        self.is_full(now)
            && few(self.latest_of_load.len(), of_twin)
            && few(self.of_load, later.saturating_sub(self.taken))
    }

    /// True if one more loss may be chance, beside `surplus` others of the flow: by all of the twin's so far, and by those within a second.
    pub fn by_chance(&mut self, now: SimTime, surplus: u32) -> bool {
        let since = now.earlier_by(NEAR);
        forget_before(since, &mut self.latest_surplus);
        let near = self.until(now + NEAR) - self.until(since);
        let is_chance = !self.lost.is_empty()
            && is_random(surplus, self.until(now))
            && is_random(self.latest_surplus.len() as u32, near);
        self.latest_surplus.extend(is_chance.then_some(now));
        is_chance
    }
}

/// True if one more loss may be chance, beside so many that count as chance and so many of the twin.
pub(super) fn is_random(surplus: u32, of_twin: usize) -> bool {
    f64::from(surplus + 1) <= BY_CHANCE + BY_CHANCE * (of_twin as f64).sqrt()
}

fn forget_before(since: SimTime, times: &mut VecDeque<SimTime>) {
    let old = times.partition_point(|at| *at < since);
    times.drain(..old);
}
