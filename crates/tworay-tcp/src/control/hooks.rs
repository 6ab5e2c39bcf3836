//! The hooks of a variant: what it sees, and what it may decide.
//!
//! A variant's parts (growth, reduction, limit, or all in one) implement [`CongestionControl`]. Every
//! part sees every event; a decision counts only from the part that owns it. The default methods are
//! the standard behaviour, so a part implements only what it changes.

use smallvec::SmallVec;
use std::fmt::Debug;
use tworay_base::{Seq32, SimDuration, SimTime};
use tworay_wire::{ProbeKind, ProbeOption};

/// The sender's state as a variant sees it.
#[derive(Copy, Clone, Debug)]
pub struct SenderView {
    /// The time.
    pub now: SimTime,
    /// Congestion window, segments.
    pub cwnd: f64,
    /// Slow-start threshold, segments.
    pub ssthresh: f64,
    /// The smaller of the advertised windows, segments.
    pub advertised: f64,
    /// Bytes per full segment.
    pub mss: u32,
    /// Oldest byte not acknowledged.
    pub una: Seq32,
    /// Next byte to send.
    pub nxt: Seq32,
    /// The byte after the highest ever sent.
    pub max: Seq32,
    /// Sent and not acknowledged, segments.
    pub flight: f64,
    /// Consecutive duplicate ACKs.
    pub dup_acks: u32,
    /// Whether fast recovery is on.
    pub in_recovery: bool,
    /// Whether the sender repairs after a timeout.
    pub after_timeout: bool,
    /// Smoothed round-trip time.
    pub srtt: Option<SimDuration>,
    /// Round-trip time variation.
    pub rttvar: Option<SimDuration>,
    /// Retransmission timeout in force.
    pub rto: SimDuration,
    /// The same without back-off.
    pub base_rto: SimDuration,
    /// Whether the peer answers marked probes (both ends have said that they know the option).
    pub peer_probes: bool,
    /// Length of the path in hops: of this end's own source route, if routing tells it (DSR), else from
    /// what arrived last; 0 if unknown.
    pub hops: u8,
}

/// A congestion window and a threshold, segments.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
}

/// An ACK advanced.
#[derive(Copy, Clone, Debug)]
pub struct AckEvent {
    /// Newly acknowledged bytes.
    pub bytes: u32,
    /// Newly acknowledged segments.
    pub segments: f64,
    /// Whether the window may grow on this ACK (not during fast recovery).
    pub may_grow: bool,
    /// What the standard rule would set (RFC 5681 §3.1, one step per ACK).
    pub standard: Window,
}

/// A duplicate ACK.
#[derive(Copy, Clone, Debug)]
pub struct DupAckEvent {
    /// How many in a row, this one included.
    pub count: u32,
}

/// What to do on a duplicate ACK.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum DupAckDecision {
    /// What the recovery says.
    Recovery,
    /// Treat it as a loss now, whatever the count.
    RetransmitNow,
    /// Send the oldest segment again without any reduction.
    RetransmitOnly,
    /// It shows nothing: no loss, no inflation of the window.
    Ignore,
}

/// Duplicate ACKs showed a loss; recovery begins.
#[derive(Copy, Clone, Debug)]
pub struct LossEvent {
    /// First byte of the lost segment.
    pub seq: Seq32,
    /// What the standard rule would set.
    pub standard: Window,
}

/// The retransmission timer expired with data outstanding.
#[derive(Copy, Clone, Debug)]
pub struct RtoEvent {
    /// First byte outstanding.
    pub seq: Seq32,
    /// Consecutive timeouts of this byte, this one included.
    pub consecutive: u32,
    /// Whether the SYN is what wasn't acknowledged. Nothing can be frozen then.
    pub opening: bool,
    /// What the standard rule would set.
    pub standard: Window,
}

/// What to do with the timeout's length.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Backoff {
    /// Double it (RFC 6298 §5.5).
    Double,
    /// Leave it.
    Keep,
    /// Leave the estimate, but wait this long (at most the longest RTO) until new data is acknowledged
    /// and samples aren't [withheld](Sampling::Withheld) any more, or SRTT is scaled.
    Wait(SimDuration),
}

/// What to do after a timeout.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct RtoDecision {
    /// The new window.
    pub window: Window,
    /// The timer's length.
    pub backoff: Backoff,
}

/// A round-trip sample that Karn's rule admits.
#[derive(Copy, Clone, Debug)]
pub struct RttEvent {
    /// The exact sample.
    pub exact: SimDuration,
    /// The sample in the clock's ticks, as the retransmission timer uses it.
    pub ticked: SimDuration,
}

/// What becomes of round-trip samples.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sampling {
    /// As configured: SRTT and RTTVAR take them, the variant hears of them.
    Standard,
    /// Every segment sent once is timed, and only the variant hears of it.
    Withheld,
}

/// The peer has answered a marked probe.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ProbeEvent {
    /// Which of the two answers it is.
    pub kind: ProbeKind,
    /// The id of the exchange.
    pub id: u16,
}

/// What an answer was good for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ProbeVerdict {
    /// It was waited for.
    Expected,
    /// Nobody asked, or it is too late: ignored and counted.
    Stray,
}

