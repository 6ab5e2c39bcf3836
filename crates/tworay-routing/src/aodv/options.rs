//! The choices of AODV that are more than a number.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A choice with kebab-case names.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$vdoc])* $variant),+ }
    };
}

/// A named set of settings; the other keys then change single ones.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AodvPreset {
    /// RFC 3561 §10, broken links told by the link layer, no HELLOs.
    #[default]
    Rfc3561,
    /// ns-2.35's `Agent/AODV` with its habits.
    Ns2,
    /// The route-break trace of the thesis (table 3.1): HELLOs instead of link-layer feedback.
    ThesisTrace,
    /// All other runs of the thesis (appendix A.1): AODV-UU with link-layer feedback and repair.
    Thesis,
}
choice!(
    /// How route requests follow each other.
    Requests {
        /// Expanding ring, then `rreq_retries` more network-wide ones with doubled waits; then the
        /// waiting packets are dropped (RFC 3561 §6.3, §6.4).
        Rfc3561,
        /// ns-2: waits from measured latencies, `rreq_retries` + 1 network-wide ones, then silence for
        /// `max_rreq_timeout`; the first request for a destination is network-wide, since an unset last
        /// hop count of 255 exceeds the threshold.
        Ns2,
    }
);
choice!(
    /// When waits and lifetimes are found to be over.
    Upkeep {
        /// At their time.
        Exact,
        /// At the next multiple of `purge_interval` (and a request also when a packet comes), as ns-2
        /// does; a route that expires takes the packets waiting for it with it.
        Polled,
    }
);
choice!(
    /// Whose lifetimes a forwarded packet extends.
    Refresh {
        /// The routes to destination, source, next hop and previous hop (RFC 3561 §6.2).
        BothWays,
        /// The route to the destination only; also when it carries a reply (ns-2).
        DestinationOnly,
    }
);
choice!(
    /// Who sends HELLO messages.
    Hello {
        /// Nobody.
        Off,
        /// Nodes with a valid route that broadcast nothing for an interval (RFC 3561 §6.9).
        ActiveRoutes,
        /// Every node, every interval.
        Always,
    }
);
choice!(
    /// What becomes of packets whose next hop has gone: the one the MAC gave up on and those waiting
    /// for the same neighbour in the interface queue.
    Stranded {
        /// This node's own wait for a new route, others go where a route leads or are dropped.
        Reroute,
        /// All are dropped (ns-2).
        Drop,
        /// As "reroute" for the failed packet; the queue is left as it is.
        LeaveQueue,
    }
);
choice!(
    /// Who hears of broken routes.
    ErrorAudience {
        /// The precursors: a unicast to a single one, a broadcast to several, nothing to none (RFC 3561 §6.11).
        Precursors,
        /// A broadcast; where the link broke, for routes without precursors too (ns-2).
        Everyone,
    }
);
choice!(
    /// What a route error with an older sequence number than the route's does.
    StaleErrors {
        /// It breaks the route (RFC 3561 §6.11).
        Honour,
        /// Nothing (ns-2).
        Ignore,
    }
);
choice!(
    /// Repair from the middle of a path.
    LocalRepair {
        /// None: the packet is lost and the source told.
        Off,
        /// If the destination was at most `max_repair_ttl` hops away: one request with a newer
        /// sequence number and a small ring (RFC 3561 §6.12).
        Rfc3561,
        /// If the packet has come further than the hops that were left: ordinary requests with the
        /// sequence number as it was. The end of the wait is set as ns-2 does it, an absolute time
        /// taken for a delay, so that a repair at time t ends at about 2 t.
        Ns2,
    }
);
choice!(
    /// What the lifetime field of an intermediate node's reply says.
    ReplyLifetime {
        /// The time left of its own route (RFC 3561 §6.6.2).
        Remaining,
        /// The same cut to whole seconds, as an unsigned number: a route under repair says 2³² s less
        /// the time since the start (ns-2).
        WholeSeconds,
    }
);
choice!(
    /// The destination's choice of its sequence number when it replies, and a node's steps.
    OwnSequence {
        /// Steps of one; a reply uses the larger of its own and the requested number (RFC 3561 §6.1),
        /// one more if they are equal (AODV-UU's reading; else a reply may be no news on its way).
        Rfc3561,
        /// Even numbers from 2 in steps of two; a reply is always newer than the request; a lost
        /// neighbour also takes a step (ns-2). Odd numbers mark broken routes.
        Even,
    }
);
choice!(
    /// Sizes of the messages.
    PacketSizes {
        /// IPv4 and UDP headers and RFC 3561's formats: request 52, reply 48, error 32 + 8 n bytes.
        Udp,
        /// ns-2's: request 48, reply and HELLO 44, error 24 + 8 n bytes.
        Ns2,
    }
);
