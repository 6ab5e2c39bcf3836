//! Vegas' growth as a module of Linux has it (`tcp_vegas.c`), for any repair. The authors' Vegas (Brakmo and
//! Peterson 1995) has a repair of its own: it is the recovery `vegas`.
//!
//! A round ends with an ACK above what was sent when it began. With its shortest round trip R, the shortest
//! of all B and the window W, the path queues W (R - B) / B segments. What Linux does otherwise than the
//! authors: slow start doubles in every round, the shortest round trip of a round counts, not the mean, and
//! slow start ends with the window W B / R + 1.
//!
//! A round begins anew, and B is forgotten, when a segment is sent with nothing else in flight: at the start,
//! after an idle time, and with the retransmission of a timeout. While duplicate ACKs arrive or losses are
//! repaired, growth is Reno's. Linux returns to its own growth once nothing is missing; here, with the first
//! ACK of new data outside a repair.

use super::whole_segments::{WholeSegments, least_threshold, limits_linux, slow_start};
use super::*;
use crate::config::Timing;
use crate::control::{AckEvent, DupAckEvent, Effects, LossEvent, RtoEvent, RttEvent, SenderView, SentEvent};
use tworay_base::Seq32;

settings! {
    struct Options {
        /// queued segments below which the window grows, one segment in a round
        alpha: u32 = 2.0, 0.0..1000.0;
        /// queued segments above which it shrinks, one segment in a round
        beta: u32 = 4.0, 0.0..1000.0;
        /// queued segments above which slow start ends
        gamma: u32 = 1.0, 0.0..1000.0;
    }
}

/// Samples from which a round is judged: fewer may all be of delayed ACKs.
const ENOUGH: u32 = 3;
/// Smallest window, segments.
const LEAST: f64 = 2.0;

/// Samples of one round trip.
#[derive(Copy, Clone, Debug, Default)]
struct Round {
    /// The round is over when a byte above this is acknowledged; `None` before the first.
    end: Option<Seq32>,
    samples: u32,
    /// Microseconds.
    shortest: Option<u64>,
}

#[derive(Debug)]
struct VegasGrowth {
    options: Options,
    /// True if rounds are measured; otherwise growth is Reno's.
    measuring: bool,
    /// True since a duplicate ACK, a loss or a timeout.
    disturbed: bool,
    /// Shortest round trip since something was last sent with nothing in flight, microseconds.
    base: Option<u64>,
    round: Round,
    reno: WholeSegments,
}

impl VegasGrowth {
    fn new(options: Options) -> Self {
        Self {
            options,
            measuring: true,
            disturbed: false,
            base: None,
            round: Round::default(),
            reno: WholeSegments::default(),
        }
    }

    /// Measures a new round, which is over when a byte above `end` is acknowledged.
    fn measure(&mut self, end: Seq32) {
        self.measuring = true;
        self.round = Round { end: Some(end), ..Round::default() };
    }

    fn disturb(&mut self) {
        (self.measuring, self.disturbed) = (false, true);
    }

    /// Reno's growth, unless the window was not used.
    fn by_reno(&mut self, view: &SenderView, event: &AckEvent) -> Window {
        let window = Window { cwnd: view.cwnd, ssthresh: view.ssthresh };
        if !limits_linux(view, event) {
            return window;
        }
        Window { cwnd: self.reno.grow(window, event.delivered), ..window }
    }

    /// The window after a round with these round trips, in whole segments and microseconds as in Linux.
    fn judge(&self, view: &SenderView, event: &AckEvent, shortest: u64, base: u64) -> Window {
        let Options { alpha, beta, gamma } = self.options;
        let Window { mut cwnd, mut ssthresh } = Window { cwnd: view.cwnd, ssthresh: view.ssthresh };
        let whole = cwnd as u64;
        let queued = whole * (shortest - base) / base;
        let in_slow_start = cwnd < ssthresh;
        if in_slow_start && queued > u64::from(gamma) {
            cwnd = cwnd.min((whole * base / shortest + 1) as f64);
            ssthresh = ssthresh.min(cwnd);
        } else if in_slow_start {
            cwnd = slow_start(Window { cwnd, ssthresh }, event.delivered);
        } else if queued > u64::from(beta) {
            cwnd -= 1.0;
            ssthresh = ssthresh.min(cwnd);
        } else if queued < u64::from(alpha) {
            cwnd += 1.0;
        }
        cwnd = cwnd.max(LEAST);
        Window { cwnd, ssthresh: ssthresh.max(least_threshold(cwnd)) }
    }
}

