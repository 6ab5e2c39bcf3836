//! Writes movement files that ns-2, ns-3 and this crate's reader accept.

use super::movement::{MoveCommand, Movement};
use std::fmt;
use tworay_base::SimTime;

/// The movement as the text of an ns-2 file: initial positions, then the commands in order of time. Numbers
/// are written in full, so reading gives the same movement again.
impl fmt::Display for Movement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut commands: Vec<(SimTime, usize, MoveCommand)> = Vec::new();
        for (i, node) in self.nodes.iter().enumerate() {
            let number = i + usize::from(self.first_number);
            writeln!(f, "$node_({number}) set X_ {}", node.start.x)?;
            writeln!(f, "$node_({number}) set Y_ {}", node.start.y)?;
            writeln!(f, "$node_({number}) set Z_ 0")?;
            commands.extend(node.commands.iter().map(|c| (c.at, number, c.command)));
        }
        commands.sort_by_key(|&(at, ..)| at);
        for (at, number, command) in commands {
            let (whole, part) = (at.as_nanos() / 1_000_000_000, at.as_nanos() % 1_000_000_000);
            write!(f, "$ns_ at {whole}.{part:09} \"$node_({number}) ")?;
            match command {
                MoveCommand::SetDest { target, speed } => {
                    write!(f, "setdest {} {} {}", target.x, target.y, speed.get())?;
                }
                MoveCommand::SetX(x) => write!(f, "set X_ {x}")?,
                MoveCommand::SetY(y) => write!(f, "set Y_ {y}")?,
            }
            writeln!(f, "\"")?;
        }
        Ok(())
    }
}
