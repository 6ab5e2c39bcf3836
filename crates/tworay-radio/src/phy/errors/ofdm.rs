//! Bit errors of OFDM with the convolutional code (133, 171) of constraint length 7.

use crate::phy::rates::{CodeRate, Modulation};

/// Bit error rate before decoding, 0 to 1/2, with Gray coding over white noise: the nearest neighbours of square
/// constellations (Proakis, Digital Communications §5.2; Pei and Henderson 2010). `sinr` is a factor.
pub(super) fn bit_error_rate(modulation: Modulation, sinr: f64) -> f64 {
    // Share of the neighbours per bit, and the energy of half the distance between points relative to the
    // mean: 3 / (2 (M - 1)) for M-QAM.
    let (share, energy) = match modulation {
        Modulation::Bpsk | Modulation::Dbpsk => (1.0, 1.0),
        Modulation::Qpsk | Modulation::Dqpsk => (1.0, 1.0 / 2.0),
        Modulation::Qam16 | Modulation::Cck4 => (3.0 / 4.0, 1.0 / 10.0),
        Modulation::Qam64 => (7.0 / 12.0, 1.0 / 42.0),
        Modulation::Qam256 | Modulation::Cck8 => (15.0 / 32.0, 1.0 / 170.0),
    };
    share * 0.5 * libm::erfc(libm::sqrt(sinr * energy))
}

/// The weight spectrum of a punctured code: its free distance, the information bits in error on all paths of
/// each distance from there on (per puncturing period), and that period's information bits.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Spectrum {
    /// Free distance.
    pub free_distance: u32,
    /// Information bits in error on paths of distance free, free + 1, …
    pub bits_in_error: [f64; 10],
    /// Information bits in a puncturing period.
    pub period: u32,
}

/// The spectrum of the code (133, 171) at each rate (Haccoun and Bégin 1989; Frenger, Orten and Ottosson 1999).
/// At 1/2 all distances are even, so that its table reaches twice as far.
pub const fn spectrum(code: CodeRate) -> Spectrum {
    match code {
        CodeRate::Half => Spectrum {
            free_distance: 10,
            bits_in_error: [36.0, 0.0, 211.0, 0.0, 1_404.0, 0.0, 11_633.0, 0.0, 77_433.0, 0.0],
            period: 1,
        },
        CodeRate::TwoThirds => Spectrum {
            free_distance: 6,
            bits_in_error: [
                3.0,
                70.0,
                285.0,
                1_276.0,
                6_160.0,
                27_128.0,
                117_019.0,
                498_860.0,
                2_103_891.0,
                8_784_123.0,
            ],
            period: 2,
        },
        CodeRate::ThreeQuarters => Spectrum {
            free_distance: 5,
            bits_in_error: [
                42.0,
                201.0,
                1_492.0,
                10_469.0,
                62_935.0,
                379_644.0,
                2_253_373.0,
                13_073_811.0,
                75_152_755.0,
                428_005_675.0,
            ],
            period: 3,
        },
        CodeRate::FiveSixths => Spectrum {
            free_distance: 4,
            bits_in_error: [
                92.0,
                528.0,
                8_694.0,
                79_453.0,
                792_114.0,
                7_375_573.0,
                67_884_974.0,
                610_875_423.0,
                5_427_275_376.0,
                47_664_215_639.0,
            ],
            period: 5,
        },
    }
}

/// Further terms of the spectrum at 1/2: distances 20, 22, 24, 26.
pub(super) const HALF_CONTINUED: [f64; 4] = [502_690.0, 3_322_763.0, 21_292_910.0, 134_365_911.0];

/// Bit error rate after hard-decision Viterbi decoding, at most 1: the union bound over the code's paths with
/// the Chernoff bound D = √(4p(1 - p)) of each (Pei and Henderson 2010, equations 6 to 10).
pub(super) fn decoded_error_rate(bit_error_rate: f64, code: CodeRate) -> f64 {
    let d = libm::sqrt(4.0 * bit_error_rate * (1.0 - bit_error_rate));
    let table = spectrum(code);
    let continued: &[f64] = if code == CodeRate::Half { &HALF_CONTINUED } else { &[] };
    // Horner's rule, from the longest distance down.
    let tail = continued.iter().rev().fold(0.0, |sum, c| sum * d * d + c);
    let sum = table.bits_in_error.iter().rev().fold(tail, |sum, c| sum * d + c);
    let power = libm::pow(d, f64::from(table.free_distance));
    (sum * power / f64::from(2 * table.period)).min(1.0)
}
