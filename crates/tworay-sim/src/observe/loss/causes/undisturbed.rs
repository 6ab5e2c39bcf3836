//! OLSR's routers in the same network without disturbances: when they know a route.
//!
//! A packet lost before its node's first route is lost to a disturbance only if the node would have had the route by then without it.
//! That depends on random times: those of HELLOs and TC messages, and the delays of relays, which decide which relays are chosen and whose
//! message comes first. So a second set of routers starts with the same random streams. All their messages arrive wherever stations are
//! in range; no node is off, and no link is cut. They run only when a loss needs them, up to its time, and for a while after the start.

use crate::observe::loss::scene::Scene;
use std::collections::BTreeMap;
use tworay_base::{NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_routing::{Olsr, OlsrConfig, RoutingAction, RoutingProtocol};
use tworay_wire::Packet;

/// Time that a message takes to the neighbours of its sender: access to an idle medium, and about a hundred bytes at 802.11's
/// basic rate of 1 Mb/s. Stations wait for up to 10 ms more; a longer time here might cost an interval between two HELLOs.
const ON_AIR: SimDuration = SimDuration::from_millis(2);

/// Number of intervals between HELLOs after the start for which the routers run. After that, all have known their routes for
/// long.
const HELLOS: u64 = 16;

/// An event of the imagined network.
#[derive(Clone, Debug)]
enum Event {
    Timer(NodeId),
    /// A message of a node reaches its neighbours.
    Arrives(NodeId, Box<Packet>),
}

/// The routers, with their messages under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Undisturbed {
    /// The settings of the routers, and the seed of their random streams. `None`: the protocol is another one.
    of: Option<(OlsrConfig, u64)>,
    routers: Vec<Olsr>,
    timers: Vec<SimTime>,
    agenda: BTreeMap<(SimTime, u64), Event>,
    /// Number of events so far.
    events: u64,
}

impl Undisturbed {
    pub fn of(config: &OlsrConfig, seed: u64) -> Self {
        Self { of: Some((config.clone(), seed)), ..Self::default() }
    }

    /// True if `node` has a route to `dst` by now. `None`: it is long after the start, or wires carry messages, too.
    pub fn has_route(&mut self, scene: &mut Scene<'_>, (node, dst): (NodeId, NodeId)) -> Option<bool> {
        let now = scene.now;
        let (config, seed) = self.of.as_ref()?;
        if !scene.wires.ends().is_empty() || now > SimTime::ZERO + config.hello_interval * HELLOS {
            return None;
        }
        if self.routers.is_empty() {
            let router = |node| Olsr::new(config, node, RngStream::new(*seed, node, Purpose::RoutingJitter));
            self.routers = scene.nodes.ids().map(router).collect();
            self.timers = vec![SimTime::NEVER; self.routers.len()];
            for node in scene.nodes.ids() {
                self.with_router(node, SimTime::ZERO, |router, out| router.start(SimTime::ZERO, out));
            }
        }
        self.run(scene);
        Some(self.routers[node.index()].route(now, dst).is_some())
    }

    /// True if a path leads from `node` to `dst` now, but for nodes that are off and links that are cut.
    pub fn has_path(scene: &mut Scene<'_>, (node, dst): (NodeId, NodeId)) -> bool {
        let mut reached = vec![node];
        let mut looked_at = 0;
        while let Some(&from) = reached.get(looked_at).filter(|_| !reached.contains(&dst)) {
            looked_at += 1;
            let new = scene.in_reach_at(from, scene.now).into_iter().filter(|b| !reached.contains(b));
            reached.extend(new.collect::<Vec<_>>());
        }
        reached.contains(&dst)
    }

    /// Carries out what happens until now.
    fn run(&mut self, scene: &mut Scene<'_>) {
        while let Some(next) = self.agenda.first_entry().filter(|next| next.key().0 <= scene.now) {
            let at = next.key().0;
            match next.remove() {
                Event::Timer(node) if self.timers[node.index()] == at => {
                    self.with_router(node, at, |router, out| router.on_timer(at, out));
                }
                // It was set anew.
                Event::Timer(_) => {}
                Event::Arrives(from, packet) => {
                    for node in scene.in_reach_at(from, at) {
                        self.with_router(node, at, |router, out| {
                            router.on_receive(at, PacketId(0), &packet, from, out);
                        });
                    }
                }
            }
        }
    }

    fn with_router(
        &mut self,
        node: NodeId,
        now: SimTime,
        act: impl FnOnce(&mut Olsr, &mut Vec<RoutingAction>),
    ) {
        let mut actions = Vec::new();
        act(&mut self.routers[node.index()], &mut actions);
        for action in actions {
            match action {
                RoutingAction::WakeAt(at) => {
                    self.timers[node.index()] = at;
                    if at != SimTime::NEVER {
                        self.plan(at, Event::Timer(node));
                    }
                }
                RoutingAction::Originate { packet, delay, .. } => {
                    self.plan(now + delay + ON_AIR, Event::Arrives(node, packet));
                }
                _ => {}
            }
        }
    }

    fn plan(&mut self, at: SimTime, event: Event) {
        self.events += 1;
        self.agenda.insert((at, self.events), event);
    }
}
