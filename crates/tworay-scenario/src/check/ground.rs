//! Checks a single event against the nodes, flows, field and duration of its scenario.

use super::parts::numbered;
use crate::event::{EventConfig, EventKind};
use crate::scenario::Scenario;
use tworay_base::SimDuration;

/// The greatest speed of a move, m/s; and the farthest that a coordinate may be from zero, m. As for other movement.
const MOST_SPEED: f64 = 1e4;
const MOST_METRES: f64 = 1e7;

/// Facts of a scenario against which its events are checked.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Ground {
    pub nodes: u32,
    pub radio_nodes: u32,
    pub flows: usize,
    /// Width and height of the area of a scenario that has one, m.
    pub field: Option<(f64, f64)>,
    /// True if measured links connect the nodes, wherever they are.
    pub measured: bool,
    pub duration: SimDuration,
}

/// A key of an event that can't be, with the problem and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub key: &'static str,
    pub problem: String,
    pub remedy: String,
}

fn fault<T>(key: &'static str, problem: impl Into<String>, remedy: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { key, problem: problem.into(), remedy: remedy.into() })
}

impl Scenario {
    /// The facts against which events of this scenario are checked.
    pub(crate) fn ground(&self) -> Ground {
        Ground {
            nodes: self.node_count(),
            radio_nodes: self.radio_nodes,
            flows: self.flows.len(),
            field: self.field,
            measured: !self.settings.radio.links.is_empty(),
            duration: self.settings.duration,
        }
    }
}

impl Ground {
    /// Checks that an event has exactly the keys that apply to it, and that they name what there is.
    pub fn judge(&self, event: &EventConfig) -> Result<(), Fault> {
        self.stray(event)?;
        if event.what == EventKind::Cut {
            self.cut(event)?;
        } else {
            let Some(node) = event.node else {
                return fault("what", "no node is named", "Add node = and its number.");
            };
            if u32::from(node) >= self.nodes {
                return fault("node", format!("there is no node {node}"), numbered(self.nodes));
            }
            self.steered(event)?;
        }
        if event.at >= self.duration {
            let problem = format!("{} is after the run's end ({})", event.at, self.duration);
            return fault("at", problem, "Give an earlier time, or a longer duration.");
        }
        Ok(())
    }

    /// Refuses keys that belong to other events.
    fn stray(&self, event: &EventConfig) -> Result<(), Fault> {
        let cut = event.what == EventKind::Cut;
        if cut && event.node.is_some() {
            let remedy = "Remove it, or name a flow: the link is one that this flow uses.";
            return fault("node", "does not apply to a cut link", remedy);
        }
        let flows = [("flow", event.flow.is_some()), ("for", event.lasts.is_some())];
        if let Some((name, _)) = flows.into_iter().find(|(_, given)| *given && !cut) {
            let remedy = "Remove it, or write what = \"cut\" to cut a link of a flow.";
            return fault(name, "does not apply to a node", remedy);
        }
        let others = [
            ("to", event.to.is_some(), EventKind::Move, "move"),
            ("speed", event.speed.is_some(), EventKind::Move, "move"),
            ("rate", event.rate.is_some(), EventKind::Loss, "loss"),
        ];
        match others.into_iter().find(|(_, given, kind, _)| *given && event.what != *kind) {
            Some((name, _, _, word)) => {
                let remedy = format!("Remove it, or write what = \"{word}\".");
                fault(name, format!("applies to what = \"{word}\" only"), remedy)
            }
            None => Ok(()),
        }
    }

    /// Checks the new place of a node, or the new loss rate.
    fn steered(&self, event: &EventConfig) -> Result<(), Fault> {
        let without = self.radio_nodes == 0;
        match event.what {
            EventKind::Move | EventKind::Loss if without => {
                fault("what", "no node has a radio", "Remove the event; wires have errors of their own.")
            }
            EventKind::Move => self.place(event),
            EventKind::Loss => match event.rate {
                Some(rate) if (0.0..=1.0).contains(&rate) => Ok(()),
                Some(rate) => {
                    fault("rate", format!("{rate} is no share"), "Give 0 (no frame is lost) to 1 (all are).")
                }
                None => fault("what", "no loss rate is given", "Add rate = and a share from 0 to 1."),
            },
            EventKind::Down | EventKind::Up | EventKind::Cut => Ok(()),
        }
    }

    fn place(&self, event: &EventConfig) -> Result<(), Fault> {
        if self.measured {
            let remedy = "Remove the event, or the table radio.link.";
            return fault("what", "measured links connect the nodes, wherever they are", remedy);
        }
        let Some([x, y]) = event.to else {
            return fault("what", "no place is given", "Add to = [x, y] in metres.");
        };
        let (inside, remedy) = match self.field {
            Some((width, height)) => (
                (0.0..=width).contains(&x) && (0.0..=height).contains(&y),
                format!("It is {width} m x {height} m: give [x, y] from [0, 0] to [{width}, {height}]."),
            ),
            None => (
                x.abs() <= MOST_METRES && y.abs() <= MOST_METRES,
                "Give [x, y] in metres, each from -10000000 to 10000000.".to_owned(),
            ),
        };
        if !inside {
            return fault("to", format!("({x}, {y}) m is outside the field"), remedy);
        }
        match event.speed.map(|speed| speed.get()) {
            Some(speed) if !(speed > 0.0 && speed <= MOST_SPEED) => {
                let remedy =
                    "Give more than 0m/s, at most 10000m/s; without a speed the node is there at once.";
                fault("speed", format!("{speed} m/s is out of range"), remedy)
            }
            _ => Ok(()),
        }
    }

    fn cut(&self, event: &EventConfig) -> Result<(), Fault> {
        if let Some(flow) = event.flow.filter(|flow| usize::from(*flow) >= self.flows) {
            let remedy = match self.flows {
                1 => "This scenario has one flow, number 0.".to_owned(),
                _ => format!(
                    "This scenario has {} flows, numbered 0 to {}.",
                    self.flows,
                    self.flows.saturating_sub(1)
                ),
            };
            return fault("flow", format!("there is no flow {flow}"), remedy);
        }
        if self.radio_nodes == 0 {
            let remedy = "Remove the event; a wire fails through wire.handoffs.";
            return fault("what", "only a radio link can be cut, and no node has a radio", remedy);
        }
        if event.lasts.is_some_and(|time| time.is_zero()) {
            return fault("for", "must be longer than zero", "Give a time such as \"60s\".");
        }
        Ok(())
    }
}

/// True if two events contradict each other: both switch, or move, or change the losses of one node at one time, or
/// cut a link of the same flow.
pub(crate) fn contradict(a: &EventConfig, b: &EventConfig) -> bool {
    let switches = |event: &EventConfig| matches!(event.what, EventKind::Down | EventKind::Up);
    let alike = a.what == b.what || switches(a) && switches(b);
    alike && (a.node, a.flow, a.at) == (b.node, b.flow, b.at)
}
