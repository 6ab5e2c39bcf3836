use super::*;
use crate::control::tests::{rto, view};

/// A path that delivers round by round, and its sender.
struct Path {
    bbr: Bbr3,
    view: SenderView,
    delivered: f64,
    gap: SimDuration,
}

/// An ACK's report besides the rate.
#[derive(Copy, Clone)]
struct Shown {
    rate: f64,
    acked: f64,
    flight: f64,
    lost: f64,
    rtt_ms: u64,
}

/// At 100 segments/s and 100 ms, ten segments in flight fill the path.
const STEADY: Shown = Shown { rate: 100.0, acked: 10.0, flight: 10.0, lost: 0.0, rtt_ms: 100 };

impl Path {
    fn new() -> Self {
        let mut bbr = Bbr3::new(Options::defaults(), 2.0);
        bbr.seed(1);
        let now = SimTime::ZERO + SimDuration::from_secs(1);
        let view = SenderView { now, ..view(2.0, 1e9) };
        Self { bbr, view, delivered: 0.0, gap: SimDuration::ZERO }
    }

    /// An ACK that ends a round trip.
    fn ack(&mut self, shown: Shown) -> State {
        self.view.now += SimDuration::from_millis(101);
        let prior_delivered = self.delivered;
        self.delivered += shown.acked;
        let sample = RateSample {
            delivered: shown.rate * 0.1,
            interval: Some(SimDuration::from_millis(100)),
            app_limited: false,
            newly_delivered: shown.acked,
            prior_delivered,
            total_delivered: self.delivered,
            lost: shown.lost,
            sent_in_flight: shown.flight,
            prior_in_flight: shown.flight,
            in_flight: shown.flight,
            rtt: Some(SimDuration::from_millis(shown.rtt_ms)),
        };
        let mut effects = Effects::new();
        self.bbr.on_rate(&self.view, &sample, &mut effects);
        for effect in effects {
            match effect {
                Effect::SetWindow(w) => (self.view.cwnd, self.view.ssthresh) = (w.cwnd, w.ssthresh),
                Effect::Pace(gap) => self.gap = gap,
                _ => {}
            }
        }
        self.bbr.state
    }

    fn lose(&mut self) {
        let event = SentEvent { seq: Seq32(1), bytes: 1000, retransmission: true, alone: false };
        self.bbr.on_sent(&self.view, &event);
    }

    fn until(&mut self, state: State, shown: Shown) -> usize {
        (1..200).find(|_| self.ack(shown) == state).unwrap_or_else(|| panic!("never {state:?}"))
    }

    fn steady() -> Self {
        let mut path = Self::new();
        for rate in [25.0, 50.0, 100.0] {
            path.ack(Shown { rate, acked: rate / 10.0, flight: 30.0, ..STEADY });
        }
        path
    }

    /// Pacing rate relative to the path's.
    fn gain(&self) -> f64 {
        1.0 / (self.gap.as_secs_f64() * 0.99 * 100.0)
    }
}

/// Three rounds with less than 25 % growth end Startup; Drain lasts until one bandwidth-delay product is in
/// flight, but at most three rounds.
#[test]
fn startup_ends_at_a_plateau_and_drain_empties_the_queue() {
    let full = Shown { flight: 30.0, ..STEADY };
    let mut path = Path::steady();
    assert_eq!([path.ack(full), path.ack(full)], [State::Startup; 2]);
    assert_eq!(path.ack(full), State::Drain);
    assert!((path.gain() - 0.5).abs() < 1e-3);
    assert_eq!(path.ack(Shown { flight: 11.0, ..STEADY }), State::Drain);
    assert_eq!(path.ack(STEADY), State::Cruise, "nothing above the product: Down is over at once");
    let mut slow = Path::steady();
    (0..3).for_each(|_| _ = slow.ack(full));
    assert_eq!((0..4).map(|_| slow.ack(full)).collect::<Vec<_>>()[2..], [State::Drain, State::Down]);
}

