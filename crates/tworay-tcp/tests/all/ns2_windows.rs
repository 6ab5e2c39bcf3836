//! Congestion windows compared with ns-2.35 on a wired bottleneck, every half second: `Agent/TCP/Vegas`,
//! and Linux' `tcp_westwood` and Reno in `Agent/TCP/Linux`, with listed packet losses and with overflows of
//! the queue.
//!
//! `ns2_windows.csv` holds ns-2's figures and the command that produced them
//! (`studies/peers/ns2/window.tcl`). With ns-2's quirks (`VegasForm::Ns2`, `SackForm::TcpLinux`) every sample
//! equals ns-2's to the last digit printed. To check more cases, set `TWORAY_WINDOWS` to a table of the same
//! form; its samples may differ by up to one segment.

#[allow(dead_code)]
use crate::ns2_validation::network;
#[allow(dead_code)]
use tworay_base::SimDuration;
use tworay_tcp::{RtoConfig, RttArithmetic, SackConfig, SackForm, TcpConfig, VegasForm, WindowSize};

/// A line of the table.
struct Case {
    variant: &'static str,
    slow: network::Bottleneck,
    end: f64,
    /// Packets dropped before the queue.
    drops: Vec<u64>,
    /// ns-2's window at 2 s, 2.5 s, …, in segments.
    theirs: Vec<f64>,
}

/// Another table to compare with.
fn own_table() -> Option<std::ffi::OsString> {
    std::env::var_os("TWORAY_WINDOWS")
}

fn table() -> &'static str {
    match own_table() {
        Some(path) => std::fs::read_to_string(path).expect("a readable table").leak(),
        None => include_str!("ns2_windows.csv"),
    }
}

fn cases(variant: &str) -> Vec<Case> {
    let lines = table().lines().filter(|l| !l.starts_with('#')).skip(1);
    let numbers = |text: &'static str| text.split_whitespace().map(|x| x.parse::<f64>().expect("a number"));
    lines
        .map(|line| line.split(',').collect::<Vec<_>>())
        .filter(|cells| cells[0] == variant)
        .map(|cells| Case {
            variant: cells[0],
            slow: network::Bottleneck {
                rate: cells[1].parse::<f64>().expect("kb/s") * 1e3,
                delay: cells[2].parse::<f64>().expect("ms") * 1e-3,
                limit: cells[3].parse().expect("a number"),
            },
            end: cells[4].parse().expect("a number"),
            drops: numbers(cells[5]).map(|x| x as u64).collect(),
            theirs: numbers(cells[6]).collect(),
        })
        .collect()
}

fn ours(case: &Case) -> network::Run {
    let (variant, config) = match case.variant {
        "vegas" => ("vegas", TcpConfig::ns2_validation()),
        "reno" => ("sack+cwl(64)", tcp_linux()),
        _ => ("sack+westwood+(2)+cwl(64)", tcp_linux()),
    };
    network::run_over(variant, &config, &case.drops, case.end, case.slow)
}

/// ns-2's TCP-Linux with timestamps. Its sink accepts segments however far beyond the window, so the window
/// here is large; cwnd is limited to 64.
fn tcp_linux() -> TcpConfig {
    let suite = TcpConfig::ns2_validation();
    TcpConfig {
        window: WindowSize::Segments(1000),
        initial_ssthresh: Some(64.0),
        timestamps: true,
        tick: SimDuration::from_millis(1),
        rto: RtoConfig {
            initial: SimDuration::from_secs(3),
            min: SimDuration::from_millis(200),
            max: SimDuration::from_secs(120),
            arithmetic: RttArithmetic::LinuxTicks,
            ..suite.rto.clone()
        },
        sack: SackConfig { form: SackForm::TcpLinux, ..suite.sack.clone() },
        ..suite
    }
}

/// Differences, by sample time.
fn compare(run: &network::Run, case: &Case) -> Vec<(f64, f64)> {
    assert_eq!(run.cwnd.len(), case.theirs.len(), "samples");
    let pairs = run.cwnd.iter().zip(&case.theirs);
    pairs.enumerate().map(|(i, (a, b))| (2.0 + 0.5 * i as f64, a - b)).collect()
}

