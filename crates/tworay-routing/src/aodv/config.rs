//! Every constant and habit of AODV.

use super::options::{
    AodvPreset, ErrorAudience, Hello, LocalRepair, OwnSequence, PacketSizes, Refresh, ReplyLifetime,
    Requests, StaleErrors, Stranded, Upkeep,
};
use crate::settings::settings;
use tworay_base::{ConfigProblem, SimDuration};

settings! {
    /// AODV's settings. In a file, `preset` picks a set and the other keys change single ones of it;
    /// written out, only what differs from the preset appears.
    AodvConfig from
    /// The set that the other settings start from: "rfc3561" (the default), "ns2", "thesis-trace" or "thesis".
    AodvPreset, schema "AodvConfig";

    /// How long a route stays valid after use (ACTIVE_ROUTE_TIMEOUT).
    active_route_timeout: SimDuration,
    /// Lifetime that a destination puts in its replies (MY_ROUTE_TIMEOUT, 2 × ACTIVE_ROUTE_TIMEOUT).
    my_route_timeout: SimDuration,
    /// A conservative guess of one hop's traversal time with queueing and processing (NODE_TRAVERSAL_TIME).
    node_traversal_time: SimDuration,
    /// Hop limit of a network-wide request, 1..=255 (NET_DIAMETER).
    net_diameter: u8,
    /// Time in which a request crosses the network and its answer comes back (NET_TRAVERSAL_TIME,
    /// 2 × NODE_TRAVERSAL_TIME × NET_DIAMETER).
    net_traversal_time: SimDuration,
    /// How long a request's id is remembered (PATH_DISCOVERY_TIME, 2 × NET_TRAVERSAL_TIME).
    path_discovery_time: SimDuration,
    /// Least life of the route back to a request's source; zero takes RFC 3561 §6.5's
    /// 2 × NET_TRAVERSAL_TIME - 2 × hops × NODE_TRAVERSAL_TIME.
    reverse_route_lifetime: SimDuration,
    /// How long an invalid route's sequence number is kept (DELETE_PERIOD, 5 × ACTIVE_ROUTE_TIMEOUT or
    /// 5 × HELLO_INTERVAL, the larger).
    delete_period: SimDuration,
    /// Spare hops in a ring's wait (TIMEOUT_BUFFER): 2 × NODE_TRAVERSAL_TIME × (ttl + this).
    timeout_buffer: u8,

    /// How route requests follow each other: "rfc3561" or "ns2".
    requests: Requests,
    /// Search in growing rings before the whole network.
    expanding_ring: bool,
    /// First ring's hop limit, 1..=255 (TTL_START).
    ttl_start: u8,
    /// Hops added from ring to ring, 1..=255 (TTL_INCREMENT).
    ttl_increment: u8,
    /// Largest ring (TTL_THRESHOLD); beyond it the whole network is searched.
    ttl_threshold: u8,
    /// Further network-wide requests after the first (RREQ_RETRIES).
    rreq_retries: u8,
    /// ns-2: longest wait for an answer, and the silence after giving up (MAX_RREQ_TIMEOUT).
    max_rreq_timeout: SimDuration,
    /// Requests a node may originate in a second (RREQ_RATELIMIT); 0 sets no limit.
    rreq_ratelimit: u32,
    /// Only the destination may answer (D flag).
    destination_only: bool,
    /// A node that answers for the destination also tells the destination the way back (G flag).
    gratuitous_rrep: bool,
    /// Packets that may wait for routes in a node, at least 1; the oldest makes room.
    buffer_packets: u32,
    /// How long a packet may wait for a route.
    buffer_timeout: SimDuration,
    /// Time between waiting packets sent when their route comes up (ns-2's ARP_DELAY).
    release_spacing: SimDuration,
    /// Relayed requests and errors wait a uniform time up to this.
    broadcast_jitter: SimDuration,

    /// When waits and lifetimes are found to be over: "exact" or "polled".
    upkeep: Upkeep,
    /// ns-2: how often routes and waiting packets are looked through, more than zero ("polled" only).
    purge_interval: SimDuration,
    /// A node's own sequence number: "rfc3561" or "even".
    own_sequence: OwnSequence,
    /// Learn a route to every neighbour that a routing message comes from (RFC 3561 §6.5).
    neighbour_routes: bool,
    /// Whose lifetimes a forwarded packet extends: "both-ways" or "destination-only".
    refresh: Refresh,
    /// Lifetime in replies for others: "remaining" or "whole-seconds".
    reply_lifetime: ReplyLifetime,

    /// A packet that the MAC gives up on shows a broken link.
    link_layer_feedback: bool,
    /// So does a reply or error that the MAC gives up on, not only data.
    control_feedback: bool,
    /// What becomes of packets whose next hop has gone: "reroute", "drop" or "leave-queue".
    stranded: Stranded,
    /// Who sends HELLO messages: "off", "active-routes" or "always".
    hello: Hello,
    /// Time between HELLOs, more than zero (HELLO_INTERVAL).
    hello_interval: SimDuration,
    /// Each interval between HELLOs is shifted by a uniform time up to this, early or late.
    hello_jitter: SimDuration,
    /// Intervals of silence after which a neighbour is held lost, at least 1 (ALLOWED_HELLO_LOSS).
    allowed_hello_loss: u8,

    /// Who hears of broken routes: "precursors" or "everyone".
    error_audience: ErrorAudience,
    /// What an error with an older sequence number does: "honour" or "ignore".
    stale_errors: StaleErrors,
    /// Errors a node may send in a second (RERR_RATELIMIT); 0 sets no limit.
    rerr_ratelimit: u32,

    /// Repair from the middle of a path: "off", "rfc3561" or "ns2".
    local_repair: LocalRepair,
    /// Furthest destination that is repaired, in hops (MAX_REPAIR_TTL, 0.3 × NET_DIAMETER).
    max_repair_ttl: u8,
    /// Hops added to a repair's ring (LOCAL_ADD_TTL).
    local_add_ttl: u8,

    /// Ask for acknowledgment of replies and shun neighbours that don't hear us (RFC 3561 §6.8).
    blacklist: bool,
    /// How long such a neighbour's requests are ignored (BLACKLIST_TIMEOUT, RREQ_RETRIES × NET_TRAVERSAL_TIME).
    blacklist_timeout: SimDuration,
    /// Wait for a reply's acknowledgment (NEXT_HOP_WAIT, NODE_TRAVERSAL_TIME + 10 ms).
    next_hop_wait: SimDuration,

    /// Sizes of the messages: "udp" or "ns2".
    packet_sizes: PacketSizes,
}

