//! BBR's model of the path: rate, round trip, and bounds learned from losses.

use super::*;

/// Upper bounds on rate (segments per second) and flight (segments); infinite if unset.
#[derive(Copy, Clone, Debug)]
pub(super) struct Bounds {
    /// Valid until the next bandwidth probe.
    pub rate_short: f64,
    pub flight_short: f64,
    /// Largest flight that the latest probes found tolerable.
    pub flight_long: f64,
}

impl Default for Bounds {
    fn default() -> Self {
        let none = f64::INFINITY;
        Self { rate_short: none, flight_short: none, flight_long: none }
    }
}

impl Bounds {
    /// At least these.
    pub fn raise(&mut self, other: Bounds) {
        self.rate_short = self.rate_short.max(other.rate_short);
        self.flight_short = self.flight_short.max(other.flight_short);
        self.flight_long = self.flight_long.max(other.flight_long);
    }

    /// ResetShortTermModel.
    pub fn forget_short(&mut self) {
        (self.rate_short, self.flight_short) = (f64::INFINITY, f64::INFINITY);
    }
}

/// Maximum rate and volume delivered in this round trip, and whether it had losses.
#[derive(Debug, Default)]
pub(super) struct Latest {
    pub rate: f64,
    pub delivered: f64,
    pub round_end: f64,
    pub round_started: bool,
    pub loss: bool,
}

impl Latest {
    fn update(&mut self, sample: &RateSample) {
        self.rate = self.rate.max(sample.rate().unwrap_or(0.0));
        self.delivered = self.delivered.max(sample.delivered);
        self.round_started = sample.prior_delivered >= self.round_end;
        if self.round_started {
            self.round_end = sample.total_delivered;
        }
    }

    /// Called near the end of an ACK: a new round trip begins with its sample.
    pub fn advance(&mut self, sample: &RateSample) {
        if self.round_started {
            (self.rate, self.delivered) = (sample.rate().unwrap_or(0.0), sample.delivered);
        }
    }

    /// ResetCongestionSignals.
    pub fn reset(&mut self) {
        (self.loss, self.rate, self.delivered) = (false, 0.0, 0.0);
    }
}

/// Minimum round trip of the last ten seconds, updated with the minimum of the last five.
#[derive(Debug, Default)]
pub(super) struct MinRtt {
    pub value: Option<SimDuration>,
    at: SimTime,
    probe: Option<SimDuration>,
    pub probe_at: SimTime,
    pub probe_expired: bool,
}

impl MinRtt {
    pub fn begin(&mut self, now: SimTime, rtt: SimDuration) {
        (self.value, self.probe) = (Some(rtt), Some(rtt));
        (self.at, self.probe_at) = (now, now);
    }

    pub fn update(&mut self, now: SimTime, rtt: Option<SimDuration>, options: &Options) {
        // What was never measured has not expired: a repeated SYN gives no round trip.
        self.probe_expired = self.probe.is_some() && passed(now, self.probe_at, options.probe_rtt);
        if let Some(rtt) = rtt
            && (self.probe_expired || self.probe.is_none_or(|p| rtt < p))
        {
            (self.probe, self.probe_at) = (Some(rtt), now);
        }
        let expired = self.value.is_some() && passed(now, self.at, options.min_rtt);
        if let Some(probe) = self.probe
            && (expired || self.value.is_none_or(|v| probe < v))
        {
            (self.value, self.at) = (Some(probe), self.probe_at);
        }
    }
}

impl Bbr3 {
    /// NoteLoss, for retransmissions since the latest ACK.
    pub(super) fn note_losses(&mut self) {
        if std::mem::take(&mut self.losses.pending) {
            if !self.latest.loss {
                self.latest.round_end = self.shared.delivered;
            }
            self.latest.loss = true;
        }
    }

    /// UpdateLatestDeliverySignals and UpdateCongestionSignals.
    pub(super) fn update_signals(&mut self, view: &SenderView, sample: &RateSample) {
        self.latest.update(sample);
        self.shared.rounds.update(sample);
        self.rounds_since_up += u64::from(self.shared.rounds.started);
        if let Some(rate) = self.shared.rate_of(sample, self.max_rate.best()) {
            self.max_rate.update(self.cycle, rate);
        }
        if self.latest.round_started {
            if self.latest.loss && !self.state.is_probing() {
                self.lower_bounds(view);
            }
            self.latest.loss = false;
        }
    }

