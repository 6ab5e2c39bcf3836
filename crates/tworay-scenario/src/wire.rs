//! Wires in the scenario file: `[[wire]]`, and the keys that wires of one kind share (`[wire_kind.NAME]`).

mod handoff;
mod lanes;
mod red;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tworay_base::{BitRate, SimDuration};
use tworay_radio::ErrorModelConfig;

pub use handoff::{HandoffConfig, Outages};
pub use lanes::{Lane, LanesConfig};
pub use red::{RedConfig, RedUnit};

/// Declares the keys of a wire and those of a kind of wires, which are the same.
macro_rules! wire_keys {
    (
        required { $($(#[doc = $rdoc:literal])+ $required:ident: $rtype:ty,)+ }
        optional { $($(#[doc = $doc:literal])+ $(#[serde($($attr:tt)+)])+ $name:ident: $type:ty,)+ }
    ) => {
        /// A wired connection between two nodes, with the same rate, delay and queue in both directions.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[schemars(rename = "Wire")]
        pub struct WireConfig {
            /// One end.
            pub from: u16,
            /// The other end.
            pub to: u16,
            /// Name of the `[wire_kind]` that provides the keys not given here.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub kind: Option<String>,
            $($(#[doc = $rdoc])+ pub $required: $rtype,)+
            $($(#[doc = $doc])+ $(#[serde($($attr)+)])+ pub $name: $type,)+
        }

        /// Keys that all wires of a kind share; a wire's own keys override them. So
        /// `--set wire_kind.access.rate=1Mbps` changes all access wires of a scenario.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[schemars(rename = "WireKind")]
        pub(crate) struct WireKind {
            $($(#[doc = $rdoc])+ #[serde(default)] pub $required: Option<$rtype>,)+
            $($(#[doc = $doc])+ $(#[serde($($attr)+)])+ pub $name: $type,)+
        }
    };
}

wire_keys! {
    required {
        /// Rate in each direction.
        rate: BitRate,
    }
    optional {
        /// Propagation delay, at most 100s.
        #[serde(default)]
        delay: SimDuration,
        /// Capacity of the queue in each direction in packets, without the one being sent, 1 to 1000000.
        #[serde(default = "default_queue")]
        queue: u32,
        /// Random early detection in both directions; absent: drop-tail.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        red: Option<RedConfig>,
        /// Random errors from `from` to `to`: packets arrive corrupted and are lost.
        #[serde(default, skip_serializing_if = "is_none")]
        errors: ErrorModelConfig,
        /// Random errors from `to` to `from`.
        #[serde(default, skip_serializing_if = "is_none")]
        errors_back: ErrorModelConfig,
        /// Periods in which the wire is down; random ones are drawn separately for each wire.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        handoffs: Option<HandoffConfig>,
        /// A schedule of delays and losses in addition to `delay` and `errors`, as `tworay sedlane fit`
        /// writes it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lanes: Option<LanesConfig>,
        /// Packets to drop deliberately from `from` to `to`, numbered from 0 in order of arrival at
        /// the wire, before its queue.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        drops: Vec<u64>,
    }
}

fn default_queue() -> u32 {
    50
}

fn is_none(model: &ErrorModelConfig) -> bool {
    *model == ErrorModelConfig::None
}
