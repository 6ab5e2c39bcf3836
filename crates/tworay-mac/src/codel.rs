//! CoDel: drops at the head of a queue that is never empty (RFC 8289).

use tworay_base::{SimDuration, SimTime};

/// Settings of CoDel.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct CodelConfig {
    /// Delay that a standing queue may cause (RFC 8289 §4.2: 5 ms).
    pub target: SimDuration,
    /// Time for which the delay must stay above `target` before the first drop (RFC 8289 §4.2: 100 ms).
    pub interval: SimDuration,
    /// A queue with at most so many bytes left isn't reduced: one packet of the largest size.
    pub mtu: u32,
}

impl Default for CodelConfig {
    fn default() -> Self {
        Self { target: SimDuration::from_millis(5), interval: SimDuration::from_millis(100), mtu: 1_514 }
    }
}

/// The state of one queue's CoDel (the variables of RFC 8289 §5.2).
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Codel {
    /// When the delay will have been above the target for an interval, if it is above now.
    due: Option<SimTime>,
    dropping: bool,
    next_drop: SimTime,
    count: u32,
    count_at_start: u32,
}

/// The next packet of a queue: when it arrived, and how many bytes stay behind.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Head {
    pub arrived: SimTime,
    pub bytes_left: u64,
}

impl Codel {
    /// The next drop after one at `at`, in the `count`-th drop of a row: the inverse square root makes the rate of
    /// drops grow linearly (RFC 8289 §3.3).
    fn law(at: SimTime, count: u32, interval: SimDuration) -> SimTime {
        at + interval.mul_f64(1.0 / libm::sqrt(f64::from(count)))
    }

    /// True if the packet at the head may be dropped: the delay was above the target for an interval. Without a
    /// packet, the queue has been emptied.
    fn may_drop(&mut self, now: SimTime, head: Option<Head>, config: &CodelConfig) -> bool {
        let above = head.filter(|head| {
            now.since(head.arrived) >= config.target && head.bytes_left > u64::from(config.mtu)
        });
        match (above, self.due) {
            (None, _) => {
                self.due = None;
                false
            }
            (Some(_), None) => {
                self.due = Some(now + config.interval);
                false
            }
            (Some(_), Some(due)) => now >= due,
        }
    }

    /// Takes the next packet from `pop` and drops those before it that CoDel drops (RFC 8289 §5.5).
    pub fn dequeue<T>(
        &mut self,
        now: SimTime,
        config: &CodelConfig,
        mut pop: impl FnMut() -> Option<(T, Head)>,
        dropped: &mut Vec<T>,
    ) -> Option<T> {
        let mut next = |codel: &mut Self| {
            let taken = pop();
            let may = codel.may_drop(now, taken.as_ref().map(|(_, head)| *head), config);
            (taken.map(|(packet, _)| packet), may)
        };
        let (mut packet, mut may) = next(self);
        if self.dropping {
            self.dropping = may;
            while self.dropping && now >= self.next_drop {
                dropped.extend(packet);
                self.count += 1;
                (packet, may) = next(self);
                self.dropping = may;
                if may {
                    self.next_drop = Self::law(self.next_drop, self.count, config.interval);
                }
            }
        } else if may {
            dropped.extend(packet);
            (packet, _) = next(self);
            self.dropping = true;
            // Soon after the last row of drops, the rate that controlled the queue then is a good start.
            let in_row = self.count - self.count_at_start;
            let recent = now.since(self.next_drop) < config.interval * 16;
            self.count = if in_row > 1 && recent { in_row } else { 1 };
            self.next_drop = Self::law(now, self.count, config.interval);
            self.count_at_start = self.count;
        }
        packet
    }
}

#[cfg(test)]
mod tests;
