//! What a point-to-point link can do beside carrying packets: RED in its queue, handoffs, a schedule of delays and losses.

mod handoff;
mod lanes;
mod red;

pub use handoff::{HandoffConfig, Outages};
pub use lanes::{Lane, LanesConfig};
pub use red::{Backlog, Red, RedConfig, RedUnit, RedVerdict};
