//! Building segments, and sending what the window allows.

use super::*;
use crate::config::{AckSize, AfterRto, Handshake, IdleRestart};
use crate::control::SentEvent;
use crate::endpoint::{Control, SegmentKind};
use crate::receive::WindowField;
use tworay_wire::{ProbeKind, ProbeOption, TcpFlags, TcpOptions, TcpSegment};

/// IP bytes of a segment under the configured sizes. The probe option's bytes don't count, so that a probe
/// and its answer have the 40 bytes that TCP-Probing's and Freeze-Probing's papers give them.
pub(crate) fn ip_bytes(cfg: &TcpConfig, segment: &TcpSegment) -> u32 {
    match cfg.ack_size {
        AckSize::Encoded if segment.options.probe.is_some() && !segment.flags.has(TcpFlags::SYN) => {
            segment.ip_bytes() - ProbeOption::WIRE_BYTES
        }
        AckSize::Encoded => segment.ip_bytes(),
        AckSize::Ns2 => {
            let stamped = segment.options.timestamps.is_some() && segment.payload > 0;
            let stamps = if stamped { 10 } else { 0 };
            40 + segment.payload + stamps + 8 * segment.options.sack.len() as u32
        }
    }
}

impl Sender {
    /// A segment with the current acknowledgment and no payload.
    pub fn blank(&self, cx: &Cx, offset: u64) -> TcpSegment {
        // Data that goes with a SYN: a one-way connection knows the number it hasn't heard yet.
        let early = offset > 0 && cx.cfg.handshake == Handshake::OneWay;
        let synchronised = cx.rx.is_synchronised();
        let acked = if synchronised { cx.rx.ack() } else { Seq32(cx.cfg.iss).plus(1) };
        let mut options = TcpOptions::default();
        if cx.cfg.timestamps {
            options.timestamps = Some((timestamp(cx.now, cx.cfg.timestamp_clock), cx.rx.timestamp_to_echo()));
        }
        TcpSegment {
            src_port: cx.ports.local,
            dst_port: cx.ports.remote,
            seq: self.seq(offset),
            ack: if synchronised || early { acked } else { Seq32(0) },
            flags: if synchronised || early { TcpFlags::ACK } else { TcpFlags(0) },
            window: cx.rx.window(cx.cfg) as u32,
            payload: 0,
            options,
        }
    }

    /// Sends `[offset, offset + len)`: the SYN, payload, or the FIN.
    pub(crate) fn output(&mut self, cx: &mut Cx, offset: u64, len: u64) {
        let retransmission = offset < self.max;
        let mut segment = self.blank(cx, offset);
        let synchronised = cx.rx.is_synchronised();
        let kind = if offset == 0 {
            segment.flags = segment.flags.with(TcpFlags::SYN);
            if cx.cfg.handshake == Handshake::ThreeWay {
                segment.options.mss = u16::try_from(self.mss).ok();
                segment.options.sack_permitted = self.kind == RecoveryKind::Sack;
                // An answer has the option only if the SYN had it (RFC 7323 §2.2).
                let shift = cx.cfg.window_shift();
                let offered = if synchronised { cx.rx.scales() } else { shift > 0 };
                segment.options.window_scale = offered.then_some(shift);
                segment.window = WindowField::Plain.hold(segment.window.into()) as u32;
                segment.options.probe =
                    self.wants_probes.then_some(ProbeOption { kind: ProbeKind::Permitted, id: 0 });
            }
            SegmentKind::Control(Control::Syn)
        } else if offset >= self.data_end {
            segment.flags = segment.flags.with(TcpFlags::FIN);
            SegmentKind::Control(Control::Fin)
        } else {
            segment.payload = len as u32;
            cx.counters.sent_segments += 1;
            cx.counters.bytes_sent += len;
            if retransmission {
                cx.counters.retransmitted_segments += 1;
                cx.counters.bytes_retransmitted += len;
            }
            SegmentKind::Data { retransmission }
        };
        let nothing_out = self.una == self.max;
        self.record(cx.now, offset, offset + len);
        let mut ip_bytes = ip_bytes(cx.cfg, &segment);
        if offset == 0 && self.vegas_rushes(cx.cfg) {
            ip_bytes += self.mss as u32;
        }
        cx.acknowledged |= segment.flags.has(TcpFlags::ACK);
        cx.out.push(TcpAction::Send { segment, ip_bytes, kind });
        (self.last_send, self.last_activity) = (cx.now, cx.now);
        if !self.timer_armed || nothing_out {
            self.arm_timer(cx);
        }
        if self.controls.wants_sent() && matches!(kind, SegmentKind::Data { .. }) {
            let view = self.view(cx);
            let event = SentEvent { seq: self.seq(offset), bytes: len as u32, retransmission };
            self.controls.on_sent(&view, &event);
        }
    }

