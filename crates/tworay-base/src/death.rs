//! Where and how a lost packet ended. The root cause is [`LossCause`](crate::LossCause).

use crate::vocabulary::vocabulary;

vocabulary! {
    /// End of the last copy of a lost packet. [`LossCause`](crate::LossCause) says why the packet was
    /// lost; this says where it ended.
    pub enum Died {
        /// The interface queue was full.
        Ifq = "ifq", "the interface queue was full";
        /// Link-RED dropped it before it was sent, because its node's packets needed many retries.
        LinkRed = "link-red", "link-RED dropped it, because its node had to repeat many packets";
        /// CoDel dropped it from the queue of its flow, because packets waited there for too long (RFC 8289).
        CoDel = "codel", "CoDel dropped it, because packets waited too long in the queue of its flow";
        /// A newer packet replaced it in ARP's hold slot, one per neighbour (RFC 1122 §2.3.2.2).
        Arp = "arp", "a newer packet took its place while ARP searched for the next hop's address";
        /// ARP requests for the next hop went unanswered.
        ArpUnanswered = "arp-unanswered", "ARP's requests for the next hop went unanswered";
        /// The MAC gave up: the last RTS went unanswered (short retry limit).
        RtsRetries = "rts-retries", "the MAC gave up after the last RTS went unanswered";
        /// The MAC gave up: the last DATA went unanswered.
        DataRetries = "data-retries", "the MAC gave up after the last DATA went unanswered";
        /// Its lifetime in the MAC ended before the next hop acknowledged it (802.11n and ac).
        Expired = "expired", "its time in the MAC was over before the next hop acknowledged it";
        /// No DSR acknowledgment arrived (DSR without link-layer feedback).
        Unconfirmed = "unconfirmed", "routing's own acknowledgments did not come";
        /// Routing declared its next hop unreachable while it was in the interface queue.
        Purged = "purged", "it waited in the interface queue for a next hop that routing gave up";
        /// Routing had no route, or route discovery failed.
        NoRoute = "no-route", "routing had no route, or gave up its search for one";
        /// The routing buffer was full.
        Buffer = "buffer", "the routing buffer was full";
        /// It stayed in the routing buffer for too long.
        BufferTimeout = "buffer-timeout", "it waited too long in the routing buffer";
        /// DSR had salvaged it as often as allowed.
        Salvage = "salvage", "it had been given a new route too often";
        /// It came back to its own source.
        Loop = "loop", "it came back to its source";
        /// The hop limit ran out.
        Ttl = "ttl", "its hop limit ran out";
        /// Routing could not parse its headers.
        Malformed = "malformed", "routing could make no sense of its headers";
        /// Random errors corrupted it above the MAC or on a wire.
        Error = "error", "random errors spoiled it";
        /// A wire's queue was full, or RED dropped the packet early.
        WireQueue = "wire-queue", "the wire's queue refused it";
        /// A wire was out of service (handoff).
        Handoff = "handoff", "the wire was out of service";
        /// The node holding it was switched off or ran out of energy.
        NodeDown = "node-down", "the node was switched off or its battery ran out";
        /// It reached a station that had stopped to wait for it, and had handed up later packets (block
        /// acknowledgment).
        Late = "late", "it came after the next hop's station had stopped to wait for it";
        /// The next hop's station had had its number before, and took it for a repetition: it acknowledged and discarded it. Numbers
        /// have 12 bits (IEEE 802.11-1999 §9.2.9).
        Repetition = "repetition", "the next hop's station took it for one that it had had";
        /// It arrived, and the receiving transport discarded it.
        Receiver = "receiver", "it arrived, and the receiving transport threw it away";
    }
}
