//! The operations of a sender for which computing costs are given, and their counts (Ghaleb-Seddik et al.
//! 2012, §V).

use crate::endpoint::Counters;

/// An operation that a sender performs repeatedly.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
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
    pub const COUNT: usize = 10;
    /// Every operation, in the order of [`Operations`].
    pub const ALL: [Operation; Self::COUNT] = [
        Operation::AckSlowStart,
        Operation::AckCongestionAvoidance,
        Operation::DupAck,
        Operation::FastRetransmit,
        Operation::RecoveryAck,
        Operation::Timeout,
        Operation::RttSample,
        Operation::FilterUpdate,
        Operation::Classification,
        Operation::Probe,
    ];

    /// The name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Operation::AckSlowStart => "ack_slow_start",
            Operation::AckCongestionAvoidance => "ack_congestion_avoidance",
            Operation::DupAck => "dup_ack",
            Operation::FastRetransmit => "fast_retransmit",
            Operation::RecoveryAck => "recovery_ack",
            Operation::Timeout => "timeout",
            Operation::RttSample => "rtt_sample",
            Operation::FilterUpdate => "filter_update",
            Operation::Classification => "classification",
            Operation::Probe => "probe",
        }
    }
}

/// How often each operation ran, in the order of [`Operation::ALL`].
pub type Operations = [u64; Operation::COUNT];

impl Counters {
    /// How often each operation ran.
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
