//! Converts movement and traffic files of other simulators to a scenario file.

mod flows;

use crate::error::ScenarioError;
use crate::scenario::Scenario;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use tworay_base::{NodeId, Position, SimDuration, SimTime};
use tworay_wire::ns2::{Movement, Traffic};
use tworay_wire::{ReadError, bonnmotion};

/// Generates the text of a scenario from a movement file (ns-2's setdest format, or BonnMotion's if its
/// name ends in `.movements` or `.movements.gz`), an ns-2 traffic file if given, and `flows` written
/// `FROM:TO:APP` with optional settings: `0:1:ftp`, `0:1:cbr:rate=64kbps:start=10s`.
///
/// `output` is the path at which the caller will write the text: the movement file is named relative to its
/// folder, so that both can be moved together. Without it the movement file's name is kept as given.
pub fn convert(
    movement: &Path,
    traffic: Option<&Path>,
    flows: &[String],
    output: Option<&Path>,
) -> Result<String, ScenarioError> {
    let bonnmotion = is_bonnmotion(movement);
    let moves = read_movement(movement)?;
    let traffic = traffic.map(Traffic::read).transpose().map_err(unreadable)?;
    let mut tables = flows.iter().map(|flow| flows::from_argument(flow)).collect::<Result<Vec<_>, _>>()?;
    if let Some(traffic) = &traffic {
        tables.extend(flows::from_traffic(traffic, &moves)?);
    }
    if tables.is_empty() {
        let remedy = "Say what to send with --flow FROM:TO:APP, for example --flow 0:1:ftp.";
        return Err(ScenarioError::new(None, "no flow: a movement file only says how nodes move", remedy));
    }

    let base_dir = output.and_then(Path::parent).unwrap_or(Path::new(""));
    let file = match output {
        Some(_) => relative(movement, base_dir),
        None => movement.to_owned(),
    };
    let starts = tables.iter().filter_map(|table| table.start).max();
    let text =
        write(&Facts::of(movement, &moves, bonnmotion, starts), &file, bonnmotion, &tables, traffic.as_ref());
    // The text must be a valid scenario: the flows' nodes exist, ports are free, the file is found.
    Scenario::from_toml(&text, "the converted scenario", base_dir, &[])?;
    Ok(text)
}

/// The `[[flow]]` tables of flows written `FROM:TO:APP`, for a scenario generated from other input.
pub fn flow_tables(flows: &[String]) -> Result<String, ScenarioError> {
    flows.iter().map(|flow| flows::from_argument(flow).map(|table| table.text)).collect()
}

/// Reads a movement file: BonnMotion's if its name says so, otherwise ns-2's.
pub fn read_movement(path: &Path) -> Result<Movement, ScenarioError> {
    if is_bonnmotion(path) { bonnmotion::read(path) } else { Movement::read(path) }.map_err(unreadable)
}

fn is_bonnmotion(path: &Path) -> bool {
    let name = path.to_string_lossy();
    name.ends_with(".movements") || name.ends_with(".movements.gz")
}

/// An error in a file as an error of the scenario.
/// The error for a file of another program that cannot be read.
pub fn unreadable(error: ReadError) -> ScenarioError {
    let problem = format!("{}: {}", error.place(), error.problem);
    ScenarioError::new(None, problem, tworay_base::sentence(&error.remedy))
}

/// Facts about the movement file for the comments of the scenario.
struct Facts {
    name: String,
    nodes: usize,
    west_south: Position,
    east_north: Position,
    /// The file's own words about its end.
    end: String,
    duration: SimDuration,
}

impl Facts {
    fn of(path: &Path, moves: &Movement, bonnmotion: bool, latest_start: Option<SimDuration>) -> Self {
        let mut name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        for ending in [".gz", ".movements", ".mov", ".tcl"] {
            name = name.strip_suffix(ending).map(str::to_owned).unwrap_or(name);
        }
        let far = f64::INFINITY;
        let (mut low, mut high) = (Position::new(far, far), Position::new(-far, -far));
        for point in moves.nodes.iter().flat_map(points) {
            low = Position::new(low.x.min(point.x), low.y.min(point.y));
            high = Position::new(high.x.max(point.x), high.y.max(point.y));
        }
        let latest_start = latest_start.unwrap_or(SimDuration::ZERO);
        let (end, duration) = if bonnmotion {
            let end = arrivals(moves).max().unwrap_or(SimDuration::ZERO);
            (format!("The file's last waypoint is reached at {end}."), rounded_up(end.max(latest_start)))
        } else {
            let last = moves.last_command();
            let end = format!("The file's last command comes at {last}; it does not say when the run ends.");
            (end, long_enough(moves, last.since_start().max(latest_start)))
        };
        Self { name, nodes: moves.nodes.len(), west_south: low, east_north: high, end, duration }
    }
}

