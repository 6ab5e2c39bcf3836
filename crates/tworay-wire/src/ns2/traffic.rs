//! ns-2 traffic files (cbrgen): CBR over UDP and FTP over TCP.
//!
//! ```text
//! set udp_(0) [new Agent/UDP]
//! $ns_ attach-agent $node_(1) $udp_(0)
//! set null_(0) [new Agent/Null]
//! $ns_ attach-agent $node_(2) $null_(0)
//! set cbr_(0) [new Application/Traffic/CBR]
//! $cbr_(0) set packetSize_ 512
//! $cbr_(0) set interval_ 0.25
//! $cbr_(0) attach-agent $udp_(0)
//! $ns_ connect $udp_(0) $null_(0)
//! $ns_ at 127.9 "$cbr_(0) start"
//!
//! set tcp_(1) [$ns_ create-connection TCP $node_(3) TCPSink $node_(4) 0]
//! set ftp_(1) [$tcp_(1) attach-source FTP]
//! $ns_ at 12.5 "$ftp_(1) start"
//! ```

use super::tcl::{self, Line};
use crate::text_file::{ReadError, read_text};
use std::collections::BTreeMap;
use std::path::Path;
use tworay_base::{SimDuration, SimTime};

/// The contents of a traffic file, in order of the start times.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Traffic {
    /// One entry per application started.
    pub flows: Vec<TrafficFlow>,
    /// Commands to nodes, such as `$node_(3) shutdown`, which do not concern flows. A converter can report
    /// them.
    pub node_commands: Vec<String>,
}

/// One application's flow.
#[derive(Clone, Debug, PartialEq)]
pub struct TrafficFlow {
    /// Sending node, numbered as in the file.
    pub from: u16,
    /// Receiving node, numbered as in the file.
    pub to: u16,
    /// Start time.
    pub start: SimTime,
    /// Stop time, if the file gives one.
    pub stop: Option<SimTime>,
    /// Content.
    pub kind: TrafficKind,
    /// Settings of the agents and the application that [`TrafficKind`] does not cover, as (object, variable,
    /// value), so that a converter can report them.
    pub other_settings: Vec<(String, String, String)>,
}

/// Content of a flow.
#[derive(Clone, Debug, PartialEq)]
pub enum TrafficKind {
    /// Datagrams at a constant rate.
    Cbr {
        /// Payload in bytes (ns-2's default 210).
        packet_bytes: u32,
        /// Interval between packets.
        interval: SimDuration,
        /// True if ns-2 would add noise of up to half an interval to each departure.
        random: bool,
        /// Number of packets, if limited.
        max_packets: Option<u64>,
    },
    /// An unlimited TCP transfer.
    Ftp {
        /// ns-2's class, such as `Agent/TCP/Newreno`.
        agent: String,
        /// Payload per segment in bytes, if set.
        packet_bytes: Option<u32>,
        /// Window limit in segments, if set.
        window: Option<u32>,
    },
}

#[derive(Default)]
struct Object {
    class: String,
    line: u32,
    node: Option<u16>,
    /// An agent's peer.
    peer: Option<String>,
    /// An application's agent.
    agent: Option<String>,
    settings: BTreeMap<String, (String, u32)>,
    start: Option<SimTime>,
    stop: Option<SimTime>,
}

