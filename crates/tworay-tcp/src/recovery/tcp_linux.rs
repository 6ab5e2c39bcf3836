//! SACK as ns-2's `Agent/TCP/Linux` does it: a mark for each segment, a window of whole segments that
//! grows by bytes acknowledged, and a reduction that is walked down (see
//! [`SackForm::TcpLinux`](crate::SackForm::TcpLinux)).

mod board;

use crate::TcpConfig;
use crate::config::{Handshake, SackForm};
use crate::control::Window;
use crate::send::*;
use crate::variant::RecoveryKind;
use board::{Board, News};
use smallvec::SmallVec;

/// Segments beyond those in flight that the window has room for when a repair ends.
const MAX_BURST: usize = 3;

/// What is being repaired.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Open,
    Recovery,
    Loss,
}

/// What this form remembers; nothing in all others.
#[derive(Debug, Default)]
pub(crate) struct TcpLinux {
    /// The sender has this form.
    on: bool,
    state: State,
    board: Board,
    /// The walk down: as many may be in flight although the window is smaller. 0 for none.
    walk: usize,
    /// The window to show: the walk while there is one, as the last ACK or timeout left it.
    shown: f64,
    /// The variant has set the window itself since the loss.
    chosen: bool,
    /// Bytes acknowledged that haven't made the window grow.
    credit: u64,
    /// Data goes with the first SYN.
    rushes: bool,
}

impl TcpLinux {
    pub fn new(kind: RecoveryKind, cfg: &TcpConfig) -> Self {
        let on = kind == RecoveryKind::Sack && cfg.sack.form == SackForm::TcpLinux;
        let rushes = on && cfg.handshake == Handshake::OneWay;
        Self { on, rushes, shown: cfg.initial_window_segments(), ..Self::default() }
    }

    pub fn is_on(&self) -> bool {
        self.on
    }
    pub fn rushes(&self) -> bool {
        self.rushes
    }
    pub fn after_timeout(&self) -> bool {
        self.state == State::Loss
    }
    pub fn shown(&self) -> f64 {
        self.shown
    }

    /// The window is `cwnd` now.
    pub fn show(&mut self, cwnd: f64) {
        self.shown = cwnd.max(self.walk as f64);
    }

    /// The oldest segment was sent again without being asked for.
    pub fn oldest_sent_again(&mut self, outstanding: usize) {
        self.board.sent_again(0, outstanding);
    }

    /// Everything outstanding that isn't SACKed has to be sent again.
    pub fn lose_all(&mut self, outstanding: usize, cwnd: f64) {
        self.board.lose_all(outstanding);
        self.state = State::Loss;
        (self.walk, self.credit, self.chosen) = (0, 0, false);
        self.show(cwnd);
    }

    /// The variant has set the window by an effect: the end of the repair leaves it.
    pub fn window_chosen(&mut self) {
        self.chosen = true;
    }
}

impl Sender {
    fn linux_in_flight(&self) -> usize {
        self.linux.board.in_flight(self.sent.len())
    }

    pub(crate) fn tcp_linux(&mut self, cx: &mut Cx, ack: &Ack) {
        let advanced = ack.to > self.una;
        let dup = self.is_dup(ack);
        if !advanced && !dup && (ack.blocks.is_empty() || ack.to < self.una) {
            return self.send_window(cx, cx.cfg.max_burst);
        }
        let before = self.linux_in_flight();
        let news = if advanced {
            let (were_out, mut bytes) = (self.sent.len(), ack.to - self.una);
            if self.una == 0 {
                // A SYN counts as a whole segment.
                bytes += self.mss - 1;
            }
            self.advance(cx, ack);
            let news = self.linux_marks(cx, ack, were_out - self.sent.len());
            self.linux.credit += bytes;
            self.linux_grow(cx, bytes, before);
            news
        } else {
            let news = self.linux_marks(cx, ack, 0);
            if dup {
                // The echo is that of the last segment in order, and yet it is a sample.
                self.sample_echo(cx, ack);
                self.arm_timer(cx);
                if self.count_dup(cx) == Dup::Done {
                    return self.send_window(cx, cx.cfg.max_burst);
                }
            }
            news
        };
        if self.linux.state != State::Open && self.una >= self.recover {
            self.linux_end(cx);
        } else if news.lost && self.linux.state != State::Recovery {
            self.linux_enter(cx);
        }
        self.linux.show(self.cwnd);
        self.send_window(cx, cx.cfg.max_burst);
    }

