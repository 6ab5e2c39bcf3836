//! Why a packet died: the ledger's vocabulary.

/// The one true cause of a loss, booked where the packet died.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum LossCause {
    /// A queue or routing buffer was full.
    Congestion,
    /// The MAC gave up because of collisions or a busy receiver.
    Contention,
    /// Bit errors or fading.
    Channel,
    /// Next hop out of range, route gone, handoff.
    LinkFailure,
    /// A node without power or switched off.
    NodeDown,
    /// The hop limit ran out.
    Ttl,
    /// Thrown away by the receiver although it arrived (duplicate cover, no room).
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
