//! The scenario's `[topology]` and `[mobility]` tables.

use crate::error::MobilityError;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::path::PathBuf;
use tworay_base::{Metres, SimDuration, Speed};

/// The scenario's `[topology]` table: number of nodes and their initial positions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TopologyConfig {
    /// The movement file of `[mobility]` places the nodes. Default if the table is absent.
    #[default]
    #[serde(deserialize_with = "nothing_more")]
    Recorded,
    /// A row of `hops` + 1 nodes from west to east, with node 0 at the origin.
    String {
        /// Number of hops, 1 to 65534.
        hops: u32,
        /// Distance between neighbours.
        #[serde(default = "spacing")]
        spacing: Metres,
    },
    /// A rectangular grid, numbered row by row from the south-west corner at the origin.
    Grid {
        /// Rows (south to north), at least 1.
        rows: u32,
        /// Columns (west to east), at least 1.
        columns: u32,
        /// Distance between neighbours.
        #[serde(default = "spacing")]
        spacing: Metres,
    },
    /// Two strings that cross in a common node. With arms of n nodes, nodes 0 to 2n go from west to east with
    /// node n in the centre, and nodes 2n+1 to 4n go from south to north without the centre.
    Cross {
        /// Nodes on each of the four arms, at least 1.
        arm: u32,
        /// Distance between neighbours.
        #[serde(default = "spacing")]
        spacing: Metres,
    },
    /// Nodes placed at random, independently and uniformly.
    Uniform {
        /// Number of nodes, 1 to 65535.
        nodes: u32,
        /// Extent of the area to the east.
        width: Metres,
        /// Extent of the area to the north.
        height: Metres,
        /// Draw again, up to 1000 times, until every node can reach every other over links of at most this
        /// length (for the default radio 250m). Absent: use the first draw.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        connected_within: Option<Metres>,
    },
    /// Every node at a given position.
    Explicit {
        /// One `[x, y]` in metres per node.
        positions: Vec<[f64; 2]>,
    },
}

fn spacing() -> Metres {
    Metres(200.0)
}

/// The scenario's `[mobility]` table: how the nodes move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum MobilityConfig {
    /// Nodes do not move.
    #[default]
    #[serde(deserialize_with = "nothing_more")]
    Static,
    /// Random waypoint: uniform targets, uniform speeds, a pause at each target.
    RandomWaypoint {
        /// Minimum speed, above zero (with zero the mean speed decays for ever).
        min_speed: Speed,
        /// Maximum speed, at least `min_speed`.
        max_speed: Speed,
        /// Pause at each target.
        #[serde(default)]
        pause: SimDuration,
        /// Extent of the area to the east; the topology's if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        width: Option<Metres>,
        /// Extent of the area to the north; the topology's if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        height: Option<Metres>,
        /// Start in the stationary distribution of position, speed and pause instead of the topology's
        /// positions (so the topology must be `uniform`). If false, nodes start at the topology's positions
        /// with a pause and a new target.
        #[serde(default = "yes")]
        steady_state: bool,
        /// Nodes that do not move.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fixed: Vec<FixedConfig>,
    },
    /// Given moves, starting from the topology's positions.
    Waypoints {
        /// The moves, in any order.
        legs: Vec<LegConfig>,
    },
    /// An ns-2 movement file (`setdest`), also gzip. It defines the nodes: omit `[topology]`.
    Ns2File {
        /// Path, relative to the scenario file.
        file: PathBuf,
    },
    /// A BonnMotion trace (`.movements`), also gzip. It defines the nodes: omit `[topology]`.
    BonnmotionFile {
        /// Path, relative to the scenario file.
        file: PathBuf,
    },
}

/// Refuses unknown keys of a unit variant, which serde would accept silently.
fn nothing_more<'de, D: Deserializer<'de>>(table: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Empty {}
    Empty::deserialize(table).map(|Empty {}| ())
}

fn yes() -> bool {
    true
}

/// A node that does not move while others do.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixedConfig {
    /// The node's number.
    pub node: u16,
    /// Its position: `[x, y]` in metres, inside the area.
    pub position: [f64; 2],
}

/// One move: at time `at`, node `node` starts straight towards `to` at `speed` and stops there. A later move
/// of the same node replaces it, even before it ends.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LegConfig {
    /// The node's number.
    pub node: u16,
    /// Time of departure.
    pub at: SimDuration,
    /// Target: `[x, y]` in metres.
    pub to: [f64; 2],
    /// Speed; zero stops the node where it is.
    pub speed: Speed,
}

/// The largest coordinate accepted, in metres.
const MOST_METRES: f64 = 1e7;
/// The largest speed accepted, in m/s.
const MOST_SPEED: f64 = 1e4;
/// The largest number of nodes: ids are 0 to 65534.
const MOST_NODES: u64 = 65_535;

