//! SS, SCA and SSCA: the window grows on one ACK in θ + 1 (Papanastasiou 2006, algorithms 1 and 2).

use super::*;
use crate::control::{AckEvent, Backoff, Effects, LossEvent, RtoDecision, RtoEvent, SenderView, Window};

/// Which phases grow slowly.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Phases {
    SlowStart,
    Avoidance,
    Both,
}

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

#[derive(Debug)]
struct SlowGrowth {
    phases: Phases,
    theta: u32,
    min_hops: u8,
    gate: Gate,
    /// The counter continues across losses and the end of slow start.
    keep: bool,
    /// True if the last ACK arrived in slow start.
    in_slow_start: bool,
}

impl SlowGrowth {
    fn new(phases: Phases, theta: u32, min_hops: u8, keep: bool) -> Self {
        Self { phases, theta, min_hops, gate: Gate::default(), keep, in_slow_start: true }
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
        let gated = match self.phases {
            Phases::Both => true,
            Phases::SlowStart => slow_start,
            Phases::Avoidance => !slow_start,
        };
        let short = view.hops > 0 && view.hops < self.min_hops;
        if !event.may_grow || !gated || short || self.gate.opens(self.theta) {
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

/// Declares the parameters of one of the three; they differ only in the default of theta.
macro_rules! options {
    ($name:ident, $theta:literal) => {
        settings! {
            struct $name {
                /// ACKs without growth between two ACKs with growth; 0 is plain TCP
                theta: u32 = $theta, 0.0..1000.0;
                /// grow at the standard rate on paths known to be shorter, hops; 4 in the thesis' adaptive
                /// form
                min_hops: u8 = 0.0, 0.0..255.0;
                /// 1: the counter continues across losses and the end of slow start; 0: it restarts
                keep: bool = 0.0, 0.0..1.0;
            }
        }

        impl $name {
            fn part(self, phases: Phases) -> ControlFactory {
                let Self { theta, min_hops, keep } = self;
                factory(move || SlowGrowth::new(phases, theta, min_hops, keep))
            }
        }
    };
}

options!(FourByDefault, 4.0);
options!(TenByDefault, 10.0);

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
        parameters: FourByDefault::PARAMETERS,
    },
    |values| FourByDefault::read(values).part(Phases::SlowStart),
);
pub(crate) const SCA: Entry = entry(
    VariantInfo {
        name: "sca",
        summary: "congestion avoidance grows on one ACK in theta + 1",
        source: "Papanastasiou 2006, algorithm 2",
        parameters: TenByDefault::PARAMETERS,
    },
    |values| TenByDefault::read(values).part(Phases::Avoidance),
);
pub(crate) const SSCA: Entry = entry(
    VariantInfo {
        name: "ssca",
        summary: "both phases grow on one ACK in theta + 1",
        source: "Papanastasiou 2006, algorithms 1 and 2",
        parameters: FourByDefault::PARAMETERS,
    },
    |values| FourByDefault::read(values).part(Phases::Both),
);

#[cfg(test)]
mod tests;
