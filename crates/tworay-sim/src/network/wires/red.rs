//! Random Early Detection: drops packets at random before the queue is full, with a probability that grows
//! with the average queue length (Floyd and Jacobson: Random Early Detection Gateways for Congestion
//! Avoidance, IEEE/ACM Transactions on Networking 1(4), 1993).

use tworay_base::{BitRate, RngStream, SimDuration, SimTime};
use tworay_scenario::{RedConfig, RedUnit};

/// Decision about an arriving packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RedVerdict {
    /// It may be queued.
    Admit,
    /// It is dropped early.
    Drop,
}

/// Current content of the queue.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Packets.
    pub packets: usize,
    /// Bytes of these.
    pub bytes: u64,
}

/// State of a RED queue. It decides about arrivals; the caller owns the packets.
#[derive(Clone, Debug)]
pub struct Red {
    config: RedConfig,
    rng: RngStream,
    /// Average length, in packets or mean packets.
    average: f64,
    /// Packets admitted since the last drop while the average was between the thresholds; -1 while it is
    /// below the lower one.
    count: i64,
    /// When the wire became idle.
    idle_since: Option<SimTime>,
    /// Transmission time of a mean packet.
    slot: SimDuration,
}

impl Red {
    /// RED for a wire of `rate`; `config` must be valid.
    pub fn new(config: RedConfig, rate: BitRate, rng: RngStream) -> Self {
        let slot = rate.airtime(config.mean_packet.0 as u32).max(SimDuration::from_nanos(1));
        Self { config, rng, average: 0.0, count: -1, idle_since: Some(SimTime::ZERO), slot }
    }

    /// The average queue length, in packets (byte mode: mean packets).
    pub fn average(&self) -> f64 {
        self.average
    }

    /// The wire has nothing to send from `now` on.
    pub fn on_idle(&mut self, now: SimTime) {
        self.idle_since = Some(now);
    }

    /// A packet of `bytes` arrives and finds `backlog` queued. Space in the queue is not checked here:
    /// report a full queue with [`Red::on_overflow`].
    pub fn on_arrival(&mut self, now: SimTime, backlog: Backlog, bytes: u32) -> RedVerdict {
        self.update(now, backlog);
        let chance = self.chance(bytes);
        if chance <= 0.0 {
            self.count = -1;
            return RedVerdict::Admit;
        }
        if chance >= 1.0 {
            self.count = 0;
            return RedVerdict::Drop;
        }
        // Drops are spread evenly: the gap between two is uniform, not geometric (Floyd and Jacobson 1993,
        // §7).
        self.count += 1;
        let used = self.count as f64 * chance;
        let spread = if used < 1.0 { chance / (1.0 - used) } else { 1.0 };
        if self.rng.chance(spread) {
            self.count = 0;
            return RedVerdict::Drop;
        }
        RedVerdict::Admit
    }

    /// An admitted packet found no space; counts as any other drop.
    pub fn on_overflow(&mut self) {
        self.count = 0;
    }

    fn update(&mut self, now: SimTime, backlog: Backlog) {
        let weight = self.config.weight;
        if let Some(since) = self.idle_since.take() {
            // As if this many mean packets had arrived at an empty queue.
            let missed = now.since(since).as_nanos() as f64 / self.slot.as_nanos() as f64;
            self.average *= libm::pow(1.0 - weight, missed);
        }
        let length = match self.config.unit {
            RedUnit::Packet => backlog.packets as f64,
            RedUnit::Byte => backlog.bytes as f64 / self.config.mean_packet.0 as f64,
        };
        self.average += weight * (length - self.average);
    }

    /// p_b: the drop probability before spreading, 0 to 1.
    fn chance(&self, bytes: u32) -> f64 {
        let RedConfig { min_threshold: min, max_threshold: max, max_p, gentle, .. } = self.config;
        let average = self.average;
        let chance = if average < min {
            0.0
        } else if average < max {
            max_p * (average - min) / (max - min)
        } else if gentle && average < 2.0 * max {
            max_p + (1.0 - max_p) * (average - max) / max
        } else {
            return 1.0;
        };
        match self.config.unit {
            RedUnit::Packet => chance,
            RedUnit::Byte => (chance * f64::from(bytes) / self.config.mean_packet.0 as f64).min(1.0),
        }
    }
}

#[cfg(test)]
mod tests;
