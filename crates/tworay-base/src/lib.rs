//! Floor 0: quantities and identifiers that every other crate uses.
//!
//! Interfaces take no bare numbers: time is integer nanoseconds, rates are bits per second, and powers are
//! watts or dBm. The types prevent mixing them by accident.

mod cause;
mod death;
mod dialect;
mod geometry;
mod ids;
mod problem;
mod quantity;
mod rng;
mod seq;
mod sparse;
mod suggest;
mod time;
mod units;
mod vocabulary;

pub use cause::LossCause;
pub use death::Died;
pub use dialect::{Dialect, FollowsDialect};
pub use geometry::Position;
pub use ids::{FlowId, NodeId, PacketId};
pub use problem::{ConfigProblem, sentence};
pub use quantity::{BitRate, Bytes, Dbm, Hertz, Joules, Metres, Ratio, Speed, Watts};
pub use rng::{Purpose, RngStream};
pub use seq::Seq32;
pub use sparse::NodeMap;
pub use suggest::suggest;
pub use time::{SimDuration, SimTime};
pub use units::UnitError;
