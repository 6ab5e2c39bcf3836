//! Interference over the time of a signal, as intervals in which it is constant.

use smallvec::SmallVec;
use tworay_base::SimTime;

/// An interval of constant interference.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Chunk {
    /// Its beginning.
    pub from: SimTime,
    /// Its end, after `from`.
    pub to: SimTime,
    /// Sum of the interfering powers, W; zero if there are none.
    pub interference: f64,
}

/// A signal that interferes.
#[derive(Copy, Clone, Debug)]
struct Interferer {
    from: SimTime,
    to: SimTime,
    power: f64,
}

/// The signals at an antenna that interfere with the one being received.
#[derive(Clone, Debug, Default)]
pub struct Interference {
    signals: SmallVec<[Interferer; 8]>,
}

impl Interference {
    /// Adds a signal of `power` W at this antenna, from `from` to `to`.
    pub fn add(&mut self, from: SimTime, to: SimTime, power: f64) {
        self.signals.push(Interferer { from, to, power });
    }

    /// Removes the signals that ended at `now` or before.
    pub fn forget_ended(&mut self, now: SimTime) {
        self.signals.retain(|s| s.to > now);
    }

    /// True if there are no signals.
    pub fn is_empty(&self) -> bool {
        self.signals.is_empty()
    }

    /// Sum of the powers at `at`, W. A signal counts from its first to before its last moment.
    pub fn at(&self, at: SimTime) -> f64 {
        self.signals.iter().filter(|s| s.from <= at && s.to > at).map(|s| s.power).sum()
    }

    /// Until when the sum of the powers stays at `power` W or above from `at` on, with the signals known now; none if
    /// it is below at `at`.
    pub fn at_least_until(&self, at: SimTime, power: f64) -> Option<SimTime> {
        let mut until = None;
        let mut from = at;
        while self.at(from) >= power {
            let end = self.signals.iter().filter(|s| s.from <= from && s.to > from).map(|s| s.to).min()?;
            until = Some(end);
            from = end;
        }
        until
    }

    /// True if some signal overlaps the time from `from` to `to`. A loss without any is the channel's doing.
    pub fn any(&self, from: SimTime, to: SimTime) -> bool {
        self.signals.iter().any(|s| s.from < to && s.to > from)
    }

    /// True if no signal begins or ends between `from` and `to`.
    fn is_constant(&self, from: SimTime, to: SimTime) -> bool {
        let within = |t: SimTime| t > from && t < to;
        self.signals.iter().all(|s| !within(s.from) && !within(s.to))
    }

    /// The intervals of constant interference from `from` to `to`, in order and without gaps; none if `to` isn't
    /// after `from`.
    pub fn chunks(&self, from: SimTime, to: SimTime) -> SmallVec<[Chunk; 8]> {
        let mut marks: SmallVec<[SimTime; 16]> = SmallVec::new();
        if to > from {
            marks.extend([from, to]);
        }
        let inside = |t: &SimTime| *t > from && *t < to;
        marks.extend(self.signals.iter().flat_map(|s| [s.from, s.to]).filter(inside));
        marks.sort_unstable();
        marks.dedup();
        marks
            .windows(2)
            .map(|pair| Chunk { from: pair[0], to: pair[1], interference: self.at(pair[0]) })
            .collect()
    }
}

/// A part of a frame with one coding: its header, its body, or one subframe of an aggregate.
#[derive(Copy, Clone, Debug)]
pub struct Section {
    /// The coding of its bits.
    pub coding: super::errors::Coding,
    /// Its first moment.
    pub from: SimTime,
    /// Its last moment.
    pub to: SimTime,
    /// Its bits, spread evenly over that time.
    pub bits: u32,
}

impl Section {
    /// Probability that all bits are decoded from a signal of `power` W over `noise` W and the given
    /// interference; `known` remembers error rates. An empty section is decoded for certain.
    pub fn success(
        &self,
        power: f64,
        noise: f64,
        interference: &Interference,
        known: &super::errors::KnownErrors,
    ) -> f64 {
        if self.bits == 0 {
            return 1.0;
        }
        if interference.is_constant(self.from, self.to) {
            let disturbed = noise + interference.at(self.from);
            return known.success(self.coding, power / disturbed, self.bits);
        }
        let whole = self.to.since(self.from).as_nanos() as f64;
        let log: f64 = interference
            .chunks(self.from, self.to)
            .iter()
            .map(|chunk| {
                let bits = f64::from(self.bits) * chunk.to.since(chunk.from).as_nanos() as f64 / whole;
                bits * known.log_bit_success(self.coding, power / (noise + chunk.interference))
            })
            .sum();
        libm::exp(log)
    }
}

#[cfg(test)]
mod tests;
