//! The decision table: what two probe round trips say (section 4.3 of the paper).

/// Whose shortest round trip the probes are compared with.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Reference {
    /// That of data, as the pseudo-code's `best_RTT`.
    Data,
    /// That of the probes before these.
    BestProbe,
}

/// How equality of the current and the average round trip counts.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Tie {
    Above,
    Below,
}

/// What follows.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// Everything stays.
    FullImmediate,
    /// Three quarters of ssthresh.
    ThreeQuarters,
    /// Halve.
    Reno,
    /// Halve ssthresh, begin with one.
    SlowStart,
}

impl Outcome {
    pub fn is_contention(self) -> bool {
        matches!(self, Outcome::Reno | Outcome::SlowStart)
    }
}

/// Weight of the old current round trip; the new sample has the rest.
const ALFA: f64 = 0.25;

/// The connection's probe round trips, seconds.
#[derive(Debug)]
pub(super) struct Judge {
    reference: Reference,
    tie: Tie,
    best: f64,
    worst: f64,
    current: Option<f64>,
}

impl Judge {
    pub fn new(reference: Reference, tie: Tie) -> Self {
        Self { reference, tie, best: f64::INFINITY, worst: 0.0, current: None }
    }

    /// Takes the two round trips of a cycle; `best_data` is the shortest of data.
    pub fn decide(&mut self, probes: [f64; 2], best_data: f64) -> Outcome {
        let reference = match self.reference {
            Reference::Data => best_data,
            Reference::BestProbe => self.best,
        };
        let mut current = self.current.unwrap_or(probes[0]);
        for probe in probes {
            self.best = self.best.min(probe);
            self.worst = self.worst.max(probe);
            current = ALFA * current + (1.0 - ALFA) * probe;
        }
        self.current = Some(current);
        let average = (self.best + self.worst) / 2.0;
        let below = current < average || self.tie == Tie::Below && current == average;
        match (below, probes.iter().all(|p| *p < reference)) {
            (true, true) => Outcome::FullImmediate,
            (true, false) => Outcome::ThreeQuarters,
            (false, true) => Outcome::Reno,
            (false, false) => Outcome::SlowStart,
        }
    }
}
