//! BBR's state machine: Startup, Drain, the four phases of ProbeBW, and ProbeRTT.

use super::model::is_cwnd_limited;
use super::*;

/// Number of loss events in a round trip that ends Startup (BBRStartupFullLossCnt).
const STARTUP_LOSSES: u32 = 6;
/// Maximum number of round trips left to a coexisting Reno flow to grow before the next probe.
const RENO_ROUNDS: f64 = 63.0;
/// Minimum time with ProbeRTT's window.
const PROBE_RTT_LASTS: SimDuration = SimDuration::from_millis(200);

impl Bbr3 {
    fn start_round(&mut self) {
        self.shared.rounds.restart(self.shared.delivered);
    }

    fn reset_full_rate(&mut self, rate: f64) {
        self.full = FullRate { rate, reached: self.full.reached, ..FullRate::default() };
    }

    pub(super) fn check_full_rate(&mut self, sample: &RateSample) {
        if self.full.now || !self.shared.rounds.started || self.shared.own_limit.concerns(sample) {
            return;
        }
        let rate = sample.rate().unwrap_or(0.0);
        if rate >= FULL_GROWTH * self.full.rate {
            return self.reset_full_rate(rate);
        }
        self.full.rounds += 1;
        self.full.now = self.full.rounds >= FULL_ROUNDS;
        self.full.reached |= self.full.now;
    }

    /// Restores what was saved before losses that were none.
    pub(super) fn restore(&mut self) {
        self.latest.loss = false;
        self.reset_full_rate(0.0);
        self.bounds.raise(self.undo.bounds);
        match self.undo.state.take() {
            Some(State::Startup) if self.state != State::Startup => {
                self.full.reached = false;
                if self.state != State::ProbeRtt {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if !matches!(self.state, State::Up | State::ProbeRtt) => self.start_refill(),
            _ => {}
        }
    }

    /// CheckStartupHighLoss.
    pub(super) fn check_startup_loss(&mut self, view: &SenderView, sample: &RateSample) {
        if !self.latest.round_started {
            return;
        }
        let ranges = std::mem::take(&mut self.losses.ranges);
        let many = ranges >= STARTUP_LOSSES && self.is_too_high(sample);
        if self.state == State::Startup && !self.full.reached && view.in_recovery && many {
            self.undo.state = Some(State::Startup);
            self.full.reached = true;
            self.bounds.flight_long = self.bdp(1.0).max(self.latest.delivered);
        }
    }

    pub(super) fn check_startup_and_drain(&mut self, view: &SenderView) {
        if self.state == State::Startup && self.full.reached {
            self.state = State::Drain;
            self.drain_round = self.shared.rounds.count;
        }
        let drained = self.shared.in_flight <= self.in_flight_of(1.0, view);
        if self.state == State::Drain && (drained || self.shared.rounds.count > self.drain_round + 3) {
            self.start_down(view.now);
        }
    }

    pub(super) fn start_down(&mut self, now: SimTime) {
        self.latest.reset();
        self.upward.per_segment = f64::INFINITY;
        // PickProbeWait.
        self.rounds_since_up = self.shared.rng.below(2).into();
        self.wait = SimDuration::from_secs_f64(self.options.wait + self.shared.rng.unit());
        self.cycle_at = now;
        self.ack_phase = AckPhase::Stopping;
        self.start_round();
        self.state = State::Down;
    }

    pub(super) fn start_refill(&mut self) {
        self.bounds.forget_short();
        (self.upward.rounds, self.upward.acked) = (0, 0.0);
        self.precautionary = false;
        self.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.state = State::Refill;
    }

    fn start_up(&mut self, view: &SenderView, sample: &RateSample) {
        self.ack_phase = AckPhase::Starting;
        self.start_round();
        self.reset_full_rate(sample.rate().unwrap_or(0.0));
        self.state = State::Up;
        self.raise_slope(view);
    }

    /// UpdateProbeBWCyclePhase.
    pub(super) fn update_probe_bw(&mut self, view: &SenderView, sample: &RateSample) {
        if !self.full.reached || self.adapt_long_term(view, sample) {
            return;
        }
        let go_down = self.state == State::Up && self.is_time_to_go_down(view, sample);
        match self.state {
            State::Down | State::Cruise if self.is_time_to_probe(view) => self.start_refill(),
            State::Down if self.is_time_to_cruise(view) => self.state = State::Cruise,
            State::Refill if self.shared.rounds.started => {
                self.probe_samples = true;
                self.start_up(view, sample);
            }
            State::Up if go_down => {
                self.too_high = false;
                self.start_down(view.now);
            }
            _ => {}
        }
    }

    fn is_time_to_probe(&self, view: &SenderView) -> bool {
        let reno = self.bdp(1.0).min(view.cwnd).min(RENO_ROUNDS);
        passed(view.now, self.cycle_at, self.wait) || self.rounds_since_up as f64 >= reno
    }

    fn is_time_to_cruise(&self, view: &SenderView) -> bool {
        let rtt = self.min_rtt.value.map_or(0.0, |r| r.as_secs_f64());
        let product = self.budget(self.max_rate.best() * rtt, view);
        self.shared.in_flight <= self.flight_with_headroom() && self.shared.in_flight <= product
    }

    fn is_time_to_go_down(&mut self, view: &SenderView, sample: &RateSample) -> bool {
        if self.too_high && self.shared.in_flight >= self.bounds.flight_long {
            self.precautionary = true;
            return true;
        }
        if is_cwnd_limited(view, sample) && view.cwnd >= self.bounds.flight_long {
            // The bound limits the rate, not the path.
            self.reset_full_rate(sample.rate().unwrap_or(0.0));
            return false;
        }
        self.full.now
    }

    /// CheckProbeRTT; returns the window to restore if it ends here.
    pub(super) fn check_probe_rtt(&mut self, view: &SenderView, sample: &RateSample) -> Option<f64> {
        let due = self.min_rtt.probe_expired && self.state != State::ProbeRtt;
        if self.shared.starts_probe_rtt(view, due) {
            self.state = State::ProbeRtt;
            self.ack_phase = AckPhase::Stopping;
            self.start_round();
        }
        let window = self.probe_rtt_cwnd();
        if self.state != State::ProbeRtt || !self.shared.ends_probe_rtt(view, sample, window, PROBE_RTT_LASTS)
        {
            return None;
        }
        Some(self.end_probe_rtt(view.now))
    }

    /// ExitProbeRTT; returns the window to restore.
    pub(super) fn end_probe_rtt(&mut self, now: SimTime) -> f64 {
        self.min_rtt.probe_at = now;
        self.bounds.forget_short();
        if self.full.reached {
            self.start_down(now);
            self.state = State::Cruise;
        } else {
            self.state = State::Startup;
        }
        self.shared.prior_cwnd
    }
}
