use super::*;
use crate::control::tests::{LOSS, rto, view};

/// A path that delivers round by round, and its sender.
struct Path {
    bbr: Bbr,
    view: SenderView,
    delivered: f64,
    /// Time of the latest ACK.
    gap: Option<SimDuration>,
}

const RTT_MS: u64 = 100;

impl Path {
    fn new(text: &[f64]) -> Self {
        let mut bbr = Bbr::new(Options::read(text), 2.0);
        bbr.seed(1);
        let view = SenderView { now: SimTime::ZERO + SimDuration::from_secs(1), ..view(2.0, 1e9) };
        Self { bbr, view, delivered: 0.0, gap: None }
    }

    fn linux() -> Self {
        let mut values: Vec<f64> = Options::PARAMETERS.iter().map(|p| p.default.expect(p.name)).collect();
        let form = Options::PARAMETERS.iter().position(|p| p.name == "form").expect("a parameter");
        values[form] = 1.0;
        Self::new(&values)
    }

    fn defaults() -> Self {
        Self::new(&Options::PARAMETERS.iter().map(|p| p.default.expect(p.name)).collect::<Vec<_>>())
    }

    /// Receives an ACK of `acked` segments at this rate, one round trip after the previous one, with the
    /// given numbers of segments in flight before and after it.
    fn ack(&mut self, rate: f64, acked: f64, flight: (f64, f64)) -> f64 {
        self.after(RTT_MS, rate, acked, flight)
    }

    fn after(&mut self, ms: u64, rate: f64, acked: f64, (prior_in_flight, in_flight): (f64, f64)) -> f64 {
        self.view.now += SimDuration::from_millis(ms);
        let prior_delivered = self.delivered;
        self.delivered += acked;
        let rtt = SimDuration::from_millis(RTT_MS);
        let sample = RateSample {
            delivered: rate * 0.1,
            interval: Some(rtt),
            app_limited: false,
            newly_delivered: acked,
            prior_delivered,
            total_delivered: self.delivered,
            lost: 0.0,
            sent_in_flight: prior_in_flight,
            prior_in_flight,
            in_flight,
            rtt: Some(rtt + SimDuration::from_nanos(1)).filter(|_| self.delivered > acked).or(Some(rtt)),
        };
        let mut effects = Effects::new();
        self.bbr.on_rate(&self.view, &sample, &mut effects);
        for effect in effects {
            match effect {
                Effect::SetWindow(w) => (self.view.cwnd, self.view.ssthresh) = (w.cwnd, w.ssthresh),
                Effect::Pace(gap) | Effect::PaceAsLinux(gap) => self.gap = Some(gap),
                _ => {}
            }
        }
        self.view.cwnd
    }

    /// Runs Startup until the pipe is full at 100 segments/s, a bandwidth-delay product of 10.
    fn full() -> Self {
        let mut path = Self::defaults();
        for rate in [25.0, 50.0, 100.0, 100.0, 100.0] {
            path.ack(rate, rate / 10.0, (30.0, 30.0));
            assert_eq!(path.bbr.mode, Mode::Startup, "{rate}");
        }
        path.ack(100.0, 10.0, (30.0, 30.0));
        path
    }

    fn pacing_gain(&self) -> f64 {
        1.0 / (self.gap.expect("a gap").as_secs_f64() * 100.0)
    }
}

/// From the handshake's round trip: 2.885 · 2 segments / 100 ms.
#[test]
fn the_first_segments_are_paced_by_the_handshake() {
    let mut path = Path::defaults();
    let rtt = SimDuration::from_millis(RTT_MS);
    let mut effects = Effects::new();
    path.bbr.on_handshake(&path.view, &RttEvent { exact: rtt, ticked: rtt }, &mut effects);
    let [Effect::Pace(gap)] = effects[..] else { panic!("{effects:?}") };
    assert!((gap.as_secs_f64() - 0.1 / 5.77).abs() < 1e-6);
}

