//! Times in which the machine was too slow: the network lagged behind its clock.

use tworay_base::SimTime;

/// Spans closer together than this are one, ns of simulated time.
const APART: u64 = 100_000_000;
/// Most spans that are kept; later ones extend the last.
const MOST: usize = 10_000;

/// A time in which packets moved later than they should have.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct LateSpan {
    /// When the first late event was due.
    pub from: SimTime,
    /// When the network had caught up.
    pub to: SimTime,
    /// The greatest lateness, real seconds.
    pub seconds: f64,
}

/// The late spans of a network, in order of time.
#[derive(Clone, Debug, Default)]
pub(crate) struct LateSpans(pub Vec<LateSpan>);

impl LateSpans {
    /// An event due at `due` was processed at `at`, `seconds` of real time too late.
    pub fn note(&mut self, due: SimTime, at: SimTime, seconds: f64) {
        let full = self.0.len() >= MOST;
        match self.0.last_mut() {
            Some(last) if full || due <= SimTime::from_nanos(last.to.as_nanos().saturating_add(APART)) => {
                last.to = last.to.max(at);
                last.seconds = last.seconds.max(seconds);
            }
            _ => self.0.push(LateSpan { from: due, to: at, seconds }),
        }
    }
}

#[cfg(test)]
mod tests;
