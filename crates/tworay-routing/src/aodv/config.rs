//! All parameters of AODV.

use super::options::{
    AodvPaper, ErrorAudience, Hello, LocalRepair, OwnSequence, PacketSizes, Refresh, ReplyLifetime, Requests,
    StaleErrors, Stranded, Upkeep,
};
use crate::settings::settings;
use crate::{Papers, Rules};
use tworay_base::{ConfigProblem, Dialect, FollowsDialect, SimDuration};

settings! {
    /// Settings of AODV. In a scenario, `dialect` says whose rules apply, and the other keys change
    /// single values. When written out, only keys that differ from the dialect appear.
    AodvConfig from
    /// Whose AODV to run: "standard" (RFC 3561, the default), "ns2", or Papanastasiou's (2006) "thesis-trace"
    /// or "thesis".
    AodvPaper, schema "AodvConfig";

    /// Time for which a route stays valid after use (ACTIVE_ROUTE_TIMEOUT).
    active_route_timeout: SimDuration,
    /// Lifetime in a destination's replies (MY_ROUTE_TIMEOUT, 2 × ACTIVE_ROUTE_TIMEOUT).
    my_route_timeout: SimDuration,
    /// Conservative estimate of the time for one hop including queueing and processing (NODE_TRAVERSAL_TIME).
    node_traversal_time: SimDuration,
    /// Hop limit of a network-wide request, 1..=255 (NET_DIAMETER).
    net_diameter: u8,
    /// Time for a request to cross the network and for the reply to return (NET_TRAVERSAL_TIME, 2 ×
    /// NODE_TRAVERSAL_TIME × NET_DIAMETER).
    net_traversal_time: SimDuration,
    /// Time for which a request's id is remembered (PATH_DISCOVERY_TIME, 2 × NET_TRAVERSAL_TIME).
    path_discovery_time: SimDuration,
    /// Minimum lifetime of the route to a request's originator. Zero: 2 × NET_TRAVERSAL_TIME - 2 × hops ×
    /// NODE_TRAVERSAL_TIME, as in RFC 3561 §6.5.
    reverse_route_lifetime: SimDuration,
    /// Time for which an invalid route's sequence number is kept (DELETE_PERIOD, 5 × the larger of
    /// ACTIVE_ROUTE_TIMEOUT and HELLO_INTERVAL).
    delete_period: SimDuration,
    /// Additional hops in the wait for a ring's reply (TIMEOUT_BUFFER): 2 × NODE_TRAVERSAL_TIME × (ttl +
    /// this).
    timeout_buffer: u8,

    /// Sequence of route requests: "rfc3561" or "ns2".
    requests: Requests,
    /// Search in growing rings before searching the whole network.
    expanding_ring: bool,
    /// First ring's hop limit, 1..=255 (TTL_START).
    ttl_start: u8,
    /// Hops added from ring to ring, 1..=255 (TTL_INCREMENT).
    ttl_increment: u8,
    /// Largest ring (TTL_THRESHOLD); beyond it the whole network is searched.
    ttl_threshold: u8,
    /// Further network-wide requests after the first (RREQ_RETRIES).
    rreq_retries: u8,
    /// ns-2: longest wait for a reply, and the pause after giving up (MAX_RREQ_TIMEOUT).
    max_rreq_timeout: SimDuration,
    /// Maximum number of requests that a node originates per second (RREQ_RATELIMIT); 0: no limit.
    rreq_ratelimit: u32,
    /// Only the destination may reply (D flag).
    destination_only: bool,
    /// A node that replies for the destination also sends the destination the reverse route (G flag).
    gratuitous_rrep: bool,
    /// Capacity of the buffer for packets without a route, at least 1; when full, it drops the oldest packet.
    buffer_packets: u32,
    /// Time for which a packet may stay in that buffer.
    buffer_timeout: SimDuration,
    /// Interval between buffered packets sent when their route is found (ns-2's ARP_DELAY).
    release_spacing: SimDuration,
    /// Relayed requests and errors are delayed by a uniform time up to this.
    broadcast_jitter: SimDuration,

    /// When timeouts and lifetimes take effect: "exact" or "polled".
    upkeep: Upkeep,
    /// ns-2: interval at which routes and buffered packets are checked, more than zero ("polled" only).
    purge_interval: SimDuration,
    /// Rule for a node's own sequence number: "rfc3561" or "even".
    own_sequence: OwnSequence,
    /// Learn a route to every neighbour that sends a routing message (RFC 3561 §6.5).
    neighbour_routes: bool,
    /// Which routes' lifetimes a forwarded packet extends: "both-ways" or "destination-only".
    refresh: Refresh,
    /// Lifetime in replies of intermediate nodes: "remaining" or "whole-seconds".
    reply_lifetime: ReplyLifetime,

    /// A packet that the MAC gave up indicates a broken link.
    link_layer_feedback: bool,
    /// A reply or error that the MAC gave up does so as well.
    control_feedback: bool,
    /// Treatment of packets whose next hop is lost: "reroute", "drop" or "leave-queue".
    stranded: Stranded,
    /// Which nodes send HELLO messages: "off", "active-routes" or "always".
    hello: Hello,
    /// Interval between HELLOs, more than zero (HELLO_INTERVAL).
    hello_interval: SimDuration,
    /// Each HELLO is up to this much early or late, uniformly distributed.
    hello_jitter: SimDuration,
    /// Number of silent intervals after which a neighbour counts as lost, at least 1 (ALLOWED_HELLO_LOSS).
    allowed_hello_loss: u8,

    /// Who receives route errors: "precursors" or "everyone".
    error_audience: ErrorAudience,
    /// Effect of an error with an older sequence number: "honour" or "ignore".
    stale_errors: StaleErrors,
    /// Maximum number of errors that a node sends per second (RERR_RATELIMIT); 0: no limit.
    rerr_ratelimit: u32,

    /// Local repair at an intermediate node: "off", "rfc3561" or "ns2".
    local_repair: LocalRepair,
    /// Largest distance of a destination that is repaired, in hops (MAX_REPAIR_TTL, 0.3 × NET_DIAMETER).
    max_repair_ttl: u8,
    /// Hops added to a repair's ring (LOCAL_ADD_TTL).
    local_add_ttl: u8,

    /// Request acknowledgments of replies, and ignore neighbours that do not receive from this node (RFC 3561
    /// §6.8).
    blacklist: bool,
    /// Time for which such a neighbour's requests are ignored (BLACKLIST_TIMEOUT, RREQ_RETRIES ×
    /// NET_TRAVERSAL_TIME).
    blacklist_timeout: SimDuration,
    /// Wait for the acknowledgment of a reply (NEXT_HOP_WAIT, NODE_TRAVERSAL_TIME + 10 ms).
    next_hop_wait: SimDuration,

    /// Sizes of the messages: "udp" or "ns2".
    packet_sizes: PacketSizes,
}

