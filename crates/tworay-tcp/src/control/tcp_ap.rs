//! TCP-AP, adaptive pacing (ElRakabawy, Klemm and Lindemann 2005; ElRakabawy and Lindemann 2011).
//!
//! On a string of nodes, a packet must be four hops ahead before the next can follow without the two
//! interfering, because a station's signal interferes with receivers up to two hops away. The sender
//! therefore spaces its segments by at least the time a packet takes for four hops. It estimates this time
//! from the round trip, in which a data segment crosses h hops and an ACK, shorter by a known number of
//! bits, crosses h hops back:
//!
//! ```text
//! d = n/2 · (RTT / h + (data - ack bytes) · 8 / rate),  n = 4       time for n hops, one sample
//! d̂ ← α·d̂ + (1 - α)·d,                                α = 0.7      smoothed
//! gap = d̂ · (1 + 2·cov)                                            cov: σ / µ of the last 50 round trips
//! ```
//!
//! The coefficient of variation measures contention: the more round trips vary, the longer the gap. n, α, 50
//! and cov = σ / µ are those of the authors' slides, which do not say how σ is estimated; the papers' text
//! was not available. Our reading: the last round trips are a sample, so the sum of squares is divided by one
//! less than their number (`deviation=sample`). The authors' agent for ns-2 and WiFu divide by their number
//! (`population`), and that agent spaces segments by the mean absolute deviation, which saves a square root
//! (`absolute`).
//!
//! The rules for the window are unchanged. Round trips are measured from the paced departure of a segment, so
//! they exclude the time in the pacer. Nothing is paced while the number of hops is unknown.

use super::*;
use crate::config::{TcpConfig, Timing};
use crate::control::{Effect, Effects, RttEvent, SenderView};
use tworay_base::{BitRate, SimDuration};

settings! {
    struct Options {
        /// rate of the radio link, Mb/s
        rate: f64 = 2.0, 0.01..10_000.0;
        /// hops that a segment has to be ahead
        hops: f64 = 4.0, 1.0..16.0;
        /// weight of the old estimate
        alpha: f64 = 0.7, 0.0..0.999;
        /// number of coefficients of variation by which the gap is lengthened
        spread: f64 = 2.0, 0.0..10.0;
        /// number of round trips from which the coefficient of variation is computed
        samples: u32 = 50.0, 2.0..1000.0;
        /// deviation over the mean: of a sample (n - 1), of a population (n), or the mean absolute one
        deviation: Deviation = [
            "sample" => Deviation::Sample,
            "population" => Deviation::Population,
            "absolute" => Deviation::Absolute,
        ];
    }
}

/// Which deviation of the last round trips is set in relation to their mean.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Deviation {
    /// Square root of the sum of squares over n - 1.
    Sample,
    /// Square root of the sum of squares over n.
    Population,
    /// Mean of the absolute deviations.
    Absolute,
}

#[derive(Debug)]
struct AdaptivePacing {
    options: Options,
    /// Smoothed time for `hops` hops, s.
    delay: Option<f64>,
    /// The last round trips, s, as a ring.
    round_trips: Vec<f64>,
    next: usize,
}

impl AdaptivePacing {
    fn new(options: Options) -> Self {
        Self { options, delay: None, round_trips: Vec::new(), next: 0 }
    }

    fn remember(&mut self, round_trip: f64) {
        if self.round_trips.len() < self.options.samples as usize {
            self.round_trips.push(round_trip);
        } else {
            self.round_trips[self.next] = round_trip;
            self.next = (self.next + 1) % self.round_trips.len();
        }
    }

    /// Deviation over mean of the round trips; 0 for a single one.
    fn variation(&self) -> f64 {
        let n = self.round_trips.len() as f64;
        let mean = self.round_trips.iter().sum::<f64>() / n;
        if mean <= 0.0 || n < 2.0 {
            return 0.0;
        }
        let squares = || self.round_trips.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>();
        let deviation = match self.options.deviation {
            Deviation::Sample => (squares() / (n - 1.0)).sqrt(),
            Deviation::Population => (squares() / n).sqrt(),
            Deviation::Absolute => self.round_trips.iter().map(|r| (r - mean).abs()).sum::<f64>() / n,
        };
        deviation / mean
    }
}

impl CongestionControl for AdaptivePacing {
    fn on_rtt(&mut self, view: &SenderView, event: &RttEvent, effects: &mut Effects) {
        if view.hops == 0 {
            return;
        }
        let Options { rate, hops, alpha, spread, .. } = self.options;
        let round_trip = event.exact.as_secs_f64();
        let longer = BitRate::from_bps((rate * 1e6) as u64).airtime(view.mss).as_secs_f64();
        let sample = hops / 2.0 * (round_trip / f64::from(view.hops) + longer);
        let delay = self.delay.map_or(sample, |old| alpha * old + (1.0 - alpha) * sample);
        self.delay = Some(delay);
        self.remember(round_trip);
        let gap = delay * (1.0 + spread * self.variation());
        effects.push(Effect::Pace(SimDuration::from_secs_f64(gap)));
    }
}

/// Times every segment: estimates from one sample per round trip would lag behind.
fn configure(_: &[f64], config: &mut TcpConfig) {
    config.timing = Timing::EverySegment;
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "tcp-ap",
        summary: "segments keep the distance of four hops' delay, more where round trips vary",
        source: "ElRakabawy, Klemm and Lindemann 2005; ElRakabawy and Lindemann 2011",
        rules: &[
            Rule::at(
                Event::Sample,
                "d = hops/2 x (round trip / path's hops + extra bits of data / rate), smoothed with alpha",
                "ElRakabawy et al. 2005",
            ),
            Rule::at(
                Event::Send,
                "segments leave at least d x (1 + spread x coefficient of variation of the last round trips) apart",
                "ElRakabawy et al. 2005; ElRakabawy and Lindemann 2011",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        needs: Needs::PACING.union(Needs::HOPS),
        configure: Some(configure),
        ..Part::new(Role::Pace, |values| {
            let options = Options::read(values);
            factory(move || AdaptivePacing::new(options))
        })
    }),
};

#[cfg(test)]
mod tests;
