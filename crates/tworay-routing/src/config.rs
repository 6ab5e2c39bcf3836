//! The `[routing]` table of a scenario.

use crate::{AodvConfig, DsrConfig, OlsrConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{ConfigProblem, Dialect, FollowsDialect};

/// The routing protocol.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Fixed next hops, computed once at the start.
    Static,
    /// Ad hoc on-demand distance vector routing (RFC 3561).
    #[default]
    Aodv,
    /// Dynamic source routing (RFC 4728).
    Dsr,
    /// Optimized link state routing (RFC 3626).
    Olsr,
}

impl Protocol {
    /// The name in scenario files and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Protocol::Static => "static",
            Protocol::Aodv => "aodv",
            Protocol::Dsr => "dsr",
            Protocol::Olsr => "olsr",
        }
    }
}

/// Routing settings, the same for every node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RoutingConfig {
    /// The routing protocol: "static", "aodv", "dsr" or "olsr".
    pub protocol: Protocol,
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
        Self { protocol: Protocol::default(), aodv, dsr, olsr }
    }
}

impl RoutingConfig {
    /// Checks the ranges; the key path is relative to the scenario's root.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        self.aodv.validate()?;
        self.dsr.validate()?;
        self.olsr.validate()
    }
}
