//! Times within which one thing can explain another, from the settings of the routing protocol.

use tworay_base::SimDuration;
use tworay_routing::aodv::{Hello, Requests};
use tworay_routing::{AodvConfig, DsrConfig, OlsrConfig, Protocol, RoutingConfig};

/// Shortest `recent`: behind a full queue, the MAC takes that long until it gives up a packet.
const RECENT: SimDuration = SimDuration::from_secs(5);
/// Where the MAC notices breaks, or acknowledgments do, they are noticed within this time, also behind a full queue.
const WITHOUT_HELLOS: SimDuration = SimDuration::from_secs(6);
/// A request and its answer cross the network within this time, if no message is lost and rings do not delay them.
const UNDER_WAY: SimDuration = SimDuration::from_secs(1);
/// Longest time for a request and its answer, also where messages wait in queues.
const ANSWERED: SimDuration = SimDuration::from_secs(2);
/// Routers without tables have corrected a route that a break left wrong after that time, and after its end.
const STALE: SimDuration = SimDuration::from_secs(21);
const RELEARNT: SimDuration = SimDuration::from_secs(18);
/// `unused` of protocols that do not search: a transport sends again after a pause like this.
const PAUSE: SimDuration = SimDuration::from_secs(10);
/// `kept` of protocols that do not search.
const KEPT: SimDuration = SimDuration::from_secs(30);
/// Most HELLOs that a link is assumed to need before the hysteresis of OLSR trusts it.
const MOST_HELLOS: u64 = 20;

/// Times within which one thing can explain another.
#[derive(Copy, Clone, Debug)]
pub(super) struct Timers {
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

impl Timers {
    /// The times that follow from the settings of the protocol in use.
    pub fn of(config: &RoutingConfig) -> Self {
        match config.protocol {
            Protocol::Static => Self::without_search(),
            Protocol::Aodv => Self::of_aodv(&config.aodv),
            Protocol::Dsr => Self::of_dsr(&config.dsr),
            Protocol::Olsr => Self::of_olsr(&config.olsr),
        }
    }

    fn without_search() -> Self {
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

    fn of_aodv(config: &AodvConfig) -> Self {
        let interval = match config.requests {
            // Binary exponential backoff (RFC 3561 §6.3).
            Requests::Rfc3561 => config.net_traversal_time * (1 << config.rreq_retries.min(30)),
            Requests::Ns2 => config.max_rreq_timeout,
        };
        let hello = match config.hello {
            Hello::Off => SimDuration::ZERO,
            Hello::ActiveRoutes | Hello::Always => config.hello_interval + config.hello_jitter,
        };
        Self {
            recent: RECENT.max(hello),
            noticed: WITHOUT_HELLOS.max(hello * u64::from(config.allowed_hello_loss)),
            under_way: UNDER_WAY.max(rings(config)),
            aftermath: interval + ANSWERED,
            kept: config.buffer_timeout,
            unused: config.active_route_timeout.max(interval),
            expiry: config.active_route_timeout,
            forgot: interval + ANSWERED,
            ..Self::without_search()
        }
    }

    fn of_dsr(config: &DsrConfig) -> Self {
        Self {
            under_way: UNDER_WAY.max(config.nonprop_request_timeout),
            aftermath: config.max_request_period + ANSWERED,
            kept: config.send_buffer_timeout,
            unused: config.max_request_period,
            forgot: config.max_request_period + ANSWERED,
            ..Self::without_search()
        }
    }

    fn of_olsr(config: &OlsrConfig) -> Self {
        let relearnt = config.hello_interval * (trusted_after(config) + 1) + config.tc_interval * 2;
        let symmetric = config.hello_interval * trusted_after(config) + config.max_jitter;
        Self {
            recent: RECENT.max(config.hello_interval + config.max_jitter),
            noticed: config.neighbour_hold_time,
            stale_tables: config.neighbour_hold_time + config.topology_hold_time,
            relearnt,
            two_hellos: config.hello_interval * 2 + config.max_jitter,
            tables: config.topology_hold_time.max(symmetric),
            hellos: if config.hysteresis { trusted_after(config) as usize } else { 1 },
            met: config.hello_interval * (trusted_after(config) + 1),
            topology: if config.immediate_tc { SimDuration::ZERO } else { config.tc_interval },
            forgot: relearnt + ANSWERED,
            relayed: config.max_jitter,
            ..Self::without_search()
        }
    }
}

impl Default for Timers {
    fn default() -> Self {
        Self::without_search()
    }
}

/// Time for which AODV's growing rings delay the first request to the whole network (RFC 3561 §6.4, §10:
/// RING_TRAVERSAL_TIME).
fn rings(config: &AodvConfig) -> SimDuration {
    if !config.expanding_ring {
        return SimDuration::ZERO;
    }
    let widest = config.ttl_threshold.min(config.net_diameter.saturating_sub(1));
    let rings = (config.ttl_start..=widest).step_by(config.ttl_increment.into());
    let hops = rings.map(|ttl| u64::from(ttl) + u64::from(config.timeout_buffer)).sum::<u64>();
    config.node_traversal_time * (2 * hops)
}

/// HELLOs in a row until OLSR trusts a link: two for a symmetric link (RFC 3626 §7.1.1) and one to spare, or as many as
/// the hysteresis takes to rise above its upper threshold (§14.3).
fn trusted_after(config: &OlsrConfig) -> u64 {
    const SYMMETRIC: u64 = 3;
    if !config.hysteresis {
        return SYMMETRIC;
    }
    let missing = |hellos: u64| (0..hellos).fold(1.0, |rest, _| rest * (1.0 - config.hysteresis_scaling));
    let trusted = |hellos: &u64| 1.0 - missing(*hellos) > config.hysteresis_high;
    (SYMMETRIC..MOST_HELLOS).find(trusted).unwrap_or(MOST_HELLOS)
}

#[cfg(test)]
mod tests;
