//! SACK as in ns-2's `Agent/TCP/Linux`: a mark per segment, a window of whole segments that grows by bytes
//! acknowledged, and rate halving (see [`SackForm::TcpLinux`](crate::SackForm::TcpLinux)).

mod board;

use super::Recovery;
use super::decisions::*;
use crate::config::TcpConfig;
use crate::control::Window;
use crate::send::{Ack, CutBy, Cx, Dup, SendState};
use board::{Board, News};
use smallvec::SmallVec;

/// By how many segments the window may exceed those in flight when a repair ends.
const MAX_BURST: usize = 3;

/// The ACK being processed.
#[derive(Copy, Clone, Debug, Default)]
struct Arrival {
    /// Segments in flight before it.
    before: usize,
    news: News,
    /// The reported window follows from it.
    counts: bool,
}

/// State of the repair.
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
    /// True if the variant has set the window since the loss.
    chosen: bool,
    /// The ACK being processed.
    arrival: Arrival,
    /// Bytes acknowledged that have not yet made the window grow.
    credit: u64,
}

impl Recovery for TcpLinux {
    fn on_ack(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, out: &mut Decisions) -> Reply {
        self.arrival = Arrival { before: self.in_flight(tx), ..Arrival::default() };
        if ack.to > tx.space.una {
            return Reply::Advance(Advance::Full);
        }
        let dup = tx.is_dup(ack);
        if !dup && (ack.blocks.is_empty() || ack.to < tx.space.una) {
            return Reply::Decided;
        }
        self.arrival.news = self.mark(tx, cx, ack, 0);
        if dup {
            // The echo belongs to the last in-order segment, but ns-2 samples it nevertheless.
            out.push(Decision::SampleEcho);
            out.push(Decision::ArmTimer);
            out.push(Decision::CountDup);
        } else {
            self.judge(tx, out);
        }
        Reply::Decided
    }

    fn on_advanced(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, new: NewData, out: &mut Decisions) {
        self.arrival.news = self.mark(tx, cx, ack, new.segments);
        // A SYN counts as a full segment.
        let bytes = new.bytes + if new.opening { tx.space.mss - 1 } else { 0 };
        self.credit += bytes;
        self.grow(tx, cx, bytes, out);
    }

    fn on_grown(&mut self, tx: &SendState, _: &Cx, out: &mut Decisions) {
        self.judge(tx, out);
    }

    fn on_dup(&mut self, tx: &SendState, _: &Cx, dup: Dup, out: &mut Decisions) {
        if dup != Dup::Done {
            self.judge(tx, out);
        }
    }

    /// The limit of segments in flight falls step by step from the window before the loss.
    fn on_reduced(&mut self, _: &SendState, _: &Cx, reduction: Reduction, out: &mut Decisions) {
        if reduction.stands {
            out.push(Decision::MarkCut(CutBy::DupAcks));
            self.state = State::Recovery;
            (self.walk, self.credit, self.chosen) = (reduction.before.cwnd as usize, 0, false);
        }
    }

    fn after_ack(&mut self, tx: &SendState, cx: &Cx) -> Sending {
        if self.arrival.counts {
            self.show(tx.window.cwnd);
        }
        Sending::Window { burst: cx.cfg.max_burst }
    }

    fn in_recovery(&self, _: &SendState) -> bool {
        self.state == State::Recovery
    }

    fn after_timeout(&self, _: &SendState) -> bool {
        self.state == State::Loss
    }

    fn timeout_window(&self, tx: &SendState, _: Window) -> Window {
        Window { cwnd: 1.0, ssthresh: tx.half_window() }
    }

    /// Everything outstanding that is not SACKed must be retransmitted.
    fn go_back(&mut self, tx: &SendState, _: &Cx) -> Restart {
        self.board.lose_all(tx.sent.len());
        self.state = State::Loss;
        (self.walk, self.credit, self.chosen) = (0, 0, false);
        self.show(tx.window.cwnd);
        Restart::ByRecord { cwnd: None }
    }

    fn selects_always(&self) -> bool {
        true
    }

    fn begin_selecting(&mut self, tx: &SendState, _: &Cx) {
        self.walk = self.walk.min(self.in_flight(tx) + 1);
    }

    /// Fewer segments are in flight than the window or rate halving permits.
    fn has_room(&self, tx: &SendState, _: &Cx) -> bool {
        self.in_flight(tx) < (tx.window.cwnd as usize).max(1).max(self.walk)
    }

