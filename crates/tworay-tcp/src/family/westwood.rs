//! Westwood: after a loss the window is what the estimated bandwidth fills in the shortest round trip
//! (Mascolo et al. 2001).

use super::bandwidth::{Bandwidth, Credit, Tibet, Tustin};
use super::*;
use crate::control::{
    AckEvent, Backoff, DupAckDecision, DupAckEvent, Effects, LossEvent, RtoDecision, RtoEvent, RttEvent,
    SenderView, Window,
};
use tworay_base::SimDuration;

/// Credits ACKs to an estimator and knows the shortest round trip.
#[derive(Debug)]
pub(super) struct Westwood {
    credit: Credit,
    bandwidth: Box<dyn Bandwidth>,
    shortest: Option<SimDuration>,
    /// RTTs are the smoothed ones (Linux).
    smoothed: bool,
}

impl Westwood {
    pub fn new(bandwidth: Box<dyn Bandwidth>, smoothed: bool) -> Self {
        Self { credit: Credit::default(), bandwidth, shortest: None, smoothed }
    }

    /// Bandwidth times the shortest round trip, whole segments, 2 at least; `None` before an estimate.
    pub fn pipe(&self) -> Option<f64> {
        let rate = self.bandwidth.estimate();
        let shortest = self.shortest.filter(|_| rate > 0.0)?;
        Some((rate * shortest.as_secs_f64()).floor().max(2.0))
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
        let rtt = if self.smoothed { view.srtt.unwrap_or(event.exact) } else { event.exact };
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
        RtoDecision { window: Window { ssthresh, ..event.standard }, backoff: Backoff::Double }
    }
}

pub(super) const WHY_NOT: &str = "it replaces the halving of a fast recovery";

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "westwood",
        summary: "after a loss ssthresh is estimated bandwidth x shortest round trip",
        source: "Mascolo et al. 2001 (filter of section 3, tau = 1 s)",
        parameters: &[],
    },
    meaning: Meaning::Part {
        role: Role::Reduction,
        with: ANY_RENO,
        unless: WHY_NOT,
        make: |_| factory(|| Westwood::new(Box::new(Tustin::default()), false)),
    },
};

pub(crate) const TIBET: Entry = Entry {
    info: VariantInfo {
        name: "westwood-tibet",
        summary: "Westwood with the TIBET bandwidth estimator",
        source: "Capone, Fratta, Martignon 2004",
        parameters: &[
            Parameter {
                name: "alpha",
                default: Some(0.9),
                min: 0.0,
                max: 0.999,
                about: "weight of the old value in the first stage", choices: &[]
            },
            Parameter {
                name: "t0",
                default: Some(0.5),
                min: 0.001,
                max: 100.0,
                about: "time constant of the second stage, seconds", choices: &[]
            },
        ],
    },
    meaning: Meaning::Part {
        role: Role::Reduction,
        with: ANY_RENO,
        unless: WHY_NOT,
        make: |values| {
            let (alpha, t0) = (values[0], values[1]);
            factory(move || Westwood::new(Box::new(Tibet::new(alpha, t0)), false))
        },
    },
};
