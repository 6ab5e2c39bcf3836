//! ns-2 movement files (setdest).
//!
//! ```text
//! $node_(0) set X_ 12.5                        initial position; may come last
//! $node_(0) set Y_ 80.0
//! $ns_ at 3.0 "$node_(0) setdest 100 50 2.5"   from t = 3 s towards (100 m, 50 m) at 2.5 m/s
//! $ns_ at 9.0 "$node_(0) set X_ 30"            jump
//! ```
//!
//! Lines may be in any order of time. `$god_` lines (ns-2's oracle of hop counts) and comments are skipped.
//! `Z_` is ignored, because all nodes move in a plane.

use super::tcl::{self, Line};
use crate::text_file::{ReadError, read_text};
use std::collections::BTreeMap;
use std::path::Path;
use tworay_base::{Position, SimTime, Speed};

/// The contents of a movement file, nodes in order of their numbers.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Movement {
    /// One entry per node: entry 0 is the node with number [`Movement::first_number`].
    pub nodes: Vec<NodeMovement>,
    /// The number of the first node in the file: 0, or 1 for files that count from one. A traffic file for
    /// this movement counts the same way.
    pub first_number: u16,
}

/// One node's initial position and commands.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct NodeMovement {
    /// Position at time zero.
    pub start: Position,
    /// Commands in order of time; those at equal times in order of the file.
    pub commands: Vec<TimedMove>,
}

/// A command and its time.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct TimedMove {
    /// When it takes effect.
    pub at: SimTime,
    /// The command.
    pub command: MoveCommand,
}

/// A movement command.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum MoveCommand {
    /// Leave the current position for `target` at `speed` and stop there; replaces any move in progress.
    /// Speed zero stops the node where it is.
    SetDest {
        /// Target.
        target: Position,
        /// Speed.
        speed: Speed,
    },
    /// Jump to this x coordinate in metres, and stop.
    SetX(f64),
    /// Jump to this y coordinate in metres, and stop.
    SetY(f64),
}

/// The largest coordinate in metres, and the largest speed in m/s, accepted.
const MOST_METRES: f64 = 1e7;
const MOST_SPEED: f64 = 1e4;

/// A coordinate together with the line that set it.
type Placed = Option<(f64, u32)>;

#[derive(Default)]
struct Draft {
    x: Placed,
    y: Placed,
    first_line: u32,
    commands: Vec<TimedMove>,
}

impl Movement {
    /// Reads a movement file, plain or gzip.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        Self::parse(&path.display().to_string(), &read_text(path)?)
    }

    /// Parses the text of a movement file called `file`.
    pub fn parse(file: &str, text: &str) -> Result<Self, ReadError> {
        let mut drafts: BTreeMap<u16, Draft> = BTreeMap::new();
        for line in tcl::lines(file, text) {
            let line = line?;
            if let Some((node, at, action)) = read_line(&line)? {
                let draft = drafts
                    .entry(node)
                    .or_insert_with(|| Draft { first_line: line.number, ..Draft::default() });
                match (action, at) {
                    (Action::Ignore, _) => {}
                    (Action::Do(MoveCommand::SetX(x)), None) => draft.x = Some((x, line.number)),
                    (Action::Do(MoveCommand::SetY(y)), None) => draft.y = Some((y, line.number)),
                    (Action::Do(command), at) => {
                        draft.commands.push(TimedMove { at: at.unwrap_or(SimTime::ZERO), command });
                    }
                }
            }
        }
        assemble(file, drafts)
    }

    /// Time of the last command.
    pub fn last_command(&self) -> SimTime {
        let times = self.nodes.iter().filter_map(|n| n.commands.last().map(|c| c.at));
        times.max().unwrap_or(SimTime::ZERO)
    }
}

enum Action {
    Do(MoveCommand),
    /// A command without effect on positions.
    Ignore,
}

type NodeAction = (u16, Option<SimTime>, Action);

