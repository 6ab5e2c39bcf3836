//! Both sides of an agreement together, over a medium that loses frames as a table or at random says.

use super::*;
use proptest::prelude::*;
use tworay_base::{NodeId, Purpose, RngStream, SimDuration, SimTime};
use tworay_radio::phy::{Airtime, DurationRules, GuardInterval, Mode, Phy, Standard, Width};

/// Time of an exchange.
const EXCHANGE: SimDuration = SimDuration::from_millis(1);

/// A sender and a receiver.
struct Pair {
    sender: TransmitWindow<u32>,
    scoreboard: Scoreboard,
    reorder: Reorder<u32>,
    airtime: Airtime,
    mode: Mode,
    next: u32,
    now: SimTime,
    /// Packets that the receiver handed up.
    delivered: Vec<u32>,
    acknowledged: Vec<u32>,
    given_up: Vec<u32>,
}

impl Pair {
    /// Frames live for as many exchanges, 1 ms each.
    fn new(lifetime: u64) -> Self {
        let limit = Persistence::Lifetime(EXCHANGE * lifetime);
        // Near the end, so that every test sees numbers wrap.
        let start = FrameNumber::new(4_080);
        Self {
            sender: TransmitWindow::new(start, limit),
            scoreboard: Scoreboard::new(start),
            reorder: Reorder::new(start),
            airtime: Airtime::new(&Phy::of(Standard::N), DurationRules::Standard),
            mode: Mode::ht(7, Width::Mhz20, GuardInterval::Long).expect("the standard has it"),
            next: 0,
            now: SimTime::ZERO,
            delivered: Vec::new(),
            acknowledged: Vec::new(),
            given_up: Vec::new(),
        }
    }

    /// Sends one aggregate of frames of 1,000 bytes, new ones up to the packet `until`. `arrives` says of each
    /// packet if it arrives, `answered` if the BlockAck does. Returns the packets sent.
    fn exchange(&mut self, until: u32, mut arrives: impl FnMut(u32) -> bool, answered: bool) -> Vec<u32> {
        while self.next < until && self.sender.admit(self.now, self.next, 1_000).is_some() {
            self.next += 1;
        }
        let mut assembly = Assembly::new(self.mode, &self.airtime, AssemblyLimits::default());
        let fits: Vec<_> =
            self.sender.waiting().take_while(|(_, _, bytes, _)| assembly.add(*bytes)).collect();
        for (number, packet, ..) in &fits {
            self.sender.sent(*number);
            if arrives(*packet) {
                self.scoreboard.on_frame(*number);
                self.reorder.on_frame(SimTime::ZERO, *number, *packet, &mut self.delivered);
            }
        }
        let mut out = Vec::new();
        if answered {
            self.sender.on_block_ack(&self.scoreboard.answer(), &mut out);
        } else {
            self.sender.on_no_answer(&mut out);
        }
        self.now += EXCHANGE;
        self.sender.expire(self.now, &mut out);
        for outcome in out {
            match outcome {
                Outcome::Acknowledged(packet) => self.acknowledged.push(packet),
                Outcome::GivenUp(packet) | Outcome::Expired(packet) => self.given_up.push(packet),
            }
        }
        fits.into_iter().map(|(_, packet, ..)| packet).collect()
    }

    /// A BlockAckReq, if one is due.
    fn request(&mut self) {
        if let Some(start) = self.sender.request_due() {
            self.scoreboard.on_request(start);
            self.reorder.on_request(SimTime::ZERO, start, &mut self.delivered);
            self.sender.request_done();
        }
    }
}

/// 44,262 bytes in 5.484 ms hold 44 subframes of 1,004 bytes.
#[test]
fn a_loss_free_ladder() {
    let mut p = Pair::new(7);
    assert_eq!(p.exchange(60, |_| true, true), (0..44).collect::<Vec<_>>());
    assert_eq!(p.exchange(60, |_| true, true), (44..60).collect::<Vec<_>>());
    assert_eq!(p.delivered, (0..60).collect::<Vec<_>>());
    assert_eq!(p.acknowledged, p.delivered);
}

