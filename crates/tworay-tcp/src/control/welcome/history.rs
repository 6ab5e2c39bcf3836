//! Loss differentiation: are round trips growing, or constant?

use crate::control::flip_flop::{ControlState, FlipFlop};

/// Which patterns of the remembered samples count as growing round trips.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Predicate {
    /// The longest run of growing samples reaches the count.
    Run,
    /// The number of growing samples reaches the count.
    Count,
    /// The number of growing samples exceeds the count.
    CountAbove,
    /// The newest run of growing samples reaches the count.
    CurrentRun,
}

/// Reference for the growth of a sample.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Relative {
    Average,
    Successive,
}

/// Filter that distinguishes growth from noise.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Filter {
    /// By a relative growth threshold.
    Ewma,
    /// By the control limit of the flip-flop filter.
    FlipFlop,
}

/// Interpretation of the history.
#[derive(Copy, Clone, Debug)]
pub(super) struct Reading {
    pub predicate: Predicate,
    pub relative: Relative,
    pub filter: Filter,
    /// Number of samples remembered.
    pub width: u32,
    /// Number of growing samples that count as growth.
    pub count: u32,
    /// Growth threshold, relative to the reference.
    pub growth: f64,
    /// Relative deviation from the average within which all samples must lie to count as constant (equation
    /// 2); `None`: round trips that do not grow are constant.
    pub band: Option<f64>,
}

/// The latest samples as bits; 1 marks growth.
#[derive(Debug)]
pub(super) struct History {
    reading: Reading,
    /// The newest sample is in the lowest bit.
    bits: u64,
    /// The same for samples outside the band.
    outside: u64,
    /// Samples since the start.
    seen: u32,
    average: Option<f64>,
    last: Option<f64>,
    flip_flop: FlipFlop,
}

impl History {
    pub fn new(reading: Reading) -> Self {
        let flip_flop = FlipFlop::new();
        Self { reading, bits: 0, outside: 0, seen: 0, average: None, last: None, flip_flop }
    }

    /// Adds a round trip in seconds.
    pub fn sample(&mut self, rtt: f64) {
        let from = match self.reading.relative {
            Relative::Average => self.average,
            Relative::Successive => self.last,
        };
        let outlier = self.flip_flop.sample(rtt) == ControlState::High;
        let grows = match self.reading.filter {
            Filter::Ewma => from.is_some_and(|f| rtt > (1.0 + self.reading.growth) * f),
            Filter::FlipFlop => outlier,
        };
        let strays = self
            .reading
            .band
            .zip(self.average)
            .is_some_and(|(band, average)| (rtt - average).abs() > band * average);
        self.bits = self.bits << 1 | u64::from(grows);
        self.outside = self.outside << 1 | u64::from(strays);
        self.seen = self.seen.saturating_add(1);
        // The same average as SRTT (RFC 6298 §2.3).
        self.average = Some(self.average.map_or(rtt, |a| (7.0 * a + rtt) / 8.0));
        self.last = Some(rtt);
    }

    /// Average round trip, seconds.
    pub fn average(&self) -> Option<f64> {
        self.average
    }

    /// Restarts with the average of a new path; samples of the old path are discarded.
    pub fn restart(&mut self, average: f64) {
        (self.bits, self.outside) = (0, 0);
        self.average = Some(average);
        self.last = None;
        self.flip_flop = FlipFlop::new();
    }

    /// True if round trips grow, or are not constant. Before enough samples exist they count as growing,
    /// because the connection is in slow start.
    pub fn growing(&self) -> bool {
        let Reading { predicate, width, count, .. } = self.reading;
        if self.seen < width {
            return true;
        }
        let newest = u64::MAX >> (64 - width);
        let bits = self.bits & newest;
        let growing = match predicate {
            Predicate::Run => longest_run(bits) >= count,
            Predicate::Count => bits.count_ones() >= count,
            Predicate::CountAbove => bits.count_ones() > count,
            Predicate::CurrentRun => bits.trailing_ones() >= count,
        };
        growing || self.outside & newest != 0
    }
}

/// The longest run of ones.
pub(super) fn longest_run(mut bits: u64) -> u32 {
    let mut n = 0;
    while bits != 0 {
        bits &= bits << 1;
        n += 1;
    }
    n
}
