//! Events at given times: nodes fail and recover, links are cut.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::SimDuration;

/// A node fails or recovers, or a link is cut.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Event")]
pub struct EventConfig {
    /// `down`, `up`: the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u16>,
    /// `cut`: the flow whose link is cut, by its index in the file, from 0; any flow if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<u16>,
    /// Time of the event, before the end of the run.
    pub at: SimDuration,
    /// The event.
    pub what: EventKind,
    /// `cut`: how long the link is cut, more than zero; until the end of the run if absent.
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub lasts: Option<SimDuration>,
}

/// Kinds of events.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// The node stops working and loses its queued packets.
    Down,
    /// The node works again.
    Up,
    /// Cuts the radio link that the next data packet of the flow crosses (of any flow, if none is named),
    /// just after that packet: from then on its two ends sense each other but decode nothing. Which link
    /// this is depends on the seed; it is always one in use.
    Cut,
}