impl CongestionControl for VegasGrowth {
    fn on_rtt(&mut self, _: &SenderView, event: &RttEvent, _: &mut Effects) {
        // Linux adds 1 µs, so that no round trip is zero.
        let rtt = event.exact.as_nanos() / 1000 + 1;
        self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        self.round.shortest = Some(self.round.shortest.map_or(rtt, |shortest| shortest.min(rtt)));
        self.round.samples += 1;
    }

    fn on_ack(&mut self, view: &SenderView, event: &AckEvent, _: &mut Effects) -> Window {
        if self.disturbed && !view.in_recovery && !view.after_timeout {
            self.disturbed = false;
            self.measure(view.max);
        }
        if !event.may_grow {
            return event.standard;
        }
        if !self.measuring {
            return self.by_reno(view, event);
        }
        let window = Window { cwnd: view.cwnd, ssthresh: view.ssthresh };
        if self.round.end.is_some_and(|end| view.una.le(end)) {
            return Window { cwnd: slow_start(window, event.delivered), ..window };
        }
        let Round { samples, shortest, .. } = self.round;
        self.measure(view.max);
        match shortest.zip(self.base) {
            Some((shortest, base)) if samples >= ENOUGH => self.judge(view, event, shortest, base),
            _ => self.by_reno(view, event),
        }
    }

    fn on_dup_ack(&mut self, _: &SenderView, _: &DupAckEvent, _: &mut Effects) -> DupAckDecision {
        self.disturb();
        DupAckDecision::Recovery
    }

    fn on_loss(&mut self, _: &SenderView, event: &LossEvent, _: &mut Effects) -> Window {
        self.disturb();
        self.reno.restart();
        event.standard
    }

    fn on_rto(&mut self, _: &SenderView, event: &RtoEvent, _: &mut Effects) -> RtoDecision {
        self.disturb();
        self.reno.restart();
        RtoDecision { window: event.standard, backoff: Backoff::Double }
    }

    fn on_sent(&mut self, view: &SenderView, event: &SentEvent) {
        if event.alone {
            self.base = None;
            self.measure(if event.retransmission { view.max } else { event.seq });
        }
    }

    fn wants_sent(&self) -> bool {
        true
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "vegas-growth",
        summary: "grows the window by what queues on the path, once in a round trip, as Linux' Vegas",
        source: "Linux 6.18 tcp_vegas.c",
        rules: &[
            Rule::at(Event::Start, "every segment is timed", "Linux 6.18 tcp_clean_rtx_queue"),
            Rule::at(
                Event::Round,
                "queued = cwnd (R - B) / B, with the shortest round trips of this round (R) and of all (B)",
                "Linux 6.18 tcp_vegas_cong_avoid",
            ),
            Rule::at(
                Event::Round,
                "slow start: above gamma queued segments it ends, with cwnd B/R + 1; otherwise cwnd doubles",
                "Linux 6.18 tcp_vegas_cong_avoid",
            ),
            Rule::at(
                Event::Round,
                "congestion avoidance: above beta cwnd - 1, below alpha cwnd + 1; at least 2",
                "Linux 6.18 tcp_vegas_cong_avoid",
            ),
            Rule::at(
                Event::Round,
                "with fewer than three samples, and while duplicate ACKs come or losses are repaired: grows as Reno",
                "Linux 6.18 tcp_vegas_cong_avoid, tcp_vegas_state",
            ),
            Rule::at(
                Event::Send,
                "nothing else is in flight: the round begins anew, and B is forgotten",
                "Linux 6.18 tcp_vegas_cwnd_event",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: ANY_STANDARD,
        unless: "Vegas has its own growth rule",
        configure: Some(|_, config| config.timing = Timing::EverySegment),
        ..Part::new(Role::Growth, |values| {
            let options = Options::read(values);
            factory(move || VegasGrowth::new(options))
        })
    }),
};

#[cfg(test)]
mod tests;
