//! TCP segments with the options that are used (RFC 793, 2018, 7323).

use smallvec::SmallVec;
use tworay_base::Seq32;

/// TCP header flags.
#[derive(Copy, Clone, PartialEq, Eq, Default)]
pub struct TcpFlags(pub u8);

impl TcpFlags {
    /// No more data from the sender.
    pub const FIN: TcpFlags = TcpFlags(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: TcpFlags = TcpFlags(0x02);
    /// Reset the connection.
    pub const RST: TcpFlags = TcpFlags(0x04);
    /// Push.
    pub const PSH: TcpFlags = TcpFlags(0x08);
    /// The acknowledgment field counts.
    pub const ACK: TcpFlags = TcpFlags(0x10);

    /// Whether all of `other`'s flags are set.
    #[inline]
    pub const fn has(self, other: TcpFlags) -> bool {
        self.0 & other.0 == other.0
    }
    /// These flags and `other`'s.
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
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SackBlock {
    /// First byte of the block.
    pub left: Seq32,
    /// The byte after the block's last.
    pub right: Seq32,
}

/// At most four blocks fit in an option space of 40 bytes.
pub type SackBlocks = SmallVec<[SackBlock; 4]>;

/// What a probe option says (TCP-Probing's four segments; Psaras, Mamatas, Tsaoussidis, "On
/// protocol engineering: detect, confirm and adjust", section 4.1).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ProbeKind {
    /// SYN only: this end knows the option.
    Permitted,
    /// The first question.
    Probe1,
    /// Its answer.
    Pr1Ack,
    /// The second question, with the same id.
    Probe2,
    /// Its answer.
    Pr2Ack,
}

impl ProbeKind {
    /// Every kind, by option code from [`ProbeKind::FIRST_CODE`] on.
    pub const ALL: [ProbeKind; 5] =
        [ProbeKind::Permitted, ProbeKind::Probe1, ProbeKind::Pr1Ack, ProbeKind::Probe2, ProbeKind::Pr2Ack];
    /// The lowest of the five option codes; they are unassigned ones (the paper names none).
    pub const FIRST_CODE: u8 = 240;

    /// The option code: the paper's field `type`.
    pub const fn code(self) -> u8 {
        Self::FIRST_CODE + self as u8
    }

    /// The answer that a question asks for.
    pub const fn answer(self) -> Option<ProbeKind> {
        match self {
            ProbeKind::Probe1 => Some(ProbeKind::Pr1Ack),
            ProbeKind::Probe2 => Some(ProbeKind::Pr2Ack),
            ProbeKind::Permitted | ProbeKind::Pr1Ack | ProbeKind::Pr2Ack => None,
        }
    }
}

/// The probe option: type (the option code), length (4) and id, which names a whole exchange.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ProbeOption {
    /// What it says.
    pub kind: ProbeKind,
    /// Number of the exchange; 0 with [`ProbeKind::Permitted`].
    pub id: u16,
}

impl ProbeOption {
    /// Bytes of the option: type, length, id.
    pub const WIRE_BYTES: u32 = 4;
}

/// The options of a segment; absent ones cost nothing.
#[derive(Debug, PartialEq, Eq, Default)]
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
    /// A probe, its answer, or the word that probes are understood.
    pub probe: Option<ProbeOption>,
}

impl Clone for TcpOptions {
    /// Each hop clones each packet; the blocks are copied as they are, not one by one.
    fn clone(&self) -> Self {
        let &Self { mss, sack_permitted, window_scale, timestamps, ref sack, probe } = self;
        let sack = if sack.is_empty() { SackBlocks::new() } else { SackBlocks::from_slice(sack) };
        Self { mss, sack_permitted, window_scale, timestamps, sack, probe }
    }
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
        n.div_ceil(4) * 4
    }
}

/// A TCP segment: the header's fields; payload bytes are counted, not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Sequence space used: payload plus one for SYN and one for FIN.
    #[inline]
    pub fn seq_len(&self) -> u32 {
        self.payload + u32::from(self.flags.has(TcpFlags::SYN)) + u32::from(self.flags.has(TcpFlags::FIN))
    }

    /// The sequence number after the last one used.
    #[inline]
    pub fn seq_end(&self) -> Seq32 {
        self.seq.plus(self.seq_len())
    }

    /// Length of the IPv4 packet that carries it: 20 + 20 + options + payload, bytes.
    #[inline]
    pub fn ip_bytes(&self) -> u32 {
        40 + self.options.wire_bytes() + self.payload
    }
}
