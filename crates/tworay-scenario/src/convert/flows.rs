//! Converts flows of the command line and of ns-2 traffic files to `[[flow]]` tables.

use super::renumber;
use crate::error::{Place, ScenarioError, Source};
use std::fmt::Write;
use std::sync::Arc;
use tworay_base::SimDuration;
use tworay_base::suggest;
use tworay_wire::ns2::{Movement, Traffic, TrafficFlow, TrafficKind};

/// A `[[flow]]` table, and when its flow starts if known.
pub(super) struct FlowText {
    pub text: String,
    pub start: Option<SimDuration>,
}

const FORM: &str = "Write --flow FROM:TO:APP, for example --flow 0:1:ftp or --flow 0:1:cbr:rate=64kbps.";
const APPS: [&str; 3] = ["ftp", "cbr", "on-off"];
/// Default settings of applications.
const USUAL: [(&str, &[(&str, &str)]); 3] = [
    ("ftp", &[]),
    ("cbr", &[("interval", "250ms"), ("size", "512B")]),
    ("on-off", &[("rate", "64kbps"), ("size", "512B"), ("on", "1s"), ("off", "1s")]),
];

/// Parses `0:1:ftp` or `0:1:cbr:rate=64kbps:start=10s`.
pub(super) fn from_argument(argument: &str) -> Result<FlowText, ScenarioError> {
    let source = Arc::new(Source { name: "--flow".into(), text: argument.to_owned(), has_lines: false });
    let fail = |part: &str, problem: String, remedy: String| {
        // All parts are slices of the argument.
        let start = part.as_ptr() as usize - argument.as_ptr() as usize;
        let source = Arc::new(Source { name: "--flow".into(), text: argument.to_owned(), has_lines: false });
        ScenarioError::new(Some(Place::new(&source, start..start + part.len())), problem, remedy)
    };
    let mut parts = argument.split(':');
    let (Some(from), Some(to), Some(app)) = (parts.next(), parts.next(), parts.next()) else {
        let whole = Some(Place::new(&source, 0..argument.len()));
        return Err(ScenarioError::new(whole, "this is not a flow", FORM));
    };
    let node = |word: &str| {
        let number = word.trim().parse::<u16>().ok().filter(|&n| n != u16::MAX);
        number.ok_or_else(|| fail(word, format!("\"{word}\" is not a node number"), FORM.to_owned()))
    };
    let (from_node, to_node) = (node(from)?, node(to)?);
    let Some((_, usual)) = USUAL.iter().find(|(name, _)| *name == app) else {
        let hint =
            suggest(app, &APPS).map_or_else(String::new, |nearest| format!("Did you mean \"{nearest}\"? "));
        let remedy = format!("{hint}Allowed: {}.", APPS.join(", "));
        return Err(fail(app, format!("unknown application \"{app}\""), remedy));
    };
    let mut settings: Vec<(&str, &str)> = Vec::new();
    for part in parts {
        match part.split_once('=') {
            Some((key, value))
                if !key.is_empty() && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') =>
            {
                settings.push((key, value));
            }
            _ => return Err(fail(part, format!("\"{part}\" is not a setting"), FORM.to_owned())),
        }
    }
    let given = |key: &str| settings.iter().any(|(name, _)| *name == key);
    let pace = given("rate") || given("interval");
    let mut text = format!("\n[[flow]]\nfrom = {from_node}\nto = {to_node}\napp = \"{app}\"\n");
    let missing = usual
        .iter()
        .chain(&[("start", "1s")])
        .filter(|(key, _)| !(given(key) || pace && matches!(*key, "rate" | "interval")));
    let missing: Vec<_> = missing.copied().collect();
    for (key, value) in settings.iter().chain(&missing) {
        let number = value.parse::<u64>().is_ok() && matches!(*key, "port" | "packets");
        let value =
            if number { (*value).to_owned() } else { toml::Value::String((*value).to_owned()).to_string() };
        let _ = writeln!(text, "{key} = {value}");
    }
    let start = settings
        .iter()
        .chain(&missing)
        .find(|(key, _)| *key == "start")
        .and_then(|(_, value)| value.parse().ok());
    Ok(FlowText { text, start })
}

