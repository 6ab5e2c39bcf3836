//! Checks from positions and wires whether a scenario's flows have paths at all, and words the warnings if
//! not.

use crate::results::{Warning, WarningKind};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tworay_base::{NodeId, SimDuration, SimTime};
use tworay_mobility::Track;
use tworay_mobility::facts::{Links, PairFacts, pair_facts, widest_gap};
use tworay_radio::{Channel, MeasuredLink, RadioConfig};
use tworay_scenario::{Application, FlowSetup, Setup};
use tworay_wire::packet_trace::UDP_HEADERS;

/// The longest IP packet in an 802.11 frame, bytes: what an MSDU holds (IEEE 802.11-2016 §9.2.4.7.1), and the largest
/// MTU that Linux allows there.
pub const MOST_MTU: u16 = 2304;
/// IPv4 and TCP headers without options, bytes.
const TCP_HEADERS: u64 = 40;
/// Interval between checks of moving nodes.
const STEP: SimDuration = SimDuration::from_millis(500);
/// Limit of nodes times checks; with more nodes the interval is longer.
const MOST_WORK: u64 = 4_000_000;
/// Minimum number of checks.
const FEWEST_LOOKS: u64 = 20;
/// Largest number of nodes for which the gap between two of them is searched; this takes all pairs.
const MOST_FOR_GAP: usize = 3000;
/// Shorter absences of a path occur in every mobile network and are not reported.
const WORTH_SAYING: f64 = 0.05;

/// Connectivity of a flow's ends.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowPath {
    /// Sending node.
    pub from: NodeId,
    /// Receiving node.
    pub to: NodeId,
    /// Names of nodes, by number.
    pub names: Arc<BTreeMap<u16, String>>,
    /// Fraction of time with a path, and its length.
    pub facts: PairFacts,
    /// Headers and payload of the flow's longest IP packet if it is too long for a frame of 802.11, bytes.
    pub too_long: Option<(u64, u64)>,
    /// Of the packets of a trace: those whose times lie after the flow's end, their number, and that end.
    pub beyond: Option<(usize, usize, SimTime)>,
    /// True if that is a segment of TCP.
    pub over_tcp: bool,
    /// Range of links, m, or the longest hop of fixed routes if that is less; `None` for wires and measured links.
    pub range: Option<f64>,
    /// True if that is the longest hop.
    pub cut: bool,
    /// True if shadowing or fading varies the range, which is the mean then.
    pub varies: bool,
    /// If there never was a path: the two nodes whose distance at the start, m, prevents one.
    pub gap: Option<(NodeId, NodeId, f64)>,
}

/// Two nodes.
pub type Pair = (NodeId, NodeId);

/// Paths of a scenario's flows.
pub(crate) fn flow_paths(setup: &Setup) -> Vec<FlowPath> {
    let pairs: Vec<_> = setup.flows.iter().map(|f| (f.from, f.to)).collect();
    let (facts, range, mut tracks) = sampled(setup, &pairs);
    let names = Arc::new(setup.settings.node_names());
    let path = |(flow, facts)| {
        let mut path = flow_path(flow, facts, range, &mut tracks, &names);
        path.too_long = too_long(setup, flow);
        path.beyond = beyond(setup, flow);
        path.cut = range.is_some() && range == longest_hop(setup);
        path.varies = setup.has_radio && setup.settings.radio.fades() && !path.cut;
        path
    };
    setup.flows.iter().zip(facts).map(path).collect()
}

/// Headers and payload of a flow's longest IP packet, bytes, if it crosses radios and is too long for their frames.
fn too_long(setup: &Setup, flow: &FlowSetup) -> Option<(u64, u64)> {
    let ends = [(flow.from, flow.to), (flow.to, flow.from)];
    let wired = setup.wires.iter().any(|wire| ends.contains(&(wire.from, wire.to)));
    if !setup.has_radio || wired {
        return None;
    }
    let udp = u64::from(UDP_HEADERS);
    let (headers, payload) = match &flow.application {
        Application::Cbr { payload, .. } | Application::OnOff { payload, .. } => (udp, u64::from(*payload)),
        Application::Replay { trace, variant: None } => {
            let longest = trace.packets.iter().map(|packet| u64::from(packet.ip_bytes)).max()?;
            (udp, longest.saturating_sub(udp))
        }
        application if application.variant().is_some() => (TCP_HEADERS, setup.settings.tcp.mss.0),
        _ => return None,
    };
    (headers + payload > u64::from(MOST_MTU)).then_some((headers, payload))
}

