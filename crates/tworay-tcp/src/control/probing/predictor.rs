//! Predicts, before anything is probed, if a loss is due to contention (Psaras et al., §4.2).

use crate::TcpConfig;
use crate::control::{AckEvent, LossEvent, RttEvent, SenderView};
use std::fmt::Debug;
use std::sync::Arc;

/// A predictor of TCP-Probing. The authors expect that "a more sophisticated mechanism" may replace Vegas'
/// (§4.3, conclusions); [`Variant::probing`](crate::Variant::probing) makes a variant with another one.
pub trait LossPredictor: Debug + Send {
    /// A round-trip sample of data; with `reference=connection` also that of the handshake.
    fn on_rtt(&mut self, _view: &SenderView, _event: &RttEvent) {}
    /// An ACK of new data arrived.
    fn on_ack(&mut self, _view: &SenderView, _event: &AckEvent) {}
    /// True if the network was contended when this segment was lost. The sender then recovers as Reno does;
    /// otherwise it probes. Asked about duplicate ACKs, and with `gate_rto=yes` about timeouts.
    fn contention(&mut self, view: &SenderView, loss: &LossEvent) -> bool;
}

/// Creates a predictor for one connection.
pub type PredictorFactory = Arc<dyn Fn(&TcpConfig) -> Box<dyn LossPredictor> + Send + Sync>;

/// Unit of Vegas' difference. The paper prints a rate and compares it with a threshold in segments.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    Segments,
    PerSecond,
}

/// The paper's predictor: Vegas' difference between expected and actual rate exceeds a threshold.
#[derive(Debug)]
pub(super) struct Vegas {
    /// `None` never predicts contention: every loss starts a probe cycle, as in the original TCP-Probing.
    unit: Option<Unit>,
    threshold: f64,
    /// Shortest and latest round trip, seconds.
    best: f64,
    last: f64,
}

impl Vegas {
    pub fn new(unit: Option<Unit>, threshold: f64) -> Self {
        Self { unit, threshold, best: f64::INFINITY, last: 0.0 }
    }
}

impl LossPredictor for Vegas {
    fn on_rtt(&mut self, _: &SenderView, event: &RttEvent) {
        self.last = event.exact.as_secs_f64();
        self.best = self.best.min(self.last);
    }

    fn contention(&mut self, view: &SenderView, _: &LossEvent) -> bool {
        if self.last <= 0.0 {
            return false;
        }
        let rate = view.in_use() / self.best - view.in_use() / self.last;
        match self.unit {
            Some(Unit::Segments) => rate * self.best > self.threshold,
            Some(Unit::PerSecond) => rate > self.threshold,
            None => false,
        }
    }
}
