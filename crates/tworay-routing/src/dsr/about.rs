//! DSR as a whole: its times, costs and counts.

use super::{Dsr, DsrConfig, MaintenanceOrder};
use crate::about::{About, Field, Waiting};
use crate::counters::{ControlCount, RoutingCounters};
use crate::timing::{ANSWERED, Timing, UNDER_WAY};

/// Memory of a node's caches, which fill with overheard paths, bytes.
const CACHES: u64 = 57_000;

impl About for Dsr {
    type Config = DsrConfig;

    fn heeds_link_layer(config: &DsrConfig) -> bool {
        config.link_layer_feedback
    }

    fn relays_answer(config: &DsrConfig) -> bool {
        config.reply_from_cache
    }

    fn waiting(config: &DsrConfig) -> Option<Waiting> {
        let DsrConfig { release_spacing, send_buffer_packets, maintenance_order, .. } = *config;
        let newest_first = maintenance_order == MaintenanceOrder::Lifo;
        release_spacing.is_zero().then_some(Waiting { holds: send_buffer_packets as usize, newest_first })
    }

    fn timing(config: &DsrConfig) -> Timing {
        Timing {
            under_way: UNDER_WAY.max(config.nonprop_request_timeout),
            aftermath: config.max_request_period + ANSWERED,
            kept: config.send_buffer_timeout,
            unused: config.max_request_period,
            forgot: config.max_request_period + ANSWERED,
            ..Timing::default()
        }
    }

    fn bytes(_nodes: u64) -> u64 {
        CACHES
    }

    fn seconds(field: &Field) -> f64 {
        field.seconds_of_searches()
    }

    fn sent(c: &RoutingCounters) -> Vec<(&'static str, ControlCount)> {
        c.messages_of_searches().into_iter().chain([("acks", c.acks)]).collect()
    }

    fn counted(c: &RoutingCounters) -> Vec<(&'static str, u64)> {
        let further = [
            ("salvaged", c.salvaged),
            ("cached_replies", c.cached_replies),
            ("gratuitous_replies", c.gratuitous_replies),
        ];
        c.searches().into_iter().chain(further).collect()
    }
}
