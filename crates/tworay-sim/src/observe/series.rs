//! Time series of the senders.

use tworay_base::{FlowId, SimTime};
use tworay_tcp::Snapshot;

/// One row of a flow's time series.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Sample {
    /// Time of the sample.
    pub at: SimTime,
    /// The sender's state.
    pub state: Snapshot,
    /// Payload acknowledged since the flow's start.
    pub acked_bytes: u64,
}

/// The time series of each flow; `None` for flows without one.
#[derive(Default)]
pub(crate) struct Series {
    flows: Vec<Option<Vec<Sample>>>,
    /// True if any flow has a series.
    recorded: bool,
}

impl Series {
    /// Series of this many flows, if they are to be recorded.
    pub fn new(flows: usize, recorded: bool) -> Self {
        Self { flows: (0..flows).map(|_| recorded.then(Vec::new)).collect(), recorded }
    }

    /// A flow is added, whose series is recorded in any case.
    pub fn add_flow(&mut self) {
        self.flows.push(Some(Vec::new()));
        self.recorded = true;
    }

    /// True if any flow has a series.
    #[inline]
    pub fn is_recorded(&self) -> bool {
        self.recorded
    }

    /// A sender's state after an event, with the bytes acknowledged so far; recorded if it has changed.
    pub fn note(&mut self, now: SimTime, flow: FlowId, state: &Snapshot, acked_bytes: u64) {
        if let Some(Some(samples)) = self.flows.get_mut(flow.index())
            && samples.last().is_none_or(|s| s.state != *state)
        {
            samples.push(Sample { at: now, state: *state, acked_bytes });
        }
    }

    /// The rows of all flows, flow by flow.
    pub fn rows(self) -> Vec<(u16, Sample)> {
        let by_flow = self.flows.into_iter().enumerate();
        by_flow.flat_map(|(i, s)| s.unwrap_or_default().into_iter().map(move |s| (i as u16, s))).collect()
    }
}

#[cfg(test)]
mod tests;
