//! SACK with a mark for each segment, as in today's senders. Losses are detected by time (RACK, with or
//! without tail loss probes, RFC 8985) or by the number of SACKed segments above (RFC 6675). Fast recovery
//! is paced by Proportional Rate Reduction (RFC 9937) or limited by the window alone.
//!
//! | file | holds |
//! |---|---|
//! | `board` | a mark for each segment in flight |
//! | `rack` | loss detection by time |
//! | `probe` | tail loss probes |
//! | `prr` | how much each ACK releases in fast recovery |
//! | `growth` | growth of the window as in Linux |

mod board;
mod growth;
mod probe;
mod prr;
mod rack;

use super::Recovery;
use super::sack::take_blocks;
use crate::control::Window;
use crate::send::{Ack, CutBy, Cx, Dup, Early, LINUX_TICK, Machinery, Sent};
use crate::variant::Repairs;
use board::{Board, Mark};
use growth::Growth;
use probe::{Answer, Probe};
use prr::{Progress, Prr};
use rack::{Rack, Situation};
use tworay_base::{SimDuration, SimTime};

/// By how much Linux' probe and reordering timer are later than the RFC's, before they are rounded to ticks.
const LINUX_SLACK: SimDuration = SimDuration::from_millis(2);

/// What is being repaired.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Open,
    Recovery,
    Loss,
}

#[derive(Debug)]
pub(super) struct Marked {
    repairs: Repairs,
    state: State,
    board: Board,
    /// Detects losses by time; if `None`, a segment is lost when `dup_threshold` segments above it are
    /// SACKed.
    rack: Option<Rack>,
    /// When the next segment counts as lost unless it is acknowledged.
    reordering_until: Option<SimTime>,
    probe: Probe,
    /// Set during fast recovery if PRR is on and the variant does not control the window.
    prr: Option<Prr>,
    /// Growth as in Linux.
    growth: Option<Growth>,
    /// The first retransmission of a repair is sent regardless of the window.
    forced: bool,
    /// Whether new data was sent or a cumulative ACK arrived since the timers were last set.
    moved: bool,
}

impl Recovery for Marked {
    fn on_ack(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack) {
        if ack.to < tx.space.una {
            return;
        }
        let (advanced, dup, opening) = (ack.to > tx.space.una, tx.is_dup(ack), tx.space.una == 0);
        let (bytes, before) = (ack.to - tx.space.una, self.board.in_flight());
        let delivered = self.take(tx, cx, ack);
        if advanced {
            self.moved = true;
            tx.advance(cx, self, ack);
        }
        if let Some(rack) = &mut self.rack {
            rack.on_round(tx.space.una, tx.space.max, ack.dsack.is_some());
        }
        self.answer_probe(tx, cx, ack, dup && delivered == 0);
        let ended = self.state != State::Open && tx.space.una >= tx.cut.point;
        let was_recovering = self.state == State::Recovery;
        if ended {
            self.end(tx, cx);
        }
        let shows_loss = dup
            && delivered > 0
            && match tx.count_dup(cx, self) {
                Dup::Done => return self.send_on(tx, cx),
                Dup::Loss => true,
                Dup::Early | Dup::More => false,
            };
        let room = self.room(tx);
        let lost = self.find_losses(tx, cx, shows_loss);
        let enters = lost && self.state == State::Open && may_enter(tx);
        if enters {
            self.enter(tx, cx, before);
        }
        if self.state == State::Recovery {
            if delivered > 0 {
                self.reduce(tx, Progress { delivered, safe: advanced && !lost });
            } else if lost {
                self.keep_room(tx, if enters { 0.0 } else { room });
            }
        }
        if advanced && !opening {
            let may_grow = self.state != State::Recovery && (!was_recovering || cx.cfg.growth_on_exit);
            match &mut self.growth {
                Some(growth) => {
                    let standard = growth.on_ack(tx, bytes, before, may_grow);
                    tx.decide_growth(cx, self, bytes, may_grow, standard);
                }
                None => tx.grow(cx, self, bytes, may_grow),
            }
        }
        self.send_on(tx, cx);
    }

    fn in_recovery(&self, _: &Machinery) -> bool {
        self.state == State::Recovery
    }

    fn after_timeout(&self, _: &Machinery) -> bool {
        self.state == State::Loss
    }

    fn timeout_window(&self, tx: &Machinery, standard: Window) -> Window {
        // A failed repair is not another sign of congestion (Linux; RFC 5681 §3.1 per segment).
        let held = self.state == State::Loss && tx.space.una < tx.cut.point;
        Window { ssthresh: if held { tx.window.ssthresh } else { standard.ssthresh }, ..standard }
    }

