//! Exports the movement of a scenario or a movement file, for other simulators and for viewers.

use std::path::Path;
use tworay_base::{NodeId, Position, SimDuration, SimTime};
use tworay_mobility::{Leg, Track};
use tworay_scenario::{Scenario, ScenarioError, read_movement};
use tworay_wire::netanim::NetAnim;
use tworay_wire::ns2::{MoveCommand, Movement, NodeMovement, TimedMove};

/// Output format.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum MoveFormat {
    /// ns-2's movement file (`setdest`), which ns-3 and many tools read.
    Ns2,
    /// XML of NetAnim, ns-3's viewer.
    NetAnim,
}

/// Size of a node: this many would fill the longer side of the picture.
const NODES_ACROSS: f64 = 60.0;
/// Interval between positions of a moving node, as in ns-3.
const STEP: SimDuration = SimDuration::from_millis(250);

/// Movement in a run of `scenario` with `seed`, from start to end.
pub fn moves(scenario: &Scenario, seed: u64, format: MoveFormat) -> Result<String, ScenarioError> {
    if scenario.radio_node_count() == 0 {
        let remedy = "Give a scenario whose nodes have positions, such as strip-50.";
        return Err(ScenarioError::general("a wired-only scenario has no node positions", remedy));
    }
    let setup = scenario.setup(seed, false).map_err(|e| {
        ScenarioError::general(e.to_string(), "Check that the movement file has not changed.")
    })?;
    write(setup.tracks, SimTime::ZERO + setup.settings.duration, format)
}

/// Movement from a file (ns-2 or BonnMotion, optionally gzip), until all nodes have come to rest.
pub fn moves_of_file(path: &Path, format: MoveFormat) -> Result<String, ScenarioError> {
    let tracks: Vec<Track> = read_movement(path)?.nodes.iter().map(tworay_mobility::track_of).collect();
    let mut end = SimTime::ZERO;
    let ways: Vec<Vec<Leg>> = tracks.into_iter().map(|mut t| t.legs_until(SimTime::NEVER).to_vec()).collect();
    for leg in ways.iter().flatten() {
        end = end.max(leg.from);
    }
    write(ways.into_iter().map(Track::from_legs).collect(), end, format)
}

fn write(tracks: Vec<Track>, end: SimTime, format: MoveFormat) -> Result<String, ScenarioError> {
    match format {
        MoveFormat::Ns2 => ns2(tracks, end),
        MoveFormat::NetAnim => Ok(animate(tracks, end).finish()),
    }
}

fn ns2(mut tracks: Vec<Track>, end: SimTime) -> Result<String, ScenarioError> {
    let nodes: Vec<NodeMovement> = tracks.iter_mut().map(|t| commands(t.legs_until(end), end)).collect();
    let targets = nodes.iter().flat_map(|n| {
        let to = |c: &TimedMove| match c.command {
            MoveCommand::SetDest { target, .. } => target,
            MoveCommand::SetX(x) => Position::new(x, 0.0),
            MoveCommand::SetY(y) => Position::new(0.0, y),
        };
        std::iter::once(n.start).chain(n.commands.iter().map(to))
    });
    if let Some(place) = targets.into_iter().find(|p| p.x < 0.0 || p.y < 0.0) {
        let problem =
            format!("a node comes to ({}, {}) m, but ns-2 has no negative coordinates", place.x, place.y);
        return Err(ScenarioError::general(problem, "Move the topology to the north and east."));
    }
    Ok(Movement { nodes, first_number: 0 }.to_string())
}

/// A node's movement as commands: one `setdest` per leg.
fn commands(legs: &[Leg], end: SimTime) -> NodeMovement {
    let start = legs.first().map_or(Position::default(), |l| l.at(SimTime::ZERO));
    let mut commands = Vec::new();
    let mut here = start;
    for (i, leg) in legs.iter().enumerate() {
        // Differences below a micrometre are rounding.
        if here.distance(leg.start) > 1e-6 {
            commands.push(TimedMove { at: leg.from, command: MoveCommand::SetX(leg.start.x) });
            commands.push(TimedMove { at: leg.from, command: MoveCommand::SetY(leg.start.y) });
        }
        let until = legs.get(i + 1).map_or(end, |next| next.from.min(end));
        here = leg.at(until.max(leg.from));
        let speed = leg.speed();
        if speed > 0.0 && until > leg.from {
            let command = MoveCommand::SetDest { target: here, speed: tworay_base::Speed(speed) };
            commands.push(TimedMove { at: leg.from, command });
        }
    }
    NodeMovement { start, commands }
}

/// An animation of all nodes until `end`.
pub(crate) fn animate(mut tracks: Vec<Track>, end: SimTime) -> NetAnim {
    let mut places: Vec<Position> = tracks.iter_mut().map(|t| t.position(SimTime::ZERO)).collect();
    let mut anim = NetAnim::new(&places, node_size(&places));
    let mut now = SimTime::ZERO;
    while now < end {
        now = (now + STEP).min(end);
        for (i, (track, place)) in tracks.iter_mut().zip(&mut places).enumerate() {
            let here = track.position(now);
            if here != *place {
                *place = here;
                anim.place(now, NodeId(i as u16), here);
            }
        }
    }
    anim
}

/// A visible size for nodes at these positions, metres.
fn node_size(places: &[Position]) -> f64 {
    let extent = |of: fn(&Position) -> f64| {
        let (low, high) = places.iter().map(of).fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        high - low
    };
    let widest = extent(|p| p.x).max(extent(|p| p.y));
    (widest / NODES_ACROSS).clamp(1.0, 1000.0).round()
}

#[cfg(test)]
mod tests;
