//! Proportional Rate Reduction: determines how much each ACK releases in fast recovery, so that the flight
//! at its end is what the reduction requires (RFC 9937 §6, which obsoletes RFC 6937). Unit: segments.

/// One fast recovery.
#[derive(Debug)]
pub(super) struct Prr {
    /// Flight required at the end (ssthresh).
    pub target: f64,
    /// Segments in flight when the recovery began (RecoverFS).
    flight: usize,
    delivered: usize,
    out: usize,
}

/// Deliveries that an ACK reports.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Progress {
    /// Segments delivered for the first time, cumulatively or by SACK.
    pub delivered: usize,
    /// The cumulative ACK advanced and no further loss was found (RFC 9937's SafeACK).
    pub safe: bool,
}

impl Prr {
    /// `flight` is the number of segments in flight before the loss was found, without SACKed ones.
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
            // Proportional reduction: segments sent relate to segments delivered as the target to the
            // flight at the start.
            (self.delivered * target).div_ceil(self.flight).saturating_sub(self.out)
        } else {
            let bound = self.delivered.saturating_sub(self.out).max(progress.delivered);
            (bound + usize::from(progress.safe)).min(target - in_flight)
        };
        if self.out == 0 {
            // The first retransmission is always sent.
            count = count.max(1);
        }
        (in_flight + count) as f64
    }
}

#[cfg(test)]
mod tests;
