//! Checks the wires of a scenario.

use super::Check;
use crate::error::ScenarioError;
use crate::wire::WireConfig;
use tworay_base::SimDuration;

impl Check<'_> {
    pub(super) fn wires(&self, wires: &[WireConfig], duration: SimDuration) -> Result<(), ScenarioError> {
        for (i, wire) in wires.iter().enumerate() {
            let key = |name: &str| format!("wire.{i}.{name}");
            for (name, node) in [("from", wire.from), ("to", wire.to)] {
                if node == u16::MAX {
                    return self.fail(&key(name), "65535 means every node", "Give 0 to 65534.");
                }
            }
            if wire.from == wire.to {
                return self.fail(
                    &key("to"),
                    &format!("the wire joins node {} to itself", wire.to),
                    "Name two different nodes.",
                );
            }
            if !(1..=1_000_000).contains(&wire.queue) {
                return self.fail(
                    &key("queue"),
                    &format!("a queue of {} packets is out of range", wire.queue),
                    "Give 1 to 1000000 packets, such as 50.",
                );
            }
            if wire.delay > SimDuration::from_secs(100) {
                return self.fail(
                    &key("delay"),
                    &format!("{} is too long", wire.delay),
                    "Give at most \"100s\".",
                );
            }
            let inner = |name: &str| format!("wire.{i}.{name}");
            if let Some(red) = &wire.red {
                self.section(&inner("red"), red.validate())?;
            }
            self.section(&inner("errors"), wire.errors.validate())?;
            self.section(&inner("errors_back"), wire.errors_back.validate())?;
            if let Some(lanes) = &wire.lanes {
                self.section(&inner("lanes"), lanes.validate())?;
            }
            if let Some(handoffs) = &wire.handoffs {
                self.section(&inner("handoffs"), handoffs.validate(duration))?;
            }
            let same = |other: &WireConfig| {
                (other.from, other.to) == (wire.from, wire.to)
                    || (other.from, other.to) == (wire.to, wire.from)
            };
            if let Some(first) = wires[..i].iter().position(same) {
                let problem = format!("wire.{first} joins nodes {} and {} already", wire.from, wire.to);
                return self.fail(
                    &key("to"),
                    &problem,
                    "A wire serves both directions: remove one of the two.",
                );
            }
        }
        Ok(())
    }

    /// Nodes named only by wires have no position and no radio.
    pub(super) fn placed_wires(&self, wires: &[WireConfig], radio_nodes: u32) -> Result<(), ScenarioError> {
        for (i, wire) in wires.iter().enumerate() {
            for (name, node) in [("from", wire.from), ("to", wire.to)] {
                if radio_nodes > 0 && u32::from(node) >= radio_nodes {
                    self.node(&format!("wire.{i}.{name}"), u32::from(node), radio_nodes)?;
                }
            }
        }
        Ok(())
    }
}
