//! SACK as in ns-2's `Agent/TCP/Linux`: a mark per segment, a window of whole segments that grows by bytes
//! acknowledged, and rate halving (see [`SackForm::TcpLinux`](crate::SackForm::TcpLinux)).

mod board;

use super::Recovery;
use crate::config::TcpConfig;
use crate::control::Window;
use crate::send::{Ack, CutBy, Cx, Dup, Machinery, Timed};
use board::{Board, News};
use smallvec::SmallVec;

/// By how many segments the window may exceed those in flight when a repair ends.
const MAX_BURST: usize = 3;

/// What is being repaired.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Open,
    Recovery,
    Loss,
}

#[derive(Debug, Default)]
pub(super) struct TcpLinux {
    state: State,
    board: Board,
    /// Rate halving: this many segments may be in flight although the window is smaller; 0 when inactive.
    walk: usize,
    /// Window to report: the limit of rate halving while it is active, as of the last ACK or timeout.
    shown: f64,
    /// Whether the variant has set the window since the loss.
    chosen: bool,
    /// Bytes acknowledged that have not yet made the window grow.
    credit: u64,
}

impl Recovery for TcpLinux {
    fn on_ack(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack) {
        let advanced = ack.to > tx.space.una;
        let dup = tx.is_dup(ack);
        if !advanced && !dup && (ack.blocks.is_empty() || ack.to < tx.space.una) {
            return tx.send_window(cx, self, cx.cfg.max_burst);
        }
        let before = self.in_flight(tx);
        let news = if advanced {
            let (were_out, mut bytes) = (tx.sent.len(), ack.to - tx.space.una);
            if tx.space.una == 0 {
                // A SYN counts as a full segment.
                bytes += tx.space.mss - 1;
            }
            tx.advance(cx, self, ack);
            let news = self.mark(tx, cx, ack, were_out - tx.sent.len());
            self.credit += bytes;
            self.grow(tx, cx, bytes, before);
            news
        } else {
            let news = self.mark(tx, cx, ack, 0);
            if dup {
                // The echo belongs to the last in-order segment, but ns-2 samples it nevertheless.
                tx.sample_echo(cx, self, ack, Timed::Data);
                tx.arm_timer(cx);
                if tx.count_dup(cx, self) == Dup::Done {
                    return tx.send_window(cx, self, cx.cfg.max_burst);
                }
            }
            news
        };
        if self.state != State::Open && tx.space.una >= tx.cut.point {
            self.end(tx, cx);
        } else if news.lost && self.state != State::Recovery {
            self.enter(tx, cx);
        }
        self.show(tx.window.cwnd);
        tx.send_window(cx, self, cx.cfg.max_burst);
    }

    fn in_recovery(&self, _: &Machinery) -> bool {
        self.state == State::Recovery
    }

    fn after_timeout(&self, _: &Machinery) -> bool {
        self.state == State::Loss
    }

    fn timeout_window(&self, tx: &Machinery, _: Window) -> Window {
        Window { cwnd: 1.0, ssthresh: half(tx) }
    }

    /// Everything outstanding that is not SACKed must be retransmitted.
    fn go_back(&mut self, tx: &mut Machinery, _: &mut Cx) {
        self.board.lose_all(tx.sent.len());
        self.state = State::Loss;
        (self.walk, self.credit, self.chosen) = (0, 0, false);
        self.show(tx.window.cwnd);
    }

    /// Sends while fewer segments are in flight than the window or rate halving allows, lost segments
    /// first.
    fn sends_itself(&mut self, tx: &mut Machinery, cx: &mut Cx, burst: u32) -> bool {
        let mut sent = 0;
        self.walk = self.walk.min(self.in_flight(tx) + 1);
        while !tx.is_frozen()
            && self.in_flight(tx) < (tx.window.cwnd as usize).max(1).max(self.walk)
            && !tx.is_held_back(cx)
        {
            if let Some(place) = self.board.next_lost() {
                self.send_again(tx, cx, place);
            } else if !self.send_new(tx, cx) {
                break;
            }
            let left = self.in_flight(tx).saturating_sub(1).max(1);
            self.walk = self.walk.min(left);
            sent += 1;
            if sent == burst {
                break;
            }
        }
        true
    }

    fn on_oldest_sent_again(&mut self, tx: &Machinery) {
        self.board.sent_again(0, tx.sent.len());
    }

