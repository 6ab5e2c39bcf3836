//! Floor 2: the position of every node at any time.
//!
//! [`build()`] turns the scenario's `[topology]` and `[mobility]` tables into a [`World`] with one [`Track`]
//! per node. A track is piecewise linear; random waypoint draws a leg only when it is needed. [`facts`]
//! computes path lengths, partitioning and speeds, which published studies often omit.

mod build;
mod config;
mod discs;
mod error;
pub mod facts;
mod placement;
mod recorded;
mod track;
mod waypoint;

pub use build::{World, build};
pub use config::{FixedConfig, LegConfig, MobilityConfig, TopologyConfig};
pub use error::MobilityError;
pub use facts::mean_speed;
pub use recorded::track as track_of;
pub use track::{Leg, Track};
pub use tworay_base::Position;
pub use waypoint::{Area, RandomWaypoint, WaypointModel};
