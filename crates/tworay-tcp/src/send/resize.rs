//! Bounds, growth and reductions of the congestion window.

use super::*;
use crate::config::{Halving, HalvingPrecision};
use crate::control::{AckEvent, Effects, LossEvent, Window};
use crate::recovery::Growth;

impl SendState {
    pub(super) fn open_window(&mut self) {
        self.window.cwnd = self.bounded(self.window.initial);
    }

    /// Applies the variant's bounds on the window.
    #[inline]
    pub fn bounded(&self, cwnd: f64) -> f64 {
        if !self.controls.is_bounded() {
            return cwnd;
        }
        let cwnd = self.controls.floor().map_or(cwnd, |floor| cwnd.max(floor));
        match self.controls.limit() {
            Some(limit) => cwnd.min(limit.max(1.0)),
            None => cwnd,
        }
    }

    /// The window in use in whole segments (ns-2's `window()`).
    #[inline]
    pub fn window_whole(&self, cfg: &TcpConfig) -> u64 {
        let own = (self.window.cwnd as u64).saturating_add(self.window.inflation as u64);
        own.min(self.space.rwnd(cfg) / self.space.mss)
    }

    /// The window in use in real segments (ns-2's `windowd()`).
    fn window_real(&self, cfg: &TcpConfig) -> f64 {
        let advertised = self.space.rwnd(cfg) as f64 / self.space.mss as f64;
        (self.window.cwnd + self.window.inflation).min(advertised)
    }

    /// The standard reduction: half of the quantity that the settings select.
    pub fn halved(&self, cx: &Cx) -> Window {
        let base = match (cx.cfg.halving, cx.cfg.halving_precision) {
            (Halving::Window, HalvingPrecision::Integer) => self.window_whole(cx.cfg) as f64,
            (Halving::Window, _) => self.window_real(cx.cfg),
            // Segments sent by limited transmit do not count (RFC 5681 §3.2 step 2).
            (Halving::FlightSize, _) => {
                self.space.flight().saturating_sub(self.limited_bytes) as f64 / self.space.mss as f64
            }
        };
        let half = base / 2.0;
        let (cwnd, ssthresh) = match cx.cfg.halving_precision {
            HalvingPrecision::Real => (half.max(2.0), half),
            HalvingPrecision::IntegerSsthresh => (half, half.floor()),
            HalvingPrecision::Integer => (half.floor(), half.floor()),
        };
        Window { cwnd, ssthresh: ssthresh.max(2.0) }
    }

    /// Half of the window in whole segments: Linux halves the window, whether the receiver's window lets it be used or not
    /// (`tcp_reno_ssthresh`).
    pub fn half_window(&self) -> f64 {
        (self.window.cwnd / 2.0).floor().max(2.0)
    }

    /// Counts a fast retransmission of the segment at this offset.
    pub(super) fn count_fast_retransmit(&self, cx: &mut Cx, offset: u64) {
        cx.counters.fast_retransmits += 1;
        cx.note(TcpNote::FastRetransmit { seq: self.space.seq(offset) });
    }

    /// Records a window reduction at this moment.
    pub(super) fn mark_cut(&mut self, by: CutBy) {
        self.cut = Cut { point: self.space.max, by };
    }
}

impl Sender {
    /// Applies a window decided by the variant, within sane bounds.
    pub(super) fn set_window(&mut self, window: Window) {
        let sane = |x: f64, floor: f64| if x.is_finite() { x.max(floor) } else { floor };
        self.tx.window.cwnd = self.tx.bounded(sane(window.cwnd, 0.0)).max(f64::MIN_POSITIVE);
        self.tx.window.ssthresh = sane(window.ssthresh, 2.0);
        self.recovery.on_window_set(self.tx.window.cwnd);
    }

