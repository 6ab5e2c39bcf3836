//! Route errors (RFC 3561 §6.11).

use super::table::{Route, State};
use super::{Aodv, ErrorAudience, Out, Requests, StaleErrors};
use crate::{Malformed, RoutingAction, RoutingNote};
use smallvec::SmallVec;
use tworay_base::{NodeId, PacketId, Seq32, SimDuration, SimTime};
use tworay_wire::aodv::{AodvMessage, Rerr};

/// Maximum number of destinations in one message: the count is a byte.
const MOST: usize = 255;

/// A route error being composed: unreachable destinations and the nodes to notify.
#[derive(Default)]
struct Report {
    unreachable: Vec<(NodeId, Seq32)>,
    audience: SmallVec<[NodeId; 8]>,
}

impl Report {
    fn add(&mut self, dst: NodeId, route: &Route) {
        self.unreachable.push((dst, route.seq));
        for &p in &route.precursors {
            if !self.audience.contains(&p) {
                self.audience.push(p);
            }
        }
    }
}

/// Invalidates a route after a break; records its last distance, and notifies this node's transport if it
/// uses the route.
pub(super) fn lose(
    route: &mut Route,
    now: SimTime,
    dst: NodeId,
    (broken_from, broken_to): (NodeId, Option<NodeId>),
    out: Out,
) {
    if route.own {
        out.push(RoutingAction::Note(RoutingNote::RouteError { broken_from, broken_to, dst }));
    }
    route.down(now);
    out.push(RoutingAction::Note(RoutingNote::RouteLost { dst }));
}

impl Aodv {
    /// The link to `neighbour` broke: invalidates and reports every route over it, except that to `except`.
    pub(super) fn break_link(&mut self, now: SimTime, neighbour: NodeId, except: Option<NodeId>, out: Out) {
        self.counters.broken_links += 1;
        out.push(RoutingAction::Note(RoutingNote::LinkBroken { neighbour }));
        self.neighbours.forget(neighbour);
        if self.config.own_sequence == super::OwnSequence::Even {
            self.step_seq();
        }
        let everyone = self.config.error_audience == ErrorAudience::Everyone;
        let repairs_too = self.config.requests == Requests::Ns2;
        let mut report = Report::default();
        let own = self.node;
        self.table.settle(now, |dst, route| {
            let hit = route.is_up() || repairs_too && route.state == State::Repair;
            if hit && route.next_hop == neighbour && Some(dst) != except {
                route.bump();
                lose(route, now, dst, (own, Some(neighbour)), out);
                if everyone || !route.precursors.is_empty() {
                    report.add(dst, route);
                }
                if !everyone {
                    route.precursors.clear();
                }
            }
            route.precursors.retain(|p| *p != neighbour);
        });
        report.audience.retain(|p| *p != neighbour);
        self.stale_timer = true;
        // The node that detects the break sends its error without jitter.
        self.send_error(now, report, false, SimDuration::ZERO, out);
    }

    /// A packet from `from` has a destination without a route.
    pub(super) fn report_unroutable(
        &mut self,
        now: SimTime,
        dst: NodeId,
        seq: Seq32,
        from: NodeId,
        out: Out,
    ) {
        let report = Report { unreachable: vec![(dst, seq)], audience: SmallVec::from_slice(&[from]) };
        self.send_error(now, report, false, SimDuration::ZERO, out);
    }

    pub(super) fn report_failed_repair(&mut self, now: SimTime, dst: NodeId, out: Out) {
        self.report_one(now, dst, false, out);
    }

    /// The repaired route is longer, so its users may want a better one (N flag, §6.12).
    pub(super) fn report_longer_route(&mut self, now: SimTime, dst: NodeId, out: Out) {
        self.report_one(now, dst, true, out);
    }

    fn report_one(&mut self, now: SimTime, dst: NodeId, no_delete: bool, out: Out) {
        let mut report = Report::default();
        if let Some(route) = self.table.get(now, dst) {
            report.add(dst, route);
        }
        self.send_error(now, report, no_delete, SimDuration::ZERO, out);
    }

    fn send_error(&mut self, now: SimTime, report: Report, no_delete: bool, delay: SimDuration, out: Out) {
        if report.unreachable.is_empty() {
            return;
        }
        let to = match (self.config.error_audience, report.audience.as_slice()) {
            (ErrorAudience::Precursors, []) => return,
            (ErrorAudience::Precursors, &[one]) => one,
            _ => NodeId::BROADCAST,
        };
        for part in report.unreachable.chunks(MOST) {
            if self.rerr_limiter.take(now).is_err() {
                self.counters.rerr_suppressed += 1;
                continue;
            }
            let rerr = Rerr { no_delete, unreachable: part.to_vec() };
            self.emit(now, AodvMessage::Rerr(rerr), to, 1, delay, out);
        }
    }

    /// A route error was received: invalidates the routes over its sender to the destinations in it.
    pub(super) fn on_error(&mut self, now: SimTime, id: PacketId, rerr: &Rerr, from: NodeId, out: Out) {
        let problem = if rerr.unreachable.is_empty() {
            Some(Malformed::EmptyList)
        } else if from.is_broadcast() || rerr.unreachable.iter().any(|(d, _)| d.is_broadcast()) {
            Some(Malformed::BroadcastAddress)
        } else if from == self.node {
            Some(Malformed::OwnAddress)
        } else {
            None
        };
        if let Some(what) = problem {
            return self.refuse(id, from, what, out);
        }
        let ignore_stale = self.config.stale_errors == StaleErrors::Ignore;
        let repairs_too = self.config.requests == Requests::Ns2;
        let mut report = Report::default();
        let mut any = false;
        for &(dst, seq) in &rerr.unreachable {
            let Some(route) = self.table.get(now, dst) else { continue };
            let in_use = route.is_up() || repairs_too && route.state == State::Repair;
            if !in_use || route.next_hop != from || ignore_stale && route.seq.gt(seq) {
                continue;
            }
            if rerr.no_delete {
                // The route stays valid; its users learn only that it is longer (§6.12).
                report.add(dst, route);
                continue;
            }
            if ignore_stale || !route.seq_seen || seq.gt(route.seq) {
                route.seq = seq;
                route.seq_seen = true;
            } else {
                // With the old number, neighbours could offer the broken route back and form a loop.
                route.bump();
            }
            lose(route, now, dst, (from, None), out);
            any = true;
            if !route.precursors.is_empty() {
                report.add(dst, route);
                route.precursors.clear();
            }
        }
        if any {
            self.purge_queue(from, out);
        }
        let delay = self.jitter();
        self.send_error(now, report, rerr.no_delete, delay, out);
        out.push(RoutingAction::Consume { packet: id });
    }
}