    /// Sends the SYN again, for the peer has repeated its own.
    pub fn repeat_syn(&mut self, cx: &mut Cx) {
        if self.una == 0 {
            self.output(cx, 0, 1);
        }
    }

    /// Keeps the times of what is in flight.
    fn record(&mut self, now: SimTime, start: u64, end: u64) {
        if start < self.max {
            let first = self.sent.partition_point(|s| s.end <= start);
            for (place, sent) in self.sent.range_mut(first..).enumerate() {
                sent.times += 1;
                sent.at = now;
                if let Some(ring) = &mut self.vegas.ring {
                    ring.sent(first + place, now);
                }
                if sent.end >= end {
                    break;
                }
            }
        }
        if end > self.max {
            self.max = end;
            if let Some(ring) = &mut self.vegas.ring {
                ring.sent(self.sent.len(), now);
            }
            self.sent.push_back(Sent { end, at: now, times: 1 });
            if self.timed.is_none() {
                self.timed = Some((end, now));
            }
        }
    }

    /// The length of the segment that starts at `offset`: never across what was sent and what wasn't,
    /// nor with the FIN in it.
    pub(crate) fn segment_len(&self, offset: u64) -> u64 {
        if offset == 0 || offset >= self.data_end {
            return 1;
        }
        let end = if offset < self.max { self.data_end.min(self.max) } else { self.data_end };
        self.mss.min(end - offset)
    }

    /// Sends the oldest outstanding segment again; `nxt` stays.
    pub(crate) fn retransmit_una(&mut self, cx: &mut Cx) {
        if self.una < self.max {
            let mut len = self.segment_len(self.una);
            if let Some(above) = self.scoreboard.sacked().next_from(self.una) {
                len = len.min(above.start - self.una).max(1);
            }
            self.output(cx, self.una, len);
            self.nxt = self.nxt.max(self.una + len);
            self.scoreboard.mark_retransmitted(self.una + len);
            self.linux.oldest_sent_again(self.sent.len());
        }
    }

    /// Sends while the window allows, at most `burst` segments (0: no bound).
    pub fn send_window(&mut self, cx: &mut Cx, burst: u32) {
        if self.is_frozen() {
            return;
        }
        self.restart_after_idle(cx);
        let burst = match self.controls.burst() {
            Some(own) if burst == 0 || own < burst => own,
            _ => burst,
        };
        if self.linux.is_on() {
            self.linux_send(cx, burst);
            return self.watch_closed_window(cx);
        }
        let mut sent = 0;
        while self.nxt < self.end() {
            if self.una == 0 && self.nxt > 0 && !self.vegas_rushes(cx.cfg) {
                break;
            }
            self.skip_sacked(cx);
            if self.nxt >= self.end() {
                break;
            }
            let len = self.len_before_sacked(cx);
            if !self.fits(cx, len) {
                break;
            }
            self.output(cx, self.nxt, len);
            self.nxt += len;
            sent += 1;
            if sent == burst {
                break;
            }
        }
        self.watch_closed_window(cx);
    }

    /// Whether `len` bytes at `nxt` fit the congestion window and the peer's.
    fn fits(&self, cx: &Cx, len: u64) -> bool {
        let used = self.nxt - self.una;
        if used + len > self.rwnd(cx.cfg) && self.nxt > 0 {
            return false;
        }
        let sacked = if self.after_timeout() { self.scoreboard.sacked().bytes_below(self.nxt) } else { 0 };
        // ns-2's halving can leave less than a segment: with nothing out, one may go, or none ever would.
        let waits = self.vegas_waits() && self.timer_armed;
        let least = if self.una == self.max && !waits { 1.0 } else { 0.0 };
        used + len - sacked <= self.window_whole(cx.cfg).max(least) as u64 * self.mss
    }

