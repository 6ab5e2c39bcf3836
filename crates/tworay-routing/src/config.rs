//! The `[routing]` table of a scenario.

use crate::{AodvConfig, DsrConfig, OlsrConfig, Protocol};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{ConfigProblem, Dialect, FollowsDialect, Metres};

/// Routing settings, the same for every node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RoutingConfig {
    /// The routing protocol: "static", "aodv", "dsr" or "olsr".
    pub protocol: Protocol,
    /// Longest hop of static routes, more than 0m. Absent: any link over which frames can be decoded. Today's radios are
    /// decoded at their slowest rates over distances at which fast ones fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_hop: Option<Metres>,
    /// Settings of AODV.
    pub aodv: AodvConfig,
    /// Settings of DSR.
    pub dsr: DsrConfig,
    /// Settings of OLSR.
    pub olsr: OlsrConfig,
}

impl FollowsDialect for RoutingConfig {
    fn of(dialect: Dialect) -> Self {
        let (aodv, dsr, olsr) = (AodvConfig::of(dialect), DsrConfig::of(dialect), OlsrConfig::of(dialect));
        Self { protocol: Protocol::default(), longest_hop: None, aodv, dsr, olsr }
    }
}

impl RoutingConfig {
    /// Checks the ranges; the key path is relative to the scenario's root.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        if let Some(hop) = self.longest_hop
            && (self.protocol != Protocol::Static || hop.get() <= 0.0)
        {
            let problem = match self.protocol {
                Protocol::Static => format!("{hop} leaves no hop"),
                other => format!("`{}` finds its own routes", other.name()),
            };
            return Err(ConfigProblem::new(
                "routing.longest_hop",
                problem,
                "use it with `static`, more than 0m",
            ));
        }
        self.aodv.validate()?;
        self.dsr.validate()?;
        self.olsr.validate()
    }
}

#[cfg(test)]
mod tests;
