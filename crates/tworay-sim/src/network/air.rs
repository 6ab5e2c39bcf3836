//! The medium of 802.11a/g/n/ac: stations with EDCA and aggregates, subframes that are judged singly.
//!
//! It stands beside the DSSS radio (`medium`) and uses the same `Medium`: who hears whom, how strongly, and when. A
//! frame's mode and packets are kept here, by the number of its transmission. An aggregate is one pair of events,
//! whatever the number of its subframes: interference is collected while it lasts, and at its end each subframe is
//! judged by the intervals that it overlaps. A station's deadlines share one timer.

mod actions;
mod antenna;
mod ends;
mod judge;
mod queues;
mod signals;

use crate::engine::TimerSlot;
use crate::network::medium::Radio;
use crate::network::packets::PacketSlab;
use crate::observe::Frames;
use antenna::Antenna;
use judge::Judge;
use queues::{FlowQueues, Lanes};
use std::sync::Arc;
use tworay_base::{BitRate, NodeId, PacketId, Purpose, RngStream, SimDuration, SimTime};
use tworay_mac::hcf::{AirFrame, AirKind, Hcf, HcfConfig, Host, MissingBlockAck, RateChoice, WINDOW};
use tworay_mac::rate::MinstrelConfig;
use tworay_mac::{
    Frame, FrameKind, InterfaceQueue, MSDU_LIFETIME, MacCounters, Outgoing, QueueEntry, QueueRule,
    RtsStrategy,
};
use tworay_radio::phy::{AccessCategory, DurationRules, Mode};
use tworay_radio::{AirRate, basic_mode};
use tworay_scenario::Settings;

/// A station's share of the air.
struct Station {
    hcf: Hcf,
    antenna: Antenna,
    /// Decides about frames and subframes that may err.
    luck: RngStream,
    /// Queues by flow; `None`: packets of best effort wait in the node's queue only.
    flows: Option<FlowQueues>,
    /// Packets of other categories, if any flow has one.
    lanes: Option<Box<Lanes>>,
}

impl Station {
    /// Packets that wait in queues other than the node's own.
    fn waiting(&self) -> usize {
        self.flows.as_ref().map_or(0, FlowQueues::len) + self.lanes.as_ref().map_or(0, |lanes| lanes.len())
    }

    /// The first of these packets.
    fn first(&self) -> Option<PacketId> {
        let of_flows = self.flows.as_ref().and_then(|flows| flows.packets().next());
        of_flows.or_else(|| self.lanes.as_ref()?.first())
    }

    /// Appends these packets.
    fn packets(&self, out: &mut Vec<PacketId>) {
        self.flows.iter().for_each(|flows| flows.append_to(out));
        self.lanes.iter().for_each(|lanes| lanes.packets(out));
    }
}

/// All stations, and the frames on the medium.
pub(crate) struct Air {
    stations: Vec<Station>,
    /// Frames by the number of their transmission.
    sent: Vec<Option<Box<AirFrame>>>,
    judge: Judge,
    /// The fastest rate at which stations may send.
    fastest: Option<BitRate>,
    /// First of the stations' timers.
    slot: TimerSlot,
}

