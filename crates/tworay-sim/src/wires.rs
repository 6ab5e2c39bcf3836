//! RED queues of point-to-point connections.

mod red;

pub use red::{Backlog, Red, RedVerdict};
