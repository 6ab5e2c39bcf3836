//! All parameters of DSR.

use super::options::{CacheKind, DsrPaper, MaintenanceOrder, RequestPattern};
use crate::settings::settings;
use crate::{Papers, Rules};
use tworay_base::{ConfigProblem, Dialect, FollowsDialect, SimDuration};

settings! {
    /// Settings of DSR. In a scenario, `dialect` says whose rules apply, and the other keys change
    /// single values. When written out, only keys that differ from the dialect appear.
    DsrConfig from
    /// Whose DSR to run: "standard" (RFC 4728, the default), "ns2", "freeze-probing" (ns-2 without replies
    /// from caches), or Papanastasiou's (2006) "thesis-trace" or "thesis".
    DsrPaper, schema "DsrConfig";

    /// Structure of the route cache: "path", "link" or "link-max-life".
    cache: CacheKind,
    /// Capacity of a path cache for paths that this node requested, at least 1.
    primary_paths: u32,
    /// Capacity of a path cache for overheard paths, at least 1.
    secondary_paths: u32,
    /// Lifetime of a link or path without confirmation (RouteCacheTimeout).
    route_cache_timeout: SimDuration,
    /// Longest route used or relayed, in hops, 1 to 63.
    max_route_hops: u8,
    /// Links work both ways: routes are learned, and invalidated, in both directions.
    bidirectional: bool,
    /// Learn the route back to the initiator from requests.
    learn_from_requests: bool,
    /// Learn from the headers of packets that are forwarded.
    snoop: bool,
    /// Learn also from forwarded route replies (ns-2 learns only from overheard ones).
    learn_from_replies: bool,
    /// Learn from the headers of overheard packets (promiscuous listening).
    promiscuous: bool,

    /// Sequence of route requests: "rfc4728" or "ns2".
    requests: RequestPattern,
    /// Send the first request to the neighbours only, before the whole network.
    nonpropagating: bool,
    /// Wait for a reply of the neighbours (NonpropRequestTimeout).
    nonprop_request_timeout: SimDuration,
    /// First wait between network-wide requests (RequestPeriod).
    request_period: SimDuration,
    /// Longest wait between requests (MaxRequestPeriod).
    max_request_period: SimDuration,
    /// Network-wide requests after the first without a reply; then the buffered packets are dropped
    /// (MaxRequestRexmt).
    max_request_rexmt: u8,
    /// Hop limit of a network-wide request, 1 to 255 (DiscoveryHopLimit).
    discovery_hop_limit: u8,
    /// Requests, and the target's replies, are delayed by a uniform time up to this (BroadcastJitter).
    broadcast_jitter: SimDuration,
    /// Initiators whose requests are remembered, at least 1 (RequestTableSize).
    request_table_size: u32,
    /// Requests remembered of each, at least 1 (RequestTableIds).
    request_table_ids: u32,
    /// The target replies to every copy of a request that arrives (RFC 4728 §8.2.2), so that the initiator learns
    /// several routes. If false, to the first copy only, as an AODV node does.
    reply_to_copies: bool,
    /// Nodes reply to requests for other nodes from their caches.
    reply_from_cache: bool,
    /// Replies from caches also answer requests that propagate (ns-2's `reply_from_cache_on_propagating`). If
    /// false, only requests to the neighbours.
    reply_to_propagating: bool,
    /// H of RFC 4728 §3.3.2: a reply from a cache is delayed by H × (length - 1 + a uniform number below 1).
    reply_holdoff: SimDuration,
    /// Send a gratuitous reply to the source of an overheard packet whose route could be shorter.
    gratuitous_replies: bool,
    /// Interval between such replies to one node about one sender (GratReplyHoldoff).
    grat_reply_holdoff: SimDuration,
    /// Include the last route error received in the next request.
    propagate_errors: bool,
    /// Time for which that error is kept.
    error_hold: SimDuration,
    /// ns-2: a route error that returns to the node that detected the break removes the link from its cache
    /// again, even if a reply has added it meanwhile.
    heed_own_errors: bool,

    /// Capacity of the buffer for packets without a route, at least 1; when full, it drops the oldest packet.
    send_buffer_packets: u32,
    /// Time for which a packet may stay in that buffer (SendBufferTimeout).
    send_buffer_timeout: SimDuration,
    /// Interval between buffered packets sent after a reply.
    release_spacing: SimDuration,

    /// A packet that the MAC gave up indicates a broken link. If false, missing acknowledgments do.
    link_layer_feedback: bool,
    /// Request acknowledgments from the next hop, if there is no link-layer feedback.
    network_acks: bool,
    /// Overhearing that the next hop forwards a packet acknowledges it, if there is no link-layer feedback.
    /// This cannot confirm the last hop.
    passive_acks: bool,
    /// Attempts with passive acknowledgment after the first (TryPassiveAcks).
    try_passive_acks: u8,
    /// Wait for a passive acknowledgment (PassiveAckTimeout).
    passive_ack_timeout: SimDuration,
    /// Attempts with a request for acknowledgment after the first (MaxMaintRexmt).
    max_maint_rexmt: u8,
    /// Wait for a requested acknowledgment.
    ack_timeout: SimDuration,
    /// No acknowledgment is requested over a link that was confirmed less than this ago (MaintHoldoffTime).
    maint_holdoff: SimDuration,
    /// Capacity of the maintenance buffer in packets; further packets are sent without supervision
    /// (RexmtBufferSize).
    rexmt_buffer_packets: u32,
    /// Order in which packets of a lost next hop are salvaged, and in which buffered packets are sent: "fifo"
    /// or "lifo".
    maintenance_order: MaintenanceOrder,

    /// Packets of other nodes whose next hop was lost get a new route from the cache.
    salvage: bool,
    /// Number of times that one packet may be salvaged, 0 to 15 (MAX_SALVAGE_COUNT).
    max_salvage_count: u8,
    /// Without a route in the cache, the packet is buffered while this node searches for one, starting with
    /// its neighbours (ns-2: once, the neighbours only).
    salvage_search: bool,
    /// A node's own packet whose next hop was lost is buffered if the cache has no other route (RFC 4728
    /// §3.4.3). DSR-UU with link-layer feedback drops it.
    keep_own: bool,
    /// ns-2: data counts 20 additional bytes for a second IP header.
    second_ip_header: bool,
}

