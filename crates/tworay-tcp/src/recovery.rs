//! How losses are repaired: the event interface ([`Recovery`]), and one file a recovery behind it.
//!
//! A recovery owns its state. The [machinery](crate::send) that sends, times and measures is shared: a recovery
//! hears of an event, looks at the machinery, and tells it what to do. What only one recovery wants to hear
//! has a default that does nothing, so that a reader of one file needn't know the others.

mod newreno;
mod reno;
mod sack;
mod sack_ns2;
mod tahoe;
mod tcp_linux;
mod vegas_repair;

pub(crate) use newreno::ENTRY as NEWRENO;
pub(crate) use reno::ENTRY as RENO;
pub(crate) use sack::ENTRY as SACK;
pub(crate) use tahoe::ENTRY as TAHOE;
pub(crate) use vegas_repair::ENTRY as VEGAS;

use crate::config::{SackForm, TcpConfig};
use crate::control::Window;
use crate::send::{Ack, CutBy, Cx, Machinery};
use crate::variant::{RecoveryKind, Settings};
use std::fmt::Debug;
use tworay_base::SimTime;
use vegas_repair::{Thresholds, VegasRepair};

/// A recovery for one connection; `values` are its checked parameters.
pub(crate) fn make(kind: RecoveryKind, values: &[f64], cfg: &TcpConfig) -> Box<dyn Recovery> {
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

/// What a recovery does on each event of its sender.
pub(crate) trait Recovery: Debug + Send {
    /// An acknowledgment came: repair what it shows, grow the window, and send what it allows.
    fn on_ack(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack);

    /// Whether fast recovery is on.
    fn in_recovery(&self, tx: &Machinery) -> bool {
        tx.cut.by == CutBy::DupAcks && tx.space.una < tx.cut.point
    }

    /// Whether a timeout is being repaired: until everything sent before it is acknowledged.
    fn after_timeout(&self, tx: &Machinery) -> bool {
        tx.cut.by == CutBy::Timeout && tx.space.una < tx.cut.point
    }

    /// The retransmission timer expired; nothing is decided yet.
    fn on_expiry(&mut self, tx: &mut Machinery) {
        tx.dup_acks = 0;
    }

    /// What a timeout sets the window to, if the variant doesn't know better; `standard` is RFC 5681's.
    fn timeout_window(&self, _tx: &Machinery, standard: Window) -> Window {
        standard
    }

    /// A timeout has reduced the window.
    fn on_timeout(&mut self, _tx: &mut Machinery, _cx: &mut Cx) {}

    /// Everything outstanding is to be sent again from the oldest on.
    fn go_back(&mut self, tx: &mut Machinery, _cx: &mut Cx) {
        tx.space.nxt = tx.space.una;
    }

    /// A variant asks for a fast recovery: whether one can begin without duplicate ACKs. The machinery then
    /// marks the cut and sends the oldest segment again.
    fn begins_on_request(&mut self) -> bool {
        false
    }

    /// Sends what the window allows, at most `burst` segments (0: no bound), if the recovery does that in a
    /// way of its own; whether it does.
    fn sends_itself(&mut self, _tx: &mut Machinery, _cx: &mut Cx, _burst: u32) -> bool {
        false
    }

    /// The segment `place` places above the oldest in flight is sent.
    fn on_sent(&mut self, _place: usize, _now: SimTime) {}

    /// The oldest segment was sent again without the recovery's choosing it.
    fn on_oldest_sent_again(&mut self, _tx: &Machinery) {}

    /// The window is `cwnd` now: a variant's decision, or after an idle time.
    fn on_window_set(&mut self, _cwnd: f64) {}

    /// The variant has set the window by an effect.
    fn on_window_chosen(&mut self) {}

    /// The window to show.
    fn shown_cwnd(&self, tx: &Machinery) -> f64 {
        tx.window.cwnd
    }
}
