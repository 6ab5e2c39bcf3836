//! Dynamic source routing (RFC 4728), with ns-2.35's quirks as options and without flow state.
//!
//! One file for each part: data (sending, receiving, forwarding), discovery (this node's requests), requests
//! (those received, and the table), replies, tap (overheard packets, shorter routes), breaks (route errors,
//! salvaging), maintenance (acknowledgments), upkeep (the timer). `check` refuses impossible headers before
//! anything is learned from them.

mod about;
mod breaks;
mod by_node;
mod cache;
mod check;
mod config;
mod data;
mod discovery;
mod found;
mod inputs;
mod link_cache;
mod maintenance;
mod options;
mod parcel;
mod path_cache;
mod repeats;
mod replies;
mod requests;
mod tap;
mod upkeep;

pub use config::DsrConfig;
pub use options::{CacheKind, DsrPaper, MaintenanceOrder, RequestPattern};

use crate::protocol::Out;
use crate::{DropReason, Malformed, RoutingAction, RoutingCounters, RoutingNote};
use cache::RouteCache;
use found::Found;
use maintenance::Held;
use parcel::{Parcel, SendBuffer};
use requests::{Search, SeenRequests};
use smallvec::SmallVec;
use std::collections::{BTreeMap, VecDeque};
use tworay_base::{FlowId, NodeId, PacketId, RngStream, SimDuration, SimTime};
use tworay_wire::dsr::{Addresses, DsrHeader, RouteError, SourceRoute};
use tworay_wire::{Body, Packet};

/// Hop limit of DSR's unicast packets.
const CONTROL_TTL: u8 = 255;
/// Number of packets that the tap remembers in order to process each once.
const TAPPED: usize = 256;

/// DSR in one node.
#[derive(Clone, Debug)]
pub struct Dsr {
    config: DsrConfig,
    node: NodeId,
    rng: RngStream,
    cache: RouteCache,
    /// Something was learned that buffered packets may need.
    news: bool,
    seen: SeenRequests,
    next_request_id: u16,
    searches: BTreeMap<NodeId, Search>,
    buffer: SendBuffer,
    /// The route that this node's packets last took, by destination.
    in_use: BTreeMap<NodeId, Addresses>,
    /// Gratuitous replies sent: receiver, node whose transmission was overheard, time.
    gratuitous: VecDeque<(NodeId, NodeId, SimTime)>,
    /// The last route error received, for the next request.
    held_error: Option<(SimTime, RouteError)>,
    tapped: Vec<u64>,
    /// The break being handled: time, neighbour, nodes notified.
    current_break: (SimTime, NodeId, SmallVec<[NodeId; 4]>),
    held: VecDeque<Held>,
    /// Packets whose next hops were lost at this instant, in order of arrival, with those next hops.
    stranded: Vec<(Parcel, NodeId)>,
    /// When a neighbour last confirmed a packet.
    confirmed: BTreeMap<NodeId, SimTime>,
    next_ack_id: u16,
    next_poll: SimTime,
    /// The time for which the timer is set, and whether a deadline may have changed since.
    armed: SimTime,
    stale_timer: bool,
    counters: RoutingCounters,
}

impl Dsr {
    /// DSR in `node`; jitter is drawn from `rng`.
    pub fn new(config: &DsrConfig, node: NodeId, rng: RngStream) -> Self {
        Self {
            node,
            rng,
            cache: RouteCache::new(config, node),
            news: false,
            seen: SeenRequests::new(config.request_table_size, config.request_table_ids),
            next_request_id: 1,
            searches: BTreeMap::new(),
            buffer: SendBuffer::new(config.send_buffer_packets, config.send_buffer_timeout),
            in_use: BTreeMap::new(),
            gratuitous: VecDeque::new(),
            held_error: None,
            tapped: Vec::new(),
            current_break: (SimTime::ZERO, node, SmallVec::new()),
            held: VecDeque::new(),
            stranded: Vec::new(),
            confirmed: BTreeMap::new(),
            next_ack_id: 1,
            next_poll: SimTime::NEVER,
            armed: SimTime::NEVER,
            stale_timer: false,
            counters: RoutingCounters::default(),
            config: config.clone(),
        }
    }

    /// The shortest known route to `dst`, as the nodes after this one. For tests and for display; it does not
    /// count as use.
    pub fn route(&self, now: SimTime, dst: NodeId) -> Option<Vec<NodeId>> {
        self.cache.clone().find(now, dst, Found::Overheard).map(|path| path.to_vec())
    }

    fn learn(&mut self, now: SimTime, path: &[NodeId], found: Found) {
        let usable = path.len() <= usize::from(self.config.max_route_hops);
        if usable && !path.is_empty() && !path.contains(&self.node) {
            self.news |= self.cache.add(now, path, found);
        }
    }

    /// Sends a new DSR packet along `path` to its last node.
    fn originate(&mut self, mut header: DsrHeader, path: &[NodeId], delay: SimDuration, out: Out) {
        let (Some(&next_hop), Some((&dst, relays))) = (path.first(), path.split_last()) else { return };
        header.source_route =
            Some(SourceRoute { salvage: 0, segments_left: relays.len() as u8, addresses: relays.into() });
        self.emit(header, dst, CONTROL_TTL, next_hop, delay, out);
    }

    /// Sends a packet that consists of DSR options only.
    fn emit(
        &mut self,
        header: DsrHeader,
        dst: NodeId,
        ttl: u8,
        next_hop: NodeId,
        delay: SimDuration,
        out: Out,
    ) {
        let packet = self.control(self.node, dst, ttl, header);
        out.push(RoutingAction::Originate { packet: Box::new(packet), next_hop, delay });
    }

    fn control(&mut self, src: NodeId, dst: NodeId, ttl: u8, header: DsrHeader) -> Packet {
        let ip_bytes = header.ip_bytes();
        self.count(&header, ip_bytes);
        let dsr = Some(Box::new(header));
        Packet { uid: 0, src, dst, ttl, hops: 0, ip_bytes, flow: FlowId::NONE, dsr, body: Body::Dsr }
    }

    /// Counts a DSR packet sent by this node, by the first option in it.
    fn count(&mut self, header: &DsrHeader, ip_bytes: u32) {
        let c = &mut self.counters;
        if header.request.is_some() {
            c.rreq.add(ip_bytes);
        } else if !header.replies.is_empty() {
            c.rrep.add(ip_bytes);
        } else if !header.errors.is_empty() {
            c.rerr.add(ip_bytes);
        } else {
            c.acks.add(ip_bytes);
        }
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
}
