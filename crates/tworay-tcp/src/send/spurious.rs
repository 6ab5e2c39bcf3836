//! Spurious timeouts: the segments were late, not lost. F-RTO (RFC 5682) and the Eifel algorithm (RFC 3522)
//! detect them from the first ACKs that follow; the response undoes the timeout (RFC 4015). A fast recovery that its
//! recovery finds needless is undone likewise.
//!
//! F-RTO sends two new segments after the first retransmission. If the next ACK advances too, or reports
//! data that was sent only once, the original segments are arriving. Eifel needs only the first ACK, which
//! echoes the time stamp of an original segment.

use super::trial::{Step, Trial};
use super::*;
use crate::clock::timestamp;
use crate::control::{Effects, UndoEvent, Window};

impl SendState {
    /// True if a timeout is being judged; ACKs then go to
    /// [`on_ack_after_timeout`](Sender::on_ack_after_timeout).
    #[inline]
    pub(super) fn judges_timeout(&self) -> bool {
        self.spurious.trial.is_some()
    }

    /// True if F-RTO needs new data to be sent before any further retransmission.
    #[inline]
    pub fn asks_by_new_data(&self) -> bool {
        self.spurious.trial.is_some_and(|t| t.step == Step::New)
    }
}

impl Sender {
    /// The timer expired; must be called before the window is reduced.
    pub(super) fn watch_timeout(&mut self, cx: &Cx, first: bool) {
        let trial = self.tx.spurious.trial.take();
        if !(self.tx.spurious.frto || self.tx.spurious.eifel) || self.tx.space.una == 0 {
            return;
        }
        let linux = self.tx.spurious.linux;
        if !first {
            // Linux asks again after each timeout, and would return to the window before the first (`tcp_enter_loss`).
            let again = |trial| Trial { point: self.tx.space.max, step: Step::First, ..trial };
            self.tx.spurious.trial = trial.filter(|_| linux).map(again);
            return;
        }
        // What is missing in a recovery was found lost before the timer expired.
        if self.recovery.after_timeout(&self.tx) || (linux && self.recovery.in_recovery(&self.tx)) {
            return;
        }
        self.tx.spurious.trial = Some(Trial {
            window: Window { cwnd: self.tx.window.cwnd, ssthresh: self.tx.window.ssthresh },
            flight: (self.tx.space.max - self.tx.space.una) as f64 / self.tx.space.mss as f64,
            estimate: self.tx.rtt.srtt().zip(self.tx.rtt.rttvar()),
            point: self.tx.space.max,
            stamp: timestamp(cx.now, cx.cfg.timestamp_clock),
            step: Step::First,
        });
    }

    /// An ACK while a timeout is being judged.
    pub(super) fn on_ack_after_timeout(&mut self, cx: &mut Cx, ack: &Ack) {
        let Some(trial) = self.tx.spurious.trial.filter(|_| ack.to >= self.tx.space.una) else {
            return self.react(cx, ack);
        };
        let advanced = ack.to > self.tx.space.una;
        // RFC 3522 §3.2 step 5; Linux does the same. With everything delivered, a D-SACK proves nothing more.
        let original = (self.tx.spurious.eifel || self.tx.spurious.linux)
            && cx.cfg.timestamps
            && ack.echo.is_some_and(|echo| (echo.wrapping_sub(trial.stamp) as i32) < 0);
        if advanced && original {
            return self.undo_timeout(cx, ack, trial);
        }
        if !self.tx.spurious.frto {
            self.tx.spurious.trial = trial_goes_on(advanced, trial);
            return self.react(cx, ack);
        }
        let sent_once = self.reports_sent_once(ack, trial);
        match (trial.step, advanced) {
            (Step::First, true) if self.tx.spurious.linux && sent_once => {
                self.undo_timeout(cx, ack, trial);
            }
            // Everything is repaired.
            (Step::First, true) if ack.to >= trial.point => self.end_trial(cx, ack, false),
            (Step::First, true) => self.try_new_data(cx, ack, trial),
            // Without SACK, a duplicate ACK means that a segment is missing (RFC 5682 §2.1 step 2a).
            (Step::First, false) if ack.blocks.is_empty() && self.tx.is_dup(ack) => {
                self.end_trial(cx, ack, false);
            }
            (Step::First, false) => self.react(cx, ack),
            // Step 3b: no retransmitted segment can have caused this ACK.
            (Step::New, true) => self.undo_timeout(cx, ack, trial),
            (Step::New, false) if sent_once => self.undo_timeout(cx, ack, trial),
            (Step::New, false) if self.tx.is_dup(ack) || !ack.blocks.is_empty() => {
                // Step 3a: the loss was real.
                self.tx.window.cwnd = self.tx.bounded(self.tx.window.cwnd.min(3.0));
                self.end_trial(cx, ack, true);
            }
            (Step::New, false) => self.react(cx, ack),
        }
    }