    /// Marks the oldest segment as lost, and all others that have had enough time to arrive (RFC 8985
    /// §6.3).
    fn go_back(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        if tx.scoreboard.sacked().containing(tx.space.una).is_some() {
            // The receiver has discarded data that it had reported (RFC 2018 §8).
            tx.scoreboard.clear();
            self.board.forget_sacked();
        }
        let window = self.reordering_window(tx, cx);
        for place in 0..self.board.outstanding().min(tx.sent.len()) {
            let left = self.rack.as_ref().map(|rack| rack.time_left(cx.now, tx.sent[place], window));
            let lost = place == 0 || left.is_none_or(SimDuration::is_zero);
            if lost && self.board.mark(place) != Some(Mark::Sacked) {
                self.board.set(place, Mark::Lost);
            }
        }
        (self.state, self.prr, self.forced) = (State::Loss, None, false);
        (self.reordering_until, self.probe.end) = (None, None);
        // Segments that may still arrive do not hold back the retransmission.
        tx.window.cwnd = tx.window.cwnd.max((self.board.in_flight() + 1) as f64);
    }

    /// The marks determine what is lost.
    fn goes_back_again(&mut self, _: &mut Machinery) {}

    fn on_spurious(&mut self, _: &Machinery) {
        self.board.unmark_losses();
        if let Some(rack) = &mut self.rack {
            rack.on_spurious();
        }
        (self.state, self.prr, self.forced) = (State::Open, None, false);
    }

    /// Sends lost segments first, then new data.
    fn sends_itself(&mut self, tx: &mut Machinery, cx: &mut Cx, burst: u32) -> bool {
        let mut sent = 0;
        while !tx.is_frozen() {
            let room = self.forced || self.counted(cx) < (tx.window.cwnd as usize).max(1);
            if !room || tx.is_held_back(cx) {
                break;
            }
            // F-RTO tests with new data whether the timeout was spurious.
            let lost = if tx.asks_by_new_data() { None } else { self.board.next_lost() };
            match lost {
                Some(place) => self.send_again(tx, cx, place),
                None if self.forced => {}
                None if !self.send_new(tx, cx) => break,
                None => {}
            }
            self.forced = false;
            sent += 1;
            if sent == burst {
                break;
            }
        }
        self.set_timer(tx, cx);
        true
    }

    fn on_early(&mut self, tx: &mut Machinery, cx: &mut Cx, early: Early) {
        match early {
            Early::Reordering => {
                self.reordering_until = None;
                let before = self.board.in_flight();
                if self.find_losses(tx, cx, false) {
                    if self.state == State::Open && may_enter(tx) {
                        self.enter(tx, cx, before);
                    }
                    if self.state == State::Recovery {
                        // Linux counts the timeout as one delivered segment.
                        self.reduce(tx, Progress { delivered: 1, safe: false });
                    }
                }
            }
            Early::Probe => self.send_probe(tx, cx),
        }
        self.send_on(tx, cx);
    }

    fn on_sent(&mut self, place: usize, _: SimTime) {
        self.board.sent(place);
        if let Some(prr) = &mut self.prr {
            prr.sent(1);
        }
    }

    /// The end of the repair leaves the window unchanged.
    fn on_window_chosen(&mut self) {
        self.prr = None;
    }
}

/// Not more than once per flight (RFC 6675 §5).
fn may_enter(tx: &Machinery) -> bool {
    tx.space.una >= tx.cut.point || tx.cut.by != CutBy::DupAcks
}

impl Marked {
    pub fn new(repairs: Repairs) -> Self {
        Self {
            repairs,
            state: State::Open,
            board: Board::default(),
            rack: repairs.rack.then(Rack::new),
            reordering_until: None,
            probe: Probe::default(),
            prr: None,
            growth: repairs.linux.then(Growth::default),
            forced: false,
            moved: false,
        }
    }

    /// Segments that count against the window. SACKed segments do not count, but before a loss is detected
    /// only if limited transmit allows new ones to replace them (RFC 3042).
    fn counted(&self, cx: &Cx) -> usize {
        if self.state == State::Open && !cx.cfg.limited_transmit {
            return self.board.outstanding();
        }
        self.board.in_flight()
    }

