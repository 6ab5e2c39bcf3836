//! A running network in the eyes of its watchers, and their orders to it.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender};
use tworay_base::{FlowId, NodeId, SimTime};
use tworay_sim::scenario::EventConfig;
use tworay_sim::{LossView, NodeView, View};

/// Losses that are kept for watchers.
const KEPT: usize = 200;

/// A change that somebody asked for.
#[derive(Debug)]
pub(crate) struct Order {
    pub event: EventConfig,
    /// The command, as in a script.
    pub words: String,
    /// Gets the time at which it was done.
    pub done: Sender<SimTime>,
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steered {
    /// When, in simulated time.
    pub at: SimTime,
    /// The command, as in a script.
    pub words: String,
}

/// A connection in the eyes of a watcher.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FlowView {
    /// Number of its flow.
    pub flow: FlowId,
    /// Its ends; the first sent its first packet.
    pub ends: [NodeId; 2],
    /// Payload that has arrived, bytes.
    pub delivered: u64,
}

/// A running network as its watchers see it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Watched {
    /// Every node.
    pub nodes: Vec<NodeView>,
    /// Decoding and sensing range, m, where they depend on distance alone.
    pub ranges: Option<(f64, f64)>,
    /// The latest losses.
    pub losses: VecDeque<LossView>,
    /// Number of losses so far.
    pub lost: usize,
    /// Every connection.
    pub flows: Vec<FlowView>,
    /// The changes so far.
    pub steered: Vec<Steered>,
}

impl Watched {
    /// Adds a look at the network.
    pub(crate) fn add(&mut self, view: View) {
        self.lost += view.losses.len();
        self.losses.extend(view.losses);
        self.losses.drain(..self.losses.len().saturating_sub(KEPT));
        (self.nodes, self.ranges) = (view.nodes, view.ranges);
    }
}

/// The engine's side of both.
#[derive(Debug, Default)]
pub(crate) struct Helm {
    /// `None` if nobody can steer.
    pub orders: Option<Receiver<Order>>,
    pub watched: Watched,
}