/// Draft §4.3.2, §4.3.3: three rounds with less than 25 % growth end Startup; Drain paces at 1/2.885 until
/// one bandwidth-delay product is in flight: 10 and three quanta, of two segments at Startup's rate of 2.3
/// Mb/s and of one at Drain's.
#[test]
fn startup_ends_when_the_rate_does_not_grow() {
    let mut path = Path::full();
    assert_eq!(path.bbr.mode, Mode::Drain);
    assert!((path.pacing_gain() - 1.0 / 2.885).abs() < 1e-3);
    assert!((path.view.ssthresh - 16.0).abs() < 1e-6);
    path.ack(100.0, 10.0, (20.0, 14.0));
    assert_eq!(path.bbr.mode, Mode::Drain);
    path.ack(100.0, 10.0, (14.0, 13.0));
    assert_eq!(path.bbr.mode, Mode::ProbeBw);
    // 2 · 10 and the quanta.
    for _ in 0..3 {
        path.ack(100.0, 10.0, (13.0, 13.0));
    }
    assert!((path.view.cwnd - 23.0).abs() < 1e-6, "{}", path.view.cwnd);
}

/// The same path, whose ACKs bring ten segments at once: two bandwidth-delay products of 10, three quanta, and
/// the ten that the rate does not explain, made even; two more in the phase that probes.
#[test]
fn linux_has_room_for_bursts_of_acks() {
    let mut path = Path::linux();
    for rate in [25.0, 50.0, 100.0, 100.0, 100.0, 100.0] {
        path.ack(rate, rate / 10.0, (30.0, 30.0));
    }
    path.ack(100.0, 10.0, (14.0, 13.0));
    let mut windows = Vec::new();
    for _ in 0..24 {
        let cwnd = path.after(RTT_MS + 1, 100.0, 10.0, (40.0, 13.0));
        windows.push((path.bbr.cycle, cwnd));
    }
    let steady = &windows[8..];
    assert!(steady.iter().all(|&(cycle, cwnd)| cwnd == if cycle == 0 { 36.0 } else { 34.0 }), "{steady:?}");
    assert!(steady.iter().any(|&(cycle, _)| cycle == 0));
    // 1 % below the rate.
    path.after(RTT_MS + 1, 100.0, 10.0, (40.0, 13.0));
    let gain = CYCLE[path.bbr.cycle] * 0.99;
    assert!((path.pacing_gain() - gain).abs() < 1e-3, "{} {gain}", path.pacing_gain());
}

/// Draft §4.3.4: one phase per round trip; 5/4 lasts until that much is in flight.
#[test]
fn the_gains_go_round() {
    let mut path = Path::full();
    path.ack(100.0, 10.0, (14.0, 13.0));
    let mut gains = Vec::new();
    for _ in 0..24 {
        // Slightly more than a round trip later, with as much in flight as 5/4 requires.
        path.after(RTT_MS + 1, 100.0, 10.0, (15.5, 15.0));
        gains.push((path.pacing_gain() * 100.0).round() / 100.0);
    }
    let up = gains.iter().position(|&g| g == 1.25).expect("a probe");
    assert_eq!(gains[up..up + 9], [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.25]);
    // With less in flight, the probe continues.
    let mut short = Path::full();
    short.ack(100.0, 10.0, (14.0, 13.0));
    let longest = (0..24).filter(|_| {
        short.after(RTT_MS + 1, 100.0, 10.0, (13.5, 13.5));
        short.pacing_gain() > 1.2
    });
    assert!(longest.count() > 12);
}

/// `bbr_is_next_cycle_phase`: 5/4 of 10 segments are 13, 16 with three quanta, 18 with the two of this phase. The
/// segment that leaves next is one of them, so that 17 in flight end the probe and 16 do not.
#[test]
fn linux_counts_the_next_segment_when_a_probe_ends() {
    for (in_flight, ends) in [(16.0, false), (17.0, true)] {
        let mut path = Path::linux();
        for rate in [25.0, 50.0, 100.0, 100.0, 100.0, 100.0] {
            path.ack(rate, rate / 10.0, (30.0, 30.0));
        }
        path.ack(100.0, 10.0, (14.0, 13.0));
        let probes = (0..24).any(|_| {
            path.after(RTT_MS + 1, 100.0, 10.0, (10.0, 10.0));
            path.bbr.pacing_gain > 1.0
        });
        assert!(probes);
        path.after(RTT_MS + 1, 100.0, 10.0, (in_flight, 10.0));
        assert_eq!(path.bbr.pacing_gain < 1.0, ends, "{in_flight} in flight");
    }
}

