//! Where the traffic of a scenario comes from.

/// Where the traffic of a scenario comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// From its flows: it must have one.
    Flows,
    /// Also from the stations of a live network: it may have no flow.
    Stations,
}
