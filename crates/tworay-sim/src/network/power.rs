//! Power: batteries that run out, nodes that are switched off and on.

use super::judge::Occasion;
use super::{Event, NODE_TIMERS, Network};
use crate::engine::TimerSlot;
use crate::medium::Hearer;
use crate::provenance::Setback;
use tworay_base::{Died, LossCause, NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_mac::Frame;
use tworay_radio::{EnergyConfig, EnergyModel, Meter};
use tworay_routing::{Protocol, Router};

/// The meters of all nodes; there is none if no energy model is on.
pub(crate) struct Energy {
    pub meters: Vec<Meter>,
    /// First of the nodes' timers.
    pub slot: TimerSlot,
    /// What each node had left, sample by sample, if that is to be kept.
    pub samples: Option<Vec<(SimTime, Vec<f64>)>>,
    /// Time between samples.
    pub spacing: SimDuration,
}

impl Energy {
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

    /// Whether `slot` is one of the meters' timers.
    #[inline]
    pub fn node_of(&self, slot: TimerSlot) -> Option<NodeId> {
        let i = slot.checked_sub(self.slot)?;
        ((i as usize) < self.meters.len()).then_some(NodeId(i as u16))
    }
}

impl Network {
    /// Starts the meters' clocks and the samples.
    pub(super) fn start_energy(&mut self) {
        let Some(energy) = &mut self.energy else { return };
        for (i, meter) in energy.meters.iter_mut().enumerate() {
            if let Some(at) = meter.predict() {
                self.timers.set(energy.slot + i as u32, at, &mut self.queue);
            }
        }
        if energy.samples.is_some() {
            self.queue.push(self.now, Event::Sample);
        }
    }

    fn with_meter(&mut self, node: NodeId, call: impl FnOnce(&mut Meter, SimTime) -> Option<SimTime>) {
        let Some(energy) = &mut self.energy else { return };
        if let Some(at) = call(&mut energy.meters[node.index()], self.now) {
            self.timers.set(energy.slot + u32::from(node.0), at, &mut self.queue);
        }
    }

    /// A frame goes on the air.
    #[cold]
    pub(super) fn meter_transmission(&mut self, node: NodeId, frame: &Frame) {
        let until = self.now + frame.airtime;
        let packet = frame.packet.is_some();
        self.with_meter(node, |meter, now| {
            let answer = meter.transmit(now, until);
            // The energy of a packet lasts to its end.
            if packet && meter.packet_sent() { Some(until) } else { answer }
        });
    }

    /// A signal begins at a node that is up.
    #[cold]
    pub(super) fn meter_signal(&mut self, frame: &Frame, h: Hearer) {
        let until = self.now + frame.airtime;
        let readable = self.medium.as_ref().is_some_and(|m| h.power >= m.channel().rx_threshold());
        let wanted = readable && (frame.to == h.node || frame.to.is_broadcast());
        self.with_meter(h.node, |meter, now| meter.hear(now, until, wanted));
    }

    /// A good frame with a network packet was received.
    #[cold]
    pub(super) fn meter_reception(&mut self, node: NodeId, frame: &Frame) {
        if frame.to == node || frame.to.is_broadcast() {
            self.with_meter(node, |meter, now| meter.packet_received().then_some(now));
        }
    }

    /// A meter's time has come.
    pub(super) fn on_energy_timer(&mut self, node: NodeId) {
        let Some(energy) = &mut self.energy else { return };
        let meter = &mut energy.meters[node.index()];
        match meter.expire(self.now) {
            Ok(()) => {
                meter.die(self.now);
                self.power_off(node);
            }
            Err(Some(again)) => self.timers.set(energy.slot + u32::from(node.0), again, &mut self.queue),
            Err(None) => {}
        }
    }

    /// Notes what every node has left.
    #[inline(never)]
    pub(super) fn on_sample(&mut self) {
        let now = self.now;
        let Some(energy) = &mut self.energy else { return };
        let left = energy.meters.iter_mut().map(|m| {
            m.advance(now);
            m.left()
        });
        let left = left.collect();
        if let Some(samples) = &mut energy.samples {
            samples.push((now, left));
            self.queue.push(now + energy.spacing, Event::Sample);
        }
    }

    /// An event switches a node; a dead one stays dead.
    #[inline(never)]
    pub(super) fn switch(&mut self, node: NodeId, on: bool) {
        let dead = |e: &Energy| e.meters[node.index()].died_at().is_some();
        if self.nodes[node.index()].up == on || self.energy.as_deref().is_some_and(dead) {
            return;
        }
        if on {
            self.with_meter(node, |meter, now| meter.wake(now));
            self.nodes[node.index()].up = true;
            self.with_router(node, Occasion::Other, |router, now, out| router.start(now, out));
        } else {
            self.with_meter(node, |meter, now| meter.sleep(now));
            self.power_off(node);
        }
    }

    /// The node falls silent: what it was sending is cut off, what it had stored is lost, and its routing
    /// protocol will begin anew.
    fn power_off(&mut self, node: NodeId) {
        let i = node.index();
        let n = &mut self.nodes[i];
        if !n.up {
            return;
        }
        n.up = false;
        n.down_since = self.now;
        n.fates = Default::default();
        self.record.forget(node);
        self.any_damage = true;
        let mut gone: Vec<PacketId> = n.mac.power_off().into_iter().collect();
        while let Some(entry) = n.queue.pop() {
            gone.push(entry.packet);
        }
        gone.extend(n.arp.clear());
        gone.extend(n.router.buffered());
        if self.routing.protocol != Protocol::Static {
            self.tally.boots += 1;
            let number = u64::from(self.tally.boots) << 32 | u64::from(node.0);
            let rng = RngStream::numbered(self.seed, number, Purpose::RoutingJitter);
            let old = std::mem::replace(&mut n.router, Router::new(&self.routing, node, rng));
            self.tally.control_packets += old.counters().control_packets();
            self.tally.control_bytes += old.counters().control_bytes();
        }
        for kind in 0..NODE_TIMERS as u32 {
            self.timers.clear(self.node_timer(node, kind));
        }
        self.waits.set(node.index(), SimTime::NEVER);
        if self.watched {
            self.record_queue(node);
        }
        for packet in gone {
            self.kill(packet, node, Died::NodeDown, Setback::new(self.now, node, LossCause::NodeDown));
        }
    }

    /// Whether the sender of a frame lost its power after the frame's beginning: what it had left of the
    /// packet is gone, so nobody may receive it any more.
    pub(super) fn was_cut_off(&self, tx: u32, frame: &Frame) -> bool {
        let Some(medium) = &self.medium else { return false };
        let down = self.nodes[frame.from.index()].down_since;
        down != SimTime::NEVER && down >= medium.get(tx).start
    }
}