impl Default for DsrConfig {
    fn default() -> Self {
        Self::rfc4728()
    }
}

impl Papers for DsrPaper {
    const DIALECTS: &'static [Dialect] = &[Dialect::Standard, Dialect::Ns2];
    const PAPERS: &'static [Self] = Self::ALL;
    const NAMES: &'static [&'static str] = &["standard", "ns2", "thesis-trace", "thesis", "freeze-probing"];
}

impl FollowsDialect for DsrConfig {
    fn of(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Standard => Self::rfc4728(),
            Dialect::Ns2 => Self::ns2(),
        }
    }
}

impl DsrConfig {
    fn paper(paper: DsrPaper) -> Self {
        match paper {
            DsrPaper::ThesisTrace => Self::thesis_trace(),
            DsrPaper::Thesis => Self::thesis(),
            DsrPaper::FreezeProbing => Self::freeze_probing(),
        }
    }

    /// RFC 4728 §9, with link-layer feedback (§3.4.3) and a Link-MaxLife cache (§4.1).
    pub fn rfc4728() -> Self {
        Self {
            dialect: Rules::Dialect(Dialect::Standard),
            cache: CacheKind::LinkMaxLife,
            primary_paths: 30,
            secondary_paths: 34,
            route_cache_timeout: SimDuration::from_secs(300),
            max_route_hops: 63,
            bidirectional: true,
            learn_from_requests: true,
            snoop: true,
            learn_from_replies: true,
            promiscuous: true,
            requests: RequestPattern::Rfc4728,
            nonpropagating: true,
            nonprop_request_timeout: SimDuration::from_millis(30),
            request_period: SimDuration::from_millis(500),
            max_request_period: SimDuration::from_secs(10),
            max_request_rexmt: 16,
            discovery_hop_limit: 255,
            broadcast_jitter: SimDuration::from_millis(10),
            request_table_size: 64,
            request_table_ids: 16,
            reply_to_copies: true,
            reply_from_cache: true,
            reply_to_propagating: true,
            reply_holdoff: SimDuration::from_millis(1),
            gratuitous_replies: true,
            grat_reply_holdoff: SimDuration::from_secs(1),
            propagate_errors: true,
            error_hold: SimDuration::from_secs(1),
            heed_own_errors: false,
            send_buffer_packets: 64,
            send_buffer_timeout: SimDuration::from_secs(30),
            release_spacing: SimDuration::ZERO,
            link_layer_feedback: true,
            network_acks: true,
            passive_acks: true,
            try_passive_acks: 1,
            passive_ack_timeout: SimDuration::from_millis(100),
            max_maint_rexmt: 2,
            ack_timeout: SimDuration::from_millis(250),
            maint_holdoff: SimDuration::from_millis(250),
            rexmt_buffer_packets: 50,
            maintenance_order: MaintenanceOrder::Fifo,
            salvage: true,
            max_salvage_count: 15,
            salvage_search: false,
            keep_own: true,
            second_ip_header: false,
        }
    }

