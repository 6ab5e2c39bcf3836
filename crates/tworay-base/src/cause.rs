//! Loss causes as recorded in the ledger.

use crate::vocabulary::vocabulary;

vocabulary! {
    /// The root cause of a loss: the first thing that prevented the packet's delivery. [`Died`](crate::Died)
    /// records where and how the packet ended.
    pub enum LossCause {
        /// Load, with the contention that it brings, filled an interface queue, a wire's queue, an ARP hold slot or a routing buffer, or made CoDel, RED or Link-RED drop the packet.
        Congestion = "congestion", "load and its contention filled a queue, or made CoDel, RED or Link-RED drop";
        /// The MAC gave up because of collisions or a busy receiver. Consequences count as well: a false link
        /// failure, a route lost with it, a search for a route or an address whose messages collided.
        Contention = "contention", "collisions, or a neighbour that could not answer";
        /// Bit errors, fading or shadowing, and a queue that filled while they kept the MAC from sending. Consequences
        /// count if the packet would have gone on without the errors: a search or an address whose messages were lost.
        Channel = "channel", "bit errors or fading";
        /// Noise destroyed frames that a slower rate of the radio would have carried, and consequences as of bit
        /// errors: the rate control's choice, not the link. Only radios with `radio.standard` choose rates.
        Rate = "rate", "a rate that was too fast for the link";
        /// The next hop was out of range, the link was cut, no path existed, or a wire was out of service
        /// (handoff); also a route lost with such a hop.
        LinkFailure = "link-failure", "the next hop was out of reach, or there was no path";
        /// A node was switched off or had no power; also a route lost with it.
        NodeDown = "node-down", "a node was switched off or had no power";
        /// Routing had not found, or could not find, a path that existed: it had not converged, its search
        /// does not reach that far (whatever else is broken on the way), or its tables formed a loop.
        NoRoute = "no-route", "routing had not found, or could not find, a path that existed";
        /// The path has more hops than the packet's hop limit.
        Ttl = "ttl", "the path was longer than the hop limit";
        /// The receiving transport discarded a packet that did arrive: data before its SYN, or beyond the
        /// window.
        ReorderDiscard = "reorder-discard", "the receiver threw it away";
        /// Nothing on record explains the loss: a fault of tworay, or a malformed packet of a real station.
        /// No loss of a built-in scenario is `unknown`.
        Unknown = "unknown", "nothing on record explains it";
    }
}
