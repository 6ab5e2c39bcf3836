//! Statistics of rates, and what follows from them: throughput and retries.

use std::f64::consts::{PI, SQRT_2};
use tworay_base::SimDuration;
use tworay_radio::phy::{Airtime, GuardInterval, Mode, PhyTiming, Width, control_response};

/// The packet for which throughput is estimated, bytes.
const PACKET: u32 = 1_200;
/// Frames of the aggregate by which a packet's share of symbols is computed.
const AGGREGATE: u32 = 16;
/// Probabilities above this count as this: differences there are noise.
const CERTAIN: f64 = 0.9;
/// Rates with a lower probability give nothing, and are tried once.
const HOPELESS: f64 = 0.1;
/// Attempts with a rate end when they would take longer than this.
const SEGMENT: SimDuration = SimDuration::from_millis(6);
/// Most attempts with one rate.
const MOST_TRIES: u8 = 7;
/// Length of a BlockAck, bytes.
const BLOCK_ACK: u32 = 32;
const ACK: u32 = 14;

/// Share of the old value in averages, for probabilities with [`Averaging::Exponential`] and always for the length
/// of aggregates.
pub(super) const KEPT: f64 = 0.75;

/// The average of success probabilities over updates.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Averaging {
    /// Three quarters of the old value and a quarter of the new.
    Exponential,
    /// A low-pass filter of second order with a period of 16 updates (Ehlers' "super smoother"): it follows a
    /// change faster at the same noise.
    LowPass,
}

impl Averaging {
    /// The next average from the latest probability, the average, and the one before it.
    pub(super) fn next(self, latest: f64, average: f64, before: f64) -> f64 {
        match self {
            Self::Exponential => KEPT * average + (1.0 - KEPT) * latest,
            Self::LowPass => {
                let a = libm::exp(-PI * SQRT_2 / 16.0);
                let second = 2.0 * a * libm::cos(SQRT_2 * 2.0 * PI / 16.0);
                let third = -a * a;
                let first = 1.0 - second - third;
                (first * latest + second * average + third * before).clamp(0.0, 1.0)
            }
        }
    }
}

/// Statistics of a rate.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct RateStatistics {
    /// Frames sent since the last update.
    pub attempts: u32,
    /// Frames of these that were acknowledged.
    pub successes: u32,
    /// Average success probability; 0 before the first attempt.
    pub probability: f64,
    /// The average before the latest update.
    pub before: f64,
    /// True once the rate was used.
    pub known: bool,
    /// Updates in a row without an attempt.
    pub idle_updates: u32,
}

/// A rate of the table.
#[derive(Clone, Debug)]
struct Rate {
    mode: Mode,
    group: usize,
    /// Airtime of one packet: for aggregates its share of symbols, otherwise the whole exchange.
    packet: SimDuration,
    /// Cost of an aggregate beside its symbols: header, SIFS and BlockAck. Zero for other rates.
    overhead: SimDuration,
    statistics: RateStatistics,
}

/// Rates by group. A group has the same format, streams, width and guard interval; its rates ascend.
#[derive(Clone, Debug)]
pub(super) struct RateTable {
    rates: Vec<Rate>,
    groups: usize,
    slot: SimDuration,
    window: (u32, u32),
}

/// Format, guard interval, width and streams of a group's rates.
type GroupKey = (u8, GuardInterval, Width, u8);

fn group_of(mode: Mode) -> GroupKey {
    let format = match mode {
        Mode::Dsss(_) => 0,
        Mode::Ofdm(_) => 1,
        Mode::Ht(_) => 2,
        Mode::Vht(_) => 3,
    };
    (format, mode.guard(), mode.width(), mode.streams())
}

