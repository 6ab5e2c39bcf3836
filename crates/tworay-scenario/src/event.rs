//! Events at given times: nodes fail, recover and are moved, links are cut, frames are lost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{SimDuration, Speed};

/// A node fails, recovers, is moved or loses frames, or a link is cut.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Event")]
pub struct EventConfig {
    /// `down`, `up`, `move`, `loss`: the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u16>,
    /// `cut`: the flow whose link is cut, by its index in the file, from 0; any flow if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<u16>,
    /// Time of the event, before the end of the run.
    pub at: SimDuration,
    /// The event.
    pub what: EventKind,
    /// `cut`: how long the link is cut, from the packet on that triggers it; more than zero; until the end of the run if absent.
    #[serde(default, rename = "for", skip_serializing_if = "Option::is_none")]
    pub lasts: Option<SimDuration>,
    /// `move`: the new place, `[x, y]` in metres; inside the area, if the scenario has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<[f64; 2]>,
    /// `move`: the speed, above zero; if absent, the node is there at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed: Option<Speed>,
    /// `loss`: the share of frames that the node loses from now on, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
}

impl EventConfig {
    /// An event of a kind at time zero, without any other key.
    pub(crate) const fn of(what: EventKind) -> Self {
        Self {
            node: None,
            flow: None,
            at: SimDuration::ZERO,
            what,
            lasts: None,
            to: None,
            speed: None,
            rate: None,
        }
    }
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
    /// The node leaves its place and stays at the new one: the movement that the scenario has for it ends.
    Move,
    /// From now on each frame that the node would receive is lost with this probability, beside all other
    /// errors; 0 ends it.
    Loss,
}
