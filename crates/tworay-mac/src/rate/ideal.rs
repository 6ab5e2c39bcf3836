//! The rate that a sender would choose if it knew the receiver's SINR.

use tworay_base::{ConfigProblem, SimDuration};
use tworay_radio::phy::errors::{self, Coding};
use tworay_radio::phy::{Airtime, Mode, Phy, PhyTiming};

/// By which measure a mode is best.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum IdealRule {
    /// Most bytes decoded per time on the air: the bound.
    Throughput,
    /// The fastest mode whose decoded bits err at most this often; the slowest if none does. ns-3's ideal manager
    /// does so with 10⁻⁶.
    BitErrors(f64),
}

/// Modes among which a rate control chooses: those of the newest format, since stations of one standard are alone.
pub(crate) fn newest_modes(phy: &Phy) -> Vec<Mode> {
    let all = phy.modes();
    let newest = all.iter().copied().filter(Mode::aggregates).collect::<Vec<_>>();
    if newest.is_empty() { all } else { newest }
}

/// Chooses the best mode for a known SINR.
#[derive(Clone, Debug)]
pub struct Ideal {
    modes: Vec<Mode>,
    airtime: Airtime,
    overhead: SimDuration,
    rule: IdealRule,
}

impl Ideal {
    /// Chooses among `modes`, which both ends must have. `overhead` is the time that every frame costs beside its
    /// own duration: interframe spaces, mean backoff, response.
    ///
    /// # Errors
    /// No modes, or a bit error rate outside 0 to 1.
    pub fn new(
        modes: Vec<Mode>,
        airtime: Airtime,
        overhead: SimDuration,
        rule: IdealRule,
    ) -> Result<Self, ConfigProblem> {
        if modes.is_empty() {
            return ConfigProblem::refuse("modes", "both ends have no mode in common", "use one standard");
        }
        if let IdealRule::BitErrors(most) = rule
            && !(0.0..=1.0).contains(&most)
        {
            let problem = format!("{most} is no bit error rate");
            return ConfigProblem::refuse("bit_errors", problem, "give a value from 0 to 1");
        }
        Ok(Self { modes, airtime, overhead, rule })
    }

    /// Chooses for most throughput among the modes of a radio's newest format, with the times that its frames cost
    /// beside their own: interframe spaces, a mean backoff, a BlockAck of 32 µs.
    ///
    /// # Errors
    /// A radio without modes.
    pub fn of_radio(phy: &Phy, airtime: Airtime, timing: &PhyTiming) -> Result<Self, ConfigProblem> {
        let spaces = timing.difs() + timing.slot * u64::from(timing.window.min) / 2 + timing.sifs;
        let overhead = spaces + SimDuration::from_micros(32);
        Self::new(newest_modes(phy), airtime, overhead, IdealRule::Throughput)
    }

    /// The best mode for a frame of `bytes`, if `sinr` (a factor) is what the receiver gets with each mode. Of
    /// equally good modes, the one with fewer bits per symbol.
    pub fn choose(&self, bytes: u32, sinr: impl Fn(Mode) -> f64) -> Mode {
        let value = |mode: Mode| match self.rule {
            IdealRule::Throughput => {
                let bits = 8.0 * f64::from(bytes);
                let time = self.airtime.frame(mode, bytes) + self.overhead;
                errors::success(Coding::of_body(mode), sinr(mode), bits) * bits / time.as_secs_f64()
            }
            IdealRule::BitErrors(most) => {
                let correct = errors::log_bit_success(Coding::of_body(mode), sinr(mode));
                if -libm::expm1(correct) <= most { mode.rate().as_bps() as f64 } else { 0.0 }
            }
        };
        let slowest = self.modes.iter().copied().min_by_key(|mode| mode.rate());
        let mut best = slowest.unwrap_or(self.modes[0]);
        let mut most = value(best);
        for mode in self.modes.iter().copied() {
            let found = value(mode);
            if found > most || found == most && found > 0.0 && mode.bits_per_symbol() < best.bits_per_symbol()
            {
                (best, most) = (mode, found);
            }
        }
        best
    }
}
