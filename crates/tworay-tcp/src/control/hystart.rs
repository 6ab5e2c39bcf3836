//! HyStart++: leaves slow start when round trips grow, before losses end it (RFC 9406).
//!
//! The RFC limits the threshold to 16 ms, which at 2 Mb/s is the time of two or three frames. `cap=0`
//! removes the limit, so that an eighth of the round trip decides.

use super::*;
use crate::control::{Effects, LossEvent, RateSample, RtoDecision, RtoEvent, SenderView, Window};
use tworay_base::{Seq32, SimDuration};

settings! {
    struct Options {
        /// upper limit of the rise in round-trip time that ends slow start, s (RFC 9406: 16 ms); 0: no
        /// limit
        cap: SimDuration = 0.016, 0.0..10.0;
        /// lower limit of that rise, s (RFC 9406: 4 ms)
        floor: SimDuration = 0.004, 0.0..10.0;
        /// samples needed in a round before it is judged (RFC 9406: 8)
        samples: u32 = 8.0, 1.0..100.0;
        /// rounds of slower growth before congestion avoidance (RFC 9406: 5)
        rounds: u32 = 5.0, 1.0..100.0;
    }
}

/// Divisor of the growth in these rounds (CSS_GROWTH_DIVISOR).
const SLOWED: f64 = 4.0;
/// The rise is this fraction of the last round's minimum round trip (MIN_RTT_DIVISOR).
const PART: u64 = 8;

/// Conservative slow start: the rounds of slower growth.
#[derive(Debug)]
struct Slowed {
    /// Minimum round trip at their start; a lower one shows that the rise was accidental.
    baseline: SimDuration,
    rounds: u32,
}

#[derive(Debug)]
struct HyStart {
    options: Options,
    /// True if the first slow start is over; HyStart++ does not apply to later ones (§4.2).
    over: bool,
    /// The round ends when this is acknowledged.
    end: Option<Seq32>,
    last: Option<SimDuration>,
    current: Option<SimDuration>,
    samples: u32,
    slowed: Option<Slowed>,
}

impl HyStart {
    fn new(options: Options) -> Self {
        Self { options, over: false, end: None, last: None, current: None, samples: 0, slowed: None }
    }

    /// The rise of the minimum round trip that ends slow start.
    fn threshold(&self, last: SimDuration) -> SimDuration {
        let part = last / PART;
        let capped = if self.options.cap.is_zero() { part } else { part.min(self.options.cap) };
        capped.max(self.options.floor)
    }

    /// Starts a new round if the current one is over (§4.2).
    fn next_round(&mut self, view: &SenderView) {
        if self.end.is_none_or(|end| view.una.diff(end) >= 0) {
            self.end = Some(view.max);
            (self.last, self.current, self.samples) = (self.current, None, 0);
            if let Some(slowed) = &mut self.slowed {
                slowed.rounds += 1;
            }
        }
    }

    fn judge(&mut self) {
        let Some(current) = self.current.filter(|_| self.samples >= self.options.samples) else { return };
        match (&self.slowed, self.last) {
            (Some(slowed), _) if current < slowed.baseline => self.slowed = None,
            (None, Some(last)) if current >= last + self.threshold(last) => {
                self.slowed = Some(Slowed { baseline: current, rounds: 0 });
            }
            _ => {}
        }
    }
}

impl CongestionControl for HyStart {
    fn on_rate(&mut self, _: &SenderView, sample: &RateSample, _: &mut Effects) {
        if let Some(rtt) = sample.rtt.filter(|_| !self.over) {
            self.current = Some(self.current.map_or(rtt, |least| least.min(rtt)));
            self.samples += 1;
        }
    }

    /// `event.standard` is the window chosen by the owner of growth.
    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        let wanted = event.standard;
        if self.over || !event.may_grow || view.cwnd >= view.ssthresh {
            self.over |= view.cwnd >= view.ssthresh;
            return wanted;
        }
        self.judge();
        self.next_round(view);
        match &self.slowed {
            None => wanted,
            Some(slowed) if slowed.rounds >= self.options.rounds => {
                self.over = true;
                Window { cwnd: view.cwnd, ssthresh: view.cwnd.max(2.0) }
            }
            Some(_) => Window { cwnd: view.cwnd + (wanted.cwnd - view.cwnd).max(0.0) / SLOWED, ..wanted },
        }
    }

    fn on_loss(&mut self, _: &SenderView, event: &LossEvent, _: &mut Effects) -> Window {
        self.over = true;
        event.standard
    }

    fn on_rto(&mut self, _: &SenderView, event: &RtoEvent, _: &mut Effects) -> RtoDecision {
        self.over |= !event.opening;
        RtoDecision { window: event.standard, backoff: Backoff::Double }
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "hystart++",
        summary: "leaves slow start when round trips grow",
        source: "RFC 9406",
        rules: &[
            Rule::at(
                Event::Round,
                "slow start: if the shortest sample rose by an eighth (within floor and cap), growth falls to a quarter",
                "RFC 9406 §4.2",
            ),
            Rule::at(
                Event::Round,
                "after `rounds` of that: ssthresh = cwnd; if round trips shrink again, full growth",
                "RFC 9406 §4.2",
            ),
            Rule::at(Event::Loss, "its part is over: later slow starts are standard", "RFC 9406 §4.2"),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_STANDARD,
        unless: "Vegas leaves slow start by a rule of its own",
        needs: Needs::RATES,
        ..Part::new(Role::Start, |values| {
            let options = Options::read(values);
            factory(move || HyStart::new(options))
        })
    }),
};

#[cfg(test)]
mod tests;
