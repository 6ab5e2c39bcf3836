//! Initial positions of a topology's nodes.

use crate::config::TopologyConfig;
use crate::error::MobilityError;
use crate::facts::is_connected;
use crate::waypoint::Area;
use tworay_base::{NodeId, Position, Purpose, RngStream};

/// Maximum number of draws for a connected placement.
const MOST_TRIES: usize = 1000;

/// The initial positions of a valid topology in node order; none for [`TopologyConfig::Recorded`]. Only
/// `uniform` draws. Each node has its own stream, so that adding nodes does not move the first ones. The
/// first draw is the same whether or not the placement must be connected.
pub fn positions(topology: &TopologyConfig, seed: u64) -> Result<Vec<Position>, MobilityError> {
    Ok(match topology {
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
        TopologyConfig::Uniform { nodes, width, height, connected_within } => {
            let area = Area { width: width.get(), height: height.get() };
            let stream = |i: u32| RngStream::new(seed, NodeId(i as u16), Purpose::Placement);
            let mut streams: Vec<RngStream> = (0..*nodes).map(stream).collect();
            let mut draw = || streams.iter_mut().map(|rng| area.draw(rng)).collect::<Vec<_>>();
            match connected_within {
                None => draw(),
                Some(range) => {
                    let mut draws = std::iter::repeat_with(draw).take(MOST_TRIES);
                    draws.find(|places| is_connected(places, range.get())).ok_or_else(|| {
                        MobilityError::key(
                            "topology.connected_within",
                            format!(
                                "none of {MOST_TRIES} draws of seed {seed} connects {nodes} nodes over links of {range}"
                            ),
                            "give more nodes, a smaller area or longer links, or leave it out",
                        )
                    })?
                }
            }
        }
        TopologyConfig::Explicit { positions } => {
            positions.iter().map(|&[x, y]| Position::new(x, y)).collect()
        }
    })
}

#[cfg(test)]
mod tests;
