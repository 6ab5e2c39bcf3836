//! Converts the keys of web-like flows, video and replayed traces.

use super::parts::{joined, variant_of};
use crate::flow::{Application, FlowTable};
use crate::traffic::{NextTransfer, Over, Replay, Sizes, Transfers, Video};
use std::net::IpAddr;
use std::path::Path;
use tworay_base::{Bytes, ConfigProblem, SimDuration};
use tworay_tcp::Variant;
use tworay_wire::packet_trace;

/// Largest request: what fits into one segment of any frame, and more than any request line needs.
const MOST_REQUEST: Bytes = Bytes(1_000_000);
/// Longest IP packet (RFC 791, section 3.1).
const MOST_IP: u32 = 65_535;
/// Request and answer of `app = "request"` if the file gives none: a remote call, a query of the DNS over TCP.
const USUAL_REQUEST: Bytes = Bytes(200);
const USUAL_ANSWER: Bytes = Bytes(1000);
/// Largest chunk of a video, bytes.
const MOST_CHUNK: u64 = 1_000_000_000_000;
/// A video's chunk and buffer if the file gives none: usual in players of DASH (Stockhammer 2011 names chunks of 2 to
/// 10 s).
const USUAL_CHUNK: SimDuration = SimDuration::from_secs(4);
const USUAL_BUFFER: SimDuration = SimDuration::from_secs(30);

/// `app = "web"`: transfers as a Poisson process or in a closed loop.
pub(super) fn web(flow: &FlowTable, default: &Variant) -> Result<Application, ConfigProblem> {
    let Some(sizes) = flow.sizes.clone() else {
        let remedy =
            "Add sizes = { kind = \"fixed\", size = \"20kB\" }, or exponential, pareto or listed ones.";
        return ConfigProblem::refuse("app", "app = \"web\" needs the key \"sizes\"", remedy);
    };
    let next = match (flow.every, flow.think) {
        (Some(_), Some(_)) => {
            return ConfigProblem::refuse("think", "both every and think are given", "Keep one of them.");
        }
        (None, None) => {
            let remedy = "Add every = \"1s\" (Poisson), or think = \"1s\" (one after the other).";
            return ConfigProblem::refuse("app", "neither every nor think is given", remedy);
        }
        (Some(mean), None) if mean.is_zero() => {
            let remedy = "Give a mean interval such as \"1s\".";
            return ConfigProblem::refuse("every", "transfers without an interval", remedy);
        }
        (Some(mean), None) => NextTransfer::Poisson(mean),
        (None, Some(mean)) => NextTransfer::After(mean),
    };
    transfers(flow, default, flow.request.unwrap_or_default(), sizes, next)
}

/// `app = "request"`: a request and its answer, again and again.
pub(super) fn request(flow: &FlowTable, default: &Variant) -> Result<Application, ConfigProblem> {
    let request = flow.request.unwrap_or(USUAL_REQUEST);
    if request.0 == 0 {
        let remedy = "Give at least \"1B\"; app = \"web\" sends without requests.";
        return ConfigProblem::refuse("request", "the request has no bytes", remedy);
    }
    let sizes = flow.sizes.clone().unwrap_or(Sizes::Fixed { size: USUAL_ANSWER });
    transfers(flow, default, request, sizes, NextTransfer::After(flow.think.unwrap_or_default()))
}

fn transfers(
    flow: &FlowTable,
    default: &Variant,
    request: Bytes,
    sizes: Sizes,
    next: NextTransfer,
) -> Result<Application, ConfigProblem> {
    if request > MOST_REQUEST {
        let problem = format!("a request of {request} is out of range");
        return ConfigProblem::refuse("request", problem, "Give at most \"1MB\".");
    }
    // Not `within`: the list's own key has the name of the table.
    sizes.validate().map_err(|problem| ConfigProblem { key: format!("sizes.{}", problem.key), ..problem })?;
    if flow.transfers == Some(0) {
        let remedy = "Give at least 1, or leave it out for an endless flow.";
        return ConfigProblem::refuse("transfers", "the flow has no transfers", remedy);
    }
    let transfers = Transfers { request: request.0, sizes, next, count: flow.transfers };
    Ok(Application::Transfers { transfers, variant: variant_of(flow, default)? })
}

