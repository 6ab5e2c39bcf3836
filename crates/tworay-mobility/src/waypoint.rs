//! The random waypoint model, optionally started in its stationary distribution.
//!
//! A node draws a target uniformly in the area and a speed uniformly in its range, moves there in a straight
//! line, pauses, and repeats. If all nodes start with such a draw, speeds decay for minutes (Yoon, Liu,
//! Noble, "Random waypoint considered harmful", Infocom 2003). The stationary start avoids this (Navidi,
//! Camp, "Stationary distributions for the random waypoint mobility model", IEEE Trans. Mobile Computing
//! 3(1), 2004).

use crate::track::Leg;
use tworay_base::{Position, RngStream, SimDuration, SimTime, Speed};

/// A rectangle with one corner at the origin, in metres; both sides above zero.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Area {
    /// Extent to the east.
    pub width: f64,
    /// Extent to the north.
    pub height: f64,
}

impl Area {
    /// A uniform point; x is drawn first.
    pub fn draw(self, rng: &mut RngStream) -> Position {
        let x = rng.uniform(0.0, self.width);
        let y = rng.uniform(0.0, self.height);
        Position::new(x, y)
    }

    /// The mean distance between two uniform points of the rectangle (Ghosh 1951), in metres.
    pub fn mean_distance(self) -> f64 {
        let (a, b) = (self.width, self.height);
        let (a2, b2) = (a * a, b * b);
        let d = (a2 + b2).sqrt();
        (a2 * a / b2 + b2 * b / a2 + d * (3.0 - a2 / b2 - b2 / a2)) / 15.0
            + (b2 / a * libm::acosh(d / b) + a2 / b * libm::acosh(d / a)) / 6.0
    }
}

/// The parameters of the model.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct WaypointModel {
    /// The area in which nodes move.
    pub area: Area,
    /// Minimum speed, above zero.
    pub min_speed: Speed,
    /// Maximum speed, at least the minimum.
    pub max_speed: Speed,
    /// Pause at each target.
    pub pause: SimDuration,
}

impl WaypointModel {
    /// The mean of 1/speed over legs, in s/m. Mean leg length times this is the mean leg duration.
    fn mean_slowness(&self) -> f64 {
        let (lo, hi) = (self.min_speed.get(), self.max_speed.get());
        if hi > lo { libm::log(hi / lo) / (hi - lo) } else { 1.0 / lo }
    }

    /// The long-run fraction of time spent in pauses.
    pub fn pausing(&self) -> f64 {
        let (pause, move_) = (self.pause.as_secs_f64(), self.area.mean_distance() * self.mean_slowness());
        pause / (pause + move_)
    }

    /// The long-run mean speed, pauses included.
    pub fn mean_speed(&self) -> Speed {
        Speed((1.0 - self.pausing()) / self.mean_slowness())
    }
}

/// One node's endless sequence of legs.
#[derive(Clone, Debug)]
pub struct RandomWaypoint {
    model: WaypointModel,
    rng: RngStream,
    now: SimTime,
    here: Position,
    /// The leg in progress at time zero in a stationary start: target and speed.
    first: Option<(Position, f64)>,
}

impl RandomWaypoint {
    /// Starts at `here` with a full pause and then a new target, as Broch et al. (MobiCom 1998) and their
    /// generator `setdest` do; not stationary.
    pub fn starting_at(model: WaypointModel, here: Position, rng: RngStream) -> Self {
        Self { model, rng, now: SimTime::ZERO + model.pause, here, first: None }
    }

    /// Starts in the stationary distribution of position, target, speed and pause.
    pub fn stationary(model: WaypointModel, mut rng: RngStream) -> Self {
        let area = model.area;
        if rng.unit() < model.pausing() {
            let here = area.draw(&mut rng);
            // The remainder of a pause of fixed length is uniform.
            let left = rng.jitter(model.pause);
            return Self { model, rng, now: SimTime::ZERO + left, here, first: None };
        }
        // An observer meets a leg with probability proportional to its length: accept accordingly.
        let diagonal = (area.width * area.width + area.height * area.height).sqrt();
        let (from, target) = loop {
            let (from, target) = (area.draw(&mut rng), area.draw(&mut rng));
            if rng.unit() * diagonal < from.distance(target) {
                break (from, target);
            }
        };
        let done = rng.unit();
        let here = Position::new(from.x + (target.x - from.x) * done, from.y + (target.y - from.y) * done);
        // Slow legs last longer: the density of the observed speed is proportional to 1/speed.
        let (lo, hi) = (model.min_speed.get(), model.max_speed.get());
        let speed = lo * libm::pow(hi / lo, rng.unit());
        Self { model, rng, now: SimTime::ZERO, here, first: Some((target, speed)) }
    }

    /// The maximum speed of any leg.
    pub fn max_speed(&self) -> Speed {
        self.model.max_speed
    }

    /// Appends the next leg and the pause after it.
    pub(crate) fn next_legs(&mut self, legs: &mut Vec<Leg>) {
        if legs.is_empty() && self.now > SimTime::ZERO {
            legs.push(Leg::rest(SimTime::ZERO, self.here));
        }
        let (target, speed) = self.first.take().unwrap_or_else(|| {
            let target = self.model.area.draw(&mut self.rng);
            let speed = self.rng.uniform(self.model.min_speed.get(), self.model.max_speed.get());
            (target, speed)
        });
        let (leg, arrival) = towards(self.now, self.here, target, speed);
        legs.push(leg);
        self.now = arrival;
        self.here = target;
        if !self.model.pause.is_zero() {
            legs.push(Leg::rest(self.now, target));
            self.now += self.model.pause;
        }
    }
}

/// The leg from `here` to `target` at `speed` m/s (above zero), and its time of arrival, which is always
/// later than `now` so that time advances.
pub(crate) fn towards(now: SimTime, here: Position, target: Position, speed: f64) -> (Leg, SimTime) {
    let seconds = here.distance(target) / speed;
    let arrival = now + SimDuration::from_secs_f64(seconds).max(SimDuration::from_nanos(1));
    // At least one nanosecond: avoids dividing by nearly zero.
    let velocity = if seconds >= 1e-9 {
        ((target.x - here.x) / seconds, (target.y - here.y) / seconds)
    } else {
        (0.0, 0.0)
    };
    (Leg { from: now, start: here, velocity }, arrival)
}

#[cfg(test)]
mod tests;
