//! Estimates the memory of a run's tables: expected events times bytes per row.
//!
//! 1. *Packets.* A source of datagrams sends at its interval. A transfer sends as fast as its path carries
//!    segments and their ACKs: over radio one packet occupies [`SHARED`] hops (those within carrier sense of
//!    each other), over wires the slowest wire or the window limits it. Shared media and wires are divided
//!    among the flows in proportion.
//! 2. *Rows.* Each packet has a row in `segments`, two in `alive` (sent, gone), and per hop the rows of its
//!    frames (RTS, CTS, DATA, ACK) and two in `queues` (in, out), or three in `packets` on a wire (queued,
//!    sent, received). Each ACK has a row in `series`.
//! 3. *Bytes per row* include what the simulator keeps and the data frame at the peak, while both exist.
//!
//! Frames of routing, retransmissions and repeated attempts are not counted: with a saturated medium they are
//! a few percent (OLSR in large fields adds more).

use super::exchange::Hop;
use crate::network::medium::on_air as medium;
use crate::paths::flow_paths;
use crate::run::{RunError, RunOptions};
use std::collections::VecDeque;
use tworay_base::{NodeId, SimTime};
use tworay_mobility::facts::PairFacts;
use tworay_scenario::{Application, FlowSetup, NextTransfer, Scenario, Setup, WireSetup};
use tworay_tcp::WindowSize;

/// Bytes per row at the peak, measured with runs of 10⁵ to 10⁷ rows (`python/tests/test_memory.py` repeats
/// some).
const SERIES_ROW: f64 = 200.0;
const ALIVE_ROW: f64 = 70.0;
const PACKETS_ROW: f64 = 200.0;
const SEGMENTS_ROW: f64 = 400.0;
const FRAMES_ROW: f64 = 200.0;
const QUEUES_ROW: f64 = 85.0;
/// Hops of a string that share the medium: with 200 m between nodes and carrier sense over 550 m.
const SHARED: f64 = 4.0;
/// Headers of IP and TCP, bytes.
const HEADERS: u32 = 40;

/// Packets that a flow is expected to send.
#[derive(Copy, Clone, Debug, Default)]
struct Load {
    /// Packets with data per second.
    rate: f64,
    /// ACKs per packet: 1 of a transfer, 0 of datagrams.
    acks: f64,
    /// Time in which it sends, s.
    active: f64,
    /// Limit of packets with data.
    limit: f64,
    hops: f64,
    /// Time on the medium for a packet (and its ACK) over one hop, s; 0 over wires.
    airtime: f64,
    /// Frames for a packet (and its ACK) over one hop.
    frames: f64,
}

/// The estimated memory of the tables of a run, bytes: `series`, `alive` and `packets` with
/// [`RunOptions::series`], `segments`, `frames` and `queues` with [`RunOptions::record`].
pub fn memory_of_tables(scenario: &Scenario, options: &RunOptions) -> Result<u64, RunError> {
    let mut setup = scenario.setup(options.seed, false).map_err(|e| RunError::Failed(e.to_string()))?;
    let facts: Vec<_> = flow_paths(&setup).into_iter().map(|path| path.facts).collect();
    let mut bytes = 0.0;
    for load in loads(&mut setup, &facts) {
        let sent = (load.rate * load.active).min(load.limit);
        let packets = sent * (1.0 + load.acks);
        if options.series {
            bytes += packets * 2.0 * ALIVE_ROW + sent * load.acks * SERIES_ROW;
            if load.airtime == 0.0 {
                bytes += packets * load.hops * 3.0 * PACKETS_ROW;
            }
        }
        if options.record {
            bytes += packets * SEGMENTS_ROW;
            if load.airtime > 0.0 {
                let frames = sent * load.hops * load.frames;
                bytes += frames * FRAMES_ROW + packets * load.hops * 2.0 * QUEUES_ROW;
            }
        }
    }
    Ok(bytes as u64)
}

/// Expected work of a run, for the estimate of its time.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Work {
    /// Frames on the air.
    pub frames: f64,
    /// Packets times hops over radio.
    pub radio_hops: f64,
    /// Packets times wires.
    pub wire_hops: f64,
}

