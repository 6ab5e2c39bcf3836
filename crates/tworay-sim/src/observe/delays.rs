//! A histogram of delays, for percentiles: each octave of nanoseconds has 32 classes, so that a percentile is off by
//! 1.6 % at most.

use tworay_base::SimDuration;

/// Classes of an octave, as a power of two.
const FINE: u32 = 5;

/// Counts of delays by class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delays {
    counts: Vec<u32>,
}

impl Delays {
    /// Counts a delay.
    #[inline]
    pub fn add(&mut self, delay: SimDuration) {
        let class = class_of(delay.as_nanos());
        if class >= self.counts.len() {
            self.counts.resize(class + 1, 0);
        }
        self.counts[class] = self.counts[class].saturating_add(1);
    }

    /// The delay that the share `share` of all don't exceed, s: the middle of its class.
    pub fn quantile(&self, share: f64) -> Option<f64> {
        let total: u64 = self.counts.iter().map(|&n| u64::from(n)).sum();
        let wanted = libm::ceil(share * total as f64).max(1.0) as u64;
        let mut below = 0;
        let class = self.counts.iter().position(|&n| {
            below += u64::from(n);
            below >= wanted
        })?;
        let (low, high) = (floor_of(class), floor_of(class + 1));
        Some((low + high) as f64 / 2.0 * 1e-9)
    }
}

/// The class of a delay: the position of its highest bit, and the bits below that.
fn class_of(nanos: u64) -> usize {
    let octave = (nanos | 1 << FINE).ilog2() - FINE;
    ((octave << FINE) as u64 + (nanos >> octave)) as usize
}

/// The least delay of a class, ns.
fn floor_of(class: usize) -> u64 {
    let class = class as u64;
    let octave = (class >> FINE).saturating_sub(1);
    (class - (octave << FINE)) << octave
}

#[cfg(test)]
mod tests;
