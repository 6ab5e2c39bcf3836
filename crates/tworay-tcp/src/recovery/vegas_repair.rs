//! Vegas: compares the expected with the actual rate (Brakmo and Peterson 1995), as ns-2's
//! `Agent/TCP/Vegas` does. It has its own growth, reduction and retransmission with a finer timer than the
//! shared one, and no rule for partial ACKs.
//!
//! `rate` measures round trips and decides the window once per round trip; `ring` is the record that ns-2's
//! agent keeps of its segments, with the quirks that follow from it.

mod decision;
mod ring;

use super::Recovery;
use super::decisions::*;
use crate::config::{Handshake, TcpConfig};
use crate::control::Window;
use crate::parts::{Entry, Event, Meaning, RecoveryKind, Rule, Settings, VariantInfo};
use crate::send::{Ack, CutBy, Cx, SendState};
use decision::Rate;
pub(super) use decision::Thresholds;
use ring::{Ring, Stamp};
use tworay_base::SimTime;

/// State before an ACK of new data.
#[derive(Copy, Clone, Debug, Default)]
struct Arrival {
    /// The newest segment that it covers.
    newest: Option<Stamp>,
    /// The congestion window if the ACK opens the connection one round trip early, segments.
    unopened: f64,
}

#[derive(Debug)]
pub(super) struct VegasRepair {
    rate: Rate,
    /// Number of further ACKs after a retransmission that check the fine timeout.
    checks_left: u32,
    /// Window without inflation.
    deflated: f64,
    last_cut_at: Option<SimTime>,
    /// The ACK of new data being processed.
    arrival: Arrival,
    /// ns-2's record of its segments; without it, the shared list is used.
    ring: Option<Ring>,
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "vegas",
        summary: "compares expected and actual rate; retransmits by a fine-grained timer",
        source: "Brakmo and Peterson 1995; ns-2 Agent/TCP/Vegas",
        rules: &[
            Rule::at(
                Event::Round,
                "D is (expected - actual rate) x shortest round trip: the segments queued in the network",
                "Papanastasiou 2006, eq. 2.1; Brakmo and Peterson 1995",
            ),
            Rule::at(
                Event::Ack,
                "slow start: cwnd grows by one segment, in every second round trip; it ends with cwnd less an eighth if D > gamma",
                "Papanastasiou 2006 §2.1.4; ns-2 tcp-vegas.cc",
            ),
            Rule::at(
                Event::Ack,
                "congestion avoidance: cwnd + 1 in a round trip if D < alpha, cwnd - 1 if D > beta",
                "Papanastasiou 2006, eq. 2.2",
            ),
            Rule::at(
                Event::Duplicate,
                "any: sends the oldest segment again if it is older than the fine timeout",
                "Papanastasiou 2006 §2.1.4",
            ),
            Rule::at(
                Event::Loss,
                "cwnd falls by a quarter, to half if the segment was sent again before; once for the losses of a window",
                "ns-2 tcp-vegas.cc",
            ),
            Rule::at(
                Event::Ack,
                "the first two after a retransmission: checks the fine timeout as a duplicate ACK does",
                "Papanastasiou 2006 §2.1.4",
            ),
            Rule::at(
                Event::Timeout,
                "ssthresh is half of the flight, cwnd 2; the timeout doubles",
                "ns-2 tcp-vegas.cc",
            ),
        ],
        parameters: Thresholds::PARAMETERS,
    },
    meaning: Meaning::Recovery(RecoveryKind::Vegas),
};

/// Number of segments up to an offset; the SYN counts as one.
fn count_to(tx: &SendState, offset: u64) -> f64 {
    if offset == 0 { 0.0 } else { 1.0 + (offset - 1).div_ceil(tx.space.mss) as f64 }
}

impl Recovery for VegasRepair {
    fn on_ack(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, out: &mut Decisions) -> Reply {
        if !self.rate.has_begun() {
            let first = tx.sent.front().map_or(cx.now, |s| s.at);
            self.rate.begin(first, cx.now, tx.space.una);
        }
        if ack.to > tx.space.una {
            self.new_ack(tx, cx, ack, out);
            return Reply::Advance(Advance::Full);
        }
        if tx.is_dup(ack) || takes_as_dup(tx, ack) {
            self.dup_ack(tx, cx, out);
        }
        Reply::Decided
    }

