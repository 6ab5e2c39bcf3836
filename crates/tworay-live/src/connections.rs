//! Assigns packets to flows and tracks the state of connections from passing packets.

use crate::diag::{Asked, Info};
use crate::packet::{Tcp, View};
use crate::watched::FlowView;
use std::collections::BTreeMap;
use std::net::IpAddr;
use tworay_base::{FlowId, NodeId, Seq32, SimDuration, SimTime};
use tworay_sim::{Carries, FlowLook, Header, Live};
use tworay_tcp::{Counters, Phase, Snapshot};

/// One end of a connection.
pub type End = (IpAddr, u16);

/// Protocol and both ends, the lower end first.
type Key = (u8, End, End);

const TCP: u8 = 6;

/// One direction of a connection.
#[derive(Clone, Debug, Default)]
struct Way {
    /// Sequence number of the SYN, or the first number seen.
    first: Option<Seq32>,
    /// Next number never sent, relative to `first`.
    sent: u64,
    /// Acknowledgment number that the sender has seen, relative to `first`.
    acked: u64,
    /// Acknowledgment number of the receiver, relative to `first`.
    taken: u64,
    /// End of the data that arrived, relative to `first`.
    reached: u64,
    /// When the sender saw new data acknowledged last, while the connection lasted.
    acked_at: Option<SimTime>,
    /// Shift of its window, if its SYN announced one.
    scale: Option<u8>,
    /// True if the SYN was seen, and the place of the FIN.
    syn: bool,
    fin: Option<u64>,
    segments: u64,
    again: u64,
    bytes: u64,
    bytes_again: u64,
    /// Payload that arrived, for protocols other than TCP.
    arrived: u64,
    /// Packets that arrived.
    packets: u64,
}

impl Way {
    /// A sequence number relative to the first one.
    fn place(&mut self, seq: Seq32) -> u64 {
        let first = *self.first.get_or_insert(seq);
        let near = self.sent;
        let at = first.0.wrapping_add(near as u32);
        near.saturating_add_signed(i64::from(seq.0.wrapping_sub(at) as i32))
    }

    /// Payload bytes among the first `count` numbers.
    fn payload(&self, count: u64) -> u64 {
        let fin = u64::from(self.fin.is_some_and(|fin| count > fin));
        count.saturating_sub(u64::from(self.syn) + fin)
    }

    /// Payload that arrived, but that the receiver never acknowledged: it had closed the connection.
    fn untaken(&self) -> u64 {
        self.payload(self.reached).saturating_sub(self.payload(self.taken.max(self.acked)))
    }

    /// True if everything was acknowledged, including the FIN.
    fn is_over(&self) -> bool {
        self.fin.is_some_and(|fin| self.acked > fin)
    }
}

/// A TCP connection, or the exchange of another protocol between two ends.
#[derive(Debug)]
pub(crate) struct Connection {
    pub flow: FlowId,
    pub ends: [End; 2],
    pub nodes: [NodeId; 2],
    /// When its first packet entered the network.
    pub opened_at: SimTime,
    /// The IP protocol's number.
    pub protocol: u8,
    /// Direction of the flow: 0 as the connection was opened, 1 if more payload flows back.
    main: usize,
    ways: [Way; 2],
    connected_at: Option<SimTime>,
    finished_at: Option<SimTime>,
    /// Latest information from the kernel of each sender.
    info: [Option<Info>; 2],
    mss: u64,
    recoveries: u64,
    pub freezes: u64,
    pub frozen: SimDuration,
}

/// Role of a packet in its flow.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Sorted {
    /// Index of the connection.
    pub connection: usize,
    /// The end that sent it.
    pub side: usize,
    pub carries: Carries,
    pub seq: Seq32,
    /// True if its payload was sent before.
    pub again: bool,
    /// Its transport header, for the record.
    pub header: Header,
}

/// All connections seen so far.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    known: BTreeMap<Key, usize>,
    pub all: Vec<Connection>,
    /// Packets of connections without a flow number.
    pub unnumbered: u64,
    /// The kernels that know of a connection are asked about it.
    pub asked: Asked,
    /// Congestion control that each station uses unless a program chooses another one.
    usual: BTreeMap<NodeId, String>,
}

impl Connections {
    pub fn new(asked: Asked, usual: BTreeMap<NodeId, String>) -> Self {
        Self { asked, usual, ..Self::default() }
    }

