//! Probing a closed window: nothing is in flight and the peer has no room (RFC 9293 §3.8.6.1).

use super::*;
use crate::endpoint::SegmentKind;
use tworay_wire::ProbeOption;

impl SendState {
    /// Starts or stops the persist timer.
    #[inline]
    pub(super) fn watch_closed_window(&mut self, cx: &mut Cx) {
        let space = &self.space;
        let stuck = space.una == space.max
            && space.una > 0
            && space.nxt < space.end()
            && space.rwnd(cx.cfg) < space.segment_len(space.nxt);
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

    /// Sends an empty segment from just below the window, which the peer must acknowledge.
    pub(super) fn probe(&mut self, cx: &mut Cx, mark: Option<ProbeOption>) {
        let mut segment = self.blank(cx, self.space.una.saturating_sub(1));
        segment.options.probe = mark.filter(|_| self.peer_probes);
        let ip_bytes = ip_bytes(cx.cfg, &segment);
        cx.counters.probes_sent += 1;
        cx.out.push(TcpAction::Send { segment, ip_bytes, kind: SegmentKind::Probe });
    }
}

impl Sender {
    /// The persist timer expired.
    pub fn on_persist(&mut self, cx: &mut Cx) {
        let Some(factor) = self.tx.persist else { return };
        let space = &self.tx.space;
        let (room, at) = (space.rwnd(cx.cfg), space.nxt);
        if room > 0 && at < space.data_end && space.una == space.max {
            // The window is smaller than a segment and no update arrived: use it.
            let len = space.segment_len(at).min(room);
            self.tx.persist = None;
            self.output(cx, at, len);
            self.tx.space.nxt += len;
            return;
        }
        self.tx.probe(cx, None);
        let factor = (factor * 2).min(64);
        self.tx.persist = Some(factor);
        let wait = (self.tx.rtt.rto() * u64::from(factor)).min(cx.cfg.rto.max);
        cx.out.push(TcpAction::Arm(TcpTimer::Persist, cx.now + wait));
    }
}
