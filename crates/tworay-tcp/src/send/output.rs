//! Builds and sends segments.

use super::*;
use crate::config::{AckSize, Handshake};
use crate::control::SentEvent;
use crate::endpoint::{Control, SegmentKind};
use crate::receive::WindowField;
use tworay_wire::{ProbeKind, ProbeOption, TcpFlags, TcpOptions, TcpSegment};

/// IP bytes of a segment with the configured sizes. The probe option is not counted, so that a probe and
/// its answer have the 40 bytes given in the papers of TCP-Probing and Freeze-Probing.
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

impl SendState {
    /// A segment with the current acknowledgment and no payload. Inlined, because moving it costs 1 % of all
    /// instructions.
    #[inline(always)]
    pub fn blank(&self, cx: &Cx, offset: u64) -> TcpSegment {
        // For data that follows a SYN, a one-way connection already knows the peer's sequence number.
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
            seq: self.space.seq(offset),
            ack: if synchronised || early { acked } else { Seq32(0) },
            flags: if synchronised || early { TcpFlags::ACK } else { TcpFlags(0) },
            window: cx.rx.advertised(cx.cfg) as u32,
            payload: 0,
            options,
        }
    }

    /// The options of a SYN.
    fn negotiate(&self, cx: &Cx, segment: &mut TcpSegment) {
        if cx.cfg.handshake != Handshake::ThreeWay {
            return;
        }
        segment.options.mss = u16::try_from(self.space.mss).ok();
        segment.options.sack_permitted = self.wants_sack;
        // The answer carries the option only if the SYN did (RFC 7323 §2.2).
        let shift = cx.cfg.window_shift();
        let offered = if cx.rx.is_synchronised() { cx.rx.scales() } else { shift > 0 };
        segment.options.window_scale = offered.then_some(shift);
        segment.window = WindowField::Plain.hold(segment.window.into()) as u32;
        segment.options.probe =
            self.needs.contains(Needs::PROBES).then_some(ProbeOption { kind: ProbeKind::Permitted, id: 0 });
    }
}

impl Sender {
    /// Sends `[offset, offset + len)`: the SYN, payload, or the FIN.
    pub fn output(&mut self, cx: &mut Cx, offset: u64, len: u64) {
        let retransmission = offset < self.tx.space.max;
        let mut segment = self.tx.blank(cx, offset);
        let kind = if offset == 0 {
            segment.flags = segment.flags.with(TcpFlags::SYN);
            self.tx.negotiate(cx, &mut segment);
            SegmentKind::Control(Control::Syn)
        } else if offset >= self.tx.space.data_end {
            segment.flags = segment.flags.with(TcpFlags::FIN);
            SegmentKind::Control(Control::Fin)
        } else {
            segment.payload = len as u32;
            self.tx.note_paced(cx.now);
            cx.counters.sent_segments += 1;
            cx.counters.bytes_sent += len;
            if retransmission {
                cx.counters.retransmitted_segments += 1;
                cx.counters.bytes_retransmitted += len;
            }
            SegmentKind::Data { retransmission }
        };
        let nothing_out = self.tx.space.una == self.tx.space.max;
        let alone = self.tx.controls.wants_sent() && self.recovery.nothing_in_flight(&self.tx);
        if self.tx.needs.contains(Needs::RATES) && offset > 0 {
            self.tx.rate.on_sent(cx.now, offset, offset + len, self.tx.space.max);
        }
        self.record(cx.now, offset, offset + len);
        let mut ip_bytes = ip_bytes(cx.cfg, &segment);
        if offset == 0 && self.tx.quirks.long_syn {
            ip_bytes += self.tx.space.mss as u32;
        }
        cx.acknowledged |= segment.flags.has(TcpFlags::ACK);
        cx.out.push(TcpAction::Send { segment, ip_bytes, kind });
        (self.tx.last_send, self.tx.last_activity) = (cx.now, cx.now);
        if !self.tx.timer.is_armed() || nothing_out {
            self.tx.arm_timer(cx);
        }
        if self.tx.controls.wants_sent() && matches!(kind, SegmentKind::Data { .. }) {
            let view = self.view(cx);
            let seq = self.tx.space.seq(offset);
            let event = SentEvent { seq, bytes: len as u32, retransmission, alone };
            self.tx.controls.on_sent(&view, &event);
        }
    }

    /// Records the send times of segments in flight.
    fn record(&mut self, now: SimTime, start: u64, end: u64) {
        if start < self.tx.space.max {
            let first = self.tx.sent.partition_point(|s| s.end <= start);
            for (place, sent) in self.tx.sent.range_mut(first..).enumerate() {
                self.tx.transmissions += 1;
                sent.times += 1;
                (sent.at, sent.order) = (now, self.tx.transmissions);
                self.recovery.on_sent(first + place, now);
                if sent.end >= end {
                    break;
                }
            }
        }
        if end > self.tx.space.max {
            self.tx.space.max = end;
            self.tx.transmissions += 1;
            self.recovery.on_sent(self.tx.sent.len(), now);
            self.tx.sent.push_back(Sent { end, at: now, times: 1, order: self.tx.transmissions });
            if self.tx.timed.is_none() {
                self.tx.timed = Some((end, now));
            }
        }
    }
}
