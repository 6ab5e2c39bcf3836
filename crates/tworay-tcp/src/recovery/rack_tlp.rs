//! SACK with a mark for each segment. Losses are detected by time (RACK, with or
//! without tail loss probes, RFC 8985) or by the number of SACKed segments above (RFC 6675). Fast recovery
//! is paced by Proportional Rate Reduction (RFC 9937) or limited by the window alone.
//!
//! | file | holds |
//! |---|---|
//! | `losses` | what an ACK delivers, and what is lost |
//! | `steps` | the stages of an ACK, from a probe's answer to the window |
//! | `rack` | loss detection by time |
//! | `probe` | tail loss probes |
//! | `prr` | segments released by each ACK in fast recovery |
//! | `growth` | growth of the window as in Linux |
//! | `undo` | fast recoveries that were needless, as in Linux |

mod growth;
mod losses;
mod probe;
mod prr;
mod rack;
mod steps;
mod undo;

use super::Recovery;
use super::decisions::*;
use super::marks::{Mark, Marks};
use super::sack::take_blocks;
use crate::control::Window;
use crate::parts::Repairs;
use crate::send::{Ack, CutBy, Cx, Dup, Early, LINUX_TICK, Scoreboard, SendState, Sent, SentBetween};
use growth::{LinuxGrowth, Load};
use probe::{Answer, Probe};
use prr::{Progress, Prr};
use rack::{Rack, Situation};
use tworay_base::{SimDuration, SimTime};
use undo::{Evidence, Repaired, Undo};

/// By how much Linux' probe and reordering timer are later than the RFC's, before they are rounded to ticks.
const LINUX_SLACK: SimDuration = SimDuration::from_millis(2);

/// State of the repair.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Open,
    Recovery,
    Loss,
}

/// The ACK, or the expiry of the reordering timer, that is being processed.
#[derive(Copy, Clone, Debug, Default)]
struct Arrival {
    stage: Stage,
    /// Newly acknowledged.
    advanced: bool,
    bytes: u64,
    opening: bool,
    /// It counts as a duplicate ACK.
    dup: bool,
    /// Segments that it reports for the first time.
    delivered: usize,
    /// Segments in flight before it.
    before: usize,
    /// Fast recovery was in progress before it.
    was_recovering: bool,
    /// It ends fast recovery or the repair after a timeout.
    ends: bool,
    /// By how much the window exceeded the flight before losses were marked, segments.
    room: f64,
    /// A loss was found.
    lost: bool,
    /// Its evidence about the last fast recovery.
    evidence: Evidence,
    /// The window before a fast recovery that it shows to be needless, until it is restored.
    restores: Option<Window>,
}

/// Progress of the processing of an [`Arrival`].
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
enum Stage {
    /// An ACK below the window: nothing to do.
    #[default]
    Old,
    /// An ACK; a tail loss probe may be answered.
    Probe,
    /// An ACK; losses are looked for.
    Losses,
    /// The reordering timer.
    Timer,
}

#[derive(Debug)]
pub(super) struct RackTlp {
    scoreboard: Scoreboard,
    repairs: Repairs,
    state: State,
    marks: Marks,
    /// Detects losses by time; if `None`, a segment is lost when `dup_threshold` segments above it are
    /// SACKed.
    rack: Option<Rack>,
    /// When the next segment counts as lost unless it is acknowledged.
    reordering_until: Option<SimTime>,
    probe: Probe,
    /// Set during fast recovery if PRR is on and the variant does not control the window.
    prr: Option<Prr>,
    /// Growth as in Linux.
    growth: Option<LinuxGrowth>,
    /// The fast recovery that may turn out to be needless, in Linux.
    undo: Option<Undo>,
    /// The first retransmission of a repair is sent regardless of the window.
    forced: bool,
    /// When the segments that the ACK SACKs first were sent, those sent once.
    newly_sacked: Option<SentBetween>,
    /// True if new data was sent or a cumulative ACK arrived since the timers were last set.
    moved: bool,
    /// The event being processed.
    arrival: Arrival,
}

