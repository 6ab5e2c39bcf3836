//! SS, SCA and SSCA: the window grows on one ACK in θ + 1 (Papanastasiou 2006, algorithms 1 and 2).

use super::*;
use crate::control::{AckEvent, Backoff, Effects, LossEvent, RtoDecision, RtoEvent, SenderView, Window};

/// The counter c of the algorithms.
#[derive(Clone, Debug, Default)]
pub(super) struct Gate {
    count: u32,
}

impl Gate {
    /// True if the window may grow on this ACK; θ = 0 is plain TCP.
    pub fn opens(&mut self, theta: u32) -> bool {
        if theta == 0 {
            return true;
        }
        let open = self.count == 0;
        self.count = if self.count >= theta { 0 } else { self.count + 1 };
        open
    }
    pub fn reset(&mut self) {
        self.count = 0;
    }
}

/// The θ of each phase; a phase without one grows at the standard rate.
#[derive(Copy, Clone, Debug)]
struct Thetas {
    slow_start: Option<u32>,
    avoidance: Option<u32>,
}

#[derive(Debug)]
struct SlowGrowth {
    thetas: Thetas,
    min_hops: u8,
    gate: Gate,
    /// The counter continues across losses and the end of slow start.
    keep: bool,
    /// True if the last ACK arrived in slow start.
    in_slow_start: bool,
}

impl SlowGrowth {
    fn new(thetas: Thetas, min_hops: u8, keep: bool) -> Self {
        Self { thetas, min_hops, gate: Gate::default(), keep, in_slow_start: true }
    }

    fn restart(&mut self) {
        if !self.keep {
            self.gate.reset();
        }
    }
}

impl CongestionControl for SlowGrowth {
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        let slow_start = view.cwnd < view.ssthresh;
        if self.in_slow_start && !slow_start {
            self.restart();
        }
        self.in_slow_start = slow_start;
        let theta = if slow_start { self.thetas.slow_start } else { self.thetas.avoidance };
        let short = view.hops > 0 && view.hops < self.min_hops;
        if !event.may_grow || short || theta.is_none_or(|theta| self.gate.opens(theta)) {
            event.standard
        } else {
            Window { cwnd: view.cwnd, ssthresh: view.ssthresh }
        }
    }
    fn on_loss(&mut self, _: &SenderView, event: &LossEvent, _: &mut Effects) -> Window {
        self.restart();
        event.standard
    }
    fn on_rto(&mut self, _: &SenderView, event: &RtoEvent, _: &mut Effects) -> RtoDecision {
        self.restart();
        RtoDecision { window: event.standard, backoff: Backoff::Double }
    }
}

/// Declares the parameters of one of the three; they differ in the default of theta, and SSCA has one more.
macro_rules! options {
    ($name:ident, $theta:literal $(, $($more:tt)+)?) => {
        settings! {
            struct $name {
                /// ACKs without growth between two ACKs with growth; 0 is plain TCP
                theta: u32 = $theta, 0.0..1000.0;
                /// grow at the standard rate on paths known to be shorter, hops; 4 in the thesis' adaptive
                /// form
                min_hops: u8 = 0.0, 0.0..255.0;
                /// 1: the counter continues across losses and the end of slow start; 0: it restarts
                keep: bool = 0.0, 0.0..1.0;
                $($($more)+)?
            }
        }
    };
}

options!(OfSs, 4.0);
options!(OfSca, 10.0);
options!(OfSsca, 4.0,
    /// theta of slow start, if it differs (Papanastasiou 2006, §4.3.3); -1: the same
    slow_start: f64 = (-1.0), -1.0..1000.0;
);

impl OfSsca {
    fn thetas(self) -> Thetas {
        let apart = self.slow_start >= 0.0;
        let slow_start = if apart { self.slow_start as u32 } else { self.theta };
        Thetas { slow_start: Some(slow_start), avoidance: Some(self.theta) }
    }
}

fn make(thetas: Thetas, min_hops: u8, keep: bool) -> ControlFactory {
    factory(move || SlowGrowth::new(thetas, min_hops, keep))
}

const fn entry(info: VariantInfo, make: fn(&[f64]) -> ControlFactory) -> Entry {
    let part =
        Part { with: ANY_STANDARD, unless: "Vegas has its own growth rule", ..Part::new(Role::Growth, make) };
    Entry { info, meaning: Meaning::Part(part) }
}

pub(crate) const SS: Entry = entry(
    VariantInfo {
        name: "ss",
        summary: "slow start grows on one ACK in theta + 1",
        source: "Papanastasiou 2006, algorithm 1",
        rules: &[
            Rule::at(
                Event::Ack,
                "slow start: cwnd grows on one ACK in theta + 1; congestion avoidance is standard",
                "Papanastasiou 2006 §4.3.1, algorithm 1",
            ),
            Rule::at(Event::Hops, "below min_hops growth is standard", "Papanastasiou 2006 §4.5.2"),
            Rule::at(
                Event::Loss,
                "the count of ACKs restarts, as after a timeout (keep=1: it goes on)",
                "our reading",
            ),
        ],
        parameters: OfSs::PARAMETERS,
    },
    |values| {
        let OfSs { theta, min_hops, keep } = OfSs::read(values);
        make(Thetas { slow_start: Some(theta), avoidance: None }, min_hops, keep)
    },
);
pub(crate) const SCA: Entry = entry(
    VariantInfo {
        name: "sca",
        summary: "congestion avoidance grows on one ACK in theta + 1",
        source: "Papanastasiou 2006, algorithm 2",
        rules: &[
            Rule::at(
                Event::Ack,
                "congestion avoidance: cwnd grows by 1/cwnd on one ACK in theta + 1; slow start is standard",
                "Papanastasiou 2006 §4.3.2, algorithm 2",
            ),
            Rule::at(Event::Hops, "below min_hops growth is standard", "Papanastasiou 2006 §4.4.1, §4.5.2"),
            Rule::at(
                Event::Loss,
                "the count of ACKs restarts, as after a timeout (keep=1: it goes on)",
                "our reading",
            ),
        ],
        parameters: OfSca::PARAMETERS,
    },
    |values| {
        let OfSca { theta, min_hops, keep } = OfSca::read(values);
        make(Thetas { slow_start: None, avoidance: Some(theta) }, min_hops, keep)
    },
);
pub(crate) const SSCA: Entry = entry(
    VariantInfo {
        name: "ssca",
        summary: "both phases grow on one ACK in theta + 1",
        source: "Papanastasiou 2006, algorithms 1 and 2",
        rules: &[
            Rule::at(
                Event::Ack,
                "cwnd grows on one ACK in theta + 1 in both phases; slow_start gives slow start a theta of its own",
                "Papanastasiou 2006 §4.3.3",
            ),
            Rule::at(Event::Hops, "below min_hops growth is standard", "Papanastasiou 2006 §4.5.2"),
            Rule::at(
                Event::Loss,
                "the count of ACKs restarts, as after a timeout (keep=1: it goes on)",
                "our reading",
            ),
        ],
        parameters: OfSsca::PARAMETERS,
    },
    |values| {
        let read = OfSsca::read(values);
        make(read.thetas(), read.min_hops, read.keep)
    },
);

#[cfg(test)]
mod tests;