/// Every sample of the first `kept` cases must be within a hundredth of a segment, those of other cases
/// within one. The kept cases are exact, so a wider tolerance would hide regressions.
fn hold(cases: &[Case], kept: usize) {
    let own = own_table().is_some();
    assert!(own || cases.len() == kept, "{} cases", cases.len());
    let bound = if own { 1.0 } else { 0.01 };
    let mut beyond = Vec::new();
    for case in cases {
        let differences = compare(&ours(case), case);
        if let Some((at, difference)) = differences.into_iter().find(|d| d.1.abs() > bound) {
            let (variant, drops, slow) = (case.variant, &case.drops, &case.slow);
            beyond
                .push(format!("{variant} over {slow:?}, {drops:?} lost, {at} s: {difference:+.2} segments"));
        }
    }
    assert!(beyond.is_empty(), "{} of {} cases\n{}", beyond.len(), cases.len(), beyond.join("\n"));
}

fn worst(differences: &[(f64, f64)]) -> f64 {
    differences.iter().fold(0.0, |worst, d| worst.max(d.1.abs()))
}

#[test]
fn vegas_follows_ns2() {
    hold(&cases("vegas"), 12);
}

/// Without ns-2's quirks the windows agree until the second loss, except for the effect of a SYN of 40 B
/// instead of 1040 B; after that they differ.
#[test]
fn clean_vegas_parts_from_ns2_after_losses() {
    let clean = TcpConfig { vegas: VegasForm::Clean, ..TcpConfig::ns2_validation() };
    let mut seen = Vec::new();
    for case in cases("vegas") {
        let run = network::run_over("vegas", &clean, &case.drops, case.end, case.slow);
        let differences = compare(&run, &case);
        let beyond = differences.iter().filter(|d| d.1.abs() > 1.0).count();
        println!("drops {:?}: worst {:.2}, {beyond} samples beyond 1", case.drops, worst(&differences));
        seen.push((case.drops, worst(&differences)));
    }
    for (drops, worst) in seen {
        match *drops {
            [60] => assert!(worst < 0.25, "{worst}"),
            [60, 300] => assert!((1.5..2.5).contains(&worst), "{worst}"),
            [40, 41] => assert!((4.0..5.5).contains(&worst), "{worst}"),
            _ => {}
        }
    }
}

/// Westwood and Reno in TCP-Linux agree within a hundredth of a segment, in recoveries and with overflowing
/// queues.
#[test]
fn linux_modules_follow_ns2() {
    let cases: Vec<_> = cases("westwood").into_iter().chain(cases("reno")).collect();
    hold(&cases, 19);
    if own_table().is_none() {
        let overflowing = cases.iter().filter(|c| c.drops.is_empty()).map(|c| ours(c).overflows);
        assert!(overflowing.clone().all(|n| n >= 6), "{:?}", overflowing.collect::<Vec<_>>());
    }
}

/// The effect of TCP-Linux' sender with a queue of eight that overflows: without it the sawtooth shifts,
/// although its mean height stays the same.
#[test]
fn generic_sack_parts_from_tcp_linux() {
    let all = cases("westwood");
    let case = all.iter().find(|c| c.drops.is_empty()).expect("it is in the table");
    let linux = tcp_linux();
    let generic = TcpConfig { sack: TcpConfig::ns2_validation().sack, ..tcp_linux() };
    let ticks =
        TcpConfig { rto: RtoConfig { arithmetic: RttArithmetic::ScaledTicks, ..linux.rto.clone() }, ..linux };
    for (what, variant, config, worst_is) in [
        ("ns-2's SACK", "sack+westwood+(2)+cwl(64)", &generic, 10.0..20.0),
        ("Westwood+ as published", "sack+westwood++cwl(64)", &tcp_linux(), 5.0..25.0),
        ("other RTTVAR: only the timer knows", "sack+westwood+(2)+cwl(64)", &ticks, 0.0..0.01),
    ] {
        let run = network::run_over(variant, config, &case.drops, case.end, case.slow);
        let differences = compare(&run, case);
        let worst = worst(&differences);
        let mean = differences.iter().map(|d| d.1).sum::<f64>() / differences.len() as f64;
        println!("{what}: worst {worst:.2}, mean {mean:+.2}");
        assert!(worst_is.contains(&worst) && mean.abs() < 1.0, "{what}: {worst}, {mean}");
    }
}
