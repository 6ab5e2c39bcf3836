//! Loss differentiation at the receiver (Cen, Cosman, Voelker 2003): the first segment after a gap decides
//! whether the missing ones were lost to congestion or on the wireless channel.
//!
//! | rule | wireless if | source |
//! |---|---|---|
//! | Spike | the trip time is not in a spike | Tobe et al. 2000 |
//! | ZigZag | the trip time is below a limit that rises with the n segments lost | Cen et al. 2003 |
//! | Biaz | (n + 1) T_min ≤ T < (n + 1 + slack) T_min | Biaz, Vaidya 1999; slack: Cen et al. 2003 |
//! | ZBS | one of the three says so, by the load of the bottleneck | Cen et al. 2003 |
//!
//! T is the time between the arrivals on both sides of the gap, T_min the shortest between two segments that
//! followed each other. Only segments beyond all before count: retransmissions say nothing about the path
//! that a stream of datagrams, for which the rules were made, would have met.

use super::reporter::{Arrival, Reporter};
use crate::config::{BiazRule, GapRule, HybridRule, SpikeRule, ZigZagRule};
use tworay_base::SimTime;
use tworay_wire::Report;

/// One step from the newest segment to a newer one.
#[derive(Copy, Clone, Debug)]
struct Step {
    /// Segments missing between the two.
    lost: u64,
    /// Time between their arrivals, nanoseconds.
    gap: u64,
    /// Relative trip time of the newer one, nanoseconds.
    trip: i64,
}

impl Step {
    fn transmissions(&self) -> u64 {
        self.lost + 1
    }
}

/// A rule. It sees every step, so that it knows the path when segments are missing.
trait Rule: std::fmt::Debug + Send {
    /// Returns true if losses at this step are wireless.
    fn is_wireless(&mut self, step: &Step) -> bool;
}

/// Finds the gaps and keeps the verdict on the newest.
#[derive(Debug)]
pub(super) struct Gaps {
    /// End of the newest segment, and when it arrived.
    newest: Option<(u64, SimTime)>,
    rule: Box<dyn Rule>,
    verdict: Option<Report>,
}

impl Gaps {
    pub fn new(rule: GapRule) -> Self {
        let rule: Box<dyn Rule> = match rule {
            GapRule::Spike(rule) => Box::new(Spike::new(rule)),
            GapRule::ZigZag(rule) => Box::new(ZigZag::new(rule)),
            GapRule::Biaz(rule) => Box::new(Biaz::new(rule)),
            GapRule::Hybrid(rule) => Box::new(Hybrid::new(rule)),
        };
        Self { newest: None, rule, verdict: None }
    }
}

impl Reporter for Gaps {
    fn heard(&mut self, arrival: &Arrival) {
        let (end, before) = *self.newest.get_or_insert((arrival.start, arrival.at));
        if arrival.start < end {
            return;
        }
        let lost = (arrival.start - end).div_ceil(arrival.end - arrival.start);
        self.newest = Some((arrival.end, arrival.at));
        let gap = arrival.at.since(before).as_nanos();
        let wireless = self.rule.is_wireless(&Step { lost, gap, trip: arrival.trip() });
        if lost > 0 {
            self.verdict = Some(if wireless { Report::Channel } else { Report::Congestion });
        }
    }

    fn take(&mut self, gap: bool) -> Option<Report> {
        self.verdict.filter(|_| gap)
    }
}

#[derive(Debug)]
struct Spike {
    rule: SpikeRule,
    range: Option<(i64, i64)>,
    spiking: bool,
}

impl Spike {
    fn new(rule: SpikeRule) -> Self {
        Self { rule, range: None, spiking: false }
    }
}