impl Recovery for RackTlp {
    fn on_ack(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, out: &mut Decisions) -> Reply {
        if ack.to < tx.space.una {
            self.arrival.stage = Stage::Old;
            return Reply::Decided;
        }
        self.newly_sacked = None;
        let evidence = self.undo.as_mut().map_or(Evidence::Nothing, |undo| undo.judge(tx, cx, ack));
        self.arrival = Arrival {
            stage: Stage::Probe,
            advanced: ack.to > tx.space.una,
            bytes: ack.to - tx.space.una,
            opening: tx.space.una == 0,
            dup: tx.is_dup(ack),
            before: self.marks.in_flight(),
            delivered: self.take(tx, cx, ack),
            was_recovering: false,
            ends: false,
            room: 0.0,
            lost: false,
            evidence,
            restores: None,
        };
        if self.arrival.advanced {
            self.moved = true;
            return Reply::Advance(Advance::Full);
        }
        if let Some(sent) = self.newly_sacked.filter(|_| self.growth.is_some()) {
            out.push(Decision::SampleSacked(sent));
        }
        self.answer_probe(tx, cx, ack, out);
        Reply::Decided
    }

    fn on_advanced(&mut self, tx: &SendState, cx: &Cx, ack: &Ack, _: NewData, out: &mut Decisions) {
        self.answer_probe(tx, cx, ack, out);
    }

    fn on_left(&mut self, tx: &SendState, cx: &Cx, out: &mut Decisions) {
        match self.arrival.restores.take() {
            Some(before) => out.push(Decision::Restore(before)),
            None => self.count(tx, cx, out),
        }
    }

    fn on_restored(&mut self, tx: &SendState, cx: &Cx, out: &mut Decisions) {
        self.count(tx, cx, out);
    }

    fn on_dup(&mut self, tx: &SendState, cx: &Cx, dup: Dup, out: &mut Decisions) {
        if dup != Dup::Done {
            self.look(tx, cx, dup == Dup::Loss, out);
        }
    }

    fn on_reduced(&mut self, tx: &SendState, cx: &Cx, reduction: Reduction, out: &mut Decisions) {
        if let Some(growth) = self.growth.as_mut().filter(|_| reduction.stands) {
            growth.on_reduced();
        }
        if self.arrival.stage == Stage::Probe {
            self.undo = self.undo.filter(|_| !reduction.stands);
            return self.end_or_count(tx, cx, out);
        }
        if reduction.stands {
            self.enter(tx, reduction, out);
        }
        if self.arrival.stage == Stage::Losses {
            self.finish(tx, cx, true, out);
        } else if self.state == State::Recovery {
            self.reduce_by_timer(tx, out);
        }
    }

    fn after_ack(&mut self, _: &SendState, cx: &Cx) -> Sending {
        match self.arrival.stage {
            Stage::Old => Sending::Nothing,
            _ => Sending::Window { burst: cx.cfg.max_burst },
        }
    }

    fn in_recovery(&self, _: &SendState) -> bool {
        self.state == State::Recovery
    }

    fn after_timeout(&self, _: &SendState) -> bool {
        self.state == State::Loss
    }

    fn nothing_in_flight(&self, _: &SendState) -> bool {
        self.marks.in_flight() == 0
    }

    fn timeout_window(&self, tx: &SendState, standard: Window) -> Window {
        let linux = self.repairs.contains(Repairs::LINUX);
        // A failed repair is not another sign of congestion (RFC 5681 §3.1 per segment). To Linux it is one if an ACK has
        // advanced since the timeout before (`tcp_enter_loss`).
        let opening = linux && tx.space.una == 0;
        let fails = match self.state {
            State::Open => false,
            State::Recovery => linux,
            State::Loss => tx.space.una < tx.cut.point && !(linux && tx.timer.is_first()),
        };
        let reduced = if linux { tx.half_window() } else { standard.ssthresh };
        Window { ssthresh: if fails || opening { tx.window.ssthresh } else { reduced }, ..standard }
    }