    fn on_advanced(&mut self, tx: &SendState, cx: &Cx, _: &Ack, new: NewData, out: &mut Decisions) {
        let mut window = Window { cwnd: tx.window.cwnd, ssthresh: tx.window.ssthresh };
        if new.opening && cx.cfg.handshake == Handshake::OneWay {
            window.cwnd = tx.bounded(self.arrival.unopened);
        }
        self.grow(tx, cx, &mut window);
        set_window(tx, window, out);
        if let Some(at) = self.arrival.newest.filter(|s| s.times == 1 && !new.opening).and_then(|s| s.at) {
            self.rate.sample(cx.now.since(at).as_secs_f64());
        }
        if self.checks_left > 0 {
            self.checks_left -= 1;
            if self.expired(tx, cx) {
                out.push(Decision::SetDupAcks(cx.cfg.dup_threshold));
                send_oldest(tx, cx, out);
            } else {
                self.checks_left = 0;
            }
        }
    }

    fn after_ack(&mut self, tx: &SendState, cx: &Cx) -> Sending {
        if tx.dup_acks == 0 || tx.dup_acks >= cx.cfg.dup_threshold {
            return Sending::Window { burst: cx.cfg.max_burst };
        }
        Sending::Nothing
    }

    /// Restarts with two segments.
    fn on_timeout(&mut self, tx: &SendState, cx: &Cx) -> Option<f64> {
        let cwnd = tx.bounded(2.0);
        self.deflated = if tx.quirks.forgotten_window { 0.0 } else { cwnd };
        self.last_cut_at = Some(cx.now);
        if let Some(ring) = self.ring.as_ref().filter(|_| tx.quirks.restarted_clock && tx.space.una == 0) {
            // A repeated SYN resets ns-2's clock to zero, but not this time stamp.
            self.last_cut_at = Some(cx.now + cx.now.since(ring.started));
        }
        Some(cwnd)
    }

    fn on_sent(&mut self, place: usize, now: SimTime) {
        if let Some(ring) = &mut self.ring {
            ring.sent(place, now);
        }
    }
}

/// With nothing outstanding, duplicate ACKs count as long as there is data to send.
fn takes_as_dup(tx: &SendState, ack: &Ack) -> bool {
    let una = tx.space.una;
    tx.quirks.overdue_nothing && ack.to == una && ack.pure && una > 0 && una < tx.space.end()
}

impl VegasRepair {
    pub fn new(thresholds: Thresholds, cfg: &TcpConfig) -> Self {
        let quirks = cfg.quirks(RecoveryKind::Vegas);
        Self {
            rate: Rate::new(thresholds),
            checks_left: 0,
            deflated: 0.0,
            last_cut_at: None,
            arrival: Arrival::default(),
            ring: quirks.surviving_counts.then(|| Ring::new(cfg.window_segments())),
        }
    }

    fn new_ack(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, out: &mut Decisions) {
        let (mut cwnd, mut ssthresh) = (tx.window.cwnd, tx.window.ssthresh);
        // ns-2's one-way agent opens to the initial window one round trip late.
        if cx.cfg.handshake == Handshake::OneWay && tx.space.una == 1 {
            cwnd = tx.bounded(tx.window.initial);
        }
        if tx.dup_acks > cx.cfg.dup_threshold && cwnd > self.deflated {
            (cwnd, ssthresh) = (self.deflated, 2.0);
        }
        // After fewer duplicate ACKs than the threshold the inflation stays, within the variant's bounds.
        let cwnd = tx.bounded(cwnd);
        set_window(tx, Window { cwnd, ssthresh }, out);
        let unopened = if tx.quirks.lost_syn_keeps_window { cwnd } else { 1.0 };
        self.arrival = Arrival { newest: self.newest(tx, ack.to), unopened };
    }

