//! Copa: aims at the rate 1/(δ d_q), where d_q is the queueing delay (Arun and Balakrishnan 2018).
//!
//! The queueing delay is the standing round trip (the minimum over the last half SRTT) less the minimum
//! over ten seconds (§2.1). Each ACK moves the window by v/(δ cwnd) towards the target; after three round
//! trips in the same direction v doubles every round trip (§2.1). Segments are paced at 2 cwnd/RTTstanding.
//! At the start, the window doubles every round trip until the target rate is reached.
//!
//! If the queue was never nearly empty in five round trips, other flows keep it full. Nearly empty means d_q
//! < 0.1 (RTTmax − RTTmin), with RTTmax from the last four round trips. Then 1/δ grows by one per round trip
//! without loss and halves on a loss, with δ never above the default (§2.2). The default mode reacts to
//! timeouts but not to other losses. An ACK moves the window by at most what it delivers. The rate is that of
//! the window in use: where the receiver's window is the limit, there is no queue, and a larger cwnd sends no
//! faster.

use super::*;
use crate::control::{
    AckEvent, Backoff, Effect, Effects, LossEvent, RateSample, RtoDecision, RtoEvent, SenderView, Window,
};
use std::collections::VecDeque;
use tworay_base::{SimDuration, SimTime};

settings! {
    struct Options {
        /// inverse of the number of segments that a flow keeps in the queue: 0.5 stands for two
        delta: f64 = 0.5, 0.001..1.0;
        /// whether to compete with senders that fill the queue, or always yield
        switching: bool = ["yes" => true, "no" => false];
        /// time over which the minimum round trip is taken, seconds
        min_rtt: SimDuration = 10.0, 0.1..3600.0;
        /// smallest window, segments
        floor: f64 = 2.0, 1.0..100.0;
    }
}

/// Round trips in one direction after which the velocity doubles.
const SAME_WAY: u32 = 3;
/// Round trips without a nearly empty queue after which competition is assumed.
const WITHOUT_EMPTY: f64 = 5.0;
/// Round trips over which the maximum is taken.
const SWING: f64 = 4.0;

/// Minimum (or maximum) over a sliding window of time.
#[derive(Debug, Default)]
struct Extreme {
    values: VecDeque<(SimTime, SimDuration)>,
}

impl Extreme {
    /// Adds a value, removing those it `beats` and those older than `length`.
    fn push(
        &mut self,
        now: SimTime,
        value: SimDuration,
        length: SimDuration,
        beats: impl Fn(&SimDuration, &SimDuration) -> bool,
    ) {
        while self.values.back().is_some_and(|(_, v)| beats(&value, v)) {
            self.values.pop_back();
        }
        self.values.push_back((now, value));
        while self.values.len() > 1 && self.values.front().is_some_and(|&(at, _)| now.since(at) > length) {
            self.values.pop_front();
        }
    }

    fn seconds(&self) -> Option<f64> {
        self.values.front().map(|(_, v)| v.as_secs_f64())
    }
}

/// Direction and speed of the window's changes.
#[derive(Debug)]
struct Velocity {
    value: f64,
    up: bool,
    /// Round trips in this direction.
    same: u32,
    /// The window when the round trip began, and the number of segments delivered at its end.
    from: f64,
    round_end: f64,
}

impl Velocity {
    /// At the end of a round trip, doubles the value or resets it to one. Returns whether a round trip has
    /// ended.
    fn update(&mut self, cwnd: f64, sample: &RateSample) -> bool {
        if sample.prior_delivered < self.round_end {
            return false;
        }
        self.round_end = sample.total_delivered;
        let up = cwnd > self.from;
        if up == self.up {
            self.same += 1;
            if self.same >= SAME_WAY {
                self.value = (self.value * 2.0).min(1e6);
            }
        } else {
            (self.value, self.same, self.up) = (1.0, 0, up);
        }
        self.from = cwnd;
        true
    }
}

#[derive(Debug)]
struct Copa {
    options: Options,
    shortest: Extreme,
    standing: Extreme,
    longest: Extreme,
    slow_start: bool,
    velocity: Velocity,
    /// 1/δ in use.
    inverse: f64,
    empty_at: SimTime,
    lost: bool,
}

impl Copa {
    fn new(options: Options) -> Self {
        Self {
            options,
            shortest: Extreme::default(),
            standing: Extreme::default(),
            longest: Extreme::default(),
            slow_start: true,
            velocity: Velocity { value: 1.0, up: true, same: 0, from: 0.0, round_end: 0.0 },
            inverse: 1.0 / options.delta,
            empty_at: SimTime::ZERO,
            lost: false,
        }
    }

