//! Every constant and habit of DSR.

use super::options::{CacheKind, DsrPreset, MaintenanceOrder, RequestPattern};
use crate::settings::settings;
use tworay_base::{ConfigProblem, SimDuration};

settings! {
    /// DSR's settings. In a file, `preset` picks a set and the other keys change single ones of it; written
    /// out, only what differs from the preset appears.
    DsrConfig from
    /// The set that the other settings start from: "rfc4728" (the default), "thesis-trace", "thesis",
    /// "ns2" or "freeze-probing".
    DsrPreset, schema "DsrConfig";

    /// What the route cache keeps: "path", "link" or "link-max-life".
    cache: CacheKind,
    /// Paths that were asked for and that a path cache holds, at least 1.
    primary_paths: u32,
    /// Overheard paths that a path cache holds, at least 1.
    secondary_paths: u32,
    /// How long a link or path is believed without news of it (RouteCacheTimeout).
    route_cache_timeout: SimDuration,
    /// Longest route used or relayed, in hops, 1 to 63.
    max_route_hops: u8,
    /// Links work both ways: routes are learned, and broken, in both directions.
    bidirectional: bool,
    /// Learn the way back to the initiator from requests that pass.
    learn_from_requests: bool,
    /// Learn from the headers of packets that are forwarded.
    snoop: bool,
    /// Learn also from the route replies that are forwarded (ns-2 learns from those it overhears only).
    learn_from_replies: bool,
    /// Learn from the headers of overheard packets (promiscuous listening).
    promiscuous: bool,

    /// How route requests follow each other: "rfc4728" or "ns2".
    requests: RequestPattern,
    /// Ask the neighbours alone before the whole network.
    nonpropagating: bool,
    /// Wait for an answer of the neighbours (NonpropRequestTimeout).
    nonprop_request_timeout: SimDuration,
    /// First wait between network-wide requests (RequestPeriod).
    request_period: SimDuration,
    /// Longest wait between requests (MaxRequestPeriod).
    max_request_period: SimDuration,
    /// Network-wide requests after the first without an answer; then waiting packets are dropped
    /// (MaxRequestRexmt).
    max_request_rexmt: u8,
    /// Hop limit of a network-wide request, 1 to 255 (DiscoveryHopLimit).
    discovery_hop_limit: u8,
    /// Requests, and the target's replies, wait a uniform time up to this (BroadcastJitter).
    broadcast_jitter: SimDuration,
    /// Initiators whose requests are remembered, at least 1 (RequestTableSize).
    request_table_size: u32,
    /// Requests remembered of each, at least 1 (RequestTableIds).
    request_table_ids: u32,
    /// Nodes answer requests for others from their caches.
    reply_from_cache: bool,
    /// They do so also for requests that propagate (ns-2's `reply_from_cache_on_propagating`); if not, only
    /// for those that a node asks its neighbours alone.
    reply_to_propagating: bool,
    /// H of RFC 4728 §3.3.2: an answer from a cache waits H × (length - 1 + a uniform number below 1).
    reply_holdoff: SimDuration,
    /// Tell the source of an overheard packet when its route can be shorter.
    gratuitous_replies: bool,
    /// Time between such replies to one node about one sender (GratReplyHoldoff).
    grat_reply_holdoff: SimDuration,
    /// Put the last route error heard into the next request.
    propagate_errors: bool,
    /// For how long after it was heard.
    error_hold: SimDuration,
    /// ns-2: a route error that comes back to the node that found the break takes the link from its cache
    /// again, even if a reply has brought it back meanwhile.
    heed_own_errors: bool,

    /// Packets that may wait for routes in a node, at least 1; the oldest makes room.
    send_buffer_packets: u32,
    /// How long a packet may wait for a route (SendBufferTimeout).
    send_buffer_timeout: SimDuration,
    /// Time between waiting packets that a reply sets free.
    release_spacing: SimDuration,

    /// A packet that the MAC gives up on shows a broken link; without it, acknowledgments do.
    link_layer_feedback: bool,
    /// Ask the next hop for acknowledgments, if there is no link-layer feedback.
    network_acks: bool,
    /// Overhearing the next hop forward a packet acknowledges it, if there is no link-layer feedback. The
    /// last hop can't be confirmed so.
    passive_acks: bool,
    /// Attempts by passive acknowledgment after the first (TryPassiveAcks).
    try_passive_acks: u8,
    /// Wait for a passive acknowledgment (PassiveAckTimeout).
    passive_ack_timeout: SimDuration,
    /// Attempts with a request for acknowledgment after the first (MaxMaintRexmt).
    max_maint_rexmt: u8,
    /// Wait for an acknowledgment that was asked for.
    ack_timeout: SimDuration,
    /// A link confirmed less than this ago isn't asked about again (MaintHoldoffTime).
    maint_holdoff: SimDuration,
    /// Packets in the maintenance buffer; more are sent unwatched (RexmtBufferSize).
    rexmt_buffer_packets: u32,
    /// Order in which packets of a lost next hop are saved, and in which those that wait for a route leave:
    /// "fifo" or "lifo".
    maintenance_order: MaintenanceOrder,

    /// Packets of others whose next hop is lost get a new route from the cache.
    salvage: bool,
    /// How often one packet may be salvaged, 0 to 15 (MAX_SALVAGE_COUNT).
    max_salvage_count: u8,
    /// Without a route in the cache, the packet waits while one is looked for, its neighbours asked first
    /// (ns-2: once, and nobody else).
    salvage_search: bool,
    /// A node's own packet whose next hop is lost waits for a new route if the cache has none (RFC 4728
    /// §3.4.3); DSR-UU drops it where the link layer tells of breaks.
    keep_own: bool,
    /// ns-2: data counts 20 bytes more, for a second IP header.
    second_ip_header: bool,
}

