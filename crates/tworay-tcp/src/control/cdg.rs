//! CDG, CAIA Delay-Gradient: backs off with a probability that increases with the gradient of the round trip
//! (Hayes and Armitage 2011), with the constants of FreeBSD's `cc_cdg.c` (its manual page says 2 for the
//! scale, its code 3).
//!
//! Once per round trip, g_min and g_max are the changes of its shortest and longest sample since the
//! previous round trip; ḡ is their mean over the last `window` round trips (§3.1). The sender backs off to
//! `beta` of its window with probability 1 − exp(−ḡ/G) (§3.2), in slow start also by the unsmoothed
//! gradients, and not again before a round trip shows the effect. After `ineffective` consecutive backoffs
//! without a falling gradient it assumes competitors that fill the queue, and skips the next `hold`
//! backoffs (§3.3). The shadow window grows as Reno's does and is a lower bound for the window after a
//! congestion loss (§3.4).
//!
//! If g_min still rises but g_max no longer does, the queue is full (§3.5). A loss in any other known state
//! of the queue is not considered congestion and does not reduce the window. Linux disables this tolerance:
//! `cdg(tolerance=no)`.

use super::kept::Kept;
use super::*;
use crate::control::{
    AckEvent, Backoff, Effect, Effects, LossEvent, RtoDecision, RtoEvent, RttEvent, SenderView, Window,
};
use tworay_base::{Purpose, RngStream, Seq32};

settings! {
    struct Options {
        /// mean gradient that causes a backoff, ms per round trip (the paper's G)
        scale: f64 = 3.0, 0.01..10000.0;
        /// fraction of the window that is left after a backoff
        beta: f64 = 0.7, 0.1..0.99;
        /// number of gradients averaged, round trips
        window: usize = 8.0, 1.0..64.0;
        /// consecutive backoffs without effect that indicate competitors; 0: backoffs are always considered
        /// effective
        ineffective: u32 = 5.0, 0.0..1000.0;
        /// number of backoffs then skipped
        hold: u32 = 5.0, 0.0..1000.0;
        /// keep the window on a loss while the queue is not full, or reduce it on every loss as in Linux
        tolerance: bool = ["yes" => true, "no" => false];
    }
}

/// State of the bottleneck's queue, inferred from the gradients.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Queue {
    Unknown,
    Empty,
    Rising,
    Falling,
    Full,
}

/// The latest gradients of one extreme, ms.
#[derive(Debug)]
struct Gradient {
    last: Vec<f64>,
    next: usize,
}

impl Gradient {
    fn new(window: usize) -> Self {
        Self { last: vec![0.0; window.max(1)], next: 0 }
    }

    fn push(&mut self, change: f64) {
        self.last[self.next] = change;
        self.next = (self.next + 1) % self.last.len();
    }

    fn mean(&self) -> f64 {
        self.last.iter().sum::<f64>() / self.last.len() as f64
    }
}

/// Shortest and longest sample of a round trip, ms.
#[derive(Copy, Clone, Debug)]
struct Extremes {
    min: f64,
    max: f64,
}

#[derive(Debug)]
struct Cdg {
    options: Options,
    rng: RngStream,
    /// Extremes of the current round trip, and of the previous one.
    current: Option<Extremes>,
    previous: Option<Extremes>,
    /// The byte whose acknowledgment ends the round trip.
    round_end: Option<Seq32>,
    min: Gradient,
    max: Gradient,
    queue: Queue,
    /// Consecutive backoffs without effect.
    in_vain: u32,
    /// The window of a sender that reacts only to losses; unset while no such sender competes.
    shadow: Option<f64>,
    /// Highest byte sent at the last backoff, until it is acknowledged.
    responding: Option<Seq32>,
    kept: Kept,
}

impl Cdg {
    fn new(options: Options) -> Self {
        Self {
            options,
            rng: RngStream::numbered(0, 0, Purpose::Tcp),
            current: None,
            previous: None,
            round_end: None,
            min: Gradient::new(options.window),
            max: Gradient::new(options.window),
            queue: Queue::Unknown,
            in_vain: 0,
            shadow: None,
            responding: None,
            kept: Kept::default(),
        }
    }

    fn backs_off(&mut self, gradient: f64) -> bool {
        let p = 1.0 - libm::exp(-gradient / self.options.scale);
        self.rng.chance(p)
    }

    /// A round trip is over: updates the gradients; returns whether they call for a backoff.
    fn end_round(&mut self, slow_start: bool) -> bool {
        let before = std::mem::replace(&mut self.previous, self.current.take());
        let (Some(before), Some(now)) = (before, self.previous) else { return false };
        let (g_min, g_max) = (now.min - before.min, now.max - before.max);
        self.min.push(g_min);
        self.max.push(g_max);
        let (min, max) = (self.min.mean(), self.max.mean());
        self.queue = match (min, max) {
            _ if min > 0.0 && max <= 0.0 => Queue::Full,
            _ if min >= 0.0 && max < 0.0 => Queue::Empty,
            _ if min > 0.0 && max > 0.0 => Queue::Rising,
            _ if min < 0.0 && max < 0.0 => Queue::Falling,
            _ => self.queue,
        };
        if self.queue == Queue::Empty {
            self.shadow = None;
        }
        if min < 0.0 || max < 0.0 {
            self.in_vain = 0;
        }
        let first = [(slow_start, g_min), (true, min), (slow_start, g_max), (true, max)];
        match first.into_iter().find(|&(asked, gradient)| asked && gradient > 0.0) {
            Some((_, gradient)) => self.backs_off(gradient),
            None => false,
        }
    }

