//! Counters of a connection.

use strum::{EnumCount, IntoStaticStr, VariantArray};
use tworay_base::SimDuration;

/// Why an arriving segment, or a part of it, was ignored.
#[derive(Copy, Clone, PartialEq, Eq, Debug, EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Ignored {
    /// It acknowledges data that was never sent.
    AckTooHigh,
    /// It acknowledges less than was already acknowledged.
    OldAck,
    /// A SYN that does not fit the state.
    UnexpectedSyn,
    /// Data or an ACK before the connection is open, or a segment without ACK flag afterwards.
    NoConnection,
    /// Data beyond the window.
    OutsideWindow,
    /// A SACK block that is empty, reversed or covers data never sent.
    BadSackBlock,
    /// A reset. Simulated peers never send one.
    Reset,
    /// A probe or an answer that does not fit: with payload, not negotiated, or of another exchange.
    StrayProbe,
    /// A notice of a broken link (ELFN) while this connection had nothing in flight.
    StrayNotice,
}

impl Ignored {
    /// Number of reasons.
    pub const COUNT: usize = <Ignored as EnumCount>::COUNT;
    /// Every reason, in the order of [`Counters::ignored`].
    pub const ALL: &'static [Ignored] = Ignored::VARIANTS;

    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Totals since the connection was created.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Counters {
    /// Segments with payload sent, retransmissions included.
    pub sent_segments: u64,
    /// Retransmitted segments among these.
    pub retransmitted_segments: u64,
    /// Payload bytes sent, retransmissions included.
    pub bytes_sent: u64,
    /// Retransmitted bytes among these.
    pub bytes_retransmitted: u64,
    /// Payload bytes acknowledged cumulatively.
    pub acked_bytes: u64,
    /// `acked_bytes` in whole MSS; corresponds to ns-2's highest cumulative ACK.
    pub acked_segments: u64,
    /// Expiries of the retransmission timer with data outstanding.
    pub timeouts: u64,
    /// Fast retransmits.
    pub fast_retransmits: u64,
    /// Reductions of the congestion window.
    pub window_cuts: u64,
    /// Time from the last transmission to each timeout, summed over `timeouts`.
    pub rto_idle: SimDuration,
    /// Duplicate ACKs received.
    pub dup_acks: u64,
    /// Bare ACKs sent.
    pub acks_sent: u64,
    /// Probes sent, of the window and of the path.
    pub probes_sent: u64,
    /// Answers sent to the peer's probes.
    pub probes_answered: u64,
    /// Number of times that the variant stopped the sender.
    pub freezes: u64,
    /// Total time the sender was stopped, completed periods only.
    pub frozen: SimDuration,
    /// Segments that arrived after a gap.
    pub out_of_order: u64,
    /// Segments without new data.
    pub duplicates: u64,
    /// Segments with new data that was discarded (outside the window).
    pub discarded: u64,
    /// Payload bytes handed to the application.
    pub delivered_bytes: u64,
    /// Timeouts that turned out to be spurious and were taken back.
    pub undone_timeouts: u64,
    /// Needless retransmissions as reported by D-SACK.
    pub spurious_retransmissions: u64,
    /// Operations without a counter of their own; [`Counters::operations`] returns all.
    pub(crate) operations: crate::costs::Operations,
    /// Ignored segments by reason, in the order of [`Ignored::ALL`].
    pub ignored: [u64; Ignored::COUNT],
}

impl Counters {
    /// Number of segments ignored for this reason.
    pub fn ignored_for(&self, why: Ignored) -> u64 {
        self.ignored[why as usize]
    }
    pub(crate) fn ignore(&mut self, why: Ignored) {
        self.ignored[why as usize] += 1;
    }
}
