//! An acknowledgment, and its meanings.

use smallvec::SmallVec;

/// A validated acknowledgment in offsets.
#[derive(Clone, Debug)]
pub(crate) struct Ack {
    /// Everything below is acknowledged; not above `max`.
    pub to: u64,
    /// True if it can count as a duplicate: no payload, SYN, FIN or probe, and an unchanged window.
    pub pure: bool,
    /// Valid SACK blocks above `to`.
    pub blocks: SmallVec<[(u64, u64); 4]>,
    /// The end of what came twice, if the first block says so (D-SACK, RFC 2883).
    pub dsack: Option<u64>,
    /// The echoed timestamp.
    pub echo: Option<u32>,
}

/// The exchange that a round-trip sample measured.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Timed {
    /// A SYN and its answer.
    Handshake,
    /// A segment with payload.
    Data,
}

/// Meaning of a duplicate ACK for the recovery.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Dup {
    /// Below the threshold.
    Early,
    /// It indicates a loss.
    Loss,
    /// Beyond the threshold.
    More,
    /// The variant has handled it.
    Done,
}
