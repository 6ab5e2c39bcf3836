//! Common to both versions of BBR: rounds, pacing, the data in flight, the window saved before a
//! repair, and ProbeRTT's conditions.

use super::filter::{OwnLimit, Rounds, gap};
use crate::control::{
    Backoff, Effect, Effects, RateSample, RestartEvent, RtoDecision, SenderView, SentEvent, Window,
};
use crate::parts::Needs;
use tworay_base::{Purpose, RngStream, SimDuration, SimTime};

/// Startup's pipe counts as full after [`FULL_ROUNDS`] rounds in which the rate grew by less than this
/// factor.
pub(super) const FULL_GROWTH: f64 = 1.25;
pub(super) const FULL_ROUNDS: u32 = 3;

pub(super) const NEEDS: Needs = Needs::PACING.union(Needs::RATES).union(Needs::CHANCE);
pub(super) const UNLESS: &str = "it counts segments in flight, which needs selective acknowledgments";

#[derive(Debug)]
pub(super) struct Shared {
    pub rng: RngStream,
    /// Window after the handshake, segments.
    pub initial: f64,
    pub rounds: Rounds,
    pub own_limit: OwnLimit,
    /// The effect that sets the time between segments.
    pub paces: fn(SimDuration) -> Effect,
    /// Segments per second.
    pub pacing_rate: Option<f64>,
    /// Sent but not delivered after the latest ACK, segments.
    pub in_flight: f64,
    pub delivered: f64,
    /// The window before a recovery or ProbeRTT.
    pub prior_cwnd: f64,
    timed_out: bool,
    /// True if sending resumed after the application had no data and everything had been delivered.
    from_idle: bool,
    /// When ProbeRTT may end; `None` while more than its window is in flight.
    probe_until: Option<SimTime>,
    probe_round_done: bool,
}

impl Shared {
    pub fn new(initial: f64, paces: fn(SimDuration) -> Effect) -> Self {
        Self {
            rng: RngStream::numbered(0, 0, Purpose::Tcp),
            initial,
            rounds: Rounds::default(),
            own_limit: OwnLimit::default(),
            paces,
            pacing_rate: None,
            in_flight: 0.0,
            delivered: 0.0,
            prior_cwnd: 0.0,
            timed_out: false,
            from_idle: false,
            probe_until: None,
            probe_round_done: false,
        }
    }

    pub fn seed(&mut self, seed: u64) {
        self.rng = RngStream::numbered(seed, 0, Purpose::Tcp);
    }

    /// Paces the initial window by the round trip of the handshake. Returns false if there is a rate
    /// already.
    pub fn pace_by_handshake(
        &mut self,
        view: &SenderView,
        rtt: SimDuration,
        gain: f64,
        effects: &mut Effects,
    ) -> bool {
        if self.pacing_rate.is_some() || rtt.is_zero() {
            return false;
        }
        let rate = gain * self.initial / rtt.as_secs_f64();
        self.pacing_rate = Some(rate);
        effects.push((self.paces)(gap(rate, view.srtt)));
        true
    }

    /// Paces at `rate`, segments per second. Until the pipe is full, the pacing rate only grows.
    pub fn pace(&mut self, view: &SenderView, rate: f64, is_full: bool, effects: &mut Effects) {
        if rate > 0.0 && (is_full || self.pacing_rate.is_none_or(|r| rate > r)) {
            self.pacing_rate = Some(rate);
        }
        if let Some(rate) = self.pacing_rate {
            effects.push((self.paces)(gap(rate, view.srtt)));
        }
    }

    /// Begins an ACK; returns the window to restore if it ends the repair after a timeout.
    pub fn on_rate(&mut self, view: &SenderView, sample: &RateSample) -> Option<f64> {
        (self.in_flight, self.delivered) = (sample.in_flight, sample.total_delivered);
        let repaired = self.timed_out && !view.after_timeout;
        self.timed_out &= !repaired;
        repaired.then_some(self.prior_cwnd)
    }

    /// The rate of a sample. If the sender itself limited it, it counts only above `best`, the highest so
    /// far.
    pub fn rate_of(&self, sample: &RateSample, best: f64) -> Option<f64> {
        sample.rate().filter(|&rate| rate >= best || !self.own_limit.concerns(sample))
    }

    /// The window after an ACK: it grows by what was delivered, and has the upper bound `most` once the
    /// pipe is full.
    pub fn grown(&self, cwnd: f64, delivered: f64, most: f64, is_full: bool) -> f64 {
        if is_full {
            (cwnd + delivered).min(most)
        } else if cwnd < most || self.delivered < self.initial {
            cwnd + delivered
        } else {
            cwnd
        }
    }

    /// Saves the last good window.
    pub fn save(&mut self, view: &SenderView, in_probe_rtt: bool) {
        let repairing = view.in_recovery || view.after_timeout;
        self.prior_cwnd = if repairing || in_probe_rtt { self.prior_cwnd.max(view.cwnd) } else { view.cwnd };
    }

    pub fn on_rto(&mut self, view: &SenderView, in_probe_rtt: bool) -> RtoDecision {
        self.save(view, in_probe_rtt);
        self.timed_out = true;
        RtoDecision { window: Window { cwnd: 1.0, ssthresh: view.ssthresh }, backoff: Backoff::Double }
    }

    /// The timeout was spurious: returns the window to restore.
    pub fn undo(&mut self) -> f64 {
        self.timed_out = false;
        self.prior_cwnd
    }

    /// New data was sent.
    pub fn on_new_data(&mut self, view: &SenderView, event: &SentEvent) {
        self.in_flight += f64::from(event.bytes) / f64::from(view.mss);
    }

    /// Sending resumes. The window stays, because the model still holds: the rate, not the window, prevents a
    /// burst. Returns true if the application was the reason.
    pub fn on_restart(&mut self, event: &RestartEvent) -> bool {
        self.from_idle |= event.app_limited;
        event.app_limited
    }

    /// True if ProbeRTT has lasted long enough at `now`, so that it ends without another ACK.
    pub fn has_probed_rtt(&self, now: SimTime) -> bool {
        self.probe_until.is_some_and(|until| now > until)
    }

    /// True if ProbeRTT starts with this ACK because it is `due`; an idle period counts as one.
    pub fn starts_probe_rtt(&mut self, view: &SenderView, due: bool) -> bool {
        let from_idle = std::mem::take(&mut self.from_idle);
        if !due || from_idle {
            return false;
        }
        self.save(view, false);
        self.probe_until = None;
        true
    }

    /// True if ProbeRTT ends with this ACK: for a round trip and for `length`, not more than `window`
    /// segments were in flight.
    pub fn ends_probe_rtt(
        &mut self,
        view: &SenderView,
        sample: &RateSample,
        window: f64,
        length: SimDuration,
    ) -> bool {
        self.own_limit.mark(sample);
        let Some(until) = self.probe_until else {
            if self.in_flight <= window {
                self.probe_until = Some(view.now + length);
                self.probe_round_done = false;
                self.rounds.restart(self.delivered);
            }
            return false;
        };
        self.probe_round_done |= self.rounds.started;
        self.probe_round_done && view.now > until
    }
}
