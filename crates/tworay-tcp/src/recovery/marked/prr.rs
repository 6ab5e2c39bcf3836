//! Proportional Rate Reduction: during fast recovery, how much each ACK lets out, so that as many segments are in
//! flight at its end as the reduction wants (RFC 9937 §6, which obsoletes RFC 6937). In segments.

/// One recovery.
#[derive(Debug)]
pub(super) struct Prr {
    /// What the reduction wants in flight at the end (ssthresh).
    pub target: f64,
    /// Segments in flight when the recovery began (RecoverFS).
    flight: usize,
    delivered: usize,
    out: usize,
}

/// What an ACK brought.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Progress {
    /// Segments delivered for the first time, cumulatively or by SACK.
    pub delivered: usize,
    /// The cumulative ACK advanced, and nothing more was found lost (RFC 9937's SafeACK).
    pub safe: bool,
}

impl Prr {
    /// `flight` segments were in flight before the loss was found, those aside that the receiver had reported.
    pub fn new(target: f64, flight: usize) -> Self {
        Self { target, flight: flight.max(1), delivered: 0, out: 0 }
    }

    /// Segments sent.
    pub fn sent(&mut self, segments: usize) {
        self.out += segments;
    }

    /// The window after an ACK with `in_flight` segments in flight.
    pub fn window(&mut self, progress: Progress, in_flight: usize) -> f64 {
        self.delivered += progress.delivered;
        let target = self.target.floor() as usize;
        let mut count = if in_flight > target {
            // Proportional reduction: as much goes in as of what comes out is to stay.
            (self.delivered * target).div_ceil(self.flight).saturating_sub(self.out)
        } else {
            let bound = self.delivered.saturating_sub(self.out).max(progress.delivered);
            (bound + usize::from(progress.safe)).min(target - in_flight)
        };
        if self.out == 0 {
            // The first retransmission always goes.
            count = count.max(1);
        }
        (in_flight + count) as f64
    }
}

#[cfg(test)]
mod tests;
