//! Floor 2: where every node is at any time.
//!
//! [`build()`] turns the scenario's `[topology]` and `[mobility]` tables into a [`World`] of one [`Track`]
//! per node. A track is piecewise linear; random waypoint draws its legs only when time reaches them.
//! [`facts`] measures what published studies are blamed for leaving out.

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
