//! The station's own frame exchange: RTS, DATA, and retries when they go unanswered (IEEE 802.11-1999
//! §9.2.5.3, §9.2.5.7).

use super::{Current, Dcf, Exchange, GiveUp, MacAction};
use crate::frame::{Frame, FrameKind};
use tworay_base::{SimDuration, SimTime};

impl Dcf {
    /// The backoff is over: sends RTS or DATA.
    pub(super) fn send_current(&mut self, now: SimTime, out: &mut Vec<MacAction>) {
        let Some(c) = self.current else { return };
        if c.rts_next {
            let t = &self.timing;
            let duration = t.sifs + t.cts + t.sifs + c.airtime + t.sifs + t.ack;
            let frame = self.control(FrameKind::Rts, c.to, duration);
            self.counters.tx_rts += 1;
            self.transmit(now, frame, out);
            self.expect(Exchange::AwaitCts, self.tx_until + self.timing.cts_timeout);
        } else {
            self.send_data(now, c, out);
        }
    }

    fn send_data(&mut self, now: SimTime, c: Current, out: &mut Vec<MacAction>) {
        let broadcast = c.to.is_broadcast();
        let frame = Frame {
            kind: FrameKind::Data,
            from: self.node,
            to: c.to,
            duration: if broadcast { SimDuration::ZERO } else { self.timing.sifs + self.timing.ack },
            number: c.number,
            retry: c.retry,
            protected: c.protected,
            packet: Some(c.packet),
            bytes: c.bytes,
            airtime: c.airtime,
        };
        self.transmit(now, frame, out);
        if broadcast {
            self.counters.tx_broadcast += 1;
            self.expect(Exchange::Broadcasting, self.tx_until);
        } else {
            self.counters.tx_data += 1;
            self.expect(Exchange::AwaitAck, self.tx_until + self.timing.ack_timeout);
        }
    }

    pub(super) fn transmit(&mut self, now: SimTime, frame: Frame, out: &mut Vec<MacAction>) {
        self.tx_until = now + frame.airtime;
        out.push(MacAction::Transmit(frame));
    }

    pub(super) fn expect(&mut self, exchange: Exchange, until: SimTime) {
        self.exchange = exchange;
        self.hold_until = until;
        self.step_at = until;
    }

    /// Ends the exchange in progress at `now`.
    pub(super) fn settle(&mut self, now: SimTime) {
        self.exchange = Exchange::None;
        self.step_at = SimTime::NEVER;
        self.hold_until = now;
    }

    pub(super) fn exchange_step(&mut self, now: SimTime, out: &mut Vec<MacAction>) {
        match self.exchange {
            Exchange::None => {}
            Exchange::AwaitCts | Exchange::AwaitAck => self.unanswered(now, out),
            Exchange::DataSoon => self.data_after_cts(now, out),
            Exchange::Broadcasting => {
                self.settle(now);
                self.cw = self.cw_min;
                self.finish_current(now, out);
            }
            Exchange::RespondSoon(frame) => self.respond(now, frame, out),
            Exchange::AwaitData | Exchange::Acknowledging => {
                self.settle(now);
                self.resume_own(now);
            }
        }
    }

    pub(super) fn on_cts(&mut self, now: SimTime) {
        if self.exchange != Exchange::AwaitCts {
            self.counters.unexpected += 1;
            return;
        }
        self.short_retries = 0;
        if let Some(c) = &mut self.current {
            c.rts_next = false;
        }
        self.settle(now);
        if self.late_ack.is_some() {
            self.send_late_ack(now);
        } else {
            self.data_soon(now);
        }
    }

    fn data_soon(&mut self, now: SimTime) {
        self.exchange = Exchange::DataSoon;
        self.step_at = now + self.timing.sifs;
    }

    /// (ns-2) Whether a CTS allowed DATA that a late ACK has postponed.
    pub(super) fn owes_data(&self) -> bool {
        self.current.is_some_and(|c| c.protected && !c.rts_next)
    }

