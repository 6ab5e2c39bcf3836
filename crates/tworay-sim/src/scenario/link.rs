//! Wired links in the scenario file: `[[link]]` and the kinds that many links share.

use crate::links::{HandoffConfig, LanesConfig, RedConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{BitRate, SimDuration};
use tworay_radio::ErrorModelConfig;

/// A wired link between two nodes: the same rate, delay and queue in both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Link")]
pub struct LinkConfig {
    /// One end.
    pub from: u16,
    /// The other end.
    pub to: u16,
    /// Name of the `[link_kind]` whose keys this link takes where it has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Rate in each direction.
    pub rate: BitRate,
    /// Propagation delay, at most 100s.
    #[serde(default)]
    pub delay: SimDuration,
    /// Packets that may wait in each direction, the one being sent not counted, 1 to 1000000.
    #[serde(default = "default_queue")]
    pub queue: u32,
    /// Random early detection in both directions; absent: drop-tail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub red: Option<RedConfig>,
    /// Random errors on the way from `from` to `to`: packets arrive broken and are lost.
    #[serde(default, skip_serializing_if = "is_none")]
    pub errors: ErrorModelConfig,
    /// Random errors on the way back.
    #[serde(default, skip_serializing_if = "is_none")]
    pub errors_back: ErrorModelConfig,
    /// Times in which the link is down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoffs: Option<HandoffConfig>,
    /// A schedule of delays and losses that adds to `delay` and `errors` (what `tworay sedlane fit` writes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<LanesConfig>,
    /// Packets to lose on purpose on the way from `from` to `to`, numbered from 0 as they arrive at
    /// the link, in front of its queue.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drops: Vec<u64>,
}

fn default_queue() -> u32 {
    50
}

fn is_none(model: &ErrorModelConfig) -> bool {
    *model == ErrorModelConfig::None
}

/// Keys that all links of a kind share; a link's own keys count on top. So
/// `--set link_kind.access.rate=1Mbps` changes all access links of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "LinkKind")]
pub(crate) struct LinkKind {
    /// Rate in each direction.
    pub rate: Option<BitRate>,
    /// Propagation delay, at most 100s.
    pub delay: Option<SimDuration>,
    /// Packets that may wait in each direction, the one being sent not counted, 1 to 1000000.
    pub queue: Option<u32>,
    /// Random early detection in both directions; absent: drop-tail.
    pub red: Option<RedConfig>,
    /// Random errors on the way from a link's `from` to its `to`: packets arrive broken and are lost.
    pub errors: Option<ErrorModelConfig>,
    /// Random errors on the way back.
    pub errors_back: Option<ErrorModelConfig>,
    /// Times in which a link is down; random ones are drawn for each link apart.
    pub handoffs: Option<HandoffConfig>,
}
