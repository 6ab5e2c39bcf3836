//! DSR's enumerated settings.

use crate::settings::choice;

choice!(
    /// Programs of papers.
    DsrPaper {
        /// The route-break trace of Papanastasiou (2006), table 3.2: passive and network-layer
        /// acknowledgments instead of link-layer feedback.
        ThesisTrace,
        /// All other runs of Papanastasiou (2006), appendix A.2: DSR-UU with link-layer feedback.
        Thesis,
        /// ns-2 without replies from caches, as in the Freeze-Probing paper (2005).
        FreezeProbing,
    }
);
choice!(
    /// Structure of the route cache (RFC 4728 §4.1).
    CacheKind {
        /// Complete paths, in a primary (requested) and a secondary (overheard) store, first in first out.
        Path,
        /// A graph of links, each valid for `route_cache_timeout`; the shortest path is used.
        Link,
        /// A graph of links whose lifetimes follow from the stability of their ends (Link-MaxLife).
        LinkMaxLife,
    }
);
choice!(
    /// Sequence of route requests.
    RequestPattern {
        /// One request to the neighbours, then network-wide ones with doubling waits (RFC 4728 §4.3).
        /// Buffered packets are sent as soon as a route is learned.
        Rfc4728,
        /// ns-2: pairs of a request to the neighbours and a network-wide one; the wait grows fourfold from
        /// pair to pair. Buffered packets are checked when a reply arrives and every 30 to 60 ms.
        Ns2,
    }
);
choice!(
    /// Order in which packets are salvaged when their next hop is lost, and in which buffered packets are
    /// sent.
    MaintenanceOrder {
        /// Oldest first.
        Fifo,
        /// Newest first.
        Lifo,
    }
);
