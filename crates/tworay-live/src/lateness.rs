//! Histogram of the engine's lateness.

/// Buckets per power of two.
const CUTS: u32 = 8;
/// Powers of two in nanoseconds: up to 2^39 ns, nine minutes.
const POWERS: u32 = 40;

/// Histogram of lateness: how long after its due time the first event of a batch was processed, in real
/// time. Buckets are at most 12.5 % wide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lateness {
    counts: Vec<u64>,
    total: u64,
    most: u64,
}

impl Default for Lateness {
    fn default() -> Self {
        Self { counts: vec![0; (POWERS * CUTS) as usize], total: 0, most: 0 }
    }
}

impl Lateness {
    /// Records one lateness, ns.
    pub fn note(&mut self, nanos: u64) {
        let bucket = Self::bucket(nanos);
        self.counts[bucket] += 1;
        self.total += 1;
        self.most = self.most.max(nanos);
    }

    fn bucket(nanos: u64) -> usize {
        let nanos = nanos.max(1);
        let power = nanos.ilog2().min(POWERS - 1);
        let within = if power >= 3 { (nanos >> (power - 3)) as u32 & (CUTS - 1) } else { 0 };
        (power * CUTS + within) as usize
    }

    /// Upper bound of a bucket, ns.
    fn upper(bucket: usize) -> u64 {
        let (power, within) = (bucket as u32 / CUTS, bucket as u64 % u64::from(CUTS));
        if power >= 3 { (u64::from(CUTS) + within + 1) << (power - 3) } else { 2 << power }
    }

    /// Number of records.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// Largest lateness, seconds.
    pub fn max_seconds(&self) -> f64 {
        self.most as f64 * 1e-9
    }

    /// The lateness not exceeded by a fraction `p` (0 to 1) of the records, seconds: the upper bound of its
    /// bucket, or the largest record if that is less.
    pub fn quantile_seconds(&self, p: f64) -> f64 {
        let wanted = (p * self.total as f64).ceil() as u64;
        let mut sum = 0;
        for (i, count) in self.counts.iter().enumerate() {
            sum += count;
            if sum >= wanted && sum > 0 {
                return Self::upper(i).min(self.most) as f64 * 1e-9;
            }
        }
        0.0
    }

    /// The non-empty buckets: upper bound in seconds, count.
    pub fn buckets(&self) -> Vec<(f64, u64)> {
        let filled = self.counts.iter().enumerate().filter(|(_, n)| **n > 0);
        filled.map(|(i, n)| (Self::upper(i) as f64 * 1e-9, *n)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 µs to 1 ms in steps of 1 µs, so the quantiles are known.
    #[test]
    fn quantiles_are_right_within_a_bucket() {
        let mut late = Lateness::default();
        for micros in 1..=1000 {
            late.note(micros * 1000);
        }
        for (p, exact) in [(0.5, 500e-6), (0.99, 990e-6)] {
            let found = late.quantile_seconds(p);
            assert!(found >= exact && found <= exact * 1.13, "{p}: {found}");
        }
        assert_eq!((late.count(), late.max_seconds(), late.quantile_seconds(1.0)), (1000, 1e-3, 1e-3));
        assert_eq!(late.buckets().iter().map(|b| b.1).sum::<u64>(), 1000);
    }

    #[test]
    fn nothing_noted_is_no_lateness() {
        assert_eq!(Lateness::default().quantile_seconds(0.99), 0.0);
    }
}