/// Expected work of the flows of a run.
pub(super) fn work(setup: &mut Setup, facts: &[PairFacts]) -> Work {
    let mut work = Work::default();
    for load in loads(setup, facts) {
        let sent = (load.rate * load.active).min(load.limit);
        let hops = sent * (1.0 + load.acks) * load.hops;
        if load.airtime > 0.0 {
            work.frames += sent * load.hops * load.frames;
            work.radio_hops += hops;
        } else {
            work.wire_hops += hops;
        }
    }
    work
}

/// Packets that each flow is expected to send, after shared media and wires are divided.
fn loads(setup: &mut Setup, facts: &[PairFacts]) -> Vec<Load> {
    let mut loads = Vec::new();
    let mut routes = Vec::new();
    for (flow, facts) in setup.flows.iter().zip(facts) {
        let route = wired(&setup.wires, flow.from, flow.to);
        let mut load = offered(setup, flow);
        match &route {
            Some(wires) => over_wires(setup, wires, &mut load),
            None => over_radio(setup, flow, facts, &mut load),
        }
        loads.push(load);
        routes.push(route.unwrap_or_default());
    }
    share_medium(setup, &mut loads);
    share_wires(setup, &routes, &mut loads);
    loads
}

/// Packets that the application offers; the rate of a transfer is unlimited.
fn offered(setup: &Setup, flow: &FlowSetup) -> Load {
    let end = SimTime::ZERO + setup.settings.duration;
    let active = flow.stop.unwrap_or(end).min(end).since(flow.start.min(end)).as_secs_f64();
    let mss = setup.settings.tcp.mss.0 as f64;
    let (rate, acks, limit) = match &flow.application {
        Application::Ftp { bytes, .. } => (f64::MAX, 1.0, bytes.map(|bytes| bytes as f64 / mss)),
        Application::External { .. } => (f64::MAX, 1.0, None),
        Application::Transfers { transfers, .. } => {
            let each = transfers.sizes.mean() / mss;
            let rate = match transfers.next {
                NextTransfer::Poisson(mean) => each / mean.as_secs_f64(),
                NextTransfer::After(_) => f64::MAX,
            };
            (rate, 1.0, transfers.count.map(|count| each * count as f64))
        }
        Application::Video { video, .. } => {
            (video.chunk_bytes() as f64 / mss / video.chunk.as_secs_f64(), 1.0, None)
        }
        Application::Replay { trace, variant } => {
            let acks = if variant.is_some() { 1.0 } else { 0.0 };
            (f64::MAX, acks, Some(trace.packets.len() as f64))
        }
        Application::Cbr { interval, packets, .. } => {
            (1.0 / interval.as_secs_f64(), 0.0, packets.map(|packets| packets as f64))
        }
        Application::OnOff { interval, on, off, .. } => {
            let share = on.as_secs_f64() / (on.as_secs_f64() + off.as_secs_f64());
            (share / interval.as_secs_f64(), 0.0, None)
        }
    };
    Load { rate, acks, active, limit: limit.unwrap_or(f64::INFINITY), ..Load::default() }
}

/// Length of a flow's packets with data, bytes.
fn length(setup: &Setup, flow: &FlowSetup) -> u32 {
    match flow.application {
        Application::Cbr { payload, .. } | Application::OnOff { payload, .. } => payload + HEADERS - 12,
        _ => setup.settings.tcp.mss.0 as u32 + HEADERS,
    }
}

fn over_radio(setup: &Setup, flow: &FlowSetup, facts: &PairFacts, load: &mut Load) {
    load.hops = facts.mean_hops().unwrap_or(0.0);
    let hop = Hop::of(setup, flow, load.hops, if load.acks > 0.0 { window(setup) } else { 1.0 });
    for bytes in [length(setup, flow), HEADERS].into_iter().take(1 + usize::from(load.acks > 0.0)) {
        let exchange = hop.exchange(bytes);
        load.airtime += exchange.airtime;
        load.frames += exchange.frames;
    }
    load.active *= 1.0 - facts.partitioned_fraction();
    if load.acks > 0.0 {
        load.rate = 1.0 / (load.airtime * load.hops.clamp(1.0, SHARED));
    }
}

