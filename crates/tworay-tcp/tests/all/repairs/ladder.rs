//! A sender against a table of events at given times.

use crate::common::numbered::{MSS, ack, sender, sent};
use tworay_base::{SimDuration, SimTime};
use tworay_tcp::{
    Amount, Arrival, Connection, Counters, InitialWindow, Snapshot, TcpAction, TcpConfig, TcpTimer,
};

/// An event.
#[derive(Clone, Debug)]
pub enum On {
    /// An ACK of everything up to this segment, with SACK blocks of whole segments, first and last.
    Ack(u32, &'static [(u32, u32)]),
    /// The same, and its time stamp echoes that of what was sent at this time, ms.
    Echo(u32, &'static [(u32, u32)], u64),
    /// The retransmission timer, which must be due now.
    Timer,
}

/// Time, ms; event; the segments that it makes the sender send.
pub type Rung = (u64, On, &'static [u32]);

/// An open connection with `window` segments to start with.
pub fn config(window: u32) -> TcpConfig {
    TcpConfig {
        initial_window: InitialWindow::Segments(window),
        initial_ssthresh: Some(f64::from(window.max(2))),
        ..crate::common::numbered::config()
    }
}

/// A sender at work; times are milliseconds from its opening at 0.
pub struct Ladder {
    pub end: Connection,
    config: TcpConfig,
    /// When the retransmission timer is due, ms.
    pub due: Option<f64>,
}

impl Ladder {
    /// Opens and writes `segments` of them; gives the sender and what it sent.
    pub fn new(variant: &str, config: &TcpConfig, segments: Option<u32>) -> (Self, Vec<u32>) {
        let mut ladder = Self { end: sender(variant, config), config: config.clone(), due: None };
        let amount = segments.map_or(Amount::Endless, |n| Amount::Bytes(u64::from(n * MSS)));
        let mut out = Vec::new();
        ladder.end.open(SimTime::ZERO, &mut out);
        ladder.end.write(SimTime::ZERO, amount, &mut out);
        let sent = ladder.note(&out);
        (ladder, sent)
    }

    /// One event; gives what it made the sender send.
    pub fn step(&mut self, at: u64, on: &On) -> Vec<u32> {
        let now = SimTime::ZERO + SimDuration::from_millis(at);
        let mut out = Vec::new();
        match on {
            On::Timer => {
                let due = self.due.take().expect("the timer runs");
                assert!((due - at as f64).abs() < 1e-6, "the timer is due at {due} ms, not {at}");
                self.end.on_timer(now, TcpTimer::Retransmit, &mut out);
            }
            On::Ack(n, blocks) => {
                self.end.on_segment(now, &ack(*n, blocks, &self.config), Arrival::default(), &mut out);
            }
            On::Echo(n, blocks, sent) => {
                let mut segment = ack(*n, blocks, &self.config);
                segment.options.timestamps = Some((0, *sent as u32));
                self.end.on_segment(now, &segment, Arrival::default(), &mut out);
            }
        }
        self.note(&out)
    }

    fn note(&mut self, out: &[TcpAction]) -> Vec<u32> {
        for action in out {
            match action {
                TcpAction::Arm(TcpTimer::Retransmit, at) => {
                    self.due = Some(at.since_start().as_secs_f64() * 1e3)
                }
                TcpAction::Disarm(TcpTimer::Retransmit) => self.due = None,
                _ => {}
            }
        }
        sent(out)
    }

    pub fn state(&self) -> Snapshot {
        self.end.snapshot()
    }

    pub fn counters(&self) -> &Counters {
        self.end.counters()
    }
}

/// Climbs a ladder and gives the sender at its end.
pub fn climb(
    variant: &str,
    config: &TcpConfig,
    segments: Option<u32>,
    first: &[u32],
    rungs: &[Rung],
) -> Ladder {
    let (mut ladder, sent) = Ladder::new(variant, config, segments);
    assert_eq!(sent, first, "{variant}: sent at once");
    for (i, (at, on, expected)) in rungs.iter().enumerate() {
        let sent = ladder.step(*at, on);
        assert_eq!(sent, *expected, "{variant}, rung {} at {at} ms ({on:?}): segments sent", i + 1);
    }
    ladder
}
