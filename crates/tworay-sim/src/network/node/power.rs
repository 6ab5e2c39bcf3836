//! Batteries, and nodes that go down and come up: by empty batteries, and by events of the scenario.

use crate::network::Network;
use crate::network::node::NodeTimer;
use crate::observe::{After, Fact, Why};
use tworay_base::{NodeId, PacketId, Purpose, RngStream, SimTime};
use tworay_radio::Meter;
use tworay_routing::Router;

impl Network {
    /// A meter's timer expired.
    pub(crate) fn on_energy_timer(&mut self, node: NodeId) {
        let Some(meters) = &mut self.nodes.meters else { return };
        if meters.expire(self.common.now, node, &mut self.common.agenda) {
            self.power_off(node);
        }
    }

    /// A node's processor draws energy from its battery.
    #[cold]
    pub(crate) fn draw(&mut self, node: NodeId, joules: f64) {
        if let Some(meters) = &mut self.nodes.meters {
            meters.computed(self.common.now, node, joules, &mut self.common.agenda);
        }
    }

    /// An event switches a node; a dead node stays dead.
    #[inline(never)]
    pub(crate) fn switch(&mut self, node: NodeId, on: bool) {
        let dead = self.nodes.meters.as_ref().is_some_and(|meters| meters.is_dead(node));
        if self.nodes[node].up == on || dead {
            return;
        }
        if let Some(meters) = &mut self.nodes.meters {
            let now = self.common.now;
            let what = |meter: &mut Meter| if on { meter.wake(now) } else { meter.sleep(now) };
            meters.note(now, node, &mut self.common.agenda, what);
        }
        if on {
            self.nodes[node].up = true;
            self.nodes[node].up_since = self.common.now;
            self.with_router(node, After::Other, |router, now, out| router.start(now, out));
        } else {
            self.power_off(node);
        }
    }

    /// The node goes silent: its transmission is cut off, its stored packets are lost, and its routing
    /// protocol will restart.
    fn power_off(&mut self, node: NodeId) {
        if !self.nodes[node].up {
            return;
        }
        self.report(Fact::SwitchedOff { node });
        self.nodes.any_failed = true;
        if let Some(radio) = &mut self.radio {
            radio.node_failed();
        }
        let n = &mut self.nodes[node];
        n.up = false;
        n.down_since = self.common.now;
        let mut gone: Vec<PacketId> = n.mac.power_off().into_iter().collect();
        if let Some(air) = &mut self.air {
            air.power_off(self.common.now, node, &mut gone);
            self.common.agenda.set_timer(air.timer(node), SimTime::NEVER);
        }
        while let Some(entry) = n.queue.pop() {
            gone.push(entry.packet);
        }
        gone.extend(n.arp.clear());
        gone.extend(n.router.buffered());
        if !n.router.is_configured() {
            self.nodes.power_offs += 1;
            let number = u64::from(self.nodes.power_offs) << 32 | u64::from(node.0);
            let rng = RngStream::numbered(self.plan.seed, number, Purpose::RoutingJitter);
            let router = Router::new(&self.plan.settings.routing, node, rng);
            let old = std::mem::replace(&mut self.nodes[node].router, router);
            self.common.observe(Fact::RouterStopped { counters: old.counters() });
        }
        for kind in NodeTimer::ALL {
            self.common.agenda.clear_timer(self.nodes.timer(node, kind));
        }
        self.common.agenda.set_access(node, SimTime::NEVER);
        self.common.watch(|| Fact::Queued { node, packets: self.nodes[node].queue.len() });
        for packet in gone {
            self.common.kill(packet, node, Why::NodeOff);
        }
    }
}
