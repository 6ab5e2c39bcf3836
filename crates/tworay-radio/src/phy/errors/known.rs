//! Error rates computed lately, looked up again: links of stations that stand still have few different ratios.

use super::{Coding, log_bit_success};
use std::cell::Cell;

/// Results that are kept, of each kind.
const KEPT: usize = 2_048;

/// A result with what it was computed from.
#[derive(Copy, Clone)]
struct Known {
    sinr: u64,
    of: u64,
    value: f64,
}

/// No ratio has these bits: they are a NaN.
const NONE: Known = Known { sinr: u64::MAX, of: 0, value: 0.0 };

/// Remembers results of [`log_bit_success`] and of the probabilities that follow from it. Its answers are those of the
/// functions themselves, to the last bit.
pub struct KnownErrors {
    bits: Box<[Cell<Known>]>,
    wholes: Box<[Cell<Known>]>,
}

impl Default for KnownErrors {
    fn default() -> Self {
        let none = || vec![Cell::new(NONE); KEPT].into_boxed_slice();
        Self { bits: none(), wholes: none() }
    }
}

impl KnownErrors {
    /// As [`log_bit_success`].
    #[inline]
    pub fn log_bit_success(&self, coding: Coding, sinr: f64) -> f64 {
        known(&self.bits, coding.number(), sinr, || log_bit_success(coding, sinr))
    }

    /// Probability that `bits` bits are decoded at `sinr` (a factor).
    #[inline]
    pub fn success(&self, coding: Coding, sinr: f64, bits: u32) -> f64 {
        let of = u64::from(bits) << 8 | coding.number();
        known(&self.wholes, of, sinr, || libm::exp(f64::from(bits) * self.log_bit_success(coding, sinr)))
    }
}

#[inline]
fn known(table: &[Cell<Known>], of: u64, sinr: f64, compute: impl FnOnce() -> f64) -> f64 {
    let key = sinr.to_bits();
    // Multiplicative hashing (Knuth, The Art of Computer Programming 3, §6.4).
    let hash = (key ^ of.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let cell = &table[(hash >> 32) as usize % KEPT];
    let found = cell.get();
    if found.sinr == key && found.of == of {
        return found.value;
    }
    let value = compute();
    cell.set(Known { sinr: key, of, value });
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{CodeRate, DsssRate, Modulation};

    /// More results than are kept, each asked for several times, with others of the same ratio in between.
    #[test]
    fn what_is_remembered_is_what_was_computed() {
        let known = KnownErrors::default();
        let ofdm = [
            Coding::Ofdm(Modulation::Bpsk, CodeRate::Half),
            Coding::Ofdm(Modulation::Bpsk, CodeRate::ThreeQuarters),
            Coding::Ofdm(Modulation::Qam64, CodeRate::FiveSixths),
            Coding::Ofdm(Modulation::Qam256, CodeRate::FiveSixths),
        ];
        let codings: Vec<Coding> = DsssRate::ALL.map(Coding::Dsss).into_iter().chain(ofdm).collect();
        for _ in 0..2 {
            for i in 0..3_000 {
                let sinr = libm::exp(f64::from(i % 1_500) / 200.0);
                for coding in &codings {
                    let log = log_bit_success(*coding, sinr);
                    assert_eq!(known.log_bit_success(*coding, sinr).to_bits(), log.to_bits());
                    for bits in [24, 72, 12_208] {
                        let whole = libm::exp(f64::from(bits) * log);
                        assert_eq!(known.success(*coding, sinr, bits).to_bits(), whole.to_bits());
                    }
                }
            }
        }
    }

    #[test]
    fn codings_have_different_numbers() {
        let modulations =
            [Modulation::Bpsk, Modulation::Qpsk, Modulation::Qam16, Modulation::Qam64, Modulation::Qam256];
        let codes = [CodeRate::Half, CodeRate::TwoThirds, CodeRate::ThreeQuarters, CodeRate::FiveSixths];
        let ofdm = modulations.iter().flat_map(|m| codes.iter().map(|c| Coding::Ofdm(*m, *c)));
        let mut numbers: Vec<u64> =
            ofdm.chain(DsssRate::ALL.map(Coding::Dsss)).map(|coding| coding.number()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 5 * 4 + 4);
        assert!(numbers.iter().all(|number| *number < 256));
    }
}
