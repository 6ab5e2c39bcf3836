//! The list of all metrics.

use super::flow_report::FlowReport;
use super::metrics::Metric;
use super::sections;

/// Every metric: by chapter, and within a chapter in the order of the document.
pub fn metrics() -> Vec<Metric> {
    let declared = [
        FlowReport::METRICS,
        sections::FURTHER,
        sections::MacReport::METRICS,
        sections::RoutingReport::METRICS,
        sections::EnergyReport::METRICS,
        sections::MetricsReport::METRICS,
    ];
    let mut all: Vec<Metric> = declared.into_iter().flatten().copied().collect();
    all.sort_by_key(|metric| metric.chapter);
    all
}

#[cfg(test)]
mod tests;