/// The flows of a traffic file, between nodes of a movement file.
pub(super) fn from_traffic(traffic: &Traffic, moves: &Movement) -> Result<Vec<FlowText>, ScenarioError> {
    let (first, nodes) = (moves.first_number, moves.nodes.len());
    let strange = |flow: &TrafficFlow| usize::from(flow.from.max(flow.to)) >= usize::from(first) + nodes;
    if let Some(flow) = traffic.flows.iter().find(|flow| strange(flow)) {
        let problem = format!(
            "the traffic file has a flow from node {} to node {}, the movement file has nodes {first} to {}",
            flow.from,
            flow.to,
            usize::from(first) + nodes - 1
        );
        // cbrgen's destinations are i + 1 and i + 2, modulo nn + 1.
        let remedy =
            "Give files of as many nodes; cbrgen's -nn N also draws node N, so make it with one node less.";
        return Err(ScenarioError::new(None, problem, remedy));
    }
    traffic.flows.iter().map(|flow| from_traffic_flow(flow, first)).collect()
}

fn from_traffic_flow(flow: &TrafficFlow, first: u16) -> Result<FlowText, ScenarioError> {
    let (Some(from), Some(to)) = (renumber(flow.from, first), renumber(flow.to, first)) else {
        let problem = format!(
            "the traffic file names node {}, the movement file starts at node {first}",
            flow.from.min(flow.to)
        );
        return Err(ScenarioError::new(
            None,
            problem,
            "Give the traffic file that belongs to the movement file.",
        ));
    };
    let mut text = format!("\n[[flow]]\nfrom = {from}\nto = {to}\n");
    match &flow.kind {
        TrafficKind::Cbr { packet_bytes, interval, random, max_packets } => {
            let _ = write!(text, "app = \"cbr\"\ninterval = \"{interval}\"\nsize = \"{packet_bytes}B\"\n");
            if *random {
                text.push_str("# not carried over: random_ 1, ns-2's noise on the interval\n");
            }
            if let Some(packets) = max_packets {
                let _ = writeln!(text, "packets = {packets}");
            }
        }
        TrafficKind::Ftp { agent, .. } => {
            let _ = write!(text, "app = \"ftp\"\n{}\n", variant_line(agent));
        }
    }
    let _ = writeln!(text, "start = \"{}\"", flow.start.since_start());
    if let Some(stop) = flow.stop {
        let _ = writeln!(text, "stop = \"{}\"", stop.since_start());
    }
    for (object, variable, value) in &flow.other_settings {
        let line = format!("{object} set {variable} {value}");
        let _ = writeln!(text, "# not carried over: {}", super::shown(&line));
    }
    Ok(FlowText { text, start: Some(flow.start.since_start()) })
}

/// The variant that corresponds to an ns-2 agent.
fn variant_line(agent: &str) -> String {
    let name = match agent {
        "Agent/TCP" => "tahoe",
        other => match other.strip_prefix("Agent/TCP/") {
            Some("Reno") => "reno",
            Some("Newreno") => "newreno",
            Some("Sack1") => "sack",
            Some("Vegas") => "vegas",
            _ => "",
        },
    };
    if name.parse::<tworay_tcp::Variant>().is_ok() {
        format!("tcp = \"{name}\"")
    } else {
        format!("# ns-2's {agent} has no counterpart here; this flow runs the variant of [tcp]")
    }
}

/// `[tcp]` keys that are equal for all TCP flows of the file.
pub(super) fn common_tcp_settings(traffic: &Traffic) -> Vec<(&'static str, String)> {
    let flows: Vec<(Option<u32>, Option<u32>)> = traffic
        .flows
        .iter()
        .filter_map(|flow| match &flow.kind {
            TrafficKind::Ftp { packet_bytes, window, .. } => Some((*packet_bytes, *window)),
            TrafficKind::Cbr { .. } => None,
        })
        .collect();
    let Some(&(bytes, window)) = flows.first().filter(|first| flows.iter().all(|flow| flow == *first)) else {
        return Vec::new();
    };
    let mss = bytes.map(|bytes| ("mss", format!("\"{bytes}B\"")));
    mss.into_iter().chain(window.map(|window| ("window", window.to_string()))).collect()
}
