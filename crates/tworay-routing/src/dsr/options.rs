//! The choices of DSR that are more than a number.

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
pub enum DsrPreset {
    /// RFC 4728 §9, broken links told by the link layer.
    #[default]
    Rfc4728,
    /// The route-break trace of the thesis (table 3.2): passive and network-layer acknowledgments
    /// instead of link-layer feedback.
    ThesisTrace,
    /// All other runs of the thesis (appendix A.2): DSR-UU with link-layer feedback.
    Thesis,
    /// ns-2.35's `DSRAgent` with its habits, its flow state left out.
    Ns2,
    /// ns-2 without replies from caches, as the Freeze-Probing study runs it.
    FreezeProbing,
}

choice!(
    /// What the route cache keeps (RFC 4728 §4.1).
    CacheKind {
        /// Whole paths, in a primary (asked for) and a secondary (overheard) store, first in first out.
        Path,
        /// A graph of links, each for `route_cache_timeout`; the shortest path counts.
        Link,
        /// A graph of links with lifetimes from the stability of their ends (Link-MaxLife).
        LinkMaxLife,
    }
);
choice!(
    /// How route requests follow each other.
    RequestPattern {
        /// One to the neighbours, then network-wide ones whose waits double (RFC 4728 §4.3). Whatever is
        /// learned sends waiting packets at once.
        Rfc4728,
        /// ns-2: pairs of a request to the neighbours and a network-wide one, with waits that grow
        /// fourfold between pairs. Waiting packets are looked at when a reply comes and every 30 to 60 ms.
        Ns2,
    }
);
choice!(
    /// In which order packets are saved when their next hop is lost, and leave the buffer in which those
    /// without a route wait.
    MaintenanceOrder {
        /// Oldest first.
        Fifo,
        /// Newest first.
        Lifo,
    }
);
