//! Invariants of every run.

use crate::checks_record;
use crate::guarded::{Run, run_plainly};
use crate::plan::Plan;
use serde_json::Value;
use tworay_sim::{ColumnData, FlowReport, Table};

/// A violated invariant.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The invariant.
    pub kind: &'static str,
    pub text: String,
}

impl Fault {
    pub fn new(kind: &'static str, text: String) -> Self {
        Self { kind, text }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.kind, self.text)
    }
}

/// Fails as `kind` unless `holds`.
pub fn ensure(kind: &'static str, holds: bool, text: impl FnOnce() -> String) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault::new(kind, text())) }
}

/// Checks everything. Conservation of packets and a balanced ledger were checked at the end of the run.
pub fn check(plan: &Plan, run: &Run) -> Result<(), Fault> {
    let document = &run.report.document;
    let unknown = document.ledger.get("unknown").copied().unwrap_or_default();
    ensure("unknown cause", unknown.data + unknown.ack == 0, || format!("{unknown:?}"))?;
    let value = serde_json::to_value(document).map_err(|e| Fault::new("no JSON", e.to_string()))?;
    numbers("", &value)?;
    budget(run)?;
    document.flows.iter().try_for_each(|flow| flow_figures(run, flow))?;
    losses(run)?;
    let tables = run.report.tables();
    energy(plan, run, &tables)?;
    checks_record::check(plan, run, &tables)?;
    same_again(plan, run)
}

/// A column of numbers; NaN stands for none.
pub fn column(tables: &[Table], table: &str, name: &str) -> Vec<f64> {
    let of = tables.iter().find(|t| t.name == table).and_then(|t| t.columns.iter().find(|c| c.name == name));
    match of.map(|column| &column.data) {
        Some(ColumnData::F64(v)) => v.clone(),
        Some(ColumnData::I64(v)) => v.iter().map(|&x| x as f64).collect(),
        Some(ColumnData::MaybeI64(v)) => v.iter().map(|x| x.map_or(f64::NAN, |x| x as f64)).collect(),
        _ => Vec::new(),
    }
}

/// Figures that can't be negative, and fractions.
fn numbers(path: &str, value: &Value) -> Result<(), Fault> {
    match value {
        Value::Object(inner) => {
            inner.iter().try_for_each(|(key, value)| numbers(&format!("{path}.{key}"), value))
        }
        Value::Array(inner) => inner.iter().try_for_each(|value| numbers(path, value)),
        Value::Number(n) => {
            let x = n.as_f64().unwrap_or(f64::NAN);
            let fraction = path.ends_with("_ratio") || path.ends_with("jain_fairness");
            let most = if fraction { 1.0 + 1e-9 } else { f64::INFINITY };
            // Extra energy expenditure and unexploited resources are differences.
            let least = if path.ends_with("eee") || path.ends_with("uar") { f64::NEG_INFINITY } else { 0.0 };
            ensure("impossible figure", (least..=most).contains(&x), || format!("{path} = {x}"))
        }
        _ => Ok(()),
    }
}

/// A run ends after a number of events that its frames, packets and timers explain. A frame lasts at least 20 µs on
/// the medium, or 32 µs (40 bytes at 10 Mb/s) on a wire, and causes a few events at each node that hears it.
fn budget(run: &Run) -> Result<(), Fault> {
    let document = &run.report.document;
    let nodes = f64::from(run.scenario.node_count());
    let most = 10_000.0 + document.sim_seconds * nodes * nodes.max(8.0) * 4.0 / 20e-6;
    ensure("too many events", document.events as f64 <= most, || format!("{} above {most}", document.events))
}

fn flow_figures(run: &Run, flow: &FlowReport) -> Result<(), Fault> {
    let end = run.report.document.sim_seconds;
    let within = |what: &str, seconds: Option<f64>| {
        ensure("time outside the run", seconds.is_none_or(|s| s <= end), || {
            format!("flow {}: {what} {seconds:?}", flow.id)
        })
    };
    within("handshake", flow.handshake_seconds)?;
    within("connection", flow.connection_seconds)?;
    within("completion", flow.completion_seconds)?;
    within("idle in RTO", flow.rto_idle_seconds)?;
    within("frozen", Some(flow.frozen_seconds))?;
    within("delay", flow.mean_delay_seconds)?;
    let sums = flow.phase_seconds.as_ref().map(|phases| phases.values().sum::<f64>());
    ensure("phases longer than the run", sums.is_none_or(|sum| sum <= end + 1e-6), || {
        format!("flow {}: {sums:?} s", flow.id)
    })?;
    ensure("retransmitted more than sent", flow.retransmitted_segments <= flow.sent_segments, || {
        format!("flow {}: {} of {}", flow.id, flow.retransmitted_segments, flow.sent_segments)
    })
}

