//! Loss causes as recorded in the ledger.

/// The root cause of a loss: the first thing that prevented the packet's delivery. [`Died`](crate::Died)
/// records where and how the packet ended.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum LossCause {
    /// An interface queue, an ARP hold slot or a routing buffer was full because of load alone.
    Congestion,
    /// The MAC gave up because of collisions or a busy receiver. Consequences count as well: a false link
    /// failure, a route lost with it, a route discovery whose messages collided.
    Contention,
    /// Bit errors or fading.
    Channel,
    /// Next hop out of range, no path to the destination, handoff, or a route lost with such a hop.
    LinkFailure,
    /// A node without power or switched off, or a route lost with it.
    NodeDown,
    /// The hop limit ran out.
    Ttl,
    /// The receiving transport discarded a packet that did arrive: data before its SYN, or beyond the window.
    ReorderDiscard,
}

impl LossCause {
    /// Every cause, in the order in which tables list them.
    pub const ALL: [LossCause; 7] = [
        LossCause::Congestion,
        LossCause::Contention,
        LossCause::Channel,
        LossCause::LinkFailure,
        LossCause::NodeDown,
        LossCause::Ttl,
        LossCause::ReorderDiscard,
    ];

    /// The name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            LossCause::Congestion => "congestion",
            LossCause::Contention => "contention",
            LossCause::Channel => "channel",
            LossCause::LinkFailure => "link-failure",
            LossCause::NodeDown => "node-down",
            LossCause::Ttl => "ttl",
            LossCause::ReorderDiscard => "reorder-discard",
        }
    }
}