    /// Finds or opens the flow of a packet between two nodes, and counts it if it is sent at its source and
    /// not forwarded.
    pub fn sort(
        &mut self,
        live: &mut Live,
        view: &View,
        nodes: (NodeId, NodeId),
        at_source: bool,
    ) -> Option<Sorted> {
        let (src, dst) = ((view.src, view.src_port), (view.dst, view.dst_port));
        let key = if src <= dst { (view.protocol, src, dst) } else { (view.protocol, dst, src) };
        let opens = view.tcp.is_some_and(|t| t.syn && !t.has_ack);
        let known = self.known.get(&key).copied();
        // The ports of a finished connection are reused.
        let known = known.filter(|&i| !(opens && self.all[i].finished_at.is_some()));
        let number = match known {
            Some(number) => number,
            None => {
                let Ok(flow) = live.open_flow(nodes.0, nodes.1, view.dst_port, view.protocol == TCP) else {
                    self.unnumbered += 1;
                    return None;
                };
                self.all.push(Connection::new(flow, [src, dst], nodes, (view.protocol, live.now())));
                self.known.insert(key, self.all.len() - 1);
                if view.protocol == TCP {
                    self.asked.note([nodes.0, nodes.1]);
                }
                self.all.len() - 1
            }
        };
        let connection = &mut self.all[number];
        let side = usize::from(connection.ends[0] != src);
        let (carries, seq, again) =
            if at_source { connection.sent(live, side, view) } else { connection.forwarded(side, view) };
        let header = connection.header(side, view, seq, again);
        Some(Sorted { connection: number, side, carries, seq, again, header })
    }

    /// The connection of an arriving packet, and the end that sent it.
    pub fn find(&self, view: &View) -> Option<(usize, usize)> {
        let (src, dst) = ((view.src, view.src_port), (view.dst, view.dst_port));
        let key = if src <= dst { (view.protocol, src, dst) } else { (view.protocol, dst, src) };
        let number = *self.known.get(&key)?;
        Some((number, usize::from(self.all[number].ends[0] != src)))
    }

    /// Records what the kernel of `node` reports about its end of a connection.
    pub fn note_info(&mut self, live: &mut Live, node: NodeId, local: End, remote: End, info: Info) {
        let key = if local <= remote { (TCP, local, remote) } else { (TCP, remote, local) };
        let Some(connection) = self.known.get(&key).and_then(|&i| self.all.get_mut(i)) else { return };
        let side = usize::from(connection.ends[0] != local);
        if connection.nodes[side] != node {
            return;
        }
        connection.note_info(live, side, info);
    }

    /// Payload delivered so far, bytes.
    pub fn delivered(&self) -> u64 {
        self.all.iter().map(Connection::delivered).sum()
    }

    /// Every connection, for those who watch.
    pub fn views(&self) -> Vec<FlowView> {
        let view = |c: &Connection| FlowView { flow: c.flow, ends: c.nodes, delivered: c.delivered() };
        self.all.iter().map(view).collect()
    }

    /// TCP connections that are closing: one end has sent its FIN, and the two ends are not both done.
    pub fn closing(&self) -> usize {
        self.all.iter().filter(|connection| connection.closes()).count()
    }

    /// Passes the observations of all flows to the network, for the report.
    pub fn settle(&self, live: &mut Live) {
        for connection in &self.all {
            live.set_flow(connection.flow, connection.look(&self.usual));
        }
    }
}

impl Connection {
    fn new(
        flow: FlowId,
        ends: [End; 2],
        nodes: (NodeId, NodeId),
        (protocol, opened_at): (u8, SimTime),
    ) -> Self {
        Self {
            flow,
            ends,
            nodes: [nodes.0, nodes.1],
            opened_at,
            protocol,
            main: 0,
            ways: Default::default(),
            connected_at: None,
            finished_at: None,
            info: [None, None],
            mss: 0,
            recoveries: 0,
            freezes: 0,
            frozen: SimDuration::ZERO,
        }
    }

    fn is_tcp(&self) -> bool {
        self.protocol == TCP
    }

    /// Role and number of a packet that another node than its source sends.
    fn forwarded(&self, side: usize, view: &View) -> (Carries, Seq32, bool) {
        match view.tcp {
            Some(tcp) if tcp.length() == 0 => (Carries::Ack, tcp.ack, false),
            Some(tcp) => (Carries::Data, tcp.seq, false),
            None => (Carries::Data, Seq32(self.ways[side].segments as u32), false),
        }
    }