    /// InitLowerBounds and LossLowerBounds.
    fn lower_bounds(&mut self, view: &SenderView) {
        let beta = self.options.beta;
        let Bounds { rate_short, flight_short, .. } = &mut self.bounds;
        if rate_short.is_infinite() {
            *rate_short = self.max_rate.best();
        }
        if flight_short.is_infinite() {
            *flight_short = view.cwnd;
        }
        *rate_short = self.latest.rate.max(beta * *rate_short);
        *flight_short = self.latest.delivered.max(beta * *flight_short);
    }

    pub(super) fn update_aggregation(&mut self, view: &SenderView, sample: &RateSample) {
        let rate = self.rate();
        let Aggregation { burst, extra } = &mut self.aggregation;
        let more = burst.extra(view.now, sample.newly_delivered, rate, view.cwnd);
        if !self.full.reached {
            // In Startup only the current round counts.
            *extra = MaxFilter::new(10);
        }
        extra.update(self.shared.rounds.count, more);
    }

    /// IsInflightTooHigh.
    pub(super) fn is_too_high(&self, sample: &RateSample) -> bool {
        sample.lost > sample.sent_in_flight * self.options.loss
    }

    pub(super) fn handle_too_high(&mut self, view: &SenderView, sample: &RateSample) {
        self.too_high = true;
        self.probe_samples = false;
        if !self.shared.own_limit.concerns(sample) {
            let target = self.bdp(1.0).min(view.cwnd);
            self.bounds.flight_long = sample.sent_in_flight.max(self.options.beta * target);
        }
        if self.state == State::Up {
            self.undo.state = Some(State::Up);
            self.start_down(view.now);
        }
    }

    /// InflightWithHeadroom.
    pub(super) fn flight_with_headroom(&self) -> f64 {
        let long = self.bounds.flight_long;
        if long.is_infinite() {
            return long;
        }
        (long - (self.options.headroom * long).max(1.0)).max(self.options.floor)
    }

    /// AdaptLongTermModel; returns whether it has changed the state.
    pub(super) fn adapt_long_term(&mut self, view: &SenderView, sample: &RateSample) -> bool {
        if self.shared.rounds.started && self.ack_phase == AckPhase::Starting {
            self.ack_phase = AckPhase::Feedback;
        }
        if self.shared.rounds.started && self.ack_phase == AckPhase::Stopping {
            self.probe_samples = false;
            self.ack_phase = AckPhase::Init;
            if self.state.is_probe_bw() && !self.shared.own_limit.concerns(sample) {
                self.cycle += 1;
            }
            if self.state.is_probe_bw() && self.precautionary && !self.too_high {
                self.start_refill();
                return true;
            }
        }
        if self.is_too_high(sample) {
            if self.probe_samples {
                self.handle_too_high(view, sample);
                return true;
            }
            return false;
        }
        if self.bounds.flight_long.is_finite() {
            self.bounds.flight_long = self.bounds.flight_long.max(sample.sent_in_flight);
            if self.state == State::Up {
                self.search_upward(view, sample);
            }
        }
        false
    }

    /// ProbeInflightLongtermUpward.
    fn search_upward(&mut self, view: &SenderView, sample: &RateSample) {
        if !is_cwnd_limited(view, sample) || view.cwnd < self.bounds.flight_long {
            return;
        }
        let upward = &mut self.upward;
        upward.acked += sample.newly_delivered;
        if upward.acked >= upward.per_segment {
            let more = (upward.acked / upward.per_segment).floor();
            upward.acked -= more * upward.per_segment;
            self.bounds.flight_long += more;
        }
        if self.shared.rounds.started {
            self.raise_slope(view);
        }
    }

    /// RaiseInflightLongtermSlope.
    pub(super) fn raise_slope(&mut self, view: &SenderView) {
        let growth = f64::from(1u32 << self.upward.rounds);
        self.upward.rounds = (self.upward.rounds + 1).min(30);
        self.upward.per_segment = (view.cwnd / growth).max(1.0);
    }
}

/// True if the window limits the flight, rather than pacing or the application.
pub(super) fn is_cwnd_limited(view: &SenderView, sample: &RateSample) -> bool {
    sample.prior_in_flight + 1.0 >= view.cwnd
}
