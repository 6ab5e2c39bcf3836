use super::*;
use crate::control::tests::{LOSS, ack, part, view};
use tworay_base::SimTime;

fn ms(ms: u64) -> SimDuration {
    SimDuration::from_millis(ms)
}

/// A sender in slow start whose rounds have given round trips.
struct Starter {
    part: Box<dyn CongestionControl>,
    cwnd: f64,
    ssthresh: f64,
    una: u32,
    max: u32,
}

impl Starter {
    fn new(values: &[f64]) -> Self {
        Self { part: part(&ENTRY, values), cwnd: 10.0, ssthresh: 1000.0, una: 1, max: 10_001 }
    }

    /// A round of ACKs, each with this round trip; the window afterwards.
    fn round(&mut self, rtt: SimDuration) -> f64 {
        let end = self.max;
        while self.una < end {
            let mut view = view(self.cwnd, self.ssthresh);
            (view.una, view.max) = (Seq32(self.una), Seq32(self.max));
            view.now = SimTime::ZERO;
            let sample = RateSample {
                delivered: 1.0,
                interval: None,
                app_limited: false,
                newly_delivered: 1.0,
                prior_delivered: 0.0,
                total_delivered: 1.0,
                lost: 0.0,
                prior_in_flight: 1.0,
                sent_in_flight: 1.0,
                in_flight: 0.0,
                rtt: Some(rtt),
            };
            self.part.on_rate(&view, &sample, &mut Effects::new());
            self.una += 1000;
            view.una = Seq32(self.una);
            let window = self.part.on_ack(&view, &ack(&view), &mut Effects::new());
            (self.cwnd, self.ssthresh) = (window.cwnd, window.ssthresh);
            self.max = self.una + 1000 * self.cwnd as u32;
        }
        self.cwnd
    }
}

const RFC: [f64; 4] = [0.016, 0.004, 8.0, 5.0];

#[test]
fn slow_start_doubles_while_round_trips_stay() {
    let mut start = Starter::new(&RFC);
    assert_eq!([(); 3].map(|()| start.round(ms(100))), [20.0, 40.0, 80.0]);
}

#[test]
fn a_rise_of_an_eighth_slows_growth_and_five_rounds_end_it() {
    // 100 ms: an eighth is 12.5 ms. A rise of 12 ms is nothing, one of 13 ms counts from the 8th ACK of its
    // round on.
    let mut start = Starter::new(&RFC);
    start.round(ms(100));
    assert_eq!(start.round(ms(112)), 40.0);
    let mut start = Starter::new(&RFC);
    start.round(ms(100));
    // The round has 20 ACKs: 7 in slow start, 13 that count a quarter.
    assert_eq!(start.round(ms(113)), 27.0 + 13.0 / 4.0);
    let mut rounds = 0;
    while start.cwnd < start.ssthresh {
        start.round(ms(113));
        rounds += 1;
        assert!(rounds < 10, "slow start goes on");
    }
    assert!((4..=6).contains(&rounds), "{rounds}");
    assert!(start.ssthresh < 100.0 && start.cwnd < start.ssthresh + 2.0, "{} {}", start.cwnd, start.ssthresh);
}

#[test]
fn a_rise_that_was_chance_is_taken_back() {
    let mut start = Starter::new(&RFC);
    start.round(ms(100));
    start.round(ms(120));
    let before = start.cwnd;
    // Less than the baseline of 120 ms: after 8 ACKs, slow start goes on.
    let after = start.round(ms(110));
    assert!(after > before * 1.5, "{before} to {after}");
}

#[test]
fn without_its_cap_an_eighth_of_a_long_round_trip_decides() {
    // 400 ms: an eighth is 50 ms, the RFC's cap 16 ms.
    for (cap, slowed) in [(0.016, true), (0.0, false)] {
        let mut start = Starter::new(&[cap, 0.004, 8.0, 5.0]);
        start.round(ms(400));
        assert_eq!(start.round(ms(420)) < 40.0, slowed, "cap {cap}");
    }
}

#[test]
fn after_a_loss_it_has_no_say() {
    let mut start = Starter::new(&RFC);
    start.round(ms(100));
    start.part.on_loss(&view(20.0, 1000.0), &LOSS, &mut Effects::new());
    assert_eq!(start.round(ms(200)), 40.0);
}
