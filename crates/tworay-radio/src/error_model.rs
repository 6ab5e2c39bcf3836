//! Random errors on a channel or wire: Bernoulli and Gilbert-Elliott, per packet or per bit.

use crate::refusals::between;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{ConfigProblem, RngStream};

/// The unit of an error rate.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorUnit {
    /// One probability per packet, whatever its size.
    #[default]
    Packet,
    /// One probability per bit: a packet of n bits is lost with probability 1 - (1 - p)^n.
    Bit,
}

/// Which random errors occur.
#[derive(Copy, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ErrorModelConfig {
    /// None.
    #[default]
    None,
    /// Independent errors.
    Bernoulli {
        /// The unit of `rate`.
        #[serde(default)]
        unit: ErrorUnit,
        /// Probability of an error per unit, 0 to 1.
        rate: f64,
    },
    /// Bursts: a good and a bad state alternate at random (Gilbert 1960, Elliott 1963). The chain starts in
    /// its stationary distribution.
    GilbertElliott {
        /// The unit of the probabilities: the chain takes one step per unit.
        #[serde(default)]
        unit: ErrorUnit,
        /// Probability per unit of changing from good to bad, above 0, at most 1.
        good_to_bad: f64,
        /// Probability per unit of changing from bad to good, above 0, at most 1.
        bad_to_good: f64,
        /// Probability of an error per unit in the good state, 0 to 1.
        #[serde(default)]
        good_error: f64,
        /// Probability of an error per unit in the bad state, 0 to 1.
        #[serde(default = "certain")]
        bad_error: f64,
    },
}

fn certain() -> f64 {
    1.0
}

impl ErrorModelConfig {
    /// Checks ranges. The error names the key relative to this table, the problem and the remedy.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        match *self {
            Self::None => Ok(()),
            Self::Bernoulli { rate, .. } => between("bernoulli.rate", rate, 0.0, 1.0),
            Self::GilbertElliott { good_to_bad, bad_to_good, good_error, bad_error, .. } => {
                // The limit keeps the expected stay in a state below 10^12 units.
                between("gilbert-elliott.good_to_bad", good_to_bad, 1e-12, 1.0)?;
                between("gilbert-elliott.bad_to_good", bad_to_good, 1e-12, 1.0)?;
                between("gilbert-elliott.good_error", good_error, 0.0, 1.0)?;
                between("gilbert-elliott.bad_error", bad_error, 0.0, 1.0)
            }
        }
    }

    /// The long-run probability of an error per unit.
    pub fn mean_rate(&self) -> f64 {
        match *self {
            Self::None => 0.0,
            Self::Bernoulli { rate, .. } => rate,
            Self::GilbertElliott { good_to_bad, bad_to_good, good_error, bad_error, .. } => {
                let bad = good_to_bad / (good_to_bad + bad_to_good);
                (1.0 - bad) * good_error + bad * bad_error
            }
        }
    }
}

/// The probability of at least one error in `n` units, each with probability `p`: 1 - (1 - p)^n, accurate
/// even for tiny `p`.
fn at_least_one(p: f64, n: f64) -> f64 {
    if p >= 1.0 { if n > 0.0 { 1.0 } else { 0.0 } } else { -libm::expm1(n * libm::log1p(-p)) }
}

/// Decides packet by packet, with its own random stream.
#[derive(Clone, Debug)]
pub struct ErrorModel {
    config: ErrorModelConfig,
    rng: RngStream,
    bad: bool,
    /// Bits left in the current state of a bitwise Gilbert-Elliott chain.
    left: u64,
}

impl ErrorModel {
    /// A model for one receiver or wire; `config` must be valid.
    pub fn new(config: ErrorModelConfig, mut rng: RngStream) -> Self {
        let (mut bad, mut left) = (false, 0);
        if let ErrorModelConfig::GilbertElliott { unit, good_to_bad, bad_to_good, .. } = config {
            bad = rng.chance(good_to_bad / (good_to_bad + bad_to_good));
            if unit == ErrorUnit::Bit {
                left = geometric(&mut rng, if bad { bad_to_good } else { good_to_bad });
            }
        }
        Self { config, rng, bad, left }
    }

    /// True if the next packet, of `bits` bits on the medium, is corrupted. Advances the model.
    pub fn corrupts(&mut self, bits: u32) -> bool {
        match self.config {
            ErrorModelConfig::None => false,
            ErrorModelConfig::Bernoulli { unit: ErrorUnit::Packet, rate } => self.rng.chance(rate),
            ErrorModelConfig::Bernoulli { unit: ErrorUnit::Bit, rate } => {
                self.rng.chance(at_least_one(rate, f64::from(bits)))
            }
            ErrorModelConfig::GilbertElliott {
                unit: ErrorUnit::Packet,
                good_to_bad,
                bad_to_good,
                good_error,
                bad_error,
            } => {
                let (error, leave) =
                    if self.bad { (bad_error, bad_to_good) } else { (good_error, good_to_bad) };
                let corrupted = self.rng.chance(error);
                self.bad ^= self.rng.chance(leave);
                corrupted
            }
            ErrorModelConfig::GilbertElliott {
                unit: ErrorUnit::Bit,
                good_to_bad,
                bad_to_good,
                good_error,
                bad_error,
            } => {
                // One draw per stay in a state instead of one per bit.
                let mut survives = 1.0;
                let mut rest = u64::from(bits);
                loop {
                    let stay = rest.min(self.left);
                    let error = if self.bad { bad_error } else { good_error };
                    survives *= 1.0 - at_least_one(error, stay as f64);
                    rest -= stay;
                    self.left -= stay;
                    if self.left > 0 {
                        break;
                    }
                    self.bad = !self.bad;
                    let leave = if self.bad { bad_to_good } else { good_to_bad };
                    self.left = geometric(&mut self.rng, leave);
                }
                self.rng.chance(1.0 - survives)
            }
        }
    }
}

/// Number of units that a state lasts which ends with probability `leave` after each; at least one.
fn geometric(rng: &mut RngStream, leave: f64) -> u64 {
    if leave >= 1.0 {
        return 1;
    }
    let u = 1.0 - rng.unit();
    1 + (libm::log(u) / libm::log1p(-leave)) as u64
}

#[cfg(test)]
mod tests;