/// The handshake's rate and all later ones schedule departures as Linux does; the draft's keep the gap.
#[test]
fn only_linux_catches_up_after_waits() {
    for (mut path, linux) in [(Path::linux(), true), (Path::defaults(), false)] {
        let rtt = SimDuration::from_millis(RTT_MS);
        let mut effects = Effects::new();
        path.bbr.on_handshake(&path.view, &RttEvent { exact: rtt, ticked: rtt }, &mut effects);
        path.bbr.shared.pace(&path.view, 100.0, false, &mut effects);
        assert_eq!(effects.len(), 2);
        assert!(effects.iter().all(|e| matches!(e, Effect::PaceAsLinux(_)) == linux), "{effects:?}");
    }
}

/// Draft §4.3.5: after ten seconds without a new minimum, the window is cut to four segments for 200 ms and
/// a round trip and then restored; rates of this period do not count.
#[test]
fn the_shortest_round_trip_is_measured_anew() {
    let mut path = Path::full();
    for _ in 0..90 {
        path.after(RTT_MS + 1, 100.0, 10.0, (15.5, 13.0));
        assert_ne!(path.bbr.mode, Mode::ProbeRtt);
    }
    let before = path.view.cwnd;
    let entered = (0..20).find(|_| path.after(RTT_MS + 1, 100.0, 10.0, (15.5, 13.0)) == 4.0);
    assert!(entered.is_some(), "{:?}", path.bbr.mode);
    assert_eq!(path.bbr.mode, Mode::ProbeRtt);
    path.ack(40.0, 4.0, (8.0, 4.0));
    path.ack(40.0, 4.0, (4.0, 4.0));
    assert_eq!(path.ack(40.0, 4.0, (4.0, 4.0)), 4.0, "200 ms are not over");
    assert_eq!(path.after(RTT_MS + 1, 40.0, 4.0, (4.0, 4.0)).max(before), path.view.cwnd.max(before));
    assert_eq!(path.bbr.mode, Mode::ProbeBw);
    assert!((path.bbr.rate.best() - 100.0).abs() < 1e-6, "{}", path.bbr.rate.best());
    assert!(path.view.cwnd >= before.min(23.0) - 1e-6);
}

/// Draft §4.3.5: 200 ms and a round trip, each time anew. While no segment of a new round is acknowledged, ProbeRTT goes on.
#[test]
fn every_probe_of_the_round_trip_lasts_a_round_of_its_own() {
    let mut path = Path::full();
    for probe in 1..=2 {
        // Below that of all samples: no later one is as short.
        path.bbr.rtprop = Some(SimDuration::from_millis(RTT_MS));
        let entered = (0..200).find(|_| path.after(RTT_MS + 1, 100.0, 10.0, (15.5, 13.0)) == 4.0);
        assert!(entered.is_some(), "probe {probe}");
        path.ack(40.0, 4.0, (8.0, 4.0));
        path.bbr.shared.rounds.restart(f64::INFINITY);
        path.after(300, 40.0, 4.0, (4.0, 4.0));
        assert_eq!(path.bbr.mode, Mode::ProbeRtt, "probe {probe}: its round is not over");
        path.bbr.shared.rounds.restart(path.delivered);
        path.ack(40.0, 4.0, (4.0, 4.0));
        assert_eq!(path.bbr.mode, Mode::ProbeBw, "probe {probe}");
    }
}

/// Draft §4.2.3.4: the first round of a recovery sends as much as is delivered; at the end the old window
/// is restored.
#[test]
fn recovery_conserves_packets() {
    let mut path = Path::full();
    path.ack(100.0, 10.0, (14.0, 13.0));
    let before = path.view.cwnd;
    path.bbr.shared.in_flight = 12.0;
    path.view.in_recovery = false;
    let cut = path.bbr.on_loss(&path.view, &LOSS, &mut Effects::new());
    assert_eq!(cut.cwnd, 12.0, "11 beside the lost one, and one for it");
    (path.view.cwnd, path.view.in_recovery) = (12.0, true);
    path.bbr.shared.rounds.restart(1e9);
    assert_eq!(path.after(1, 100.0, 1.0, (12.0, 11.0)), 12.0, "one delivered, one sent");
    let mut effects = Effects::new();
    path.bbr.on_recovery_exit(&path.view, &mut effects);
    assert_eq!(effects[..], [Effect::SetWindow(Window { cwnd: before, ssthresh: path.view.ssthresh })]);
}

