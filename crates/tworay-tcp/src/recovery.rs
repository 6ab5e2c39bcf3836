//! Loss recovery: the event interface ([`Recovery`]) and one file for each recovery.
//!
//! A recovery owns its state. It receives events, reads the [`SendState`], and returns [`Decision`]s; the
//! [sender](crate::send) alone carries them out. Events that interest only one recovery have a default
//! method that does nothing, so each file can be read without the others.

mod decisions;
mod marks;
mod newreno;
mod rack_tlp;
mod reno;
mod repairs;
mod sack;
mod sack_ns2;
mod tahoe;
mod tcp_linux;
mod vegas_repair;

pub(crate) use decisions::{
    Advance, Decision, Decisions, Detected, Kind, NewData, Reduction, Reply, Restart, Segment, Sending,
    TimerFor,
};
pub(crate) use newreno::ENTRY as NEWRENO;
pub(crate) use reno::ENTRY as RENO;
pub(crate) use repairs::{EIFEL, F_RTO, LINUX, PRR, RACK, RACK_TLP};
pub(crate) use sack::ENTRY as SACK;
pub(crate) use tahoe::ENTRY as TAHOE;
pub(crate) use vegas_repair::ENTRY as VEGAS;

use crate::config::{SackForm, TcpConfig};
use crate::control::Window;
use crate::send::{Ack, CutBy, Cx, Dup, Early, Scoreboard, SendState};
use crate::variant::{RecoveryKind, Repairs, Settings};
use std::fmt::Debug;
use tworay_base::SimTime;
use vegas_repair::{Thresholds, VegasRepair};

/// Creates the recovery of one connection; `values` are its validated parameters.
pub(crate) fn make(
    kind: RecoveryKind,
    values: &[f64],
    repairs: Repairs,
    cfg: &TcpConfig,
) -> Box<dyn Recovery> {
    if repairs.marks_segments() {
        return Box::new(rack_tlp::RackTlp::new(repairs));
    }
    match (kind, cfg.sack.form) {
        (RecoveryKind::Tahoe, _) => Box::new(tahoe::Tahoe),
        (RecoveryKind::Reno, _) => Box::new(reno::Reno::default()),
        (RecoveryKind::NewReno, _) => Box::new(newreno::NewReno::default()),
        (RecoveryKind::Sack, SackForm::Rfc6675) => Box::new(sack::Sack::default()),
        (RecoveryKind::Sack, SackForm::Ns2Pipe) => Box::new(sack_ns2::SackNs2::default()),
        (RecoveryKind::Sack, SackForm::TcpLinux) => Box::new(tcp_linux::TcpLinux::new(cfg)),
        (RecoveryKind::Vegas, _) => Box::new(VegasRepair::new(Thresholds::read(values), cfg)),
    }
}

/// Reactions of a recovery to its sender's events: events in, decisions out.
///
/// Decisions are carried out in order. A decision that the variant may change is answered by an event:
/// [`CountDup`](Decision::CountDup) by [`on_dup`](Self::on_dup), [`Reduce`](Decision::Reduce) by
/// [`on_reduced`](Self::on_reduced), [`GrowTo`](Decision::GrowTo) by [`on_grown`](Self::on_grown) and
/// [`Leave`](Decision::Leave) by [`on_left`](Self::on_left). What depends on the answer is decided there.
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