impl Traffic {
    /// Reads a traffic file, plain or gzip.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        Self::parse(&path.display().to_string(), &read_text(path)?)
    }

    /// Parses the text of a traffic file called `file`.
    pub fn parse(file: &str, text: &str) -> Result<Self, ReadError> {
        let mut objects = BTreeMap::new();
        let mut node_commands = Vec::new();
        for line in tcl::lines(file, text) {
            let line = line?;
            match line.scheduled()? {
                Some((at, ["$node_" | "$node", node, command @ ..])) => {
                    node_commands.push(format!("node {} {} at {at}", line.node(node)?, command.join(" ")));
                }
                Some((_, ["puts", ..])) => {}
                _ => read_line(&line, &mut objects)?,
            }
        }
        let mut flows = Vec::new();
        for (name, app) in &objects {
            if let Some(start) = app.start {
                flows.push(flow(file, name, app, start, &objects)?);
            }
        }
        if flows.is_empty() {
            return Err(ReadError::whole(
                file,
                "it starts no flow",
                "give a file with lines such as $ns_ at 1.0 \"$cbr_(0) start\"",
            ));
        }
        flows.sort_by_key(|f| (f.start, f.from, f.to));
        Ok(Self { flows, node_commands })
    }
}

/// Splits an object's name, `$cbr_ 3` or `$ftp`, from the rest of the words.
fn object<'w, 'a>(words: &'w [&'a str]) -> Option<(String, &'w [&'a str])> {
    let (first, rest) = words.split_first()?;
    let name = first.strip_prefix('$')?;
    match rest.split_first() {
        Some((index, rest)) if index.parse::<u32>().is_ok() => Some((format!("{name}({index})"), rest)),
        _ => Some((name.to_owned(), rest)),
    }
}

fn read_line(line: &Line<'_>, objects: &mut BTreeMap<String, Object>) -> Result<(), ReadError> {
    let unknown = || {
        line.error(
            "this is not a line of a traffic file",
            "keep only the lines that cbrgen writes: agents, applications, connect, start and stop",
        )
    };
    if let Some((at, command)) = line.scheduled()? {
        let (name, action) = object(command).ok_or_else(unknown)?;
        let app = find(line, objects, &name)?;
        match action {
            ["start"] => app.start = Some(at),
            ["stop"] => app.stop = Some(at),
            _ => return Err(unknown()),
        }
        return Ok(());
    }
    match line.words.as_slice() {
        ["puts", ..] => {}
        ["set", name, rest @ ..] => {
            let variable = format!("${name}");
            let words: Vec<&str> = std::iter::once(variable.as_str()).chain(rest.iter().copied()).collect();
            let (name, value) = object(&words).ok_or_else(unknown)?;
            match value {
                ["new", class] => {
                    let made = Object { class: (*class).to_owned(), line: line.number, ..Object::default() };
                    objects.insert(name, made);
                }
                ["$ns_" | "$ns", "create-connection", kinds @ ..] => {
                    let [source, "$node_" | "$node", from, sink, "$node_" | "$node", to, _class] = kinds
                    else {
                        return Err(unknown());
                    };
                    // As in ns-lib.tcl: two agents, attached and connected.
                    let sink_name = format!("{name}'s {sink}");
                    let agent = |class: &str, node: &str, peer| {
                        let class = format!("Agent/{class}");
                        Ok(Object {
                            class,
                            line: line.number,
                            node: Some(line.node(node)?),
                            peer,
                            ..Object::default()
                        })
                    };
                    let (from, to) = (agent(source, from, Some(sink_name.clone()))?, agent(sink, to, None)?);
                    objects.insert(name, from);
                    objects.insert(sink_name, to);
                }
                [reference, ..] if reference.starts_with('$') => {
                    // set ftp [$tcp attach-source FTP]
                    let (agent, action) = object(value).ok_or_else(unknown)?;
                    find(line, objects, &agent)?;
                    let ["attach-source" | "attach-app", class] = action else { return Err(unknown()) };
                    let class = format!("Application/{class}");
                    let made = Object { class, line: line.number, agent: Some(agent), ..Object::default() };
                    objects.insert(name, made);
                }
                _ => return Err(unknown()),
            }
        }
        ["$ns_" | "$ns", "attach-agent", "$node_" | "$node", node, agent @ ..] => {
            let node = line.node(node)?;
            let (agent, _) = object(agent).ok_or_else(unknown)?;
            find(line, objects, &agent)?.node = Some(node);
        }
        ["$ns_" | "$ns", "connect", ends @ ..] => {
            let (from, rest) = object(ends).ok_or_else(unknown)?;
            let (to, _) = object(rest).ok_or_else(unknown)?;
            find(line, objects, &to)?;
            find(line, objects, &from)?.peer = Some(to);
        }
        words => {
            let (name, action) = object(words).ok_or_else(unknown)?;
            match action {
                ["set", variable, value] => {
                    let setting = ((*value).to_owned(), line.number);
                    find(line, objects, &name)?.settings.insert((*variable).to_owned(), setting);
                }
                ["attach-agent", agent @ ..] => {
                    let (agent, _) = object(agent).ok_or_else(unknown)?;
                    find(line, objects, &agent)?;
                    find(line, objects, &name)?.agent = Some(agent);
                }
                _ => return Err(unknown()),
            }
        }
    }
    Ok(())
}

