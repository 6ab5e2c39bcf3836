//! BonnMotion's native traces: `name.movements` or `name.movements.gz`. Each node has one line of triples `t
//! x y`; between these points it moves in a straight line.
//!
//! Three-dimensional traces have four numbers per point. The file itself does not say which, so the reader
//! takes the key `dim` from `name.params` in the same folder. Heights are ignored.

use crate::ns2::{MoveCommand, Movement, NodeMovement, TimedMove};
use crate::text_file::{ReadError, read_text};
use std::path::{Path, PathBuf};
use tworay_base::{Position, SimTime, Speed};

/// Number of numbers in a point of the trace.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Dimensions {
    /// `t x y`.
    Two,
    /// `t x y z`.
    Three,
}

/// Reads a trace, plain or gzip. Its `.params` file, if there is one, gives the dimensions.
pub fn read(path: &Path) -> Result<Movement, ReadError> {
    parse(&path.display().to_string(), &read_text(path)?, dimensions(path)?)
}

fn dimensions(path: &Path) -> Result<Dimensions, ReadError> {
    let stem = path.to_string_lossy();
    let stem = stem.strip_suffix(".gz").unwrap_or(&stem);
    let params = PathBuf::from(format!("{}.params", stem.strip_suffix(".movements").unwrap_or(stem)));
    if !params.is_file() {
        return Ok(Dimensions::Two);
    }
    let text = read_text(&params)?;
    let dim = text.lines().find_map(|l| l.trim().strip_prefix("dim=")).map(str::trim);
    Ok(if dim.is_some_and(|d| d.starts_with('3')) { Dimensions::Three } else { Dimensions::Two })
}

/// Parses the text of a trace called `file`.
pub fn parse(file: &str, text: &str, dimensions: Dimensions) -> Result<Movement, ReadError> {
    let mut nodes = Vec::new();
    for (line, number) in text.lines().zip(1u32..) {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            nodes.push(node(file, number, line, dimensions)?);
        }
    }
    if nodes.is_empty() {
        return Err(ReadError::whole(file, "it has no node", "give one line of `t x y` triples per node"));
    }
    if nodes.len() >= usize::from(u16::MAX) {
        return Err(ReadError::whole(
            file,
            format!("it has {} nodes", nodes.len()),
            "at most 65535 nodes can be simulated",
        ));
    }
    Ok(Movement { nodes, first_number: 0 })
}

fn node(file: &str, number: u32, line: &str, dimensions: Dimensions) -> Result<NodeMovement, ReadError> {
    let values = line
        .split_whitespace()
        .map(|word| match word.parse::<f64>() {
            Ok(v) if v.abs() <= 1e9 => Ok(v),
            _ => Err(ReadError::at(
                file,
                number,
                format!("\"{word}\" is not a valid time or coordinate"),
                "each line is a list of `t x y` triples in seconds and metres",
            )),
        })
        .collect::<Result<Vec<f64>, ReadError>>()?;
    let size = if dimensions == Dimensions::Two { 3 } else { 4 };
    if values.len() % size != 0 {
        return Err(ReadError::at(
            file,
            number,
            format!("the line has {} numbers, which is not a multiple of {size}", values.len()),
            "the file may be cut off, or 3-D without its .params file (with dim=3D) in the same folder",
        ));
    }
    let mut points = values.chunks_exact(size).map(|p| (p[0], Position::new(p[1], p[2])));
    let Some((mut before, start)) = points.next() else {
        return Err(ReadError::at(file, number, "the line has no point", "give at least one `t x y` triple"));
    };
    if before < 0.0 {
        return Err(ReadError::at(
            file,
            number,
            format!("the time {before} is negative"),
            "times are seconds since the start of the simulation",
        ));
    }
    let mut here = start;
    let mut commands = Vec::new();
    for (time, there) in points {
        let mut push = |command| commands.push(TimedMove { at: SimTime::from_secs_f64(before), command });
        if time < before {
            return Err(ReadError::at(
                file,
                number,
                format!("time {time} comes after time {before}"),
                "the times of a line must not decrease",
            ));
        }
        if there != here && time > before {
            let speed = here.distance(there) / (time - before);
            if speed > 1e4 {
                return Err(ReadError::at(
                    file,
                    number,
                    format!("between {before} s and {time} s it would move at {speed:.0} m/s"),
                    "the limit is 10000 m/s",
                ));
            }
            push(MoveCommand::SetDest { target: there, speed: Speed(speed) });
        } else if there != here {
            push(MoveCommand::SetX(there.x));
            push(MoveCommand::SetY(there.y));
        }
        (before, here) = (time, there);
    }
    Ok(NodeMovement { start, commands })
}

#[cfg(test)]
mod tests;
