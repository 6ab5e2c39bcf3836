//! The top layer: applications, TCP connections, UDP.

use crate::network::Network;
use crate::network::event::{AppEvent, Event};
use crate::network::hosts::flow::Transport;
use crate::network::hosts::traffic::{Step, Traffic};
use crate::network::packets::UNTRACKED;
use crate::observe::loss::ledger::Carries;
use crate::observe::{Fact, Why};
use tworay_base::{FlowId, NodeId, PacketId, RngStream, Seq32, SimDuration, SimTime};
use tworay_scenario::Application;
use tworay_tcp::{Amount, Arrival, Connection, PathEvent, SegmentKind, Side, TcpAction, TcpNote, TcpTimer};
use tworay_wire::packet_trace::UDP_HEADERS;
use tworay_wire::{Body, Packet, TcpSegment, UdpDatagram};

/// Hop limit of a flow's packets (RFC 1122's recommended initial value).
const INITIAL_TTL: u8 = 64;

/// Information about the path that a packet which arrived gives to its transport. A router that salvaged it inserted
/// its own source route, which lacks the earlier hops.
fn arrival_of(packet: &Packet) -> Arrival {
    let route = packet.dsr.as_ref().and_then(|header| header.source_route.as_ref());
    let whole = route.filter(|route| route.salvage == 0);
    let hops = whole.map_or(0, |r| u8::try_from(r.addresses.len() + 1).unwrap_or(u8::MAX));
    Arrival { ttl_left: packet.ttl, hops }
}

impl Network {
    #[inline(never)]
    pub(crate) fn on_app(&mut self, flow: usize, what: AppEvent) {
        if self.flows[flow].traffic.is_some() {
            return self.on_traffic(flow, what);
        }
        let application = self.flows[flow].setup.application.clone();
        match (application, what) {
            (Application::Ftp { bytes, .. }, AppEvent::Start) => {
                let amount = bytes.map_or(Amount::Endless, Amount::Bytes);
                self.with_tcp(flow, Side::Active, |c, now, out| {
                    c.open(now, out);
                    c.write(now, amount, out);
                    if bytes.is_some() {
                        c.close(now, out);
                    }
                });
            }
            (Application::Ftp { .. }, AppEvent::Stop) => {
                self.with_tcp(flow, Side::Active, |c, now, out| c.stop(now, out));
            }
            (Application::Ftp { .. } | Application::External { .. }, _) => {}
            (_, what) => self.on_udp_app(flow, what),
        }
    }

    /// An application that asks for transfers over TCP acts.
    fn on_traffic(&mut self, flow: usize, what: AppEvent) {
        match what {
            AppEvent::Start => {
                self.with_tcp(flow, Side::Active, |c, now, out| c.open(now, out));
                self.take_step(flow, |traffic, now, rng| traffic.start(now, rng));
            }
            AppEvent::Tick | AppEvent::On => self.take_step(flow, |traffic, now, rng| traffic.act(now, rng)),
            AppEvent::Stop => {
                self.take_step(flow, |traffic, now, _| {
                    traffic.stop(now);
                    Step::default()
                });
                self.with_tcp(flow, Side::Active, |c, now, out| c.stop(now, out));
            }
        }
    }

    /// Lets the application of a flow take a step.
    #[inline(never)]
    fn take_step(&mut self, flow: usize, step: impl FnOnce(&mut Traffic, SimTime, &mut RngStream) -> Step) {
        let now = self.common.now;
        let f = &mut self.flows[flow];
        let Some(traffic) = &mut f.traffic else { return };
        let step = step(traffic, now, &mut f.rng);
        if let Some(at) = step.again {
            self.common.agenda.push(at, Event::App { flow: flow as u16, what: AppEvent::Tick });
        }
        for (side, bytes) in [(Side::Active, step.data), (Side::Passive, step.request)] {
            if bytes > 0 {
                self.with_tcp(flow, side, |c, now, out| c.write(now, Amount::Bytes(bytes), out));
            }
        }
    }

