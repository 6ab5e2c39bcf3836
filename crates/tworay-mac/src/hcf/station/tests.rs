//! Exchanges of stations on an ideal medium: no propagation delay, every frame reaches everyone, packets are lost as a
//! script says.
//!
//! 802.11n at 5 GHz, MCS 7 in 20 MHz, control frames at 24 Mb/s: SIFS 16, slot 9, AIFS 43 µs.

mod arbitrary;
mod categories;

use super::*;
use crate::MSDU_LIFETIME;
use crate::hcf::AirPacket;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use tworay_base::Purpose;
use tworay_radio::phy::{GuardInterval, OfdmRate, Standard, Width};

/// Packets that wait at a station, with their categories.
#[derive(Default)]
struct Queue(VecDeque<(AccessCategory, Outgoing)>);

impl Host for Queue {
    fn waits(&self, category: AccessCategory) -> bool {
        self.0.iter().any(|(of, _)| *of == category)
    }

    fn take(&mut self, _: SimTime, category: AccessCategory, to: Option<NodeId>) -> Option<Outgoing> {
        let fits = |(of, packet): &(_, Outgoing)| *of == category && to.is_none_or(|to| packet.to == to);
        let at = self.0.iter().position(fits)?;
        self.0.remove(at).map(|(_, packet)| packet)
    }

    fn sinr(&mut self, _: SimTime, _: NodeId, _: Mode) -> f64 {
        1e6
    }
}

