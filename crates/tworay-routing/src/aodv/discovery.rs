//! Route discovery for one destination: hop limit of the next request and wait for its reply.

use super::config::AodvConfig;
use super::options::Requests;
use super::table::UNKNOWN_HOPS;
use tworay_base::{SimDuration, SimTime};

/// The state of a discovery. With RFC 3561 it ends with the discovery; with ns-2 it is kept.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    /// End of the wait for a reply; no new request before. Zero after a success.
    pub until: SimTime,
    /// Hop limit of the last request, 0 before the first.
    pub last_ttl: u8,
    /// Network-wide requests sent.
    pub wide: u8,
    /// When the last request was sent.
    pub asked_at: SimTime,
    /// When the discovery began.
    pub began_at: SimTime,
    /// No request is pending: after a success, or after giving up.
    pub resting: bool,
    /// True if this is a local repair: one request, then failure.
    pub repair: bool,
    latencies: [f64; 3],
    next_latency: usize,
}

/// The next step of a discovery.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Send a request with this hop limit and wait this long.
    Ask { ttl: u8, wait: SimDuration },
    /// Give up.
    GiveUp,
}

impl Search {
    pub(crate) fn new(now: SimTime) -> Self {
        Self {
            until: SimTime::ZERO,
            last_ttl: 0,
            wide: 0,
            asked_at: now,
            began_at: now,
            resting: true,
            repair: false,
            latencies: [0.0; 3],
            next_latency: 0,
        }
    }

    /// A local repair: one request.
    pub(crate) fn for_repair(now: SimTime) -> Self {
        Self { repair: true, ..Self::new(now) }
    }

    /// Records the latency per hop of a reply to this node's request, s; keeps the last three.
    pub(crate) fn measure(&mut self, now: SimTime, hops: u8) {
        self.latencies[self.next_latency] = now.since(self.asked_at).as_secs_f64() / f64::from(hops.max(1));
        self.next_latency = (self.next_latency + 1) % self.latencies.len();
    }

    /// The route was found; the next discovery begins at its distance (ns-2).
    pub(crate) fn succeed(&mut self, hops: u8) {
        self.wide = 0;
        self.until = SimTime::ZERO;
        self.last_ttl = hops;
        self.resting = true;
        self.repair = false;
    }

    /// The next step; `last_hops` is the distance of the last valid route.
    pub(crate) fn step(&mut self, config: &AodvConfig, last_hops: u8) -> Step {
        match config.requests {
            Requests::Rfc3561 => self.rfc_step(config, last_hops),
            Requests::Ns2 => self.ns2_step(config, last_hops),
        }
    }

    fn rfc_step(&mut self, config: &AodvConfig, last_hops: u8) -> Step {
        if self.repair && self.last_ttl > 0 {
            return Step::GiveUp;
        }
        // A search for a destination that was known starts a little beyond its last distance, however large.
        // The threshold limits only the rings after that (§6.4).
        let (next, widest) = match self.last_ttl {
            _ if !config.expanding_ring => (config.net_diameter, 0),
            0 if last_hops != UNKNOWN_HOPS => (last_hops.saturating_add(config.ttl_increment), u8::MAX),
            0 => (config.ttl_start, config.ttl_threshold),
            last => (last.saturating_add(config.ttl_increment), config.ttl_threshold),
        };
        if next <= widest && next < config.net_diameter && self.wide == 0 {
            self.last_ttl = next;
            return Step::Ask { ttl: next, wait: ring_traversal_time(config, next) };
        }
        if self.wide > config.rreq_retries {
            return Step::GiveUp;
        }
        // Binary exponential backoff (§6.3).
        let wait = config.net_traversal_time * (1u64 << self.wide.min(30));
        self.wide += 1;
        self.last_ttl = config.net_diameter;
        Step::Ask { ttl: config.net_diameter, wait }
    }

    fn ns2_step(&mut self, config: &AodvConfig, last_hops: u8) -> Step {
        if self.wide > config.rreq_retries {
            self.wide = 0;
            return Step::GiveUp;
        }
        let reach = self.last_ttl.max(last_hops);
        let ttl = if reach == 0 {
            config.ttl_start
        } else if config.expanding_ring && reach < config.ttl_threshold {
            reach.saturating_add(config.ttl_increment)
        } else {
            self.wide += 1;
            config.net_diameter
        };
        self.last_ttl = ttl;
        let mut wait = 2.0 * f64::from(ttl) * self.seconds_per_hop(config);
        if self.wide > 0 {
            wait *= f64::from(self.wide);
        }
        Step::Ask { ttl, wait: SimDuration::from_secs_f64(wait).min(config.max_rreq_timeout) }
    }

    fn seconds_per_hop(&self, config: &AodvConfig) -> f64 {
        let (mut sum, mut n) = (0.0, 0u32);
        for latency in self.latencies {
            if latency > 0.0 {
                sum += latency;
                n += 1;
            }
        }
        if n > 0 { sum / f64::from(n) } else { config.node_traversal_time.as_secs_f64() }
    }
}

/// RING_TRAVERSAL_TIME of RFC 3561 §10.
pub(crate) fn ring_traversal_time(config: &AodvConfig, ttl: u8) -> SimDuration {
    config.node_traversal_time * (2 * (u64::from(ttl) + u64::from(config.timeout_buffer)))
}
