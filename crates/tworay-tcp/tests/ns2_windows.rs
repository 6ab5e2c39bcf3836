//! Congestion windows beside ns-2.35's on a wired bottleneck, every half second: `Agent/TCP/Vegas`, and
//! Linux' `tcp_westwood` in `Agent/TCP/Linux` (our `sack+westwood+(2)`).
//!
//! `ns2_windows.csv` has ns-2's figures and the command that makes them (`peers/ns2/window.tcl`). Vegas,
//! with ns-2's habits (`VegasForm::Ns2`), is ns-2's to the last digit printed. One difference of Westwood
//! is known: TCP-Linux halves its rate packet by packet: during a recovery its window walks down to the
//! half that ours takes at once, so samples from which ns-2's window goes down are left out.

#[allow(dead_code)]
#[path = "ns2_validation/network.rs"]
mod network;
#[allow(dead_code)]
#[path = "ns2_validation/traces.rs"]
mod traces;

use tworay_tcp::{AckSize, Handshake, TcpConfig, VegasForm, WindowSize};

/// A line of the table.
struct Case {
    variant: &'static str,
    /// Packets at the bottleneck.
    queue: usize,
    end: f64,
    /// Packets that never reach the queue.
    drops: Vec<u64>,
    /// ns-2's window at 2 s, 2.5 s, …, segments.
    theirs: Vec<f64>,
}

fn cases(variant: &str) -> Vec<Case> {
    let lines = include_str!("ns2_windows.csv").lines().filter(|l| !l.starts_with('#')).skip(1);
    let numbers = |text: &'static str| text.split_whitespace().map(|x| x.parse::<f64>().expect("a number"));
    lines
        .map(|line| line.split(',').collect::<Vec<_>>())
        .filter(|cells| cells[0] == variant)
        .map(|cells| Case {
            variant: cells[0],
            queue: cells[1].parse().expect("a number"),
            end: cells[2].parse().expect("a number"),
            drops: numbers(cells[3]).map(|x| x as u64).collect(),
            theirs: numbers(cells[4]).collect(),
        })
        .collect()
}

fn ours(case: &Case) -> network::Run {
    let suite = TcpConfig::ns2_validation();
    let (variant, config) = match case.variant {
        "vegas" => ("vegas", suite),
        // TCP-Linux sends two segments at once and no SYN; time stamps on each.
        _ => {
            let window = WindowSize::Segments(64);
            let (handshake, ack_size) = (Handshake::None, AckSize::Encoded);
            ("sack+westwood+(2)", TcpConfig { window, handshake, ack_size, timestamps: true, ..suite })
        }
    };
    let run = network::run_with(variant, &config, &case.drops, case.end, case.queue);
    assert_eq!(run.cwnd.len(), case.theirs.len(), "samples");
    run
}

/// Differences by sample time; TCP-Linux' window counts up to the advertised one.
fn differences(case: &Case) -> Vec<(f64, f64)> {
    let most = if case.variant == "vegas" { f64::INFINITY } else { 64.0 };
    compare(&ours(case), case, most)
}

fn compare(run: &network::Run, case: &Case, most: f64) -> Vec<(f64, f64)> {
    let pairs = run.cwnd.iter().zip(&case.theirs);
    pairs.enumerate().map(|(i, (a, b))| (2.0 + 0.5 * i as f64, a.min(most) - b)).collect()
}

fn worst(differences: &[(f64, f64)]) -> f64 {
    differences.iter().fold(0.0, |worst, d| worst.max(d.1.abs()))
}

/// Vegas within a hundredth of a segment, whatever is lost: a segment would do, but ns-2's habits leave
/// nothing to forgive.
#[test]
fn vegas_follows_ns2() {
    let cases = cases("vegas");
    assert_eq!(cases.len(), 10);
    for case in &cases {
        for (at, difference) in differences(case) {
            assert!(difference.abs() < 0.01, "{:?}, {at} s: {difference:+.2} segments", case.drops);
        }
    }
}

/// Without ns-2's habits: the same until a first loss is repaired and up to the next one, but for what a
/// SYN of 40 B instead of 1040 B makes. Then ns-2's own way is seen.
#[test]
fn clean_vegas_parts_from_ns2_after_losses() {
    let clean = TcpConfig { vegas: VegasForm::Clean, ..TcpConfig::ns2_validation() };
    let mut seen = Vec::new();
    for case in cases("vegas") {
        let run = network::run_with("vegas", &clean, &case.drops, case.end, case.queue);
        let differences = compare(&run, &case, f64::INFINITY);
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

/// Westwood after listed losses: within one segment wherever ns-2's window isn't on its way down.
#[test]
fn westwood_follows_ns2s_tcp_linux() {
    let mut checked = 0;
    for case in cases("westwood").iter().filter(|c| !c.drops.is_empty()) {
        for (i, (at, difference)) in differences(case).into_iter().enumerate() {
            if case.theirs.get(i + 1).is_some_and(|&next| next < case.theirs[i]) {
                continue;
            }
            checked += 1;
            assert!(difference.abs() <= 1.0, "drops {:?}, {at} s: {difference:+.2} segments", case.drops);
        }
    }
    assert!(checked > 340, "{checked} samples");
}

/// Westwood against a queue of eight that overflows again and again. Which packet is the first to find
/// no room shifts with a single segment, so the saw-teeth are compared as a whole: after the first one,
/// mean within one segment, peaks and troughs within two.
#[test]
fn westwoods_saw_tooth_is_ns2s() {
    let all = cases("westwood");
    let case = all.iter().find(|c| c.drops.is_empty()).expect("it is in the table");
    let run = ours(case);
    assert!(run.overflows > 10, "{}", run.overflows);
    let figures = |w: &[f64]| {
        let w = &w[8..];
        let mean = w.iter().sum::<f64>() / w.len() as f64;
        [mean, w.iter().fold(0.0, |a, &b| f64::max(a, b)), w.iter().fold(64.0, |a, &b| f64::min(a, b))]
    };
    let (a, b) = (figures(&run.cwnd), figures(&case.theirs));
    println!("mean, peak, trough: ours {a:.1?}, ns-2's {b:.1?}");
    assert!(
        (a[0] - b[0]).abs() < 1.0 && (a[1] - b[1]).abs() < 2.0 && (a[2] - b[2]).abs() < 2.0,
        "{a:?} {b:?}"
    );
}
