//! How and where a packet ended: the last straw, beside the [`LossCause`](crate::LossCause) that is the
//! root.

/// What was done with the last copy of a lost packet. The cause says why the packet couldn't go on in the
/// first place, this says how it ended.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Died {
    /// The interface queue was full.
    Ifq,
    /// A newer packet took its place in ARP's hold of one packet per neighbour (RFC 1122 §2.3.2.2).
    Arp,
    /// ARP's requests for the next hop went unanswered.
    ArpUnanswered,
    /// The MAC gave up: the last RTS went unanswered (short retry limit).
    RtsRetries,
    /// The MAC gave up: the last DATA went unanswered.
    DataRetries,
    /// Routing's own acknowledgments didn't come (DSR without link-layer feedback).
    Unconfirmed,
    /// It waited in the interface queue for a next hop that routing gave up.
    Purged,
    /// Routing had no route, or its search for one ended without an answer.
    NoRoute,
    /// The routing buffer was full.
    Buffer,
    /// It waited too long in the routing buffer.
    BufferTimeout,
    /// It had been given a new route too often on its way (DSR's limit of salvaging).
    Salvage,
    /// It came back to its own source.
    Loop,
    /// The hop limit ran out.
    Ttl,
    /// Routing couldn't make sense of its headers.
    Malformed,
    /// Random errors spoiled it above the MAC or on a wire.
    Error,
    /// The queue of a wire was full, or RED dropped it early.
    WireQueue,
    /// A wire was out of service (handoff).
    Handoff,
    /// The node that held it was switched off, or its battery ran out.
    NodeDown,
    /// It arrived, and the receiving transport threw it away.
    Receiver,
}

impl Died {
    /// Every way to end.
    pub const ALL: [Died; 19] = [
        Died::Ifq,
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
