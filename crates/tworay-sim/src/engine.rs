//! The event engine: a total order of events, and timers that cost nothing to move.

mod queue;
mod slab;
mod timers;
mod waits;

pub use queue::{EventQueue, Packed};
pub use slab::PacketSlab;
pub use timers::{Firing, TimerSlot, TimerTable};
pub use waits::Waits;