    fn on_window_set(&mut self, cwnd: f64) {
        self.show(cwnd);
    }

    /// The window is then left unchanged when the repair ends.
    fn on_window_chosen(&mut self) {
        self.chosen = true;
    }

    fn shown_cwnd(&self, _: &Machinery) -> f64 {
        self.shown
    }
}

/// Half the window in whole segments.
fn half(tx: &Machinery) -> f64 {
    (tx.window.cwnd / 2.0).floor().max(2.0)
}

impl TcpLinux {
    pub fn new(cfg: &TcpConfig) -> Self {
        Self { shown: cfg.initial_window_segments(), ..Self::default() }
    }

    /// Reports `cwnd` as the window.
    fn show(&mut self, cwnd: f64) {
        self.shown = cwnd.max(self.walk as f64);
    }

    fn in_flight(&self, tx: &Machinery) -> usize {
        self.board.in_flight(tx.sent.len())
    }

    /// Updates the marks from an ACK that acknowledges the `acked` oldest segments.
    fn mark(&mut self, tx: &Machinery, cx: &Cx, ack: &Ack, acked: usize) -> News {
        let first = self.board.number(acked);
        let ends = &tx.sent;
        let mut blocks: SmallVec<[(u64, u64); 4]> = SmallVec::new();
        for &(left, right) in &ack.blocks {
            let from = ends.partition_point(|s| s.end <= left);
            let from = from + usize::from(tx.start_of_sent(from) < left);
            let to = ends.partition_point(|s| s.end <= right);
            if from < to {
                blocks.push((first + from as u64, first + to as u64));
            }
        }
        self.board.update(acked, &mut blocks, cx.cfg.dup_threshold)
    }

    /// Standard growth: in whole segments, and only if the window was full `before` the ACK.
    fn grow(&mut self, tx: &mut Machinery, cx: &mut Cx, bytes: u64, before: usize) {
        let (cwnd, ssthresh) = (tx.window.cwnd, tx.window.ssthresh);
        let may_grow = self.state != State::Recovery && !tx.is_frozen();
        let mut standard = Window { cwnd, ssthresh };
        if may_grow && before as f64 >= cwnd.floor() {
            let slow_start = cwnd <= ssthresh;
            let price = tx.space.mss * if slow_start { 1 } else { cwnd as u64 };
            if self.credit >= price {
                self.credit = if slow_start { 0 } else { self.credit - price };
                let advertised = (tx.space.rwnd(cx.cfg) / tx.space.mss) as f64;
                standard.cwnd = (cwnd + 1.0).min(advertised).max(cwnd);
            }
        }
        tx.decide_growth(cx, self, bytes, may_grow, standard);
    }

    /// A loss: reduces the window at once; the limit of segments in flight then falls step by step.
    fn enter(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        let (old, half) = (tx.window.cwnd, half(tx));
        if !tx.cut_for_loss(cx, self, Window { cwnd: (half / 2.0).floor(), ssthresh: half }) {
            return;
        }
        tx.mark_cut(CutBy::DupAcks);
        self.state = State::Recovery;
        (self.walk, self.credit, self.chosen) = (old as usize, 0, false);
    }

    /// Everything outstanding at the loss is acknowledged.
    fn end(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        let state = std::mem::take(&mut self.state);
        self.board.clear();
        self.walk = 0;
        if tx.window.cwnd < tx.window.ssthresh && !self.chosen {
            tx.window.cwnd = tx.window.ssthresh.min((tx.sent.len() + MAX_BURST) as f64);
        }
        tx.cut.by = CutBy::Recovered;
        if state == State::Recovery {
            tx.leave_recovery(cx, self);
        }
    }

    fn send_again(&mut self, tx: &mut Machinery, cx: &mut Cx, place: usize) {
        let Some((start, len)) = tx.sent_segment(place) else { return };
        self.board.sent_again(place, tx.sent.len());
        tx.output(cx, self, start, len);
    }

    /// Sends a new segment; returns whether that was possible.
    fn send_new(&mut self, tx: &mut Machinery, cx: &mut Cx) -> bool {
        let Some(len) = tx.new_segment_len(cx, tx.space.nxt) else { return false };
        tx.output(cx, self, tx.space.nxt, len);
        tx.space.nxt += len;
        true
    }
}
