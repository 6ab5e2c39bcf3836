//! Loss differentiation: the receiver decides at each gap whether it is due to congestion or to the wireless
//! channel, and the sender keeps its window after a wireless loss (Cen, Cosman, Voelker 2003). The four rules
//! are in `receive/report/gaps.rs`.
//!
//! Cen et al. apply the rules to a rate-controlled stream of datagrams, which simply leaves a wireless loss
//! out of its loss rate. The counterpart for TCP, as in CERL and NewReno-FF: a fast retransmission after a
//! wireless loss reduces neither the window nor the threshold. A timeout comes without a verdict, because
//! nothing arrived, and is congestion as everywhere. The latest verdict before the third duplicate ACK
//! counts, for the whole recovery.

use super::kept::Kept;
use super::*;
use crate::config::{BiazRule, GapRule, HybridRule, Reporting, SpikeRule, TcpConfig, ZigZagRule};
use crate::control::{
    AckEvent, Backoff, Effect, Effects, LossEvent, PathEvent, RtoDecision, RtoEvent, SenderView, Window,
};
use tworay_wire::Report;

/// The sender's part, as users read it.
const KEEPS: Rule = Rule::at(
    Event::Loss,
    "verdict wireless: sends again, window and threshold stay; otherwise as the recovery",
    "Cen, Cosman, Voelker 2003; for TCP: our reading",
);
const NO_VERDICT: Rule = Rule::at(Event::Timeout, "has no verdict: as the recovery", "our reading");

/// The sender, which is the same for all rules.
#[derive(Debug, Default)]
struct Differentiating {
    /// The latest verdict of the receiver.
    verdict: Option<Report>,
    kept: Kept,
}

impl CongestionControl for Differentiating {
    fn on_path_event(&mut self, _: &SenderView, event: PathEvent, _: &mut Effects) {
        if let PathEvent::Report(report @ (Report::Channel | Report::Congestion)) = event {
            self.verdict = Some(report);
        }
    }

    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, effects: &mut Effects) -> Window {
        let wireless = self.verdict == Some(Report::Channel);
        let guess = if wireless { CHANNEL } else { CONGESTION };
        effects.push(Effect::Guess { seq: event.seq, guess });
        if !wireless {
            self.kept.release();
            return event.standard;
        }
        self.kept.hold(Window { cwnd: view.in_use(), ssthresh: view.ssthresh })
    }

    fn on_rto(&mut self, _: &SenderView, event: &RtoEvent, _: &mut Effects) -> RtoDecision {
        self.verdict = None;
        self.kept.release();
        RtoDecision { window: event.standard, backoff: Backoff::Double }
    }

    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        self.kept.on_ack(view);
        event.standard
    }

    fn on_recovery_exit(&mut self, _: &SenderView, effects: &mut Effects) {
        self.verdict = None;
        self.kept.on_recovery_exit(effects);
    }

    fn burst(&self) -> Option<u32> {
        self.kept.burst()
    }
}

fn report(config: &mut TcpConfig, rule: GapRule) {
    config.timestamps = true;
    config.receiver.reporting = Some(Reporting::Gaps(rule));
}

const fn entry(info: VariantInfo, configure: crate::parts::Configure) -> Entry {
    Entry {
        info,
        meaning: Meaning::Part(Part {
            with: ANY_RENO,
            unless: "it replaces the halving of a fast recovery",
            needs: Needs::REPORTS.union(Needs::BURSTS),
            configure: Some(configure),
            ..Part::new(Role::Reduction, |_| factory(Differentiating::default))
        }),
    }
}

settings! {
    struct SpikeOptions {
        /// a spike of the trip time begins above this part of the way from the shortest to the longest
        start: f64 = 0.5, 0.0..1.0;
        /// it ends below this part
        end: f64 = (1.0 / 3.0), 0.0..1.0;
    }
}

impl SpikeOptions {
    fn rule(self) -> SpikeRule {
        SpikeRule { start: self.start, end: self.end }
    }
}

