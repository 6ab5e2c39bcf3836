//! The window after a loss that a sender does not judge to be congestion: what the paper says it is, with
//! every recovery that the sender combines with, in both dialects, whatever limits the flight.

use crate::common::{Fate, Pair, Trace};
use tworay_base::{SimDuration, SimTime};
use tworay_tcp::{Phase, SackForm, TcpConfig, TcpNote, WindowSize, registry};

const NEWRENO: &[&str] = &["newreno"];
const FAMILY: &[&str] = &["newreno", "reno", "sack", "linux"];
const SACK: &[&str] = &["sack"];

/// One sender and the sentence that it is held to.
struct Row {
    part: &'static str,
    /// Recoveries that it combines with; none if it is a recovery.
    with: &'static [&'static str],
    /// The share of the window in use that is left.
    share: f64,
    /// Its source.
    source: &'static str,
    /// One-way delays in ms from these times on, in ms after the loss; 50 ms before.
    delays: &'static [(i64, u64)],
    /// The guess about the loss.
    guess: Option<&'static str>,
}

/// A round trip that was longer once (CERL's longest queue), and long since is the shortest again.
const CONSTANT: &[(i64, u64)] = &[(-5000, 55), (-4800, 50)];
/// Round trips that have become shorter in the last eight (CDG: the queue is falling).
const FALLING: &[(i64, u64)] = &[(-3000, 55), (-250, 50)];
/// Probes take 90 and 80 ms: less than any round trip of data, and the second less than the first.
const FASTER_PROBES: &[(i64, u64)] = &[(60, 45), (170, 40)];
/// Probes take 98 and 97 ms, and once a round trip of data took 96.
const SLOWER_PROBES: &[(i64, u64)] = &[(-6000, 48), (-4000, 50), (60, 49), (220, 48)];

/// Trips that have become shorter just before the loss: below ZigZag's mean.
const SHORTER: &[(i64, u64)] = &[(-30, 45)];
/// Each fall by 2 ms lets two segments overtake two others: TCP-DOOR's detections go on until the loss.
const OVERTAKING: &[(i64, u64)] =
    &[(-110, 48), (-100, 50), (-90, 48), (-80, 50), (-70, 48), (-60, 50), (-50, 48), (-40, 50), (-30, 48)];
const STILL: &[(i64, u64)] = &[];

/// Time of a segment on the slowest link, ms. Rules about times between arrivals need a link that is never
/// idle: 20 segments of 6 ms are more than the round trip.
fn spacing(part: &str) -> u64 {
    match part {
        "tcp-door" => 1,
        "biaz" | "biaz(slack=0.25)" | "zbs" => 6,
        _ => 0,
    }
}