    fn sent(&mut self, live: &mut Live, side: usize, view: &View) -> (Carries, Seq32, bool) {
        let way = &mut self.ways[side];
        let Some(tcp) = view.tcp else {
            way.segments += 1;
            way.bytes += u64::from(view.payload);
            let number = Seq32(way.segments as u32);
            self.turn(live);
            return (Carries::Data, number, false);
        };
        if tcp.syn {
            way.scale = tcp.scale;
        }
        let at = way.place(tcp.seq);
        way.syn |= tcp.syn;
        if tcp.fin {
            way.fin = Some(at + u64::from(tcp.payload));
        }
        let end = at + u64::from(tcp.length());
        let again = tcp.length() > 0 && at < way.sent;
        way.sent = way.sent.max(end);
        if tcp.payload > 0 {
            way.segments += 1;
            way.bytes += u64::from(tcp.payload);
            self.mss = self.mss.max(tcp.payload.into());
            if again {
                way.again += 1;
                way.bytes_again += u64::from(tcp.payload);
            }
        }
        if tcp.has_ack {
            // What this end has received from the other one.
            let other = &mut self.ways[1 - side];
            let at = other.place(tcp.ack);
            other.taken = other.taken.max(at);
        }
        if tcp.rst {
            self.finished_at.get_or_insert(live.now());
        }
        self.turn(live);
        let ack = tcp.length() == 0;
        (if ack { Carries::Ack } else { Carries::Data }, if ack { tcp.ack } else { tcp.seq }, again)
    }

    /// Makes the direction with more payload the flow's direction: also a short answer to a shorter request.
    fn turn(&mut self, live: &mut Live) {
        if self.ways[1 - self.main].bytes > self.ways[self.main].bytes {
            self.main = 1 - self.main;
            live.turn_flow(self.flow);
        }
    }

    /// The header that the record keeps of a packet from end `side`.
    fn header(&self, side: usize, view: &View, seq: Seq32, again: bool) -> Header {
        let Some(tcp) = view.tcp else {
            return Header { seq: seq.0, payload: view.payload, again, ..Header::default() };
        };
        // Windows are scaled if both SYNs say so, that of a SYN never (RFC 7323 §2.2), by 14 bits at most (§2.3).
        let scale = self.ways[side].scale.filter(|_| self.ways[1 - side].scale.is_some() && !tcp.syn);
        let window = u32::from(tcp.window) << scale.unwrap_or(0).min(14);
        let ack = tcp.has_ack.then_some((tcp.ack, window));
        Header { seq: tcp.seq.0, payload: tcp.payload, ack, sacks: tcp.sacks, again }
    }

    /// A packet sent by end `side` arrived at the other end.
    pub fn arrived(&mut self, now: SimTime, side: usize, view: &View) {
        self.ways[side].packets += 1;
        let Some(tcp) = view.tcp else {
            self.ways[side].arrived += u64::from(view.payload);
            return;
        };
        let way = &mut self.ways[side];
        way.reached = way.reached.max(way.place(tcp.seq) + u64::from(tcp.length()));
        if tcp.has_ack {
            let other = &mut self.ways[1 - side];
            let at = other.place(tcp.ack);
            if other.payload(at) > other.payload(other.acked) && self.finished_at.is_none() {
                other.acked_at = Some(now);
            }
            other.acked = other.acked.max(at);
        }
        if tcp.syn && tcp.has_ack {
            self.connected_at.get_or_insert(now);
        }
        if tcp.rst || self.ways.iter().all(Way::is_over) {
            self.finished_at.get_or_insert(now);
        }
    }

    fn note_info(&mut self, live: &mut Live, side: usize, info: Info) {
        if side == self.main {
            let before = self.info[side].as_ref().is_some_and(|i| i.phase == Phase::Recovery);
            self.recoveries += u64::from(info.phase == Phase::Recovery && !before);
            let way = &self.ways[side];
            let first = way.first.unwrap_or(Seq32(0));
            let state = Snapshot {
                cwnd: info.cwnd,
                ssthresh: info.ssthresh,
                srtt: info.srtt,
                rttvar: info.rttvar,
                rto: info.rto,
                flight_bytes: way.sent.saturating_sub(way.acked),
                flight_segments: info.in_flight,
                una: Seq32(first.0.wrapping_add(way.acked as u32)),
                nxt: Seq32(first.0.wrapping_add(way.sent as u32)),
                phase: info.phase,
            };
            live.note_state(self.flow, state, way.payload(way.acked));
        }
        self.info[side] = Some(info);
    }

    /// Phase of the sender, as its kernel last reported.
    pub fn phase(&self, side: usize) -> Phase {
        self.info[side].as_ref().map_or(Phase::Handshake, |i| i.phase)
    }

    /// True if end `side` waits for acknowledgments.
    pub fn waits(&self, side: usize) -> bool {
        self.is_tcp() && self.ways[side].sent > self.ways[side].acked && self.finished_at.is_none()
    }