    /// The route-break trace of Papanastasiou (2006), table 3.2.
    pub fn thesis_trace() -> Self {
        Self { dialect: DsrPaper::ThesisTrace.into(), link_layer_feedback: false, ..Self::thesis() }
    }

    /// The other runs of Papanastasiou (2006), appendix A.2. DSR-UU without network-layer acknowledgments
    /// relies on link-layer feedback. Its "flush link cache" empties the cache at configuration and has no
    /// equivalent here.
    pub fn thesis() -> Self {
        Self {
            dialect: DsrPaper::Thesis.into(),
            cache: CacheKind::Link,
            maintenance_order: MaintenanceOrder::Lifo,
            broadcast_jitter: SimDuration::from_millis(20),
            send_buffer_packets: 100,
            ..Self::rfc4728()
        }
    }

    /// ns-2.35's constants and quirks (`dsragent.cc`, `mobicache.cc`, `requesttable.cc`).
    pub fn ns2() -> Self {
        Self {
            dialect: Rules::Dialect(Dialect::Ns2),
            cache: CacheKind::Path,
            // The constructor in use says 64, the unused one 34.
            secondary_paths: 64,
            route_cache_timeout: SimDuration::MAX,
            max_route_hops: 15,
            bidirectional: false,
            learn_from_requests: false,
            learn_from_replies: false,
            requests: RequestPattern::Ns2,
            heed_own_errors: true,
            reply_holdoff: SimDuration::ZERO,
            release_spacing: SimDuration::from_millis(30),
            salvage_search: true,
            second_ip_header: true,
            ..Self::rfc4728()
        }
    }

    /// ns-2's values with "no replies from cache", for which its source needs two switches.
    pub fn freeze_probing() -> Self {
        Self {
            dialect: DsrPaper::FreezeProbing.into(),
            reply_from_cache: false,
            nonpropagating: false,
            ..Self::ns2()
        }
    }

    /// True if acknowledgments, not the MAC, detect broken links.
    pub(super) fn watches(&self) -> bool {
        !self.link_layer_feedback && (self.passive_acks || self.network_acks)
    }

    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ConfigProblem> {
        let zero_time = [
            ("route_cache_timeout", self.route_cache_timeout),
            ("nonprop_request_timeout", self.nonprop_request_timeout),
            ("request_period", self.request_period),
            ("max_request_period", self.max_request_period),
            ("send_buffer_timeout", self.send_buffer_timeout),
            ("passive_ack_timeout", self.passive_ack_timeout),
            ("ack_timeout", self.ack_timeout),
        ];
        let counts = [
            ("primary_paths", self.primary_paths, 1, 100_000),
            ("secondary_paths", self.secondary_paths, 1, 100_000),
            ("max_route_hops", u32::from(self.max_route_hops), 1, 63),
            ("discovery_hop_limit", u32::from(self.discovery_hop_limit), 1, 255),
            ("request_table_size", self.request_table_size, 1, 100_000),
            ("request_table_ids", self.request_table_ids, 1, 100_000),
            ("send_buffer_packets", self.send_buffer_packets, 1, 1_000_000),
            ("rexmt_buffer_packets", self.rexmt_buffer_packets, 0, 1_000_000),
            ("max_salvage_count", u32::from(self.max_salvage_count), 0, 15),
        ];
        let problem = |key: &str, what: String, remedy: String| {
            ConfigProblem::refuse(format!("routing.dsr.{key}"), what, remedy)
        };
        if let Some((key, _)) = zero_time.iter().find(|(_, d)| d.is_zero()) {
            return problem(key, "must be longer than zero".into(), "give a time such as \"1s\"".into());
        }
        if let Some((key, n, low, high)) = counts.iter().find(|(_, n, low, high)| !(low..=high).contains(&n))
        {
            return problem(
                key,
                format!("{n} is out of range"),
                format!("give a whole number from {low} to {high}"),
            );
        }
        if self.max_request_period < self.request_period {
            let remedy = format!("give at least request_period ({})", self.request_period);
            return problem("max_request_period", "is below request_period".into(), remedy);
        }
        Ok(())
    }
}
