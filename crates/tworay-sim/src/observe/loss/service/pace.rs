//! The rate of a MAC: of late, and after an outage.

use tworay_base::{SimDuration, SimTime};

/// Packets from which a rate is known: as many as one BlockAck acknowledges. Older ones count less.
pub(super) const RECENT: u32 = 64;

/// Packets that a MAC has finished of late, and the time that they took.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Pace {
    packets: u32,
    time: SimDuration,
}

impl Pace {
    /// A busy period is over.
    #[inline]
    pub fn add(&mut self, packets: u32, time: SimDuration) {
        (self.packets, self.time) = (self.packets + packets, self.time + time);
        if self.packets > RECENT {
            self.time = self.time * u64::from(RECENT) / u64::from(self.packets);
            self.packets = RECENT;
        }
    }

    /// The rate with a busy period that has not ended, packets/s. `None`: nothing has been sent.
    pub fn rate(&self, packets: u32, time: SimDuration) -> Option<f64> {
        let rate = f64::from(self.packets + packets) / (self.time + time).as_secs_f64();
        (rate > 0.0 && rate.is_finite()).then_some(rate)
    }
}

/// The time after an outage in which the MAC sends what has waited for its end. It may be slow at first, because rate adaptation
/// has gone down to the slowest rate meanwhile: without the outage it would send as fast as before.
#[derive(Copy, Clone, Debug)]
pub(super) struct Recovery {
    /// When the outage ended, and the time lost by then.
    since: SimTime,
    lost: SimDuration,
    /// The rate before, packets/s.
    rate: f64,
    /// Packets that still wait of those that waited then.
    waiting: u32,
    /// Packets sent since, and those that would have been sent beyond them.
    sent: u32,
    more: u32,
}

impl Recovery {
    pub fn new((since, lost): (SimTime, SimDuration), rate: f64, waiting: u32) -> Self {
        Self { since, lost, rate, waiting, sent: 0, more: 0 }
    }

    /// The MAC has sent a packet, and has lost `lost` by now. Returns how many more it would have sent since the last call.
    pub fn sent(&mut self, now: SimTime, lost: SimDuration) -> u32 {
        self.sent += 1;
        self.waiting = self.waiting.saturating_sub(1);
        let used = now.since(self.since).saturating_sub(lost.saturating_sub(self.lost));
        let more = ((self.rate * used.as_secs_f64()) as u32).saturating_sub(self.sent + self.more);
        self.more += more;
        more
    }

    /// True if nothing waits any more that the outage has kept.
    pub fn is_over(&self) -> bool {
        self.waiting == 0
    }
}
