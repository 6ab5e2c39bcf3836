//! Linux takes the reduction of a fast recovery back if nothing was lost: D-SACK reports each of its
//! retransmissions, or the time stamps show that late segments ended it (`tcp_may_undo`, `tcp_try_undo_partial`;
//! RFC 3522, 3708 and 4015).

use super::*;

/// The last fast recovery, until another reduction. D-SACK can undo it after its end, too.
#[derive(Copy, Clone, Debug)]
pub(super) struct Undo {
    /// The window before its reduction.
    before: Window,
    /// The oldest byte outstanding when it began.
    start: u64,
    /// Retransmissions that no D-SACK has reported.
    unreported: usize,
    /// When the recovery first retransmitted something.
    first: Option<SimTime>,
}

/// Retransmissions before a recovery begins.
#[derive(Copy, Clone, Debug)]
pub(super) struct Repaired {
    /// A tail loss probe was a retransmission.
    pub probed: bool,
    /// Retransmissions of the recovery before that are in flight.
    pub again: usize,
    /// That recovery, unless another reduction followed.
    pub last: Option<Undo>,
}

/// Evidence of an ACK about the last fast recovery.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Evidence {
    /// It may have been necessary.
    #[default]
    Nothing,
    /// The ACK was sent before the first retransmission arrived.
    Late,
    /// All that was retransmitted has arrived twice.
    Twice,
}

impl Undo {
    /// A recovery begins with the oldest byte at `start`. Retransmissions in flight count as its own.
    pub fn new(before: Window, start: u64, repaired: Repaired) -> Self {
        let unreported = usize::from(repaired.probed) + repaired.again;
        let first = repaired.last.filter(|_| repaired.again > 0).and_then(|last| last.first);
        Self { before, start, unreported, first }
    }

    /// A segment was retransmitted.
    pub fn on_sent_again(&mut self, now: SimTime) {
        self.unreported += 1;
        self.first = self.first.or(Some(now));
    }

    /// An ACK arrived; none of it has been processed.
    pub fn judge(&mut self, tx: &SendState, cx: &Cx, ack: &Ack) -> Evidence {
        // RFC 2883 §4: what is reported as received twice lies below what was acknowledged.
        if ack.dsack.is_some_and(|end| self.start < end && end <= tx.space.una) {
            self.unreported = self.unreported.saturating_sub(1);
        }
        if self.first.is_some() && self.unreported == 0 {
            Evidence::Twice
        } else if ack.to > tx.space.una && self.first.is_none_or(|at| tx.echoes_before(cx, ack, at)) {
            Evidence::Late
        } else {
            Evidence::Nothing
        }
    }
}

impl RackTlp {
    /// The window to return to if this ACK shows that the last fast recovery was needless. That recovery is over then.
    pub(super) fn needless(&mut self, over: bool) -> Option<Window> {
        let recovering = self.arrival.was_recovering;
        let due = match self.arrival.evidence {
            Evidence::Nothing => false,
            Evidence::Late => recovering && (over || self.marks.again() == 0),
            Evidence::Twice => self.state != State::Loss,
        };
        let before = self.undo.filter(|_| due)?.before;
        if self.arrival.evidence == Evidence::Late {
            // What seemed lost is only late.
            self.marks.replace(|mark| mark == Mark::Lost, Mark::Out);
        }
        self.undo = None;
        Some(before)
    }
}
