//! Westwood: after a loss the window is the estimated bandwidth times the shortest round trip (Mascolo et
//! al. 2001).

use super::bandwidth::{Bandwidth, Credit, Exponential, FixedGain, Tibet, Tustin};
use super::*;
use crate::control::{
    AckEvent, Backoff, DupAckDecision, DupAckEvent, Effects, LossEvent, RtoDecision, RtoEvent, RttEvent,
    SenderView, Window,
};
use tworay_base::SimDuration;

/// Passes ACKs to an estimator and tracks the shortest round trip.
#[derive(Debug)]
pub(super) struct Westwood {
    credit: Credit,
    bandwidth: Box<dyn Bandwidth>,
    shortest: Option<SimDuration>,
    rtts: Rtts,
    /// Window after a timeout, segments.
    after_timeout: f64,
}

/// From which samples the shortest round trip is taken.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Rtts {
    /// Exact samples.
    Exact,
    /// Samples in clock ticks (ns-2).
    Ticked,
    /// Smoothed samples (Linux).
    Smoothed,
}

impl Westwood {
    pub fn new(bandwidth: Box<dyn Bandwidth>, rtts: Rtts) -> Self {
        Self { credit: Credit::default(), bandwidth, shortest: None, rtts, after_timeout: 1.0 }
    }

    /// Sets the shortest round trip of a new path.
    pub fn set_shortest(&mut self, rtt: SimDuration) {
        self.shortest = Some(rtt);
    }

    /// The path is interrupted: the time until the next ACK is no gap between two ACKs.
    pub fn pause(&mut self) {
        self.credit.pause();
    }

    /// Bandwidth times shortest round trip, segments; `None` before the first estimate.
    pub fn product(&self) -> Option<f64> {
        let rate = self.bandwidth.estimate();
        let shortest = self.shortest.filter(|_| rate > 0.0)?;
        Some(rate * shortest.as_secs_f64())
    }

    /// The same in whole segments, at least 2.
    pub fn pipe(&self) -> Option<f64> {
        self.product().map(|segments| segments.floor().max(2.0))
    }
}

impl CongestionControl for Westwood {
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        let credit = self.credit.advance(event.segments);
        self.credit.pass(credit, view, &mut *self.bandwidth);
        event.standard
    }
    fn on_dup_ack(&mut self, view: &SenderView, _: &DupAckEvent, _: &mut Effects) -> DupAckDecision {
        let credit = self.credit.duplicate();
        self.credit.pass(credit, view, &mut *self.bandwidth);
        DupAckDecision::Recovery
    }
    fn on_rtt(&mut self, view: &SenderView, event: &RttEvent, _: &mut Effects) {
        let rtt = match self.rtts {
            Rtts::Exact => event.exact,
            Rtts::Ticked => event.ticked,
            Rtts::Smoothed => view.srtt.unwrap_or(event.exact),
        };
        self.shortest = Some(self.shortest.map_or(rtt, |s| s.min(rtt)));
    }
    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, _: &mut Effects) -> Window {
        match self.pipe() {
            Some(pipe) => Window { cwnd: view.cwnd.min(pipe), ssthresh: pipe },
            None => event.standard,
        }
    }
    fn on_rto(&mut self, _: &SenderView, event: &RtoEvent, _: &mut Effects) -> RtoDecision {
        let ssthresh = self.pipe().unwrap_or(event.standard.ssthresh);
        let cwnd = event.standard.cwnd.max(self.after_timeout);
        RtoDecision { window: Window { cwnd, ssthresh }, backoff: Backoff::Double }
    }
}

/// UCLA's filters by number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Filter {
    Tustin,
    Tenth,
    TwentyFirst,
    ThirtyFirst,
    Exponential,
}