/// Limit of the window, segments.
fn window(setup: &Setup) -> f64 {
    match setup.settings.tcp.window {
        WindowSize::Segments(segments) => f64::from(segments),
        WindowSize::Bytes(bytes) => bytes.0 as f64 / setup.settings.tcp.mss.0 as f64,
    }
}

fn over_wires(setup: &Setup, wires: &[usize], load: &mut Load) {
    load.hops = wires.len() as f64;
    if load.acks == 0.0 {
        return;
    }
    let segment = f64::from(setup.settings.tcp.mss.0 as u32 + HEADERS) * 8.0;
    let slowest = wires.iter().map(|&wire| setup.wires[wire].rate.as_bps()).min().unwrap_or(0);
    let lanes = || wires.iter().filter_map(|&wire| setup.wires[wire].lanes.as_ref());
    let delay: f64 = wires.iter().map(|&wire| setup.wires[wire].delay.as_secs_f64()).sum();
    let replayed: f64 = lanes().map(|lanes| lanes.round_trip().as_secs_f64()).sum();
    let loss: f64 = lanes().map(|lanes| lanes.mean_loss()).sum();
    let window = window(setup);
    // Losses keep the mean window near the square root of 1.5 / p (Mathis et al. 1997).
    let window = if loss > 0.0 { window.min((1.5 / loss).sqrt()) } else { window };
    let round_trip = (2.0 * delay + replayed).max(segment / slowest.max(1) as f64);
    load.rate = (slowest as f64 / segment).min(window / round_trip);
}

/// Divides the medium: at any time, one station in each neighbourhood sends. Datagrams beyond that are sent,
/// but fill no frames.
fn share_medium(setup: &mut Setup, loads: &mut [Load]) {
    let wanted: f64 = loads.iter().map(|load| load.rate * load.hops * load.airtime).sum();
    if wanted == 0.0 {
        return;
    }
    let stations = setup.tracks.len() as f64;
    let pairs = medium::in_reach(&setup.settings.radio, setup.seed, &mut setup.tracks) as f64;
    let places = (stations / (1.0 + pairs / stations)).max(1.0);
    let share = (places / wanted).min(1.0);
    for load in loads.iter_mut().filter(|load| load.airtime > 0.0) {
        if load.acks > 0.0 {
            load.rate *= share;
        } else {
            load.frames *= share;
        }
    }
}

/// Divides wires on which flows want more than their rate.
fn share_wires(setup: &Setup, routes: &[Vec<usize>], loads: &mut [Load]) {
    let segment = f64::from(setup.settings.tcp.mss.0 as u32 + HEADERS) * 8.0;
    let mut wanted = vec![0.0; setup.wires.len()];
    for (route, load) in routes.iter().zip(loads.iter()) {
        for &wire in route {
            wanted[wire] += load.rate * segment;
        }
    }
    for (route, load) in routes.iter().zip(loads).filter(|(_, load)| load.acks > 0.0) {
        let shares = route.iter().map(|&wire| setup.wires[wire].rate.as_bps() as f64 / wanted[wire]);
        load.rate *= shares.fold(1.0, f64::min);
    }
}

/// The wires of the shortest path, or `None` if a part of it would be radio.
fn wired(wires: &[WireSetup], from: NodeId, to: NodeId) -> Option<Vec<usize>> {
    let most = wires.iter().map(|wire| wire.from.max(wire.to).0).max()?;
    let mut came = vec![None; usize::from(most) + 1];
    let mut next = VecDeque::from([from]);
    while let Some(node) = next.pop_front() {
        if node == to {
            let mut path = Vec::new();
            let mut at = to;
            while at != from {
                let wire: usize = came[usize::from(at.0)]?;
                path.push(wire);
                at = wires[wire].from;
            }
            return Some(path);
        }
        for (number, wire) in wires.iter().enumerate().filter(|(_, wire)| wire.from == node) {
            let place = &mut came[usize::from(wire.to.0)];
            if wire.to != from && place.is_none() {
                *place = Some(number);
                next.push_back(wire.to);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
