//! The hooks of a variant: the state it sees and the decisions it may take.
//!
//! The parts of a variant (growth, reduction, limit, or all of them) implement [`CongestionControl`]. Every
//! part sees every event, but only the part that owns a decision takes it. The default methods are the
//! standard behaviour, so a part implements only what it changes.

use smallvec::SmallVec;
use std::fmt::Debug;
use tworay_base::{Seq32, SimDuration, SimTime};
use tworay_wire::{ProbeKind, ProbeOption, Report};

/// The sender's state as variants see it.
#[derive(Copy, Clone, Debug)]
pub struct SenderView {
    /// Current time.
    pub now: SimTime,
    /// Congestion window, segments.
    pub cwnd: f64,
    /// Slow-start threshold, segments.
    pub ssthresh: f64,
    /// The smaller of both ends' advertised windows, segments.
    pub advertised: f64,
    /// Bytes per full segment.
    pub mss: u32,
    /// Oldest byte not acknowledged.
    pub una: Seq32,
    /// Next byte to send.
    pub nxt: Seq32,
    /// The byte after the highest ever sent.
    pub max: Seq32,
    /// Segments sent and not yet acknowledged.
    pub flight: f64,
    /// Consecutive duplicate ACKs.
    pub dup_acks: u32,
    /// True if fast recovery is in progress.
    pub in_recovery: bool,
    /// True if the sender is repairing losses after a timeout.
    pub after_timeout: bool,
    /// Smoothed round-trip time.
    pub srtt: Option<SimDuration>,
    /// Round-trip time variation.
    pub rttvar: Option<SimDuration>,
    /// Retransmission timeout in force, backoff included.
    pub rto: SimDuration,
    /// Retransmission timeout without backoff.
    pub base_rto: SimDuration,
    /// True if the peer answers marked probes: both SYNs carried the option.
    pub peer_probes: bool,
    /// Path length in hops: of this end's own source route if routing reports it (DSR), otherwise from the
    /// latest arriving packet; 0 if unknown.
    pub hops: u8,
}

impl SenderView {
    /// The window in use, segments: min(cwnd, `advertised`).
    ///
    /// Reductions and estimates of what is queued start from it, not from cwnd. cwnd also grows while the
    /// receiver's window is the limit, far beyond it (RFC 5681 §3.1, implementation note; ns-2, whose agents
    /// therefore halve `windowd()`), and half of a window of which only an eighth is in use reduces nothing.
    pub fn in_use(&self) -> f64 {
        self.cwnd.min(self.advertised)
    }
}

/// A congestion window and a slow-start threshold, segments.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Window {
    /// Congestion window.
    pub cwnd: f64,
    /// Slow-start threshold.
    pub ssthresh: f64,
}

/// An ACK of new data.
#[derive(Copy, Clone, Debug)]
pub struct AckEvent {
    /// Newly acknowledged bytes.
    pub bytes: u32,
    /// Newly acknowledged segments.
    pub segments: f64,
    /// The same without segments that SACK reported before, if the recovery knows them (`linux`).
    pub delivered: f64,
    /// True if the window may grow on this ACK (false during fast recovery).
    pub may_grow: bool,
    /// True if the congestion window limited what was sent; `None` unless the recovery keeps account of it (`linux`).
    pub limited: Option<bool>,
    /// The window that the standard rule would set (RFC 5681 §3.1, one step per ACK).
    pub standard: Window,
    /// Send time of the segment whose timestamp this ACK echoes (RFC 7323 §4), in ticks of the timestamp
    /// clock, also for a retransmission. `None` without timestamps, which a variant enables in `configure`.
    pub echo: Option<SimTime>,
}

/// A duplicate ACK.
#[derive(Copy, Clone, Debug)]
pub struct DupAckEvent {
    /// Consecutive duplicate ACKs, this one included.
    pub count: u32,
}

/// Reaction to a duplicate ACK.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum DupAckDecision {
    /// Leave it to the recovery.
    Recovery,
    /// Treat it as a loss now, whatever the count.
    RetransmitNow,
    /// Retransmit the oldest segment without reducing the window.
    RetransmitOnly,
    /// Ignore it: it neither indicates a loss nor inflates the window.
    Ignore,
}

