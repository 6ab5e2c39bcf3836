//! The operations of a sender for which computing costs are given, and their counts (Ghaleb-Seddik et al.
//! 2012, §V).

use crate::endpoint::Counters;
use strum::{EnumCount, IntoStaticStr, VariantArray};

/// An operation that a sender performs repeatedly.
#[derive(Copy, Clone, Debug, PartialEq, Eq, EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Operation {
    /// An ACK of new data in slow start.
    AckSlowStart,
    /// An ACK of new data in congestion avoidance.
    AckCongestionAvoidance,
    /// A duplicate ACK.
    DupAck,
    /// Entering fast retransmit.
    FastRetransmit,
    /// An ACK of new data during fast recovery.
    RecoveryAck,
    /// An expiry of the retransmission timer.
    Timeout,
    /// A round-trip sample that entered the estimator.
    RttSample,
    /// An update of the variant's own filters: a sample or an ACK passed to its parts.
    FilterUpdate,
    /// A loss that the variant classified.
    Classification,
    /// A probe was sent.
    Probe,
}

impl Operation {
    /// Number of operations.
    pub const COUNT: usize = <Operation as EnumCount>::COUNT;
    /// Every operation, in the order of [`Operations`].
    pub const ALL: &'static [Operation] = Operation::VARIANTS;

    /// The name in tables and JSON.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Runs of each operation, in the order of [`Operation::ALL`].
pub type Operations = [u64; Operation::COUNT];

impl Counters {
    /// Runs of each operation.
    pub fn operations(&self) -> Operations {
        let mut all = self.operations;
        all[Operation::DupAck as usize] = self.dup_acks;
        all[Operation::FastRetransmit as usize] = self.fast_retransmits;
        all[Operation::Timeout as usize] = self.timeouts;
        all[Operation::Probe as usize] = self.probes_sent;
        all
    }

    #[inline]
    pub(crate) fn ran(&mut self, operation: Operation) {
        self.operations[operation as usize] += 1;
    }
}