impl Filter {
    /// `tau`: the time constant of Tustin's and the exponential one, seconds.
    pub fn make(self, tau: f64) -> Box<dyn Bandwidth> {
        match self {
            Filter::Tustin => Box::new(Tustin::new(tau)),
            Filter::Tenth => Box::new(FixedGain::tenth()),
            Filter::TwentyFirst => Box::new(FixedGain::twenty_first()),
            Filter::ThirtyFirst => Box::new(FixedGain::thirty_first()),
            Filter::Exponential => Box::new(Exponential::new(tau)),
        }
    }
}

settings! {
    struct Options {
        /// UCLA's filter number: 3 is the Tustin filter of the paper; 0, 1, 2 have fixed gains; 8 is
        /// exponential
        filter: Filter = [
            "3" => Filter::Tustin,
            "0" => Filter::Tenth,
            "1" => Filter::TwentyFirst,
            "2" => Filter::ThirtyFirst,
            "8" => Filter::Exponential,
        ];
        /// time constant of filters 3 and 8, seconds
        tau: f64 = 1.0, 0.01..100.0;
        /// window after a timeout, segments: 1 in the paper, 2 in UCLA's WestwoodNR
        rto_cwnd: f64 = 1.0, 1.0..2.0;
        /// shortest round trip from exact samples, or in clock ticks as in ns-2
        rtt: Rtts = ["exact" => Rtts::Exact, "ticked" => Rtts::Ticked];
    }
}

pub(super) const WHY_NOT: &str = "it replaces the halving of a fast recovery";

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "westwood",
        summary: "sets ssthresh to estimated bandwidth x shortest round trip after a loss",
        source: "Mascolo et al. 2001; UCLA's ns-2 agents for the other filters",
        rules: &[
            Rule::at(
                Event::Ack,
                "each ACK, also a duplicate, gives a sample: its segments over the time since the last one; filtered (`filter`)",
                "Mascolo et al. 2001",
            ),
            Rule::at(Event::Sample, "remembers the shortest round trip", "Mascolo et al. 2001"),
            Rule::at(
                Event::Loss,
                "ssthresh is bandwidth x shortest round trip, at least 2; cwnd at most that",
                "Mascolo et al. 2001",
            ),
            Rule::at(
                Event::Timeout,
                "the same ssthresh; cwnd is rto_cwnd; the timeout doubles",
                "Mascolo et al. 2001",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_RENO,
        unless: WHY_NOT,
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            factory(move || Westwood {
                after_timeout: options.rto_cwnd,
                ..Westwood::new(options.filter.make(options.tau), options.rtt)
            })
        })
    }),
};

settings! {
    struct TibetOptions {
        /// weight of the old value in the first stage
        alpha: f64 = 0.9, 0.0..0.999;
        /// time constant of the second stage, seconds
        t0: f64 = 0.5, 0.001..100.0;
    }
}

pub(crate) const TIBET: Entry = Entry {
    info: VariantInfo {
        name: "westwood-tibet",
        summary: "Westwood with the TIBET bandwidth estimator",
        source: "Capone, Fratta, Martignon 2004",
        rules: &[
            Rule::at(
                Event::Ack,
                "filters segments and gaps between ACKs apart, then their quotient in time (alpha, t0)",
                "Capone, Fratta, Martignon 2004; constants as recalled",
            ),
            Rule::at(
                Event::Loss,
                "ssthresh is bandwidth x shortest round trip, at least 2; cwnd at most that",
                "Mascolo et al. 2001",
            ),
            Rule::at(Event::Timeout, "the same ssthresh; cwnd 1; the timeout doubles", "Mascolo et al. 2001"),
        ],
        parameters: TibetOptions::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_RENO,
        unless: WHY_NOT,
        ..Part::new(Role::Reduction, |values| {
            let TibetOptions { alpha, t0 } = TibetOptions::read(values);
            factory(move || Westwood::new(Box::new(Tibet::new(alpha, t0)), Rtts::Exact))
        })
    }),
};

#[cfg(test)]
mod tests;
