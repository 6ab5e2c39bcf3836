//! What goes in and out of a connection besides segments.

use tworay_base::{Seq32, SimDuration, SimTime};
use tworay_wire::TcpSegment;

/// Which end opens the connection.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Side {
    /// Sends the SYN.
    Active,
    /// Waits for it.
    Passive,
}

/// How much the application hands over in one write.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Amount {
    /// This many bytes.
    Bytes(u64),
    /// More than any run can send; later writes add nothing.
    Endless,
}

/// What an arriving packet tells about its path.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Arrival {
    /// Hop limit left in the IP header as it was received; 0 if unknown.
    pub ttl_left: u8,
    /// Length in hops of the source route that the packet carried (DSR); 0 if it carried none, or only that
    /// of a router that salvaged it, which begins in the middle of the way.
    pub hops: u8,
}

impl Arrival {
    /// Length of the path in hops: the source route's, otherwise what is missing from the initial hop
    /// limit. Every router on the way takes one, so 64 left of 64 is one hop. Senders start from 64 (RFC
    /// 1700, Linux), 128 or 255: the next one up is taken. `None` if neither is known.
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

/// The two port numbers of a connection, seen from its owner.
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
}

impl TcpTimer {
    /// How many timers there are; [`TcpTimer::index`] is below it.
    pub const COUNT: usize = 4;
    const ALL: [TcpTimer; Self::COUNT] =
        [TcpTimer::Retransmit, TcpTimer::DelayedAck, TcpTimer::Persist, TcpTimer::Variant];

    /// Position in a table of timers.
    #[inline]
    pub fn index(self) -> usize {
        self as usize
    }

    /// The timer at position `i`, if there is one.
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

/// What a sent segment is for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SegmentKind {
    /// Payload.
    Data {
        /// Whether any of these bytes were sent before.
        retransmission: bool,
    },
    /// A bare acknowledgment.
    Ack,
    /// SYN or FIN.
    Control(Control),
    /// A probe of the peer's window or of the path; carries no new data.
    Probe,
}

/// What the connection wants done, in order.
#[derive(Clone, PartialEq, Debug)]
pub enum TcpAction {
    /// Hand this segment to IP.
    Send {
        /// The segment.
        segment: TcpSegment,
        /// Length of the IP packet, bytes (differs from the encoding's only under ns-2's sizes).
        ip_bytes: u32,
        /// What it is for.
        kind: SegmentKind,
    },
    /// Set a timer; an earlier deadline of the same timer is void.
    Arm(TcpTimer, SimTime),
    /// Stop a timer.
    Disarm(TcpTimer),
    /// Hand in-order bytes to the application.
    Deliver {
        /// How many.
        bytes: u32,
    },
    /// The connection is open.
    Connected,
    /// The peer's FIN arrived in order: no more data will come.
    PeerClosed,
    /// Everything written, and the FIN if FINs are sent, was acknowledged.
    Finished,
    /// An observation for probes and the ledger.
    Note(TcpNote),
}

/// Observations that change nothing.
#[derive(Copy, Clone, PartialEq, Debug)]
pub enum TcpNote {
    /// Duplicate ACKs (or SACK) brought a retransmission before the timer.
    FastRetransmit {
        /// First byte sent again.
        seq: Seq32,
    },
    /// The retransmission timer expired with data outstanding.
    Timeout {
        /// Oldest byte not acknowledged.
        seq: Seq32,
        /// Factor on the RTO from now on.
        backoff: u32,
    },
    /// Fast recovery ended with everything acknowledged.
    RecoveryExit,
    /// The variant's opinion why a segment was lost.
    LossGuess {
        /// First byte of the segment.
        seq: Seq32,
        /// Its opinion, a name of the variant's own.
        guess: &'static str,
    },
    /// The peer reported a byte twice (D-SACK, RFC 2883): a retransmission was needless.
    SpuriousRetransmission {
        /// First byte that came twice.
        seq: Seq32,
    },
}

/// What the sender is doing.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
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
    /// The variant has stopped the sender.
    Frozen,
}

impl Phase {
    /// How many phases there are.
    pub const COUNT: usize = 6;
    /// Every phase, in the order of its number.
    pub const ALL: [Phase; Self::COUNT] = [
        Phase::Handshake,
        Phase::SlowStart,
        Phase::CongestionAvoidance,
        Phase::Recovery,
        Phase::RtoRecovery,
        Phase::Frozen,
    ];

    /// The name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Handshake => "handshake",
            Phase::SlowStart => "slow_start",
            Phase::CongestionAvoidance => "congestion_avoidance",
            Phase::Recovery => "recovery",
            Phase::RtoRecovery => "rto_recovery",
            Phase::Frozen => "frozen",
        }
    }
}

/// The sender's state at one moment.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct Snapshot {
    /// Congestion window in segments, without the inflation by duplicate ACKs.
    pub cwnd: f64,
    /// Slow-start threshold in segments.
    pub ssthresh: f64,
    /// Smoothed round-trip time, once there is a sample.
    pub srtt: Option<SimDuration>,
    /// Round-trip time variation.
    pub rttvar: Option<SimDuration>,
    /// Retransmission timeout in force, backed off and clamped.
    pub rto: SimDuration,
    /// Bytes sent and not acknowledged cumulatively.
    pub flight_bytes: u64,
    /// The same in segments, the last one counted whole.
    pub flight_segments: u64,
    /// Oldest byte not acknowledged.
    pub una: Seq32,
    /// Next byte to send.
    pub nxt: Seq32,
    /// What the sender is doing.
    pub phase: Phase,
}