/// A segment with payload was sent.
#[derive(Copy, Clone, Debug)]
pub struct SentEvent {
    /// First byte.
    pub seq: Seq32,
    /// Payload bytes.
    pub bytes: u32,
    /// Whether it was sent before.
    pub retransmission: bool,
}

/// News about the path, from routing or from arriving packets.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PathEvent {
    /// A packet has arrived over a path of this many hops.
    Hops(u8),
    /// Routing sends this end's packets along a source route of this many hops (DSR). From then on arriving
    /// packets tell nothing: they may have taken another way, or a detour when a router salvaged them.
    SourceRoute(u8),
    /// Routing reports a broken link on the path (ELFN).
    LinkFailure,
    /// Routing has a path again.
    RouteFound,
}

/// What a variant wants beyond its decision.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Effect {
    /// Set the window.
    SetWindow(Window),
    /// Send the oldest outstanding segment again, now.
    Retransmit,
    /// Send nothing and stop the retransmission timer until [`Effect::Thaw`]. In `on_loss` and `on_rto`
    /// it also means that the variant takes the repair over: no recovery begins, no back-off happens, and
    /// the window is what the variant returns. Ignored before the connection is open.
    Freeze,
    /// Go on; the retransmission timer starts anew.
    Thaw,
    /// The timeout is what the estimate says, not backed off.
    EndBackoff,
    /// Begin a fast recovery with this window: the oldest segment is sent again, partial ACKs bring the
    /// next (NewReno). Only the window if nothing is outstanding.
    Recover(Window),
    /// Send everything outstanding again from the oldest on, with this window (go-back-N, as after a
    /// timeout). Only the window if nothing is outstanding.
    GoBack(Window),
    /// Start the variant's timer; it ends any earlier one.
    StartTimer(SimDuration),
    /// Stop the variant's timer.
    StopTimer,
    /// Send an empty segment that the peer acknowledges; the mark is left out for a peer that doesn't
    /// know it.
    Probe(Option<ProbeOption>),
    /// Multiply SRTT and RTTVAR.
    ScaleRtt(f64),
    /// Record an opinion why the segment at `seq` was lost.
    Guess {
        /// First byte of the segment.
        seq: Seq32,
        /// A name of the variant's own.
        guess: &'static str,
    },
}

/// Effects in order.
pub type Effects = SmallVec<[Effect; 4]>;

/// A variant's part.
pub trait CongestionControl: Debug + Send {
    /// An ACK advanced. The owner of growth decides the window; it should return `standard` or the
    /// unchanged window when `may_grow` is false.
    fn on_ack(&mut self, _view: &SenderView, event: &AckEvent, _effects: &mut Effects) -> Window {
        event.standard
    }
    /// A duplicate ACK came.
    fn on_dup_ack(
        &mut self,
        _view: &SenderView,
        _event: &DupAckEvent,
        _effects: &mut Effects,
    ) -> DupAckDecision {
        DupAckDecision::Recovery
    }
    /// Recovery begins. The owner of reduction decides the window.
    fn on_loss(&mut self, _view: &SenderView, event: &LossEvent, _effects: &mut Effects) -> Window {
        event.standard
    }
    /// The timer expired. The owner of reduction decides.
    fn on_rto(&mut self, _view: &SenderView, event: &RtoEvent, _effects: &mut Effects) -> RtoDecision {
        RtoDecision { window: event.standard, backoff: Backoff::Double }
    }
    /// A round-trip sample.
    fn on_rtt(&mut self, _view: &SenderView, _event: &RttEvent, _effects: &mut Effects) {}
    /// The peer has answered a marked probe. The ACK that came with it has been taken already.
    fn on_probe_answer(
        &mut self,
        _view: &SenderView,
        _event: &ProbeEvent,
        _effects: &mut Effects,
    ) -> ProbeVerdict {
        ProbeVerdict::Stray
    }
    /// Payload was sent.
    fn on_sent(&mut self, _view: &SenderView, _event: &SentEvent) {}
    /// Fast recovery ended.
    fn on_recovery_exit(&mut self, _view: &SenderView, _effects: &mut Effects) {}
    /// News about the path.
    fn on_path_event(&mut self, _view: &SenderView, _event: PathEvent, _effects: &mut Effects) {}
    /// The variant's timer expired.
    fn on_timer(&mut self, _view: &SenderView, _effects: &mut Effects) {}
    /// An upper bound on the congestion window, segments, at least 1.
    fn limit(&self) -> Option<f64> {
        None
    }
    /// A lower bound on the congestion window, segments; a [limit](Self::limit) below it wins.
    fn floor(&self) -> Option<f64> {
        None
    }
    /// Segments sent at most on one ACK; none but the configured bound by default.
    fn burst(&self) -> Option<u32> {
        None
    }
    /// What becomes of round-trip samples at the moment.
    fn sampling(&self) -> Sampling {
        Sampling::Standard
    }
    /// Whether [`CongestionControl::on_sent`] should be called (it costs a view per segment).
    fn wants_sent(&self) -> bool {
        false
    }
}
