//! The time after an outage in which its backlog takes the medium from other stations of the path.
//!
//! During an outage, the stations before it have the medium to themselves. Afterwards the backlog passes on, and their queues fill with
//! what waits for the medium meanwhile. When these have it again, they deliver that together. All of this is the outage's, if the load
//! is no higher than before: then each station found its MAC idle from time to time and rejected nothing, and it has been offered packets
//! at the same rate since, whatever the MACs have done with them. A higher load may have filled the queue by itself.
//! A backlog may also come to a queue, of a station or a wire, that load overfilled when the outage began: without the outage, that
//! load would have kept it full, so that the backlog lost nothing there that load would not have lost.
//! The time is over when no station of the path sends any more what has come, without a pause of its MAC, since another one did so.

use crate::observe::loss::root_cause::RootCause;
use crate::observe::loss::scene::World;
use crate::observe::loss::service::{FITS, Service};
use tworay_base::{NodeId, SimDuration, SimTime};

/// Losses of time to one hop that are further apart belong to several outages: longer than a MAC tries to send a packet.
const APART: SimDuration = SimDuration::from_secs(2);

/// Time for which a backlog is remembered: a queue of 1,000 packets of 1,000 bytes passes over two hops at 1 Mb/s.
const KEPT: SimDuration = SimDuration::from_secs(20);

/// A load is the same if a station is offered at most so many times the packets, with a few more.
const SAME: f64 = 1.1;
const FEW: f64 = 4.0;

/// A station of the path, as it was when the outage began.
#[derive(Clone, Debug)]
struct Station {
    node: NodeId,
    /// Packets that it sent each second before. `None`: its load may have been too high, or it was not known.
    rate: Option<f64>,
    /// Packets that it had sent and rejected since the start.
    done: usize,
}

/// An outage on a path.
#[derive(Clone, Debug)]
struct Backlog {
    /// The station whose MAC has lost time to it.
    node: NodeId,
    root: RootCause,
    began: SimTime,
    /// When a MAC last lost time to it, and until when something is known to have waited because of it.
    latest: SimTime,
    until: SimTime,
    path: Vec<Station>,
}

impl Backlog {
    /// True if it is of the outage of `root`, to which the MAC of `node` has lost time.
    fn is_of(&self, node: NodeId, root: &RootCause) -> bool {
        (self.node, self.root.next_hop, self.root.cause) == (node, root.next_hop, root.cause)
    }
}

/// Outages whose backlogs may not have passed on yet.
#[derive(Debug, Default)]
pub(super) struct Backlogs(Vec<Backlog>);

impl Backlogs {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The MAC of `node` has lost time since `began` to the hop of `root`, which is out of reach.
    pub fn note(
        &mut self,
        services: &[Service],
        (node, root): (NodeId, RootCause),
        (began, now): (SimTime, SimTime),
    ) {
        let of_this = |known: &Backlog| known.is_of(node, &root);
        self.0.retain(|known| {
            let kept = if of_this(known) { APART } else { KEPT };
            known.latest + kept >= began
        });
        if let Some(known) = self.0.iter_mut().find(|known| of_this(known)) {
            (known.latest, known.until) = (now, now);
            return;
        }
        let carried = |node: &NodeId| services[node.index()].carried(began);
        let here = carried(&node);
        let station = |node: &NodeId| {
            let service = &services[node.index()];
            // One that was off has forgotten what it has sent.
            let rate = if service.path.has_sent() { carried(node) } else { here };
            Station { node: *node, rate, done: service.done() }
        };
        let path = &services[node.index()].path.sharing.path;
        let path = if path.contains(&node) { path } else { &[node][..] };
        let path = path.iter().map(station).collect();
        self.0.push(Backlog { node, root, began, latest: now, until: now, path });
    }

    /// True if load overfilled a queue when the outage of `root` began, after which its backlog comes to that queue: without the outage, the
    /// same load would have kept it full. While it fills again, noise on the way to it is no reason either.
    pub fn found_full(&self, now: SimTime, queue: &Overfull, root: &RootCause) -> bool {
        let of_this = |known: &Backlog| match root.is_noise() {
            true => queue.was(now),
            false => known.is_of(root.node, root),
        };
        self.0.iter().any(|known| of_this(known) && queue.was(known.began))
    }

    /// The outage whose backlog keeps the queue of `node` from being sent, or has come to it, if the load alone would not fill it.
    pub fn behind(&mut self, services: &[Service], node: NodeId, world: &World<'_>) -> Option<RootCause> {
        let of_backlog = |backlog: &mut Backlog| {
            let (path, until) = (&backlog.path, backlog.until);
            let waits = |station: &Station| {
                services[station.node.index()].idle_at() <= until && world.gathered(station.node) > 0
            };
            if !path.iter().any(waits) {
                return false;
            }
            backlog.until = world.now;
            let here = backlog.path.iter().find(|station| station.node == node);
            let Some(Station { rate: Some(rate), done, .. }) = here else { return false };
            let offered = services[node.index()].done().saturating_sub(*done) + world.gathered(node);
            let time = world.now.since(backlog.began).as_secs_f64();
            offered as f64 <= SAME * rate * time + FEW
        };
        self.0.iter_mut().find_map(|backlog| of_backlog(backlog).then_some(backlog.root.strikes(world.now)))
    }
}

/// The latest span in which load has overfilled a queue, so that it has rejected packets again and again.
#[derive(Copy, Clone, Debug)]
pub(super) struct Overfull {
    from: SimTime,
    until: SimTime,
}

impl Default for Overfull {
    fn default() -> Self {
        Self { from: SimTime::NEVER, until: SimTime::ZERO }
    }
}

impl Overfull {
    /// The queue rejects a packet because of load. While an outage keeps packets from it, it rejects none.
    pub fn note(&mut self, now: SimTime, outages: &Backlogs) {
        let goes_on = self.until + FITS >= now || outages.0.iter().any(|outage| self.was(outage.began));
        if !goes_on || self.from == SimTime::NEVER {
            self.from = now;
        }
        self.until = now;
    }

    /// True if load overfilled it at a time, and has done so for long enough: a window of TCP overfills a queue for a moment.
    fn was(&self, at: SimTime) -> bool {
        self.from != SimTime::NEVER && self.from + FITS <= at && at <= self.until + FITS
    }
}