/// Down, Cruise, Refill for one round trip, Up. The wait before Refill in round trips is the
/// bandwidth-delay product in segments, as for a Reno flow, if that is less than two seconds.
#[test]
fn bandwidth_is_probed_as_often_as_a_reno_flow_would() {
    let mut path = Path::steady();
    path.until(State::Cruise, STEADY);
    let waited = path.until(State::Refill, STEADY);
    assert!((8..=10).contains(&waited), "{waited} of ten round trips");
    assert_eq!(path.ack(STEADY), State::Up);
    assert!((path.gain() - 1.25).abs() < 1e-3);
    // No growth for three rounds.
    assert_eq!(path.until(State::Down, Shown { flight: 12.0, ..STEADY }), 3);
    assert!((path.gain() - 0.9).abs() < 1e-3);
}

/// A loss of more than 2 % while probing bounds the flight to its size at that time; Cruise leaves 15 % of
/// it free.
#[test]
fn losses_while_probing_bound_the_flight() {
    let mut path = Path::steady();
    path.until(State::Up, STEADY);
    path.ack(Shown { flight: 20.0, ..STEADY });
    assert!(path.bbr.bounds.flight_long.is_infinite());
    assert_eq!(path.ack(Shown { flight: 20.0, lost: 1.0, ..STEADY }), State::Down);
    assert_eq!(path.bbr.bounds.flight_long, 20.0);
    path.until(State::Cruise, STEADY);
    assert!((path.bbr.flight_with_headroom() - 17.0).abs() < 1e-9);
    // One loss in sixty is tolerated.
    let mut few = Path::steady();
    few.until(State::Up, STEADY);
    assert_eq!(few.ack(Shown { flight: 60.0, lost: 1.0, ..STEADY }), State::Up);
}

/// A round trip with a loss in Cruise reduces rate and flight to 0.7, but not below what was delivered.
#[test]
fn losses_while_cruising_lower_the_bounds_until_the_next_probe() {
    let mut path = Path::steady();
    path.until(State::Cruise, STEADY);
    let cwnd = path.view.cwnd;
    path.lose();
    let slower = Shown { rate: 60.0, acked: 6.0, ..STEADY };
    path.ack(slower);
    path.ack(slower);
    assert!((path.bbr.bounds.rate_short - 100.0).abs() < 1e-9, "the round before delivered 100");
    path.lose();
    path.ack(slower);
    path.ack(slower);
    assert!((path.bbr.bounds.rate_short - 70.0).abs() < 1e-9, "{}", path.bbr.bounds.rate_short);
    assert!(path.bbr.bounds.flight_short <= 0.7 * cwnd + 1e-9 && path.view.cwnd <= 0.7 * cwnd + 1e-9);
    path.until(State::Refill, STEADY);
    assert!(path.bbr.bounds.rate_short.is_infinite());
}

/// After five seconds without a new minimum, half the bandwidth-delay product is in flight for 200 ms and a
/// round trip.
#[test]
fn the_round_trip_is_measured_anew_with_half_the_flight() {
    let mut path = Path::steady();
    let longer = Shown { rtt_ms: 120, flight: 12.0, ..STEADY };
    path.until(State::Cruise, STEADY);
    let waited = path.until(State::ProbeRtt, longer);
    assert!((44..=50).contains(&waited), "{waited} round trips of 101 ms");
    assert!((path.view.cwnd - 5.0).abs() < 0.7, "{}", path.view.cwnd);
    let half = Shown { rate: 50.0, acked: 5.0, flight: 5.0, ..STEADY };
    assert_eq!([path.ack(half), path.ack(half)], [State::ProbeRtt; 2], "101 ms of 200");
    assert_eq!(path.ack(half), State::Cruise);
    assert!((path.bbr.rate() - 100.0).abs() < 1e-9, "rates of the small window don't count");
}

