//! Loss differentiation: do round trips grow? Are they constant?

use crate::control::flip_flop::{ControlState, FlipFlop};

/// What of the remembered samples means growth.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Predicate {
    /// The longest run among them is long enough.
    Run,
    /// There are enough.
    Count,
    /// There are more than enough.
    CountAbove,
    /// The newest run is long enough.
    CurrentRun,
}

/// What a sample grows from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Relative {
    Average,
    Successive,
}

/// How growth is told from noise.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Filter {
    /// A share above what it grows from.
    Ewma,
    /// Above the flip-flop filter's control limit.
    FlipFlop,
}

/// How the history is read.
#[derive(Copy, Clone, Debug)]
pub(super) struct Reading {
    pub predicate: Predicate,
    pub relative: Relative,
    pub filter: Filter,
    /// How many samples count.
    pub width: u32,
    /// How many growing ones mean growth.
    pub count: u32,
    /// Share above what a sample grows from.
    pub growth: f64,
    /// Share above or below the average within which all samples lie if they are constant (equation 2);
    /// `None`: whatever doesn't grow is.
    pub band: Option<f64>,
}

/// The last samples as bits, 1 for growing.
#[derive(Debug)]
pub(super) struct History {
    reading: Reading,
    /// The newest in the lowest bit.
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

    /// Takes a round trip in seconds.
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
        // The same average as SRTT's (RFC 6298 §2.3).
        self.average = Some(self.average.map_or(rtt, |a| (7.0 * a + rtt) / 8.0));
        self.last = Some(rtt);
    }

    /// Average round trip, seconds.
    pub fn average(&self) -> Option<f64> {
        self.average
    }

    /// A new path with this average; the old one's samples don't count.
    pub fn restart(&mut self, average: f64) {
        (self.bits, self.outside) = (0, 0);
        self.average = Some(average);
        self.last = None;
        self.flip_flop = FlipFlop::new();
    }

    /// Whether round trips grow, or aren't constant. At the start, before all samples are there, they do:
    /// slow start.
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
