//! Times within which a routing protocol notices and mends what goes wrong.

use tworay_base::SimDuration;

/// Shortest `recent`: behind a full queue, the MAC takes that long until it gives up a packet.
pub(crate) const RECENT: SimDuration = SimDuration::from_secs(5);
/// Where the MAC notices breaks, or acknowledgments do, they are noticed within this time, also behind a full queue.
pub(crate) const WITHOUT_HELLOS: SimDuration = SimDuration::from_secs(6);
/// A request and its answer cross the network within this time, if no message is lost and rings do not delay them.
pub(crate) const UNDER_WAY: SimDuration = SimDuration::from_secs(1);
/// Longest time for a request and its answer, also where messages wait in queues.
pub(crate) const ANSWERED: SimDuration = SimDuration::from_secs(2);
/// Routers without tables have corrected a route that a break left wrong after that time, and after its end.
const STALE: SimDuration = SimDuration::from_secs(21);
const RELEARNT: SimDuration = SimDuration::from_secs(18);
/// `unused` of protocols that do not search: a transport sends again after a pause like this.
const PAUSE: SimDuration = SimDuration::from_secs(10);
/// `kept` of protocols that do not search.
const KEPT: SimDuration = SimDuration::from_secs(30);

/// Times within which a protocol notices and mends what goes wrong: so within which a break, a lost message or a search can explain
/// a loss.
#[derive(Copy, Clone, Debug)]
pub struct Timing {
    /// Time for which a lost message or a break counts as an explanation after its end. At least an interval of HELLOs:
    /// when a neighbour counts as lost, the latest of its HELLOs may have been lost so long ago.
    pub recent: SimDuration,
    /// Time for which a break may stay unnoticed by the nodes at its ends, and for which a neighbour that was out of
    /// reach may still be considered gone. OLSR: NEIGHB_HOLD_TIME (RFC 3626 §18.3); AODV with HELLOs:
    /// ALLOWED_HELLO_LOSS intervals (RFC 3561 §6.9).
    pub noticed: SimDuration,
    /// Time for which OLSR may take to notice a break everywhere: HELLOs must stay away (NEIGHB_HOLD_TIME), and topology
    /// entries expire (TOP_HOLD_TIME; RFC 3626 §18.3).
    pub stale_tables: SimDuration,
    /// Time for which OLSR may take to use a link that is back: HELLOs until the neighbours trust it (three, RFC 3626
    /// §14.3), one that names multipoint relays, two TC messages.
    pub relearnt: SimDuration,
    /// Time within which two HELLOs of a neighbour come, which make a link symmetric (RFC 3626 §7.1.1).
    pub two_hellos: SimDuration,
    /// Routes of OLSR miss a lost TC message for that long (TOP_HOLD_TIME, RFC 3626 §18.3), and a lost HELLO until those
    /// after it have made the link symmetric again.
    pub tables: SimDuration,
    /// HELLOs until OLSR uses a link in the direction in which they come: one, or as many as its hysteresis takes.
    pub hellos: usize,
    /// Time within which nodes know their neighbours' neighbours, after the start.
    pub met: SimDuration,
    /// Longest time from a change until the TC message that tells of it (TC_INTERVAL).
    pub topology: SimDuration,
    /// Longest time for which a relay delays a TC message (MAXJITTER).
    pub relayed: SimDuration,
    /// Until then a search that lost no message is not late: its first request to the whole network follows its rings
    /// (RFC 3561 §6.4).
    pub under_way: SimDuration,
    /// After its end, a break may keep routing from using a path for that long: a search waits for its longest
    /// interval between two requests, and for the answer.
    pub aftermath: SimDuration,
    /// Time for which lost messages of a search are kept: as long as packets may wait for it.
    pub kept: SimDuration,
    /// After that time without a packet, the route would have expired by itself (AODV's ACTIVE_ROUTE_TIMEOUT), and no
    /// search waits for its next request any more.
    pub unused: SimDuration,
    /// A relay's route that no packet has used for that long is gone (ACTIVE_ROUTE_TIMEOUT, RFC 3561 §6.2); zero if
    /// routes don't expire, or if tables renew them.
    pub expiry: SimDuration,
    /// A node that was off so recently would know its neighbours' addresses otherwise: it sends anew once it has found a
    /// route. A request that was sent so recently while its target was off explains an address that is still unknown.
    pub forgot: SimDuration,
}

/// Those of a protocol that neither searches nor exchanges tables.
impl Default for Timing {
    fn default() -> Self {
        Self {
            recent: RECENT,
            noticed: WITHOUT_HELLOS,
            stale_tables: STALE,
            relearnt: RELEARNT,
            two_hellos: RELEARNT,
            tables: SimDuration::ZERO,
            hellos: 1,
            met: SimDuration::ZERO,
            topology: SimDuration::ZERO,
            relayed: SimDuration::ZERO,
            under_way: UNDER_WAY,
            aftermath: PAUSE + ANSWERED,
            kept: KEPT,
            unused: PAUSE,
            expiry: SimDuration::ZERO,
            forgot: PAUSE + ANSWERED,
        }
    }
}

#[cfg(test)]
mod tests;