/// Which node a line changes, and how; `None` for lines that concern no node.
fn read_line(line: &Line<'_>) -> Result<Option<NodeAction>, ReadError> {
    let (at, words) = match line.scheduled()? {
        Some((at, words)) => (Some(at), words),
        None => (None, line.words.as_slice()),
    };
    let coordinate = |word: &str| line.number_between(word, "coordinate", "m", 0.0, MOST_METRES);
    let speed = |word: &str| line.number_between(word, "speed", "m/s", 0.0, MOST_SPEED).map(Speed);
    match words {
        ["$node_" | "$node", index, command @ ..] => {
            let node = line.node(index)?;
            let action = match command {
                ["set", "X_", x] => Action::Do(MoveCommand::SetX(coordinate(x)?)),
                ["set", "Y_", y] => Action::Do(MoveCommand::SetY(coordinate(y)?)),
                ["set", "Z_", z] => {
                    line.number_between(z, "height", "m", -MOST_METRES, MOST_METRES)?;
                    Action::Ignore
                }
                ["setdest", x, y, v] => Action::Do(MoveCommand::SetDest {
                    target: Position::new(coordinate(x)?, coordinate(y)?),
                    speed: speed(v)?,
                }),
                ["start" | "reset" | "random-motion" | "label" | "color" | "shape" | "namattach", ..] => {
                    return Ok(None);
                }
                _ => {
                    return Err(line.error(
                        "this is not a movement command",
                        "write: $node_(0) set X_ 10, or $ns_ at 1.5 \"$node_(0) setdest 10 20 5\"",
                    ));
                }
            };
            Ok(Some((node, at, action)))
        }
        ["$god_" | "$god", ..] | ["set" | "puts", ..] => Ok(None),
        // Other scheduled commands (stop, finish, $ns_ halt) end a run or print; they move no node.
        [first, ..] if at.is_some() && (!first.starts_with('$') || ["$ns_", "$ns"].contains(first)) => {
            Ok(None)
        }
        _ => Err(line.error(
            "this is not a line of a movement file",
            "keep only lines such as $node_(0) set X_ 10 and $ns_ at 1.5 \"$node_(0) setdest 10 20 5\"",
        )),
    }
}

fn assemble(file: &str, drafts: BTreeMap<u16, Draft>) -> Result<Movement, ReadError> {
    let Some(&first_number) = drafts.keys().next() else {
        return Err(ReadError::whole(
            file,
            "it moves no node",
            "give a file with lines such as $node_(0) set X_ 10",
        ));
    };
    if first_number > 1 {
        return Err(ReadError::whole(
            file,
            format!("its lowest node number is {first_number}"),
            "number the nodes from 0 (or from 1) without gaps",
        ));
    }
    let mut nodes = Vec::with_capacity(drafts.len());
    for (expected, (number, mut draft)) in (first_number..).zip(drafts) {
        let (x, y) = match (draft.x, draft.y) {
            (Some((x, _)), Some((y, _))) => (x, y),
            (None, None) => {
                return Err(ReadError::at(
                    file,
                    draft.first_line,
                    format!("node {number} moves but has no initial position"),
                    format!("add $node_({number}) set X_ … and $node_({number}) set Y_ …"),
                ));
            }
            (x, y) => {
                let missing = if x.is_none() { "X_" } else { "Y_" };
                return Err(ReadError::at(
                    file,
                    x.or(y).map_or(draft.first_line, |(_, line)| line),
                    format!("node {number} has no initial {missing}"),
                    format!("add $node_({number}) set {missing} …"),
                ));
            }
        };
        if number != expected {
            return Err(ReadError::whole(
                file,
                format!("node {expected} is missing, but there is a node {number}"),
                "number the nodes without gaps, or give each its initial position",
            ));
        }
        // A stable sort: commands at the same time take effect in the order of the file, as in ns-2.
        draft.commands.sort_by_key(|c| c.at);
        nodes.push(NodeMovement { start: Position::new(x, y), commands: draft.commands });
    }
    Ok(Movement { nodes, first_number })
}

#[cfg(test)]
mod tests;