const ROWS: &[Row] = &[
    Row {
        part: "spike",
        with: FAMILY,
        share: 1.0,
        source: "Cen et al. 2003: a loss outside spikes of the trip time is wireless",
        delays: CONSTANT,
        guess: Some("channel"),
    },
    Row {
        part: "zigzag",
        with: FAMILY,
        share: 1.0,
        source: "Cen et al. 2003: one loss with a trip time below mean - deviation is wireless",
        delays: SHORTER,
        guess: Some("channel"),
    },
    Row {
        part: "biaz",
        with: FAMILY,
        share: 1.0,
        source: "Biaz and Vaidya 1999: (n + 1) T_min <= T < (n + 2) T_min is wireless",
        delays: STILL,
        guess: Some("channel"),
    },
    Row {
        part: "biaz(slack=0.25)",
        with: NEWRENO,
        share: 1.0,
        source: "Cen et al. 2003, mBiaz: (n + 1) T_min <= T < (n + 1.25) T_min is wireless",
        delays: STILL,
        guess: Some("channel"),
    },
    Row {
        part: "zbs",
        with: FAMILY,
        share: 1.0,
        source: "Cen et al. 2003: at the shortest trip time Spike decides",
        delays: STILL,
        guess: Some("channel"),
    },
    Row {
        part: "adtcp",
        with: FAMILY,
        share: 1.0,
        source: "Fu, Meng, Lu 2002: in the state of channel errors a loss is only retransmitted",
        delays: CONSTANT,
        guess: Some("channel"),
    },
    Row {
        part: "tcp-door",
        with: FAMILY,
        share: 1.0,
        source: "Wang and Zhang 2002, response 1: for T1 after a detection cwnd is kept constant",
        delays: OVERTAKING,
        guess: Some("link-failure"),
    },
    Row {
        part: "atcp",
        with: &["newreno", "reno"],
        share: 1.0,
        source: "Liu and Singh 2001: TCP is in persist mode and resumes with the window that it had",
        delays: CONSTANT,
        guess: Some("channel"),
    },
    Row {
        part: "newreno-ff",
        with: NEWRENO,
        share: 1.0,
        source: "Barman and Matta 2002: a loss that is not due to congestion reduces neither cwnd nor ssthresh",
        delays: CONSTANT,
        guess: Some("channel"),
    },
    Row {
        part: "welcome",
        with: FAMILY,
        share: 1.0,
        source: "Ghaleb-Seddik et al. 2012, section V: no modification of the data transmission rate",
        delays: CONSTANT,
        guess: Some("channel"),
    },
    Row {
        part: "cerl",
        with: FAMILY,
        share: 1.0,
        source: "El-Ocla 2010, abstract: a random loss leaves window and threshold",
        delays: CONSTANT,
        guess: Some("channel"),
    },
    Row {
        part: "veno",
        with: FAMILY,
        share: 0.8,
        source: "Fu and Liew 2003, section II-B: a random loss leaves four fifths of the window",
        delays: CONSTANT,
        guess: Some("channel"),
    },
    // The scale keeps a back-off by gradients from coinciding with the loss.
    Row {
        part: "cdg(scale=10000)",
        with: FAMILY,
        share: 1.0,
        source: "Hayes and Armitage 2011, section 3.5: losses while the queue is not full do not reduce the window",
        delays: FALLING,
        guess: Some("channel"),
    },
    Row {
        part: "probing",
        with: NEWRENO,
        share: 1.0,
        source: "Psaras et al., section 2.1: neither cwnd nor ssthresh is adjusted; it picks up where it was before",
        delays: FASTER_PROBES,
        guess: Some("transient"),
    },
    Row {
        part: "probing",
        with: NEWRENO,
        share: 0.75,
        source: "Psaras et al., sections 4.3 and 6.4: immediate recovery with a small shrinkage, 3/4",
        delays: SLOWER_PROBES,
        guess: Some("transient"),
    },
    Row {
        part: "freeze-probing",
        with: &["reno"],
        share: 0.5,
        source: "TCP Freeze-Probing 2005, section 3: half of the window when normal transmission resumes",
        delays: CONSTANT,
        guess: None,
    },
    Row {
        part: "freeze-probing(halve_after_frozen=no)",
        with: &["reno"],
        share: 1.0,
        source: "the other reading of figure 1: only the way back through probing halves the window",
        delays: CONSTANT,
        guess: None,
    },
    Row {
        part: "vegas",
        with: &[],
        share: 0.75,
        source: "ns-2.35 tcp-vegas.cc: three quarters after the first loss of a segment",
        delays: CONSTANT,
        guess: None,
    },
    Row {
        part: "bbr",
        with: SACK,
        share: 1.0,
        source: "draft-cardwell-iccrg-bbr-congestion-control-00 section 4.2.3.4: the window saved is restored",
        delays: CONSTANT,
        guess: None,
    },
    Row {
        part: "bbr3",
        with: SACK,
        share: 1.0,
        source: "draft-ietf-ccwg-bbr section 5.6.4.4: the window saved is restored",
        delays: CONSTANT,
        guess: None,
    },
    Row {
        part: "copa",
        with: SACK,
        share: 1.0,
        source: "Arun and Balakrishnan 2018, section 2.2: the default mode does not react to losses",
        delays: CONSTANT,
        guess: None,
    },
];

/// Entries of the registry that judge no loss: recoveries, repairs, growth, limits, pacing, ACKs, and
/// reductions that are the same for every loss. `elfn`, `tcp-f` and `freeze-tcp` react to breaks of the path
/// and have tests of their own; `fixed-rto` judges timeouts, and changes only the timer; `f-rto` and `eifel`
/// take timeouts back (tests/repairs/spurious.rs).
const NO_JUDGEMENT: &[&str] = &[
    "tahoe",
    "reno",
    "newreno",
    "sack",
    "linux",
    "rack",
    "rack-tlp",
    "prr",
    "f-rto",
    "eifel",
    "hystart++",
    "ss",
    "sca",
    "ssca",
    "adaptive-sca",
    "westwood",
    "westwood-tibet",
    "westwoodnr",
    "westwood+",
    "fixed-rto",
    "elfn",
    "tcp-f",
    "freeze-tcp",
    "cwl",
    "adaptive-cwl",
    "daa",
    "cubic",
    "few",
    "vegas-growth",
    "tack",
    "tcp-ap",
    "paced",
];

