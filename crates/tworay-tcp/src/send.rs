//! The sending half. The [`SendState`] has what every recovery uses: sequence space, window, timers, round
//! trips. The [`Sender`] alone changes it: it passes events to the recovery and carries out its decisions.
//!
//! | file | holds |
//! |---|---|
//! | `space` | offsets of data written, sent and acknowledged |
//! | `window` | congestion window, reductions, growth |
//! | `acks` | processing of acknowledgments and round-trip samples |
//! | `carry_out` | carrying out the decisions of the recovery |
//! | `output` | building segments |
//! | `transmit` | sending what the window allows |
//! | `rtt`, `rto`, `persist` | estimator and timers |
//! | `scoreboard` | data reported by SACK |
//! | `pace`, `rate` | pacing, and samples of the delivery rate, for variants that need them |
//! | `spurious` | timeouts without a loss, found out and taken back |
//! | `effects` | actions that a variant requests besides its decisions |

mod acks;
mod carry_out;
mod effects;
mod output;
mod pace;
mod persist;
mod rate;
mod rto;
mod rtt;
mod scoreboard;
mod space;
mod spurious;
mod transmit;
mod window;

pub(crate) use acks::{Ack, Dup, Timed};
pub(crate) use output::{ip_bytes, timestamp};
pub(crate) use rtt::{LINUX_TICK, RttEstimator};
pub(crate) use scoreboard::{NextSeg, Outstanding, Scoreboard};
pub(crate) use space::Space;
pub(crate) use window::{CongestionWindow, Cut, CutBy};

use crate::config::TcpConfig;
use crate::control::{Controls, PathEvent, ProbeEvent, SenderView};
use crate::costs::Operation;
use crate::endpoint::{Counters, Phase, Ports, Snapshot, TcpAction, TcpNote, TcpTimer};
use crate::quirks::TcpQuirks;
use crate::receive::Receiver;
use crate::recovery::{Decisions, Recovery};
use crate::variant::{Needs, Variant};
use pace::Pacer;
use rate::RateMeter;
pub(crate) use rto::Early;
use rto::RetransmitTimer;
use spurious::SpuriousTimeouts;
use std::collections::VecDeque;
use tworay_base::{Seq32, SimDuration, SimTime};

/// Context of one call of the sender.
pub(crate) struct Cx<'a> {
    pub now: SimTime,
    pub cfg: &'a TcpConfig,
    pub out: &'a mut Vec<TcpAction>,
    pub counters: &'a mut Counters,
    pub rx: &'a Receiver,
    pub ports: Ports,
    /// Set when a segment with the current acknowledgment was sent.
    pub acknowledged: bool,
}

impl Cx<'_> {
    pub fn note(&mut self, note: TcpNote) {
        self.out.push(TcpAction::Note(note));
    }
}

/// A segment in flight; needed to time every segment and for Karn's rule.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Sent {
    pub end: u64,
    /// Time of the last transmission.
    pub at: SimTime,
    /// Number of transmissions.
    pub times: u32,
    /// Number of its latest transmission, counted over all segments from 1. Several segments can be sent in the same
    /// nanosecond.
    pub order: u64,
}

/// The state of sending that all recoveries share. They read it; only the [`Sender`] changes it.
#[derive(Debug)]
pub(crate) struct SendState {
    pub space: Space,
    pub window: CongestionWindow,
    /// Consecutive duplicate ACKs.
    pub dup_acks: u32,
    /// Bytes sent by limited transmit since the last new ACK.
    pub limited_bytes: u64,
    /// The last reduction of the window.
    pub cut: Cut,
    pub rtt: RttEstimator,
    /// End and send time of the one segment being timed.
    pub timed: Option<(u64, SimTime)>,
    /// Segments in flight, oldest first.
    pub sent: VecDeque<Sent>,
    /// Transmissions of segments so far.
    transmissions: u64,
    pub timer: RetransmitTimer,
    pacer: Pacer,
    rate: RateMeter,
    spurious: SpuriousTimeouts,
    /// The timestamp that the latest ACK echoed.
    echo: Option<u32>,
    /// Backoff factor of the persist timer while it runs.
    persist: Option<u32>,
    last_send: SimTime,
    last_activity: SimTime,
    /// When the variant stopped the sender.
    frozen: Option<SimTime>,
    /// Events and queries that the variant declared.
    needs: Needs,
    /// True if the peer answers marked probes.
    peer_probes: bool,
    /// True if SACK is offered in the SYN.
    wants_sack: bool,
    hops: u8,
    /// True if the hop count is that of this end's own source route, as reported by routing.
    source_routed: bool,
    controls: Controls,
    pub quirks: TcpQuirks,
}