    fn on_udp_app(&mut self, flow: usize, what: AppEvent) {
        let f = &mut self.flows[flow];
        let Transport::Udp(udp) = &mut f.transport else { return };
        match what {
            AppEvent::Stop => {
                udp.until = self.common.now;
                return;
            }
            AppEvent::Start | AppEvent::On => {
                if f.setup.stop.is_some_and(|s| s <= self.common.now) {
                    return;
                }
                if let Some((on, off)) = udp.bursts {
                    let burst = SimDuration::from_secs_f64(f.rng.exponential(on.as_secs_f64()));
                    let pause = SimDuration::from_secs_f64(f.rng.exponential(off.as_secs_f64()));
                    udp.until = self.common.now + burst;
                    let event = Event::App { flow: flow as u16, what: AppEvent::On };
                    self.common.agenda.push(self.common.now + burst + pause, event);
                }
                if udp.ticking {
                    return;
                }
                udp.ticking = true;
            }
            AppEvent::Tick => {
                if self.common.now >= udp.until || udp.sent >= udp.packets {
                    udp.ticking = false;
                    return;
                }
            }
        }
        let number = udp.sent;
        let Some((payload, gap)) = udp.pace.datagram(number) else { return };
        udp.sent += 1;
        udp.sent_payload += u64::from(payload);
        if let Some(gap) = gap {
            let event = Event::App { flow: flow as u16, what: AppEvent::Tick };
            self.common.agenda.push(self.common.now + gap, event);
        }
        let (from, to, port) = (f.setup.from, f.setup.to, f.setup.port);
        let id = FlowId(flow as u16);
        let uid = self.common.take(id, Carries::Data, Seq32(number as u32));
        self.flows[flow].sent_bytes += u64::from(payload + UDP_HEADERS);
        let body = Body::Udp(UdpDatagram { src_port: 49_152 + id.0, dst_port: port, payload, number });
        let ip_bytes = payload + UDP_HEADERS;
        self.launch(from, to, id, uid, ip_bytes, body);
    }

    fn launch(&mut self, from: NodeId, to: NodeId, flow: FlowId, uid: u64, ip_bytes: u32, body: Body) {
        let packet =
            Packet { uid, src: from, dst: to, ttl: INITIAL_TTL, hops: 0, ip_bytes, flow, dsr: None, body };
        let packet = self.common.insert(packet);
        self.common.watch(|| Fact::Sent { packet });
        let processing = self.stations.processing(self.common.now, from);
        if processing.is_zero() {
            self.send_packet(from, packet);
        } else {
            self.common.agenda.push(self.common.now + processing, Event::Launch { packet, node: from });
        }
    }

    /// A packet reached its destination.
    #[inline(never)]
    pub(crate) fn deliver(&mut self, node: NodeId, packet: PacketId) {
        if self.is_thrown_away(node, packet) {
            return self.throw_away(node, packet);
        }
        let p = self.common.packets.remove(packet);
        if p.uid < UNTRACKED {
            self.common.observe(Fact::Delivered { packet: &p, node });
        }
        if matches!(p.body, Body::Datagram(_)) {
            return self.deliver_outside(node, p);
        }
        if p.flow == FlowId::NONE {
            return;
        }
        let flow = p.flow.index();
        let arrival = arrival_of(&p);
        match p.body {
            Body::Tcp(segment) => {
                let side = self.side(flow, node);
                self.with_tcp(flow, side, |c, now, out| c.on_segment(now, &segment, arrival, out));
            }
            Body::Udp(d) => {
                if let Transport::Udp(udp) = &mut self.flows[flow].transport
                    && udp.arrivals.is_first(d.number)
                {
                    udp.received += 1;
                    udp.received_bytes += d.payload as u64;
                }
            }
            _ => {}
        }
    }

    /// The connection end of `flow` at `node`.
    fn side(&self, flow: usize, node: NodeId) -> Side {
        if node == self.flows[flow].setup.to { Side::Passive } else { Side::Active }
    }

    /// True if the receiving connection will discard all data of the packet.
    #[inline]
    fn is_thrown_away(&self, node: NodeId, packet: PacketId) -> bool {
        let p = self.common.packets.get(packet);
        let Body::Tcp(segment) = &p.body else { return false };
        let Some(flow) = self.flows.get(p.flow.index()) else { return false };
        let Transport::Tcp(pair) = &flow.transport else { return false };
        let end = if node == flow.setup.to { &pair.receiver } else { &pair.sender };
        end.throws_away(segment)
    }

    /// The connection discards all data of a packet: it is lost at the receiver.
    #[cold]
    fn throw_away(&mut self, node: NodeId, packet: PacketId) {
        let p = self.common.packets.get(packet).clone();
        self.common.kill(packet, node, Why::Discarded);
        let (flow, arrival) = (p.flow.index(), arrival_of(&p));
        if let Body::Tcp(segment) = &p.body {
            let side = self.side(flow, node);
            self.with_tcp(flow, side, |c, now, out| c.on_segment(now, segment, arrival, out));
        }
    }

