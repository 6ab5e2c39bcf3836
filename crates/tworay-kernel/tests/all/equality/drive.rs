//! Random event sequences of a connection, and the simulator's side of running them.

use super::native;
use proptest::collection::vec;
use proptest::prelude::*;
use tworay_base::{Seq32, SimDuration, SimTime};
use tworay_tcp::{
    AckEvent, Backoff, CongestionControl, DupAckEvent, Effect, Effects, LossEvent, RtoDecision, RtoEvent,
    RttEvent, SenderView, TcpConfig, Variant, Window,
};

/// Sequences per test; `PROPTEST_CASES` overrides the number.
const LIVES: u32 = 2000;

/// Configuration of the random tests.
pub fn config() -> ProptestConfig {
    let drawn = ProptestConfig::default();
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    ProptestConfig { cases: if asked { drawn.cases } else { LIVES }, failure_persistence: None, ..drawn }
}

/// An event at a sender.
#[derive(Copy, Clone, Debug)]
pub enum Event {
    /// An ACK of this many segments; every second ACK gives a round trip.
    Ack(u32),
    DupAck,
    /// Three duplicate ACKs.
    Loss,
    /// Everything is repaired.
    Exit,
    Timeout,
}

/// An event, the time since the previous one, and the change of the round trip until then.
#[derive(Copy, Clone, Debug)]
pub struct Moment {
    pub event: Event,
    /// Microseconds.
    pub gap: u64,
    /// New round trip as a fraction of the old one, per mille.
    pub drift: u32,
}

/// The event sequence of one connection.
#[derive(Clone, Debug)]
pub struct Life {
    /// The first round trip, microseconds.
    pub rtt: u32,
    /// The peer's window, segments.
    pub advertised: u32,
    pub moments: Vec<Moment>,
}

/// Sequences with ACKs of up to `most` segments. Losses are frequent enough to reach every state and rare
/// enough for histories to fill.
pub fn lives(most: u32) -> impl Strategy<Value = Life> {
    let event = prop_oneof![
        30 => (1..=most).prop_map(Event::Ack),
        3 => Just(Event::DupAck),
        1 => Just(Event::Loss),
        1 => Just(Event::Exit),
        1 => Just(Event::Timeout),
    ];
    let gap = prop_oneof![
        40 => 300..60_000u64,
        // Two ACKs at one instant.
        4 => Just(0),
        // Idle.
        1 => 300_000..5_000_000u64,
    ];
    // Mostly noise; sometimes a filling queue or a shorter route.
    let drift = prop_oneof![6 => 960..1045u32, 4 => 1050..1400u32, 1 => 400..900u32];
    let moment = (event, gap, drift).prop_map(|(event, gap, drift)| Moment { event, gap, drift });
    (1_000..300_000u32, 4..100u32, vec(moment, 20..120)).prop_map(|(rtt, advertised, moments)| Life {
        rtt,
        advertised,
        moments,
    })
}

/// Clock and round trip shared by both sides.
#[derive(Debug)]
pub struct Clock {
    pub now: u64,
    pub rtt: u32,
    /// The smoothed round trip, microseconds.
    pub srtt: u32,
    pub advertised: u32,
}

impl Clock {
    pub fn new(life: &Life) -> Self {
        Self { now: 1_000_000, rtt: life.rtt, srtt: life.rtt, advertised: life.advertised }
    }

    /// Advances the time and changes the round trip.
    pub fn pass(&mut self, moment: &Moment) {
        self.now += moment.gap;
        // Between half a millisecond and two seconds.
        let changed = u64::from(self.rtt) * u64::from(moment.drift) / 1000;
        self.rtt = changed.clamp(500, 2_000_000) as u32;
        self.srtt = (7 * self.srtt + self.rtt) / 8;
    }

    fn rto(&self) -> u32 {
        2 * self.srtt
    }

    pub fn view(&self, window: native::Window) -> native::View {
        native::View {
            now: self.now,
            cwnd: window.cwnd,
            ssthresh: window.ssthresh,
            advertised: self.advertised,
            flight: window.cwnd.min(self.advertised),
            srtt: self.srtt,
            rto: self.rto(),
        }
    }

    pub fn rust_view(&self, window: Window) -> SenderView {
        let mss = 1000;
        let flight = window.cwnd.floor().min(f64::from(self.advertised));
        SenderView {
            now: SimTime::from_nanos(self.now * 1000),
            cwnd: window.cwnd,
            ssthresh: window.ssthresh,
            advertised: f64::from(self.advertised),
            mss,
            una: Seq32(1),
            nxt: Seq32(1 + flight as u32 * mss),
            max: Seq32(1 + flight as u32 * mss),
            flight,
            dup_acks: 0,
            in_recovery: false,
            after_timeout: false,
            srtt: Some(SimDuration::from_micros(self.srtt.into())),
            rttvar: Some(SimDuration::from_micros(u64::from(self.srtt) / 4)),
            rto: SimDuration::from_micros(self.rto().into()),
            base_rto: SimDuration::from_micros(self.rto().into()),
            peer_probes: true,
            hops: 0,
        }
    }
}

