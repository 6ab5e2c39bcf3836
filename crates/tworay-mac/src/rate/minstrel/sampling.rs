//! Which rates are tried for the sake of learning, and when.

use super::statistics::{Best, RateTable};
use tworay_base::{RngStream, SimDuration, SimTime};

/// The ways of sampling.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// Linux from 5.12 on: at most one sample in 20 ms, from three lists that are refilled at each update. A step
    /// up: the next faster rate of each group in turn. A jump: any faster rate. Slow: a rate between the best
    /// ones, in case they become too fast. Mostly faster rates are sampled.
    Slots,
    /// Before Linux 5.12, and ns-3.37: about one aggregate in 16 and more is a sample of a random rate, but for
    /// rates that can't be better.
    Lookaround,
}

/// Least time between samples.
const SLOT: SimDuration = SimDuration::from_millis(20);
/// Rates in each list.
const LIST: usize = 5;
/// A slower rate with a higher probability has nothing to tell.
const SURE: f64 = 0.95;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Step,
    Jump,
    Slow,
}

/// The order in which the lists are served.
const ORDER: [Kind; 6] = [Kind::Step, Kind::Jump, Kind::Step, Kind::Jump, Kind::Step, Kind::Slow];

/// Lookaround: samples between two updates, and how many of them may be slow.
const SAMPLES: u32 = 16;
const SLOW_SAMPLES: u32 = 2;
/// Lookaround: a slow rate is sampled only after so many updates without an attempt.
const FORGOTTEN: u32 = 20;
/// Lookaround: transmissions between two samples, and more the longer aggregates are.
const PAUSE: f64 = 16.0;

/// Chooses samples.
#[derive(Clone, Debug)]
pub(super) struct Sampler {
    sampling: Sampling,
    rng: RngStream,
    lists: [Vec<usize>; 3],
    place: usize,
    next_slot: SimTime,
    /// The group that gave the latest step.
    group: usize,
    wait: u32,
    left: u32,
    slow: u32,
}

impl Sampler {
    pub fn new(sampling: Sampling, rng: RngStream) -> Self {
        Self {
            sampling,
            rng,
            lists: Default::default(),
            place: 0,
            next_slot: SimTime::ZERO,
            group: 0,
            wait: 0,
            left: SAMPLES,
            slow: 0,
        }
    }

    /// The statistics were updated.
    pub fn update(&mut self) {
        self.left = SAMPLES;
        self.slow = 0;
    }

    /// The rate to sample with the next transmission, if it is to be a sample.
    pub fn next(
        &mut self,
        now: SimTime,
        rates: &mut RateTable,
        best: &Best,
        aggregate: f64,
    ) -> Option<usize> {
        match self.sampling {
            Sampling::Slots => self.take_slot(now),
            Sampling::Lookaround => self.look_around(rates, best, aggregate),
        }
    }

    fn take_slot(&mut self, now: SimTime) -> Option<usize> {
        if now < self.next_slot {
            return None;
        }
        self.next_slot = now + SLOT;
        let kind = ORDER[self.place];
        self.place = (self.place + 1) % ORDER.len();
        let list = &mut self.lists[kind as usize];
        if list.is_empty() { None } else { Some(list.remove(0)) }
    }

    /// Fills the lists with rates that are worth a sample now. Rates that were in a list and still belong there
    /// stay in front.
    pub fn refill(&mut self, rates: &RateTable, best: &Best) {
        if self.sampling != Sampling::Slots {
            return;
        }
        let used = [best.throughput[0], best.throughput[1], best.probability].map(|i| rates.packet(i));
        let fastest = used.into_iter().min().unwrap_or(SimDuration::ZERO);
        let slowest = used.into_iter().max().unwrap_or(SimDuration::ZERO);
        let faster = |i: &usize| rates.packet(*i) < fastest;
        let between = |i: &usize| {
            let time = rates.packet(*i);
            time > fastest && time < slowest && rates.statistics(*i).probability <= SURE
        };
        self.lists[Kind::Step as usize].retain(faster);
        self.lists[Kind::Jump as usize].retain(faster);
        self.lists[Kind::Slow as usize].retain(between);

        for _ in 0..rates.groups() {
            self.group = (self.group + 1) % rates.groups();
            // Faster than the best by throughput, even if a more reliable one is faster still.
            let step = rates.of_group(self.group).find(|i| rates.packet(*i) < used[0]);
            self.put(Kind::Step, step);
        }
        let mut shuffled: Vec<usize> = (0..rates.len()).collect();
        for last in (1..shuffled.len()).rev() {
            let other = self.rng.below(last as u32 + 1) as usize;
            shuffled.swap(last, other);
        }
        for index in shuffled {
            if faster(&index) {
                self.put(Kind::Jump, Some(index));
            } else if between(&index) {
                self.put(Kind::Slow, Some(index));
            }
        }
    }

    fn put(&mut self, kind: Kind, rate: Option<usize>) {
        let list = &mut self.lists[kind as usize];
        if let Some(rate) = rate
            && list.len() < LIST
            && !list.contains(&rate)
        {
            list.push(rate);
        }
    }

    fn look_around(&mut self, rates: &RateTable, best: &Best, aggregate: f64) -> Option<usize> {
        if self.wait > 0 {
            self.wait -= 1;
            return None;
        }
        if self.left == 0 {
            return None;
        }
        let index = self.rng.below(rates.len() as u32) as usize;
        let [first, second, ..] = best.throughput;
        let statistics = rates.statistics(index);
        if [first, second, best.probability].contains(&index) || statistics.probability > SURE {
            return None;
        }
        let time = rates.packet(index);
        let fewer_streams = rates.mode(index).streams() < rates.mode(first).streams();
        let slow = time >= rates.packet(second) && (!fewer_streams || time >= rates.packet(best.probability));
        if slow {
            if statistics.idle_updates < FORGOTTEN || self.slow >= SLOW_SAMPLES {
                return None;
            }
            self.slow += 1;
        }
        self.left -= 1;
        self.wait = (PAUSE + 2.0 * aggregate) as u32;
        Some(index)
    }
}