    /// Marks what the ACK reports; the `acked` oldest segments are acknowledged.
    fn linux_marks(&mut self, cx: &Cx, ack: &Ack, acked: usize) -> News {
        let first = self.linux.board.number(acked);
        let ends = &self.sent;
        let mut blocks: SmallVec<[(u64, u64); 4]> = SmallVec::new();
        for &(left, right) in &ack.blocks {
            let from = ends.partition_point(|s| s.end <= left);
            let start = from.checked_sub(1).map_or(self.una, |below| ends[below].end);
            let from = from + usize::from(start < left);
            let to = ends.partition_point(|s| s.end <= right);
            if from < to {
                blocks.push((first + from as u64, first + to as u64));
            }
        }
        self.linux.board.update(acked, &mut blocks, cx.cfg.dup_threshold)
    }

    /// The standard growth: in whole segments, and only if the window was full `before` the ACK.
    fn linux_grow(&mut self, cx: &mut Cx, bytes: u64, before: usize) {
        let may_grow = self.linux.state != State::Recovery && !self.is_frozen();
        let mut standard = Window { cwnd: self.cwnd, ssthresh: self.ssthresh };
        if may_grow && before as f64 >= self.cwnd.floor() {
            let slow_start = self.cwnd <= self.ssthresh;
            let price = self.mss * if slow_start { 1 } else { self.cwnd as u64 };
            if self.linux.credit >= price {
                self.linux.credit = if slow_start { 0 } else { self.linux.credit - price };
                standard.cwnd = (self.cwnd + 1.0).min((self.rwnd(cx.cfg) / self.mss) as f64).max(self.cwnd);
            }
        }
        self.decide_growth(cx, bytes, may_grow, standard);
    }

    fn linux_half(&self) -> f64 {
        (self.cwnd / 2.0).floor().max(2.0)
    }

    /// A loss: the window is cut at once, what may be in flight walks down to it.
    fn linux_enter(&mut self, cx: &mut Cx) {
        let (old, half) = (self.cwnd, self.linux_half());
        if !self.cut_for_loss(cx, Window { cwnd: (half / 2.0).floor(), ssthresh: half }) {
            return;
        }
        self.recover = self.max;
        self.sack_recovery = true;
        self.last_cut = LastCut::DupAcks;
        self.linux.state = State::Recovery;
        (self.linux.walk, self.linux.credit, self.linux.chosen) = (old as usize, 0, false);
    }

    /// Everything that was out at the loss is acknowledged.
    fn linux_end(&mut self, cx: &mut Cx) {
        let state = std::mem::take(&mut self.linux.state);
        self.linux.board.clear();
        self.linux.walk = 0;
        if self.cwnd < self.ssthresh && !self.linux.chosen {
            self.cwnd = self.ssthresh.min((self.sent.len() + MAX_BURST) as f64);
        }
        self.sack_recovery = false;
        self.last_cut = LastCut::Recovered;
        if state == State::Recovery {
            self.leave_recovery(cx);
        }
    }

    /// What a timeout halves to.
    pub(crate) fn linux_after_timeout(&self) -> Window {
        Window { cwnd: 1.0, ssthresh: self.linux_half() }
    }

    /// Sends while less is in flight than the window or the walk allow: lost segments first.
    pub(crate) fn linux_send(&mut self, cx: &mut Cx, burst: u32) {
        let mut sent = 0;
        self.linux.walk = self.linux.walk.min(self.linux_in_flight() + 1);
        while !self.is_frozen() && self.linux_in_flight() < (self.cwnd as usize).max(1).max(self.linux.walk) {
            if let Some(place) = self.linux.board.next_lost() {
                self.linux_send_again(cx, place);
            } else if !self.linux_send_new(cx) {
                break;
            }
            let left = self.linux_in_flight().saturating_sub(1).max(1);
            self.linux.walk = self.linux.walk.min(left);
            sent += 1;
            if sent == burst {
                break;
            }
        }
    }

    fn linux_send_again(&mut self, cx: &mut Cx, place: usize) {
        let Some(&Sent { end, .. }) = self.sent.get(place) else { return };
        let start = place.checked_sub(1).map_or(self.una, |below| self.sent[below].end);
        self.linux.board.sent_again(place, self.sent.len());
        self.output(cx, start, end - start);
    }

    /// Whether a new segment could be sent.
    fn linux_send_new(&mut self, cx: &mut Cx) -> bool {
        let waits = self.una == 0 && self.nxt > 0 && !self.linux.rushes;
        if self.nxt >= self.end() || waits {
            return false;
        }
        let len = self.segment_len(self.nxt);
        if self.nxt + len > self.una + self.rwnd(cx.cfg) && self.nxt > 0 {
            return false;
        }
        self.output(cx, self.nxt, len);
        self.nxt += len;
        true
    }
}