#[test]
fn a_timeout_starts_with_one_segment_and_the_window_comes_back() {
    let mut path = Path::full();
    path.ack(100.0, 10.0, (14.0, 13.0));
    let before = path.view.cwnd;
    let decision = path.bbr.on_rto(&path.view, &rto(1), &mut Effects::new());
    assert_eq!(decision.window.cwnd, 1.0);
    (path.view.cwnd, path.view.after_timeout) = (1.0, true);
    assert_eq!(path.ack(100.0, 1.0, (1.0, 0.0)), 4.0, "the floor");
    path.view.after_timeout = false;
    assert!(path.ack(100.0, 1.0, (4.0, 3.0)) >= before.min(23.0), "{}", path.view.cwnd);
}

#[test]
fn a_maximum_lasts_its_rounds() {
    let mut filter = MaxFilter::new(10);
    for (round, value, best) in
        [(1, 5.0, 5.0), (2, 9.0, 9.0), (3, 7.0, 9.0), (12, 1.0, 9.0), (13, 1.0, 7.0), (14, 2.0, 2.0)]
    {
        filter.update(round, value);
        assert_eq!(filter.best(), best, "round {round}");
    }
}

/// Linux' bbr_undo_cwnd: the saved window comes back, and three rounds without growth are counted anew.
#[test]
fn a_spurious_timeout_restores_the_window_and_judges_startup_anew() {
    let mut path = Path::defaults();
    for rate in [25.0, 50.0, 50.0, 50.0] {
        path.ack(rate, rate / 10.0, (30.0, 30.0));
    }
    let (before, mut effects) = (path.view.cwnd, Effects::new());
    path.view.cwnd = path.bbr.on_rto(&path.view, &rto(1), &mut effects).window.cwnd;
    assert_eq!(path.view.cwnd, 1.0);
    path.view.after_timeout = true;
    let standard = Window { cwnd: 3.0, ssthresh: 5.0 };
    let window = path.bbr.on_undo(&path.view, &UndoEvent { before: standard, standard }, &mut effects);
    assert_eq!((window.cwnd, window.ssthresh), (before, path.view.ssthresh));
    (path.view.cwnd, path.view.after_timeout) = (window.cwnd, false);
    for _ in 0..3 {
        path.ack(50.0, 5.0, (30.0, 30.0));
        assert_eq!(path.bbr.mode, Mode::Startup);
    }
    path.ack(50.0, 5.0, (30.0, 30.0));
    assert_eq!(path.bbr.mode, Mode::Drain);
}

/// Draft, "Restarting From Idle": the window stays, ProbeBW paces at exactly BtlBw whatever its gain, and the
/// idle time counts as ProbeRTT. Without data of an application that was idle nothing of this holds.
#[test]
fn after_idling_the_model_still_holds() {
    for (app_limited, gain, mode) in [(true, 1.0, Mode::ProbeBw), (false, 1.25, Mode::ProbeRtt)] {
        let mut path = Path::full();
        path.ack(100.0, 10.0, (30.0, 8.0));
        for _ in 0..20 {
            if path.bbr.pacing_gain > 1.0 {
                break;
            }
            path.after(101, 100.0, 10.0, (10.0, 10.0));
        }
        path.ack(100.0, 10.0, (10.0, 0.0));
        assert!((path.pacing_gain() - 1.25).abs() < 1e-3, "{}", path.pacing_gain());
        let (before, mut effects) =
            (Window { cwnd: path.view.cwnd, ssthresh: path.view.ssthresh }, Effects::new());
        assert!(before.cwnd > 20.0, "two products of 10 segments: {before:?}");
        path.view.now += SimDuration::from_secs(11);
        let standard = Window { cwnd: 2.0, ..before };
        let event = RestartEvent { idle: SimDuration::from_secs(11), app_limited, standard };
        assert_eq!(path.bbr.on_restart(&path.view, &event, &mut effects), before);
        if let Some(Effect::Pace(gap)) = effects.first() {
            path.gap = Some(*gap);
        }
        assert!((path.pacing_gain() - gain).abs() < 1e-3, "{}", path.pacing_gain());
        path.ack(100.0, 2.0, (4.0, 2.0));
        assert_eq!(path.bbr.mode, mode, "the shortest round trip is older than 10 s");
    }
}

/// A repeated SYN gives no round trip. The first of a connection that begins after a minute has nothing before it that has expired.
#[test]
fn a_late_start_is_no_expired_round_trip() {
    let mut path = Path::defaults();
    path.view.now = SimTime::ZERO + SimDuration::from_secs(60);
    path.ack(20.0, 2.0, (2.0, 0.0));
    assert_eq!(path.bbr.mode, Mode::Startup);
}