impl Default for AodvConfig {
    fn default() -> Self {
        Self::rfc3561()
    }
}

impl Papers for AodvPaper {
    const DIALECTS: &'static [Dialect] = &[Dialect::Standard, Dialect::Ns2];
    const PAPERS: &'static [Self] = Self::ALL;
    const NAMES: &'static [&'static str] = &["standard", "ns2", "thesis-trace", "thesis"];
}

impl FollowsDialect for AodvConfig {
    fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Standard => Self::rfc3561(),
            Dialect::Ns2 => Self::ns2(),
        }
    }
}

impl AodvConfig {
    fn paper(paper: AodvPaper) -> Self {
        match paper {
            AodvPaper::ThesisTrace => Self::thesis_trace(),
            AodvPaper::Thesis => Self::thesis(),
        }
    }

    /// RFC 3561 §10, with link-layer feedback instead of HELLOs (§6.10).
    pub fn rfc3561() -> Self {
        Self {
            dialect: Rules::Dialect(Dialect::Standard),
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

    /// ns-2.35's constants and quirks (`aodv.h`, `aodv.cc`, `aodv_rqueue.h`).
    pub fn ns2() -> Self {
        Self {
            dialect: Rules::Dialect(Dialect::Ns2),
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

    /// The route-break trace of Papanastasiou (2006), table 3.1. The text has neighbours time out after 5 s
    /// of silence; the trace detects the break after two HELLO intervals. This follows the trace.
    pub fn thesis_trace() -> Self {
        Self {
            dialect: AodvPaper::ThesisTrace.into(),
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

    /// The other runs of Papanastasiou (2006), appendix A.1. "Gratuitous RREQ off" is taken to mean what §3.2
    /// explains: only the destination replies.
    pub fn thesis() -> Self {
        Self {
            dialect: AodvPaper::Thesis.into(),
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
            return problem("buffer_packets", "is too large", "give at most 1000000".into());
        }
        if self.hello_jitter >= self.hello_interval {
            let remedy = format!("give less than hello_interval ({})", self.hello_interval);
            return problem("hello_jitter", "is not below hello_interval", remedy);
        }
        Ok(())
    }
}
