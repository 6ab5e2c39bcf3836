//! Loss causes as recorded in the ledger.

use strum::{IntoStaticStr, VariantArray};

/// The root cause of a loss: the first thing that prevented the packet's delivery. [`Died`](crate::Died)
/// records where and how the packet ended.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
#[repr(u8)]
pub enum LossCause {
    /// An interface queue, an ARP hold slot or a routing buffer was full because of load alone.
    Congestion,
    /// The MAC gave up because of collisions or a busy receiver. Consequences count as well: a false link
    /// failure, a route lost with it, a route discovery whose messages collided.
    Contention,
    /// Bit errors or fading, and a queue that filled while they kept the MAC from sending.
    Channel,
    /// Next hop out of range, no path to the destination, handoff, or a route lost with such a hop.
    LinkFailure,
    /// A node without power or switched off, or a route lost with it.
    NodeDown,
    /// Routing had not found, or could not find, a path that existed: it had not converged, its search does
    /// not reach that far, or its tables formed a loop.
    NoRoute,
    /// The path has more hops than the packet's hop limit.
    Ttl,
    /// The receiving transport discarded a packet that did arrive: data before its SYN, or beyond the window.
    ReorderDiscard,
    /// Nothing on record explains the loss: a fault of the simulator, or a malformed packet from outside.
    Unknown,
}

impl LossCause {
    /// Every cause, in the order in which tables list them.
    pub const ALL: &'static [LossCause] = LossCause::VARIANTS;

    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
