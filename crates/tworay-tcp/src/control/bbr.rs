//! BBR, version 1: sends at the rate at which the path delivers, with a window of twice that rate times the
//! shortest round trip (Cardwell et al. 2017, draft-cardwell-iccrg-bbr-congestion-control-00).
//!
//! | here | draft |
//! |---|---|
//! | [`Bbr::update_rate`], [`filter::Rounds`] | BtlBw, a maximum over 10 round trips, §4.1.1 |
//! | [`Bbr::update_rtprop`] | RTprop, a minimum over 10 s, §4.1.2 |
//! | [`Shared::pace`] | pacing rate, §4.2.1; send quantum, §4.2.2: the part of a window that goes at once |
//! | [`Bbr::window`], [`Bbr::in_flight_of`] | congestion window, §4.2.3 |
//! | [`Bbr::check_full_pipe`], [`Bbr::check_drain`] | Startup and Drain, §4.3.2, §4.3.3 |
//! | [`Bbr::check_cycle`] | the gains 5/4, 3/4 and six times 1 of ProbeBW, §4.3.4 |
//! | [`Bbr::check_probe_rtt`] | ProbeRTT, §4.3.5 |
//! | `on_loss`, `on_rto`, `on_recovery_exit` | packet conservation, and the window saved, §4.2.3.4 |
//! | `on_restart` | application idle: the window stays, ProbeBW paces at BtlBw (§3.5.3) |
//! | `on_undo` | as Linux' `bbr_undo_cwnd`: the saved window, and Startup is judged anew |
//!
//! `form=linux` follows `tcp_bbr.c` of Linux 6.1 where it goes beyond the draft: [`aggregation`], a pacing rate 1 % below
//! the estimate, departure times as in Linux ([`Effect::PaceAsLinux`]), and the next segment counts as in flight when a
//! probe ends.
//!
//! Segments are sent one by one. A lost segment counts as in flight until it is retransmitted. If several
//! segments are lost, the first round of a recovery may therefore exceed packet conservation by one segment
//! for each loss after the first. The time between two segments is at most one smoothed round trip.

mod aggregation;
mod filter;
mod shared;
pub(crate) mod three;

use super::*;
use crate::control::{
    AckEvent, Effect, Effects, LossEvent, RateSample, RestartEvent, RtoDecision, RtoEvent, RttEvent,
    SenderView, SentEvent, UndoEvent, Window,
};
use aggregation::{Aggregation, rounded};
use filter::{MaxFilter, passed};
use shared::{FULL_GROWTH, FULL_ROUNDS, NEEDS, Shared, UNLESS};
use tworay_base::{SimDuration, SimTime};

/// Pacing gains of ProbeBW.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

