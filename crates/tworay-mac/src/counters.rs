//! Counters of the MAC.

/// Counters of one station.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MacCounters {
    /// RTS frames sent.
    pub tx_rts: u64,
    /// CTS frames sent.
    pub tx_cts: u64,
    /// ACK frames sent.
    pub tx_ack: u64,
    /// Unicast data frames sent, retries included.
    pub tx_data: u64,
    /// Broadcast data frames sent.
    pub tx_broadcast: u64,
    /// RTS frames without a CTS.
    pub rts_failures: u64,
    /// Data frames without an ACK.
    pub ack_failures: u64,
    /// Packets given up because the short retry limit of RTS was reached.
    pub give_ups_rts: u64,
    /// Packets given up because the retry limit of DATA was reached.
    pub give_ups_data: u64,
    /// RTS or DATA frames left unanswered because the station was busy (ns-2: BSY).
    pub busy: u64,
    /// Frames discarded as duplicates.
    pub duplicates: u64,
    /// CTS or ACK frames that the station was not waiting for.
    pub unexpected: u64,
}

impl MacCounters {
    /// Adds another station's counters.
    pub fn add(&mut self, o: &MacCounters) {
        self.tx_rts += o.tx_rts;
        self.tx_cts += o.tx_cts;
        self.tx_ack += o.tx_ack;
        self.tx_data += o.tx_data;
        self.tx_broadcast += o.tx_broadcast;
        self.rts_failures += o.rts_failures;
        self.ack_failures += o.ack_failures;
        self.give_ups_rts += o.give_ups_rts;
        self.give_ups_data += o.give_ups_data;
        self.busy += o.busy;
        self.duplicates += o.duplicates;
        self.unexpected += o.unexpected;
    }
}

#[cfg(test)]
mod tests;
