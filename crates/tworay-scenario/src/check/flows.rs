//! Checks flows, converts their keys to an application, and assigns ports.

use super::parts::variant_of;
use super::{Check, traffic};
use crate::error::ScenarioError;
use crate::flow::{AppKind, Application, FlowSetup, FlowTable};
use crate::settings::Settings;
use std::collections::BTreeMap;
use std::path::Path;
use tworay_base::{BitRate, Bytes, ConfigProblem, SimDuration, SimTime};
use tworay_radio::phy::Standard;
use tworay_tcp::Variant;

/// Shortest interval between packets: a million packets per second.
const SHORTEST_INTERVAL: SimDuration = SimDuration::from_micros(1);

/// Largest payload: that of a jumbo frame.
pub(crate) const MOST_PAYLOAD: u64 = 9000;

impl Check<'_> {
    pub(super) fn some_flow(&self, file: &Settings) -> Result<(), ScenarioError> {
        if file.flows.is_empty() {
            let remedy = "Add a flow: [[flow]] with from = 0, to = 1 and app = \"ftp\".";
            return self.fail("flow", "there is no flow", remedy);
        }
        Ok(())
    }

    pub(super) fn flows(
        &self,
        file: &Settings,
        nodes: u32,
        variant: &Variant,
        base_dir: &Path,
    ) -> Result<Vec<FlowSetup>, ScenarioError> {
        if file.flows.len() > MOST_FLOWS {
            let problem = format!("{} flows are too many", file.flows.len());
            return self.fail("flow", &problem, &format!("Give at most {MOST_FLOWS}."));
        }
        let mut ports = Ports::default();
        for (i, flow) in file.flows.iter().enumerate() {
            let key = |name: &str| format!("flow.{i}.{name}");
            self.node(&key("from"), flow.from, nodes)?;
            self.node(&key("to"), flow.to, nodes)?;
            if flow.from == flow.to {
                return self.fail(
                    &key("to"),
                    &format!("the flow goes from node {} to itself", flow.to),
                    "Name two different nodes.",
                );
            }
            if flow.start >= file.duration {
                let problem =
                    format!("the flow starts at {}, but the run ends at {}", flow.start, file.duration);
                return self.fail(&key("start"), &problem, "Start it earlier, or give a longer duration.");
            }
            if let Some(stop) = flow.stop.filter(|&stop| stop <= flow.start) {
                let problem = format!("the flow stops at {stop}, but starts at {}", flow.start);
                return self.fail(&key("stop"), &problem, "Stop it later, or leave the key out.");
            }
            if flow.category.is_some() && !file.radio.standard.is_some_and(Standard::has_aggregates) {
                let radio = match file.radio.standard {
                    Some(standard @ (Standard::A | Standard::G)) => standard,
                    _ => Standard::B,
                };
                let problem = format!(
                    "{radio} as simulated here has no access categories, but one queue for all packets"
                );
                let remedy = "Leave it out, or choose a radio with QoS, such as radio.preset = \"n20\".";
                return self.fail(&key("category"), &problem, remedy);
            }
            ports.claim(i, flow).map_err(|problem| self.refused(problem.within(&format!("flow.{i}"))))?;
        }
        let mut resolved = Vec::with_capacity(file.flows.len());
        for (i, flow) in file.flows.iter().enumerate() {
            let application = application(flow, variant, base_dir)
                .map_err(|problem| self.refused(problem.within(&format!("flow.{i}"))))?;
            resolved.push(FlowSetup {
                from: self.node(&format!("flow.{i}.from"), flow.from, nodes)?,
                to: self.node(&format!("flow.{i}.to"), flow.to, nodes)?,
                port: ports.assign(i, flow),
                start: SimTime::ZERO + flow.start,
                stop: flow.stop.map(|stop| SimTime::ZERO + stop),
                category: flow.category,
                application,
            });
        }
        Ok(resolved)
    }
}

/// The application of `flow`; `variant` is the default of TCP flows.
pub(crate) fn application(
    flow: &FlowTable,
    variant: &Variant,
    base_dir: &Path,
) -> Result<Application, ConfigProblem> {
    refuse_foreign_keys(flow)?;
    match flow.app {
        AppKind::Ftp => {
            if flow.bytes == Some(Bytes(0)) {
                return ConfigProblem::refuse(
                    "bytes",
                    "the transfer has no bytes",
                    "Give at least \"1B\", or leave it out for an endless one.",
                );
            }
            let variant = variant_of(flow, variant)?;
            Ok(Application::Ftp { bytes: flow.bytes.map(|bytes| bytes.0), variant })
        }
        AppKind::Cbr => {
            let (interval, payload) = pace(flow)?;
            if flow.packets == Some(0) {
                let remedy = "Give at least 1, or leave it out for an endless flow.";
                return ConfigProblem::refuse("packets", "the flow has no packets", remedy);
            }
            Ok(Application::Cbr { interval, payload, packets: flow.packets })
        }
        AppKind::OnOff => {
            let (interval, payload) = pace(flow)?;
            Ok(Application::OnOff {
                interval,
                payload,
                on: phase("on", flow.on)?,
                off: phase("off", flow.off)?,
            })
        }
        AppKind::Web => traffic::web(flow, variant),
        AppKind::Request => traffic::request(flow, variant),
        AppKind::Video => traffic::video(flow, variant),
        AppKind::Replay => traffic::replay(flow, variant, base_dir),
    }
}

