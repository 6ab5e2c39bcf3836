//! A protocol as a whole: before a run its times and costs, after it what its routers have counted.
//!
//! Defaults are those of a protocol without messages of its own.

use crate::counters::{ControlCount, RoutingCounters};
use crate::timing::Timing;

/// Processor time of searches for routes: per node, flow and simulated second, s. Fitted as those of
/// `tworay_sim::estimate`.
const SEARCH: f64 = 5e-6;
/// Memory of a node's tables, without those that grow with the network, bytes.
pub(crate) const TABLES: u64 = 1_500;

/// The network that a protocol runs in, for an estimate.
#[derive(Copy, Clone, Debug)]
pub struct Field {
    /// Nodes.
    pub nodes: f64,
    /// Flows.
    pub flows: f64,
    /// Nodes that receive what a node sends, mean.
    pub neighbours: f64,
}

impl Field {
    /// Processor time of searches for routes per simulated second, in all nodes, s.
    pub(crate) fn seconds_of_searches(&self) -> f64 {
        SEARCH * self.nodes * self.flows
    }
}

/// Packets that wait for a search and go on together when it has ended.
#[derive(Copy, Clone, Debug)]
pub struct Waiting {
    /// Packets that the buffer holds; it drops the oldest one when it is full.
    pub holds: usize,
    /// True if the newest one goes on first.
    pub newest_first: bool,
}

/// A routing protocol as a whole.
#[allow(unused_variables)]
pub trait About {
    /// Its settings; `()` if it has none.
    type Config;

    /// True if the protocol reacts when the link layer reports that a next hop doesn't answer.
    fn heeds_link_layer(config: &Self::Config) -> bool {
        false
    }

    /// True if routers know routes in advance, from tables that they exchange.
    fn exchanges_tables() -> bool {
        false
    }

    /// True if nodes answer a request for a route to another node.
    fn relays_answer(config: &Self::Config) -> bool {
        false
    }

    /// The buffer of packets without a route; `None` if none wait, or if they go on one by one.
    fn waiting(config: &Self::Config) -> Option<Waiting> {
        None
    }

    /// The times within which it notices and mends what goes wrong.
    fn timing(config: &Self::Config) -> Timing {
        Timing::default()
    }

    /// Memory that routing takes in each of so many nodes, bytes.
    fn bytes(nodes: u64) -> u64 {
        0
    }

    /// Processor time of its messages per simulated second, in all nodes, s.
    fn seconds(field: &Field) -> f64 {
        0.0
    }

    /// Control packets sent, by the protocol's kinds, also those that were never sent.
    fn sent(counters: &RoutingCounters) -> Vec<(&'static str, ControlCount)> {
        Vec::new()
    }

    /// Counts besides packets sent.
    fn counted(counters: &RoutingCounters) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}