/// `app = "video"`.
pub(super) fn video(flow: &FlowTable, default: &Variant) -> Result<Application, ConfigProblem> {
    let Some(rate) = flow.rate else {
        let remedy = "Add rate = \"1Mbps\", for example.";
        return ConfigProblem::refuse("app", "app = \"video\" needs the key \"rate\"", remedy);
    };
    let chunk = flow.chunk.unwrap_or(USUAL_CHUNK);
    let buffer = flow.buffer.unwrap_or(USUAL_BUFFER.max(chunk));
    let startup = flow.startup.unwrap_or(chunk);
    let video = Video { rate, chunk, buffer, startup };
    if !(1..=MOST_CHUNK).contains(&video.chunk_bytes()) {
        let problem = format!("a chunk of {chunk} at {rate} has {} bytes", video.chunk_bytes());
        return ConfigProblem::refuse(
            "chunk",
            problem,
            "Give a chunk of 1B to 1000GB: another length or rate.",
        );
    }
    if buffer < chunk {
        let problem = format!("{buffer} don't hold a chunk of {chunk}");
        return ConfigProblem::refuse("buffer", problem, "Give at least the length of a chunk.");
    }
    if startup.is_zero() || startup > buffer {
        let problem = format!("{startup} is out of range");
        return ConfigProblem::refuse(
            "startup",
            problem,
            format!("Give more than 0s, at most buffer = {buffer}."),
        );
    }
    Ok(Application::Video { video, variant: variant_of(flow, default)? })
}

/// `app = "replay"`.
pub(super) fn replay(
    flow: &FlowTable,
    default: &Variant,
    base_dir: &Path,
) -> Result<Application, ConfigProblem> {
    let Some(file) = &flow.file else {
        let remedy = "Add file = \"trace.pcapng\": a capture, a trace of Mahimahi, or CSV (time_s,bytes).";
        return ConfigProblem::refuse("app", "app = \"replay\" needs the key \"file\"", remedy);
    };
    let source = match flow.source.as_deref().map(str::parse::<IpAddr>) {
        None => None,
        Some(Ok(host)) => Some(host),
        Some(Err(_)) => {
            return ConfigProblem::refuse("source", "this is no IP address", "Write it like \"10.0.0.1\".");
        }
    };
    let over = flow.over.unwrap_or_default();
    if over == Over::Udp && flow.tcp.is_some() {
        let remedy = "Remove it, or add over = \"tcp\".";
        return ConfigProblem::refuse("tcp", "the trace is replayed as datagrams", remedy);
    }
    let file = joined(file.clone(), base_dir);
    let mut packets = packet_trace::read(&file, source).map_err(|error| {
        ConfigProblem::new("file", format!("{}: {}", error.place(), error.problem), error.remedy)
    })?;
    if over == Over::Udp
        && let Some(large) = packets.iter().find(|packet| packet.ip_bytes > MOST_IP)
    {
        let problem = format!("a datagram can't have {} bytes", large.payload);
        let remedy = format!(
            "Add over = \"tcp\", or write at most {} bytes at a time.",
            MOST_IP - packet_trace::UDP_HEADERS
        );
        return ConfigProblem::refuse("file", problem, remedy);
    }
    if over == Over::Tcp {
        // Pure acknowledgments carry nothing to write.
        packets.retain(|packet| packet.payload > 0);
        if packets.is_empty() {
            let remedy = "Choose another `source`, or over = \"udp\".";
            return ConfigProblem::refuse("file", "none of its packets has payload", remedy);
        }
    }
    let trace = Replay { file, source, packets: packets.into() };
    let variant = (over == Over::Tcp).then(|| variant_of(flow, default)).transpose()?;
    Ok(Application::Replay { trace, variant })
}
