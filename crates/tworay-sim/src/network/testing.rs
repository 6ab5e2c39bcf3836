//! Small networks for the unit tests of `network`.

use super::Network;
use super::common::Common;
use crate::observe::loss::causes::Causes;
use crate::observe::loss::ledger::Carries;
use crate::observe::loss::scene::{Scene, World};
use std::path::Path;
use tworay_base::{Died, FlowId, LossCause, NodeId, PacketId, Seq32, SimDuration, SimTime};
use tworay_scenario::Scenario;
use tworay_wire::{Body, Packet, UdpDatagram};

/// Nodes in a row at these distances from the first, with static routes between the first and the last;
/// `settings` are further lines of TOML. The only flow starts after the tests are over.
pub(crate) fn row(metres: &[f64], settings: &str) -> Network {
    let positions: Vec<[f64; 2]> = metres.iter().map(|x| [*x, 0.0]).collect();
    let last = metres.len() - 1;
    let text = format!(
        "duration = \"30s\"\n\
         topology = {{ kind = \"explicit\", positions = {positions:?} }}\n\
         {settings}\n\
         [[flow]]\nfrom = 0\nto = {last}\napp = \"cbr\"\ninterval = \"1s\"\nstart = \"29.9s\"\n"
    );
    let scenario = Scenario::from_toml(&text, "test.toml", Path::new(""), &[]).expect("a scenario");
    let setup = scenario.setup(1, false).expect("a setup");
    Network::new(setup, || true).expect("a network")
}

impl Network {
    /// The root causes, and the network as they see it.
    pub(crate) fn with_scene<T>(&mut self, look: impl FnOnce(&mut Causes, &mut Scene<'_>) -> T) -> T {
        let Common { now, packets, observers, .. } = &mut self.common;
        let radio = self.radio.as_mut();
        let (nodes, wires, air) = (&self.nodes, &self.wires, self.air.as_deref());
        let mut world = World { now: *now, packets, nodes, wires, radio, air };
        let (causes, mut scene) = observers.roots.with_scene(&mut world);
        look(causes, &mut scene)
    }

    /// Creates a datagram of 1000 bytes of flow 0 at node 0, addressed to node `to`.
    pub(crate) fn datagram(&mut self, number: u32, to: u16) -> PacketId {
        let uid = self.common.take(FlowId(0), Carries::Data, Seq32(number));
        self.common.insert(Packet {
            uid,
            src: NodeId(0),
            dst: NodeId(to),
            ttl: 64,
            hops: 0,
            ip_bytes: 1000,
            flow: FlowId(0),
            dsr: None,
            body: Body::Udp(UdpDatagram { src_port: 1, dst_port: 2, payload: 972, number: number.into() }),
        })
    }

    /// Runs until `millis` milliseconds after the start.
    pub(crate) fn run_to(&mut self, millis: u64) {
        self.common.agenda.end = SimTime::ZERO + SimDuration::from_millis(millis);
        assert!(self.run(|_| true));
        self.check_conservation().expect("every packet is somewhere");
    }

    /// Every loss: number, cause, how it ended, where.
    pub(crate) fn losses(&self) -> Vec<(u32, LossCause, Died, u16)> {
        let records = self.common.observers.ledger.records().iter();
        records.map(|r| (r.seq.0, r.cause, r.died, r.node.0)).collect()
    }

    /// Number of datagrams that arrived.
    pub(crate) fn arrived(&self) -> u64 {
        self.common.observers.ledger.arrived().data
    }
}
