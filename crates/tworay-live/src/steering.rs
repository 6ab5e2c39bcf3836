//! Carries out orders to a running network, and shows the network to its watchers.

use crate::engine::Engine;
use crate::watched::{Steered, Watched};

impl Engine {
    /// Does what was asked for since the last time.
    pub(crate) fn obey(&mut self) {
        while let Some(order) = self.helm.orders.as_ref().and_then(|orders| orders.try_recv().ok()) {
            self.live.steer(&order.event);
            let at = self.live.now();
            self.helm.watched.steered.push(Steered { at, words: order.words });
            // Who asked may have left.
            let _ = order.done.send(at);
        }
    }

    /// The network as its watchers see it now.
    pub(crate) fn look(&mut self) -> Watched {
        let watched = &mut self.helm.watched;
        watched.add(self.live.view());
        watched.flows = self.connections.views();
        watched.clone()
    }
}