    /// Marks what the ACK reports before the machinery forgets it; returns the number of newly reported
    /// segments.
    fn take(&mut self, tx: &mut Machinery, cx: &Cx, ack: &Ack) -> usize {
        let acked = tx.sent.partition_point(|s| s.end <= ack.to);
        let mut delivered = 0;
        for segment in tx.sent.range(..acked) {
            let Some((mark, order)) = self.board.pop() else { break };
            if mark != Mark::Sacked {
                delivered += 1;
                self.note_delivery(tx, cx, ack, *segment, order);
            }
        }
        // In ascending order: a higher block of the same ACK is no sign of reordering (RFC 8985 §6.2 step 3).
        let mut blocks = ack.blocks.clone();
        blocks.sort_unstable();
        for (left, right) in blocks {
            let from = tx.sent.partition_point(|s| s.end <= left).max(acked);
            let to = tx.sent.partition_point(|s| s.end <= right);
            for place in from..to {
                if tx.start_of_sent(place) >= left
                    && self.board.mark(place - acked).is_some_and(|m| m != Mark::Sacked)
                {
                    self.board.set(place - acked, Mark::Sacked);
                    delivered += 1;
                    let order = self.board.order(place - acked);
                    self.note_delivery(tx, cx, ack, tx.sent[place], order);
                }
            }
        }
        take_blocks(tx, ack);
        delivered
    }

    fn note_delivery(&mut self, tx: &Machinery, cx: &Cx, ack: &Ack, segment: Sent, order: u64) {
        self.probe.measured |= segment.times == 1;
        if let Some(rack) = &mut self.rack {
            // An ACK out of order echoes the last segment in order (RFC 7323 §4.3), whatever it SACKs.
            let echoes_before = segment.end <= ack.to && tx.echoes_before(cx, ack, segment.at);
            rack.delivered(cx.now, segment, order, echoes_before);
        }
    }

    fn reordering_window(&self, tx: &Machinery, cx: &Cx) -> SimDuration {
        let situation = Situation {
            repairing: self.state != State::Open,
            many_sacked: self.board.sacked() >= cx.cfg.dup_threshold as usize,
            srtt: tx.rtt.srtt(),
        };
        self.rack.as_ref().map_or(SimDuration::ZERO, |rack| rack.reordering_window(situation))
    }

    /// Marks segments that are lost by now; returns whether there are any.
    fn find_losses(&mut self, tx: &Machinery, cx: &Cx, shows_loss: bool) -> bool {
        let mut found = false;
        let places = self.board.outstanding().min(tx.sent.len());
        if let Some(rack) = &self.rack {
            self.reordering_until = None;
            // A repeated segment that has arrived can have been sent after what is in flight now.
            let in_order = self.board.is_plain() && !rack.has_overtaken(self.board.order(0));
            if in_order && self.state == State::Open {
                return false;
            }
            let window = self.reordering_window(tx, cx);
            let mut longest = SimDuration::ZERO;
            for place in 0..places {
                if matches!(self.board.mark(place), Some(Mark::Out | Mark::Again))
                    && let Some(left) = rack.patience(cx.now, tx.sent[place], self.board.order(place), window)
                {
                    if left.is_zero() {
                        self.board.set(place, Mark::Lost);
                        found = true;
                    }
                    longest = longest.max(left);
                }
            }
            if !longest.is_zero() {
                self.reordering_until = Some(cx.now + self.in_ticks(longest + self.slack()));
            }
        } else {
            let below = self.board.below_sacked(cx.cfg.dup_threshold as usize).max(usize::from(shows_loss));
            for place in 0..below.min(places) {
                if self.board.mark(place) == Some(Mark::Out) && tx.sent[place].times == 1 {
                    self.board.set(place, Mark::Lost);
                    found = true;
                }
            }
        }
        if shows_loss && !found && self.board.mark(0) == Some(Mark::Out) && self.rack.is_none() {
            self.board.set(0, Mark::Lost);
            found = true;
        }
        found
    }

    /// What Linux adds to these timers (`TCP_TIMEOUT_MIN_US`).
    fn slack(&self) -> SimDuration {
        if self.repairs.linux { LINUX_SLACK } else { SimDuration::ZERO }
    }

    /// The time that a timer of Linux takes: whole ticks, rounded up.
    fn in_ticks(&self, wait: SimDuration) -> SimDuration {
        if !self.repairs.linux {
            return wait;
        }
        SimDuration::from_nanos(wait.as_nanos().next_multiple_of(LINUX_TICK.as_nanos()))
    }

    /// A loss was detected: reduces the window.
    fn enter(&mut self, tx: &mut Machinery, cx: &mut Cx, before: usize) {
        let (mut standard, old) = (tx.halved(cx), tx.window.cwnd);
        standard.cwnd = standard.cwnd.max(2.0);
        if !tx.cut_for_loss(cx, self, standard) {
            return;
        }
        tx.mark_cut(CutBy::DupAcks);
        (self.state, self.forced) = (State::Recovery, true);
        tx.timed = None;
        tx.limited_bytes = 0;
        if self.repairs.prr {
            let flight = if self.repairs.linux { old as usize } else { before };
            self.prr = Some(Prr::new(tx.window.cwnd, flight));
        }
    }

