//! Where and how a lost packet ended. The root cause is [`LossCause`](crate::LossCause).

use strum::{IntoStaticStr, VariantArray};

/// What happened to the last copy of a lost packet. [`LossCause`](crate::LossCause) says why the packet was
/// lost; this says where it ended.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
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
    pub const ALL: &'static [Died] = Died::VARIANTS;

    /// The name in tables and captures.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
