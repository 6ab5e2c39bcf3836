//! Decides if a frame or subframe is received, and otherwise for which reason it is lost.
//!
//! The draw that decides also tells the cause, so that cause and fate agree: the same draw is asked again without the
//! other signals, and then at the slowest mode.

use super::antenna::{Antenna, Signal, Thresholds};
use crate::observe::loss::attempts::Failure;
use tworay_base::{RngStream, SimDuration, SimTime};
use tworay_mac::hcf::{AirFrame, HcfConfig};
use tworay_radio::RadioConfig;
use tworay_radio::phy::detection::{ClearChannel, PreambleDetection, noise};
use tworay_radio::phy::errors::{Coding, KnownErrors, header_bits};
use tworay_radio::phy::interference::Section;
use tworay_radio::phy::{Airtime, DsssRate, GuardInterval, Mode, OfdmRate, Width};

/// Training fields before the SIGNAL field of OFDM (§17.3.2).
const TRAINING: SimDuration = SimDuration::from_micros(16);

/// Thresholds and error rates that decide whether frames are received.
pub(super) struct Judge {
    airtime: Airtime,
    pub limits: Thresholds,
    /// Noise in the bandwidth of DSSS and of each width, W.
    noises: [f64; 4],
    /// The mode that reaches farthest.
    slowest: Mode,
    known: KnownErrors,
}

/// A signal that was received to its end, with its frame.
#[derive(Copy, Clone)]
pub(super) struct Reception<'a> {
    pub signal: Signal,
    pub frame: &'a AirFrame,
    antenna: &'a Antenna,
    /// True if no other signal overlaps it.
    clear: bool,
}

impl<'a> Reception<'a> {
    pub fn new(signal: Signal, frame: &'a AirFrame, antenna: &'a Antenna) -> Self {
        let clear = !antenna.others().any(signal.from, signal.to);
        Self { signal, frame, antenna, clear }
    }
}

/// A part of a frame: its coding and bits, and between which moments they arrive.
struct Part<T> {
    coding: Coding,
    bits: u32,
    /// Computed only if another signal overlaps the frame.
    time: T,
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
            noises: [Mode::Dsss(DsssRate::R1), wide(Width::Mhz20), wide(Width::Mhz40), wide(Width::Mhz80)]
                .map(|mode| noise(mode, radio.sinr.noise_figure).get()),
            slowest: modes.into_iter().min_by_key(Mode::rate).unwrap_or(config.basic),
            known: KnownErrors::default(),
        }
    }

    /// Noise in the bandwidth of a mode, W.
    pub fn noise(&self, mode: Mode) -> f64 {
        self.noises[match mode {
            Mode::Dsss(_) => 0,
            _ => 1 + mode.width() as usize,
        }]
    }

    /// True if a signal alone is strong enough for its preamble to be detected.
    pub fn detects_alone(&self, power: f64, noise: f64) -> bool {
        power >= self.limits.preamble && power >= self.limits.ratio * noise
    }

    /// The header of a frame: `None` if it is decoded.
    pub fn header(&self, r: Reception<'_>, luck: &mut RngStream) -> Option<Failure> {
        let mode = r.frame.mode;
        let time = || {
            let begins = match mode {
                Mode::Dsss(_) => SimDuration::ZERO,
                _ => TRAINING,
            };
            (r.signal.from + begins, r.signal.from + self.airtime.header(mode))
        };
        let part = Part { coding: Coding::of_header(mode), bits: header_bits(mode), time };
        let draw = luck.unit();
        (draw >= self.probability(r, &part)).then(|| self.cause(r, &part, draw, false))
    }

    /// The bytes `from` to `to` of the body: `None` if they are decoded.
    pub fn bytes(&self, r: Reception<'_>, (from, to): (u32, u32), luck: &mut RngStream) -> Option<Failure> {
        let part = self.part(r, from, to);
        let draw = luck.unit();
        (draw >= self.probability(r, &part)).then(|| self.cause(r, &part, draw, true))
    }

    /// True if a station that overhears the frame decodes any of it: the whole, or a subframe.
    pub fn any(&self, r: Reception<'_>, luck: &mut RngStream) -> bool {
        let draw = luck.unit();
        let whole = [(0, r.frame.bytes)];
        let parts = r.frame.packets.iter().map(|packet| (packet.from, packet.to));
        let parts = parts.chain(whole).take(r.frame.packets.len().max(1));
        let mut none = 1.0;
        for (from, to) in parts {
            none *= 1.0 - self.probability(r, &self.part(r, from, to));
            if draw < 1.0 - none {
                return true;
            }
        }
        false
    }

    fn part(&self, r: Reception<'_>, from: u32, to: u32) -> Part<impl Fn() -> (SimTime, SimTime)> {
        let (mode, begin, airtime) = (r.frame.mode, r.signal.from, self.airtime);
        let time = move || (begin + airtime.byte(mode, from), begin + airtime.byte(mode, to));
        Part { coding: Coding::of_body(mode), bits: 8 * (to - from), time }
    }

    fn probability(&self, r: Reception<'_>, part: &Part<impl Fn() -> (SimTime, SimTime)>) -> f64 {
        let Signal { power, noise, .. } = r.signal;
        let &Part { coding, bits, .. } = part;
        if !r.clear {
            let (from, to) = (part.time)();
            let section = Section { coding, from, to, bits };
            if r.antenna.others().any(from, to) {
                return section.success(power, noise, r.antenna.others(), &self.known);
            }
        }
        self.known.success(coding, power / noise, bits)
    }

    /// The reason for which a part was lost. `slower`: its mode could have been another one.
    fn cause<T>(&self, r: Reception<'_>, part: &Part<T>, draw: f64, slower: bool) -> Failure {
        let Signal { power, noise, .. } = r.signal;
        if draw < self.known.success(part.coding, power / noise, part.bits) {
            return Failure::Collided;
        }
        let best = power / self.noise(self.slowest);
        if slower && draw < self.known.success(Coding::of_body(self.slowest), best, part.bits) {
            return Failure::Rate;
        }
        Failure::Errors
    }
}

/// A mode in a channel of this width: noise depends on nothing else.
fn wide(width: Width) -> Mode {
    Mode::vht(0, 1, width, GuardInterval::Long).unwrap_or(Mode::Ofdm(OfdmRate::R6))
}
