//! Retry chains and reports of transmissions: the interface between MAC and controllers.

use smallvec::SmallVec;
use tworay_radio::phy::Mode;

/// One stage of a retry chain.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// The mode.
    pub mode: Mode,
    /// Attempts with this mode before the next stage, at least 1.
    pub tries: u8,
}

/// The modes of a frame's attempts, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryChain {
    /// The stages; at least one.
    stages: SmallVec<[Stage; 4]>,
    /// True if the first stage is a sample: one attempt to learn about a rate.
    pub samples: bool,
}

impl RetryChain {
    /// A chain that always sends with `mode`.
    pub fn only(mode: Mode) -> Self {
        Self { stages: SmallVec::from_slice(&[Stage { mode, tries: u8::MAX }]), samples: false }
    }

    /// A chain of the given stages. A stage that repeats the mode of the one before it adds its tries to it.
    pub fn new(first: Stage, rest: impl IntoIterator<Item = Stage>, samples: bool) -> Self {
        let mut stages: SmallVec<[Stage; 4]> = SmallVec::from_slice(&[first]);
        for stage in rest {
            match stages.last_mut() {
                Some(last) if last.mode == stage.mode => last.tries = last.tries.saturating_add(stage.tries),
                _ => stages.push(stage),
            }
        }
        Self { stages, samples }
    }

    /// The stages in order.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Attempts of all stages together, at least 1.
    pub fn tries(&self) -> u32 {
        self.stages.iter().map(|stage| u32::from(stage.tries)).sum::<u32>().max(1)
    }

    /// The mode of the attempt after `failed` failures. Beyond the chain's end its last mode goes on.
    pub fn mode_after(&self, failed: u32) -> Mode {
        let mut left = failed;
        let mut mode = self.stages[0].mode;
        for stage in &self.stages {
            mode = stage.mode;
            if left < u32::from(stage.tries) {
                break;
            }
            left -= u32::from(stage.tries);
        }
        mode
    }
}

/// The outcome of one transmission: a frame, or an aggregate whose subframes were judged singly.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct RateReport {
    /// Its mode.
    pub mode: Mode,
    /// Frames in it, at least 1.
    pub frames: u32,
    /// Frames acknowledged.
    pub acknowledged: u32,
    /// True if it was a sample.
    pub sample: bool,
}