    /// Backs off unless this has had no effect for long; returns the new window.
    fn back_off(&mut self, view: &SenderView) -> Option<Window> {
        let Options { beta, ineffective, hold, .. } = self.options;
        self.in_vain += 1;
        // The effect shows in the second round trip from now.
        self.previous = None;
        let competing = ineffective > 0 && self.in_vain > ineffective;
        if competing {
            if self.in_vain >= ineffective + hold {
                self.in_vain = 0;
            }
            self.sync_shadow(view);
            return None;
        }
        let window = (outstanding(view) * beta).max(2.0);
        self.sync_shadow(view);
        self.responding = Some(view.max);
        Some(Window { cwnd: window, ssthresh: window })
    }

    fn sync_shadow(&mut self, view: &SenderView) {
        let in_use = view.in_use();
        self.shadow = Some(self.shadow.map_or(in_use, |s| s.max(in_use)));
    }
}

impl CongestionControl for Cdg {
    fn seed(&mut self, seed: u64) {
        self.rng = RngStream::numbered(seed, 0, Purpose::Tcp);
    }

    fn on_rtt(&mut self, _: &SenderView, event: &RttEvent, _: &mut Effects) {
        let ms = event.exact.as_secs_f64() * 1e3;
        let Extremes { min, max } = self.current.unwrap_or(Extremes { min: ms, max: ms });
        self.current = Some(Extremes { min: min.min(ms), max: max.max(ms) });
    }

    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        self.kept.on_ack(view);
        if self.round_end.is_none() {
            self.shadow = Some(view.in_use());
        }
        if self.round_end.is_none_or(|end| view.una.ge(end)) {
            self.round_end = Some(view.nxt);
            let backs_off = self.end_round(view.cwnd < view.ssthresh);
            if backs_off
                && event.may_grow
                && let Some(window) = self.back_off(view)
            {
                return window;
            }
        }
        if let Some(shadow) = &mut self.shadow {
            *shadow = (*shadow + event.standard.cwnd - view.cwnd).min(view.advertised);
        }
        event.standard
    }

    fn on_loss(&mut self, view: &SenderView, event: &LossEvent, effects: &mut Effects) -> Window {
        let responding = self.responding.is_some_and(|end| view.una.lt(end));
        if self.options.tolerance {
            let elsewhere = matches!(self.queue, Queue::Empty | Queue::Rising | Queue::Falling);
            let guess = if elsewhere && !responding { CHANNEL } else { CONGESTION };
            effects.push(Effect::Guess { seq: event.seq, guess });
            if elsewhere || responding {
                let window = view.in_use();
                return self.kept.hold(Window { cwnd: window, ssthresh: window });
            }
        }
        self.kept.release();
        let shadow = self.shadow.map_or(0.0, |s| s / 2.0);
        self.shadow = self.shadow.map(|_| shadow);
        let window = event.standard.ssthresh.max(shadow);
        Window { cwnd: window, ssthresh: window }
    }

    fn on_rto(&mut self, _: &SenderView, event: &RtoEvent, _: &mut Effects) -> RtoDecision {
        // Later round trips are measured on an empty path.
        (self.current, self.previous, self.responding) = (None, None, None);
        self.kept.release();
        RtoDecision { window: event.standard, backoff: Backoff::Double }
    }

    fn on_recovery_exit(&mut self, _: &SenderView, effects: &mut Effects) {
        self.kept.on_recovery_exit(effects);
    }

    fn burst(&self) -> Option<u32> {
        self.kept.burst()
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "cdg",
        summary: "backs off at random as round trips grow; tolerates losses while the queue is not full",
        source: "Hayes and Armitage 2011; FreeBSD cc_cdg(4)",
        rules: &[
            Rule::at(
                Event::Round,
                "the shortest or longest sample rises: backs off to beta of the window with probability 1 - exp(-gradient / scale)",
                "Hayes and Armitage 2011 §3.1, §3.2",
            ),
            Rule::at(
                Event::Round,
                "after `ineffective` backoffs without effect: skips the next `hold`",
                "Hayes and Armitage 2011 §3.3",
            ),
            Rule::at(
                Event::Loss,
                "queue known not to be full: window and threshold stay; otherwise half, at least half of the shadow window",
                "Hayes and Armitage 2011 §3.4, §3.5",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_RENO,
        unless: "it changes growth and halving of a fast recovery",
        needs: Needs::CHANCE.union(Needs::BURSTS),
        ..Part::new(Role::Avoidance, |values| {
            let options = Options::read(values);
            factory(move || Cdg::new(options))
        })
    }),
};

#[cfg(test)]
mod tests;
