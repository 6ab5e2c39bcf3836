//! Two measures that help TCP at the nodes (Fu et al. 2003): link-RED drops packets early where the link is
//! overloaded, and adaptive pacing delays the node's next packet by the airtime of one packet.
//!
//! On a string of nodes the first sign of overload is not a long queue but a rising number of retries,
//! because the hidden neighbour three hops ahead sends at the same time. Both measures therefore look at
//! the average number of retries per packet. Early losses make TCP reduce its window before whole bursts
//! are lost; the longer wait lets a packet get out of interference range before the next one follows.
//!
//! The probability is the paper's: (average - min) / (max - min), at most max_P, and pacing is on above min.
//! The values of these three and the weight of the average are ours: we had no copy of the paper with its
//! own. They are settings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{ConfigProblem, RngStream};

/// The `[mac.overload]` table: how a node relieves an overloaded link to help TCP (Fu et al. 2003).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OverloadConfig {
    /// Link-RED: drop packets at random, with a probability that grows with the retries that packets need.
    pub link_red: bool,
    /// Adaptive pacing: while packets need more than `min_retries`, wait for the airtime of one more packet
    /// after each packet sent.
    pub pacing: bool,
    /// Average retries per packet (RTS or DATA) above which the link counts as overloaded, 0 to 10. Default
    /// 0.5.
    pub min_retries: f64,
    /// Average retries per packet at which the drop probability would reach 1, above `min_retries`, up to
    /// 100. Default 5.
    pub max_retries: f64,
    /// Upper limit of the drop probability, 0 to 1. Default 0.05.
    pub max_drop: f64,
    /// Weight of the newest packet in the average, above 0 to 1. Default 0.125.
    pub weight: f64,
}

impl Default for OverloadConfig {
    fn default() -> Self {
        Self {
            link_red: false,
            pacing: false,
            min_retries: 0.5,
            max_retries: 5.0,
            max_drop: 0.05,
            weight: 0.125,
        }
    }
}

impl OverloadConfig {
    /// Checks ranges; keys are relative to the `[mac]` table.
    pub(crate) fn validate(&self) -> Result<(), ConfigProblem> {
        use Lower::{Above, From};
        for (key, value, lower, most) in [
            ("overload.min_retries", self.min_retries, From(0.0), 10.0),
            ("overload.max_retries", self.max_retries, Above(self.min_retries), 100.0),
            ("overload.max_drop", self.max_drop, From(0.0), 1.0),
            ("overload.weight", self.weight, Above(0.0), 1.0),
        ] {
            let (is_enough, lower) = match lower {
                From(least) => (value >= least, format!("{least}")),
                Above(limit) => (value > limit, format!("more than {limit}")),
            };
            if !is_enough || value > most {
                let remedy = format!("choose {lower} to {most}, or leave it out");
                return ConfigProblem::refuse(key, format!("{value} is out of range"), &remedy);
            }
        }
        Ok(())
    }
}

/// A lower limit: the least value allowed, or a value that is too small itself.
enum Lower {
    From(f64),
    Above(f64),
}

/// The average number of retries of a station's packets, and what the station does about it.
#[derive(Clone, Debug)]
pub(crate) struct Overload {
    config: OverloadConfig,
    /// Average retries per packet.
    average: f64,
    /// Retries of the current packet.
    retries: u32,
    rng: RngStream,
}

impl Overload {
    /// `None` if both measures are off.
    pub fn new(config: &OverloadConfig, rng: RngStream) -> Option<Box<Self>> {
        let on = config.link_red || config.pacing;
        on.then(|| Box::new(Self { config: config.clone(), average: 0.0, retries: 0, rng }))
    }

    /// An RTS or DATA went unanswered.
    pub fn retried(&mut self) {
        self.retries += 1;
    }

    /// The current packet was sent or given up.
    pub fn finished(&mut self) {
        let retries = f64::from(std::mem::take(&mut self.retries));
        self.average += self.config.weight * (retries - self.average);
    }

    /// True to drop the next packet instead of sending it.
    pub fn drops(&mut self) -> bool {
        let OverloadConfig { link_red, min_retries, max_retries, max_drop, .. } = self.config;
        if !link_red || self.average < min_retries {
            return false;
        }
        let share = (self.average - min_retries) / (max_retries - min_retries);
        let drops = self.rng.unit() < share.min(max_drop);
        if drops {
            // A dropped packet needed no retries.
            self.finished();
        }
        drops
    }

    /// True if the station waits longer after its packets.
    pub fn paces(&self) -> bool {
        self.config.pacing && self.average >= self.config.min_retries
    }
}

#[cfg(test)]
mod tests;
