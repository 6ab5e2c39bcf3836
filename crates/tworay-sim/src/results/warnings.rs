//! Warnings about a run's figures: flows without a path, flows that received nothing, packets too long for a frame.

use crate::network::hosts::flow::Flow;
use crate::observe::loss::ledger::LossRecord;
use crate::paths::FlowPath;
use serde::Serialize;
use std::collections::BTreeMap;
use tworay_base::{Died, FlowId, LossCause, SimTime};

/// Kind of warning.
#[derive(Copy, Clone, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum WarningKind {
    /// There never was a path.
    NoPath,
    /// There was no path for part of the time.
    PathMissing,
    /// Nothing arrived although every hop of a path was in range.
    NothingArrived,
    /// Its packets are too long for a frame.
    Oversized,
    /// Packets of its trace lie after its end.
    BeyondEnd,
}

/// A warning about a flow.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Warning {
    /// Index of the flow in the scenario.
    pub flow: u16,
    /// `no-path`, `path-missing`, `nothing-arrived`, `oversized` or `beyond-end`.
    pub kind: WarningKind,
    /// The warning in words, with a remedy.
    pub text: String,
}

/// All warnings of a run, by flow.
pub(crate) fn warnings(
    flows: &[Flow],
    paths: &[FlowPath],
    records: &[LossRecord],
    end: SimTime,
) -> Vec<Warning> {
    let mut all = Vec::new();
    for (i, (flow, path)) in (0u16..).zip(flows.iter().zip(paths)) {
        all.extend(path.words(i, path.facts.partitioned_fraction()));
        all.extend(path.oversized(i));
        all.extend(path.beyond_end(i));
        if path.facts.connected > 0 && flow.received_bytes() == 0 && flow.setup.start < end {
            let text = nothing_arrived((FlowId(i), flows.len()), path, records);
            all.push(Warning { flow: i, kind: WarningKind::NothingArrived, text });
        }
    }
    all
}

/// Says that nothing of one of so many flows arrived.
fn nothing_arrived((id, flows): (FlowId, usize), path: &FlowPath, records: &[LossRecord]) -> String {
    let lost: Vec<&LossRecord> = records.iter().filter(|r| r.flow == id).collect();
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for record in &lost {
        *counts.entry(record.cause as usize).or_default() += 1;
    }
    // On a tie, the first cause is named.
    let most =
        LossCause::ALL.iter().copied().rev().max_by_key(|&c| counts.get(&(c as usize)).copied().unwrap_or(0));
    let head = format!(
        "flow {id} ({} to {}): nothing arrived, although every hop of a path was in range",
        path.label(path.from),
        path.label(path.to)
    );
    match most.filter(|_| !lost.is_empty()) {
        None => format!(
            "{head}; nothing was lost either: its packets still waited for a route or an address, or were under way; \
             give a longer duration"
        ),
        Some(cause) => {
            let of = counts.get(&(cause as usize)).copied().unwrap_or(0);
            let in_arp = |r: &&&LossRecord| matches!(r.died, Died::Arp | Died::ArpUnanswered);
            let arp = 2 * lost.iter().filter(|r| r.cause == cause).filter(in_arp).count() > of;
            let load = Load { alone: flows == 1, arp };
            format!(
                "{head}: {of} of {} lost segments died of {}; {}",
                lost.len(),
                cause.name(),
                remedy(cause, load)
            )
        }
    }
}

/// Facts on which the remedy for losses by load depends.
#[derive(Copy, Clone)]
struct Load {
    /// The scenario has no other flow.
    alone: bool,
    /// Most packets died while they waited for an address, where no queue is full.
    arp: bool,
}

fn remedy(cause: LossCause, load: Load) -> &'static str {
    match cause {
        LossCause::Congestion => match load {
            Load { arp: true, .. } => {
                "packets came faster than ARP answers: give the flow less to send, or mac.arp = false"
            }
            Load { alone: true, .. } => "give the flow less to send",
            Load { .. } => "give the other flows less to send, or a longer mac.queue_limit",
        },
        LossCause::Contention if load.alone => {
            "its own packets and their answers collide: give it less to send, or mac.rts = \"full\""
        }
        LossCause::Contention => "start the flows apart, or give the others less to send",
        LossCause::Channel => "see [errors], radio.shadowing and radio.fading",
        LossCause::Rate => {
            "let radio.rate choose, or a lower radio.mcs or mac.data_rate, or bring the nodes closer"
        }
        LossCause::LinkFailure => {
            "routing finds no route or loses it: try a longer duration, or another protocol"
        }
        LossCause::NodeDown => "a node on the way is off or has no power",
        LossCause::NoRoute => {
            "routing does not find a path that exists: start the flow later, or see the limits of its searches"
        }
        LossCause::Ttl => "the path has more hops than the hop limit",
        LossCause::Unknown => "nothing on record explains it: please report the scenario and the seed",
        other => other.words(),
    }
}

#[cfg(test)]
mod tests;