fn points(node: &tworay_wire::ns2::NodeMovement) -> impl Iterator<Item = Position> + '_ {
    let targets = node.commands.iter().filter_map(|timed| match timed.command {
        tworay_wire::ns2::MoveCommand::SetDest { target, .. } => Some(target),
        _ => None,
    });
    std::iter::once(node.start).chain(targets)
}

/// Duration of a run with an ns-2 movement file, at least `needed`.
///
/// Unlike BonnMotion's files, these do not contain a duration. Generators write commands until their time
/// is up, when most nodes are still moving: the next round number after the last command is the intended
/// duration. A hand-written file may start a move in the last second before that number, or exactly then.
/// Such a move is meant to be seen, so the run lasts until it ends.
fn long_enough(moves: &Movement, needed: SimDuration) -> SimDuration {
    let duration = rounded_up(needed);
    let last = moves.last_command().since_start();
    let begins_late = last + SimDuration::from_secs(1) >= duration && !last.is_zero();
    let late: Vec<SimDuration> = arrivals(moves).filter(|&arrival| arrival > duration).collect();
    if begins_late && 2 * late.len() <= moves.nodes.len() {
        late.into_iter().max().map_or(duration, rounded_up)
    } else {
        duration
    }
}

/// When each node reaches its last waypoint.
fn arrivals(moves: &Movement) -> impl Iterator<Item = SimDuration> + '_ {
    moves.nodes.iter().map(|node| {
        let legs = tworay_mobility::track_of(node).legs_until(SimTime::NEVER).to_vec();
        legs.last().map_or(SimTime::ZERO, |leg| leg.from).since_start()
    })
}

/// The next round number of seconds.
fn rounded_up(last: SimDuration) -> SimDuration {
    let seconds = |n: u64| SimDuration::from_secs(n);
    let step = if last > seconds(100) { seconds(100) } else { seconds(10) };
    if last.is_zero() {
        seconds(100)
    } else {
        step * (last.whole(step) + u64::from(!(last % step).is_zero()))
    }
}

fn write(
    facts: &Facts,
    file: &Path,
    bonnmotion: bool,
    flows: &[flows::FlowText],
    traffic: Option<&Traffic>,
) -> String {
    let Facts { name, nodes, west_south, east_north, end, duration } = facts;
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let (wide, high) = (east_north.x - west_south.x, east_north.y - west_south.y);
    let kind = if bonnmotion { "bonnmotion-file" } else { "ns2-file" };
    let mut text = String::new();
    // Writing to a String can't fail.
    let _ = write!(
        text,
        "# Made from a movement file: {nodes} nodes, numbered 0 to {}, on {wide:.0} m x {high:.0} m.\n\
         name = {}\n\
         summary = {}\n\
         # {end}\n\
         duration = \"{duration}\"\n\n\
         [mobility]\n\
         kind = \"{kind}\"\n\
         file = {}\n\n\
         [routing]\n\
         protocol = \"aodv\"\n\n\
         [tcp]\n\
         variant = \"newreno\"\n",
        nodes - 1,
        quoted(name),
        quoted(&format!("{nodes} nodes moving as recorded in {name}")),
        quoted(&file.to_string_lossy()),
    );
    for (key, value) in traffic.map(flows::common_tcp_settings).unwrap_or_default() {
        let _ = writeln!(text, "{key} = {value}");
    }
    let commands = traffic.map(|traffic| traffic.node_commands.as_slice()).unwrap_or_default();
    if let Some(first) = commands.first() {
        let number = commands.len();
        let _ =
            writeln!(text, "\n# not carried over: {number} commands to nodes, the first: {}", shown(first));
    }
    for flow in flows {
        text.push_str(&flow.text);
    }
    text
}

/// A file's own text, made safe for a comment.
fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// `file` relative to `folder`; its full path if they have only the root in common.
fn relative(file: &Path, folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (Ok(file), Ok(folder)) = (file.canonicalize(), folder.canonicalize()) else { return file.to_owned() };
    let shared = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    if shared < 2 {
        return file;
    }
    let up = folder.components().skip(shared).map(|_| "..");
    up.map(PathBuf::from).chain([file.components().skip(shared).collect()]).collect()
}

/// The node for a number in the file, counted from the file's first number.
fn renumber(number: u16, first: u16) -> Option<NodeId> {
    number.checked_sub(first).map(NodeId)
}

#[cfg(test)]
mod tests;
