//! Modulations, code rates, and the rates of DSSS and OFDM.

use tworay_base::BitRate;

/// Modulation of a signal.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Modulation {
    /// Differential BPSK over the 11-chip Barker sequence, 1 Mb/s (§15.4.6).
    Dbpsk,
    /// Differential QPSK over the 11-chip Barker sequence, 2 Mb/s (§15.4.6).
    Dqpsk,
    /// Complementary code keying with 4 bits a symbol, 5.5 Mb/s (§16.3.6.5).
    Cck4,
    /// Complementary code keying with 8 bits a symbol, 11 Mb/s (§16.3.6.5).
    Cck8,
    /// BPSK on OFDM subcarriers.
    Bpsk,
    /// QPSK on OFDM subcarriers.
    Qpsk,
    /// 16-QAM on OFDM subcarriers.
    Qam16,
    /// 64-QAM on OFDM subcarriers.
    Qam64,
    /// 256-QAM on OFDM subcarriers (VHT).
    Qam256,
}

impl Modulation {
    /// Coded bits per subcarrier and stream of an OFDM symbol (N_BPSCS); of DSSS and CCK, bits per symbol.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Dbpsk | Self::Bpsk => 1,
            Self::Dqpsk | Self::Qpsk => 2,
            Self::Cck4 | Self::Qam16 => 4,
            Self::Qam64 => 6,
            Self::Cck8 | Self::Qam256 => 8,
        }
    }
}

/// Rate of the convolutional code of constraint length 7 (§17.3.5.6).
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeRate {
    /// 1/2.
    Half,
    /// 2/3.
    TwoThirds,
    /// 3/4.
    ThreeQuarters,
    /// 5/6.
    FiveSixths,
}

impl CodeRate {
    /// Numerator and denominator.
    pub const fn ratio(self) -> (u32, u32) {
        match self {
            Self::Half => (1, 2),
            Self::TwoThirds => (2, 3),
            Self::ThreeQuarters => (3, 4),
            Self::FiveSixths => (5, 6),
        }
    }
}

/// The rates of DSSS and HR/DSSS (§15, §16), slowest first.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DsssRate {
    /// 1 Mb/s.
    R1,
    /// 2 Mb/s.
    R2,
    /// 5.5 Mb/s.
    R5_5,
    /// 11 Mb/s.
    R11,
}

impl DsssRate {
    /// All, slowest first.
    pub const ALL: [Self; 4] = [Self::R1, Self::R2, Self::R5_5, Self::R11];

    /// Bits per second.
    pub const fn rate(self) -> BitRate {
        BitRate::from_bps(match self {
            Self::R1 => 1_000_000,
            Self::R2 => 2_000_000,
            Self::R5_5 => 5_500_000,
            Self::R11 => 11_000_000,
        })
    }

    /// The modulation.
    pub const fn modulation(self) -> Modulation {
        match self {
            Self::R1 => Modulation::Dbpsk,
            Self::R2 => Modulation::Dqpsk,
            Self::R5_5 => Modulation::Cck4,
            Self::R11 => Modulation::Cck8,
        }
    }
}

/// The rates of OFDM (§17) and ERP-OFDM (§18) in 20 MHz, slowest first.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OfdmRate {
    /// 6 Mb/s.
    R6,
    /// 9 Mb/s.
    R9,
    /// 12 Mb/s.
    R12,
    /// 18 Mb/s.
    R18,
    /// 24 Mb/s.
    R24,
    /// 36 Mb/s.
    R36,
    /// 48 Mb/s.
    R48,
    /// 54 Mb/s.
    R54,
}

impl OfdmRate {
    /// All, slowest first.
    pub const ALL: [Self; 8] =
        [Self::R6, Self::R9, Self::R12, Self::R18, Self::R24, Self::R36, Self::R48, Self::R54];
    /// Those that every OFDM station supports (§17.2.3.3), slowest first.
    pub const MANDATORY: [Self; 3] = [Self::R6, Self::R12, Self::R24];

    /// Modulation and code rate (Table 17-4).
    pub const fn coding(self) -> (Modulation, CodeRate) {
        match self {
            Self::R6 => (Modulation::Bpsk, CodeRate::Half),
            Self::R9 => (Modulation::Bpsk, CodeRate::ThreeQuarters),
            Self::R12 => (Modulation::Qpsk, CodeRate::Half),
            Self::R18 => (Modulation::Qpsk, CodeRate::ThreeQuarters),
            Self::R24 => (Modulation::Qam16, CodeRate::Half),
            Self::R36 => (Modulation::Qam16, CodeRate::ThreeQuarters),
            Self::R48 => (Modulation::Qam64, CodeRate::TwoThirds),
            Self::R54 => (Modulation::Qam64, CodeRate::ThreeQuarters),
        }
    }

    /// Data bits per 4 µs symbol (N_DBPS): 48 data subcarriers.
    pub const fn bits_per_symbol(self) -> u32 {
        let (modulation, code) = self.coding();
        let (n, d) = code.ratio();
        48 * modulation.bits() * n / d
    }

    /// Bits per second.
    pub const fn rate(self) -> BitRate {
        BitRate::from_bps(self.bits_per_symbol() as u64 * 250_000)
    }
}

/// Modulation and code of the MCS index of one stream, 0 to 9 (Tables 19-27 and 21-30).
pub(crate) const MCS: [(Modulation, CodeRate); 10] = [
    (Modulation::Bpsk, CodeRate::Half),
    (Modulation::Qpsk, CodeRate::Half),
    (Modulation::Qpsk, CodeRate::ThreeQuarters),
    (Modulation::Qam16, CodeRate::Half),
    (Modulation::Qam16, CodeRate::ThreeQuarters),
    (Modulation::Qam64, CodeRate::TwoThirds),
    (Modulation::Qam64, CodeRate::ThreeQuarters),
    (Modulation::Qam64, CodeRate::FiveSixths),
    (Modulation::Qam256, CodeRate::ThreeQuarters),
    (Modulation::Qam256, CodeRate::FiveSixths),
];
