//! BBR, version 3: as version 1, with bounds learned from losses (Cardwell, Swett and Beshay,
//! draft-ietf-ccwg-bbr).
//!
//! `model` estimates rate, round trip and bounds; `phases` is the state machine. Names are the draft's.
//! Differences from the draft: a loss is noticed when the segment is retransmitted, and whether too much was
//! in flight is judged at the next ACK, by the newest delivered segment instead of the lost one. After a
//! spurious timeout the state before it is restored; fast recoveries are never found spurious. Segments are
//! sent one by one, at most one smoothed round trip apart.

mod model;
mod phases;

use super::aggregation::Burst;
use super::*;
use model::{Bounds, Latest, MinRtt};
use tworay_base::Seq32;

settings! {
    struct Options {
        /// fraction of a round trip's segments lost above which too much is in flight
        loss: f64 = 0.02, 0.0..1.0;
        /// factor by which a round trip with a loss reduces the bounds
        beta: f64 = 0.7, 0.1..1.0;
        /// fraction of the largest tolerated flight left to other flows
        headroom: f64 = 0.15, 0.0..0.9;
        /// minimum time between two bandwidth probes, seconds; up to one second is added at random
        wait: f64 = 2.0, 0.1..60.0;
        /// time over which the minimum round trip is taken, seconds
        min_rtt: SimDuration = 10.0, 0.1..3600.0;
        /// time without a new minimum after which ProbeRTT starts, seconds
        probe_rtt: SimDuration = 5.0, 0.1..3600.0;
        /// smallest window, segments
        floor: f64 = 4.0, 1.0..100.0;
        /// send quantum, segments; 0: from the rate, as in the draft
        quantum: f64 = 0.0, 0.0..64.0;
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum State {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl State {
    fn is_probe_bw(self) -> bool {
        matches!(self, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// True if losses are expected because the sender probes for bandwidth.
    fn is_probing(self) -> bool {
        matches!(self, State::Startup | State::Refill | State::Up)
    }

    fn pacing_gain(self) -> f64 {
        match self {
            State::Startup => 2.77,
            State::Drain => 0.5,
            State::Down => 0.9,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
            State::Up => 1.25,
        }
    }

    fn cwnd_gain(self) -> f64 {
        match self {
            State::Up => 2.25,
            State::ProbeRtt => 0.5,
            _ => 2.0,
        }
    }
}

/// Meaning of the current ACKs for the latest probe.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum AckPhase {
    Init,
    Refilling,
    Starting,
    Feedback,
    Stopping,
}

/// Detection of a rate that has stopped growing.
#[derive(Debug, Default)]
struct FullRate {
    rate: f64,
    rounds: u32,
    now: bool,
    /// At any time since the connection began.
    reached: bool,
}

/// The probing for a larger flight in [`State::Up`].
#[derive(Debug)]
struct Upward {
    acked: f64,
    per_segment: f64,
    rounds: u32,
}

/// Losses noticed since the latest ACK and in this round trip.
#[derive(Debug, Default)]
struct Losses {
    pending: bool,
    /// Number of separate ranges.
    ranges: u32,
    last_end: Option<Seq32>,
}

/// State to restore if a timeout proves spurious.
#[derive(Debug, Default)]
struct Undo {
    /// The state that losses have ended.
    state: Option<State>,
    bounds: Bounds,
}

/// Aggregated ACKs: how much more they deliver than the rate explains.
#[derive(Debug)]
struct Aggregation {
    burst: Burst,
    extra: MaxFilter,
}

#[derive(Debug)]
struct Bbr3 {
    options: Options,
    shared: Shared,
    state: State,
    ack_phase: AckPhase,
    /// Maximum rate over probing cycles.
    max_rate: MaxFilter,
    cycle: u64,
    bounds: Bounds,
    latest: Latest,
    min_rtt: MinRtt,
    full: FullRate,
    upward: Upward,
    losses: Losses,
    aggregation: Aggregation,
    drain_round: u64,
    /// True if arriving ACKs are for segments sent while probing.
    probe_samples: bool,
    rounds_since_up: u64,
    wait: SimDuration,
    cycle_at: SimTime,
    too_high: bool,
    precautionary: bool,
    undo: Undo,
}

impl Bbr3 {
    fn new(options: Options, initial: f64) -> Self {
        Self {
            options,
            shared: Shared::new(initial, Effect::Pace),
            state: State::Startup,
            ack_phase: AckPhase::Init,
            // The current cycle and the previous one.
            max_rate: MaxFilter::new(1),
            cycle: 0,
            bounds: Bounds::default(),
            latest: Latest::default(),
            min_rtt: MinRtt::default(),
            full: FullRate::default(),
            upward: Upward { acked: 0.0, per_segment: f64::INFINITY, rounds: 0 },
            losses: Losses::default(),
            aggregation: Aggregation { burst: Burst::default(), extra: MaxFilter::new(10) },
            drain_round: 0,
            probe_samples: false,
            rounds_since_up: 0,
            wait: SimDuration::ZERO,
            cycle_at: SimTime::ZERO,
            too_high: false,
            precautionary: false,
            undo: Undo::default(),
        }
    }

    fn quantum(&self, view: &SenderView) -> f64 {
        if self.options.quantum > 0.0 {
            return self.options.quantum;
        }
        let mss = f64::from(view.mss);
        let bytes = self.shared.pacing_rate.unwrap_or(0.0) * mss * 1e-3;
        (bytes.min(65_536.0) / mss).max(2.0)
    }

    /// BDPMultiple(gain), segments.
    fn bdp(&self, gain: f64) -> f64 {
        let Some(rtt) = self.min_rtt.value else { return self.shared.initial };
        gain * self.rate().min(1e12) * rtt.as_secs_f64()
    }

    /// The rate in use (BBR.bw), segments per second.
    fn rate(&self) -> f64 {
        self.max_rate.best().min(self.bounds.rate_short)
    }

    /// QuantizationBudget.
    fn budget(&self, flight: f64, view: &SenderView) -> f64 {
        let more = if self.state == State::Up { 2.0 } else { 0.0 };
        flight.max(3.0 * self.quantum(view)).max(self.options.floor) + more
    }

    /// Inflight(gain), segments.
    fn in_flight_of(&self, gain: f64, view: &SenderView) -> f64 {
        self.budget(self.bdp(gain), view)
    }

    fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp(State::ProbeRtt.cwnd_gain()).max(self.options.floor)
    }

    fn window(&mut self, view: &SenderView, sample: &RateSample, restored: Option<f64>) -> f64 {
        let cwnd = restored.map_or(view.cwnd, |r| r.max(view.cwnd));
        let most = self.budget(self.bdp(self.state.cwnd_gain()) + self.aggregation.extra.best(), view);
        let cwnd = self.shared.grown(cwnd, sample.newly_delivered, most, self.full.reached);
        self.bound(cwnd.max(self.options.floor))
    }

    /// BoundCwndForProbeRTT and BoundCwndForModel.
    fn bound(&self, cwnd: f64) -> f64 {
        let cwnd = if self.state == State::ProbeRtt { cwnd.min(self.probe_rtt_cwnd()) } else { cwnd };
        let cap = match self.state {
            State::Cruise | State::ProbeRtt => self.flight_with_headroom(),
            State::Down | State::Refill | State::Up => self.bounds.flight_long,
            State::Startup | State::Drain => f64::INFINITY,
        };
        cwnd.min(cap.min(self.bounds.flight_short).max(self.options.floor))
    }

    /// Paces at `gain` times the rate in use, less one per cent (BBR.PacingMarginPercent).
    fn pace(&mut self, view: &SenderView, gain: f64, effects: &mut Effects) {
        let rate = 0.99 * gain * self.rate();
        self.shared.pace(view, rate, self.full.reached, effects);
    }

    /// SaveStateUponLoss, without the window.
    fn save_state(&mut self) {
        self.undo = Undo { state: None, bounds: self.bounds };
    }
}

impl CongestionControl for Bbr3 {
    fn seed(&mut self, seed: u64) {
        self.shared.seed(seed);
    }

    fn on_handshake(&mut self, view: &SenderView, event: &RttEvent, effects: &mut Effects) {
        self.on_rtt(view, event, effects);
    }

    fn on_rtt(&mut self, view: &SenderView, event: &RttEvent, effects: &mut Effects) {
        if self.shared.pace_by_handshake(view, event.exact, State::Startup.pacing_gain(), effects) {
            self.min_rtt.begin(view.now, event.exact);
        }
    }

    fn on_rate(&mut self, view: &SenderView, sample: &RateSample, effects: &mut Effects) {
        let restored = self.shared.on_rate(view, sample);
        self.note_losses();
        self.update_signals(view, sample);
        self.update_aggregation(view, sample);
        self.check_full_rate(sample);
        let startup = self.state == State::Startup;
        self.check_startup_loss(view, sample);
        self.check_startup_and_drain(view);
        let ssthresh = if startup && self.state != State::Startup {
            self.in_flight_of(1.0, view)
        } else {
            view.ssthresh
        };
        self.update_probe_bw(view, sample);
        self.min_rtt.update(view.now, sample.rtt, &self.options);
        let probed = self.check_probe_rtt(view, sample);
        self.latest.advance(sample);
        self.pace(view, self.state.pacing_gain(), effects);
        let cwnd = self.window(view, sample, restored.or(probed));
        effects.push(Effect::SetWindow(Window { cwnd, ssthresh }));
    }

    fn on_ack(&mut self, view: &SenderView, _: &AckEvent, _: &mut Effects) -> Window {
        Window { cwnd: view.cwnd, ssthresh: view.ssthresh }
    }

    /// Only the model reacts to losses.
    fn on_loss(&mut self, view: &SenderView, _: &LossEvent, _: &mut Effects) -> Window {
        self.save_state();
        self.shared.save(view, self.state == State::ProbeRtt);
        Window { cwnd: view.cwnd, ssthresh: view.ssthresh }
    }

    fn on_recovery_exit(&mut self, view: &SenderView, effects: &mut Effects) {
        let cwnd = self.bound(view.cwnd.max(self.shared.prior_cwnd));
        effects.push(Effect::SetWindow(Window { cwnd, ssthresh: view.ssthresh }));
    }

    fn on_rto(&mut self, view: &SenderView, _: &RtoEvent, _: &mut Effects) -> RtoDecision {
        self.save_state();
        self.shared.on_rto(view, self.state == State::ProbeRtt)
    }

    /// HandleRestartFromIdle (§5.4.1): the window stays, and ProbeBW paces at exactly the rate in use.
    fn on_restart(&mut self, view: &SenderView, event: &RestartEvent, effects: &mut Effects) -> Window {
        let mut cwnd = view.cwnd;
        if self.shared.on_restart(event) {
            self.aggregation.burst.since = view.now;
            if self.state.is_probe_bw() {
                self.pace(view, 1.0, effects);
            } else if self.state == State::ProbeRtt && self.shared.has_probed_rtt(view.now) {
                cwnd = cwnd.max(self.end_probe_rtt(view.now));
            }
        }
        Window { cwnd, ssthresh: view.ssthresh }
    }

    /// HandleSpuriousLossDetection.
    fn on_undo(&mut self, view: &SenderView, event: &UndoEvent, _: &mut Effects) -> Window {
        self.restore();
        let cwnd = event.standard.cwnd.max(self.shared.undo());
        Window { cwnd: self.bound(cwnd), ssthresh: view.ssthresh }
    }

    fn on_sent(&mut self, view: &SenderView, event: &SentEvent) {
        if event.retransmission {
            let Losses { pending, ranges, last_end } = &mut self.losses;
            *pending = true;
            *ranges += u32::from(*last_end != Some(event.seq));
            *last_end = Some(event.seq.plus(event.bytes));
        } else {
            self.shared.on_new_data(view, event);
        }
    }

    fn wants_sent(&self) -> bool {
        true
    }
}

pub(crate) const ENTRY: Entry = Entry {
    info: VariantInfo {
        name: "bbr3",
        summary: "BBR with bounds on rate and flight learned from losses",
        source: "Cardwell, Swett and Beshay, draft-ietf-ccwg-bbr",
        rules: &[
            Rule::at(
                Event::Ack,
                "bandwidth and shortest round trip as bbr, bounded by what losses have shown",
                "draft-ietf-ccwg-bbr, BBRUpdateModelAndState",
            ),
            Rule::at(
                Event::Round,
                "with a loss while not probing: bounds on rate and flight fall to beta of themselves, at least the latest delivered",
                "draft-ietf-ccwg-bbr, BBRAdaptLowerBoundsFromCongestion",
            ),
            Rule::at(
                Event::Round,
                "ProbeBW: Down, Cruise, Refill, Up; too much in flight if more than `loss` of it is lost",
                "draft-ietf-ccwg-bbr, BBRUpdateProbeBWCyclePhase",
            ),
            Rule::at(
                Event::Round,
                "ProbeRTT: half a bandwidth-delay product if there was no new shortest round trip for `probe_rtt`",
                "draft-ietf-ccwg-bbr, BBRCheckProbeRTT",
            ),
            Rule::at(
                Event::Loss,
                "saves its state; only the model reacts",
                "draft-ietf-ccwg-bbr, BBRSaveStateUponLoss",
            ),
            Rule::at(
                Event::Timeout,
                "cwnd 1; the saved window once repaired",
                "draft-ietf-ccwg-bbr, BBROnEnterRTO",
            ),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: &[RecoveryKind::Sack],
        unless: UNLESS,
        needs: NEEDS,
        ..Part::new(Role::Whole, |values| {
            let options = Options::read(values);
            Arc::new(move |config| Box::new(Bbr3::new(options, config.initial_window_segments())))
        })
    }),
};

#[cfg(test)]
mod tests;
