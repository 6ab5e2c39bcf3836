//! ns-2's file formats: movement (setdest), traffic (cbrgen), wireless traces.
//!
//! Movement and traffic files are Tcl scripts. The readers accept only the commands that the generators
//! write; anything else is an error that names the line.

mod movement;
mod movement_writer;
mod tcl;
pub mod trace;
mod traffic;

pub use movement::{MoveCommand, Movement, NodeMovement, TimedMove};
pub use traffic::{Traffic, TrafficFlow, TrafficKind};