impl Rule for Spike {
    fn is_wireless(&mut self, step: &Step) -> bool {
        let (min, max) = self.range.unwrap_or((step.trip, step.trip));
        let (min, max) = (min.min(step.trip), max.max(step.trip));
        self.range = Some((min, max));
        let above = (step.trip - min) as f64;
        let width = (max - min) as f64;
        self.spiking =
            if self.spiking { above >= self.rule.end * width } else { above > self.rule.start * width };
        !self.spiking
    }
}

#[derive(Debug)]
struct ZigZag {
    rule: ZigZagRule,
    /// The first trip time, to which the others are relative: their numbers are small.
    first: Option<i64>,
    mean: f64,
    deviation: f64,
}

impl ZigZag {
    fn new(rule: ZigZagRule) -> Self {
        Self { rule, first: None, mean: 0.0, deviation: 0.0 }
    }
}

impl Rule for ZigZag {
    fn is_wireless(&mut self, step: &Step) -> bool {
        let trip = (step.trip - *self.first.get_or_insert(step.trip)) as f64;
        let a = self.rule.weight;
        self.mean += a * (trip - self.mean);
        self.deviation += 2.0 * a * ((trip - self.mean).abs() - self.deviation);
        // One loss in a row must be well below the mean; more losses raise the trip time of the next segment.
        let limit = match step.lost {
            0 | 1 => -1.0,
            2 => -0.5,
            3 => 0.0,
            _ => 0.5,
        };
        trip < self.mean + limit * self.deviation
    }
}

#[derive(Debug)]
struct Biaz {
    rule: BiazRule,
    /// Shortest time between two arrivals, nanoseconds.
    shortest: Option<u64>,
}

impl Biaz {
    fn new(rule: BiazRule) -> Self {
        Self { rule, shortest: None }
    }
}

impl Rule for Biaz {
    fn is_wireless(&mut self, step: &Step) -> bool {
        if step.lost == 0 && step.gap > 0 {
            self.shortest = Some(self.shortest.map_or(step.gap, |s| s.min(step.gap)));
        }
        let Some(shortest) = self.shortest else { return false };
        let least = step.transmissions() * shortest;
        step.gap >= least && step.gap as f64 - (least as f64) < self.rule.slack * shortest as f64
    }
}

/// ZBS. The ratio of the average to the shortest time between arrivals tells how many flows share the
/// bottleneck.
#[derive(Debug)]
struct Hybrid {
    spike: Spike,
    zigzag: ZigZag,
    biaz: Biaz,
    /// Average time per segment, nanoseconds.
    average: Option<f64>,
    least_trip: i64,
}

/// Weight of a new time in the average.
const WEIGHT: f64 = 0.125;
/// The bottleneck is hardly used if the trip time is within this many shortest times of the shortest trip.
const IDLE: f64 = 0.05;

impl Hybrid {
    fn new(rule: HybridRule) -> Self {
        let HybridRule { spike, zigzag, biaz } = rule;
        Self {
            spike: Spike::new(spike),
            zigzag: ZigZag::new(zigzag),
            biaz: Biaz::new(biaz),
            average: None,
            least_trip: i64::MAX,
        }
    }
}

impl Rule for Hybrid {
    fn is_wireless(&mut self, step: &Step) -> bool {
        self.least_trip = self.least_trip.min(step.trip);
        if step.gap > 0 {
            let each = step.gap as f64 / step.transmissions() as f64;
            let average = self.average.get_or_insert(each);
            *average += WEIGHT * (each - *average);
        }
        let spike = self.spike.is_wireless(step);
        let zigzag = self.zigzag.is_wireless(step);
        let biaz = self.biaz.is_wireless(step);
        let (Some(average), Some(shortest)) = (self.average, self.biaz.shortest) else { return zigzag };
        let shortest = shortest as f64;
        if ((step.trip - self.least_trip) as f64) < IDLE * shortest {
            return spike;
        }
        match average / shortest {
            ..0.875 => zigzag,
            0.875..1.5 => biaz,
            1.5..2.0 => zigzag,
            _ => spike,
        }
    }
}
