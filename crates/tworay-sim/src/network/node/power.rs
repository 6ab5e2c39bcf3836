//! Nodes that go down and come up: by empty batteries, and by events of the scenario.

use crate::network::Network;
use crate::network::node::NodeTimer;
use crate::observe::Fact;
use crate::observe::loss::causes::Trigger;
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
            meters.note(node, &mut self.common.agenda, what);
        }
        if on {
            self.nodes[node].up = true;
            self.nodes[node].up_since = self.common.now;
            self.with_router(node, Trigger::Other, |router, now, out| router.start(now, out));
        } else {
            self.power_off(node);
        }
    }

    /// The node is about to fail: packets that wait for a route in vain are lost for want of it.
    fn settle_searches(&mut self, node: NodeId) {
        for packet in self.nodes[node].router.buffered() {
            let Some(root) =
                self.common.observers.held_ups.root_of(packet).filter(|root| root.cause.is_none())
            else {
                continue;
            };
            let dst = self.common.packets.get(packet).dst;
            let (causes, mut scene) = self.scene();
            if let Some(root) = causes.interrupted(&mut scene, root, dst) {
                self.common.observers.held_ups.settle_search(packet, root);
            }
        }
    }

    /// The node goes silent: its transmission is cut off, its stored packets are lost, and its routing
    /// protocol will restart.
    fn power_off(&mut self, node: NodeId) {
        if !self.nodes[node].up {
            return;
        }
        self.settle_searches(node);
        self.nodes.any_failed = true;
        if let Some(radio) = &mut self.radio {
            radio.node_failed();
        }
        self.common.observe(Fact::SwitchedOff { node });
        let n = &mut self.nodes[node];
        n.up = false;
        n.down_since = self.common.now;
        n.attempts.reset();
        *n.service = Default::default();
        let mut gone: Vec<PacketId> = n.mac.power_off().into_iter().collect();
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
            self.common.kill_at_dead_node(packet, node);
        }
    }
}
