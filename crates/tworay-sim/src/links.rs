//! What a point-to-point link can do beside carrying packets: RED in its queue, handoffs.

mod handoff;
mod red;

pub use handoff::{HandoffConfig, Outages};
pub use red::{Backlog, Red, RedConfig, RedUnit, RedVerdict};
