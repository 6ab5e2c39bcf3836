//! CERL: a loss while the bottleneck's queue is short is considered random and keeps the window (El-Ocla
//! 2010).
//!
//! The queue is l = (RTT − T) B, with T the shortest round trip and B the bottleneck's rate; a loss
//! indicates congestion if l ≥ A·l_max, where l_max is the longest queue seen. B occurs on both sides and
//! cancels, so queues are measured in seconds here. A random loss is only retransmitted; window and
//! threshold stay. Congestion is handled as in Reno, at most once for data sent before the last reduction.
//! Timeouts are handled as in Reno.
//!
//! A = 0.55 and the rule for a second loss are taken from two public implementations for ns-3 that name the
//! paper; the paper's abstract confirms that a random loss leaves window and threshold.

use super::kept::Kept;
use super::*;
use crate::control::{
    AckEvent, Backoff, Effect, Effects, LossEvent, RtoDecision, RtoEvent, RttEvent, SenderView, Window,
};
use tworay_base::{Seq32, SimDuration};

settings! {
    struct Options {
        /// fraction of the longest queue from which a loss indicates congestion (the paper's A)
        a: f64 = 0.55, 0.0..1.0;
    }
}

#[derive(Debug)]
struct Cerl {
    options: Options,
    /// Shortest round trip, T.
    shortest: Option<SimDuration>,
    /// Current queue l, and the longest one.
    queue: SimDuration,
    longest: SimDuration,
    /// Highest byte sent at the last reduction.
    reduced_at: Option<Seq32>,
    kept: Kept,
}

impl Cerl {
    fn is_congestion(&self) -> bool {
        self.queue.as_secs_f64() >= self.options.a * self.longest.as_secs_f64()
    }
}

impl CongestionControl for Cerl {
    fn on_rtt(&mut self, _: &SenderView, event: &RttEvent, _: &mut Effects) {
        let shortest = self.shortest.map_or(event.exact, |s| s.min(event.exact));
        self.shortest = Some(shortest);
        self.queue = event.exact.saturating_sub(shortest);
        self.longest = self.longest.max(self.queue);
    }

    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, effects: &mut Effects) -> Window {
        let congestion = self.is_congestion();
        let guess = if congestion { CONGESTION } else { CHANNEL };
        effects.push(Effect::Guess { seq: event.seq, guess });
        let reduced = self.reduced_at.is_some_and(|at| event.seq.lt(at));
        if congestion && !reduced {
            self.reduced_at = Some(view.max);
            self.kept.release();
            return event.standard;
        }
        let window = Window { cwnd: view.in_use(), ssthresh: view.ssthresh };
        if congestion {
            // After a reduction, recovery returns to the threshold.
            self.kept.release();
            return window;
        }
        self.kept.hold(window)
    }

    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        self.kept.on_ack(view);
        event.standard
    }

    fn on_recovery_exit(&mut self, _: &SenderView, effects: &mut Effects) {
        self.kept.on_recovery_exit(effects);
    }

    fn on_rto(&mut self, view: &SenderView, event: &RtoEvent, _: &mut Effects) -> RtoDecision {
        self.reduced_at = Some(view.max);
        self.kept.release();
        RtoDecision { window: event.standard, backoff: Backoff::Double }
    }

    fn burst(&self) -> Option<u32> {
        self.kept.burst()
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "cerl",
        summary: "keeps the window on a loss while the queue is short compared with the longest seen",
        source: "El-Ocla 2010",
        rules: &[
            Rule::at(
                Event::Sample,
                "the queue is the round trip less the shortest one; remembers the longest queue",
                "El-Ocla 2010",
            ),
            Rule::at(
                Event::Loss,
                "queue below a x the longest: a random loss, window and threshold stay; otherwise as the recovery, once for a window",
                "El-Ocla 2010; rule for a second loss: public code for ns-3",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: &[RecoveryKind::Reno, RecoveryKind::NewReno, RecoveryKind::Sack],
        unless: "it replaces the halving of a fast recovery",
        needs: Needs::BURSTS,
        ..Part::new(Role::Reduction, |values| {
            let options = Options::read(values);
            factory(move || Cerl {
                options,
                shortest: None,
                queue: SimDuration::ZERO,
                longest: SimDuration::ZERO,
                reduced_at: None,
                kept: Kept::default(),
            })
        })
    }),
};

#[cfg(test)]
mod tests;