fn find<'o>(
    line: &Line<'_>,
    objects: &'o mut BTreeMap<String, Object>,
    name: &str,
) -> Result<&'o mut Object, ReadError> {
    objects.get_mut(name).ok_or_else(|| {
        line.error(
            &format!("${name} was never created"),
            &format!("add a line such as: set {name} [new …] before this one"),
        )
    })
}

/// Resolves an application to its agent, the agent's peer and their nodes.
fn flow(
    file: &str,
    name: &str,
    app: &Object,
    start: SimTime,
    objects: &BTreeMap<String, Object>,
) -> Result<TrafficFlow, ReadError> {
    let missing = |line: u32, what: String, remedy: String| ReadError::at(file, line, what, remedy);
    let agent_name = app.agent.as_deref().ok_or_else(|| {
        missing(app.line, format!("${name} has no agent"), format!("add ${name} attach-agent $…"))
    })?;
    // Names were checked when they were read, so an absent one means the same problem.
    let agent = objects.get(agent_name);
    let peer = agent.and_then(|a| a.peer.as_deref()).and_then(|peer| Some((peer, objects.get(peer)?)));
    let (Some(agent), Some((peer_name, peer))) = (agent, peer) else {
        return Err(missing(
            agent.map_or(app.line, |a| a.line),
            format!("${agent_name} is not connected"),
            format!("add $ns_ connect ${agent_name} $…"),
        ));
    };
    let node = |name: &str, object: &Object| {
        object.node.ok_or_else(|| {
            missing(
                object.line,
                format!("${name} is not attached to a node"),
                format!("add $ns_ attach-agent $node_(…) ${name}"),
            )
        })
    };
    let (from, to) = (node(agent_name, agent)?, node(peer_name, peer)?);
    if from == to {
        return Err(missing(
            agent.line,
            format!("${name} sends from node {from} to itself"),
            "attach the two agents to different nodes".into(),
        ));
    }
    if let Some(stop) = app.stop.filter(|&stop| stop <= start) {
        return Err(missing(
            app.line,
            format!("${name} stops at {stop}, before it starts at {start}"),
            "give a later stop time".into(),
        ));
    }
    let mut settings = Settings { file, app: app.settings.clone(), agent: agent.settings.clone() };
    let kind = kind_of(&mut settings, app, agent)?;
    let mut other_settings: Vec<_> = Vec::new();
    for (object, left) in
        [(name, settings.app), (agent_name, settings.agent), (peer_name, peer.settings.clone())]
    {
        other_settings.extend(left.into_iter().map(|(k, (v, _))| (object.to_owned(), k, v)));
    }
    Ok(TrafficFlow { from, to, start, stop: app.stop, kind, other_settings })
}

/// Settings of an application and its agent that have not been used yet.
struct Settings<'f> {
    file: &'f str,
    app: BTreeMap<String, (String, u32)>,
    agent: BTreeMap<String, (String, u32)>,
}