/// The sending half of a connection.
#[derive(Debug)]
pub(crate) struct Sender {
    tx: SendState,
    recovery: Box<dyn Recovery>,
    /// Scratch: the decisions being carried out.
    decisions: Decisions,
}

impl Sender {
    pub fn new(variant: &Variant, cfg: &TcpConfig, clock_phase: SimDuration) -> Self {
        let mut quirks = cfg.quirks(variant.recovery());
        // A sender that marks segments has a form of its own.
        quirks.data_with_first_syn &= !variant.repairs().marks_segments();
        let tx = SendState {
            space: Space::new(cfg),
            window: CongestionWindow::new(cfg),
            dup_acks: 0,
            limited_bytes: 0,
            cut: Cut { point: 0, by: CutBy::Nothing },
            rtt: RttEstimator::new(cfg, clock_phase),
            timed: None,
            sent: VecDeque::new(),
            transmissions: 0,
            timer: RetransmitTimer::new(clock_phase),
            pacer: Pacer::new(),
            rate: RateMeter::new(),
            spurious: SpuriousTimeouts::new(variant.repairs()),
            echo: None,
            persist: None,
            last_send: SimTime::ZERO,
            last_activity: SimTime::ZERO,
            frozen: None,
            needs: variant.needs(),
            peer_probes: false,
            wants_sack: variant.wants_sack(),
            hops: 0,
            source_routed: false,
            controls: variant.controls(cfg),
            quirks,
        };
        let mut sender = Self { tx, recovery: variant.make_recovery(cfg), decisions: Decisions::new() };
        if sender.data_goes_with_syn() {
            sender.tx.open_window();
        }
        sender
    }

    /// Seeds the parts that make random decisions.
    pub fn seed(&mut self, draw: impl FnMut() -> u64) {
        self.tx.controls.seed(draw);
    }

    /// Counts of the variant's parts, by name.
    pub fn counted(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.tx.controls.counted()
    }

    /// Opens without a SYN: offset 0 counts as sent and acknowledged.
    pub fn skip_syn(&mut self) {
        self.tx.space.skip_syn();
        self.tx.open_window();
    }

    /// True if data follows the first SYN immediately.
    pub fn data_goes_with_syn(&self) -> bool {
        self.tx.quirks.data_with_first_syn
    }

    /// True if the variant uses reports about the path and the order of ACKs.
    #[inline]
    pub fn wants_reports(&self) -> bool {
        self.tx.needs.contains(Needs::REPORTS)
    }

    /// True if the variant uses notices of routes found.
    pub fn wants_routes(&self) -> bool {
        self.tx.needs.contains(Needs::ROUTES)
    }

    /// Sequence numbers and written data.
    pub fn space(&self) -> &Space {
        &self.tx.space
    }
    pub fn space_mut(&mut self) -> &mut Space {
        &mut self.tx.space
    }

    /// Records whether the peer answers marked probes.
    pub fn agree_on_probes(&mut self, agreed: bool) {
        self.tx.peer_probes = agreed;
    }

    /// True if the variant has no parts that receive events.
    pub fn is_standard(&self) -> bool {
        self.tx.controls.is_standard()
    }

    /// A segment with the current acknowledgment and no payload.
    #[inline]
    pub fn blank(&self, cx: &Cx, offset: u64) -> tworay_wire::TcpSegment {
        self.tx.blank(cx, offset)
    }