    /// Marks the oldest segment as lost, and all others that have had enough time to arrive (RFC 8985
    /// §6.3).
    fn go_back(&mut self, tx: &SendState, cx: &Cx) -> Restart {
        if self.scoreboard.sacked().containing(tx.space.una).is_some() {
            // The receiver has discarded data that it had reported (RFC 2018 §8).
            self.scoreboard.clear();
            self.marks.replace(|mark| mark == Mark::Sacked, Mark::Out);
        }
        let window = self.reordering_window(tx, cx);
        for place in 0..self.marks.len().min(tx.sent.len()) {
            let left = self.rack.as_ref().map(|rack| rack.time_left(cx.now, tx.sent[place], window));
            let lost = place == 0 || left.is_none_or(SimDuration::is_zero);
            if lost && self.marks.get(place) != Some(Mark::Sacked) {
                self.marks.set(place, Mark::Lost);
            }
        }
        (self.state, self.prr, self.forced) = (State::Loss, None, false);
        if let Some(growth) = &mut self.growth {
            growth.on_reduced();
        }
        self.undo = None;
        (self.reordering_until, self.probe.end) = (None, None);
        // Segments that may still arrive do not hold back the retransmission.
        Restart::ByRecord { cwnd: Some(tx.window.cwnd.max((self.marks.in_flight() + 1) as f64)) }
    }

    fn repairs_by_record(&self) -> bool {
        true
    }

    fn on_spurious(&mut self) {
        // They are in flight, some of them twice.
        self.marks.replace(|mark| matches!(mark, Mark::Lost | Mark::Again(())), Mark::Out);
        if let Some(rack) = &mut self.rack {
            rack.on_spurious();
        }
        (self.state, self.prr, self.forced) = (State::Open, None, false);
    }

    fn selects_always(&self) -> bool {
        true
    }

    fn has_room(&self, tx: &SendState, cx: &Cx) -> bool {
        self.forced || self.counted(cx) < (tx.window.cwnd as usize).max(1)
    }

    /// Lost segments first, then new data.
    fn next_segment(&mut self, tx: &SendState, cx: &Cx) -> Option<Segment> {
        // F-RTO tests with new data whether the timeout was spurious.
        let lost = if tx.asks_by_new_data() { None } else { self.marks.next_lost(0) };
        let forced = std::mem::take(&mut self.forced);
        match lost {
            Some(place) => lost_segment(tx, place),
            // The lost segment was retransmitted by other means.
            None if forced && !self.has_room(tx, cx) => None,
            None => self.new_segment(tx, cx),
        }
    }

    /// One timer serves segments that may be reordered, a probe, and the timeout.
    fn timer_after_sending(&mut self, tx: &SendState, cx: &Cx) -> Option<TimerFor> {
        if let Some(growth) = &mut self.growth {
            let load = Load { in_flight: self.marks.in_flight(), outstanding: self.marks.len() };
            growth.on_sending_over(tx, load);
        }
        let moved = std::mem::take(&mut self.moved);
        if tx.is_frozen() || tx.space.una >= tx.space.max || tx.space.una == 0 {
            return None;
        }
        if let Some(at) = self.reordering_until {
            return Some(TimerFor::Early(Early::Reordering, at));
        }
        if moved
            && self.repairs.contains(Repairs::TLP)
            && self.state == State::Open
            && self.marks.sacked() == 0
            && self.probe.end.is_none()
        {
            let wait = Probe::timeout(tx.rtt.srtt(), self.marks.len(), self.slack());
            return Some(TimerFor::Early(Early::Probe, cx.now + self.in_ticks(wait)));
        }
        tx.timer.waits_for(Early::Reordering).then_some(TimerFor::Timeout)
    }

    fn on_early(&mut self, tx: &SendState, cx: &Cx, early: Early, out: &mut Decisions) {
        if early == Early::Probe {
            return self.send_probe(tx, cx, out);
        }
        self.reordering_until = None;
        let before = self.marks.in_flight();
        self.arrival = Arrival { stage: Stage::Timer, before, ..Arrival::default() };
        if self.find_losses(tx, cx, false) {
            if self.state == State::Open && may_enter(tx) {
                out.push(self.reduction(tx, cx, Detected::FastRetransmit));
            } else if self.state == State::Recovery {
                self.reduce_by_timer(tx, out);
            }
        }
    }

