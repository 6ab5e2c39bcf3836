//! Responses to other stations: CTS after RTS, ACK after DATA (IEEE 802.11-1999 §9.2.5.7, §9.2.8).

use super::{Dcf, Exchange, MacAction};
use crate::frame::{Frame, FrameKind};
use crate::timing::Timing;
use tworay_base::{NodeId, SimDuration, SimTime};

/// ns-2's allowance for propagation in each direction (its DSSS_MaxPropagationDelay).
const MAX_PROPAGATION: SimDuration = SimDuration::from_micros(2);

impl Dcf {
    /// Any other good frame during the wait for a CTS or ACK means that the attempt has failed.
    pub(super) fn end_wait_by_other(&mut self, now: SimTime, frame: &Frame, out: &mut Vec<MacAction>) {
        let awaited = match self.exchange {
            Exchange::AwaitCts => FrameKind::Cts,
            Exchange::AwaitAck => FrameKind::Ack,
            _ => return,
        };
        if frame.kind != awaited || frame.to != self.node {
            self.unanswered(now, out);
        }
    }

    pub(super) fn on_rts(&mut self, now: SimTime, frame: &Frame) {
        let reserved = !self.quirks.cts_needs_idle_after_sifs && self.nav_until > now;
        if self.exchange != Exchange::None || reserved {
            self.counters.busy += 1;
            return;
        }
        let t = &self.timing;
        let duration = frame.duration.saturating_sub(t.sifs + t.cts);
        let cts = self.control(FrameKind::Cts, frame.from, duration);
        self.respond_after_sifs(now, cts);
    }

    pub(super) fn on_data(&mut self, now: SimTime, frame: &Frame, out: &mut Vec<MacAction>) {
        let Some(packet) = frame.packet else { return };
        let ack = self.control(FrameKind::Ack, frame.from, SimDuration::ZERO);
        let awaited = frame.protected && self.exchange == Exchange::AwaitData;
        let unasked = frame.protected && self.quirks.data_needs_cts && !awaited;
        match self.exchange {
            _ if unasked => return self.counters.busy += 1,
            Exchange::AwaitData if awaited => {
                self.settle(now);
                self.respond_after_sifs(now, ack);
            }
            Exchange::None => self.respond_after_sifs(now, ack),
            Exchange::AwaitCts | Exchange::AwaitAck if self.late_ack.is_none() => self.late_ack = Some(ack),
            // Only one response at a time; no frame fits into a SIFS.
            _ => return self.counters.busy += 1,
        }
        if self.duplicates.is_duplicate(frame.from, frame.number, frame.retry) {
            self.counters.duplicates += 1;
        } else {
            out.push(MacAction::Deliver { packet, from: frame.from });
        }
    }

    pub(super) fn send_late_ack(&mut self, now: SimTime) {
        if let Some(ack) = self.late_ack.take() {
            self.respond_after_sifs(now, ack);
        }
    }

    fn respond_after_sifs(&mut self, now: SimTime, frame: Frame) {
        self.exchange = Exchange::RespondSoon(frame);
        self.step_at = now + self.timing.sifs;
    }

    /// The SIFS before the CTS or ACK is over.
    pub(super) fn respond(&mut self, now: SimTime, frame: Frame, out: &mut Vec<MacAction>) {
        self.settle(now);
        self.use_up(now);
        if frame.kind == FrameKind::Cts {
            if self.quirks.cts_needs_idle_after_sifs && self.idle_from() > now {
                self.counters.busy += 1;
                return;
            }
            self.counters.tx_cts += 1;
            self.transmit(now, frame, out);
            if self.quirks.cts_waits_for_data {
                let t = &self.timing;
                // The CTS's duration is SIFS + DATA + SIFS + ACK.
                let data = frame.duration.saturating_sub(t.sifs + t.ack);
                let until = self.tx_until + data + MAX_PROPAGATION * 2;
                self.expect(Exchange::AwaitData, until);
            }
        } else {
            self.counters.tx_ack += 1;
            self.transmit(now, frame, out);
            if self.quirks.cts_waits_for_data || self.owes_data() {
                self.expect(Exchange::Acknowledging, self.tx_until);
            }
        }
    }

    pub(super) fn control(&self, kind: FrameKind, to: NodeId, duration: SimDuration) -> Frame {
        let (rts, cts, ack) = Timing::control_bytes();
        let (bytes, airtime) = match kind {
            FrameKind::Rts => (rts, self.timing.rts),
            FrameKind::Cts => (cts, self.timing.cts),
            _ => (ack, self.timing.ack),
        };
        Frame {
            kind,
            from: self.node,
            to,
            duration,
            number: 0,
            retry: false,
            protected: false,
            packet: None,
            bytes,
            airtime,
        }
    }
}