impl Default for AodvConfig {
    fn default() -> Self {
        Self::rfc3561()
    }
}

impl AodvConfig {
    /// The settings of a named set.
    pub fn preset(preset: AodvPreset) -> Self {
        match preset {
            AodvPreset::Rfc3561 => Self::rfc3561(),
            AodvPreset::Ns2 => Self::ns2(),
            AodvPreset::ThesisTrace => Self::thesis_trace(),
            AodvPreset::Thesis => Self::thesis(),
        }
    }

    /// RFC 3561 §10, with link-layer feedback instead of HELLOs (§6.10).
    pub fn rfc3561() -> Self {
        Self {
            preset: AodvPreset::Rfc3561,
            active_route_timeout: SimDuration::from_secs(3),
            my_route_timeout: SimDuration::from_secs(6),
            node_traversal_time: SimDuration::from_millis(40),
            net_diameter: 35,
            net_traversal_time: SimDuration::from_millis(2800),
            path_discovery_time: SimDuration::from_millis(5600),
            reverse_route_lifetime: SimDuration::ZERO,
            delete_period: SimDuration::from_secs(15),
            timeout_buffer: 2,
            requests: Requests::Rfc3561,
            expanding_ring: true,
            ttl_start: 1,
            ttl_increment: 2,
            ttl_threshold: 7,
            rreq_retries: 2,
            max_rreq_timeout: SimDuration::from_secs(10),
            rreq_ratelimit: 10,
            destination_only: false,
            gratuitous_rrep: false,
            buffer_packets: 64,
            buffer_timeout: SimDuration::from_secs(30),
            release_spacing: SimDuration::ZERO,
            broadcast_jitter: SimDuration::from_millis(10),
            upkeep: Upkeep::Exact,
            purge_interval: SimDuration::from_millis(500),
            own_sequence: OwnSequence::Rfc3561,
            neighbour_routes: true,
            refresh: Refresh::BothWays,
            reply_lifetime: ReplyLifetime::Remaining,
            link_layer_feedback: true,
            control_feedback: true,
            stranded: Stranded::Reroute,
            hello: Hello::Off,
            hello_interval: SimDuration::from_secs(1),
            hello_jitter: SimDuration::ZERO,
            allowed_hello_loss: 2,
            error_audience: ErrorAudience::Precursors,
            stale_errors: StaleErrors::Honour,
            rerr_ratelimit: 10,
            local_repair: LocalRepair::Off,
            max_repair_ttl: 10,
            local_add_ttl: 2,
            blacklist: false,
            blacklist_timeout: SimDuration::from_millis(5600),
            next_hop_wait: SimDuration::from_millis(50),
            packet_sizes: PacketSizes::Udp,
        }
    }

