//! The `[routing]` table of a scenario.

use crate::AodvConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is wrong with a setting: key path, problem, remedy.
pub type ConfigProblem = (String, String, String);

/// The routing protocol.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Fixed next hops, computed once at the start.
    Static,
    /// Ad hoc on-demand distance vector routing (RFC 3561).
    #[default]
    Aodv,
}

impl Protocol {
    /// The name in scenario files and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Protocol::Static => "static",
            Protocol::Aodv => "aodv",
        }
    }
}

/// Routing settings, the same for every node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RoutingConfig {
    /// The routing protocol: "static" or "aodv".
    pub protocol: Protocol,
    /// Settings of AODV.
    pub aodv: AodvConfig,
}

impl RoutingConfig {
    /// AODV with the habits of ns-2.35.
    pub fn ns2() -> Self {
        Self { protocol: Protocol::Aodv, aodv: AodvConfig::ns2() }
    }

    /// Checks the ranges; the key path is relative to the scenario's root.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        self.aodv.validate()
    }
}