#[test]
fn every_variant_of_the_registry_is_in_one_list() {
    for info in registry() {
        let judged = ROWS.iter().any(|row| row.part.split('(').next() == Some(info.name));
        assert!(judged != NO_JUDGEMENT.contains(&info.name), "{}", info.name);
    }
}

/// The bound on the flight.
#[derive(Copy, Clone, PartialEq, Debug)]
enum Limit {
    /// The receiver's window of 20 segments, beyond which cwnd has grown.
    Receiver,
    /// cwnd, about 60 segments.
    Cwnd,
}

/// One setting of the table.
#[derive(Copy, Clone, Debug)]
struct Setting {
    ns2: bool,
    form: Option<SackForm>,
    limit: Limit,
    /// Segments lost in one window.
    holes: u64,
}

impl Setting {
    fn config(self) -> TcpConfig {
        let mut config = if self.ns2 { TcpConfig::ns2() } else { TcpConfig::default() };
        let (window, ssthresh) = match self.limit {
            Limit::Receiver => (20, 30.0),
            Limit::Cwnd => (200, 8.0),
        };
        config.window = WindowSize::Segments(window);
        config.initial_ssthresh = Some(ssthresh);
        if let Some(form) = self.form {
            config.sack.form = form;
        }
        config
    }
}

const MS: i64 = 1_000_000;
/// When the lost segment is sent, after the start: late enough for every history.
const LOSS: i64 = 6500 * MS;

fn pair(config: &TcpConfig, variant: &str, row: &Row) -> Pair {
    let mut pair = Pair::new(config, &variant.parse().expect(variant), Vec::new());
    pair.tracing = true;
    pair.spacing = SimDuration::from_millis(spacing(row.part));
    pair.start([40_000_000, 0]);
    pair
}

/// Lets one event happen with the delay that the row asks for then; `lost` is when the loss occurred, if it
/// has.
fn step(pair: &mut Pair, row: &Row, lost: Option<SimTime>) {
    let now = pair.next_at().as_nanos() as i64;
    let after_loss = lost.map_or((now - 1000 * MS - LOSS).min(-1), |at| now - at.as_nanos() as i64);
    let due = row.delays.iter().filter(|(at, _)| at * MS <= after_loss);
    pair.delay = SimDuration::from_millis(due.map(|&(_, ms)| ms).next_back().unwrap_or(50));
    pair.run(1);
}

/// The first new segment after [`LOSS`].
fn victim(config: &TcpConfig, variant: &str, row: &Row) -> u64 {
    let mut pair = pair(config, variant, row);
    while (pair.now.as_nanos() as i64) < 1000 * MS + LOSS {
        step(&mut pair, row, None);
    }
    let data = pair.log.iter().filter(|(_, who, s)| *who == 0 && s.payload > 0);
    data.map(|(_, _, s)| u64::from(s.seq.0 - 1) / 1460).max().expect("data") + 1
}

/// Windows in use before the loss is noticed and once it is repaired, and what was noted.
fn before_and_after(row: &Row, recovery: Option<&str>, setting: Setting) -> (f64, f64, Vec<TcpNote>) {
    let variant = recovery.map_or(row.part.to_owned(), |r| format!("{r}+{}", row.part));
    let config = setting.config();
    let first = victim(&config, &variant, row);
    let lost: Vec<u64> = (0..setting.holes).map(|i| first + 3 * i).collect();
    let last = *lost.last().expect("a hole");
    let mut pair = pair(&config, &variant, row);
    pair.fate_of_new_data =
        Some(Box::new(move |n| if lost.contains(&n) { Fate::Lost } else { Fate::Arrives }));
    let (mut before, mut noticed, mut lost_at, mut seen) = (0.0, false, None, 0);
    for _ in 0..200_000 {
        step(&mut pair, row, lost_at);
        for trace in &pair.trace[std::mem::replace(&mut seen, pair.trace.len())..] {
            if let Trace::Sent(at, _, true) = trace {
                lost_at.get_or_insert(*at);
            }
        }
        let state = pair.ends[0].snapshot();
        let in_use = state.cwnd.min(config.window_segments());
        let repairs = matches!(state.phase, Phase::Recovery | Phase::Frozen | Phase::RtoRecovery);
        let una = u64::from(state.una.0.max(1) - 1) / 1460;
        if !repairs && una <= first {
            before = in_use;
        }
        noticed |= repairs;
        if noticed && !repairs && una > last {
            let notes = pair.trace.iter().filter_map(|t| match t {
                Trace::Noted(_, note) => Some(*note),
                _ => None,
            });
            let counters = pair.ends[0].counters();
            assert_eq!(counters.timeouts, 0, "{variant}, {setting:?}: repaired without a timeout");
            return (before, in_use, notes.collect());
        }
    }
    panic!("{variant}, {setting:?}: no loss was repaired");
}