    /// The warm-up is over: the flows' figures start here.
    #[inline(never)]
    pub(crate) fn on_warm(&mut self) {
        self.common.observe(Fact::Warm);
        for flow in &mut self.flows {
            flow.restart(self.common.now);
        }
    }

    #[inline(never)]
    pub(crate) fn on_tcp_timer(&mut self, slot: u32) {
        let per_flow = 2 * TcpTimer::COUNT as u32;
        let (flow, within) = ((slot / per_flow) as usize, (slot % per_flow) as usize);
        let side = if within < TcpTimer::COUNT { Side::Active } else { Side::Passive };
        if let Some(timer) = TcpTimer::from_index(within % TcpTimer::COUNT) {
            self.with_tcp(flow, side, |c, now, out| c.on_timer(now, timer, out));
        }
    }

    /// A node cannot pass on a packet: the link to the next hop failed, or it has no route. If the packet has
    /// a sender's data, the notice that reaches this sender names the segment (Holland and Vaidya 1999). The
    /// simulator remembers it; it adds nothing to the length of routing's messages.
    pub(crate) fn note_stopped(&mut self, packet: PacketId) {
        let p = self.common.packets.get(packet);
        let Body::Tcp(segment) = &p.body else { return };
        let (seq, dst) = (segment.seq, p.dst);
        let Some(flow) = self.flows.get_mut(p.flow.index()).filter(|f| f.setup.to == dst) else { return };
        let Transport::Tcp(pair) = &flow.transport else { return };
        // The first one causes the route error; one that got through after all is of no interest any more.
        let una = pair.sender.snapshot().una;
        if flow.stopped.is_none_or(|first| first.lt(una)) {
            flow.stopped = Some(seq);
        }
    }

    /// Routing at `node` met a broken link on the route to `dst`: notifies the flows concerned.
    #[inline(never)]
    pub(crate) fn notify_of_failure(&mut self, node: NodeId, dst: NodeId) {
        let mut heard = false;
        for flow in 0..self.flows.len() {
            let f = &mut self.flows[flow];
            if (f.setup.from, f.setup.to) == (node, dst) && matches!(f.transport, Transport::Tcp(_)) {
                heard = true;
                let segment = f.stopped.take();
                self.with_tcp(flow, Side::Active, |c, now, out| {
                    c.on_path_event(now, PathEvent::LinkFailure { segment }, out);
                });
            }
        }
        if !heard {
            self.common.observe(Fact::StrayNotice);
        }
    }

    /// A search of routing at `node` has found a route to `dst`: notifies senders that wait for it (TCP-F).
    #[inline(never)]
    pub(crate) fn notify_of_route_found(&mut self, node: NodeId, dst: NodeId) {
        for flow in 0..self.flows.len() {
            let f = &self.flows[flow];
            let Transport::Tcp(pair) = &f.transport else { continue };
            if (f.setup.from, f.setup.to) == (node, dst) && pair.sender.wants_routes() {
                self.with_tcp(flow, Side::Active, |c, now, out| {
                    c.on_path_event(now, PathEvent::RouteFound, out);
                });
            }
        }
    }

    /// Routing at `node` selected another source route to `dst`: notifies senders that use its length.
    #[inline(never)]
    pub(crate) fn notify_of_source_route(&mut self, node: NodeId, dst: NodeId, hops: u8) {
        for flow in 0..self.flows.len() {
            let setup = &self.flows[flow].setup;
            if (setup.from, setup.to) == (node, dst) {
                self.with_tcp(flow, Side::Active, |c, now, out| {
                    c.on_path_event(now, PathEvent::SourceRoute(hops), out);
                });
            }
        }
    }