impl Default for DsrConfig {
    fn default() -> Self {
        Self::rfc4728()
    }
}

impl DsrConfig {
    /// The settings of a named set.
    pub fn preset(preset: DsrPreset) -> Self {
        match preset {
            DsrPreset::Rfc4728 => Self::rfc4728(),
            DsrPreset::ThesisTrace => Self::thesis_trace(),
            DsrPreset::Thesis => Self::thesis(),
            DsrPreset::Ns2 => Self::ns2(),
            DsrPreset::FreezeProbing => Self::freeze_probing(),
        }
    }

    /// RFC 4728 §9, with link-layer feedback (§3.4.3) and a Link-MaxLife cache (§4.1).
    pub fn rfc4728() -> Self {
        Self {
            preset: DsrPreset::Rfc4728,
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

    /// The route-break trace of the thesis, table 3.2.
    pub fn thesis_trace() -> Self {
        Self { preset: DsrPreset::ThesisTrace, link_layer_feedback: false, ..Self::thesis() }
    }

    /// The parameters of the thesis' other runs, appendix A.2. DSR-UU without network-layer
    /// acknowledgments is told of breaks by the link layer; its "flush link cache" empties the cache when
    /// it is configured, which has no counterpart here.
    pub fn thesis() -> Self {
        Self {
            preset: DsrPreset::Thesis,
            cache: CacheKind::Link,
            maintenance_order: MaintenanceOrder::Lifo,
            broadcast_jitter: SimDuration::from_millis(20),
            send_buffer_packets: 100,
            ..Self::rfc4728()
        }
    }

    /// ns-2.35's constants and habits (`dsragent.cc`, `mobicache.cc`, `requesttable.cc`).
    pub fn ns2() -> Self {
        Self {
            preset: DsrPreset::Ns2,
            cache: CacheKind::Path,
            // The constructor that runs says 64, the one that doesn't says 34.
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

    /// ns-2's with "no replies from cache", which its source says takes two switches.
    pub fn freeze_probing() -> Self {
        Self {
            preset: DsrPreset::FreezeProbing,
            reply_from_cache: false,
            nonpropagating: false,
            ..Self::ns2()
        }
    }

    /// Whether something else than the MAC tells of broken links.
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
