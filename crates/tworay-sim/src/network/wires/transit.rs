//! Packets on wires: queued, sent, received or lost.

use super::Wires;
use crate::network::common::Common;
use crate::network::event::Event;
use crate::observe::{Fact, Why, WireEvent, WireLoss};
use tworay_base::{NodeId, PacketId, SimDuration};
use tworay_scenario::WireSetup;

impl Wires {
    /// Passes a packet to a wire.
    pub fn send(&mut self, common: &mut Common, wire: u16, packet: PacketId) {
        let bytes = common.packets.get(packet).ip_bytes;
        let now = common.now;
        let w = &mut self.wires[wire as usize];
        let number = w.seen;
        w.seen += 1;
        if w.setup.drops.contains(&number) || w.lanes_lose(now) {
            return self.lose(common, wire, packet, WireLoss::Errors);
        }
        if w.setup.outages.cut(now, now) {
            return self.lose(common, wire, packet, WireLoss::Outage);
        }
        let length = w.waiting.len() + usize::from(w.busy);
        common.observe(Fact::WireOffered { wire, packet, length, rate: w.setup.rate });
        if w.refuses(now, bytes) {
            common.observe(Fact::Refused);
            common.observe(Fact::WireFull { wire, packet, waiting: &w.waiting });
            self.lose(common, wire, packet, WireLoss::Refused);
        } else if !w.busy {
            self.report(common, wire, packet, WireEvent::Enqueue);
            self.start(common, wire, packet);
        } else {
            w.waiting.push_back(packet);
            w.waiting_bytes += u64::from(bytes);
            self.report(common, wire, packet, WireEvent::Enqueue);
        }
    }

    /// A packet dies at the wire's sending end.
    fn lose(&mut self, common: &mut Common, wire: u16, packet: PacketId, why: WireLoss) {
        self.report(common, wire, packet, WireEvent::Drop);
        let WireSetup { from, to, .. } = self.wires[wire as usize].setup;
        common.kill(packet, from, Why::Wire((from, to), why));
    }

    /// Reports an event of a packet on a wire.
    #[inline(always)]
    fn report(&self, common: &mut Common, wire: u16, packet: PacketId, event: WireEvent) {
        common.watch(|| {
            let WireSetup { from, to, .. } = self.wires[wire as usize].setup;
            Fact::Wired { wire, ends: (from, to), event, packet }
        });
    }

    fn start(&mut self, common: &mut Common, wire: u16, packet: PacketId) {
        self.report(common, wire, packet, WireEvent::Send);
        let bytes = common.packets.get(packet).ip_bytes;
        let w = &mut self.wires[wire as usize];
        w.busy = true;
        let sent = common.now + w.setup.rate.airtime(bytes);
        let lane = w.setup.lanes.as_ref().map_or(SimDuration::ZERO, |lanes| lanes.at(common.now).delay);
        let arrives = sent + w.setup.delay + lane;
        common.agenda.push(arrives, Event::WireArrival { wire, packet });
        common.agenda.push(sent, Event::WireFree(wire));
    }

    /// A wire has sent the last bit of a packet: starts the next one.
    #[inline(never)]
    pub fn on_free(&mut self, common: &mut Common, wire: u16) {
        loop {
            let w = &mut self.wires[wire as usize];
            common.observe(Fact::WireSent { wire, length: w.waiting.len() });
            let Some(packet) = w.waiting.pop_front() else {
                w.busy = false;
                if let Some(red) = &mut w.red {
                    red.on_idle(common.now);
                }
                return;
            };
            w.waiting_bytes -= u64::from(common.packets.get(packet).ip_bytes);
            if !w.setup.outages.cut(common.now, common.now) {
                return self.start(common, wire, packet);
            }
            self.lose(common, wire, packet, WireLoss::Outage);
        }
    }

    /// A packet arrives at the far end of a wire. Returns the ends `(from, to)`, unless it was lost in
    /// transit.
    #[inline]
    pub fn on_arrival(
        &mut self,
        common: &mut Common,
        wire: u16,
        packet: PacketId,
    ) -> Option<(NodeId, NodeId)> {
        let now = common.now;
        let bytes = common.packets.get(packet).ip_bytes;
        let w = &mut self.wires[wire as usize];
        let (from, to) = (w.setup.from, w.setup.to);
        let took = w.setup.rate.airtime(bytes) + w.setup.delay;
        let left = now.earlier_by(took);
        // The error model advances with every packet in transit, whatever happens to it.
        let broken = w.errors.as_mut().is_some_and(|model| model.corrupts(8 * bytes));
        let lost = match (w.setup.outages.cut(left, now), broken) {
            (true, _) => Some(WireLoss::Outage),
            (false, true) => Some(WireLoss::Errors),
            (false, false) => None,
        };
        if let Some(why) = lost {
            self.report(common, wire, packet, WireEvent::Drop);
            common.kill(packet, to, Why::Wire((from, to), why));
            return None;
        }
        self.report(common, wire, packet, WireEvent::Receive);
        let p = common.packets.get_mut(packet);
        p.hops = p.hops.saturating_add(1);
        common.observe(Fact::HopDone { packet, copy: packet });
        Some((from, to))
    }
}