    /// Processes an acknowledgment and sends what it allows.
    pub fn on_ack(&mut self, cx: &mut Cx, ack: &Ack) {
        let space = &self.tx.space;
        if ack.to > space.una && space.una > 0 {
            cx.counters.ran(if self.recovery.in_recovery(&self.tx) {
                Operation::RecoveryAck
            } else if self.tx.window.cwnd < self.tx.window.ssthresh {
                Operation::AckSlowStart
            } else {
                Operation::AckCongestionAvoidance
            });
        }
        self.tx.echo = ack.echo;
        if self.tx.needs.contains(Needs::RATES) {
            self.sample_rate(cx, ack);
        }
        if self.tx.judges_timeout() {
            return self.on_ack_after_timeout(cx, ack);
        }
        self.react(cx, ack);
    }

    /// Repeats the SYN because the peer repeated its own.
    pub fn repeat_syn(&mut self, cx: &mut Cx) {
        if self.tx.space.una == 0 {
            self.output(cx, 0, 1);
        }
    }

    /// A packet arrived over a path of this many hops.
    #[inline]
    pub fn on_hops(&mut self, cx: &mut Cx, hops: u8) {
        if !self.tx.knows_path(hops) {
            self.on_path_event(cx, PathEvent::Hops(hops));
        }
    }

    /// The current state.
    pub fn snapshot(&self) -> Snapshot {
        let (tx, recovery) = (&self.tx, &*self.recovery);
        let flight = tx.space.max - tx.space.una;
        let phase = if tx.space.una == 0 {
            Phase::Handshake
        } else if tx.is_frozen() {
            Phase::Frozen
        } else if recovery.in_recovery(tx) {
            Phase::Recovery
        } else if recovery.after_timeout(tx) {
            Phase::RtoRecovery
        } else if tx.window.cwnd < tx.window.ssthresh {
            Phase::SlowStart
        } else {
            Phase::CongestionAvoidance
        };
        Snapshot {
            cwnd: recovery.shown_cwnd(tx),
            ssthresh: tx.window.ssthresh,
            srtt: tx.rtt.srtt(),
            rttvar: tx.rtt.rttvar(),
            rto: tx.rtt.rto(),
            flight_bytes: flight,
            flight_segments: flight.div_ceil(tx.space.mss),
            una: tx.space.seq(tx.space.una),
            nxt: tx.space.seq(tx.space.nxt),
            phase,
        }
    }
}

impl SendState {
    /// True if the variant has stopped the sender.
    #[inline]
    pub fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    pub fn outstanding(&self, cfg: &TcpConfig) -> Outstanding {
        let Space { una, max, mss, .. } = self.space;
        Outstanding { una, max, mss, dup_threshold: cfg.dup_threshold }
    }
}

impl Sender {
    /// The sender's state for variants.
    fn view(&self, cx: &Cx) -> SenderView {
        let space = &self.tx.space;
        SenderView {
            now: cx.now,
            cwnd: self.tx.window.cwnd,
            ssthresh: self.tx.window.ssthresh,
            advertised: space.rwnd(cx.cfg) as f64 / space.mss as f64,
            mss: space.mss as u32,
            una: space.seq(space.una),
            nxt: space.seq(space.nxt),
            max: space.seq(space.max),
            flight: (space.max - space.una) as f64 / space.mss as f64,
            dup_acks: self.tx.dup_acks,
            in_recovery: self.recovery.in_recovery(&self.tx),
            after_timeout: self.recovery.after_timeout(&self.tx),
            srtt: self.tx.rtt.srtt(),
            rttvar: self.tx.rtt.rttvar(),
            rto: self.tx.rtt.rto(),
            base_rto: self.tx.rtt.rto_without_backoff(),
            peer_probes: self.tx.peer_probes,
            hops: self.tx.hops,
        }
    }
}

/// The first multiple of `period`, counted from `phase`, at or after `at`; `at` itself if the period is
/// zero.
pub(crate) fn heartbeat(at: SimTime, period: SimDuration, phase: SimDuration) -> SimTime {
    if period.is_zero() {
        return at;
    }
    let phase = phase.as_nanos() % period.as_nanos();
    let since = at.as_nanos().saturating_sub(phase);
    SimTime::from_nanos(
        since.div_ceil(period.as_nanos()).saturating_mul(period.as_nanos()).saturating_add(phase),
    )
}

#[cfg(test)]
mod tests;
