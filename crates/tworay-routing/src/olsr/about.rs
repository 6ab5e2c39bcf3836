//! OLSR as a whole: its times, costs and counts.

use super::{Olsr, OlsrConfig};
use crate::about::{About, Field, TABLES};
use crate::counters::{ControlCount, RoutingCounters};
use crate::timing::{ANSWERED, RECENT, Timing};
use tworay_base::SimDuration;

/// Memory of a node for each other one, bytes: a tuple of topology, its route, and duplicates.
const PAIR: u64 = 270;
/// Processor time of a message at a neighbour, s.
const MESSAGE: f64 = 0.4e-6;
/// HELLOs of a node per second (RFC 3626 §18.2), and TC messages of each other node that reach it: one in 5 s, sent and
/// relayed by a part of the nodes only.
const HELLOS: f64 = 0.5;
const TCS: f64 = 0.06;
/// Neighbours from which on random nodes are one network, roughly.
const CONNECTED: f64 = 5.0;
/// Most HELLOs that a link is assumed to need before the hysteresis of OLSR trusts it.
const MOST_HELLOS: u64 = 20;

impl About for Olsr {
    type Config = OlsrConfig;

    fn heeds_link_layer(config: &OlsrConfig) -> bool {
        config.link_layer_feedback
    }

    fn exchanges_tables() -> bool {
        true
    }

    fn timing(config: &OlsrConfig) -> Timing {
        let relearnt = config.hello_interval * (trusted_after(config) + 1) + config.tc_interval * 2;
        let symmetric = config.hello_interval * trusted_after(config) + config.max_jitter;
        Timing {
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
            ..Timing::default()
        }
    }

    fn bytes(nodes: u64) -> u64 {
        TABLES + nodes * PAIR
    }

    fn seconds(field: &Field) -> f64 {
        let reached = field.nodes * (field.neighbours / CONNECTED).min(1.0).powi(3);
        MESSAGE * field.nodes * field.neighbours * (HELLOS + TCS * reached)
    }

    fn sent(c: &RoutingCounters) -> Vec<(&'static str, ControlCount)> {
        vec![("hellos", c.hello), ("tc", c.tc)]
    }

    fn counted(c: &RoutingCounters) -> Vec<(&'static str, u64)> {
        vec![("broken_links", c.broken_links), ("tc_messages", c.tc_originated), ("relayed", c.relayed)]
    }
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
