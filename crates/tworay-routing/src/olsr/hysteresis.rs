//! A link's quality (RFC 3626 §14).

use super::OlsrConfig;
use tworay_base::{SimDuration, SimTime};

/// Jumps of the packet sequence number beyond this aren't losses but a new start.
const RESTART: u16 = 64;

/// What a packet's arrival says of its link.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Good: to be used.
    Good,
    /// Between the thresholds: as before.
    Same,
    /// Gone bad by the losses before this packet.
    Bad,
}

/// How well packets of a link arrive.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Quality {
    /// 0 to 1.
    value: f64,
    /// Not to be used until it is good (again).
    pub pending: bool,
    scaling: f64,
    high: f64,
    low: f64,
    last_seq: Option<u16>,
    /// Time between HELLOs of the neighbour, and when the next packet is late.
    patience: SimDuration,
    pub silent_at: SimTime,
    /// Losses already counted because of silence.
    presumed: u16,
}

impl Quality {
    /// A new link's; `None` if hysteresis is off.
    pub(crate) fn new(config: &OlsrConfig) -> Option<Self> {
        config.hysteresis.then_some(Self {
            value: config.hysteresis_scaling,
            pending: true,
            scaling: config.hysteresis_scaling,
            high: config.hysteresis_high,
            low: config.hysteresis_low,
            last_seq: None,
            patience: SimDuration::ZERO,
            silent_at: SimTime::NEVER,
            presumed: 0,
        })
    }

    /// The neighbour has told when its next HELLO comes.
    pub(crate) fn expect(&mut self, now: SimTime, patience: SimDuration) {
        self.patience = patience;
        self.silent_at = now + patience;
    }

    /// A packet came; a gap in the numbers tells of lost ones.
    pub(crate) fn heard(&mut self, now: SimTime, seq: u16) -> Verdict {
        let step = self.last_seq.map_or(1, |last| seq.wrapping_sub(last));
        if !self.patience.is_zero() {
            self.silent_at = now + self.patience;
        }
        let mut bad = false;
        if (1..RESTART).contains(&step) {
            for _ in 0..(step - 1).saturating_sub(self.presumed) {
                bad |= self.worsen();
            }
        }
        // Nothing but an older number, overtaken on the way, leaves the last one as it is.
        if step < 1 << 15 {
            self.last_seq = Some(seq);
        }
        self.presumed = 0;
        self.value = (1.0 - self.scaling) * self.value + self.scaling;
        if self.value > self.high {
            self.pending = false;
            Verdict::Good
        } else if bad {
            Verdict::Bad
        } else {
            Verdict::Same
        }
    }

    /// Counts packets that should have come by now as lost. Returns whether the link has gone bad.
    pub(crate) fn notice_silence(&mut self, now: SimTime) -> bool {
        let mut bad = false;
        while self.silent_at <= now && !self.patience.is_zero() {
            self.silent_at += self.patience;
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
