use super::super::super::agenda::Agenda;
use super::*;
use crate::observe::Observers;
use tworay_base::{Dialect, FlowId, FollowsDialect, Position};
use tworay_mobility::Track;
use tworay_radio::RadioConfig;
use tworay_scenario::{LinkCut, Settings};

struct Test {
    common: Common,
    nodes: Nodes,
    radio: Radio,
}

/// Stations in a row at these distances from the first, m. Frames are decoded up to 250 m and sensed up to
/// 550 m.
fn test(metres: &[f64], cuts: Vec<LinkCut>) -> Test {
    test_of(RadioConfig::default(), metres, cuts)
}

fn test_of(radio: RadioConfig, metres: &[f64], cuts: Vec<LinkCut>) -> Test {
    let mut settings = Settings::of(Dialect::Standard);
    settings.radio = radio;
    let tracks = metres.iter().map(|&x| Track::fixed(Position::new(x, 0.0))).collect();
    let end = SimTime::ZERO + SimDuration::from_secs(10);
    let nodes = Nodes::new(metres.len(), &settings.mac, &settings.routing, 1);
    let mut agenda = Agenda::new(metres.len(), end);
    agenda.add_timers(nodes.timers() as usize);
    Test {
        common: Common::new(agenda, Observers::new(metres.len(), &[], false)),
        radio: Radio::new(&settings, tracks, cuts, 1),
        nodes,
    }
}

fn frame(kind: FrameKind, from: u16, to: NodeId) -> Frame {
    Frame {
        kind,
        from: NodeId(from),
        to,
        duration: SimDuration::ZERO,
        number: 0,
        retry: false,
        protected: false,
        packet: None,
        bytes: 20,
        airtime: SimDuration::from_micros(352),
    }
}

impl Test {
    fn send(&mut self, kind: FrameKind, from: u16, to: NodeId) {
        self.radio.transmit(&mut self.nodes, &mut self.common, NodeId(from), &frame(kind, from, to));
    }

    /// Why the attempt of node 0 fails if it fails.
    fn failure(&self) -> Failure {
        self.common.observers.roots.exchanges.of(NodeId(0)).current().2
    }

    /// Runs the remaining events; returns how each hearer received each frame, by sender and hearer.
    fn verdicts(&mut self) -> Vec<(u16, u16, Verdict)> {
        let mut all = Vec::new();
        while let Some((now, event)) = self.common.agenda.pop() {
            self.common.now = now;
            match event {
                Event::Begin(tx) => self.radio.begin(&mut self.nodes, &mut self.common, tx),
                Event::End(tx) => self.end(tx, &mut all),
                other => panic!("{other:?} is none of a signal's"),
            }
        }
        all.sort_by_key(|(from, hearer, _)| (*from, *hearer));
        all
    }

    fn end(&mut self, tx: u32, all: &mut Vec<(u16, u16, Verdict)>) {
        let Ending { frame, origin, .. } = self.radio.ending(&self.nodes, &mut self.common, tx);
        let mut turns = self.radio.turns(tx, origin, self.common.now, false);
        while let Some((h, at)) = turns.next(&self.common.agenda) {
            self.common.now = at;
            let verdict = self.radio.verdict::<true>(&mut self.nodes, &mut self.common, tx, &frame, h);
            if verdict == Verdict::Collided {
                self.radio.count_collision(&self.nodes, &mut self.common, h.node, tx);
            }
            bad_end(&mut self.nodes[h.node].mac, at, verdict);
            all.push((frame.from.0, h.node.0, verdict));
        }
        match self.radio.end_turns(turns) {
            Some(at) => self.common.agenda.push(at, Event::End(tx)),
            None => self.radio.retire(&mut self.common, tx, &frame),
        }
    }
}

#[test]
fn a_frame_is_read_in_range_and_only_sensed_beyond() {
    let mut test = test(&[0.0, 200.0, 400.0, 600.0], Vec::new());
    test.send(FrameKind::Rts, 0, NodeId(1));
    assert_eq!(test.verdicts(), [(0, 1, Verdict::Good), (0, 2, Verdict::NotHeard)]);
    assert_eq!(test.common.observers.counters.collisions.rts, 0);
}

/// An attempt whose receiver is in reach fails, if it fails, because the receiver was busy, unless something
/// destroys the frame or its answer.
#[test]
fn what_stands_in_the_way_of_an_attempt() {
    let mut test = test(&[0.0, 200.0, 400.0, 240.0], Vec::new());
    test.nodes[NodeId(3)].up = false;
    for (to, failure) in [(1, Failure::Busy), (2, Failure::OutOfRange), (3, Failure::NodeDown)] {
        test.send(FrameKind::Rts, 0, NodeId(to));
        assert_eq!(test.failure(), failure, "to {to}");
    }
}

/// 0 and 2 sense each other but start in the same nanosecond: 1 in the middle decodes neither, as in ns-2.
/// (With its spreading gain of 10 dB, DSSS would decode the first one.)
#[test]
fn frames_that_overlap_collide_where_they_are_equally_strong() {
    let mut test = test_of(RadioConfig::ns2(), &[0.0, 200.0, 400.0], Vec::new());
    test.send(FrameKind::Rts, 0, NodeId(1));
    test.send(FrameKind::Rts, 2, NodeId(1));
    let verdicts = test.verdicts();
    assert!(
        verdicts.iter().all(|(_, hearer, verdict)| *hearer != 1 || *verdict != Verdict::Good),
        "{verdicts:?}"
    );
    assert!(test.common.observers.counters.collisions.rts >= 1);
    assert_eq!(test.common.observers.counters.broadcast_collisions, 0);
}

#[test]
fn a_cut_link_is_sensed_and_not_decoded_until_it_is_mended() {
    let second = SimDuration::from_secs(1);
    let cut = LinkCut { at: SimTime::ZERO, flow: None, lasts: second };
    let mut test = test(&[0.0, 200.0], vec![cut]);
    let ends = [NodeId(0), NodeId(1)];
    assert_eq!(test.radio.cut_behind(SimTime::ZERO, FlowId(0), ends), None, "nothing is due");
    test.radio.cut_due(0);
    let mend = test.radio.cut_behind(SimTime::ZERO, FlowId(0), ends);
    assert_eq!(mend, Some((SimTime::ZERO + second, Event::Mend(0))));
    assert!(!test.radio.in_range(SimTime::ZERO, ends[1], ends[0]));
    let mut near = Vec::new();
    test.radio.neighbours(SimTime::ZERO, ends[0], |_| true, &mut near);
    assert_eq!(near, []);
    test.send(FrameKind::Rts, 0, NodeId(1));
    assert_eq!(test.verdicts(), [(0, 1, Verdict::Undecodable)]);
    assert_eq!(test.failure(), Failure::OutOfRange);
    test.radio.mend(SimTime::ZERO + second, 0);
    test.send(FrameKind::Rts, 0, NodeId(1));
    assert_eq!(test.verdicts(), [(0, 1, Verdict::Good)]);
}
