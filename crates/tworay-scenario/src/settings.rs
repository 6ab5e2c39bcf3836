//! The settings of a scenario: one struct, from which reading, writing, the order of keys and the JSON
//! Schema are derived. A new key is one field with its doc comment.

use crate::event::EventConfig;
use crate::flow::FlowTable;
use crate::station::StationConfig;
use crate::wire::{WireConfig, WireKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tworay_base::{Dialect, FollowsDialect, SimDuration};
use tworay_mac::MacConfig;
use tworay_mobility::{MobilityConfig, TopologyConfig};
use tworay_radio::{EnergyConfig, ErrorsConfig, RadioConfig};
use tworay_routing::RoutingConfig;
use tworay_tcp::TcpConfig;

/// Default variant of TCP flows.
pub(crate) const DEFAULT_VARIANT: &str = "newreno";

/// A tworay scenario: a network, its movement and its traffic.
// The order of these fields is that of the keys in written scenarios: values first, then tables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "tworay scenario")]
pub struct Settings {
    /// Name in tables and results. Default: the file's name.
    #[serde(default)]
    pub name: Option<String>,
    /// Description in one line.
    #[serde(default)]
    pub summary: String,
    /// Simulated time of a run, above zero and at most 30 days.
    pub duration: SimDuration,
    /// Time at the start that is excluded from the figures of flows (rates, counts, means, guesses), but
    /// not from those of the network (ledger, MAC, routing, energy). Must be less than the duration.
    #[serde(default)]
    pub warmup: SimDuration,
    /// Dialect: `standard` follows the standards, `ns2` reproduces ns-2.35. It sets the defaults of radio,
    /// MAC, routing and TCP in the tables below; keys given there take precedence.
    #[serde(default)]
    pub dialect: Dialect,
    /// Names of nodes: `roof = 0` names node 0. Every key that takes a node's number also takes its name (`to =
    /// "roof"`, `--set flow.0.to=roof`). A name has 1 to 63 letters, digits, `-` and `_`, and begins with a letter;
    /// at a live network it is the host's name. Nodes without a name have their number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub names: BTreeMap<String, u16>,
    /// Number of nodes, and their positions at the start.
    #[serde(default)]
    pub topology: TopologyConfig,
    /// Movement of the nodes.
    #[serde(default)]
    pub mobility: MobilityConfig,
    /// The radio channel and the radios.
    #[serde(default)]
    pub radio: RadioConfig,
    /// Energy model of the radios, and the batteries.
    #[serde(default)]
    pub energy: EnergyConfig,
    /// Random errors of frames and packets.
    #[serde(default)]
    pub errors: ErrorsConfig,
    /// Clock offsets, processing delays and jitter, which keep the stations of a radio network from acting
    /// at the same instant.
    #[serde(default)]
    pub station: StationConfig,
    /// The MAC of IEEE 802.11, and the interface queue.
    #[serde(default)]
    pub mac: MacConfig,
    /// Routing protocol and its settings.
    #[serde(default)]
    pub routing: RoutingConfig,
    /// Settings of all TCP endpoints, and the default variant of flows.
    #[serde(default)]
    pub tcp: TcpConfig,
    /// Point-to-point wired connections.
    #[serde(default, rename = "wire")]
    pub wires: Vec<WireConfig>,
    /// Keys that many wires share, by name: what `kind = "..."` of a wire refers to.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) wire_kind: BTreeMap<String, WireKind>,
    /// Traffic: one table per flow.
    #[serde(default, rename = "flow")]
    pub(crate) flows: Vec<FlowTable>,
    /// Events: nodes that fail and recover, links that are cut.
    #[serde(default, rename = "event")]
    pub events: Vec<EventConfig>,
}

impl Settings {
    /// Names of nodes, in order of the nodes' numbers.
    pub fn node_names(&self) -> BTreeMap<u16, String> {
        self.names.iter().map(|(name, &node)| (node, name.clone())).collect()
    }
}

impl FollowsDialect for Settings {
    fn of(dialect: Dialect) -> Self {
        Self {
            dialect,
            radio: RadioConfig::of(dialect),
            station: StationConfig::of(dialect),
            mac: MacConfig::of(dialect),
            routing: RoutingConfig::of(dialect),
            tcp: TcpConfig::of(dialect),
            ..Self::default()
        }
    }
}