/// Bits of the packets that arrive in the n-th frame of a kind from a station, by the first letters of the kind.
type Script = BTreeMap<(&'static str, usize, u32), u64>;

struct Medium {
    now: SimTime,
    stations: Vec<(Hcf, Queue)>,
    on_air: Vec<(SimTime, AirFrame, u64)>,
    script: Script,
    count: BTreeMap<(&'static str, usize), u32>,
    /// The fastest MCS with which packets arrive, if they don't always.
    works: Option<u8>,
    /// Bytes of frames with packets by MCS.
    modes: BTreeMap<u8, u32>,
    ladder: String,
}

fn config(max_aggregate: u32, rts_above: u32) -> HcfConfig {
    let mode = Mode::ht(7, Width::Mhz20, GuardInterval::Long).expect("the standard has it");
    HcfConfig {
        phy: Phy::of(Standard::N),
        rules: DurationRules::Standard,
        basic: Mode::Ofdm(OfdmRate::R24),
        rate: RateChoice::Fixed(mode),
        rts_above,
        max_aggregate,
        attempts: 7,
        lifetime: MSDU_LIFETIME,
        gone_after: None,
        missing: MissingBlockAck::Request,
        seed: 1,
    }
}

fn name(kind: AirKind) -> &'static str {
    match kind {
        AirKind::Rts => "RTS",
        AirKind::Cts => "CTS",
        AirKind::Ack => "ACK",
        AirKind::BlockAck(_) => "BA",
        AirKind::BlockAckReq(_) => "BAR",
        AirKind::Data => "DATA",
        AirKind::Aggregate => "A-MPDU",
    }
}

impl Medium {
    fn new(count: u16, config: HcfConfig, script: Script) -> Self {
        let config = Arc::new(config);
        let station = |i| {
            let node = NodeId(i);
            let rng = RngStream::new(1, node, Purpose::Backoff);
            (Hcf::new(Arc::clone(&config), node, rng), Queue::default())
        };
        Self {
            now: SimTime::ZERO,
            stations: (0..count).map(station).collect(),
            on_air: Vec::new(),
            script,
            count: BTreeMap::new(),
            works: None,
            modes: BTreeMap::new(),
            ladder: String::new(),
        }
    }

    fn queue(&mut self, from: usize, to: u16, packets: std::ops::Range<u32>) -> &mut Self {
        self.queue_as(AccessCategory::BestEffort, from, to, packets)
    }

    fn queue_as(
        &mut self,
        category: AccessCategory,
        from: usize,
        to: u16,
        packets: std::ops::Range<u32>,
    ) -> &mut Self {
        let (hcf, queue) = &mut self.stations[from];
        let to = if to == 99 { NodeId::BROADCAST } else { NodeId(to) };
        let packet = |packet| (category, Outgoing { packet: PacketId(packet), to, ip_bytes: 1_000 });
        queue.0.extend(packets.map(packet));
        hcf.on_waiting(self.now, category, queue);
        self
    }

    fn note(&mut self, station: usize, what: &str) {
        let micros = self.now.as_nanos() as f64 / 1e3;
        writeln!(self.ladder, "{micros:>8} {station} {what}").expect("a string takes all");
    }

    /// Handles everything up to `micros`.
    fn run(&mut self, micros: u64) -> &mut Self {
        let end = SimTime::from_nanos(1_000 * micros);
        loop {
            let due = self.stations.iter().map(|(hcf, _)| hcf.deadline()).min().expect("stations");
            let over = self.on_air.iter().map(|(at, ..)| *at).min().unwrap_or(SimTime::NEVER);
            if due.min(over) > end {
                self.now = end;
                return self;
            }
            if over <= due {
                self.now = over;
                let at = self.on_air.iter().position(|(at, ..)| *at == over).expect("it is there");
                let (_, frame, good) = self.on_air.remove(at);
                self.arrive(&frame, good);
            } else {
                self.now = due;
                let who =
                    self.stations.iter().position(|(hcf, _)| hcf.deadline() == due).expect("one is due");
                let from = NodeId(who as u16);
                let receives = self.on_air.iter().filter(|(_, frame, _)| frame.from != from);
                let until = receives.map(|(end, ..)| *end).max();
                self.with(who, |hcf, now, queue, out| hcf.on_timer(now, until, queue, out));
            }
        }
    }

    fn arrive(&mut self, frame: &AirFrame, good: u64) {
        for i in (0..self.stations.len()).filter(|i| *i != usize::from(frame.from.0)) {
            if good == 0 && !frame.kind.has_packets() {
                self.stations[i].0.on_bad_frame(self.now);
                continue;
            }
            self.with(i, |hcf, now, queue, out| hcf.on_frame(now, frame, good, queue, &mut Some, out));
        }
    }

    fn with(&mut self, i: usize, input: impl FnOnce(&mut Hcf, SimTime, &mut Queue, &mut Vec<HcfAction>)) {
        let mut out = Vec::new();
        let (hcf, queue) = &mut self.stations[i];
        input(hcf, self.now, queue, &mut out);
        for action in out {
            match action {
                HcfAction::Transmit(frame) => self.transmit(i, frame),
                HcfAction::Deliver { packet, .. } => self.note(i, &format!("got {}", packet.0)),
                HcfAction::HandUp { copy, .. } => self.note(i, &format!("got {}", copy.0)),
                HcfAction::TooLate { packet, .. } => self.note(i, &format!("threw away {}", packet.0)),
                HcfAction::Sent { packet } => self.note(i, &format!("sent {}", packet.0)),
                HcfAction::Missed { packets, .. } => {
                    let packets: Vec<_> = packets.iter().map(|packet| packet.0.to_string()).collect();
                    self.note(i, &format!("missed {}", packets.join(" ")));
                }
                HcfAction::Expired { packet, .. } => self.note(i, &format!("expired {}", packet.0)),
                HcfAction::GaveUp { packet, rts, .. } => {
                    self.note(i, &format!("gave up {}{}", packet.0, if rts { " (RTS)" } else { "" }));
                }
            }
        }
    }

    fn transmit(&mut self, i: usize, frame: AirFrame) {
        let kind = name(frame.kind);
        let nth = self.count.entry((kind, i)).or_default();
        *nth += 1;
        let good = self.script.get(&(kind, i, *nth)).copied().unwrap_or(u64::MAX);
        let mcs = frame.mode.mcs().filter(|_| frame.kind.has_packets());
        let lost = mcs.is_some_and(|mcs| self.works.is_some_and(|works| mcs > works));
        let good = if lost { 0 } else { good };
        mcs.into_iter().for_each(|mcs| *self.modes.entry(mcs).or_default() += frame.bytes);
        let numbers: String =
            frame.packets.iter().map(|AirPacket { number, .. }| format!(" {number}")).collect();
        let to = if frame.to.is_broadcast() { "all".into() } else { frame.to.0.to_string() };
        self.note(i, &format!("{kind} to {to}{numbers}"));
        let end = self.now + frame.airtime;
        for j in (0..self.stations.len()).filter(|j| *j != i) {
            self.stations[j].0.on_busy(self.now, end);
        }
        self.on_air.push((end, frame, good));
    }

    /// The ladder without times, for what follows a random backoff.
    fn steps(&self) -> Vec<String> {
        self.ladder.lines().map(|line| line[9..].to_owned()).collect()
    }
}

/// Frames of 1,038 B: A-MPDU of 2 × 1,044 + 1,042 = 3,130 B, 97 symbols after 36 µs: 424 µs. BlockAck of 32 B at 24 Mb/s:
/// 20 + 3 × 4 = 32 µs.
#[test]
fn an_aggregate_and_its_block_ack() {
    let mut m = Medium::new(2, config(65_535, u32::MAX), Script::new());
    m.queue(0, 1, 0..3).run(600);
    assert_eq!(
        m.ladder,
        "      43 0 A-MPDU to 1 0 1 2\n     467 1 got 0\n     467 1 got 1\n     467 1 got 2\n     483 1 BA to 0\n     \
         515 0 sent 0\n     515 0 sent 1\n     515 0 sent 2\n"
    );
}

/// RTS 20 B: 20 + 2 × 4 = 28 µs; CTS 14 B the same.
#[test]
fn rts_and_cts_before_a_long_psdu() {
    let mut m = Medium::new(3, config(65_535, 3_000), Script::new());
    m.queue(0, 1, 0..3);
    m.queue(2, 1, 9..10).run(700);
    // Station 2 has a backoff of its own, which the NAV postpones.
    assert!(m.ladder.contains(" 0 A-MPDU to 1 0 1 2"), "{}", m.ladder);
    let steps = m.steps();
    let at = |what: &str| steps.iter().position(|step| step == what).expect(what);
    assert!(at("0 RTS to 1") < at("1 CTS to 0") && at("1 CTS to 0") < at("0 A-MPDU to 1 0 1 2"));
    let mut alone = Medium::new(2, config(65_535, 3_000), Script::new());
    alone.queue(0, 1, 0..3).run(200);
    assert_eq!(alone.ladder, "      43 0 RTS to 1\n      87 1 CTS to 0\n     131 0 A-MPDU to 1 0 1 2\n");
}

#[test]
fn a_lost_subframe_is_sent_again_and_holds_up_those_behind_it() {
    let script = Script::from([(("A-MPDU", 0, 1), 0b1101)]);
    let mut m = Medium::new(2, config(65_535, u32::MAX), script);
    m.queue(0, 1, 0..4).run(3_000);
    let steps = m.steps();
    assert_eq!(
        steps,
        [
            "0 A-MPDU to 1 0 1 2 3",
            "1 got 0",
            "1 BA to 0",
            "0 missed 1",
            "0 sent 0",
            "0 sent 2",
            "0 sent 3",
            "0 DATA to 1 1",
            "1 got 1",
            "1 got 2",
            "1 got 3",
            "1 ACK to 0",
            "0 sent 1",
        ]
    );
}

/// The aggregate arrives, its BlockAck doesn't: the sender asks, and nothing is sent twice.
#[test]
fn a_lost_block_ack_is_asked_for() {
    let script = Script::from([(("BA", 1, 1), 0)]);
    let mut m = Medium::new(2, config(65_535, u32::MAX), script);
    m.queue(0, 1, 0..2).run(3_000);
    assert_eq!(
        m.steps(),
        [
            "0 A-MPDU to 1 0 1",
            "1 got 0",
            "1 got 1",
            "1 BA to 0",
            "0 missed 0 1",
            "0 BAR to 1",
            "1 BA to 0",
            "0 sent 0",
            "0 sent 1",
        ]
    );
    assert_eq!(m.stations[1].0.counters().duplicates, 0);
}

/// The receiver's answer to a BlockAckReq says which of the frames are to be sent again.
#[test]
fn only_what_the_receiver_lacks_is_sent_again() {
    let script = Script::from([(("A-MPDU", 0, 1), 0b101), (("BA", 1, 1), 0), (("BAR", 0, 1), 0)]);
    let mut m = Medium::new(2, config(65_535, u32::MAX), script);
    m.queue(0, 1, 0..3).run(5_000);
    let steps = m.steps();
    assert_eq!(steps.iter().filter(|step| step.contains("BAR to")).count(), 2, "{steps:?}");
    let tail = &steps[steps.len() - 8..];
    assert_eq!(
        tail,
        [
            "1 BA to 0",
            "0 sent 0",
            "0 sent 2",
            "0 DATA to 1 1",
            "1 got 1",
            "1 got 2",
            "1 ACK to 0",
            "0 sent 1"
        ],
        "{steps:?}"
    );
}

/// A sender that doesn't ask sends everything again; it is handed up once.
#[test]
fn a_lost_block_ack_may_repeat_the_aggregate() {
    let script = Script::from([(("BA", 1, 1), 0)]);
    let config = HcfConfig { missing: MissingBlockAck::Repeat, ..config(65_535, u32::MAX) };
    let mut m = Medium::new(2, config, script);
    m.queue(0, 1, 0..2).run(3_000);
    let steps = m.steps();
    let got = steps.iter().filter(|step| step.contains("got")).count();
    assert_eq!((got, steps.iter().filter(|step| step.contains("A-MPDU")).count()), (2, 2), "{steps:?}");
    assert!(steps.contains(&"0 missed 0 1".to_owned()) && steps.ends_with(&["0 sent 1".to_owned()]));
    assert_eq!(m.stations[1].0.counters().duplicates, 2);
}

/// Milliseconds of the step `what` in the ladder.
fn millis(m: &Medium, what: &str) -> f64 {
    let line = m.ladder.lines().find(|line| line[9..] == *what).expect(what);
    line[..8].trim().parse::<f64>().expect("a time") / 1e3
}

/// A frame that never arrives is sent again for 500 TU = 512 ms from the moment at which it left the queue, 43 µs. The
/// last attempt ends at most one access later: a frame of 1,038 B takes 192 µs, and the largest backoff 1,023 × 9 µs
/// = 9.2 ms. A BlockAckReq tells the receiver, which has handed up those behind it after 100 ms.
#[test]
fn a_frame_expires_after_512_ms_and_is_followed_by_a_block_ack_request() {
    let mut script: Script = (1..=2_000).map(|n| (("DATA", 0, n), 0)).collect();
    script.insert(("A-MPDU", 0, 1), 0b110);
    let mut m = Medium::new(2, config(65_535, u32::MAX), script);
    m.queue(0, 1, 0..3).run(700_000);
    let steps = m.steps();
    let tail = &steps[steps.len() - 3..];
    assert_eq!(tail, ["0 expired 0", "0 BAR to 1", "1 BA to 0"], "{steps:?}");
    let at = millis(&m, "0 expired 0");
    assert!((512.0..512.0 + 9.5).contains(&at), "{at} ms");
    let attempts = steps.iter().filter(|step| step.contains("DATA")).count();
    assert!(attempts > 7, "{attempts} attempts");
}

/// Outside an agreement a frame is given up after seven attempts (dot11ShortRetryLimit).
#[test]
fn a_frame_outside_an_agreement_is_given_up_after_seven_attempts() {
    let script: Script = (1..=7).map(|n| (("DATA", 0, n), 0)).collect();
    let mut m = Medium::new(2, config(0, u32::MAX), script);
    m.queue(0, 1, 0..2).run(50_000);
    let steps = m.steps();
    assert_eq!(steps.iter().position(|step| step == "0 gave up 0"), Some(14), "{steps:?}");
    assert!(steps.ends_with(&["0 sent 1".to_owned()]) && !m.ladder.contains("BAR"), "{steps:?}");
}

/// After the n-th failure in a row, up to the seventh, the window is 2ⁿ × 16 - 1, at most 1,023; after the eighth it is
/// 15 again, though the frame stays (§10.23.2.2).
#[test]
fn the_window_is_the_smallest_after_eight_failures_in_a_row() {
    let script: Script = (1..=30).map(|n| (("RTS", 0, n), 0)).collect();
    let mut m = Medium::new(2, config(65_535, 0), script);
    m.queue(0, 1, 0..2).run(300_000);
    let sent = |line: &&str| line.ends_with("RTS to 1");
    let times: Vec<f64> =
        m.ladder.lines().filter(sent).map(|line| line[..8].trim().parse().expect("a time")).collect();
    for (i, pair) in times.windows(2).enumerate() {
        let window = [31, 63, 127, 255, 511, 1_023, 1_023, 15][i % 8];
        // RTS 28 µs, the CTS's time-out of 16 + 9 + 20 µs, AIFS 43 µs.
        let slots = (pair[1] - pair[0] - 28.0 - 45.0 - 43.0) / 9.0;
        assert!((-0.5..=f64::from(window) + 0.5).contains(&slots), "RTS {i}: {slots} slots of {window}");
    }
    assert!(m.ladder.contains("sent 1"), "{}", m.ladder);
}

/// Where routing listens, a neighbour that doesn't answer seven times in a row is gone, and all its frames return
/// (RFC 3561 §6.10).
#[test]
fn a_station_that_never_answers_costs_seven_rts_where_routing_listens() {
    let script = (1..=7).map(|n| (("RTS", 0, n), 0)).collect();
    let config = HcfConfig { gone_after: Some(7), ..config(65_535, 0) };
    let mut m = Medium::new(2, config, script);
    m.queue(0, 1, 0..2).run(50_000);
    let steps = m.steps();
    assert_eq!(steps.iter().filter(|step| step.contains("RTS to")).count(), 7);
    let tail = &steps[steps.len() - 5..];
    assert_eq!(
        tail,
        ["0 missed 0 1", "0 gave up 0 (RTS)", "0 gave up 1 (RTS)", "0 BAR to 1", "1 BA to 0"],
        "{steps:?}"
    );
}

/// Answers in between count: six failures, one success, six failures leave the neighbour in place.
#[test]
fn a_neighbour_that_answers_now_and_then_stays() {
    let script = (1..=6).chain(8..=13).map(|n| (("DATA", 0, n), 0)).collect();
    let config = HcfConfig { gone_after: Some(7), ..config(65_535, u32::MAX) };
    let mut m = Medium::new(2, config, script);
    m.queue(0, 1, 0..1).run(100_000).queue(0, 1, 1..2).run(200_000);
    assert!(!m.ladder.contains("gave up") && m.ladder.contains("sent 1"), "{}", m.ladder);
}

#[test]
fn broadcasts_need_no_answer_and_singles_an_ack() {
    let mut m = Medium::new(3, config(0, u32::MAX), Script::new());
    m.queue(0, 99, 0..1).queue(0, 2, 1..3).run(5_000);
    assert_eq!(
        m.steps(),
        [
            "0 DATA to all 0",
            "1 got 0",
            "2 got 0",
            "0 sent 0",
            "0 DATA to 2 0",
            "2 got 1",
            "2 ACK to 0",
            "0 sent 1",
            "0 DATA to 2 1",
            "2 got 2",
            "2 ACK to 0",
            "0 sent 2",
        ]
    );
}

/// A receiver that was switched off begins with the sender's window, not with number 0.
#[test]
fn a_receiver_that_restarts_goes_on_with_the_senders_numbers() {
    let mut m = Medium::new(2, config(65_535, u32::MAX), Script::new());
    m.queue(0, 1, 0..100).run(20_000);
    let mut gone = Vec::new();
    let now = m.now;
    m.stations[1].0.power_off(now, &mut gone);
    m.ladder.clear();
    m.queue(0, 1, 100..102).run(22_000);
    assert_eq!(m.steps().iter().filter(|step| step.contains("got")).count(), 2, "{}", m.ladder);
    // And a sender that restarts begins a new agreement, whose numbers count from 0.
    let now = m.now;
    m.stations[0].0.power_off(now, &mut gone);
    m.ladder.clear();
    m.queue(0, 1, 200..203).run(25_000);
    assert_eq!(m.steps().iter().filter(|step| step.contains("got")).count(), 3, "{}", m.ladder);
}

/// 5.484 ms hold 44,262 B: 41 × 1,044 + 1,042 = 43,846 B are 42 frames. The 43rd stays in the queue, where the next one
/// for the other receiver is first.
#[test]
fn what_doesn_t_fit_stays_in_the_queue_and_receivers_take_turns() {
    let mut m = Medium::new(3, config(65_535, u32::MAX), Script::new());
    for first in [0, 100, 200] {
        m.queue(0, 1, first..first + 30).queue(0, 2, first + 50..first + 80);
    }
    m.run(5_000);
    let first = m.steps()[0].clone();
    assert_eq!(first.split(' ').count() - 4, 42, "{first}");
    assert_eq!(m.stations[0].1.0.len(), 180 - 42);
    m.run(40_000);
    let receivers: Vec<_> = m
        .steps()
        .iter()
        .filter_map(|step| step.split("A-MPDU to ").nth(1))
        .map(|rest| rest[..1].to_owned())
        .collect();
    assert_eq!(receivers[..4], ["1", "2", "1", "2"], "{receivers:?}");
}

/// Packet 0 is lost again and again; the receiver waits for 100 ms, hands up packet 1, and throws packet 0 away when it
/// comes after all.
#[test]
fn a_packet_that_comes_too_late_is_acknowledged_and_thrown_away() {
    let script = Script::from([(("A-MPDU", 0, 1), 0b10), (("DATA", 0, 1), 0)]);
    let mut m = Medium::new(2, config(65_535, u32::MAX), script);
    m.queue(0, 1, 0..2).run(700);
    // The medium is busy from here on, up to 120 ms.
    let (now, until) = (m.now, SimTime::from_nanos(120_000_000));
    m.stations[0].0.on_busy(now, until);
    m.run(130_000);
    let steps = m.steps();
    let tail = &steps[steps.len() - 4..];
    assert_eq!(tail, ["0 DATA to 1 0", "1 threw away 0", "1 ACK to 0", "0 sent 0"], "{steps:?}");
    assert!(m.ladder.contains("1 got 1"), "{}", m.ladder);
}

/// MCS 0 to 5 always arrive, MCS 6 and 7 never: after a second Minstrel sends nearly everything with MCS 5.
#[test]
fn minstrel_finds_the_fastest_rate_that_works() {
    let rate = RateChoice::MinstrelHt(MinstrelConfig::LINUX);
    let mut m = Medium::new(2, HcfConfig { rate, ..config(65_535, u32::MAX) }, Script::new());
    m.works = Some(5);
    for step in 0..2_000 {
        let waiting = m.stations[0].1.0.len() as u32;
        m.queue(0, 1, 10_000 * step..10_000 * step + (100 - waiting.min(100)));
        m.run(1_000 * (u64::from(step) + 1));
        if step == 1_000 {
            m.modes.clear();
        }
    }
    let total: u32 = m.modes.values().sum();
    assert!(f64::from(m.modes[&5]) > 0.95 * f64::from(total), "{:?}", m.modes);
}
