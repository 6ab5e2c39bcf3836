//! A sender against a table of events at given times. Segments are numbered from 1 and have 1000 bytes.

use smallvec::SmallVec;
use tworay_base::{NodeId, Purpose, RngStream, Seq32, SimDuration, SimTime};
use tworay_tcp::{
    Amount, Arrival, Connection, Counters, Handshake, InitialWindow, Ports, SegmentKind, Side, Snapshot,
    TcpAction, TcpConfig, TcpTimer, WindowSize,
};
use tworay_wire::{SackBlock, TcpFlags, TcpOptions, TcpSegment};

pub const MSS: u32 = 1000;

/// What happens.
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
        mss: tworay_base::Bytes(u64::from(MSS)),
        handshake: Handshake::None,
        window: WindowSize::Segments(100),
        initial_window: InitialWindow::Segments(window),
        initial_ssthresh: Some(f64::from(window.max(2))),
        ..TcpConfig::default()
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
        let rng = RngStream::new(1, NodeId(0), Purpose::Test);
        let ports = Ports { local: 1, remote: 2 };
        let end = Connection::new(config, &variant.parse().expect(variant), Side::Active, ports, rng);
        let mut ladder = Self { end, config: config.clone(), due: None };
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
                self.end.on_segment(now, &self.ack(*n, blocks, None), Arrival::default(), &mut out)
            }
            On::Echo(n, blocks, sent) => {
                self.end.on_segment(
                    now,
                    &self.ack(*n, blocks, Some(*sent as u32)),
                    Arrival::default(),
                    &mut out,
                );
            }
        }
        self.note(&out)
    }

    fn note(&mut self, out: &[TcpAction]) -> Vec<u32> {
        let mut sent = Vec::new();
        for action in out {
            match action {
                TcpAction::Send { segment, kind: SegmentKind::Data { .. }, .. } => {
                    sent.push((segment.seq.0 - 1) / MSS + 1);
                }
                TcpAction::Arm(TcpTimer::Retransmit, at) => {
                    self.due = Some(at.since_start().as_secs_f64() * 1e3)
                }
                TcpAction::Disarm(TcpTimer::Retransmit) => self.due = None,
                _ => {}
            }
        }
        sent
    }

    pub fn state(&self) -> Snapshot {
        self.end.snapshot()
    }

    pub fn counters(&self) -> &Counters {
        self.end.counters()
    }

    fn ack(&self, n: u32, blocks: &[(u32, u32)], echo: Option<u32>) -> TcpSegment {
        let sack: SmallVec<[SackBlock; 4]> = blocks
            .iter()
            .map(|(first, last)| SackBlock {
                left: Seq32(1 + (first - 1) * MSS),
                right: Seq32(1 + last * MSS),
            })
            .collect();
        TcpSegment {
            src_port: 2,
            dst_port: 1,
            seq: Seq32(1),
            ack: Seq32(1 + n * MSS),
            flags: TcpFlags::ACK,
            window: self.config.window_bytes() as u32,
            payload: 0,
            options: TcpOptions { sack, timestamps: echo.map(|e| (0, e)), ..TcpOptions::default() },
        }
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
