//! The settings of a scenario: one struct, from which reading, writing, the order of keys and the JSON
//! Schema are derived. A new key is one field with its doc comment.

use super::event::EventConfig;
use super::wire::{WireConfig, WireKind};
use crate::stations::StationConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tworay_base::{BitRate, Bytes, SimDuration};
use tworay_mac::{Dialect, MacConfig};
use tworay_mobility::{MobilityConfig, TopologyConfig};
use tworay_radio::{EnergyConfig, ErrorsConfig, RadioConfig};
use tworay_routing::RoutingConfig;
use tworay_tcp::TcpConfig;

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
    pub(crate) flows: Vec<FlowFile>,
    /// Events: nodes that fail and recover, links that are cut.
    #[serde(default, rename = "event")]
    pub events: Vec<EventConfig>,
}

impl Settings {
    /// Settings with ns-2.35's defaults.
    pub fn ns2() -> Self {
        Self {
            radio: RadioConfig::ns2(),
            station: StationConfig::ns2(),
            mac: MacConfig::ns2(),
            routing: RoutingConfig::ns2(),
            tcp: TcpConfig::ns2(),
            ..Self::default()
        }
    }
}

/// Application of a flow.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AppKind {
    /// A TCP transfer of unlimited size or of `bytes`.
    #[default]
    Ftp,
    /// UDP datagrams at a constant rate.
    Cbr,
    /// As `cbr`, in bursts with exponential on and off times.
    OnOff,
}

impl AppKind {
    /// The name in scenario files.
    pub const fn name(self) -> &'static str {
        match self {
            AppKind::Ftp => "ftp",
            AppKind::Cbr => "cbr",
            AppKind::OnOff => "on-off",
        }
    }
}

/// A flow as written in the file; `app` decides which keys apply.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Flow")]
pub(crate) struct FlowFile {
    /// Sending node.
    pub from: u32,
    /// Receiving node; must differ from the sending node.
    pub to: u32,
    /// Application.
    #[serde(default)]
    pub app: AppKind,
    /// Start time, before the end of the run.
    #[serde(default)]
    pub start: SimDuration,
    /// Time at which the sender stops. Default: the end of the run.
    #[serde(default)]
    pub stop: Option<SimDuration>,
    /// Port at the receiver, 1 to 49151. Default: a free one.
    #[serde(default)]
    pub port: Option<u16>,
    /// `ftp`: the TCP variant. Default: that of `[tcp]`.
    #[serde(default)]
    pub tcp: Option<String>,
    /// `ftp`: amount to send before closing, at least 1B. Default: unlimited.
    #[serde(default)]
    pub bytes: Option<Bytes>,
    /// `cbr`, `on-off`: payload rate while sending. Set either this or `interval`.
    #[serde(default)]
    pub rate: Option<BitRate>,
    /// `cbr`, `on-off`: time between packets. Set either this or `rate`.
    #[serde(default)]
    pub interval: Option<SimDuration>,
    /// `cbr`, `on-off`: payload of a packet, 1B to 9000B. Default: 512B.
    #[serde(default)]
    pub size: Option<Bytes>,
    /// `cbr`: number of packets to send, at least 1. Default: unlimited.
    #[serde(default)]
    pub packets: Option<u64>,
    /// `on-off`: mean length of a burst (exponential).
    #[serde(default)]
    pub on: Option<SimDuration>,
    /// `on-off`: mean pause between bursts (exponential).
    #[serde(default)]
    pub off: Option<SimDuration>,
}
