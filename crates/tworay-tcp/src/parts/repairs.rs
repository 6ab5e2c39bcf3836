//! The pieces of a loss repair.

use bitflags::bitflags;

bitflags! {
    /// The parts of the repair of losses besides the recovery's own rules.
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
    pub(crate) struct Repairs: u8 {
        /// Losses are found by time.
        const RACK = 1;
        /// Tail loss probes.
        const TLP = 1 << 1;
        /// Proportional Rate Reduction.
        const PRR = 1 << 2;
        /// Spurious timeouts are found by sending new data.
        const F_RTO = 1 << 3;
        /// Spurious timeouts are found by time stamps.
        const EIFEL = 1 << 4;
        /// Linux' habits where the RFCs leave a choice.
        const LINUX = 1 << 5;
    }
}

impl Repairs {
    /// True if SACK needs a mark for each segment.
    pub fn marks_segments(self) -> bool {
        self.intersects(Repairs::RACK.union(Repairs::PRR))
    }
}
