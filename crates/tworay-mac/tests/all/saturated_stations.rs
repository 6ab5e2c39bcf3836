//! Stations that always have a frame contend by [`Edca`] for a medium on which they all hear each other: goodput
//! beside Bianchi's model (IEEE JSAC 18, 2000) and ns-3.37's runs.
//!
//! 802.11n at 5 GHz, MCS 7 in 20 MHz, one frame an access. Propagation takes no time; of two frames at once none
//! arrives.

use tworay_base::{NodeId, Purpose, RngStream, SimDuration, SimTime};
use tworay_mac::hcf::Edca;
use tworay_radio::phy::{
    AccessCategory, Airtime, DurationRules, GuardInterval, Mode, Phy, PhyTiming, Standard, Width,
    control_response,
};

const BE: AccessCategory = AccessCategory::BestEffort;
/// Payload of a frame, and the frame: MAC header with QoS 26, LLC 8, IP and UDP 28, FCS 4.
const PAYLOAD: u32 = 1_460;
const FRAME: u32 = PAYLOAD + 66;
const ACK: u32 = 14;
/// Simulated time.
const SECONDS: u64 = 20;
/// Attempts with a frame.
const ATTEMPTS: u32 = 7;

/// The effect of a collision on stations that don't take part.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Collision {
    /// They detect a preamble and fail to decode the rest: they wait for EIFS.
    Errs,
    /// They detect no preamble among equally strong ones, only energy: they wait for AIFS (§10.3.2.3.7 asks for
    /// EIFS only if a reception began).
    Unheard,
}

/// The times of a frame exchange.
struct Cell {
    timing: PhyTiming,
    data: SimDuration,
    answer: SimDuration,
    timeout: SimDuration,
}

impl Cell {
    fn new() -> Self {
        let phy = Phy::of(Standard::N);
        let airtime = Airtime::new(&phy, DurationRules::Standard);
        let timing = PhyTiming::new(&phy, &airtime);
        let mode = Mode::ht(7, Width::Mhz20, GuardInterval::Long).expect("the standard has it");
        let response = control_response(mode, &[]);
        Self {
            data: airtime.frame(mode, FRAME),
            answer: timing.sifs + airtime.frame(response, ACK),
            timeout: timing.response_timeout(&airtime, response),
            timing,
        }
    }

    /// Goodput of all stations, Mb/s, and the share of frames that collided.
    fn run(&self, count: u16, seed: u64, collision: Collision) -> (f64, f64) {
        let station = |i| Edca::new(&self.timing, RngStream::new(seed, NodeId(i), Purpose::Test));
        let mut stations: Vec<Edca> = (0..count).map(station).collect();
        let mut failures = vec![0; usize::from(count)];
        let (mut delivered, mut sent, mut collided) = (0u64, 0u64, 0u64);
        let end = SimTime::from_nanos(SECONDS * 1_000_000_000);
        for e in &mut stations {
            // A common busy time, so that every first frame has a backoff.
            e.on_busy(SimTime::ZERO, SimTime::from_nanos(1_000));
            e.request(SimTime::ZERO, BE);
        }
        loop {
            let now = stations.iter().map(Edca::deadline).min().expect("stations");
            if now >= end {
                break;
            }
            let senders: Vec<bool> = stations.iter_mut().map(|e| e.on_deadline(now).is_some()).collect();
            let at_once = senders.iter().filter(|sends| **sends).count();
            sent += at_once as u64;
            let over = now + self.data;
            for e in &mut stations {
                e.on_busy(now, over);
            }
            if at_once == 1 {
                delivered += 1;
                for (i, e) in stations.iter_mut().enumerate() {
                    e.on_good_frame(over);
                    e.on_busy(over, over + self.answer);
                    if senders[i] {
                        failures[i] = 0;
                        e.succeeded(over + self.answer, BE);
                        e.request(over + self.answer, BE);
                    }
                }
            } else {
                collided += at_once as u64;
                for (i, e) in stations.iter_mut().enumerate() {
                    if senders[i] {
                        failures[i] += 1;
                        let given_up = failures[i] == ATTEMPTS;
                        failures[i] %= ATTEMPTS;
                        e.failed(over + self.timeout, BE, given_up);
                        e.request(over + self.timeout, BE);
                    } else if collision == Collision::Errs {
                        e.on_bad_frame(over);
                    }
                }
            }
        }
        let bits = (delivered * 8 * u64::from(PAYLOAD)) as f64;
        (bits / SECONDS as f64 / 1e6, collided as f64 / sent as f64)
    }

    /// Bianchi's saturation goodput, Mb/s, with this cell's times and the windows of best effort.
    fn bianchi(&self, count: u16, collision: Collision) -> f64 {
        let edca = self.timing.edca(BE);
        let window = f64::from(edca.window.min + 1);
        let stages = f64::from((edca.window.max + 1) / (edca.window.min + 1)).log2();
        let others = i32::from(count) - 1;
        // τ falls and p(τ) rises: bisection.
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..100 {
            let tau: f64 = (low + high) / 2.0;
            let p = 1.0 - (1.0 - tau).powi(others);
            let grown: f64 = (0..stages as i32).map(|i| (2.0 * p).powi(i)).sum();
            let model = 2.0 / (1.0 + window + p * window * grown);
            if model > tau { low = tau } else { high = tau }
        }
        let tau: f64 = (low + high) / 2.0;
        let idle = (1.0 - tau).powi(others + 1);
        let success = f64::from(count) * tau * (1.0 - tau).powi(others);
        let several = 1.0 - idle - success;
        let aifs = self.timing.aifs(edca.aifsn);
        let after = match collision {
            Collision::Errs => self.timing.eifs_of(edca.aifsn),
            Collision::Unheard => aifs,
        };
        let time = idle * self.timing.slot.as_secs_f64()
            + success * (self.data + self.answer + aifs).as_secs_f64()
            + several * (self.data + after).as_secs_f64();
        success * f64::from(8 * PAYLOAD) / time / 1e6
    }
}

#[test]
fn saturated_stations_share_the_medium_as_bianchi_says() {
    let cell = Cell::new();
    for collision in [Collision::Errs, Collision::Unheard] {
        for count in [2, 5, 10, 20] {
            let (found, collided) = cell.run(count, 1, collision);
            let model = cell.bianchi(count, collision);
            let share = 100.0 * collided;
            println!("{collision:?} {count}: {found:.3} Mb/s, {share:.1} % collided, model {model:.3}");
            assert!((found / model - 1.0).abs() <= 0.03, "{collision:?} {count}: {found}, model {model}");
        }
    }
}

/// ns-3.37's runs in which every station spoke, Mb/s. There, stations that hear one of the colliding frames well
/// decode it, and the others detect no preamble: neither waits for EIFS.
#[test]
fn saturated_stations_share_the_medium_as_in_ns3() {
    let cell = Cell::new();
    for (count, ns3) in [(2, 31.2849), (5, 30.1461), (10, 28.4797), (20, 26.4552)] {
        let (found, _) = cell.run(count, 2, Collision::Unheard);
        println!("{count}: {found:.3} Mb/s, ns-3 {ns3}");
        assert!((found / ns3 - 1.0).abs() <= 0.05, "{count}: {found} Mb/s, ns-3 {ns3}");
    }
}