/// Packets of a flow's trace that are never sent, all of them, and when the flow ends; `None` if all are sent.
fn beyond(setup: &Setup, flow: &FlowSetup) -> Option<(usize, usize, SimTime)> {
    let Application::Replay { trace, .. } = &flow.application else { return None };
    let end = SimTime::ZERO + setup.settings.duration;
    let end = flow.stop.map_or(end, |stop| stop.min(end));
    let late = trace.packets.iter().filter(|packet| flow.start + packet.at >= end).count();
    (late > 0).then_some((late, trace.packets.len(), end))
}

/// Connectivity of every two nodes of a scenario; each pair once, the smaller number first.
pub(crate) fn all_pairs(setup: &Setup) -> Vec<(Pair, PairFacts)> {
    let nodes = setup.tracks.len() as u16;
    let pairs: Vec<_> =
        (0..nodes).flat_map(|a| (a + 1..nodes).map(move |b| (NodeId(a), NodeId(b)))).collect();
    let (facts, ..) = sampled(setup, &pairs);
    pairs.into_iter().zip(facts).collect()
}

/// The facts of pairs over the duration of a run, with the range of links, m, and the tracks as sampled.
fn sampled(setup: &Setup, pairs: &[Pair]) -> (Vec<PairFacts>, Option<f64>, Vec<Track>) {
    let radio = setup.has_radio.then_some(&setup.settings.radio);
    let measured = radio.map_or(&[][..], |radio| &radio.links);
    let range = radio.filter(|radio| radio.links.is_empty()).map(|radio| {
        let channel = Channel::new(radio);
        channel.range_of(channel.rx_threshold()).min(longest_hop(setup).unwrap_or(f64::INFINITY))
    });
    let mut wires: Vec<_> = setup.wires.iter().map(|w| (w.from, w.to)).collect();
    wires.extend(usable(measured, radio));
    let links = Links { range, wires };
    let mut tracks = setup.tracks.clone();
    let end = SimTime::ZERO + setup.settings.duration;
    let looks = (MOST_WORK / (tracks.len() as u64).max(1)).max(FEWEST_LOOKS);
    let step = STEP.max(SimDuration::from_nanos(setup.settings.duration.as_nanos() / looks));
    let facts = pair_facts(&mut tracks, pairs, &links, SimTime::ZERO, end, step);
    (facts, range, tracks)
}

/// The longest hop that fixed routes take, m.
fn longest_hop(setup: &Setup) -> Option<f64> {
    setup.settings.routing.longest_hop.map(|hop| hop.get())
}

/// Measured links that carry frames and their answers: those that can be decoded in both directions.
fn usable(links: &[MeasuredLink], radio: Option<&RadioConfig>) -> Vec<(NodeId, NodeId)> {
    let threshold = radio.map_or(0.0, |radio| radio.rx_threshold.get());
    let readable = |link: &&MeasuredLink| link.power(threshold) >= threshold;
    let ways: BTreeSet<_> = links.iter().filter(readable).map(|link| (link.from, link.to)).collect();
    let both = ways.iter().filter(|&&(from, to)| ways.contains(&(to, from)));
    both.map(|&(from, to)| (NodeId(from), NodeId(to))).collect()
}