fn settings(row: &Row, recovery: Option<&str>) -> Vec<Setting> {
    let mut settings = Vec::new();
    for ns2 in [false, true] {
        let forms: &[Option<SackForm>] = match recovery {
            Some("sack") if !ns2 => &[Some(SackForm::Rfc6675)],
            Some("sack") if row.part.starts_with("bbr") || row.part == "copa" => &[Some(SackForm::Ns2Pipe)],
            Some("sack") => &[Some(SackForm::Ns2Pipe), Some(SackForm::TcpLinux)],
            _ => &[None],
        };
        for &form in forms {
            for limit in [Limit::Receiver, Limit::Cwnd] {
                // Reno ends its recovery at the first new ACK, and these stop at each loss.
                let single = recovery == Some("reno") || ["vegas", "atcp"].contains(&row.part);
                for holes in if single { 1..=1 } else { 1..=2 } {
                    settings.push(Setting { ns2, form, limit, holes });
                }
            }
        }
    }
    settings
}

#[test]
fn a_loss_that_is_not_congestion_leaves_the_window_that_the_paper_says() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let recoveries: Vec<_> = row.with.iter().copied().map(Some).collect();
        for recovery in if recoveries.is_empty() { vec![None] } else { recoveries } {
            for setting in settings(row, recovery) {
                let (before, after, notes) = before_and_after(row, recovery, setting);
                let guesses: Vec<_> = notes
                    .iter()
                    .filter_map(
                        |n| if let TcpNote::LossGuess { guess, .. } = n { Some(*guess) } else { None },
                    )
                    .collect();
                let expected = row.share * before;
                // One segment: windows that are cut are whole segments, and ns-2 grows on the last ACK.
                let fits = (after - expected).abs() <= 1.0 + 1e-9;
                if !fits || guesses != row.guess.into_iter().collect::<Vec<_>>() {
                    wrong.push(format!(
                        "{:?}+{} {setting:?}: {before} -> {after}, not {expected} ({}); {guesses:?}",
                        recovery, row.part, row.source
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// RFC 6582 §3.2 step 3: a sender that ends its recovery with more than min(ssthresh, FlightSize + 1) limits
/// what one ACK releases. The receiver's window was the limit, so at the end of the recovery nothing is in
/// flight.
#[test]
fn the_window_that_was_kept_fills_without_a_burst() {
    let setting = Setting { ns2: false, form: None, limit: Limit::Receiver, holes: 1 };
    let kept =
        ["newreno-ff", "welcome", "cerl", "veno", "cdg(scale=10000)", "probing", "spike", "zigzag", "adtcp"];
    for row in ROWS.iter().filter(|row| kept.contains(&row.part) && row.share != 0.75) {
        let variant = format!("newreno+{}", row.part);
        let config = setting.config();
        let lost = victim(&config, &variant, row);
        let mut pair = pair(&config, &variant, row);
        pair.fate_of_new_data = Some(Box::new(move |n| if n == lost { Fate::Lost } else { Fate::Arrives }));
        let (mut lost_at, mut ended, mut seen, mut most, mut least) = (None, None, 0, 0, f64::INFINITY);
        while ended.is_none_or(|at| pair.now < at + SimDuration::from_millis(500)) {
            step(&mut pair, row, lost_at);
            let news = &pair.trace[std::mem::replace(&mut seen, pair.trace.len())..];
            let mut sent = 0;
            for trace in news {
                match trace {
                    Trace::Sent(at, _, true) => lost_at = Some(*at),
                    Trace::Sent(..) => sent += 1,
                    Trace::Noted(at, TcpNote::RecoveryExit) => ended = Some(*at),
                    _ => {}
                }
            }
            if ended == Some(pair.now) {
                least = f64::min(least, pair.ends[0].snapshot().flight_segments as f64);
            }
            most = most.max(if ended.is_some() { sent } else { 0 });
        }
        let full = row.share * 20.0;
        let flight = pair.ends[0].snapshot().flight_segments as f64;
        assert_eq!(
            (least, most),
            (3.0, 3),
            "{variant}: in flight after the last ACK of the recovery; most per ACK"
        );
        assert!(flight >= full.floor(), "{variant}: {flight} in flight half a second later");
    }
}