    fn dup_ack(&mut self, tx: &SendState, cx: &Cx, out: &mut Decisions) {
        let dup_acks = tx.dup_acks + 1;
        out.push(Decision::CountDupSilently);
        if !self.expired(tx, cx) && dup_acks != cx.cfg.dup_threshold {
            if dup_acks > cx.cfg.dup_threshold {
                out.push(Decision::SetCwnd(tx.window.cwnd + 1.0));
            }
            return;
        }
        if tx.space.una <= tx.cut.point && tx.cut.by == CutBy::Timeout {
            return;
        }
        let Some(oldest) = self.oldest(tx) else { return };
        let window = tx.window_whole(cx.cfg) as f64;
        out.push(Decision::MarkCut(CutBy::DupAcks));
        self.checks_left = (count_to(tx, tx.space.nxt) - count_to(tx, tx.space.una) + 1.0).min(2.0) as u32;
        self.rate.timeout *= if oldest.times > 1 { 2.0 } else { 1.125 };
        out.push(Decision::CountFastRetransmit);
        if self.may_cut(oldest) {
            let cut = if window <= 3.0 {
                2.0
            } else if oldest.times > 1 {
                (window / 2.0).floor()
            } else {
                window - (window / 4.0).floor()
            };
            self.deflated = cut;
            self.last_cut_at = Some(cx.now);
            out.push(Decision::ReduceOwn { cwnd: cut + f64::from(dup_acks) });
        }
        out.push(Decision::BackOff);
        out.push(Decision::ArmTimer);
        out.push(Decision::StopTiming);
        send_oldest(tx, cx, out);
        if oldest.times == 1 {
            out.push(Decision::SetDupAcks(cx.cfg.dup_threshold));
        }
    }

    /// True if the oldest segment has been outstanding longer than the fine timeout.
    fn expired(&self, tx: &SendState, cx: &Cx) -> bool {
        let age = match &self.ring {
            Some(ring) => Some(ring.age(ring.oldest(), cx.now)),
            None => tx.sent.front().map(|s| cx.now.since(s.at)),
        };
        age.is_some_and(|age| age.as_secs_f64() >= self.rate.timeout)
    }

    /// The newest segment that an ACK covers; the ring clears the slots it covers.
    fn newest(&mut self, tx: &SendState, to: u64) -> Option<Stamp> {
        let covered = tx.sent.iter().take_while(|s| s.end <= to);
        match &mut self.ring {
            Some(ring) => {
                let started = ring.started;
                // ns-2 uses time 0 for "no time".
                ring.acknowledge(covered.count()).filter(|s| s.at != Some(started))
            }
            None => covered.last().map(|s| Stamp { at: Some(s.at), times: s.times }),
        }
    }

    fn oldest(&self, tx: &SendState) -> Option<Stamp> {
        match &self.ring {
            Some(ring) => Some(ring.oldest()),
            None => tx.sent.front().map(|s| Stamp { at: Some(s.at), times: s.times }),
        }
    }

    /// True if the window was not reduced since this segment was sent.
    fn may_cut(&self, oldest: Stamp) -> bool {
        let last = self.last_cut_at.or(self.ring.as_ref().map(|r| r.started));
        oldest.at.is_some_and(|at| last.is_none_or(|last| last < at))
    }
}

/// Sets what has changed. Most ACKs change nothing.
fn set_window(tx: &SendState, window: Window, out: &mut Decisions) {
    if window.cwnd != tx.window.cwnd {
        out.push(Decision::SetCwnd(window.cwnd));
    }
    if window.ssthresh != tx.window.ssthresh {
        out.push(Decision::SetSsthresh(window.ssthresh));
    }
}

/// Retransmits the oldest segment; with ns-2's quirk also one that was never sent, beyond `nxt`.
fn send_oldest(tx: &SendState, cx: &Cx, out: &mut Decisions) {
    let una = tx.space.una;
    if !tx.quirks.overdue_nothing {
        out.push(Decision::RetransmitOldest);
    } else if una < tx.space.end() {
        let len = tx.space.segment_len(una);
        if una < tx.space.max || len <= tx.space.rwnd(cx.cfg) {
            out.push(Decision::Send(Segment { start: una, len, kind: Kind::Again }));
        }
    }
}
