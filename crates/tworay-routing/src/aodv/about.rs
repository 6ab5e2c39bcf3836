//! AODV as a whole: its times, costs and counts.

use super::{Aodv, AodvConfig, Hello, Requests};
use crate::about::{About, Field, TABLES, Waiting};
use crate::counters::{ControlCount, RoutingCounters};
use crate::timing::{ANSWERED, RECENT, Timing, UNDER_WAY, WITHOUT_HELLOS};
use tworay_base::SimDuration;

impl About for Aodv {
    type Config = AodvConfig;

    fn heeds_link_layer(config: &AodvConfig) -> bool {
        config.link_layer_feedback
    }

    fn relays_answer(config: &AodvConfig) -> bool {
        !config.destination_only
    }

    fn waiting(config: &AodvConfig) -> Option<Waiting> {
        let AodvConfig { release_spacing, buffer_packets, .. } = *config;
        let holds = buffer_packets as usize;
        release_spacing.is_zero().then_some(Waiting { holds, newest_first: false })
    }

    fn timing(config: &AodvConfig) -> Timing {
        let interval = match config.requests {
            // Binary exponential backoff (RFC 3561 §6.3).
            Requests::Rfc3561 => config.net_traversal_time * (1 << config.rreq_retries.min(30)),
            Requests::Ns2 => config.max_rreq_timeout,
        };
        let hello = match config.hello {
            Hello::Off => SimDuration::ZERO,
            Hello::ActiveRoutes | Hello::Always => config.hello_interval + config.hello_jitter,
        };
        Timing {
            recent: RECENT.max(hello),
            noticed: WITHOUT_HELLOS.max(hello * u64::from(config.allowed_hello_loss)),
            under_way: UNDER_WAY.max(rings(config)),
            aftermath: interval + ANSWERED,
            kept: config.buffer_timeout,
            unused: config.active_route_timeout.max(interval),
            expiry: config.active_route_timeout,
            forgot: interval + ANSWERED,
            ..Timing::default()
        }
    }

    fn bytes(_nodes: u64) -> u64 {
        TABLES
    }

    fn seconds(field: &Field) -> f64 {
        field.seconds_of_searches()
    }

    fn sent(c: &RoutingCounters) -> Vec<(&'static str, ControlCount)> {
        let hellos = [("hellos", c.hello), ("reply_acks", c.rrep_ack)];
        c.messages_of_searches().into_iter().chain(hellos).collect()
    }

    fn counted(c: &RoutingCounters) -> Vec<(&'static str, u64)> {
        let further = [
            ("local_repairs", c.local_repairs),
            ("held_requests", c.rreq_held_back),
            ("unsent_errors", c.rerr_suppressed),
        ];
        c.searches().into_iter().chain(further).collect()
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
