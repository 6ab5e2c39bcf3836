//! Measured links: who hears whom, and how well, without a propagation law.

use crate::refusals::{between, problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{ConfigProblem, Dbm, Ratio, SimDuration, Watts};

/// Level above `rx_threshold` of a link without a given level: noise has no effect, and of two such frames
/// that overlap neither can be decoded.
const USUAL_MARGIN: Ratio = Ratio(20.0);

/// Propagation delay of a measured link, whose length is unknown: aAirPropagationTime of IEEE 802.11-1999
/// §15.3.3 is 1 µs.
pub const MEASURED_DELAY: SimDuration = SimDuration::from_micros(1);

/// One direction of a link of `propagation = "measured"`. Pairs not listed neither hear nor sense each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasuredLink {
    /// Sending node.
    pub from: u16,
    /// Receiving node, different from `from`.
    pub to: u16,
    /// Probability, from 0 to less than 1, that a decodable frame is lost, whatever its type and size.
    #[serde(default)]
    pub loss: f64,
    /// Received power, -150dBm to 30dBm, compared with noise and interference as usual. At least
    /// `cs_threshold`; a link below `rx_threshold` is sensed and interferes, but carries nothing. Absent: 20
    /// dB above `rx_threshold`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Dbm>,
}

impl MeasuredLink {
    /// The received power, W.
    pub fn power(&self, rx_threshold: f64) -> f64 {
        self.level.map_or(rx_threshold * USUAL_MARGIN.factor(), |level| level.to_watts().get())
    }
}

/// Checks ranges, and that no direction is listed twice.
pub(crate) fn validate(links: &[MeasuredLink], cs_threshold: Watts) -> Result<(), ConfigProblem> {
    let mut order: Vec<usize> = (0..links.len()).collect();
    order.sort_by_key(|&i| (links[i].from, links[i].to, i));
    let ends = |i: usize| (links[i].from, links[i].to);
    if let Some(pair) = order.windows(2).find(|pair| ends(pair[0]) == ends(pair[1])) {
        let (first, second) = (pair[0], pair[1]);
        let what = format!("link.{first} goes from node {} to node {} already", ends(first).0, ends(first).1);
        return Err(problem(&format!("link.{second}.to"), what, "list each direction once".into()));
    }
    for (i, link) in links.iter().enumerate() {
        if link.from == link.to {
            let what = format!("the link joins node {} to itself", link.to);
            return Err(problem(&format!("link.{i}.to"), what, "name two different nodes".into()));
        }
        // The negation also refuses NaN.
        if !(link.loss >= 0.0 && link.loss < 1.0) {
            let remedy = "give a probability from 0 to less than 1; remove a link that carries nothing";
            return Err(problem(
                &format!("link.{i}.loss"),
                format!("{} is out of range", link.loss),
                remedy.into(),
            ));
        }
        if let Some(level) = link.level {
            let key = format!("link.{i}.level");
            between(&key, level.get(), -150.0, 30.0)?;
            let power = level.to_watts();
            if power < cs_threshold {
                let what = format!("{level} is below radio.cs_threshold, {}", cs_threshold.to_dbm());
                let remedy = "remove the link, or lower the thresholds (with profile = \"custom\")";
                return Err(problem(&key, what, remedy.into()));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
