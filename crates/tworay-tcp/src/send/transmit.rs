//! Sending what the window allows.

use super::*;
use crate::config::{AfterRto, IdleRestart};

impl Machinery {
    /// Sends while the window allows, at most `burst` segments (0: no limit).
    pub fn send_window(&mut self, cx: &mut Cx, recovery: &mut dyn Recovery, burst: u32) {
        if self.is_frozen() {
            return;
        }
        self.restart_after_idle(cx, recovery);
        let burst = match self.controls.burst() {
            Some(own) if burst == 0 || own < burst => own,
            _ => burst,
        };
        if !recovery.sends_itself(self, cx, burst) {
            self.fill_window(cx, recovery, burst);
        }
        self.watch_closed_window(cx);
        if self.needs.rates {
            self.watch_application();
        }
    }

    fn fill_window(&mut self, cx: &mut Cx, recovery: &mut dyn Recovery, burst: u32) {
        let mut sent = 0;
        while self.space.nxt < self.space.end() {
            if self.space.una == 0 && self.space.nxt > 0 && !self.quirks.data_with_repeated_syn {
                break;
            }
            let len = if self.scoreboard.sacked().is_empty() {
                self.space.segment_len(self.space.nxt)
            } else {
                self.skip_sacked(cx);
                if self.space.nxt >= self.space.end() {
                    break;
                }
                self.len_before_sacked(cx)
            };
            if !self.fits(cx, recovery, len) || self.is_held_back(cx) {
                break;
            }
            self.output(cx, recovery, self.space.nxt, len);
            self.space.nxt += len;
            sent += 1;
            if sent == burst {
                break;
            }
        }
    }

    /// Whether `len` bytes at `nxt` fit the congestion window and the peer's.
    fn fits(&self, cx: &Cx, recovery: &dyn Recovery, len: u64) -> bool {
        let space = &self.space;
        let used = space.flight();
        if used + len > space.rwnd(cx.cfg) && space.nxt > 0 {
            return false;
        }
        let sacked = match self.scoreboard.sacked().is_empty() || !recovery.after_timeout(self) {
            true => 0,
            false => self.scoreboard.sacked().bytes_below(space.nxt),
        };
        let mut window = self.window_whole(cx.cfg);
        // ns-2's halving can leave less than one segment. With nothing outstanding one segment may be sent,
        // because otherwise none ever would.
        if window == 0 && space.una == space.max && !(self.timer.is_armed() && self.waits_with_nothing_out())
        {
            window = 1;
        }
        used + len - sacked <= window * space.mss
    }

    /// After a timeout with the scoreboard kept, SACKed data is not retransmitted.
    fn skip_sacked(&mut self, cx: &Cx) {
        if cx.cfg.sack.after_rto == AfterRto::Keep
            && self.space.nxt < self.space.max
            && let Some(range) = self.scoreboard.sacked().containing(self.space.nxt)
        {
            self.space.nxt = range.end;
        }
    }

    /// Length of the segment at `nxt`; it ends before SACKed data if the scoreboard is kept.
    fn len_before_sacked(&self, cx: &Cx) -> u64 {
        let nxt = self.space.nxt;
        let len = self.space.segment_len(nxt);
        match self.scoreboard.sacked().next_from(nxt) {
            Some(above) if cx.cfg.sack.after_rto == AfterRto::Keep && nxt < self.space.max => {
                len.min(above.start - nxt)
            }
            _ => len,
        }
    }

    /// Retransmits the oldest outstanding segment; `nxt` does not move.
    pub fn retransmit_una(&mut self, cx: &mut Cx, recovery: &mut dyn Recovery) {
        let una = self.space.una;
        if una < self.space.max {
            let mut len = self.space.segment_len(una);
            if let Some(above) = self.scoreboard.sacked().next_from(una) {
                len = len.min(above.start - una).max(1);
            }
            self.output(cx, recovery, una, len);
            self.space.nxt = self.space.nxt.max(una + len);
            self.scoreboard.mark_retransmitted(una + len);
            recovery.on_oldest_sent_again(self);
        }
    }

    /// Offset at which the segment at this place of [`Machinery::sent`] starts.
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

    /// Limited transmit: one new segment beyond the window (RFC 3042).
    pub fn send_one_more(&mut self, cx: &mut Cx, recovery: &mut dyn Recovery) {
        let nxt = self.space.nxt;
        if nxt >= self.space.end() || self.is_frozen() || self.space.una == 0 {
            return;
        }
        let len = self.space.segment_len(nxt);
        let used = self.space.flight() + len;
        let allowed = ((self.window.cwnd + f64::from(self.dup_acks)).floor() as u64) * self.space.mss;
        if used <= self.space.rwnd(cx.cfg) && used <= allowed {
            self.output(cx, recovery, nxt, len);
            self.space.nxt += len;
            self.limited_bytes += len;
        }
    }

    /// Reduces the window after an idle period longer than the RTO.
    #[inline]
    fn restart_after_idle(&mut self, cx: &Cx, recovery: &mut dyn Recovery) {
        let space = &self.space;
        let idle = space.una == space.max && space.una > 0 && space.nxt < space.end();
        if !idle || self.last_send == SimTime::ZERO || cx.now.since(self.last_activity) <= self.rtt.rto() {
            return;
        }
        match cx.cfg.idle_restart {
            IdleRestart::Off => {}
            IdleRestart::InitialWindow => {
                self.window.cwnd = self.bounded(self.window.cwnd.min(self.window.initial));
            }
            IdleRestart::OneSegment => {
                self.window.cwnd = self.bounded(1.0);
                self.mark_cut(CutBy::Timeout);
                self.timed = None;
            }
        }
        recovery.on_window_set(self.window.cwnd);
    }
}