fn kind_of(settings: &mut Settings<'_>, app: &Object, agent: &Object) -> Result<TrafficKind, ReadError> {
    let file = settings.file;
    match (app.class.as_str(), agent.class.as_str()) {
        ("Application/Traffic/CBR", class) if class.starts_with("Agent/UDP") => {
            let number = |found: Option<(String, u32)>, what: &str, least: f64, most: f64| {
                found.map(|(word, line)| parse_number(file, line, &word, what, least, most)).transpose()
            };
            let bytes = number(settings.app.remove("packetSize_"), "packet size in bytes", 1.0, 65_507.0)?;
            let packet_bytes = bytes.unwrap_or(210.0) as u32;
            let interval = number(settings.app.remove("interval_"), "interval in seconds", 1e-9, 1e9)?;
            let rate = settings.app.remove("rate_").map(|(word, line)| bits_per_second(file, line, &word));
            let interval = match (interval, rate.transpose()?) {
                (Some(seconds), _) => seconds,
                // ns-2's default rate is 448 kb/s.
                (None, rate) => f64::from(packet_bytes) * 8.0 / rate.unwrap_or(448e3),
            };
            let random = number(settings.app.remove("random_"), "random_ flag", 0.0, 1.0)?;
            // Tcl files write "no limit" as 268435456 (2^28), ns-2's default.
            let max = number(settings.app.remove("maxpkts_"), "number of packets", 1.0, 1e15)?;
            Ok(TrafficKind::Cbr {
                packet_bytes,
                interval: SimDuration::from_secs_f64(interval),
                random: random.unwrap_or(0.0) != 0.0,
                max_packets: max.filter(|&n| n != 268_435_456.0).map(|n| n as u64),
            })
        }
        ("Application/FTP", class) if class == "Agent/TCP" || class.starts_with("Agent/TCP/") => {
            let number = |found: Option<(String, u32)>, what: &str, most: f64| {
                found.map(|(word, line)| parse_number(file, line, &word, what, 1.0, most)).transpose()
            };
            let bytes = number(settings.agent.remove("packetSize_"), "packet size in bytes", 65_495.0)?;
            let window = number(settings.agent.remove("window_"), "window in segments", 1e6)?;
            Ok(TrafficKind::Ftp {
                agent: class.to_owned(),
                packet_bytes: bytes.map(|n| n as u32),
                window: window.map(|n| n as u32),
            })
        }
        (class, over) => Err(ReadError::at(
            file,
            app.line,
            format!("{class} over {over} is not supported"),
            "use Application/Traffic/CBR over Agent/UDP, or Application/FTP over Agent/TCP",
        )),
    }
}

fn parse_number(
    file: &str,
    line: u32,
    word: &str,
    what: &str,
    least: f64,
    most: f64,
) -> Result<f64, ReadError> {
    match word.parse::<f64>() {
        Ok(n) if (least..=most).contains(&n) => Ok(n),
        _ => Err(ReadError::at(
            file,
            line,
            format!("\"{word}\" is not a valid {what}"),
            format!("give a number from {least} to {most}"),
        )),
    }
}

/// Parses ns-2's notation for rates: `64000`, `64Kb`, `2Mb`.
fn bits_per_second(file: &str, line: u32, word: &str) -> Result<f64, ReadError> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match word.get(digits.len()..) {
        Some("") | Some("b") | Some("bps") => 1.0,
        Some("k" | "K" | "kb" | "Kb" | "kbps") => 1e3,
        Some("m" | "M" | "mb" | "Mb" | "Mbps") => 1e6,
        _ => f64::NAN,
    };
    match digits.parse::<f64>().map(|n| n * factor) {
        Ok(bps) if (1.0..=1e13).contains(&bps) => Ok(bps),
        _ => Err(ReadError::at(
            file,
            line,
            format!("\"{word}\" is not a valid rate"),
            "write it like 64Kb or 2Mb (bits per second)",
        )),
    }
}

#[cfg(test)]
mod tests;
