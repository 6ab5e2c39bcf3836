//! Energy: a meter for each node's radio; there are none without an energy model.

use crate::engine::TimerSlot;
use crate::network::agenda::Agenda;
use crate::network::event::Event;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_mac::Frame;
use tworay_radio::{EnergyConfig, EnergyModel, Meter};

/// The meters of all nodes.
pub(crate) struct Meters {
    meters: Vec<Meter>,
    /// First of the meters' timers.
    slot: TimerSlot,
    /// Energy left at each node by sample time, if recorded.
    samples: Option<Vec<(SimTime, Vec<f64>)>>,
    /// Interval between samples.
    spacing: SimDuration,
}

impl Meters {
    pub fn new(config: &EnergyConfig, nodes: usize, slot: TimerSlot, series: bool) -> Option<Box<Self>> {
        (config.model != EnergyModel::None).then(|| {
            Box::new(Self {
                meters: (0..nodes).map(|i| Meter::new(config, i as u16)).collect(),
                slot,
                samples: series.then(Vec::new),
                spacing: config.sample,
            })
        })
    }

    /// The node whose meter owns timer `slot`, if any.
    #[inline]
    pub fn node_of(&self, slot: TimerSlot) -> Option<NodeId> {
        let i = slot.checked_sub(self.slot)?;
        ((i as usize) < self.meters.len()).then_some(NodeId(i as u16))
    }

    /// Starts the meters and the sampling.
    pub fn start(&mut self, now: SimTime, agenda: &mut Agenda) {
        for (i, meter) in self.meters.iter_mut().enumerate() {
            if let Some(at) = meter.predict() {
                agenda.set_timer(self.slot + i as u32, at);
            }
        }
        if self.samples.is_some() {
            agenda.push(now, Event::Sample);
        }
    }

    /// Updates a node's meter through `note`, which returns when the meter must be checked again.
    pub fn note(
        &mut self,
        node: NodeId,
        agenda: &mut Agenda,
        what: impl FnOnce(&mut Meter) -> Option<SimTime>,
    ) {
        if let Some(at) = what(&mut self.meters[node.index()]) {
            agenda.set_timer(self.slot + u32::from(node.0), at);
        }
    }

    /// A frame transmission starts.
    #[cold]
    pub fn transmitted(&mut self, now: SimTime, node: NodeId, frame: &Frame, agenda: &mut Agenda) {
        let until = now + frame.airtime;
        let packet = frame.packet.is_some();
        self.note(node, agenda, |meter| {
            let answer = meter.transmit(now, until);
            // The energy of a packet lasts until the end of its transmission.
            if packet && meter.packet_sent() { Some(until) } else { answer }
        });
    }

    /// A signal starts at a node that is up; `readable` says whether it is strong enough to be received.
    #[cold]
    pub fn signal(&mut self, now: SimTime, node: NodeId, frame: &Frame, readable: bool, agenda: &mut Agenda) {
        let wanted = readable && (frame.to == node || frame.to.is_broadcast());
        self.note(node, agenda, |meter| meter.hear(now, now + frame.airtime, wanted));
    }

    /// A valid frame with a network packet was received.
    #[cold]
    pub fn received(&mut self, now: SimTime, node: NodeId, frame: &Frame, agenda: &mut Agenda) {
        if frame.to == node || frame.to.is_broadcast() {
            self.note(node, agenda, |meter| meter.packet_received().then_some(now));
        }
    }

    /// A node's processor used energy.
    pub fn computed(&mut self, now: SimTime, node: NodeId, joules: f64, agenda: &mut Agenda) {
        self.note(node, agenda, |meter| meter.draw(now, joules));
    }

    /// A meter's timer expired; returns whether the node has run out of energy.
    pub fn expire(&mut self, now: SimTime, node: NodeId, agenda: &mut Agenda) -> bool {
        let meter = &mut self.meters[node.index()];
        match meter.expire(now) {
            Ok(()) => {
                meter.die(now);
                return true;
            }
            Err(Some(again)) => agenda.set_timer(self.slot + u32::from(node.0), again),
            Err(None) => {}
        }
        false
    }

    /// True if a node's battery has run out.
    pub fn is_dead(&self, node: NodeId) -> bool {
        self.meters[node.index()].died_at().is_some()
    }

    /// Samples the remaining energy of every node.
    pub fn sample(&mut self, now: SimTime, agenda: &mut Agenda) {
        let left = self.meters.iter_mut().map(|m| {
            m.advance(now);
            m.left()
        });
        let left = left.collect();
        if let Some(samples) = &mut self.samples {
            samples.push((now, left));
            agenda.push(now + self.spacing, Event::Sample);
        }
    }

    /// The meters at the end of a run, and the samples of remaining energy.
    pub fn finish(mut self, end: SimTime) -> (Vec<Meter>, Vec<(SimTime, Vec<f64>)>) {
        self.meters.iter_mut().for_each(|m| m.advance(end));
        (self.meters, self.samples.unwrap_or_default())
    }
}
