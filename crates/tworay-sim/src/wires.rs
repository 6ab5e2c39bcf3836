//! Optional behaviour of point-to-point connections: RED queues, handoffs, and schedules of delays and
//! losses.

mod handoff;
mod lanes;
mod red;

pub use handoff::{HandoffConfig, Outages};
pub use lanes::{Lane, LanesConfig};
pub use red::{Backlog, Red, RedConfig, RedUnit, RedVerdict};
