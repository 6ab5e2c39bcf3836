//! Two helps of the nodes for TCP (Fu et al. 2003): link-RED drops packets early where the link is overloaded, and
//! adaptive pacing lets such a node wait a packet's time longer before its next one.
//!
//! On a string of nodes the first sign of overload is not a long queue but a rising number of retries: the hidden
//! neighbour three hops ahead sends at the same time. So both look at the average retries per packet. TCP sees the
//! early losses, and reduces its window, before whole bursts are lost; the longer wait gives a packet time to get
//! out of reach before the next one follows it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{ConfigProblem, RngStream};

/// The `[mac.overload]` table: what a node does for TCP when its link is overloaded (Fu et al. 2003).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OverloadConfig {
    /// Link-RED: drop packets at random, the likelier the more retries packets need.
    pub link_red: bool,
    /// Adaptive pacing: while packets need more than `min_retries`, wait for the airtime of a packet more after
    /// each packet sent.
    pub pacing: bool,
    /// Average retries per packet (RTS or DATA) from which the link counts as overloaded, 0 to 10. Default 0.5.
    pub min_retries: f64,
    /// Average retries per packet at which the share of dropped packets would reach 1, above `min_retries`, to
    /// 100. Default 5.
    pub max_retries: f64,
    /// Largest share of packets that link-RED drops, 0 to 1. Default 0.05.
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
        for (key, value, least, most) in [
            ("overload.min_retries", self.min_retries, 0.0, 10.0),
            ("overload.max_retries", self.max_retries, self.min_retries, 100.0),
            ("overload.max_drop", self.max_drop, 0.0, 1.0),
            ("overload.weight", self.weight, 0.0, 1.0),
        ] {
            if !(least..=most).contains(&value) || (value == least && least_is_too_little(key)) {
                let above = if value == least { "more than " } else { "" };
                let remedy = format!("choose {above}{least} to {most}, or leave it out");
                return ConfigProblem::refuse(key, format!("{value} is out of range"), &remedy);
            }
        }
        Ok(())
    }
}

/// Whether a value must lie above its lower limit: equal thresholds and a weight of 0 decide nothing.
fn least_is_too_little(key: &str) -> bool {
    matches!(key, "overload.max_retries" | "overload.weight")
}

/// How much the packets of one station have to be repeated, and what it does about that.
#[derive(Clone, Debug)]
pub(crate) struct Overload {
    config: OverloadConfig,
    /// Average retries per packet.
    average: f64,
    /// Retries of the present packet.
    retries: u32,
    rng: RngStream,
}

impl Overload {
    /// `None` if the node does nothing of the kind.
    pub fn new(config: &OverloadConfig, rng: RngStream) -> Option<Box<Self>> {
        let on = config.link_red || config.pacing;
        on.then(|| Box::new(Self { config: config.clone(), average: 0.0, retries: 0, rng }))
    }

    /// An RTS or DATA went unanswered.
    pub fn retried(&mut self) {
        self.retries += 1;
    }

    /// The present packet was sent or given up.
    pub fn finished(&mut self) {
        let retries = f64::from(std::mem::take(&mut self.retries));
        self.average += self.config.weight * (retries - self.average);
    }

    /// Whether the next packet is to be dropped instead of sent.
    pub fn drops(&mut self) -> bool {
        let OverloadConfig { link_red, min_retries, max_retries, max_drop, .. } = self.config;
        if !link_red || self.average < min_retries {
            return false;
        }
        let share = (self.average - min_retries) / (max_retries - min_retries);
        let drops = self.rng.unit() < share.min(max_drop);
        if drops {
            // A packet that is not sent needs no retries.
            self.finished();
        }
        drops
    }

    /// Whether the station waits longer after its packets.
    pub fn paces(&self) -> bool {
        self.config.pacing && self.average >= self.config.min_retries
    }
}

#[cfg(test)]
mod tests;
