//! A station among others that send anything: every packet of its own comes to exactly one end.

use super::*;
use crate::hcf::{BlockAck, FrameNumber};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The next event around the station.
#[derive(Clone, Debug)]
enum Input {
    Busy(u64),
    LessBusy(u64),
    Noise,
    /// A frame from a neighbour (0: the station's own number, which no other may have), and the packets that arrived.
    Hear(AirFrame, u64),
    /// A packet for a neighbour or for all.
    Offer(u16, AccessCategory),
    /// The station's own deadline.
    Timer,
    Wait(u64),
    PowerOff,
}

const ME: NodeId = NodeId(0);

fn number() -> impl Strategy<Value = FrameNumber> {
    // Near the beginning, where the station's own numbers are, and anywhere.
    prop_oneof![3 => 0u16..70, 1 => any::<u16>()].prop_map(FrameNumber::new)
}

fn category() -> impl Strategy<Value = AccessCategory> {
    prop_oneof![3 => Just(AccessCategory::BestEffort), 2 => prop::sample::select(AccessCategory::ALL.to_vec())]
}

fn kind() -> impl Strategy<Value = AirKind> {
    let answer =
        (number(), any::<u64>()).prop_map(|(start, bitmap)| AirKind::BlockAck(BlockAck { start, bitmap }));
    prop_oneof![
        1 => Just(AirKind::Rts),
        2 => Just(AirKind::Cts),
        3 => Just(AirKind::Ack),
        4 => answer,
        2 => number().prop_map(AirKind::BlockAckReq),
        2 => Just(AirKind::Data),
        2 => Just(AirKind::Aggregate),
    ]
}

fn frame() -> impl Strategy<Value = AirFrame> {
    let ends = (1u16..4, prop_oneof![5 => Just(0u16), 1 => 1u16..4, 1 => Just(u16::MAX)]);
    let packets = prop::collection::vec((number(), any::<bool>()), 2..12);
    (kind(), ends, 0u64..6000, number(), packets, 0u32..3, category()).prop_map(
        |(kind, (from, to), micros, start, packets, agreement, category)| {
            let count = match kind {
                AirKind::Data => 1,
                AirKind::Aggregate => packets.len(),
                _ => 0,
            };
            let packet = |(i, (number, retry)): (usize, &(FrameNumber, bool))| AirPacket {
                packet: PacketId(1_000_000 + i as u32),
                number: *number,
                from: 1004 * i as u32,
                to: 1004 * (i as u32 + 1),
                retry: *retry,
            };
            AirFrame {
                kind,
                from: NodeId(from),
                to: NodeId(to),
                duration: SimDuration::from_micros(micros),
                mode: Mode::ht(7, Width::Mhz20, GuardInterval::Long).expect("the standard has it"),
                bytes: 1004 * count.max(1) as u32,
                airtime: SimDuration::from_micros(200),
                category,
                agreement,
                start,
                packets: packets.iter().enumerate().take(count).map(packet).collect(),
            }
        },
    )
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        2 => (1u64..3000).prop_map(Input::Busy),
        1 => (0u64..3000).prop_map(Input::LessBusy),
        1 => Just(Input::Noise),
        8 => (frame(), any::<u64>()).prop_map(|(frame, good)| Input::Hear(frame, good)),
        5 => (prop_oneof![5 => 1u16..4, 1 => Just(u16::MAX)], category()).prop_map(|(to, of)| Input::Offer(to, of)),
        9 => Just(Input::Timer),
        2 => (0u64..3000).prop_map(Input::Wait),
        1 => Just(Input::PowerOff),
    ]
}

