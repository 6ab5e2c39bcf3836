//! Inputs and outputs of a connection besides segments.

use strum::{EnumCount, IntoStaticStr, VariantArray};
use tworay_base::{Seq32, SimDuration, SimTime};
use tworay_wire::TcpSegment;

/// Which end opens the connection.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Side {
    /// Sends the SYN.
    Active,
    /// Waits for the SYN.
    Passive,
}

/// Amount of data in one write.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Amount {
    /// This many bytes.
    Bytes(u64),
    /// More than any run can send; later writes add nothing.
    Endless,
}

/// Information of an arriving packet about its path.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Arrival {
    /// Remaining hop limit in the IP header on reception; 0 if unknown.
    pub ttl_left: u8,
    /// Hops of the source route that the packet carried (DSR); 0 without one, or with the route of a
    /// salvaging router, which starts in the middle of the path.
    pub hops: u8,
}

impl Arrival {
    /// Path length in hops: that of the source route, otherwise the initial hop limit minus the remaining
    /// one. Every router decrements it, so 64 remaining of 64 is one hop. Senders start at 64 (RFC 1700,
    /// Linux), 128 or 255: the smallest of these not below the remaining limit is assumed. `None` if
    /// neither is known.
    pub fn path_hops(self) -> Option<u8> {
        match (self.hops, self.ttl_left) {
            (0, 0) => None,
            (0, ttl @ 1..=64) => Some(65 - ttl),
            (0, ttl @ 65..=128) => Some(129 - ttl),
            (0, ttl) => Some(255 - ttl + 1),
            (hops, _) => Some(hops),
        }
    }
}

/// The two port numbers of a connection, from its owner's view.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Ports {
    /// Our port.
    pub local: u16,
    /// The peer's port.
    pub remote: u16,
}

/// The timers of a connection; each has at most one deadline.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum TcpTimer {
    /// Retransmission timeout (RFC 6298).
    Retransmit,
    /// A delayed acknowledgment is due (RFC 1122 §4.2.3.2).
    DelayedAck,
    /// Probe a closed window (RFC 9293 §3.8.6.1).
    Persist,
    /// The variant's own timer (probing, freezing).
    Variant,
    /// A segment that pacing has held back may be sent.
    Pace,
}

impl TcpTimer {
    /// Number of timers; [`TcpTimer::index`] is smaller.
    pub const COUNT: usize = 5;
    const ALL: [TcpTimer; Self::COUNT] =
        [TcpTimer::Retransmit, TcpTimer::DelayedAck, TcpTimer::Persist, TcpTimer::Variant, TcpTimer::Pace];

    /// Index in a table of timers.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The timer with index `i`, if there is one.
    #[inline]
    pub fn from_index(i: usize) -> Option<Self> {
        Self::ALL.get(i).copied()
    }
}

/// A segment that only controls the connection.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Control {
    /// Opens (with or without ACK).
    Syn,
    /// Closes.
    Fin,
}

/// Purpose of a sent segment.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SegmentKind {
    /// Payload.
    Data {
        /// True if any of these bytes were sent before.
        retransmission: bool,
    },
    /// A bare acknowledgment.
    Ack,
    /// SYN or FIN.
    Control(Control),
    /// A probe of the peer's window or of the path, without new data.
    Probe,
}

/// Actions for the caller, in order.
#[derive(Clone, PartialEq, Debug)]
pub enum TcpAction {
    /// Hand this segment to IP.
    Send {
        /// The segment.
        segment: TcpSegment,
        /// Length of the IP packet in bytes; it differs from the encoded length only with ns-2's sizes.
        ip_bytes: u32,
        /// Its purpose.
        kind: SegmentKind,
    },
    /// Set a timer; it replaces an earlier deadline of the same timer.
    Arm(TcpTimer, SimTime),
    /// Stop a timer.
    Disarm(TcpTimer),
    /// Hand in-order bytes to the application.
    Deliver {
        /// Number of bytes.
        bytes: u32,
    },
    /// The connection is open.
    Connected,
    /// The peer's FIN arrived in order: no more data will come.
    PeerClosed,
    /// Everything written was acknowledged, and so was the FIN if FINs are sent.
    Finished,
    /// An observation for the recorder and the ledger.
    Note(TcpNote),
}

/// Observations without effect on the connection.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum TcpNote {
    /// Duplicate ACKs or SACK triggered a retransmission before the timer expired.
    FastRetransmit {
        /// First byte retransmitted.
        seq: Seq32,
    },
    /// The retransmission timer expired with data outstanding.
    Timeout {
        /// Oldest byte not acknowledged.
        seq: Seq32,
        /// Backoff factor of the RTO from now on.
        backoff: u32,
    },
    /// Fast recovery ended with everything acknowledged.
    RecoveryExit,
    /// The variant's guess why a segment was lost.
    LossGuess {
        /// First byte of the segment.
        seq: Seq32,
        /// The guess, by a name that the variant chooses.
        guess: &'static str,
    },
    /// The peer reported a duplicate (D-SACK, RFC 2883): a retransmission was needless.
    SpuriousRetransmission {
        /// First byte of the duplicate.
        seq: Seq32,
    },
}

/// Phase of the sender.
#[derive(Copy, Clone, PartialEq, Eq, Debug, EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Phase {
    /// Not open yet.
    Handshake,
    /// cwnd below ssthresh.
    SlowStart,
    /// cwnd at or above ssthresh.
    CongestionAvoidance,
    /// Fast recovery.
    Recovery,
    /// After a timeout, until everything sent before it is acknowledged.
    RtoRecovery,
    /// Stopped by the variant.
    Frozen,
}

impl Phase {
    /// Number of phases.
    pub const COUNT: usize = <Phase as EnumCount>::COUNT;
    /// Every phase, in the order of its number.
    pub const ALL: &'static [Phase] = Phase::VARIANTS;

    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The sender's state at one moment.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Snapshot {
    /// Congestion window in segments, without the inflation by duplicate ACKs.
    pub cwnd: f64,
    /// Slow-start threshold in segments.
    pub ssthresh: f64,
    /// Smoothed round-trip time; `None` before the first sample.
    pub srtt: Option<SimDuration>,
    /// Round-trip time variation.
    pub rttvar: Option<SimDuration>,
    /// Retransmission timeout in force, after backoff and bounds.
    pub rto: SimDuration,
    /// Bytes sent and not yet acknowledged cumulatively.
    pub flight_bytes: u64,
    /// The same in segments; a partial last segment counts as one.
    pub flight_segments: u64,
    /// Oldest byte not acknowledged.
    pub una: Seq32,
    /// Next byte to send.
    pub nxt: Seq32,
    /// Phase of the sender.
    pub phase: Phase,
}
