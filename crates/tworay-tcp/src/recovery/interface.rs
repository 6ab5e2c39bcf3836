//! The interface of a recovery.

use super::decisions::{Decisions, NewData, Reduction, Reply, Restart, Segment, Sending, TimerFor};
use crate::control::Window;
use crate::send::{Ack, CutBy, Cx, Dup, Early, Scoreboard, SendState};
use std::fmt::Debug;
use tworay_base::SimTime;

/// Reactions of a recovery to its sender's events: events in, decisions out.
///
/// Decisions are carried out in order. A decision that the variant may change is answered by an event:
/// [`CountDup`](super::Decision::CountDup) by [`on_dup`](Self::on_dup), [`Reduce`](super::Decision::Reduce)
/// by [`on_reduced`](Self::on_reduced), [`GrowTo`](super::Decision::GrowTo) by [`on_grown`](Self::on_grown),
/// [`Restore`](super::Decision::Restore) by [`on_restored`](Self::on_restored) and [`Leave`](super::Decision::Leave) by [`on_left`](Self::on_left). What depends on the answer is decided
/// there.
pub(crate) trait Recovery: Debug + Send {
    /// An ACK arrived; none of it has been processed.
    fn on_ack(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, out: &mut Decisions) -> Reply;

    /// The sequence space has advanced to the ACK.
    fn on_advanced(&mut self, _: &SendState, _: &Cx, _: &Ack, _: NewData, _: &mut Decisions) {}

    /// A duplicate ACK was counted, and the variant asked about it.
    fn on_dup(&mut self, _tx: &SendState, _cx: &Cx, _dup: Dup, _out: &mut Decisions) {}

    /// The window was reduced, unless the variant has stopped the sender.
    fn on_reduced(&mut self, _tx: &SendState, _cx: &Cx, _reduction: Reduction, _out: &mut Decisions) {}

    /// The growth of the window is decided.
    fn on_grown(&mut self, _tx: &SendState, _cx: &Cx, _out: &mut Decisions) {}

    /// The window before a needless fast recovery is restored.
    fn on_restored(&mut self, _tx: &SendState, _cx: &Cx, _out: &mut Decisions) {}

    /// The variant knows that fast recovery is over.
    fn on_left(&mut self, _tx: &SendState, _cx: &Cx, _out: &mut Decisions) {}

    /// Everything that an ACK requires is done: the sending that it allows.
    fn after_ack(&mut self, tx: &SendState, cx: &Cx) -> Sending;

    /// True during fast recovery.
    fn in_recovery(&self, tx: &SendState) -> bool {
        tx.cut.by == CutBy::DupAcks && tx.space.una < tx.cut.point
    }

    /// True while losses are repaired after a timeout, until everything sent before it is acknowledged.
    fn after_timeout(&self, tx: &SendState) -> bool {
        tx.cut.by == CutBy::Timeout && tx.space.una < tx.cut.point
    }

    /// True if nothing is in flight. Segments that were SACKed or are lost don't count, if the recovery knows them.
    fn nothing_in_flight(&self, tx: &SendState) -> bool {
        tx.space.flight() == 0
    }

    /// True if an expiry of the retransmission timer leaves the count of duplicate ACKs as it is.
    fn keeps_dup_acks(&self) -> bool {
        false
    }

    /// The window after a timeout unless the variant decides it; `standard` is RFC 5681's.
    fn timeout_window(&self, _tx: &SendState, standard: Window) -> Window {
        standard
    }

    /// A timeout reduced the window; returns the congestion window if it is to be another one, segments.
    fn on_timeout(&mut self, _tx: &SendState, _cx: &Cx) -> Option<f64> {
        None
    }

    /// Everything outstanding is to be retransmitted from the oldest segment on.
    fn go_back(&mut self, _tx: &SendState, _cx: &Cx) -> Restart {
        Restart::FromOldest
    }

    /// True if the retransmission after a timeout proceeds by the recovery's own record of losses instead of
    /// from the oldest segment on.
    fn repairs_by_record(&self) -> bool {
        false
    }

    /// The timeout was spurious: nothing of what is outstanding counts as lost.
    fn on_spurious(&mut self) {}

    /// The retransmission timer ran for something earlier than the timeout, and expired.
    fn on_early(&mut self, _tx: &SendState, _cx: &Cx, _early: Early, _out: &mut Decisions) {}

    /// A variant requests fast recovery. Returns true if recovery can start without duplicate ACKs; the
    /// sender then marks the cut and retransmits the oldest segment.
    fn begins_on_request(&mut self) -> bool {
        false
    }

    /// True if all segments are selected by [`next_segment`](Self::next_segment).
    fn selects_always(&self) -> bool {
        false
    }

    /// True if, in its current state, the recovery continues by itself when pacing permits the next segment.
    fn selects_now(&self) -> bool {
        false
    }

    /// The recovery will be asked for segments.
    fn begin_selecting(&mut self, _tx: &SendState, _cx: &Cx) {}

    /// True if another segment may be sent.
    fn has_room(&self, _tx: &SendState, _cx: &Cx) -> bool {
        false
    }

    /// The next segment; it is sent.
    fn next_segment(&mut self, _tx: &SendState, _cx: &Cx) -> Option<Segment> {
        None
    }

    /// All selected segments were sent; returns the purpose of the retransmission timer if it changes.
    fn timer_after_sending(&mut self, _tx: &SendState, _cx: &Cx) -> Option<TimerFor> {
        None
    }

    /// The segment `place` places above the oldest outstanding one was sent.
    fn on_sent(&mut self, _place: usize, _now: SimTime) {}

    /// The oldest segment, which ends at `end`, was retransmitted, but not selected by the recovery.
    fn on_oldest_sent_again(&mut self, _tx: &SendState, _end: u64) {}

    /// The window was set to `cwnd` by a variant's decision or after an idle period.
    fn on_window_set(&mut self, _cwnd: f64) {}

    /// The variant set the window by an effect.
    fn on_window_chosen(&mut self) {}

    /// The window to report.
    fn shown_cwnd(&self, tx: &SendState) -> f64 {
        tx.window.cwnd
    }

    /// The data reported by SACK, in recoveries that keep it.
    fn scoreboard(&self) -> Option<&Scoreboard> {
        None
    }
}
