//! The scenario's `[topology]` and `[mobility]` tables.

use crate::error::MobilityError;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::path::PathBuf;
use tworay_base::{Metres, SimDuration, Speed};

/// The scenario's `[topology]` table: how many nodes there are and where they stand at the start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TopologyConfig {
    /// A movement file of `[mobility]` places the nodes. This is what an absent table means.
    #[default]
    #[serde(deserialize_with = "nothing_more")]
    Recorded,
    /// A row of `hops` + 1 nodes: node 0 at the origin, the others to the east of it.
    String {
        /// Links of the row, 1 to 65534.
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
    /// Two strings that cross in a common node. With arms of n nodes: 0 to 2n from west to east, node n
    /// in the centre, then 2n+1 to 4n from south to north without the centre.
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
        /// Draw again, up to 1000 times, until every node can reach every other over links of at most
        /// this length (for the default radio 250m). Absent: one draw, whatever it gives.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        connected_within: Option<Metres>,
    },
    /// Each node where it is put.
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
    /// They don't.
    #[default]
    #[serde(deserialize_with = "nothing_more")]
    Static,
    /// Random waypoint: uniform targets, uniform speeds, a pause at each target.
    RandomWaypoint {
        /// Least speed, above zero (with zero the mean speed decays for ever).
        min_speed: Speed,
        /// Greatest speed, at least `min_speed`.
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
        /// Start in the stationary distribution of position, speed and pause, in place of the
        /// topology's positions (so the topology must be `uniform`). If false, nodes start at the
        /// topology's positions with a pause and a fresh target.
        #[serde(default = "yes")]
        steady_state: bool,
        /// Nodes that stand still while the others move.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fixed: Vec<FixedConfig>,
    },
    /// The given moves, from the topology's positions.
    Waypoints {
        /// The moves, in any order.
        legs: Vec<LegConfig>,
    },
    /// An ns-2 movement file (`setdest`), also gzip. It defines the nodes: leave `[topology]` out.
    Ns2File {
        /// Path, relative to the scenario file.
        file: PathBuf,
    },
    /// A BonnMotion trace (`.movements`), also gzip. It defines the nodes: leave `[topology]` out.
    BonnmotionFile {
        /// Path, relative to the scenario file.
        file: PathBuf,
    },
}

/// Reads a table without further keys: on its own, serde lets a unit variant swallow unknown ones.
fn nothing_more<'de, D: Deserializer<'de>>(table: D) -> Result<(), D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Empty {}
    Empty::deserialize(table).map(|Empty {}| ())
}

fn yes() -> bool {
    true
}

/// A node that stands still in a field of moving ones.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixedConfig {
    /// The node's number.
    pub node: u16,
    /// Where it stands: `[x, y]` in metres, inside the area.
    pub position: [f64; 2],
}

/// One move: from time `at` on, node `node` goes straight to `to` at `speed` and stops there. A later
/// move of the same node replaces it, also on the way.
#[derive(Copy, Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LegConfig {
    /// The node's number.
    pub node: u16,
    /// When it sets out.
    pub at: SimDuration,
    /// Where to: `[x, y]` in metres.
    pub to: [f64; 2],
    /// How fast; zero stops the node where it is.
    pub speed: Speed,
}

/// The largest coordinate in metres that is taken seriously.
const MOST_METRES: f64 = 1e7;
/// The largest speed in m/s that is taken seriously.
const MOST_SPEED: f64 = 1e4;
/// The largest number of nodes: ids are 0 to 65534.
const MOST_NODES: u64 = 65_535;

impl TopologyConfig {
    /// How many nodes it places; `None` if a movement file does.
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
                    format!("this makes {} nodes", n.unwrap_or(0)),
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
    /// Checks what can be checked without the topology and the files.
    pub fn validate(&self) -> Result<(), MobilityError> {
        match self {
            Self::RandomWaypoint { min_speed, max_speed, width, height, .. } => {
                // Ranges, so that NaN fails too.
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
                        "exchange the two, or make them equal for a single speed",
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
    // NaN and infinity fail too.
    if x.abs() <= MOST_METRES && y.abs() <= MOST_METRES {
        return Ok(());
    }
    Err(MobilityError::key(
        key,
        format!("[{x}, {y}] is no place"),
        "give [x, y] in metres, each from -10000000 to 10000000",
    ))
}

#[cfg(test)]
mod tests;
