//! Linux' `tcp_westwood` in its own units: whole bytes and milliseconds.

use crate::control::SenderView;

/// Milliseconds, the clock unit of the module.
fn millis(nanos: u64) -> u64 {
    nanos / 1_000_000
}

/// Shortest period of a sample, ms.
const LEAST: u64 = 50;

/// The estimator. A sample is the data acknowledged in one round trip; it passes two 7/8 filters, all in
/// integer arithmetic.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// Start of the current sample, ms; `None` before the first ACK.
    since: Option<u64>,
    /// Bytes in the current sample.
    bytes: u64,
    /// Bytes counted by duplicate ACKs and not yet acknowledged.
    ahead: u64,
    /// Output of the first filter, bytes per ms.
    first: u64,
    second: u64,
    /// Smoothed round-trip time at the last ACK of new data, ms.
    rtt: u64,
    shortest: Option<u64>,
}

impl Module {
    /// An ACK of `bytes` new bytes.
    pub fn on_ack(&mut self, view: &SenderView, bytes: u64) {
        if let Some(srtt) = view.srtt {
            self.rtt = millis(srtt.as_nanos());
        }
        // The first ACK starts the count.
        let bytes = if self.since.is_some() { bytes } else { 0 };
        self.turn(view);
        // During a repair, bytes already counted by duplicate ACKs are subtracted.
        self.bytes += if view.in_recovery || view.after_timeout {
            self.uncounted(bytes, u64::from(view.mss))
        } else {
            bytes
        };
        self.note_rtt();
    }

    /// A duplicate ACK: one segment has arrived.
    pub fn on_dup_ack(&mut self, view: &SenderView) {
        self.turn(view);
        self.bytes += self.uncounted(0, u64::from(view.mss));
        self.note_rtt();
    }

    fn uncounted(&mut self, bytes: u64, mss: u64) -> u64 {
        if bytes == 0 {
            self.ahead += mss;
            return mss;
        }
        if bytes <= mss {
            return bytes;
        }
        if self.ahead >= bytes {
            self.ahead -= bytes;
            mss
        } else {
            bytes - std::mem::take(&mut self.ahead)
        }
    }

    /// Ends the current sample if it is longer than a round trip.
    fn turn(&mut self, view: &SenderView) {
        let now = millis(view.now.as_nanos());
        let since = *self.since.get_or_insert(now);
        let span = now.saturating_sub(since);
        if self.rtt == 0 || span <= self.rtt.max(LEAST) {
            return;
        }
        let sample = self.bytes / span;
        if self.first == 0 && self.second == 0 {
            (self.first, self.second) = (sample, sample);
        } else {
            self.first = (7 * self.first + sample) / 8;
            self.second = (7 * self.second + self.first) / 8;
        }
        self.bytes = 0;
        self.since = Some(now);
    }

    fn note_rtt(&mut self) {
        self.shortest = Some(self.shortest.map_or(self.rtt, |s| s.min(self.rtt)));
    }

    /// Bandwidth times shortest round trip in whole segments, at least 2.
    pub fn pipe(&self, mss: u32) -> f64 {
        let bytes = self.second * self.shortest.unwrap_or(0);
        (bytes / u64::from(mss.max(1))).max(2) as f64
    }
}

#[cfg(test)]
mod tests;
