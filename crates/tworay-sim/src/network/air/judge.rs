//! Decides about frames and subframes: received, or lost to what.
//!
//! The draw that decides also tells the cause, so that cause and fate agree: the same draw is asked again without the
//! other signals, and then at the slowest mode.

use super::antenna::{Antenna, Signal, Thresholds};
use crate::observe::loss::attempts::Failure;
use tworay_base::{Ratio, RngStream, SimDuration};
use tworay_mac::hcf::{AirFrame, HcfConfig};
use tworay_radio::RadioConfig;
use tworay_radio::phy::detection::{ClearChannel, PreambleDetection, noise};
use tworay_radio::phy::errors::{Coding, header_bits, log_bit_success};
use tworay_radio::phy::interference::Section;
use tworay_radio::phy::{Airtime, Mode, Width};

/// Training fields before the SIGNAL field of OFDM (§17.3.2).
const TRAINING: SimDuration = SimDuration::from_micros(16);

/// What frames need to be received.
pub(super) struct Judge {
    airtime: Airtime,
    pub limits: Thresholds,
    pub noise_figure: Ratio,
    /// The mode that reaches farthest.
    slowest: Mode,
}

/// A signal that was received to its end, with its frame.
#[derive(Copy, Clone)]
pub(super) struct Reception<'a> {
    pub signal: Signal,
    pub frame: &'a AirFrame,
    pub antenna: &'a Antenna,
}

impl Judge {
    pub fn new(config: &HcfConfig, radio: &RadioConfig) -> Self {
        let detection = PreambleDetection::default();
        let clear = ClearChannel::ofdm(Width::Mhz20);
        let modes = config.phy.modes();
        Self {
            airtime: Airtime::new(&config.phy, config.rules),
            limits: Thresholds {
                preamble: radio.rx_threshold.get(),
                ratio: detection.ratio.factor(),
                energy: clear.energy.to_watts().get(),
            },
            noise_figure: radio.sinr.noise_figure,
            slowest: modes.into_iter().min_by_key(Mode::rate).unwrap_or(config.basic),
        }
    }

    /// Noise in the bandwidth of a mode, W.
    pub fn noise(&self, mode: Mode) -> f64 {
        noise(mode, self.noise_figure).get()
    }

    /// True if a signal alone is strong enough for its preamble to be detected.
    pub fn detects_alone(&self, power: f64, noise: f64) -> bool {
        power >= self.limits.preamble && power >= self.limits.ratio * noise
    }

    /// The header of a frame: `None` if it is decoded.
    pub fn header(&self, r: Reception<'_>, luck: &mut RngStream) -> Option<Failure> {
        let mode = r.frame.mode;
        let begins = match mode {
            Mode::Dsss(_) => SimDuration::ZERO,
            _ => TRAINING,
        };
        let section = Section {
            coding: Coding::of_header(mode),
            from: r.signal.from + begins,
            to: r.signal.from + self.airtime.header(mode),
            bits: header_bits(mode),
        };
        let draw = luck.unit();
        (draw >= self.probability(r, &section)).then(|| self.cause(r, &section, draw, false))
    }

    /// The bytes `from` to `to` of the body: `None` if they are decoded.
    pub fn bytes(&self, r: Reception<'_>, (from, to): (u32, u32), luck: &mut RngStream) -> Option<Failure> {
        let section = self.section(r, from, to);
        let draw = luck.unit();
        (draw >= self.probability(r, &section)).then(|| self.cause(r, &section, draw, true))
    }

    /// True if a station that overhears the frame decodes any of it: the whole, or a subframe.
    pub fn any(&self, r: Reception<'_>, luck: &mut RngStream) -> bool {
        let draw = luck.unit();
        let whole = [(0, r.frame.bytes)];
        let parts = r.frame.packets.iter().map(|packet| (packet.from, packet.to));
        let parts = parts.chain(whole).take(r.frame.packets.len().max(1));
        let mut none = 1.0;
        for (from, to) in parts {
            none *= 1.0 - self.probability(r, &self.section(r, from, to));
            if draw < 1.0 - none {
                return true;
            }
        }
        false
    }

    fn section(&self, r: Reception<'_>, from: u32, to: u32) -> Section {
        let mode = r.frame.mode;
        let at = |byte| r.signal.from + self.airtime.byte(mode, byte);
        Section { coding: Coding::of_body(mode), from: at(from), to: at(to), bits: 8 * (to - from) }
    }

    fn probability(&self, r: Reception<'_>, section: &Section) -> f64 {
        let Signal { power, noise, .. } = r.signal;
        if r.antenna.others().any(section.from, section.to) {
            section.success(power, noise, r.antenna.others())
        } else {
            alone(section.coding, power / noise, section.bits)
        }
    }

    /// What a section was lost to. `slower`: its mode could have been another one.
    fn cause(&self, r: Reception<'_>, section: &Section, draw: f64, slower: bool) -> Failure {
        let Signal { power, noise, .. } = r.signal;
        if draw < alone(section.coding, power / noise, section.bits) {
            return Failure::Collided;
        }
        let best = power / self.noise(self.slowest);
        if slower && draw < alone(Coding::of_body(self.slowest), best, section.bits) {
            return Failure::Rate;
        }
        Failure::Errors
    }
}

/// Probability that bits are decoded without interference.
fn alone(coding: Coding, sinr: f64, bits: u32) -> f64 {
    libm::exp(f64::from(bits) * log_bit_success(coding, sinr))
}
