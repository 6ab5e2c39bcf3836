//! Minstrel-HT, the rate control of Linux (mac80211), as its documentation and the papers about it describe it:
//! the Minstrel documentation of linuxwireless.org; Xia, Hart and Fu 2013; Grünblatt, Guérin-Lassous and Simonin
//! 2020.
//!
//! Every 50 ms the success probability of each rate that was used is averaged; from it follows the throughput
//! that the rate would give. The chain of a frame is the best rate by throughput, the second best, and the best
//! by probability. Now and then a frame is a sample: its first attempt goes out at another rate.

mod sampling;
mod statistics;

pub use sampling::Sampling;
pub use statistics::{Averaging, RateStatistics};

use super::chain::{RateReport, RetryChain, Stage};
use sampling::Sampler;
use statistics::{Best, KEPT, RateTable};
use tworay_base::{ConfigProblem, RngStream, SimDuration, SimTime};
use tworay_radio::phy::{Airtime, Mode, PhyTiming};

/// Frames in an aggregate, until some were sent.
const USUAL_AGGREGATE: f64 = 16.0;
/// Success probability from which a rate counts as reliable.
const RELIABLE: f64 = 0.75;

/// Settings of Minstrel-HT.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct MinstrelConfig {
    /// Time between updates of the statistics: 50 ms, before Linux 5.12 100 ms.
    pub interval: SimDuration,
    /// The average of probabilities.
    pub averaging: Averaging,
    /// Choice and times of samples.
    pub sampling: Sampling,
}

impl MinstrelConfig {
    /// Linux from 5.12 on.
    pub const LINUX: Self = Self {
        interval: SimDuration::from_millis(50),
        averaging: Averaging::LowPass,
        sampling: Sampling::Slots,
    };
    /// As before Linux 5.12, with the interval of ns-3.37.
    pub const EARLIER: Self = Self {
        interval: SimDuration::from_millis(50),
        averaging: Averaging::Exponential,
        sampling: Sampling::Lookaround,
    };
}

impl Default for MinstrelConfig {
    fn default() -> Self {
        Self::LINUX
    }
}

/// Minstrel-HT towards one neighbour.
#[derive(Clone, Debug)]
pub struct MinstrelHt {
    config: MinstrelConfig,
    rates: RateTable,
    best: Best,
    sampler: Sampler,
    next_update: SimTime,
    /// Mean frames in an aggregate.
    aggregate: f64,
    /// Frames and aggregates since the last update.
    sent: (u32, u32),
}

impl MinstrelHt {
    /// Starts with the slowest of `modes`, which both ends must have.
    ///
    /// # Errors
    /// No modes.
    pub fn new(
        modes: &[Mode],
        airtime: &Airtime,
        timing: &PhyTiming,
        config: MinstrelConfig,
        rng: RngStream,
    ) -> Result<Self, ConfigProblem> {
        if modes.is_empty() {
            return ConfigProblem::refuse("modes", "both ends have no mode in common", "use one standard");
        }
        let rates = RateTable::new(modes, airtime, timing);
        let slowest = rates.slowest();
        let best = Best { throughput: [slowest; 4], probability: slowest };
        let mut minstrel = Self {
            sampler: Sampler::new(config.sampling, rng),
            config,
            rates,
            best,
            next_update: SimTime::ZERO + config.interval,
            aggregate: USUAL_AGGREGATE,
            sent: (0, 0),
        };
        minstrel.sampler.refill(&minstrel.rates, &minstrel.best);
        Ok(minstrel)
    }

    /// The modes to try for the next frame or aggregate.
    pub fn chain(&mut self, now: SimTime) -> RetryChain {
        let stage = |index: usize| Stage {
            mode: self.rates.mode(index),
            tries: self.rates.tries(index, self.aggregate),
        };
        let [first, second, ..] = self.best.throughput.map(stage);
        let last = stage(self.best.probability);
        match self.sampler.next(now, &mut self.rates, &self.best, self.aggregate) {
            Some(index) => {
                let sample = Stage { mode: self.rates.mode(index), tries: 1 };
                let next = match self.config.sampling {
                    Sampling::Slots => second,
                    Sampling::Lookaround => first,
                };
                RetryChain::new(sample, [next, last], true)
            }
            None => RetryChain::new(first, [second, last], false),
        }
    }

    /// A transmission has ended. A mode that isn't in the table (a frame sent before a change of rates) has no
    /// effect.
    pub fn report(&mut self, now: SimTime, report: &RateReport) {
        if let Some(index) = self.rates.find(report.mode) {
            self.rates.count(index, report.frames, report.acknowledged.min(report.frames));
            if report.mode.aggregates() {
                self.sent.0 += report.frames;
                self.sent.1 += 1;
            }
        }
        if now >= self.next_update {
            self.update();
            self.next_update = now + self.config.interval;
        }
    }

    fn update(&mut self) {
        if self.sent.1 > 0 {
            let mean = f64::from(self.sent.0) / f64::from(self.sent.1);
            self.aggregate = KEPT * self.aggregate + (1.0 - KEPT) * mean;
            self.sent = (0, 0);
        }
        self.rates.update(self.config.averaging);
        self.best = self.choose();
        self.sampler.update();
        self.sampler.refill(&self.rates, &self.best);
    }

    fn choose(&self) -> Best {
        let throughput = |i: usize| self.rates.throughput(i, self.aggregate);
        let probability = |i: usize| self.rates.statistics(i).probability;
        let mut order: Vec<usize> = (0..self.rates.len()).filter(|i| throughput(*i) > 0.0).collect();
        // The sort is stable: equals stay in the order of the table, slower groups first.
        order.sort_by(|&a, &b| {
            throughput(b).total_cmp(&throughput(a)).then(probability(b).total_cmp(&probability(a)))
        });
        let slowest = self.rates.slowest();
        let at = |place: usize| order.get(place).or(order.last()).copied().unwrap_or(slowest);
        let reliable = order.iter().copied().find(|&i| probability(i) > RELIABLE);
        let likeliest = || {
            let by = |a: &usize, b: &usize| probability(*a).total_cmp(&probability(*b));
            // Of equals the last counts: the others come first by throughput, so look from the end.
            order.iter().rev().copied().max_by(by).unwrap_or(slowest)
        };
        Best { throughput: [at(0), at(1), at(2), at(3)], probability: reliable.unwrap_or_else(likeliest) }
    }

    /// The four best modes by throughput, and the best by probability.
    pub fn best(&self) -> ([Mode; 4], Mode) {
        (self.best.throughput.map(|i| self.rates.mode(i)), self.rates.mode(self.best.probability))
    }

    /// Statistics of `mode`, if it is in the table.
    pub fn statistics(&self, mode: Mode) -> Option<RateStatistics> {
        self.rates.find(mode).map(|index| self.rates.statistics(index))
    }

    /// Throughput in bits per second that `mode` is expected to give for packets of 1,200 bytes.
    pub fn expected_throughput(&self, mode: Mode) -> Option<f64> {
        self.rates.find(mode).map(|index| self.rates.throughput(index, self.aggregate))
    }
}
