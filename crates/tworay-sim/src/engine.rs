//! The event engine: a total order of events, timers that can be moved at no cost, and deadlines that are
//! cheap to postpone. It is independent of networks.

mod deadlines;
mod queue;
mod timers;

pub use deadlines::Deadlines;
pub use queue::{EventQueue, Packed};
pub use timers::{Firing, TimerSlot, TimerTable};
