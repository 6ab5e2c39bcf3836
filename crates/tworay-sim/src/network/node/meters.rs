//! Energy: a meter for each node's radio; there are none without an energy model.

use crate::engine::TimerSlot;
use crate::network::agenda::Agenda;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_mac::Frame;
use tworay_radio::{EnergyConfig, EnergyModel, Meter};

/// The meters of all nodes.
pub(crate) struct Meters {
    meters: Vec<Meter>,
    /// First of the meters' timers.
    slot: TimerSlot,
    /// If energy is recorded.
    samples: Option<Samples>,
}

/// Energy left at each node, sampled when something happens there: a recorded run has the same events as any other.
struct Samples {
    /// Interval between samples.
    spacing: SimDuration,
    /// By node: energy left at each sample time so far.
    left: Vec<Vec<f64>>,
}

impl Samples {
    /// Takes the samples of a node up to `now`, whose state has not changed since the latest.
    fn catch_up(&mut self, now: SimTime, node: usize, meter: &mut Meter) {
        let left = &mut self.left[node];
        loop {
            let at = SimTime::ZERO + self.spacing * left.len() as u64;
            if at > now {
                return;
            }
            meter.advance(at);
            left.push(meter.left());
        }
    }

    /// The samples by time.
    fn by_time(&self) -> Vec<(SimTime, Vec<f64>)> {
        let count = self.left.first().map_or(0, Vec::len);
        let at = |i: usize| SimTime::ZERO + self.spacing * i as u64;
        (0..count).map(|i| (at(i), self.left.iter().map(|left| left[i]).collect())).collect()
    }
}

impl Meters {
    pub fn new(config: &EnergyConfig, nodes: usize, slot: TimerSlot, series: bool) -> Option<Box<Self>> {
        (config.model != EnergyModel::None).then(|| {
            Box::new(Self {
                meters: (0..nodes).map(|i| Meter::new(config, i as u16)).collect(),
                slot,
                samples: series.then(|| Samples { spacing: config.sample, left: vec![Vec::new(); nodes] }),
            })
        })
    }

    /// The node whose meter owns timer `slot`, if any.
    #[inline]
    pub fn node_of(&self, slot: TimerSlot) -> Option<NodeId> {
        let i = slot.checked_sub(self.slot)?;
        ((i as usize) < self.meters.len()).then_some(NodeId(i as u16))
    }

    /// Starts the meters.
    pub fn start(&mut self, agenda: &mut Agenda) {
        for (i, meter) in self.meters.iter_mut().enumerate() {
            if let Some(at) = meter.predict() {
                agenda.set_timer(self.slot + i as u32, at);
            }
        }
    }

    /// Updates a node's meter through `note`, which returns when the meter must be checked again.
    pub fn note(
        &mut self,
        now: SimTime,
        node: NodeId,
        agenda: &mut Agenda,
        what: impl FnOnce(&mut Meter) -> Option<SimTime>,
    ) {
        if let Some(at) = what(self.meter(now, node)) {
            agenda.set_timer(self.slot + u32::from(node.0), at);
        }
    }

    /// The meter of a node, whose samples up to `now` are taken.
    fn meter(&mut self, now: SimTime, node: NodeId) -> &mut Meter {
        let meter = &mut self.meters[node.index()];
        if let Some(samples) = &mut self.samples {
            samples.catch_up(now, node.index(), meter);
        }
        meter
    }

    /// A frame transmission starts.
    #[cold]
    pub fn transmitted(&mut self, now: SimTime, node: NodeId, frame: &Frame, agenda: &mut Agenda) {
        let until = now + frame.airtime;
        let packet = frame.packet.is_some();
        self.note(now, node, agenda, |meter| {
            let answer = meter.transmit(now, until);
            // The energy of a packet lasts until the end of its transmission.
            if packet && meter.packet_sent() { Some(until) } else { answer }
        });
    }

    /// A signal starts at a node that is up; `readable` says whether it is strong enough to be received.
    #[cold]
    pub fn signal(&mut self, now: SimTime, node: NodeId, frame: &Frame, readable: bool, agenda: &mut Agenda) {
        let wanted = readable && (frame.to == node || frame.to.is_broadcast());
        self.note(now, node, agenda, |meter| meter.hear(now, now + frame.airtime, wanted));
    }

    /// A valid frame with a network packet was received.
    #[cold]
    pub fn received(&mut self, now: SimTime, node: NodeId, frame: &Frame, agenda: &mut Agenda) {
        if frame.to == node || frame.to.is_broadcast() {
            self.note(now, node, agenda, |meter| meter.packet_received().then_some(now));
        }
    }

    /// A node's processor used energy.
    pub fn computed(&mut self, now: SimTime, node: NodeId, joules: f64, agenda: &mut Agenda) {
        self.note(now, node, agenda, |meter| meter.draw(now, joules));
    }

    /// A meter's timer expired; returns whether the node has run out of energy.
    pub fn expire(&mut self, now: SimTime, node: NodeId, agenda: &mut Agenda) -> bool {
        let meter = self.meter(now, node);
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

    /// The meters at the end of a run, and the samples of remaining energy.
    pub fn finish(mut self, end: SimTime) -> (Vec<Meter>, Vec<(SimTime, Vec<f64>)>) {
        for (node, meter) in self.meters.iter_mut().enumerate() {
            if let Some(samples) = &mut self.samples {
                samples.catch_up(end, node, meter);
            }
            meter.advance(end);
        }
        (self.meters, self.samples.map_or_else(Vec::new, |samples| samples.by_time()))
    }
}
