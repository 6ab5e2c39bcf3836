//! Ad hoc on-demand distance vector routing (RFC 3561), with ns-2.35's quirks as options.
//!
//! One file for each part: requests (discovery and replies to others), replies, errors, links (HELLOs,
//! timeouts, blacklist), data (forwarding, feedback, repair), upkeep (the timer).

mod about;
mod config;
mod data;
mod discovery;
mod errors;
mod failures;
mod inputs;
mod limiter;
mod links;
mod options;
mod replies;
mod requests;
mod seen;
mod table;
mod upkeep;

pub use config::AodvConfig;
pub use options::{
    AodvPaper, ErrorAudience, Hello, LocalRepair, OwnSequence, PacketSizes, Refresh, ReplyLifetime, Requests,
    StaleErrors, Stranded, Upkeep,
};

use crate::buffer::SendBuffer;
use crate::protocol::Out;
use crate::{DropReason, Malformed, RoutingAction, RoutingCounters, RoutingNote};
use discovery::Search;
use limiter::Limiter;
use links::Neighbours;
use seen::SeenRequests;
use std::collections::BTreeMap;
use table::Table;
use tworay_base::{FlowId, NodeId, PacketId, RngStream, Seq32, SimDuration, SimTime};
use tworay_wire::aodv::AodvMessage;
use tworay_wire::{Body, Packet};

/// AODV in one node.
#[derive(Clone, Debug)]
pub struct Aodv {
    config: AodvConfig,
    node: NodeId,
    rng: RngStream,
    /// This node's own sequence number.
    seq: Seq32,
    next_rreq_id: u32,
    table: Table,
    searches: BTreeMap<NodeId, Search>,
    buffer: SendBuffer,
    seen: SeenRequests,
    rreq_limiter: Limiter,
    rerr_limiter: Limiter,
    neighbours: Neighbours,
    /// Ends of ns-2's repairs: time and destination.
    repair_ends: Vec<(SimTime, NodeId)>,
    next_purge: SimTime,
    next_hello: SimTime,
    last_broadcast: SimTime,
    /// The time for which the timer is set, and whether a deadline may have changed since.
    armed: SimTime,
    stale_timer: bool,
    counters: RoutingCounters,
}

impl Aodv {
    /// AODV in `node`; jitter is drawn from `rng`.
    pub fn new(config: &AodvConfig, node: NodeId, rng: RngStream) -> Self {
        let even = config.own_sequence == OwnSequence::Even;
        Self {
            node,
            rng,
            seq: Seq32(if even { 2 } else { 0 }),
            next_rreq_id: 1,
            table: Table::new(config.delete_period, config.upkeep == Upkeep::Exact),
            searches: BTreeMap::new(),
            buffer: SendBuffer::new(config.buffer_packets as usize, config.buffer_timeout),
            seen: SeenRequests::new(config.path_discovery_time),
            rreq_limiter: Limiter::new(config.rreq_ratelimit),
            rerr_limiter: Limiter::new(config.rerr_ratelimit),
            neighbours: Neighbours::default(),
            repair_ends: Vec::new(),
            next_purge: SimTime::NEVER,
            next_hello: SimTime::NEVER,
            last_broadcast: SimTime::ZERO,
            armed: SimTime::NEVER,
            stale_timer: false,
            counters: RoutingCounters::default(),
            config: config.clone(),
        }
    }

    /// The route in use to `dst`: next hop, the destination's sequence number, hops. For tests of loop
    /// freedom and for display.
    pub fn route(&self, now: SimTime, dst: NodeId) -> Option<(NodeId, Seq32, u8)> {
        let route = self.table.peek(dst).filter(|r| r.is_up())?;
        (self.config.upkeep == Upkeep::Polled || route.expire >= now).then_some((
            route.next_hop,
            route.seq,
            route.hops,
        ))
    }

    /// Sends a message of this node, or relays one.
    fn emit(
        &mut self,
        now: SimTime,
        message: AodvMessage,
        to: NodeId,
        ttl: u8,
        delay: SimDuration,
        out: Out,
    ) {
        let ip_bytes = match self.config.packet_sizes {
            PacketSizes::Udp => message.ip_bytes(),
            PacketSizes::Ns2 => match &message {
                AodvMessage::Rreq(_) => 20 + 28,
                AodvMessage::Rrep(_) => 20 + 24,
                AodvMessage::Rerr(e) => 20 + 4 + 8 * e.unreachable.len() as u32,
                AodvMessage::RrepAck => 20 + 2,
            },
        };
        let count = match &message {
            AodvMessage::Rreq(_) => &mut self.counters.rreq,
            AodvMessage::Rrep(_) if to.is_broadcast() => &mut self.counters.hello,
            AodvMessage::Rrep(_) => &mut self.counters.rrep,
            AodvMessage::Rerr(_) => &mut self.counters.rerr,
            AodvMessage::RrepAck => &mut self.counters.rrep_ack,
        };
        count.add(ip_bytes);
        if to.is_broadcast() {
            self.last_broadcast = now;
        }
        let packet = Packet {
            uid: 0,
            src: self.node,
            dst: to,
            ttl,
            hops: 0,
            ip_bytes,
            flow: FlowId::NONE,
            dsr: None,
            body: Body::Aodv(Box::new(message)),
        };
        out.push(RoutingAction::Originate { packet: Box::new(packet), next_hop: to, delay });
    }

    fn jitter(&mut self) -> SimDuration {
        self.rng.jitter(self.config.broadcast_jitter)
    }

    fn drop_packet(&mut self, packet: PacketId, reason: DropReason, out: Out) {
        self.counters.drops[reason as usize] += 1;
        out.push(RoutingAction::Drop { packet, reason });
    }

    fn refuse(&mut self, packet: PacketId, from: NodeId, what: Malformed, out: Out) {
        self.counters.malformed[what as usize] += 1;
        out.push(RoutingAction::Note(RoutingNote::Malformed { from, what }));
        self.drop_packet(packet, DropReason::Malformed, out);
    }

    /// Increments this node's sequence number: before a request, and in ns-2 when a neighbour is lost.
    fn step_seq(&mut self) {
        self.seq = self.seq.plus(match self.config.own_sequence {
            OwnSequence::Rfc3561 => 1,
            OwnSequence::Even => 2,
        });
    }
}
