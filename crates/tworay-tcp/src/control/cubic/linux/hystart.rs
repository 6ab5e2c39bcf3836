//! HyStart, which ends slow start before a loss does, as Linux has it (Ha and Rhee 2008; `hystart_update`): by round
//! trips that grow, or by a train of ACKs as long as half a round trip. HyStart++ (RFC 9406) is a part of its own.

use crate::control::SenderView;
use tworay_base::Seq32;

/// Smallest window that it ends, segments.
const LEAST_WINDOW: f64 = 16.0;
/// The shortest of a round is judged after this many earlier samples.
const SAMPLES: u32 = 8;
/// Bounds of the rise that ends slow start, an eighth of the shortest round trip, microseconds.
const RISE: (u64, u64) = (4_000, 16_000);
/// ACKs at most this far apart are of one train, microseconds.
const GAP: u64 = 2_000;
/// Time by which a train may be longer because segments leave in bursts, microseconds. Linux: the time of four bursts of 64 KiB,
/// at most this, which is less only above 2 Gb/s.
const BURSTS: u64 = 1_000;

/// A round: what was sent before it began is acknowledged by its end.
#[derive(Copy, Clone, Debug)]
struct Round {
    /// It is over when a byte above this is acknowledged.
    end: Seq32,
    /// Microseconds.
    began: u64,
    /// The last ACK of the train with which it began, microseconds.
    train: u64,
    /// Shortest sample, microseconds.
    shortest: u64,
    samples: u32,
}

impl Round {
    fn new(view: &SenderView) -> Self {
        let now = micros(view);
        Self { end: view.max, began: now, train: now, shortest: u64::MAX, samples: 0 }
    }

    /// Another ACK of the train: true if it lasts too long. A sender that doesn't pace sends a window at once, so that the
    /// train is as long as the window's time at the bottleneck.
    fn is_long_train(&mut self, now: u64, least: u64) -> bool {
        if now - self.train > GAP {
            return false;
        }
        self.train = now;
        now - self.began > (least + BURSTS) / 2
    }

    /// Another sample: true if the shortest of the round shows a queue.
    fn queues(&mut self, delay: u64, least: u64) -> bool {
        self.shortest = self.shortest.min(delay);
        if self.samples < SAMPLES {
            self.samples += 1;
            return false;
        }
        self.shortest > least + (least / 8).clamp(RISE.0, RISE.1)
    }
}

#[derive(Debug, Default)]
pub(super) struct HyStart {
    /// It has ended a slow start, and rests until a timeout.
    over: bool,
    round: Option<Round>,
}

impl HyStart {
    /// An ACK in slow start with a sample of `delay`; `least` is the shortest of all, microseconds. True if slow start ends.
    pub fn ends(&mut self, view: &SenderView, delay: u64, least: u64) -> bool {
        if self.over {
            return false;
        }
        let mut round = self.round.filter(|round| view.una.le(round.end)).unwrap_or_else(|| Round::new(view));
        if view.cwnd >= LEAST_WINDOW {
            let train = round.is_long_train(micros(view), least);
            self.over = round.queues(delay, least) || train;
        }
        self.round = Some(round);
        self.over
    }

    /// A timeout: the next slow start is judged, too.
    pub fn restart(&mut self, view: &SenderView) {
        *self = Self { over: false, round: Some(Round::new(view)) };
    }
}

fn micros(view: &SenderView) -> u64 {
    view.now.as_nanos() / 1000
}

#[cfg(test)]
mod tests;