fn losses(run: &Run) -> Result<(), Fault> {
    let document = &run.report.document;
    let nodes = run.scenario.node_count();
    let mut last = tworay_base::SimTime::ZERO;
    for loss in run.report.losses() {
        let known = |node: tworay_base::NodeId| u32::from(node.0) < nodes;
        let sound = loss.at >= last
            && loss.since <= loss.at
            && loss.at.as_secs_f64() <= document.sim_seconds
            && usize::from(loss.flow.0) < document.flows.len()
            && known(loss.node)
            && known(loss.from)
            && known(loss.root_node)
            && loss.next_hop.is_none_or(known)
            && loss.interferer.is_none_or(known);
        ensure("impossible loss", sound, || format!("after {last:?}: {loss:?}"))?;
        last = loss.at;
    }
    let booked: u64 = document.ledger.values().map(|count| count.data + count.ack).sum();
    let records = run.report.losses().len() as u64;
    ensure("ledger and records differ", booked == records, || format!("{booked} booked, {records} records"))
}

/// Every node is in one state at any time, and what its battery lost its radio used.
fn energy(plan: &Plan, run: &Run, tables: &[Table]) -> Result<(), Fault> {
    let of = |name: &str| column(tables, "energy", name);
    let joules = of("joules");
    if joules.is_empty() {
        return Ok(());
    }
    let end = run.report.document.sim_seconds;
    let seconds = ["transmit_s", "receive_s", "overhear_s", "idle_s", "sleep_s", "dead_s"].map(of);
    let (left, died) = (of("joules_left"), of("died_s"));
    let settings = &run.scenario.settings.energy;
    let computing = plan.get("energy.draw_computing").is_some();
    for node in 0..joules.len() {
        let sum: f64 = seconds.iter().map(|state| state[node]).sum();
        ensure("states don't fill the run", (sum - end).abs() < 1e-6, || {
            format!("node {node}: {sum} of {end} s")
        })?;
        let own = settings.batteries.iter().find(|own| usize::from(own.node) == node).map(|own| own.battery);
        if let Some(battery) = own.or(settings.battery) {
            let battery = battery.get();
            let balance = joules[node] + left[node] - battery;
            ensure("battery doesn't balance", balance.abs() <= 1e-9 * battery.max(1.0), || {
                format!("node {node}: {} used, {} left of {battery} J", joules[node], left[node])
            })?;
            ensure(
                "dead with energy left",
                died[node].is_nan() || left[node] <= 1e-9 * battery.max(1.0),
                || format!("node {node} died at {} s with {} J", died[node], left[node]),
            )?;
        }
    }
    let total: f64 = joules.iter().sum();
    let by_state = run.report.document.energy.joules_by_state.as_ref();
    let sum: f64 = by_state.map_or(0.0, |states| states.values().sum());
    let states = plan.text("energy.model", "none") == "states" && !computing;
    // A node dies at a whole nanosecond, up to one after its battery is empty; no preset or draw uses more than 2 W.
    let rounding = 1e-9 * (total + 2.0 * joules.len() as f64);
    ensure("states and total differ", !states || (sum - total).abs() <= rounding, || {
        format!("{sum} J by state, {total} J in all")
    })
}

/// The same scenario in another thread, without observers, gives the same bytes.
fn same_again(plan: &Plan, run: &Run) -> Result<(), Fault> {
    let plain = run_plainly(plan)?;
    let [mut first, mut second] = [run, &plain].map(|run| run.report.document.clone());
    (first.cpu_seconds, second.cpu_seconds) = (0.0, 0.0);
    ensure("not the same again", format!("{first:?}") == format!("{second:?}"), || {
        let (first, second) = (format!("{first:#?}"), format!("{second:#?}"));
        let differing = first.lines().zip(second.lines()).filter(|(a, b)| a != b).take(3);
        differing.map(|(a, b)| format!("{} | {}", a.trim(), b.trim())).collect::<Vec<_>>().join("; ")
    })?;
    ensure("other losses", run.report.losses() == plain.report.losses(), || {
        "the ledger's records differ".into()
    })
}