    fn measure(&mut self, view: &SenderView, rtt: SimDuration) {
        let srtt = view.srtt.unwrap_or(rtt);
        let (now, less, more) = (view.now, SimDuration::le, SimDuration::ge);
        if self.shortest.values.is_empty() {
            self.empty_at = now;
        }
        self.shortest.push(now, rtt, self.options.min_rtt, less);
        self.standing.push(now, rtt, srtt.mul_f64(0.5), less);
        self.longest.push(now, rtt, srtt.mul_f64(SWING), more);
    }

    /// Chooses the mode; `round` means that a round trip is over.
    fn switch(&mut self, view: &SenderView, queue: f64, shortest: f64, round: bool) {
        let swing = self.longest.seconds().unwrap_or(0.0) - shortest;
        if queue < 0.1 * swing || queue <= 0.0 {
            self.empty_at = view.now;
        }
        let gentle = 1.0 / self.options.delta;
        let srtt = view.srtt.map_or(shortest, |s| s.as_secs_f64());
        if !self.options.switching || view.now.since(self.empty_at).as_secs_f64() <= WITHOUT_EMPTY * srtt {
            self.inverse = gentle;
        } else if round {
            self.inverse = if self.lost { self.inverse / 2.0 } else { self.inverse + 1.0 };
            self.inverse = self.inverse.clamp(gentle, 1e6);
        }
        if round {
            self.lost = false;
        }
    }
}

impl CongestionControl for Copa {
    fn on_rate(&mut self, view: &SenderView, sample: &RateSample, effects: &mut Effects) {
        if let Some(rtt) = sample.rtt.filter(|rtt| !rtt.is_zero()) {
            self.measure(view, rtt);
        }
        let (Some(shortest), Some(standing)) = (self.shortest.seconds(), self.standing.seconds()) else {
            return;
        };
        let queue = (standing - shortest).max(0.0);
        let cwnd = view.in_use();
        let round = self.velocity.update(cwnd, sample);
        self.switch(view, queue, shortest, round);
        let most = sample.newly_delivered;
        // Whether the rate cwnd/standing is below the target 1/(δ d_q).
        let below = cwnd * queue <= self.inverse * standing;
        let moved = if self.slow_start && below {
            // The handshake's window isn't open before its ACK is taken.
            if view.in_recovery { 0.0 } else { most }
        } else {
            if self.slow_start {
                self.slow_start = false;
                (self.velocity.value, self.velocity.same) = (1.0, 0);
            }
            let step = (self.velocity.value * self.inverse / cwnd * most).min(most);
            if below { step } else { -step }
        };
        let cwnd = (cwnd + moved).max(self.options.floor);
        let ssthresh = if self.slow_start { view.ssthresh } else { cwnd };
        effects.push(Effect::SetWindow(Window { cwnd, ssthresh }));
        effects.push(Effect::Pace(SimDuration::from_secs_f64(standing / (2.0 * cwnd))));
    }

    fn on_ack(&mut self, view: &SenderView, _: &AckEvent, _: &mut Effects) -> Window {
        Window { cwnd: view.cwnd, ssthresh: view.ssthresh }
    }

    fn on_loss(&mut self, view: &SenderView, _: &LossEvent, _: &mut Effects) -> Window {
        self.lost = true;
        Window { cwnd: view.cwnd, ssthresh: view.ssthresh }
    }

    fn on_rto(&mut self, _: &SenderView, event: &RtoEvent, _: &mut Effects) -> RtoDecision {
        self.lost = true;
        self.slow_start = true;
        RtoDecision { window: event.standard, backoff: Backoff::Double }
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "copa",
        summary: "aims at a rate inverse to the queueing delay; competes where other flows fill the queue",
        source: "Arun and Balakrishnan 2018",
        rules: &[
            Rule::at(
                Event::Ack,
                "the window moves by v/(delta cwnd) segments per delivered one towards the rate 1/(delta x queueing delay)",
                "Arun and Balakrishnan 2018 §2.1",
            ),
            Rule::at(
                Event::Round,
                "v doubles after three round trips in one direction, and is 1 after a turn",
                "Arun and Balakrishnan 2018 §2.1",
            ),
            Rule::at(
                Event::Round,
                "queue never nearly empty in five: competes, 1/delta grows by one, or halves after a loss",
                "Arun and Balakrishnan 2018 §2.2",
            ),
            Rule::at(
                Event::Send,
                "paced at twice cwnd over the standing round trip",
                "Arun and Balakrishnan 2018 §2.1",
            ),
            Rule::at(Event::Loss, "the window stays", "Arun and Balakrishnan 2018 §2"),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: &[RecoveryKind::Sack],
        unless: "it counts what each ACK delivers, which needs selective acknowledgments",
        needs: Needs::PACING.union(Needs::RATES),
        ..Part::new(Role::Whole, |values| {
            let options = Options::read(values);
            factory(move || Copa::new(options))
        })
    }),
};

#[cfg(test)]
mod tests;