pub(crate) const SPIKE: Entry = entry(
    VariantInfo {
        name: "spike",
        summary: "keeps the window on a loss while the one-way trip time is not in a spike",
        source: "Tobe, Tamura, Molano, Ghosh, Tokuda 2000; Cen, Cosman, Voelker 2003",
        rules: &[
            Rule::at(
                Event::Receiver,
                "at a gap: wireless unless the trip time is in a spike, which begins at `start` of its range and ends at `end`",
                "Tobe et al. 2000; Cen, Cosman, Voelker 2003",
            ),
            KEEPS,
            NO_VERDICT,
        ],
        parameters: SpikeOptions::PARAMETERS,
    },
    |values, config| report(config, GapRule::Spike(SpikeOptions::read(values).rule())),
);

settings! {
    struct ZigZagOptions {
        /// weight of a new trip time in the mean; the deviation has twice this weight
        weight: f64 = 0.03125, 0.001..0.5;
    }
}

pub(crate) const ZIGZAG: Entry = entry(
    VariantInfo {
        name: "zigzag",
        summary: "keeps the window on a loss with a trip time below the mean, by the number of losses in a row",
        source: "Cen, Cosman, Voelker 2003",
        rules: &[
            Rule::at(
                Event::Receiver,
                "at a gap of n: wireless if the trip time is below mean - deviation (n = 1), - half (2), + 0 (3), + half (more)",
                "Cen, Cosman, Voelker 2003",
            ),
            KEEPS,
            NO_VERDICT,
        ],
        parameters: ZigZagOptions::PARAMETERS,
    },
    |values, config| {
        report(config, GapRule::ZigZag(ZigZagRule { weight: ZigZagOptions::read(values).weight }));
    },
);

settings! {
    struct BiazOptions {
        /// delay of the next arrival up to which a loss is wireless, shortest times between arrivals; 0.25 is
        /// mBiaz
        slack: f64 = 1.0, 0.01..100.0;
    }
}

pub(crate) const BIAZ: Entry = entry(
    VariantInfo {
        name: "biaz",
        summary: "keeps the window on a loss after which the next segment arrives when it would have anyway",
        source: "Biaz and Vaidya 1999; slack=0.25: mBiaz, Cen, Cosman, Voelker 2003",
        rules: &[
            Rule::at(
                Event::Receiver,
                "at a gap of n: wireless if the next segment arrives n + 1 to n + 1 + slack shortest gaps after the last",
                "Biaz and Vaidya 1999; slack: Cen, Cosman, Voelker 2003",
            ),
            KEEPS,
            NO_VERDICT,
        ],
        parameters: BiazOptions::PARAMETERS,
    },
    |values, config| report(config, GapRule::Biaz(BiazRule { slack: BiazOptions::read(values).slack })),
);

settings! {
    /// Those of the three rules.
    struct HybridOptions {
        /// a spike of the trip time begins above this part of the way from the shortest to the longest
        start: f64 = 0.5, 0.0..1.0;
        /// it ends below this part
        end: f64 = (1.0 / 3.0), 0.0..1.0;
        /// weight of a new trip time in ZigZag's mean
        weight: f64 = 0.03125, 0.001..0.5;
        /// delay of the next arrival up to which a loss is wireless, shortest times between arrivals
        slack: f64 = 0.25, 0.01..100.0;
    }
}

pub(crate) const ZBS: Entry = entry(
    VariantInfo {
        name: "zbs",
        summary: "selects zigzag, biaz or spike by the load of the bottleneck, and keeps the window on a wireless loss",
        source: "Cen, Cosman, Voelker 2003",
        rules: &[
            Rule::at(
                Event::Receiver,
                "at a gap: asks zigzag, biaz or spike, by the load of the bottleneck",
                "Cen, Cosman, Voelker 2003",
            ),
            KEEPS,
            NO_VERDICT,
        ],
        parameters: HybridOptions::PARAMETERS,
    },
    |values, config| {
        let HybridOptions { start, end, weight, slack } = HybridOptions::read(values);
        let rule = HybridRule {
            spike: SpikeRule { start, end },
            zigzag: ZigZagRule { weight },
            biaz: BiazRule { slack },
        };
        report(config, GapRule::Hybrid(rule));
    },
);

#[cfg(test)]
mod tests;
