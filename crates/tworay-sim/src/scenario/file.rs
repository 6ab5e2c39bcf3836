//! The settings of a scenario: one struct, from which reading, writing, the order of keys, the JSON Schema and
//! the reference page of the docs are derived. A new key is one field with its doc comment.

use super::event::EventConfig;
use super::link::{LinkConfig, LinkKind};
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

/// A tworay scenario: a network, how it moves, what it carries.
// The order of these fields is that of the keys in written scenarios: values first, then tables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "tworay scenario")]
pub struct Settings {
    /// Name in tables and results; the file's name if absent.
    #[serde(default)]
    pub name: Option<String>,
    /// One line about what is shown here.
    #[serde(default)]
    pub summary: String,
    /// Simulated time of a run, more than zero and at most 30 days.
    pub duration: SimDuration,
    /// Time at the start that is left out of what the flows did (rates, counts, means, guesses), not of what
    /// the network did (ledger, MAC, routing, energy); less than the duration.
    #[serde(default)]
    pub warmup: SimDuration,
    /// Whose rules the tables below start from, where they don't say otherwise: `standard`, the standards' and this
    /// simulator's, or `ns2`, ns-2.35's, for radio, MAC, routing and TCP alike.
    #[serde(default)]
    pub dialect: Dialect,
    /// How many nodes there are and where they stand at the start.
    #[serde(default)]
    pub topology: TopologyConfig,
    /// How the nodes move.
    #[serde(default)]
    pub mobility: MobilityConfig,
    /// The air and the radios.
    #[serde(default)]
    pub radio: RadioConfig,
    /// What the radios' energy costs, and the batteries.
    #[serde(default)]
    pub energy: EnergyConfig,
    /// Random errors on the air.
    #[serde(default)]
    pub errors: ErrorsConfig,
    /// Clocks, processing times and jitter: how far the stations of a radio network are out of step.
    #[serde(default)]
    pub station: StationConfig,
    /// IEEE 802.11 and the interface queue.
    #[serde(default)]
    pub mac: MacConfig,
    /// How packets find their way.
    #[serde(default)]
    pub routing: RoutingConfig,
    /// All TCP endpoints, and the variant of flows that don't choose one.
    #[serde(default)]
    pub tcp: TcpConfig,
    /// Wired point-to-point links.
    #[serde(default, rename = "link")]
    pub links: Vec<LinkConfig>,
    /// Keys that many links share, by name: what `kind = "..."` of a link refers to.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) link_kind: BTreeMap<String, LinkKind>,
    /// What is sent: one table per flow.
    #[serde(default, rename = "flow")]
    pub(crate) flows: Vec<FlowFile>,
    /// Nodes that fail and come back, links that are cut.
    #[serde(default, rename = "event")]
    pub events: Vec<EventConfig>,
}

impl Settings {
    /// Settings whose tables have ns-2.35's defaults.
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

/// What a flow sends.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum AppKind {
    /// A TCP transfer, endless or of `bytes`.
    #[default]
    Ftp,
    /// Datagrams at a constant rate over UDP.
    Cbr,
    /// As `cbr`, in bursts: on and off for exponential times.
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

/// A flow as written in the file: which keys mean something depends on `app`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Flow")]
pub(crate) struct FlowFile {
    /// Sending node.
    pub from: u32,
    /// Receiving node, another one.
    pub to: u32,
    /// What is sent.
    #[serde(default)]
    pub app: AppKind,
    /// When it starts, before the run's end.
    #[serde(default)]
    pub start: SimDuration,
    /// When the sender falls silent; the run's end if absent.
    #[serde(default)]
    pub stop: Option<SimDuration>,
    /// Port at the receiver, 1 to 49151; a free one if absent.
    #[serde(default)]
    pub port: Option<u16>,
    /// `ftp`: the TCP variant, if not the one of `[tcp]`.
    #[serde(default)]
    pub tcp: Option<String>,
    /// `ftp`: how much to send before closing, at least 1B; endless if absent.
    #[serde(default)]
    pub bytes: Option<Bytes>,
    /// `cbr`, `on-off`: payload bits per second while sending. Give this or `interval`.
    #[serde(default)]
    pub rate: Option<BitRate>,
    /// `cbr`, `on-off`: time from packet to packet. Give this or `rate`.
    #[serde(default)]
    pub interval: Option<SimDuration>,
    /// `cbr`, `on-off`: payload of a packet, 1B to 9000B; 512B if absent.
    #[serde(default)]
    pub size: Option<Bytes>,
    /// `cbr`: packets to send, at least 1; endless if absent.
    #[serde(default)]
    pub packets: Option<u64>,
    /// `on-off`: mean length of a burst (exponential).
    #[serde(default)]
    pub on: Option<SimDuration>,
    /// `on-off`: mean silence between bursts (exponential).
    #[serde(default)]
    pub off: Option<SimDuration>,
}