    fn on_sent(&mut self, place: usize, now: SimTime) {
        if let Some(undo) = self.undo.as_mut().filter(|_| place < self.marks.len()) {
            undo.on_sent_again(now);
        }
        self.marks.on_sent(place);
        if let Some(prr) = &mut self.prr {
            prr.sent(1);
        }
    }

    /// The end of the repair leaves the window unchanged.
    fn on_window_chosen(&mut self) {
        self.prr = None;
    }

    fn scoreboard(&self) -> Option<&Scoreboard> {
        Some(&self.scoreboard)
    }
}

/// Not more than once per flight (RFC 6675 §5).
fn may_enter(tx: &SendState) -> bool {
    tx.space.una >= tx.cut.point || tx.cut.by != CutBy::DupAcks
}

impl RackTlp {
    pub fn new(repairs: Repairs) -> Self {
        Self {
            scoreboard: Scoreboard::default(),
            repairs,
            state: State::Open,
            marks: Marks::default(),
            rack: repairs.contains(Repairs::RACK).then(Rack::new),
            reordering_until: None,
            probe: Probe::default(),
            prr: None,
            growth: repairs.contains(Repairs::LINUX).then(LinuxGrowth::default),
            undo: None,
            forced: false,
            newly_sacked: None,
            moved: false,
            arrival: Arrival::default(),
        }
    }

    /// Segments that count against the window. SACKed segments do not count, but before a loss is detected
    /// only if limited transmit allows new ones to replace them (RFC 3042).
    fn counted(&self, cx: &Cx) -> usize {
        if self.state == State::Open && !cx.cfg.limited_transmit {
            return self.marks.len();
        }
        self.marks.in_flight()
    }

    /// The delay that Linux adds to these timers (`TCP_TIMEOUT_MIN_US`).
    fn slack(&self) -> SimDuration {
        if self.repairs.contains(Repairs::LINUX) { LINUX_SLACK } else { SimDuration::ZERO }
    }

    /// The time that a timer of Linux takes: whole ticks, rounded up.
    fn in_ticks(&self, wait: SimDuration) -> SimDuration {
        if !self.repairs.contains(Repairs::LINUX) {
            return wait;
        }
        SimDuration::from_nanos(wait.as_nanos().next_multiple_of(LINUX_TICK.as_nanos()))
    }

    /// The reduction for a loss.
    fn reduction(&self, tx: &SendState, cx: &Cx, cause: Detected) -> Decision {
        let mut standard = tx.halved(cx);
        if self.repairs.contains(Repairs::LINUX) {
            standard = Window { cwnd: tx.half_window(), ssthresh: tx.half_window() };
        } else if cause == Detected::FastRetransmit {
            standard.cwnd = standard.cwnd.max(2.0);
        }
        Decision::Reduce { standard, cause }
    }

    fn send_probe(&mut self, tx: &SendState, cx: &Cx, out: &mut Decisions) {
        if self.probe.end.is_some() || !self.probe.measured || tx.sent.is_empty() || tx.is_frozen() {
            return;
        }
        let new = self.new_segment(tx, cx);
        self.probe.again = new.is_none();
        self.probe.end = Some(new.map_or(tx.space.max, |new| new.start + new.len));
        out.extend(new.or_else(|| lost_segment(tx, tx.sent.len() - 1)).map(Decision::Send));
        out.push(Decision::ArmTimer);
        (self.probe.measured, self.moved) = (false, false);
    }

    fn new_segment(&mut self, tx: &SendState, cx: &Cx) -> Option<Segment> {
        let start = tx.space.max;
        let len = tx.new_segment_len(cx, start)?;
        self.moved = true;
        let limited = self.state == State::Open && self.marks.sacked() > 0;
        Some(Segment { start, len, kind: if limited { Kind::Limited } else { Kind::New } })
    }
}

/// A retransmission; that of the oldest segment restarts the timer.
fn lost_segment(tx: &SendState, place: usize) -> Option<Segment> {
    let (start, len) = tx.sent_segment(place)?;
    Some(Segment { start, len, kind: if place == 0 { Kind::AgainTimed } else { Kind::Again } })
}