proptest! {
    #[test]
    fn every_packet_comes_to_one_end_whatever_is_heard(
        inputs in prop::collection::vec(input(), 1..200),
        aggregates: bool,
        rts: bool,
        minstrel: bool,
        repeats: bool,
        gone_after in prop::option::of(1u8..9),
        lifetime in 1u64..100,
    ) {
        let rate = if minstrel { RateChoice::MinstrelHt(MinstrelConfig::LINUX) } else { config(0, 0).rate };
        let missing = if repeats { MissingBlockAck::Repeat } else { MissingBlockAck::Request };
        let lifetime = SimDuration::from_millis(lifetime);
        let config = HcfConfig { rate, missing, gone_after, lifetime, ..config(if aggregates { 65_535 } else { 0 }, if rts { 0 } else { u32::MAX }) };
        let mut hcf = Hcf::new(Arc::new(config), ME, RngStream::new(1, ME, Purpose::Backoff));
        let mut queue = Queue::default();
        let (mut now, mut offered, mut copies) = (SimTime::ZERO, 0u32, 2_000_000u32);
        let (mut ended, mut handed) = (BTreeSet::new(), BTreeSet::new());
        let mut on_air = SimTime::ZERO;
        for input in inputs {
            let mut out = Vec::new();
            match input {
                Input::Busy(micros) => hcf.on_busy(now, now + SimDuration::from_micros(micros)),
                Input::LessBusy(micros) => hcf.on_less_busy(now, now + SimDuration::from_micros(micros)),
                Input::Noise => hcf.on_bad_frame(now),
                // A station that transmits hears nothing.
                Input::Hear(..) if hcf.is_transmitting(now) => {}
                Input::Hear(frame, good) => {
                    let mut copy = |_| {
                        copies += 1;
                        Some(PacketId(copies))
                    };
                    hcf.on_frame(now, &frame, good, &mut queue, &mut copy, &mut out);
                }
                Input::Offer(to, category) => {
                    let packet = Outgoing { packet: PacketId(offered), to: NodeId(to), ip_bytes: 1000 };
                    queue.0.push_back((category, packet));
                    offered += 1;
                    hcf.on_waiting(now, category, &queue);
                }
                Input::Timer if hcf.deadline() < SimTime::NEVER => {
                    now = now.max(hcf.deadline());
                    hcf.on_timer(now, None, &mut queue, &mut out);
                    prop_assert!(hcf.deadline() >= now, "armed for {:?} at {now:?}", hcf.deadline());
                }
                Input::Timer => {}
                Input::Wait(micros) => {
                    // The timer comes first, as in a simulation.
                    let until = now + SimDuration::from_micros(micros);
                    now = if hcf.deadline() > until { until } else { now };
                }
                Input::PowerOff => {
                    let mut gone = Vec::new();
                    hcf.power_off(now, &mut gone);
                    for packet in gone.into_iter().filter(|p| p.0 < 1_000_000) {
                        prop_assert!(ended.insert(packet), "{packet:?} ends twice");
                    }
                    on_air = now;
                }
            }
            for action in out {
                match action {
                    HcfAction::Transmit(frame) => {
                        prop_assert!(on_air <= now, "two frames at a time: {frame:?}");
                        prop_assert_eq!(frame.from, ME);
                        on_air = now + frame.airtime;
                    }
                    HcfAction::Sent { packet }
                    | HcfAction::Expired { packet, .. }
                    | HcfAction::GaveUp { packet, .. } => {
                        prop_assert!(packet.0 < offered, "{packet:?} isn't one of its own");
                        prop_assert!(ended.insert(packet), "{packet:?} ends twice");
                    }
                    HcfAction::HandUp { copy, .. } => {
                        prop_assert!(handed.insert(copy), "{copy:?} is handed up twice");
                    }
                    _ => {}
                }
            }
            let mut held = Vec::new();
            hcf.held(&mut held);
            let mine = held.iter().copied().filter(|packet| packet.0 < 1_000_000);
            let waiting = queue.0.iter().map(|(_, outgoing)| outgoing.packet);
            let mut all: Vec<PacketId> = mine.chain(waiting).chain(ended.iter().copied()).collect();
            all.sort_unstable();
            prop_assert_eq!(all, (0..offered).map(PacketId).collect::<Vec<_>>(), "held {:?}", held);
        }
    }
}
