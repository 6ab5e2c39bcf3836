//! Checks the events of a scenario.

use super::Check;
use crate::error::ScenarioError;
use crate::event::{EventConfig, EventKind};
use tworay_base::SimDuration;

impl Check<'_> {
    /// Checks that every event has exactly the keys that apply to it, and that no two events contradict
    /// each other.
    pub(super) fn events(
        &self,
        events: &[EventConfig],
        nodes: u32,
        radio_nodes: u32,
        flows: usize,
        duration: SimDuration,
    ) -> Result<(), ScenarioError> {
        for (i, event) in events.iter().enumerate() {
            let key = |name: &str| format!("event.{i}.{name}");
            match event.what {
                EventKind::Down | EventKind::Up => self.switch(event, &key, nodes)?,
                EventKind::Cut => self.cut(event, &key, radio_nodes, flows)?,
            }
            if event.at >= duration {
                let problem = format!("{} is after the run's end ({duration})", event.at);
                return self.fail(&key("at"), &problem, "Give an earlier time, or a longer duration.");
            }
            let same = |other: &EventConfig| {
                (other.node, other.flow, other.at) == (event.node, event.flow, event.at)
            };
            if let Some(first) = events[..i].iter().position(same) {
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

    fn switch(
        &self,
        event: &EventConfig,
        key: &impl Fn(&str) -> String,
        nodes: u32,
    ) -> Result<(), ScenarioError> {
        let Some(node) = event.node else {
            return self.fail(&key("what"), "no node is named", "Add node = and its number.");
        };
        self.node(&key("node"), u32::from(node), nodes)?;
        let stray = [("flow", event.flow.is_some()), ("for", event.lasts.is_some())];
        if let Some((name, _)) = stray.iter().find(|(_, given)| *given) {
            let remedy = "Remove it, or write what = \"cut\" to cut a link of a flow.";
            return self.fail(&key(name), "does not apply to a node", remedy);
        }
        Ok(())
    }

    fn cut(
        &self,
        event: &EventConfig,
        key: &impl Fn(&str) -> String,
        radio_nodes: u32,
        flows: usize,
    ) -> Result<(), ScenarioError> {
        if event.node.is_some() {
            let remedy = "Remove it, or name a flow: the link is one that this flow uses.";
            return self.fail(&key("node"), "does not apply to a cut link", remedy);
        }
        if let Some(flow) = event.flow.filter(|flow| usize::from(*flow) >= flows) {
            let remedy = match flows {
                1 => "This scenario has one flow, number 0.".to_owned(),
                _ => format!("This scenario has {flows} flows, numbered 0 to {}.", flows.saturating_sub(1)),
            };
            return self.fail(&key("flow"), &format!("there is no flow {flow}"), &remedy);
        }
        if radio_nodes == 0 {
            let remedy = "Remove the event; a wire fails through wire.handoffs.";
            return self.fail(&key("what"), "only a radio link can be cut, and no node has a radio", remedy);
        }
        if event.lasts.is_some_and(|time| time.is_zero()) {
            return self.fail(&key("for"), "must be longer than zero", "Give a time such as \"60s\".");
        }
        Ok(())
    }
}
