//! Transfers in the results: figures of a flow, and the table of all.

use super::FlowReport;
use super::columns::{ColumnData, Table, table};
use crate::network::hosts::flow::Flow;
use crate::network::hosts::traffic::{Traffic, Transfer};
use std::collections::BTreeMap;
use tworay_base::SimTime;

/// Classes of sizes: their largest size, bytes, and name.
const CLASSES: [(u64, &str); 4] =
    [(10_000, "to_10kB"), (100_000, "to_100kB"), (1_000_000, "to_1MB"), (u64::MAX, "above_1MB")];

fn class_of(bytes: u64) -> &'static str {
    CLASSES.iter().find(|(most, _)| bytes <= *most).map_or("", |(_, name)| name)
}

/// Adds the figures of a flow's transfers to its report.
pub(super) fn reported(traffic: &Traffic, warm: SimTime, end: SimTime, report: FlowReport) -> FlowReport {
    let done = traffic.transfers.iter().filter(|transfer| transfer.asked >= warm);
    let done: Vec<(u64, f64)> =
        done.filter_map(|transfer| Some((transfer.bytes, seconds(transfer)?))).collect();
    let mut times: Vec<f64> = done.iter().map(|(_, time)| *time).collect();
    times.sort_by(f64::total_cmp);
    let mut by_size: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    for &(bytes, time) in &done {
        by_size.entry(class_of(bytes)).or_default().push(time);
    }
    let playout = traffic.playout();
    let stalls = playout.map(|playout| playout.stalls_until(end));
    FlowReport {
        completed_transfers: Some(done.len() as u64),
        transfer_seconds: mean(&times),
        // The nearest rank: the least time that 95 % don't exceed.
        transfer_p95_seconds: times.get((times.len() * 95).div_ceil(100).saturating_sub(1)).copied(),
        transfer_seconds_by_size: Some(
            by_size.into_iter().filter_map(|(name, times)| Some((name, mean(&times)?))).collect(),
        ),
        stalls: stalls.map(|(number, _)| number),
        stalled_seconds: stalls.map(|(_, time)| time.as_secs_f64()),
        startup_seconds: playout.and_then(|playout| playout.startup).map(|time| time.as_secs_f64()),
        ..report
    }
}

fn seconds(transfer: &Transfer) -> Option<f64> {
    transfer.done.map(|done| done.since(transfer.asked).as_secs_f64())
}

fn mean(times: &[f64]) -> Option<f64> {
    (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
}

/// Takes the transfers of all flows that have some.
pub(super) fn taken(flows: &mut [Flow]) -> Vec<(u16, Vec<Transfer>)> {
    let flows = (0u16..).zip(flows);
    flows.filter_map(|(id, flow)| Some((id, std::mem::take(&mut flow.traffic.as_mut()?.transfers)))).collect()
}

/// The table `transfers`: a row for each, in the order in which they were asked for. Those that are not done have no
/// time.
pub(super) fn table_of(transfers: &[(u16, Vec<Transfer>)]) -> Table {
    let rows: Vec<(u16, &Transfer)> =
        transfers.iter().flat_map(|(flow, list)| list.iter().map(|transfer| (*flow, transfer))).collect();
    table(
        "transfers",
        [
            ("flow", ColumnData::I64(rows.iter().map(|(flow, _)| i64::from(*flow)).collect())),
            ("asked_s", ColumnData::F64(rows.iter().map(|(_, t)| t.asked.as_secs_f64()).collect())),
            ("bytes", ColumnData::I64(rows.iter().map(|(_, t)| t.bytes as i64).collect())),
            ("seconds", ColumnData::F64(rows.iter().map(|(_, t)| seconds(t).unwrap_or(f64::NAN)).collect())),
        ],
    )
}
