//! Optimized link state routing (RFC 3626).
//!
//! One file for each part: links (neighbours), mpr (choosing relays), messages (processing and relaying),
//! emission (generating and sending), topology, duplicates, associations (the other sets), routes (the
//! table), data (forwarding), upkeep (the timer).
//!
//! The sets that determine routes change with every move of a distant node. Routes are therefore recomputed
//! only when needed: at once in nodes with traffic of their own, at the next packet in the others.

mod about;
mod associations;
mod config;
mod data;
mod duplicates;
mod emission;
mod hysteresis;
mod inputs;
mod links;
mod messages;
pub mod mpr;
mod routes;
mod topology;
mod upkeep;

pub use config::{OlsrConfig, OlsrPaper, TcRedundancy};

use crate::protocol::Out;
use crate::{DropReason, RoutingAction, RoutingCounters};
use associations::Associations;
use data::Used;
use duplicates::Duplicates;
use links::Links;
use routes::{Route, Routes};
use topology::Topology;
use tworay_base::{NodeId, PacketId, RngStream, SimTime};
use tworay_wire::olsr::OlsrMessage;

/// OLSR in one node.
#[derive(Clone, Debug)]
pub struct Olsr {
    config: OlsrConfig,
    node: NodeId,
    rng: RngStream,
    links: Links,
    /// The neighbours chosen as relays, in ascending order.
    relays: Vec<NodeId>,
    topology: Topology,
    duplicates: Duplicates,
    associations: Associations,
    routes: Routes,
    stale_relays: bool,
    stale_routes: bool,
    /// Destinations to which this node has sent packets, in ascending order.
    used: Vec<Used>,
    has_own_traffic: bool,
    /// Queued messages, each with the time at which it must be sent.
    outbox: Vec<(SimTime, OlsrMessage)>,
    packet_seq: u16,
    message_seq: u16,
    ansn: u16,
    /// Contents of the last TC message.
    advertised: Vec<NodeId>,
    /// From this time on, an empty TC message is unnecessary.
    silent_from: SimTime,
    last_tc: Option<SimTime>,
    next_hello: SimTime,
    next_tc: SimTime,
    /// No entry of the sets expires before this.
    next_end: SimTime,
    /// The time for which the timer is set.
    armed: SimTime,
    counters: RoutingCounters,
}

impl Olsr {
    /// OLSR in `node`; jitter is drawn from `rng`.
    pub fn new(config: &OlsrConfig, node: NodeId, rng: RngStream) -> Self {
        Self {
            node,
            rng,
            links: Links::default(),
            relays: Vec::new(),
            topology: Topology::default(),
            duplicates: Duplicates::new(config.duplicate_hold_time),
            associations: Associations::default(),
            routes: Routes::default(),
            stale_relays: false,
            stale_routes: false,
            used: Vec::new(),
            has_own_traffic: false,
            outbox: Vec::new(),
            packet_seq: 0,
            message_seq: 0,
            ansn: 0,
            advertised: Vec::new(),
            silent_from: SimTime::ZERO,
            last_tc: None,
            next_hello: SimTime::NEVER,
            next_tc: SimTime::NEVER,
            next_end: SimTime::NEVER,
            armed: SimTime::NEVER,
            counters: RoutingCounters::default(),
            config: config.clone(),
        }
    }

    /// The current route to `dst`: next hop and hops. For tests and for display.
    pub fn route(&mut self, now: SimTime, dst: NodeId) -> Option<(NodeId, u8)> {
        self.calculate_routes(now, &mut Vec::new());
        self.lookup(dst).map(|r| (r.next_hop, r.hops))
    }

    /// Every destination that currently has a route, nearest first.
    pub fn destinations(&mut self, now: SimTime) -> Vec<NodeId> {
        self.calculate_routes(now, &mut Vec::new());
        self.routes.destinations().collect()
    }

    /// The symmetric neighbours, in ascending order.
    pub fn neighbours(&self) -> Vec<NodeId> {
        self.links.symmetric().map(|l| l.main).collect()
    }

    /// The neighbours chosen as relays (MPR set) when the last HELLO was sent, in ascending order.
    pub fn relays(&self) -> &[NodeId] {
        &self.relays
    }

    /// The neighbours that have chosen this node as relay (MPR selector set), in ascending order.
    pub fn selectors(&self, now: SimTime) -> Vec<NodeId> {
        self.links.selectors(now).collect()
    }

    fn drop_packet(&mut self, packet: PacketId, reason: DropReason, out: Out) {
        self.counters.drops[reason as usize] += 1;
        out.push(RoutingAction::Drop { packet, reason });
    }
}
