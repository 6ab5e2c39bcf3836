//! The decisions of a recovery; the sender carries them out.

use crate::control::Window;
use crate::send::{CutBy, Early, SentBetween};
use tworay_base::SimTime;

/// Decisions in the order in which they are carried out.
pub(crate) type Decisions = Vec<Decision>;

/// One decision of a recovery.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Decision {
    /// Count a duplicate ACK and ask the variant about it. Answered by `on_dup`.
    CountDup,
    /// Count a duplicate ACK that is no matter of the variant.
    CountDupSilently,
    /// Set the count of consecutive duplicate ACKs.
    SetDupAcks(u32),
    /// Set the congestion window, segments.
    SetCwnd(f64),
    /// Set the slow-start threshold, segments.
    SetSsthresh(f64),
    /// Set the window's inflation by duplicate ACKs, segments.
    SetInflation(f64),
    /// Grow by the standard rule for `bytes` acknowledged; if `may_grow` is false, the variant only records
    /// the ACK.
    Grow { bytes: u64, may_grow: bool },
    /// Grow to this window unless the variant decides otherwise. Answered by `on_grown`.
    GrowTo(Growth),
    /// Reduce to this window unless the variant decides otherwise. Answered by `on_reduced`.
    Reduce { standard: Window, cause: Detected },
    /// Reduce to this window, set by a recovery whose reductions are its own.
    ReduceOwn { cwnd: f64 },
    /// Count a fast retransmission of the oldest segment.
    CountFastRetransmit,
    /// Record a reduction at this moment.
    MarkCut(CutBy),
    /// The repair of the last reduction is over.
    EndCut,
    /// Forget up to where the last reduction reached.
    ForgetCutPoint,
    /// Start fast recovery: record the reduction, restart the timer, retransmit the oldest segment.
    StartFastRecovery,
    /// A fast recovery was needless: return to the window before it unless the variant decides otherwise. Answered by
    /// `on_restored`.
    Restore(Window),
    /// Tell the variant that fast recovery is over. Answered by `on_left`.
    Leave,
    /// Restart the retransmission timer.
    ArmTimer,
    /// Double the timeout.
    BackOff,
    /// Reset the backoff.
    EndBackoff,
    /// Take no round-trip sample of the segment being timed (Karn).
    StopTiming,
    /// Take the age of the echoed time stamp as a sample.
    SampleEcho,
    /// Take the round trips of segments that were SACKed, sent at these times.
    SampleSacked(SentBetween),
    /// Bytes sent by limited transmit count as part of the window again.
    ForgetLimited,
    /// Send one new segment beyond the window (RFC 3042).
    LimitedTransmit,
    /// Retransmit the oldest segment, as far as it is not SACKed.
    RetransmitOldest,
    /// The same, unless the variant has stopped the sender.
    RetransmitUnlessStopped,
    /// Send this segment.
    Send(Segment),
    /// Send from the oldest segment on again.
    Rewind,
}

/// Growth of the window on an ACK of new data.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) struct Growth {
    /// The window unless the variant decides otherwise.
    pub standard: Window,
    /// Newly acknowledged bytes.
    pub bytes: u64,
    /// Newly acknowledged segments, without those that SACK reported before if they are known.
    pub delivered: f64,
    /// If false, the variant only records the ACK.
    pub may_grow: bool,
    /// True if the window limited what was sent; `None` if that is not known.
    pub limited: Option<bool>,
}

/// Detection of a loss.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Detected {
    /// By duplicate ACKs or by time: a fast retransmission follows and is counted.
    FastRetransmit,
    /// A tail loss probe has repaired it already.
    ByProbe,
}

/// First answer to an ACK.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reply {
    /// New data while nothing is being repaired: advance fully, grow by the standard rule, and send what the
    /// window permits. No further questions.
    Routine,
    /// New data: after the decisions, advance like this. `on_advanced` follows.
    Advance(Advance),
    /// No new data: carry out the decisions.
    Decided,
}

/// Advance of the sequence space by an ACK of new data.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Advance {
    /// Take a round-trip sample and restart the timer.
    Full,
    /// A partial ACK: no sample; the timer runs on.
    Partial,
    /// As `Partial`, and the backoff stays even if the segment being timed is acknowledged.
    PartialKeepingBackoff,
}

/// New data that an ACK acknowledged.
#[derive(Copy, Clone, Debug)]
pub(crate) struct NewData {
    /// Bytes.
    pub bytes: u64,
    /// Whole segments.
    pub segments: usize,
    /// The ACK answers the SYN.
    pub opening: bool,
}

/// Result of a requested reduction.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Reduction {
    /// The window before.
    pub before: Window,
    /// False if the variant has stopped the sender instead: no recovery may start.
    pub stands: bool,
}

/// Retransmission after a timeout.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) enum Restart {
    /// From the oldest segment on.
    FromOldest,
    /// By the recovery's own record of losses, with this congestion window if it is to change, segments.
    ByRecord { cwnd: Option<f64> },
}

/// Sending after an ACK.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sending {
    Nothing,
    /// The window permits, at most this many segments (0: no limit).
    Window {
        burst: u32,
    },
    /// The recovery selects, at most this many segments (0: no limit).
    Selected {
        burst: u32,
    },
}

/// A segment that a recovery sends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Segment {
    /// Offset of the first byte.
    pub start: u64,
    /// Bytes.
    pub len: u64,
    /// Kind of transmission.
    pub kind: Kind,
}

/// Kind of transmission of a [`Segment`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// New data: sending goes on after it.
    New,
    /// New data of limited transmit, which is not included in what a loss halves (RFC 5681 §3.2 step 2).
    Limited,
    /// A retransmission; sending of new data goes on where it was.
    Again,
    /// A retransmission that restarts the timer.
    AgainTimed,
    /// ns-2: sending goes on at this offset at the earliest.
    UpTo(u64),
}

/// Purpose of the retransmission timer.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum TimerFor {
    /// Something that comes before the timeout, at this time.
    Early(Early, SimTime),
    /// The timeout, when it was due before.
    Timeout,
}
