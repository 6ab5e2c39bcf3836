//! The event engine: a total order of events, timers that cost nothing to move, and deadlines that are
//! cheap to postpone. It knows nothing of networks.

mod deadlines;
mod queue;
mod timers;

pub use deadlines::Deadlines;
pub use queue::{EventQueue, Packed};
pub use timers::{Firing, TimerSlot, TimerTable};
