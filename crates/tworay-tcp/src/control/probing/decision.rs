//! The decision table: which recovery the round trips of a cycle's probes select (§4.3 of the paper).

/// Shortest round trip with which the probes are compared.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Reference {
    /// The shortest of data segments, `best_RTT` in the pseudo-code.
    Data,
    /// The shortest of earlier probes.
    BestProbe,
    /// The shortest of the connection, the handshake's included.
    Connection,
}

/// Side on which a current round trip equal to the average counts.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Tie {
    Above,
    Below,
}

/// The selected recovery.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// Window and threshold stay as they were.
    FullImmediate,
    /// The window is reduced to three quarters.
    ThreeQuarters,
    /// Halve.
    Reno,
    /// ssthresh is halved; slow start from one segment.
    SlowStart,
}

impl Outcome {
    /// Its place among what a loss comes to (`HANDLED`).
    pub fn place(self) -> usize {
        match self {
            Outcome::FullImmediate => 1,
            Outcome::ThreeQuarters => 2,
            Outcome::Reno => 3,
            Outcome::SlowStart => 4,
        }
    }

    pub fn is_contention(self) -> bool {
        matches!(self, Outcome::Reno | Outcome::SlowStart)
    }
}

/// A recovery, and how far the current round trip is from the best probe's.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(super) struct Decision {
    pub outcome: Outcome,
    /// 0 at the best probe, 1 at the average of the best and the worst, or above it.
    pub distance: f64,
}

/// Weight of the old value in the current round trip; the new sample has the rest.
const ALFA: f64 = 0.25;

/// Round trips of the connection's probes, seconds.
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

    /// Adds the round trips of a cycle (of two probes, or of one) and selects the recovery; `shortest` is that of
    /// the connection's segments, without its probes.
    pub fn decide(&mut self, probes: &[f64], shortest: f64) -> Decision {
        let reference = match self.reference {
            Reference::Data | Reference::Connection => shortest,
            Reference::BestProbe => self.best,
        };
        let mut current = self.current.or(probes.first().copied()).unwrap_or(shortest);
        for &probe in probes {
            self.best = self.best.min(probe);
            self.worst = self.worst.max(probe);
            current = ALFA * current + (1.0 - ALFA) * probe;
        }
        self.current = Some(current);
        let average = (self.best + self.worst) / 2.0;
        let below = current < average || self.tie == Tie::Below && current == average;
        let outcome = match (below, probes.iter().all(|p| *p < reference)) {
            (true, true) => Outcome::FullImmediate,
            (true, false) => Outcome::ThreeQuarters,
            (false, true) => Outcome::Reno,
            (false, false) => Outcome::SlowStart,
        };
        let distance = (current - self.best) / (average - self.best);
        // All probes took equally long: 0 / 0.
        Decision { outcome, distance: if distance.is_nan() { 1.0 } else { distance.clamp(0.0, 1.0) } }
    }
}
