use super::super::agenda::Agenda;
use super::*;
use crate::network::common::Common;
use crate::network::event::Event;
use crate::observe::loss::ledger::Carries;
use crate::observe::{Observers, WireEvent};
use tworay_base::{BitRate, Died, FlowId, LossCause, Seq32, SimDuration};
use tworay_radio::ErrorUnit;
use tworay_scenario::Outages;
use tworay_wire::{Body, Packet, UdpDatagram};

const A: NodeId = NodeId(0);
const B: NodeId = NodeId(1);

fn ms(at: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_millis(at)
}

/// A wire from A to B: 1 Mb/s, 10 ms, a queue of two packets.
fn setup() -> WireSetup {
    WireSetup {
        from: A,
        to: B,
        rate: BitRate::from_bps(1_000_000),
        delay: SimDuration::from_millis(10),
        queue: 2,
        red: None,
        errors: ErrorModelConfig::None,
        outages: Outages::default(),
        lanes: None,
        back: false,
        drops: Vec::new(),
    }
}

struct Test {
    common: Common,
    wires: Wires,
}

impl Test {
    fn new(setup: WireSetup) -> Self {
        let mut observers = Observers::new(2, &[(A, B)], true);
        observers.trace_wires();
        Self { common: Common::new(Agenda::new(2, ms(1000)), observers), wires: Wires::new(vec![setup], 1) }
    }

    /// Passes a datagram of 1250 bytes to the wire: 10 ms at 1 Mb/s.
    fn send(&mut self, number: u32) {
        let uid = self.common.take(FlowId(0), Carries::Data, Seq32(number));
        let datagram = UdpDatagram { src_port: 1, dst_port: 2, payload: 1222, number: number.into() };
        let packet = Packet {
            uid,
            src: A,
            dst: B,
            ttl: 64,
            hops: 0,
            ip_bytes: 1250,
            flow: FlowId(0),
            dsr: None,
            body: Body::Udp(datagram),
        };
        let packet = self.common.packets.insert(packet);
        self.wires.send(&mut self.common, 0, packet);
    }

    /// Processes all events; returns when packets arrived, with their numbers.
    fn arrivals(&mut self) -> Vec<(SimTime, u32)> {
        let mut all = Vec::new();
        while let Some((now, event)) = self.common.agenda.pop() {
            self.common.now = now;
            match event {
                Event::WireFree(wire) => self.wires.on_free(&mut self.common, wire),
                Event::WireArrival { wire, packet } => {
                    if let Some((from, to)) = self.wires.on_arrival(&mut self.common, wire, packet) {
                        assert_eq!((from, to), (A, B));
                        let p = self.common.packets.remove(packet);
                        assert_eq!(p.hops, 1);
                        self.common.observers.ledger.delivered(p.uid, now);
                        let Body::Udp(datagram) = p.body else { panic!("a datagram was sent") };
                        all.push((now, datagram.number as u32));
                    }
                }
                other => panic!("{other:?} is none of a wire's"),
            }
        }
        self.common.observers.ledger.check().expect("the books balance");
        all
    }

    fn losses(&self) -> Vec<(u32, LossCause, Died, NodeId)> {
        self.common.observers.ledger.records().iter().map(|r| (r.seq.0, r.cause, r.died, r.node)).collect()
    }
}

#[test]
fn packets_leave_one_after_another_and_a_full_queue_is_congestion() {
    let mut test = Test::new(setup());
    (0..4).for_each(|number| test.send(number));
    assert_eq!(test.losses(), [(3, LossCause::Congestion, Died::WireQueue, A)]);
    assert_eq!(test.common.observers.counters.queue_drops, 1);
    let mut held = Vec::new();
    test.wires.held(&mut held);
    assert_eq!(held.len(), 2, "one is being sent, two wait");
    // 10 ms each to send, 10 ms in transit.
    assert_eq!(test.arrivals(), [(ms(20), 0), (ms(30), 1), (ms(40), 2)]);
    let trace: String = test
        .common
        .observers
        .take_wire_trace()
        .iter()
        .map(|line| match line.event {
            WireEvent::Enqueue => '+',
            WireEvent::Send => '-',
            WireEvent::Receive => 'r',
            WireEvent::Drop => 'd',
        })
        .collect();
    // The arrival was scheduled before the start of the next transmission.
    assert_eq!(trace, "+-++d-r-rr");
}

#[test]
fn listed_packets_are_lost_before_the_queue() {
    let mut test = Test::new(WireSetup { drops: vec![1], ..setup() });
    (0..3).for_each(|number| test.send(number));
    assert_eq!(test.losses(), [(1, LossCause::Channel, Died::Error, A)]);
    assert_eq!(test.arrivals(), [(ms(20), 0), (ms(30), 2)]);
}

/// The wire is down from 15 ms to 25 ms. Packet 0 is in transit when it goes down, packet 1 is due to start
/// at 10 ms, packet 2 at 20 ms, and packet 3 arrives when the wire is up again.
#[test]
fn a_handoff_loses_what_is_on_the_way_and_what_is_to_be_sent() {
    let outages = Outages::new([(ms(15), ms(25))]);
    let mut test = Test::new(WireSetup { outages, ..setup() });
    (0..3).for_each(|number| test.send(number));
    assert_eq!(test.arrivals(), []);
    let lost = |number, node| (number, LossCause::LinkFailure, Died::Handoff, node);
    assert_eq!(test.losses(), [lost(0, B), lost(2, A), lost(1, B)]);
    test.send(3);
    assert_eq!(test.arrivals(), [(ms(50), 3)]);
}

#[test]
fn errors_lose_packets_at_the_far_end() {
    let errors = ErrorModelConfig::Bernoulli { unit: ErrorUnit::Packet, rate: 1.0 };
    let mut test = Test::new(WireSetup { errors, ..setup() });
    test.send(0);
    assert_eq!(test.losses(), []);
    assert_eq!(test.arrivals(), []);
    assert_eq!(test.losses(), [(0, LossCause::Channel, Died::Error, B)]);
}
