//! The window as a function of time, in the integers of the kernel.

use crate::send::LINUX_TICK;
use tworay_base::SimTime;

/// Ticks of the kernel's clock.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Tick(pub u64);

impl Tick {
    pub fn at(time: SimTime) -> Self {
        Self(time.since_start().whole(LINUX_TICK))
    }

    pub fn since(self, earlier: Tick) -> Tick {
        Tick(self.0.saturating_sub(earlier.0))
    }

    /// 1024ths of a second, the unit of time of the function.
    fn in_1024ths(self) -> u64 {
        self.0 * 1024 * LINUX_TICK.as_nanos() / 1_000_000_000
    }
}

/// While the window stays the same, the function is evaluated at most every 32nd of a second.
const PAUSE: Tick = Tick(250 / 32);
/// The unit of the function's product of steepness and time³: 1024ths of a segment times (1024ths of a second)³.
const UNIT: u64 = 1 << 40;
/// Most acknowledged segments that one more costs before the first loss: the window grows by 5 % in a round trip.
const DEAREST_AT_FIRST: u64 = 20;
/// Fewest: the window grows by half in a round trip.
const CHEAPEST: u64 = 2;

/// The module's parameters.
#[derive(Copy, Clone, Debug)]
pub(super) struct Shape {
    /// The share of the window that is left after a loss, 1024ths.
    beta: u64,
    /// 1024ths of a segment per s³.
    steepness: u64,
    /// Windows of acknowledged segments in which Reno's estimate grows by one, eighths.
    reno: u64,
    fast_convergence: bool,
    friendly: bool,
}

impl Shape {
    /// The integers of the parameters that the RFC's form has, too.
    pub fn new((beta, c): (f64, f64), fast_convergence: bool, friendly: bool) -> Self {
        let beta = libm::round(beta * 1024.0) as u64;
        let steepness = (libm::round(c * 102.4) as u64).max(1) * 10;
        Self { beta, steepness, reno: 8 * (1024 + beta) / 3 / (1024 - beta), fast_convergence, friendly }
    }
}

/// One period of congestion avoidance.
#[derive(Copy, Clone, Debug)]
struct Epoch {
    /// Start, shifted later by the time in which nothing was in flight.
    began: Tick,
    /// 1024ths of a second until the function reaches its plateau.
    k: u64,
    /// The window at the plateau.
    origin: u64,
    /// Segments acknowledged since Reno's estimate last grew.
    acked: f64,
    /// Reno's estimate of the window.
    reno: u64,
}

impl Epoch {
    fn new(shape: Shape, now: Tick, cwnd: u64, before: u64) -> Self {
        // The kernel's cube root is a table with one step of Newton's method, exact to 0.2 % in the mean.
        let k = libm::cbrt((UNIT / shape.steepness * before.saturating_sub(cwnd)) as f64) as u64;
        Self { began: now, k, origin: before.max(cwnd), acked: 0.0, reno: cwnd }
    }

    /// The window at `time`, 1024ths of a second since the start.
    fn window(&self, shape: Shape, time: u64) -> u64 {
        let off = time.abs_diff(self.k);
        let change = shape.steepness.saturating_mul(off).saturating_mul(off).saturating_mul(off) / UNIT;
        if time < self.k { self.origin.saturating_sub(change) } else { self.origin.saturating_add(change) }
    }

    /// Lets Reno's estimate grow.
    fn follow_reno(&mut self, shape: Shape, cwnd: u64) {
        let step = (cwnd * shape.reno / 8).max(1) as f64;
        while self.acked > step {
            self.acked -= step;
            self.reno += 1;
        }
    }
}

/// State that a timeout clears.
#[derive(Debug, Default)]
pub(super) struct Curve {
    /// Acknowledged segments that one more costs.
    price: u64,
    /// The window of the last loss, at which the function aims; 0 before the first.
    last_max: u64,
    /// The window and the time of the last evaluation.
    evaluated: Option<(u64, Tick)>,
    epoch: Option<Epoch>,
    /// Shortest round trip, microseconds.
    shortest: Option<u64>,
}

impl Curve {
    /// The time since avoidance began.
    pub fn age(&self, now: Tick) -> Option<Tick> {
        self.epoch.map(|epoch| now.since(epoch.began))
    }

    /// Returns the shortest round trip with this one, microseconds.
    pub fn note_delay(&mut self, delay: u64) -> u64 {
        *self.shortest.insert(self.shortest.map_or(delay, |shortest| shortest.min(delay)))
    }

    /// The acknowledged segments that one more costs, after `acked` more.
    pub fn price(&mut self, shape: Shape, cwnd: u64, acked: f64, now: Tick) -> u64 {
        if let Some(epoch) = &mut self.epoch {
            epoch.acked += acked;
        }
        if self.evaluated.is_some_and(|(same, at)| same == cwnd && now.since(at) <= PAUSE) {
            return self.price;
        }
        let this_tick = self.evaluated.is_some_and(|(_, at)| at == now);
        if self.epoch.is_none() || !this_tick {
            self.evaluate(shape, cwnd, acked, now);
        }
        if let Some(epoch) = self.epoch.as_mut().filter(|_| shape.friendly) {
            epoch.follow_reno(shape, cwnd);
            if epoch.reno > cwnd {
                self.price = self.price.min(cwnd / (epoch.reno - cwnd));
            }
        }
        self.price = self.price.max(CHEAPEST);
        self.price
    }

    /// The price by the function, where it will be after the shortest round trip.
    fn evaluate(&mut self, shape: Shape, cwnd: u64, acked: f64, now: Tick) {
        self.evaluated = Some((cwnd, now));
        let last_max = self.last_max;
        let epoch =
            self.epoch.get_or_insert_with(|| Epoch { acked, ..Epoch::new(shape, now, cwnd, last_max) });
        let ahead = (self.shortest.unwrap_or(0) * 1000).div_ceil(LINUX_TICK.as_nanos());
        let time = Tick(now.since(epoch.began).0 + ahead).in_1024ths();
        let target = epoch.window(shape, time);
        self.price = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
        if last_max == 0 {
            self.price = self.price.min(DEAREST_AT_FIRST);
        }
    }

    /// A loss with this window: returns the threshold.
    pub fn lose(&mut self, shape: Shape, cwnd: u64) -> u64 {
        self.epoch = None;
        let converging = shape.fast_convergence && cwnd < self.last_max;
        self.last_max = if converging { cwnd * (1024 + shape.beta) / 2048 } else { cwnd };
        (cwnd * shape.beta / 1024).max(2)
    }

    /// Nothing was in flight since something was last sent, `idle` before `now`.
    pub fn shift(&mut self, now: Tick, idle: Tick) {
        if let Some(epoch) = &mut self.epoch {
            epoch.began = Tick(epoch.began.0 + idle.0).min(now);
        }
    }
}

#[cfg(test)]
mod tests;