    /// True if one end has sent its FIN and the two ends are not both done.
    fn closes(&self) -> bool {
        self.finished_at.is_none() && self.ways.iter().any(|way| way.fin.is_some())
    }

    /// Data of `side` that it has seen acknowledged.
    pub fn acked(&self, side: usize) -> u64 {
        self.ways[side].acked
    }

    /// A sequence number of `side`, relative to the first one.
    pub fn place(&mut self, side: usize, tcp: &Tcp) -> u64 {
        self.ways[side].place(tcp.seq)
    }

    /// The sequence number before the first byte that end `side` sends: that of its SYN.
    pub fn initial(&self, side: usize) -> Option<Seq32> {
        let way = &self.ways[side];
        // Without its SYN the first number seen is taken for that of the first byte.
        way.first.map(|first| if way.syn { first } else { Seq32(first.0.wrapping_sub(1)) })
    }

    /// Payload delivered in the flow's direction.
    fn delivered(&self) -> u64 {
        let way = &self.ways[self.main];
        if self.is_tcp() { way.payload(way.taken) } else { way.arrived }
    }

    fn look(&self, usual: &BTreeMap<NodeId, String>) -> FlowLook {
        let way = &self.ways[self.main];
        let info = self.info[self.main].as_ref();
        let acked_bytes = way.payload(way.acked);
        let mut counters = Counters::default();
        counters.sent_segments = way.segments;
        counters.retransmitted_segments = way.again;
        counters.bytes_sent = way.bytes;
        counters.bytes_retransmitted = way.bytes_again;
        counters.acked_bytes = acked_bytes;
        counters.acked_segments =
            if self.is_tcp() { acked_bytes.checked_div(self.mss).unwrap_or(0) } else { way.packets };
        counters.fast_retransmits = self.recoveries;
        counters.freezes = self.freezes;
        counters.frozen = self.frozen;
        // A connection may end before its kernel is asked for the first time.
        let known = info.map(|i| &i.congestion).or_else(|| usual.get(&self.nodes[self.main]));
        let name = || format!("kernel:{}", known.map_or("unknown", String::as_str));
        FlowLook {
            tcp: self.is_tcp().then(name),
            delivered_bytes: self.delivered(),
            connected_at: self.connected_at,
            finished_at: self.finished_at,
            counters,
            timeouts: info.and_then(|i| i.timeouts),
            acked_at: way.acked_at,
            untaken_bytes: if self.finished_at.is_some() { way.untaken() } else { 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;
    use tworay_sim::{Layer, LiveOptions, scenario::Scenario};

    fn live() -> Live {
        let scenario = Scenario::load("string-2", &[]).expect("a built-in scenario");
        let stations = vec![NodeId(0), NodeId(1), NodeId(2)];
        let limit = SimDuration::from_secs(10);
        let options = LiveOptions { seed: 1, layer: Layer::Two, stations, limit, pcap: None, record: false };
        Live::new(&scenario, &options).expect("a network")
    }

    fn view(protocol: u8, tcp: Option<Tcp>) -> View {
        let node = |n| IpAddr::V4(Ipv4Addr::new(10, 0, 0, n));
        View {
            src: node(0),
            dst: node(2),
            protocol,
            src_port: 40000,
            dst_port: 5001,
            ttl: 64,
            bytes: 60,
            payload: 0,
            tcp,
        }
    }

    /// A relay's kernel and those of daemons' datagrams know of no connection: 50 of them, asked 20 times a
    /// second, were a large part of a mesh's cost.
    #[test]
    fn only_kernels_at_the_ends_of_tcp_connections_are_asked() {
        let mut live = live();
        let asked = Asked::new((0..3).map(NodeId));
        let mut connections = Connections::new(asked.clone(), BTreeMap::new());
        let all = || [0, 1, 2].map(|n| asked.has(NodeId(n)));
        connections.sort(&mut live, &view(17, None), (NodeId(0), NodeId(2)), true);
        assert_eq!(all(), [false; 3]);
        let syn = Tcp {
            seq: Seq32(1),
            ack: Seq32(0),
            syn: true,
            fin: false,
            rst: false,
            has_ack: false,
            payload: 0,
            timestamps: None,
            window: 0,
            scale: None,
            sacks: [None; 4],
        };
        connections.sort(&mut live, &view(TCP, Some(syn)), (NodeId(0), NodeId(2)), true);
        assert_eq!(all(), [true, false, true]);
    }

    /// A segment between the nodes 0 and 2 whose first number is 1000 in both directions.
    fn segment(from: u8, at: u32, payload: u32) -> View {
        let node = |n| IpAddr::V4(Ipv4Addr::new(10, 0, 0, n));
        let tcp = Tcp {
            seq: Seq32(1000 + at),
            ack: Seq32(1001),
            syn: at == 0,
            fin: false,
            rst: false,
            has_ack: at > 0 || from == 2,
            payload,
            timestamps: None,
            window: 100,
            scale: (at == 0).then_some(7),
            sacks: [None; 4],
        };
        let (src_port, dst_port) = if from == 0 { (40000, 80) } else { (80, 40000) };
        View { src: node(from), dst: node(2 - from), src_port, dst_port, payload, ..view(TCP, Some(tcp)) }
    }

    /// iperf3's server closes its end at the end of a test, with five segments of 100 bytes under way: its kernel answers
    /// them with a reset. Nothing was lost, all that the program took was acknowledged, and that at 10 ms.
    #[test]
    fn data_under_way_at_a_reset_is_not_undelivered() {
        let mut live = live();
        let mut connections = Connections::new(Asked::new((0..3).map(NodeId)), BTreeMap::new());
        let at = |ms: u64| SimTime::from_nanos(ms * 1_000_000);
        let ack = |upto: u32, rst: bool| {
            let mut view = segment(2, 1, 0);
            let tcp = view.tcp.as_mut().expect("a segment");
            (tcp.ack, tcp.rst) = (Seq32(1001 + upto), rst);
            view
        };
        let mut step = |time: SimTime, view: &View, arrives: bool| {
            let from = u16::from(view.src_port != 40000);
            let nodes = (NodeId(2 * from), NodeId(2 - 2 * from));
            live.run_until(time);
            let found = connections.sort(&mut live, view, nodes, true).expect("a flow");
            if arrives {
                connections.all[found.connection].arrived(time, found.side, view);
            }
        };
        for (from, place, payload) in [(0, 0, 0), (2, 0, 0)] {
            step(at(1), &segment(from, place, payload), true);
        }
        for segments in 0..10 {
            step(at(2), &segment(0, 1 + 100 * segments, 100), true);
        }
        // The receiver takes half of them.
        step(at(10), &ack(500, false), true);
        step(at(20), &ack(500, true), true);
        // What comes after the reset is not the connection's any more.
        step(at(30), &ack(500, false), true);
        connections.settle(&mut live);
        let look = connections.all[0].look(&BTreeMap::new());
        assert_eq!((look.acked_at, look.finished_at), (Some(at(10)), Some(at(20))));
        assert_eq!(
            (look.counters.bytes_sent, look.counters.acked_bytes, look.untaken_bytes),
            (1000, 500, 500)
        );
        let flow = &live.finish().expect("the books balance").document.flows[0];
        assert_eq!(flow.delivery_ratio, Some(1.0));
    }

    /// As before, but the last three segments never arrived: they were sent and not delivered.
    #[test]
    fn data_lost_before_a_reset_is_undelivered() {
        let mut way = Way { syn: true, sent: 1001, bytes: 1000, taken: 501, acked: 501, ..Way::default() };
        way.reached = 701;
        assert_eq!(way.untaken(), 200);
        // Without a reset the ACK for all of them may be lost: they were taken.
        way.taken = 701;
        assert_eq!(way.untaken(), 0);
    }

    /// A page of 300 bytes is asked for with 80: the flow is that of the page, from the server, although both ended before
    /// a kernel was asked. The station's congestion control is the default of its namespace.
    #[test]
    fn a_short_answer_has_the_direction_and_the_controller_of_its_server() {
        let mut live = live();
        let usual = BTreeMap::from([(NodeId(0), "reno".to_owned()), (NodeId(2), "vegas".to_owned())]);
        let mut connections = Connections::new(Asked::new((0..3).map(NodeId)), usual);
        for (from, at, payload) in [(0, 0, 0), (2, 0, 0), (0, 1, 80), (2, 1, 300)] {
            let nodes = (NodeId(u16::from(from)), NodeId(u16::from(2 - from)));
            let found =
                connections.sort(&mut live, &segment(from, at, payload), nodes, true).expect("a flow");
            // RFC 7323 §2.2: the window of a SYN is not scaled.
            let window = if at == 0 { 100 } else { 100 << 7 };
            let ack = (at > 0 || from == 2).then_some((Seq32(1001), window));
            assert_eq!((found.header.seq, found.header.payload, found.header.ack), (1000 + at, payload, ack));
        }
        connections.settle(&mut live);
        let flow = &live.finish().expect("the books balance").document.flows[0];
        assert_eq!((flow.from, flow.to, flow.tcp.as_deref()), (2, 0, Some("kernel:vegas")));
        assert_eq!((flow.sent_segments, flow.mean_cwnd_segments), (1, None));
    }
}