    /// After a timeout with the scoreboard kept, SACKed data isn't sent again.
    fn skip_sacked(&mut self, cx: &Cx) {
        if cx.cfg.sack.after_rto == AfterRto::Keep
            && self.nxt < self.max
            && let Some(range) = self.scoreboard.sacked().containing(self.nxt)
        {
            self.nxt = range.end;
        }
    }

    /// The length of the segment at `nxt`, ending before SACKed data if that is kept.
    fn len_before_sacked(&self, cx: &Cx) -> u64 {
        let len = self.segment_len(self.nxt);
        match self.scoreboard.sacked().next_from(self.nxt) {
            Some(above) if cx.cfg.sack.after_rto == AfterRto::Keep && self.nxt < self.max => {
                len.min(above.start - self.nxt)
            }
            _ => len,
        }
    }

    /// Limited transmit: one new segment beyond the window (RFC 3042).
    pub(crate) fn send_one_more(&mut self, cx: &mut Cx) {
        if self.nxt >= self.end() || self.is_frozen() || self.una == 0 {
            return;
        }
        let len = self.segment_len(self.nxt);
        let used = self.nxt - self.una + len;
        let allowed = ((self.cwnd + f64::from(self.dup_acks)).floor() as u64) * self.mss;
        if used <= self.rwnd(cx.cfg) && used <= allowed {
            self.output(cx, self.nxt, len);
            self.nxt += len;
            self.limited_bytes += len;
        }
    }

    /// The window shrinks after an idle time longer than the RTO.
    fn restart_after_idle(&mut self, cx: &Cx) {
        let idle = self.una == self.max && self.una > 0 && self.nxt < self.end();
        if !idle || self.last_send == SimTime::ZERO || cx.now.since(self.last_activity) <= self.rtt.rto() {
            return;
        }
        match cx.cfg.idle_restart {
            IdleRestart::Off => {}
            IdleRestart::InitialWindow => self.cwnd = self.bounded(self.cwnd.min(self.initial_window)),
            IdleRestart::OneSegment => {
                self.cwnd = self.bounded(1.0);
                self.recover = self.max;
                self.last_cut = LastCut::Timeout;
                self.timed = None;
            }
        }
        self.linux.show(self.cwnd);
    }

    /// Nothing in flight and no room at the peer: probe until its window opens.
    fn watch_closed_window(&mut self, cx: &mut Cx) {
        let stuck = self.una == self.max && self.una > 0 && self.nxt < self.end() && {
            let room = self.rwnd(cx.cfg);
            room < self.segment_len(self.nxt)
        };
        match (stuck, self.persist) {
            (true, None) => {
                self.persist = Some(1);
                cx.out.push(TcpAction::Arm(TcpTimer::Persist, cx.now + self.rtt.rto()));
            }
            (false, Some(_)) => {
                self.persist = None;
                cx.out.push(TcpAction::Disarm(TcpTimer::Persist));
            }
            _ => {}
        }
    }

    /// The persist timer expired (RFC 9293 §3.8.6.1).
    pub fn on_persist(&mut self, cx: &mut Cx) {
        let Some(factor) = self.persist else { return };
        let room = self.rwnd(cx.cfg);
        if room > 0 && self.nxt < self.data_end && self.una == self.max {
            // A window smaller than a segment, and no update came: use it.
            let len = self.segment_len(self.nxt).min(room);
            self.persist = None;
            self.output(cx, self.nxt, len);
            self.nxt += len;
            return;
        }
        self.probe(cx, None);
        let factor = (factor * 2).min(64);
        self.persist = Some(factor);
        let wait = (self.rtt.rto() * u64::from(factor)).min(cx.cfg.rto.max);
        cx.out.push(TcpAction::Arm(TcpTimer::Persist, cx.now + wait));
    }

    /// An empty segment from just below the window: the peer must answer with an ACK.
    pub(crate) fn probe(&mut self, cx: &mut Cx, mark: Option<ProbeOption>) {
        let mut segment = self.blank(cx, self.una.saturating_sub(1));
        segment.options.probe = mark.filter(|_| self.peer_probes);
        let ip_bytes = ip_bytes(cx.cfg, &segment);
        cx.counters.probes_sent += 1;
        cx.out.push(TcpAction::Send { segment, ip_bytes, kind: SegmentKind::Probe });
    }
}

/// The timestamp clock: milliseconds.
pub(crate) fn timestamp(now: SimTime, clock: SimDuration) -> u32 {
    now.since_start().whole(clock) as u32
}