impl RateTable {
    pub fn new(modes: &[Mode], airtime: &Airtime, timing: &PhyTiming) -> Self {
        let mut modes = modes.to_vec();
        modes.sort_by_key(|mode| (group_of(*mode), mode.rate()));
        modes.dedup();
        let mut rates: Vec<Rate> = Vec::with_capacity(modes.len());
        let (mut groups, mut last) = (0, None);
        for mode in modes {
            if last.replace(group_of(mode)) != Some(group_of(mode)) {
                groups += 1;
            }
            let response = control_response(mode, &[]);
            let header = airtime.header(mode);
            let (packet, overhead) = if mode.aggregates() {
                let symbols = airtime.frame(mode, PACKET * AGGREGATE) - header;
                (symbols / u64::from(AGGREGATE), header + timing.sifs + airtime.frame(response, BLOCK_ACK))
            } else {
                let exchange = airtime.frame(mode, PACKET) + timing.sifs + airtime.frame(response, ACK);
                (exchange, SimDuration::ZERO)
            };
            let statistics = RateStatistics::default();
            rates.push(Rate { mode, group: groups - 1, packet, overhead, statistics });
        }
        Self { rates, groups, slot: timing.slot, window: (timing.window.min, timing.window.max) }
    }

    pub fn len(&self) -> usize {
        self.rates.len()
    }

    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The rates of `group`, slowest first.
    pub fn of_group(&self, group: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.rates.len()).filter(move |i| self.rates[*i].group == group)
    }

    pub fn mode(&self, index: usize) -> Mode {
        self.rates[index].mode
    }

    pub fn find(&self, mode: Mode) -> Option<usize> {
        self.rates.iter().position(|rate| rate.mode == mode)
    }

    pub fn slowest(&self) -> usize {
        (0..self.rates.len()).min_by_key(|i| self.rates[*i].mode.rate()).unwrap_or(0)
    }

    /// Airtime of a packet at this rate.
    pub fn packet(&self, index: usize) -> SimDuration {
        self.rates[index].packet
    }

    pub fn statistics(&self, index: usize) -> RateStatistics {
        self.rates[index].statistics
    }

    pub fn count(&mut self, index: usize, frames: u32, acknowledged: u32) {
        let statistics = &mut self.rates[index].statistics;
        statistics.attempts += frames;
        statistics.successes += acknowledged;
    }

    /// Averages the probabilities of the rates used since the last update.
    pub fn update(&mut self, averaging: Averaging) {
        for rate in &mut self.rates {
            let s = &mut rate.statistics;
            if s.attempts == 0 {
                s.idle_updates = s.idle_updates.saturating_add(1);
                continue;
            }
            let latest = f64::from(s.successes) / f64::from(s.attempts);
            let average = if s.known { averaging.next(latest, s.probability, s.before) } else { latest };
            let before = if s.known { s.probability } else { latest };
            *s = RateStatistics { probability: average, before, known: true, ..RateStatistics::default() };
        }
    }

    /// Expected bits per second of packets of 1,200 bytes, in aggregates of `aggregate` frames.
    pub fn throughput(&self, index: usize, aggregate: f64) -> f64 {
        let rate = &self.rates[index];
        let probability = rate.statistics.probability;
        if probability < HOPELESS {
            return 0.0;
        }
        let time = rate.packet.as_secs_f64() + rate.overhead.as_secs_f64() / aggregate.max(1.0);
        probability.min(CERTAIN) * f64::from(8 * PACKET) / time
    }

    /// Attempts with this rate: as many as fit into 6 ms with the backoff between them, from 2 to 7; one if it
    /// hardly ever succeeds.
    pub fn tries(&self, index: usize, aggregate: f64) -> u8 {
        let rate = &self.rates[index];
        if rate.statistics.probability < HOPELESS {
            return 1;
        }
        let frames = if rate.mode.aggregates() { aggregate.max(1.0) } else { 1.0 };
        let attempt = rate.packet.mul_f64(frames) + rate.overhead;
        let (mut window, most) = self.window;
        let mut time = SimDuration::ZERO;
        let mut tries = 0;
        while tries < MOST_TRIES {
            time += self.slot * u64::from(window) / 2 + attempt;
            window = (2 * window + 1).min(most);
            if tries >= 2 && time >= SEGMENT {
                break;
            }
            tries += 1;
        }
        tries
    }
}

/// The best rates, as indices of the rate table.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Best {
    /// By throughput, best first.
    pub throughput: [usize; 4],
    /// By probability: of the reliable rates the one with most throughput; without any, the likeliest.
    pub probability: usize,
}
