//! Timeouts that may have been spurious.

use crate::control::Window;
use crate::parts::Repairs;
use tworay_base::SimDuration;

/// The ACK that F-RTO evaluates next.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The first ACK that advances (RFC 5682 §2.1 step 2).
    First,
    /// The ACK after that; two new segments are out (step 3).
    New,
}

/// A timeout that may have been spurious.
#[derive(Copy, Clone, Debug)]
pub(super) struct Trial {
    /// Window before the timeout.
    pub(super) window: Window,
    /// FlightSize before the timeout, segments.
    pub(super) flight: f64,
    /// Estimators before the timeout.
    pub(super) estimate: Option<(SimDuration, SimDuration)>,
    /// The byte after the highest sent before the timeout.
    pub(super) point: u64,
    /// Time stamp of the retransmission.
    pub(super) stamp: u32,
    pub(super) step: Step,
}

/// Detection of spurious timeouts.
#[derive(Debug)]
pub(crate) struct SpuriousTimeouts {
    pub(super) frto: bool,
    pub(super) eifel: bool,
    pub(super) linux: bool,
    pub(super) trial: Option<Trial>,
}

impl SpuriousTimeouts {
    pub fn new(repairs: Repairs) -> Self {
        Self {
            frto: repairs.contains(Repairs::F_RTO),
            eifel: repairs.contains(Repairs::EIFEL),
            linux: repairs.contains(Repairs::LINUX),
            trial: None,
        }
    }

    /// The variant handles the timeout itself.
    pub fn trial_is_void(&mut self) {
        self.trial = None;
    }
}