    /// ns-2.35's constants and habits (`aodv.h`, `aodv.cc`, `aodv_rqueue.h`).
    pub fn ns2() -> Self {
        Self {
            preset: AodvPreset::Ns2,
            active_route_timeout: SimDuration::from_secs(10),
            my_route_timeout: SimDuration::from_secs(10),
            node_traversal_time: SimDuration::from_millis(30),
            net_diameter: 30,
            net_traversal_time: SimDuration::from_millis(1800),
            path_discovery_time: SimDuration::from_secs(6),
            reverse_route_lifetime: SimDuration::from_secs(6),
            delete_period: SimDuration::MAX,
            requests: Requests::Ns2,
            ttl_start: 5,
            rreq_retries: 3,
            rreq_ratelimit: 0,
            release_spacing: SimDuration::from_millis(10),
            upkeep: Upkeep::Polled,
            own_sequence: OwnSequence::Even,
            neighbour_routes: false,
            refresh: Refresh::DestinationOnly,
            reply_lifetime: ReplyLifetime::WholeSeconds,
            control_feedback: false,
            stranded: Stranded::Drop,
            hello_jitter: SimDuration::from_millis(250),
            allowed_hello_loss: 3,
            error_audience: ErrorAudience::Everyone,
            stale_errors: StaleErrors::Ignore,
            rerr_ratelimit: 0,
            local_repair: LocalRepair::Ns2,
            packet_sizes: PacketSizes::Ns2,
            ..Self::rfc3561()
        }
    }

    /// The route-break trace of the thesis, table 3.1. Its text calls a neighbour stale after 5 s of
    /// silence, its trace detects the break after two HELLO intervals; the trace counts here.
    pub fn thesis_trace() -> Self {
        Self {
            preset: AodvPreset::ThesisTrace,
            active_route_timeout: SimDuration::from_secs(5),
            my_route_timeout: SimDuration::from_secs(10),
            delete_period: SimDuration::from_secs(25),
            ttl_start: 2,
            destination_only: true,
            link_layer_feedback: false,
            control_feedback: false,
            hello: Hello::Always,
            ..Self::rfc3561()
        }
    }

    /// The parameters of the thesis' other runs, appendix A.1. Its "gratuitous RREQ off" is read as its §3.2
    /// explains it: only the destination answers.
    pub fn thesis() -> Self {
        Self {
            preset: AodvPreset::Thesis,
            ttl_start: 2,
            destination_only: true,
            local_repair: LocalRepair::Rfc3561,
            ..Self::rfc3561()
        }
    }

    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        let zero_time = [
            ("active_route_timeout", self.active_route_timeout),
            ("my_route_timeout", self.my_route_timeout),
            ("node_traversal_time", self.node_traversal_time),
            ("net_traversal_time", self.net_traversal_time),
            ("path_discovery_time", self.path_discovery_time),
            ("max_rreq_timeout", self.max_rreq_timeout),
            ("buffer_timeout", self.buffer_timeout),
            ("purge_interval", self.purge_interval),
            ("hello_interval", self.hello_interval),
            ("next_hop_wait", self.next_hop_wait),
        ];
        let zero_count = [
            ("net_diameter", u32::from(self.net_diameter)),
            ("ttl_start", u32::from(self.ttl_start)),
            ("ttl_increment", u32::from(self.ttl_increment)),
            ("buffer_packets", self.buffer_packets),
            ("allowed_hello_loss", u32::from(self.allowed_hello_loss)),
        ];
        let problem = |key: &str, what: &str, remedy: String| {
            ConfigProblem::refuse(format!("routing.aodv.{key}"), what, remedy)
        };
        if let Some((key, _)) = zero_time.iter().find(|(_, d)| d.is_zero()) {
            return problem(key, "must be longer than zero", "give a time such as \"1s\"".into());
        }
        if let Some((key, _)) = zero_count.iter().find(|(_, n)| *n == 0) {
            return problem(key, "must be at least 1", "give a whole number from 1".into());
        }
        if self.buffer_packets > 1_000_000 {
            return problem("buffer_packets", "is absurdly large", "give at most 1000000".into());
        }
        if self.hello_jitter >= self.hello_interval {
            let remedy = format!("give less than hello_interval ({})", self.hello_interval);
            return problem("hello_jitter", "reaches the interval itself", remedy);
        }
        Ok(())
    }
}