impl TopologyConfig {
    /// Number of nodes; `None` if a movement file defines them.
    pub fn node_count(&self) -> Option<u64> {
        match self {
            Self::Recorded => None,
            Self::String { hops, .. } => Some(u64::from(*hops) + 1),
            Self::Grid { rows, columns, .. } => Some(u64::from(*rows) * u64::from(*columns)),
            Self::Cross { arm, .. } => Some(4 * u64::from(*arm) + 1),
            Self::Uniform { nodes, .. } => Some(u64::from(*nodes)),
            Self::Explicit { positions } => Some(positions.len() as u64),
        }
    }

    /// Checks ranges.
    pub fn validate(&self) -> Result<(), MobilityError> {
        let (key, least) = match self {
            Self::Recorded => return Ok(()),
            Self::String { .. } => ("topology.hops", 2),
            Self::Grid { .. } => ("topology.rows", 1),
            Self::Cross { .. } => ("topology.arm", 5),
            Self::Uniform { .. } => ("topology.nodes", 1),
            Self::Explicit { .. } => ("topology.positions", 1),
        };
        match self.node_count() {
            Some(n) if (least..=MOST_NODES).contains(&n) => {}
            n => {
                return Err(MobilityError::key(
                    key,
                    match n {
                        Some(1) => "this makes one node".to_owned(),
                        _ => format!("this makes {} nodes", n.unwrap_or(0)),
                    },
                    format!("choose values that make {least} to {MOST_NODES} nodes"),
                ));
            }
        }
        match self {
            Self::String { spacing, .. } | Self::Grid { spacing, .. } | Self::Cross { spacing, .. } => {
                length("topology.spacing", *spacing, 1e-3)
            }
            Self::Uniform { width, height, connected_within, .. } => {
                length("topology.width", *width, 1.0)?;
                length("topology.height", *height, 1.0)?;
                connected_within.map_or(Ok(()), |range| length("topology.connected_within", range, 1e-3))
            }
            Self::Explicit { positions } => {
                for (i, &p) in positions.iter().enumerate() {
                    point(&format!("topology.positions.{i}"), p)?;
                }
                Ok(())
            }
            Self::Recorded => Ok(()),
        }
    }
}

impl MobilityConfig {
    /// Checks everything that needs neither the topology nor the files.
    pub fn validate(&self) -> Result<(), MobilityError> {
        match self {
            Self::RandomWaypoint { min_speed, max_speed, width, height, .. } => {
                // Range checks also refuse NaN.
                if !(1e-3..=MOST_SPEED).contains(&min_speed.get()) {
                    return Err(MobilityError::key(
                        "mobility.min_speed",
                        format!("{min_speed} is out of range (with 0 the mean speed decays for ever)"),
                        format!("give 0.001m/s to {MOST_SPEED}m/s; published studies use 1m/s"),
                    ));
                }
                if !(0.0..=MOST_SPEED).contains(&max_speed.get()) {
                    return Err(MobilityError::key(
                        "mobility.max_speed",
                        format!("{max_speed} is out of range"),
                        format!("give at most {MOST_SPEED}m/s"),
                    ));
                }
                if max_speed < min_speed {
                    return Err(MobilityError::key(
                        "mobility.max_speed",
                        format!("{max_speed} is below min_speed {min_speed}"),
                        "swap the two, or make them equal for a single speed",
                    ));
                }
                width.map_or(Ok(()), |w| length("mobility.width", w, 1.0))?;
                height.map_or(Ok(()), |h| length("mobility.height", h, 1.0))
            }
            Self::Waypoints { legs } => {
                for (i, leg) in legs.iter().enumerate() {
                    point(&format!("mobility.legs.{i}.to"), leg.to)?;
                    if !(0.0..=MOST_SPEED).contains(&leg.speed.get()) {
                        return Err(MobilityError::key(
                            format!("mobility.legs.{i}.speed"),
                            format!("{} is out of range", leg.speed),
                            format!("give at most {MOST_SPEED}m/s"),
                        ));
                    }
                }
                Ok(())
            }
            Self::Static | Self::Ns2File { .. } | Self::BonnmotionFile { .. } => Ok(()),
        }
    }
}

fn length(key: &str, value: Metres, least: f64) -> Result<(), MobilityError> {
    if (least..=1e6).contains(&value.get()) {
        return Ok(());
    }
    Err(MobilityError::key(
        key,
        format!("{value} is out of range"),
        format!("give a length from {least}m to 1000km"),
    ))
}

fn point(key: &str, [x, y]: [f64; 2]) -> Result<(), MobilityError> {
    // Also refuses NaN and infinity.
    if x.abs() <= MOST_METRES && y.abs() <= MOST_METRES {
        return Ok(());
    }
    Err(MobilityError::key(
        key,
        format!("[{x}, {y}] is not a valid position"),
        "give [x, y] in metres, each from -10000000 to 10000000",
    ))
}

#[cfg(test)]
mod tests;