/// The window that RFC 5681 sets after a loss with `flight` segments outstanding.
pub fn halved(flight: u32) -> native::Window {
    let half = (flight / 2).max(2);
    native::Window { cwnd: half, ssthresh: half }
}

/// The same for the simulator.
pub fn as_rust(window: native::Window) -> Window {
    Window { cwnd: window.cwnd.into(), ssthresh: window.ssthresh.into() }
}

/// A simulated variant's part that receives the same events.
#[derive(Debug)]
pub struct Simulated {
    part: Box<dyn CongestionControl>,
    pub window: Window,
}

/// Requests of the part besides the window.
#[derive(Debug, Default)]
pub struct Said {
    pub guess: Option<&'static str>,
    /// A window that replaces what the event set.
    pub window: Option<Window>,
    /// Factor on the retransmission timeout.
    pub scale: Option<f64>,
    /// Timeout, microseconds.
    pub wait: Option<f64>,
}

impl Simulated {
    pub fn new(variant: &str, window: native::Window) -> Self {
        let variant: Variant = variant.parse().expect("a variant");
        let part = variant.only_part(&TcpConfig::default()).expect("one part");
        Self { part, window: as_rust(window) }
    }

    pub fn ack(&mut self, clock: &Clock, segments: u32, may_grow: bool) -> Said {
        let mut standard = self.window;
        for _ in 0..if may_grow { segments } else { 0 } {
            standard.cwnd += if standard.cwnd < standard.ssthresh { 1.0 } else { 1.0 / standard.cwnd };
        }
        let event = AckEvent {
            bytes: segments * 1000,
            segments: segments.into(),
            delivered: segments.into(),
            may_grow,
            limited: None,
            standard,
            echo: None,
        };
        let mut effects = Effects::new();
        self.window = self.part.on_ack(&clock.rust_view(self.window), &event, &mut effects);
        self.said(&effects)
    }

    pub fn dup_ack(&mut self, clock: &Clock) {
        let view = clock.rust_view(self.window);
        self.part.on_dup_ack(&view, &DupAckEvent { count: 1 }, &mut Effects::new());
    }

    pub fn rtt(&mut self, clock: &Clock) -> Said {
        let rtt = SimDuration::from_micros(clock.rtt.into());
        let mut effects = Effects::new();
        let event = RttEvent { exact: rtt, ticked: rtt };
        self.part.on_rtt(&clock.rust_view(self.window), &event, &mut effects);
        self.said(&effects)
    }

    pub fn loss(&mut self, clock: &Clock, standard: native::Window) -> Said {
        let event = LossEvent { seq: Seq32(1), standard: as_rust(standard) };
        let mut effects = Effects::new();
        self.window = self.part.on_loss(&clock.rust_view(self.window), &event, &mut effects);
        self.said(&effects)
    }

    pub fn timeout(&mut self, clock: &Clock, standard: native::Window) -> Said {
        let event = RtoEvent { seq: Seq32(1), consecutive: 1, opening: false, standard: as_rust(standard) };
        let mut effects = Effects::new();
        let RtoDecision { window, backoff } =
            self.part.on_rto(&clock.rust_view(self.window), &event, &mut effects);
        self.window = window;
        let wait = match backoff {
            Backoff::Wait(time) => Some(time.as_secs_f64() * 1e6),
            Backoff::Double | Backoff::Keep => None,
        };
        Said { wait, ..self.said(&effects) }
    }

    pub fn exit(&mut self, clock: &Clock) -> Said {
        let mut effects = Effects::new();
        self.part.on_recovery_exit(&clock.rust_view(self.window), &mut effects);
        self.said(&effects)
    }

    fn said(&mut self, effects: &Effects) -> Said {
        let mut said = Said::default();
        for effect in effects {
            match *effect {
                Effect::Guess { guess, .. } => said.guess = Some(guess),
                Effect::ScaleRtt(factor) => said.scale = Some(factor),
                Effect::SetWindow(window) => {
                    self.window = window;
                    said.window = Some(window);
                }
                _ => {}
            }
        }
        said
    }

    /// Both sides continue from the integer window after a decision, so that differences do not accumulate.
    pub fn go_on_from(&mut self, window: native::Window) {
        self.window = as_rust(window);
    }
}

/// Asserts that the windows differ by at most one segment.
pub fn close(kernel: native::Window, simulated: Window) -> Result<(), TestCaseError> {
    let near = |a: u32, b: f64| (f64::from(a) - b).abs() <= 1.0 + 1e-9;
    prop_assert!(
        near(kernel.cwnd, simulated.cwnd) && near(kernel.ssthresh, simulated.ssthresh),
        "kernel {kernel:?}, simulated {simulated:?}"
    );
    Ok(())
}