    pub(crate) fn with_tcp(
        &mut self,
        flow: usize,
        side: Side,
        input: impl FnOnce(&mut Connection, SimTime, &mut Vec<TcpAction>),
    ) {
        let mut out = self.scratch.tcp.pop().unwrap_or_default();
        let now = self.common.now;
        let mut unopened = false;
        if let Transport::Tcp(pair) = &mut self.flows[flow].transport {
            let end = match side {
                Side::Active => &mut pair.sender,
                Side::Passive => &mut pair.receiver,
            };
            input(end, now, &mut out);
            unopened = end.is_unopened();
        }
        // What routing tells a flow before its start is nothing that its sender does.
        if side == Side::Active && !unopened {
            let f = &mut self.flows[flow];
            if let Some(joules) = f.joules_computed() {
                let node = f.setup.from;
                self.draw(node, joules);
            }
            self.flows[flow].observe(now);
            if self.common.observers.series.is_recorded() {
                self.show_sender(flow);
            }
        }
        // Timers first: an action may call this connection again, which then changes them.
        let base = self.flows[flow].timers + if side == Side::Active { 0 } else { TcpTimer::COUNT as u32 };
        for action in &out {
            match *action {
                TcpAction::Arm(t, at) => self.common.agenda.set_timer(base + t.index() as u32, at),
                TcpAction::Disarm(t) => self.common.agenda.clear_timer(base + t.index() as u32),
                _ => {}
            }
        }
        for action in out.drain(..) {
            self.apply_tcp(flow, side, action);
        }
        self.scratch.tcp.push(out);
    }

    /// Reports the state of a flow's sender.
    #[cold]
    fn show_sender(&mut self, flow: usize) {
        let Transport::Tcp(pair) = &self.flows[flow].transport else { return };
        let (state, acked) = (pair.sender.snapshot(), pair.sender.counters().acked_bytes);
        self.common.observe(Fact::Sender { flow: FlowId(flow as u16), state: &state, acked });
    }

    fn apply_tcp(&mut self, flow: usize, side: Side, action: TcpAction) {
        let f = &mut self.flows[flow];
        match action {
            TcpAction::Send { segment, ip_bytes, kind } => {
                self.send_segment(flow, side, segment, ip_bytes, kind)
            }
            TcpAction::Arm(..) | TcpAction::Disarm(_) => {}
            TcpAction::Deliver { bytes } => {
                if side == Side::Passive {
                    f.delivered_bytes += u64::from(bytes);
                }
                if f.traffic.is_some() {
                    self.note_delivery(flow, side, bytes);
                }
            }
            TcpAction::Connected => {
                if side == Side::Active {
                    f.connected_at = Some(self.common.now);
                } else if f.traffic.is_some() {
                    // Requests that were written before the connection was open.
                    self.with_tcp(flow, side, |c, now, out| c.write(now, Amount::Bytes(0), out));
                }
            }
            TcpAction::PeerClosed => {
                // The sink has no data to send: it closes its own direction at once.
                self.with_tcp(flow, side, |c, now, out| c.close(now, out));
            }
            TcpAction::Finished => {
                if side == Side::Active {
                    f.finished_at.get_or_insert(self.common.now);
                }
            }
            TcpAction::Note(TcpNote::LossGuess { seq, guess }) => {
                let (flow, sent_before) = (FlowId(flow as u16), self.common.next_uid());
                self.common.observe(Fact::Guessed { flow, seq, sent_before, guess });
            }
            TcpAction::Note(_) => {}
        }
    }

    /// Data reached the application at one end of a flow with transfers.
    fn note_delivery(&mut self, flow: usize, side: Side, bytes: u32) {
        let delivered = self.flows[flow].delivered_bytes;
        self.take_step(flow, |traffic, now, rng| match side {
            Side::Passive => traffic.delivered(now, delivered, rng),
            Side::Active => traffic.heard(bytes.into()),
        });
    }

    fn send_segment(
        &mut self,
        flow: usize,
        side: Side,
        segment: TcpSegment,
        ip_bytes: u32,
        kind: SegmentKind,
    ) {
        let setup = &self.flows[flow].setup;
        let (from, to) = match side {
            Side::Active => (setup.from, setup.to),
            Side::Passive => (setup.to, setup.from),
        };
        let carries = if kind == SegmentKind::Ack { Carries::Ack } else { Carries::Data };
        let id = FlowId(flow as u16);
        let seq = if carries == Carries::Ack { segment.ack } else { segment.seq };
        let uid = self.common.take(id, carries, seq);
        let again = (kind, side) == (SegmentKind::Data { retransmission: true }, Side::Active);
        if let (true, Transport::Tcp(pair)) = (again, &self.flows[flow].transport) {
            let phase = pair.sender.snapshot().phase;
            self.common.observe(Fact::Resent { flow: id, from, seq, uid, phase });
        }
        if side == Side::Active {
            self.flows[flow].sent_bytes += u64::from(ip_bytes);
            self.flows[flow].first_sent.get_or_insert(self.common.now);
        }
        self.launch(from, to, id, uid, ip_bytes, Body::Tcp(segment));
    }
}

#[cfg(test)]
mod tests;