    /// (ns-2) Resumes the station's own frame after a response; draws a backoff if there is none.
    fn resume_own(&mut self, now: SimTime) {
        if self.owes_data() {
            self.data_soon(now);
        } else if self.current.is_some() && self.backoff.is_none() {
            self.draw_backoff(now);
        }
    }

    fn data_after_cts(&mut self, now: SimTime, out: &mut Vec<MacAction>) {
        self.settle(now);
        let idle = self.idle_from() <= now;
        if self.quirks.data_needs_idle_after_sifs && !idle {
            if let Some(c) = &mut self.current {
                c.rts_next = c.protected;
            }
            self.double_window();
            self.draw_backoff(now);
        } else if let Some(c) = self.current {
            self.send_data(now, c, out);
        }
    }

    pub(super) fn on_ack(&mut self, now: SimTime, out: &mut Vec<MacAction>) {
        if self.exchange != Exchange::AwaitAck {
            self.counters.unexpected += 1;
            return;
        }
        if self.current.is_some_and(|c| c.protected) {
            self.long_retries = 0;
        } else {
            self.short_retries = 0;
        }
        self.cw = self.cw_min;
        self.settle(now);
        self.send_late_ack(now);
        self.finish_current(now, out);
    }

    /// The packet was acknowledged or its broadcast ended. A backoff follows even without a next packet
    /// (§9.2.5.2).
    fn finish_current(&mut self, now: SimTime, out: &mut Vec<MacAction>) {
        self.draw_backoff(now);
        if let Some(overload) = &mut self.overload {
            overload.finished();
            if let (true, Some(c), Some(backoff)) = (overload.paces(), self.current, &mut self.backoff) {
                backoff.lengthen(c.airtime.whole(self.timing.slot) as u32);
            }
        }
        if let Some(c) = self.current.take() {
            out.push(MacAction::Sent { packet: c.packet });
        }
        out.push(MacAction::Ready);
    }

    /// True if an attempt with a frame of this kind, RTS or DATA, is the last one before giving up.
    #[inline]
    pub fn is_last_attempt(&self, kind: FrameKind) -> bool {
        let protected = self.current.as_ref().is_some_and(|c| c.protected);
        let (count, limit) = if protected && kind != FrameKind::Rts {
            (self.long_retries, self.long_limit)
        } else {
            (self.short_retries, self.short_limit)
        };
        count.saturating_add(1) >= limit
    }

    /// No CTS or ACK arrived in time.
    pub(super) fn unanswered(&mut self, now: SimTime, out: &mut Vec<MacAction>) {
        let was_rts = self.exchange == Exchange::AwaitCts;
        self.settle(now);
        let Some(c) = &mut self.current else { return };
        let failures =
            if was_rts { &mut self.counters.rts_failures } else { &mut self.counters.ack_failures };
        let (count, limit) = if c.protected && !was_rts {
            (&mut self.long_retries, self.long_limit)
        } else {
            (&mut self.short_retries, self.short_limit)
        };
        *failures += 1;
        *count = count.saturating_add(1);
        out.push(MacAction::Unanswered { to: c.to });
        if let Some(overload) = &mut self.overload {
            overload.retried();
        }
        if *count >= limit {
            *count = 0;
            self.give_up(now, was_rts, out);
        } else {
            if !was_rts {
                c.retry = true;
                c.rts_next = c.protected;
            }
            self.double_window();
            self.draw_backoff(now);
            self.send_late_ack(now);
        }
    }

    fn give_up(&mut self, now: SimTime, was_rts: bool, out: &mut Vec<MacAction>) {
        let Some(c) = self.current.take() else { return };
        self.cw = self.cw_min;
        if let Some(overload) = &mut self.overload {
            overload.finished();
        }
        let unanswered = if was_rts {
            self.counters.give_ups_rts += 1;
            FrameKind::Rts
        } else {
            self.counters.give_ups_data += 1;
            FrameKind::Data
        };
        if !self.quirks.no_backoff_after_give_up {
            self.draw_backoff(now);
        }
        self.send_late_ack(now);
        out.push(MacAction::GaveUp(GiveUp { packet: c.packet, to: c.to, unanswered }));
        out.push(MacAction::Ready);
    }
}