impl Air {
    /// The air of `count` stations; `None` if the settings have the 802.11b radio. Their timers begin at `slot`.
    /// `categories`: flows have access categories other than best effort.
    pub fn new(
        settings: &Settings,
        seed: u64,
        count: usize,
        slot: TimerSlot,
        categories: bool,
    ) -> Option<Box<Self>> {
        let radio = settings.radio.air().ok().flatten()?;
        let mac = &settings.mac;
        let rts_above = match mac.rts {
            Some(RtsStrategy::None) => u32::MAX,
            _ => u32::try_from(mac.threshold().0).unwrap_or(u32::MAX),
        };
        let config = Arc::new(HcfConfig {
            phy: radio.phy,
            rules: DurationRules::Standard,
            basic: basic_mode(mac.basic_rate).ok()?,
            rate: match radio.rate {
                AirRate::Fixed(mode) => RateChoice::Fixed(mode),
                AirRate::Ideal => RateChoice::Ideal,
                AirRate::MinstrelHt => RateChoice::MinstrelHt(MinstrelConfig::LINUX),
                AirRate::MinstrelHtLookaround => RateChoice::MinstrelHt(MinstrelConfig::EARLIER),
            },
            rts_above,
            max_aggregate: mac.max_aggregate.map_or(u32::MAX, |most| most.0.try_into().unwrap_or(u32::MAX)),
            attempts: mac.short_retry_limit,
            lifetime: mac.lifetime.unwrap_or(MSDU_LIFETIME),
            // RFC 3561 §6.10 takes the maximum number of attempts without CTS or ACK for the loss of a link. Where routing
            // doesn't listen, nobody is served by giving frames up before their time.
            gone_after: settings.routing.heeds_link_layer().then_some(mac.short_retry_limit),
            missing: mac.missing_block_ack.unwrap_or(MissingBlockAck::Request),
            seed,
        });
        let modes = match config.rate {
            RateChoice::Fixed(mode) => vec![mode],
            RateChoice::Ideal | RateChoice::MinstrelHt(_) => config.phy.modes(),
        };
        let fastest = modes.iter().map(Mode::rate).max();
        let by_flow = mac.queue == Some(QueueRule::FqCodel);
        let station = |i| {
            let node = NodeId(i as u16);
            let perturbation = by_flow.then(|| RngStream::new(seed, node, Purpose::Queue).bits());
            Station {
                hcf: Hcf::new(Arc::clone(&config), node, RngStream::new(seed, node, Purpose::Backoff)),
                antenna: Antenna::default(),
                luck: RngStream::new(seed, node, Purpose::ChannelError),
                flows: perturbation.map(FlowQueues::new),
                lanes: categories.then(|| Box::new(Lanes::new(mac.queue_limit, perturbation))),
            }
        };
        let stations = (0..count).map(station).collect();
        let judge = Judge::new(&config, &settings.radio);
        Some(Box::new(Self { stations, sent: Vec::new(), judge, fastest, slot }))
    }

    /// Which frames the stations send.
    pub fn frames(&self) -> Frames {
        let qos = self.stations.first().is_some_and(|station| station.hcf.config().has_qos());
        if qos { Frames::Qos } else { Frames::Ofdm }
    }

    /// The node whose station owns timer `slot`, if any.
    pub fn node_of(&self, slot: TimerSlot) -> Option<NodeId> {
        let i = slot.checked_sub(self.slot)?;
        ((i as usize) < self.stations.len()).then_some(NodeId(i as u16))
    }

    /// A station's timer.
    pub fn timer(&self, node: NodeId) -> TimerSlot {
        self.slot + u32::from(node.0)
    }

    /// The least time that a packet of so many bytes takes on the air, beside others in an aggregate.
    pub fn least_airtime(&self, node: NodeId, ip_bytes: u32) -> SimDuration {
        let station = self.stations.get(node.index());
        let bytes = station.map_or(ip_bytes, |station| station.hcf.config().frame_bytes(ip_bytes));
        self.fastest.map_or(SimDuration::ZERO, |rate| rate.airtime(bytes))
    }

    fn station(&mut self, node: NodeId) -> &mut Station {
        &mut self.stations[node.index()]
    }

    /// Packets that wait in a node's queues by flow and by category.
    pub fn flow_packets(&self, node: NodeId) -> usize {
        self.stations[node.index()].waiting()
    }

    /// Removes the packets for `next_hop` from these queues and appends them to `out`.
    pub fn purge(&mut self, node: NodeId, next_hop: NodeId, out: &mut Vec<QueueEntry>) {
        let Station { flows, lanes, .. } = self.station(node);
        if let Some(flows) = flows {
            flows.purge(next_hop, out);
        }
        if let Some(lanes) = lanes {
            lanes.purge(next_hop, out);
        }
    }

    /// Appends the packets that wait in these queues.
    pub fn waiting(&self, node: NodeId, out: &mut Vec<PacketId>) {
        self.stations[node.index()].packets(out);
    }

    /// The first of the packets that wait in them.
    pub fn first_waiting(&self, node: NodeId) -> Option<PacketId> {
        self.stations[node.index()].first()
    }

    /// Appends the packets that a node's station has taken from its queues and is sending.
    pub fn sending(&self, node: NodeId, out: &mut Vec<PacketId>) {
        self.stations[node.index()].hcf.sending(out);
    }

