//! ns-2's file formats as the field writes them: movement (setdest), traffic (cbrgen), wireless traces.
//!
//! Movement and traffic files are Tcl scripts; only the commands that the generators write are understood,
//! the rest is an error with its line, never a guess.

mod movement;
mod movement_writer;
mod tcl;
pub mod trace;
mod traffic;

pub use movement::{MoveCommand, Movement, NodeMovement, TimedMove};
pub use traffic::{Traffic, TrafficFlow, TrafficKind};
