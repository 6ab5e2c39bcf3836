//! Tracks from movement files and written moves (semantics of ns-2's `setdest`).

use crate::track::{Leg, Track};
use crate::waypoint::towards;
use tworay_base::{Position, SimTime};
use tworay_wire::ns2::{MoveCommand, NodeMovement};

/// The track of a node. At each command the node leaves its current position for the target and stops there.
/// A new command replaces the move in progress; speed zero stops it. Arrival times are computed exactly.
pub fn track(movement: &NodeMovement) -> Track {
    let mut legs = vec![Leg::rest(SimTime::ZERO, movement.start)];
    for command in &movement.commands {
        let at = command.at;
        let here = place(&legs, at);
        // A new command cancels legs that begin now or later.
        while legs.last().is_some_and(|l| l.from >= at) {
            legs.pop();
        }
        match command.command {
            MoveCommand::SetDest { target, speed } if speed.get() > 0.0 && target != here => {
                let (leg, arrival) = towards(at, here, target, speed.get());
                legs.push(leg);
                legs.push(Leg::rest(arrival, target));
            }
            MoveCommand::SetDest { .. } => legs.push(Leg::rest(at, here)),
            MoveCommand::SetX(x) => legs.push(Leg::rest(at, Position::new(x, here.y))),
            MoveCommand::SetY(y) => legs.push(Leg::rest(at, Position::new(here.x, y))),
        }
    }
    Track::from_legs(legs)
}

/// The position at `t` on the last of `legs` that has begun.
fn place(legs: &[Leg], t: SimTime) -> Position {
    let begun = legs.iter().rev().find(|l| l.from <= t);
    begun.map_or(Position::default(), |l| l.at(t))
}

#[cfg(test)]
mod tests;