    /// True if an ACK newly reports a segment that was in flight at the timeout and sent only once.
    fn reports_sent_once(&self, ack: &Ack, trial: Trial) -> bool {
        let sacked = self.recovery.scoreboard().map(Scoreboard::sacked);
        let mut start = self.tx.space.una;
        for segment in &self.tx.sent {
            let (from, end) = (start, segment.end);
            start = end;
            if end > trial.point {
                break;
            }
            let reported =
                end <= ack.to || ack.blocks.iter().any(|&(left, right)| left <= from && end <= right);
            let known = || sacked.is_some_and(|sacked| sacked.containing(from).is_some());
            if segment.times == 1 && reported && !known() {
                return true;
            }
        }
        false
    }

    /// The first retransmission has arrived: sends two new segments (RFC 5682 §2.1 step 2b). If there are
    /// none to send, the timeout stands.
    fn try_new_data(&mut self, cx: &mut Cx, ack: &Ack, trial: Trial) {
        let before = self.tx.space.max;
        self.tx.spurious.trial = Some(Trial { step: Step::New, ..trial });
        self.tx.space.nxt = self.tx.space.max;
        self.react(cx, ack);
        let mut sent = (self.tx.space.max - before).div_ceil(self.tx.space.mss);
        while sent < 2 && self.send_new(cx) {
            sent += 1;
        }
        if sent == 0 && self.tx.judges_timeout() {
            self.tx.spurious.trial = None;
            self.go_back_again();
            self.send_window(cx, cx.cfg.max_burst);
        }
    }

    /// A timeout that seemed spurious was not: outstanding segments are sent again from the oldest on.
    fn go_back_again(&mut self) {
        if !self.recovery.repairs_by_record() {
            self.tx.space.nxt = self.tx.space.una;
        }
    }

    /// Sends one new segment regardless of the congestion window.
    fn send_new(&mut self, cx: &mut Cx) -> bool {
        let at = self.tx.space.max;
        if at >= self.tx.space.end() || self.tx.is_frozen() {
            return false;
        }
        let len = self.tx.space.segment_len(at);
        if at + len > self.tx.space.una + self.tx.space.rwnd(cx.cfg) {
            return false;
        }
        self.output(cx, at, len);
        self.tx.space.nxt = self.tx.space.max;
        true
    }

    /// The timeout stands.
    fn end_trial(&mut self, cx: &mut Cx, ack: &Ack, goes_back: bool) {
        self.tx.spurious.trial = None;
        if goes_back {
            self.go_back_again();
        }
        self.react(cx, ack);
        if goes_back {
            self.send_window(cx, cx.cfg.max_burst);
        }
    }

    /// The timeout was spurious (RFC 4015 §3): continues with new data, undoes the reduction, and with
    /// Eifel raises the timeout to cover the late ACK.
    fn undo_timeout(&mut self, cx: &mut Cx, ack: &Ack, trial: Trial) {
        self.tx.spurious.trial = None;
        self.tx.space.nxt = self.tx.space.max;
        (self.tx.cut.point, self.tx.cut.by) = (ack.to, CutBy::Recovered);
        self.recovery.on_spurious();
        let mss = self.tx.space.mss as f64;
        let restored = if self.tx.spurious.linux {
            trial.window
        } else {
            // Step 7: no burst, and slow start up to the previous flight size.
            let acked = ((ack.to - self.tx.space.una) as f64 / mss).min(self.tx.window.initial);
            let flight = (self.tx.space.max - ack.to) as f64 / mss;
            Window { cwnd: (flight + acked).max(1.0), ssthresh: trial.flight.max(trial.window.ssthresh) }
        };
        self.tx.rtt.end_backoff();
        if self.tx.spurious.eifel
            && let Some((srtt, rttvar)) = trial.estimate
            && let Some(sent) = self.tx.echoed(cx)
        {
            self.tx.rtt.after_spurious(srtt, rttvar, cx.now.since(sent));
        }
        cx.counters.undone_timeouts += 1;
        self.restore_window(cx, UndoEvent { before: trial.window, standard: restored });
        self.react(cx, ack);
    }

    /// A fast recovery was needless: returns to the window `before` it. One that is larger by now stays.
    pub(super) fn undo_recovery(&mut self, cx: &mut Cx, before: Window) {
        let CongestionWindow { cwnd, ssthresh, .. } = self.tx.window;
        let standard = Window { cwnd: cwnd.max(before.cwnd), ssthresh: ssthresh.max(before.ssthresh) };
        self.restore_window(cx, UndoEvent { before, standard });
    }

    fn restore_window(&mut self, cx: &mut Cx, event: UndoEvent) {
        if self.tx.controls.is_standard() {
            (self.tx.window.cwnd, self.tx.window.ssthresh) = (event.standard.cwnd, event.standard.ssthresh);
        } else {
            let mut effects = Effects::new();
            let view = self.view(cx);
            let window = self.tx.controls.on_undo(&view, &event, &mut effects);
            self.set_window(window);
            self.apply(cx, effects);
        }
    }
}

/// Eifel evaluates only the first ACK that advances.
fn trial_goes_on(advanced: bool, trial: Trial) -> Option<Trial> {
    (!advanced).then_some(trial)
}
