//! Why a packet was lost: the ledger's vocabulary.

/// The one true cause of a loss: the first thing that kept the packet from going on. Where and how it
/// ended is [`Died`](crate::Died).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum LossCause {
    /// A queue, ARP's hold or a routing buffer was full, and nothing but load had filled it.
    Congestion,
    /// The MAC gave up because of collisions or a busy receiver; also what follows from that: a link held
    /// to be broken that isn't, a route lost with it, a search whose messages collided.
    Contention,
    /// Bit errors or fading.
    Channel,
    /// Next hop out of range, no path to the destination, handoff; a route that went with such a link.
    LinkFailure,
    /// A node without power or switched off; a route that went with it.
    NodeDown,
    /// The hop limit ran out.
    Ttl,
    /// Thrown away by the receiving transport although it arrived: data before its SYN, or beyond the window.
    ReorderDiscard,
}

impl LossCause {
    /// Every cause, in the order of the tables.
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
