//! Rates of control frames, and the protection of frames that older stations can't decode.

use super::airtime::Airtime;
use super::mode::Mode;
use super::rates::{CodeRate, DsssRate, Modulation, OfdmRate};
use super::standard::{Coexistence, Phy};
use tworay_base::SimDuration;

/// Lengths of control frames in bytes, MAC header to FCS (§9.3.1).
pub(crate) const ACK_BYTES: u32 = 14;
const CTS_BYTES: u32 = 14;

/// The non-HT rate with the same modulation and code rate as `mode`, or the nearest below it (Table 10-10:
/// 64-QAM with 5/6 and 256-QAM count as 54 Mb/s). DSSS and OFDM modes are their own.
pub fn reference_mode(mode: Mode) -> Mode {
    match mode {
        Mode::Dsss(_) | Mode::Ofdm(_) => mode,
        Mode::Ht(_) | Mode::Vht(_) => Mode::Ofdm(match (mode.modulation(), mode.code()) {
            (Modulation::Bpsk, Some(CodeRate::Half)) => OfdmRate::R6,
            (Modulation::Bpsk, _) => OfdmRate::R9,
            (Modulation::Qpsk, Some(CodeRate::Half)) => OfdmRate::R12,
            (Modulation::Qpsk, _) => OfdmRate::R18,
            (Modulation::Qam16, Some(CodeRate::Half)) => OfdmRate::R24,
            (Modulation::Qam16, _) => OfdmRate::R36,
            (Modulation::Qam64, Some(CodeRate::Half | CodeRate::TwoThirds)) => OfdmRate::R48,
            _ => OfdmRate::R54,
        }),
    }
}

/// The mode of a CTS, ACK or BlockAck that answers a frame sent with `mode` (§10.6.6.5.2): the highest of
/// `basic` that isn't faster than the frame's non-HT reference rate and is of its kind (DSSS or OFDM), or, if
/// there is none, the highest mandatory rate of that kind. `basic` is the network's basic rate set and may be
/// empty.
pub fn control_response(mode: Mode, basic: &[Mode]) -> Mode {
    let reference = reference_mode(mode);
    let same_kind = |m: &&Mode| std::mem::discriminant(*m) == std::mem::discriminant(&reference);
    let fits = |m: &&Mode| same_kind(m) && m.rate() <= reference.rate();
    let highest = |modes: &[Mode]| modes.iter().filter(fits).max_by_key(|m| m.rate()).copied();
    highest(basic).unwrap_or(match reference {
        Mode::Ofdm(rate) => Mode::Ofdm(match rate {
            OfdmRate::R6 | OfdmRate::R9 => OfdmRate::R6,
            OfdmRate::R12 | OfdmRate::R18 => OfdmRate::R12,
            OfdmRate::R24 | OfdmRate::R36 | OfdmRate::R48 | OfdmRate::R54 => OfdmRate::R24,
        }),
        // Every rate of DSSS is mandatory.
        _ => reference,
    })
}

/// A CTS to itself that a station sends before a frame that older stations can't decode (§10.27.2).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Protection {
    /// The mode of the CTS: one that the older stations decode.
    pub mode: Mode,
    /// Duration of the CTS.
    pub cts: SimDuration,
    /// Time that it adds to an exchange: the CTS and a SIFS.
    pub cost: SimDuration,
    sifs: SimDuration,
}

impl Protection {
    /// The protection that `phy` needs before a frame sent with `mode`: none for frames that every station
    /// decodes. HT and VHT frames need none beside OFDM stations, because their preamble begins with a legacy
    /// one that carries their length (§19.3.9.3.5). The CTS goes out at the highest DSSS rate of `basic`, or at
    /// 11 Mb/s, which every `b` station has.
    pub fn before(
        phy: &Phy,
        airtime: &Airtime,
        sifs: SimDuration,
        mode: Mode,
        basic: &[Mode],
    ) -> Option<Self> {
        if phy.coexistence == Coexistence::Alone || matches!(mode, Mode::Dsss(_)) {
            return None;
        }
        let mode = control_response(Mode::Dsss(DsssRate::R11), basic);
        let cts = airtime.frame(mode, CTS_BYTES);
        Some(Self { mode, cts, cost: cts + sifs, sifs })
    }

    /// Duration field of the CTS: a SIFS and the exchange that it protects, from the first bit of the frame to
    /// the end of its response.
    pub fn reserves(&self, exchange: SimDuration) -> SimDuration {
        self.sifs + exchange
    }
}
