//! Where the nodes of a topology stand at the start.

use crate::config::TopologyConfig;
use crate::waypoint::Area;
use tworay_base::{NodeId, Position, Purpose, RngStream};

/// The starting positions of a valid topology, node by node; none for [`TopologyConfig::Recorded`].
/// Only `uniform` draws: node by node from its own stream, so that more nodes don't move the first ones.
pub fn positions(topology: &TopologyConfig, seed: u64) -> Vec<Position> {
    match topology {
        TopologyConfig::Recorded => Vec::new(),
        TopologyConfig::String { hops, spacing } => {
            (0..=*hops).map(|i| Position::new(f64::from(i) * spacing.get(), 0.0)).collect()
        }
        TopologyConfig::Grid { rows, columns, spacing } => {
            let cell = |row, column| {
                Position::new(f64::from(column) * spacing.get(), f64::from(row) * spacing.get())
            };
            (0..*rows).flat_map(|row| (0..*columns).map(move |column| cell(row, column))).collect()
        }
        TopologyConfig::Cross { arm, spacing } => {
            let far = f64::from(*arm) * spacing.get();
            let along = |i: u32| f64::from(i) * spacing.get();
            let west_east = (0..=2 * arm).map(|i| Position::new(along(i), far));
            let south_north = (0..=2 * arm).filter(|i| i != arm).map(|i| Position::new(far, along(i)));
            west_east.chain(south_north).collect()
        }
        TopologyConfig::Uniform { nodes, width, height } => {
            let area = Area { width: width.get(), height: height.get() };
            (0..*nodes)
                .map(|i| area.draw(&mut RngStream::new(seed, NodeId(i as u16), Purpose::Placement)))
                .collect()
        }
        TopologyConfig::Explicit { positions } => {
            positions.iter().map(|&[x, y]| Position::new(x, y)).collect()
        }
    }
}

#[cfg(test)]
mod tests;
