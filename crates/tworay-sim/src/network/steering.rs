//! Changes to a running network: nodes moved, switched, made to lose frames, by events of the scenario or by the
//! user of a live network. And what such a user sees of it.

use super::Network;
use crate::network::medium::Radio;
use tworay_base::{FlowId, LossCause, NodeId, Position, SimTime, Speed};
use tworay_scenario::{EventConfig, EventKind};

/// A node as it is now.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct NodeView {
    /// Where it is; at the origin in a wired-only network.
    pub place: Position,
    /// True if it works.
    pub up: bool,
    /// Packets in its interface queue.
    pub queued: usize,
}

/// A lost segment.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LossView {
    /// When it was lost.
    pub at: SimTime,
    /// Its flow.
    pub flow: FlowId,
    /// Why.
    pub cause: LossCause,
    /// Where the cause struck.
    pub node: NodeId,
}

/// A network as it is now.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// Every node.
    pub nodes: Vec<NodeView>,
    /// Decoding and sensing range, m, where they depend on distance alone.
    pub ranges: Option<(f64, f64)>,
    /// The segments lost since the last view, the latest if there are many.
    pub losses: Vec<LossView>,
}

/// Losses in a view at most.
const MOST_LOSSES: usize = 100;

impl Network {
    /// An order of the setup is due: the switches come first, then the loss rates.
    pub(super) fn ordered(&mut self, order: u16) {
        let order = usize::from(order);
        match self.plan.switches.get(order) {
            Some(&(_, node, on)) => self.switch(node, on),
            None => {
                let (_, node, share) = self.plan.losses[order - self.plan.switches.len()];
                self.lose(node, share);
            }
        }
    }

    /// Changes the network now, as an event of the scenario does. A cut is none of these changes.
    pub(crate) fn steer(&mut self, event: &EventConfig) {
        let Some(node) = event.node.map(NodeId) else { return };
        match event.what {
            EventKind::Down | EventKind::Up => self.switch(node, event.what == EventKind::Up),
            EventKind::Loss => event.rate.into_iter().for_each(|share| self.lose(node, share)),
            EventKind::Move => {
                if let (Some(radio), Some([x, y])) = (&mut self.radio, event.to) {
                    let speed = event.speed.map(Speed::get);
                    radio.displace(self.common.now, node, Position::new(x, y), speed);
                }
            }
            EventKind::Cut => {}
        }
    }

    fn lose(&mut self, node: NodeId, share: f64) {
        if let Some(radio) = &mut self.radio {
            radio.lose(node, share, self.plan.seed);
        }
    }

    /// The network now, with losses from record number `seen` on.
    pub(crate) fn view(&mut self, seen: usize) -> View {
        let places = self.radio.as_mut().map(|radio| radio.positions(self.common.now)).unwrap_or_default();
        let nodes = self.nodes.ids().map(|node| NodeView {
            place: places.get(node.index()).copied().unwrap_or_default(),
            up: self.nodes[node].up,
            queued: self.queued(node),
        });
        let records = self.common.observers.ledger.records();
        let from = seen.max(records.len().saturating_sub(MOST_LOSSES)).min(records.len());
        let losses = records[from..].iter();
        View {
            nodes: nodes.collect(),
            ranges: self.radio.as_ref().and_then(Radio::ranges),
            losses: losses
                .map(|loss| LossView {
                    at: loss.at,
                    flow: loss.flow,
                    cause: loss.cause,
                    node: loss.root_node,
                })
                .collect(),
        }
    }

    /// Packets in a node's interface queue.
    fn queued(&self, node: NodeId) -> usize {
        self.nodes[node].queue.len() + self.air.as_ref().map_or(0, |air| air.flow_packets(node))
    }

    /// Number of losses recorded so far.
    pub(crate) fn recorded_losses(&self) -> usize {
        self.common.observers.ledger.records().len()
    }
}
