//! The sending half: passes events to the recovery and the variant's parts.

use super::ack::Ack;
use super::pacer::Pacer;
use super::rate::RateMeter;
use super::rtt::RttEstimator;
use super::space::Space;
use super::state::{Cx, SendState};
use super::timer::RetransmitTimer;
use super::trial::SpuriousTimeouts;
use super::window::{CongestionWindow, Cut, CutBy};
use crate::config::TcpConfig;
use crate::control::{PathEvent, SenderView};
use crate::costs::Operation;
use crate::endpoint::{Phase, Snapshot};
use crate::parts::Needs;
use crate::recovery::{Decisions, Recovery};
use crate::variant::Variant;
use std::collections::VecDeque;
use tworay_base::{SimDuration, SimTime};

/// The sending half of a connection.
#[derive(Debug)]
pub(crate) struct Sender {
    pub(super) tx: SendState,
    pub(super) recovery: Box<dyn Recovery>,
    /// Scratch: the decisions being carried out.
    pub(super) decisions: Decisions,
}

impl Sender {
    pub fn new(variant: &Variant, cfg: &TcpConfig, clock_phase: SimDuration) -> Self {
        let tx = SendState::new(variant, cfg, clock_phase);
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
    /// The state of a new connection.
    fn new(variant: &Variant, cfg: &TcpConfig, clock_phase: SimDuration) -> Self {
        Self {
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
            quirks: cfg.quirks(variant.recovery()),
        }
    }
}

impl Sender {
    /// The sender's state for variants.
    pub(super) fn view(&self, cx: &Cx) -> SenderView {
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
