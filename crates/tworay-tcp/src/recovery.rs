//! Loss recovery: the event interface ([`Recovery`]) and one file for each recovery.
//!
//! A recovery owns its state and shares the [machinery](crate::send) that sends, measures round trips and
//! runs timers. It receives events, inspects the machinery and calls its methods. Events that interest only
//! one recovery have a default method that does nothing, so each file can be read without the others.

mod marked;
mod newreno;
mod reno;
mod repairs;
mod sack;
mod sack_ns2;
mod tahoe;
mod tcp_linux;
mod vegas_repair;

pub(crate) use newreno::ENTRY as NEWRENO;
pub(crate) use reno::ENTRY as RENO;
pub(crate) use repairs::{EIFEL, F_RTO, LINUX, PRR, RACK, RACK_TLP};
pub(crate) use sack::ENTRY as SACK;
pub(crate) use tahoe::ENTRY as TAHOE;
pub(crate) use vegas_repair::ENTRY as VEGAS;

use crate::config::{SackForm, TcpConfig};
use crate::control::Window;
use crate::send::{Ack, CutBy, Cx, Early, Machinery};
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
        return Box::new(marked::Marked::new(repairs));
    }
    match (kind, cfg.sack.form) {
        (RecoveryKind::Tahoe, _) => Box::new(tahoe::Tahoe),
        (RecoveryKind::Reno, _) => Box::new(reno::Reno),
        (RecoveryKind::NewReno, _) => Box::new(newreno::NewReno::default()),
        (RecoveryKind::Sack, SackForm::Rfc6675) => Box::new(sack::Sack::default()),
        (RecoveryKind::Sack, SackForm::Ns2Pipe) => Box::new(sack_ns2::SackNs2::default()),
        (RecoveryKind::Sack, SackForm::TcpLinux) => Box::new(tcp_linux::TcpLinux::new(cfg)),
        (RecoveryKind::Vegas, _) => Box::new(VegasRepair::new(Thresholds::read(values), cfg)),
    }
}

/// Reactions of a recovery to its sender's events.
pub(crate) trait Recovery: Debug + Send {
    /// An acknowledgment arrived: repair the losses it shows, grow the window, and send what it allows.
    fn on_ack(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack);

    /// Whether fast recovery is in progress.
    fn in_recovery(&self, tx: &Machinery) -> bool {
        tx.cut.by == CutBy::DupAcks && tx.space.una < tx.cut.point
    }

    /// Whether losses are being repaired after a timeout, until everything sent before it is acknowledged.
    fn after_timeout(&self, tx: &Machinery) -> bool {
        tx.cut.by == CutBy::Timeout && tx.space.una < tx.cut.point
    }

    /// The retransmission timer expired; called before any decision.
    fn on_expiry(&mut self, tx: &mut Machinery) {
        tx.dup_acks = 0;
    }

    /// The window after a timeout unless the variant decides it; `standard` is RFC 5681's.
    fn timeout_window(&self, _tx: &Machinery, standard: Window) -> Window {
        standard
    }

    /// A timeout reduced the window.
    fn on_timeout(&mut self, _tx: &mut Machinery, _cx: &mut Cx) {}

    /// Everything outstanding is to be retransmitted from the oldest segment on.
    fn go_back(&mut self, tx: &mut Machinery, _cx: &mut Cx) {
        tx.space.nxt = tx.space.una;
    }

    /// A timeout that seemed spurious was not: outstanding segments are to be sent again from the oldest on, as
    /// after [`go_back`](Self::go_back).
    fn goes_back_again(&mut self, tx: &mut Machinery) {
        tx.space.nxt = tx.space.una;
    }

    /// The timeout was spurious: nothing of what is outstanding counts as lost.
    fn on_spurious(&mut self, _tx: &Machinery) {}

    /// The retransmission timer ran for something earlier than the timeout, and expired.
    fn on_early(&mut self, _tx: &mut Machinery, _cx: &mut Cx, _early: Early) {}

    /// A variant requests fast recovery. Returns whether recovery can start without duplicate ACKs; if so,
    /// the machinery marks the cut and retransmits the oldest segment.
    fn begins_on_request(&mut self) -> bool {
        false
    }

    /// Sends what the window allows, at most `burst` segments (0: no limit), for recoveries with their own
    /// send rule. Returns whether the recovery has one.
    fn sends_itself(&mut self, _tx: &mut Machinery, _cx: &mut Cx, _burst: u32) -> bool {
        false
    }

    /// A segment held back by pacing may be sent now: sends on, for recoveries with their own send rule in
    /// their current state. Returns whether the recovery has one.
    fn goes_on(&mut self, _tx: &mut Machinery, _cx: &mut Cx) -> bool {
        false
    }

    /// The segment `place` places above the oldest outstanding one was sent.
    fn on_sent(&mut self, _place: usize, _now: SimTime) {}

    /// The oldest segment was retransmitted, but not on the recovery's request.
    fn on_oldest_sent_again(&mut self, _tx: &Machinery) {}

    /// The window was set to `cwnd` by a variant's decision or after an idle period.
    fn on_window_set(&mut self, _cwnd: f64) {}

    /// The variant set the window by an effect.
    fn on_window_chosen(&mut self) {}

    /// The window to report.
    fn shown_cwnd(&self, tx: &Machinery) -> f64 {
        tx.window.cwnd
    }
}