fn flow_path(
    flow: &FlowSetup,
    facts: PairFacts,
    range: Option<f64>,
    tracks: &mut [Track],
    names: &Arc<BTreeMap<u16, String>>,
) -> FlowPath {
    let never = facts.connected == 0 && range.is_some() && tracks.len() <= MOST_FOR_GAP;
    let gap = if never {
        let places: Vec<_> = tracks.iter_mut().map(|t| t.position(SimTime::ZERO)).collect();
        widest_gap(&places, flow.from, flow.to).filter(|gap| Some(gap.2) > range)
    } else {
        None
    };
    let (names, over_tcp) = (Arc::clone(names), flow.application.variant().is_some());
    FlowPath {
        from: flow.from,
        to: flow.to,
        names,
        facts,
        too_long: None,
        beyond: None,
        over_tcp,
        range,
        cut: false,
        varies: false,
        gap,
    }
}

impl FlowPath {
    /// A node's name, or its number.
    pub fn label(&self, node: NodeId) -> String {
        self.names.get(&node.0).cloned().unwrap_or_else(|| node.to_string())
    }

    /// The warning for packets that 802.11 has no frame for: IP would send fragments of them.
    pub fn oversized(&self, flow: u16) -> Option<Warning> {
        let (headers, payload) = self.too_long?;
        let what = if self.over_tcp { "segments" } else { "datagrams" };
        let key = if self.over_tcp { "tcp.mss" } else { "their size" };
        let text = format!(
            "flow {flow} ({} to {}): its {what} are IP packets of {} bytes, but an 802.11 frame holds {MOST_MTU}; IP \
             would send fragments, here each is one long frame; lower {key} to {} bytes or less",
            self.label(self.from),
            self.label(self.to),
            headers + payload,
            u64::from(MOST_MTU) - headers
        );
        Some(Warning { flow, kind: WarningKind::Oversized, text })
    }

    /// The warning for packets of a trace that the flow ends before.
    pub fn beyond_end(&self, flow: u16) -> Option<Warning> {
        let (late, all, end) = self.beyond?;
        let lie = if late == 1 { "lies" } else { "lie" };
        let text = format!(
            "flow {flow} ({} to {}): {late} of the {all} packets of its trace {lie} after its end at {} s and {} never \
             sent; give a longer duration, or an earlier start",
            self.label(self.from),
            self.label(self.to),
            end.as_secs_f64(),
            if late == 1 { "is" } else { "are" },
        );
        Some(Warning { flow, kind: WarningKind::BeyondEnd, text })
    }

    /// The warning for a path that is missing for this fraction of the time, with a remedy.
    pub fn words(&self, flow: u16, partitioned: f64) -> Option<Warning> {
        let (from, to) = (self.label(self.from), self.label(self.to));
        let warn = |kind, text| Some(Warning { flow, kind, text });
        if partitioned >= 1.0 {
            let (reach, raise) = match self.cut {
                true => ("hops of fixed routes reach", "raise routing.longest_hop"),
                false if self.varies => ("links reach a mean of", "raise radio.tx_power"),
                false => ("links reach", "raise radio.tx_power"),
            };
            let has = match self.varies {
                true => "has a path only while shadowing or fading favours one",
                false => "never has a path",
            };
            let why = match (self.range, self.gap) {
                (None, _) => {
                    "no wire or radio link leads there; add a [[wire]] or a [[radio.link]]".to_owned()
                }
                (Some(range), Some((a, b, metres))) => format!(
                    "at the start nodes {} and {} are {metres:.0} m apart, but {reach} {range:.0} m; \
                     put nodes between them, move them closer, or {raise}",
                    self.label(a),
                    self.label(b)
                ),
                (Some(range), None) => {
                    format!("{reach} {range:.0} m; place the nodes closer, add nodes, or {raise}")
                }
            };
            return warn(WarningKind::NoPath, format!("flow {flow} ({from} to {to}) {has}: {why}"));
        }
        if partitioned < WORTH_SAYING {
            return None;
        }
        let text = format!(
            "flow {flow} ({from} to {to}) has no path {:.0} % of the time, whatever TCP does; more nodes, a \
             smaller area or a longer range would help",
            (100.0 * partitioned).clamp(1.0, 99.0)
        );
        warn(WarningKind::PathMissing, text)
    }
}

#[cfg(test)]
mod tests;
