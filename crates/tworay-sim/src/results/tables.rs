//! Tables behind a run's document: flows, losses, guesses, series, paths, energy, packets.

use super::columns::{Column, ColumnData, Table, table};
use super::{FlowReport, RunReport};
use crate::observe::loss::diagnosis::Diagnosed;
use crate::observe::loss::ledger::{Carries, InFlightSample, LossRecord};
use crate::observe::{WireEvent, WireRecord};
use tworay_base::NodeId;
use tworay_tcp::{Phase, Snapshot};

impl RunReport {
    /// The tables `flows`, `ledger` (one row per loss: root, and how it ended), `guesses` (one row per
    /// guess), `retransmissions`, `series`, and with wires `packets`.
    pub fn tables(&self) -> Vec<Table> {
        let mut tables = vec![
            self.flow_table(),
            self.ledger_table(),
            self.guess_table(),
            self.retransmission_table(),
            self.series_table(),
            self.phase_table(),
            self.path_table(),
        ];
        if !self.transfers.is_empty() {
            tables.push(super::transfers::table_of(&self.transfers));
        }
        if !self.in_flight.is_empty() {
            tables.push(self.alive_table());
        }
        if let Some(power) = &self.power {
            tables.push(power.node_table());
            tables.extend(power.sample_table());
        }
        if !self.packets.is_empty() {
            tables.push(self.packet_table());
        }
        if let Some(record) = &self.record {
            tables.extend(record.tables());
        }
        tables
    }

    /// Phases of each sender: a row for each change.
    fn phase_table(&self) -> Table {
        let mut rows: Vec<(f64, u16, Phase)> = Vec::new();
        for (flow, sample) in &self.series {
            let last = rows.last();
            if last.is_none_or(|&(_, of, phase)| (of, phase) != (*flow, sample.state.phase)) {
                rows.push((sample.at.as_secs_f64(), *flow, sample.state.phase));
            }
        }
        table(
            "phases",
            [
                ("t_s", ColumnData::F64(rows.iter().map(|r| r.0).collect())),
                ("flow", ColumnData::I64(rows.iter().map(|r| r.1.into()).collect())),
                ("phase", ColumnData::words(rows.iter().map(|r| Some(r.2.name())))),
            ],
        )
    }

    /// Packets by number of hops travelled.
    fn path_table(&self) -> Table {
        let rows: Vec<(i64, i64, i64)> = self
            .hops
            .iter()
            .enumerate()
            .flat_map(|(flow, counts)| {
                let seen = counts.iter().enumerate().filter(|(_, n)| **n > 0);
                seen.map(move |(hops, &n)| (flow as i64, hops as i64, n as i64))
            })
            .collect();
        table(
            "paths",
            [
                ("flow", ColumnData::I64(rows.iter().map(|r| r.0).collect())),
                ("hops", ColumnData::I64(rows.iter().map(|r| r.1).collect())),
                ("packets", ColumnData::I64(rows.iter().map(|r| r.2).collect())),
            ],
        )
    }

    /// Number of live segments: a row for each change.
    fn alive_table(&self) -> Table {
        let a = &self.in_flight;
        let ints = |get: &dyn Fn(&InFlightSample) -> i64| ColumnData::I64(a.iter().map(get).collect());
        table(
            "alive",
            [
                ("t_s", ColumnData::F64(a.iter().map(|r| r.0.as_secs_f64()).collect())),
                ("flow", ints(&|r| r.1.0.into())),
                ("data_segments", ints(&|r| r.2.data as i64)),
                ("ack_segments", ints(&|r| r.2.ack as i64)),
            ],
        )
    }

    fn packet_table(&self) -> Table {
        let p = &self.packets;
        let ints = |get: &dyn Fn(&WireRecord) -> i64| ColumnData::I64(p.iter().map(get).collect());
        let event = |r: &WireRecord| match r.event {
            WireEvent::Enqueue => "enqueue".to_string(),
            WireEvent::Send => "send".to_string(),
            WireEvent::Receive => "receive".to_string(),
            WireEvent::Drop => "drop".to_string(),
        };
        table(
            "packets",
            [
                ("t_s", ColumnData::F64(p.iter().map(|r| r.at.as_secs_f64()).collect())),
                ("event", ColumnData::Str(p.iter().map(event).collect())),
                ("from", ints(&|r| r.from.0.into())),
                ("to", ints(&|r| r.to.0.into())),
                ("flow", ints(&|r| r.flow.into())),
                ("kind", ColumnData::Str(p.iter().map(|r| r.kind.to_string()).collect())),
                ("seq", ints(&|r| r.seq.into())),
                ("bytes", ints(&|r| r.bytes.into())),
            ],
        )
    }

