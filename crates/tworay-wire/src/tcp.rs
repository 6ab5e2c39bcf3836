//! TCP segments with the options in use (RFC 793, 2018, 7323).

use tinyvec::ArrayVec;
use tworay_base::Seq32;

/// TCP header flags.
#[derive(Copy, Clone, PartialEq, Eq, Default)]
pub struct TcpFlags(pub u8);

impl TcpFlags {
    /// The sender has no more data.
    pub const FIN: TcpFlags = TcpFlags(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: TcpFlags = TcpFlags(0x02);
    /// Reset the connection.
    pub const RST: TcpFlags = TcpFlags(0x04);
    /// Push.
    pub const PSH: TcpFlags = TcpFlags(0x08);
    /// The acknowledgment field is valid.
    pub const ACK: TcpFlags = TcpFlags(0x10);

    /// True if all of `other`'s flags are set.
    #[inline]
    pub const fn has(self, other: TcpFlags) -> bool {
        self.0 & other.0 == other.0
    }
    /// The union of these flags and `other`.
    #[inline]
    pub const fn with(self, other: TcpFlags) -> TcpFlags {
        TcpFlags(self.0 | other.0)
    }
}

impl std::fmt::Debug for TcpFlags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names =
            [(Self::FIN, 'F'), (Self::SYN, 'S'), (Self::RST, 'R'), (Self::PSH, 'P'), (Self::ACK, 'A')];
        names.iter().filter(|(b, _)| self.has(*b)).try_for_each(|(_, c)| write!(f, "{c}"))
    }
}

/// A block of received bytes `[left, right)` (RFC 2018 §3).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct SackBlock {
    /// First byte of the block.
    pub left: Seq32,
    /// The byte after the block's last.
    pub right: Seq32,
}

/// At most four blocks fit in an option space of 40 bytes.
pub type SackBlocks = ArrayVec<[SackBlock; 4]>;

/// Type of a probe option (the four segments of TCP-Probing; Psaras, Mamatas, Tsaoussidis, "On protocol
/// engineering: detect, confirm and adjust", section 4.1).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ProbeKind {
    /// SYN only: this end understands the option.
    Permitted,
    /// First probe.
    Probe1,
    /// Acknowledgment of the first probe.
    Pr1Ack,
    /// Second probe, with the same id.
    Probe2,
    /// Acknowledgment of the second probe.
    Pr2Ack,
}

impl ProbeKind {
    /// All types, by option code from [`ProbeKind::FIRST_CODE`] on.
    pub const ALL: [ProbeKind; 5] =
        [ProbeKind::Permitted, ProbeKind::Probe1, ProbeKind::Pr1Ack, ProbeKind::Probe2, ProbeKind::Pr2Ack];
    /// The lowest of the five option codes, which are unassigned (the paper names none).
    pub const FIRST_CODE: u8 = 240;

    /// The option code: the paper's field `type`.
    pub const fn code(self) -> u8 {
        Self::FIRST_CODE + self as u8
    }

    /// The acknowledgment that a probe requests.
    pub const fn answer(self) -> Option<ProbeKind> {
        match self {
            ProbeKind::Probe1 => Some(ProbeKind::Pr1Ack),
            ProbeKind::Probe2 => Some(ProbeKind::Pr2Ack),
            ProbeKind::Permitted | ProbeKind::Pr1Ack | ProbeKind::Pr2Ack => None,
        }
    }
}

/// The probe option: type (the option code), length (4) and id, which identifies an exchange.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ProbeOption {
    /// Its type.
    pub kind: ProbeKind,
    /// Number of the exchange; 0 with [`ProbeKind::Permitted`].
    pub id: u16,
}

impl ProbeOption {
    /// Bytes of the option: type, length, id.
    pub const WIRE_BYTES: u32 = 4;
}

/// A receiver's report about the path, which it echoes in its pure ACKs: the state of ADTCP (Fu, Meng, Lu
/// 2002), the verdict of a loss differentiation algorithm (Cen, Cosman, Voelker 2003), or TCP-DOOR's flag
/// (Wang, Zhang 2002). One option stands for the three; its code is unassigned, as the papers name none.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// Nothing unusual (ADTCP).
    Normal,
    /// The path is congested.
    Congestion,
    /// The wireless channel loses packets.
    Channel,
    /// The route has changed (ADTCP).
    RouteChange,
    /// A segment arrived after one that was sent later (TCP-DOOR).
    OutOfOrder,
}

impl Report {
    /// All reports, by their number in the option.
    pub const ALL: [Report; 5] =
        [Report::Normal, Report::Congestion, Report::Channel, Report::RouteChange, Report::OutOfOrder];
    /// The option code, which is unassigned.
    pub const CODE: u8 = 245;
    /// Bytes of the option: type, length, report.
    pub const WIRE_BYTES: u32 = 3;
}

/// The options of a segment.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct TcpOptions {
    /// Maximum segment size (SYN only), bytes.
    pub mss: Option<u16>,
    /// SACK permitted (SYN only).
    pub sack_permitted: bool,
    /// Window scale shift (SYN only), 0..=14.
    pub window_scale: Option<u8>,
    /// Timestamp value and echo.
    pub timestamps: Option<(u32, u32)>,
    /// Selective acknowledgments, newest first.
    pub sack: SackBlocks,
    /// A probe, its acknowledgment, or the announcement that probes are understood.
    pub probe: Option<ProbeOption>,
    /// The receiver's report about the path (pure ACKs only).
    pub report: Option<Report>,
}

impl TcpOptions {
    /// Bytes of the options in the header, padded to a multiple of four.
    pub fn wire_bytes(&self) -> u32 {
        let mut n = 0;
        if self.mss.is_some() {
            n += 4;
        }
        if self.sack_permitted {
            n += 2;
        }
        if self.window_scale.is_some() {
            n += 3;
        }
        if self.timestamps.is_some() {
            n += 10;
        }
        if !self.sack.is_empty() {
            n += 2 + 8 * self.sack.len() as u32;
        }
        if self.probe.is_some() {
            n += ProbeOption::WIRE_BYTES;
        }
        if self.report.is_some() {
            n += Report::WIRE_BYTES;
        }
        n.div_ceil(4) * 4
    }
}

/// A TCP segment. Payload bytes are counted, not stored.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TcpSegment {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Sequence number of the first payload byte (of the SYN or FIN if there is no payload).
    pub seq: Seq32,
    /// Next byte expected from the other side, if ACK is set.
    pub ack: Seq32,
    /// Header flags.
    pub flags: TcpFlags,
    /// Receive window in bytes, after scaling.
    pub window: u32,
    /// Payload bytes.
    pub payload: u32,
    /// Options.
    pub options: TcpOptions,
}

impl TcpSegment {
    /// Length in sequence space: payload plus one for SYN and one for FIN.
    #[inline]
    pub fn seq_len(&self) -> u32 {
        self.payload + u32::from(self.flags.has(TcpFlags::SYN)) + u32::from(self.flags.has(TcpFlags::FIN))
    }

    /// The sequence number after the segment.
    #[inline]
    pub fn seq_end(&self) -> Seq32 {
        self.seq.plus(self.seq_len())
    }

    /// Length of the IPv4 packet that carries it, bytes: 20 + 20 + options + payload.
    #[inline]
    pub fn ip_bytes(&self) -> u32 {
        40 + self.options.wire_bytes() + self.payload
    }
}
