//! Where and how a lost packet ended. The root cause is [`LossCause`](crate::LossCause).

/// What happened to the last copy of a lost packet. [`LossCause`](crate::LossCause) says why the packet was
/// lost; this says where it ended.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Died {
    /// The interface queue was full.
    Ifq,
    /// Link-RED dropped it before it was sent, because its node's packets needed many retries.
    LinkRed,
    /// A newer packet replaced it in ARP's hold slot, one per neighbour (RFC 1122 §2.3.2.2).
    Arp,
    /// ARP requests for the next hop went unanswered.
    ArpUnanswered,
    /// The MAC gave up: the last RTS went unanswered (short retry limit).
    RtsRetries,
    /// The MAC gave up: the last DATA went unanswered.
    DataRetries,
    /// No DSR acknowledgment arrived (DSR without link-layer feedback).
    Unconfirmed,
    /// Routing declared its next hop unreachable while it was in the interface queue.
    Purged,
    /// Routing had no route, or route discovery failed.
    NoRoute,
    /// The routing buffer was full.
    Buffer,
    /// It stayed in the routing buffer for too long.
    BufferTimeout,
    /// DSR had salvaged it as often as allowed.
    Salvage,
    /// It came back to its own source.
    Loop,
    /// The hop limit ran out.
    Ttl,
    /// Routing could not parse its headers.
    Malformed,
    /// Random errors corrupted it above the MAC or on a wire.
    Error,
    /// A wire's queue was full, or RED dropped it early.
    WireQueue,
    /// A wire was out of service (handoff).
    Handoff,
    /// The node holding it was switched off or ran out of energy.
    NodeDown,
    /// It arrived, and the receiving transport discarded it.
    Receiver,
}

impl Died {
    /// Every value, in the order in which tables list them.
    pub const ALL: [Died; 20] = [
        Died::Ifq,
        Died::LinkRed,
        Died::Arp,
        Died::ArpUnanswered,
        Died::RtsRetries,
        Died::DataRetries,
        Died::Unconfirmed,
        Died::Purged,
        Died::NoRoute,
        Died::Buffer,
        Died::BufferTimeout,
        Died::Salvage,
        Died::Loop,
        Died::Ttl,
        Died::Malformed,
        Died::Error,
        Died::WireQueue,
        Died::Handoff,
        Died::NodeDown,
        Died::Receiver,
    ];

    /// The name in tables and captures.
    pub const fn name(self) -> &'static str {
        match self {
            Died::Ifq => "ifq",
            Died::LinkRed => "link-red",
            Died::Arp => "arp",
            Died::ArpUnanswered => "arp-unanswered",
            Died::RtsRetries => "rts-retries",
            Died::DataRetries => "data-retries",
            Died::Unconfirmed => "unconfirmed",
            Died::Purged => "purged",
            Died::NoRoute => "no-route",
            Died::Buffer => "buffer",
            Died::BufferTimeout => "buffer-timeout",
            Died::Salvage => "salvage",
            Died::Loop => "loop",
            Died::Ttl => "ttl",
            Died::Malformed => "malformed",
            Died::Error => "error",
            Died::WireQueue => "wire-queue",
            Died::Handoff => "handoff",
            Died::NodeDown => "node-down",
            Died::Receiver => "receiver",
        }
    }
}
