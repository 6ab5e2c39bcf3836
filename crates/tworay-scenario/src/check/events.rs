//! Checks all events of a scenario: each by itself (`ground`), and that no two contradict each other.

use super::Check;
use super::ground::{Fault, Ground, contradict};
use crate::error::ScenarioError;
use crate::event::EventConfig;

impl Check<'_> {
    /// Checks every event, and that no two contradict each other.
    pub(super) fn events(&self, events: &[EventConfig], ground: &Ground) -> Result<(), ScenarioError> {
        for (i, event) in events.iter().enumerate() {
            let key = |name: &str| format!("event.{i}.{name}");
            if let Err(Fault { key: name, problem, remedy }) = ground.judge(event) {
                return self.fail(&key(name), &problem, &remedy);
            }
            if let Some(first) = events[..i].iter().position(|other| contradict(other, event)) {
                let whom = match (event.node, event.flow) {
                    (Some(node), _) => format!("node {node}"),
                    (None, Some(flow)) => format!("flow {flow}"),
                    (None, None) => "any flow".into(),
                };
                let problem = format!("event.{first} happens to {whom} at the same time");
                return self.fail(&key("at"), &problem, "Remove one of the two.");
            }
        }
        Ok(())
    }
}
