//! AODV's enumerated settings.

use crate::settings::choice;

choice!(
    /// Programs of papers.
    AodvPaper {
        /// The route-break trace of Papanastasiou (2006), table 3.1: HELLOs instead of link-layer feedback.
        ThesisTrace,
        /// All other runs of Papanastasiou (2006), appendix A.1: AODV-UU with link-layer feedback and repair.
        Thesis,
    }
);
choice!(
    /// Sequence of route requests.
    Requests {
        /// Expanding ring, then up to `rreq_retries` further network-wide requests with doubled waits; then
        /// the buffered packets are dropped (RFC 3561 §6.3, §6.4).
        Rfc3561,
        /// ns-2: waits follow from measured latencies; `rreq_retries` + 1 network-wide requests, then a pause
        /// of `max_rreq_timeout`. The first request for a destination is network-wide, because the initial
        /// last hop count of 255 exceeds the threshold.
        Ns2,
    }
);
choice!(
    /// When timeouts and lifetimes take effect.
    Upkeep {
        /// Exactly at their time.
        Exact,
        /// At the next multiple of `purge_interval` (requests also when a packet arrives), as in ns-2. When a
        /// route expires, the packets buffered for it are dropped.
        Polled,
    }
);
choice!(
    /// Which routes' lifetimes a forwarded packet extends.
    Refresh {
        /// The routes to destination, source, next hop and previous hop (RFC 3561 §6.2).
        BothWays,
        /// The route to the destination only, even if it carries a reply (ns-2).
        DestinationOnly,
    }
);
choice!(
    /// Which nodes send HELLO messages.
    Hello {
        /// No node.
        Off,
        /// Nodes with a valid route that sent no broadcast during the interval (RFC 3561 §6.9).
        ActiveRoutes,
        /// Every node, at every interval.
        Always,
    }
);
choice!(
    /// Treatment of packets whose next hop is lost: the one that the MAC gave up, and those for the same
    /// neighbour in the interface queue.
    Stranded {
        /// Packets generated here are buffered until there is a new route. Others are rerouted if possible,
        /// else dropped.
        Reroute,
        /// All are dropped (ns-2).
        Drop,
        /// As "reroute" for the packet that failed; the queue is left as it is.
        LeaveQueue,
    }
);
choice!(
    /// Who receives route errors.
    ErrorAudience {
        /// The precursors: unicast for one, broadcast for several, none without precursors (RFC 3561 §6.11).
        Precursors,
        /// All neighbours, by broadcast; at the break also for routes without precursors (ns-2).
        Everyone,
    }
);
choice!(
    /// Effect of a route error whose sequence number is older than the route's.
    StaleErrors {
        /// It invalidates the route (RFC 3561 §6.11).
        Honour,
        /// None (ns-2).
        Ignore,
    }
);
choice!(
    /// Local repair at an intermediate node.
    LocalRepair {
        /// None: the packet is lost and the source is notified.
        Off,
        /// If the destination was at most `max_repair_ttl` hops away: one request with a newer sequence
        /// number and a small ring (RFC 3561 §6.12).
        Rfc3561,
        /// If the packet has travelled more hops than remained: ordinary requests with the old sequence
        /// number. As in ns-2, an absolute time is used as a delay, so that a repair at time t ends at about
        /// 2 t.
        Ns2,
    }
);
choice!(
    /// Lifetime in an intermediate node's reply.
    ReplyLifetime {
        /// The remaining lifetime of its own route (RFC 3561 §6.6.2).
        Remaining,
        /// The same in whole seconds as an unsigned number: for a route under repair, 2³² s less the time
        /// since the start (ns-2).
        WholeSeconds,
    }
);
choice!(
    /// Rule by which a destination chooses the sequence number of its reply, and a node increments its own.
    OwnSequence {
        /// Increments of one. A reply uses the larger of its own and the requested number (RFC 3561 §6.1), or
        /// one more if they are equal. The latter is AODV-UU's interpretation: otherwise nodes on the path
        /// might ignore the reply as old.
        Rfc3561,
        /// Even numbers from 2 in steps of two. A reply is always newer than the request; losing a neighbour
        /// also increments the number (ns-2). Odd numbers mark broken routes.
        Even,
    }
);
choice!(
    /// Sizes of the messages.
    PacketSizes {
        /// IPv4 and UDP headers and the formats of RFC 3561: request 52, reply 48, error 32 + 8 n bytes.
        Udp,
        /// ns-2's: request 48, reply and HELLO 44, error 24 + 8 n bytes.
        Ns2,
    }
);
