//! Link quality by hysteresis (RFC 3626 §14).

use super::OlsrConfig;
use tworay_base::{SimDuration, SimTime};

/// A larger jump of the packet sequence number counts as a restart of the neighbour, not as loss.
const RESTART: u16 = 64;

/// Effect of a packet's arrival on its link.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinkChange {
    /// Good: use it.
    Good,
    /// Between the thresholds: unchanged.
    Same,
    /// Bad because of the losses before this packet.
    Bad,
}

/// The delivery ratio of a link, smoothed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quality {
    /// 0 to 1.
    value: f64,
    /// Not to be used until it is good.
    pub pending: bool,
    scaling: f64,
    high: f64,
    low: f64,
    last_seq: Option<u16>,
    /// Interval between the neighbour's HELLOs; the next packet is late after it.
    interval: SimDuration,
    pub silent_at: SimTime,
    /// Losses already counted because of silence.
    presumed: u16,
}

impl Quality {
    /// The quality of a new link; `None` if hysteresis is off.
    pub(crate) fn new(config: &OlsrConfig) -> Option<Self> {
        config.hysteresis.then_some(Self {
            value: config.hysteresis_scaling,
            pending: true,
            scaling: config.hysteresis_scaling,
            high: config.hysteresis_high,
            low: config.hysteresis_low,
            last_seq: None,
            interval: SimDuration::ZERO,
            silent_at: SimTime::NEVER,
            presumed: 0,
        })
    }

    /// The neighbour has announced its next HELLO.
    pub(crate) fn expect(&mut self, now: SimTime, interval: SimDuration) {
        self.interval = interval;
        self.silent_at = now + interval;
    }

    /// A packet arrived; a gap in the numbers means lost packets.
    pub(crate) fn heard(&mut self, now: SimTime, seq: u16) -> LinkChange {
        let step = self.last_seq.map_or(1, |last| seq.wrapping_sub(last));
        if !self.interval.is_zero() {
            self.silent_at = now + self.interval;
        }
        let mut bad = false;
        if (1..RESTART).contains(&step) {
            for _ in 0..(step - 1).saturating_sub(self.presumed) {
                bad |= self.worsen();
            }
        }
        // An older number, which arrived out of order, leaves the last one unchanged.
        if step < 1 << 15 {
            self.last_seq = Some(seq);
        }
        self.presumed = 0;
        self.value = (1.0 - self.scaling) * self.value + self.scaling;
        if self.value > self.high {
            self.pending = false;
            LinkChange::Good
        } else if bad {
            LinkChange::Bad
        } else {
            LinkChange::Same
        }
    }

    /// Counts overdue packets as lost. Returns whether the link has become bad.
    pub(crate) fn notice_silence(&mut self, now: SimTime) -> bool {
        let mut bad = false;
        while self.silent_at <= now && !self.interval.is_zero() {
            self.silent_at += self.interval;
            self.presumed = self.presumed.saturating_add(1);
            bad |= self.worsen();
        }
        bad
    }

    fn worsen(&mut self) -> bool {
        self.value *= 1.0 - self.scaling;
        let bad = self.value < self.low && !self.pending;
        self.pending |= bad;
        bad
    }
}
