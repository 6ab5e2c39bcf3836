//! Converts ns-2's wireless traces to tables.

use crate::results::{Column, ColumnData, Table};
use std::path::Path;
use tworay_scenario::{ScenarioError, unreadable};
use tworay_wire::ns2::trace::{TraceEnd, TraceFate, TraceSummary};
use tworay_wire::read_text;

/// Reads a wireless trace of ns-2 in the old or new format, optionally gzip. The tables are `packets` (each
/// packet of a transport agent and how it ended), `flows`, `losses` (of a flow's packets, by layer and
/// reason), `drops` (all drop lines, by layer, reason and kind) and `routing` (routing packets sent).
pub fn read_ns2_trace(path: &Path) -> Result<Vec<Table>, ScenarioError> {
    let text = read_text(path).map_err(unreadable)?;
    let summary = TraceSummary::parse(&path.display().to_string(), &text).map_err(unreadable)?;
    Ok(vec![packets(&summary), flows(&summary), losses(&summary), drops(&summary), routing(&summary)])
}

fn real(name: &'static str, values: impl Iterator<Item = f64>) -> Column {
    Column { name, data: ColumnData::F64(values.collect()) }
}

fn whole(name: &'static str, values: impl Iterator<Item = i64>) -> Column {
    Column { name, data: ColumnData::I64(values.collect()) }
}

fn text(name: &'static str, values: impl Iterator<Item = String>) -> Column {
    Column { name, data: ColumnData::Str(values.collect()) }
}

fn end(end: TraceEnd) -> String {
    format!("{}:{}", end.node, end.port)
}

fn packets(summary: &TraceSummary) -> Table {
    let all = || summary.packets.iter();
    let received = |fate: &TraceFate| match fate {
        TraceFate::Received(at) => at.since_start().as_secs_f64(),
        _ => f64::NAN,
    };
    let fate = |fate: &TraceFate| match fate {
        TraceFate::Received(_) => "received".to_owned(),
        TraceFate::Lost { layer, reason, .. } => format!("{} {reason}", layer.name()),
        TraceFate::UnderWay => "under way".to_owned(),
    };
    let lost = |fate: &TraceFate| match fate {
        TraceFate::Lost { at, node, .. } => (at.since_start().as_secs_f64(), f64::from(*node)),
        _ => (f64::NAN, f64::NAN),
    };
    let columns = vec![
        whole("uid", all().map(|p| p.uid as i64)),
        text("from", all().map(|p| end(p.src))),
        text("to", all().map(|p| end(p.dst))),
        text("kind", all().map(|p| p.kind.clone())),
        whole("number", all().map(|p| p.number.unwrap_or(-1))),
        whole("bytes", all().map(|p| p.bytes.into())),
        real("sent_s", all().map(|p| p.sent.since_start().as_secs_f64())),
        real("received_s", all().map(|p| received(&p.fate))),
        whole("forwarded", all().map(|p| p.forwarded.into())),
        text("fate", all().map(|p| fate(&p.fate))),
        real("lost_s", all().map(|p| lost(&p.fate).0)),
        real("lost_at_node", all().map(|p| lost(&p.fate).1)),
    ];
    Table { name: "packets", columns }
}

fn flows(summary: &TraceSummary) -> Table {
    let all = || summary.flows.iter();
    let seconds = |first: tworay_base::SimTime| summary.end.since(first).as_secs_f64();
    let columns = vec![
        text("from", all().map(|f| end(f.src))),
        text("to", all().map(|f| end(f.dst))),
        text("kind", all().map(|f| f.kind.clone())),
        whole("sent", all().map(|f| f.sent as i64)),
        whole("received", all().map(|f| f.received as i64)),
        whole("goodput_bytes", all().map(|f| f.goodput_bytes as i64)),
        // From the flow's first packet to the end of the trace.
        real("goodput_bps", all().map(|f| 8.0 * f.goodput_bytes as f64 / seconds(f.first))),
        real("mean_delay_s", all().map(|f| f.delay_sum / f.received as f64)),
    ];
    Table { name: "flows", columns }
}

fn losses(summary: &TraceSummary) -> Table {
    let all = || summary.flows.iter().flat_map(|f| f.losses.iter().map(move |(key, n)| (f, key, *n)));
    let columns = vec![
        text("from", all().map(|(f, ..)| end(f.src))),
        text("to", all().map(|(f, ..)| end(f.dst))),
        text("kind", all().map(|(f, ..)| f.kind.clone())),
        text("layer", all().map(|(_, (layer, _), _)| layer.name().to_owned())),
        text("reason", all().map(|(_, (_, reason), _)| reason.clone())),
        whole("packets", all().map(|(.., n)| n as i64)),
    ];
    Table { name: "losses", columns }
}

fn drops(summary: &TraceSummary) -> Table {
    let all = || summary.drops.iter();
    let columns = vec![
        text("layer", all().map(|((layer, ..), _)| layer.name().to_owned())),
        text("reason", all().map(|((_, reason, _), _)| reason.clone())),
        text("kind", all().map(|((.., kind), _)| kind.clone())),
        whole("lines", all().map(|(_, n)| *n as i64)),
    ];
    Table { name: "drops", columns }
}

fn routing(summary: &TraceSummary) -> Table {
    let (packets, bytes) = summary.routing;
    let columns = vec![
        whole("packets", std::iter::once(packets as i64)),
        whole("bytes", std::iter::once(bytes as i64)),
        whole("records", std::iter::once(summary.records as i64)),
        real("end_s", std::iter::once(summary.end.since_start().as_secs_f64())),
    ];
    Table { name: "routing", columns }
}