    fn flow_table(&self) -> Table {
        let f = &self.document.flows;
        let ints = |get: fn(&FlowReport) -> u16| ColumnData::I64(f.iter().map(|x| get(x).into()).collect());
        let texts = f.iter().map(|x| x.tcp.clone().unwrap_or_else(|| "udp".into()));
        let mut flows = table(
            "flows",
            [
                ("flow", ints(|x| x.id)),
                ("from", ints(|x| x.from)),
                ("to", ints(|x| x.to)),
                ("tcp", ColumnData::Str(texts.collect())),
            ],
        );
        flows.columns.extend(FlowReport::columns(f));
        flows
    }

    fn ledger_table(&self) -> Table {
        let l = &self.losses;
        let kind = |r: &LossRecord| match r.carries {
            Carries::Data => "data".to_string(),
            Carries::Ack => "ack".to_string(),
        };
        let node = |get: fn(&LossRecord) -> Option<NodeId>| {
            ColumnData::MaybeI64(l.iter().map(|r| get(r).map(|n| n.0.into())).collect())
        };
        let mut ledger = table(
            "ledger",
            [
                ("t_s", ColumnData::F64(l.iter().map(|r| r.at.as_secs_f64()).collect())),
                ("flow", ColumnData::I64(l.iter().map(|r| r.flow.0 as i64).collect())),
                ("node", ColumnData::I64(l.iter().map(|r| r.node.0 as i64).collect())),
                ("kind", ColumnData::Str(l.iter().map(kind).collect())),
                ("seq", ColumnData::I64(l.iter().map(|r| r.seq.0 as i64).collect())),
                ("cause", ColumnData::Str(l.iter().map(|r| r.cause.name().to_string()).collect())),
                ("died", ColumnData::Str(l.iter().map(|r| r.died.name().to_string()).collect())),
                ("since_s", ColumnData::F64(l.iter().map(|r| r.since.as_secs_f64()).collect())),
                ("root_node", ColumnData::I64(l.iter().map(|r| r.root_node.0 as i64).collect())),
                ("next_hop", node(|r| r.next_hop)),
                ("attempts", ColumnData::I64(l.iter().map(|r| r.attempts.into()).collect())),
                ("interferer", node(|r| r.interferer)),
            ],
        );
        if self.senders {
            let from = ColumnData::I64(l.iter().map(|r| r.from.0.into()).collect());
            ledger.columns.push(Column { name: "from", data: from });
        }
        ledger
    }

    fn guess_table(&self) -> Table {
        let g = &self.guesses;
        let texts = |get: fn(&Diagnosed) -> &'static str| {
            ColumnData::Str(g.iter().map(|d| get(d).to_string()).collect())
        };
        table(
            "guesses",
            [
                ("t_s", ColumnData::F64(g.iter().map(|d| d.at.as_secs_f64()).collect())),
                ("flow", ColumnData::I64(g.iter().map(|d| d.flow.0.into()).collect())),
                ("seq", ColumnData::I64(g.iter().map(|d| d.seq.0.into()).collect())),
                ("guess", texts(|d| d.guess)),
                ("cause", texts(|d| d.cause_name())),
                ("cause_by_outcome", texts(|d| d.outcome_name())),
            ],
        )
    }

    /// Retransmitted segments, by flow and in order of time.
    fn retransmission_table(&self) -> Table {
        let r = &self.resent;
        let mut resent = table(
            "retransmissions",
            [
                ("t_s", ColumnData::F64(r.iter().map(|(_, x)| x.at.as_secs_f64()).collect())),
                ("flow", ColumnData::I64(r.iter().map(|(flow, _)| (*flow).into()).collect())),
                ("seq", ColumnData::I64(r.iter().map(|(_, x)| x.seq.0.into()).collect())),
                ("phase", ColumnData::Str(r.iter().map(|(_, x)| x.phase.name().to_string()).collect())),
            ],
        );
        if self.senders {
            let from = ColumnData::I64(r.iter().map(|(_, x)| x.from.0.into()).collect());
            resent.columns.push(Column { name: "from", data: from });
        }
        resent
    }

    fn series_table(&self) -> Table {
        let s = &self.series;
        let reals =
            |get: &dyn Fn(&Snapshot) -> f64| ColumnData::F64(s.iter().map(|r| get(&r.1.state)).collect());
        table(
            "series",
            [
                ("t_s", ColumnData::F64(s.iter().map(|r| r.1.at.as_secs_f64()).collect())),
                ("flow", ColumnData::I64(s.iter().map(|r| r.0 as i64).collect())),
                ("cwnd_segments", reals(&|x| x.cwnd)),
                ("ssthresh_segments", reals(&|x| x.ssthresh)),
                ("srtt_s", reals(&|x| x.srtt.map_or(f64::NAN, |d| d.as_secs_f64()))),
                ("rto_s", reals(&|x| x.rto.as_secs_f64())),
                ("in_flight_segments", reals(&|x| x.flight_segments as f64)),
                ("acked_bytes", ColumnData::I64(s.iter().map(|r| r.1.acked_bytes as i64).collect())),
            ],
        )
    }
}