/// HandleSpuriousLossDetection: window, bounds and the phase that the losses ended.
#[test]
fn a_spurious_timeout_restores_what_losses_changed() {
    let standard = Window { cwnd: 3.0, ssthresh: 5.0 };
    let event = UndoEvent { before: standard, standard };
    let mut effects = Effects::new();
    for (state, ended_by_losses, found, restored) in [
        (State::Cruise, None, State::Cruise, State::Cruise),
        (State::Startup, Some(State::Startup), State::Drain, State::Startup),
        (State::Up, Some(State::Up), State::Down, State::Refill),
        (State::Up, Some(State::Up), State::ProbeRtt, State::ProbeRtt),
    ] {
        let mut path = Path::new();
        for _ in 0..3 {
            path.ack(STEADY);
        }
        (path.view.cwnd, path.bbr.state, path.bbr.bounds.flight_long) = (20.0, state, 15.0);
        let view = SenderView { cwnd: 1.0, after_timeout: true, ..path.view };
        path.bbr.on_rto(&path.view, &rto(1), &mut effects);
        (path.bbr.state, path.bbr.undo.state, path.bbr.full.reached) = (found, ended_by_losses, true);
        path.bbr.bounds = Bounds { rate_short: 1.0, flight_short: 2.0, flight_long: 3.0 };
        path.bbr.latest.loss = true;
        let window = path.bbr.on_undo(&view, &event, &mut effects);
        assert_eq!(path.bbr.state, restored);
        assert_eq!(path.bbr.full.reached, state != State::Startup, "{state:?}");
        let Bounds { rate_short, flight_short, flight_long } = path.bbr.bounds;
        assert_eq!((rate_short, flight_short, flight_long), (f64::INFINITY, f64::INFINITY, 15.0));
        assert!(!path.bbr.latest.loss && path.bbr.undo.state.is_none());
        // By the bounds of Cruise (headroom), of Startup (none), of Refill, and of ProbeRTT.
        let floor = path.bbr.options.floor;
        let expected = match restored {
            State::Startup => 20.0,
            State::Refill => 15.0,
            State::Cruise => 15.0 - 2.25,
            _ => path.bbr.probe_rtt_cwnd().max(floor).min(12.75),
        };
        assert!((window.cwnd - expected).abs() < 1e-9, "{restored:?}: {} for {expected}", window.cwnd);
    }
}

/// Draft §5.4.1: the window stays; ProbeBW paces at the rate in use, Up included; and a ProbeRTT whose time
/// is over ends without another ACK. All this only if the application was idle.
#[test]
fn after_idling_the_model_still_holds() {
    let restart = |path: &mut Path, app_limited| {
        let Window { cwnd, ssthresh } = Window { cwnd: path.view.cwnd, ssthresh: path.view.ssthresh };
        let standard = Window { cwnd: 2.0, ssthresh };
        let event = RestartEvent { idle: SimDuration::from_secs(1), app_limited, standard };
        path.view.now += event.idle;
        let mut effects = Effects::new();
        let window = path.bbr.on_restart(&path.view, &event, &mut effects);
        if let Some(Effect::Pace(gap)) = effects.first() {
            path.gap = *gap;
        }
        (cwnd, window.cwnd)
    };
    for (app_limited, gain) in [(true, 1.0), (false, 1.25)] {
        let mut path = Path::steady();
        path.until(State::Up, STEADY);
        assert!((path.gain() - 1.25).abs() < 1e-3, "{}", path.gain());
        let (before, after) = restart(&mut path, app_limited);
        assert!(after == before && before > 10.0, "{before} {after}");
        assert!((path.gain() - gain).abs() < 1e-3, "{}", path.gain());
    }
    for (app_limited, state) in [(true, State::Cruise), (false, State::ProbeRtt)] {
        let mut path = Path::steady();
        path.until(State::Cruise, STEADY);
        let saved = path.view.cwnd;
        path.until(State::ProbeRtt, Shown { rtt_ms: 120, flight: 12.0, ..STEADY });
        path.ack(Shown { rate: 50.0, acked: 5.0, flight: 5.0, ..STEADY });
        let (before, after) = restart(&mut path, app_limited);
        assert_eq!(path.bbr.state, state);
        assert!(if app_limited { after >= saved } else { after == before }, "{saved} {before} {after}");
    }
}

/// A repeated SYN gives no round trip. The first of a connection that begins after a minute has nothing before it that has expired.
#[test]
fn a_late_start_is_no_expired_round_trip() {
    let mut path = Path::new();
    path.view.now = SimTime::ZERO + SimDuration::from_secs(60);
    assert_eq!(path.ack(STEADY), State::Startup);
    assert!(!path.bbr.min_rtt.probe_expired);
}
