//! Detection by a receiver: preambles, a stronger preamble during another, and a busy medium.

use super::mode::Mode;
use super::standard::Width;
use tworay_base::{Dbm, Ratio, SimDuration, SimTime, Watts};

/// Thermal noise at 290 K, per hertz.
pub const THERMAL_NOISE: Dbm = Dbm(-174.0);

/// Noise power in the bandwidth of a signal: [`THERMAL_NOISE`] and the receiver's noise figure. DSSS has
/// 22 MHz, everything else the width of its channel.
pub fn noise(mode: Mode, figure: Ratio) -> Watts {
    let megahertz = match mode {
        Mode::Dsss(_) => 22.0,
        Mode::Ofdm(_) | Mode::Ht(_) | Mode::Vht(_) => f64::from(mode.width().mhz()),
    };
    Dbm(THERMAL_NOISE.get() + 60.0 + 10.0 * libm::log10(megahertz) + figure.get()).to_watts()
}

/// Conditions under which a receiver detects a preamble. The defaults are those of ns-3.37 and of §17.3.10.6.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct PreambleDetection {
    /// Least received power.
    pub power: Dbm,
    /// Least ratio of the signal to noise and interference.
    pub ratio: Ratio,
    /// Time after which the decision falls.
    pub after: SimDuration,
}

impl Default for PreambleDetection {
    fn default() -> Self {
        Self { power: Dbm(-82.0), ratio: Ratio(4.0), after: SimDuration::from_micros(4) }
    }
}

impl PreambleDetection {
    /// True if a preamble of `power` W is detected over noise and interference of `disturbance` W.
    pub fn detects(&self, power: f64, disturbance: f64) -> bool {
        power >= self.power.to_watts().get() && power >= self.ratio.factor() * disturbance
    }
}

/// Conditions under which a receiver leaves a frame for a stronger one whose preamble begins during it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Capture {
    /// By how much the new signal must exceed the sum of the one being received and everything else.
    pub margin: Ratio,
    /// For how long after the start of the frame the receiver can still change: its preamble and header.
    pub window: SimDuration,
}

impl Default for Capture {
    /// 5 dB within 16 µs: the figures of ns-3.37's simple frame capture, which compares with the current frame
    /// alone.
    fn default() -> Self {
        Self { margin: Ratio(5.0), window: SimDuration::from_micros(16) }
    }
}

/// A signal at a receiver.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Heard {
    /// Its beginning.
    pub start: SimTime,
    /// Received power, W.
    pub power: f64,
}

impl Capture {
    /// True if the receiver leaves `current` for `new`; `disturbance` is the sum of noise and all other signals,
    /// W.
    pub fn takes_over(&self, current: Heard, new: Heard, disturbance: f64) -> bool {
        new.start.since(current.start) <= self.window
            && new.power >= self.margin.factor() * (current.power + disturbance)
    }
}

/// Thresholds of clear channel assessment. A station senses a busy medium from either.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ClearChannel {
    /// Least power of a frame whose preamble can be decoded.
    pub preamble: Dbm,
    /// Least power of anything else.
    pub energy: Dbm,
}

impl ClearChannel {
    /// OFDM, HT and VHT, in the primary channel of `width`: valid frames from -82, -79 and -76 dBm
    /// (§17.3.10.6, §19.3.19.5, §21.3.18.5.3), any energy 20 dB above the value for 20 MHz.
    pub const fn ofdm(width: Width) -> Self {
        let preamble = match width {
            Width::Mhz20 => Dbm(-82.0),
            Width::Mhz40 => Dbm(-79.0),
            Width::Mhz80 => Dbm(-76.0),
        };
        Self { preamble, energy: Dbm(-62.0) }
    }

    /// HR/DSSS: energy from -76 dBm above 100 mW of transmit power, -73 dBm above 50 mW, else -70 dBm; frames
    /// that can be decoded count from -82 dBm, as for OFDM (§16.3.8.5, §18.4.6).
    pub fn dsss(tx_power: Watts) -> Self {
        let energy = match tx_power.get() {
            p if p > 0.1 => Dbm(-76.0),
            p if p > 0.05 => Dbm(-73.0),
            _ => Dbm(-70.0),
        };
        Self { preamble: Dbm(-82.0), energy }
    }

    /// True if a frame of `power` W, whose preamble was `decodable`, together with `others` W of everything else,
    /// makes the medium busy.
    pub fn busy(&self, power: f64, decodable: bool, others: f64) -> bool {
        decodable && power >= self.preamble.to_watts().get() || power + others >= self.energy.to_watts().get()
    }
}

#[cfg(test)]
mod tests;