/// A key of another application is an error; it is not ignored.
fn refuse_foreign_keys(flow: &FlowTable) -> Result<(), ConfigProblem> {
    use AppKind::{Cbr, Ftp, OnOff, Replay, Request, Video, Web};
    let keys: [(&'static str, bool, &[AppKind]); 19] = [
        ("tcp", flow.tcp.is_some(), &[Ftp, Web, Request, Video, Replay]),
        ("bytes", flow.bytes.is_some(), &[Ftp]),
        ("rate", flow.rate.is_some(), &[Cbr, OnOff, Video]),
        ("interval", flow.interval.is_some(), &[Cbr, OnOff]),
        ("size", flow.size.is_some(), &[Cbr, OnOff]),
        ("packets", flow.packets.is_some(), &[Cbr]),
        ("on", flow.on.is_some(), &[OnOff]),
        ("off", flow.off.is_some(), &[OnOff]),
        ("sizes", flow.sizes.is_some(), &[Web, Request]),
        ("every", flow.every.is_some(), &[Web]),
        ("think", flow.think.is_some(), &[Web, Request]),
        ("request", flow.request.is_some(), &[Web, Request]),
        ("transfers", flow.transfers.is_some(), &[Web, Request]),
        ("chunk", flow.chunk.is_some(), &[Video]),
        ("buffer", flow.buffer.is_some(), &[Video]),
        ("startup", flow.startup.is_some(), &[Video]),
        ("file", flow.file.is_some(), &[Replay]),
        ("source", flow.source.is_some(), &[Replay]),
        ("over", flow.over.is_some(), &[Replay]),
    ];
    for (key, given, apps) in keys {
        if given && !apps.contains(&flow.app) {
            let names: Vec<String> = apps.iter().map(|app| format!("\"{}\"", app.name())).collect();
            return ConfigProblem::refuse(
                key,
                format!("this key does not apply to app = \"{}\"", flow.app.name()),
                format!("Remove it, or choose app = {}.", names.join(" or ")),
            );
        }
    }
    Ok(())
}

fn pace(flow: &FlowTable) -> Result<(SimDuration, u32), ConfigProblem> {
    let size = flow.size.unwrap_or(Bytes(512));
    if !(1..=MOST_PAYLOAD).contains(&size.0) {
        return ConfigProblem::refuse(
            "size",
            format!("a payload of {size} is out of range"),
            "Give \"1B\" to \"9000B\".",
        );
    }
    let interval = match (flow.rate, flow.interval) {
        (Some(_), Some(_)) => {
            return ConfigProblem::refuse(
                "interval",
                "both rate and interval are given",
                "Keep one of them.",
            );
        }
        (None, None) => {
            return ConfigProblem::refuse(
                "app",
                "neither rate nor interval is given",
                "Add rate = \"200kbps\" or interval = \"250ms\".",
            );
        }
        (Some(rate), None) => BitRate::airtime(rate, size.0 as u32),
        (None, Some(interval)) => interval,
    };
    if interval < SHORTEST_INTERVAL {
        let key = if flow.rate.is_some() { "rate" } else { "interval" };
        let what = format!("a packet every {interval} is too often");
        return ConfigProblem::refuse(
            key,
            what,
            "Send at most one a microsecond: give a longer interval or a lower rate.",
        );
    }
    Ok((interval, size.0 as u32))
}

fn phase(key: &'static str, given: Option<SimDuration>) -> Result<SimDuration, ConfigProblem> {
    match given {
        Some(length) if !length.is_zero() => Ok(length),
        Some(_) => {
            ConfigProblem::refuse(key, "the phase has no length", "Give a mean length such as \"1s\".")
        }
        None => ConfigProblem::refuse(
            "app",
            format!("app = \"on-off\" needs the key \"{key}\""),
            format!("Add {key} = \"1s\", for example."),
        ),
    }
}

/// Ports at receivers by node and port, with the flow that uses them.
#[derive(Default)]
pub(crate) struct Ports {
    taken: BTreeMap<(u32, u16), usize>,
    next: BTreeMap<u32, u16>,
}

/// First port assigned at receivers.
const FIRST_PORT: u16 = 5001;
/// First source port: flow `i` uses this plus `i`.
const FIRST_SOURCE_PORT: u16 = 49_152;
/// Largest number of flows, limited by the source ports.
pub(crate) const MOST_FLOWS: usize = 65_536 - FIRST_SOURCE_PORT as usize;

impl Ports {
    /// Reserves the port that flow `index` requests.
    pub fn claim(&mut self, index: usize, flow: &FlowTable) -> Result<(), ConfigProblem> {
        let Some(port) = flow.port else { return Ok(()) };
        if !(1..FIRST_SOURCE_PORT).contains(&port) {
            let remedy = "Give 1 to 49151 (senders have those above), or leave it out for a free one.";
            return ConfigProblem::refuse("port", format!("port {port} is out of range"), remedy);
        }
        match self.taken.insert((flow.to, port), index) {
            None => Ok(()),
            Some(other) => ConfigProblem::refuse(
                "port",
                format!("port {port} of node {} is taken by flow.{other}", flow.to),
                "Two flows can't share a port of a node: choose another, or leave it out for a free one.",
            ),
        }
    }

    /// The port of flow `index`: its own or a free one. All requested ports must be reserved before.
    pub fn assign(&mut self, index: usize, flow: &FlowTable) -> u16 {
        if let Some(port) = flow.port {
            return port;
        }
        let next = self.next.entry(flow.to).or_insert(FIRST_PORT);
        loop {
            // There are more ports from here on than flows, so the search ends.
            let port = *next;
            *next += 1;
            if let std::collections::btree_map::Entry::Vacant(slot) = self.taken.entry((flow.to, port)) {
                slot.insert(index);
                return port;
            }
        }
    }
}
