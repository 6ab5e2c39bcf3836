//! Sending what the window allows.

use super::*;
use crate::config::{AfterRto, IdleRestart};
use crate::control::{Effects, RestartEvent, Window, least_threshold};
use crate::ranges::RangeSet;
use crate::recovery::TimerFor;

impl SendState {
    /// Offset at which the segment at this place of [`SendState::sent`] starts.
    pub fn start_of_sent(&self, place: usize) -> u64 {
        place.checked_sub(1).map_or(self.space.una, |below| self.sent[below].end)
    }

    /// Offset and length of the segment at this place, to retransmit it.
    pub fn sent_segment(&self, place: usize) -> Option<(u64, u64)> {
        let end = self.sent.get(place)?.end;
        let start = self.start_of_sent(place);
        Some((start, end - start))
    }

    /// Length of the new segment at `offset`, if there is data to send and the peer's window has room for it.
    pub fn new_segment_len(&self, cx: &Cx, offset: u64) -> Option<u64> {
        let waits = self.space.una == 0 && offset > 0 && !self.quirks.data_with_first_syn;
        if offset >= self.space.end() || waits {
            return None;
        }
        let len = self.space.segment_len(offset);
        let fits = offset == 0 || offset + len <= self.space.una + self.space.rwnd(cx.cfg);
        fits.then_some(len)
    }

    /// The window after an idle time, by the rule of the settings; `long`: it was longer than the RTO.
    fn restarted(&self, cx: &Cx, long: bool) -> Window {
        let CongestionWindow { cwnd, ssthresh, initial, .. } = self.window;
        match cx.cfg.idle_restart {
            IdleRestart::InitialWindow if long => Window { cwnd: self.bounded(cwnd.min(initial)), ssthresh },
            IdleRestart::OneSegment if long => Window { cwnd: self.bounded(1.0), ssthresh },
            IdleRestart::Decay => self.decayed(cx.now.since(self.last_send)),
            _ => Window { cwnd, ssthresh },
        }
    }

    /// The window when nothing was sent for this long (`tcp_cwnd_restart`).
    fn decayed(&self, mut idle: SimDuration) -> Window {
        let CongestionWindow { cwnd, ssthresh, initial, .. } = self.window;
        let (rto, least, mut left) = (self.rtt.rto(), cwnd.min(initial), cwnd);
        if idle <= rto {
            return Window { cwnd, ssthresh };
        }
        while idle > rto && left > least {
            idle = idle.saturating_sub(rto);
            left = (left / 2.0).floor();
        }
        Window { cwnd: self.bounded(left.max(least)), ssthresh: ssthresh.max(least_threshold(cwnd)) }
    }

    /// Everything that may be sent now has been sent.
    pub(super) fn watch_application(&mut self) {
        let Space { nxt, mss, .. } = self.space;
        if self.space.end() < nxt + mss && self.rate.is_below(self.window.cwnd * mss as f64) {
            self.rate.limited_by_application();
        }
    }
}

impl Sender {
    /// Sends while the window allows, at most `burst` segments (0: no limit).
    pub fn send_window(&mut self, cx: &mut Cx, burst: u32) {
        if self.tx.is_frozen() {
            return;
        }
        self.restart_after_idle(cx);
        let burst = match self.tx.controls.burst() {
            Some(own) if burst == 0 || own < burst => own,
            _ => burst,
        };
        if self.recovery.selects_always() {
            self.send_selected(cx, burst);
            match self.recovery.timer_after_sending(&self.tx, cx) {
                Some(TimerFor::Early(early, at)) => self.tx.arm_early(cx, early, at),
                Some(TimerFor::Timeout) => self.tx.rearm_timer(cx),
                None => {}
            }
        } else {
            self.fill_window(cx, burst);
        }
        self.tx.watch_closed_window(cx);
        if self.tx.needs.contains(Needs::RATES) {
            self.tx.watch_application();
        }
    }

    fn fill_window(&mut self, cx: &mut Cx, burst: u32) {
        let mut sent = 0;
        // Sending reports nothing.
        let any_sacked = self.sacked().is_some();
        while self.tx.space.nxt < self.tx.space.end() {
            if self.tx.space.una == 0 && self.tx.space.nxt > 0 && !self.tx.quirks.data_with_repeated_syn {
                break;
            }
            let len = if any_sacked {
                self.skip_sacked(cx);
                if self.tx.space.nxt >= self.tx.space.end() {
                    break;
                }
                self.len_before_sacked(cx)
            } else {
                self.tx.space.segment_len(self.tx.space.nxt)
            };
            if !self.fits(cx, len, any_sacked) || self.tx.is_held_back(cx) {
                break;
            }
            self.output(cx, self.tx.space.nxt, len);
            self.tx.space.nxt += len;
            sent += 1;
            if sent == burst {
                break;
            }
        }
    }

    /// SACKed data; `None` if there is none.
    #[inline]
    fn sacked(&self) -> Option<&RangeSet> {
        self.recovery.scoreboard().map(Scoreboard::sacked).filter(|sacked| !sacked.is_empty())
    }

