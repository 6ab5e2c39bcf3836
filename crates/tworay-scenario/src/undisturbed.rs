//! The same scenario without what disturbs it: random errors, fading, events, and wires' losses and outages.

use crate::Scenario;
use crate::event::{EventConfig, EventKind};
use crate::partings::{Parting, Partings};
use crate::wire::WireConfig;
use tworay_base::{LossCause, NodeId, SimTime};
use tworay_radio::{ErrorModelConfig, ErrorsConfig};

/// A thing that may cost packets, apart from load.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Disturbance {
    /// When it begins.
    pub at: SimTime,
    /// When it ends; never, if it lasts up to the end of the run.
    pub until: SimTime,
    /// The node that it strikes, if it strikes one; of a wire, the node to which that leads.
    pub node: Option<NodeId>,
    /// The cause of what is lost to it.
    pub cause: LossCause,
    /// True if it may cost a MAC time, and so fill queues. Errors above the MAC do not, and neither does what happens to wires.
    pub slows: bool,
}

impl Disturbance {
    /// A link that is cut from one time to another.
    pub fn cut(at: SimTime, until: SimTime) -> Self {
        Self { at, until, node: None, cause: LossCause::LinkFailure, slows: true }
    }

    /// True for noise, in contrast to what stops links and nodes.
    pub fn is_noise(&self) -> bool {
        self.cause == LossCause::Channel
    }
}

/// True if a wire loses packets that it carries.
fn is_noisy(wire: &WireConfig) -> bool {
    let noise = |errors: &ErrorModelConfig| *errors != ErrorModelConfig::None;
    noise(&wire.errors) || noise(&wire.errors_back) || !wire.drops.is_empty()
}

impl Scenario {
    /// Disturbances of its runs, in order of time: random errors, fading, events, and wires' losses and outages, which are taken to begin at
    /// the start. Movement and shadowing are no disturbances: without them it would be another network.
    ///
    /// Every move of an event counts; [`Self::disturbances_by`] knows which break anything. A cut is taken to begin at its time, though it
    /// waits for a packet.
    pub fn disturbances(&self) -> Vec<Disturbance> {
        let mut found = self.disturbances_by(&Partings::default());
        let cuts = self.settings.events.iter().filter(|event| event.what == EventKind::Cut);
        found.extend(cuts.map(|event| {
            let at = SimTime::ZERO + event.at;
            Disturbance::cut(at, event.lasts.map_or(SimTime::NEVER, |lasts| at + lasts))
        }));
        found.sort_by_key(|of| of.at);
        found
    }

    /// The same without cuts, whose times depend on the run, if moves part these neighbours, and wires are down at these times.
    pub fn disturbances_by(&self, partings: &Partings) -> Vec<Disturbance> {
        let noise = |errors: &ErrorModelConfig| *errors != ErrorModelConfig::None;
        let from_start =
            |cause, slows| Disturbance { at: SimTime::ZERO, until: SimTime::NEVER, node: None, cause, slows };
        let errors = &self.settings.errors;
        let wires = &self.settings.wires;
        let noisy_air = noise(&errors.frame_err) || self.settings.radio.fading.is_some();
        let mut found = Vec::new();
        found.extend(noise(&errors.pkt_err).then(|| from_start(LossCause::Channel, false)));
        found.extend(noisy_air.then(|| from_start(LossCause::Channel, true)));
        for (i, wire) in wires.iter().enumerate() {
            let at_wire = |of: Disturbance| Disturbance { node: Some(NodeId(wire.to)), ..of };
            found.extend(is_noisy(wire).then(|| at_wire(from_start(LossCause::Channel, false))));
            let known = partings.outages(i);
            // A wire that is down loses what it had to carry: nobody's queue grows.
            let down = |at, until| at_wire(Disturbance { slows: false, ..Disturbance::cut(at, until) });
            let known = known.map(|outages| outages.map(|(at, until)| down(at, until)));
            match known {
                Some(outages) => found.extend(outages),
                None if wire.handoffs.is_some() => {
                    found.push(down(SimTime::ZERO, SimTime::NEVER));
                }
                None => {}
            }
        }
        let events = &self.settings.events;
        found.extend(events.iter().enumerate().filter_map(|(i, event)| {
            let cause = match event.what {
                EventKind::Down => LossCause::NodeDown,
                EventKind::Move => LossCause::LinkFailure,
                EventKind::Loss if event.rate.is_some_and(|rate| rate > 0.0) => LossCause::Channel,
                EventKind::Loss | EventKind::Up | EventKind::Cut => return None,
            };
            let at = SimTime::ZERO + event.at;
            let node = event.node.map(NodeId);
            if event.what == EventKind::Move && partings.is_harmless(i) {
                return None;
            }
            if let Some(Parting { from, until }) = partings.by(i) {
                return Some(Disturbance { at: from, until, node, cause, slows: true });
            }
            let ends = |later: &&EventConfig| {
                let alike =
                    later.what == event.what || (event.what, later.what) == (EventKind::Down, EventKind::Up);
                later.node == event.node && alike
            };
            let end = events[i + 1..].iter().find(ends);
            let until = end.map_or(SimTime::NEVER, |later| SimTime::ZERO + later.at);
            Some(Disturbance { at, until, node, cause, slows: true })
        }));
        // Events are, but a walk breaks nothing at once.
        found.sort_by_key(|of| of.at);
        found
    }

    /// The same scenario without its [`Self::disturbances_by`]; moves that part nothing stay.
    pub fn undisturbed_by(&self, partings: &Partings) -> Self {
        let mut calm = self.clone();
        calm.settings.errors = ErrorsConfig::default();
        calm.settings.radio.fading = None;
        let events = self.settings.events.iter().enumerate();
        let stays = |(i, _): &(usize, &EventConfig)| partings.belongs_to_network(&self.settings.events, *i);
        calm.settings.events = events.filter(stays).map(|(_, event)| *event).collect();
        for wire in &mut calm.settings.wires {
            (wire.errors, wire.errors_back) = (ErrorModelConfig::None, ErrorModelConfig::None);
            wire.handoffs = None;
            wire.drops.clear();
        }
        calm
    }
}

#[cfg(test)]
mod tests;
