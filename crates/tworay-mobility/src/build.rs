//! Builds tracks from the scenario's tables.

use crate::config::{FixedConfig, LegConfig, MobilityConfig, TopologyConfig};
use crate::error::MobilityError;
use crate::track::Track;
use crate::waypoint::{Area, RandomWaypoint, WaypointModel};
use crate::{placement, recorded};
use std::path::Path;
use tworay_base::{Metres, NodeId, Position, Purpose, RngStream, SimDuration, SimTime};
use tworay_wire::bonnmotion;
use tworay_wire::ns2::{MoveCommand, Movement, NodeMovement, TimedMove};

/// All nodes' movement.
#[derive(Clone, Debug)]
pub struct World {
    /// One track per node.
    pub tracks: Vec<Track>,
    /// South-west corner of the area.
    pub origin: Position,
    /// Width and height in metres of the area that contains all nodes during the run; zero across a
    /// straight line of nodes.
    pub area: (f64, f64),
    /// Width and height of an area that was given, m, which begins at the origin.
    pub field: Option<(f64, f64)>,
}

/// Builds the world of a run with `seed` that lasts `duration`. Relative paths start at `base_dir`, the
/// scenario's folder. Placement draws from [`Purpose::Placement`], movement from [`Purpose::Mobility`].
pub fn build(
    topology: &TopologyConfig,
    mobility: &MobilityConfig,
    seed: u64,
    duration: SimDuration,
    base_dir: &Path,
) -> Result<World, MobilityError> {
    topology.validate()?;
    mobility.validate()?;
    let mut known_area = None;
    let mut tracks = match mobility {
        MobilityConfig::Ns2File { file } => {
            nodes_from_file(topology)?;
            from_movement(&Movement::read(&base_dir.join(file))?)
        }
        MobilityConfig::BonnmotionFile { file } => {
            nodes_from_file(topology)?;
            from_movement(&bonnmotion::read(&base_dir.join(file))?)
        }
        MobilityConfig::Static => placed(topology, seed)?.into_iter().map(Track::fixed).collect(),
        MobilityConfig::Waypoints { legs } => waypoints(placed(topology, seed)?, legs)?,
        MobilityConfig::RandomWaypoint {
            min_speed,
            max_speed,
            pause,
            width,
            height,
            steady_state,
            fixed,
        } => {
            let starts = placed(topology, seed)?;
            if *steady_state && !matches!(topology, TopologyConfig::Uniform { .. }) {
                return Err(MobilityError::key(
                    "mobility.steady_state",
                    "a stationary start chooses the positions itself, but the topology places the nodes",
                    "set steady_state = false, or use topology.kind = \"uniform\"",
                ));
            }
            if *steady_state && matches!(topology, TopologyConfig::Uniform { connected_within: Some(_), .. })
            {
                return Err(MobilityError::key(
                    "topology.connected_within",
                    "a stationary start chooses the positions itself, connected or not",
                    "set mobility.steady_state = false, or leave it out",
                ));
            }
            let area = waypoint_area(topology, &starts, *width, *height)?;
            known_area = Some(area);
            let model = WaypointModel { area, min_speed: *min_speed, max_speed: *max_speed, pause: *pause };
            let track = |(i, here): (usize, Position)| {
                let rng = RngStream::new(seed, NodeId(i as u16), Purpose::Mobility);
                Track::random_waypoint(if *steady_state {
                    RandomWaypoint::stationary(model, rng)
                } else {
                    RandomWaypoint::starting_at(model, here, rng)
                })
            };
            let mut tracks: Vec<Track> = starts.into_iter().enumerate().map(track).collect();
            stand_still(&mut tracks, fixed, area)?;
            tracks
        }
    };
    if let (TopologyConfig::Uniform { width, height, .. }, MobilityConfig::Static) = (topology, mobility) {
        known_area = Some(Area { width: width.get(), height: height.get() });
    }
    let (origin, area) = match known_area {
        Some(area) => (Position::default(), (area.width, area.height)),
        None => extent(&mut tracks, SimTime::ZERO + duration),
    };
    let field = known_area.map(|area| (area.width, area.height));
    Ok(World { tracks, origin, area, field })
}

/// The topology's positions; refuses a topology whose positions come from a movement file.
fn placed(topology: &TopologyConfig, seed: u64) -> Result<Vec<Position>, MobilityError> {
    if *topology == TopologyConfig::Recorded {
        return Err(MobilityError::key(
            "topology",
            "the positions of the nodes are missing",
            "add [topology] with kind = \"string\", \"grid\", \"cross\", \"uniform\" or \"explicit\", \
             or a movement file in [mobility]",
        ));
    }
    placement::positions(topology, seed)
}

fn nodes_from_file(topology: &TopologyConfig) -> Result<(), MobilityError> {
    if *topology == TopologyConfig::Recorded {
        return Ok(());
    }
    Err(MobilityError::key(
        "topology",
        "both this table and the movement file place the nodes",
        "remove [topology], or choose another mobility.kind",
    ))
}

fn from_movement(movement: &Movement) -> Vec<Track> {
    movement.nodes.iter().map(recorded::track).collect()
}