/// Duplicate ACKs indicated a loss; recovery starts.
#[derive(Copy, Clone, Debug)]
pub struct LossEvent {
    /// First byte of the lost segment.
    pub seq: Seq32,
    /// The window that the standard rule would set.
    pub standard: Window,
}

/// The retransmission timer expired with data outstanding.
#[derive(Copy, Clone, Debug)]
pub struct RtoEvent {
    /// First byte outstanding.
    pub seq: Seq32,
    /// Consecutive timeouts of this byte, this one included.
    pub consecutive: u32,
    /// True if the SYN is still unacknowledged. Nothing can be frozen then.
    pub opening: bool,
    /// The window that the standard rule would set.
    pub standard: Window,
}

/// Change of the timeout.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Backoff {
    /// Double it (RFC 6298 §5.5).
    Double,
    /// Leave it unchanged.
    Keep,
    /// Leave the estimate unchanged, but use this timeout (at most the longest RTO) until new data is
    /// acknowledged while samples are not [withheld](Sampling::Withheld), or SRTT is scaled.
    Wait(SimDuration),
}

/// Reaction to a timeout.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct RtoDecision {
    /// The new window.
    pub window: Window,
    /// Change of the timeout.
    pub backoff: Backoff,
}

/// A round-trip sample permitted by Karn's rule, of data or of the handshake.
#[derive(Copy, Clone, Debug)]
pub struct RttEvent {
    /// The exact sample.
    pub exact: SimDuration,
    /// The sample in clock ticks, as the retransmission timer uses it; that of `linux` takes the earliest segment.
    pub ticked: SimDuration,
}

/// Which round-trip samples are taken, and who receives them.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Sampling {
    /// As configured: they update SRTT and RTTVAR, and the variant sees them.
    Standard,
    /// Every segment sent only once is timed, and only the variant sees the samples.
    Withheld,
}

/// A timeout (F-RTO, Eifel) or a fast recovery (`linux`) was needless: no segment was lost, and its reduction is
/// taken back.
#[derive(Copy, Clone, Debug)]
pub struct UndoEvent {
    /// The window before the reduction.
    pub before: Window,
    /// The window that the standard rule sets (RFC 4015 §3; Linux: the window before the reduction, if it was larger).
    pub standard: Window,
}

/// Sending resumes after a time in which nothing was in flight.
#[derive(Copy, Clone, Debug)]
pub struct RestartEvent {
    /// Time since the last segment or ACK of new data.
    pub idle: SimDuration,
    /// True if the application had no more data to send. Always false without the need for rates.
    pub app_limited: bool,
    /// The window that the settings' rule sets: smaller than before after more than an RTO (RFC 5681 §4.1).
    pub standard: Window,
}

/// A delivery-rate sample of one ACK (Cheng et al. 2022, draft-cheng-iccrg-delivery-rate-estimation-02).
///
/// It refers to the newest segment that the ACK reports for the first time, cumulatively or by SACK. A
/// segment counts as lost when it is retransmitted.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct RateSample {
    /// Segments delivered since that segment was sent.
    pub delivered: f64,
    /// Time in which they were delivered: the longer of the times in which they were sent and acknowledged.
    /// `None` if the sample is shorter than any round trip and therefore no measure of the rate.
    pub interval: Option<SimDuration>,
    /// The application had no more data to send then, so the path may be faster.
    pub app_limited: bool,
    /// Segments that this ACK reports for the first time.
    pub newly_delivered: f64,
    /// Segments delivered when that segment was sent; a round trip is over when this reaches the
    /// `total_delivered` of its start.
    pub prior_delivered: f64,
    /// Segments delivered so far.
    pub total_delivered: f64,
    /// Segments lost since that segment was sent.
    pub lost: f64,
    /// Segments in flight when that segment was sent, including it.
    pub sent_in_flight: f64,
    /// Segments in flight (sent but not delivered) before this ACK.
    pub prior_in_flight: f64,
    /// Segments in flight after this ACK.
    pub in_flight: f64,
    /// Round trip of that segment, if it was sent only once.
    pub rtt: Option<SimDuration>,
}

