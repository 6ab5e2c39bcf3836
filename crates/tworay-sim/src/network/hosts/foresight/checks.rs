//! Checks the routes of flows whose receivers are to be warned.

use super::{Foresight, Warn};
use crate::network::Network;
use crate::network::event::Event;
use tworay_base::{NodeId, PacketId, SimDuration, SimTime};
use tworay_tcp::{PathEvent, Side};

/// Time between two checks of a route.
const LOOK: SimDuration = SimDuration::from_millis(10);

impl Network {
    /// Plans the first check of every flow whose receiver is to be warned.
    pub(crate) fn plan_foresight(&mut self) {
        self.foresight = Foresight::new(&self.flows);
        for flow in self.foresight.iter().flat_map(|f| f.flows()) {
            let start = self.flows[usize::from(flow)].setup.start;
            self.common.agenda.push(start, Event::Foresee(flow));
        }
    }

    /// A packet has crossed a link.
    #[cold]
    pub(crate) fn note_hop(&mut self, packet: PacketId, from: NodeId, to: NodeId) {
        if let Some(foresight) = &mut self.foresight {
            foresight.note_hop(self.common.packets.get(packet), from, to);
        }
    }

    /// Checks the route of a flow and warns its receiver.
    #[cold]
    pub(crate) fn foresee(&mut self, flow: u16) {
        let index = usize::from(flow);
        if self.flows[index].finished_at.is_some() {
            return;
        }
        let now = self.common.now;
        self.common.agenda.push(now + LOOK, Event::Foresee(flow));
        let Some(watch) = self.foresight.as_ref().and_then(|f| f.watches.get(&flow)) else { return };
        let (route, warning) = (watch.route(), watch.warning);
        if route.is_empty() {
            return;
        }
        let works = route.iter().all(|&link| self.link_works(link, now));
        let will_work = if warning.is_zero() {
            works
        } else {
            route.iter().all(|&link| self.link_works(link, now + warning))
        };
        let watch = self.foresight.as_mut().and_then(|f| f.watches.get_mut(&flow));
        let (side, event) = match watch.and_then(|w| w.decide(now, works, will_work)) {
            Some(Warn::Receiver(event)) => (Side::Passive, event),
            Some(Warn::Sender) => (Side::Active, PathEvent::PeerWindow { open: false }),
            None => return,
        };
        self.with_tcp(index, side, |c, now, out| c.on_path_event(now, event, out));
    }

    /// True if a link can carry packets at a time from now on, as far as is known now.
    fn link_works(&mut self, (a, b): (NodeId, NodeId), at: SimTime) -> bool {
        if !(self.is_up_at(a, at) && self.is_up_at(b, at)) {
            return false;
        }
        match self.wires.between(a, b) {
            Some(wire) => !self.wires.is_down(wire, at),
            None => self.radio.as_mut().is_some_and(|radio| radio.in_range(at, a, b)),
        }
    }

    fn is_up_at(&self, node: NodeId, at: SimTime) -> bool {
        let now = self.common.now;
        let coming = self.plan.switches.iter().filter(|s| s.1 == node && s.0 > now && s.0 <= at);
        coming.max_by_key(|s| s.0).map_or(self.nodes[node].up, |s| s.2)
    }
}