fn waypoints(starts: Vec<Position>, legs: &[LegConfig]) -> Result<Vec<Track>, MobilityError> {
    let mut nodes: Vec<NodeMovement> =
        starts.into_iter().map(|start| NodeMovement { start, commands: Vec::new() }).collect();
    for (i, leg) in legs.iter().enumerate() {
        let last = nodes.len() - 1;
        let node = nodes.get_mut(usize::from(leg.node)).ok_or_else(|| {
            MobilityError::key(
                format!("mobility.legs.{i}.node"),
                format!("there is no node {}", leg.node),
                format!("nodes are numbered from 0 to {last}"),
            )
        })?;
        let at = SimTime::ZERO + leg.at;
        if node.commands.iter().any(|c| c.at == at) {
            return Err(MobilityError::key(
                format!("mobility.legs.{i}.at"),
                format!("node {} has two moves at {at}", leg.node),
                "remove one of them",
            ));
        }
        let target = Position::new(leg.to[0], leg.to[1]);
        node.commands.push(TimedMove { at, command: MoveCommand::SetDest { target, speed: leg.speed } });
    }
    for node in &mut nodes {
        node.commands.sort_by_key(|c| c.at);
    }
    Ok(nodes.iter().map(recorded::track).collect())
}

/// Places the nodes of `fixed` at their positions.
fn stand_still(tracks: &mut [Track], fixed: &[FixedConfig], area: Area) -> Result<(), MobilityError> {
    let last = tracks.len() - 1;
    for (i, &FixedConfig { node, position: [x, y] }) in fixed.iter().enumerate() {
        let problem = |key: &str, what: String, remedy: String| {
            Err(MobilityError::key(format!("mobility.fixed.{i}.{key}"), what, remedy))
        };
        if fixed[..i].iter().any(|f| f.node == node) {
            return problem("node", format!("node {node} is listed twice"), "remove one of them".into());
        }
        // The negation also refuses NaN.
        if !((0.0..=area.width).contains(&x) && (0.0..=area.height).contains(&y)) {
            let what = format!("[{x}, {y}] lies outside the area of {} m x {} m", area.width, area.height);
            return problem("position", what, "give [x, y] in metres inside the area".into());
        }
        match tracks.get_mut(usize::from(node)) {
            Some(track) => *track = Track::fixed(Position::new(x, y)),
            None => {
                let remedy = format!("nodes are numbered from 0 to {last}");
                return problem("node", format!("there is no node {node}"), remedy);
            }
        }
    }
    Ok(())
}

/// The area of a random waypoint model: its own, or else the topology's.
fn waypoint_area(
    topology: &TopologyConfig,
    starts: &[Position],
    width: Option<Metres>,
    height: Option<Metres>,
) -> Result<Area, MobilityError> {
    let (wide, high) = match topology {
        TopologyConfig::Uniform { width, height, .. } => (width.get(), height.get()),
        _ => {
            let (_, far) = bounds(starts.iter().copied());
            (far.x, far.y)
        }
    };
    let area = Area { width: width.map_or(wide, Metres::get), height: height.map_or(high, Metres::get) };
    for (key, side) in [("mobility.width", area.width), ("mobility.height", area.height)] {
        if side < 1.0 {
            return Err(MobilityError::key(
                key,
                format!("the topology's area is only {side} m in this direction"),
                "give the area of the movement: width and height",
            ));
        }
    }
    // The corner, not the drawn positions of a uniform topology: whether a scenario is valid must not depend
    // on the seed.
    let far = [Position::new(wide, high)];
    let places = if matches!(topology, TopologyConfig::Uniform { .. }) { &far[..] } else { starts };
    let inside = |p: &Position| (0.0..=area.width).contains(&p.x) && (0.0..=area.height).contains(&p.y);
    match places.iter().find(|p| !inside(p)) {
        None => Ok(area),
        Some(p) => Err(MobilityError::key(
            "mobility",
            format!(
                "the topology reaches ({}, {}) m, outside the area of {} m x {} m",
                p.x, p.y, area.width, area.height
            ),
            "enlarge width and height, or move the topology inside",
        )),
    }
}

/// The corner and size of the area that contains every node until `end`.
fn extent(tracks: &mut [Track], end: SimTime) -> (Position, (f64, f64)) {
    let (low, high) = bounds(tracks.iter_mut().flat_map(|t| corners(t, end)));
    (low, (high.x - low.x, high.y - low.y))
}

/// The starting points of all legs until `end`, and the position at `end`.
fn corners(track: &mut Track, end: SimTime) -> Vec<Position> {
    let mut corners: Vec<Position> = track.legs_until(end).iter().map(|l| l.start).collect();
    corners.push(track.position(end));
    track.position(SimTime::ZERO);
    corners
}

/// The smallest axis-parallel rectangle around the points, as its two extreme corners.
fn bounds(points: impl Iterator<Item = Position>) -> (Position, Position) {
    let mut corners: Option<(Position, Position)> = None;
    for p in points {
        let (low, high) = corners.unwrap_or((p, p));
        corners = Some((
            Position::new(low.x.min(p.x), low.y.min(p.y)),
            Position::new(high.x.max(p.x), high.y.max(p.y)),
        ));
    }
    corners.unwrap_or_default()
}

#[cfg(test)]
mod tests;