/// ```text
/// A ── 0 1 2 3 4 ──▶ B    1 and 3 lost; B hands up 0
/// A ◀── BA 0 2 4 ─── B
/// A ── 1 3 5 6 ────▶ B    3 lost again; B hands up 1 2
/// A ◀── BA 1 5 6 ─── B
/// A ── 3 7 ────────▶ B    B hands up 3 4 5 6 7
/// ```
#[test]
fn lost_subframes_are_sent_again_in_front_of_new_ones() {
    let mut p = Pair::new(7);
    p.exchange(5, |packet| packet != 1 && packet != 3, true);
    assert_eq!(p.delivered, [0]);
    assert_eq!(p.exchange(7, |packet| packet != 3, true), [1, 3, 5, 6]);
    assert_eq!(p.delivered, [0, 1, 2]);
    assert_eq!(p.exchange(8, |_| true, true), [3, 7]);
    assert_eq!(p.delivered, (0..8).collect::<Vec<_>>());
}

/// ```text
/// A ── 0 1 2 ──▶ B        all arrive
/// A    ✗ BA ──── B        lost: A sends them again
/// A ── 0 1 2 3 ▶ B        duplicates: B hands up 3 only
/// ```
#[test]
fn a_lost_block_ack_costs_airtime_but_delivers_nothing_twice() {
    let mut p = Pair::new(7);
    p.exchange(3, |_| true, false);
    assert_eq!((p.delivered.len(), p.acknowledged.len()), (3, 0));
    assert_eq!(p.exchange(4, |_| true, true), [0, 1, 2, 3]);
    assert_eq!(p.delivered, [0, 1, 2, 3]);
    assert_eq!(p.acknowledged, [0, 1, 2, 3]);
}

/// A frame that never arrives holds up those behind it until the BlockAckReq.
#[test]
fn a_frame_given_up_releases_the_others_by_request() {
    let mut p = Pair::new(3);
    for _ in 0..3 {
        p.exchange(4, |packet| packet != 1, true);
    }
    assert_eq!((p.given_up.as_slice(), p.delivered.as_slice()), ([1].as_slice(), [0].as_slice()));
    p.request();
    assert_eq!(p.delivered, [0, 2, 3]);
}

/// One hole at the front keeps the window from moving: 63 others, and no more.
#[test]
fn a_hole_at_the_front_stops_new_frames_at_the_window() {
    let mut p = Pair::new(7);
    for _ in 0..3 {
        p.exchange(200, |packet| packet != 0, true);
    }
    assert_eq!(p.next, 64);
    assert_eq!(p.exchange(200, |_| true, true), [0]);
    assert_eq!(p.delivered, (0..64).collect::<Vec<_>>());
    assert_eq!(p.exchange(200, |_| true, true).first(), Some(&64));
}

proptest! {
    /// Whatever is lost, packets are handed up at most once and in order; every packet is acknowledged or expires,
    /// and what was acknowledged was handed up.
    #[test]
    fn frames_are_delivered_once_and_in_order(seed in 0..10_000u64, loss in 0.0..0.7f64, lifetime in 1..8u64) {
        let mut p = Pair::new(lifetime);
        let mut rng = RngStream::new(seed, NodeId(0), Purpose::Test);
        for round in 0..400 {
            let calm = round >= 300;
            let answered = calm || !rng.chance(loss);
            p.exchange(300, |_| calm || !rng.chance(loss), answered);
            if calm || !rng.chance(loss) {
                p.request();
            }
        }
        prop_assert!(p.sender.is_empty() && p.next == 300);
        prop_assert!(p.delivered.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", p.delivered);
        prop_assert!(p.acknowledged.iter().all(|packet| p.delivered.binary_search(packet).is_ok()));
        prop_assert_eq!(p.acknowledged.len() + p.given_up.len(), 300);
        prop_assert_eq!(p.reorder.waiting(), 0);
    }
}