    /// Grows the window by the standard rule (RFC 5681 §3.1, one step per ACK) unless the variant decides
    /// otherwise. If `may_grow` is false, the variant only records the ACK.
    pub(super) fn grow(&mut self, cx: &mut Cx, bytes: u64, may_grow: bool) {
        let CongestionWindow { cwnd, ssthresh, .. } = self.tx.window;
        let mut standard = Window { cwnd, ssthresh };
        let may_grow = may_grow && !self.tx.is_frozen();
        if may_grow {
            // At most what is newly acknowledged, so that ACKs for pieces of a segment open no larger window (RFC 5681
            // §3.1, equation 2; Savage et al. 1999).
            let share = (bytes as f64 / self.tx.space.mss as f64).min(1.0);
            standard.cwnd += share * if cwnd < ssthresh { 1.0 } else { 1.0 / cwnd };
        }
        let delivered = bytes as f64 / self.tx.space.mss as f64;
        self.decide_growth(cx, Growth { standard, bytes, delivered, may_grow, limited: None });
    }

    /// Sets the window to the standard one unless the variant decides otherwise.
    #[inline]
    pub(super) fn decide_growth(&mut self, cx: &mut Cx, growth: Growth) {
        if self.tx.controls.is_standard() {
            self.tx.window.cwnd = growth.standard.cwnd;
        } else {
            self.ask_for_growth(cx, growth);
        }
    }

    #[inline(never)]
    fn ask_for_growth(&mut self, cx: &mut Cx, growth: Growth) {
        let Growth { standard, bytes, delivered, may_grow, limited } = growth;
        let event = AckEvent {
            bytes: bytes as u32,
            segments: bytes as f64 / self.tx.space.mss as f64,
            delivered,
            may_grow,
            limited,
            standard,
            echo: self.tx.echoed(cx),
        };
        let mut effects = Effects::new();
        let view = self.view(cx);
        let window = self.tx.controls.on_ack(&view, &event, &mut effects);
        self.set_window(window);
        self.apply(cx, effects);
    }

    /// Duplicate ACKs indicated a loss: reduces the window to `standard` unless the variant decides
    /// otherwise. Returns whether recovery may start: not while the variant has stopped the sender.
    #[must_use]
    pub(super) fn cut_for_loss(&mut self, cx: &mut Cx, standard: Window) -> bool {
        let una = self.tx.space.una;
        let before = cx.counters.retransmitted_segments;
        let reduced = self.reduce_for_loss(cx, standard);
        // A variant may send the lost segment again before it stops the sender (Freeze-Probing, ATCP).
        let sent_again = cx.counters.retransmitted_segments > before;
        if reduced || sent_again {
            self.tx.count_fast_retransmit(cx, una);
        }
        reduced
    }

    /// Reduces the window for a loss as [`cut_for_loss`](Self::cut_for_loss) does, without counting a fast
    /// retransmission.
    #[must_use]
    pub(super) fn reduce_for_loss(&mut self, cx: &mut Cx, standard: Window) -> bool {
        let seq = self.tx.space.seq(self.tx.space.una);
        if self.tx.controls.is_standard() {
            (self.tx.window.cwnd, self.tx.window.ssthresh) = (standard.cwnd, standard.ssthresh);
        } else {
            let mut effects = Effects::new();
            let view = self.view(cx);
            let window = self.tx.controls.on_loss(&view, &LossEvent { seq, standard }, &mut effects);
            self.set_window(window);
            self.apply(cx, effects);
            if self.tx.is_frozen() {
                return false;
            }
        }
        cx.counters.window_cuts += 1;
        true
    }

    /// Fast recovery is over.
    pub(super) fn leave_recovery(&mut self, cx: &mut Cx) {
        cx.note(TcpNote::RecoveryExit);
        if !self.tx.controls.is_standard() {
            let mut effects = Effects::new();
            let view = self.view(cx);
            self.tx.controls.on_recovery_exit(&view, &mut effects);
            self.apply(cx, effects);
        }
    }
}
