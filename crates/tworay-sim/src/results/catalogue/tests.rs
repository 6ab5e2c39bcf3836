use super::*;
use crate::results::columns::ColumnData;
use serde_json::{Value, to_value};
use std::collections::BTreeSet;

/// Keys of a section of the document.
fn keys(section: &Value, prefix: &str) -> BTreeSet<String> {
    section.as_object().unwrap().keys().map(|key| format!("{prefix}{key}")).collect()
}

#[test]
fn every_metric_is_declared_once_with_unit_and_definition() {
    let mut names = BTreeSet::new();
    for metric in metrics() {
        assert!(names.insert(metric.name), "{} is declared twice", metric.name);
        assert!(!metric.unit.is_empty() && !metric.definition.is_empty(), "{}", metric.name);
    }
}

#[test]
fn the_documents_fields_are_the_metrics_declared() {
    let document = to_value(FlowReport::default()).unwrap();
    let declared: BTreeSet<String> = FlowReport::METRICS.iter().map(|m| m.name.to_owned()).collect();
    let plain: Vec<&str> = vec!["id", "from", "to", "tcp"];
    let mut found = keys(&document, "");
    plain.iter().for_each(|key| assert!(found.remove(*key)));
    // Absent without an energy model, and without counts of the variant.
    found.extend(["computing_seconds", "phase_joules", "counted"].map(String::from));
    // Only flows with transfers and videos have them.
    let transfers =
        ["completed_transfers", "transfer_seconds", "transfer_p95_seconds", "transfer_seconds_by_size"];
    found.extend(
        transfers.into_iter().chain(["stalls", "stalled_seconds", "startup_seconds"]).map(String::from),
    );
    assert_eq!(found, declared);
    let document = to_value(sections::MacReport::default()).unwrap();
    let declared: BTreeSet<String> = sections::MacReport::METRICS.iter().map(|m| m.name.to_owned()).collect();
    assert_eq!(keys(&document, "mac."), declared);
}

#[test]
fn the_table_of_flows_has_every_metric_that_is_one_number() {
    let rows = [FlowReport { goodput_bps: 2.5, timeouts: Some(3), ..Default::default() }];
    let columns = FlowReport::columns(&rows);
    let families = FlowReport::METRICS.iter().filter(|metric| metric.family).count();
    assert_eq!(columns.len() + families, FlowReport::METRICS.len());
    let of = |name: &str| &columns.iter().find(|column| column.name == name).unwrap().data;
    assert_eq!(of("goodput_bps"), &ColumnData::F64(vec![2.5]));
    assert_eq!(of("timeouts"), &ColumnData::MaybeI64(vec![Some(3)]));
    assert!(matches!(of("mean_hops"), ColumnData::F64(values) if values[0].is_nan()));
}
