//! Loss differentiation: do round trips grow?

use crate::family::flip_flop::{FlipFlop, Verdict};

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

/// The last samples as bits, 1 for growing.
#[derive(Debug)]
pub(super) struct History {
    predicate: Predicate,
    relative: Relative,
    filter: Filter,
    /// How many bits count.
    width: u32,
    count: u32,
    growth: f64,
    /// The newest in the lowest bit.
    bits: u64,
    /// Samples since the start.
    seen: u32,
    average: Option<f64>,
    last: Option<f64>,
    flip_flop: FlipFlop,
}

impl History {
    pub fn new(
        predicate: Predicate,
        relative: Relative,
        filter: Filter,
        width: u32,
        count: u32,
        growth: f64,
    ) -> Self {
        let flip_flop = FlipFlop::new();
        Self {
            predicate,
            relative,
            filter,
            width,
            count,
            growth,
            bits: 0,
            seen: 0,
            average: None,
            last: None,
            flip_flop,
        }
    }

    /// Takes a round trip in seconds.
    pub fn sample(&mut self, rtt: f64) {
        let from = match self.relative {
            Relative::Average => self.average,
            Relative::Successive => self.last,
        };
        let outlier = self.flip_flop.sample(rtt) == Verdict::High;
        let grows = match self.filter {
            Filter::Ewma => from.is_some_and(|f| rtt > (1.0 + self.growth) * f),
            Filter::FlipFlop => outlier,
        };
        self.bits = self.bits << 1 | u64::from(grows);
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
        self.bits = 0;
        self.average = Some(average);
        self.last = None;
        self.flip_flop = FlipFlop::new();
    }

    /// Whether round trips grow. At the start, before all samples are there, they do: slow start.
    pub fn growing(&self) -> bool {
        if self.seen < self.width {
            return true;
        }
        let bits = self.bits & (u64::MAX >> (64 - self.width));
        match self.predicate {
            Predicate::Run => longest_run(bits) >= self.count,
            Predicate::Count => bits.count_ones() >= self.count,
            Predicate::CountAbove => bits.count_ones() > self.count,
            Predicate::CurrentRun => bits.trailing_ones() >= self.count,
        }
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
