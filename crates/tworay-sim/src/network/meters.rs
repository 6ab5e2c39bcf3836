//! Energy: a meter for each node's radio. There are none if no energy model is on.

use super::agenda::Agenda;
use super::event::Event;
use crate::engine::TimerSlot;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_mac::Frame;
use tworay_radio::{EnergyConfig, EnergyModel, Meter};

/// The meters of all nodes.
pub(crate) struct Meters {
    meters: Vec<Meter>,
    /// First of the nodes' timers.
    slot: TimerSlot,
    /// What each node had left, sample by sample, if that is to be kept.
    samples: Option<Vec<(SimTime, Vec<f64>)>>,
    /// Time between samples.
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

    /// Whose timer `slot` is, if it is a meter's.
    #[inline]
    pub fn node_of(&self, slot: TimerSlot) -> Option<NodeId> {
        let i = slot.checked_sub(self.slot)?;
        ((i as usize) < self.meters.len()).then_some(NodeId(i as u16))
    }

    /// Starts the clocks and the samples.
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

    /// Has a node's meter note something; it gives the time at which it wants to be asked again.
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

    /// A frame goes on the air.
    #[cold]
    pub fn transmitted(&mut self, now: SimTime, node: NodeId, frame: &Frame, agenda: &mut Agenda) {
        let until = now + frame.airtime;
        let packet = frame.packet.is_some();
        self.note(node, agenda, |meter| {
            let answer = meter.transmit(now, until);
            // The energy of a packet lasts to its end.
            if packet && meter.packet_sent() { Some(until) } else { answer }
        });
    }

    /// A signal begins at a node that is up; `readable`: it is strong enough to be read.
    #[cold]
    pub fn signal(&mut self, now: SimTime, node: NodeId, frame: &Frame, readable: bool, agenda: &mut Agenda) {
        let wanted = readable && (frame.to == node || frame.to.is_broadcast());
        self.note(node, agenda, |meter| meter.hear(now, now + frame.airtime, wanted));
    }

    /// A good frame with a network packet was received.
    #[cold]
    pub fn received(&mut self, now: SimTime, node: NodeId, frame: &Frame, agenda: &mut Agenda) {
        if frame.to == node || frame.to.is_broadcast() {
            self.note(node, agenda, |meter| meter.packet_received().then_some(now));
        }
    }

    /// A meter's time has come: whether the node is out of power.
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

    /// Whether a node's battery has run out.
    pub fn is_dead(&self, node: NodeId) -> bool {
        self.meters[node.index()].died_at().is_some()
    }

    /// Notes what every node has left.
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

    /// The accounts at the end of a run, and what each node had left, sample by sample.
    pub fn finish(mut self, end: SimTime) -> (Vec<Meter>, Vec<(SimTime, Vec<f64>)>) {
        self.meters.iter_mut().for_each(|m| m.advance(end));
        (self.meters, self.samples.unwrap_or_default())
    }
}