impl RateSample {
    /// Segments per second, if the sample is valid.
    pub fn rate(&self) -> Option<f64> {
        self.interval.map(|interval| self.delivered / interval.as_secs_f64())
    }
}

/// The peer answered a marked probe.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct ProbeEvent {
    /// Which of the two answers it is.
    pub kind: ProbeKind,
    /// The id of the exchange.
    pub id: u16,
}

/// Verdict on an answer to a probe.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ProbeVerdict {
    /// The variant was waiting for it.
    Expected,
    /// Unsolicited or late: ignored and counted.
    Stray,
}

/// A segment with payload was sent.
#[derive(Copy, Clone, Debug)]
pub struct SentEvent {
    /// First byte.
    pub seq: Seq32,
    /// Payload bytes.
    pub bytes: u32,
    /// True if any of it was sent before.
    pub retransmission: bool,
    /// True if nothing else was in flight; segments that were SACKed or are lost don't count.
    pub alone: bool,
}

/// Information about the path, from routing or from arriving packets.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PathEvent {
    /// A packet arrived over a path of this many hops.
    Hops(u8),
    /// Routing sends this end's packets along a source route of this many hops (DSR). From then on the hop
    /// counts of arriving packets are ignored: they may have taken another route, or a detour by a router
    /// that salvaged them.
    SourceRoute(u8),
    /// Routing reported a broken link on the path (ELFN). The notice names the segment that met the break by
    /// its first byte (Holland and Vaidya 1999), if it is one of this connection's that is still outstanding.
    LinkFailure {
        /// First byte of that segment.
        segment: Option<Seq32>,
    },
    /// A search of this end's routing for a route to the peer has succeeded.
    RouteFound,
    /// The peer reports about the path, or (`OutOfOrder`) an ACK arrived after one that was sent later. It
    /// comes before the ACK that carries it.
    Report(Report),
    /// The peer has closed its window or reopened it.
    PeerWindow {
        /// True if it has room now.
        open: bool,
    },
    /// For the receiving end: the path is about to be interrupted. It closes its window.
    Interruption,
    /// For the receiving end: the path works again. It reopens its window with three ACKs.
    Restored,
}

/// An action that a variant requests besides its decision.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum Effect {
    /// Set the window.
    SetWindow(Window),
    /// Retransmit the oldest outstanding segment now.
    Retransmit,
    /// Stop sending and stop the retransmission timer until [`Effect::Thaw`]. In `on_loss` and `on_rto` it
    /// also hands the repair to the variant: no recovery starts, no backoff happens, and the window becomes
    /// what the variant returns. Ignored before the connection is open.
    Freeze,
    /// Resume; the retransmission timer restarts.
    Thaw,
    /// Reset the backoff: the timeout is the estimate again.
    EndBackoff,
    /// Start fast recovery with this window: retransmit the oldest segment, then the next one on each
    /// partial ACK (NewReno). With nothing outstanding it only sets the window.
    Recover(Window),
    /// Retransmit everything outstanding from the oldest segment on with this window (go-back-N, as after a
    /// timeout). With nothing outstanding it only sets the window.
    GoBack(Window),
    /// Start the variant's timer, replacing an earlier deadline.
    StartTimer(SimDuration),
    /// Stop the variant's timer.
    StopTimer,
    /// Pace: from now on at least this time passes between two segments with payload; zero ends pacing. The
    /// first segment of a repair and those of limited transmit (RFC 3042) are not held back, but the next
    /// one is.
    Pace(SimDuration),
    /// Pace as Linux 6.1 does: the first ten segments with payload are not held back; the gap at a segment's departure determines
    /// the next one's; after a segment that left late, the gap is shorter by the delay, at most by half.
    PaceAsLinux(SimDuration),
    /// Send an empty segment that the peer acknowledges. The mark is omitted if the peer does not know it.
    Probe(Option<ProbeOption>),
    /// Multiply SRTT and RTTVAR by this factor.
    ScaleRtt(f64),
    /// Record the variant's guess why the segment at `seq` was lost.
    Guess {
        /// First byte of the segment.
        seq: Seq32,
        /// The guess, by a name that the variant chooses.
        guess: &'static str,
    },
}

/// Requested effects in order.
pub type Effects = SmallVec<[Effect; 4]>;

