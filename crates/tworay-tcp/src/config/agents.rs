//! The quirks of a sender: those of its recovery's table, and of the timer's.

use super::TcpConfig;
use crate::parts::RecoveryKind;
use crate::quirks::TcpQuirks;

impl TcpConfig {
    /// The quirks of a sender with this recovery.
    pub fn quirks(&self, recovery: RecoveryKind) -> TcpQuirks {
        let own = match recovery {
            RecoveryKind::Tahoe | RecoveryKind::Reno => TcpQuirks::STANDARD,
            RecoveryKind::NewReno => self.newreno.quirks(),
            RecoveryKind::Sack => self.sack.quirks(self.handshake),
            RecoveryKind::Vegas => self.vegas.quirks(self.handshake),
        };
        TcpQuirks { lost_syn_keeps_rto: self.rto.lost_syn_keeps_rto(), ..own }
    }
}

#[cfg(test)]
mod tests;
