//! Converts the record to tables.

use super::{Carried, OnAir, Ppdu, Recorder, Segment};
use crate::observe::capture::FrameResult;
use crate::observe::loss::ledger::Carries;
use crate::results::columns::{ColumnData, Table, table};
use tworay_base::{FlowId, NodeId, SimTime};
use tworay_mac::FrameKind;
use tworay_routing::RoutingNote;

fn time(at: SimTime) -> f64 {
    at.as_secs_f64()
}

fn node(id: NodeId) -> Option<i64> {
    (!id.is_broadcast()).then(|| id.0.into())
}

/// Content of a note: event, destination, neighbour, hops, duration of the search.
type Said = (&'static str, Option<NodeId>, Option<NodeId>, Option<u8>, Option<f64>);

fn said(note: RoutingNote) -> Said {
    match note {
        RoutingNote::RouteFound { dst, hops, discovery_time } => {
            ("route-found", Some(dst), None, Some(hops), Some(discovery_time.as_secs_f64()))
        }
        RoutingNote::RouteChanged { dst, hops } => ("route-changed", Some(dst), None, Some(hops), None),
        RoutingNote::RouteLost { dst } => ("route-lost", Some(dst), None, None, None),
        RoutingNote::LinkBroken { neighbour } => ("link-broken", None, Some(neighbour), None, None),
        RoutingNote::RouteError { broken_from, dst, .. } => {
            ("route-error", Some(dst), Some(broken_from), None, None)
        }
        RoutingNote::DiscoveryFailed { dst } => ("search-failed", Some(dst), None, None, None),
        RoutingNote::LocalRepair { dst } => ("local-repair", Some(dst), None, None, None),
        RoutingNote::Malformed { from, .. } => ("malformed", None, Some(from), None, None),
    }
}

impl Recorder {
    /// The tables `segments`, `sacks`, `frames`, `queues`, `routing`, `routes`, `moves` and `ranges`, and `rates` with radios
    /// of 802.11a/g/n/ac.
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = vec![
            self.segment_table(),
            self.sack_table(),
            self.frame_table(),
            self.queue_table(),
            self.note_table(),
            self.route_table(),
            self.move_table(),
            self.range_table(),
        ];
        if !self.ppdus.is_empty() {
            tables.push(self.rate_table());
        }
        tables
    }

    fn rate_table(&self) -> Table {
        let p = &self.ppdus;
        let ints = |get: &dyn Fn(&Ppdu) -> i64| ColumnData::I64(p.iter().map(get).collect());
        table(
            "rates",
            [
                ("t_s", ColumnData::F64(p.iter().map(|r| time(r.at)).collect())),
                ("from", ints(&|r| r.from.0.into())),
                ("to", ints(&|r| r.to.0.into())),
                ("mcs", ColumnData::MaybeI64(p.iter().map(|r| r.mode.mcs().map(i64::from)).collect())),
                ("streams", ints(&|r| r.mode.streams().into())),
                ("rate_bps", ints(&|r| r.mode.rate().as_bps() as i64)),
                ("packets", ints(&|r| r.packets as i64)),
            ],
        )
    }

    fn segment_table(&self) -> Table {
        let s = &self.segments;
        let ints = |get: &dyn Fn(&Segment) -> i64| ColumnData::I64(s.iter().map(get).collect());
        let maybe = |get: &dyn Fn(&Segment) -> Option<i64>| ColumnData::MaybeI64(s.iter().map(get).collect());
        let reals = |get: &dyn Fn(&Segment) -> Option<f64>| {
            ColumnData::F64(s.iter().map(|r| get(r).unwrap_or(f64::NAN)).collect())
        };
        let kind = |r: &Segment| match r.carries {
            Carries::Data => "data",
            Carries::Ack => "ack",
        };
        table(
            "segments",
            [
                ("uid", ints(&|r| r.uid as i64)),
                ("t_s", ColumnData::F64(s.iter().map(|r| time(r.sent)).collect())),
                ("flow", ints(&|r| r.flow.0.into())),
                ("from", ints(&|r| r.from.0.into())),
                ("to", ints(&|r| r.to.0.into())),
                ("kind", ColumnData::words(s.iter().map(|r| Some(kind(r))))),
                ("seq", ints(&|r| r.seq.into())),
                ("bytes", ints(&|r| r.payload.into())),
                ("again", ints(&|r| r.again.into())),
                ("ack", maybe(&|r| r.ack.map(|(ack, _)| ack.0.into()))),
                ("window", maybe(&|r| r.ack.map(|(_, window)| window.into()))),
                ("arrived_s", reals(&|r| r.arrived.map(|(at, _)| time(at)))),
                ("hops", maybe(&|r| r.arrived.map(|(_, hops)| hops.into()))),
                ("lost_s", reals(&|r| r.lost.map(|(at, ..)| time(at)))),
                ("cause", ColumnData::words(s.iter().map(|r| r.lost.map(|(_, cause, _)| cause.name())))),
                ("died", ColumnData::words(s.iter().map(|r| r.lost.map(|(.., died)| died.name())))),
            ],
        )
    }

    fn sack_table(&self) -> Table {
        let s = &self.sacks;
        table(
            "sacks",
            [
                ("uid", ColumnData::I64(s.iter().map(|r| r.0 as i64).collect())),
                ("left", ColumnData::I64(s.iter().map(|r| r.1.0.into()).collect())),
                ("right", ColumnData::I64(s.iter().map(|r| r.2.0.into()).collect())),
            ],
        )
    }

    fn frame_table(&self) -> Table {
        let f = &self.frames;
        let ints = |get: &dyn Fn(&OnAir) -> i64| ColumnData::I64(f.iter().map(get).collect());
        let maybe = |get: &dyn Fn(&OnAir) -> Option<i64>| ColumnData::MaybeI64(f.iter().map(get).collect());
        let kind = |r: &OnAir| match r.kind {
            FrameKind::Rts if r.asks => "block-ack-req",
            FrameKind::Rts => "rts",
            FrameKind::Cts => "cts",
            FrameKind::Ack => "ack",
            FrameKind::Data => "data",
        };
        let carried = |r: &OnAir| match r.carried {
            Carried::Data => Some("data"),
            Carried::Ack => Some("ack"),
            Carried::Routing => Some("routing"),
            Carried::Arp => Some("arp"),
            Carried::Nothing => None,
        };
        table(
            "frames",
            [
                ("t_s", ColumnData::F64(f.iter().map(|r| time(r.at)).collect())),
                ("airtime_s", ColumnData::F64(f.iter().map(|r| r.airtime.as_secs_f64()).collect())),
                ("from", ints(&|r| r.from.0.into())),
                ("to", maybe(&|r| node(r.to))),
                ("kind", ColumnData::words(f.iter().map(|r| Some(kind(r))))),
                ("carries", ColumnData::words(f.iter().map(carried))),
                ("flow", maybe(&|r| (r.flow != FlowId::NONE).then(|| r.flow.0.into()))),
                ("uid", maybe(&|r| r.uid.map(|uid| uid as i64))),
                ("retry", ints(&|r| r.retry.into())),
                ("fate", ColumnData::words(f.iter().map(|r| r.fate.map(FrameResult::name)))),
                ("interferer", maybe(&|r| r.interferer.and_then(node))),
                ("readers", ints(&|r| r.readers.into())),
            ],
        )
    }

    fn queue_table(&self) -> Table {
        let q = &self.queues;
        table(
            "queues",
            [
                ("t_s", ColumnData::F64(q.iter().map(|r| time(r.0)).collect())),
                ("node", ColumnData::I64(q.iter().map(|r| r.1.0.into()).collect())),
                ("packets", ColumnData::I64(q.iter().map(|r| r.2 as i64).collect())),
            ],
        )
    }

    fn note_table(&self) -> Table {
        let notes: Vec<(SimTime, NodeId, Said)> =
            self.notes.iter().map(|&(at, node, note)| (at, node, said(note))).collect();
        let maybe = |get: &dyn Fn(&Said) -> Option<i64>| {
            ColumnData::MaybeI64(notes.iter().map(|r| get(&r.2)).collect())
        };
        table(
            "routing",
            [
                ("t_s", ColumnData::F64(notes.iter().map(|r| time(r.0)).collect())),
                ("node", ColumnData::I64(notes.iter().map(|r| r.1.0.into()).collect())),
                ("event", ColumnData::words(notes.iter().map(|r| Some(r.2.0)))),
                ("dst", maybe(&|r| r.1.and_then(node))),
                ("neighbour", maybe(&|r| r.2.and_then(node))),
                ("hops", maybe(&|r| r.3.map(i64::from))),
                ("search_s", ColumnData::F64(notes.iter().map(|r| r.2.4.unwrap_or(f64::NAN)).collect())),
            ],
        )
    }

    fn route_table(&self) -> Table {
        let r = &self.routes;
        table(
            "routes",
            [
                ("t_s", ColumnData::F64(r.iter().map(|x| time(x.0)).collect())),
                ("node", ColumnData::I64(r.iter().map(|x| x.1.0.into()).collect())),
                ("dst", ColumnData::I64(r.iter().map(|x| x.2.0.into()).collect())),
                ("next_hop", ColumnData::MaybeI64(r.iter().map(|x| x.3.and_then(node)).collect())),
            ],
        )
    }

    fn move_table(&self) -> Table {
        let legs: Vec<_> = self
            .legs
            .iter()
            .zip(0i64..)
            .flat_map(|(legs, node)| legs.iter().map(move |l| (node, l)))
            .collect();
        let reals = |get: &dyn Fn(&tworay_mobility::Leg) -> f64| {
            ColumnData::F64(legs.iter().map(|(_, leg)| get(leg)).collect())
        };
        table(
            "moves",
            [
                ("node", ColumnData::I64(legs.iter().map(|(node, _)| *node).collect())),
                ("t_s", reals(&|l| time(l.from))),
                ("x_m", reals(&|l| l.start.x)),
                ("y_m", reals(&|l| l.start.y)),
                ("vx_mps", reals(&|l| l.velocity.0)),
                ("vy_mps", reals(&|l| l.velocity.1)),
            ],
        )
    }

    fn range_table(&self) -> Table {
        let rows: Vec<(f64, f64)> = self.ranges.into_iter().collect();
        table(
            "ranges",
            [
                ("receive_m", ColumnData::F64(rows.iter().map(|r| r.0).collect())),
                ("sense_m", ColumnData::F64(rows.iter().map(|r| r.1).collect())),
            ],
        )
    }
}
