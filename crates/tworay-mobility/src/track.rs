//! One node's movement as straight legs, optimised for queries in (mostly) increasing time.

use crate::waypoint::{RandomWaypoint, towards};
use tworay_base::{Position, SimTime, Speed};

/// An interval of straight, uniform movement or of rest. It lasts from `from` until the next leg's `from`.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Leg {
    /// When it begins.
    pub from: SimTime,
    /// Where it begins.
    pub start: Position,
    /// Velocity to the east and north in m/s.
    pub velocity: (f64, f64),
}

impl Leg {
    /// At rest at `place` from `from` on.
    pub const fn rest(from: SimTime, place: Position) -> Self {
        Self { from, start: place, velocity: (0.0, 0.0) }
    }

    /// The position at `t`, which must not precede the leg.
    #[inline]
    pub fn at(&self, t: SimTime) -> Position {
        // Signed conversion is one instruction; the nanoseconds of a run fit into 63 bits.
        let dt = (t.as_nanos() - self.from.as_nanos()) as i64 as f64 * 1e-9;
        Position::new(self.start.x + self.velocity.0 * dt, self.start.y + self.velocity.1 * dt)
    }

    /// Speed in m/s.
    pub fn speed(&self) -> f64 {
        let (vx, vy) = self.velocity;
        (vx * vx + vy * vy).sqrt()
    }
}

/// An upper bound of the speed over these legs, m/s; infinite if there are jumps.
fn bound(legs: &[Leg]) -> f64 {
    let jumps = legs.windows(2).any(|w| w[0].at(w[1].from).distance(w[1].start) > 1e-3);
    if jumps { f64::INFINITY } else { legs.iter().map(Leg::speed).fold(0.0, f64::max) }
}

/// One node's movement. Queries in non-decreasing time cost a few nanoseconds; going back in time costs a
/// search.
#[derive(Clone, Debug)]
pub struct Track {
    /// The current leg, valid while `from <= t < until`.
    leg: Leg,
    until: SimTime,
    /// Index of `leg` in `legs`.
    cursor: usize,
    /// All legs generated so far in order of time; the first begins at time zero. Never empty.
    legs: Vec<Leg>,
    /// Generates further legs of an endless movement.
    source: Option<Box<RandomWaypoint>>,
    max_speed: f64,
}

impl Track {
    /// A node that never moves.
    pub fn fixed(place: Position) -> Self {
        Self::from_legs(vec![Leg::rest(SimTime::ZERO, place)])
    }

    /// A node that follows `legs` in order of time; the last one lasts for ever. If the first leg begins
    /// after time zero, the node rests at its start before it. Without legs, the node rests at the origin.
    pub fn from_legs(mut legs: Vec<Leg>) -> Self {
        debug_assert!(legs.is_sorted_by_key(|l| l.from));
        let start = legs.first().map_or(Position::default(), |l| l.start);
        if legs.first().is_none_or(|l| l.from > SimTime::ZERO) {
            legs.insert(0, Leg::rest(SimTime::ZERO, start));
        }
        let max_speed = bound(&legs);
        Self::with(legs, None, max_speed)
    }

    /// A node that follows the random waypoint model for ever.
    pub fn random_waypoint(mut source: RandomWaypoint) -> Self {
        let mut legs = Vec::new();
        source.next_legs(&mut legs);
        let max_speed = source.max_speed().get();
        Self::with(legs, Some(Box::new(source)), max_speed)
    }

    fn with(legs: Vec<Leg>, source: Option<Box<RandomWaypoint>>, max_speed: f64) -> Self {
        let mut track = Self { leg: legs[0], until: SimTime::ZERO, cursor: 0, legs, source, max_speed };
        track.seek(SimTime::ZERO);
        track
    }

    /// The position at `t`.
    #[inline]
    pub fn position(&mut self, t: SimTime) -> Position {
        if t < self.leg.from || t >= self.until {
            self.seek(t);
        }
        self.leg.at(t)
    }

    /// The speed at `t`.
    pub fn speed_at(&mut self, t: SimTime) -> Speed {
        self.position(t);
        Speed(self.leg.speed())
    }

    /// An upper bound on the speed: the distance between two positions is at most this times the elapsed
    /// time. Infinite for a track with jumps.
    #[inline]
    pub fn max_speed(&self) -> Speed {
        Speed(self.max_speed)
    }

    /// As [`Self::max_speed`], for positions at `t` or later: jumps until then do not count.
    pub fn max_speed_from(&self, t: SimTime) -> Speed {
        if self.source.is_some() {
            return self.max_speed();
        }
        let begun = self.legs.partition_point(|leg| leg.from <= t);
        Speed(bound(&self.legs[begun.saturating_sub(1)..]))
    }

    /// True if the node never moves.
    #[inline]
    pub fn is_static(&self) -> bool {
        self.max_speed == 0.0
    }

    /// When the node first moves, or jumps; never, if it stays.
    pub fn moves_from(&mut self) -> SimTime {
        let (mut at, place) = (SimTime::ZERO, self.position(SimTime::ZERO));
        while at < SimTime::NEVER && self.position(at) == place && self.speed_at(at).0 == 0.0 {
            at = self.course_until(at);
        }
        self.position(SimTime::ZERO);
        at
    }

    /// Until when the node keeps the velocity that it has at `t`.
    pub fn course_until(&mut self, t: SimTime) -> SimTime {
        self.position(t);
        self.until
    }

    /// Distance in metres travelled between two times; jumps do not count.
    pub fn travelled(&mut self, from: SimTime, to: SimTime) -> f64 {
        let (mut now, mut metres) = (from, 0.0);
        while now < to {
            let until = self.course_until(now).min(to);
            metres += self.leg.speed() * until.since(now).as_secs_f64();
            now = until;
        }
        metres
    }

    /// The legs that begin at or before `to`.
    pub fn legs_until(&mut self, to: SimTime) -> &[Leg] {
        self.position(to);
        let end = self.legs.partition_point(|l| l.from <= to);
        &self.legs[..end]
    }

    /// Gives the node another way from `at` on: straight to `place` at a speed in m/s above zero, or at once, where it
    /// stays. What it did before `at` stays the same.
    pub fn redirect(&mut self, at: SimTime, place: Position, speed: Option<f64>) {
        let here = self.position(at);
        self.source = None;
        self.legs.retain(|leg| leg.from < at);
        match speed {
            Some(speed) if place != here => {
                let (leg, arrival) = towards(at, here, place, speed);
                self.legs.extend([leg, Leg::rest(arrival, place)]);
            }
            _ => self.legs.push(Leg::rest(at, place)),
        }
        *self = Self::from_legs(std::mem::take(&mut self.legs));
    }

    /// Makes the leg at `t` the current one.
    #[cold]
    fn seek(&mut self, t: SimTime) {
        if let Some(source) = &mut self.source {
            // One more leg than needed, so that the last needed one has an end.
            while self.legs.last().is_some_and(|l| l.from <= t && l.from < SimTime::NEVER) {
                source.next_legs(&mut self.legs);
            }
        }
        if t >= self.until {
            // Usually the next leg or the one after it.
            while self.legs.get(self.cursor + 1).is_some_and(|next| next.from <= t) {
                self.cursor += 1;
            }
        } else {
            self.cursor = self.legs.partition_point(|l| l.from <= t).saturating_sub(1);
        }
        self.leg = self.legs[self.cursor];
        self.until = self.legs.get(self.cursor + 1).map_or(SimTime::NEVER, |next| next.from);
    }
}

#[cfg(test)]
mod tests;