    /// By how much the window exceeds what is in flight, segments.
    fn room(&self, tx: &Machinery) -> f64 {
        (tx.window.cwnd - self.board.in_flight() as f64).max(0.0)
    }

    /// Time has shown losses at an ACK that delivers nothing. With PRR, it lets out nothing either: the window shrinks
    /// by what is lost, except in Linux, which leaves it.
    fn keep_room(&mut self, tx: &mut Machinery, room: f64) {
        if self.prr.is_some() && !self.repairs.linux {
            tx.window.cwnd = tx.bounded(self.board.in_flight() as f64 + room);
        }
    }

    /// An ACK in fast recovery that delivers something.
    fn reduce(&mut self, tx: &mut Machinery, progress: Progress) {
        if let Some(prr) = &mut self.prr {
            tx.window.cwnd = tx.bounded(prr.window(progress, self.board.in_flight()));
            // PRR releases the first retransmission itself.
            self.forced = false;
        }
    }

    /// Everything outstanding when the loss was detected is acknowledged.
    fn end(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        let state = std::mem::take(&mut self.state);
        self.forced = false;
        if let Some(prr) = self.prr.take() {
            tx.window.cwnd = tx.bounded(prr.target);
        }
        if let Some(rack) = &mut self.rack {
            rack.on_recovery_end();
        }
        tx.cut.by = CutBy::Recovered;
        if state == State::Recovery {
            tx.leave_recovery(cx, self);
        }
    }

    /// Evaluates an ACK of a tail loss probe: a loss that the probe repaired reduces the window (RFC 8985
    /// §7.4).
    fn answer_probe(&mut self, tx: &mut Machinery, cx: &mut Cx, ack: &Ack, dup: bool) {
        if self.probe.on_ack(ack.to, ack.dsack, dup) == Answer::Repaired && self.state == State::Open {
            let standard = tx.halved(cx);
            if tx.reduce_for_loss(cx, self, standard) {
                tx.mark_cut(CutBy::Recovered);
            }
        }
    }

    fn send_probe(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        if self.probe.end.is_some() || !self.probe.measured || tx.sent.is_empty() || tx.is_frozen() {
            return;
        }
        self.probe.again = !self.send_new(tx, cx);
        if self.probe.again {
            self.send_again(tx, cx, tx.sent.len() - 1);
        }
        self.probe.end = Some(tx.space.max);
        (self.probe.measured, self.moved) = (false, false);
        tx.arm_timer(cx);
    }

    fn send_on(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        tx.send_window(cx, self, cx.cfg.max_burst);
    }

    /// Sets the retransmission timer for one of its purposes: segments that may be reordered, a probe, or
    /// the timeout.
    fn set_timer(&mut self, tx: &mut Machinery, cx: &mut Cx) {
        let moved = std::mem::take(&mut self.moved);
        if tx.is_frozen() || tx.space.una >= tx.space.max || tx.space.una == 0 {
            return;
        }
        if let Some(at) = self.reordering_until {
            tx.arm_early(cx, Early::Reordering, at);
        } else if moved
            && self.repairs.tlp
            && self.state == State::Open
            && self.board.sacked() == 0
            && self.probe.end.is_none()
        {
            let wait = Probe::timeout(tx.rtt.srtt(), self.board.outstanding(), self.slack());
            tx.arm_early(cx, Early::Probe, cx.now + self.in_ticks(wait));
        } else if tx.timer.waits_for(Early::Reordering) {
            tx.rearm_timer(cx);
        }
    }

    fn send_again(&mut self, tx: &mut Machinery, cx: &mut Cx, place: usize) {
        let Some((start, len)) = tx.sent_segment(place) else { return };
        tx.output(cx, self, start, len);
        if place == 0 {
            tx.arm_timer(cx);
        }
    }

    /// Sends a new segment; returns whether that was possible.
    fn send_new(&mut self, tx: &mut Machinery, cx: &mut Cx) -> bool {
        let Some(len) = tx.new_segment_len(cx, tx.space.max) else { return false };
        tx.output(cx, self, tx.space.max, len);
        tx.space.nxt = tx.space.max;
        if self.state == State::Open && self.board.sacked() > 0 {
            // Limited transmit: not included in what a loss halves (RFC 5681 §3.2 step 2).
            tx.limited_bytes += len;
        }
        self.moved = true;
        true
    }
}
