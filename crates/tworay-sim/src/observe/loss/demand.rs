//! Demand for the medium: would it have time for all that is sent if there were no noise and no outages?
//!
//! Retries that noise makes necessary also take the medium from the stations beside, and stations that it has made busy take turns with
//! a relay that would find the medium free otherwise; and a rate control that noise has made slow needs longer for each packet. What a
//! queue loses then looks like load. It isn't, if the datagrams of all flows around, each sent once over each of its hops at the best
//! rate, leave a good part of the time free. TCP takes what it gets, so where a transfer is near, nothing follows. Nor does it where one
//! sender of a hop can't hear another one that its receiver hears.

use super::root_cause::RootCause;
use super::scene::Scene;
use std::collections::{BTreeMap, BTreeSet};
use tworay_base::{FlowId, NodeId, PacketId, SimDuration, SimTime};
use tworay_mac::hcf::LeastTime;

/// Datagrams are counted in spans of this length.
const SPAN: SimDuration = SimDuration::from_millis(250);

/// Number of spans that are remembered.
const SPANS: usize = 16;

/// After so many whole spans the rate of a flow is measured.
const KNOWN: usize = 4;

/// A load counts as steady if no span has so many times the mean, and two more: then the mean is its rate, otherwise that of the busiest span.
const STEADY: f64 = 1.25;

/// Part of the time that stations in turn can use without a queue that stays full: up to two lose nothing up to 1.0 at one rate, and one
/// with Minstrel. (Two with Minstrel lose something from 0.88 on.) Some is left for routing and ARP.
const FITS_FEW: f64 = 0.95;

/// The same of more stations, whose frames collide: three that send over two hops in both directions lose nothing up to 1.0, with or
/// without RTS.
const FITS_MANY: f64 = 0.9;

/// The same if a collision may also make a rate control choose lower rates: four stations around one lose something from 0.75 on.
const FITS_LEARNING: f64 = 0.7;

/// Datagrams of one flow.
#[derive(Clone, Debug)]
struct Source {
    ends: (NodeId, NodeId),
    /// Size of the largest datagram.
    bytes: u32,
    /// Time between two datagrams while it sends, if its application has set that beforehand.
    interval: Option<SimDuration>,
    /// Packets by span, and the number of the latest one.
    spans: [u32; SPANS],
    latest: u64,
}

impl Source {
    fn advance(&mut self, span: u64) {
        for passed in self.latest + 1..=span.min(self.latest + SPANS as u64) {
            self.spans[passed as usize % SPANS] = 0;
        }
        self.latest = self.latest.max(span);
    }

    /// Packets per second while it sends; zero if it has sent nothing of late. `None`: the flow has just begun, and is not known beforehand.
    fn rate(&self) -> Option<f64> {
        if self.spans.iter().all(|count| *count == 0) {
            return Some(0.0);
        }
        let beforehand = self.interval.map(|interval| 1.0 / interval.as_secs_f64());
        beforehand.or_else(|| self.measured())
    }

    /// The same in the spans before the latest one.
    fn measured(&self) -> Option<f64> {
        let before = |i: usize| self.spans[(self.latest as usize + SPANS - i) % SPANS];
        let mut spans: Vec<u32> = (1..SPANS).map(before).collect();
        // A flow begins within a span.
        match spans.iter().rposition(|count| *count > 0) {
            Some(oldest) if oldest < KNOWN => return None,
            Some(oldest) => spans.truncate(oldest),
            None if self.spans[self.latest as usize % SPANS] > 0 => return None,
            None => return Some(0.0),
        }
        let most = f64::from(spans.iter().copied().max().unwrap_or(0));
        let mean = f64::from(spans.iter().sum::<u32>()) / spans.len() as f64;
        let each = if most <= STEADY * mean + 2.0 { mean } else { most };
        Some(each / SPAN.as_secs_f64())
    }
}

/// Facts about the flows of a run that are known beforehand.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    /// Transfers: their ends, and when they begin.
    pub transfers: Vec<((NodeId, NodeId), SimTime)>,
    /// By flow: the time between two datagrams while it sends, if it is always the same.
    pub intervals: Vec<Option<SimDuration>>,
}

/// Demand of all flows for the medium.
#[derive(Debug, Default)]
pub(crate) struct Demand {
    sources: Vec<Option<Source>>,
    traffic: Traffic,
    /// The load in the latest span in which a station asked.
    round: Option<Round>,
}

/// The number of the span of a time.
fn span_of(at: SimTime) -> u64 {
    at.as_nanos() / SPAN.as_nanos()
}

impl Demand {
    /// Demand of flows of which so much is known.
    pub fn of(traffic: Traffic) -> Self {
        Self { traffic, ..Self::default() }
    }

    /// A flow sends a datagram, an IP packet of so many bytes.
    pub fn note(&mut self, now: SimTime, flow: FlowId, ends: (NodeId, NodeId), ip_bytes: u32) {
        let span = span_of(now);
        if self.sources.len() <= flow.index() {
            self.sources.resize(flow.index() + 1, None);
        }
        let interval = self.traffic.intervals.get(flow.index()).copied().flatten();
        let new = || Source { ends, bytes: ip_bytes, interval, spans: [0; SPANS], latest: span };
        let source = self.sources[flow.index()].get_or_insert_with(new);
        source.advance(span);
        source.spans[span as usize % SPANS] += 1;
        source.bytes = source.bytes.max(ip_bytes);
    }

