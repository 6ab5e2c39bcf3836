//! ns-2.35's habits of TCP where its agents part from the RFCs and the papers, each named once.
//!
//! What is a choice of its own in the scenario (what is halved, how acknowledgments are sized, which form of
//! SACK) is in [`TcpConfig`]; here is what follows from such a choice in code that all share.

use crate::config::{Handshake, NewRenoExit, RttArithmetic, SackForm, TcpConfig, VegasForm};
use crate::variant::RecoveryKind;

/// One switch per habit; all off is the standard.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct TcpQuirks {
    /// `Agent/TCP/Newreno` notices the end of recovery only by the window's inflation, which a partial ACK may
    /// have removed before: then the recovery isn't over for the window's growth. (RFC 6582: it ends when
    /// everything sent before it is acknowledged.)
    pub exit_seen_by_inflation: bool,
    /// A lost SYN doesn't raise the timeout for data to 3 s. (RFC 6298 §5.7: it does.)
    pub lost_syn_keeps_rto: bool,
    /// `Agent/TCP/Linux` sends data together with the first SYN.
    pub data_with_first_syn: bool,
    /// `Agent/TCP/Vegas` keeps send times and counts in a ring with a slot for each segment of the advertised
    /// window. An ACK that covers the ring's end empties no slot, and the next segments in these slots seem
    /// to be retransmissions: they give no sample, and their loss halves the window instead of taking a
    /// quarter.
    pub surviving_counts: bool,
    /// To it, an empty slot of that ring is long overdue. When everything is acknowledged just after a loss, and
    /// on duplicate ACKs with nothing out, the next new segment is sent at once, and again in its turn.
    pub overdue_nothing: bool,
    /// After a timeout, the window that its inflation falls back to is 0.
    pub forgotten_window: bool,
    /// With a window of 0 and nothing out, the sender waits for another timeout instead of sending one segment.
    pub zero_window_waits: bool,
    /// Its SYN is as long as a full segment.
    pub long_syn: bool,
    /// When its SYN is repeated, data goes with it.
    pub data_with_repeated_syn: bool,
    /// The loss of its SYN doesn't reduce the initial window. (RFC 5681 §3.1: to one segment.)
    pub lost_syn_keeps_window: bool,
    /// A repeated SYN sets its clock back to zero: for as long as the SYN had waited, no loss reduces the
    /// window.
    pub restarted_clock: bool,
}

impl TcpQuirks {
    /// The RFCs and the papers.
    pub const STANDARD: TcpQuirks = TcpQuirks {
        exit_seen_by_inflation: false,
        lost_syn_keeps_rto: false,
        data_with_first_syn: false,
        surviving_counts: false,
        overdue_nothing: false,
        forgotten_window: false,
        zero_window_waits: false,
        long_syn: false,
        data_with_repeated_syn: false,
        lost_syn_keeps_window: false,
        restarted_clock: false,
    };
}

impl TcpConfig {
    /// The habits that these settings give a sender with this recovery.
    pub fn quirks(&self, recovery: RecoveryKind) -> TcpQuirks {
        let one_way = self.handshake == Handshake::OneWay;
        let vegas = recovery == RecoveryKind::Vegas && self.vegas == VegasForm::Ns2;
        let linux = recovery == RecoveryKind::Sack && self.sack.form == SackForm::TcpLinux;
        TcpQuirks {
            exit_seen_by_inflation: recovery == RecoveryKind::NewReno
                && self.newreno.exit == NewRenoExit::Keep,
            lost_syn_keeps_rto: self.rto.arithmetic != RttArithmetic::Exact,
            data_with_first_syn: linux && one_way,
            surviving_counts: vegas,
            overdue_nothing: vegas,
            forgotten_window: vegas,
            zero_window_waits: vegas,
            long_syn: vegas && one_way,
            data_with_repeated_syn: vegas && one_way,
            lost_syn_keeps_window: vegas && one_way,
            restarted_clock: vegas,
        }
    }
}

#[cfg(test)]
mod tests;