    /// After a timeout with the scoreboard kept, SACKed data is not retransmitted.
    fn skip_sacked(&mut self, cx: &Cx) {
        let nxt = self.tx.space.nxt;
        if cx.cfg.sack.after_rto == AfterRto::Keep
            && nxt < self.tx.space.max
            && let Some(range) = self.sacked().and_then(|sacked| sacked.containing(nxt))
        {
            self.tx.space.nxt = range.end;
        }
    }

    /// Length of the segment at `nxt`; it ends before SACKed data if the scoreboard is kept.
    fn len_before_sacked(&self, cx: &Cx) -> u64 {
        let nxt = self.tx.space.nxt;
        let len = self.tx.space.segment_len(nxt);
        match self.sacked().and_then(|sacked| sacked.next_from(nxt)) {
            Some(above) if cx.cfg.sack.after_rto == AfterRto::Keep && nxt < self.tx.space.max => {
                len.min(above.start - nxt)
            }
            _ => len,
        }
    }

    /// True if `len` bytes at `nxt` fit the congestion window and the peer's.
    fn fits(&self, cx: &Cx, len: u64, any_sacked: bool) -> bool {
        let tx = &self.tx;
        let space = &tx.space;
        let used = space.flight();
        if used + len > space.rwnd(cx.cfg) && space.nxt > 0 {
            return false;
        }
        let sacked = match any_sacked.then(|| self.sacked()).flatten() {
            Some(sacked) if self.recovery.after_timeout(tx) => sacked.bytes_below(space.nxt),
            _ => 0,
        };
        let mut window = tx.window_whole(cx.cfg);
        // ns-2's halving can leave less than one segment. With nothing outstanding one segment may be sent,
        // because otherwise none ever would.
        if window == 0
            && space.una == space.max
            && !(tx.timer.is_armed() && tx.waits_with_nothing_outstanding())
        {
            window = 1;
        }
        used + len - sacked <= window * space.mss
    }

    /// Retransmits the oldest outstanding segment; `nxt` does not move.
    pub(super) fn retransmit_una(&mut self, cx: &mut Cx) {
        let una = self.tx.space.una;
        if una < self.tx.space.max {
            let mut len = self.tx.space.segment_len(una);
            if let Some(above) = self.sacked().and_then(|sacked| sacked.next_from(una)) {
                len = len.min(above.start - una).max(1);
            }
            self.output(cx, una, len);
            self.tx.space.nxt = self.tx.space.nxt.max(una + len);
            self.recovery.on_oldest_sent_again(&self.tx, una + len);
        }
    }

    /// Limited transmit: one new segment beyond the window (RFC 3042).
    pub(super) fn send_one_more(&mut self, cx: &mut Cx) {
        let nxt = self.tx.space.nxt;
        if nxt >= self.tx.space.end() || self.tx.is_frozen() || self.tx.space.una == 0 {
            return;
        }
        let len = self.tx.space.segment_len(nxt);
        let used = self.tx.space.flight() + len;
        let allowed =
            ((self.tx.window.cwnd + f64::from(self.tx.dup_acks)).floor() as u64) * self.tx.space.mss;
        if used <= self.tx.space.rwnd(cx.cfg) && used <= allowed {
            self.output(cx, nxt, len);
            self.tx.space.nxt += len;
            self.tx.limited_bytes += len;
        }
    }

    /// Sending resumes although nothing is in flight: the window may shrink.
    #[inline]
    fn restart_after_idle(&mut self, cx: &mut Cx) {
        let space = &self.tx.space;
        let idle = space.una == space.max && space.una > 0 && space.nxt < space.end();
        if idle && self.tx.last_send != SimTime::ZERO && cx.now > self.tx.last_activity {
            self.restart_after(cx, cx.now.since(self.tx.last_activity));
        }
    }

    /// Applies the rule of the settings after an idle time longer than the RTO, unless the variant decides
    /// otherwise.
    #[inline(never)]
    fn restart_after(&mut self, cx: &mut Cx, idle: SimDuration) {
        let CongestionWindow { cwnd, ssthresh, .. } = self.tx.window;
        let long = idle > self.tx.rtt.rto();
        let standard = self.tx.restarted(cx, long);
        if self.tx.controls.is_standard() {
            (self.tx.window.cwnd, self.tx.window.ssthresh) = (standard.cwnd, standard.ssthresh);
        } else {
            let mut effects = Effects::new();
            let view = self.view(cx);
            let app_limited =
                self.tx.needs.contains(Needs::RATES) && self.tx.rate.is_limited_by_application();
            let event = RestartEvent { idle, app_limited, standard };
            let decided = self.tx.controls.on_restart(&view, &event, &mut effects);
            if decided != (Window { cwnd, ssthresh }) {
                self.set_window(decided);
            }
            self.apply(cx, effects);
        }
        if long {
            if cx.cfg.idle_restart == IdleRestart::OneSegment && self.tx.window.cwnd <= standard.cwnd {
                self.tx.mark_cut(CutBy::Timeout);
                self.tx.timed = None;
            }
            self.recovery.on_window_set(self.tx.window.cwnd);
        }
    }
}