settings! {
    struct Options {
        /// pacing gain of Startup; 2/ln 2 doubles the rate every round trip
        high_gain: f64 = 2.885, 1.1..10.0;
        /// congestion window, in bandwidth-delay products
        cwnd_gain: f64 = 2.0, 1.0..10.0;
        /// rounds over which the maximum delivery rate is taken
        rounds: u32 = 10.0, 1.0..1000.0;
        /// time over which the minimum round trip is taken, seconds
        rtprop: SimDuration = 10.0, 0.1..3600.0;
        /// minimum time in ProbeRTT, seconds
        probe_rtt: SimDuration = 0.2, 0.001..60.0;
        /// smallest window and the window in ProbeRTT, segments
        floor: f64 = 4.0, 1.0..100.0;
        /// send quantum, segments; 0: from the rate, as in the draft
        quantum: f64 = 0.0, 0.0..64.0;
        /// `draft`, or `linux` with its room for bursts of ACKs, even windows, and pacing at 99 % that catches up after waits
        form: Form = ["draft" => Form::Draft, "linux" => Form::Linux];
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Form {
    Draft,
    Linux,
}

impl Form {
    /// Share of the estimated rate at which segments are paced (Linux: `bbr_pacing_margin_percent`).
    fn paced(self) -> f64 {
        match self {
            Self::Draft => 1.0,
            Self::Linux => 0.99,
        }
    }

    fn paces(self) -> fn(SimDuration) -> Effect {
        match self {
            Self::Draft => Effect::Pace,
            Self::Linux => Effect::PaceAsLinux,
        }
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Mode {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

#[derive(Debug)]
struct Bbr {
    options: Options,
    shared: Shared,
    mode: Mode,
    pacing_gain: f64,
    cwnd_gain: f64,
    /// BtlBw, segments per second.
    rate: MaxFilter,
    rtprop: Option<SimDuration>,
    rtprop_at: SimTime,
    aggregation: Aggregation,
    full_rate: f64,
    full_rounds: u32,
    filled: bool,
    cycle: usize,
    cycle_at: SimTime,
    /// Retransmitted since the latest ACK, segments.
    lost: f64,
    conserving: bool,
}

impl Bbr {
    fn new(options: Options, initial: f64) -> Self {
        Self {
            options,
            shared: Shared::new(initial, options.form.paces()),
            mode: Mode::Startup,
            pacing_gain: options.high_gain,
            cwnd_gain: options.high_gain,
            rate: MaxFilter::new(options.rounds.into()),
            rtprop: None,
            rtprop_at: SimTime::ZERO,
            aggregation: Aggregation::default(),
            full_rate: 0.0,
            full_rounds: 0,
            filled: false,
            cycle: 0,
            cycle_at: SimTime::ZERO,
            lost: 0.0,
            conserving: false,
        }
    }

    /// The send quantum in segments (§4.2.2): 1 below 1.2 Mb/s, 2 below 24 Mb/s, otherwise what takes a
    /// millisecond.
    fn quantum(&self, view: &SenderView) -> f64 {
        if self.options.quantum > 0.0 {
            return self.options.quantum;
        }
        let bytes = self.shared.pacing_rate.unwrap_or(0.0) * f64::from(view.mss);
        match bytes * 8.0 {
            bps if bps < 1.2e6 => 1.0,
            bps if bps < 24e6 => 2.0,
            _ => (bytes * 1e-3).min(65_536.0) / f64::from(view.mss),
        }
    }

    /// BBRInflight(gain), segments.
    fn in_flight_of(&self, gain: f64, view: &SenderView) -> f64 {
        self.flight(gain, 0.0, view)
    }

    /// In-flight data for a gain and `extra` segments.
    fn flight(&self, gain: f64, extra: f64, view: &SenderView) -> f64 {
        let Some(rtprop) = self.rtprop else { return self.shared.initial };
        let most = gain * self.rate.best() * rtprop.as_secs_f64() + extra + 3.0 * self.quantum(view);
        match self.options.form {
            Form::Draft => most,
            Form::Linux => rounded(most, self.mode == Mode::ProbeBw && self.cycle == 0),
        }
    }

    /// Segments of the window for ACKs that come in bursts.
    fn extra(&self) -> f64 {
        match self.options.form {
            Form::Linux if self.filled => self.aggregation.extra(self.rate.best()),
            _ => 0.0,
        }
    }

    fn update_rate(&mut self, view: &SenderView, sample: &RateSample) {
        self.shared.rounds.update(sample);
        if self.shared.rounds.started {
            self.conserving = false;
        }
        if let Some(rate) = self.shared.rate_of(sample, self.rate.best()) {
            self.rate.update(self.shared.rounds.count, rate);
        }
        if self.options.form == Form::Linux {
            let started = self.shared.rounds.started;
            self.aggregation.update(view.now, sample, started, self.rate.best(), view.cwnd);
        }
    }

    fn check_cycle(&mut self, view: &SenderView, sample: &RateSample) {
        if self.mode != Mode::ProbeBw {
            return;
        }
        let full = self.rtprop.is_some_and(|rtprop| passed(view.now, self.cycle_at, rtprop));
        let over = if self.pacing_gain > 1.0 {
            // Linux counts the segments that leave next, too (`bbr_packets_in_net_at_edt`).
            let next = match self.options.form {
                Form::Draft => 0.0,
                Form::Linux => self.quantum(view),
            };
            let reached = sample.prior_in_flight + next >= self.in_flight_of(self.pacing_gain, view);
            full && (sample.lost > 0.0 || reached)
        } else if self.pacing_gain < 1.0 {
            full || sample.prior_in_flight <= self.in_flight_of(1.0, view)
        } else {
            full
        };
        if over {
            self.advance_cycle(view.now);
        }
    }

    fn advance_cycle(&mut self, now: SimTime) {
        self.cycle_at = now;
        self.cycle = (self.cycle + 1) % CYCLE.len();
        self.pacing_gain = CYCLE[self.cycle];
    }

    fn check_full_pipe(&mut self, sample: &RateSample) {
        if self.filled || !self.shared.rounds.started || self.shared.own_limit.concerns(sample) {
            return;
        }
        let rate = self.rate.best();
        if rate >= FULL_GROWTH * self.full_rate {
            (self.full_rate, self.full_rounds) = (rate, 0);
            return;
        }
        self.full_rounds += 1;
        self.filled = self.full_rounds >= FULL_ROUNDS;
    }

    /// Returns the slow-start threshold to report if Startup ends here.
    fn check_drain(&mut self, view: &SenderView) -> Option<f64> {
        let mut threshold = None;
        if self.mode == Mode::Startup && self.filled {
            self.mode = Mode::Drain;
            self.pacing_gain = 1.0 / self.options.high_gain;
            threshold = Some(self.in_flight_of(1.0, view));
        }
        if self.mode == Mode::Drain && self.shared.in_flight <= self.in_flight_of(1.0, view) {
            self.enter_probe_bw(view.now);
        }
        threshold
    }

    /// Starts at a random phase of the cycle except the one that slows down.
    fn enter_probe_bw(&mut self, now: SimTime) {
        self.mode = Mode::ProbeBw;
        self.cwnd_gain = self.options.cwnd_gain;
        self.cycle = CYCLE.len() - 1 - self.shared.rng.below(7) as usize;
        self.advance_cycle(now);
    }

    /// Updates the shortest round trip; returns whether it had expired.
    fn update_rtprop(&mut self, view: &SenderView, sample: &RateSample) -> bool {
        // What was never measured has not expired: a repeated SYN gives no round trip.
        let expired = self.rtprop.is_some() && passed(view.now, self.rtprop_at, self.options.rtprop);
        if let Some(rtt) = sample.rtt
            && (expired || self.rtprop.is_none_or(|r| rtt <= r))
        {
            (self.rtprop, self.rtprop_at) = (Some(rtt), view.now);
        }
        expired
    }

    /// Returns the window to restore if ProbeRTT ends here.
    fn check_probe_rtt(&mut self, view: &SenderView, sample: &RateSample, expired: bool) -> Option<f64> {
        if self.shared.starts_probe_rtt(view, expired && self.mode != Mode::ProbeRtt) {
            self.mode = Mode::ProbeRtt;
            (self.pacing_gain, self.cwnd_gain) = (1.0, 1.0);
        }
        let Options { floor, probe_rtt, .. } = self.options;
        if self.mode != Mode::ProbeRtt || !self.shared.ends_probe_rtt(view, sample, floor, probe_rtt) {
            return None;
        }
        self.rtprop_at = view.now;
        if self.filled {
            self.enter_probe_bw(view.now);
        } else {
            self.mode = Mode::Startup;
            (self.pacing_gain, self.cwnd_gain) = (self.options.high_gain, self.options.high_gain);
        }
        Some(self.shared.prior_cwnd)
    }

    fn window(&mut self, view: &SenderView, sample: &RateSample, restored: Option<f64>) -> f64 {
        let mut cwnd = restored.map_or(view.cwnd, |r| r.max(view.cwnd));
        let lost = std::mem::take(&mut self.lost);
        let acked = sample.newly_delivered;
        if view.in_recovery && lost > 0.0 {
            cwnd = (cwnd - lost).max(1.0);
        }
        if view.in_recovery && self.conserving {
            cwnd = cwnd.max(sample.in_flight + acked);
        } else {
            let target = self.flight(self.cwnd_gain, self.extra(), view);
            cwnd = self.shared.grown(cwnd, acked, target, self.filled).max(self.options.floor);
        }
        if self.mode == Mode::ProbeRtt { cwnd.min(self.options.floor) } else { cwnd }
    }
}

impl CongestionControl for Bbr {
    fn seed(&mut self, seed: u64) {
        self.shared.seed(seed);
    }

    /// The round trip of the handshake determines the first rate, as in Linux.
    fn on_handshake(&mut self, view: &SenderView, event: &RttEvent, effects: &mut Effects) {
        self.on_rtt(view, event, effects);
    }

    /// If the handshake gave no round trip because a SYN was repeated, the first of data does.
    fn on_rtt(&mut self, view: &SenderView, event: &RttEvent, effects: &mut Effects) {
        if self.shared.pace_by_handshake(view, event.exact, self.options.high_gain, effects) {
            (self.rtprop, self.rtprop_at) = (Some(event.exact), view.now);
        }
    }

    fn on_rate(&mut self, view: &SenderView, sample: &RateSample, effects: &mut Effects) {
        let restored = self.shared.on_rate(view, sample);
        self.update_rate(view, sample);
        self.check_cycle(view, sample);
        self.check_full_pipe(sample);
        let threshold = self.check_drain(view);
        let expired = self.update_rtprop(view, sample);
        let probed = self.check_probe_rtt(view, sample, expired);
        let rate = self.options.form.paced() * self.pacing_gain * self.rate.best();
        self.shared.pace(view, rate, self.filled, effects);
        let cwnd = self.window(view, sample, restored.or(probed));
        let ssthresh = threshold.unwrap_or(view.ssthresh);
        effects.push(Effect::SetWindow(Window { cwnd, ssthresh }));
    }

    fn on_ack(&mut self, view: &SenderView, _: &AckEvent, _: &mut Effects) -> Window {
        Window { cwnd: view.cwnd, ssthresh: view.ssthresh }
    }

    fn on_loss(&mut self, view: &SenderView, _: &LossEvent, _: &mut Effects) -> Window {
        self.shared.save(view, self.mode == Mode::ProbeRtt);
        self.conserving = true;
        self.shared.rounds.restart(self.shared.delivered);
        // Everything in flight except the lost segment, plus its retransmission.
        let cwnd = (self.shared.in_flight - 1.0).max(0.0) + 1.0;
        Window { cwnd, ssthresh: view.ssthresh }
    }

    fn on_recovery_exit(&mut self, view: &SenderView, effects: &mut Effects) {
        self.conserving = false;
        let cwnd = view.cwnd.max(self.shared.prior_cwnd);
        let cwnd = if self.mode == Mode::ProbeRtt { cwnd.min(self.options.floor) } else { cwnd };
        effects.push(Effect::SetWindow(Window { cwnd, ssthresh: view.ssthresh }));
    }

    fn on_rto(&mut self, view: &SenderView, _: &RtoEvent, _: &mut Effects) -> RtoDecision {
        self.conserving = false;
        self.shared.on_rto(view, self.mode == Mode::ProbeRtt)
    }

    fn on_restart(&mut self, view: &SenderView, event: &RestartEvent, effects: &mut Effects) -> Window {
        if self.shared.on_restart(event) && self.mode == Mode::ProbeBw {
            self.shared.pace(view, self.rate.best(), self.filled, effects);
        }
        Window { cwnd: view.cwnd, ssthresh: view.ssthresh }
    }

    fn on_undo(&mut self, view: &SenderView, event: &UndoEvent, _: &mut Effects) -> Window {
        (self.full_rate, self.full_rounds) = (0.0, 0);
        let cwnd = event.standard.cwnd.max(self.shared.undo());
        let cwnd = if self.mode == Mode::ProbeRtt { cwnd.min(self.options.floor) } else { cwnd };
        Window { cwnd, ssthresh: view.ssthresh }
    }

    fn on_sent(&mut self, view: &SenderView, event: &SentEvent) {
        if event.retransmission {
            self.lost += f64::from(event.bytes) / f64::from(view.mss);
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
        name: "bbr",
        summary: "sends at the path's delivery rate with a window of two bandwidth-delay products",
        source: "Cardwell et al. 2017, draft-cardwell-iccrg-bbr-congestion-control-00",
        rules: &[
            Rule::at(
                Event::Ack,
                "bandwidth: the largest delivery rate of `rounds` round trips; round trip: the shortest of `rtprop`",
                "BBR draft -00 §4.1.1, §4.1.2",
            ),
            Rule::at(Event::Ack, "cwnd is cwnd_gain x bandwidth x round trip", "BBR draft -00 §4.2.3"),
            Rule::at(Event::Send, "paced at pacing gain x bandwidth", "BBR draft -00 §4.2.1"),
            Rule::at(
                Event::Round,
                "Startup: gain 2.885 until three rounds grow by less than a quarter, then Drain",
                "BBR draft -00 §4.3.2, §4.3.3",
            ),
            Rule::at(Event::Round, "ProbeBW: gains 5/4, 3/4 and six times 1", "BBR draft -00 §4.3.4"),
            Rule::at(
                Event::Round,
                "ProbeRTT: four segments for 200 ms if the shortest round trip is older than `rtprop`",
                "BBR draft -00 §4.3.5",
            ),
            Rule::at(
                Event::Loss,
                "a round trip of packet conservation, then the saved window",
                "BBR draft -00 §4.2.3.4",
            ),
            Rule::at(Event::Timeout, "cwnd 1; the saved window once repaired", "BBR draft -00 §4.2.3.4"),
        ],
        parameters: Options::PARAMETERS,
    },
    meaning: Meaning::Part(Part {
        with: &[RecoveryKind::Sack],
        unless: UNLESS,
        needs: NEEDS,
        ..Part::new(Role::Whole, |values| {
            let options = Options::read(values);
            Arc::new(move |config| Box::new(Bbr::new(options, config.initial_window_segments())))
        })
    }),
};

#[cfg(test)]
mod tests;
