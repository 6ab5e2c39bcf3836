//! The window that a fast recovery is to end with, for losses that are not judged to be congestion.
//!
//! NewReno ends its recovery with min(ssthresh, FlightSize + 1) (RFC 6582 §3.2 step 3) and deflates the
//! window on partial ACKs, as ns-2's agents do too. Both assume that the window was halved at the loss, and
//! slow start then leads back to ssthresh. A window that its variant keeps would be lost: with everything
//! acknowledged, FlightSize is 0, and cwnd becomes two segments. The variant therefore sets its window again
//! when recovery ends.
//!
//! RFC 6582 asks for a measure against the burst that this permits; the number of segments per ACK is limited
//! until the window is full again.

use crate::control::{Effect, Effects, SenderView, Window};

/// Most segments per ACK while the window fills again: that of [`TcpConfig::ns2`](crate::TcpConfig::ns2) and
/// of WELCOME's recovery. RFC 6582 leaves the number open.
pub(super) const BURST: u32 = 3;

#[derive(Debug, Default)]
pub(super) struct Kept {
    window: Option<Window>,
    filling: bool,
}

impl Kept {
    /// This recovery is to end with `window`; returns it.
    pub fn hold(&mut self, window: Window) -> Window {
        *self = Self { window: Some(window), filling: false };
        window
    }

    /// The loss is congestion, or a timeout repairs it: the recovery's own rule applies.
    pub fn release(&mut self) {
        *self = Self::default();
    }

    /// Fast recovery has ended: sets the window again if it was kept.
    pub fn on_recovery_exit(&mut self, effects: &mut Effects) {
        if let Some(window) = self.window.take() {
            self.filling = true;
            effects.push(Effect::SetWindow(window));
        }
    }

    /// The window is to be filled from what little is in flight now.
    pub fn fill(&mut self) {
        self.filling = true;
    }

    /// The limit ends when what this ACK may release fills the window.
    pub fn on_ack(&mut self, view: &SenderView) {
        self.filling &= view.flight + f64::from(BURST) < view.in_use();
    }

    /// The limit per ACK while the window fills.
    pub fn burst(&self) -> Option<u32> {
        self.filling.then_some(BURST)
    }
}
