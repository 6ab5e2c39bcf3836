//! Tracks from recorded or written-out movement (ns-2's `setdest` semantics).

use crate::track::{Leg, Track};
use crate::waypoint::towards;
use tworay_base::{Position, SimTime};
use tworay_wire::ns2::{MoveCommand, NodeMovement};

/// The track of a node: it goes from where it is at a command's time towards the target and stops there;
/// a new command replaces the movement under way; speed zero stops it. Arrival is computed, not stepped.
pub fn track(movement: &NodeMovement) -> Track {
    let mut legs = vec![Leg::rest(SimTime::ZERO, movement.start)];
    for command in &movement.commands {
        let at = command.at;
        let here = place(&legs, at);
        // Legs that would begin now or later never come to pass.
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

/// Where the last of `legs` that has begun at `t` is then.
fn place(legs: &[Leg], t: SimTime) -> Position {
    let begun = legs.iter().rev().find(|l| l.from <= t);
    begun.map_or(Position::default(), |l| l.at(t))
}

#[cfg(test)]
mod tests;
