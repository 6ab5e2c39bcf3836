//! Wires and flows of dumbbells: the classic one whose flows share a bottleneck, and the TCP-Probing paper's
//! (Psaras, Mamatas and Tsaoussidis, On protocol engineering: detect, confirm and adjust, §5.1): as many as
//! the name says, by a schedule.

use std::fmt::Write;

/// When flows start and end.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Schedule {
    /// All flows start within two seconds and stay.
    Steady,
    /// All flows start within two seconds; then half of the remaining flows end at every step, spaced so
    /// that the last one stays until the end (§6.2).
    Decrease,
    /// Flows start one after the other, the first at the start, the last at 20 s (§6.3).
    Increase,
}

/// The routers of a dumbbell, and where its flows are limited.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Two routers; each sink has a slow wire of its own.
    Plain,
    /// Three routers in a row, half of the sinks at the third; each sink has a slow wire of its own.
    Split,
    /// Two routers with a slow wire between them, which all flows share.
    Shared,
}

/// A dumbbell: sources at one end, sinks at one or two ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Dumbbell {
    /// The routers.
    pub shape: Shape,
    /// When flows start and end.
    pub schedule: Schedule,
}

/// Duration of the run, milliseconds.
const END: u32 = 60_000;
/// When all flows have started, milliseconds.
const ENTERED: u32 = 2_000;
/// When the last flow starts if they start one by one, milliseconds.
const LAST_ENTRY: u32 = 20_000;

impl Dumbbell {
    /// The text of the scenario with `n` flows.
    pub fn render(self, text: &str, n: u32) -> String {
        let base = match self.shape {
            Shape::Plain => "dumbbell",
            Shape::Split => "split-dumbbell",
            Shape::Shared => "bottleneck",
        };
        let (suffix, about) = match self.schedule {
            Schedule::Steady => ("", "All flows enter within the first two seconds and stay."),
            Schedule::Decrease => (
                "-decrease",
                "All flows enter within the first two seconds; then half of those left leave at every step (§6.2).",
            ),
            Schedule::Increase => {
                ("-increase", "Flows enter one after the other, the first at once, the last at 20 s (§6.3).")
            }
        };
        text.replace("{NAME}", &format!("{base}{suffix}-{n}"))
            .replace("{WHEN}", self.when())
            .replace("{SCHEDULE}", about)
            .replace("{WIRES}", self.wires(n).trim_end())
            .replace("{FLOWS}", self.flows(n).trim_end())
    }

    /// Part of the summary that describes the schedule.
    pub fn when(self) -> &'static str {
        match self.schedule {
            Schedule::Steady => "",
            Schedule::Decrease => ", half of those left leaving at every step",
            Schedule::Increase => ", entering one after the other",
        }
    }

    fn wires(self, n: u32) -> String {
        let first_router = 2 * n;
        let mut text = String::new();
        let mut wire = |from: u32, to: u32, kind: &str| {
            let _ = write!(text, "[[wire]]\nfrom = {from}\nto = {to}\nkind = \"{kind}\"\n\n");
        };
        wire(first_router, first_router + 1, "bottleneck");
        if self.shape == Shape::Split {
            wire(first_router + 1, first_router + 2, "bottleneck");
        }
        for i in 0..n {
            wire(i, first_router, "source");
            let router = first_router + 1 + if self.shape == Shape::Split { i % 2 } else { 0 };
            wire(router, n + i, "sink");
        }
        text
    }

    fn flows(self, n: u32) -> String {
        let mut text = String::new();
        for i in 0..n {
            let (start, stop) = self.schedule.times(i, n);
            let _ =
                write!(text, "[[flow]]\nfrom = {i}\nto = {}\napp = \"ftp\"\nstart = \"{start}ms\"\n", n + i);
            if stop < END {
                let _ = writeln!(text, "stop = \"{stop}ms\"");
            }
            text.push('\n');
        }
        text
    }
}

impl Schedule {
    /// Start and end of flow `i` of `n`, milliseconds.
    fn times(self, i: u32, n: u32) -> (u32, u32) {
        let early = ENTERED * i / n;
        match self {
            Schedule::Steady => (early, END),
            Schedule::Increase => (LAST_ENTRY * i / (n - 1).max(1), END),
            Schedule::Decrease => {
                // One stage of equal length for each of n, n/2, n/4, ..., 1 flows.
                let stages = n.ilog2() + 1;
                let leaves = (1..=stages).find(|&stage| i >= n >> stage).unwrap_or(stages);
                (early, ENTERED + (END - ENTERED) * leaves / stages)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of active flows at a time in milliseconds.
    fn alive(schedule: Schedule, n: u32, at: u32) -> usize {
        (0..n).map(|i| schedule.times(i, n)).filter(|&(start, stop)| start <= at && at < stop).count()
    }

    #[test]
    fn contention_decreases_by_halves_and_the_last_flow_stays() {
        // 10, 5, 2, 1: four stages of 14.5 s after the first two seconds.
        let table = [(1_999, 10), (16_499, 10), (16_500, 5), (31_000, 2), (45_500, 1), (59_999, 1)];
        for (at, flows) in table {
            assert_eq!(alive(Schedule::Decrease, 10, at), flows, "at {at} ms");
        }
        assert_eq!(alive(Schedule::Decrease, 100, 59_999), 1);
    }

    #[test]
    fn contention_increases_one_by_one_up_to_twenty_seconds() {
        for (at, flows) in [(0, 1), (9_999, 5), (10_000, 6), (19_999, 10), (20_000, 11), (59_999, 11)] {
            assert_eq!(alive(Schedule::Increase, 11, at), flows, "at {at} ms");
        }
        assert_eq!(alive(Schedule::Increase, 1, 0), 1);
    }

    #[test]
    fn steady_flows_enter_within_two_seconds() {
        for (at, flows) in [(0, 1), (1_000, 6), (1_999, 10), (59_999, 10)] {
            assert_eq!(alive(Schedule::Steady, 10, at), flows, "at {at} ms");
        }
    }
}
