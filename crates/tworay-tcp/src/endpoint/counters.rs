//! What a connection counts.

use tworay_base::SimDuration;

/// Why an arriving segment, or a part of it, was ignored.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Ignored {
    /// It acknowledges data that was never sent.
    AckTooHigh,
    /// It acknowledges less than is acknowledged already.
    OldAck,
    /// A SYN that doesn't fit the state.
    UnexpectedSyn,
    /// Data or an ACK before the connection is open, or without ACK flag after it.
    NoConnection,
    /// Data beyond the window.
    OutsideWindow,
    /// A SACK block that is empty, reversed or covers what was never sent.
    BadSackBlock,
    /// A reset: a simulated peer never sends one.
    Reset,
    /// A probe, or the answer to one, that doesn't fit: with payload, not agreed on, of another exchange.
    StrayProbe,
    /// A notice of a broken link (ELFN) while nothing of this connection was on its way.
    StrayNotice,
}

impl Ignored {
    /// How many reasons there are.
    pub const COUNT: usize = 9;
    /// Every reason, in the order of [`Counters::ignored`].
    pub const ALL: [Ignored; Self::COUNT] = [
        Ignored::AckTooHigh,
        Ignored::OldAck,
        Ignored::UnexpectedSyn,
        Ignored::NoConnection,
        Ignored::OutsideWindow,
        Ignored::BadSackBlock,
        Ignored::Reset,
        Ignored::StrayProbe,
        Ignored::StrayNotice,
    ];

    /// The name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Ignored::AckTooHigh => "ack-too-high",
            Ignored::OldAck => "old-ack",
            Ignored::UnexpectedSyn => "unexpected-syn",
            Ignored::NoConnection => "no-connection",
            Ignored::OutsideWindow => "outside-window",
            Ignored::BadSackBlock => "bad-sack-block",
            Ignored::Reset => "reset",
            Ignored::StrayProbe => "stray-probe",
            Ignored::StrayNotice => "stray-notice",
        }
    }
}

/// Totals since the connection was made.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Counters {
    /// Segments with payload sent, retransmissions included.
    pub sent_segments: u64,
    /// Of these, sent again.
    pub retransmitted_segments: u64,
    /// Payload bytes sent, retransmissions included.
    pub bytes_sent: u64,
    /// Of these, sent again.
    pub bytes_retransmitted: u64,
    /// Payload bytes acknowledged cumulatively.
    pub acked_bytes: u64,
    /// `acked_bytes` in whole MSS: ns-2's highest cumulative ACK.
    pub acked_segments: u64,
    /// Expiries of the retransmission timer with anything outstanding.
    pub timeouts: u64,
    /// Fast retransmits.
    pub fast_retransmits: u64,
    /// Reductions of the congestion window.
    pub window_cuts: u64,
    /// Time from the last send to each of the `timeouts`, summed.
    pub rto_idle: SimDuration,
    /// Duplicate ACKs received.
    pub dup_acks: u64,
    /// Bare ACKs sent.
    pub acks_sent: u64,
    /// Probes sent (window and path).
    pub probes_sent: u64,
    /// Probes of the peer answered.
    pub probes_answered: u64,
    /// How often the variant has stopped the sender.
    pub freezes: u64,
    /// How long it was stopped, periods that are over.
    pub frozen: SimDuration,
    /// Segments that arrived beyond a gap.
    pub out_of_order: u64,
    /// Segments that brought nothing new.
    pub duplicates: u64,
    /// Segments with new data that was thrown away (outside the window).
    pub discarded: u64,
    /// Payload bytes handed to the application.
    pub delivered_bytes: u64,
    /// Needless retransmissions reported by D-SACK.
    pub spurious_retransmissions: u64,
    /// Operations that no other counter has; [`Counters::operations`] gives all.
    pub(crate) operations: crate::costs::Operations,
    /// Ignored segments by reason, in the order of [`Ignored::ALL`].
    pub ignored: [u64; Ignored::COUNT],
}

impl Counters {
    /// Ignored segments for this reason.
    pub fn ignored_for(&self, why: Ignored) -> u64 {
        self.ignored[why as usize]
    }
    pub(crate) fn ignore(&mut self, why: Ignored) {
        self.ignored[why as usize] += 1;
    }
}
