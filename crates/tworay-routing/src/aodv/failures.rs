//! Link-layer feedback and its consequences: repair, rerouting, loss (RFC 3561 §6.10 to §6.12).

use super::discovery::ring_traversal_time;
use super::table::{State, UNKNOWN_HOPS};
use super::{Aodv, LocalRepair, Out, Search, Stranded};
use crate::{DropReason, RoutingAction, RoutingNote};
use tworay_base::{NodeId, PacketId, SimTime};
use tworay_wire::Packet;

impl Aodv {
    pub(super) fn data_link_failure(
        &mut self,
        now: SimTime,
        id: PacketId,
        packet: &Packet,
        next_hop: NodeId,
        out: Out,
    ) {
        let dst = packet.dst;
        let own = packet.src == self.node;
        if self.repairable(now, packet, next_hop) {
            self.wait(now, id, dst, own, out);
            self.repair(now, packet, next_hop, out);
            return;
        }
        match self.config.stranded {
            Stranded::Drop => {
                self.drop_packet(id, DropReason::MacCallback, out);
                self.purge_queue(next_hop, out);
                self.break_link(now, next_hop, None, out);
            }
            Stranded::Reroute | Stranded::LeaveQueue => {
                self.break_link(now, next_hop, None, out);
                self.salvage(now, id, packet, out);
                self.purge_queue(next_hop, out);
            }
        }
    }

    /// True if this node repairs the broken link to `next_hop` for this packet.
    fn repairable(&mut self, now: SimTime, packet: &Packet, next_hop: NodeId) -> bool {
        let max = self.config.max_repair_ttl;
        let own = packet.src == self.node;
        let Some(route) = self.table.get(now, packet.dst) else { return false };
        match self.config.local_repair {
            LocalRepair::Off => false,
            LocalRepair::Rfc3561 => match route.state {
                State::Up => !own && route.next_hop == next_hop && route.hops <= max,
                State::Repair => true,
                State::Down => false,
            },
            LocalRepair::Ns2 => route.state != State::Down && packet.hops > route.hops,
        }
    }

    fn repair(&mut self, now: SimTime, packet: &Packet, next_hop: NodeId, out: Out) {
        let dst = packet.dst;
        let ns2 = self.config.local_repair == LocalRepair::Ns2;
        let route = self.table.entry(now, dst);
        let began = route.state != State::Repair;
        if began {
            self.counters.local_repairs += 1;
            out.push(RoutingAction::Note(RoutingNote::LocalRepair { dst }));
        }
        if ns2 {
            route.state = State::Repair;
            self.request(now, dst, out);
            let until = self.searches.get(&dst).map_or(SimTime::ZERO, |s| s.until);
            self.repair_ends.push((now + until.since_start(), dst));
            self.stale_timer = true;
        } else if began {
            route.state = State::Repair;
            route.bump();
            // MIN_REPAIR_TTL is the remaining distance; half the distance back to the source may be larger.
            let ring = route.hops.max(packet.hops / 2).saturating_add(self.config.local_add_ttl);
            // The newer sequence number suffices to accept a reply, whatever its distance.
            route.last_hops = route.hops;
            route.hops = UNKNOWN_HOPS;
            self.break_link(now, next_hop, Some(dst), out);
            self.searches.insert(dst, Search::for_repair(now));
            self.ask(now, dst, ring, ring_traversal_time(&self.config, ring), out);
            self.purge_queue(next_hop, out);
        }
    }

    pub(super) fn purge_queue(&mut self, next_hop: NodeId, out: Out) {
        if self.config.stranded != Stranded::LeaveQueue {
            out.push(RoutingAction::PurgeQueue { next_hop });
        }
    }

    /// Reroutes a packet whose next hop was lost, or buffers it if this node generated it.
    pub(super) fn salvage(&mut self, now: SimTime, id: PacketId, packet: &Packet, out: Out) {
        if packet.dst.is_broadcast() {
            self.drop_packet(id, DropReason::MacCallback, out);
        } else {
            self.resolve(now, id, packet, None, out);
        }
    }
}