    /// Number of those packets.
    pub fn taken(&self, node: NodeId) -> usize {
        self.stations[node.index()].hcf.taken()
    }

    /// Most packets that a station takes out of its queue, if none of them is acknowledged.
    pub fn takes(&self, node: NodeId) -> u32 {
        let has_window = self.stations[node.index()].hcf.config().has_agreements();
        if has_window { WINDOW.into() } else { 1 }
    }

    /// Appends the packets that stations hold.
    pub fn held(&self, out: &mut Vec<PacketId>) {
        for station in &self.stations {
            station.hcf.held(out);
            station.packets(out);
        }
    }

    /// Adds all stations' counters.
    pub fn count(&self, total: &mut MacCounters) {
        self.stations.iter().for_each(|station| total.add(station.hcf.counters()));
    }

    /// A station loses power. Appends the packets that it held.
    pub fn power_off(&mut self, now: SimTime, node: NodeId, out: &mut Vec<PacketId>) {
        let station = self.station(node);
        station.hcf.power_off(now, out);
        station.packets(out);
        station.flows.iter_mut().for_each(FlowQueues::clear);
        station.lanes.iter_mut().for_each(|lanes| lanes.clear());
        station.antenna = Antenna::default();
    }
}

/// A frame as observers and the medium know it: an aggregate shows its first packet, a BlockAck counts as an ACK, a
/// BlockAckReq as an RTS.
fn outline(frame: &AirFrame) -> Frame {
    let first = frame.packets.first();
    Frame {
        kind: match frame.kind {
            AirKind::Rts | AirKind::BlockAckReq(_) => FrameKind::Rts,
            AirKind::Cts => FrameKind::Cts,
            AirKind::Ack | AirKind::BlockAck(_) => FrameKind::Ack,
            AirKind::Data | AirKind::Aggregate => FrameKind::Data,
        },
        from: frame.from,
        to: frame.to,
        duration: frame.duration,
        number: first.map_or(0, |packet| packet.number.get()),
        retry: first.is_some_and(|packet| packet.retry),
        protected: false,
        packet: first.map(|packet| packet.packet),
        bytes: frame.bytes,
        airtime: frame.airtime,
    }
}

/// A node as its station sees it.
struct NodeHost<'a> {
    node: NodeId,
    queue: &'a mut InterfaceQueue,
    flows: Option<&'a mut FlowQueues>,
    lanes: Option<&'a mut Lanes>,
    /// Packets that CoDel has dropped.
    dropped: Vec<QueueEntry>,
    radio: &'a mut Radio,
    judge: &'a Judge,
}

impl NodeHost<'_> {
    fn len(&self) -> usize {
        self.of_best_effort() + self.lanes.as_ref().map_or(0, |lanes| lanes.len())
    }

    fn of_best_effort(&self) -> usize {
        self.queue.len() + self.flows.as_ref().map_or(0, |flows| flows.len())
    }
}

impl Host for NodeHost<'_> {
    fn waits(&self, category: AccessCategory) -> bool {
        match category {
            AccessCategory::BestEffort => self.of_best_effort() > 0,
            _ => self.lanes.as_ref().is_some_and(|lanes| lanes.waiting(category) > 0),
        }
    }

    fn take(&mut self, now: SimTime, category: AccessCategory, to: Option<NodeId>) -> Option<Outgoing> {
        let entry = if category == AccessCategory::BestEffort {
            let first = match to {
                Some(to) => self.queue.pop_to(to),
                None => self.queue.pop(),
            };
            match (first, &mut self.flows) {
                (None, Some(flows)) => flows.take(now, to, &mut self.dropped),
                (first, _) => first,
            }
        } else {
            self.lanes.as_mut()?.take(now, category, to, &mut self.dropped)
        }?;
        Some(Outgoing { packet: entry.packet, to: entry.next_hop, ip_bytes: entry.ip_bytes })
    }

    fn sinr(&mut self, now: SimTime, to: NodeId, mode: Mode) -> f64 {
        self.radio.mean_power(now, self.node, to) / self.judge.noise(mode)
    }
}

/// Keeps the packets of a frame readable while it is on the air.
fn pin(packets: &mut PacketSlab, frame: &AirFrame) {
    frame.packets.iter().for_each(|packet| packets.pin(packet.packet));
}
