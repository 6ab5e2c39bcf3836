//! Signals at one antenna: the frame being received, and what interferes with it.
//!
//! A preamble is detected at the strength and ratio of [`PreambleDetection`]. While its first 4 µs last, a stronger
//! one takes its place, and a signal that spoils its ratio ends its reception; later signals only interfere.

use tworay_base::{SimDuration, SimTime};
use tworay_radio::phy::interference::Interference;

/// Time in which a preamble is detected (ns-3.37; the short training field of OFDM lasts 8 µs).
const DETECTION: SimDuration = SimDuration::from_micros(4);

/// A signal at this antenna.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) struct Signal {
    /// Its transmission.
    pub tx: u32,
    /// First moment.
    pub from: SimTime,
    /// Last moment.
    pub to: SimTime,
    /// Power, W.
    pub power: f64,
    /// Noise in its bandwidth, W.
    pub noise: f64,
}

/// Conditions of detection, as factors and watts.
#[derive(Copy, Clone, Debug)]
pub(super) struct Thresholds {
    /// Least power of a preamble, W.
    pub preamble: f64,
    /// Least ratio of a preamble to noise and interference.
    pub ratio: f64,
    /// Power from which anything makes the medium busy, W.
    pub energy: f64,
}

/// Effect of a new signal.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) enum Begun {
    /// It is being received. `lost`: instead of this transmission.
    Received { lost: Option<u32> },
    /// It only interferes. `lost`: with this transmission, which isn't received any more.
    Interferes { lost: Option<u32> },
}

/// The signals at one antenna.
#[derive(Clone, Debug, Default)]
pub(super) struct Antenna {
    /// The frame being received; not among the interfering signals.
    current: Option<Signal>,
    others: Interference,
}

impl Antenna {
    /// A signal begins. `deaf`: the station is transmitting.
    pub fn begin(&mut self, signal: Signal, deaf: bool, limits: &Thresholds) -> Begun {
        let now = signal.from;
        if self.current.is_none() {
            self.others.forget_ended(now);
        }
        let disturbed = self.others.at(now);
        let detects = |signal: &Signal, disturbed: f64| {
            signal.power >= limits.preamble && signal.power >= limits.ratio * (signal.noise + disturbed)
        };
        let lost = match self.current {
            _ if deaf => None,
            None if detects(&signal, disturbed) => {
                self.current = Some(signal);
                return Begun::Received { lost: None };
            }
            None => None,
            Some(current) if now > current.from + DETECTION => None,
            Some(current) if signal.power > current.power && detects(&signal, disturbed + current.power) => {
                self.others.add(current.from, current.to, current.power);
                self.current = Some(signal);
                return Begun::Received { lost: Some(current.tx) };
            }
            Some(current) if !detects(&current, disturbed + signal.power) => {
                self.others.add(current.from, current.to, current.power);
                self.current = None;
                Some(current.tx)
            }
            Some(_) => None,
        };
        self.others.add(signal.from, signal.to, signal.power);
        Begun::Interferes { lost }
    }

    /// The station starts to transmit: it leaves the frame being received, whose number is returned.
    pub fn own_transmission(&mut self) -> Option<u32> {
        let left = self.current.take()?;
        self.others.add(left.from, left.to, left.power);
        Some(left.tx)
    }

    /// The frame being received.
    pub fn current(&self) -> Option<&Signal> {
        self.current.as_ref()
    }

    /// The signal of `tx` ends; returns it if it was being received.
    pub fn end(&mut self, tx: u32) -> Option<Signal> {
        self.current.take_if(|current| current.tx == tx)
    }

    /// The signals that interfere with the one being received, or did so.
    pub fn others(&self) -> &Interference {
        &self.others
    }

    /// Until when the energy of all signals makes the medium busy, if it does at `now`.
    pub fn energy_until(&self, now: SimTime, limits: &Thresholds) -> Option<SimTime> {
        self.others.at_least_until(now, limits.energy)
    }
}

#[cfg(test)]
mod tests;