    /// Lost segments first.
    fn next_segment(&mut self, tx: &SendState, cx: &Cx) -> Option<Segment> {
        let (segment, outstanding) = match self.board.next_lost() {
            Some(place) => (self.lost_segment(tx, place), tx.sent.len()),
            None => (self.new_segment(tx, cx), tx.sent.len() + 1),
        };
        if segment.is_some() {
            let left = self.board.in_flight(outstanding).saturating_sub(1).max(1);
            self.walk = self.walk.min(left);
        }
        segment
    }

    fn on_oldest_sent_again(&mut self, tx: &SendState, _: u64) {
        self.board.sent_again(0, tx.sent.len());
    }

    fn nothing_in_flight(&self, tx: &SendState) -> bool {
        self.in_flight(tx) == 0
    }

    fn on_window_set(&mut self, cwnd: f64) {
        self.show(cwnd);
    }

    /// The window is then left unchanged when the repair ends.
    fn on_window_chosen(&mut self) {
        self.chosen = true;
    }

    fn shown_cwnd(&self, _: &SendState) -> f64 {
        self.shown
    }
}

impl TcpLinux {
    pub fn new(cfg: &TcpConfig) -> Self {
        Self { shown: cfg.initial_window_segments(), ..Self::default() }
    }

    /// Reports `cwnd` as the window.
    fn show(&mut self, cwnd: f64) {
        self.shown = cwnd.max(self.walk as f64);
    }

    fn in_flight(&self, tx: &SendState) -> usize {
        self.board.in_flight(tx.sent.len())
    }

    /// Updates the marks from an ACK that acknowledges the `acked` oldest segments.
    fn mark(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, acked: usize) -> News {
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

    /// Standard growth: in whole segments, and only if the window was full before the ACK.
    fn grow(&mut self, tx: &SendState, cx: &Cx, bytes: u64, out: &mut Decisions) {
        let (cwnd, ssthresh) = (tx.window.cwnd, tx.window.ssthresh);
        let may_grow = self.state != State::Recovery && !tx.is_frozen();
        let mut standard = Window { cwnd, ssthresh };
        if may_grow && self.arrival.before as f64 >= cwnd.floor() {
            let slow_start = cwnd <= ssthresh;
            let price = tx.space.mss * if slow_start { 1 } else { cwnd as u64 };
            if self.credit >= price {
                self.credit = if slow_start { 0 } else { self.credit - price };
                let advertised = (tx.space.rwnd(cx.cfg) / tx.space.mss) as f64;
                standard.cwnd = (cwnd + 1.0).min(advertised).max(cwnd);
            }
        }
        let delivered = bytes as f64 / tx.space.mss as f64;
        out.push(Decision::GrowTo(Growth { standard, bytes, delivered, may_grow, limited: None }));
    }

    /// The end of a repair, or a loss. A loss reduces the window at once.
    fn judge(&mut self, tx: &SendState, out: &mut Decisions) {
        self.arrival.counts = true;
        if self.state != State::Open && tx.space.una >= tx.cut.point {
            self.end(tx, out);
        } else if self.arrival.news.lost && self.state != State::Recovery {
            let half = tx.half_window();
            let standard = Window { cwnd: (half / 2.0).floor(), ssthresh: half };
            out.push(Decision::Reduce { standard, cause: Detected::FastRetransmit });
        }
    }

    /// Everything outstanding at the loss is acknowledged.
    fn end(&mut self, tx: &SendState, out: &mut Decisions) {
        let state = std::mem::take(&mut self.state);
        self.board.clear();
        self.walk = 0;
        if tx.window.cwnd < tx.window.ssthresh && !self.chosen {
            let cwnd = tx.window.ssthresh.min((tx.sent.len() + MAX_BURST) as f64);
            out.push(Decision::SetCwnd(cwnd));
        }
        out.push(Decision::EndCut);
        if state == State::Recovery {
            out.push(Decision::Leave);
        }
    }

    fn lost_segment(&mut self, tx: &SendState, place: usize) -> Option<Segment> {
        let (start, len) = tx.sent_segment(place)?;
        self.board.sent_again(place, tx.sent.len());
        Some(Segment { start, len, kind: Kind::Again })
    }

    fn new_segment(&self, tx: &SendState, cx: &Cx) -> Option<Segment> {
        let len = tx.new_segment_len(cx, tx.space.nxt)?;
        Some(Segment { start: tx.space.nxt, len, kind: Kind::New })
    }
}