    /// The root cause other than load because of which the queue of `node` rejects a packet, though it has not cost its MAC much time: the
    /// MAC has lost time to it, or that of a station before it on the packet's path. `None` if load alone may have filled the queue.
    pub fn reason(&mut self, scene: &mut Scene<'_>, node: NodeId, packet: PacketId) -> Option<RootCause> {
        let reason = |of: &NodeId| {
            scene.services[of.index()].main_reason(None).filter(RootCause::is_independent_of_load)
        };
        let before = || {
            let senders = scene.senders(node, packet);
            let here = senders.iter().position(|sender| *sender == node)?;
            senders[..here].iter().rev().find_map(reason)
        };
        let root = reason(&node).or_else(before)?;
        self.fits(scene, node).then(|| root.strikes(scene.now))
    }

    /// True if the medium around `node`, and around the other stations of the routes that lead over it, has time for all datagrams that
    /// are sent there.
    fn fits(&mut self, scene: &mut Scene<'_>, node: NodeId) -> bool {
        let span = span_of(scene.now);
        let round = match self.round.take().filter(|round| round.span == span) {
            Some(round) => round,
            None => Round { span, load: self.load(scene, span) },
        };
        let load = &mut self.round.insert(round).load;
        load.as_mut().is_some_and(|load| load.fits(scene, node))
    }

    /// The load of all flows. `None` if one of them is not known.
    fn load(&mut self, scene: &mut Scene<'_>, span: u64) -> Option<Load> {
        let mut load = Load::default();
        for source in self.sources.iter_mut().flatten() {
            source.advance(span);
            let rate = source.rate()?;
            if rate > 0.0 {
                load.add(scene, scene.route(source.ends)?, rate, source.bytes);
            }
        }
        for (ends, _) in self.traffic.transfers.iter().filter(|(_, from)| *from <= scene.now) {
            load.transfers.extend(scene.route(*ends)?.into_iter().flat_map(|(a, b)| [a, b]));
        }
        Some(load)
    }
}

/// The load as it is in one span.
#[derive(Debug)]
struct Round {
    span: u64,
    load: Option<Load>,
}

/// Time that one station needs each second, s, if nothing is lost.
#[derive(Copy, Clone, Debug, Default)]
struct Needs {
    exchanges: f64,
    backoffs: f64,
}

/// The routes of all flows that send, and what they need.
#[derive(Debug, Default)]
struct Load {
    /// Hops of the routes of datagrams.
    routes: Vec<Vec<(NodeId, NodeId)>>,
    senders: BTreeMap<NodeId, Needs>,
    /// Stations that send packets of transfers.
    transfers: BTreeSet<NodeId>,
    /// By station, and by hop: whether all fits around it, if that was asked.
    stations: BTreeMap<NodeId, bool>,
    hops: BTreeMap<(NodeId, NodeId), Option<bool>>,
}

impl Load {
    fn add(&mut self, scene: &mut Scene<'_>, route: Vec<(NodeId, NodeId)>, rate: f64, bytes: u32) {
        for hop in &route {
            let LeastTime { exchange, backoff } = scene.least_time(*hop, bytes);
            let needs = self.senders.entry(hop.0).or_default();
            needs.exchanges += rate * exchange.as_secs_f64();
            needs.backoffs += rate * backoff.as_secs_f64();
        }
        self.routes.push(route);
    }

    /// See [`Demand::fits`].
    fn fits(&mut self, scene: &mut Scene<'_>, node: NodeId) -> bool {
        if let Some(known) = self.stations.get(&node) {
            return *known;
        }
        let over_it = self.routes.iter().filter(|hops| hops.iter().any(|(from, _)| *from == node));
        let hops: BTreeSet<(NodeId, NodeId)> = over_it.flatten().copied().collect();
        let all = |hop: &(NodeId, NodeId)| {
            let known = self.hops.get(hop).copied();
            let fits = known.unwrap_or_else(|| self.fits_around(scene, *hop));
            self.hops.insert(*hop, fits);
            fits == Some(true)
        };
        let fits = !hops.is_empty() && hops.iter().all(all);
        self.stations.insert(node, fits);
        fits
    }

    /// True if the medium around one hop has the time. `None` if that is not known.
    fn fits_around(&self, scene: &mut Scene<'_>, (station, next): (NodeId, NodeId)) -> Option<bool> {
        let mut hears = |at: NodeId, sender: NodeId| at == sender || scene.senses(at, sender);
        if self.transfers.iter().any(|sender| hears(station, *sender) || hears(next, *sender)) {
            return None;
        }
        let (mut used, mut heard) = (0.0, 0);
        for (sender, needs) in &self.senders {
            if hears(station, *sender) {
                heard += 1;
                // Stations that wait count their backoffs down at the same time.
                used += needs.exchanges + if *sender == station { needs.backoffs } else { 0.0 };
            } else if hears(next, *sender) {
                return None;
            }
        }
        let fits = match heard {
            0..=2 => FITS_FEW,
            _ if scene.learns_rates() => FITS_LEARNING,
            _ => FITS_MANY,
        };
        Some(used <= fits)
    }
}

#[cfg(test)]
mod tests;