/// One part of a variant.
pub trait CongestionControl: Debug + Send {
    /// A random number of this connection, passed once before any event, for variants that make random
    /// decisions.
    fn seed(&mut self, _seed: u64) {}
    /// The counts of the part, by name, since the connection was created: for the report of a run.
    fn counted(&self) -> &[(&'static str, u64)] {
        &[]
    }
    /// An ACK of new data arrived. The part that owns growth decides the window; it should return
    /// `standard` or the unchanged window when `may_grow` is false.
    fn on_ack(&mut self, _view: &SenderView, event: &AckEvent, _effects: &mut Effects) -> Window {
        event.standard
    }
    /// A duplicate ACK arrived.
    fn on_dup_ack(
        &mut self,
        _view: &SenderView,
        _event: &DupAckEvent,
        _effects: &mut Effects,
    ) -> DupAckDecision {
        DupAckDecision::Recovery
    }
    /// Recovery starts. The part that owns reduction decides the window.
    fn on_loss(&mut self, _view: &SenderView, event: &LossEvent, _effects: &mut Effects) -> Window {
        event.standard
    }
    /// The retransmission timer expired. The part that owns reduction decides.
    fn on_rto(&mut self, _view: &SenderView, event: &RtoEvent, _effects: &mut Effects) -> RtoDecision {
        RtoDecision { window: event.standard, backoff: Backoff::Double }
    }
    /// A timeout or a fast recovery turned out to be needless. The owner of reduction decides the window.
    fn on_undo(&mut self, _view: &SenderView, event: &UndoEvent, _effects: &mut Effects) -> Window {
        event.standard
    }
    /// Sending resumes after an idle time. The owner of reduction decides the window.
    fn on_restart(&mut self, _view: &SenderView, event: &RestartEvent, _effects: &mut Effects) -> Window {
        event.standard
    }
    /// A round-trip sample of data.
    fn on_rtt(&mut self, _view: &SenderView, _event: &RttEvent, _effects: &mut Effects) {}
    /// The round trip of the handshake, whose segments carry no data. It enters SRTT (RFC 6298 §2.2, Linux),
    /// but is no measure of the path for data: at 2 Mb/s, 1460 bytes of payload take 5.8 ms more per hop.
    /// Linux starts a congestion module only after the handshake.
    fn on_handshake(&mut self, _view: &SenderView, _event: &RttEvent, _effects: &mut Effects) {}
    /// An ACK reports delivered segments, cumulatively or by SACK. Called before any other hook for this
    /// ACK: `view` has the sender's previous state.
    fn on_rate(&mut self, _view: &SenderView, _sample: &RateSample, _effects: &mut Effects) {}
    /// The peer answered a marked probe. The ACK that carried the answer has already been processed.
    fn on_probe_answer(
        &mut self,
        _view: &SenderView,
        _event: &ProbeEvent,
        _effects: &mut Effects,
    ) -> ProbeVerdict {
        ProbeVerdict::Stray
    }
    /// A segment with payload was sent.
    fn on_sent(&mut self, _view: &SenderView, _event: &SentEvent) {}
    /// Fast recovery ended.
    fn on_recovery_exit(&mut self, _view: &SenderView, _effects: &mut Effects) {}
    /// Information about the path arrived.
    fn on_path_event(&mut self, _view: &SenderView, _event: PathEvent, _effects: &mut Effects) {}
    /// The variant's timer expired.
    fn on_timer(&mut self, _view: &SenderView, _effects: &mut Effects) {}
    /// Upper bound of the congestion window, segments, at least 1.
    fn limit(&self) -> Option<f64> {
        None
    }
    /// Lower bound of the congestion window, segments; a lower [limit](Self::limit) takes precedence.
    fn floor(&self) -> Option<f64> {
        None
    }
    /// Most segments sent on one ACK; by default only the configured limit applies.
    fn burst(&self) -> Option<u32> {
        None
    }
    /// Which round-trip samples are currently taken.
    fn sampling(&self) -> Sampling {
        Sampling::Standard
    }
    /// True if [`CongestionControl::on_sent`] should be called (this builds a view for every segment).
    fn wants_sent(&self) -> bool {
        false
    }
}
