//! Settings of Random Early Detection (Floyd and Jacobson: Random Early Detection Gateways for Congestion
//! Avoidance, IEEE/ACM Transactions on Networking 1(4), 1993).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{Bytes, ConfigProblem};

/// Unit of RED's queue length.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RedUnit {
    /// Packets: the queue length in packets; the drop probability does not depend on the packet's size.
    #[default]
    Packet,
    /// Bytes: the queue length in bytes, divided by the mean packet size; the drop probability is
    /// proportional to the packet's size.
    Byte,
}

/// Settings of a RED queue.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RedConfig {
    /// Average queue length, in (mean) packets, below which nothing is dropped; above 0. Default 5 (Floyd
    /// and Jacobson 1993, §9; ns-2).
    pub min_threshold: f64,
    /// Average queue length at which the drop probability reaches `max_p`, above `min_threshold`. Default
    /// 15, three times the minimum (Floyd 1997; ns-2).
    pub max_threshold: f64,
    /// Weight w_q of a new queue length in the average, above 0, at most 1. Default 0.002 (Floyd and
    /// Jacobson 1993, §6; ns-2).
    pub weight: f64,
    /// Drop probability at `max_threshold`, above 0, at most 1. Default 0.1 (Floyd 1997; ns-2's `linterm_`
    /// 10; Floyd and Jacobson 1993 use 0.02).
    pub max_p: f64,
    /// Above `max_threshold` increase the drop probability to 1 at twice the threshold (Floyd 2000; ns-2's
    /// default) instead of dropping every packet.
    pub gentle: bool,
    /// Unit of the queue length: packets or bytes.
    pub unit: RedUnit,
    /// Mean packet size, 1B to 65535B. It sets how fast the average decays while the wire is idle, and the
    /// unit of the byte mode. Default 500B (ns-2's `mean_pktsize_`).
    pub mean_packet: Bytes,
}

impl Default for RedConfig {
    fn default() -> Self {
        Self {
            min_threshold: 5.0,
            max_threshold: 15.0,
            weight: 0.002,
            max_p: 0.1,
            gentle: true,
            unit: RedUnit::Packet,
            mean_packet: Bytes(500),
        }
    }
}

impl RedConfig {
    /// Checks ranges.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        let fail = |key: &str, what: String, remedy: &str| ConfigProblem::refuse(key, what, remedy);
        let open = |x: f64, most: f64| x > 0.0 && x <= most;
        if !open(self.min_threshold, 1e6) {
            let what = format!("{} is out of range", self.min_threshold);
            return fail("min_threshold", what, "give more than 0 and at most 1000000 packets, such as 5");
        }
        if !(self.max_threshold > self.min_threshold && self.max_threshold <= 1e6) {
            let what = format!("{} is not above min_threshold {}", self.max_threshold, self.min_threshold);
            return fail("max_threshold", what, "three times min_threshold is usual");
        }
        for (key, value, usual) in [("weight", self.weight, "0.002"), ("max_p", self.max_p, "0.1")] {
            if !open(value, 1.0) {
                let remedy = format!("give more than 0 and at most 1; {usual} is usual");
                return fail(key, format!("{value} is out of range"), &remedy);
            }
        }
        if !(1..=65_535).contains(&self.mean_packet.0) {
            let what = format!("{} is out of range", self.mean_packet);
            return fail("mean_packet", what, "give \"1B\" to \"65535B\", such as \"500B\"");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_refused_by_name() {
        let good = RedConfig::default();
        let table = [
            ("min_threshold", RedConfig { min_threshold: 0.0, ..good }),
            ("min_threshold", RedConfig { min_threshold: f64::NAN, ..good }),
            ("max_threshold", RedConfig { max_threshold: 5.0, ..good }),
            ("weight", RedConfig { weight: 0.0, ..good }),
            ("weight", RedConfig { weight: 1.5, ..good }),
            ("max_p", RedConfig { max_p: -0.1, ..good }),
            ("mean_packet", RedConfig { mean_packet: Bytes(0), ..good }),
        ];
        for (key, config) in table {
            assert_eq!(config.validate().map_err(|e| e.key), Err(key.to_owned()), "{config:?}");
        }
    }
}
